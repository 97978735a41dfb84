//! Fibers that wait for one event and are woken all at once.
//!
//! A waiter stands in the row of the slot that it runs in. The caller hands each row to its slot
//! whole and touches none of the fibers in it: the slot's worker works through the row when it gets
//! to it, where the fibers' data is in its cache. A fiber in a row may also be called in other ways
//! and leave; the row then calls it once more, without effect.
//!
//! ```text
//! waiter                              caller
//!   enters a row                        makes the event true (SeqCst)
//!   is it true (SeqCst)? then goes on   takes all rows
//!   else parks
//! ```

use super::executor::executor;
use super::latch::Latched;
use super::record::{Fiber, current};
use super::worker;
use crate::base::sync::arrivals::is_overtaken;
use crate::host::virtual_time;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Rows of one sort of waiters, one for each slot. They wait for one numbered event after the
/// other; no fiber waits for an event any more when one waits for the next, unless that never
/// happens.
#[derive(Default)]
pub struct Rows {
    /// The occupied slots: one bit for each, which slots share whose numbers differ by 64.
    places: AtomicU64,
    rows: OnceLock<Box<[Row]>>,
}

#[repr(align(128))]
#[derive(Default)]
struct Row(Latched<Those>);

#[derive(Default)]
struct Those {
    /// The event that they wait for.
    number: u32,
    fibers: Vec<&'static Fiber>,
}

impl Rows {
    /// The calling fiber waits for the event of this `number`. False in OS threads, which do not
    /// wait in rows, and in virtual time: a row that is called is ready when its worker gets to it,
    /// which may be later. Also false if others wait for a later event already.
    #[inline]
    pub fn join(&self, number: u32) -> bool {
        let Some(fiber) = current().filter(|_| !virtual_time::is_on()) else { return false };
        let rows =
            self.rows.get_or_init(|| executor().slots.iter().map(|_| Row::default()).collect());
        let index = worker::slot_of(fiber);
        let mut those = rows[index].0.hold();
        if those.number != number {
            if is_overtaken(number, those.number) && !those.fibers.is_empty() {
                return false;
            }
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

    /// Calls every fiber that waits for the event of this `number`, which has happened.
    #[inline]
    pub fn call(&self, number: u32) {
        if self.places.load(Ordering::SeqCst) != 0 {
            self.call_all(number);
        }
    }

    fn call_all(&self, number: u32) {
        let mut places = self.places.swap(0, Ordering::SeqCst);
        let rows = self.rows.get().expect("somebody stands in them");
        if let Some(index) = balance(rows, places, number) {
            places |= 1 << (index % 64);
        }
        let own = current().map_or(0, worker::slot_of);
        // The own slot's worker is still busy.
        for index in (own + 1..rows.len()).chain(0..=own) {
            if places >> (index % 64) & 1 == 0 {
                continue;
            }
            let mut those = rows[index].0.hold();
            if those.number == number && !those.fibers.is_empty() {
                executor().slots[index].append_row(&mut those.fibers);
                drop(those);
                executor().rouse(index);
            }
        }
    }
}

/// Members stay where they ran last, so a slot with many more of them than another would make all
/// of them wait in every turn. Moves part of the difference to the slot that has least; says which.
/// `places` are the slots that may have waiters.
fn balance(rows: &[Row], places: u64, number: u32) -> Option<usize> {
    let count = |(index, row): (usize, &Row)| {
        if places >> (index % 64) & 1 == 0 {
            return 0;
        }
        let those = row.0.hold();
        if those.number == number { those.fibers.len() } else { 0 }
    };
    let (most, least, moved) = uneven(rows.iter().enumerate().map(count))?;
    let moved = {
        let mut from = rows[most].0.hold();
        if from.number != number {
            return None;
        }
        let left = from.fibers.len().saturating_sub(moved);
        from.fibers.split_off(left)
    };
    let mut to = rows[least].0.hold();
    if to.number != number {
        to.number = number;
        to.fibers.clear();
    }
    to.fibers.extend(moved);
    Some(least)
}

/// Which slot has most, which least, and how many fibers to move between them, if it is worth it.
/// Half of what would make them equal: fibers that return on their own must not make it oscillate.
fn uneven(counts: impl Iterator<Item = usize>) -> Option<(usize, usize, usize)> {
    /// Moving fewer than these costs more than it gains.
    const FEW: usize = 8;
    let (mut most, mut least, mut all) = ((0, 0), (0, usize::MAX), 0);
    for (index, count) in counts.enumerate() {
        all += count;
        if count > most.1 {
            most = (index, count);
        }
        if count < least.1 {
            least = (index, count);
        }
    }
    let apart = most.1.saturating_sub(least.1);
    (apart >= FEW.max(all / 8)).then_some((most.0, least.0, apart / 4))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(counts: &[usize]) -> Option<(usize, usize, usize)> {
        uneven(counts.iter().copied())
    }

    #[test]
    fn slots_that_have_about_as_many_keep_them() {
        assert_eq!(moves(&[]), None);
        assert_eq!(moves(&[120]), None);
        assert_eq!(moves(&[60, 60]), None);
        assert_eq!(moves(&[7, 0]), None);
        assert_eq!(moves(&[66, 54]), None);
    }

    #[test]
    fn a_slot_that_has_many_more_gives_some_to_the_one_that_has_least() {
        assert_eq!(moves(&[81, 39]), Some((0, 1, 10)));
        assert_eq!(moves(&[0, 8]), Some((1, 0, 2)));
        assert_eq!(moves(&[30, 20, 50, 20]), Some((2, 1, 7)));
    }

    #[test]
    fn slots_come_to_have_about_as_many_in_a_few_turns() {
        let mut counts = [1000, 0, 0, 0];
        let mut turns = 0;
        while let Some((most, least, moved)) = moves(&counts) {
            counts[most] -= moved;
            counts[least] += moved;
            turns += 1;
        }
        assert!(turns < 25, "{turns} turns to {counts:?}");
        assert!(counts.iter().all(|&count| count.abs_diff(250) < 125), "{counts:?}");
    }
}
