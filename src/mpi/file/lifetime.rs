//! Opening, closing and deleting files (MPI-5.0 §14.2).
//!
//! The first member opens the file for all: the others find what it has opened in a registry of the
//! job, under the context that they have agreed on. A file that one member cannot open, none has.

use crate::host::disk;
use crate::mpi::coll;
use crate::mpi::coll::claim::Kind;
use crate::mpi::comm::Comm;
use crate::mpi::comm::prepared::Draft;
use crate::mpi::datatype::predefined;
use crate::mpi::errhandler::Installed;
use crate::mpi::error::{Class, Failure, Result, is_death};
use crate::mpi::failure::usability::must_be_fresh;
use crate::mpi::file::amode::Amode;
use crate::mpi::file::apart;
use crate::mpi::file::faults;
use crate::mpi::file::hints::Hints;
use crate::mpi::file::open_file::{Disk, File};
use crate::mpi::file::shared_pointer::{Pointer, Shared};
use crate::mpi::file::uniform::let_first;
use crate::mpi::file::view::View;
use crate::mpi::handle_table::Held;
use crate::mpi::info::Info;
use crate::mpi::process::Process;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicI64;
use std::sync::{Arc, Weak};

/// Files that were just opened, by the contexts of their communicators.
#[derive(Default)]
struct JustOpened(Mutex<HashMap<u32, Weak<Disk>>>);

const BYTE: usize = 0x247;

/// Opens a file together with all members of `comm`; returns its handle.
pub fn open(
    process: &'static Process, comm: &Comm, filename: &[u8], amode: i32, info: Option<&Info>,
) -> Result<usize> {
    comm.must_be_intra()?;
    let context = agree_on_mode(process, comm, amode)?;
    let amode = Amode::new(amode)?;
    let mut hints = Hints::default();
    hints.take(info)?;
    let path = Path::new(OsStr::from_bytes(filename));
    let has_others = !comm.is_alone() && process.world.is_of_several_processes();
    let (registry, mut opened) = (process.world.tenant::<JustOpened>(), None);
    let position = let_first(process, comm, Kind::FileOpen, &path.display().to_string(), || {
        let (disk, position) = open_alone(path, amode, &hints, has_others)?;
        registry.0.lock().insert(context, Arc::downgrade(&disk));
        opened = Some(disk);
        Ok(position)
    })?;
    let disk = match has_others {
        true => apart::open_with_first(process, comm, opened, &absolute(path), amode)?,
        false => {
            let found = opened.or_else(|| registry.0.lock().get(&context).and_then(Weak::upgrade));
            found.ok_or_else(|| {
                let words = "the process that has opened the file for all has died";
                Class::PROC_ABORTED.because(words)
            })?
        }
    };
    registry.0.lock().retain(|_, disk| disk.strong_count() > 0);
    hints.set("filename", String::from_utf8_lossy(filename).into_owned());
    keep(process, comm, context, disk, amode, hints, position)
}

/// Compares the modes; returns a context for the file's communicator.
fn agree_on_mode(process: &Process, comm: &Comm, amode: i32) -> Result<u32> {
    let mut mine = amode.to_ne_bytes().to_vec();
    let is_first = comm.living().rank == 0;
    let context = if is_first { process.world.fresh_context() } else { 0 };
    mine.extend(context.to_ne_bytes());
    let all = coll::share(process, comm, Kind::FileOpen, &mine)?;
    if all.chunks(8).any(|said| said[..4] != mine[..4]) {
        return Err(Class::NOT_SAME.because("amode differs between the processes of comm"));
    }
    let context = u32::from_ne_bytes(all[4..8].try_into().expect("the first has said it"));
    process.world.learn_context(context);
    Ok(context)
}

/// Opens a file; returns it with its initial position.
fn open_alone(
    path: &Path, amode: Amode, hints: &Hints, has_others: bool,
) -> io::Result<(Arc<Disk>, i64)> {
    let mut options = OpenOptions::new();
    options.read(amode.reads()).write(amode.writes()).mode(hints.permissions());
    if amode.is_exclusive() {
        options.create_new(true);
    } else if amode.creates() {
        options.create(true);
    }
    let file = disk::wait_for(|| options.open(path))?;
    let facts = file.metadata()?;
    if facts.is_dir() {
        return Err(io::Error::from_raw_os_error(libc::EISDIR));
    }
    let position = if amode.appends() { facts.len() as i64 } else { 0 };
    let pointer = match has_others {
        true => Pointer::Shared(Shared::at(position)?),
        false => Pointer::Here(AtomicI64::new(position)),
    };
    let disk = Disk::new(file, absolute(path), amode.deletes_on_close(), pointer);
    Ok((Arc::new(disk), position))
}

/// The path, whatever becomes of the working directory.
fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}

/// Gives an open file a handle, and a communicator for its members.
fn keep(
    process: &'static Process, comm: &Comm, context: u32, disk: Arc<Disk>, amode: Amode,
    hints: Hints, position: i64,
) -> Result<usize> {
    let byte = predefined::find(BYTE).expect("MPI_BYTE is predefined");
    let view = Arc::new(View::of_bytes(byte));
    let title = format!("the file {}", disk.path.display());
    let made = process.files.insert_with(|handle| {
        let errhandler = Installed::inherit(&process.file_errhandler);
        let draft = Draft::child(comm, context, comm.group.clone());
        let own = Draft { errhandler, ..draft }.build(process, handle);
        *own.name.lock() = title.into_bytes();
        let own = Held::Counted(Arc::new(own));
        Arc::new(File::new(own, disk, amode, hints, view, position))
    });
    made.map(|(handle, _)| handle)
        .ok_or_else(|| Class::OTHER.because("too many objects: no handle is left for another file"))
}

/// Closes a file. The handle is void from now on, whatever is returned: if other members have died,
/// this one need not wait for them, and after a recovery no other takes part.
pub fn close(process: &'static Process, handle: usize) -> Result {
    let file = process.file(handle, "fh")?;
    if let Some(split) = *file.split.lock() {
        let words = format!("fh is busy: {}_begin has not been ended", split.what);
        return Err(Class::IO.because(words).on(&file.comm));
    }
    let is_stale = must_be_fresh(process, &file.comm).is_err();
    let outcome = if is_stale { Ok(()) } else { part(process, &file) };
    if is_death(&outcome) {
        return outcome;
    }
    process.files.remove(handle);
    process.engine.let_go(file.comm.context())?;
    outcome.map_err(|failure| failure.on(&file.comm))
}

/// The members part; whether or not all are left, a temporary file goes.
fn part(process: &'static Process, file: &File) -> Result {
    let all = coll::share(process, &file.comm, Kind::FileClose, &[]);
    if !file.amode.deletes_on_close() || is_death(&all) {
        return all.map(drop);
    }
    let delete = || {
        file.disk.delete_if_temporary();
        Ok(0)
    };
    all.and_then(|_| let_first(process, &file.comm, Kind::FileClose, "", delete))?;
    file.disk.keep();
    Ok(())
}

/// Deletes a file that nobody need have opened.
pub fn delete(filename: &[u8]) -> Result {
    let path = Path::new(OsStr::from_bytes(filename));
    disk::wait_for(|| std::fs::remove_file(path)).map_err(|error| refused(&error, path))
}

#[cold]
fn refused(error: &io::Error, path: &Path) -> Failure {
    faults::because(error, &path.display().to_string())
}
