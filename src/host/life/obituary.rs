//! The sentence that reports how a rank ended.

use super::Ending;
use crate::host::Rank;
use crate::host::loader::nowhere;
pub(super) use crate::launch::signal_name as name;
use std::sync::atomic::Ordering;

/// `rank 3 died of SIGSEGV (address 0x0, at prog+0x1139) after 0.12 s`
pub fn obituary(rank: &Rank, ending: Ending) -> String {
    let (seat, age) = (rank.seat, rank.age().as_secs_f64());
    let of_which = match rank.past_lives() {
        0 => String::new(),
        later => format!(" (incarnation {later})"),
    };
    let how = match ending {
        Ending::Exited { status: 0 } => "ended".to_string(),
        Ending::Exited { status } => format!("exited with code {status}"),
        Ending::Signalled { number, address } => {
            format!("died of {}{}", name(number), circumstances(rank, number, address))
        }
        Ending::Killed => "was killed (SIGKILL)".to_string(),
    };
    format!("rank {seat}{of_which} {how} after {age:.2} s")
}

/// The cause of death in a word or two: `SIGSEGV`, `exit 3`.
pub fn cause(ending: Ending) -> String {
    match ending {
        Ending::Exited { status } => format!("exit {status}"),
        Ending::Signalled { number, .. } => name(number),
        Ending::Killed => name(libc::SIGKILL),
    }
}

fn circumstances(rank: &Rank, number: i32, address: usize) -> String {
    let is_fault = matches!(number, libc::SIGSEGV | libc::SIGBUS);
    let mut parts = Vec::new();
    if is_fault && rank.life.guard.contains(&address) {
        parts.push("stack overflow; give ranks more with `ulimit -s` or --stack".to_string());
    } else if is_fault && let Some(function) = nowhere::name(address) {
        let function = function.to_string_lossy();
        parts.push(format!(
            "called {function}, which no library defines; link the library that has it"
        ));
    } else if is_fault {
        parts.push(format!("address {address:#x}"));
    }
    parts.extend(place(rank, rank.life.struck_at.load(Ordering::Relaxed)));
    if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) }
}

/// The place in the program, as debuggers count: `addr2line -e prog 0x1139` names the line.
fn place(rank: &Rank, pc: usize) -> Option<String> {
    let image = rank.images.each().find(|image| image.span.contains(&pc))?;
    let path = image.name.to_string_lossy();
    let file = path.rsplit('/').next().unwrap_or(&path);
    Some(format!("at {file}+{:#x}", pc - image.base))
}
