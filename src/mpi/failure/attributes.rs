//! Attributes that describe failures: which ranks have failed, how often, and the modes of a
//! communicator (Fagg & Dongarra 2000, §4.4). Values are computed when the program asks for them.

use crate::engine::shared::rules::{CollMode, CommMode, Modes, MsgMode, RecoveryMode, Rules};
use crate::fault::{Loss, Record};
use crate::host::memory::{self, Span};
use crate::mpi::attributes::{Attribute, Found};
use crate::mpi::comm::Comm;
use crate::mpi::error::{Class, Failure, Result};
use crate::mpi::failure::states;
use crate::mpi::process::Process;
use std::ffi::c_void;

const LIST_NUM_FAILED: i32 = 7001;
const LIST_FAILED: i32 = 7002;
const COM_NUM_FAILED: i32 = 7003;
const COM_FAILED: i32 = 7004;
const NUM_FAILED_PROCS: i32 = 7005;
const COMM_MODE: i32 = 7006;
const MSG_MODE: i32 = 7007;
const COLL_MODE: i32 = 7008;
const RECOVERY_MODE: i32 = 7009;
const ULFM: i32 = 7010;
const COMM_STATE: i32 = 7011;
const RANK_STATES: i32 = 7012;

/// Whether attributes under `key` are about failures.
pub fn is_key(key: i32) -> bool {
    (LIST_NUM_FAILED..=RANK_STATES).contains(&key)
}

/// The modes of FT-MPI by which `comm` lives: its own, or else those of the job.
pub fn modes(process: &Process, comm: &Comm) -> Option<Modes> {
    let of_job = process.world.rules().modes()?;
    Some(comm.losses.modes().unwrap_or(of_job))
}

/// The members of `comm` have agreed to live by these modes.
pub(in crate::mpi) fn settle(process: &Process, comm: &Comm, modes: Modes) {
    let is_of_job = process.world.rules().modes() == Some(modes);
    comm.losses.set_modes((!is_of_job).then_some(modes));
}

/// Whether a death in the communicator of this handle ends the job, whatever handler is set.
pub fn is_to_end(process: &'static Process, handle: usize) -> bool {
    let comm = process.find_comm(handle);
    let modes = comm.and_then(|comm| modes(process, &comm));
    modes.is_some_and(|modes| modes.comm == CommMode::Abort)
}

/// The attribute of `comm` under `key`, which is one of these.
pub fn find(process: &'static Process, comm: &Comm, key: i32) -> Found {
    let record = record(process, comm);
    let ranks =
        || process.engine.home().losses(&record).into_iter().map(number).collect::<Vec<i32>>();
    let counts = || record.counts(comm.group.len()).into_iter().map(|count| count as i32);
    let modes = modes(process, comm).unwrap_or_default();
    match key {
        LIST_FAILED => pointer(comm, key, &ranks()),
        COM_FAILED => pointer(comm, key, &counts().collect::<Vec<i32>>()),
        LIST_NUM_FAILED => {
            let failed = number(record.filed() + record.events().count());
            Found { is_value: true, ..integer(comm, key, failed) }
        }
        COM_NUM_FAILED => {
            let failed = counts().filter(|count| *count > 0).count();
            Found { is_value: true, ..integer(comm, key, number(failed)) }
        }
        NUM_FAILED_PROCS => integer(comm, key, number(record.recent().count())),
        COMM_MODE => integer(comm, key, modes.comm as i32),
        MSG_MODE => integer(comm, key, modes.msg as i32),
        COLL_MODE => integer(comm, key, modes.coll as i32),
        RECOVERY_MODE => integer(comm, key, modes.recovery as i32),
        COMM_STATE => integer(comm, key, states::of_comm(process, comm) as i32),
        ULFM => integer(comm, key, i32::from(process.world.rules() == Rules::Ulfm)),
        _ => {
            let states = states::of_ranks(process, comm).into_iter();
            pointer(comm, key, &states.map(|state| state as i32).collect::<Vec<i32>>())
        }
    }
}

