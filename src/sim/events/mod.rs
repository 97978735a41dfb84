//! The event core: nodes receive messages in the order of (time, source, sequence).
//!
//! Time is an integer, and a message arrives at least one tick later. So nodes cannot tell in which
//! order the nodes of one tick were served: only each node's own order counts, and it does not
//! depend on the number of threads.

mod barrier;
mod desk;
mod note;
mod piles;
mod post;
mod run;

pub use note::Note;
pub use post::{Post, Shard};
pub use run::{Simulation, THE_MACHINE};
