//! What people see of a job while it runs, wherever its ranks are: what a dot's colour means, what
//! the time of each rank went into, and how failures are told. Pure: it is given what was seen.

#![forbid(unsafe_code)]

mod accounts;
mod kinds;
mod scene;
mod stories;

pub use accounts::Accounts;
pub use kinds::{
    CHECKPOINT, COLLECTIVE, COMPUTES, DONE, KINDS, MESSAGES, OTHER, OUTSIDE, RECOVERS, is_asleep,
    kind_of,
};
pub use scene::{MOST_ROWS, WAITS, choose, of_ranks};
pub use stories::Stories;
