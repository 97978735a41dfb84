//! The kernel's futex: OS threads sleep until a word changes.

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
