//! What members of an open file set together: size, view, hints, atomicity (MPI-5.0 §14.2, §14.3,
//! §14.6); and what each can ask.

use crate::host::disk;
use crate::mpi::callback::Callback;
use crate::mpi::coll::claim::Kind;
use crate::mpi::datatype::{Datatype, constructors};
use crate::mpi::error::{Class, Result};
use crate::mpi::file::faults;
use crate::mpi::file::open_file::File;
use crate::mpi::file::representation::{MAX_NAME, Registered, Representation};
use crate::mpi::file::uniform::{agree, let_first};
use crate::mpi::file::view::View;
use crate::mpi::handle_table::Held;
use crate::mpi::info::Info;
use crate::mpi::process::Process;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// MPI_DISPLACEMENT_CURRENT.
const CURRENT: i64 = -1;

impl File {
    fn name(&self) -> String {
        self.disk.path.display().to_string()
    }

    /// Fails unless the size of the file may change to `size`.
    fn judge_size(&self, size: i64) -> Result {
        self.amode.must_allow(disk::Direction::Write)?;
        self.must_be_random()?;
        if size < 0 {
            return Err(Class::ARG.because(format!("size is {size}; it must not be negative")));
        }
        Ok(())
    }

    /// How many bytes are in the file.
    pub fn size(&self) -> Result<i64> {
        let facts = disk::wait_for(|| self.disk.file.metadata());
        facts.map(|facts| facts.len() as i64).map_err(|error| faults::because(&error, &self.name()))
    }
}

/// Cuts a file, or makes it longer.
pub fn set_size(process: &Process, file: &File, size: i64) -> Result {
    file.judge_size(size)?;
    agree(process, &file.comm, Kind::FileSetSize, &size.to_ne_bytes(), "size")?;
    let set = || disk::wait_for(|| file.disk.file.set_len(size as u64)).map(|()| 0);
    let_first(process, &file.comm, Kind::FileSetSize, &file.name(), set).map(drop)
}

/// Makes sure that there is room on the disk for this many bytes.
pub fn preallocate(process: &Process, file: &File, size: i64) -> Result {
    file.judge_size(size)?;
    agree(process, &file.comm, Kind::FilePreallocate, &size.to_ne_bytes(), "size")?;
    let allocate =
        || if size == 0 { Ok(0) } else { disk::allocate(&file.disk.file, size).map(|()| 0) };
    let_first(process, &file.comm, Kind::FilePreallocate, &file.name(), allocate).map(drop)
}

/// What all members have written is on the disk when this returns.
pub fn sync(process: &Process, file: &File) -> Result {
    agree(process, &file.comm, Kind::FileSync, &[], "")?;
    let sync = || match file.amode.writes() {
        true => disk::wait_for(|| file.disk.file.sync_all()).map(|()| 0),
        false => Ok(0),
    };
    let_first(process, &file.comm, Kind::FileSync, &file.name(), sync).map(drop)
}

/// Chooses between the consistency of atomic mode and the usual one.
pub fn set_atomicity(process: &Process, file: &File, is_atomic: bool) -> Result {
    agree(process, &file.comm, Kind::FileSetAtomicity, &[u8::from(is_atomic)], "flag")?;
    let set = || {
        file.disk.is_atomic.store(is_atomic, Ordering::Release);
        Ok(0)
    };
    let_first(process, &file.comm, Kind::FileSetAtomicity, "", set)?;
    file.disk.follow(is_atomic);
    Ok(())
}

/// Gives further hints.
pub fn set_info(process: &Process, file: &File, info: Option<&Info>) -> Result {
    agree(process, &file.comm, Kind::FileSetInfo, &[], "")?;
    file.hints.lock().take(info)
}

/// A view as the program describes it.
pub struct Described<'a> {
    pub displacement: i64,
    pub etype: Held<Datatype>,
    pub filetype: Held<Datatype>,
    pub representation: &'a [u8],
}

