//! Alarms: the kernel has one per process, but every rank has its own here, timed by the
//! supervisor. A timer (`timer_create`) is the kernel's, and is made for the thread that asks for
//! it.

use super::dispositions::Set;
use super::numbers::{KILL, einval};
use super::{listen_to, sending};
use crate::host::life::{self, is_own_process};
use crate::host::shims::Entry;
use crate::host::{Rank, clock, current};
use libc::{c_int, c_uint, itimerval, sigevent, timeval};
use std::time::{Duration, Instant};

impl Set {
    /// What `getitimer` says: how long until it rings, and how often then.
    fn left(set: Option<Set>) -> (Duration, Duration) {
        let Some(Set { at, every }) = set else { return (Duration::ZERO, Duration::ZERO) };
        // Zero would mean that it is not set.
        (at.saturating_duration_since(clock::now()).max(Duration::from_micros(1)), every)
    }
}

/// Whether the alarm of `rank` is set.
pub(in crate::host) fn is_set(rank: &Rank) -> bool {
    rank.signals.alarm.0.lock().is_some()
}

/// Sends the alarm of `rank` if it is due; when it is to be asked again.
pub(in crate::host) fn ring(rank: &Rank, now: Instant) -> Option<Instant> {
    let mut alarm = rank.signals.alarm.0.lock();
    let set = (*alarm)?;
    if set.at > now {
        return Some(set.at);
    }
    // A clock that was held up does not ring for every time that it has missed.
    let next = Set { at: (set.at + set.every).max(now), every: set.every };
    *alarm = (!set.every.is_zero()).then_some(next);
    let again = alarm.map(|set| set.at);
    drop(alarm);
    sending::send_or_end(rank, libc::SIGALRM);
    again
}

/// Sets the alarm of `rank`, or takes it away when `first` is zero; what was left before.
fn set(rank: &Rank, first: Duration, every: Duration) -> (Duration, Duration) {
    let at = clock::now().checked_add(first).filter(|_| !first.is_zero());
    let before =
        std::mem::replace(&mut *rank.signals.alarm.0.lock(), at.map(|at| Set { at, every }));
    if at.is_some() {
        life::expect_alarms();
    }
    Set::left(before)
}

fn mine() -> Option<&'static Rank> {
    current().filter(|_| is_own_process())
}

extern "C" fn alarm(seconds: c_uint) -> c_uint {
    let Some(rank) = mine() else {
        // SAFETY: has no preconditions.
        return unsafe { libc::alarm(seconds) };
    };
    let (left, _) = set(rank, Duration::from_secs(seconds.into()), Duration::ZERO);
    // What is left of a second counts as one.
    left.as_secs_f64().ceil() as c_uint
}

extern "C" fn ualarm(microseconds: c_uint, every: c_uint) -> c_uint {
    unsafe extern "C" {
        #[link_name = "ualarm"]
        safe fn real_ualarm(microseconds: c_uint, every: c_uint) -> c_uint;
    }
    let Some(rank) = mine() else { return real_ualarm(microseconds, every) };
    let [first, every] = [microseconds, every].map(|it| Duration::from_micros(it.into()));
    set(rank, first, every).0.as_micros() as c_uint
}

fn duration(time: timeval) -> Option<Duration> {
    const MILLION: i64 = 1_000_000;
    let micros = u32::try_from(time.tv_usec).ok().filter(|_| time.tv_usec < MILLION)?;
    Some(Duration::new(u64::try_from(time.tv_sec).ok()?, micros * 1000))
}

fn shown(left: Duration, every: Duration) -> itimerval {
    let [it_value, it_interval] = [left, every].map(|time| timeval {
        tv_sec: time.as_secs() as i64,
        tv_usec: time.subsec_micros().into(),
    });
    itimerval { it_interval, it_value }
}

