//! The shared memory in which the members of a communicator carry out collectives without messages.
//!
//! Each collective operation is a *turn*, by the number that all members draw for it. A member
//! arrives at a turn, publishes what it has, and later releases the turn. The contents of the round
//! in which a turn takes place stay valid until all members have released it.
//!
//! In turns in which some members only give, these continue at once: such turns use rounds by
//! rotation ([`Series`]), and no member may be further ahead than there are rounds. Where all
//! members wait for all, two rounds suffice: no member arrives at the next such turn but one before
//! all have released this one.
//!
//! Nothing waits here: [`wait`](crate::engine::rank::wait) does, and a death ends it. Then the
//! communicator can no longer be used, and its meeting is left as it is.

mod board;
mod calls;
mod enrolment;
mod known;
mod levels;
mod round;
mod series;

pub use board::Board;
use board::Words;
use calls::Calls;
pub use calls::{Call, Caller};
pub use enrolment::{Drawn, Enrolment};
pub use levels::Levels;
pub use round::{FEW_MEMBERS, Gate, Laid, Line, Mark, Round};
use series::Repeated;
pub use series::Series;

use crate::base::Member;
use crate::host::sched::{self, Bell};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::collections::HashMap;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, OnceLock};

/// The number of rounds in the rotation: about as many as members, with a limit on rounds times
/// members. Rounds cost memory, but save members that only give or bring something from waiting,
/// which costs more than all the rest. (With 32 rounds for 120 members, and with 8 for 4000,
/// broadcasts took about twice as long.)
const FEW_ROUNDS: usize = 32;
const MOST_ROUNDS: usize = 128;
const FEWEST_ROUNDS: usize = 16;
const ROUNDS_OF_ALL: usize = 16384;

/// The key of a meeting: the context of its communicator and its first member. Disjoint
/// communicators may share a context.
pub(in crate::engine) type Key = (u32, Member);

/// What the members of one communicator share.
pub struct Meeting {
    key: Key,
    members: Box<[Member]>,
    bells: Box<[&'static Bell]>,
    /// The calls that they compare.
    pub calls: Calls,
    /// The blocking operations.
    pub blocking: Series,
    /// The two rounds of those in which all wait for all.
    common: Box<[Round]>,
    nonblocking: OnceLock<Series>,
    /// The persistent operations, by their numbers.
    repeated: Mutex<FxHashMap<u32, Arc<Repeated>>>,
    /// The memory of a board no longer in use: fresh memory costs more than what is written to it.
    spare_board: Mutex<Words>,
    /// The members by process, where ranks share processes.
    levels: Option<Box<Levels>>,
    /// How many members have released the communicator.
    gone: AtomicUsize,
}

impl Meeting {
    fn new(
        key: Key, members: Vec<Member>, bell: impl Fn(&Member) -> &'static Bell,
        levels: Option<Box<Levels>>,
    ) -> Meeting {
        let here = levels.as_ref().map_or(members.len(), |levels| levels.here().len());
        let most = members.len().clamp(FEW_ROUNDS, MOST_ROUNDS);
        let count = (ROUNDS_OF_ALL / members.len()).clamp(FEWEST_ROUNDS, most);
        let count = count.next_power_of_two() as u32;
        Meeting {
            key,
            bells: members.iter().map(bell).collect(),
            calls: Calls::new(count),
            blocking: Series::new(members.len(), count),
            common: (0..2).map(|_| Round::new(members.len(), here)).collect(),
            nonblocking: OnceLock::new(),
            repeated: Mutex::default(),
            spare_board: Mutex::default(),
            levels,
            gone: AtomicUsize::new(0),
            members: members.into(),
        }
    }

    pub(in crate::engine) fn key(&self) -> Key {
        self.key
    }

    /// The members by process, where ranks share processes.
    #[inline]
    pub fn levels(&self) -> Option<&Levels> {
        self.levels.as_deref()
    }

    /// A board of this many bytes for all members that have arrived at a turn in this round.
    pub fn board(&self, round: &Round, turn: u32, bytes: usize) -> Arc<Board> {
        round.board(turn, bytes, || std::mem::take(&mut *self.spare_board.lock()))
    }

    /// The caller no longer needs the board, and knows that all members have written their parts.
    pub fn put_away(&self, round: &Round, board: Arc<Board>) {
        if let Some(words) = round.put_away(board) {
            let mut spare = self.spare_board.lock();
            if spare.len() < words.len() {
                *spare = words;
            }
        }
    }

