//! Files that processes have opened together: each has a descriptor of its own for what the first
//! one has opened. On its host they find that in its process, and map the number that is the shared
//! file pointer; on other hosts they open the path, which has to lead to the same file there. The
//! turns of atomic mode are locks of the file system, which end with the process that holds them.

use crate::host::disk;
use crate::mpi::coll::claim::Kind;
use crate::mpi::coll::{self, unite};
use crate::mpi::comm::Comm;
use crate::mpi::error::{Class, Result};
use crate::mpi::file::amode::Amode;
use crate::mpi::file::faults;
use crate::mpi::file::open_file::Disk;
use crate::mpi::file::shared_pointer::{self, Pointer};
use crate::mpi::process::Process;
use crate::mpi::run;
use crate::transport::Showing;
use serde::{Deserialize, Serialize};
use std::fs::OpenOptions;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;

/// Where the others find what the first member has opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Found {
    opener: Showing,
    file: i32,
    /// What tells the file from others of its file system.
    inode: u64,
    pointer: i32,
    /// Where the pointer is in that process.
    address: u64,
}

impl Found {
    fn of(disk: &Disk) -> Option<Found> {
        let (pointer, address) = disk.shared_position.shared()?.place()?;
        Some(Found {
            opener: Showing::own(),
            file: disk.file.as_raw_fd(),
            inode: disk.file.metadata().ok()?.ino(),
            pointer,
            address: address as u64,
        })
    }

    /// Opens the file and the pointer in this process; `rank` is that of the first process.
    fn open(self, path: &Path, amode: Amode, rank: i32) -> io::Result<Disk> {
        let Found { opener, inode, .. } = self;
        let pid = opener.pid();
        let (way, pointer) = match opener.is_distant() {
            true => {
                let address = self.address as usize;
                let distant = shared_pointer::Distant { keeper: opener, address, rank };
                (path.to_path_buf(), Pointer::Distant(distant))
            }
            false => {
                let shared = shared_pointer::Shared::open(pid, self.pointer)?;
                (format!("/proc/{pid}/fd/{}", self.file).into(), Pointer::Shared(shared))
            }
        };
        let mut options = OpenOptions::new();
        options.read(amode.reads()).write(amode.writes());
        let file = disk::wait_for(|| options.open(&way))?;
        if file.metadata()?.ino() != inode {
            return Err(io::Error::from_raw_os_error(libc::ESTALE));
        }
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
        (None, Some(found)) => {
            let first = comm.group.rank_of(comm.living().member(0)).unwrap_or(0);
            found.open(path, amode, first).map(Arc::new)
        }
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
            let cure = match comm.is_on_one_host(process) {
                true => "",
                false => "; it must be on a file system that all hosts share",
            };
            return Err(Class::OTHER.because(format!(
                "rank {rank} cannot open what the first process has opened: {error}{cure}"
            )));
        }
    }
    disk.map_err(|error| faults::because(&error, &path.display().to_string()))
}

fn encode(message: &impl Serialize) -> Vec<u8> {
    postcard::to_allocvec(message).expect("it is plain data")
}