unsafe extern "C" fn setitimer(which: c_int, new: *const itimerval, old: *mut itimerval) -> c_int {
    unsafe extern "C" {
        #[link_name = "setitimer"]
        fn real_setitimer(which: c_int, new: *const itimerval, old: *mut itimerval) -> c_int;
    }
    let Some(rank) = mine().filter(|_| which == ITIMER_REAL && !new.is_null()) else {
        // SAFETY: as our caller promises.
        return unsafe { real_setitimer(which, new, old) };
    };
    // SAFETY: the caller passes a time.
    let new = unsafe { new.read() };
    let Some((first, every)) = duration(new.it_value).zip(duration(new.it_interval)) else {
        return einval();
    };
    let (left, repeats) = set(rank, first, every);
    if !old.is_null() {
        // SAFETY: the caller passes room for a time.
        unsafe { old.write(shown(left, repeats)) };
    }
    0
}

unsafe extern "C" fn getitimer(which: c_int, now: *mut itimerval) -> c_int {
    unsafe extern "C" {
        #[link_name = "getitimer"]
        fn real_getitimer(which: c_int, now: *mut itimerval) -> c_int;
    }
    let Some(rank) = mine().filter(|_| which == ITIMER_REAL) else {
        // SAFETY: as our caller promises.
        return unsafe { real_getitimer(which, now) };
    };
    let (left, every) = Set::left(*rank.signals.alarm.0.lock());
    // SAFETY: the caller passes room for a time.
    unsafe { now.write(shown(left, every)) };
    0
}

const ITIMER_REAL: c_int = 0;

unsafe extern "C" fn timer_create(
    clock: libc::clockid_t, event: *mut sigevent, timer: *mut libc::timer_t,
) -> c_int {
    // SAFETY: null, or an event that the caller passes.
    let wish = unsafe { event.as_ref() }.copied();
    let is_signal = wish.is_none_or(|wish| wish.sigev_notify == libc::SIGEV_SIGNAL);
    if mine().is_none() || !is_signal {
        // SAFETY: as our caller promises.
        return unsafe { libc::timer_create(clock, event, timer) };
    }
    // The timer is made for one thread of the kernel's.
    life::settle();
    let mut own = wish.unwrap_or_else(|| {
        // SAFETY: zeroes are a valid event.
        let mut usual: sigevent = unsafe { std::mem::zeroed() };
        usual.sigev_signo = libc::SIGALRM;
        usual.sigev_value.sival_ptr = timer.cast();
        usual
    });
    own.sigev_notify = libc::SIGEV_THREAD_ID;
    // SAFETY: has no preconditions.
    own.sigev_notify_thread_id = unsafe { libc::gettid() };
    if (1..64).contains(&own.sigev_signo) && own.sigev_signo != KILL {
        listen_to(own.sigev_signo, libc::SA_NOCLDSTOP);
    }
    // SAFETY: an event of ours; the caller passes room for a timer.
    unsafe { libc::timer_create(clock, &raw mut own, timer) }
}

pub(super) const SHIMS: &[Entry] = &[
    ("alarm", alarm as *const ()),
    ("ualarm", ualarm as *const ()),
    ("setitimer", setitimer as *const ()),
    ("getitimer", getitimer as *const ()),
    ("timer_create", timer_create as *const ()),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_of_too_many_microseconds_is_none() {
        let time = |tv_sec, tv_usec| duration(timeval { tv_sec, tv_usec });
        assert_eq!(time(2, 500_000), Some(Duration::from_millis(2500)));
        assert_eq!((time(0, 1_000_000), time(-1, 0), time(0, -1)), (None, None, None));
    }

    #[test]
    fn what_is_left_of_an_alarm_is_never_nothing() {
        let due = Set { at: clock::now(), every: Duration::ZERO };
        assert!(!Set::left(Some(due)).0.is_zero());
        assert_eq!(Set::left(None), (Duration::ZERO, Duration::ZERO));
    }
}
