//! The error number of the calling thread or fiber, as libc keeps it.

/// What the last failed call has left.
pub(super) fn get() -> i32 {
    // SAFETY: libc gives every thread its own, for as long as the thread lives.
    unsafe { libc::__errno_location().read() }
}

pub(super) fn set(number: i32) {
    // SAFETY: as above.
    unsafe { libc::__errno_location().write(number) };
}

/// What `work` does leaves no trace there.
pub(super) fn kept<T>(work: impl FnOnce() -> T) -> T {
    let before = get();
    let done = work();
    set(before);
    done
}
