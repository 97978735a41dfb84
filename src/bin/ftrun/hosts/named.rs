//! The hosts that the user has named, and which ranks go where.

use crate::request::Hosts;
use crate::shared::refusal::Refusal;
use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;

/// A host, and for how many ranks it has places, if that was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) name: String,
    pub(crate) slots: Option<usize>,
}

/// The hosts of the job; none if it runs here alone, as without any.
pub(crate) fn wanted(hosts: &Hosts) -> Result<Vec<Named>, Refusal> {
    let mut all = Vec::new();
    for entry in hosts.names.iter().map(|entry| entry.trim()).filter(|entry| !entry.is_empty()) {
        let named = read_entry(entry).ok_or_else(|| {
            Refusal::usage(format!("--hosts expects names such as a:2,b:2, not `{entry}`"))
        })?;
        add(&mut all, named);
    }
    for file in &hosts.files {
        read_file(file, &mut all)?;
    }
    let this = this_host();
    let is_here_alone = hosts.agent.is_none()
        && hosts.spares.is_empty()
        && all.iter().all(|one| is_here(&one.name, &this));
    if all.is_empty() && hosts.agent.is_some() {
        return Err(Refusal::usage("--agent needs --hosts or --hostfile with it"));
    }
    if all.is_empty() && !hosts.spares.is_empty() {
        return Err(Refusal::usage("--spares needs --hosts or --hostfile with it"));
    }
    Ok(if is_here_alone { Vec::new() } else { all })
}

/// The hosts that stand in for others that are lost.
pub(crate) fn spares(hosts: &Hosts, used: &[Named]) -> Result<Vec<Named>, Refusal> {
    let mut spares = Vec::new();
    for entry in hosts.spares.iter().map(|entry| entry.trim()) {
        let named = read_entry(entry).filter(|named| !named.name.is_empty()).ok_or_else(|| {
            Refusal::usage(format!("--spares expects names such as c,d:2, not `{entry}`"))
        })?;
        if used.iter().any(|host| host.name == named.name) {
            let words = format!("--spares: the host {} has ranks already", named.name);
            return Err(Refusal::usage(words));
        }
        add(&mut spares, named);
    }
    Ok(spares)
}

fn add(all: &mut Vec<Named>, named: Named) {
    match all.iter_mut().find(|one| one.name == named.name) {
        // Whoever is named again has more places.
        Some(one) => one.slots = Some(one.slots.unwrap_or(1) + named.slots.unwrap_or(1)),
        None => all.push(named),
    }
}

/// `name` or `name:slots`.
fn read_entry(entry: &str) -> Option<Named> {
    match entry.split_once(':') {
        Some((name, slots)) if !slots.contains(':') && !name.is_empty() => Some(Named {
            name: name.to_string(),
            slots: Some(slots.parse().ok().filter(|it| *it > 0)?),
        }),
        Some(("", slots)) if !slots.starts_with(':') => None,
        _ => Some(Named { name: entry.to_string(), slots: None }),
    }
}

/// Lines such as `a slots=2 max_slots=4` (Open MPI) or `a:2` (MPICH).
fn read_file(file: &Path, all: &mut Vec<Named>) -> Result<(), Refusal> {
    let shown = file.display();
    let text = std::fs::read_to_string(file)
        .map_err(|error| Refusal::usage(format!("cannot read the host file {shown}: {error}")))?;
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.split('#').next().unwrap_or(line);
        let mut words = line.split_whitespace();
        let Some(entry) = words.next() else { continue };
        let no = |what: &str| {
            let words =
                format!("{shown}:{number}: a line is `HOST slots=N` or `HOST:N`, not `{what}`");
            Refusal::usage(words)
        };
        let mut named = read_entry(entry).ok_or_else(|| no(line))?;
        for word in words {
            match word.split_once('=') {
                Some(("slots" | "cpu", count)) => {
                    let count = count.parse().ok().filter(|count| *count > 0);
                    named.slots = Some(count.ok_or_else(|| no(line))?);
                }
                Some(("max_slots" | "max-slots", _)) => {}
                _ => return Err(no(line)),
            }
        }
        add(all, named);
    }
    Ok(())
}

