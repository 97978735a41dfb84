//! Carries one access to a file when it is its turn: in atomic mode one goes after the other.

use crate::mpi::file::access::{Access, Manner};
use crate::mpi::file::carrier::{self, End};
use crate::mpi::file::faults;
use crate::mpi::file::open_file::Disk;

/// Carries an access, whoever does it.
pub fn carry(disk: &Disk, manner: Manner, access: &Access) -> End {
    match disk.turn() {
        Ok(_turn) => carrier::carry(&disk.file, manner, &[access], carrier::ALL)[0],
        Err(error) => End { missing: 0, error: Some(faults::number(&error)), ..End::GOOD },
    }
}
