//! Diskless checkpoints for programs in Rust: what `ftck.h` declares, with its rules expressed as
//! types. Programs run under `ftrun`, like those in C and Fortran.
//!
//! A program keeps what it needs to continue in one value, and lists that value's parts in
//! [`State`]:
//!
//! ```ignore
//! let mut checkpoints = Checkpoints::new(Comm::WORLD, "rs:2")?;
//! // After each recovery, and at replacements, too:
//! let mut step = checkpoints.restore(&mut state)?.unwrap_or(0);
//! while step < STEPS {
//!     if step % 100 == 0 {
//!         checkpoints.save(step, &mut state)?;
//!     }
//!     …
//! ```
//!
//! Errors are returned if the error handlers of the communicator, and of `MPI_COMM_SELF` for
//! operations of one rank alone, are `MPI_ERRORS_RETURN`. `ftck.h` describes the schemes and which
//! losses they can repair.

mod calls;
mod parts;

pub use parts::{Datum, Parts, State};

use calls::Handle;
use std::ffi::{CString, c_int, c_void};
use std::fmt;
use std::marker::PhantomData;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::null_mut;

/// The result of all calls.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a call has failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// An error code of MPI.
    pub code: i32,
    words: String,
}

impl Error {
    /// Whether more ranks have failed than the scheme can replace.
    pub fn is_loss(&self) -> bool {
        calls::class_of(self.code) == calls::LOST
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.words)
    }
}

impl std::error::Error for Error {}

/// A communicator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comm(*mut c_void);

impl Comm {
    /// `MPI_COMM_WORLD`.
    pub const WORLD: Comm = Comm(std::ptr::without_provenance_mut(0x101));

    /// The communicator behind a C handle.
    ///
    /// # Safety
    /// It is an `MPI_Comm` of this library, and not freed while it is used.
    pub unsafe fn from_raw(raw: *mut c_void) -> Comm {
        Comm(raw)
    }
}

/// How safe the last checkpoint is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Safety {
    /// The program's number for it.
    pub version: i32,
    /// How many more ranks may die, in any combination; none if data are lost.
    pub failures: Option<usize>,
    /// Decimal digits of sums that were lost in the last restoration.
    pub digits: usize,
}

/// Checkpoints of one scheme.
#[derive(Debug)]
pub struct Checkpoints {
    handle: Handle,
    /// The registered memory. It is accessed only by calls that register anew, and each of them
    /// clears this first: a [`Saving`] that was forgotten leaves no registration that is used.
    registered: Vec<i32>,
    /// The checkpoint that is being saved during the computation, or none.
    request: *mut c_void,
    /// The state of a rank stays with its thread.
    is_of_this_rank: PhantomData<*mut ()>,
}

impl Checkpoints {
    /// Checkpoints of the members of `comm`; replacements create theirs, too.
    pub fn new(comm: Comm, scheme: &str) -> Result<Checkpoints> {
        let scheme = text(scheme.as_bytes())?;
        let mut handle = null_mut();
        // SAFETY: the text ends with a zero, and the handle is ours.
        tried(unsafe { calls::FTCK_Create(comm.0, scheme.as_ptr(), &mut handle) })?;
        let (registered, request) = (Vec::new(), calls::NO_REQUEST);
        Ok(Checkpoints { handle, registered, request, is_of_this_rank: PhantomData })
    }

    /// Saves the state under a number; called by all ranks together, at a moment when no message
    /// between them is under way.
    pub fn save(&mut self, version: i32, state: &mut impl State) -> Result<()> {
        let parts = Parts::of(state);
        self.register(&parts)?;
        // SAFETY: registered memory is borrowed until it is unregistered.
        let code = unsafe { calls::FTCK_Checkpoint(self.handle, version) };
        self.clear();
        tried(code)
    }

