//! Where the members of a collective access to a file lay down what each wants, and what became of
//! it.

use crate::mpi::file::access::Access;
use crate::mpi::file::carrier::End;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock, Weak};

/// The collective accesses to one file that are under way, by the numbers of the operations.
#[derive(Default)]
pub struct Gatherings(Mutex<HashMap<u32, Weak<Gathering>>>);

/// One collective access.
pub struct Gathering {
    /// What each member wants.
    parts: Box<[OnceLock<Access>]>,
    /// Where the shared file pointer was, in accesses that use it.
    pub base: OnceLock<i64>,
    /// What all want, and how they share the work, once all have come.
    pub plan: OnceLock<Division>,
    /// What became of each member's access in each part of the work; none if whoever had the part
    /// died.
    done: Box<[OnceLock<Vec<End>>]>,
}

/// How members share the work of a collective access.
pub struct Division {
    pub accesses: Vec<Access>,
    /// Each member carries its own access, whatever the others do.
    pub is_apart: bool,
    /// Otherwise the parts of the file, and which members carry what is there.
    pub parts: Vec<((u64, u64), usize)>,
    /// Accesses are carried one after the other, in the order of their members.
    pub is_in_turn: bool,
}

impl Gatherings {
    /// The access with this number, among so many members.
    pub fn join(&self, number: u32, members: usize) -> Arc<Gathering> {
        let mut all = self.0.lock();
        if let Some(known) = all.get(&number).and_then(Weak::upgrade) {
            return known;
        }
        all.retain(|_, gathering| gathering.strong_count() > 0);
        let made = Arc::new(Gathering {
            parts: (0..members).map(|_| OnceLock::new()).collect(),
            base: OnceLock::new(),
            plan: OnceLock::new(),
            done: (0..members).map(|_| OnceLock::new()).collect(),
        });
        all.insert(number, Arc::downgrade(&made));
        made
    }
}

impl Gathering {
    /// The member at `place` wants this.
    pub fn lay_down(&self, place: usize, access: Access) {
        let is_first = self.parts[place].set(access).is_ok();
        assert!(is_first, "a member wants one thing at a time");
    }

    /// What each member wants, once all have come; `None` of one that has died since, if what it
    /// laid down went with it.
    pub fn accesses(&self) -> impl Iterator<Item = Option<&Access>> {
        self.parts.iter().map(OnceLock::get)
    }

    /// The member at `place` has done its part of the work.
    pub fn report(&self, place: usize, ends: Vec<End>) {
        let is_first = self.done[place].set(ends).is_ok();
        assert!(is_first, "a member works once");
    }

    /// What became of the access of the member at `place`, if that was the work of `worker`.
    pub fn end(&self, worker: usize, place: usize) -> Option<End> {
        self.done[worker].get().map(|ends| ends[place])
    }
}
