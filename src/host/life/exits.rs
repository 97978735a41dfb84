//! Exit handlers: `atexit` and its relatives, one list per rank.

use super::exit_list::{AtExit, Call, Exits};
use super::threads::is_first_thread;
use crate::host::shims;
use crate::host::{Rank, current, fiber};
use std::ffi::{c_int, c_void};

type Plain = extern "C-unwind" fn(*mut c_void);

fn add(pick: fn(&mut Exits) -> &mut Vec<AtExit>, entry: AtExit) -> c_int {
    let Some(rank) = current() else { return -1 };
    pick(&mut rank.life.exits.lock()).push(entry);
    0
}

extern "C" fn cxa_atexit(function: Plain, argument: *mut c_void, home: *mut c_void) -> c_int {
    add(|exits| &mut exits.entries, AtExit { call: Call::With(function), argument, home })
}

extern "C" fn at_exit(function: Plain) -> c_int {
    cxa_atexit(function, std::ptr::null_mut(), std::ptr::null_mut())
}

type OnExit = extern "C-unwind" fn(c_int, *mut c_void);

extern "C" fn on_exit(function: OnExit, argument: *mut c_void) -> c_int {
    let home = std::ptr::null_mut();
    add(|exits| &mut exits.entries, AtExit { call: Call::OnExit(function), argument, home })
}

extern "C" fn cxa_at_quick_exit(function: Plain, home: *mut c_void) -> c_int {
    let argument = std::ptr::null_mut();
    add(|exits| &mut exits.quick, AtExit { call: Call::With(function), argument, home })
}

type ThreadAtExit = unsafe extern "C" fn(Plain, *mut c_void, *mut c_void) -> c_int;

unsafe extern "C" fn cxa_thread_atexit(
    function: Plain, argument: *mut c_void, home: *mut c_void,
) -> c_int {
    if is_first_thread() {
        let entry = AtExit { call: Call::With(function), argument, home };
        return add(|exits| &mut exits.thread, entry);
    }
    let real: ThreadAtExit = crate::host::real!("__cxa_thread_atexit_impl");
    // SAFETY: as our caller promises; glibc ends the other threads in its own way.
    unsafe { real(function, argument, home) }
}

/// An object of the rank is about to be unloaded: its entries run now.
extern "C-unwind" fn cxa_finalize(home: *mut c_void) {
    let Some(rank) = current() else { return };
    let is_meant = |entry: &AtExit| home.is_null() || entry.home == home;
    run(rank, 0, |exits| {
        let last = exits.entries.iter().rposition(is_meant)?;
        Some(exits.entries.remove(last))
    });
}

/// Runs entries as long as `next` finds one; each may register more.
fn run(rank: &Rank, status: c_int, mut next: impl FnMut(&mut Exits) -> Option<AtExit>) {
    loop {
        fiber::excursion::come_home();
        // The lock is released before the program's code runs.
        let entry = next(&mut rank.life.exits.lock());
        match entry {
            Some(AtExit { call: Call::With(function), argument, .. }) => function(argument),
            Some(AtExit { call: Call::OnExit(function), argument, .. }) => {
                function(status, argument)
            }
            None => return,
        }
    }
}

/// What `exit` does before a rank ends; another `exit` during it continues where this one was.
pub(super) fn run_all(rank: &'static Rank, status: c_int) {
    // Another thread must not destroy objects of the first thread.
    if is_first_thread() {
        run_thread_local(rank);
    }
    run(rank, status, |exits| exits.entries.pop());
    let is_destructed = std::mem::replace(&mut rank.life.exits.lock().is_destructed, true);
    if !is_destructed {
        rank.images.destruct();
    }
}

/// The destructors of the first thread's own objects.
pub(super) fn run_thread_local(rank: &Rank) {
    run(rank, 0, |exits| exits.thread.pop());
}

pub(super) fn run_quick(rank: &Rank) {
    run(rank, 0, |exits| exits.quick.pop());
}

pub(in crate::host) const SHIMS: &[shims::Entry] = &[
    ("__cxa_atexit", cxa_atexit as *const ()),
    ("atexit", at_exit as *const ()),
    ("on_exit", on_exit as *const ()),
    ("__cxa_at_quick_exit", cxa_at_quick_exit as *const ()),
    ("__cxa_thread_atexit_impl", cxa_thread_atexit as *const ()),
    ("__cxa_finalize", cxa_finalize as *const ()),
];
