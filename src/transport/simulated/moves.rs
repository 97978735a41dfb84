//! Processes that move: when a node fails, others may make room for the rank that was there. The
//! process of each goes over the network to its new node. Until it is there, messages wait for it,
//! and so does its rank at its next call.

use super::SimulatedNetwork;
use super::journeys::{Journey, Then};
use crate::host::virtual_time::accounts;

impl SimulatedNetwork {
    /// The process of this seat sets out from one node to another.
    pub fn move_process(&'static self, seat: usize, nodes: (usize, usize)) {
        let bytes = self.network.lock().model().recovery.process_bytes;
        if bytes == 0 {
            return;
        }
        let end = self.moves.hold(seat);
        let then = Then::Call(Box::new(move |_| {
            accounts::blame(None);
            end();
        }));
        let seats = (seat, seat);
        self.set_off(Journey { seats, nodes, bytes, is_in_order: false, then });
    }

    /// The process of this seat is another one now, which is where it belongs.
    pub fn forget_move(&self, seat: usize) {
        self.moves.forget(seat);
    }

    /// The calling rank, which is in this seat, waits until its process is where it belongs, or it
    /// is to die.
    #[inline]
    pub fn await_move(&self, seat: usize, is_to_die: impl Fn() -> bool) {
        let Some(under_way) = self.moves.of(seat) else { return };
        // Whoever kills a rank rings its bell.
        under_way.await_at(self.wire().port(seat).bell(), is_to_die);
        self.moves.forget(seat);
    }

    /// Does something in a seat, as soon as its process is where it belongs.
    #[inline]
    pub(super) fn when_there(&self, seat: usize, call: impl FnOnce() + Send + 'static) {
        match self.moves.of(seat) {
            Some(under_way) => under_way.then(call),
            None => call(),
        }
    }
}
