//! Exit handlers: `atexit` and its relatives, one list per rank.

use super::Shim;
use crate::host::{Rank, current};
use std::ffi::{c_int, c_void};

/// In the order of registration; run from the end.
#[derive(Default)]
pub(super) struct Exits {
    entries: Vec<Entry>,
    quick: Vec<Entry>,
    /// Destructors of thread-local objects of the rank's first thread.
    thread: Vec<Entry>,
    is_destructed: bool,
}

#[derive(Clone, Copy)]
enum Call {
    With(extern "C-unwind" fn(*mut c_void)),
    OnExit(extern "C-unwind" fn(c_int, *mut c_void)),
}

struct Entry {
    call: Call,
    argument: *mut c_void,
    /// The object that it belongs to.
    home: *mut c_void,
}

// SAFETY: the pointers are the program's, and are only handed back to it.
unsafe impl Send for Entry {}

type Plain = extern "C-unwind" fn(*mut c_void);

fn add(pick: fn(&mut Exits) -> &mut Vec<Entry>, entry: Entry) -> c_int {
    let Some(rank) = current() else { return -1 };
    pick(&mut rank.life.exits.lock()).push(entry);
    0
}

extern "C" fn cxa_atexit(function: Plain, argument: *mut c_void, home: *mut c_void) -> c_int {
    add(|exits| &mut exits.entries, Entry { call: Call::With(function), argument, home })
}

extern "C" fn at_exit(function: Plain) -> c_int {
    cxa_atexit(function, std::ptr::null_mut(), std::ptr::null_mut())
}

type OnExit = extern "C-unwind" fn(c_int, *mut c_void);

extern "C" fn on_exit(function: OnExit, argument: *mut c_void) -> c_int {
    let home = std::ptr::null_mut();
    add(|exits| &mut exits.entries, Entry { call: Call::OnExit(function), argument, home })
}

extern "C" fn cxa_at_quick_exit(function: Plain, home: *mut c_void) -> c_int {
    let argument = std::ptr::null_mut();
    add(|exits| &mut exits.quick, Entry { call: Call::With(function), argument, home })
}

type ThreadAtExit = unsafe extern "C" fn(Plain, *mut c_void, *mut c_void) -> c_int;

unsafe extern "C" fn cxa_thread_atexit(
    function: Plain, argument: *mut c_void, home: *mut c_void,
) -> c_int {
    if super::ending::is_first_thread() {
        let entry = Entry { call: Call::With(function), argument, home };
        return add(|exits| &mut exits.thread, entry);
    }
    let real: ThreadAtExit = crate::host::real!("__cxa_thread_atexit_impl");
    // SAFETY: as our caller promises; glibc ends the other threads in its own way.
    unsafe { real(function, argument, home) }
}

/// An object of the rank is about to be unloaded: its entries run now.
extern "C-unwind" fn cxa_finalize(home: *mut c_void) {
    let Some(rank) = current() else { return };
    let is_meant = |entry: &Entry| home.is_null() || entry.home == home;
    run(rank, 0, |exits| {
        let last = exits.entries.iter().rposition(is_meant)?;
        Some(exits.entries.remove(last))
    });
}

/// Runs entries as long as `next` finds one; each may register more.
fn run(rank: &Rank, status: c_int, mut next: impl FnMut(&mut Exits) -> Option<Entry>) {
    loop {
        // The lock is released before the program's code runs.
        let entry = next(&mut rank.life.exits.lock());
        match entry {
            Some(Entry { call: Call::With(function), argument, .. }) => function(argument),
            Some(Entry { call: Call::OnExit(function), argument, .. }) => {
                function(status, argument)
            }
            None => return,
        }
    }
}

/// What `exit` does before a rank ends; another `exit` during it continues where this one was.
pub(super) fn run_all(rank: &'static Rank, status: c_int) {
    // Another thread must not destroy objects of the first thread.
    if super::ending::is_first_thread() {
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

pub(super) const SHIMS: &[(&str, Shim)] = &[
    ("__cxa_atexit", Shim(cxa_atexit as *const ())),
    ("atexit", Shim(at_exit as *const ())),
    ("on_exit", Shim(on_exit as *const ())),
    ("__cxa_at_quick_exit", Shim(cxa_at_quick_exit as *const ())),
    ("__cxa_thread_atexit_impl", Shim(cxa_thread_atexit as *const ())),
    ("__cxa_finalize", Shim(cxa_finalize as *const ())),
];
