//! Threads of ranks: a thread that a rank starts belongs to the rank, and ends with it.

use super::lasts;
use super::thread::{FIBER, THREAD, Thread, this};
use crate::host::fiber;
use crate::host::rank::adopt;
use crate::host::shims::keys;
use crate::host::signals::{SignalStack, use_signal_stack};
use crate::host::{Rank, current, replay};
use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::ops::Range;
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

/// Ends the calling thread immediately, without telling glibc, whose locks it might hold.
pub(super) fn leave() -> ! {
    lasts::take_leave();
    let (nobody, all_signals) = (AtomicU32::new(0), u64::MAX);
    let word = this().map_or(&nobody, |thread| {
        thread.is_leaving.store(true, Ordering::Release);
        &thread.alive
    });
    if let Some((thread, fiber)) = this().and_then(|thread| Some((thread, thread.fiber?))) {
        thread.signals.forget_ease();
        fiber::end(fiber);
    }
    // SAFETY: raw system calls: no signal from here on, the kernel clears the word at the end, and
    // nothing of this thread runs afterwards.
    unsafe {
        libc::syscall(libc::SYS_rt_sigprocmask, libc::SIG_SETMASK, &all_signals, 0usize, 8usize);
        libc::syscall(libc::SYS_set_tid_address, word.as_ptr());
        loop {
            libc::syscall(libc::SYS_exit, 0);
        }
    }
}

/// Makes glibc forget a thread that has ended without telling it, so that its stack is free. False
/// if glibc keeps it: it was detached, or this glibc works in another way.
pub(super) fn forget_by_glibc(pthread: usize) -> bool {
    unsafe extern "C" {
        fn pthread_tryjoin_np(thread: libc::pthread_t, value: *mut *mut c_void) -> c_int;
    }
    let Some(Some(offset)) = NUMBER_AT.get() else { return false };
    let place = ptr::with_exposed_provenance_mut::<u32>(pthread + offset);
    // SAFETY: the thread is gone, and its descriptor stays until it is joined.
    unsafe { AtomicU32::from_ptr(place) }.store(0, Ordering::Release);
    // SAFETY: no other thread joins the first thread of a rank; this does not wait.
    unsafe { pthread_tryjoin_np(pthread as libc::pthread_t, ptr::null_mut()) == 0 }
}

/// Where glibc's descriptor holds the number of a thread, until the kernel reports its end; `None`
/// if that cannot be determined.
static NUMBER_AT: OnceLock<Option<usize>> = OnceLock::new();

/// Finds that out, in a thread whose number is not the process's.
pub(super) fn find_number_in_descriptor() -> Option<usize> {
    /// The number is among the first words of a descriptor, behind a pair of pointers.
    const WORDS: usize = 128;
    *NUMBER_AT.get_or_init(|| {
        // SAFETY: has no preconditions.
        let (start, number) = unsafe { (libc::pthread_self() as usize, libc::gettid() as u32) };
        let start = ptr::with_exposed_provenance::<[u32; 2]>(start);
        // SAFETY: the descriptor of a thread is larger than what is looked at.
        let words = (0..WORDS).map(|index| unsafe { start.add(index).read() });
        number_among(words, number)
    })
}

/// The offset in bytes of the only word whose lower half is `number`. The upper halves of pointers,
/// 0x7f00 to 0x7fff, could be thread numbers, too.
fn number_among(words: impl Iterator<Item = [u32; 2]>, number: u32) -> Option<usize> {
    let is_number = |(_, word): &(usize, [u32; 2])| word[0] == number;
    let mut found = words.enumerate().filter(is_number).map(|(index, _)| index * size_of::<u64>());
    found.next().filter(|_| found.next().is_none())
}

/// Keeps the calling thread of a rank on its current OS thread: its next operation depends on OS
/// threads.
pub(in crate::host) fn settle() {
    let place = this().filter(|_| fiber::current().is_some()).zip(current());
    let Some((thread, rank)) = place else { return };
    if replay::is_closing() {
        // It writes the final messages; no rank is to run meanwhile.
        return;
    }
    fiber::settle(rank.seat);
    thread.signals.hand_mask_to_kernel();
}

