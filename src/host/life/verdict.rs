//! How a rank ends, and what becomes of its job and its seat.

/// How a rank ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Returned from `main` or called `exit`, `_exit` and the like.
    Exited { status: i32 },
    /// A signal without a handler; `address` is what it touched, if it was a fault.
    Signalled { number: i32, address: usize },
    /// Killed from outside (`kill` below, `raise(SIGKILL)`).
    Killed,
}

/// The fate of the job after a rank has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The other ranks continue.
    Continue,
    /// The other ranks continue, and the seat gets a new incarnation.
    Restart,
    /// The job ends at once with this exit status; the sentence goes to stderr.
    End { status: i32, last_words: String },
}

/// The rank that is to live in a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Newcomer {
    pub incarnation: u32,
    /// The generation of the world that it joins.
    pub generation: u64,
    /// The incarnation with which that world began in this seat.
    pub first: u32,
}
