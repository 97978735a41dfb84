//! The shared memory in which the members of a communicator carry out collectives without messages.
//!
//! Each collective operation is a *turn*, by the number that all members draw for it. A member
//! arrives at a turn, publishes what it has, and later releases the turn. The contents of the round
//! in which a turn takes place stay valid until all members have released it.
//!
//! In turns in which some members only give, these continue at once: such turns use rounds by
//! rotation, and no member may be further ahead than there are rounds. Where all members wait for
//! all, two rounds suffice: no member arrives at the next such turn but one before all have
//! released this one.
//!
//! Nothing waits here: [`wait`](crate::engine::rank::wait) does, and a death ends it. Then the
//! communicator can no longer be used, and its meeting is left as it is.

mod board;
mod calls;
mod known;
mod round;

pub use board::Board;
use board::Words;
use calls::Calls;
pub use calls::{Call, Caller};
pub use round::{Gate, Laid, Line, Round};

use crate::base::Member;
use crate::base::sync::cache::prefetch_to_write;
use crate::host::sched::{self, Bell};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::collections::HashMap;
use std::ops::Deref;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering, fence};
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
    stands: Box<[Stand]>,
    bells: Box<[&'static Bell]>,
    /// The calls that they compare.
    pub calls: Calls,
    /// The rounds of the rotation; `count` of them, made when the first is needed.
    rounds: OnceLock<Box<[Round]>>,
    count: u32,
    /// The two rounds of turns in which all wait for all.
    common: Box<[Round]>,
    pace: Pace,
    apart: Mutex<Apart>,
    /// The memory of a board no longer in use: fresh memory costs more than what is written to it.
    spare_board: Mutex<Words>,
    /// The members that wait for others to release turns, and the position that each needs.
    ahead: Mutex<Vec<(usize, u32)>>,
    /// How many members have released the communicator.
    gone: AtomicUsize,
}

/// Rounds of operations that may be under way concurrently, by their numbers.
#[derive(Default)]
struct Apart {
    under_way: FxHashMap<(u32, u32), Hall>,
    spare: Vec<Hall>,
}

/// A round outside the rotation, and its turn.
#[derive(Clone)]
pub struct Hall {
    apart: Arc<RoundApart>,
    pub turn: u32,
}

impl Deref for Hall {
    type Target = Round;
    fn deref(&self) -> &Round {
        &self.apart.round
    }
}

struct RoundApart {
    round: Round,
    /// How many members no longer need it.
    gone: AtomicUsize,
}

/// This many rounds are kept for reuse.
const SPARE: usize = 8;

/// How far one member is (see [`position`]): it has released all turns before.
#[repr(align(64))]
struct Stand(AtomicU32);

/// Read by all members in every turn, and seldom written.
#[repr(align(64))]
struct Pace {
    /// All members have released the turns before this one, counted as in [`Stand`].
    settled: AtomicU32,
    /// The number of turns so far in which all waited for all.
    met: AtomicU32,
    /// How many members wait for others to release turns, and the first position that is enough for
    /// one of them: before that it is not worth while to wake them.
    waiting: AtomicU32,
    enough: AtomicU32,
    /// A member that was behind when last checked: as long as it is, the others need not be
    /// checked.
    laggard: AtomicUsize,
}

/// Further than any member waits for.
const FAR: u32 = 1 << 30;

/// Twice the number of a turn, counted from one: 0 stands for no turn yet. (Numbers wrap around at
/// 31 bits, positions at 32.)
fn position(turn: u32) -> u32 {
    (2 * turn).wrapping_add(2)
}

/// Whether one count of turns is as far as another; counts wrap around.
fn is_as_far(one: u32, other: u32) -> bool {
    one.wrapping_sub(other) as i32 >= 0
}

