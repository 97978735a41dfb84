//! Checks the machine's limits: refuses a job that would fail halfway, and says how to raise them.
//!
//! How many memory mappings a rank takes is known only once the program is loaded: the library
//! checks that limit itself.

use crate::shared::refusal::Refusal;
use ftmpi_cli::numbers::spelled;
use ftmpi_launch::{Job, RankKind};
use std::fs::read_to_string;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Threads besides the ranks': the supervisor, timers.
const OWN_THREADS: usize = 8;
/// Process numbers that Linux does not use.
const RESERVED_PIDS: usize = 300;
/// The addresses of a process, less what the program itself may need.
const ADDRESSES: usize = (1 << 47) - (1 << 42);

/// A limit: how many ranks it permits.
#[derive(Debug)]
struct Limit {
    name: &'static str,
    value: String,
    room: usize,
    cure: String,
}

/// Refuses a job that is too large for this machine.
pub(crate) fn check(job: &Job) -> Result<(), Refusal> {
    let threads = || [threads_max(job.ranks), pid_max(job.ranks), control_group()];
    let threads = needs_threads(job).then(threads).into_iter().flatten();
    let users = needs_threads(job).then(|| user_processes(job.ranks)).flatten();
    let others = [users, address_space(job), addresses(job), memory(job)];
    let tightest = threads.chain(others).flatten().min_by_key(|limit| limit.room);
    tightest.map_or(Ok(()), |limit| refuse(job.ranks, &limit))
}

/// Whether each rank must be an OS thread.
fn needs_threads(job: &Job) -> bool {
    match job.kind {
        RankKind::Thread => true,
        RankKind::Fiber => false,
        RankKind::Auto => job.ranks <= ftmpi_launch::cores(),
    }
}

fn refuse(ranks: usize, limit: &Limit) -> Result<(), Refusal> {
    if ranks <= limit.room {
        return Ok(());
    }
    let wanted = if ranks == usize::MAX { "this many".to_string() } else { ranks.to_string() };
    let Limit { name, value, room, cure } = limit;
    Err(Refusal::usage(format!(
        "{wanted} ranks are too many here: {name} is {value}, which leaves room for {room}; {cure}"
    )))
}

fn threads_max(ranks: usize) -> Option<Limit> {
    let limit = number("/proc/sys/kernel/threads-max")?;
    let room = limit.saturating_sub(running_threads() + OWN_THREADS);
    let wanted = ranks.saturating_add(limit - room);
    let cure = raise("kernel.threads-max", wanted);
    Some(Limit { name: "kernel.threads-max", value: limit.to_string(), room, cure })
}

fn pid_max(ranks: usize) -> Option<Limit> {
    let limit = number("/proc/sys/kernel/pid_max")?;
    let room = limit.saturating_sub(running_threads() + RESERVED_PIDS + OWN_THREADS);
    let wanted = ranks.saturating_add(limit - room);
    // Linux allows no more than 2^22.
    let cure = raise("kernel.pid_max", wanted.min(1 << 22));
    Some(Limit { name: "kernel.pid_max", value: limit.to_string(), room, cure })
}

fn raise(name: &str, wanted: usize) -> String {
    // A round number above what is needed reads better and leaves a margin.
    let step = 10_000;
    let wanted = wanted.min(1 << 30).div_ceil(step) * step;
    format!("raise it with `sysctl -w {name}={wanted}` as root")
}

/// The smallest `pids.max` of the control groups that this process is in.
fn control_group() -> Option<Limit> {
    let text = read_to_string("/proc/self/cgroup").ok()?;
    let mut tightest: Option<Limit> = None;
    for directory in text.lines().flat_map(|line| group_directories(line, "pids")) {
        let Some(limit) = number(directory.join("pids.max")) else { continue };
        let current = number(directory.join("pids.current")).unwrap_or(0);
        let room = limit.saturating_sub(current + OWN_THREADS);
        if tightest.as_ref().is_none_or(|other| room < other.room) {
            let cure = "give the container or service more processes (docker: --pids-limit, \
                        systemd: TasksMax=)";
            let (name, value) = ("the control group's pids.max", limit.to_string());
            tightest = Some(Limit { name, value, room, cure: cure.to_string() });
        }
    }
    tightest
}

/// The directories of one line of /proc/self/cgroup where `controller` may set limits, innermost
/// first.
fn group_directories(line: &str, controller: &str) -> Vec<PathBuf> {
    let mut fields = line.splitn(3, ':').skip(1);
    let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else {
        return Vec::new();
    };
    let root = match controllers {
        "" => PathBuf::from("/sys/fs/cgroup"),
        own if own == controller => Path::new("/sys/fs/cgroup").join(controller),
        _ => return Vec::new(),
    };
    let inner = root.join(path.trim_start_matches('/'));
    inner.ancestors().take_while(|directory| directory.starts_with(&root)).map(Into::into).collect()
}

/// `ulimit -u`: counts the threads of all processes of the user; it does not apply to root.
fn user_processes(ranks: usize) -> Option<Limit> {
    let user = Path::new("/proc/self").metadata().ok()?.uid();
    let limit = soft_limit("Max processes")?;
    if user == 0 {
        return None;
    }
    // Counting reads a file per process: only done if it may matter.
    let running = if ranks.saturating_mul(2) > limit { threads_of(user) } else { 0 };
    let room = limit.saturating_sub(running + OWN_THREADS);
    let wanted = ranks.saturating_add(running + OWN_THREADS);
    let cure = format!("raise it with `ulimit -u {wanted}`, or in /etc/security/limits.conf");
    Some(Limit { name: "the limit of your processes", value: limit.to_string(), room, cure })
}

