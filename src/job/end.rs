//! How a job ends: its exit status, and the lines that it writes to stderr.

use crate::host::{life, output};
use crate::job::link;
use crate::mpi::error::Class;
use crate::mpi::leftovers;
use crate::mpi::process::Process;
use std::sync::atomic::{AtomicI32, Ordering};

/// The status of the first rank that failed, whatever happened to its seat; 0 until then.
static CAUSE: AtomicI32 = AtomicI32::new(0);

/// Records that a rank failed with this status; only the first failure counts.
pub(super) fn blame(status: i32) {
    let _ = CAUSE.compare_exchange(0, status, Ordering::Relaxed, Ordering::Relaxed);
}

/// The status of the first rank that failed; 0 if none has.
pub(super) fn cause() -> i32 {
    CAUSE.load(Ordering::Relaxed)
}

/// Writes a line to stderr in one piece, since ranks write there, too.
pub(super) fn say(line: &str) {
    // If stderr is closed, the line has no reader.
    output::write(2, format!("{line}\n").as_bytes());
}

/// Reports on stderr what `process` leaves behind, if the job asks for that.
pub fn leave(process: &'static Process) {
    if !leftovers::are_wanted() {
        return;
    }
    let left = leftovers::words(process);
    if !left.is_empty() {
        let lines = left.join("\n  ");
        say(&format!("ftrun: rank {} leaves behind:\n  {lines}", process.me.seat));
    }
}

/// Ends the job for an error of this class that no error handler takes. If the error is the death
/// of a peer, the status is the peer's, which is the cause.
pub fn end_for_error(class: Class, is_of_a_death: bool, words: &str) -> ! {
    end_job(status_for(class, is_of_a_death), words)
}

/// The exit status for an error that no handler takes.
pub fn status_for(class: Class, is_of_a_death: bool) -> i32 {
    match cause() {
        cause if is_of_a_death && cause != 0 => cause,
        _ => class.0,
    }
}

/// Ends the job from any thread, with `status` and last words on stderr.
pub fn end_job(status: i32, last_words: &str) -> ! {
    link::end_job(status, last_words);
    life::end_process(status, &format!("ftrun: {last_words}\n"))
}
