//! Signals: a fault ends only the rank that caused it, and kills are delivered where they do no
//! harm.
//!
//! Every rank has its own dispositions. The process has one handler for all signals, which looks up
//! the dispositions of the rank on whose thread it runs. Signals to the whole process are passed on
//! by the supervisor to the ranks that handle them.
//!
//! A handler may end its thread or leave by `longjmp`. So it runs only where the thread holds no
//! lock (see [`places`]). Elsewhere its signal waits in the thread's [`Inbox`] until one of three
//! things happens: the thread returns to the code of its rank, which is *shut* meanwhile (not
//! executable, see [`Images::shut`](crate::host::loader::Images)); the thread looks by itself; or
//! one of the supervisor's pokes finds it in a harmless wait.

mod alarms;
mod crash;
mod dispositions;
mod held;
mod inbox;
mod numbers;
mod places;
mod sending;
mod shims;
mod sleeps;
mod stack;
mod waits;

pub(super) use alarms::{is_set as has_alarm, ring as ring_alarm};
pub use crash::watch as watch_faults;
pub(super) use dispositions::Dispositions;
pub(super) use held::let_in;
pub use held::{enter_call, leave_call, own_pulse};
pub(super) use inbox::Inbox;
pub(super) use numbers::{KILL, ends_a_process};
pub(super) use places::is_harmless_wait;
pub(super) use sending::send;
pub(super) use shims::tables;
pub(super) use stack::{SignalStack, use_signal_stack};

use crate::host::life::{self, Ending, Thread, end_current, is_own_process};
use crate::host::{Rank, computing, current, errno, fiber, memory};
use dispositions::IGNORED_AT_START;
use held::{as_by_default, listen, real_sigaction};
use inbox::plain_story;
use libc::{c_int, c_void, sigaction, siginfo_t, sigset_t, ucontext_t};
use numbers::{ENDING, FAULTS, SIGNALS, bits, blank, is_virtual};
use std::ptr;
use std::sync::atomic::Ordering;

impl Dispositions {
    /// A thread blocks the signals of `set`, or waits for them: they reach the rank from now on. A
    /// thread that only blocks signals may have blocked all of them; signals from the terminal then
    /// keep their usual effect.
    fn expect(&self, set: u64, waits: bool) {
        let fresh = set & !self.held_back.fetch_or(set, Ordering::SeqCst);
        let fresh = if waits { set } else { fresh };
        let is_fresh = |number: &i32| fresh >> (number - 1) & 1 == 1 && is_virtual(*number);
        let is_wanted = |number: &i32| waits || *number >= libc::SIGRTMIN();
        for number in (1..64).filter(is_fresh).filter(is_wanted) {
            if !FAULTS.contains(&number) {
                listen_to(number, libc::SA_NOCLDSTOP);
            }
        }
    }
}

type Handler = extern "C-unwind" fn(c_int, *mut siginfo_t, *mut c_void);

/// Takes over all signals that may end a rank or the job.
pub(super) fn install() {
    for &number in ENDING.iter().chain(FAULTS) {
        let mut old = blank();
        // SAFETY: reads what is in force.
        unsafe { real_sigaction(number, ptr::null(), &mut old) };
        if old.sa_sigaction == libc::SIG_IGN {
            IGNORED_AT_START.fetch_or(1 << number, Ordering::Relaxed);
        } else {
            listen_to(number, 0);
        }
    }
    listen_to(KILL, 0);
    life::serve_signals_by(|thread| {
        if let Some(rank) = current() {
            serve_deferred(rank, thread);
        }
    });
}

fn listen_to(number: i32, flags: i32) {
    listen(number, on_signal as extern "C-unwind" fn(_, _, _) as usize, flags);
}

extern "C-unwind" fn on_signal(number: c_int, info: *mut siginfo_t, context: *mut c_void) {
    // The program may be about to read what its last call has left.
    errno::kept(|| answer(number, info, context));
}

