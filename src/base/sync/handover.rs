//! Hands a message over in parts, again and again: the giver marks a part as ready, and it is taken
//! exactly once, as soon as both sides have started the round, by whichever thread comes second.
//!
//! | `gate`            | meaning                              | a part that is ready is  |
//! |-------------------|--------------------------------------|--------------------------|
//! | one side, or none | the other has not started this round | left to the side to come |
//! | both sides        | the round is on                      | taken by its marker      |
//! | `CLOSED`          | for good: one side has failed        | left                     |
//!
//! Above these bits, `gate` counts the threads that look or take. A side that closes the gate waits
//! until they are gone before it lets go of its memory.
//!
//! A slot holds the round in which its part was last marked, and whether it has been taken since.
//! So nothing is reset between rounds, and a thread that is late takes nothing of a later round.

use super::atomic::{AtomicU32, Ordering};

const GIVER: u32 = 1;
const TAKER: u32 = 2;
const BOTH: u32 = GIVER | TAKER;
const CLOSED: u32 = 4;
/// One thread that looks or takes.
const THREAD: u32 = 8;

/// One of the two that hand over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Giver,
    Taker,
}

impl Side {
    pub fn other(self) -> Side {
        match self {
            Side::Giver => Side::Taker,
            Side::Taker => Side::Giver,
        }
    }

    fn bit(self) -> u32 {
        match self {
            Side::Giver => GIVER,
            Side::Taker => TAKER,
        }
    }
}

/// What both sides share.
#[derive(Default)]
pub struct Handover {
    gate: AtomicU32,
    /// How many rounds are complete.
    rounds: AtomicU32,
}

/// The parts of the giver.
pub struct Parts {
    slots: Box<[AtomicU32]>,
    /// How many are still to be handed over in this round.
    left: AtomicU32,
}

/// What a slot holds whose part is ready in this round, and not yet taken.
fn ready(round: u32) -> u32 {
    round << 1
}

impl Parts {
    pub fn new(count: usize) -> Parts {
        let slots = (0..count).map(|_| AtomicU32::new(0)).collect();
        Parts { slots, left: AtomicU32::new(0) }
    }

    pub fn count(&self) -> usize {
        self.slots.len()
    }

    /// The giver is about to start a round: no part is ready.
    pub fn begin(&self) {
        self.left.store(self.slots.len() as u32, Ordering::Relaxed);
    }

    /// A part is ready; false if it was already.
    pub fn mark(&self, round: u32, part: usize) -> bool {
        let (slot, ready) = (&self.slots[part], ready(round));
        let before = slot.load(Ordering::Relaxed);
        let (new, old) = (Ordering::SeqCst, Ordering::Relaxed);
        before | 1 != ready | 1 && slot.compare_exchange(before, ready, new, old).is_ok()
    }

    /// How many parts are not ready in this round.
    pub fn unready(&self, round: u32) -> usize {
        let is_unready = |slot: &&AtomicU32| slot.load(Ordering::Relaxed) | 1 != ready(round) | 1;
        self.slots.iter().filter(is_unready).count()
    }

    /// Whether a part is ready and has not been taken. For the taker, which has started.
    pub fn is_ready(&self, round: u32, part: usize) -> bool {
        self.slots[part].load(Ordering::SeqCst) == ready(round)
    }

    /// Takes a part that is ready. For threads that have found the round on.
    pub fn take(&self, round: u32, part: usize) -> bool {
        let (new, old) = (Ordering::SeqCst, Ordering::Relaxed);
        let slot = &self.slots[part];
        slot.compare_exchange(ready(round), ready(round) | 1, new, old).is_ok()
    }

    /// A part has been handed over. True for the last: the caller then completes the round.
    pub fn is_last(&self) -> bool {
        self.left.fetch_sub(1, Ordering::AcqRel) == 1
    }
}

impl Handover {
    pub fn new() -> Handover {
        Handover { gate: AtomicU32::new(0), rounds: AtomicU32::new(0) }
    }

    /// One side starts the next round. True for the second.
    pub fn start(&self, side: Side) -> bool {
        self.gate.fetch_or(side.bit(), Ordering::SeqCst) & BOTH == side.other().bit()
    }

    /// The calling thread looks, and may take if this is true. [`Handover::leave`] follows.
    pub fn enter(&self) -> bool {
        self.gate.fetch_add(THREAD, Ordering::SeqCst) & (BOTH | CLOSED) == BOTH
    }

    /// It has taken what there was. True if the sides are to be woken, since one waits for this.
    pub fn leave(&self) -> bool {
        let before = self.gate.fetch_sub(THREAD, Ordering::SeqCst);
        before & CLOSED != 0 && before / THREAD == 1
    }

    /// The round is complete. For the thread that has handed over the last part.
    pub fn complete(&self) {
        // First: each side may start the next round as soon as it sees the count.
        self.gate.fetch_and(!BOTH, Ordering::SeqCst);
        self.rounds.fetch_add(1, Ordering::SeqCst);
    }

