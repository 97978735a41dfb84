//! The Blue Gene emulator (Saboo, Singla, Unger and Kalé 2001): programs of handlers and packets on
//! a machine of many nodes with many threads each, under a virtual clock.
//!
//! A node has communication threads, which take packets out of its input buffer in the order of
//! their arrival and run small handlers themselves, and worker threads, to which they pass large
//! ones. Handlers are not preempted; one starts when its packet has arrived and its thread is free.
//! A packet that finds the input buffer full waits in the network; a handler that finds the output
//! buffer full waits for room in it.

pub mod apps;
mod emulator;
mod heat;
pub mod jacobi;
pub mod md;
mod node;
mod packet;
mod setup;
mod site;
#[cfg(test)]
mod tests;

pub use emulator::{Emulator, Remains, Totals};
pub use heat::{Counts, Heat, Load, Observer};
pub use node::{Node, Program};
pub use packet::{PAYLOAD_MOST, Payload, Size};
pub use setup::Setup;