type Body = extern "C-unwind" fn(*mut c_void) -> *mut c_void;

struct Start {
    body: Body,
    argument: *mut c_void,
    rank: &'static Rank,
    thread: Arc<Thread>,
    /// The mask that it blocks once it is registered with the rank.
    mask: libc::sigset_t,
}

type Create = unsafe extern "C-unwind" fn(
    *mut libc::pthread_t,
    *const libc::pthread_attr_t,
    Body,
    *mut c_void,
) -> c_int;

/// Starts a thread; one that a rank starts is the rank's.
///
/// # Safety
/// As `pthread_create(3)`.
#[cfg_attr(not(miri), unsafe(no_mangle))]
pub(super) unsafe extern "C-unwind" fn pthread_create(
    handle: *mut libc::pthread_t, attributes: *const libc::pthread_attr_t, body: Body,
    argument: *mut c_void,
) -> c_int {
    let create: Create = crate::host::real!("pthread_create");
    let Some(rank) = current() else {
        // SAFETY: as our caller promises.
        return unsafe { create(handle, attributes, body, argument) };
    };
    // Its threads wait for each other in the kernel.
    settle();
    const SIGNAL_STACK_BYTES: usize = 32 << 10;
    let thread = Thread::new(SIGNAL_STACK_BYTES, None);
    rank.life.threads.lock().push(thread.clone());
    let mask = block_all();
    let start = Box::new(Start { body, argument, rank, thread: thread.clone(), mask });
    let start = Box::into_raw(start);
    // SAFETY: as our caller promises; the new thread takes `start` over.
    let status = unsafe { create(handle, attributes, begin, start.cast()) };
    let_through(&mask);
    if status != 0 {
        // SAFETY: there is no new thread, so it is still ours.
        drop(unsafe { Box::from_raw(start) });
        forget(rank, &thread);
    }
    status
}

/// Blocks all signals of the calling thread; returns the mask before.
fn block_all() -> libc::sigset_t {
    let (mut all, mut before) = (MaybeUninit::uninit(), MaybeUninit::uninit());
    // SAFETY: writes sets of our own.
    unsafe {
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr());
        before.assume_init()
    }
}

/// Makes the calling thread block exactly `mask`.
fn let_through(mask: &libc::sigset_t) {
    // SAFETY: reads a set of ours.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, mask, ptr::null_mut()) };
}

/// `thrd_create` of `<threads.h>`, which libc would take to its own `pthread_create`.
///
/// # Safety
/// As `thrd_create(3)`.
pub(super) unsafe extern "C-unwind" fn thrd_create(
    handle: *mut libc::pthread_t, body: Body, argument: *mut c_void,
) -> c_int {
    const SUCCESS: c_int = 0;
    const ERROR: c_int = 2;
    const NO_MEMORY: c_int = 3;
    // SAFETY: as our caller promises; `thrd_join` takes the lower half of what a body returns.
    match unsafe { pthread_create(handle, ptr::null(), body, argument) } {
        0 => SUCCESS,
        libc::ENOMEM => NO_MEMORY,
        _ => ERROR,
    }
}

extern "C-unwind" fn begin(start: *mut c_void) -> *mut c_void {
    // SAFETY: `pthread_create` above passes a boxed start.
    let start = *unsafe { Box::from_raw(start.cast::<Start>()) };
    let Start { body, argument, rank, thread, mask } = start;
    thread.begin(rank, thread.signal_stack.as_ref().map_or((0, 0), SignalStack::usable));
    // SAFETY: the record stays in the rank's list until `farewell`.
    unsafe { libc::pthread_setspecific(farewell_key(), Arc::as_ptr(&thread).cast()) };
    drop(thread);
    if rank.life.is_ending() {
        leave();
    }
    rank.images.adopt_tls();
    let_through(&mask);
    body(argument)
}

fn farewell_key() -> libc::pthread_key_t {
    static KEY: OnceLock<libc::pthread_key_t> = OnceLock::new();
    *KEY.get_or_init(|| {
        let mut key = 0;
        // SAFETY: writes to a key of our own.
        let status = unsafe { libc::pthread_key_create(&mut key, Some(farewell)) };
        assert!(status == 0, "the first key of a process is always there");
        key
    })
}

