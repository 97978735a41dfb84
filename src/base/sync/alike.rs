//! Shares a result that many threads would compute alike: the first computes it, and the others
//! reuse it as long as a thread holds it.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

/// Values by key; a value depends on its key alone, whichever thread computes it.
pub struct Alike<K, V> {
    known: Mutex<BTreeMap<K, Weak<V>>>,
}

impl<K: Ord, V> Default for Alike<K, V> {
    fn default() -> Alike<K, V> {
        Alike::new()
    }
}

impl<K: Ord, V> Alike<K, V> {
    pub const fn new() -> Alike<K, V> {
        Alike { known: Mutex::new(BTreeMap::new()) }
    }

    /// The value of `key`, which a thread holds, or which `make` makes. No thread waits for
    /// another's computation: two that come at once both compute it, and one result is used.
    pub fn of(&self, key: K, make: impl FnOnce() -> V) -> Arc<V> {
        let held = |known: &BTreeMap<K, Weak<V>>| known.get(&key).and_then(Weak::upgrade);
        if let Some(value) = held(&self.known.lock()) {
            return value;
        }
        let made = Arc::new(make());
        let mut known = self.known.lock();
        if let Some(value) = held(&known) {
            return value;
        }
        known.retain(|_, value| value.strong_count() > 0);
        known.insert(key, Arc::downgrade(&made));
        made
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::sync::Barrier;

    #[test]
    fn what_somebody_holds_is_not_made_again_and_what_nobody_holds_is_forgotten() {
        let alike = Alike::default();
        let first = alike.of(1, || "first");
        assert!(Arc::ptr_eq(&first, &alike.of(1, || "second")));
        assert_eq!(*alike.of(2, || "other"), "other");
        drop(first);
        assert_eq!(*alike.of(1, || "third"), "third");
        let held = alike.of(3, || "held");
        assert_eq!(alike.known.lock().len(), 1, "nobody holds the others");
        assert_eq!(*held, "held");
    }

    #[test]
    fn all_who_come_at_once_have_the_same() {
        let (alike, gate) = (Alike::default(), Barrier::new(8));
        for key in 0..200 {
            let values: Vec<Arc<usize>> = std::thread::scope(|scope| {
                let come = |who: usize| {
                    let (alike, gate) = (&alike, &gate);
                    scope.spawn(move || {
                        gate.wait();
                        alike.of(key, || who)
                    })
                };
                let all: Vec<_> = (0..8).map(come).collect();
                all.into_iter().map(|one| one.join().expect("it made one")).collect()
            });
            assert!(values.iter().all(|value| Arc::ptr_eq(value, &values[0])), "{key}");
        }
    }
}
