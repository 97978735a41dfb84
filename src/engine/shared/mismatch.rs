//! Void operations: the members have called different things, and those that already wait in the
//! operation are told.

use crate::engine::World;
use crate::transport::Envelope;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Why an operation is void: the class of the error that its members get, and its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Void {
    pub class: i32,
    pub words: &'static str,
}

/// The operations of a job that are void, and how many.
#[derive(Default)]
pub(in crate::engine) struct Voids {
    all: Mutex<HashMap<(u32, i32), Void>>,
    count: AtomicUsize,
}

impl World {
    /// Ends what waits for messages of these contexts and tags, or in place of them. Members may
    /// ask for the reason as long as there are any, so it is kept for good: that of the first who
    /// says so, which is returned.
    pub fn make_void(
        &self, operations: &[(u32, i32)], class: i32, words: impl FnOnce() -> String,
    ) -> Void {
        let mut all = self.voids.all.lock();
        if let Some(known) = operations.iter().find_map(|operation| all.get(operation)) {
            return *known;
        }
        let void = Void { class, words: words().leak() };
        operations.iter().for_each(|operation| _ = all.insert(*operation, void));
        self.voids.count.store(all.len(), Ordering::SeqCst);
        // Whoever finds the entry finds the stir, too.
        self.disturb();
        drop(all);
        self.wake_all();
        void
    }

    /// Why an operation with this envelope is void, if it is.
    pub(in crate::engine) fn void(&self, envelope: Envelope) -> Option<Void> {
        let operation = (envelope.context, envelope.tag);
        if self.has_voids() { self.voids.all.lock().get(&operation).copied() } else { None }
    }

    pub(in crate::engine) fn has_voids(&self) -> bool {
        self.voids.count.load(Ordering::SeqCst) != 0
    }
}
