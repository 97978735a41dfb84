//! Memory of this process that other processes may change by asking for it. Whoever hides it waits
//! until changes that are under way are done: then the memory is the program's own again.

use crate::host::memory::Span;
use parking_lot::{RwLock, RwLockReadGuard};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

/// Memory by where it begins, and a number of its own, since such memory may overlap.
type All = BTreeMap<(usize, u64), Span>;

static ALL: RwLock<All> = RwLock::new(BTreeMap::new());

/// Memory that others may change as long as this is there.
#[derive(Debug)]
pub struct ShownMemory((usize, u64));

impl ShownMemory {
    pub fn new(memory: Span) -> ShownMemory {
        static NUMBERS: AtomicU64 = AtomicU64::new(0);
        let key = (memory.address(), NUMBERS.fetch_add(1, Ordering::Relaxed));
        ALL.write().insert(key, memory);
        ShownMemory(key)
    }
}

impl Drop for ShownMemory {
    fn drop(&mut self) {
        ALL.write().remove(&self.0);
    }
}

/// A number of this process that other hosts may change as long as this is there.
#[derive(Debug)]
pub struct ShownWord(ShownMemory);

impl ShownWord {
    pub fn new(word: &AtomicI64) -> ShownWord {
        let address = word.as_ptr().expose_provenance();
        let memory = Span::new(std::ptr::with_exposed_provenance(address), size_of::<i64>());
        ShownWord(ShownMemory::new(memory))
    }

    pub fn address(&self) -> usize {
        self.0.0.0
    }
}

/// All that is shown stays so meanwhile.
pub struct Shown(RwLockReadGuard<'static, All>);

pub fn shown() -> Shown {
    Shown(ALL.read())
}

impl Shown {
    /// Whether all of this memory may be changed.
    pub fn holds(&self, memory: Span) -> bool {
        let Some(more) = memory.bytes().checked_sub(1) else { return true };
        let (first, Some(last)) = (memory.address(), memory.address().checked_add(more)) else {
            return false;
        };
        let mut before = self.0.range(..=(first, u64::MAX)).rev();
        before.any(|(_, shown)| shown.holds(first) && shown.holds(last))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_shown_as_long_as_one_of_those_who_show_it_is_there() {
        let bytes = [0_u8; 100];
        let all = Span::of(&bytes);
        let (first, second) = (ShownMemory::new(all), ShownMemory::new(all.part(0, 60)));
        let within = ShownMemory::new(all.part(30, 10));
        let seen = [all, all.part(35, 30), all.part(99, 1), all.part(0, 0)];
        assert!(seen.iter().all(|part| shown().holds(*part)));
        let beyond = Span::new(std::ptr::without_provenance(all.address() + 90), 11);
        assert!(!shown().holds(beyond) && !shown().holds(Span::new(std::ptr::null(), 8)));
        drop(first);
        assert!(shown().holds(all.part(0, 60)) && !shown().holds(all.part(35, 30)));
        drop((within, second));
        assert!(!shown().holds(all.part(35, 1)));
    }
}
