//! Void operations: the members have called different things, and those that already wait in the
//! operation are told.

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

impl Voids {
    /// Makes these operations, by the contexts and tags of their messages, void, and announces it
    /// while the list is locked: a rank that finds the announcement finds the entry. Members may
    /// ask for the reason as long as there are any, so it is kept for good. The first reason is
    /// kept and returned.
    pub(super) fn make(
        &self, operations: &[(u32, i32)], class: i32, words: impl FnOnce() -> String,
        announce: impl FnOnce(),
    ) -> Void {
        let mut all = self.all.lock();
        if let Some(known) = operations.iter().find_map(|operation| all.get(operation)) {
            return *known;
        }
        let void = Void { class, words: words().leak() };
        operations.iter().for_each(|operation| _ = all.insert(*operation, void));
        self.count.store(all.len(), Ordering::SeqCst);
        announce();
        void
    }

    /// Why an operation with this envelope is void, if it is.
    pub(super) fn find(&self, envelope: Envelope) -> Option<Void> {
        let operation = (envelope.context, envelope.tag);
        if self.are_any() { self.all.lock().get(&operation).copied() } else { None }
    }

    pub(super) fn are_any(&self) -> bool {
        self.count.load(Ordering::SeqCst) != 0
    }
}
