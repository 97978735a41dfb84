//! Detects a collective mismatch: the first member to arrive at an operation records its call, and
//! all others compare theirs with it.
//!
//! There is an entry for as many operations as there are rounds, by rotation. A member whose entry
//! already belongs to another operation, which is rare, compares with no other member.
//!
//! | stamp                 | meaning                                                           |
//! |-----------------------|-------------------------------------------------------------------|
//! | [`EMPTY`]             | no member has arrived here                                        |
//! | number, a fingerprint | a member has arrived, and its call has this fingerprint           |
//! | number, [`VOID`]      | two members have called different things: no member completes it  |

use super::Mark;
use crate::host::sched;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The part of a call that must be equal at all members: two words that the layer above makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    pub what: u64,
    pub amount: u64,
}

/// The call of one member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caller {
    pub place: usize,
    pub call: Call,
}

/// The latest operations of a communicator.
pub struct Calls(Box<[Entry]>);

/// One operation.
#[derive(Default)]
#[repr(align(64))]
struct Entry {
    stamp: AtomicU64,
    first: Note,
    /// A member that has called something else.
    other: Note,
}

/// A call, and the member that has made it.
#[derive(Default)]
struct Note {
    what: AtomicU64,
    amount: AtomicU64,
    /// The number of the operation, and the place of the caller.
    who: AtomicU64,
}

const EMPTY: u64 = u64::MAX;
const VOID: u32 = 0;

/// In the first word.
const VAGUE: u64 = 1 << 63;

impl Call {
    /// This call, made by a member that does not know all that others do: it is compared with
    /// theirs, but theirs are not with it.
    pub fn vague(self) -> Call {
        Call { what: self.what | VAGUE, ..self }
    }

    #[inline(always)]
    fn is_vague(self) -> bool {
        self.what & VAGUE != 0
    }

    /// What its member shows, so that others compare it with their own.
    #[inline(always)]
    pub fn mark(self) -> Mark {
        const ODD: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xd6e8_feb8_6659_fd93];
        let mixed = self.what.wrapping_mul(ODD[0]) ^ self.amount.wrapping_mul(ODD[1]);
        Mark::of((mixed >> 32) as u32)
    }

    #[inline(always)]
    fn stamp(self, number: u32) -> u64 {
        u64::from(number) << 32 | u64::from(self.mark().bits())
    }
}

impl Calls {
    /// Entries for `count` operations, a power of two.
    pub(super) fn new(count: u32) -> Calls {
        let entry = || Entry { stamp: AtomicU64::new(EMPTY), ..Entry::default() };
        Calls((0..count).map(|_| entry()).collect())
    }

    /// Whether a member has arrived at the operation of this number with the same call, or this one
    /// is the first. Otherwise it [compares](Calls::compare) its call.
    #[inline(always)]
    pub fn has(&self, number: u32, caller: Caller) -> bool {
        let (entry, stamp) = (self.entry(number), caller.call.stamp(number));
        let known = entry.stamp.load(Ordering::Acquire);
        known == stamp
            || is_free(known, number)
                && !caller.call.is_vague()
                && entry.begin(known, number, caller).is_ok()
    }

    /// A member arrives at the operation of this number with its call; fails if another member's
    /// call is not like it. From then on it fails for all that arrive.
    pub fn compare(
        &self, number: u32, caller: Caller, is_like: fn(Call, Call) -> bool,
    ) -> Result<(), Caller> {
        self.entry(number).settle(number, caller, is_like)
    }

    #[inline(always)]
    fn entry(&self, number: u32) -> &Entry {
        &self.0[number as usize & (self.0.len() - 1)]
    }
}

/// Whether what is known is of an operation before this one, or of none.
#[inline(always)]
fn is_free(known: u64, number: u32) -> bool {
    // Numbers wrap around at 31 bits.
    let ahead = number.wrapping_sub((known >> 32) as u32) << 1;
    (ahead as i32) > 0 || known == EMPTY
}

impl Entry {
    fn settle(
        &self, number: u32, caller: Caller, is_like: fn(Call, Call) -> bool,
    ) -> Result<(), Caller> {
        let (stamp, mut known) = (caller.call.stamp(number), self.stamp.load(Ordering::Acquire));
        loop {
            if known == stamp {
                return Ok(());
            }
            if known != EMPTY && (known >> 32) as u32 == number {
                return self.judge(number, caller, is_like);
            }
            if !is_free(known, number) || caller.call.is_vague() {
                return Ok(());
            }
            match self.begin(known, number, caller) {
                Ok(()) => return Ok(()),
                Err(other) => known = other,
            }
        }
    }

    /// Records the first call, unless something else than `known` is recorded by now.
    #[inline(always)]
    fn begin(&self, known: u64, number: u32, caller: Caller) -> Result<(), u64> {
        let (stamp, won, lost) = (caller.call.stamp(number), Ordering::AcqRel, Ordering::Acquire);
        self.stamp.compare_exchange(known, stamp, won, lost)?;
        self.first.write(number, caller);
        Ok(())
    }

    /// Judges a call whose fingerprint differs from that of the first one.
    #[cold]
    fn judge(
        &self, number: u32, caller: Caller, is_like: fn(Call, Call) -> bool,
    ) -> Result<(), Caller> {
        let void = u64::from(number) << 32 | u64::from(VOID);
        let Some(first) = self.first.read(number) else { return Ok(()) };
        let known = self.stamp.load(Ordering::SeqCst);
        if is_like(first.call, caller.call) {
            return match known == void {
                false => Ok(()),
                true => Err(self.other.read(number).unwrap_or(first)),
            };
        }
        let (won, lost) = (Ordering::SeqCst, Ordering::Relaxed);
        if known != void
            && (known >> 32) as u32 == number
            && self.stamp.compare_exchange(known, void, won, lost).is_ok()
        {
            self.other.write(number, caller);
        }
        Err(first)
    }
}

