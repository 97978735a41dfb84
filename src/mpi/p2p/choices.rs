//! Choices: calls whose outcome depends on what has happened so far, such as MPI_Waitany, MPI_Test
//! and MPI_Iprobe. In a job with a trace each has a number, and its outcome can be ordered
//! (`--match RANK:choiceN=INDEX`): then it waits for that request or message, as if the program had
//! come later, or finds nothing, as if it had come earlier.

use crate::base::Member;
use crate::engine::{Died, Engine, Ops};
use crate::machine::forced_match::NOTHING;
use crate::mpi::failure::call_trace;
use crate::mpi::process::Process;
use crate::transport::Envelope;
use std::ops::Range;

/// A choice that is about to be made.
pub struct Choice {
    me: Member,
    nth: u64,
    pub forced: Option<i32>,
    /// What can be chosen, if that is known before: requests by their index.
    options: Vec<i32>,
}

/// More requests than this are not written down.
const MOST: usize = 64;

impl Choice {
    /// A choice between messages.
    #[cold]
    pub fn of_messages(process: &Process) -> Option<Choice> {
        let (nth, forced) = call_trace::chooses(process.me)?;
        Some(Choice { me: process.me, nth, forced, options: Vec::new() })
    }

    /// A choice among these; `None` if there is only one way.
    #[cold]
    pub fn among(process: &Process, options: impl Iterator<Item = i32>) -> Option<Choice> {
        let options: Vec<i32> = options.take(MOST).collect();
        if options.len() < 2 {
            return None;
        }
        let (nth, forced) = call_trace::chooses(process.me)?;
        let forced = forced.filter(|what| options.contains(what));
        Some(Choice { me: process.me, nth, forced, options })
    }

    /// Notes which request is complete, if one is.
    pub fn note(self, index: Option<usize>) {
        let what = index.and_then(|index| i32::try_from(index).ok()).unwrap_or(NOTHING);
        let others = self.options.into_iter().filter(|other| *other != what);
        call_trace::has_chosen(self.me, self.nth, what, others);
    }

    /// Notes the source of the message that was found, if one was.
    pub fn has_found(self, sought: Envelope, source: Option<i32>) {
        call_trace::has_looked(self.me, self.nth, sought, source.unwrap_or(NOTHING));
    }
}

/// Of `count` requests, those that may be found complete.
#[inline]
pub fn candidates(choice: Option<&Choice>, count: usize) -> Range<usize> {
    let forced = choice.and_then(|choice| usize::try_from(choice.forced?).ok());
    forced.map_or(0..count, |index| index..index + 1)
}

/// Asks whether something is complete: once, or until it is, or in vain, as is ordered.
#[inline]
pub fn ask<T>(
    choice: Option<&Choice>, engine: &Engine, mut look: impl FnMut(&mut Ops) -> Option<T>,
) -> Result<Option<T>, Died> {
    match choice.and_then(|choice| choice.forced) {
        None => engine.poll(look),
        Some(NOTHING) => engine.poll(|_| None),
        Some(_) => engine.wait_for(&mut look).map(Some),
    }
}
