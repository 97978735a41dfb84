//! How a job comes to what its ranks share, which the floor above keeps.

use crate::engine::World;
use crate::transport::SimulatedNetwork;

/// Creates what the ranks of a job share, for so many ranks and seats.
type MakeWorld = fn(usize, usize, Option<&'static SimulatedNetwork>) -> &'static World;

/// How the floor above comes to what the ranks share.
pub struct Worlds {
    pub make: MakeWorld,
    /// Takes one that has been made.
    pub keep: fn(&'static World),
    /// Knows the name of the call that the calling thread is in.
    pub call: fn() -> &'static str,
}