impl Meeting {
    fn new(key: Key, members: Vec<Member>, bell: impl Fn(&Member) -> &'static Bell) -> Meeting {
        let most = members.len().clamp(FEW_ROUNDS, MOST_ROUNDS);
        let count = (ROUNDS_OF_ALL / members.len()).clamp(FEWEST_ROUNDS, most);
        let count = count.next_power_of_two() as u32;
        Meeting {
            key,
            stands: members.iter().map(|_| Stand(AtomicU32::new(0))).collect(),
            bells: members.iter().map(bell).collect(),
            rounds: OnceLock::new(),
            calls: Calls::new(count),
            count,
            common: (0..2).map(|_| Round::new(members.len())).collect(),
            pace: Pace {
                settled: AtomicU32::new(0),
                met: AtomicU32::new(0),
                waiting: AtomicU32::new(0),
                enough: AtomicU32::new(0),
                laggard: AtomicUsize::new(0),
            },
            apart: Mutex::default(),
            spare_board: Mutex::default(),
            ahead: Mutex::default(),
            gone: AtomicUsize::new(0),
            members: members.into(),
        }
    }

    pub(in crate::engine) fn key(&self) -> Key {
        self.key
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

    /// The round of a turn in which some members only give.
    #[inline(always)]
    pub fn round(&self, turn: u32) -> &Round {
        let rounds = match self.rounds.get() {
            Some(rounds) => rounds,
            None => self.make_rounds(),
        };
        &rounds[(turn & (self.count - 1)) as usize]
    }

    /// They are made when the first is needed.
    #[cold]
    #[inline(never)]
    fn make_rounds(&self) -> &[Round] {
        let members = self.stands.len();
        self.rounds.get_or_init(|| (0..self.count).map(|_| Round::new(members)).collect())
    }

    /// The round of the next turn in which all wait for all, for a member that has not arrived at
    /// it yet. All members find one answer: the caller has released the last such turn, and this
    /// one does not end without it.
    #[inline(always)]
    pub fn common_round(&self) -> &Round {
        &self.common[(self.pace.met.load(Ordering::Acquire) & 1) as usize]
    }

    /// Prefetches the line of the member at `place`, which it will soon write.
    #[inline]
    pub fn make_ready(&self, turn: u32, place: usize) {
        prefetch_to_write(self.round(turn).line(place));
    }

    /// The member at `place` arrives at a turn, and so has released all before. Without a fence,
    /// except at those turns from which on members ahead may wait for this member.
    #[inline(always)]
    pub fn come(&self, turn: u32, place: usize) {
        let (stand, position) = (&self.stands[place].0, position(turn));
        let before = stand.load(Ordering::Relaxed);
        stand.store(position, Ordering::Release);
        if (before ^ position) & !(self.stride() - 1) != 0 {
            fence(Ordering::SeqCst);
            self.greet(position);
        }
    }

    /// Members ahead wait for positions that are multiples of this.
    #[inline]
    fn stride(&self) -> u32 {
        self.count / 2
    }

    /// Wakes the members that wait for a member to reach this position.
    #[inline]
    fn greet(&self, position: u32) {
        if self.pace.waiting.load(Ordering::SeqCst) != 0 {
            self.ring_those_ahead(position);
        }
    }

    #[cold]
    fn ring_those_ahead(&self, position: u32) {
        let enough = self.pace.enough.load(Ordering::SeqCst);
        if !is_as_far(position, enough) {
            return;
        }
        // Of the last members that arrive at once, one sees all others.
        let Some(slowest) = self.slowest(enough) else { return };
        let ahead = self.ahead.lock();
        let mut due = Vec::with_capacity(ahead.len());
        let mut enough = slowest.wrapping_add(FAR);
        for (place, ample) in ahead.iter() {
            match is_as_far(slowest, *ample) {
                true => due.push(*place),
                false if is_as_far(enough, *ample) => enough = *ample,
                false => {}
            }
        }
        self.pace.enough.store(enough, Ordering::SeqCst);
        drop(ahead);
        sched::wake_all(due.iter().map(|place| self.bells[*place]));
    }

    /// All members have arrived at this turn.
    #[inline]
    pub fn settle(&self, turn: u32) {
        self.pace.settled.store(position(turn), Ordering::Release);
    }

    /// All members have arrived at a turn in which all wait for all. Called by the last member to
    /// arrive, before any continues.
    #[inline]
    pub fn settle_common(&self, turn: u32) {
        self.settle(turn);
        let met = self.pace.met.load(Ordering::Relaxed);
        self.pace.met.store(met.wrapping_add(1), Ordering::Release);
    }

    /// Whether all members have released the previous turn in the round of this one.
    #[inline(always)]
    pub fn has_room(&self, turn: u32) -> bool {
        let needed = self.needed(turn);
        is_as_far(self.pace.settled.load(Ordering::Acquire), needed) || self.look_for_room(needed)
    }

    /// Whether about half of the rounds of later turns are free, too: a member that has waited then
    /// continues for a while.
    pub(in crate::engine) fn has_ample_room(&self, turn: u32) -> bool {
        let needed = self.ample(turn);
        is_as_far(self.pace.settled.load(Ordering::Acquire), needed) || self.look_for_room(needed)
    }

    fn ample(&self, turn: u32) -> u32 {
        self.needed(turn).wrapping_add(self.count) & !(self.stride() - 1)
    }

    /// The position that all members must have reached for a turn to begin, counted as in
    /// [`Stand`].
    fn needed(&self, turn: u32) -> u32 {
        position(turn).wrapping_sub(2 * (self.count - 1))
    }

    #[cold]
    fn look_for_room(&self, needed: u32) -> bool {
        let slowest = self.slowest(needed);
        slowest.inspect(|slowest| self.pace.settled.store(*slowest, Ordering::Release)).is_some()
    }

    /// The position up to which all members have released turns, if that is as far as `needed`.
    fn slowest(&self, needed: u32) -> Option<u32> {
        let settled = |place: usize| self.stands[place].0.load(Ordering::SeqCst);
        let laggard = self.pace.laggard.load(Ordering::Relaxed);
        let mut slowest = settled(laggard);
        for place in (laggard..self.stands.len()).chain(0..laggard) {
            let settled = settled(place);
            if !is_as_far(settled, needed) {
                if place != laggard {
                    self.pace.laggard.store(place, Ordering::Relaxed);
                }
                return None;
            }
            if is_as_far(slowest, settled) {
                slowest = settled;
            }
        }
        Some(slowest)
    }

    /// From now on, until the returned value is dropped, the member at `place` is woken when there
    /// may be ample room, for more than this turn.
    pub fn wait_for_room(&self, turn: u32, place: usize) -> Ahead<'_> {
        let mut ahead = self.ahead.lock();
        let (ample, enough) = (self.ample(turn), &self.pace.enough);
        if ahead.is_empty() || !is_as_far(ample, enough.load(Ordering::Relaxed)) {
            enough.store(ample, Ordering::SeqCst);
        }
        ahead.push((place, ample));
        self.pace.waiting.fetch_add(1, Ordering::SeqCst);
        Ahead { meeting: self, place }
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

    /// The member at `place` arrives at the operation with this number and repetition, which may be
    /// under way beside others.
    pub fn come_apart(&self, number: (u32, u32), place: usize) -> Hall {
        let mut apart = self.apart.lock();
        let Apart { under_way, spare } = &mut *apart;
        let make = || {
            let members = self.stands.len();
            let fresh = || {
                let apart = RoundApart { round: Round::new(members), gone: AtomicUsize::new(0) };
                Hall { apart: Arc::new(apart), turn: 0 }
            };
            spare.pop().unwrap_or_else(fresh)
        };
        let hall = under_way.entry(number).or_insert_with(make).clone();
        drop(apart);
        hall.line(place).come(hall.turn);
        hall
    }

    /// One member no longer needs the round of that operation, nor do others need that member's
    /// memory.
    pub fn leave_apart(&self, number: (u32, u32), hall: &Hall) {
        let gone = hall.apart.gone.fetch_add(1, Ordering::AcqRel) + 1;
        if gone < self.stands.len() {
            return;
        }
        let mut apart = self.apart.lock();
        let Some(hall) = apart.under_way.remove(&number) else { return };
        if apart.spare.len() < SPARE {
            hall.apart.gone.store(0, Ordering::Relaxed);
            let turn = hall.turn.wrapping_add(1) & (u32::MAX >> 1);
            apart.spare.push(Hall { turn, ..hall });
        }
    }

    /// The members that have not come as far as a wait needs, at most `most` of them.
    pub(in crate::engine) fn missing(&self, gate: Gate, turn: u32, most: usize) -> Vec<usize> {
        let needed = if gate == Gate::Room { self.ample(turn) } else { position(turn) };
        let is_missing =
            |place: &usize| !is_as_far(self.stands[*place].0.load(Ordering::SeqCst), needed);
        match gate {
            Gate::Shown { place } | Gate::Passed { place } | Gate::Read { place } => {
                Some(place).filter(is_missing).into_iter().collect()
            }
            _ => (0..self.stands.len()).filter(is_missing).take(most).collect(),
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

/// A member that is ahead of the others, and waits.
pub struct Ahead<'a> {
    meeting: &'a Meeting,
    place: usize,
}

impl Drop for Ahead<'_> {
    fn drop(&mut self) {
        let mut ahead = self.meeting.ahead.lock();
        if let Some(index) = ahead.iter().position(|(place, _)| *place == self.place) {
            ahead.swap_remove(index);
        }
        self.meeting.pace.waiting.fetch_sub(1, Ordering::SeqCst);
    }
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
            meeting.settle(turn(0));
            let rounds = meeting.count;
            for number in 0..rounds {
                meeting.come(turn(number), 0);
                assert!(meeting.has_room(turn(number)), "{first} {number}");
            }
            meeting.come(turn(rounds), 0);
            assert!(!meeting.has_room(turn(rounds)));
            let half = rounds / 2;
            assert_eq!(meeting.missing(Gate::Room, turn(rounds), 9), [1, 2]);
            meeting.come(turn(half + 1), 2);
            assert_eq!(meeting.missing(Gate::Room, turn(rounds), 9), [1]);
            meeting.come(turn(1), 1);
            assert!(meeting.has_room(turn(rounds)) && !meeting.has_ample_room(turn(rounds)));
            meeting.come(turn(half + 1), 1);
            assert!(meeting.has_ample_room(turn(rounds)));
            assert!(meeting.missing(Gate::Room, turn(rounds), 9).is_empty());
            meeting.come(turn(1), 1);
            meeting.come(turn(0), 2);
            meeting.pace.settled.store(position(turn(1)), Ordering::Relaxed);
            assert!(!meeting.has_room(turn(rounds + 1)));
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
                    meeting.settle_common(turn);
                }
                std::ptr::from_ref(round)
            });
            assert_eq!(rounds[0], rounds[1], "all find the same one");
            rounds[0]
        };
        // There are others between them.
        let [first, second, third, fourth] = [0, 1, 5, 9].map(all);
        assert!(first == third && second == fourth && first != second);
        assert!(meeting.rounds.get().is_none(), "nobody was ahead of others");
    }

    #[test]
    fn operations_side_by_side_have_rounds_of_their_own_which_are_used_again() {
        let meeting = meeting(world(2), 2, 2);
        let one = meeting.come_apart((5, 0), 0);
        let other = meeting.come_apart((6, 0), 0);
        assert!(!Arc::ptr_eq(&one.apart, &other.apart));
        let same = meeting.come_apart((5, 0), 1);
        assert!(Arc::ptr_eq(&one.apart, &same.apart) && one.turn == same.turn);
        assert_eq!(other.missing(other.turn).collect::<Vec<_>>(), [1]);
        meeting.leave_apart((5, 0), &one);
        meeting.leave_apart((5, 0), &same);
        let next = meeting.come_apart((5, 1), 1);
        assert!(Arc::ptr_eq(&one.apart, &next.apart) && one.turn != next.turn);
    }
}
