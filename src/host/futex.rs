//! The kernel's futex: OS threads sleep until a word changes, of this process or of memory that it
//! shares with others.

use super::errno;
use std::sync::atomic::AtomicU32;
use std::time::Duration;

/// The OS thread sleeps while `word` is `value`, for no longer than that; may return early.
pub(super) fn wait_on(word: &AtomicU32, value: u32, longest: Option<Duration>) {
    let longest = longest.map(|longest| libc::timespec {
        tv_sec: longest.as_secs() as libc::time_t,
        tv_nsec: longest.subsec_nanos().into(),
    });
    let timeout = longest.as_ref().map_or(std::ptr::null(), |time| &raw const *time);
    // SAFETY: sleeps only while the word is as seen; the time-out lives long enough.
    unsafe { futex(word, libc::FUTEX_WAIT, value, timeout) };
}

/// Wakes one OS thread that sleeps on `word`.
pub(super) fn wake_one_on(word: &AtomicU32) {
    // SAFETY: wakes sleepers on a word that exists.
    unsafe { futex(word, libc::FUTEX_WAKE, 1, std::ptr::null()) };
}

/// Wakes all OS threads that sleep on `word`.
pub(super) fn wake_all_on(word: &AtomicU32) {
    // SAFETY: wakes sleepers on a word that exists.
    unsafe { futex(word, libc::FUTEX_WAKE, i32::MAX as u32, std::ptr::null()) };
}

/// # Safety
/// `timeout` is null or points at a time.
unsafe fn futex(word: &AtomicU32, operation: i32, value: u32, timeout: *const libc::timespec) {
    let operation = operation | libc::FUTEX_PRIVATE_FLAG;
    // SAFETY: the kernel only reads the word.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), operation, value, timeout) };
}

/// A word and the value at which to sleep, as the kernel reads them.
#[repr(C)]
struct Waiter {
    value: u64,
    address: u64,
    flags: u32,
    reserved: u32,
}

const WORD_OF_32_BITS: u32 = 2;

/// The OS thread sleeps while both words are as seen: `own`, of this process, and `shared`, in
/// memory that several processes share. May return early.
pub(super) fn wait_on_both(own: (&AtomicU32, u32), shared: (&AtomicU32, u32)) {
    let waiter = |(word, value): (&AtomicU32, u32), flags: u32| Waiter {
        value: value.into(),
        address: word.as_ptr() as u64,
        flags: WORD_OF_32_BITS | flags,
        reserved: 0,
    };
    let waiters = [waiter(own, libc::FUTEX_PRIVATE_FLAG as u32), waiter(shared, 0)];
    let no_limit = std::ptr::null::<libc::timespec>();
    // SAFETY: both words exist, and the kernel only reads them.
    let ended = unsafe {
        libc::syscall(
            libc::SYS_futex_waitv,
            waiters.as_ptr(),
            2,
            0,
            no_limit,
            libc::CLOCK_MONOTONIC,
        )
    };
    if ended < 0 && errno::get() == libc::ENOSYS {
        // Before Linux 5.16: the one word, and now and then a look at the other.
        const MOMENT: Duration = Duration::from_millis(1);
        wait_on(own.0, own.1, Some(MOMENT));
    }
}

/// The OS thread sleeps while `word`, in memory that several processes share, is `value`; may
/// return early.
pub(super) fn wait_sharing(word: &AtomicU32, value: u32) {
    let for_ever = std::ptr::null::<libc::timespec>();
    // SAFETY: sleeps only while the word is as seen.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAIT, value, for_ever) };
}

/// Wakes all OS threads that sleep on `word`, in any process that shares it.
pub(super) fn wake_all_sharing(word: &AtomicU32) {
    // SAFETY: wakes sleepers on a word that exists.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, i32::MAX) };
}