/// The host of each rank, in blocks: as many ranks on each as there are places.
pub(crate) fn places(
    ranks: usize, hosts: &[Named], per_host: Option<usize>,
) -> Result<Vec<usize>, Refusal> {
    // Where nobody says how many, they are spread evenly.
    let evenly = ranks.div_ceil(hosts.len());
    let slots: Vec<usize> = match per_host {
        Some(count) => vec![count; hosts.len()],
        None if hosts.iter().all(|host| host.slots.is_none()) => vec![evenly; hosts.len()],
        None => hosts.iter().map(|host| host.slots.unwrap_or(1)).collect(),
    };
    let all: usize = slots.iter().sum();
    if all < ranks {
        return Err(Refusal::usage(format!(
            "{ranks} ranks do not fit on {} hosts with {all} places: name more hosts, or give them \
             more places (--hosts a:N,b:N or --per-host N)",
            hosts.len()
        )));
    }
    let places =
        slots.iter().enumerate().flat_map(|(host, count)| std::iter::repeat_n(host, *count));
    Ok(places.take(ranks).collect())
}

pub(crate) fn this_host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    name.trim().to_string()
}

/// Whether this is a name of this host.
pub(crate) fn is_here(name: &str, this: &str) -> bool {
    let short = |name: &str| name.split('.').next().unwrap_or(name).to_ascii_lowercase();
    let loops_back = name == "localhost" || name.starts_with("127.") || name == "::1";
    loops_back || (!this.is_empty() && short(name) == short(this))
}

/// All addresses of this host, as the kernel's table of routes has them.
pub(crate) fn own_addresses() -> Vec<IpAddr> {
    let table = std::fs::read_to_string("/proc/net/fib_trie").unwrap_or_default();
    let (mut found, mut last) = (Vec::new(), None);
    for line in table.lines() {
        if let Some((_, address)) = line.split_once("|-- ") {
            last = address.trim().parse::<Ipv4Addr>().ok();
        } else if line.contains("/32 host LOCAL") {
            found.extend(last.map(IpAddr::from));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_host_is_here() {
        for here in ["localhost", "127.0.0.1", "::1", "node7", "node7.cluster"] {
            assert!(is_here(here, "node7"), "{here}");
        }
        for there in ["node8", "10.0.0.7", "node77"] {
            assert!(!is_here(there, "node7"), "{there}");
        }
    }

    fn named(name: &str, slots: Option<usize>) -> Named {
        Named { name: name.to_string(), slots }
    }

    #[test]
    fn hosts_are_named_as_other_launchers_want_them() {
        let names = ["a:2", "b", "a", "::1", " c:1"].map(str::to_string).to_vec();
        let hosts = Hosts { names, agent: Some("sh -c".into()), ..Hosts::default() };
        let all = wanted(&hosts).expect("they are well formed");
        let expected =
            [named("a", Some(3)), named("b", None), named("::1", None), named("c", Some(1))];
        assert_eq!(all, expected);
        for bad in ["a:x", "a:0", ":3"] {
            let hosts = Hosts { names: vec![bad.to_string()], ..Hosts::default() };
            assert!(wanted(&hosts).is_err(), "{bad}");
        }
        let here = Hosts { names: vec!["localhost:4".into()], ..Hosts::default() };
        assert_eq!(wanted(&here).expect("it is well formed"), []);
    }

    #[test]
    fn ranks_are_placed_in_blocks() {
        let two = [named("a", Some(2)), named("b", Some(3))];
        assert_eq!(places(5, &two, None).ok(), Some(vec![0, 0, 1, 1, 1]));
        assert_eq!(places(3, &two, None).ok(), Some(vec![0, 0, 1]));
        assert!(places(6, &two, None).is_err());
        assert_eq!(places(6, &two, Some(3)).ok(), Some(vec![0, 0, 0, 1, 1, 1]));
        let plain = [named("a", None), named("b", None)];
        assert_eq!(places(5, &plain, None).ok(), Some(vec![0, 0, 0, 1, 1]));
    }
}
