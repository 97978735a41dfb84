//! Checks host lists: all ranks live in one process, so every named host must be this one.

use crate::request::Hosts;
use crate::shared::refusal::Refusal;

/// Refuses hosts other than this one.
pub(crate) fn check(hosts: &Hosts) -> Result<(), Refusal> {
    let this = this_host();
    let elsewhere = |name: &str| {
        Refusal::usage(format!(
            "host {name} is not this one ({this}); all ranks run in one process, so leave the host \
             out or say localhost"
        ))
    };
    for name in &hosts.names {
        if !is_here(name, &this) {
            return Err(elsewhere(name));
        }
    }
    for file in &hosts.files {
        let text = std::fs::read_to_string(file).map_err(|error| {
            Refusal::usage(format!("cannot read the host file {}: {error}", file.display()))
        })?;
        let lines = text.lines().map(|line| line.split('#').next().unwrap_or(line));
        for name in lines.filter_map(|line| line.split_whitespace().next()) {
            if !is_here(name, &this) {
                return Err(elsewhere(name));
            }
        }
    }
    Ok(())
}

fn this_host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    name.trim().to_string()
}

/// Whether `entry` (`name` or `name:slots`) names this host.
fn is_here(entry: &str, this: &str) -> bool {
    let entry = entry.trim();
    let name = match entry.split_once(':') {
        Some((name, slots)) if !slots.contains(':') => name,
        _ => entry,
    };
    let short = |name: &str| name.split('.').next().unwrap_or(name).to_ascii_lowercase();
    let loops_back = name == "localhost" || name.starts_with("127.") || name == "::1";
    loops_back || name.is_empty() || (!this.is_empty() && short(name) == short(this))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_host_is_here() {
        for here in ["localhost", "localhost:4", "127.0.0.1", "::1", "node7", "node7.cluster:8"] {
            assert!(is_here(here, "node7"), "{here}");
        }
        for there in ["node8", "10.0.0.7", "node77:2"] {
            assert!(!is_here(there, "node7"), "{there}");
        }
    }
}