fn threads_of(user: u32) -> usize {
    let Ok(processes) = std::fs::read_dir("/proc") else { return 0 };
    let threads = |status: String| {
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.split_whitespace().next()?.parse::<usize>().ok()
        };
        (field("Uid:")? == user as usize).then(|| field("Threads:")).flatten()
    };
    let statuses = processes.flatten().filter_map(|entry| {
        entry.file_name().to_str()?.parse::<u32>().ok()?;
        read_to_string(entry.path().join("status")).ok()
    });
    statuses.filter_map(threads).sum()
}

/// `ulimit -v`: every rank reserves addresses for its stack and heap.
fn address_space(job: &Job) -> Option<Limit> {
    let limit = soft_limit("Max address space")?;
    let room = limit.saturating_sub(1 << 30) / per_rank(job);
    let cure = format!(
        "raise it with `ulimit -v unlimited`, or give ranks less with --heap and --stack (now {} \
         and {})",
        spelled(job.heap_bytes),
        spelled(job.stack_bytes)
    );
    Some(Limit { name: "the limit of address space", value: spelled(limit), room, cure })
}

fn addresses(job: &Job) -> Option<Limit> {
    let cure = format!(
        "give ranks less with --heap and --stack (now {} and {})",
        spelled(job.heap_bytes),
        spelled(job.stack_bytes)
    );
    let (name, value) = ("the address space of a process", "128T".to_string());
    Some(Limit { name, value, room: ADDRESSES / per_rank(job), cure })
}

fn per_rank(job: &Job) -> usize {
    job.heap_bytes.saturating_add(job.stack_bytes).max(1)
}

/// What the machine or the tightest control group has left. A rank that only starts and ends takes
/// a little more than is counted here.
fn memory(job: &Job) -> Option<Limit> {
    const LEAST_BYTES: usize = 24 << 10;
    const LEAST_SHARED: usize = 12 << 10;
    let left = memory_left()?;
    let each = if job.shares_image { LEAST_SHARED } else { LEAST_BYTES };
    let cure = match job.shares_image {
        true => "run fewer ranks, or give them a machine with more memory",
        false => "run fewer ranks; a program without mutable globals takes less with --share-image",
    };
    let (name, value) = ("the memory that is free", spelled(left >> 20 << 20));
    Some(Limit { name, value, room: left / each, cure: cure.to_string() })
}

/// The memory that the machine or the tightest control group has left.
pub(crate) fn memory_left() -> Option<usize> {
    let text = read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let free = line.split_whitespace().next()?.parse::<usize>().ok()? << 10;
    Some(free.min(memory_of_groups().unwrap_or(usize::MAX)))
}

/// What is left in the control groups that this process is in, if they limit memory.
fn memory_of_groups() -> Option<usize> {
    let text = read_to_string("/proc/self/cgroup").ok()?;
    let groups = text.lines().flat_map(|line| group_directories(line, "memory"));
    let left = groups.filter_map(|directory| {
        let limit = number(directory.join("memory.max"))
            .or_else(|| number(directory.join("memory.limit_in_bytes")))?;
        let used = number(directory.join("memory.current"))
            .or_else(|| number(directory.join("memory.usage_in_bytes")))?;
        Some(limit.saturating_sub(used))
    });
    left.min()
}

/// The soft limit of this process; `None` where there is none.
fn soft_limit(name: &str) -> Option<usize> {
    let limits = read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

/// How many threads run on the machine, as far as this process can see.
fn running_threads() -> usize {
    let load = read_to_string("/proc/loadavg").unwrap_or_default();
    let threads = load.split_whitespace().nth(3).and_then(|field| field.split('/').nth(1));
    threads.and_then(|count| count.parse().ok()).unwrap_or(0)
}

fn number(path: impl AsRef<Path>) -> Option<usize> {
    read_to_string(path).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_that_fits_is_not_refused() {
        assert_eq!(check(&Job { ranks: 120, ..Job::default() }), Ok(()));
    }

    #[test]
    fn the_limit_its_value_what_fits_and_the_cure_are_named() {
        let limit = Limit {
            name: "kernel.pid_max",
            value: "32768".into(),
            room: 32_000,
            cure: raise("kernel.pid_max", 40_300),
        };
        assert_eq!(refuse(32_000, &limit), Ok(()));
        let said = refuse(40_000, &limit).unwrap_err();
        assert_eq!(
            said.sentence,
            "40000 ranks are too many here: kernel.pid_max is 32768, which leaves room for 32000; \
             raise it with `sysctl -w kernel.pid_max=50000` as root"
        );
    }

    #[test]
    fn large_heaps_leave_room_for_few() {
        let job = Job { ranks: 100, heap_bytes: 2 << 40, ..Job::default() };
        let said = check(&job).unwrap_err();
        assert!(said.sentence.contains("room for 61; give ranks less with --heap"), "{said:?}");
    }

    #[test]
    fn every_group_above_may_set_the_limit() {
        let all = group_directories("0::/user.slice/job.scope", "pids");
        let roots =
            ["/sys/fs/cgroup/user.slice/job.scope", "/sys/fs/cgroup/user.slice", "/sys/fs/cgroup"];
        assert_eq!(all, roots.map(PathBuf::from));
        assert_eq!(group_directories("3:cpu,cpuacct:/x", "pids"), Vec::<PathBuf>::new());
    }
}
