//! What the job shares with the thread that shows it.

use crate::engine::World;
use crate::fault::Tale;
use crate::view::Feed;
use parking_lot::{Condvar, Mutex};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub(super) struct Live {
    pub(super) world: &'static World,
    pub(super) feed: Arc<Feed>,
    /// Whether the terminal is to show the end, too.
    pub(super) is_drawn: bool,
    /// The stories that have come to an end, and of which nothing has been shown.
    pub(super) told: Mutex<Vec<Tale>>,
    /// The seats whose ranks have ended well.
    pub(super) finished: Box<[AtomicBool]>,
    /// By seat, what those who are gone have done there.
    pub(super) gone: Mutex<Vec<Gone>>,
    pub(super) is_closing: AtomicBool,
    pub(super) is_done: Mutex<bool>,
    pub(super) done: Condvar,
}

/// What the lives in a seat have done that are over.
#[derive(Clone, Copy, Default)]
pub(super) struct Gone {
    pub(super) lives: u32,
    pub(super) messages: u64,
    pub(super) collectives: u64,
}
