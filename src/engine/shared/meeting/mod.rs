//! Where the members of a communicator work together without messages: memory that all of them see.
//!
//! Each collective operation is a *turn*, by the number that all members draw for it. A member says
//! that it has come to a turn, lays down what it has, and later says that it has let go. What lies
//! in the round where a turn takes place is of use until all have let go of it.
//!
//! Where some only give, they go on at once: such turns take place in rounds by rotation, and
//! nobody may be further ahead than there are rounds. Where all wait for all, two rounds will do:
//! nobody comes to the next such turn but one before all have let go of this one.
//!
//! Nobody waits here: [`vigil`](crate::engine::rank::wait) does, and a death ends it. Then the
//! communicator is of no use any more, and its meeting is left as it is.

mod board;
mod calls;
mod known;
mod round;

pub use board::Board;
use calls::Calls;
pub use calls::{Call, Caller};
pub(super) use known::Meetings;
use round::Words;
pub use round::{Laid, Line, Round};

use crate::base::Member;
use crate::base::sync::cache::prefetch_to_write;
use crate::engine::World;
use crate::host::sched::{self, Bell};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::ops::Deref;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering, fence};
use std::sync::{Arc, OnceLock};

/// How many rounds there are by rotation: about as many as members, and for so many members
/// together. Rounds cost memory, and save those who only give or bring something from waiting,
/// which costs more than all the rest. (Of 120 with 32, and of 4000 with 8, broadcasts took
/// about twice as long.)
const FEW_ROUNDS: usize = 32;
const MOST_ROUNDS: usize = 128;
const FEWEST_ROUNDS: usize = 16;
const ROUNDS_OF_ALL: usize = 16384;

/// Which meeting: that of the communicator with this context, and with this first member. Disjoint
/// communicators may share a context.
pub(in crate::engine) type Key = (u32, Member);