fn answer(number: c_int, info: *mut siginfo_t, context: *mut c_void) {
    let is_fault = matches!(number, libc::SIGSEGV | libc::SIGBUS);
    // SAFETY: the kernel passes the interrupted thread's state and the signal's story; these two
    // carry an address.
    let (registers, address) = unsafe {
        (&mut (*context.cast::<ucontext_t>()).uc_mcontext.gregs, (*info).si_addr().addr())
    };
    if is_fault && memory::recover(registers, address) {
        return;
    }
    // SAFETY: what the kernel has passed.
    if !is_fault && unsafe { fiber::is_on_the_move(context) } {
        return postpone(number, info);
    }
    // SAFETY: what the kernel has passed.
    unsafe { fiber::move_to_own_stack(number, info, context, on_moved_signal) };
    answer_here(number, info, context);
}

/// Leaves the signal to the thread, which looks at it in a moment; pokes are repeated anyway.
fn postpone(number: c_int, story: *const siginfo_t) {
    // SAFETY: what the kernel has passed.
    let story = unsafe { &*story };
    let is_poke = number == KILL && story.si_code == libc::SI_TKILL;
    match life::this_thread() {
        _ if is_poke => {}
        Some(thread) if is_to_thread(number, story) => {
            thread.signals.defer(number, story);
            life::defer();
        }
        _ => life::forward(number),
    }
}

/// Like [`on_signal`], at a place where code of the rank may run.
extern "C-unwind" fn on_moved_signal(number: c_int, info: *mut siginfo_t, context: *mut c_void) {
    errno::kept(|| answer_here(number, info, context));
}

fn answer_here(number: c_int, info: *mut siginfo_t, context: *mut c_void) {
    // SAFETY: what the kernel has passed to `on_signal`, perhaps moved.
    let (machine, story) = unsafe { (&mut *context.cast::<ucontext_t>(), &*info) };
    let registers = &mut machine.uc_mcontext.gregs;
    if matches!(number, libc::SIGSEGV | libc::SIGBUS) {
        // SAFETY: these signals carry an address.
        if on_return(registers, unsafe { story.si_addr() }.addr()) {
            return;
        }
    }
    // Codes of signals that a process has sent are not positive.
    let is_fault = FAULTS.contains(&number) && story.si_code > 0;
    let place = current().zip(life::this_thread());
    if !is_own_process() || place.is_none() && is_fault {
        if is_own_process() {
            // SAFETY: faults carry an address.
            crash::tell(number, unsafe { story.si_addr() }.addr(), registers);
        }
        return as_by_default(number, story);
    }
    if number == KILL && story.si_code == libc::SI_TKILL {
        return on_poke(registers);
    }
    match place {
        Some((rank, _)) if is_fault => {
            fiber::excursion::come_home();
            rank.life.struck(places::pc(registers));
            // SAFETY: faults carry an address.
            let address = unsafe { story.si_addr() }.addr();
            serve(rank, number, info, context, address);
        }
        Some((rank, thread)) if is_to_thread(number, story) => {
            strike(rank, thread, number, info, context);
        }
        // The supervisor writes a dead rank's last output, which has no reader.
        None if number == libc::SIGPIPE => {}
        _ => life::forward(number),
    }
}

/// Whether a signal was sent to the thread that it interrupts, rather than to the whole process.
fn is_to_thread(number: c_int, story: &siginfo_t) -> bool {
    match story.si_code {
        // Timers of ranks are made for one thread.
        libc::SI_TKILL | libc::SI_TIMER => true,
        // SAFETY: such a signal carries the number of the process that has sent it; what ranks
        // send to their own process goes other ways.
        libc::SI_QUEUE => unsafe { story.si_pid() == libc::getpid() },
        _ => number == libc::SIGPIPE,
    }
}

/// A signal that the calling thread has not caused by an instruction of its own.
fn strike(
    rank: &'static Rank, thread: &Thread, number: c_int, info: *mut siginfo_t, context: *mut c_void,
) {
    // SAFETY: what the kernel has passed to `on_signal`.
    let (machine, story) = unsafe { (&mut *context.cast::<ucontext_t>(), &*info) };
    let registers = &mut machine.uc_mcontext.gregs;
    if !rank.signals.does_something(number) {
        return;
    }
    let is_free = places::is_own_act(registers, number)
        || places::is_harmless(rank, thread, registers) && !thread.signals.is_masked(number);
    if !is_free {
        thread.signals.defer(number, story);
        // The thread gets here when it returns to its program; if it waits instead, it is poked.
        rank.images.shut();
        return life::defer();
    }
    let pc = places::pc(registers);
    rank.life.struck(pc);
    let served = thread.signals.out_of_ease(|| serve(rank, number, info, context, 0));
    // A handler may have sent the thread elsewhere.
    if served == Served::Interrupts && places::pc(registers) == pc {
        places::interrupt(registers);
    }
}

