//! Series: operations of one kind that follow one another, in rounds by rotation.
//!
//! There are three kinds of series: the blocking operations of a communicator; the nonblocking ones
//! (see [`Enrolment`](super::Enrolment)); and the repetitions of one persistent operation.

use super::round::Round;
use crate::base::sync::cache::prefetch_to_write;
use parking_lot::Mutex;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering, fence};

/// The rounds of a series, and how far each member is.
pub struct Series {
    /// Made when the first is needed.
    rounds: OnceLock<Box<[Round]>>,
    /// One less than their number, a power of two.
    last: u32,
    stands: Box<[Stand]>,
    /// Of all members, in a series whose turns are drawn; else of none.
    runs: Box<[Mutex<Runs>]>,
    pace: Pace,
    /// The members that wait for others to release turns, and the position that each needs.
    ahead: Mutex<Vec<(usize, u32)>>,
}

/// The repetitions of a persistent operation.
pub(super) struct Repeated {
    pub(super) number: u32,
    pub(super) series: Series,
    /// How many members have freed it.
    gone: AtomicUsize,
}

impl Repeated {
    pub(super) fn new(number: u32, series: Series) -> Repeated {
        Repeated { number, series, gone: AtomicUsize::new(0) }
    }

    /// One more member has freed it; returns how many have.
    pub(super) fn free(&self) -> usize {
        self.gone.fetch_add(1, Ordering::AcqRel) + 1
    }
}

/// How far one member is: it has released all turns before (see [`position`]).
#[repr(align(64))]
struct Stand(AtomicU32);

/// The turns of one member in a series whose turns are drawn and released.
#[derive(Default)]
#[repr(align(64))]
struct Runs {
    /// What it has drawn and not released, in this order.
    open: Vec<u32>,
    /// One after the latest that it has drawn.
    next: u32,
    /// The latest for each round.
    latest: Vec<Option<u32>>,
}

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
pub(super) fn position(turn: u32) -> u32 {
    (2 * turn).wrapping_add(2)
}

/// Whether one count of turns is as far as another; counts wrap around.
fn is_as_far(one: u32, other: u32) -> bool {
    one.wrapping_sub(other) as i32 >= 0
}

impl Series {
    /// A series to whose turns members [come](Series::come).
    pub(super) fn new(members: usize, count: u32) -> Series {
        Series::from(0, members, count)
    }

    /// A series whose members [draw](Series::draw) and [release](Series::release) turns, not
    /// necessarily each one.
    pub(super) fn of_runs(members: usize, count: u32) -> Series {
        let runs = (0..members).map(|_| Mutex::default()).collect();
        Series { runs, ..Series::from(position(0), members, count) }
    }

    fn from(start: u32, members: usize, count: u32) -> Series {
        let stand = || Stand(AtomicU32::new(start));
        Series {
            rounds: OnceLock::new(),
            last: count - 1,
            stands: (0..members).map(|_| stand()).collect(),
            runs: Box::default(),
            pace: Pace {
                settled: AtomicU32::new(0),
                met: AtomicU32::new(0),
                waiting: AtomicU32::new(0),
                enough: AtomicU32::new(0),
                laggard: AtomicUsize::new(0),
            },
            ahead: Mutex::default(),
        }
    }

    /// How many rounds there are.
    #[cfg(test)]
    pub(super) fn count(&self) -> u32 {
        self.last + 1
    }

    #[cfg(test)]
    pub(super) fn has_rounds(&self) -> bool {
        self.rounds.get().is_some()
    }

    /// The round of this turn.
    #[inline(always)]
    pub fn round(&self, turn: u32) -> &Round {
        let rounds = match self.rounds.get() {
            Some(rounds) => rounds,
            None => self.make_rounds(),
        };
        &rounds[(turn & self.last) as usize]
    }

    #[cold]
    #[inline(never)]
    fn make_rounds(&self) -> &[Round] {
        let members = self.stands.len();
        self.rounds.get_or_init(|| (0..=self.last).map(|_| Round::new(members, members)).collect())
    }

    /// Prefetches the line of the member at `place`, which it will soon write.
    #[inline]
    pub fn make_ready(&self, turn: u32, place: usize) {
        prefetch_to_write(self.round(turn).line(place));
    }

    /// The member at `place` arrives at a turn, and so has released all before. Without a fence,
    /// except at those turns from which on members ahead may wait for this member: then its
    /// position is returned, if members wait.
    #[inline(always)]
    pub(super) fn come(&self, turn: u32, place: usize) -> Option<u32> {
        let (stand, position) = (&self.stands[place].0, position(turn));
        let before = stand.load(Ordering::Relaxed);
        stand.store(position, Ordering::Release);
        if before ^ position >= self.stride() {
            fence(Ordering::SeqCst);
            return self.has_waiting().then_some(position);
        }
        None
    }

    /// The member at `place` draws a turn that it will release. Returns the turn before in the same
    /// round; and its position, if members wait for that.
    pub(super) fn draw(&self, turn: u32, place: usize) -> (Option<u32>, Option<u32>) {
        let (stand, mut runs) = (&self.stands[place], self.runs[place].lock());
        let slot = (turn & self.last) as usize;
        if runs.latest.len() <= slot {
            runs.latest.resize(slot + 1, None);
        }
        let before = runs.latest[slot].replace(turn);
        let is_first = runs.open.is_empty();
        runs.open.push(turn);
        runs.next = after(turn);
        // It has released all before, and may have had others than these turns to do since.
        let news = if is_first { self.publish(stand, position(turn)) } else { None };
        (before, news)
    }

