//! File pointers (MPI-5.0 §14.4): where they are, and where they are set to. They count etypes.

use crate::mpi::coll::claim::Kind;
use crate::mpi::error::{Class, Result};
use crate::mpi::file::open_file::File;
use crate::mpi::file::uniform::{agree, let_first};
use crate::mpi::process::Process;

const SEEK_CUR: i32 = 401;
const SEEK_END: i32 = 402;
const SEEK_SET: i32 = 403;

/// Where a pointer that is at `current` goes.
fn target(file: &File, offset: i64, whence: i32, current: i64) -> Result<i64> {
    let from = match whence {
        SEEK_SET => 0,
        SEEK_CUR => current,
        SEEK_END => file.view().etypes_before(file.size()?.cast_unsigned()),
        _ => {
            let words = format!(
                "whence is {whence}; it must be MPI_SEEK_SET, MPI_SEEK_CUR or MPI_SEEK_END"
            );
            return Err(Class::ARG.because(words));
        }
    };
    let target = from.checked_add(offset).filter(|target| *target >= 0);
    target.ok_or_else(|| {
        let words = format!("offset is {offset}, and leads to a negative position in the view");
        Class::ARG.because(words)
    })
}

/// Sets the individual file pointer.
pub fn seek(file: &File, offset: i64, whence: i32) -> Result {
    file.must_be_random()?;
    file.set_position(target(file, offset, whence, file.position())?);
    Ok(())
}

/// Where the individual file pointer is.
pub fn position(file: &File) -> Result<i64> {
    file.must_be_random()?;
    Ok(file.position())
}

/// Where in the file a position of the view is.
pub fn place(file: &File, offset: i64) -> Result<i64> {
    file.must_be_random()?;
    file.view().place_of(offset)
}

/// Sets the shared file pointer, together with all members.
pub fn seek_shared(process: &Process, file: &File, offset: i64, whence: i32) -> Result {
    file.must_be_random()?;
    let mut mine = [0; 12];
    mine[..8].copy_from_slice(&offset.to_ne_bytes());
    mine[8..].copy_from_slice(&whence.to_ne_bytes());
    agree(process, &file.comm, Kind::FileSeekShared, &mine, "offset or whence")?;
    let pointer = &file.disk.shared_position;
    let aim = || target(file, offset, whence, pointer.position()?);
    let set = || {
        let set = aim().and_then(|target| pointer.set(target));
        Ok(i64::from(set.is_err()))
    };
    match let_first(process, &file.comm, Kind::FileSeekShared, "", set)? {
        0 => Ok(()),
        // The pointer has not moved, so this finds the same reason.
        _ => aim().map(drop),
    }
}

/// Where the shared file pointer is.
pub fn shared_position(file: &File) -> Result<i64> {
    file.must_be_random()?;
    file.disk.shared_position.position()
}
