//! Finds the [`Process`] of the calling thread. Only this file looks at a thread-local variable.

use crate::abi::program::PROGRAM;
use crate::base::Member;
use crate::engine::World;
use crate::host;
use crate::host::life::{self, Ending};
use crate::host::signals;
use crate::job;
use crate::mpi::process::Process;
use crate::transport::SimulatedNetwork;
use std::cell::Cell;
use std::sync::OnceLock;

static WORLD: OnceLock<&'static World> = OnceLock::new();
static ALONE: OnceLock<Process> = OnceLock::new();
const FIRST: Member = Member { seat: 0, incarnation: 0 };

/// Which rank a thread belongs to, and which call it is in. All zero means nothing is known yet.
struct Current {
    process: Cell<Option<&'static Process>>,
    call: Cell<Option<&'static str>>,
}

// Every call of the program reads this variable. At a fixed distance from the thread pointer it
// needs no call of ld.so, as a thread-local of Rust in a shared library would.
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

/// Shows the calling thread's data, located anew each time: a fiber may have changed threads.
#[inline(always)]
fn with<R>(see: impl FnOnce(&Current) -> R) -> R {
    let current: *const Current;
    // SAFETY: the ABI of thread-local data: the first word of a thread's data is its own address,
    // and the linker knows the variable's offset from there.
    unsafe {
        std::arch::asm!(
            "mov {at}, fs:0",
            "add {at}, qword ptr [rip + ftmpi_current@GOTTPOFF]",
            at = out(reg) current,
            options(nostack, readonly)
        );
    }
    // SAFETY: size and alignment are those of `Current`, zero is a valid value, only this thread
    // accesses it, and it outlives the call.
    see(unsafe { &*current })
}

/// The process of the calling thread.
#[inline]
pub(super) fn process() -> &'static Process {
    with(|current| current.process.get()).unwrap_or_else(find)
}

/// Like [`process`]; also notes that the thread is now in `call`.
#[inline]
pub(super) fn process_in(call: &'static str) -> &'static Process {
    known_in(call).unwrap_or_else(find)
}

/// Like [`process_in`], but `None` before the thread's first call.
#[inline(always)]
pub(super) fn known_in(call: &'static str) -> Option<&'static Process> {
    with(|current| {
        current.call.set(Some(call));
        current.process.get()
    })
}

/// The call that the thread is in, or its latest if it is in none.
fn call() -> &'static str {
    with(|current| current.call.get()).unwrap_or("no call")
}

/// How the job comes to what the ranks share.
pub(super) const WORLDS: job::Worlds = job::Worlds { make: world, keep, call };

fn keep(world: &'static World) {
    WORLD.get_or_init(|| world);
}

/// What all ranks share; only the first call uses how many ranks and seats there are.
fn world(ranks: usize, seats: usize, network: Option<&'static SimulatedNetwork>) -> &'static World {
    WORLD.get_or_init(|| {
        let world = Box::leak(Box::new(World::new(ranks, seats, network)));
        world.name_calls(call);
        // All seats at once: a rank can receive messages before its first call.
        (0..ranks).for_each(|seat| world.enter(seat, 0));
        world
    })
}

#[cold]
fn find() -> &'static Process {
    let process = match host::current() {
        Some(rank) => rank.attach(|| {
            let world = world(1, 1, None);
            let me = Member { seat: rank.seat, incarnation: rank.incarnation };
            if !world.has_entered(me) {
                world.enter(me.seat, me.incarnation);
            }
            let app = life::app_of(rank.seat);
            let process = Process::new(world, (me, app), rank.pulse.clone(), &PROGRAM);
            job::lead(&process);
            process
        }),
        // One of several processes of a job, or not under ftrun: a world of one.
        None => {
            let alone = ALONE.get_or_init(|| {
                let joined = job::join(call);
                let who = joined.as_ref().map_or((FIRST, 0), |joined| (joined.me, joined.app));
                let world = match joined {
                    Some(joined) => WORLD.get_or_init(|| joined.world),
                    None => world(1, 1, None),
                };
                let process = Process::new(world, who, signals::own_pulse(), &PROGRAM);
                job::lead(&process);
                process
            });
            job::introduce(alone);
            alone
        }
    };
    process.introduce();
    with(|current| current.process.set(Some(process)));
    process
}

/// Ends the calling rank, which was killed or passed an invalid address. No frame above this one
/// owns anything.
#[cold]
pub(super) fn end() -> ! {
    let is_of_no_rank = host::current().is_none();
    let Some(address) = process().engine.fault() else {
        if is_of_no_rank {
            job::die(process());
        }
        life::end_current(Ending::Killed)
    };
    if is_of_no_rank {
        // SAFETY: without a launcher, a program that touches invalid memory ends by this signal.
        unsafe { libc::raise(libc::SIGSEGV) };
    }
    life::end_current(Ending::Signalled { number: libc::SIGSEGV, address })
}