    /// The round of the next turn in which all wait for all, for a member that has not arrived at
    /// it yet. All members find one answer: the caller has released the last such turn, and this
    /// one does not end without it.
    #[inline(always)]
    pub fn common_round(&self) -> &Round {
        &self.common[(self.blocking.met() & 1) as usize]
    }

    /// The member at `place` arrives at a blocking operation, and so has released all before.
    #[inline(always)]
    pub fn come(&self, turn: u32, place: usize) {
        if let Some(position) = self.blocking.come(turn, place) {
            self.ring_those_ahead(&self.blocking, position);
        }
    }

    /// A member of this series has reached a position that others wait for, if one is named.
    fn tell(&self, series: &Series, position: Option<u32>) {
        if let Some(position) = position {
            self.ring_those_ahead(series, position);
        }
    }

    /// Wakes the members that wait for a member to reach this position.
    #[cold]
    fn ring_those_ahead(&self, series: &Series, position: u32) {
        sched::wake_all(series.due(position).iter().map(|place| self.bells[*place]));
    }

    /// Opens this gate of a round: wakes all other members that wait for it.
    #[inline(always)]
    pub fn open(&self, round: &Round, gate: Gate, turn: u32, place: usize) {
        if round.call(gate, turn) {
            self.ring_others(place);
        }
    }

    /// Wakes all others.
    #[inline]
    pub fn ring_others(&self, place: usize) {
        let (before, after) = self.bells.split_at(place);
        sched::wake_all(before.iter().chain(&after[1..]).copied());
    }

    /// Wakes all others, which are few, after a SeqCst read-modify-write has published the news.
    #[inline]
    pub fn ring_few(&self, place: usize) {
        for (other, bell) in self.bells.iter().enumerate() {
            if other != place {
                bell.unpark_unfenced();
            }
        }
    }

    /// Wakes the member after `place`, if there is one, for news published in that way.
    #[inline]
    pub fn ring_next(&self, place: usize) {
        if let Some(bell) = self.bells.get(place + 1) {
            bell.unpark_unfenced();
        }
    }

    /// Wakes the member at `place`, for news published in that way.
    #[inline]
    pub fn ring_unfenced(&self, place: usize) {
        self.bells[place].unpark_unfenced();
    }

    /// Wakes the member at `place`.
    #[inline]
    pub fn ring(&self, place: usize) {
        self.bells[place].unpark();
    }

    /// The members that have not come as far as a wait needs, at most `most` of them.
    pub(in crate::engine) fn missing(&self, gate: Gate, turn: u32, most: usize) -> Vec<usize> {
        let mut missing = self.blocking.missing(turn, gate == Gate::Room);
        if let Some(levels) = self.levels() {
            return levels.missing(missing, turn, most);
        }
        match gate {
            Gate::Shown { place } | Gate::Passed { place } | Gate::Read { place } => {
                missing.find(|other| *other == place).into_iter().collect()
            }
            _ => missing.take(most).collect(),
        }
    }
}

/// The meetings of a job. One stays until all members have released it or are dead: a member may
/// still need what members that have left published for it.
#[derive(Default)]
pub(in crate::engine) struct Meetings(Mutex<Known>);

/// What is known of them.
#[derive(Default)]
struct Known {
    meetings: HashMap<Key, Arc<Meeting>>,
    /// The number of meetings at which those that only dead members hold are collected.
    limit: usize,
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::engine::World;
    use crate::engine::rank::tests::world;

    pub(super) fn member(seat: usize) -> Member {
        Member { seat, incarnation: 0 }
    }

    pub(super) fn meeting(world: &'static World, context: u32, size: usize) -> Arc<Meeting> {
        world.meeting((context, member(0)), || (0..size).map(member).collect())
    }