/// Changes this process's view of a file; all file pointers go back to its beginning.
pub fn set_view(
    process: &Process, file: &File, described: Described<'_>, info: Option<&Info>,
) -> Result {
    let view = view(process, file, described);
    // The others would wait for a process with bad arguments.
    let mine = view.as_ref().map_or_else(|_| vec![u8::MAX; SAID], said);
    let agreed = agree(process, &file.comm, Kind::FileSetView, &mine, "datarep or etype's extent");
    let (view, _) = view?;
    agreed?;
    let rewind = || {
        let set = file.disk.shared_position.set(0);
        set.map(|()| 0).map_err(|_| io::Error::from_raw_os_error(libc::ESRCH))
    };
    let_first(process, &file.comm, Kind::FileSetView, "", rewind)?;
    file.set_view(Arc::new(view));
    file.hints.lock().take(info)
}

/// A view, and the extent of its etype in the file.
fn view(process: &Process, file: &File, described: Described<'_>) -> Result<(View, i64)> {
    let Described { displacement, etype, filetype, representation } = described;
    for (name, datatype) in [("etype", &etype), ("filetype", &filetype)] {
        if !datatype.is_committed() {
            return Err(Class::TYPE.because(format!("{name} is not committed")));
        }
    }
    let representation = Representation::named(representation, &process.datareps.lock())?;
    let displacement = place(file, displacement)?;
    let extent = representation.extent(process.program, &etype)?;
    let view = View::new(process.program, displacement, etype, filetype, representation)?;
    Ok((view, extent))
}

/// What must be equal at all members, in bytes.
const SAID: usize = 16 + MAX_NAME;

fn said((view, extent): &(View, i64)) -> Vec<u8> {
    let mut said = extent.to_ne_bytes().to_vec();
    said.extend(view.etype_bytes.to_ne_bytes());
    said.extend(view.representation.name());
    said.resize(SAID, 0);
    said
}

/// Where a view is to begin; in a sequential file it can only be where the shared pointer is.
fn place(file: &File, displacement: i64) -> Result<i64> {
    match (displacement, file.amode.is_sequential()) {
        (CURRENT, true) => {
            let position = file.disk.shared_position.position()?;
            file.view().place_of(position)
        }
        (CURRENT, false) => Err(Class::ARG.because(
            "disp is MPI_DISPLACEMENT_CURRENT, but fh was not opened with MPI_MODE_SEQUENTIAL",
        )),
        (_, true) => Err(Class::ARG.because(
            "disp must be MPI_DISPLACEMENT_CURRENT: fh was opened with MPI_MODE_SEQUENTIAL",
        )),
        (displacement, false) => Ok(displacement),
    }
}

/// A handle of `datatype` for the program, which may free it.
pub fn handle_of(process: &Process, datatype: &Held<Datatype>) -> Result<usize> {
    if datatype.is_predefined() {
        return Ok(datatype.handle);
    }
    constructors::duplicate(process, datatype)
}

/// Registers a data representation.
pub fn register(
    process: &Process, name: Vec<u8>, functions: [Callback; 3], extra_state: usize, is_large: bool,
) -> Result {
    if name.is_empty() || name.len() >= MAX_NAME {
        let words = format!("datarep has {} bytes; it must have 1 to {}", name.len(), MAX_NAME - 1);
        return Err(Class::ARG.because(words));
    }
    let mut known = process.datareps.lock();
    if Representation::named(&name, &known).is_ok() {
        let name = String::from_utf8_lossy(&name);
        return Err(Class::DUP_DATAREP.because(format!("datarep is \"{name}\"")));
    }
    let [read, write, extent] = functions;
    let function = |function: Callback| (function.code != 0).then_some(function);
    let (read, write) = (function(read), function(write));
    known.push(Arc::new(Registered { name, read, write, extent, extra_state, is_large }));
    Ok(())
}
