//! Missing members. Without any, nothing is stored: ten thousand members have ten thousand of
//! these.

/// Members that are dead or have left, in the order of notices.
#[derive(Clone, Debug, Default)]
pub(super) struct Absent {
    order: Vec<(u32, bool)>,
    /// One bit for each member, once there are more than [`FEW`].
    bits: Vec<u64>,
}

/// Up to this many, a search in the list is faster.
const FEW: usize = 16;

impl Absent {
    /// Notes that member `who` of `size` is missing; false if that was known.
    pub(super) fn insert(&mut self, who: usize, has_left: bool, size: usize) -> bool {
        assert!(who < size, "member {who} is one of the {size}");
        if self.contains(who) {
            return false;
        }
        self.order.push((who as u32, has_left));
        if !self.bits.is_empty() {
            self.bits[who / 64] |= 1 << (who % 64);
        } else if self.order.len() > FEW {
            self.bits = vec![0; size.div_ceil(64)];
            self.order.iter().for_each(|&(who, _)| self.bits[who as usize / 64] |= 1 << (who % 64));
        }
        true
    }

    #[inline]
    pub(super) fn contains(&self, who: usize) -> bool {
        match self.bits.get(who / 64) {
            Some(word) => word >> (who % 64) & 1 == 1,
            None => self.order.iter().any(|&(absent, _)| absent as usize == who),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    pub(super) fn dead(&self) -> Vec<usize> {
        self.of(false)
    }

    pub(super) fn left(&self) -> Vec<usize> {
        self.of(true)
    }

    fn of(&self, left: bool) -> Vec<usize> {
        let sort = self.order.iter().filter(|(_, has_left)| *has_left == left);
        sort.map(|&(who, _)| who as usize).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_and_many_are_found_alike_and_listed_in_order() {
        let mut absent = Absent::default();
        for who in (0..100).rev().filter(|who| who % 3 != 0) {
            assert!(!absent.contains(who));
            assert!(absent.insert(who, who % 2 == 0, 100));
            assert!(!absent.insert(who, false, 100), "known already");
            assert!(
                (0..100).all(|other| absent.contains(other) == (other >= who && other % 3 != 0))
            );
        }
        assert_eq!(absent.len(), 66);
        assert_eq!(absent.dead()[..3], [97, 95, 91]);
        assert_eq!(absent.left()[..3], [98, 94, 92]);
    }
}
