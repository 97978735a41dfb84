//! Who is away in virtual time: the ranks that compute while others go on.

use super::record::Fiber;
use crate::machine::units::Picos;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

/// Since when in virtual time others may not pass a fiber that is away, and its number where times
/// are equal.
pub(super) type Place = (Picos, u64);

static AWAY: Mutex<Vec<(Place, &'static Fiber)>> = Mutex::new(Vec::new());
/// How many are away: gates look here.
pub(in crate::host) static COUNT: AtomicU32 = AtomicU32::new(0);

pub(super) fn is_anybody() -> bool {
    COUNT.load(Ordering::SeqCst) > 0
}

/// The place of the first of them.
pub(super) fn first() -> Option<Place> {
    if !is_anybody() {
        return None;
    }
    AWAY.lock().iter().map(|(place, _)| *place).min()
}

pub(super) fn add(fiber: &'static Fiber, place: Place) {
    fiber.is_away.set(true);
    AWAY.lock().push((place, fiber));
    COUNT.fetch_add(1, Ordering::SeqCst);
}

pub(super) fn place_of(fiber: &'static Fiber) -> Place {
    let away = AWAY.lock();
    let found = away.iter().find(|(_, other)| std::ptr::eq(*other, fiber));
    found.map(|(place, _)| *place).expect("it is away")
}

/// It is not away any more; `then` makes it known somewhere else, where whoever does not find it
/// here must find it.
pub(super) fn remove(fiber: &'static Fiber, then: impl FnOnce()) {
    let mut away = AWAY.lock();
    fiber.is_away.set(false);
    then();
    away.retain(|(_, other)| !std::ptr::eq(*other, fiber));
    COUNT.fetch_sub(1, Ordering::SeqCst);
}
