//! From the calling thread to its rank's [`Process`]: the only place that looks at a thread-local.

use crate::abi::program::PROGRAM;
use crate::base::Member;
use crate::engine::World;
use crate::host;
use crate::host::life::{self, Ending, Pulse};
use crate::job;
use crate::mpi::process::Process;
use std::cell::Cell;
use std::sync::OnceLock;

static WORLD: OnceLock<&'static World> = OnceLock::new();
static ALONE: OnceLock<Process> = OnceLock::new();
const FIRST: Member = Member { seat: 0, incarnation: 0 };

/// What a thread knows of itself: whose it is, and in which call. Zero is nothing.
struct Current {
    process: Cell<Option<&'static Process>>,
    call: Cell<Option<&'static str>>,
}

// Every call of the program begins here: a variable at a fixed distance from the thread's own
// address, where Rust's would be found by calling ld.so.
std::arch::global_asm!(
    ".pushsection .tbss.ftmpi_current, \"awT\", @nobits",
    ".hidden ftmpi_current",
    ".globl ftmpi_current",
    ".p2align 3",
    "ftmpi_current:",
    "    .skip {size}",
    ".size ftmpi_current, {size}",
    ".popsection",
    size = const size_of::<Current>(),
);

/// What the calling thread knows, read anew each time: fibers take it along.
#[inline(always)]
fn with<R>(see: impl FnOnce(&Current) -> R) -> R {
    let current: *const Current;
    // SAFETY: the first word of a thread's data is its own address, and the linker knows how far
    // the variable is from there (the ABI of thread-local data).
    unsafe {
        std::arch::asm!(
            "mov {at}, fs:0",
            "add {at}, qword ptr [rip + ftmpi_current@GOTTPOFF]",
            at = out(reg) current,
            options(nostack, readonly)
        );
    }
    // SAFETY: it is as large and as much aligned, zero is a value of it, only this thread comes
    // here, and it lives longer than the call.
    see(unsafe { &*current })
}

/// The process whose thread this is.
#[inline]
pub(super) fn process() -> &'static Process {
    with(|current| current.process.get()).unwrap_or_else(find)
}

/// The same for the call of this name.
#[inline]
pub(super) fn process_in(call: &'static str) -> &'static Process {
    known_in(call).unwrap_or_else(find)
}

/// The same, if the thread has called before.
#[inline(always)]
pub(super) fn known_in(call: &'static str) -> Option<&'static Process> {
    with(|current| {
        current.call.set(Some(call));
        current.process.get()
    })
}

/// The call that the thread is in; once it has returned, the latest.
fn call() -> &'static str {
    with(|current| current.call.get()).unwrap_or("no call")
}

/// The world that all ranks share; `seats` counts at the first call only.
pub(super) fn world(seats: usize) -> &'static World {
    WORLD.get_or_init(|| {
        let world = Box::leak(Box::new(World::new(seats)));
        world.name_calls(call);
        // All at once: a rank may be sent to before it has made its first call.
        (0..seats).for_each(|seat| world.enter(seat, 0));
        world
    })
}

#[cold]
fn find() -> &'static Process {
    let process = match host::current() {
        Some(rank) => rank.lodge(|| {
            let world = world(1);
            if rank.incarnation > 0 {
                world.enter(rank.seat, rank.incarnation);
            }
            let me = Member { seat: rank.seat, incarnation: rank.incarnation };
            let process = Process::new(world, me, rank.pulse.clone(), &PROGRAM);
            job::lead(&process);
            process
        }),
        // Not under ftrun: a world of one.
        None => ALONE.get_or_init(|| Process::new(world(1), FIRST, Pulse::default(), &PROGRAM)),
    };
    process.introduce();
    with(|current| current.process.set(Some(process)));
    process
}

/// Ends the calling rank: it was told to die, or named memory that is not there. Nothing above
/// this frame owns anything.
#[cold]
pub(super) fn end() -> ! {
    let Some(address) = process().engine.fault() else { life::end_current(Ending::Killed) };
    if host::current().is_none() {
        // SAFETY: outside of a job a program that touches such memory ends by this signal.
        unsafe { libc::raise(libc::SIGSEGV) };
    }
    life::end_current(Ending::Signalled { number: libc::SIGSEGV, address })
}
