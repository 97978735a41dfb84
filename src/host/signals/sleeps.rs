//! Sleeping and yielding. An OS thread sleeps in the kernel; a fiber sleeps in the scheduler, so
//! that thousands of fibers may sleep on a few threads.

use super::waits::{Files, Time, at_ease};
use super::{Served, serve_deferred};
use crate::host::life::{self, Ending, end_current};
use crate::host::shims::Entry;
use crate::host::{clock, current, errno, fiber, replay, sched, shims};
use libc::{c_int, c_uint, timespec, timeval};
use std::time::{Duration, Instant};

mod real {
    use super::*;
    unsafe extern "C" {
        pub(super) fn thrd_sleep(wanted: Time, left: *mut timespec) -> c_int;
    }
}

/// What is left of a sleep that a handler has ended.
struct Left(Duration);

/// The calling fiber sleeps until then; `None` where a thread calls, or in a forked child.
fn sleep_until(end: Option<Instant>) -> Option<Result<(), Left>> {
    let this = fiber::current().filter(|_| life::is_own_process())?;
    let (rank, thread) = current().zip(life::this_thread())?;
    loop {
        if rank.pulse.is_stopping() {
            end_current(Ending::Killed);
        }
        let left = || end.map_or(Duration::MAX, |end| end.saturating_duration_since(clock::now()));
        if !thread.signals.is_empty() && serve_deferred(rank, thread) > Served::Nobody {
            return Some(Err(Left(left())));
        }
        if left().is_zero() {
            return Some(Ok(()));
        }
        // A handler may have made it a thread.
        if fiber::current().is_none() {
            std::thread::sleep(left());
            return Some(Ok(()));
        }
        this.block(end);
    }
}

fn sleep_for(longest: Duration) -> Option<Result<(), Left>> {
    sleep_until(clock::now().checked_add(longest))
}

fn fail(number: c_int) -> c_int {
    errno::set(number);
    -1
}

unsafe extern "C-unwind" fn sleep(seconds: c_uint) -> c_uint {
    match sleep_for(Duration::from_secs(seconds.into())) {
        // SAFETY: has no preconditions.
        None => at_ease(|| unsafe { libc::sleep(seconds) }),
        Some(Ok(())) => 0,
        Some(Err(Left(left))) => left.as_secs_f64().round() as c_uint,
    }
}

unsafe extern "C-unwind" fn usleep(microseconds: c_uint) -> c_int {
    match sleep_for(Duration::from_micros(microseconds.into())) {
        // SAFETY: has no preconditions.
        None => at_ease(|| unsafe { libc::usleep(microseconds) }),
        Some(Ok(())) => 0,
        Some(Err(_)) => fail(libc::EINTR),
    }
}

const BILLION: i64 = 1_000_000_000;

/// The time that the caller of a sleep passes, if it is one.
///
/// # Safety
/// `time` points at a time.
unsafe fn duration(time: Time) -> Option<Duration> {
    // SAFETY: as our caller promises.
    let timespec { tv_sec, tv_nsec } = unsafe { time.read() };
    let nanoseconds = u32::try_from(tv_nsec).ok().filter(|_| tv_nsec < BILLION)?;
    Some(Duration::new(u64::try_from(tv_sec).ok()?, nanoseconds))
}

/// # Safety
/// `left` is null or has room for a time.
unsafe fn tell(left: *mut timespec, Left(time): Left) {
    if !left.is_null() {
        let time = timespec { tv_sec: time.as_secs() as i64, tv_nsec: time.subsec_nanos().into() };
        // SAFETY: as our caller promises.
        unsafe { left.write(time) };
    }
}

unsafe extern "C-unwind" fn nanosleep(wanted: Time, left: *mut timespec) -> c_int {
    // SAFETY: the caller passes a time.
    let slept = fiber::current().and_then(|_| sleep_for(unsafe { duration(wanted) }?));
    match slept {
        // SAFETY: as our caller promises.
        None => at_ease(|| unsafe { libc::nanosleep(wanted, left) }),
        Some(Ok(())) => 0,
        Some(Err(time)) => {
            // SAFETY: as our caller promises.
            unsafe { tell(left, time) };
            fail(libc::EINTR)
        }
    }
}

