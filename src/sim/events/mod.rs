//! The event core: nodes receive messages in the order of (time, source, sequence).
//!
//! Time is an integer, and a message arrives at least one tick later. So nodes cannot tell in which
//! order the nodes of one tick were served: only each node's own order counts, and it does not
//! depend on the number of threads.

mod barrier;
mod desk;
mod piles;
mod run;

pub use run::{Note, Post, Shard, Simulation, THE_MACHINE};
