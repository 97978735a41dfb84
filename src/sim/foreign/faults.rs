//! Reports an application's misbehaviour: faults, `abort`, `exit`, and stack overflows.
//!
//! An application runs in this process, so its faults are signals here. While one of its functions
//! runs, its node is recorded; a signal handler on its own stack then reports in a sentence what
//! that node did, and ends the process. Signals that arrive while no function of an application
//! runs go where they went before.

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::io::Write;
use std::sync::atomic::{AtomicI64, AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Once, OnceLock};

/// The node for which a function of the application runs now; or one of the constants below.
static RUNNING: AtomicI64 = AtomicI64::new(NOBODY);
const NOBODY: i64 = -1;
/// It is being loaded, or tells its requirements.
const LOADING: i64 = -2;

/// The name of the program that runs the application.
static PROGRAM: OnceLock<&str> = OnceLock::new();

/// The pages below the stack that is in use, where any access is an overflow.
static GUARD: AtomicUsize = AtomicUsize::new(0);
pub(super) const GUARD_BYTES: usize = 4096;
/// A fault this close to the stack pointer is on the stack.
const NEAR_BYTES: usize = 1 << 16;

const SIGNALS: [(c_int, &str); 5] = [
    (libc::SIGSEGV, "a segmentation fault"),
    (libc::SIGBUS, "a bus error"),
    (libc::SIGFPE, "an arithmetic fault"),
    (libc::SIGILL, "an illegal instruction"),
    (libc::SIGABRT, "abort"),
];
/// The former actions of these signals.
static BEFORE: [AtomicPtr<libc::sigaction>; SIGNALS.len()] =
    [const { AtomicPtr::new(std::ptr::null_mut()) }; SIGNALS.len()];

const STACK_BYTES: usize = 1 << 16;
/// As for an invalid command line.
const STATUS: c_int = 2;

thread_local! {
    /// Whether this thread has a stack for signals.
    static HAS_STACK: Cell<bool> = const { Cell::new(false) };
}

/// Calls a function of the application for a node.
#[inline]
pub(super) fn in_node<R>(node: u32, call: impl FnOnce() -> R) -> R {
    noted(i64::from(node), call)
}

/// Sentences begin with this name.
pub(super) fn name(program: &'static str) {
    // A second application belongs to this program, too.
    let _ = PROGRAM.set(program);
}

/// Calls a function of the application that belongs to no node.
pub(super) fn while_loading<R>(call: impl FnOnce() -> R) -> R {
    noted(LOADING, call)
}

/// Like [`in_node`], for a node with a stack of its own, whose guard begins at `guard`.
pub(super) fn on_stack<R>(node: u32, guard: usize, call: impl FnOnce() -> R) -> R {
    GUARD.store(guard, Ordering::Relaxed);
    let result = in_node(node, call);
    GUARD.store(0, Ordering::Relaxed);
    result
}

#[inline]
fn noted<R>(who: i64, call: impl FnOnce() -> R) -> R {
    if !HAS_STACK.get() {
        watch();
    }
    let before = RUNNING.swap(who, Ordering::Relaxed);
    let result = call();
    RUNNING.store(before, Ordering::Relaxed);
    result
}

/// From now on, this thread's faults are reported.
#[cold]
fn watch() {
    static ONCE: Once = Once::new();
    HAS_STACK.set(true);
    let stack = Box::leak(vec![0u8; STACK_BYTES].into_boxed_slice());
    let stack =
        libc::stack_t { ss_sp: stack.as_mut_ptr().cast(), ss_flags: 0, ss_size: STACK_BYTES };
    // SAFETY: the memory is never freed, and nothing else uses it.
    let status = unsafe { libc::sigaltstack(&raw const stack, std::ptr::null_mut()) };
    assert!(status == 0, "a stack of this size is allowed");
    ONCE.call_once(|| {
        for ((signal, _), before) in SIGNALS.iter().zip(&BEFORE) {
            // SAFETY: zeros are an action; the handler calls only what signal handlers may call.
            unsafe {
                let mut action: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = told as *const () as usize;
                action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
                let old = Box::into_raw(Box::new(std::mem::zeroed::<libc::sigaction>()));
                libc::sigaction(*signal, &raw const action, old);
                before.store(old, Ordering::Release);
            }
        }
        // SAFETY: the function stays for as long as the process.
        unsafe { libc::atexit(left) };
    });
}

