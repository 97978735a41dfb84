//! Matches partitioned sends and receives in the order in which their requests are created (MPI-5.0
//! §4.2.3). Creation is local: the first of a pair leaves a channel for the second.

use super::channel::{Channel, End, Receiving, Sending};
use crate::base::Member;
use crate::base::sync::handover::{Parts, Side};
use crate::engine::World;
use parking_lot::Mutex;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// What a pair is matched by.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) context: u32,
    pub(super) tag: i32,
    pub(super) sender: Member,
    pub(super) receiver: Member,
}

/// The channels of a job of which one end is missing, in order. All of one key miss the same end.
#[derive(Default)]
pub(super) struct Unmatched(Mutex<Queues>);

#[derive(Default)]
struct Queues {
    by_key: HashMap<Key, VecDeque<Arc<Channel>>>,
    /// From how many keys on those of dead ranks are looked for.
    sweep_at: usize,
}

/// Sweeping is worth while for this many.
const FEWEST_TO_SWEEP: usize = 64;

impl Unmatched {
    /// The channel of a request that is created now.
    pub(super) fn join(
        &self, world: &'static World, key: Key, side: Side, end: End,
    ) -> Arc<Channel> {
        let mut queues = self.0.lock();
        if queues.by_key.len() >= queues.sweep_at.max(FEWEST_TO_SWEEP) {
            queues
                .by_key
                .retain(|key, _| !world.is_dead(key.sender) && !world.is_dead(key.receiver));
            queues.sweep_at = 2 * queues.by_key.len();
        }
        let queue = queues.by_key.entry(key).or_default();
        let waits = |channel: &Arc<Channel>| channel.end(side).is_none();
        let found = if queue.front().is_some_and(waits) { queue.pop_front() } else { None };
        let channel = found.unwrap_or_else(|| {
            let channel = Arc::new(Channel::new(world));
            queue.push_back(channel.clone());
            channel
        });
        if queue.is_empty() {
            queues.by_key.remove(&key);
        }
        // Under the lock: the other end is to be found there by the next that looks.
        match side {
            Side::Giver => {
                let parts = Parts::new(end.partitions);
                channel.sending.get_or_init(|| Sending { end, parts });
            }
            Side::Taker => {
                channel.receiving.get_or_init(|| Receiving::new(end));
            }
        }
        channel
    }
}
