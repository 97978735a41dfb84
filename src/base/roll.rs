//! Lists of members, each kept once however many hold it.

use crate::Member;
use crate::member::Roster;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::{Arc, OnceLock, Weak};

/// Shorter lists are not worth looking for.
const WORTHWHILE: usize = 32;

/// An ordered list of members, and where each has its place.
#[derive(Debug)]
pub struct Roll {
    members: Box<[Member]>,
    places: OnceLock<HashMap<Member, i32>>,
}

impl Roll {
    pub fn new(members: Vec<Member>) -> Roll {
        Roll { members: members.into(), places: OnceLock::new() }
    }

    #[inline]
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// Where `member` has its place; the first of them, if it has several.
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

/// The lists that somebody holds, by their hash.
#[derive(Debug, Default)]
pub struct Rolls {
    hasher: RandomState,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    rolls: HashMap<u64, Vec<Weak<Roll>>>,
    /// How many there may be before those that nobody holds any more are swept out.
    limit: usize,
}

impl Rolls {
    /// The one list of these members in this order.
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
