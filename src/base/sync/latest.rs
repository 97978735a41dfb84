//! A small cache of the most recently computed results: a repeated request is answered from it
//! until newer ones have displaced it.

use parking_lot::Mutex;
use std::sync::Arc;

/// Values by key; each depends on its key alone.
pub struct Latest<K, V, const KEPT: usize>(Mutex<Vec<(K, Arc<V>)>>);

impl<K: PartialEq, V, const KEPT: usize> Default for Latest<K, V, KEPT> {
    fn default() -> Latest<K, V, KEPT> {
        Latest::new()
    }
}

impl<K: PartialEq, V, const KEPT: usize> Latest<K, V, KEPT> {
    pub const fn new() -> Latest<K, V, KEPT> {
        Latest(Mutex::new(Vec::new()))
    }

    /// The value of `key`, cached or made by `make`. No thread waits for another's computation.
    pub fn of(&self, key: K, make: impl FnOnce() -> V) -> Arc<V> {
        if let Some((_, value)) = self.0.lock().iter().find(|(known, _)| *known == key) {
            return value.clone();
        }
        let value = Arc::new(make());
        let mut kept = self.0.lock();
        let first = (kept.len() + 1).saturating_sub(KEPT);
        kept.drain(..first);
        kept.push((key, value.clone()));
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_asked_for_last_is_made_once() {
        let (latest, mut made) = (Latest::<u32, u32, 2>::new(), Vec::new());
        for key in [1, 2, 1, 2, 3, 2, 3, 1] {
            let value = latest.of(key, || {
                made.push(key);
                10 * key
            });
            assert_eq!(*value, 10 * key);
        }
        assert_eq!(made, [1, 2, 3, 1]);
    }
}
