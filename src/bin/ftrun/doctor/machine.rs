//! What the machine itself allows.

use super::finding::{Finding, State, first_line};
use ftmpi_cli::numbers::spelled;
use std::fs::read_to_string;

/// Mappings of a rank of a small C program, and those that a job has besides.
const MAPS_EACH: usize = 2;
const MAPS_BESIDES: usize = 1000;
/// The limit that Linux has unless somebody changes it.
const USUAL_MAPS: usize = 65_530;
/// More than the 64 MB that containers have unless somebody asks for more.
const ENOUGH_SHARED: usize = 128 << 20;

pub(super) fn findings() -> Vec<Finding> {
    let all = [glibc(), maps(), cores(), memory(), locked(), shared_memory(), tracing()];
    all.into_iter().flatten().collect()
}

fn glibc() -> Option<Finding> {
    let line = first_line("getconf", &["GNU_LIBC_VERSION"])?;
    let version = line.strip_prefix("glibc ")?;
    Some(match is_new_enough(version) {
        true => Finding::new(State::Good, "glibc", version),
        false => Finding::new(State::Bad, "glibc", format!("{version}: 2.34 or newer is needed")),
    })
}

fn is_new_enough(version: &str) -> bool {
    let mut numbers = version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) >= (2, 34)
}

fn maps() -> Option<Finding> {
    let limit: usize = read_to_string("/proc/sys/vm/max_map_count").ok()?.trim().parse().ok()?;
    let ranks = limit.saturating_sub(MAPS_BESIDES) / MAPS_EACH;
    let words = format!("{limit}: about {ranks} ranks of a small C program");
    Some(match limit >= USUAL_MAPS {
        true => Finding::new(State::Good, "vm.max_map_count", words),
        false => {
            let cure = format!("; raise it with `sysctl -w vm.max_map_count={USUAL_MAPS}` as root");
            Finding::new(State::Lacking, "vm.max_map_count", words + &cure)
        }
    })
}

/// The cores that this process may use: its affinity and control group are counted.
fn cores() -> Option<Finding> {
    let cores = std::thread::available_parallelism().ok()?;
    Some(Finding::new(State::Good, "cores", cores.to_string()))
}

fn memory() -> Option<Finding> {
    let left = crate::limits::memory_left()?;
    Some(Finding::new(State::Good, "memory", format!("{} free", spelled(left >> 20 << 20))))
}

/// How much memory a process may lock. The library locks none.
fn locked() -> Option<Finding> {
    let limits = read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max locked memory"))?;
    Some(match line.split_whitespace().next()?.parse() {
        Err(_) => Finding::new(State::Good, "locked-memory", "unlimited"),
        Ok(limit) => Finding::new(
            State::Lacking,
            "locked-memory",
            format!(
                "{}: ftmpi-rs locks none; if a program does (mlock, InfiniBand), run \
                 `ulimit -l unlimited`, or set `memlock` in /etc/security/limits.conf",
                spelled(limit)
            ),
        ),
    })
}

/// The file system of POSIX shared memory. The library's own shared memory is not in it.
fn shared_memory() -> Option<Finding> {
    let line = first_line("stat", &["-f", "-c", "%S %b %a", "/dev/shm"]);
    let numbers = line.and_then(|line| {
        let numbers: Option<Vec<usize>> = line.split(' ').map(|word| word.parse().ok()).collect();
        <[usize; 3]>::try_from(numbers?).ok()
    });
    Some(shared_memory_of(numbers))
}

/// The finding for blocks of so many bytes, so many of them, and so many free.
fn shared_memory_of(blocks: Option<[usize; 3]>) -> Finding {
    const SUBJECT: &str = "/dev/shm";
    let Some([bytes, all, free]) = blocks else {
        let cure = "not there: programs that use shm_open, such as Python's multiprocessing, need \
                    it; run `mount -t tmpfs tmpfs /dev/shm` as root";
        return Finding::new(State::Lacking, SUBJECT, cure);
    };
    let spelled = |blocks: usize| spelled((bytes * blocks) >> 20 << 20);
    let words = format!("{}, {} free", spelled(all), spelled(free));
    match bytes * free >= ENOUGH_SHARED {
        true => Finding::new(State::Good, SUBJECT, words),
        false => {
            let cure = "; if a program needs more, run `mount -o remount,size=1G /dev/shm` as \
                        root, or start the container with `--shm-size=1g`";
            Finding::new(State::Lacking, SUBJECT, words + cure)
        }
    }
}

/// Whether a debugger may attach to a job that runs. Without Yama it may.
fn tracing() -> Option<Finding> {
    let scope = read_to_string("/proc/sys/kernel/yama/ptrace_scope").unwrap_or_default();
    Some(match scope.trim() {
        "" | "0" => Finding::new(State::Good, "ptrace", "a debugger may attach to a job"),
        scope => Finding::new(
            State::Lacking,
            "ptrace",
            format!(
                "kernel.yama.ptrace_scope is {scope}: only root may attach a debugger to a job; \
                 start the job in the debugger, or use `sysctl -w kernel.yama.ptrace_scope=0`"
            ),
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        let old = ["2.9", "2.33", "1.40", ""];
        assert!(old.iter().all(|version| !is_new_enough(version)));
        assert!(["2.34", "2.100", "3.0"].iter().all(|version| is_new_enough(version)));
    }

    #[test]
    fn little_shared_memory_is_told_with_its_cure() {
        let line = |blocks| shared_memory_of(blocks).line();
        assert!(line(Some([4096, 1 << 20, 1 << 19])).ends_with("4G, 2G free\n"));
        let container = line(Some([4096, 64 << 8, 63 << 8]));
        assert!(container.starts_with("--") && container.contains("64M, 63M free; if"));
        assert!(container.contains("--shm-size=1g"), "{container}");
        assert!(line(None).contains("mount -t tmpfs tmpfs /dev/shm"));
    }
}
