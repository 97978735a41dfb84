//! What processes of a job write each other about their windows.

use crate::mpi::datatype::Element;
use crate::mpi::op::Named;
use serde::{Deserialize, Serialize};

/// One note, about the window with this context.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Note {
    pub(super) window: u32,
    pub(super) word: Word,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Word {
    /// The writer asks for the reader's lock.
    Lock {
        is_exclusive: bool,
        has_locks: bool,
    },
    /// The writer has the lock of the reader's from now on.
    Granted,
    /// The writer gives up the reader's lock, or no longer waits for it.
    Unlock,
    /// An exclusive lock of the writer's memory starves, or does not any more.
    Starving(bool),
    /// The writer has posted, or completed.
    Posted,
    Completed,
    /// The writer has freed the window, which only a failure lets it do before the reader does.
    Left,
    /// The reader's memory at this address is not there.
    Missing(u64),
    Ask {
        ticket: u64,
        question: Question,
    },
    Answer {
        ticket: u64,
        answer: Answer,
    },
}

/// What only the reader knows or can do.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Question {
    /// Whether one attached region has all of this memory.
    IsAttached {
        address: u64,
        bytes: u64,
    },
    Combine(Combination),
    Swap(Swap),
}

/// Elements to combine, at so many bytes from the beginning of the reader's memory.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Combination {
    pub(super) op: Named,
    pub(super) element: Element,
    pub(super) target: u64,
    pub(super) count: u64,
    /// As they are in memory, gaps included; empty if the operation has none.
    pub(super) operands: Vec<u8>,
    pub(super) is_fetched: bool,
}

/// An element to replace if it is equal to another one.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Swap {
    pub(super) element: Element,
    pub(super) target: u64,
    pub(super) origin: Vec<u8>,
    pub(super) compare: Vec<u8>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Answer {
    IsSo(bool),
    /// What was there before, if that was asked for.
    Done(Vec<u8>),
    /// The memory is not there.
    Missing,
    /// It has freed the window after a failure.
    Closed,
}
