//! Where ranks find each other's memory: each keeper of checkpoints has a shelf, whose number it
//! tells the others, and on which it shows what they may read and write to.
//!
//! Whatever is shown is held by all who use it, so it outlives the rank that has shown it. Whoever
//! gives up takes it down, and never touches it again: others who go on spoil nothing.

use super::decoding::Room;
use super::memory::{Codes, Data, Source};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};

/// The shelves of all who live, by their numbers.
static SHELVES: Mutex<BTreeMap<u64, Weak<Shelf>>> = Mutex::new(BTreeMap::new());
static LAST: AtomicU64 = AtomicU64::new(0);

/// One operation among the members of a communicator: its context, and its number there.
pub(super) type Stamp = (u32, i32);

pub(super) struct Shelf {
    pub(super) number: u64,
    offer: Mutex<Option<Arc<Offer>>>,
}

/// What a rank shows to the others.
pub(super) struct Offer {
    pub(super) stamp: Stamp,
    pub(super) data: Arc<Data>,
    pub(super) codes: Arc<Codes>,
    /// Where the data come from that are not in there yet.
    pub(super) source: Option<Source>,
    /// An address that is not there, though it was registered.
    pub(super) fault: OnceLock<usize>,
    /// Where data come back.
    pub(super) rooms: Vec<Arc<Room>>,
}

impl Shelf {
    pub(super) fn fresh() -> Arc<Shelf> {
        let number = LAST.fetch_add(1, Ordering::Relaxed) + 1;
        let shelf = Arc::new(Shelf { number, offer: Mutex::default() });
        SHELVES.lock().insert(number, Arc::downgrade(&shelf));
        shelf
    }

    /// Shows it until the value is dropped.
    pub(super) fn show(self: &Arc<Shelf>, offer: Offer) -> Shown {
        let offer = Arc::new(offer);
        *self.offer.lock() = Some(offer.clone());
        Shown { shelf: self.clone(), offer }
    }

    /// What is shown for one operation on the shelves with these numbers; nothing where the owner
    /// is dead, or has given up.
    pub(super) fn find(numbers: &[u64], stamp: Stamp) -> Vec<Option<Arc<Offer>>> {
        let shelves: Vec<Option<Arc<Shelf>>> = {
            let known = SHELVES.lock();
            numbers.iter().map(|number| known.get(number).and_then(Weak::upgrade)).collect()
        };
        let shown = |shelf: Option<Arc<Shelf>>| shelf?.offer.lock().clone();
        let of_this = |offer: &Arc<Offer>| offer.stamp == stamp;
        shelves.into_iter().map(|shelf| shown(shelf).filter(of_this)).collect()
    }
}

impl Drop for Shelf {
    fn drop(&mut self) {
        SHELVES.lock().remove(&self.number);
    }
}

/// What is on a shelf.
pub(super) struct Shown {
    shelf: Arc<Shelf>,
    pub(super) offer: Arc<Offer>,
}

impl Drop for Shown {
    fn drop(&mut self) {
        let mut offer = self.shelf.offer.lock();
        // Who has jumped out of a call may have shown something else since.
        if offer.as_ref().is_some_and(|other| Arc::ptr_eq(other, &self.offer)) {
            *offer = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offer(stamp: Stamp) -> Offer {
        let (data, codes, rooms) = Default::default();
        Offer { stamp, data, codes, source: None, fault: OnceLock::new(), rooms }
    }

    #[test]
    fn what_is_shown_is_found_until_its_owner_takes_it_down_or_is_gone() {
        let (shelf, other) = (Shelf::fresh(), Shelf::fresh());
        let (number, empty) = (shelf.number, other.number);
        let find = |number: u64, stamp: Stamp| Shelf::find(&[number, empty], stamp).swap_remove(0);
        assert!(empty != number && find(number, (1, 2)).is_none());
        let old = shelf.show(offer((1, 2)));
        let found = find(number, (1, 2)).expect("it is shown");
        assert!(find(number, (1, 3)).is_none(), "that is another operation");
        assert!(find(empty, (1, 2)).is_none(), "that is somebody else");
        let new = shelf.show(offer((1, 3)));
        drop(old);
        assert!(find(number, (1, 3)).is_some(), "only its own is taken down");
        drop(new);
        assert!(find(number, (1, 3)).is_none());
        assert_eq!(Arc::strong_count(&found), 1, "who has found it may go on with it");
        drop(shelf);
        assert!(find(number, (1, 2)).is_none() && !SHELVES.lock().contains_key(&number));
    }
}
