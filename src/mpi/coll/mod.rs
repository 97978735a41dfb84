//! Collective operations (MPI-5.0 §6). Each is written once, as a [`Plan`] that the blocking, the
//! nonblocking and the persistent form carry out.
//!
//! When a member dies, every lane of the communicator fails, so no member is left waiting for one
//! that gave up. A member that meets an error of its own reports it to its caller, but still does
//! its part.

mod afar;
mod allgather;
mod allreduce;
mod alltoall;
mod barrier;
mod bcast;
mod blocks;
mod bracket;
mod bundle;
pub(super) mod claim;
mod combine;
mod file_access;
mod first;
mod fold;
mod forms;
mod gather;
mod hall;
mod levels;
mod meet;
mod members;
mod neighbours;
mod objection;
mod plan;
mod priced;
mod reduce;
mod reduce_scatter;
mod role;
mod scan;
mod scatter;
mod select;
mod sum;
mod take;
mod told;
mod tree;
mod uniform;

/// Limits of the algorithm selection, for the tools interface.
pub mod limits {
    pub const FEW: usize = super::select::FEW;
    pub const SEGMENT: usize = super::select::SEGMENT;
}

pub use allgather::Allgather;
pub use allreduce::Allreduce;
pub use alltoall::Alltoall;
pub use barrier::{Barrier, meet};
pub use bcast::{Bcast, broadcast};
pub use blocks::{List, Lists, Offer, Side, Types};
pub use file_access::FileAccess;
pub use forms::{block, part, persist, start};
pub(super) use forms::{lane, leave_together, share, start_with_status};
pub use gather::Gather;
pub use neighbours::{NeighborAllgather, NeighborAlltoall};
pub use reduce::Reduce;
pub use reduce_scatter::ReduceScatter;
pub use scan::Scan;
pub use scatter::Scatter;
pub use sum::Terms;
pub use told::hear_all;
pub(super) use uniform::unite_alike;
pub use uniform::{close, give_up, unite, unite_behind};
