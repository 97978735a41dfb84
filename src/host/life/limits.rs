//! Whether this machine lets so many ranks live, asked before any of them does.

use std::fs;

/// What the library itself and the system need besides ranks.
const SPARE: usize = 400;

fn number(path: &str) -> Option<usize> {
    fs::read_to_string(path).ok()?.trim().parse().ok()
}

/// Says which limit `ranks` ranks of `maps_each` memory mappings meet, and how to raise it.
pub(super) fn check(ranks: usize, maps_each: usize) -> Result<(), String> {
    let maps = fs::read_to_string("/proc/self/maps").map_or(0, |maps| maps.lines().count());
    let need = ranks.saturating_mul(maps_each).saturating_add(maps + SPARE);
    if let Some(limit) = number("/proc/sys/vm/max_map_count").filter(|&limit| limit < need) {
        return Err(format!(
            "{ranks} ranks of this program need {need} memory mappings, and this machine allows \
             {limit} a process; raise the limit with `sysctl -w vm.max_map_count={need}`, or run \
             at most {} ranks",
            limit.saturating_sub(maps + SPARE) / maps_each
        ));
    }
    let need = ranks.saturating_add(SPARE);
    for (path, name) in [
        ("/proc/sys/kernel/pid_max", "kernel.pid_max"),
        ("/proc/sys/kernel/threads-max", "kernel.threads-max"),
    ] {
        if let Some(limit) = number(path).filter(|&limit| limit < need) {
            return Err(format!(
                "{ranks} ranks need {need} threads, and this machine allows {limit}; raise the \
                 limit with `sysctl -w {name}={need}`, or run fewer ranks"
            ));
        }
    }
    check_own_limits(ranks, need)
}

fn check_own_limits(ranks: usize, need: usize) -> Result<(), String> {
    // Root may have as many threads as it likes, whatever `ulimit -u` says.
    // SAFETY: has no preconditions.
    let is_root = unsafe { libc::geteuid() } == 0;
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: writes to a limit of our own.
    let status = unsafe { libc::getrlimit(libc::RLIMIT_NPROC, &mut limit) };
    let allowed = limit.rlim_cur as usize;
    if status == 0 && !is_root && allowed < need {
        return Err(format!(
            "{ranks} ranks need {need} threads, and this user may have {allowed}; raise the limit \
             with `ulimit -u {need}`, or run fewer ranks"
        ));
    }
    let group = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let path = group.lines().find_map(|line| line.strip_prefix("0::")).unwrap_or("/");
    let path = format!("/sys/fs/cgroup{path}/pids.max");
    match number(&path).filter(|&limit| limit < need) {
        Some(limit) => Err(format!(
            "{ranks} ranks need {need} threads, and the control group allows {limit}; raise \
             `pids.max` in {path} (a container's `--pids-limit`), or run fewer ranks"
        )),
        None => Ok(()),
    }
}
