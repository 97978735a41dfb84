//! Sessions (MPI-5.0 §11.3): MPI without MPI_COMM_WORLD, from as many libraries as want it.

use crate::mpi::comm::group::Group;
use crate::mpi::dynamic::births;
use crate::mpi::errhandler::{Errhandler, Installed};
use crate::mpi::error::{Class, Failure, Result};
use crate::mpi::handle_table::{Held, Sort};
use crate::mpi::info::Info;
use crate::mpi::init;
use crate::mpi::open_session::Session;
use crate::mpi::p2p::attached_buffer::Slot;
use crate::mpi::process::Process;
use crate::mpi::thread::{THREAD_LEVELS, THREAD_MULTIPLE};
use std::sync::Arc;

/// The process sets there are.
const PSETS: [&str; 2] = ["mpi://WORLD", "mpi://SELF"];
const MEMORY_KINDS: &[u8] = b"mpi_memory_alloc_kinds";

/// Opens a session; returns its handle.
pub fn open(
    process: &Process, hints: Option<&Info>, errhandler: Held<Errhandler>,
) -> Result<usize> {
    let info = Info::default();
    info.set(b"thread_level", thread_level(hints)?)?;
    if hints.map(|hints| hints.value(MEMORY_KINDS)).transpose()?.flatten().is_some() {
        info.set(MEMORY_KINDS, b"mpi,system")?;
    }
    let (errhandler, buffer) = (Installed::with(Sort::Session, errhandler)?, Slot::new());
    let made = process
        .sessions
        .insert_with(|handle| Arc::new(Session { handle, errhandler, info, buffer }));
    let (handle, _) = made.ok_or_else(|| Class::OTHER.because("there are too many sessions"))?;
    if process.phases.open_session() {
        process.world.note_session(process.me, true);
    }
    Ok(handle)
}

/// The thread level that the hints ask for, by its name: the session has it, whichever it is.
fn thread_level(hints: Option<&Info>) -> Result<&'static [u8]> {
    let wanted = hints.map(|hints| hints.value(b"thread_level")).transpose()?.flatten();
    let known = THREAD_LEVELS.iter().find(|(_, name)| wanted.as_deref() == Some(name.as_bytes()));
    let most = THREAD_LEVELS.iter().find(|(level, _)| *level == THREAD_MULTIPLE);
    let (_, name) = known.or(most).expect("the highest level is one of them");
    Ok(name.as_bytes())
}

/// Ends a session. What lies in its buffer is delivered first; all else, too, if nothing but this
/// session has kept the rank: it may end now, and what is still with it would be lost.
pub fn close(process: &Process, handle: usize) -> Result {
    let session = process.session(handle, "session")?;
    session.buffer.detach(&process.engine)?;
    if process.sessions.remove(handle).is_none() {
        return Err(Class::SESSION.because("session is being finalized by another thread"));
    }
    if process.phases.close_session() {
        if process.phases.debt().is_none() {
            process.engine.await_abandoned()?;
            process.world.flush_hosts();
        }
        process.world.note_session(process.me, false);
        init::leave_if_done(process);
    }
    Ok(())
}

impl Session {
    /// The group of a process set as this session has it; `None` where no such set is.
    pub fn group(&self, process: &Process, pset_name: &[u8]) -> Option<Group> {
        Some(group_of(process, pset_name)?.of_session(self.handle))
    }
}

/// How many process sets there are.
pub fn count_psets() -> i32 {
    PSETS.len() as i32
}

/// The name of a process set.
pub fn pset(n: i32) -> Result<&'static str> {
    usize::try_from(n).ok().and_then(|n| PSETS.get(n)).copied().ok_or_else(|| {
        let words = format!("n is {n}; there are {} process sets, from 0", PSETS.len());
        Class::ARG.because(words)
    })
}

/// What is known of a process set.
pub fn pset_info(process: &Process, name: &[u8]) -> Result<Info> {
    let Some(set) = group_of(process, name) else { return Err(stranger(name)) };
    let info = Info::default();
    info.set(b"mpi_size", set.size().to_string().as_bytes())?;
    Ok(info)
}

/// A number for the process set of this name, as a part of the machine: the same for those who are
/// in it together.
pub(super) fn part(process: &Process, name: &[u8]) -> Option<i32> {
    let group = group_of(process, name)?;
    let first = group.member(0).expect("a process set has members");
    i32::try_from(first.seat).ok()
}

fn group_of(process: &Process, name: &[u8]) -> Option<Group> {
    // A name is a URI, in which case says nothing.
    let is_meant = |known: &str| known.as_bytes().eq_ignore_ascii_case(name);
    Some(match PSETS.iter().position(|known| is_meant(known))? {
        0 => births::group_of_world(process.world, process.me),
        _ => Group::of(vec![process.me], process.me),
    })
}

fn stranger(name: &[u8]) -> Failure {
    let (name, known) = (String::from_utf8_lossy(name), PSETS.join(" and "));
    Class::ARG.because(format!("pset_name is `{name}`; the process sets are {known}"))
}
