//! What happens while processes run, and the ways to tell them something.

use crate::hosts::agent::Agent;
use ftmpi_wireup::hosts::{OfAgent, ToAgent};
use ftmpi_wireup::{self as wireup, Said, Told, Whereabouts};
use std::io::{ErrorKind, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::Arc;

/// What happens.
pub(crate) enum Happening {
    Joined(Guest),
    Said {
        seat: usize,
        incarnation: u32,
        said: Said,
    },
    /// All that this life has said has been heard.
    Closed {
        seat: usize,
        incarnation: u32,
    },
    Ended {
        seat: usize,
        incarnation: u32,
        status: ExitStatus,
    },
    /// Ranks that another launcher has started had time enough to join.
    Due,
    /// The agent of this host says something, as seen from `ftrun`; nothing: it has gone.
    OfAgent {
        host: usize,
        said: Option<OfAgent>,
    },
    /// `ftrun` says something, as seen from an agent; nothing: it has gone.
    ToAgent(Option<ToAgent>),
    /// Another coordinator reigns in this epoch, as seen from an agent, which is to tell it what it
    /// knows beyond so many entries.
    Elected {
        epoch: u64,
        known: u64,
        stream: TcpStream,
    },
    /// So few hosts are left, of so many, that the job may not go on.
    Outvoted {
        left: usize,
        of: usize,
    },
}

/// The end of a process that another launcher has started, which alone learns how it has ended: as
/// the kernel has it, neither an exit nor a signal.
pub(super) fn unknown_end() -> ExitStatus {
    const CONTINUED: i32 = 0xffff;
    ExitStatus::from_raw(CONTINUED)
}

/// A rank that has joined.
pub(crate) struct Guest {
    pub(crate) seat: usize,
    pub(crate) incarnation: u32,
    pub(crate) at: Whereabouts,
    pub(crate) connection: Connection,
}

/// The way to a rank's process.
pub(crate) enum Connection {
    Here(UnixStream),
    /// By the agent of its host.
    There {
        agent: Arc<Agent>,
        seat: usize,
        incarnation: u32,
    },
}

impl Connection {
    /// Tells a process something; false if it is there and does not listen. If it has ended, that
    /// will be known.
    pub(crate) fn tell(&self, told: &Told) -> bool {
        match self {
            Connection::Here(_) => self.pass_on(&wireup::encode(told)),
            Connection::There { agent, seat, incarnation } => {
                agent.pass_on(*seat, *incarnation, told);
                true
            }
        }
    }

    /// As [`Connection::tell`], with a message as it is written; to a process of this host.
    pub(crate) fn pass_on(&self, message: &[u8]) -> bool {
        let Connection::Here(stream) = self else { return true };
        let mut stream = stream;
        let written = stream.write_all(message);
        let is_late = |kind| matches!(kind, ErrorKind::WouldBlock | ErrorKind::TimedOut);
        !written.is_err_and(|error| is_late(error.kind()))
    }
}
