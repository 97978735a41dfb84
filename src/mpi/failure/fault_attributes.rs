//! What a communicator keeps of failures: its own modes of FT-MPI, and the numbers that the program
//! was told.

use crate::engine::shared::rules::Modes;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI32, Ordering};

/// What a communicator keeps of failures: its own modes, and the numbers that programs were told
/// where to find. Nobody says when a program has read enough: they stay as long as it does.
#[derive(Default)]
pub struct FaultAttributes {
    modes: Mutex<Option<Modes>>,
    told: Mutex<BTreeMap<i32, Vec<Box<[AtomicI32]>>>>,
}

impl FaultAttributes {
    /// What a child of the communicator begins with.
    pub fn inherit(parent: &FaultAttributes) -> FaultAttributes {
        FaultAttributes { modes: Mutex::new(*parent.modes.lock()), told: Mutex::default() }
    }

    /// The modes that were chosen for the communicator, or for what it was made of.
    pub(in crate::mpi) fn modes(&self) -> Option<Modes> {
        *self.modes.lock()
    }

    pub(super) fn set_modes(&self, modes: Option<Modes>) {
        *self.modes.lock() = modes;
    }

    /// Where the program finds these numbers. The place is the same as the last time, unless there
    /// was too little room; then the old place keeps what it had.
    pub(super) fn tell(&self, key: i32, numbers: &[i32]) -> usize {
        let mut told = self.told.lock();
        let places = told.entry(key).or_default();
        if places.last().is_none_or(|place| place.len() < numbers.len()) {
            let room = numbers.len().next_power_of_two().max(8);
            places.push((0..room).map(|_| AtomicI32::new(0)).collect());
        }
        let place = places.last().expect("one was just made where there was none");
        place.iter().zip(numbers).for_each(|(cell, &number)| cell.store(number, Ordering::Relaxed));
        place.as_ptr().expose_provenance()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST_FAILED: i32 = 7002;

    #[test]
    fn numbers_stay_where_a_program_was_told_to_find_them() {
        let losses = FaultAttributes::default();
        let few = losses.tell(LIST_FAILED, &[1, 2]);
        assert_eq!(losses.tell(LIST_FAILED, &[1, 2, 3]), few, "there is room");
        let many = losses.tell(LIST_FAILED, &[4; 20]);
        assert_ne!(many, few);
        let told = losses.told.lock();
        let first = |place: usize| told[&LIST_FAILED][place][2].load(Ordering::Relaxed);
        assert_eq!((first(0), first(1)), (3, 4), "the old place keeps what it had");
    }
}