/// What the members of one communicator share.
pub struct Meeting {
    key: Key,
    members: Box<[Member]>,
    stands: Box<[Stand]>,
    bells: Box<[&'static Bell]>,
    /// What they call.
    pub calls: Calls,
    /// By rotation; made when the first one is needed, and so many.
    rounds: OnceLock<Box<[Round]>>,
    count: u32,
    /// Two, where all wait for all.
    common: Box<[Round]>,
    pace: Pace,
    apart: Mutex<Apart>,
    /// Memory of a board that nobody holds any more: what is fresh costs more than what is written
    /// to it.
    spare_board: Mutex<Words>,
    /// Who waits for others to let go, and up to where.
    ahead: Mutex<Vec<(usize, u32)>>,
    /// How many members have let go of the communicator.
    gone: AtomicUsize,
}

/// Rounds of operations that may be under way side by side, by their numbers.
#[derive(Default)]
struct Apart {
    under_way: HashMap<(u32, u32), UnderWay>,
    spare: Vec<Hall>,
}

/// A round that is nobody's by rotation, and its turn.
#[derive(Clone)]
pub struct Hall {
    pub round: Arc<Round>,
    pub turn: u32,
}

impl Deref for Hall {
    type Target = Round;
    fn deref(&self) -> &Round {
        &self.round
    }
}

struct UnderWay {
    hall: Hall,
    /// How many members need nothing of it any more.
    gone: usize,
}

/// As many rounds are kept for later ones.
const SPARE: usize = 8;

/// How far one member is (see [`position`]): it has let go of all turns before.
#[repr(align(64))]
struct Stand(AtomicU32);

/// Looked at by all in every turn, and seldom written.
#[repr(align(64))]
struct Pace {
    /// All have let go of the turns before this one, counted as in [`Stand`].
    settled: AtomicU32,
    /// How many turns there were in which all waited for all.
    met: AtomicU32,
    /// How many wait for others to let go, and from where on somebody does who lets go: before that
    /// it is not worth while to wake them.
    waiting: AtomicU32,
    enough: AtomicU32,
    /// Somebody who was behind when last looked at: as long as it is, there is no need to look at
    /// all others.
    laggard: AtomicUsize,
}

/// Further than anybody waits for.
const FAR: u32 = 1 << 30;

/// Twice the number of a turn, counted from one: 0 stands for no turn yet. (Numbers wrap around at
/// 31 bits, positions at 32.)
fn position(turn: u32) -> u32 {
    (2 * turn).wrapping_add(2)
}

/// Whether one count of turns is as far as another; they run in circles.
fn is_as_far(one: u32, other: u32) -> bool {
    one.wrapping_sub(other) as i32 >= 0
}

impl Meeting {
    fn new(world: &'static World, key: Key, members: Vec<Member>) -> Meeting {
        let most = members.len().clamp(FEW_ROUNDS, MOST_ROUNDS);
        let count = (ROUNDS_OF_ALL / members.len()).clamp(FEWEST_ROUNDS, most);
        let count = count.next_power_of_two() as u32;
        let bell = |member: &Member| world.port(member.seat).bell();
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

    /// Memory of so many bytes for all who have come to a turn, which takes place there.
    pub fn board(&self, round: &Round, turn: u32, bytes: usize) -> Arc<Board> {
        round.board(turn, bytes, || std::mem::take(&mut *self.spare_board.lock()))
    }

    /// The caller is done with it, and knows that all have written what they had to write.
    pub fn put_away(&self, round: &Round, board: Arc<Board>) {
        if let Some(words) = round.put_away(board) {
            let mut spare = self.spare_board.lock();
            if spare.len() < words.len() {
                *spare = words;
            }
        }
    }

    /// Where a turn takes place in which some only give.
    #[inline(always)]
    pub fn round(&self, turn: u32) -> &Round {
        let members = self.stands.len();
        let make = || (0..self.count).map(|_| Round::new(members)).collect();
        &self.rounds.get_or_init(make)[(turn & (self.count - 1)) as usize]
    }

    /// Where the next turn takes place in which all wait for all, for a member that has not come to
    /// it yet. All find the same: it has let go of the last such turn, and this one does not end
    /// without it.
    #[inline(always)]
    pub fn common_round(&self) -> &Round {
        &self.common[(self.pace.met.load(Ordering::Acquire) & 1) as usize]
    }

    /// The member at `place` will soon write to its line of that turn.
    #[inline]
    pub fn make_ready(&self, turn: u32, place: usize) {
        prefetch_to_write(self.round(turn).line(place));
    }

    /// The member at `place` comes to a turn, and so has let go of all before. Without a fence, but
    /// for those turns from which on those ahead may wait for this member.
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

    /// Those ahead wait for positions that are multiples of this.
    #[inline]
    fn stride(&self) -> u32 {
        self.count / 2
    }

    /// Wakes those who wait until a member is as far as this.
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
        // Of those who come last at once, one sees all others.
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

    /// All have come to this turn.
    #[inline]
    pub fn settle(&self, turn: u32) {
        self.pace.settled.store(position(turn), Ordering::Release);
    }

    /// The same for one in which all wait for all, said by whoever came last, before anybody goes
    /// on.
    #[inline]
    pub fn settle_common(&self, turn: u32) {
        self.settle(turn);
        let met = self.pace.met.load(Ordering::Relaxed);
        self.pace.met.store(met.wrapping_add(1), Ordering::Release);
    }

    /// Whether the round of this turn is free of what was there before.
    #[inline(always)]
    pub fn has_room(&self, turn: u32) -> bool {
        let needed = self.needed(turn);
        is_as_far(self.pace.settled.load(Ordering::Acquire), needed) || self.look_for_room(needed)
    }

    /// The same, and of about half of the rounds of later turns: whoever has waited goes on for a
    /// while.
    pub(in crate::engine) fn has_ample_room(&self, turn: u32) -> bool {
        let needed = self.ample(turn);
        is_as_far(self.pace.settled.load(Ordering::Acquire), needed) || self.look_for_room(needed)
    }

    fn ample(&self, turn: u32) -> u32 {
        self.needed(turn).wrapping_add(self.count) & !(self.stride() - 1)
    }

    /// Up to where all must have let go for a turn to begin, counted as in [`Stand`].
    fn needed(&self, turn: u32) -> u32 {
        position(turn).wrapping_sub(2 * (self.count - 1))
    }

    #[cold]
    fn look_for_room(&self, needed: u32) -> bool {
        let slowest = self.slowest(needed);
        slowest.inspect(|slowest| self.pace.settled.store(*slowest, Ordering::Release)).is_some()
    }

    /// Up to where all have let go, if that is as far as `needed`.
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

    /// From now on the member at `place` is rung when there may be room, more than for this turn,
    /// until the value is dropped.
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

    /// This gate of a round is open: wakes all others who wait for that.
    #[inline]
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

    /// Wakes all others, who are few, for what was made known by a SeqCst read-modify-write.
    #[inline]
    pub fn ring_few(&self, place: usize) {
        let (before, after) = self.bells.split_at(place);
        before.iter().chain(&after[1..]).for_each(|bell| bell.unpark_unfenced());
    }

    /// Wakes the one after `place`, if there is one, for what was made known in the same way.
    #[inline]
    pub fn ring_next(&self, place: usize) {
        if let Some(bell) = self.bells.get(place + 1) {
            bell.unpark_unfenced();
        }
    }

    /// Wakes the one at `place`.
    #[inline]
    pub fn ring(&self, place: usize) {
        self.bells[place].unpark();
    }

    /// The member at `place` comes to the operation with this number, and repetition of it, which
    /// may be under way beside others.
    pub fn come_apart(&self, number: (u32, u32), place: usize) -> Hall {
        let mut apart = self.apart.lock();
        let Apart { under_way, spare } = &mut *apart;
        let make = || {
            let members = self.stands.len();
            let fresh = || Hall { round: Arc::new(Round::new(members)), turn: 0 };
            UnderWay { hall: spare.pop().unwrap_or_else(fresh), gone: 0 }
        };
        let hall = under_way.entry(number).or_insert_with(make).hall.clone();
        drop(apart);
        hall.round.line(place).come(hall.turn);
        hall
    }

    /// One member needs nothing of that operation any more, and nobody needs its memory.
    pub fn leave_apart(&self, number: (u32, u32)) {
        let mut apart = self.apart.lock();
        let Some(operation) = apart.under_way.get_mut(&number) else { return };
        operation.gone += 1;
        if operation.gone < self.stands.len() {
            return;
        }
        let Some(UnderWay { hall, .. }) = apart.under_way.remove(&number) else { return };
        if apart.spare.len() < SPARE {
            let turn = hall.turn.wrapping_add(1) & (u32::MAX >> 1);
            apart.spare.push(Hall { turn, ..hall });
        }
    }

    /// Who has not come as far as a wait needs, up to `most` of them.
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

/// What a member waits for in a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// All have let go of the turn that had the round before, and of some more.
    Room,
    /// All have come.
    Full,
    /// The same, or somebody has given up: then they never will have.
    Decided,
    /// And whoever came last has done what there was to do.
    Done,
    /// All have shown what they have.
    AllShown,
    /// This member has.
    Shown { place: usize },
    /// This member has shown something to the one after it, who alone waits for that.
    Passed { place: usize },
    /// Nobody reads anything of others any more.
    AllRead,
    /// This member does not.
    Read { place: usize },
}

impl Gate {
    /// Whether others copy as much as there is before it opens.
    pub fn is_after_copies(self) -> bool {
        matches!(self, Gate::Full | Gate::AllRead | Gate::Read { .. })
    }

