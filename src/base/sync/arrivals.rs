//! Counts who has come to one turn after another, and decides whether all have: once and for all,
//! however many ask and give up at the same moment.
//!
//! Members are counted in groups, the last of each in the root, so that few write to one cache
//! line. Whoever dies between two steps leaves a count that is never full, and nothing else.
//!
//! A word: the turn in the upper half, a flag, and a count. A word of an earlier turn is empty.
//!
//! | root, of turn `n` | meaning                         | `arrive`    | `abandon`       |
//! |-------------------|---------------------------------|-------------|-----------------|
//! | count < groups    | some have not come              | counts      | sets `GIVEN_UP` |
//! | `GIVEN_UP`        | nobody will take it for full    | is not told | nothing to do   |
//! | count = groups    | all have come, for ever         | cannot be   | refused         |
//!
//! The caller sees to it that all have let go of a turn before anybody comes to a later one.

use super::atomic::{AtomicU64, Ordering};

/// How many members share a word.
const GROUP: usize = if cfg!(loom) { 2 } else { 16 };

const GIVEN_UP: u64 = 1 << 31;
const COUNT: u64 = GIVEN_UP - 1;

/// Those who are counted.
pub struct Arrivals {
    /// None where all count in the root.
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

    /// The member at `place` has come. True for the one that makes the number full.
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

    /// Whether all have come, and nobody had given up before.
    #[inline]
    pub fn is_full(&self, turn: u32) -> bool {
        self.root.0.load(Ordering::SeqCst) == of(turn) | self.full()
    }

    /// Whether it is decided: all have come, or somebody has given up.
    #[inline]
    pub fn is_decided(&self, turn: u32) -> bool {
        let root = self.root.0.load(Ordering::SeqCst);
        root == of(turn) | self.full() || root >> 32 == u64::from(turn) && root & GIVEN_UP != 0
    }

    /// From now on nobody will find that all have come; false if they have.
    pub fn abandon(&self, turn: u32) -> bool {
        let full = of(turn) | self.full();
        let (won, lost) = (Ordering::SeqCst, Ordering::SeqCst);
        let mut now = self.root.0.load(lost);
        loop {
            if now == full {
                return false;
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
    /// Counts one more in this turn; says how many they are, flag included.
    #[inline]
    fn count(&self, turn: u32) -> u64 {
        let (won, lost) = (Ordering::SeqCst, Ordering::Relaxed);
        let mut now = self.0.load(lost);
        // The first of a turn begins anew.
        while now >> 32 != u64::from(turn) {
            match self.0.compare_exchange_weak(now, of(turn) | 1, won, lost) {
                Ok(_) => return 1,
                Err(actual) => now = actual,
            }
        }
        (self.0.fetch_add(1, won) + 1) & (GIVEN_UP | COUNT)
    }
}

#[inline]
fn of(turn: u32) -> u64 {
    u64::from(turn) << 32
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, AtomicUsize};

    #[test]
    fn the_one_who_comes_last_is_told_in_every_turn() {
        for members in [1, 2, 15, 16, 17, 32, 33, 120, 1000] {
            let counter = Arrivals::new(members);
            for turn in [0, 1, 2, 9, u32::MAX, 4] {
                let mut told = 0;
                for step in 0..members {
                    assert!(!counter.is_full(turn));
                    // 7919 is prime and no divisor: everybody comes once, in some other order.
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
            // A later turn begins anew.
            assert!(!counter.is_decided(6));
            let told = (0..members).filter(|place| counter.arrive(6, *place)).count();
            assert!(counter.is_decided(6));
            assert_eq!((told, counter.is_full(6), counter.is_full(5)), (1, true, false));
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

    /// Of three, in two groups: one is told in each turn, and then all find the number full.
    #[test]
    fn loom_one_is_told_that_all_have_come() {
        members(3, |counter, place| {
            let is_last = counter.arrive(7, place);
            assert!(!is_last || counter.is_full(7));
            usize::from(is_last)
        });
    }

    /// Either all have come, or somebody has given up: nobody sees the one and somebody the other.
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

    /// A word that is left over from an earlier turn counts for nothing: whoever comes to the third
    /// knows that all have come to the second, and so have let go of the first.
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
