//! What the ranks of one process share: the record of deaths, agreement, revocation, meetings, and
//! the rules of the job.

pub(in crate::engine) mod agreement;
pub(in crate::engine) mod asking;
pub(in crate::engine) mod contexts;
pub(in crate::engine) mod crowding;
pub(in crate::engine) mod elsewhere;
pub(in crate::engine) mod home;
pub(in crate::engine) mod meeting;
pub(in crate::engine) mod mismatch;
pub(in crate::engine) mod nodes;
pub(in crate::engine) mod notices;
pub(in crate::engine) mod pairs;
pub(in crate::engine) mod recovery_cache;
pub(in crate::engine) mod revocation;
pub mod rules;
pub(in crate::engine) mod world;
