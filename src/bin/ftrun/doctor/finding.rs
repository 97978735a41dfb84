//! What was seen of one thing, and how things are looked at.

use std::process::{Command, Stdio};

/// How a thing is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Good,
    /// Something that not every job needs does not work.
    Lacking,
    /// Jobs do not run.
    Bad,
}

/// What was seen of one thing.
#[derive(Debug)]
pub(super) struct Finding {
    pub(super) state: State,
    subject: &'static str,
    words: String,
}

impl Finding {
    pub(super) fn new(state: State, subject: &'static str, words: impl Into<String>) -> Finding {
        Finding { state, subject, words: words.into() }
    }

    pub(super) fn line(&self) -> String {
        let mark = match self.state {
            State::Good => "ok",
            State::Lacking => "--",
            State::Bad => "NO",
        };
        format!("{mark}  {:<16} {}\n", self.subject, self.words)
    }
}

/// The first line that a command prints; `None` if it cannot be run or fails.
pub(super) fn first_line(program: &str, words: &[&str]) -> Option<String> {
    let output = Command::new(program).args(words).stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let line = output.status.success().then(|| text.lines().next()).flatten()?;
    Some(line.trim().to_string())
}
