//! What `ftrun` and its agents on other hosts tell each other, over TCP.

use crate::takeover::{Account, Entry, Fellows};
use crate::{Said, Whereabouts};
use ftmpi_fault::{HostView, Report};
use serde::{Deserialize, Serialize};
use std::net::SocketAddr;
use std::time::Duration;

/// A variable of the environment, and its value if it is to be set.
pub type Variable = (Vec<u8>, Option<Vec<u8>>);

/// Variables that tell UCX to stay quiet and to leave signals and memory alone, for processes that
/// use it, unless the user has set them.
pub const FOR_UCX: [(&str, &str); 4] = [
    ("UCX_HANDLE_ERRORS", "none"),
    ("UCX_MEM_EVENTS", "n"),
    ("UCX_WARN_UNUSED_ENV_VARS", "n"),
    ("UCX_LOG_LEVEL", "fatal"),
];

/// The variable that says what carries messages between hosts: `tcp`, `tcp:` and the names of
/// interfaces, or `ucx`.
pub const NET: &str = "FTMPI_NET";

/// What the ranks run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// What is started for them, in the order of the ranks.
    pub apps: Vec<App>,
    /// Those of all.
    pub variables: Vec<Variable>,
    /// Where all start that have no directory of their own.
    pub directory: Vec<u8>,
    /// As the library is told of it.
    pub job: String,
    /// When this was sent, by the clock of `ftrun`: that of the host may differ.
    pub sent_at: Duration,
    pub tags_output: bool,
    /// What only the processes of the job know.
    pub key: u64,
}

/// What is started for so many ranks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct App {
    pub ranks: usize,
    pub file: Vec<u8>,
    /// Its name first.
    pub arguments: Vec<Vec<u8>>,
    pub variables: Vec<Variable>,
    pub directory: Option<Vec<u8>>,
}

/// How far a coordinator was when it answered: what an agent repeats shows that it was loyal then.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// The time, by the clock of the coordinator, in microseconds.
    pub at: u64,
    /// All that was to be told up to this step had been.
    pub step: u64,
}

/// What an agent is told.
#[derive(Debug, Serialize, Deserialize)]
pub enum ToAgent {
    Begin(Box<Program>),
    Start {
        seat: usize,
        incarnation: u32,
        generation: u64,
    },
    Kill {
        seat: usize,
        incarnation: u32,
    },
    /// With a message to a rank as it is written. What is not told to all before this step of the
    /// coordinator is over may be known to some alone.
    Tell {
        seat: usize,
        incarnation: u32,
        step: u64,
        told: Vec<u8>,
    },
    /// All ranks are told this, the entry of this number.
    TellAll {
        number: u64,
        entry: Entry,
    },
    /// What rank 0 reads from its standard input; nothing: there is no more.
    Input(Vec<u8>),
    /// The answer to the beat of this number, which prolongs the lease if it `renews` it.
    Renew {
        beat: u64,
        renews: bool,
        mark: Mark,
        /// What was told up to this step is known to all.
        known: u64,
        /// The number of messages that the agent may stop keeping.
        taken: u64,
    },
    /// The other hosts, for the case that `ftrun` is lost.
    Fellows(Box<Fellows>),
    /// A new coordinator has written entries from this one on.
    Reign {
        begun: u64,
    },
    /// This view is to follow that one.
    Propose {
        settled: HostView,
        next: HostView,
    },
    /// This view is one of the chain.
    Settled(HostView),
    /// The job is to end at once.
    Quit,
    /// The job is over: the ranks that are left write what they hold, and end.
    End,
}

/// What an agent says.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum OfAgent {
    /// The first words; whoever does not know the secret is not heard.
    Hello {
        secret: String,
        host: u32,
        version: String,
        /// What the host calls itself.
        name: String,
        /// How many it has for ranks.
        cores: u32,
    },
    /// It can start ranks, and other agents reach it there; or why not.
    Ready(Result<Vec<SocketAddr>, String>),
    NotStarted {
        seat: usize,
        incarnation: u32,
        generation: u64,
        why: String,
    },
    Joined {
        seat: usize,
        incarnation: u32,
        at: Whereabouts,
    },
    Said {
        seat: usize,
        incarnation: u32,
        said: Said,
    },
    /// All that this life has said has been told.
    Closed {
        seat: usize,
        incarnation: u32,
    },
    /// With the status as the kernel has it.
    Ended {
        seat: usize,
        incarnation: u32,
        status: i32,
    },
    /// It is there, and wants its lease prolonged. With the mark of the last answer.
    Beat {
        beat: u64,
        mark: Mark,
    },
    /// It has accepted the view of this number.
    Accepted(u64),
    /// What it has kept, for a new coordinator.
    Account(Box<Account>),
    /// Whole lines of ranks, or of their standard error.
    Output {
        is_error: bool,
        lines: Vec<u8>,
    },
}

impl OfAgent {
    /// Whether an agent keeps this until the coordinator has dealt with it, and sends it to the
    /// next one otherwise: output, rows of the timeline, and facts for the report.
    pub fn is_kept(&self) -> bool {
        let OfAgent::Said { said, .. } = self else {
            return matches!(self, OfAgent::Output { .. });
        };
        match said {
            Said::Traced(_) => true,
            Said::Report { report, .. } => matches!(report, Report::Learnt(_)),
            _ => false,
        }
    }
}