    /// Whether the first `rounds` rounds are complete.
    pub fn has_completed(&self, rounds: u32) -> bool {
        self.rounds.load(Ordering::Acquire).wrapping_sub(rounds) as i32 >= 0
    }

    /// Whether one side has started the round that is not complete.
    pub fn has_started(&self, side: Side) -> bool {
        self.gate.load(Ordering::SeqCst) & side.bit() != 0
    }

    /// From now on, nothing more is taken.
    pub fn close(&self) {
        self.gate.fetch_or(CLOSED, Ordering::SeqCst);
    }

    /// Whether nothing is being taken.
    pub fn is_quiet(&self) -> bool {
        self.gate.load(Ordering::SeqCst) < THREAD
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;
    use std::thread;

    #[test]
    fn every_part_is_taken_once_a_round_whoever_comes_second() {
        const ROUNDS: u32 = 3000;
        const PARTS: usize = 3;
        let (handover, parts) = (Handover::new(), Parts::new(PARTS));
        let taken: [AtomicUsize; PARTS] = Default::default();
        let (handover, parts, taken) = (&handover, &parts, &taken);
        let hand = move |round: u32, part: usize| {
            if handover.enter() && parts.take(round, part) {
                taken[part].fetch_add(1, Ordering::Relaxed);
                if parts.is_last() {
                    handover.complete();
                }
            }
            handover.leave();
        };
        let wait = |round| {
            while !handover.has_completed(round) {
                thread::yield_now();
            }
        };
        thread::scope(|scope| {
            scope.spawn(|| {
                for round in 1..=ROUNDS {
                    parts.begin();
                    handover.start(Side::Giver);
                    thread::scope(|threads| {
                        for part in 0..PARTS {
                            threads.spawn(move || {
                                assert!(parts.mark(round, part));
                                hand(round, part);
                                assert!(!parts.mark(round, part));
                            });
                        }
                    });
                    wait(round);
                }
            });
            for round in 1..=ROUNDS {
                handover.start(Side::Taker);
                let ready = (0..PARTS).filter(|part| parts.is_ready(round, *part));
                ready.for_each(|part| hand(round, part));
                wait(round);
                let counts = taken.each_ref().map(|count| count.load(Ordering::Relaxed));
                assert_eq!(counts, [round as usize; PARTS]);
            }
        });
        assert!(handover.is_quiet() && !handover.has_started(Side::Giver));
    }

    #[test]
    fn a_closed_gate_lets_nothing_through_and_says_when_the_last_thread_has_left() {
        let (handover, parts) = (Handover::new(), Parts::new(1));
        parts.begin();
        assert!(!handover.start(Side::Giver) && handover.start(Side::Taker));
        assert!(handover.enter() && !handover.is_quiet());
        handover.close();
        assert!(!handover.enter());
        assert!(!handover.leave() && handover.leave(), "the last is told to wake");
        assert!(handover.is_quiet());
    }

    #[test]
    fn no_part_is_ready_in_a_later_round() {
        let parts = Parts::new(2);
        assert!(parts.mark(1, 0) && parts.take(1, 0));
        assert_eq!((parts.unready(1), parts.unready(2)), (1, 2));
        assert!(parts.mark(2, 0) && !parts.take(1, 0) && !parts.is_ready(1, 0));
        assert!(parts.is_ready(2, 0));
    }
}

#[cfg(all(test, loom))]
mod model {
    use super::*;
    use loom::sync::Arc;
    use loom::thread;

    /// A part that is marked while the other side starts is taken by one of both, and the message
    /// of the next round is not mixed with it.
    #[test]
    fn loom_one_of_both_takes_what_is_ready() {
        loom::model(|| {
            let shared = Arc::new((Handover::new(), Parts::new(1)));
            let hand = |shared: &(Handover, Parts)| {
                let (handover, parts) = shared;
                let is_taken = handover.enter() && parts.take(1, 0);
                if is_taken {
                    assert!(parts.is_last());
                    handover.complete();
                }
                handover.leave();
                u32::from(is_taken)
            };
            let giver = shared.clone();
            let giver = thread::spawn(move || {
                giver.1.begin();
                giver.0.start(Side::Giver);
                assert!(giver.1.mark(1, 0));
                let taken = hand(&giver);
                if giver.0.has_completed(1) {
                    giver.1.begin();
                    giver.0.start(Side::Giver);
                    assert!(giver.1.mark(2, 0));
                }
                taken
            });
            shared.0.start(Side::Taker);
            let taken = if shared.1.is_ready(1, 0) { hand(&shared) } else { 0 };
            assert_eq!(taken + giver.join().expect("nobody panics"), 1);
            assert!(shared.0.has_completed(1));
        });
    }
}
