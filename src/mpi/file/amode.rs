//! Access modes (MPI-5.0 §14.2.1): what a file is opened for, and how.

use crate::host::disk::Direction;
use crate::mpi::error::{Class, Result};

/// The access mode of an open file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amode(pub i32);

const APPEND: i32 = 1;
const CREATE: i32 = 2;
const DELETE_ON_CLOSE: i32 = 4;
const EXCL: i32 = 8;
const RDONLY: i32 = 16;
const RDWR: i32 = 32;
const SEQUENTIAL: i32 = 64;
const UNIQUE_OPEN: i32 = 128;
const WRONLY: i32 = 256;

const ALL: i32 =
    APPEND | CREATE | DELETE_ON_CLOSE | EXCL | RDONLY | RDWR | SEQUENTIAL | UNIQUE_OPEN | WRONLY;

impl Amode {
    /// The mode, if it makes sense.
    pub fn new(bits: i32) -> Result<Amode> {
        let has = |bit: i32| bits & bit != 0;
        let ways = [RDONLY, RDWR, WRONLY].into_iter().filter(|way| has(*way)).count();
        let words = match () {
            () if bits & !ALL != 0 => "it has bits that are no access mode",
            () if ways != 1 => {
                "it must have exactly one of MPI_MODE_RDONLY, MPI_MODE_RDWR and MPI_MODE_WRONLY"
            }
            () if has(RDONLY) && (has(CREATE) || has(EXCL)) => {
                "MPI_MODE_CREATE and MPI_MODE_EXCL do not go with MPI_MODE_RDONLY"
            }
            () if has(RDWR) && has(SEQUENTIAL) => {
                "MPI_MODE_SEQUENTIAL does not go with MPI_MODE_RDWR"
            }
            () => return Ok(Amode(bits)),
        };
        Err(Class::AMODE.because(format!("amode is {bits}; {words}")))
    }

    fn has(self, bit: i32) -> bool {
        self.0 & bit != 0
    }

    pub fn reads(self) -> bool {
        !self.has(WRONLY)
    }

    pub fn writes(self) -> bool {
        !self.has(RDONLY)
    }

    pub fn creates(self) -> bool {
        self.has(CREATE)
    }

    /// Whether the file must not exist.
    pub fn is_exclusive(self) -> bool {
        self.has(CREATE) && self.has(EXCL)
    }

    pub fn appends(self) -> bool {
        self.has(APPEND)
    }

    pub fn is_sequential(self) -> bool {
        self.has(SEQUENTIAL)
    }

    pub fn deletes_on_close(self) -> bool {
        self.has(DELETE_ON_CLOSE)
    }

    /// Fails if the file was not opened for this.
    pub fn must_allow(self, direction: Direction) -> Result {
        match direction {
            Direction::Read if !self.reads() => {
                Err(Class::ACCESS.because("fh was opened with MPI_MODE_WRONLY, and cannot be read"))
            }
            Direction::Write if !self.writes() => Err(Class::READ_ONLY
                .because("fh was opened with MPI_MODE_RDONLY, and cannot be written")),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_that_contradict_themselves_are_refused() {
        let good =
            [RDONLY, RDWR | CREATE | EXCL, WRONLY | SEQUENTIAL | APPEND, RDONLY | SEQUENTIAL];
        assert!(good.iter().all(|bits| Amode::new(*bits).is_ok()));
        let bad = [
            0,
            CREATE,
            RDONLY | WRONLY,
            RDONLY | RDWR,
            RDONLY | CREATE,
            RDONLY | EXCL,
            RDWR | SEQUENTIAL,
            RDWR | 512,
            -1,
        ];
        for bits in bad {
            let failure = Amode::new(bits).expect_err("it makes no sense");
            assert_eq!(failure.error().map(|error| error.class), Some(Class::AMODE), "{bits}");
        }
    }
}
