//! What `ftrun` and its agents on other hosts tell each other, over TCP.

use crate::{Said, Whereabouts};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A variable of the environment, and its value if it is to be set.
pub type Variable = (Vec<u8>, Option<Vec<u8>>);

/// What all ranks run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    pub file: Vec<u8>,
    /// Its name first.
    pub arguments: Vec<Vec<u8>>,
    pub variables: Vec<Variable>,
    pub directory: Vec<u8>,
    /// As the library is told of it.
    pub job: String,
    /// When this was sent, by the clock of `ftrun`: that of the host may differ.
    pub sent_at: Duration,
    pub tags_output: bool,
    /// What only the processes of the job know.
    pub key: u64,
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
    /// With a message to a rank as it is written.
    Tell {
        seat: usize,
        incarnation: u32,
        told: Vec<u8>,
    },
    /// What rank 0 reads from its standard input; nothing: there is no more.
    Input(Vec<u8>),
    /// The answer to the beat of this number.
    Renew(u64),
    /// The job is over: the ranks that are left write what they hold, and end.
    End,
}

/// What an agent says.
#[derive(Debug, Serialize, Deserialize)]
pub enum OfAgent {
    /// The first words; whoever does not know the secret is not heard.
    Hello {
        secret: String,
        host: u32,
        version: String,
        /// What the host calls itself.
        name: String,
    },
    /// It can start ranks; or why not.
    Ready(Result<(), String>),
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
    /// It is there, and wants its lease prolonged.
    Beat(u64),
    /// Whole lines of ranks, or of their standard error.
    Output {
        is_error: bool,
        lines: Vec<u8>,
    },
}
