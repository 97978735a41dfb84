//! Counts arrivals at one turn after another, and decides once and for all whether every member has
//! arrived, even if many threads ask and give up at the same moment.
//!
//! Members are counted in groups, and the last of each group in the root, so that few threads write
//! to one cache line. A member that dies between two steps leaves only a count that is never full.
//!
//! A word holds the turn in the upper half, a flag, and a count. A word of an earlier turn is
//! empty.
//!
//! | root, of turn `n` | meaning                         | `arrive`    | `abandon`       |
//! |-------------------|---------------------------------|-------------|-----------------|
//! | count < groups    | some have not arrived           | counts      | sets `GIVEN_UP` |
//! | `GIVEN_UP`        | will never count as full        | is not told | nothing to do   |
//! | count = groups    | all have arrived, for ever      | cannot be   | refused         |
//!
//! The caller ensures that all members have left a turn before one arrives at a later one, unless
//! the turn can never become full: a member that arrives there late changes nothing.

use super::atomic::{AtomicU64, Ordering};

/// How many members share a word.
const GROUP: usize = if cfg!(loom) { 2 } else { 16 };

const GIVEN_UP: u64 = 1 << 31;
const COUNT: u64 = GIVEN_UP - 1;

/// Counts the arrivals of members at one turn after another.
pub struct Arrivals {
    /// Empty if all members count in the root.
    groups: Box<[Word]>,
    root: Word,
    members: usize,
}

/// A counter on cache lines of its own.
#[repr(align(128))]
struct Word(AtomicU64);

impl Arrivals {
    pub fn new(members: usize) -> Arrivals {
        let groups = if members <= GROUP { 0 } else { members.div_ceil(GROUP) };
        let word = || Word(AtomicU64::new(0));
        Arrivals { groups: (0..groups).map(|_| word()).collect(), root: word(), members }
    }

    /// The member at `place` has arrived. True for the one that completes the number.
    #[inline]
    pub fn arrive(&self, turn: u32, place: usize) -> bool {
        if let Some(group) = self.groups.get(place / GROUP) {
            let first = place - place % GROUP;
            let members = GROUP.min(self.members - first) as u64;
            if group.count(turn) != members {
                return false;
            }
        }
        self.root.count(turn) == self.full()
    }

    /// Whether all members arrived before one gave up.
    #[inline]
    pub fn is_full(&self, turn: u32) -> bool {
        self.root.0.load(Ordering::SeqCst) == of(turn) | self.full()
    }

    /// Whether it is decided: all members have arrived, or one has given up.
    #[inline]
    pub fn is_decided(&self, turn: u32) -> bool {
        let root = self.root.0.load(Ordering::SeqCst);
        root == of(turn) | self.full() || root >> 32 == u64::from(turn) && root & GIVEN_UP != 0
    }

    /// Prevents the turn from becoming full; false if it already is.
    pub fn abandon(&self, turn: u32) -> bool {
        let full = of(turn) | self.full();
        let (won, lost) = (Ordering::SeqCst, Ordering::SeqCst);
        let mut now = self.root.0.load(lost);
        loop {
            if now == full {
                return false;
            }
            if is_past(turn, now) {
                return true;
            }
            let next = GIVEN_UP | if now >> 32 == u64::from(turn) { now } else { of(turn) };
            match self.root.0.compare_exchange_weak(now, next, won, lost) {
                Ok(_) => return true,
                Err(actual) => now = actual,
            }
        }
    }

    #[inline]
    fn full(&self) -> u64 {
        if self.groups.is_empty() { self.members as u64 } else { self.groups.len() as u64 }
    }
}

impl Word {
    /// Counts one more in this turn; returns the count, flag included. In a turn that is past,
    /// nothing is counted: one that cannot become full may be overtaken at any moment.
    #[inline]
    fn count(&self, turn: u32) -> u64 {
        let (won, lost) = (Ordering::SeqCst, Ordering::Relaxed);
        let mut now = self.0.load(lost);
        loop {
            // The first arrival of a turn starts from zero.
            let next = match now >> 32 == u64::from(turn) {
                true => now + 1,
                false if is_past(turn, now) => return GIVEN_UP,
                false => of(turn) | 1,
            };
            match self.0.compare_exchange_weak(now, next, won, lost) {
                Ok(_) => return next & (GIVEN_UP | COUNT),
                Err(actual) => now = actual,
            }
        }
    }
}

#[inline]
fn of(turn: u32) -> u64 {
    u64::from(turn) << 32
}

/// Whether others have begun to count a later turn.
#[inline]
fn is_past(turn: u32, now: u64) -> bool {
    is_overtaken(turn, (now >> 32) as u32) && now & (GIVEN_UP | COUNT) != 0
}