/// A thread returns to the code of its rank, which the supervisor has shut: there it holds no lock.
/// False for a fault of the program.
fn on_return(registers: &mut places::Registers, address: usize) -> bool {
    const FETCH: i64 = 0x10;
    let is_fetch = registers[libc::REG_ERR as usize] & FETCH != 0;
    if !is_fetch || address != places::pc(registers) || !life::admit(address) {
        return false;
    }
    if is_own_process() {
        on_poke(registers);
    }
    true
}

/// The supervisor pokes this thread to make it look at its pending work.
fn on_poke(registers: &mut places::Registers) {
    let Some((rank, thread)) = current().zip(life::this_thread()) else { return };
    if !computing::answer(rank, places::pc(registers)) {
        make_room(rank, registers);
    }
    let is_stopping = rank.pulse.is_stopping();
    if !is_stopping && thread.signals.is_empty() {
        return;
    }
    if !places::is_harmless(rank, thread, registers) {
        // It may wait for a message, and looks before it waits on.
        if places::restarting(registers) == Some(libc::SYS_futex) {
            places::interrupt(registers);
        }
        return;
    }
    if is_stopping {
        end_current(Ending::Killed);
    }
    if serve_deferred(rank, thread) == Served::Interrupts {
        places::interrupt(registers);
    }
}

/// Lets other fibers run, if that is why the thread was poked: at once in its program or libm,
/// otherwise at its next call of this library.
fn make_room(rank: &Rank, registers: &places::Registers) {
    let own = 0u8;
    if let Some(fiber) = fiber::current()
        && fiber.is_to_make_room((&raw const own).addr())
    {
        let pc = places::pc(registers);
        let is_in_libm = || life::harmless_code().iter().any(|code| code.contains(&pc));
        if !rank.images.contains(pc) && !is_in_libm() {
            return rank.pulse.call_for_room();
        }
        fiber.yield_now();
    }
}

/// The calling thread leaves all handlers by a jump that puts back the mask.
pub(super) fn forget_handlers() {
    if let Some(thread) = life::this_thread().filter(|_| fiber::current().is_some()) {
        thread.signals.mask_only(0);
    }
}

/// What handlers of signals mean to a system call that they find waiting.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Served {
    /// There was none.
    Nobody,
    /// It continues to wait, unless it is a sleep, which every handler ends.
    Restarts,
    /// It fails with `EINTR`.
    Interrupts,
}

/// Does what signals want that wait.
#[cold]
fn serve_deferred(rank: &'static Rank, thread: &Thread) -> Served {
    let mut served = Served::Nobody;
    while let Some((number, story)) = thread.signals.take() {
        served = served.max(thread.signals.out_of_ease(|| raise_with(rank, number, story)));
    }
    served
}

/// What the rank whose thread this is does on signal `number`: nothing, its handler, or its end.
/// While the thread blocks the signal, the kernel keeps it.
pub(super) fn raise(rank: &'static Rank, number: i32) {
    raise_with(rank, number, plain_story(number));
}

fn raise_with(rank: &'static Rank, number: i32, mut story: siginfo_t) -> Served {
    if let Some(thread) = fiber_that_masks(number) {
        thread.signals.defer(number, &story);
        return Served::Nobody;
    }
    if is_blocked(number) {
        // SAFETY: the signal stays pending for this thread, and arrives through `on_signal` when
        // allowed.
        unsafe {
            let (process, thread) = (libc::getpid(), libc::gettid());
            libc::syscall(libc::SYS_rt_tgsigqueueinfo, process, thread, number, &raw mut story);
        }
        return Served::Nobody;
    }
    // SAFETY: all zeroes are valid; handlers that look at the machine's state get an empty one.
    let mut machine: ucontext_t = unsafe { std::mem::zeroed() };
    serve(rank, number, &mut story, (&raw mut machine).cast(), 0)
}

/// The calling thread, if it is a fiber that blocks signal `number`.
fn fiber_that_masks(number: i32) -> Option<&'static Thread> {
    let thread = life::this_thread().filter(|_| fiber::current().is_some())?;
    thread.signals.is_masked(number).then_some(thread)
}

