//! Diskless checkpoints: each rank keeps a copy of its data in memory, and all together keep codes
//! from which the data of dead ranks are restored.
//!
//! `scheme`, `layout`, `weights`, `code` and `ledger` are pure: what is kept where, what can be
//! restored from what, and which of two copies counts. The others move the bytes. What ranks tell
//! each other is kept with their job (`World::tenant`). A `static` here is only a cache: its values
//! follow from their keys.

mod apart;
mod away;
mod census;
pub mod code;
mod decoding;
mod disk;
mod extent;
mod field;
mod files;
mod head;
mod keep;
mod laid;
pub mod layout;
pub mod ledger;
mod leeway;
mod memory;
mod mending;
#[cfg(test)]
mod model;
mod pace;
mod restored;
mod restoring;
mod room;
mod rounds;
mod scheme;
mod scribe;
mod shape;
mod slot;
mod stripes;
mod taking;
pub mod weights;

pub use keep::{
    Checkpoint, adopt, create, expect_failures, find, free, is_due, keep_on_disk, move_to, orphans,
    register, safety, sit_on, tolerances, unregister,
};
pub use restoring::restore;
pub use taking::{start, take};