fn number(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}

fn integer(comm: &Comm, key: i32, number: i32) -> Found {
    let cell = comm.losses.tell(key, &[number]);
    Found { value: Attribute::Integer(i64::from(number)), cell, is_value: false }
}

fn pointer(comm: &Comm, key: i32, numbers: &[i32]) -> Found {
    let cell = comm.losses.tell(key, numbers);
    Found { value: Attribute::Pointer(cell), cell, is_value: false }
}

/// The failures that `comm` has seen, the latest included.
fn record(process: &'static Process, comm: &Comm) -> Record {
    let is_world = comm.is_alias_of(&process.world_comm());
    let agreed = if is_world { process.recovery.lock().as_ref().map(agreed_in) } else { None };
    let mut record = agreed.unwrap_or_default();
    // Whoever died before the last recovery is in no communicator that was made since.
    let is_fresh = comm.generation >= process.engine.generation();
    let earliest = if is_fresh { process.engine.known_deaths() } else { 0 };
    for member in process.world.deaths_since(earliest) {
        let rank = comm.group.rank_of(member).and_then(|rank| usize::try_from(rank).ok());
        if let Some(rank) = rank {
            record.note(Loss { member, rank });
        }
    }
    record
}

fn agreed_in(course: &crate::engine::Summons) -> Record {
    course.recovery.record().clone()
}

/// Sets the mode of `comm` under `key`: a number, or a pointer to one, as MPI's own keys have it.
pub fn set(process: &Process, comm: &Comm, key: i32, value: Attribute) -> Result {
    let number = number_behind(value)?;
    let mut modes = modes(process, comm).unwrap_or_default();
    let no = || {
        let words = format!("attribute_val is {number}, which is not a value of that mode");
        Class::ARG.because(words)
    };
    match key {
        COMM_MODE => modes.comm = CommMode::of(number).ok_or_else(no)?,
        MSG_MODE => modes.msg = MsgMode::of(number).ok_or_else(no)?,
        COLL_MODE => modes.coll = CollMode::of(number).ok_or_else(no)?,
        RECOVERY_MODE => modes.recovery = RecoveryMode::of(number).ok_or_else(no)?,
        _ => return Err(fixed(key)),
    }
    comm.losses.set_modes(Some(modes));
    Ok(())
}

/// Takes the modes of `comm` off: those of the job hold again.
pub fn delete(comm: &Comm, key: i32) -> Result {
    if !(COMM_MODE..=RECOVERY_MODE).contains(&key) {
        return Err(fixed(key));
    }
    comm.losses.set_modes(None);
    Ok(())
}

fn fixed(key: i32) -> Failure {
    let words = format!("the key is {key}: this attribute is read-only");
    Class::KEYVAL.because(words)
}

/// No program has an int in the first page of its memory.
const FIRST_ADDRESS: usize = 4096;

fn number_behind(value: Attribute) -> Result<i32> {
    match value {
        Attribute::Integer(number) => Ok(i32::try_from(number).unwrap_or(-1)),
        Attribute::Pointer(number) if number < FIRST_ADDRESS => Ok(number as i32),
        Attribute::Pointer(address) => {
            let mut bytes = [0; 4];
            let place = std::ptr::with_exposed_provenance::<c_void>(address);
            let read = memory::copy(Span::new(place, 4), Span::of_mut(&mut bytes));
            read.map_err(|_| Class::ARG.because("attribute_val is not a valid address"))?;
            Ok(i32::from_ne_bytes(bytes))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mode_may_be_a_number_or_point_at_one() {
        assert_eq!(number_behind(Attribute::Integer(3)), Ok(3));
        assert_eq!(number_behind(Attribute::Pointer(2)), Ok(2));
        let one = 1i32;
        let place = std::ptr::from_ref(&one).expose_provenance();
        assert_eq!(number_behind(Attribute::Pointer(place)), Ok(1));
    }
}
