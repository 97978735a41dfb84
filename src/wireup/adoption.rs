//! What a process that another launcher has started and the `ftrun` that it starts tell each other:
//! each is at one end of a stream.

use serde::{Deserialize, Serialize};

/// How `ftrun` is called for this.
pub const OPTION: &str = "--adopt";

/// What `ftrun` is to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Charge {
    /// To be the coordinator.
    Coordinate {
        /// The host of each rank, by its number.
        hosts: Vec<u32>,
        /// What replacements run: a file, and its arguments.
        program: Vec<u8>,
        arguments: Vec<Vec<u8>>,
    },
    /// To be the agent of a host.
    Serve,
}

/// What it answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Answer {
    /// It cannot, and why.
    Cannot(String),
    /// Ranks of this host are awaited at this local socket.
    Here { address: String, secret: String },
    /// Agents are awaited at any of these addresses.
    There { addresses: Vec<String>, secret: String },
}

/// What an agent hears then: whom to serve.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    pub host: u32,
    pub addresses: Vec<String>,
    pub secret: String,
}

/// What the coordinator hears then: all ranks know where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known;
