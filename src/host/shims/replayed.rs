//! Time and randomness that a program asks the system for: replaced in jobs that have a seed, since
//! another run would get other answers. See [`crate::host::replay`].
//!
//! The date is in September 2001 and depends on the seed. So programs that seed their own
//! generators with the time do what they did in the run that is repeated, and another seed changes
//! it.

use super::table;
use crate::host::{clock, errno, replay};
use libc::{c_int, c_uint, c_void, timespec, timeval};
use std::time::Duration;

table!(
    clock_gettime,
    gettimeofday,
    time,
    clock,
    times,
    getrusage,
    timespec_get,
    getrandom,
    getentropy,
    arc4random,
    arc4random_buf,
    arc4random_uniform,
);

/// When such runs begin, in seconds since 1970, and for how many seconds seeds differ.
const EPOCH: u64 = 1_000_000_000;
const SPREAD: u64 = 1_000_000;

/// What has passed since the epoch of clock `number`; `None` where the system knows it.
fn shown(number: libc::clockid_t) -> Option<Duration> {
    let counted = clock::counted()?;
    match number {
        libc::CLOCK_REALTIME | libc::CLOCK_REALTIME_COARSE | libc::CLOCK_TAI => {
            Some(Duration::from_secs(EPOCH + replay::seed() % SPREAD) + counted)
        }
        _ => Some(counted),
    }
}

fn date() -> Option<Duration> {
    shown(libc::CLOCK_REALTIME)
}

fn as_timespec(time: Duration) -> timespec {
    timespec { tv_sec: time.as_secs() as i64, tv_nsec: time.subsec_nanos().into() }
}

fn as_timeval(time: Duration) -> timeval {
    timeval { tv_sec: time.as_secs() as i64, tv_usec: time.subsec_micros().into() }
}

/// What time it is on clock `number`, to a rank.
///
/// # Safety
/// As `clock_gettime(2)`.
pub(in crate::host) unsafe extern "C" fn clock_gettime(
    number: libc::clockid_t, to: *mut timespec,
) -> c_int {
    match shown(number) {
        // SAFETY: the caller passes room for a time.
        Some(time) => unsafe { to.write(as_timespec(time)) },
        // SAFETY: as our caller promises.
        None => return unsafe { libc::clock_gettime(number, to) },
    }
    0
}

unsafe extern "C" fn gettimeofday(to: *mut timeval, zone: *mut libc::timezone) -> c_int {
    let Some(time) = date() else {
        // SAFETY: as our caller promises.
        return unsafe { libc::gettimeofday(to, zone) };
    };
    if !to.is_null() {
        // SAFETY: the caller passes room for a time.
        unsafe { to.write(as_timeval(time)) };
    }
    0
}

unsafe extern "C" fn time(to: *mut libc::time_t) -> libc::time_t {
    let Some(time) = date() else {
        // SAFETY: as our caller promises.
        return unsafe { libc::time(to) };
    };
    let seconds = time.as_secs() as libc::time_t;
    if !to.is_null() {
        // SAFETY: the caller passes room for a time.
        unsafe { to.write(seconds) };
    }
    seconds
}

extern "C" fn clock() -> libc::clock_t {
    unsafe extern "C" {
        #[link_name = "clock"]
        safe fn real_clock() -> libc::clock_t;
    }
    // Of which a second has a million.
    clock::counted().map_or_else(|| real_clock(), |time| time.as_micros() as libc::clock_t)
}

unsafe extern "C" fn times(to: *mut libc::tms) -> libc::clock_t {
    const TICK: Duration = Duration::from_millis(10);
    let Some(time) = clock::counted() else {
        // SAFETY: as our caller promises.
        return unsafe { libc::times(to) };
    };
    let ticks = (time.as_nanos() / TICK.as_nanos()) as libc::clock_t;
    if !to.is_null() {
        let spent = libc::tms { tms_utime: ticks, tms_stime: 0, tms_cutime: 0, tms_cstime: 0 };
        // SAFETY: the caller passes room for times.
        unsafe { to.write(spent) };
    }
    ticks
}

unsafe extern "C" fn getrusage(who: c_int, to: *mut libc::rusage) -> c_int {
    // SAFETY: as our caller promises.
    let status = unsafe { libc::getrusage(who as _, to) };
    if let Some(time) = clock::counted().filter(|_| status == 0) {
        // SAFETY: the system has just written to it.
        unsafe { (*to).ru_utime = as_timeval(time) };
        // SAFETY: as above.
        unsafe { (*to).ru_stime = as_timeval(Duration::ZERO) };
    }
    status
}

unsafe extern "C" fn timespec_get(to: *mut timespec, base: c_int) -> c_int {
    const UTC: c_int = 1;
    // SAFETY: as our caller promises.
    if base == UTC && unsafe { clock_gettime(libc::CLOCK_REALTIME, to) } == 0 { base } else { 0 }
}

/// Fills memory with random bytes; false if the system is to do it.
///
/// # Safety
/// `to` has room for `bytes` bytes.
unsafe fn fill(to: *mut c_void, bytes: usize) -> bool {
    for place in (0..bytes).step_by(8) {
        let Some(bits) = replay::bits() else { return false };
        let bits = bits.to_ne_bytes();
        let to = to.cast::<u8>().wrapping_add(place);
        // SAFETY: as our caller promises.
        unsafe { to.copy_from_nonoverlapping(bits.as_ptr(), (bytes - place).min(8)) };
    }
    replay::is_in_force()
}

unsafe extern "C" fn getrandom(to: *mut c_void, bytes: usize, flags: c_uint) -> isize {
    // SAFETY: as our caller promises.
    if unsafe { fill(to, bytes) } {
        return bytes as isize;
    }
    // SAFETY: as our caller promises.
    unsafe { libc::getrandom(to, bytes, flags) }
}

unsafe extern "C" fn getentropy(to: *mut c_void, bytes: usize) -> c_int {
    const MOST: usize = 256;
    if bytes > MOST {
        errno::set(libc::EIO);
        return -1;
    }
    // SAFETY: as our caller promises.
    if unsafe { getrandom(to, bytes, 0) } == bytes as isize { 0 } else { -1 }
}

extern "C" fn arc4random() -> c_uint {
    let mut number = 0;
    // SAFETY: a number of ours.
    unsafe { getrandom((&raw mut number).cast(), size_of::<c_uint>(), 0) };
    number
}

unsafe extern "C" fn arc4random_buf(to: *mut c_void, bytes: usize) {
    // SAFETY: as our caller promises.
    unsafe { getrandom(to, bytes, 0) };
}

extern "C" fn arc4random_uniform(bound: c_uint) -> c_uint {
    if bound < 2 { 0 } else { arc4random() % bound }
}
