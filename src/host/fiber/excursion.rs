//! Virtual time on several cores: a rank that has declared what it computes does so while others go
//! on, if these are behind it.
//!
//! What happens in virtual time happens one after the other: the worker that carries it out has the
//! *turn*, and with it all of this library. A rank that declares a computation goes *away* for the
//! time that it takes: its worker gives up the turn and computes, while another one carries out
//! what comes before the end of that time. At its next call the rank *comes home*: it goes on at
//! once if nothing comes before it, or becomes ready at its time, as it would have on one core,
//! where it would only have computed later. So nothing depends on how many workers there are.
//!
//! ```text
//! worker 0   | rank 0 returns from a call, declares 1 ms, and computes ......... | its next call
//! worker 1        | takes the turn: rank 1 returns, declares 1 ms, computes ......... |
//! virtual    t                                                                   t + 1 ms
//! ```

use super::record::{Calls, Fiber, Left, current};
use super::{away, by_time, crew, worker};
use crate::host::{clock, virtual_time};
use crate::launch;
use crate::machine::units::Picos;

/// Whether ranks compute beside each other in this job: whether what they call must wait for its
/// turn.
pub(in crate::host) fn are_made() -> bool {
    virtual_time::is_declared() && launch::cores() > 1
}

/// The calling rank computes for so long.
pub(in crate::host) fn compute(time: Picos) {
    come_home();
    let Some(fiber) = current().filter(|_| time > 0) else { return virtual_time::spend(time) };
    virtual_time::spend(time);
    if crew::has_helpers() && !is_in_call(fiber) {
        // Those who are ready come before it where times are equal.
        by_time::enter_ready();
        away::add(fiber, (clock::picos(), by_time::number()));
        crew::leave_to_helpers(fiber.worker());
    } else if by_time::is_ahead() || worker::has_others_ready(fiber) {
        fiber.gives_way();
        worker::leave(fiber, Left::Ready);
    } else {
        by_time::pass_by(fiber, clock::picos());
    }
}

/// The calling rank is about to use this library, or what all ranks share: if it is away, its turn
/// comes first.
pub(in crate::host) fn come_home() {
    let Some(fiber) = current().filter(|fiber| fiber.is_away.get()) else { return };
    let place = away::place_of(fiber);
    if crew::take_turn(fiber.worker()) && by_time::goes_first(place) {
        away::remove(fiber, || {});
        return by_time::pass_by(fiber, place.0);
    }
    worker::leave(fiber, Left::Away);
}

/// Whether the calling fiber is in a call of MPI, and in a callback there. A callback may also jump
/// out of its call, which then ends when the stack is left on which it began.
fn is_in_call(fiber: &Fiber) -> bool {
    let mark = 0_u8;
    let Calls { count, place } = fiber.calls.get();
    count > 0 && place > (&raw const mark).addr()
}

/// The calling rank begins a call.
pub(in crate::host) fn enter_call() {
    let Some(fiber) = current() else { return };
    let mark = 0_u8;
    let here = Calls { count: 1, place: (&raw const mark).addr() };
    let Calls { count, place } = fiber.calls.get();
    let is_within = count > 0 && place > here.place;
    fiber.calls.set(if is_within { Calls { count: count + 1, place } } else { here });
}

/// The calling rank comes to the end of a call.
pub(in crate::host) fn leave_call() {
    let Some(fiber) = current() else { return };
    let Calls { count, place } = fiber.calls.get();
    fiber.calls.set(Calls { count: count.saturating_sub(1), place });
}
