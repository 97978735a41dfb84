//! The stacks on which handlers of signals run.

use std::ptr;

/// The stack on which handlers of a thread run, with an inaccessible page before it.
pub(in crate::host) struct SignalStack {
    start: usize,
    bytes: usize,
}

const GUARD_BYTES: usize = 4096;

impl SignalStack {
    /// `None` without memory, or for 0 bytes.
    pub(in crate::host) fn new(usable: usize) -> Option<SignalStack> {
        let bytes = (usable > 0).then_some(usable + GUARD_BYTES)?;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping, where the kernel finds room.
        let start = unsafe { libc::mmap(ptr::null_mut(), bytes, access, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return None;
        }
        // SAFETY: the first page of the mapping just made.
        unsafe { libc::mprotect(start, GUARD_BYTES, libc::PROT_NONE) };
        Some(SignalStack { start: start.expose_provenance(), bytes })
    }

    pub(in crate::host) fn usable(&self) -> (usize, usize) {
        (self.start + GUARD_BYTES, self.bytes - GUARD_BYTES)
    }

    /// Makes a stack of `usable` bytes for the handlers of the calling thread.
    pub(in crate::host) fn begin(usable: usize) -> Option<SignalStack> {
        let stack = SignalStack::new(usable)?;
        let (start, bytes) = stack.usable();
        use_signal_stack(start, bytes);
        Some(stack)
    }

    /// Frees the handler stack of the calling thread, whose handlers then run on the normal stack.
    pub(in crate::host) fn end(stack: Option<SignalStack>) {
        use_signal_stack(0, 0);
        drop(stack);
    }
}

impl Drop for SignalStack {
    fn drop(&mut self) {
        // SAFETY: the thread is gone, or uses no such stack any more.
        unsafe { libc::munmap(ptr::with_exposed_provenance_mut(self.start), self.bytes) };
    }
}

pub(in crate::host) fn use_signal_stack(start: usize, bytes: usize) {
    let flags = if bytes == 0 { libc::SS_DISABLE } else { 0 };
    let stack = libc::stack_t {
        ss_sp: ptr::with_exposed_provenance_mut(start),
        ss_flags: flags,
        ss_size: bytes,
    };
    // SAFETY: the stack is this thread's until it ends.
    unsafe { libc::sigaltstack(&stack, ptr::null_mut()) };
}