unsafe extern "C-unwind" fn clock_nanosleep(
    clock: c_int, flags: c_int, wanted: Time, left: *mut timespec,
) -> c_int {
    let is_until = flags & libc::TIMER_ABSTIME != 0;
    let slept = fiber::current().and_then(|_| {
        // SAFETY: the caller passes a time.
        let wanted = unsafe { duration(wanted) }?;
        let is_known = matches!(clock, libc::CLOCK_REALTIME | libc::CLOCK_MONOTONIC);
        let mut now = timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: writes a time of ours.
        if !is_known || is_until && unsafe { shims::clock_gettime(clock, &raw mut now) } != 0 {
            return None;
        }
        // SAFETY: a time of ours.
        let now = unsafe { duration(&raw const now) }?;
        sleep_for(if is_until { wanted.saturating_sub(now) } else { wanted })
    });
    match slept {
        // SAFETY: as our caller promises.
        None => at_ease(|| unsafe { libc::clock_nanosleep(clock, flags, wanted, left) }),
        Some(Ok(())) => 0,
        Some(Err(time)) => {
            if !is_until {
                // SAFETY: as our caller promises.
                unsafe { tell(left, time) };
            }
            libc::EINTR
        }
    }
}

unsafe extern "C-unwind" fn thrd_sleep(wanted: Time, left: *mut timespec) -> c_int {
    if fiber::current().is_none() {
        // SAFETY: as our caller promises.
        return at_ease(|| unsafe { real::thrd_sleep(wanted, left) });
    }
    // SAFETY: as our caller promises.
    match unsafe { nanosleep(wanted, left) } {
        0 => 0,
        _ if errno::get() == libc::EINTR => -1,
        _ => -2,
    }
}

/// In a replay, other ranks run meanwhile, and time passes.
unsafe extern "C-unwind" fn pause() -> c_int {
    match replay::is_in_force().then(|| sleep_until(None)).flatten() {
        // SAFETY: has no preconditions.
        None => at_ease(|| unsafe { libc::pause() }),
        Some(_) => fail(libc::EINTR),
    }
}

/// The fiber that calls makes room for others; false where a thread calls.
fn makes_room() -> bool {
    let is_fiber = fiber::current().is_some() && life::is_own_process();
    if is_fiber {
        sched::yield_now();
        life::look_at_signals();
    }
    is_fiber
}

unsafe extern "C-unwind" fn sched_yield() -> c_int {
    if makes_room() {
        return 0;
    }
    // SAFETY: has no preconditions.
    at_ease(|| unsafe { libc::sched_yield() })
}

unsafe extern "C-unwind" fn thrd_yield() {
    // SAFETY: has no preconditions.
    unsafe { sched_yield() };
}

unsafe extern "C-unwind" fn poll(
    files: *mut libc::pollfd, count: libc::nfds_t, limit: c_int,
) -> c_int {
    let only_sleeps = (count == 0 && limit > 0).then(|| Duration::from_millis(limit as u64));
    match only_sleeps.and_then(sleep_for) {
        Some(Ok(())) => 0,
        Some(Err(_)) => fail(libc::EINTR),
        // SAFETY: as our caller promises.
        None => at_ease(|| unsafe { libc::poll(files, count, limit) }),
    }
}

unsafe extern "C-unwind" fn select(
    most: c_int, read: Files, write: Files, odd: Files, limit: *mut timeval,
) -> c_int {
    // SAFETY: null, or a time that the caller passes.
    let time = unsafe { limit.as_ref() }.filter(|_| most == 0);
    let only_sleeps = time.and_then(|time| {
        let micros = u32::try_from(time.tv_usec).ok().filter(|micros| *micros < 1_000_000)?;
        Some(Duration::new(u64::try_from(time.tv_sec).ok()?, micros * 1000))
    });
    match only_sleeps.filter(|time| !time.is_zero()).and_then(sleep_for) {
        Some(Ok(())) => 0,
        Some(Err(_)) => fail(libc::EINTR),
        // SAFETY: as our caller promises.
        None => at_ease(|| unsafe { libc::select(most, read, write, odd, limit) }),
    }
}

pub(super) const SHIMS: &[Entry] = &[
    ("sleep", sleep as *const ()),
    ("usleep", usleep as *const ()),
    ("nanosleep", nanosleep as *const ()),
    ("clock_nanosleep", clock_nanosleep as *const ()),
    ("thrd_sleep", thrd_sleep as *const ()),
    ("pause", pause as *const ()),
    ("sched_yield", sched_yield as *const ()),
    ("thrd_yield", thrd_yield as *const ()),
    ("poll", poll as *const ()),
    ("select", select as *const ()),
];
