//! What happens while processes run.

use ftmpi_wireup::{Said, Whereabouts};
use std::os::unix::net::UnixStream;
use std::process::ExitStatus;

/// What happens.
pub(super) enum Happening {
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
}

/// A rank that has joined.
pub(super) struct Guest {
    pub(super) seat: usize,
    pub(super) incarnation: u32,
    pub(super) at: Whereabouts,
    pub(super) stream: UnixStream,
}
