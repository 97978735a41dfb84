//! Fibers that wait for one and the same thing, to be called all at once.
//!
//! Who waits stands in the row of the slot that it runs in. Who calls hands each row to its slot as
//! it is, and touches nobody in it: that slot's worker finds out whom it is to run when it comes to
//! him, and has at hand what belongs to him. Whoever stands in a row may be called in other ways
//! as well, and leave; then it is called once more for nothing.
//!
//! ```text
//! waiter                              caller
//!   stands in a row                     makes it so (SeqCst)
//!   is it so (SeqCst)? then goes on     takes all rows
//!   else parks
//! ```

use super::worker::{self, executor};
use super::{Fiber, current};
use parking_lot::Mutex;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Rows of one sort of waiters, one for each slot. They wait for one thing after the other, by
/// numbers; nobody waits for one any more when somebody waits for the next.
#[derive(Default)]
pub struct Rows {
    /// Where somebody stands: a bit for each slot, which those have in common that are 64 apart.
    places: AtomicU64,
    rows: OnceLock<Box<[Row]>>,
}

#[repr(align(128))]
#[derive(Default)]
struct Row(Mutex<Those>);

#[derive(Default)]
struct Those {
    /// What they wait for.
    number: u32,
    fibers: Vec<&'static Fiber>,
}

impl Rows {
    /// The calling fiber waits for what has this `number`. False in OS threads, which do not stand
    /// in rows.
    #[inline]
    pub fn join(&self, number: u32) -> bool {
        let Some(fiber) = current() else { return false };
        let rows =
            self.rows.get_or_init(|| executor().slots.iter().map(|_| Row::default()).collect());
        let index = worker::slot_of(fiber);
        let mut those = rows[index].0.lock();
        if those.number != number {
            those.number = number;
            those.fibers.clear();
        }
        those.fibers.push(fiber);
        drop(those);
        let bit = 1 << (index % 64);
        if self.places.load(Ordering::SeqCst) & bit == 0 {
            self.places.fetch_or(bit, Ordering::SeqCst);
        }
        true
    }

    /// Calls everybody who waits for what has this `number`, which has happened.
    #[inline]
    pub fn call(&self, number: u32) {
        if self.places.load(Ordering::SeqCst) != 0 {
            self.call_all(number);
        }
    }

    fn call_all(&self, number: u32) {
        let mut places = self.places.swap(0, Ordering::SeqCst);
        let rows = self.rows.get().expect("somebody stands in them");
        if let Some(index) = balance(rows, number) {
            places |= 1 << (index % 64);
        }
        let own = current().map_or(0, worker::slot_of);
        // The own slot's worker is busy yet.
        for index in (own + 1..rows.len()).chain(0..=own) {
            if places >> (index % 64) & 1 == 0 {
                continue;
            }
            let mut those = rows[index].0.lock();
            if those.number == number && !those.fibers.is_empty() {
                executor().slots[index].append_row(&mut those.fibers);
                drop(those);
                executor().rouse(index);
            }
        }
    }
}

/// Members stay where they ran last, so a slot that once came to have many more of them than
/// another would let all wait for it in every turn. A part of the difference goes to the one that
/// has least; says which.
fn balance(rows: &[Row], number: u32) -> Option<usize> {
    /// To move fewer than these costs more than it brings.
    const FEW: usize = 8;
    let (mut most, mut least, mut all) = ((0, 0), (0, usize::MAX), 0);
    for (index, row) in rows.iter().enumerate() {
        let those = row.0.lock();
        let count = if those.number == number { those.fibers.len() } else { 0 };
        all += count;
        if count > most.1 {
            most = (index, count);
        }
        if count < least.1 {
            least = (index, count);
        }
    }
    let apart = most.1 - least.1;
    if apart < FEW.max(all / 8) {
        return None;
    }
    let moved = {
        let mut from = rows[most.0].0.lock();
        let left = from.fibers.len().saturating_sub(apart / 4);
        from.fibers.split_off(left)
    };
    let mut to = rows[least.0].0.lock();
    if to.number != number {
        to.number = number;
        to.fibers.clear();
    }
    to.fibers.extend(moved);
    Some(least.0)
}
