//! The deadlock report: describes in words what each rank waits for when a job is stuck.

use crate::base::Member;
use crate::engine::{ANY_SOURCE, ANY_TAG, Waits, Want};
use crate::mpi::comm::Comm;
use crate::mpi::process::Process;
use std::collections::BTreeMap;

/// The ranks that are stuck, by what they wait for.
#[derive(Default)]
pub struct DeadlockReport(BTreeMap<Vec<String>, Vec<usize>>);

impl DeadlockReport {
    /// One more rank that waits.
    pub fn add(&mut self, process: &Process, waits: &Waits) {
        let calls = format!("in {}", waits.calls.join(" and "));
        let wants = waits.wants.iter().map(|want| words_of(process, *want));
        let lines = std::iter::once(calls).chain(wants).collect();
        self.0.entry(lines).or_default().push(process.me.seat);
    }

    /// A paragraph for each group of ranks that wait for the same, those of the lowest rank first.
    pub fn words(&self) -> String {
        let mut groups: Vec<_> = self.0.iter().map(|(lines, ranks)| (ranks, lines)).collect();
        groups.sort_unstable();
        let paragraph = |(ranks, lines): (&Vec<usize>, &Vec<String>)| {
            let noun = if ranks.len() == 1 { "rank" } else { "ranks" };
            format!("  {noun} {}: {}\n", enumerate(ranks), lines.join("\n    waits for "))
        };
        groups.into_iter().map(paragraph).collect()
    }
}

/// Numbers in ascending order, runs of them by their ends: `0, 2-5, 9`.
pub fn enumerate(numbers: &[usize]) -> String {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for &number in numbers {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => runs.push((number, number)),
        }
    }
    let run = |(first, last): (usize, usize)| match last - first {
        0 => first.to_string(),
        _ => format!("{first}-{last}"),
    };
    runs.into_iter().map(run).collect::<Vec<_>>().join(", ")
}

/// What `process` waits for.
pub fn words_of(process: &Process, want: Want) -> String {
    let title = |context| process.title_of(context);
    match want {
        Want::Message { context, source, .. } if is_collective(context) => {
            format!("the part of rank {source} in a collective on {}", title(context))
        }
        Want::Message { context, source, tag, room } => {
            let source = match source {
                ANY_SOURCE => "any rank".to_string(),
                _ => format!("rank {source}"),
            };
            let room = room.map(|bytes| format!(", of up to {bytes} bytes")).unwrap_or_default();
            format!("a message from {source} with {} on {}{room}", tagged(tag), title(context))
        }
        Want::Receiver { context, rank, .. } if is_collective(context) => {
            format!("rank {rank} to take part in a collective on {}", title(context))
        }
        Want::Receiver { context, rank, tag } => {
            let title = title(context);
            format!("rank {rank} to receive a message with {} on {title}", tagged(tag))
        }
        Want::Program => "a generalized request to be completed".to_string(),
        Want::File => "a file to be written".to_string(),
        Want::Synchronization { context, rank } => {
            format!("rank {rank} to synchronize on {}", title(context))
        }
        Want::Match { context } => {
            let title = title(context);
            format!("the others to call the same collective on {title}; they have called another")
        }
        Want::Partitions { context, source, tag, missing } => {
            let (title, tag) = (title(context), tagged(tag));
            format!("{missing} partitions from rank {source} with {tag} on {title}")
        }
        Want::Start { context, rank, tag } => {
            let (title, tag) = (title(context), tagged(tag));
            format!("rank {rank} to start a partitioned receive with {tag} on {title}")
        }
        Want::Ready { context, rank, tag, left } => {
            let (title, tag) = (title(context), tagged(tag));
            format!(
                "{left} of its own partitions for rank {rank} with {tag} on {title} to be ready"
            )
        }
    }
}

/// Whom `process` waits for, if it is somebody in particular.
pub fn awaited_by(process: &Process, want: Want) -> Option<Member> {
    let (context, rank) = match want {
        Want::Message { context, source, .. } => (context, source),
        Want::Partitions { context, source, .. } => (context, source),
        Want::Receiver { context, rank, .. }
        | Want::Start { context, rank, .. }
        | Want::Synchronization { context, rank } => (context, rank),
        Want::Program | Want::File | Want::Match { .. } | Want::Ready { .. } => return None,
    };
    let rank = usize::try_from(rank).ok()?;
    let member = |comm: &Comm| match is_collective(context) {
        true => comm.living().peers().member(rank),
        false => comm.peers().member(rank),
    };
    process.on(context, member)?
}

/// Collectives have a context beside that of messages (see `Comm::context`).
pub(in crate::mpi) fn is_collective(context: u32) -> bool {
    context % 2 == 1
}

fn tagged(tag: i32) -> String {
    match tag {
        ANY_TAG => "any tag".to_string(),
        _ => format!("tag {tag}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_ranks_are_named_by_their_ends() {
        assert_eq!(enumerate(&[]), "");
        assert_eq!(enumerate(&[3]), "3");
        assert_eq!(enumerate(&[0, 2, 3, 4, 9, 10]), "0, 2-4, 9-10");
    }
}