    #[test]
    fn nobody_is_further_ahead_than_there_are_rounds() {
        // Numbers wrap around.
        for first in [0, 5, i32::MAX as u32 - 3] {
            let meeting = meeting(world(3), 2, 3);
            let turn = |number: u32| first.wrapping_add(number) & i32::MAX as u32;
            (0..3).for_each(|place| meeting.come(turn(0), place));
            meeting.blocking.settle(turn(0));
            let series = &meeting.blocking;
            let rounds = series.count();
            for number in 0..rounds {
                meeting.come(turn(number), 0);
                assert!(series.has_room(turn(number)), "{first} {number}");
            }
            meeting.come(turn(rounds), 0);
            assert!(!series.has_room(turn(rounds)));
            let half = rounds / 2;
            assert_eq!(meeting.missing(Gate::Room, turn(rounds), 9), [1, 2]);
            meeting.come(turn(half + 1), 2);
            assert_eq!(meeting.missing(Gate::Room, turn(rounds), 9), [1]);
            meeting.come(turn(1), 1);
            assert!(series.has_room(turn(rounds)) && !series.has_ample_room(turn(rounds)));
            meeting.come(turn(half + 1), 1);
            assert!(series.has_ample_room(turn(rounds)));
            assert!(meeting.missing(Gate::Room, turn(rounds), 9).is_empty());
            meeting.come(turn(1), 1);
            meeting.come(turn(0), 2);
            series.settle(turn(1));
            assert!(!series.has_room(turn(rounds + 1)));
            assert_eq!(meeting.missing(Gate::Full, turn(1), 9), [2]);
            assert!(meeting.missing(Gate::Shown { place: 0 }, turn(1), 9).is_empty());
        }
    }

    #[test]
    fn where_all_wait_for_all_two_rounds_take_turns() {
        let meeting = meeting(world(2), 3, 2);
        let all = |turn: u32| {
            let rounds = [0, 1].map(|place| {
                let round = meeting.common_round();
                meeting.come(turn, place);
                if round.arrivals.arrive(turn, place) {
                    meeting.blocking.settle_common(turn);
                }
                std::ptr::from_ref(round)
            });
            assert_eq!(rounds[0], rounds[1], "all find the same one");
            rounds[0]
        };
        // There are others between them.
        let [first, second, third, fourth] = [0, 1, 5, 9].map(all);
        assert!(first == third && second == fourth && first != second);
        assert!(!meeting.blocking.has_rounds(), "nobody was ahead of others");
    }

    #[test]
    fn operations_side_by_side_have_rounds_of_their_own_which_are_used_again() {
        let meeting = meeting(world(2), 2, 2);
        let [one, other] = [0, 1].map(|place| meeting.enrol(place));
        let rounds = meeting.nonblocking().count();
        let mut open: Vec<Drawn> = (5..5 + rounds).map(|number| one.draw(number)).collect();
        let next = one.draw(5 + rounds);
        let has_room = |drawn: &Drawn| drawn.lacks().is_none();
        assert!(open.iter().all(has_room));
        assert!(!std::ptr::eq(open[0].come(), open[1].come()));
        let same = other.draw(5);
        assert!(std::ptr::eq(open[0].come(), same.come()));
        assert_eq!(open[1].come().missing(6).collect::<Vec<_>>(), [1]);
        assert!(std::ptr::eq(open[0].come(), next.series().round(next.turn())));
        // It is free when both have released the first, in whatever order the others are.
        drop(open.remove(1));
        drop(same);
        let needed = next.lacks().expect("the other one has not released the first");
        assert_eq!(next.series().behind(needed).collect::<Vec<_>>(), [0]);
        drop(open.remove(0));
        assert!(has_room(&next));
    }

    #[test]
    fn members_that_have_called_other_forms_stay_in_step() {
        let meeting = meeting(world(2), 2, 2);
        let [one, other] = [0, 1].map(|place| meeting.enrol(place));
        let rounds = meeting.nonblocking().count();
        // Each has drawn what the other has not. One was told so before it came, the other after.
        drop(one.draw(0));
        let told = other.draw(1);
        told.come();
        drop(told);
        for number in [rounds, rounds + 1] {
            let [first, second] = [&one, &other].map(|member| member.draw(number));
            assert!(first.lacks().is_none() && second.lacks().is_none(), "{number}");
            assert!(std::ptr::eq(first.come(), second.come()));
        }
    }

    #[test]
    fn the_repetitions_of_an_operation_take_turns_until_all_have_freed_it() {
        let meeting = meeting(world(2), 2, 2);
        let [one, other] = [0, 1].map(|place| meeting.enrol_again(7, place));
        let elsewhere = meeting.enrol_again(8, 0).draw_next();
        let first = one.draw_next();
        assert!(!std::ptr::eq(elsewhere.come(), first.come()));
        drop(first);
        let again = one.draw_next();
        assert!(again.lacks().is_none());
        again.come();
        drop(again);
        let third = one.draw_next();
        assert!(third.lacks().is_some(), "the other has not come to the first");
        drop(other.draw_next());
        assert!(third.lacks().is_none());
        drop((third, one));
        assert!(meeting.repeated.lock().contains_key(&7), "the other may start it again");
        drop(other);
        assert!(!meeting.repeated.lock().contains_key(&7));
    }
}
