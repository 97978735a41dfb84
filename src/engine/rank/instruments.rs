//! The calls of the tools interface (see `tally`).

use crate::engine::rank::tally::{Observer, Queues, Tally};
use crate::engine::{Engine, State};
use crate::transport::Packet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

impl Engine {
    /// The counts so far. What has arrived by now is counted.
    pub fn tally(&self) -> Tally {
        let _is_up_to_date = self.poll(|_| Some(()));
        self.state.lock().tally
    }

    /// The lengths of the queues. What has arrived by now is in them.
    pub fn queues(&self) -> Queues {
        let _is_up_to_date = self.poll(|_| Some(()));
        let state = self.state.lock();
        Queues {
            posted: state.posted.len() + state.ops.1.waiting(),
            unexpected: state.unexpected.len(),
            unexpected_bytes: state.unexpected.all().map(|(_, packet)| packet.bytes()).sum(),
            awaited: self.awaited.load(Ordering::Relaxed),
        }
    }

    /// The mark of the longest unexpected queue falls to the present length.
    pub fn lower_unexpected_mark(&self) {
        let mut state = self.state.lock();
        state.tally.most_unexpected = state.unexpected.len();
    }

    /// One tool more, or one fewer, wants to count all messages.
    pub fn count_all(&self, is_wanted: bool) {
        let mut state = self.state.lock();
        state.counting = if is_wanted { state.counting + 1 } else { state.counting - 1 };
        state.start_preposted();
        self.look_out(&mut state);
    }

    /// How long an eager message is at most.
    pub fn eager_limit(&self) -> usize {
        self.instruments.eager_limit.load(Ordering::Relaxed)
    }

    /// Sets that limit, at most [`Packet::ROOM`].
    pub fn set_eager_limit(&self, bytes: usize) {
        self.instruments.eager_limit.store(bytes.min(Packet::ROOM), Ordering::Relaxed);
        self.look_out(&mut self.state.lock());
    }

    /// Whether a tool wants what the fast path does not do.
    pub(in crate::engine) fn is_instrumented(&self, state: &State) -> bool {
        state.counting != 0 || self.eager_limit() < Packet::ROOM
    }

    /// An observer is to hear of the deaths that the program is being told of.
    pub fn notice_for_observer(&self) {
        if self.instruments.observes_deaths() {
            let _is_up_to_date = self.poll(|_| Some(()));
        }
    }

    /// From now on `observer` is told of what it wants to hear.
    pub fn observe(&self, observer: Arc<dyn Observer>, deaths: bool, arrivals: bool) {
        self.instruments.observe(observer, deaths, arrivals);
    }
}