/// Whether the latest turn in some memory is later than this one. Turns wrap around, and memory may
/// not have been used for very many of them: so only those shortly after a turn are later.
#[inline]
pub fn is_overtaken(turn: u32, latest: u32) -> bool {
    const SHORTLY: u32 = 1 << 16;
    (1..=SHORTLY).contains(&latest.wrapping_sub(turn))
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, AtomicUsize};

    #[test]
    fn the_one_who_comes_last_is_told_in_every_turn() {
        for members in [1, 2, 15, 16, 17, 32, 33, 120, 1000] {
            let counter = Arrivals::new(members);
            for turn in [0, 1, 2, 9, 1 << 30, u32::MAX, 4] {
                let mut told = 0;
                for step in 0..members {
                    assert!(!counter.is_full(turn));
                    // 7919 is prime and no divisor: every member arrives once, in another order.
                    told += usize::from(counter.arrive(turn, (step * 7919 + 3) % members));
                }
                assert!(told == 1 && counter.is_full(turn), "{members} {turn}");
                assert!(!counter.abandon(turn));
            }
        }
    }

    #[test]
    fn whoever_gives_up_does_so_for_all() {
        for members in [2, 40] {
            let counter = Arrivals::new(members);
            (1..members).for_each(|place| assert!(!counter.arrive(5, place)));
            assert!(!counter.is_decided(5));
            assert!(counter.abandon(5));
            assert!(!counter.arrive(5, 0) && !counter.is_full(5) && counter.is_decided(5));
            assert!(counter.abandon(5));
            // A later turn starts from zero.
            assert!(!counter.is_decided(6));
            let told = (0..members).filter(|place| counter.arrive(6, *place)).count();
            assert!(counter.is_decided(6));
            assert_eq!((told, counter.is_full(6), counter.is_full(5)), (1, true, false));
        }
    }

    #[test]
    fn whoever_is_late_for_a_turn_that_cannot_become_full_takes_nothing_from_a_later_one() {
        for members in [3, 40] {
            let counter = Arrivals::new(members);
            (2..members).for_each(|place| assert!(!counter.arrive(u32::MAX, place)));
            // The last member takes no part, and all but the first go on.
            (1..members).for_each(|place| assert!(!counter.arrive(3, place)));
            assert!(!counter.arrive(u32::MAX, 0) && !counter.is_decided(u32::MAX));
            assert!(counter.abandon(u32::MAX) && !counter.is_decided(3));
            assert!(counter.arrive(3, 0) && counter.is_full(3));
            assert!(!counter.arrive(u32::MAX, 0) && counter.is_full(3));
        }
    }

    #[test]
    fn threads_meet_turn_after_turn() {
        const TURNS: u32 = if cfg!(miri) { 20 } else { 2000 };
        const MEMBERS: usize = 20;
        let counter = [Arrivals::new(MEMBERS), Arrivals::new(MEMBERS)];
        let (told, reached) = (AtomicUsize::new(0), AtomicU32::new(0));
        std::thread::scope(|scope| {
            for part in 0..4 {
                let (counter, told, reached) = (&counter, &told, &reached);
                scope.spawn(move || {
                    for turn in 0..TURNS {
                        let counter = &counter[turn as usize % 2];
                        for place in (part..MEMBERS).step_by(4) {
                            if counter.arrive(turn, place) {
                                told.fetch_add(1, Ordering::SeqCst);
                                reached.store(turn + 1, Ordering::SeqCst);
                            }
                        }
                        while !counter.is_full(turn) || reached.load(Ordering::SeqCst) <= turn {
                            std::thread::yield_now();
                        }
                    }
                });
            }
        });
        assert_eq!(told.load(Ordering::SeqCst), TURNS as usize);
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use loom::sync::Arc;
    use loom::thread;

    fn members(count: usize, run: fn(&Arrivals, usize) -> usize) {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = (count > 2).then_some(3);
        builder.check(move || {
            let counter = Arc::new(Arrivals::new(count));
            let others: Vec<_> = (1..count)
                .map(|place| {
                    let counter = counter.clone();
                    thread::spawn(move || run(&counter, place))
                })
                .collect();
            let mut told = run(&counter, 0);
            others.into_iter().for_each(|other| told += other.join().expect("nobody panics"));
            assert_eq!(told, 1, "one is told, or one gives up");
        });
    }

    /// Three members in two groups: one is told in each turn, and then all find the number full.
    #[test]
    fn loom_one_is_told_that_all_have_come() {
        members(3, |counter, place| {
            let is_last = counter.arrive(7, place);
            assert!(!is_last || counter.is_full(7));
            usize::from(is_last)
        });
    }

    /// Either all have arrived, or one has given up: all threads see one outcome.
    #[test]
    fn loom_all_agree_on_whether_all_have_come() {
        for count in [2, 3] {
            members(count, |counter, place| {
                let is_last = counter.arrive(1, place);
                if place == 1 && counter.abandon(1) {
                    assert!(!is_last && !counter.is_full(1));
                    return 1;
                }
                usize::from(is_last)
            });
        }
    }

    /// A member that is late for a turn which another has given up is not counted in the next one,
    /// wherever the other overtakes it.
    #[test]
    fn loom_who_is_overtaken_is_not_counted_in_the_turn_of_others() {
        members(2, |counter, place| {
            match place {
                0 => assert!(counter.abandon(1)),
                _ => assert!(!counter.arrive(1, place) && !counter.is_full(2)),
            }
            usize::from(counter.arrive(2, place))
        });
    }

    /// A word left over from an earlier turn does not count: a member that arrives at the third
    /// turn knows that all have arrived at the second, and so have left the first.
    #[test]
    fn loom_a_turn_begins_anew() {
        loom::model(|| {
            let counters = Arc::new([Arrivals::new(2), Arrivals::new(2)]);
            let run = |counters: &[Arrivals; 2], place| {
                for turn in 1..3 {
                    let counter = &counters[turn as usize % 2];
                    counter.arrive(turn, place);
                    while !counter.is_full(turn) {
                        thread::yield_now();
                    }
                }
                usize::from(counters[1].arrive(3, place))
            };
            let other = counters.clone();
            let other = thread::spawn(move || run(&other, 1));
            let told = run(&counters, 0) + other.join().expect("nobody panics");
            assert_eq!(told, 1);
        });
    }
}