    /// The member at `place` releases a turn, perhaps before earlier ones; returns its position, if
    /// members wait for that. `instead`, of one that has not come to the turn: what was the latest
    /// turn in the round before, which is so again.
    pub(super) fn release(
        &self, turn: u32, place: usize, instead: Option<Option<u32>>,
    ) -> Option<u32> {
        let (stand, mut runs) = (&self.stands[place], self.runs[place].lock());
        let index = runs.open.iter().position(|open| *open == turn)?;
        runs.open.remove(index);
        let latest = &mut runs.latest[(turn & self.last) as usize];
        if let Some(before) = instead
            && *latest == Some(turn)
        {
            *latest = before;
        }
        let first = runs.open.first().copied().unwrap_or(runs.next);
        if index == 0 { self.publish(stand, position(first)) } else { None }
    }

    /// Returns the position if that is news and members wait.
    fn publish(&self, stand: &Stand, position: u32) -> Option<u32> {
        if stand.0.load(Ordering::Relaxed) == position {
            return None;
        }
        stand.0.swap(position, Ordering::SeqCst);
        self.has_waiting().then_some(position)
    }

    fn has_waiting(&self) -> bool {
        self.pace.waiting.load(Ordering::SeqCst) != 0
    }

    /// Members ahead wait for positions that are multiples of this.
    #[inline]
    fn stride(&self) -> u32 {
        self.last / 2 + 1
    }

    /// The members that have waited until a member reached this position, and need not wait longer.
    #[cold]
    pub(super) fn due(&self, position: u32) -> Vec<usize> {
        let enough = self.pace.enough.load(Ordering::SeqCst);
        if !is_as_far(position, enough) {
            return Vec::new();
        }
        // Of the last members that arrive at once, one sees all others.
        let Some(slowest) = self.slowest(enough) else { return Vec::new() };
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
        due
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
        let met = self.met();
        self.pace.met.store(met.wrapping_add(1), Ordering::Release);
    }

    /// The number of turns so far in which all waited for all.
    #[inline(always)]
    pub(super) fn met(&self) -> u32 {
        self.pace.met.load(Ordering::Acquire)
    }

    /// Whether all members have released the previous turn in the round of this one.
    #[inline(always)]
    pub fn has_room(&self, turn: u32) -> bool {
        self.are_as_far(self.needed(turn))
    }

    /// Whether all members have reached this position.
    #[inline(always)]
    pub fn are_as_far(&self, needed: u32) -> bool {
        is_as_far(self.pace.settled.load(Ordering::Acquire), needed) || self.look_for_room(needed)
    }

    /// Whether about half of the rounds of later turns are free, too: a member that has waited then
    /// continues for a while.
    pub(in crate::engine) fn has_ample_room(&self, turn: u32) -> bool {
        self.are_as_far(self.ample(turn))
    }

    fn ample(&self, turn: u32) -> u32 {
        self.needed(turn).wrapping_add(self.last + 1) & !(self.stride() - 1)
    }

    /// The position that all members must have reached for a turn to begin, counted as in
    /// [`Stand`].
    fn needed(&self, turn: u32) -> u32 {
        position(turn).wrapping_sub(2 * self.last)
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
        self.wait_for(self.ample(turn), place)
    }

    /// As [`Series::wait_for_room`], until all members may have reached this position.
    pub fn wait_for(&self, ample: u32, place: usize) -> Ahead<'_> {
        let mut ahead = self.ahead.lock();
        let enough = &self.pace.enough;
        if ahead.is_empty() || !is_as_far(ample, enough.load(Ordering::Relaxed)) {
            enough.store(ample, Ordering::SeqCst);
        }
        ahead.push((place, ample));
        self.pace.waiting.fetch_add(1, Ordering::SeqCst);
        Ahead { series: self, place, ample }
    }

    /// The members that have not come to this turn, or not so far that there is room for it.
    pub(super) fn missing(&self, turn: u32, for_room: bool) -> impl Iterator<Item = usize> + '_ {
        self.behind(if for_room { self.ample(turn) } else { position(turn) })
    }

    /// The members that have not reached this position.
    pub(in crate::engine) fn behind(&self, needed: u32) -> impl Iterator<Item = usize> + '_ {
        let is_behind = move |stand: &Stand| !is_as_far(stand.0.load(Ordering::SeqCst), needed);
        (0..).zip(&*self.stands).filter(move |(_, stand)| is_behind(stand)).map(|it| it.0)
    }
}

/// The turn after this one.
pub(super) fn after(turn: u32) -> u32 {
    turn.wrapping_add(1) & (u32::MAX >> 1)
}

/// A member that is ahead of the others, and waits.
pub struct Ahead<'a> {
    series: &'a Series,
    place: usize,
    ample: u32,
}

impl Drop for Ahead<'_> {
    fn drop(&mut self) {
        let mut ahead = self.series.ahead.lock();
        let own = (self.place, self.ample);
        if let Some(index) = ahead.iter().position(|waiting| *waiting == own) {
            ahead.swap_remove(index);
        }
        self.series.pace.waiting.fetch_sub(1, Ordering::SeqCst);
    }
}
