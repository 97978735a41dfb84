//! Rounds: how the members of an operation tell each other something. Each leaves its part where
//! all find it, all meet, and the first to continue computes the outcome for the others as well.
//! Time and memory grow with the data, not with the square of the number of members.
//!
//! Members in several processes hear all parts from their coordinator, or none does, and each
//! computes the outcome for itself.

use crate::base::sync::alike::Alike;
use crate::mpi::coll;
use crate::mpi::error::{Class, Result};
use crate::mpi::lane::{Lane, Stamp};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::{Arc, OnceLock};

/// What members tell each other in one kind of operation.
pub(super) trait Topic: 'static {
    type Part: Send + Sync;
    /// What follows from all parts.
    type Outcome: Send + Sync;
}

/// The operations of a kind that are under way in a job.
struct Rounds<T: Topic>(Alike<Stamp, Round<T::Part, T::Outcome>>);

/// One operation; each member holds it until it has the outcome.
struct Round<T, V> {
    parts: Vec<OnceLock<T>>,
    outcome: OnceLock<Arc<V>>,
}

impl<T: Topic> Default for Rounds<T> {
    fn default() -> Rounds<T> {
        Rounds(Alike::default())
    }
}

/// Tells all others `mine`. Returns what `make` makes of all parts, which are in the order of
/// ranks; its result must not depend on the member that calls it.
pub(super) async fn hear<T: Topic<Part: Serialize + DeserializeOwned>>(
    lane: &Lane<'_>, mine: T::Part, make: impl FnOnce(Vec<&T::Part>) -> T::Outcome,
) -> Result<Arc<T::Outcome>> {
    if lane.comm().shares_memory(lane.process()) {
        return hear_here::<T>(lane, mine, make).await;
    }
    let mine = postcard::to_allocvec(&mine).expect("it is plain data");
    let heard = coll::hear_all(lane, &mine).await?;
    let read = |bytes: &Vec<u8>| postcard::from_bytes(bytes).ok();
    let all = heard.iter().map(read).collect::<Option<Vec<T::Part>>>();
    let all = all.ok_or_else(|| {
        Class::INTERN.because("a process has told something else about a checkpoint")
    })?;
    Ok(Arc::new(make(all.iter().collect())))
}

/// As [`hear`], for members that share memory: parts may be anything.
pub(super) async fn hear_here<T: Topic>(
    lane: &Lane<'_>, mine: T::Part, make: impl FnOnce(Vec<&T::Part>) -> T::Outcome,
) -> Result<Arc<T::Outcome>> {
    let rounds = lane.process().world.tenant::<Rounds<T>>();
    let round = rounds.0.of(lane.stamp(), || Round::of(lane.size() as usize));
    round.leave(lane.rank() as usize, mine);
    coll::meet(lane).await?;
    // A member that came and has died since may have taken its part along.
    round.outcome(make).map_err(|missing| lane.loss(missing as i32))
}

impl<T, V> Round<T, V> {
    fn of(members: usize) -> Round<T, V> {
        let parts = (0..members).map(|_| OnceLock::new()).collect();
        Round { parts, outcome: OnceLock::new() }
    }

    fn leave(&self, rank: usize, part: T) {
        assert!(self.parts[rank].set(part).is_ok(), "each tells one thing in an operation");
    }

    /// The outcome of all parts, or the first member that has left none.
    fn outcome(&self, make: impl FnOnce(Vec<&T>) -> V) -> std::result::Result<Arc<V>, usize> {
        if let Some(outcome) = self.outcome.get() {
            return Ok(outcome.clone());
        }
        let parts: Vec<&T> = self.parts.iter().map_while(OnceLock::get).collect();
        if parts.len() < self.parts.len() {
            return Err(parts.len());
        }
        Ok(made(&self.outcome, || Arc::new(make(parts))).clone())
    }
}

/// The contents of the cell, or what `make` makes, which does not depend on the caller. Members do
/// not wait for each other: if two make it at once, one result is kept.
pub(super) fn made<V>(cell: &OnceLock<V>, make: impl FnOnce() -> V) -> &V {
    match cell.get() {
        Some(made) => made,
        None => {
            let made = make();
            cell.get_or_init(|| made)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_is_made_once_when_all_have_left_their_parts() {
        let round: Round<u32, u32> = Round::of(3);
        let sum = |parts: Vec<&u32>| parts.into_iter().sum();
        round.leave(2, 30);
        round.leave(0, 10);
        assert_eq!(round.outcome(sum), Err(1), "the second has left nothing");
        round.leave(1, 20);
        let made = round.outcome(sum).expect("all are there");
        assert_eq!(*made, 60);
        let again = round.outcome(|_| panic!("it is there")).expect("as before");
        assert!(Arc::ptr_eq(&made, &again));
    }
}
