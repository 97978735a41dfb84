//! What the kernel is asked about OS threads: where they run, and how long at a stretch.
//!
//! If there is a core for each rank, each is bound to a share of them. A rank that shares its core
//! would be slow, so nobody is bound who has not asked for it while cores belong to other jobs or
//! other work runs.

mod placement;
mod topology;

use crate::launch::{Binding, Job};
use placement::{Loose, Placement};
use std::fs::read_to_string;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::sync::OnceLock;
use topology::{Core, HardwareThread};

/// Where the threads of this process run.
struct Places {
    /// All that they may use.
    allowed: Vec<usize>,
    /// The same in the order in which ranks or workers begin on them.
    order: Vec<usize>,
    /// Where each rank is bound; empty if none is.
    shares: Vec<Vec<usize>>,
    /// What keeps other jobs from binding ranks to the same cores.
    _claims: Vec<UnixDatagram>,
}

static PLACES: OnceLock<Places> = OnceLock::new();

/// Decides where ranks run, before the first one begins; `has_cores`: there is a core for each
/// rank, which is a thread.
pub(super) fn arrange(job: &Job, has_cores: bool) {
    PLACES.get_or_init(|| Places::decide(job, has_cores));
}

/// Binds the calling thread, a rank, to its share of the cores if it has one; otherwise it only
/// begins on a core of its own.
pub(super) fn bind(seat: usize) {
    match PLACES.get().and_then(|places| places.shares.get(seat)) {
        Some(share) => {
            keep_to(&share[..1]);
            keep_to(share);
        }
        None => begin_on(seat),
    }
}

/// Moves the calling thread to the core of this number; it may move later.
pub(super) fn begin_on(number: usize) {
    let Some(places) = PLACES.get() else { return };
    if let Some(thread) = places.order.get(number) {
        keep_to(&[*thread]);
        keep_to(&places.allowed);
    }
}

/// From now on the calling thread runs on these hardware threads only.
fn keep_to(threads: &[usize]) {
    // SAFETY: sets are plain bits; zero is the calling thread. Numbers beyond the set are ignored.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        threads.iter().for_each(|thread| libc::CPU_SET(*thread, &mut set));
        libc::sched_setaffinity(0, size_of_val(&set), &set);
    }
}

impl Places {
    fn decide(job: &Job, has_cores: bool) -> Places {
        let allowed = topology::allowed();
        let wants_none = job.binding == Binding::None;
        let may_bind = has_cores && !wants_none && (job.ranks > 1 || job.binding != Binding::Auto);
        let (placement, claims) = match may_bind {
            true => claim(&allowed, job),
            false => (Placement::new(&allowed, |_| false), Vec::new()),
        };
        let shares = match has_cores {
            true => placement.shares(job.ranks, job.binding, is_busy(job.ranks, placement.cores())),
            false => Err(Loose::Crowded),
        };
        if job.reports_bindings {
            report(&placement, job.ranks, &shares);
        }
        let shares = shares.unwrap_or_default();
        let claims = if shares.is_empty() { Vec::new() } else { claims };
        let allowed = allowed.iter().map(|thread| thread.number).collect();
        Places { allowed, order: placement.order(), shares, _claims: claims }
    }
}

/// Claims cores for the ranks: all that are free if they are shared out, else one for each rank.
fn claim(allowed: &[HardwareThread], job: &Job) -> (Placement, Vec<UnixDatagram>) {
    let machine = Placement::new(allowed, |_| false);
    let mut claims: Vec<(Core, UnixDatagram)> = Vec::new();
    let most = match job.binding {
        Binding::Auto => machine.cores(),
        _ => job.ranks.min(machine.cores()),
    };
    let mut others = Vec::new();
    for core in machine.all_cores() {
        if claims.len() == most {
            break;
        }
        match claimed(core) {
            Some(claim) => claims.push((core, claim)),
            None => others.push(core),
        }
    }
    let placement = Placement::new(allowed, |core| others.contains(&core));
    (placement, claims.into_iter().map(|(_, claim)| claim).collect())
}

