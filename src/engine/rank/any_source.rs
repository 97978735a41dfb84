//! Wildcard receives (`MPI_ANY_SOURCE`) after the death of a rank that might have been the sender
//! (ULFM). They stay posted, but a wait for one reports the death until the program acknowledges
//! it.

use crate::base::slab::Key;
use crate::engine::{ANY_TAG, Engine};
use crate::transport::Envelope;

impl Engine {
    /// The program knows of the first `epoch` deaths, as far as they concern the communicator with
    /// this context: they do not stand against receives from any source any more.
    pub fn acknowledge(&self, context: u32, epoch: usize) {
        let envelope =
            Envelope { context: 2 * context, source: crate::engine::ANY_SOURCE, tag: ANY_TAG };
        let mut state = self.state.lock();
        let known = state.reported.entry(envelope.context).or_default();
        *known = epoch.max(*known);
        let doubted = |key: &Key| {
            let op = state.ops.0.find(*key);
            op.is_some_and(|op| op.doubt.is_some() && op.envelope.context == envelope.context)
        };
        let doubted: Vec<Key> = state.ops.0.keys().filter(doubted).collect();
        for key in doubted {
            state.ops.0.find_mut(key).expect("it was found above").doubt = None;
            self.review(&mut state, key);
        }
        self.share_news(&mut state);
    }
}
