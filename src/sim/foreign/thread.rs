//! Runs a node's application as a coroutine: it is switched in when a message has arrived for it,
//! and out when it waits for more.
//!
//! All run on one OS thread, one at a time, each on its own stack. The stacks share one
//! reservation, of which only what is used takes memory. Below each stack is a guard, where any
//! access is a fault, as long as the system has guards left; writes just above it are detected when
//! the application waits.

use super::faults::{self, GUARD_BYTES};
use super::passed::{Event, Seen};
use super::switch;
use std::ffi::{c_int, c_ulong, c_void};

pub(super) type Body = unsafe extern "C" fn(*mut c_void, *mut Seen);

/// One node's thread. Its C part comes first, so that its address is that of the whole.
#[repr(C)]
pub(super) struct Thread {
    pub(super) seen: Seen,
    body: Body,
    state: *mut c_void,
    /// The stack pointer of the thread while it waits, and of the simulator while it runs.
    waiting: usize,
    simulator: usize,
    /// The lowest part of its stack.
    floor: *const [u64; FLOOR],
    /// The event that has arrived.
    event: Option<Event>,
    is_over: bool,
}

/// The stacks of all nodes.
pub(super) struct Stacks {
    first: *mut u8,
    count: usize,
    bytes: usize,
}

// SAFETY: only one thread runs nodes; the memory is never freed.
unsafe impl Send for Stacks {}
// SAFETY: as above; each node's thread has its own part.
unsafe impl Sync for Stacks {}

/// Unused words at the end of a stack: if they are written, it was too small.
const FLOOR: usize = 32;
/// `getauxval`: whether programs may set the thread pointer, which a switch does.
const AT_HWCAP2: c_ulong = 26;
const FSGSBASE: c_ulong = 2;

unsafe extern "C" {
    safe fn getauxval(kind: c_ulong) -> c_ulong;
}

impl Stacks {
    /// Space for `count` stacks of `bytes` bytes.
    pub(super) fn new(count: usize, bytes: usize) -> Result<Stacks, String> {
        if getauxval(AT_HWCAP2) & FSGSBASE == 0 {
            return Err("threads want Linux 5.9 and a processor with FSGSBASE".into());
        }
        let no =
            || format!("{count} stacks of {bytes} bytes: there is no room: use less with --stack");
        let bytes = bytes.next_multiple_of(GUARD_BYTES) + GUARD_BYTES;
        let all = count.checked_mul(bytes).filter(|&all| all > 0).ok_or_else(no)?;
        let (access, kind) =
            (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping, which takes no memory until it is written to. The system refuses
        // sizes that it could never provide.
        let first = unsafe { libc::mmap(std::ptr::null_mut(), all, access, kind, -1, 0) };
        if first == libc::MAP_FAILED {
            return Err(no());
        }
        let stacks = Stacks { first: first.cast(), count, bytes };
        for number in 0..count {
            if !guard(stacks.guard_of(number), count) {
                break;
            }
        }
        Ok(stacks)
    }

    fn guard_of(&self, number: usize) -> *mut u8 {
        assert!(number < self.count, "every node has a stack");
        // SAFETY: the reservation is that long.
        unsafe { self.first.add(number * self.bytes) }
    }

    /// The lowest address of a stack.
    fn stack(&self, number: usize) -> *mut u8 {
        // SAFETY: the guard has that length.
        unsafe { self.guard_of(number).add(GUARD_BYTES) }
    }
}

/// Makes a page inaccessible, as one of `count` guards; returns whether that worked.
fn guard(page: *mut u8, count: usize) -> bool {
    /// `madvise`, Linux 6.13: a guard that costs the system no mapping of its own.
    const GUARD_INSTALL: c_int = 102;
    /// Of the 65,530 mappings of a process, at two for each guard, use at most these.
    const MOST_MAPPED: usize = 30_000;
    // SAFETY: the page belongs to no stack.
    unsafe {
        libc::madvise(page.cast(), GUARD_BYTES, GUARD_INSTALL) == 0
            || count <= MOST_MAPPED
                && libc::mprotect(page.cast(), GUARD_BYTES, libc::PROT_NONE) == 0
    }
}

impl Thread {
    /// A thread that has not started.
    pub(super) fn new(
        stacks: &Stacks, node: u32, body: Body, state: *mut c_void, seen: Seen,
    ) -> Box<Thread> {
        let stack = stacks.stack(node as usize);
        let thread = Thread {
            seen,
            body,
            state,
            waiting: 0,
            simulator: 0,
            floor: stack.cast_const().cast(),
            event: None,
            is_over: false,
        };
        let mut thread = Box::new(thread);
        let argument = (&raw mut *thread).expose_provenance();
        let top = stack.expose_provenance() + stacks.bytes - GUARD_BYTES;
        // SAFETY: this node's stack is its own, and has not been used.
        thread.waiting = unsafe { switch::prepare(top, enter, argument) };
        thread
    }

    /// Runs the thread until it waits; returns whether its stack was large enough.
    pub(super) fn run(&mut self, node: u32, event: Option<Event>) -> bool {
        if self.is_over {
            return true;
        }
        self.event = event;
        let thread = &raw mut *self;
        let guard = self.floor.addr() - GUARD_BYTES;
        // SAFETY: the thread was prepared, or left by `wait`; nothing else continues it.
        faults::on_stack(node, guard, || unsafe {
            let waiting = (*thread).waiting;
            switch::switch(&raw mut (*thread).simulator, waiting, switch::thread_pointer());
        });
        // SAFETY: it is within the reservation; the thread that writes there does not run now.
        unsafe { self.floor.read_volatile() == [0; FLOOR] }
    }
}

/// The start of a thread.
extern "C-unwind" fn enter(argument: usize) -> ! {
    let thread = std::ptr::with_exposed_provenance_mut::<Thread>(argument);
    // SAFETY: the address is that of a thread that `run` has just started; it outlives this.
    unsafe {
        let (body, state) = ((*thread).body, (*thread).state);
        body(state, &raw mut (*thread).seen);
        (*thread).is_over = true;
        leave(thread);
    }
    unreachable!("nobody goes on with a thread that is over")
}

/// # Safety
/// This is called by the thread itself, while it runs.
unsafe fn leave(thread: *mut Thread) {
    // SAFETY: `run` has left the simulator's stack pointer there, and waits.
    unsafe {
        let simulator = (*thread).simulator;
        switch::switch(&raw mut (*thread).waiting, simulator, switch::thread_pointer());
    }
}

/// `ftsim_receive`: waits for an event.
pub(super) extern "C" fn receive(seen: *mut Seen, room: *mut Event) -> c_int {
    let thread = seen.cast::<Thread>();
    // SAFETY: only threads get this function, each with its own `seen`; this one runs.
    unsafe {
        leave(thread);
        let event = (*thread).event.take().expect("it goes on because something has come");
        room.write(event);
        event.kind
    }
}
