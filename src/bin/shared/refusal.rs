//! A clear refusal: one sentence that names the cure, and an exit status like a shell's.

use std::io::Write;
use std::process::ExitCode;

/// The command line makes no sense.
pub(crate) const USAGE: u8 = 2;
/// The program is there but cannot be run.
pub(crate) const NOT_RUNNABLE: u8 = 126;
/// There is no such program.
pub(crate) const NOT_FOUND: u8 = 127;
/// Something of ours is missing or broken.
pub(crate) const BROKEN: u8 = 1;

/// The reason why nothing was run.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) status: u8,
    pub(crate) sentence: String,
}

impl Refusal {
    pub(crate) fn new(status: u8, sentence: impl Into<String>) -> Refusal {
        Refusal { status, sentence: sentence.into() }
    }

    pub(crate) fn usage(sentence: impl Into<String>) -> Refusal {
        Refusal::new(USAGE, sentence)
    }

    /// A file of ours is missing: nothing the user wrote is wrong.
    pub(crate) fn broken(sentence: impl Into<String>) -> Refusal {
        Refusal::new(BROKEN, sentence)
    }

    /// Prints it on stderr under the name of the called program.
    pub(crate) fn say(&self, called: &str) -> ExitCode {
        // If it cannot be written, the exit status still reports it.
        let _ = writeln!(std::io::stderr(), "{called}: {}", self.sentence);
        ExitCode::from(self.status)
    }
}
