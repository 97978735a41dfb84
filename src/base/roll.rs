//! Shared lists of members: equal lists are stored once.

use crate::Member;
use crate::member::Roster;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::{Arc, OnceLock, Weak};

/// Shorter lists are not worth sharing.
const WORTHWHILE: usize = 32;

/// An ordered list of members, and the place of each.
#[derive(Debug)]
pub struct Roll {
    members: Box<[Member]>,
    /// How many seats there are up to the last one of a member.
    seats: usize,
    places: OnceLock<HashMap<Member, i32>>,
}

impl Roll {
    pub fn new(members: Vec<Member>) -> Roll {
        let seats = members.iter().map(|member| member.seat + 1).max().unwrap_or(0);
        Roll { members: members.into(), seats, places: OnceLock::new() }
    }

    #[inline]
    pub fn seats(&self) -> usize {
        self.seats
    }

    #[inline]
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// The place of `member`; the first, if it has several.
    #[inline]
    pub fn place(&self, member: Member) -> Option<i32> {
        if self.members.len() < WORTHWHILE {
            let place = self.members.iter().position(|other| *other == member)?;
            return i32::try_from(place).ok();
        }
        let index = || {
            let mut places = HashMap::with_capacity(self.members.len());
            (0i32..).zip(&self.members).for_each(|(place, member)| {
                places.entry(*member).or_insert(place);
            });
            places
        };
        self.places.get_or_init(index).get(&member).copied()
    }
}

impl Roster for Roll {
    #[inline]
    fn rank_of(&self, member: Member) -> Option<i32> {
        self.place(member)
    }

    #[inline]
    fn size(&self) -> usize {
        self.members.len()
    }
}

/// The lists in use, by their hash.
#[derive(Debug, Default)]
pub struct Rolls {
    hasher: RandomState,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    rolls: HashMap<u64, Vec<Weak<Roll>>>,
    /// How many lists there may be before unused ones are removed.
    limit: usize,
}

impl Rolls {
    /// The shared list of these members in this order.
    pub fn enrol(&self, members: Vec<Member>) -> Arc<Roll> {
        if members.len() < WORTHWHILE {
            return Arc::new(Roll::new(members));
        }
        let hash = self.hash(&members);
        let mut known = self.known.lock();
        let alike = known.rolls.entry(hash).or_default();
        let same = |roll: &Arc<Roll>| *roll.members == *members;
        if let Some(roll) = alike.iter().filter_map(Weak::upgrade).find(same) {
            return roll;
        }
        let roll = Arc::new(Roll::new(members));
        alike.push(Arc::downgrade(&roll));
        known.sweep();
        roll
    }

    fn hash(&self, members: &[Member]) -> u64 {
        let mut hasher = self.hasher.build_hasher();
        let fold = |hash: u64, member: &Member| {
            let number = (member.seat as u64) << 20 ^ u64::from(member.incarnation);
            (hash.rotate_left(5) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        };
        hasher.write_u64(members.iter().fold(members.len() as u64, fold));
        hasher.finish()
    }
}

impl Known {
    fn sweep(&mut self) {
        if self.rolls.len() <= self.limit {
            return;
        }
        self.rolls.retain(|_, alike| {
            alike.retain(|roll| roll.strong_count() > 0);
            !alike.is_empty()
        });
        self.limit = 16 + 2 * self.rolls.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members(seats: std::ops::Range<usize>) -> Vec<Member> {
        seats.map(|seat| Member { seat, incarnation: 0 }).collect()
    }

    #[test]
    fn equal_lists_are_one_as_long_as_somebody_holds_it() {
        let rolls = Rolls::default();
        let first = rolls.enrol(members(0..100));
        assert!(Arc::ptr_eq(&first, &rolls.enrol(members(0..100))));
        assert!(!Arc::ptr_eq(&first, &rolls.enrol(members(1..101))));
        let mut turned = members(0..100);
        turned.reverse();
        assert!(!Arc::ptr_eq(&first, &rolls.enrol(turned)));
        drop(first);
        (0..1000).for_each(|start| drop(rolls.enrol(members(start..start + 40))));
        assert!(rolls.known.lock().rolls.len() < 50, "what nobody holds is swept out");
    }

    #[test]
    fn every_member_has_its_place() {
        for count in [0, 1, 31, 32, 500] {
            let roll = Roll::new(members(7..7 + count));
            for (place, member) in (0..).zip(roll.members()) {
                assert_eq!(roll.place(*member), Some(place));
            }
            assert_eq!(roll.place(Member { seat: 6, incarnation: 0 }), None);
            assert_eq!(roll.place(Member { seat: 8, incarnation: 1 }), None);
        }
    }
}
