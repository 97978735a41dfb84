//! What members of an open file do together, with one outcome for all: they compare what each has
//! said, the first one acts, and the others are told what the system said.

use crate::mpi::coll;
use crate::mpi::coll::claim::Kind;
use crate::mpi::comm::Comm;
use crate::mpi::error::{Class, Failure, Result};
use crate::mpi::file::faults;
use crate::mpi::process::Process;
use crate::mpi::run;
use std::io;

/// Fails unless all members say the same. Returns when all have come, at none before.
pub fn agree(process: &Process, comm: &Comm, kind: Kind, mine: &[u8], what: &str) -> Result {
    let all = coll::share(process, comm, kind, mine)?;
    if all.chunks(mine.len().max(1)).all(|said| said == mine) {
        return Ok(());
    }
    Err(Class::NOT_SAME.because(format!("{what} differs between the processes of the file")))
}

/// The first member does this, and all others learn what came of it before any continues. `words`
/// say what failed, if it does.
pub fn let_first(
    process: &Process, comm: &Comm, kind: Kind, words: &str, act: impl FnOnce() -> io::Result<i64>,
) -> Result<i64> {
    let lane = coll::lane(process, comm, kind)?;
    let (mut number, mut value): (i32, i64) = (0, 0);
    if lane.rank() == 0 {
        match act() {
            Ok(given) => value = given,
            Err(error) => number = faults::number(&error),
        }
    }
    let mut told = [0; 12];
    told[..4].copy_from_slice(&number.to_ne_bytes());
    told[4..].copy_from_slice(&value.to_ne_bytes());
    run::block(coll::unite_behind(&lane, &mut told))?;
    let (number, value) = told.split_at(4);
    let number = i32::from_ne_bytes(number.try_into().expect("four bytes"));
    let value = i64::from_ne_bytes(value.try_into().expect("eight bytes"));
    if number == 0 { Ok(value) } else { Err(failed(number, words)) }
}

#[cold]
fn failed(number: i32, words: &str) -> Failure {
    faults::failure(number, words)
}
