//! Chance with a seed: the same seed gives the same numbers on every machine.

/// A small generator (SplitMix64, Steele et al. 2014). Not for secrets.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    #[inline]
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The next 64 bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number below `bound`, which is not 0.
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        self.bits() % bound
    }

    /// True `percent` times in a hundred.
    #[inline]
    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_repeats_itself_and_differs_from_its_neighbour() {
        let first = |seed| {
            std::array::from_fn::<u64, 8, _>({
                let mut random = Random::new(seed);
                move |_| random.bits()
            })
        };
        assert_eq!(first(7), first(7));
        assert_ne!(first(7), first(8));
    }
}