    /// Where those wait for whom it opens. In one turn, one of the gates of a lobby opens for all
    /// who wait there, once.
    fn lobby(self) -> Option<usize> {
        match self {
            Gate::Room | Gate::Passed { .. } | Gate::Decided => None,
            Gate::Full | Gate::Done => Some(0),
            Gate::AllShown | Gate::Shown { .. } => Some(1),
            Gate::AllRead | Gate::Read { .. } => Some(2),
        }
    }
}

/// Somebody who is ahead of the others.
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
    use crate::engine::rank::tests::world;

    pub(super) fn member(seat: usize) -> Member {
        Member { seat, incarnation: 0 }
    }

    pub(super) fn meeting(world: &'static World, context: u32, size: usize) -> Arc<Meeting> {
        world.meeting((context, member(0)), || (0..size).map(member).collect())
    }

    #[test]
    fn nobody_is_further_ahead_than_there_are_rounds() {
        // Numbers run in circles.
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
        // Others lie between them.
        let [first, second, third, fourth] = [0, 1, 5, 9].map(all);
        assert!(first == third && second == fourth && first != second);
        assert!(meeting.rounds.get().is_none(), "nobody was ahead of others");
    }

    #[test]
    fn operations_side_by_side_have_rounds_of_their_own_which_are_used_again() {
        let meeting = meeting(world(2), 2, 2);
        let one = meeting.come_apart((5, 0), 0);
        let other = meeting.come_apart((6, 0), 0);
        assert!(!Arc::ptr_eq(&one.round, &other.round));
        let same = meeting.come_apart((5, 0), 1);
        assert!(Arc::ptr_eq(&one.round, &same.round) && one.turn == same.turn);
        assert_eq!(other.round.missing(other.turn).collect::<Vec<_>>(), [1]);
        meeting.leave_apart((5, 0));
        meeting.leave_apart((5, 0));
        let next = meeting.come_apart((5, 1), 1);
        assert!(Arc::ptr_eq(&one.round, &next.round) && one.turn != next.turn);
    }
}
