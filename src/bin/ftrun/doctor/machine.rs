//! What the machine itself allows.

use super::finding::{Finding, State, first_line};
use ftmpi_cli::numbers::spelled;
use std::fs::read_to_string;

/// Mappings of a rank of a small C program, and those that a job has besides.
const MAPS_EACH: usize = 2;
const MAPS_BESIDES: usize = 1000;
/// The limit that Linux has unless somebody changes it.
const USUAL_MAPS: usize = 65_530;

pub(super) fn findings() -> Vec<Finding> {
    let all = [glibc(), maps(), cores(), memory(), tracing()];
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
}
