//! The seats beyond the first world, which are lent to spawned worlds. Pure.
//!
//! Those of a world are free again once each of its ranks has ended and none has a replacement; the
//! next world there begins with incarnations that these seats have not had.

use ftmpi_base::Member;
use ftmpi_launch::InitialErrhandler;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;

/// Which seats are lent.
#[derive(Clone, Debug, Default)]
pub struct Loans {
    /// The seats of each spawned world of which ranks may be alive.
    lent: Vec<Range<usize>>,
    /// By seat: the latest incarnation that has ended for good.
    ended: BTreeMap<usize, u32>,
}

/// What ranks order that spawn others (MPI_Comm_spawn).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spawn {
    pub parents: Vec<Member>,
    /// By command: what is run; the numbers of ranks that will do, in ascending order; and what
    /// hears of errors at first, if that was said.
    pub recipes: Vec<Recipe>,
    pub counts: Vec<Vec<usize>>,
    pub errhandlers: Vec<Option<InitialErrhandler>>,
}

/// A program for spawned ranks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recipe {
    pub file: Vec<u8>,
    /// Its name for its ranks first.
    pub words: Vec<Vec<u8>>,
    pub directory: Option<Vec<u8>>,
}

/// A world that is spawned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Founding {
    /// Who has ordered it, and by which order of his.
    pub by: Member,
    pub number: u64,
    pub seats: Range<usize>,
    /// The incarnation with which its ranks begin.
    pub first: u32,
    /// That of its MPI_COMM_WORLD; those of the intercommunicator with the parents; and one by
    /// which these agree.
    pub context: u32,
    pub contexts: (u32, u32),
    pub seal: u32,
    pub parents: Vec<Member>,
    /// By command: what is run, and by how many ranks.
    pub recipes: Vec<Recipe>,
    pub started: Vec<usize>,
    pub errhandlers: Vec<Option<InitialErrhandler>>,
}

impl Founding {
    /// Its ranks.
    pub fn members(&self) -> impl Iterator<Item = Member> + use<> {
        let incarnation = self.first;
        self.seats.clone().map(move |seat| Member { seat, incarnation })
    }

    /// The contexts that were drawn for it.
    pub fn all_contexts(&self) -> [u32; 4] {
        [self.context, self.contexts.0, self.contexts.1, self.seal]
    }

    /// Which command each of its ranks runs.
    pub fn appnums(&self) -> impl Iterator<Item = usize> + '_ {
        let of = |(appnum, count): (usize, &usize)| std::iter::repeat_n(appnum, *count);
        self.started.iter().enumerate().flat_map(of)
    }
}

impl Loans {
    /// Lends some of these seats, in a row: so many for each command as `counts` has. `latest`
    /// tells the latest incarnation in a seat. `None`: there are too few.
    pub fn lend(
        &mut self, all: Range<usize>, counts: &[Vec<usize>], latest: impl Fn(usize) -> u32,
    ) -> Option<(Range<usize>, Vec<usize>)> {
        self.take_back(latest);
        let free = self.free(all);
        let started = fit(counts, free.iter().map(Range::len).max().unwrap_or(0))?;
        let count: usize = started.iter().sum();
        let first = free.iter().find(|free| free.len() >= count).map_or(0, |free| free.start);
        let seats = first..first + count;
        self.note(seats.clone());
        Some((seats, started))
    }

    /// Somebody else has lent these seats.
    pub fn note(&mut self, seats: Range<usize>) {
        self.lent.retain(|lent| lent.end <= seats.start || seats.end <= lent.start);
        self.ended.retain(|seat, _| !seats.contains(seat));
        if !seats.is_empty() {
            self.lent.push(seats);
            self.lent.sort_by_key(|lent| lent.start);
        }
    }

    /// Whether seats may become free: some are lent.
    pub fn are_any(&self) -> bool {
        !self.lent.is_empty()
    }

    /// A rank has ended, and gets no replacement unless one was ordered before.
    pub fn end(&mut self, member: Member) {
        self.ended.insert(member.seat, member.incarnation);
    }

    /// Takes the seats of worlds back that are over.
    fn take_back(&mut self, latest: impl Fn(usize) -> u32) {
        let ended = &self.ended;
        let has_ended =
            |seat: usize| ended.get(&seat).is_some_and(|incarnation| *incarnation >= latest(seat));
        self.lent.retain(|lent| !lent.clone().all(has_ended));
    }

    /// The rows of free seats among `all`.
    fn free(&self, all: Range<usize>) -> Vec<Range<usize>> {
        let starts = std::iter::once(all.start).chain(self.lent.iter().map(|lent| lent.end));
        let ends = self.lent.iter().map(|lent| lent.start).chain([all.end]);
        starts.zip(ends).map(|(start, end)| start..end).filter(|free| !free.is_empty()).collect()
    }
}

/// How many ranks of each command are started on `free` seats: as many as will do, the first
/// commands before the others. `None`: there are too few seats.
fn fit(counts: &[Vec<usize>], free: usize) -> Option<Vec<usize>> {
    let mut places: Vec<usize> =
        counts.iter().map(|counts| counts.len().checked_sub(1)).collect::<Option<_>>()?;
    let total = |places: &[usize]| -> usize {
        counts.iter().zip(places).map(|(counts, place)| counts[*place]).sum()
    };
    for which in (0..counts.len()).rev() {
        while total(&places) > free && places[which] > 0 {
            places[which] -= 1;
        }
    }
    let chosen = || counts.iter().zip(&places).map(|(counts, place)| counts[*place]).collect();
    (total(&places) <= free).then(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_seats_are_few_the_last_commands_get_less() {
        let counts = [vec![1, 2, 4], vec![3], vec![0, 2]];
        assert_eq!(fit(&counts, 100), Some(vec![4, 3, 2]));
        assert_eq!(fit(&counts, 8), Some(vec![4, 3, 0]));
        assert_eq!(fit(&counts, 5), Some(vec![2, 3, 0]));
        assert_eq!(fit(&counts, 3), None);
        assert_eq!(fit(&[vec![]], 3), None, "no number will do");
    }

    #[test]
    fn seats_are_lent_again_when_a_world_is_over() {
        let (mut loans, mut latest) = (Loans::default(), [0; 8]);
        let counts = |count| [vec![count]];
        assert_eq!(loans.lend(2..8, &counts(4), |_| 0), Some((2..6, vec![4])));
        assert_eq!(loans.lend(2..8, &counts(3), |_| 0), None);
        assert_eq!(loans.lend(2..8, &counts(2), |_| 0), Some((6..8, vec![2])));
        // The rank in seat 2 has a replacement.
        latest[2] = 1;
        for member in [(2, 0), (3, 0), (4, 0), (5, 0)] {
            loans.end(Member { seat: member.0, incarnation: member.1 });
        }
        assert_eq!(loans.lend(2..8, &counts(3), |seat| latest[seat]), None);
        loans.end(Member { seat: 2, incarnation: 1 });
        assert_eq!(loans.lend(2..8, &counts(3), |seat| latest[seat]), Some((2..5, vec![3])));
        assert!(loans.are_any());
    }
}
