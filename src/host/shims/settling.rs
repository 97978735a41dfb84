//! Per-thread state of the kernel: a rank that changes any of it stays on its current OS thread.
//! Also libc calls that ask the kernel about a thread by its number, which a fiber does not have.

use super::table;
use crate::host::errno;
use crate::host::life;
use std::ffi::{c_char, c_int, c_ulong, c_void};

table!(
    chdir,
    fchdir,
    chroot,
    umask,
    setpriority,
    nice,
    sched_setaffinity,
    sched_setscheduler,
    sched_setparam,
    prctl,
    sigaltstack,
    pthread_setaffinity_np,
    pthread_getaffinity_np,
    pthread_getattr_np
);

type Pid = libc::pid_t;
type Thread = libc::pthread_t;

/// Makes a stand-in for each function, which settles and then calls the function.
macro_rules! settled {
    ($($name:ident($($argument:ident: $kind:ty),*) -> $result:ty;)*) => {$(
        unsafe extern "C" fn $name($($argument: $kind),*) -> $result {
            life::settle();
            // SAFETY: as our caller promises.
            unsafe { libc::$name($($argument),*) }
        }
    )*};
}

settled! {
    chdir(path: *const c_char) -> c_int;
    fchdir(directory: c_int) -> c_int;
    chroot(path: *const c_char) -> c_int;
    umask(mask: libc::mode_t) -> libc::mode_t;
    setpriority(which: libc::__priority_which_t, who: libc::id_t, priority: c_int) -> c_int;
    nice(step: c_int) -> c_int;
    sched_setaffinity(process: Pid, bytes: usize, set: *const libc::cpu_set_t) -> c_int;
    sched_setscheduler(process: Pid, policy: c_int, how: *const libc::sched_param) -> c_int;
    sched_setparam(process: Pid, how: *const libc::sched_param) -> c_int;
    sigaltstack(new: *const libc::stack_t, old: *mut libc::stack_t) -> c_int;
}

unsafe extern "C" fn prctl(
    option: c_int, second: c_ulong, third: c_ulong, fourth: c_ulong, fifth: c_ulong,
) -> c_int {
    life::settle();
    // SAFETY: as our caller promises; those that the caller has left out are not looked at.
    unsafe { libc::prctl(option, second, third, fourth, fifth) }
}

/// Whether the calling thread, which was born a fiber, means itself.
fn is_own(thread: Thread) -> bool {
    // SAFETY: has no preconditions.
    thread == unsafe { libc::pthread_self() }
        && life::this_thread().is_some_and(|this| this.is_of_fiber())
}

/// What functions of threads return in place of `errno`.
fn as_number(status: c_int) -> c_int {
    match status {
        0 => 0,
        _ => errno::get(),
    }
}

unsafe extern "C" fn pthread_setaffinity_np(
    thread: Thread, bytes: usize, set: *const libc::cpu_set_t,
) -> c_int {
    if is_own(thread) {
        // SAFETY: as our caller promises.
        return as_number(unsafe { sched_setaffinity(0, bytes, set) });
    }
    // SAFETY: as our caller promises.
    unsafe { libc::pthread_setaffinity_np(thread, bytes, set) }
}

unsafe extern "C" fn pthread_getaffinity_np(
    thread: Thread, bytes: usize, set: *mut libc::cpu_set_t,
) -> c_int {
    if is_own(thread) {
        // SAFETY: as our caller promises.
        return as_number(unsafe { libc::sched_getaffinity(0, bytes, set) });
    }
    // SAFETY: as our caller promises.
    unsafe { libc::pthread_getaffinity_np(thread, bytes, set) }
}

unsafe extern "C" fn pthread_getattr_np(
    thread: Thread, attributes: *mut libc::pthread_attr_t,
) -> c_int {
    let stack = life::own_stack().filter(|_| is_own(thread));
    let Some(stack) = stack else {
        // SAFETY: as our caller promises.
        return unsafe { libc::pthread_getattr_np(thread, attributes) };
    };
    let bottom = std::ptr::with_exposed_provenance_mut::<c_void>(stack.start);
    // SAFETY: initialised first; the caller passes room for attributes.
    unsafe {
        match libc::pthread_attr_init(attributes) {
            0 => libc::pthread_attr_setstack(attributes, bottom, stack.len()),
            failure => failure,
        }
    }
}