/// Whether the calling thread blocks signal `number`.
fn is_blocked(number: i32) -> bool {
    if fiber_that_masks(number).is_some() {
        return true;
    }
    // SAFETY: all zeroes are an empty set.
    let mut blocked: sigset_t = unsafe { std::mem::zeroed() };
    // SAFETY: reads the thread's mask into a set of ours.
    unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, ptr::null(), &mut blocked) };
    // SAFETY: a set that was written above.
    unsafe { libc::sigismember(&raw const blocked, number) == 1 }
}

/// What the handler of a signal means to a system call, if there is one.
fn serve(
    rank: &'static Rank, number: c_int, story: *mut siginfo_t, machine: *mut c_void, address: usize,
) -> Served {
    let wanted = rank.signals.wanted(number);
    match wanted.sa_sigaction {
        _ if number == libc::SIGKILL => end_current(Ending::Killed),
        // An ignored fault would only strike again.
        libc::SIG_IGN if address == 0 && !FAULTS.contains(&number) => Served::Nobody,
        libc::SIG_DFL | libc::SIG_IGN if ends_a_process(number) => {
            end_current(Ending::Signalled { number, address })
        }
        libc::SIG_DFL | libc::SIG_IGN => Served::Nobody,
        handler => {
            if wanted.sa_flags & libc::SA_RESETHAND != 0
                && let Some(disposition) = rank.signals.of(number)
            {
                disposition.write(&blank());
            }
            // SAFETY: the rank installed this function to handle signals.
            let handler: Handler = unsafe { std::mem::transmute(handler) };
            let before = hold_back(&wanted, number);
            // Handlers of one parameter do not look at the others.
            handler(number, story, machine);
            fiber::excursion::come_home();
            let_go(before);
            match wanted.sa_flags & libc::SA_RESTART {
                0 => Served::Interrupts,
                _ => Served::Restarts,
            }
        }
    }
}

/// Blocks the signals that the action of signal `number` masks; returns the mask before.
fn hold_back(wanted: &sigaction, number: c_int) -> u64 {
    let mut set = wanted.sa_mask;
    if wanted.sa_flags & libc::SA_NODEFER == 0 {
        // SAFETY: a set of our own.
        unsafe { libc::sigaddset(&mut set, number) };
    }
    let_through(&mut set);
    if let Some(thread) = life::this_thread().filter(|_| fiber::current().is_some()) {
        // SAFETY: a set of our own.
        return thread.signals.mask(unsafe { bits(&set) });
    }
    let mut before = set;
    // SAFETY: both are sets of ours.
    unsafe {
        libc::pthread_sigmask(libc::SIG_BLOCK, &set, &mut before);
        bits(&before)
    }
}

/// Restores the mask from before the handler ran.
fn let_go(before: u64) {
    if let Some(thread) = life::this_thread().filter(|_| fiber::current().is_some()) {
        thread.signals.mask_only(before);
        if !thread.signals.is_empty() {
            life::defer();
        }
        return;
    }
    // SAFETY: all zeroes are an empty set, which begins with the bits of the first 64.
    unsafe {
        let mut set: sigset_t = std::mem::zeroed();
        (&raw mut set).cast::<u64>().write(before);
        libc::pthread_sigmask(libc::SIG_SETMASK, &set, ptr::null_mut());
    }
}

/// Faults and kills must reach a rank whatever it blocks: they are what ends it, and only it.
fn let_through(set: &mut sigset_t) {
    for &number in FAULTS.iter().chain([&KILL]) {
        // SAFETY: a set of our own.
        unsafe { libc::sigdelset(set, number) };
    }
}

/// In a forked child, registers the rank's actions with the kernel: the child is an ordinary
/// process.
pub(super) fn hand_to_kernel(rank: &Rank) {
    for number in 1..SIGNALS as c_int {
        let mut present = blank();
        // SAFETY: reads what is in force.
        unsafe { real_sigaction(number, ptr::null(), &mut present) };
        if present.sa_sigaction == on_signal as extern "C-unwind" fn(_, _, _) as usize {
            // SAFETY: the rank's own wish.
            unsafe { real_sigaction(number, &rank.signals.wanted(number), ptr::null_mut()) };
        }
    }
}