    /// Starts to save it. The state may change when this returns; the rest is done during later
    /// calls of MPI.
    pub fn save_beside(&mut self, version: i32, state: &mut impl State) -> Result<Saving<'_>> {
        let parts = Parts::of(state);
        self.register(&parts)?;
        // SAFETY: as above, and the request is ours. The data are copied when this returns.
        let code = unsafe { calls::FTCK_Icheckpoint(self.handle, version, &mut self.request) };
        tried(code).inspect_err(|_| self.clear())?;
        Ok(Saving { of: self })
    }

    /// Restores the last checkpoint that can be restored; returns its number, or none if nothing
    /// was saved yet. Called by all ranks together, survivors and replacements.
    pub fn restore(&mut self, state: &mut impl State) -> Result<Option<i32>> {
        let parts = Parts::of(state);
        self.register(&parts)?;
        let mut version = calls::NONE;
        // SAFETY: as above, and any bytes are values of what is registered.
        let code = unsafe { calls::FTCK_Restore(self.handle, &mut version) };
        self.clear();
        tried(code)?;
        Ok((version != calls::NONE).then_some(version))
    }

    /// How safe the last checkpoint is; none if there is no checkpoint.
    pub fn safety(&self) -> Result<Option<Safety>> {
        let (mut version, mut failures, mut digits) = (calls::NONE, 0, 0);
        let told = [&mut version, &mut failures, &mut digits].map(|word| word as *mut c_int);
        // SAFETY: three numbers of ours.
        tried(unsafe { calls::FTCK_Status(self.handle, told[0], told[1], told[2]) })?;
        let safety =
            Safety { version, failures: counted(failures), digits: digits.max(0) as usize };
        Ok((version != calls::NONE).then_some(safety))
    }

    /// For each of `ranks` ranks: how many of those it shares codes with may die.
    pub fn tolerances(&self, ranks: usize) -> Result<Vec<Option<usize>>> {
        let mut told = vec![0; ranks];
        let most = int(ranks)?;
        // SAFETY: there is room for `most` numbers.
        tried(unsafe { calls::FTCK_Tolerances(self.handle, most, told.as_mut_ptr()) })?;
        Ok(told.into_iter().map(counted).collect())
    }

    /// Former ranks that no longer exist, and whose data the last restoration has given to this
    /// one.
    pub fn orphans(&self) -> Result<Vec<i32>> {
        let mut count = 0;
        // SAFETY: there is room for 0 ranks, and the count is ours.
        tried(unsafe { calls::FTCK_Orphans(self.handle, 0, null_mut(), &mut count) })?;
        let mut ranks = vec![0; count.max(0) as usize];
        let most = int(ranks.len())?;
        // SAFETY: there is room for `most` ranks.
        tried(unsafe { calls::FTCK_Orphans(self.handle, most, ranks.as_mut_ptr(), &mut count) })?;
        Ok(ranks)
    }

    /// Copies what such a rank had saved under `id`; the lengths must be equal.
    pub fn adopt<T: Datum>(&self, rank: i32, id: i32, into: &mut [T]) -> Result<()> {
        let part = parts::Part::of(id, into);
        let (start, count, datatype) = (part.start, part.count, part.datatype);
        // SAFETY: the slice is borrowed, and any bytes are values of its type.
        tried(unsafe { calls::FTCK_Adopt_c(self.handle, rank, id, start, count, datatype) })
    }

    /// Moves to the members of `comm`, the survivors.
    pub fn move_to(&mut self, comm: Comm) -> Result<()> {
        // SAFETY: the handle is ours.
        tried(unsafe { calls::FTCK_Set_comm(self.handle, comm.0) })
    }

    /// Writes each `every`th checkpoint into files of `directory`, too; 0: none. Files that are
    /// lost or damaged are rebuilt from the others by `restore`, as far as the scheme allows.
    pub fn keep_on_disk(&mut self, directory: &Path, every: usize) -> Result<()> {
        let (directory, every) = (text(directory.as_os_str().as_bytes())?, int(every)?);
        // SAFETY: the text ends with a zero.
        tried(unsafe { calls::FTCK_Set_disk(self.handle, directory.as_ptr(), every) })
    }

    /// Declares the node of this rank: two ranks of a node are never in one group.
    pub fn sit_on(&mut self, node: usize) -> Result<()> {
        let node = int(node)?;
        // SAFETY: the handle is ours.
        tried(unsafe { calls::FTCK_Set_node(self.handle, node) })
    }

    /// Sets the mean time between failures, as in `90s`, `10min`, `2h`.
    pub fn expect_failures(&mut self, mttf: &str) -> Result<()> {
        let mttf = text(mttf.as_bytes())?;
        // SAFETY: the text ends with a zero.
        tried(unsafe { calls::FTCK_Set_mttf(self.handle, mttf.as_ptr()) })
    }

    /// Before each iteration: whether a checkpoint is due; all ranks get one answer.
    pub fn is_due(&mut self) -> Result<bool> {
        let mut flag = 0;
        // SAFETY: the flag is ours.
        tried(unsafe { calls::FTCK_Due(self.handle, &mut flag) })?;
        Ok(flag != 0)
    }

    /// Registers exactly these parts from now on.
    fn register(&mut self, parts: &Parts<'_>) -> Result<()> {
        self.clear();
        for part in &parts.all {
            let (id, start, count, datatype) = (part.id, part.start, part.count, part.datatype);
            // SAFETY: the part is borrowed, and accessed in calls that clear this afterwards, or
            // whose next such call has cleared it at its beginning.
            let code = unsafe { calls::FTCK_Register_c(self.handle, id, start, count, datatype) };
            tried(code).inspect_err(|_| self.clear())?;
            self.registered.push(id);
        }
        Ok(())
    }

    /// Waits for an unfinished save; then nothing is registered any more.
    fn clear(&mut self) {
        // A caller that needs the result waits for it.
        let _unheard = self.end();
        for id in self.registered.drain(..) {
            // SAFETY: the handle is ours.
            unsafe { calls::FTCK_Unregister(self.handle, id) };
        }
    }

    fn end(&mut self) -> Result<()> {
        // SAFETY: the request is ours; a completed one is null, and then this does not wait.
        tried(unsafe { calls::MPI_Wait(&mut self.request, null_mut()) })
    }
}