/// glibc runs this when a thread ends in an orderly way, among the destructors of other keys.
unsafe extern "C" fn farewell(thread: *mut c_void) {
    const LAST_ROUND: u32 = 2;
    let Some(rank) = current() else { return };
    // SAFETY: `begin` set the key to a record that the rank still holds.
    let record = unsafe { &*thread.cast::<Thread>() };
    keys::thread_ends();
    if record.farewells.fetch_add(1, Ordering::Relaxed) < LAST_ROUND {
        // The program's own destructors may still run after this one.
        // SAFETY: the key and value that `begin` set.
        unsafe { libc::pthread_setspecific(farewell_key(), thread) };
        return;
    }
    if rank.life.is_ending() {
        leave();
    }
    lasts::take_leave();
    use_signal_stack(0, 0);
    THREAD.set(ptr::null());
    forget(rank, record);
    rank.life.bell.unpark();
}

/// Whether this is the thread that runs the rank's `main`.
pub(super) fn is_first_thread() -> bool {
    let first = current().and_then(|rank| rank.life.threads.lock().first().cloned());
    let this = this();
    first.zip(this).is_some_and(|(first, this)| std::ptr::eq(&raw const *first, this))
}

impl Thread {
    /// Makes the calling thread this one, of `rank`.
    pub(super) fn begin(self: &Arc<Thread>, rank: &'static Rank, signal_stack: (usize, usize)) {
        adopt(Some(rank));
        THREAD.set(Arc::as_ptr(self));
        // SAFETY: has no preconditions.
        self.pthread.store(unsafe { libc::pthread_self() } as usize, Ordering::Relaxed);
        if self.fiber.is_some() {
            return self.alive.store(FIBER, Ordering::SeqCst);
        }
        let (start, bytes) = signal_stack;
        use_signal_stack(start, bytes);
        // SAFETY: has no preconditions.
        let number = unsafe { libc::gettid() };
        self.alive.store(number as u32, Ordering::SeqCst);
    }
}

/// The threads of `rank` that have not ended.
pub(in crate::host) fn living(rank: &Rank) -> Vec<Arc<Thread>> {
    rank.life.threads.lock().iter().filter(|thread| !thread.is_gone()).cloned().collect()
}

/// The stack of the calling thread, if it started as a fiber.
pub(in crate::host) fn own_stack() -> Option<Range<usize>> {
    let life = &current().filter(|_| this().is_some_and(Thread::is_of_fiber))?.life;
    Some(life.guard.end..life.signal_stack.0)
}

impl Rank {
    /// Whether the lock at `address` belongs to this rank. Safe in handlers.
    pub(in crate::host) fn owns(&self, address: usize) -> bool {
        const DESCRIPTOR_BYTES: usize = 4096;
        let stack = self.life.guard.end..self.life.first_frame.load(Ordering::Relaxed);
        let is_in_descriptor =
            |thread: &Arc<Thread>| address.wrapping_sub(thread.pthread()) < DESCRIPTOR_BYTES;
        self.images.contains(address)
            || stack.contains(&address)
            || self.heap.holds(ptr::without_provenance(address))
            || self.life.threads.try_lock().is_some_and(|all| all.iter().any(is_in_descriptor))
    }
}

fn forget(rank: &Rank, thread: &Thread) {
    rank.life.threads.lock().retain(|other| !ptr::eq(&raw const **other, thread));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_a_thread_is_found_beside_pointers_that_look_like_it() {
        let number = 0x7f12;
        let words = [[0x3000, 0x7f12], [0, 0], [0x7f12, 5], [0x4000, 0x7f12], [7, 8]];
        assert_eq!(number_among(words.into_iter(), number), Some(16));
        assert_eq!(number_among(words.into_iter(), 9), None);
        let twice = words.into_iter().chain([[0x7f12, 0]]);
        assert_eq!(number_among(twice, number), None);
    }

    #[test]
    fn the_number_of_a_thread_of_this_glibc_is_found() {
        let found = std::thread::spawn(find_number_in_descriptor).join();
        assert!(found.is_ok_and(|offset| offset.is_some()));
    }
}
