//! An open file: what one process has of it ([`File`]), and what all that have opened it together
//! share ([`Disk`]): a descriptor, and the shared file pointer, which is one number. In a job of
//! several processes each has a descriptor of its own (see [`apart`](super::apart)).

use crate::host::disk::Direction;
use crate::mpi::comm::Comm;
use crate::mpi::error::{Class, Result};
use crate::mpi::file::access::Manner;
use crate::mpi::file::amode::Amode;
use crate::mpi::file::gathering::Gatherings;
use crate::mpi::file::hints::Hints;
use crate::mpi::file::shared_pointer::Pointer;
use crate::mpi::file::view::View;
use crate::mpi::handle_table::Held;
use parking_lot::{Mutex, MutexGuard};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicI64, Ordering};

/// A file, as one process has opened it.
pub struct File {
    /// A communicator of its own, for its members' collective operations. It has the handle of the
    /// file, and its error handler is the file's.
    pub comm: Held<Comm>,
    pub disk: Arc<Disk>,
    pub amode: Amode,
    pub hints: Mutex<Hints>,
    view: Mutex<Arc<View>>,
    /// The individual file pointer, in etypes.
    position: AtomicI64,
    /// The split collective operation that is under way.
    pub split: Mutex<Option<Split>>,
    /// The request of the latest one, as Fortran would store it.
    pub split_request: AtomicI32,
}

/// A split collective operation: the call that has begun it, and its request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    pub what: &'static str,
    pub request: usize,
}

/// The turn of an access in atomic mode, which ends when this is dropped.
pub struct Turn<'a> {
    disk: &'a Disk,
    _of_this_process: MutexGuard<'a, ()>,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if self.disk.has_others() {
            // It was locked, so it can be unlocked.
            let _unlocked = self.disk.file.unlock();
        }
    }
}

/// What all that have opened a file together share.
pub struct Disk {
    pub file: std::fs::File,
    pub path: PathBuf,
    /// Deletes it when the last of them has closed it.
    pub is_temporary: AtomicBool,
    /// The shared file pointer, in etypes.
    pub shared_position: Pointer,
    pub is_atomic: AtomicBool,
    /// Held by threads of the library while they do an access in atomic mode.
    turn: Mutex<()>,
    pub gatherings: Gatherings,
}

impl Drop for Disk {
    fn drop(&mut self) {
        self.delete_if_temporary();
    }
}

impl Disk {
    pub fn new(file: std::fs::File, path: PathBuf, is_temporary: bool, pointer: Pointer) -> Disk {
        Disk {
            file,
            path,
            is_temporary: AtomicBool::new(is_temporary),
            shared_position: pointer,
            is_atomic: AtomicBool::new(false),
            turn: Mutex::default(),
            gatherings: Gatherings::default(),
        }
    }

    pub fn is_atomic(&self) -> bool {
        self.is_atomic.load(Ordering::Acquire)
    }

    /// The turn of an access, as long as this is held. Outside of atomic mode all go at once.
    pub fn turn(&self) -> io::Result<Option<Turn<'_>>> {
        if !self.is_atomic() {
            return Ok(None);
        }
        let _of_this_process = self.turn.lock();
        // The kernel's lock ends with a process that dies.
        while self.has_others()
            && let Err(error) = self.file.lock()
        {
            if error.kind() != io::ErrorKind::Interrupted {
                return Err(error);
            }
        }
        Ok(Some(Turn { disk: self, _of_this_process }))
    }

    /// The first member has chosen atomic mode for all, or left it: where members do not share
    /// this, each follows.
    pub fn follow(&self, is_atomic: bool) {
        if self.has_others() {
            self.is_atomic.store(is_atomic, Ordering::Release);
        }
    }

    /// Whether other processes have it open, too.
    fn has_others(&self) -> bool {
        self.shared_position.has_others()
    }

    /// Somebody else has deleted it.
    pub fn keep(&self) {
        self.is_temporary.store(false, Ordering::Release);
    }

    /// Deletes a file that is to be deleted when it is closed, once.
    pub fn delete_if_temporary(&self) {
        if self.is_temporary.swap(false, Ordering::AcqRel) {
            // Somebody else may have deleted it, and nobody is left who could be told.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

impl File {
    pub fn new(
        comm: Held<Comm>, disk: Arc<Disk>, amode: Amode, hints: Hints, view: Arc<View>,
        position: i64,
    ) -> File {
        File {
            comm,
            disk,
            amode,
            hints: Mutex::new(hints),
            view: Mutex::new(view),
            position: AtomicI64::new(position),
            split: Mutex::default(),
            split_request: AtomicI32::new(0),
        }
    }

    pub fn view(&self) -> Arc<View> {
        self.view.lock().clone()
    }

    /// Another view. The individual file pointer goes back to its beginning.
    pub fn set_view(&self, view: Arc<View>) {
        *self.view.lock() = view;
        self.position.store(0, Ordering::Release);
    }

    pub fn position(&self) -> i64 {
        self.position.load(Ordering::Acquire)
    }

    pub fn set_position(&self, etypes: i64) {
        self.position.store(etypes, Ordering::Release);
    }

    /// Moves the individual file pointer on; returns where it was.
    pub fn pass(&self, etypes: i64) -> i64 {
        self.position.fetch_add(etypes, Ordering::AcqRel)
    }

    /// Moves the shared file pointer on; returns where it was.
    pub fn pass_shared(&self, etypes: i64) -> Result<i64> {
        self.disk.shared_position.pass(etypes)
    }

    /// How accesses in this direction are carried out; fails if the file was not opened for them.
    pub fn manner(&self, direction: Direction) -> Result<Manner> {
        self.amode.must_allow(direction)?;
        let hints = self.hints.lock();
        Ok(Manner { direction, buffer: hints.buffer(direction), sieves: hints.sieves(direction) })
    }

    /// Fails where positions are chosen although the file was opened for sequential access.
    pub fn must_be_random(&self) -> Result {
        if !self.amode.is_sequential() {
            return Ok(());
        }
        let words = "fh was opened with MPI_MODE_SEQUENTIAL; only the shared file pointer is there";
        Err(Class::UNSUPPORTED_OPERATION.because(words))
    }
}
