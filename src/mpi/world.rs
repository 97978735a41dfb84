//! What the ranks of a job share.

pub use crate::engine::World;
