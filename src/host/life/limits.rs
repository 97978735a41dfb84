//! Checks whether this process may have all the mappings that the job needs, before any rank
//! starts: only the loader knows how many each rank takes. `ftrun` has checked the other limits.

use std::fs;

/// The mappings that the library itself may need besides ranks.
const SPARE: usize = 400;

fn number(path: &str) -> Option<usize> {
    fs::read_to_string(path).ok()?.trim().parse().ok()
}

/// Reports the limit that `ranks` ranks of `maps_each` mappings exceed, and how to raise it.
pub(super) fn check(ranks: usize, maps_each: usize) -> Result<(), String> {
    let maps = fs::read_to_string("/proc/self/maps").map_or(0, |maps| maps.lines().count());
    let need = ranks.saturating_mul(maps_each).saturating_add(maps + SPARE);
    if let Some(limit) = number("/proc/sys/vm/max_map_count").filter(|&limit| limit < need) {
        return Err(format!(
            "{ranks} ranks of this program need {need} memory mappings, and this machine allows \
             {limit} a process; raise the limit with `sysctl -w vm.max_map_count={need}`, or run \
             at most {} ranks",
            limit.saturating_sub(maps + SPARE) / maps_each.max(1)
        ));
    }
    Ok(())
}
