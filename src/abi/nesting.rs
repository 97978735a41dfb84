//! Which error handlers of the program's run in this thread: an error inside a handler is returned,
//! and the handler is not entered again for the same object.
//!
//! A handler may jump out. Each run leaves a seal on the stack, below which all that it calls lies:
//! where this thread has jumped to a place above, or the seal is broken or lies below, it is over.

use crate::host::shims::jumps;
use std::cell::Cell;
use std::hint::black_box;

/// More handlers than that, one inside the other, are not told apart.
const DEEPEST: usize = 8;

#[derive(Clone, Copy)]
struct Run {
    object: usize,
    /// Where the seal lies, and what it says.
    place: usize,
    seal: usize,
}

#[derive(Clone, Copy)]
struct Runs {
    runs: [Run; DEEPEST],
    count: usize,
    /// How many there have been.
    number: usize,
}

thread_local! {
    static RUNS: Cell<Runs> = const {
        Cell::new(Runs {
            runs: [Run { object: 0, place: 0, seal: 0 }; DEEPEST],
            count: 0,
            number: 0,
        })
    };
}

/// Runs `handler` for `object`, unless one runs for it already, further up this thread's stack.
/// Where a handler could jump out unseen, it is rather entered again than left out.
#[inline(never)]
pub(super) fn run(object: usize, handler: impl FnOnce()) {
    if !jumps::are_seen() {
        return handler();
    }
    const MIX: usize = 0x9e37_79b9_7f4a_7c15;
    let mut seal = 0;
    let place = (&raw mut seal).addr();
    let mut all = RUNS.get();
    let lowest = place.max(jumps::highest());
    let is_going_on = |run: &Run| run.place > lowest && seal_at(run.place) == run.seal;
    all.count = all.runs[..all.count].iter().take_while(|run| is_going_on(run)).count();
    if all.runs[..all.count].iter().any(|run| run.object == object) {
        RUNS.set(all);
        return;
    }
    all.number += 1;
    seal = black_box(all.number.wrapping_mul(MIX) ^ place);
    if let Some(run) = all.runs.get_mut(all.count) {
        *run = Run { object, place, seal };
        all.count += 1;
    }
    RUNS.set(all);
    handler();
    // SAFETY: a variable of this frame, which is still there.
    unsafe { (&raw mut seal).write_volatile(0) };
}

fn seal_at(place: usize) -> usize {
    // SAFETY: higher up on the stack of this thread than a frame that is there.
    unsafe { std::ptr::with_exposed_provenance::<usize>(place).read_volatile() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handler_is_not_entered_again_for_the_same_object() {
        jumps::watch();
        let mut seen = Vec::new();
        run(1, || {
            seen.push("first");
            run(1, || panic!("entered again"));
            run(2, || seen.push("another"));
        });
        run(1, || seen.push("once more"));
        assert_eq!(seen, ["first", "another", "once more"]);
    }

    #[test]
    fn a_handler_that_has_jumped_out_runs_no_more() {
        jumps::watch();
        let jump = || std::panic::resume_unwind(Box::new(()));
        let jumped = std::panic::catch_unwind(|| run(1, jump));
        assert!(jumped.is_err());
        let mut is_entered = false;
        jumps::note((&raw const is_entered).addr());
        run(1, || is_entered = true);
        assert!(is_entered);
    }
}
