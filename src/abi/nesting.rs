//! Tracks which of the program's error handlers run in this thread. An error inside a handler is
//! returned, and the handler is not entered again for that object.
//!
//! A handler may jump out instead of returning (see [`jumps`]). The calls that it makes are below
//! it on the stack. So a handler has ended if a call is above it, or if the thread has jumped to a
//! place above it. Where jumps are not seen, the unwinder says whether it is still there.

use crate::host::frames::Frame;
use crate::host::shims::jumps;
use std::cell::Cell;

/// Handlers nested more deeply than this are not tracked.
const DEEPEST: usize = 8;

#[derive(Clone, Copy)]
struct Run {
    object: usize,
    /// The handler's position on the stack.
    place: usize,
    /// Its frame, where jumps are not seen.
    frame: Frame,
}

impl Run {
    const NONE: Run = Run { object: 0, place: 0, frame: Frame::NONE };

    fn is_there(&self, are_jumps_seen: bool) -> bool {
        are_jumps_seen || self.frame.is_there()
    }
}

#[derive(Clone, Copy)]
struct Runs {
    runs: [Run; DEEPEST],
    count: usize,
}

thread_local! {
    static RUNS: Cell<Runs> =
        const { Cell::new(Runs { runs: [Run::NONE; DEEPEST], count: 0 }) };
}

/// Runs `handler` for `object`, unless one already runs for it further up this thread's stack.
#[inline(never)]
pub(super) fn run(object: usize, handler: impl FnOnce()) {
    let are_seen = jumps::are_seen();
    let here = 0_u8;
    let place = (&raw const here).addr();
    let lowest = place.max(jumps::highest());
    let mut all = RUNS.get();
    all.count = all.runs[..all.count].iter().take_while(|run| run.place > lowest).count();
    if let Some(left) = all.runs[..all.count].iter().position(|run| !run.is_there(are_seen)) {
        all.count = left;
    }
    if all.runs[..all.count].iter().any(|run| run.object == object) {
        RUNS.set(all);
        return;
    }
    let before = all.count;
    if let Some(run) = all.runs.get_mut(before) {
        let frame = if are_seen { Frame::NONE } else { Frame::around(place) };
        *run = Run { object, place, frame };
        all.count += 1;
    }
    RUNS.set(all);
    handler();
    // Handlers that began inside this one have ended, too.
    RUNS.set(Runs { count: before, ..RUNS.get() });
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
