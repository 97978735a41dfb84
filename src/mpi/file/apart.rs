//! Files that processes have opened together: each has a descriptor of its own for what the first
//! one has opened, and all map the number that is the shared file pointer. The turns of atomic
//! mode are locks of the kernel's, which end with the process that holds them.

use crate::host::disk;
use crate::host::memory::SharedWord;
use crate::mpi::coll::claim::Kind;
use crate::mpi::coll::{self, unite};
use crate::mpi::comm::Comm;
use crate::mpi::error::{Class, Result};
use crate::mpi::file::amode::Amode;
use crate::mpi::file::faults;
use crate::mpi::file::open_file::{Disk, Pointer};
use crate::mpi::process::Process;
use crate::mpi::run;
use serde::{Deserialize, Serialize};
use std::fs::OpenOptions;
use std::io;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::sync::Arc;

/// Where the others find what the first member has opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Found {
    pid: i32,
    file: i32,
    pointer: i32,
}

impl Found {
    fn of(disk: &Disk) -> Option<Found> {
        let pointer = disk.shared_position.descriptor()?;
        Some(Found { pid: std::process::id() as i32, file: disk.file.as_raw_fd(), pointer })
    }

    /// Opens the file and the pointer in this process.
    fn open(self, path: &Path, amode: Amode) -> io::Result<Disk> {
        let Found { pid, file, pointer } = self;
        let mut options = OpenOptions::new();
        options.read(amode.reads()).write(amode.writes());
        let file = disk::wait_for(|| options.open(format!("/proc/{pid}/fd/{file}")))?;
        let pointer = Pointer::Shared(SharedWord::open(pid, pointer)?);
        Ok(Disk::new(file, path.to_path_buf(), amode.deletes_on_close(), pointer))
    }
}

/// All members have what the first one has opened, or none has. Nobody goes on before all have.
pub fn open_with_first(
    process: &Process, comm: &Comm, opened: Option<Arc<Disk>>, path: &Path, amode: Amode,
) -> Result<Arc<Disk>> {
    let lane = coll::lane(process, comm, Kind::FileOpen)?;
    let mine = encode(&opened.as_deref().and_then(Found::of));
    let told = run::block(unite(&lane, &mine, |said| said.by(0)))?;
    let found: Option<Found> = postcard::from_bytes(&told).ok().flatten();
    let gone = || io::Error::from_raw_os_error(libc::ESRCH);
    let disk = match (opened, found) {
        (Some(disk), _) => Ok(disk),
        (None, Some(found)) => found.open(path, amode).map(Arc::new),
        (None, None) => Err(gone()),
    };
    let mine = encode(&disk.as_ref().map_or_else(faults::number, |_| 0));
    let all = run::block(unite(&lane, &mine, |said| {
        (0..lane.size()).map(|rank| said.by(rank)).collect::<Result<Vec<_>>>()
    }))?;
    for (rank, said) in all.iter().enumerate() {
        let number: i32 = postcard::from_bytes(said).unwrap_or(libc::EIO);
        if number != 0 {
            let error = io::Error::from_raw_os_error(number);
            return Err(Class::OTHER.because(format!(
                "rank {rank} cannot open what the first process has opened: {error}"
            )));
        }
    }
    disk.map_err(|error| faults::because(&error, &path.display().to_string()))
}

fn encode(message: &impl Serialize) -> Vec<u8> {
    postcard::to_allocvec(message).expect("it is plain data")
}
