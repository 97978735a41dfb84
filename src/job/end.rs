//! How a job ends, what its exit status is, and the lines that it writes to stderr.

use crate::host::{life, output};
use crate::mpi::error::Class;
use crate::mpi::leftovers;
use crate::mpi::process::Process;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

/// The status of the first rank that failed, whatever became of its seat; 0 so far.
static CAUSE: AtomicI32 = AtomicI32::new(0);

/// A rank has failed with this status: the first one decides.
pub(super) fn blame(status: i32) {
    let _ = CAUSE.compare_exchange(0, status, Ordering::Relaxed, Ordering::Relaxed);
}

/// The status of the first rank that failed; 0 if none has.
pub(super) fn cause() -> i32 {
    CAUSE.load(Ordering::Relaxed)
}

/// A line on stderr, written as a whole: ranks write there, too.
pub(super) fn say(line: &str) {
    // Where stderr is closed, nobody is left to be told.
    output::write(2, format!("{line}\n").as_bytes());
}

/// Whether ranks say what they leave behind.
static LEFTOVERS: AtomicBool = AtomicBool::new(false);

/// Whether they are to.
pub(super) fn report_leftovers(are_wanted: bool) {
    LEFTOVERS.store(are_wanted, Ordering::Relaxed);
}

/// Says on stderr what `process` leaves behind, where that is wanted.
pub fn leave(process: &'static Process) {
    if !LEFTOVERS.load(Ordering::Relaxed) {
        return;
    }
    let left = leftovers::words(process);
    if !left.is_empty() {
        let lines = left.join("\n  ");
        say(&format!("ftrun: rank {} leaves behind:\n  {lines}", process.me.seat));
    }
}

/// Ends the job for an error of this class that no handler of the program takes. Where it is the
/// death of a peer, the status is the peer's: that is the cause.
pub fn end_for_error(class: Class, is_of_a_death: bool, words: &str) -> ! {
    end_job(status_for(class, is_of_a_death), words)
}

/// The exit status for such an error.
pub fn status_for(class: Class, is_of_a_death: bool) -> i32 {
    match cause() {
        cause if is_of_a_death && cause != 0 => cause,
        _ => class.0,
    }
}

/// Ends the job from any thread, with `status` and last words on stderr.
pub fn end_job(status: i32, last_words: &str) -> ! {
    life::end_process(status, &format!("ftrun: {last_words}\n"))
}
