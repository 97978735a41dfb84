//! The frames of one life in the order in which they were sent, whatever the network does.

use std::collections::BTreeMap;

/// What has come from one life.
#[derive(Debug)]
pub(super) struct Sequence<T> {
    next: u64,
    /// What has come too early, by number.
    ahead: BTreeMap<u64, T>,
}

impl<T> Default for Sequence<T> {
    fn default() -> Sequence<T> {
        Sequence { next: 0, ahead: BTreeMap::new() }
    }
}

impl<T> Sequence<T> {
    /// How many have been taken in.
    pub(super) fn taken(&self) -> u64 {
        self.next
    }

    /// One has come; all whose turn it is go to `take`. What comes twice is dropped.
    pub(super) fn accept(&mut self, number: u64, one: T, mut take: impl FnMut(T)) {
        if number > self.next {
            self.ahead.entry(number).or_insert(one);
            return;
        }
        if number < self.next {
            return;
        }
        take(one);
        self.next += 1;
        while let Some(one) = self.ahead.remove(&self.next) {
            take(one);
            self.next += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_overtakes_waits_for_its_turn() {
        for order in 0..24 {
            let (mut left, mut code, mut taken) = (vec![0, 1, 2, 3], order, Vec::new());
            let mut sequence = Sequence::default();
            for choices in (1..=4).rev() {
                let number: u64 = left.remove(code % choices);
                code /= choices;
                sequence.accept(number, number, |one| taken.push(one));
                sequence.accept(number, 99, |one| taken.push(one));
            }
            let twice: Vec<u64> = taken.iter().copied().filter(|one| *one != 99).collect();
            assert!(twice == [0, 1, 2, 3] && taken.len() == 4, "{order}: {taken:?}");
        }
    }
}