impl Note {
    #[inline(always)]
    fn write(&self, number: u32, caller: Caller) {
        self.what.store(caller.call.what, Ordering::Relaxed);
        self.amount.store(caller.call.amount, Ordering::Relaxed);
        let who = u64::from(number) << 32 | caller.place as u64;
        self.who.store(who.wrapping_add(1), Ordering::Release);
    }

    /// The note of this operation. Its writer may be about to write it: then it is waited for,
    /// for as long as a busy machine may keep a thread from its core. Or the writer is dead.
    fn read(&self, number: u32) -> Option<Caller> {
        const LONGEST: Duration = Duration::from_secs(5);
        let began = Instant::now();
        while began.elapsed() < LONGEST {
            let who = self.who.load(Ordering::Acquire).wrapping_sub(1);
            if who != u64::MAX && (who >> 32) as u32 == number {
                let what = self.what.load(Ordering::Relaxed);
                let amount = self.amount.load(Ordering::Relaxed);
                let call = Call { what, amount };
                return Some(Caller { place: (who as u32) as usize, call });
            }
            sched::yield_now();
        }
        None
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn caller(place: usize, what: u64, amount: u64) -> Caller {
        Caller { place, call: Call { what, amount } }
    }

    fn is_like(one: Call, other: Call) -> bool {
        one.what == other.what && (one.amount == other.amount || other.amount == 0)
    }

    #[test]
    fn who_calls_something_else_hears_of_the_first_and_all_who_come_later_of_him() {
        let calls = Calls::new(16);
        for number in [0, 5, 21, 37, i32::MAX as u32, 4] {
            let compare = |caller| calls.compare(number, caller, is_like);
            let unsure = caller(5, 7, 1);
            assert_eq!(compare(Caller { call: unsure.call.vague(), ..unsure }), Ok(()));
            assert_eq!(compare(caller(3, 7, 1)), Ok(()));
            assert_eq!(compare(caller(1, 7, 1)), Ok(()));
            assert_eq!(compare(caller(2, 7, 0)), Ok(()), "like it, in other words");
            assert_eq!(compare(caller(4, 8, 1)), Err(caller(3, 7, 1)));
            assert_eq!(compare(caller(5, 7, 1)), Err(caller(4, 8, 1)));
            assert_eq!(compare(caller(6, 9, 1)), Err(caller(3, 7, 1)));
        }
    }

    #[test]
    fn the_first_to_come_is_known_to_all_who_come_later() {
        let calls = Calls::new(16);
        for number in [0, 5, 21, 37, i32::MAX as u32, 4] {
            let unsure = caller(5, 7, 1);
            let unsure = Caller { call: unsure.call.vague(), ..unsure };
            assert!(!calls.has(number, unsure), "what is vague is not recorded");
            assert!(calls.has(number, caller(3, 7, 1)), "the first, {number}");
            assert!(calls.has(number, caller(1, 7, 1)), "the same call, {number}");
            assert!(!calls.has(number, caller(4, 8, 1)), "another call, {number}");
            let other = calls.compare(number, caller(4, 8, 1), is_like);
            assert_eq!(other, Err(caller(3, 7, 1)));
            assert!(!calls.has(number, caller(2, 7, 1)), "then all compare theirs");
        }
        assert!(calls.has(40, caller(0, 7, 1)));
        assert!(!calls.has(24, caller(1, 8, 1)), "who is far behind records nothing");
        assert!(calls.has(40, caller(2, 7, 1)));
    }

    #[test]
    fn who_is_far_behind_compares_with_nobody_and_spoils_nothing() {
        let calls = Calls::new(16);
        for first in [3, i32::MAX as u32 - 20] {
            let turn = |number: u32| first.wrapping_add(number) & i32::MAX as u32;
            assert_eq!(calls.compare(turn(32), caller(0, 7, 1), is_like), Ok(()));
            assert_eq!(calls.compare(turn(16), caller(1, 8, 1), is_like), Ok(()));
            assert_eq!(calls.compare(turn(32), caller(2, 7, 1), is_like), Ok(()));
            assert!(calls.compare(turn(32), caller(3, 8, 1), is_like).is_err());
        }
    }

    #[test]
    fn a_first_call_that_is_slow_to_be_written_down_is_waited_for() {
        let calls = Calls::new(16);
        let (slow, other) = (caller(3, 7, 1), caller(4, 8, 1));
        calls.0[1].stamp.store(slow.call.stamp(1), Ordering::SeqCst);
        std::thread::scope(|scope| {
            let compared = scope.spawn(|| calls.compare(1, other, is_like));
            (0..1_000).for_each(|_| sched::yield_now());
            calls.0[1].first.write(1, slow);
            assert_eq!(compared.join().expect("no panic"), Err(slow));
        });
    }

    #[test]
    fn of_two_who_come_at_once_one_hears_of_the_other() {
        for number in 0..2000 {
            let calls = Calls::new(16);
            let said = std::thread::scope(|scope| {
                let both = [0, 1].map(|place| {
                    let calls = &calls;
                    let mine = caller(place, place as u64, 1);
                    scope.spawn(move || calls.compare(number, mine, is_like).is_err())
                });
                both.map(|thread| thread.join().expect("no panic"))
            });
            assert!(said[0] != said[1], "{number}: {said:?}");
        }
    }
}
