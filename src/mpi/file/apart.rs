//! Files that processes have opened together: each has a descriptor of its own for what the first
//! one has opened. On its host they find that in its process, and map the number that is the shared
//! file pointer; on other hosts they open the path, which has to lead to the same file there, and
//! ask those that have the pointer. The
//! turns of atomic mode are locks of the file system, which end with the process that holds them.

use crate::host::disk;
use crate::mpi::coll::claim::Kind;
use crate::mpi::coll::{self, unite};
use crate::mpi::comm::Comm;
use crate::mpi::error::{Class, Failure, Result};
use crate::mpi::file::amode::Amode;
use crate::mpi::file::faults;
use crate::mpi::file::open_file::Disk;
use crate::mpi::file::shared_pointer::{Keeper, Pointer, Shared};
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
}

impl Found {
    fn of(disk: &Disk) -> Option<Found> {
        Some(Found {
            opener: Showing::own(),
            file: disk.file.as_raw_fd(),
            inode: disk.file.metadata().ok()?.ino(),
            pointer: disk.shared_position.shared()?.descriptor()?,
        })
    }

    /// Opens it in this process. On another host, it is not known yet who has the pointer.
    fn open(self, path: &Path, amode: Amode) -> io::Result<Disk> {
        let Found { opener, file, inode, pointer } = self;
        let pid = opener.pid();
        let (way, pointer) = match opener.is_distant() {
            true => (path.to_path_buf(), Pointer::Distant(Vec::new())),
            false => {
                let shared = Shared::open(pid, pointer)?;
                (format!("/proc/{pid}/fd/{file}").into(), Pointer::Shared(shared))
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

/// What a member says once it has tried to open the file: the system's error number or 0, and where
/// it has the pointer, if it has.
type Reply = (i32, Option<(Showing, u64)>);

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
    let number = disk.as_ref().map_or_else(faults::number, |_| 0);
    let pointer = disk.as_ref().ok().and_then(|disk| disk.shared_position.shared());
    let reply: Reply = (number, pointer.map(|it| (Showing::own(), it.address() as u64)));
    let all = run::block(unite(&lane, &encode(&reply), |said| {
        (0..lane.size()).map(|rank| said.by(rank)).collect::<Result<Vec<_>>>()
    }))?;
    let mut keepers = Vec::new();
    for (rank, said) in (0..).zip(all) {
        let (number, pointer): Reply = postcard::from_bytes(&said).unwrap_or((libc::EIO, None));
        if number != 0 {
            return Err(unopened(process, comm, rank, number));
        }
        if let Some((process, address)) = pointer {
            let rank = comm.group.rank_of(comm.living().member(rank)).unwrap_or(rank);
            keepers.push(Keeper { process, address: address as usize, rank });
        }
    }
    let mut disk = disk.map_err(|error| faults::because(&error, &path.display().to_string()))?;
    if let Some(Disk { shared_position: Pointer::Distant(known), .. }) = Arc::get_mut(&mut disk) {
        *known = keepers;
    }
    Ok(disk)
}

#[cold]
fn unopened(process: &Process, comm: &Comm, rank: i32, number: i32) -> Failure {
    let error = io::Error::from_raw_os_error(number);
    let cure = match comm.is_on_one_host(process) {
        true => "",
        false => "; it must be on a file system that all hosts share",
    };
    Class::OTHER.because(format!(
        "rank {rank} cannot open what the first process has opened: {error}{cure}"
    ))
}

fn encode(message: &impl Serialize) -> Vec<u8> {
    postcard::to_allocvec(message).expect("it is plain data")
}
