//! When things end that have numbers, most of which change again and again: in blocks, of each of
//! which the first end is known once somebody asks.

use super::units::Picos;

const BLOCK: usize = 64;
const NEVER: Picos = Picos::MAX;

#[derive(Default)]
pub(super) struct Ends {
    ends: Vec<Picos>,
    /// Of each block, the first end; or that it is not known.
    firsts: Vec<Option<Picos>>,
    unknown: Vec<usize>,
}

impl Ends {
    /// That with this number ends then.
    pub(super) fn set(&mut self, number: usize, at: Picos) {
        if number >= self.ends.len() {
            self.firsts.resize(number / BLOCK + 1, Some(NEVER));
            self.ends.resize(self.firsts.len() * BLOCK, NEVER);
        }
        self.ends[number] = at;
        if self.firsts[number / BLOCK].take().is_some() {
            self.unknown.push(number / BLOCK);
        }
    }

    pub(super) fn unset(&mut self, number: usize) {
        self.set(number, NEVER);
    }

    /// When the first one ends.
    pub(super) fn first(&mut self) -> Option<Picos> {
        for block in self.unknown.drain(..) {
            let ends = &self.ends[block * BLOCK..(block + 1) * BLOCK];
            self.firsts[block] = ends.iter().min().copied();
        }
        self.firsts.iter().flatten().min().copied().filter(|first| *first < NEVER)
    }

    /// Those that end by then, by their numbers.
    pub(super) fn by(&mut self, now: Picos) -> Vec<usize> {
        if self.first().is_none_or(|first| first > now) {
            return Vec::new();
        }
        let is_due = |first: &Option<Picos>| first.is_some_and(|first| first <= now);
        let blocks = (0..self.firsts.len()).filter(|block| is_due(&self.firsts[*block]));
        let numbers = blocks.flat_map(|block| block * BLOCK..(block + 1) * BLOCK);
        numbers.filter(|number| self.ends[*number] <= now).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftmpi_base::random::Random;
    use std::collections::BTreeMap;

    #[test]
    fn the_first_end_is_known_however_they_change() {
        let (mut random, mut ends, mut plain) = (Random::new(2), Ends::default(), BTreeMap::new());
        for _ in 0..20_000 {
            let (number, at) = (random.below(500) as usize, random.below(1_000_000));
            if random.chance(60) {
                ends.set(number, at);
                plain.insert(number, at);
            } else {
                ends.unset(number);
                plain.remove(&number);
            }
            if random.chance(30) {
                assert_eq!(ends.first(), plain.values().min().copied());
                let by: Vec<usize> =
                    plain.iter().filter(|(_, end)| **end <= at / 50).map(|(it, _)| *it).collect();
                assert_eq!(ends.by(at / 50), by);
            }
        }
    }
}
