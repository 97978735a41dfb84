//! Descriptors of which one becomes readable.

use std::time::Duration;

/// Sleeps until one of the descriptors is readable, or for this time.
pub(super) fn wait_for(descriptors: &[i32], time: Duration) {
    let one = |fd: &i32| libc::pollfd { fd: *fd, events: libc::POLLIN, revents: 0 };
    let mut all: Vec<libc::pollfd> = descriptors.iter().map(one).collect();
    // SAFETY: as many descriptors as is said.
    unsafe { libc::poll(all.as_mut_ptr(), all.len() as u64, time.as_millis() as i32) };
}
