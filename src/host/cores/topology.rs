//! Which hardware threads this process may use, and which cores they belong to.

use std::fs::read_to_string;

/// A hardware thread, as the kernel numbers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HardwareThread {
    pub(super) number: usize,
    pub(super) core: Core,
}

/// A core: its socket, and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Core {
    pub(super) socket: usize,
    pub(super) number: usize,
}

/// Those that the calling thread may use, by their numbers.
pub(super) fn allowed() -> Vec<HardwareThread> {
    const BYTES: usize = size_of::<libc::cpu_set_t>();
    // SAFETY: sets are plain bits; zero is the calling thread.
    let set = unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        if libc::sched_getaffinity(0, BYTES, &mut set) != 0 {
            return Vec::new();
        }
        set
    };
    // SAFETY: the number is one of the set's.
    let is_allowed = |number: &usize| unsafe { libc::CPU_ISSET(*number, &set) };
    (0..8 * BYTES).filter(is_allowed).map(|number| known(number, read)).collect()
}

/// What the kernel says of a hardware thread; where it does not say, each is a core of its own.
fn known(number: usize, read: impl Fn(usize, &str) -> Option<usize>) -> HardwareThread {
    let core = || {
        let socket = read(number, "physical_package_id")?;
        Some(Core { socket, number: read(number, "core_id")? })
    };
    HardwareThread { number, core: core().unwrap_or(Core { socket: 0, number }) }
}

fn read(number: usize, name: &str) -> Option<usize> {
    let file = format!("/sys/devices/system/cpu/cpu{number}/topology/{name}");
    read_to_string(file).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_description_each_hardware_thread_is_a_core() {
        let silent = known(3, |_, _| None);
        assert_eq!(silent.core, Core { socket: 0, number: 3 });
        let told = known(3, |_, name| Some(if name == "core_id" { 1 } else { 2 }));
        assert_eq!(told, HardwareThread { number: 3, core: Core { socket: 2, number: 1 } });
    }

    #[test]
    fn this_thread_may_use_some() {
        let allowed = allowed();
        assert!(!allowed.is_empty());
        assert!(allowed.is_sorted_by_key(|thread| thread.number));
    }
}
