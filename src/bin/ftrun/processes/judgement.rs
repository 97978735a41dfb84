//! What the end of a rank's process means to the job, and the words about it. Where ranks share a
//! process, the library judges (`job/policy.rs`).

use super::happening::unknown_end;
use super::seats::Life;
use ftmpi_launch::{Job, Rules, Sequel, all_have_failed, signal_name};
use serde::{Deserialize, Serialize};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// How the job goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The rank has ended well.
    Well,
    /// The others go on without it, or with a successor if they recover.
    Continue,
    /// It is started again at once.
    Restart,
    End {
        status: u8,
        words: String,
    },
}

/// How the ranks have ended so far.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    /// The status of the first rank that failed.
    cause: Option<u8>,
    /// The first failure that was not made up for; and that of a rank that had left MPI.
    blame: Option<u8>,
    blame_of_who_had_left: Option<u8>,
    has_survivor: bool,
    has_leaver: bool,
}

/// The exit status as a shell has it.
pub(super) fn number(status: ExitStatus) -> u8 {
    let signal = status.signal().map(|signal| 128 + signal);
    signal.or(status.code()).unwrap_or(1) as u8
}

/// `rank 3 died of SIGSEGV after 0.12 s`
pub(super) fn obituary(seat: usize, life: &Life, status: ExitStatus) -> String {
    let age = life.started.elapsed().as_secs_f64();
    let of_which = match life.past() {
        0 => String::new(),
        later => format!(" (incarnation {later})"),
    };
    let how = match (status.signal(), status.code()) {
        _ if life.is_lost => "was lost".to_string(),
        (Some(libc::SIGKILL), _) => "was killed (SIGKILL)".to_string(),
        (Some(signal), _) => format!("died of {}", signal_name(signal)),
        (None, Some(0) | None) => "ended".to_string(),
        (None, Some(code)) => format!("exited with code {code}"),
    };
    let order = life.order.as_ref().map(|order| format!(", as planned for {order}"));
    let place = life.host.as_ref().map_or(String::new(), |host| match life.is_lost {
        true => format!(" with its host {host}"),
        false => format!(" on {host}"),
    });
    let words = || format!("rank {seat}{of_which} {how}{place} after {age:.2} s");
    let told = life.words.as_ref().map(|told| format!("{told}{place}"));
    let mut words = told.unwrap_or_else(words);
    words.push_str(&order.unwrap_or_default());
    if let Some(debt) = debt(life).filter(|_| !life.is_lost && status.signal().is_none()) {
        words.push_str(&format!(", without {debt}"));
    }
    words
}

/// The cause of death in a word or two: `SIGSEGV`, `exit 3`.
pub(super) fn cause(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(signal), _) => signal_name(signal),
        (None, Some(_)) => format!("exit {}", number(status)),
        (None, None) => "ended".to_string(),
    }
}

/// What a rank that ends now leaves undone, if anything.
fn debt(life: &Life) -> Option<&'static str> {
    match life.in_session {
        _ if life.has_begun && !life.has_departed => Some("MPI_Finalize"),
        Some(true) => Some("MPI_Session_finalize"),
        _ => None,
    }
}

impl Record {
    /// What follows from the end of this life. The second value is what to tell the user.
    pub(super) fn judge(
        &mut self, seat: usize, life: &Life, status: ExitStatus, rules: Rules, job: &Job,
    ) -> (Verdict, Option<String>) {
        let is_well = status.success() || status == unknown_end();
        if is_well && debt(life).is_none() {
            self.has_survivor = true;
            self.has_leaver = true;
            return (Verdict::Well, None);
        }
        if life.is_disowned {
            return (Verdict::Continue, None);
        }
        let obituary = obituary(seat, life, status);
        // A rank that exits without finalizing MPI has failed, whatever its status.
        let status = if number(status) == 0 { 1 } else { number(status) };
        self.cause.get_or_insert(status);
        self.has_leaver |= life.has_left();
        let next = match Sequel::of(rules, job.on_failure, life.has_left()) {
            Sequel::End => {
                return (Verdict::End { status, words: format!("{obituary}; the job ends") }, None);
            }
            Sequel::Restart => {
                return (Verdict::Restart, Some(format!("{obituary}; it will be restarted")));
            }
            Sequel::GoOn(next) => next,
        };
        if rules != Rules::Ulfm || life.has_left() {
            self.blame.get_or_insert(status);
            if life.has_left() {
                self.blame_of_who_had_left.get_or_insert(status);
            }
        }
        (Verdict::Continue, Some(format!("{obituary}; {next}")))
    }

    /// The exit status of the first rank that failed.
    pub(super) fn cause(&self) -> Option<u8> {
        self.cause
    }

    /// A rank has come to its end in peace: under a mode of FT-MPI, it has coped with what there
    /// was.
    pub(super) fn departed(&mut self, rules: Rules) {
        self.has_leaver = true;
        if rules.modes().is_some() {
            self.blame = self.blame_of_who_had_left;
        }
    }

    /// The exit status of the job once all ranks have ended.
    pub(super) fn status(&self, rules: Rules) -> u8 {
        let is_lost = rules == Rules::Ulfm && !self.has_survivor;
        match self.blame {
            None if is_lost => self.cause.unwrap_or(0),
            status => status.unwrap_or(0),
        }
    }

    /// The final message, if there is one.
    pub(super) fn last_words(&self, ranks: usize) -> Option<String> {
        (!self.has_leaver).then(|| all_have_failed(ranks))
    }
}
