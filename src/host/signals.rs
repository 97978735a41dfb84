//! Signals: faults of a rank end that rank; kills are delivered where they do no harm.
//!
//! Every rank has dispositions of its own; the process has one handler for all signals, which looks
//! at those of the rank whose thread it finds itself on. Signals to the whole process are passed on
//! by the undertaker to the ranks that handle them.

use crate::host::life::{self, Ending, KILL, Shim, end_current, is_own_process};
use crate::host::{Rank, current, memory};
use libc::{c_int, c_void, sigaction, siginfo_t, sigset_t, ucontext_t};
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, AtomicU64, AtomicUsize, Ordering};

const SIGNALS: usize = 65;
/// Raised by the thread's own instructions.
const FAULTS: &[i32] =
    &[libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP, libc::SIGSYS];
/// What ends a process that has not made up its mind.
const ENDING: &[i32] = &[
    libc::SIGHUP,
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGABRT,
    libc::SIGUSR1,
    libc::SIGUSR2,
    libc::SIGPIPE,
    libc::SIGALRM,
    libc::SIGTERM,
    libc::SIGVTALRM,
    libc::SIGPROF,
    libc::SIGXCPU,
    libc::SIGXFSZ,
    libc::SIGIO,
    libc::SIGPWR,
    libc::SIGSTKFLT,
];

/// What a rank wants done about each signal, and which wait for it.
#[derive(Default)]
pub(super) struct Dispositions {
    all: OnceLock<Box<[Disposition; SIGNALS]>>,
    pending: AtomicU64,
}

struct Disposition {
    handler: AtomicUsize,
    flags: AtomicI32,
    mask: AtomicU64,
}

/// Signals that were ignored when the process began; bit by number.
static IGNORED_AT_START: AtomicU64 = AtomicU64::new(0);

impl Disposition {
    fn at_start(number: usize) -> Disposition {
        let is_ignored = IGNORED_AT_START.load(Ordering::Relaxed) >> (number % 64) & 1 == 1;
        Disposition {
            handler: AtomicUsize::new(if is_ignored { libc::SIG_IGN } else { libc::SIG_DFL }),
            flags: AtomicI32::new(0),
            mask: AtomicU64::new(0),
        }
    }

    fn read(&self) -> sigaction {
        let mut action = blank();
        action.sa_sigaction = self.handler.load(Ordering::Acquire);
        action.sa_flags = self.flags.load(Ordering::Relaxed);
        let mask = self.mask.load(Ordering::Relaxed);
        // SAFETY: a set of signals begins with the bits of the first 64.
        unsafe { (&raw mut action.sa_mask).cast::<u64>().write(mask) };
        action
    }

    fn write(&self, action: &sigaction) {
        // SAFETY: as above.
        let mask = unsafe { (&raw const action.sa_mask).cast::<u64>().read() };
        self.mask.store(mask, Ordering::Relaxed);
        self.flags.store(action.sa_flags, Ordering::Relaxed);
        self.handler.store(action.sa_sigaction, Ordering::Release);
    }
}

impl Dispositions {
    fn of(&self, number: i32) -> Option<&Disposition> {
        let make = || Box::new(std::array::from_fn(Disposition::at_start));
        self.all.get_or_init(make).get(usize::try_from(number).ok()?)
    }

    /// What is wanted, without making anything: safe in a handler.
    fn wanted(&self, number: i32) -> sigaction {
        let known = self.all.get().zip(usize::try_from(number).ok());
        match known.and_then(|(all, number)| all.get(number)) {
            Some(disposition) => disposition.read(),
            None => Disposition::at_start(usize::try_from(number).unwrap_or(0)).read(),
        }
    }
}

fn blank() -> sigaction {
    // SAFETY: all zeroes are a valid action: the default one.
    unsafe { std::mem::zeroed() }
}

type Handler = extern "C-unwind" fn(c_int, *mut siginfo_t, *mut c_void);

/// Whether a process that does nothing about signal `number` ends.
pub(super) fn ends_a_process(number: i32) -> bool {
    FAULTS.contains(&number) || ENDING.contains(&number) || number >= libc::SIGRTMIN()
}

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
    // Without SA_RESTART: a thread that is to die comes out of the system call it waits in.
    listen_to(KILL, 0);
}

fn listen_to(number: i32, flags: i32) {
    let mut action = blank();
    action.sa_sigaction = on_signal as extern "C-unwind" fn(_, _, _) as usize;
    action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER | flags;
    // SAFETY: our handler is made for any signal at any time.
    unsafe { real_sigaction(number, &action, ptr::null_mut()) };
}

