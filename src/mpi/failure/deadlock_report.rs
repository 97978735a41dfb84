//! What a rank waits for, in words: for the deadlock report and for who watches a job.

use crate::base::Member;
use crate::engine::{ANY_SOURCE, ANY_TAG, Waits, Want};
use crate::mpi::comm::Comm;
use crate::mpi::process::Process;

/// In which calls the rank of `process` is, and what it waits for there, a line each.
pub fn lines_of(process: &Process, waits: &Waits) -> Vec<String> {
    let calls = format!("in {}", waits.calls.join(" and "));
    // They are in order, so those that are alike are neighbours.
    let wants = waits.wants.chunk_by(|one, other| one == other).map(|alike| {
        let words = words_of(process, alike[0]);
        if alike.len() == 1 { words } else { format!("{words}, {} times", alike.len()) }
    });
    std::iter::once(calls).chain(wants).collect()
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