impl Drop for Checkpoints {
    fn drop(&mut self) {
        if !calls::is_finalized() {
            self.clear();
            // SAFETY: the handle is ours, and not used again.
            unsafe { calls::FTCK_Free(&mut self.handle) };
        }
    }
}

/// A checkpoint that is being saved during the computation. Dropping it waits for its end.
#[derive(Debug)]
#[must_use = "the next call waits for it"]
pub struct Saving<'a> {
    of: &'a mut Checkpoints,
}

impl Saving<'_> {
    /// Whether it is saved, or has failed.
    pub fn is_done(&mut self) -> Result<bool> {
        let mut flag = 0;
        // SAFETY: the request is ours; it becomes null when it is complete.
        tried(unsafe { calls::MPI_Test(&mut self.of.request, &mut flag, null_mut()) })?;
        Ok(flag != 0)
    }

    /// Waits until it is saved.
    pub fn wait(self) -> Result<()> {
        self.of.end()
    }
}

impl Drop for Saving<'_> {
    fn drop(&mut self) {
        self.of.clear();
    }
}

/// Turns the error code of an MPI call into a `Result` with the library's text.
pub fn checked(code: i32) -> Result<()> {
    tried(code)
}

fn tried(code: c_int) -> Result<()> {
    if code == 0 { Ok(()) } else { Err(Error { code, words: calls::words_of(code) }) }
}

fn bad(words: String) -> Error {
    Error { code: calls::BAD_ARGUMENT, words }
}

fn text(bytes: &[u8]) -> Result<CString> {
    CString::new(bytes).map_err(|_| bad("a text has a zero in it".to_string()))
}

fn int(number: usize) -> Result<c_int> {
    number.try_into().map_err(|_| bad(format!("{number} is more than an int holds")))
}

/// A number of failures; -1 means that data are lost.
fn counted(told: c_int) -> Option<usize> {
    usize::try_from(told).ok()
}
