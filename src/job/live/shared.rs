//! What the job shares with the thread that shows it.

use crate::engine::World;
use crate::fault::Incident;
use crate::view::Feed;
use parking_lot::{Condvar, Mutex};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub(super) struct Live {
    pub(super) world: &'static World,
    pub(super) feed: Arc<Feed>,
    /// Whether the terminal also shows the end.
    pub(super) is_drawn: bool,
    /// Finished failure records that have not been shown.
    pub(super) told: Mutex<Vec<Incident>>,
    /// The seats whose ranks have exited successfully.
    pub(super) finished: Box<[AtomicBool]>,
    /// By seat, the counts of the incarnations that have ended.
    pub(super) gone: Mutex<Vec<Gone>>,
    pub(super) is_closing: AtomicBool,
    pub(super) is_done: Mutex<bool>,
    pub(super) done: Condvar,
}

/// What the ended incarnations of a seat have done.
#[derive(Clone, Copy, Default)]
pub(super) struct Gone {
    pub(super) lives: u32,
    pub(super) messages: u64,
    pub(super) collectives: u64,
}
