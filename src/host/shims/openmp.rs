//! The locks behind OpenMP's unnamed `critical` and its locked `atomic`, per rank: libgomp has one
//! of each for the process, but a rank may wait for another's message while it holds one, or die.

use super::Entry;
use super::state::Part;
use crate::host::rank::libc_state;
use std::ffi::c_void;
use std::sync::atomic::AtomicPtr;

pub(super) const TABLE: &[Entry] = &[
    ("GOMP_critical_start", critical_start as *const ()),
    ("GOMP_critical_end", critical_end as *const ()),
    ("GOMP_atomic_start", atomic_start as *const ()),
    ("GOMP_atomic_end", atomic_end as *const ()),
];

/// What libgomp calls for a named section: its lock is in a word of the program's, zero at first.
type OfName = unsafe extern "C" fn(*mut *mut c_void);
type OfProcess = unsafe extern "C" fn();

#[derive(Default)]
pub(super) struct Locks {
    critical: AtomicPtr<c_void>,
    atomic: AtomicPtr<c_void>,
}

static LOCKS: Part<Locks> = Part::new();

fn enter(pick: fn(&Locks) -> &AtomicPtr<c_void>, of_process: fn() -> OfProcess) {
    let start: OfName = crate::host::real!("GOMP_critical_name_start");
    match libc_state() {
        // SAFETY: the word stays, and is libgomp's alone.
        Some(state) => unsafe { start(pick(LOCKS.of(state)).as_ptr()) },
        // SAFETY: as our caller vouches.
        None => unsafe { of_process()() },
    }
}

fn leave(pick: fn(&Locks) -> &AtomicPtr<c_void>, of_process: fn() -> OfProcess) {
    let end: OfName = crate::host::real!("GOMP_critical_name_end");
    match libc_state() {
        // SAFETY: as above; the caller has entered.
        Some(state) => unsafe { end(pick(LOCKS.of(state)).as_ptr()) },
        // SAFETY: as our caller vouches.
        None => unsafe { of_process()() },
    }
}

extern "C" fn critical_start() {
    enter(|locks| &locks.critical, || crate::host::real!("GOMP_critical_start"));
}

extern "C" fn critical_end() {
    leave(|locks| &locks.critical, || crate::host::real!("GOMP_critical_end"));
}

extern "C" fn atomic_start() {
    enter(|locks| &locks.atomic, || crate::host::real!("GOMP_atomic_start"));
}

extern "C" fn atomic_end() {
    leave(|locks| &locks.atomic, || crate::host::real!("GOMP_atomic_end"));
}