/// # Safety
/// As `sigaction(2)`.
unsafe fn real_sigaction(number: i32, new: *const sigaction, old: *mut sigaction) -> c_int {
    // SAFETY: as our caller promises. This library does not define the name, so it is libc's.
    unsafe { libc::sigaction(number, new, old) }
}

extern "C-unwind" fn on_signal(number: c_int, info: *mut siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel passes the interrupted thread's state and the signal's story.
    let (machine, story) = unsafe { (&mut *context.cast::<ucontext_t>(), &*info) };
    let registers = &mut machine.uc_mcontext.gregs;
    if matches!(number, libc::SIGSEGV | libc::SIGBUS) {
        // SAFETY: these signals carry an address.
        let address = unsafe { story.si_addr() }.addr();
        if memory::recover(registers, address) {
            return;
        }
    }
    if !is_own_process() || life::this_thread().is_none() && FAULTS.contains(&number) {
        return as_by_default(number);
    }
    let pc = registers[libc::REG_RIP as usize] as usize;
    if number == KILL && story.si_code == libc::SI_TKILL {
        return on_poke(registers, pc);
    }
    // The kernel, another process or a timer means the whole process; SIGPIPE means the writer.
    let is_to_process =
        story.si_code != libc::SI_TKILL && !FAULTS.contains(&number) && number != libc::SIGPIPE;
    match current().filter(|_| !is_to_process) {
        Some(rank) => {
            rank.life.struck(pc);
            // SAFETY: faults carry an address.
            let address = || unsafe { story.si_addr() }.addr();
            let address = if FAULTS.contains(&number) { address() } else { 0 };
            serve(rank, number, info, context, address);
        }
        // The undertaker writes a dead rank's last output, and nobody reads it.
        None if number == libc::SIGPIPE => {}
        None => life::forward(number),
    }
}

/// Does to the calling thread's process what the signal does where nobody handles it.
fn as_by_default(number: c_int) {
    // SAFETY: restores the default and sends the signal again; faults strike again by themselves.
    unsafe {
        real_sigaction(number, &blank(), ptr::null_mut());
        if !FAULTS.contains(&number) {
            let (process, thread) = (libc::getpid(), libc::gettid());
            libc::syscall(libc::SYS_tgkill, process, thread, number);
        }
    }
}

/// The undertaker wants this thread to look at what it is to do.
fn on_poke(registers: &[i64; 23], pc: usize) {
    let (Some(rank), Some(thread)) = (current(), life::this_thread()) else { return };
    if rank.pulse.is_stopping() {
        let sp = registers[libc::REG_RSP as usize] as usize;
        let is_interrupted = registers[libc::REG_RAX as usize] == -i64::from(libc::EINTR);
        let is_harmless = rank.images.contains(pc)
            || life::harmless_code().iter().any(|code| code.contains(&pc))
            || is_interrupted && thread.is_excused(pc, sp);
        if is_harmless {
            end_current(Ending::Killed);
        }
        return;
    }
    let pending = rank.signals.pending.swap(0, Ordering::SeqCst);
    for number in (1..64).filter(|number| pending >> number & 1 == 1) {
        raise(rank, number);
    }
}

/// Leaves signal `number` for `rank` and makes it look; false when it has no handler for it.
pub(super) fn send(rank: &Rank, number: i32) -> bool {
    match rank.signals.wanted(number).sa_sigaction {
        libc::SIG_DFL => return false,
        libc::SIG_IGN => return true,
        _ => {}
    }
    rank.signals.pending.fetch_or(1 << number, Ordering::SeqCst);
    life::interrupt(rank);
    true
}

/// What the rank whose thread this is does on signal `number`: nothing, its handler, or its end.
/// While the thread blocks the signal, the kernel keeps it.
pub(super) fn raise(rank: &'static Rank, number: i32) {
    if is_blocked(number) {
        // SAFETY: the signal waits for this thread, and comes through `on_signal` when it may.
        unsafe { libc::raise(number) };
        return;
    }
    // SAFETY: all zeroes are a valid description.
    let mut story: siginfo_t = unsafe { std::mem::zeroed() };
    story.si_signo = number;
    story.si_code = libc::SI_TKILL;
    // SAFETY: as above; handlers that look at the machine's state get an empty one.
    let mut machine: ucontext_t = unsafe { std::mem::zeroed() };
    serve(rank, number, &mut story, (&raw mut machine).cast(), 0);
}

