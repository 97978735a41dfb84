//! The event core: nodes hear what was sent to them in the order of (time, source, sequence).
//!
//! Time is an integer, and what is sent arrives at least one tick later, so that nodes of one tick
//! cannot tell in which order they were served: only each node's own order counts, and that is the
//! same on any number of threads.

mod barrier;
mod desk;
mod note;
mod piles;
mod post;
mod run;

pub use note::Note;
pub use post::{Post, Shard};
pub use run::{Simulation, THE_MACHINE};