/// The claim to a core: a socket with an abstract name, which nobody else can have until this
/// process has ended, and which leaves nothing behind then. `None`: another job has it.
fn claimed(Core { socket, number }: Core) -> Option<UnixDatagram> {
    let name = format!("ftmpi-rs/socket{socket}/core{number}");
    let name = SocketAddr::from_abstract_name(name).ok()?;
    UnixDatagram::bind_addr(&name).ok()
}

/// Whether so much else runs right now that not every rank finds a core for itself.
fn is_busy(ranks: usize, cores: usize) -> bool {
    let running = || {
        let text = read_to_string("/proc/loadavg").ok()?;
        let (running, _) = text.split(' ').nth(3)?.split_once('/')?;
        running.parse::<usize>().ok()
    };
    // This thread runs, too.
    running().is_some_and(|running| running.saturating_sub(1) + ranks > cores.max(ranks))
}

/// Tells the user where the ranks are.
fn report(placement: &Placement, ranks: usize, shares: &Result<Vec<Vec<usize>>, Loose>) {
    let host = read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = host.trim();
    let why = match shares {
        Ok(shares) if shares.is_empty() => "--bind-to none",
        Ok(shares) => {
            for (rank, share) in shares.iter().enumerate() {
                eprintln!("ftrun: on {host}, rank {rank} is bound to {}", placement.words(share));
            }
            return;
        }
        Err(Loose::Alone) => "one rank alone has all cores",
        Err(Loose::Crowded) => "there are more ranks than cores, or ranks are fibers",
        Err(Loose::Claimed) => "ranks of other jobs are bound to cores that this one would need",
        Err(Loose::Busy) => "other work runs on the cores",
    };
    let ranks =
        if ranks == 1 { "rank 0 is not".into() } else { format!("none of {ranks} ranks is") };
    eprintln!("ftrun: on {host}, {ranks} bound to cores: {why}");
}

/// For threads for which others wait.
pub(super) const PROMPT: u64 = 100_000;

/// Sets how long the kernel lets the calling thread run at a stretch while others want its core: a
/// thread with short slices runs soon after it is woken. 0: the default. Old kernels ignore this.
pub(super) fn ask_for_slices_of(nanoseconds: u64) {
    #[repr(C)]
    struct Attributes {
        bytes: u32,
        policy: u32,
        flags: u64,
        nice: i32,
        priority: u32,
        slice: u64,
        rest: [u64; 2],
    }
    let mut own = Attributes {
        bytes: size_of::<Attributes>() as u32,
        policy: 0,
        flags: 0,
        nice: 0,
        priority: 0,
        slice: 0,
        rest: [0; 2],
    };
    let policy = libc::SCHED_OTHER as u32;
    // SAFETY: the kernel reads and writes attributes of this size; 0 is the calling thread.
    unsafe {
        let (read, bytes) = (&raw mut own, size_of::<Attributes>());
        let got = libc::syscall(libc::SYS_sched_getattr, 0, read, bytes, 0);
        if got == 0 && own.policy == policy {
            own.slice = nanoseconds;
            libc::syscall(libc::SYS_sched_setattr, 0, &raw const own, 0);
        }
    }
}

/// Lets other OS threads run on this core.
pub(super) fn let_threads_run() {
    #[cfg(loom)]
    loom::thread::yield_now();
    #[cfg(not(loom))]
    // SAFETY: has no preconditions.
    unsafe {
        libc::sched_yield()
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_core_is_claimed_once_until_its_claimant_has_gone() {
        let core = Core { socket: usize::MAX, number: std::process::id() as usize };
        let claim = claimed(core);
        assert!(claim.is_some() && claimed(core).is_none());
        drop(claim);
        assert!(claimed(core).is_some());
    }
}