/// Whether the calling thread lets signal `number` wait.
fn is_blocked(number: i32) -> bool {
    // SAFETY: all zeroes are an empty set.
    let mut blocked: sigset_t = unsafe { std::mem::zeroed() };
    // SAFETY: reads the thread's mask into a set of ours.
    unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, ptr::null(), &mut blocked) };
    // SAFETY: a set that was written above.
    unsafe { libc::sigismember(&raw const blocked, number) == 1 }
}

fn serve(
    rank: &'static Rank, number: c_int, story: *mut siginfo_t, machine: *mut c_void, address: usize,
) {
    let wanted = rank.signals.wanted(number);
    match wanted.sa_sigaction {
        _ if number == libc::SIGKILL => end_current(Ending::Killed),
        // An ignored fault would only strike again.
        libc::SIG_IGN if address == 0 && !FAULTS.contains(&number) => {}
        libc::SIG_DFL | libc::SIG_IGN if ends_a_process(number) => {
            end_current(Ending::Signalled { number, address })
        }
        libc::SIG_DFL | libc::SIG_IGN => {}
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
            // SAFETY: the mask was written above.
            unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &before, ptr::null_mut()) };
        }
    }
}

/// Blocks what the action of signal `number` wants blocked while its handler runs; the mask before.
fn hold_back(wanted: &sigaction, number: c_int) -> sigset_t {
    let mut set = wanted.sa_mask;
    if wanted.sa_flags & libc::SA_NODEFER == 0 {
        // SAFETY: a set of our own.
        unsafe { libc::sigaddset(&mut set, number) };
    }
    let_through(&mut set);
    let mut before = set;
    // SAFETY: both are sets of ours.
    unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &set, &mut before) };
    before
}

/// Faults and kills must reach a rank whatever it blocks: they are what ends it, and only it.
fn let_through(set: &mut sigset_t) {
    for &number in FAULTS.iter().chain([&KILL]) {
        // SAFETY: a set of our own.
        unsafe { libc::sigdelset(set, number) };
    }
}

/// In a forked child the kernel does what the rank wanted done: the child is an ordinary process.
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

fn einval() -> c_int {
    // SAFETY: the thread's own variable.
    unsafe { *libc::__errno_location() = libc::EINVAL };
    -1
}

unsafe extern "C" fn sigaction_shim(
    number: c_int, new: *const sigaction, old: *mut sigaction,
) -> c_int {
    let rank = current().filter(|_| is_own_process());
    let Some(rank) = rank else {
        // SAFETY: as our caller promises.
        return unsafe { real_sigaction(number, new, old) };
    };
    let is_fixed = matches!(number, libc::SIGKILL | libc::SIGSTOP);
    // SAFETY: null, or an action that the caller passes.
    let new = unsafe { new.as_ref() }.copied();
    let Some(disposition) = rank.signals.of(number).filter(|_| number > 0) else {
        return einval();
    };
    if is_fixed && new.is_some() {
        return einval();
    }
    if !old.is_null() {
        // SAFETY: the caller passes room for an action.
        unsafe { old.write(disposition.read()) };
    }
    if let Some(new) = new {
        disposition.write(&new);
        let is_ours = number == KILL || ENDING.contains(&number) || FAULTS.contains(&number);
        let is_handled = !matches!(new.sa_sigaction, libc::SIG_DFL | libc::SIG_IGN);
        if is_handled && (!is_ours || new.sa_flags & libc::SA_RESTART != 0) && number != KILL {
            listen_to(number, new.sa_flags & (libc::SA_RESTART | libc::SA_NOCLDSTOP));
        }
    }
    0
}

unsafe extern "C" fn signal_shim(number: c_int, handler: usize) -> usize {
    // SAFETY: as our caller promises.
    unsafe { replace(number, handler, libc::SA_RESTART) }
}

/// What `signal` means in a program that asks for strict C: a handler serves once.
unsafe extern "C" fn sysv_signal_shim(number: c_int, handler: usize) -> usize {
    // SAFETY: as our caller promises.
    unsafe { replace(number, handler, libc::SA_RESETHAND | libc::SA_NODEFER) }
}

unsafe extern "C" fn sigignore_shim(number: c_int) -> c_int {
    // SAFETY: as our caller promises.
    if unsafe { replace(number, libc::SIG_IGN, 0) } == libc::SIG_ERR { -1 } else { 0 }
}

