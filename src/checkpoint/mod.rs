//! Diskless checkpoints: each rank keeps a copy of its data in memory, and all together keep codes
//! from which the data of those who die come back.
//!
//! `scheme`, `layout`, `weights`, `code` and `ledger` are pure: what is kept where, what can be
//! restored out of what, and which of two copies counts. The others move the bytes.

pub mod code;
mod exchange;
mod keep;
pub mod layout;
pub mod ledger;
mod memory;
#[cfg(test)]
mod model;
mod restoring;
pub mod scheme;
mod taking;
pub mod weights;

pub use keep::{
    Checkpoint, Safety, adopt, create, find, free, move_to, orphans, register, safety, unregister,
};
pub use restoring::restore;
pub use taking::{start, take};
