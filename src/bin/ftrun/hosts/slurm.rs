//! An allocation of Slurm: which hosts it has, and how many ranks each takes, as Slurm's variables
//! tell.

use super::named;
use crate::request::Hosts;
use crate::shared::refusal::Refusal;

/// How an agent is started within an allocation: a step of its own, which shares what the others
/// have, and whose end or loss ends nothing else.
const SRUN: &str = "srun --overlap --no-kill --kill-on-bad-exit=0 --mpi=none --cpu-bind=none -N1 \
                    -n1 -w {HOST} sh -c";

/// What messages call hosts that Slurm has named.
const NAMED_BY_SLURM: &str = "several hosts (SLURM_JOB_NODELIST; --hosts localhost: only here)";

/// Inside an allocation, its hosts are those of the job, unless the user has named some; and if all
/// are of the allocation, agents are started by `srun`.
pub(crate) fn settle(
    hosts: &mut Hosts, variable: impl Fn(&str) -> Option<String>,
) -> Result<(), Refusal> {
    let Some(list) = variable("SLURM_JOB_NODELIST").filter(|list| !list.is_empty()) else {
        return Ok(());
    };
    let cannot = |what: &str, text: &str| {
        Refusal::usage(format!("{what} cannot be read: `{text}`; name the hosts by --hosts"))
    };
    let nodes = nodes(&list).ok_or_else(|| cannot("SLURM_JOB_NODELIST", &list))?;
    if hosts.names.is_empty() && hosts.files.is_empty() {
        let tasks = variable("SLURM_TASKS_PER_NODE").unwrap_or_default();
        let counts = counts(&tasks).ok_or_else(|| cannot("SLURM_TASKS_PER_NODE", &tasks))?;
        let counts = counts.into_iter().chain(std::iter::repeat(1));
        let named = nodes.iter().zip(counts).map(|(node, count)| format!("{node}:{count}"));
        hosts.names = named.collect();
        hosts.named_by = NAMED_BY_SLURM;
    }
    let all = named::wanted(hosts)?;
    let spares = named::spares(hosts, &[])?;
    if all.iter().chain(&spares).all(|host| nodes.contains(&host.name)) {
        hosts.usual_agent = Some(SRUN);
    }
    Ok(())
}

/// `a[1-3,07],b` as names.
fn nodes(list: &str) -> Option<Vec<String>> {
    let (mut names, mut depth, mut start) = (Vec::new(), 0, 0);
    let ends = list.char_indices().chain([(list.len(), ',')]);
    for (at, sign) in ends {
        match sign {
            '[' => depth += 1,
            ']' => depth -= 1,
            ',' if depth == 0 => {
                names.extend(expanded(&list[start..at])?);
                start = at + 1;
            }
            _ => {}
        }
    }
    (depth == 0 && names.iter().all(|name| !name.is_empty())).then_some(names)
}

/// The names for one entry, which may have several lists of numbers in it.
fn expanded(entry: &str) -> Option<Vec<String>> {
    let Some((before, rest)) = entry.split_once('[') else {
        return Some(vec![entry.to_string()]);
    };
    let (numbers, after) = rest.split_once(']')?;
    let endings = expanded(after)?;
    let mut names = Vec::new();
    for range in numbers.split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let digits = first.len();
        let (first, last): (u64, u64) = (first.parse().ok()?, last.parse().ok()?);
        for number in first..=last {
            let name = format!("{before}{number:0digits$}");
            names.extend(endings.iter().map(|ending| format!("{name}{ending}")));
        }
    }
    Some(names)
}

/// `2(x3),1` as numbers.
fn counts(text: &str) -> Option<Vec<usize>> {
    let mut counts = Vec::new();
    for word in text.split(',').filter(|word| !word.is_empty()) {
        let (count, times) = match word.split_once("(x") {
            Some((count, times)) => (count, times.strip_suffix(')')?.parse().ok()?),
            None => (word, 1),
        };
        counts.extend(std::iter::repeat_n(count.parse::<usize>().ok()?, times));
    }
    Some(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_nodes_are_read_as_slurm_writes_them() {
        for (list, names) in [
            ("a", "a"),
            ("a[1-3,7],b", "a1 a2 a3 a7 b"),
            ("n[08-11]", "n08 n09 n10 n11"),
            ("r[1-2]n[3,5]-ib,x", "r1n3-ib r1n5-ib r2n3-ib r2n5-ib x"),
        ] {
            let names: Vec<&str> = names.split(' ').collect();
            assert_eq!(nodes(list).expect("it is well formed"), names, "{list}");
        }
        for bad in ["a[1-", "a[x]", "a,,b", "a]1["] {
            assert_eq!(nodes(bad), None, "{bad}");
        }
        assert_eq!(counts("2(x3),1"), Some(vec![2, 2, 2, 1]));
        assert_eq!(counts("2(x"), None);
    }

    #[test]
    fn hosts_that_the_user_has_named_go_first() {
        let variable = |name: &str| match name {
            "SLURM_JOB_NODELIST" => Some("n[1-3]".to_string()),
            "SLURM_TASKS_PER_NODE" => Some("2(x2),1".to_string()),
            _ => None,
        };
        let mut hosts = Hosts::default();
        settle(&mut hosts, variable).expect("it is well formed");
        assert_eq!(hosts.names, ["n1:2", "n2:2", "n3:1"]);
        assert_eq!(hosts.usual_agent, Some(SRUN));
        for (names, agent) in [(["n2", "n1"], Some(SRUN)), (["n2", "m"], None)] {
            let mut hosts = Hosts { names: names.map(str::to_string).to_vec(), ..Hosts::default() };
            settle(&mut hosts, variable).expect("it is well formed");
            assert_eq!(hosts.names, names);
            assert_eq!(hosts.usual_agent, agent);
        }
        let mut outside = Hosts::default();
        settle(&mut outside, |_| None).expect("there is nothing to read");
        assert!(outside.names.is_empty());
    }
}