/// The handler before, or `SIG_ERR`.
///
/// # Safety
/// As `signal(2)`.
unsafe fn replace(number: c_int, handler: usize, flags: c_int) -> usize {
    let (mut new, mut old) = (blank(), blank());
    new.sa_sigaction = handler;
    new.sa_flags = flags;
    // SAFETY: both are actions of ours.
    let status = unsafe { sigaction_shim(number, &new, &mut old) };
    if status == 0 { old.sa_sigaction } else { libc::SIG_ERR }
}

unsafe extern "C" fn raise_shim(number: c_int) -> c_int {
    match current().filter(|_| is_own_process()) {
        Some(rank) if number > 0 && is_virtual(number) => {
            raise(rank, number);
            0
        }
        // SAFETY: as our caller promises.
        _ => unsafe { libc::raise(number) },
    }
}

/// Stopping and continuing means the process.
fn is_virtual(number: c_int) -> bool {
    const OF_PROCESS: &[i32] =
        &[libc::SIGSTOP, libc::SIGTSTP, libc::SIGTTIN, libc::SIGTTOU, libc::SIGCONT];
    (1..SIGNALS as c_int).contains(&number) && !OF_PROCESS.contains(&number)
}

unsafe extern "C" fn kill_shim(process: libc::pid_t, number: c_int) -> c_int {
    // SAFETY: has no preconditions.
    let is_self = process == unsafe { libc::getpid() };
    match current().filter(|_| is_self && is_own_process() && is_virtual(number)) {
        Some(rank) => {
            raise(rank, number);
            0
        }
        // SAFETY: as our caller promises.
        None => unsafe { libc::kill(process, number) },
    }
}

unsafe extern "C" fn pthread_kill_shim(thread: libc::pthread_t, number: c_int) -> c_int {
    // SAFETY: has no preconditions.
    let is_self = thread == unsafe { libc::pthread_self() };
    match current().filter(|_| is_self && is_own_process() && is_virtual(number)) {
        Some(rank) => {
            raise(rank, number);
            0
        }
        // SAFETY: as our caller promises.
        None => unsafe { libc::pthread_kill(thread, number) },
    }
}

unsafe extern "C" fn tgkill_shim(process: c_int, thread: c_int, number: c_int) -> c_int {
    // SAFETY: has no preconditions.
    let is_self = thread == unsafe { libc::gettid() };
    match current().filter(|_| is_self && is_own_process() && is_virtual(number)) {
        Some(rank) => {
            raise(rank, number);
            0
        }
        // SAFETY: as our caller promises.
        None => unsafe { libc::syscall(libc::SYS_tgkill, process, thread, number) as c_int },
    }
}

unsafe extern "C" fn sigmask_shim(how: c_int, new: *const sigset_t, old: *mut sigset_t) -> c_int {
    let passing = current().is_none() || how == libc::SIG_UNBLOCK;
    // SAFETY: null, or a set that the caller passes.
    let Some(mut set) = unsafe { new.as_ref() }.copied().filter(|_| !passing) else {
        // SAFETY: as our caller promises.
        return unsafe { libc::pthread_sigmask(how, new, old) };
    };
    let_through(&mut set);
    // SAFETY: as our caller promises.
    unsafe { libc::pthread_sigmask(how, &set, old) }
}

unsafe extern "C" fn sigprocmask_shim(
    how: c_int, new: *const sigset_t, old: *mut sigset_t,
) -> c_int {
    // SAFETY: as our caller promises.
    match unsafe { sigmask_shim(how, new, old) } {
        0 => 0,
        _ => einval(),
    }
}

pub(super) const SHIMS: &[(&str, Shim)] = &[
    ("sigaction", Shim(sigaction_shim as *const ())),
    ("__sigaction", Shim(sigaction_shim as *const ())),
    ("signal", Shim(signal_shim as *const ())),
    ("bsd_signal", Shim(signal_shim as *const ())),
    ("ssignal", Shim(signal_shim as *const ())),
    ("__sysv_signal", Shim(sysv_signal_shim as *const ())),
    ("sysv_signal", Shim(sysv_signal_shim as *const ())),
    ("sigignore", Shim(sigignore_shim as *const ())),
    ("raise", Shim(raise_shim as *const ())),
    ("gsignal", Shim(raise_shim as *const ())),
    ("kill", Shim(kill_shim as *const ())),
    ("pthread_kill", Shim(pthread_kill_shim as *const ())),
    ("tgkill", Shim(tgkill_shim as *const ())),
    ("pthread_sigmask", Shim(sigmask_shim as *const ())),
    ("sigprocmask", Shim(sigprocmask_shim as *const ())),
];