/// The handler of all these signals.
extern "C" fn told(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let who = RUNNING.load(Ordering::Relaxed);
    let at = SIGNALS.iter().position(|&(known, _)| known == signal);
    let at = at.expect("this handles only these signals");
    if who == NOBODY {
        // It is raised again at once, for its former handler.
        // SAFETY: restores the former action.
        unsafe {
            libc::sigaction(signal, BEFORE[at].load(Ordering::Acquire), std::ptr::null_mut())
        };
        if signal == libc::SIGABRT {
            // SAFETY: this may be called in a signal handler.
            unsafe { libc::raise(signal) };
        }
        return;
    }
    let mut line = Line::about(who);
    if signal == libc::SIGABRT {
        line.add("has called abort");
    } else {
        // SAFETY: the system gives a handler with SA_SIGINFO both.
        let (address, stack) = unsafe { ((*info).si_addr() as usize, stack_pointer(context)) };
        let guard = GUARD.load(Ordering::Relaxed);
        let is_guard = guard != 0 && (guard..guard + GUARD_BYTES).contains(&address);
        let is_near = signal == libc::SIGSEGV && address.abs_diff(stack) < NEAR_BYTES;
        if is_guard || is_near {
            line.add("has used more than its stack");
            line.add(if guard != 0 { ": use more with --stack" } else { "" });
        } else {
            line.add("has ended by ");
            line.add(SIGNALS[at].1);
            let _ = write!(line, " at address {address:#x}");
        }
    }
    line.end();
}

/// The stack pointer at the signal.
///
/// # Safety
/// The context is one that the system gave a signal handler.
unsafe fn stack_pointer(context: *mut c_void) -> usize {
    // SAFETY: the caller vouches for the context.
    let registers = unsafe { (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs };
    registers[libc::REG_RSP as usize] as usize
}

/// Reports that a node has written below its stack.
pub(super) fn overflow(node: u32) -> ! {
    let mut line = Line::about(i64::from(node));
    line.add("has used more than its stack: use more with --stack");
    line.end()
}

/// The process exits: through the application, if one of its functions runs.
extern "C" fn left() {
    let who = RUNNING.load(Ordering::Relaxed);
    if who == NOBODY {
        return;
    }
    // SAFETY: this writes what the application has printed.
    unsafe { libc::fflush(std::ptr::null_mut()) };
    let mut line = Line::about(who);
    line.add("has called exit");
    line.end();
}

/// A line for standard error, made without an allocation.
struct Line {
    bytes: [u8; 200],
    len: usize,
}

impl Line {
    fn about(who: i64) -> Line {
        let mut line = Line { bytes: [0; 200], len: 0 };
        let name = PROGRAM.get().copied().unwrap_or("app");
        let _ = write!(line, "{name}: ");
        match who {
            LOADING => line.add("the application, while it was loaded, "),
            node => drop(write!(line, "node {node} ")),
        }
        line
    }

    fn add(&mut self, text: &str) {
        let _ = self.write_all(text.as_bytes());
    }

    /// Writes it and ends the process.
    fn end(mut self) -> ! {
        self.add("\n");
        // SAFETY: the text has that length.
        unsafe {
            libc::write(2, self.bytes.as_ptr().cast(), self.len);
            libc::_exit(STATUS)
        }
    }
}

impl Write for Line {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let count = bytes.len().min(self.bytes.len() - self.len);
        self.bytes[self.len..self.len + count].copy_from_slice(&bytes[..count]);
        self.len += count;
        Ok(count)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
