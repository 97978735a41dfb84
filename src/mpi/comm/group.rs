//! Groups: ordered sets of members (MPI-5.0 §7.3).

use crate::base::Member;
use crate::base::member::Roster;
use crate::base::roll::Roll;
use crate::mpi::error::{Class, Result};
use std::collections::HashSet;
use std::sync::Arc;

const UNDEFINED: i32 = -32766;
const PROC_NULL: i32 = -3;

/// How two groups or communicators compare (MPI-5.0 §7.4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Comparison {
    Ident = 201,
    Congruent,
    Similar,
    Unequal,
}

/// An ordered set of members; ranks are places in it.
#[derive(Debug)]
pub struct Group {
    members: Members,
    /// The rank of the process that holds this group, if it is a member.
    rank: Option<i32>,
    /// The handle of the session that it comes from; 0: from none.
    session: usize,
}

#[derive(Debug)]
enum Members {
    /// Every seat of the world in order, each in its first life but for the holder itself: what
    /// MPI_COMM_WORLD is made of, in a few bytes however many ranks there are.
    World { seats: usize, me: Member },
    /// Listed ones; ranks with the same list share it.
    List(Arc<Roll>),
}

impl Group {
    /// The group of a world of `seats`, as `me` holds it.
    pub fn world(seats: usize, me: Member) -> Group {
        let rank = i32::try_from(me.seat).ok();
        Group { members: Members::World { seats, me }, rank, session: 0 }
    }

    /// The group of these members in this order, as `me` holds it.
    pub fn of(members: Vec<Member>, me: Member) -> Group {
        Group::listed(Arc::new(Roll::new(members)), me)
    }

    /// The group of these members, as `me` holds it.
    pub fn listed(roll: Arc<Roll>, me: Member) -> Group {
        let rank = roll.place(me);
        Group { members: Members::List(roll), rank, session: 0 }
    }

    /// Whether this group comes before `other` where both could: it has the first seat among their
    /// first members. Members of both find the same.
    pub(in crate::mpi) fn leads(&self, other: &Group) -> bool {
        let seat = |group: &Group| group.member(0).expect("no group here is empty").seat;
        seat(self) < seat(other)
    }

    /// Both groups in this order, as a member of this one holds them.
    pub(in crate::mpi) fn united(&self, other: &Group) -> Group {
        let me = self.rank.and_then(|rank| self.member(usize::try_from(rank).ok()?));
        let (first, second) = if self.leads(other) { (self, other) } else { (other, self) };
        let members = first.members().chain(second.members()).collect();
        Group::of(members, me.expect("the holder is a member"))
    }

    /// This group, marked as derived from the session with this handle.
    pub fn of_session(self, session: usize) -> Group {
        Group { session, ..self }
    }

    /// The handle of the session that it comes from; 0: from none.
    pub fn session(&self) -> usize {
        self.session
    }

    /// The rank of the process that holds this group, if it is a member.
    pub fn rank(&self) -> Option<i32> {
        self.rank
    }

    /// How many members there are.
    #[inline]
    pub fn len(&self) -> usize {
        match &self.members {
            Members::World { seats, .. } => *seats,
            Members::List(roll) => roll.members().len(),
        }
    }

    /// How many members there are, as MPI counts.
    pub fn size(&self) -> i32 {
        i32::try_from(self.len()).expect("ranks fit an int")
    }

    /// The rank of the process that holds this group, or MPI_UNDEFINED.
    pub fn rank_or_undefined(&self) -> i32 {
        self.rank.unwrap_or(UNDEFINED)
    }

    /// True for a group without members.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The member with this rank.
    #[inline]
    pub fn member(&self, rank: usize) -> Option<Member> {
        match &self.members {
            Members::World { seats, me } if rank < *seats => {
                let stranger = Member { seat: rank, incarnation: 0 };
                Some(if rank == me.seat { *me } else { stranger })
            }
            Members::World { .. } => None,
            Members::List(roll) => roll.members().get(rank).copied(),
        }
    }

    /// How many seats there are up to the last one of a member.
    #[inline]
    pub fn seats(&self) -> usize {
        match &self.members {
            Members::World { seats, .. } => *seats,
            Members::List(roll) => roll.seats(),
        }
    }

    /// All members in the order of their ranks.
    pub fn members(&self) -> impl Iterator<Item = Member> + '_ {
        (0..self.len()).filter_map(|rank| self.member(rank))
    }

    /// The rank that `member` has here.
    pub fn rank_of(&self, member: Member) -> Option<i32> {
        match &self.members {
            Members::World { .. } => {
                let known = self.member(member.seat) == Some(member);
                known.then(|| i32::try_from(member.seat).expect("ranks fit an int"))
            }
            Members::List(roll) => roll.place(member),
        }
    }

    /// Compares members and their order.
    pub fn compare(&self, other: &Group) -> Comparison {
        if let (Members::List(mine), Members::List(theirs)) = (&self.members, &other.members)
            && Arc::ptr_eq(mine, theirs)
        {
            return Comparison::Ident;
        }
        if self.len() != other.len() {
            return Comparison::Unequal;
        }
        if self.members().eq(other.members()) {
            return Comparison::Ident;
        }
        let shared = self.members().all(|member| other.rank_of(member).is_some());
        if shared { Comparison::Similar } else { Comparison::Unequal }
    }

    /// The ranks in `other` of the members with `ranks` here (MPI-5.0 §7.3.1).
    pub fn translate(&self, ranks: &[i64], other: &Group) -> Result<Vec<i32>> {
        let translate = |rank: &i64| {
            if *rank == i64::from(PROC_NULL) {
                return Ok(PROC_NULL);
            }
            let member = self.known(*rank, "ranks1")?;
            Ok(other.rank_of(member).unwrap_or(UNDEFINED))
        };
        ranks.iter().map(translate).collect()
    }

    /// Members of either group: this group's first, then those only in `other`.
    pub fn union(&self, other: &Group) -> Vec<Member> {
        let strangers = other.members().filter(|member| self.rank_of(*member).is_none());
        self.members().chain(strangers).collect()
    }

    /// Members of both groups, in this group's order.
    pub fn intersection(&self, other: &Group) -> Vec<Member> {
        self.members().filter(|member| other.rank_of(*member).is_some()).collect()
    }

    /// Members of this group that are not in `other`.
    pub fn difference(&self, other: &Group) -> Vec<Member> {
        self.members().filter(|member| other.rank_of(*member).is_none()).collect()
    }

    /// The members with these ranks, in the order of `ranks`, each once.
    pub fn incl(&self, ranks: &[i64]) -> Result<Vec<Member>> {
        self.pick(ranks)
    }

    /// The members but for those with these ranks, each named once.
    pub fn excl(&self, ranks: &[i64]) -> Result<Vec<Member>> {
        self.pick(ranks)?;
        let out: HashSet<i64> = ranks.iter().copied().collect();
        let kept = (0i64..).zip(self.members()).filter(|(rank, _)| !out.contains(rank));
        Ok(kept.map(|(_, member)| member).collect())
    }

    /// The ranks that these triplets of first, last and stride stand for (MPI-5.0 §7.3.2).
    pub fn expand(&self, ranges: &[[i32; 3]]) -> Result<Vec<i64>> {
        let mut ranks = Vec::new();
        for [first, last, stride] in ranges.iter().map(|range| range.map(i64::from)) {
            if stride == 0 {
                return Err(Class::ARG.because("ranges holds a stride of 0; it must not be 0"));
            }
            if (last - first).signum() * stride.signum() < 0 {
                continue;
            }
            let steps = (last - first) / stride;
            self.known(first, "ranges")?;
            self.known(first + steps * stride, "ranges")?;
            ranks.extend((0..=steps).map(|step| first + step * stride));
        }
        Ok(ranks)
    }

    fn pick(&self, ranks: &[i64]) -> Result<Vec<Member>> {
        let mut seen = HashSet::with_capacity(ranks.len());
        let pick = |rank: &i64| {
            let member = self.known(*rank, "ranks")?;
            if !seen.insert(*rank) {
                return Err(Class::RANK.because(format!("ranks names rank {rank} twice")));
            }
            Ok(member)
        };
        ranks.iter().map(pick).collect()
    }

    fn known(&self, rank: i64, name: &str) -> Result<Member> {
        let member = usize::try_from(rank).ok().and_then(|rank| self.member(rank));
        member.ok_or_else(|| {
            let words = format!("{name} holds {rank}; the group has {} members", self.len());
            Class::RANK.because(words)
        })
    }
}

impl Roster for Group {
    fn rank_of(&self, member: Member) -> Option<i32> {
        Group::rank_of(self, member)
    }

    fn size(&self) -> usize {
        self.len()
    }
}

/// The members of two groups; a rank is the one that a member has in its own.
pub(in crate::mpi) struct Both(pub(in crate::mpi) Arc<Group>, pub(in crate::mpi) Arc<Group>);

impl Roster for Both {
    fn rank_of(&self, member: Member) -> Option<i32> {
        self.0.rank_of(member).or_else(|| self.1.rank_of(member))
    }

    fn size(&self) -> usize {
        self.0.len() + self.1.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;

    fn seat(seat: usize) -> Member {
        Member { seat, incarnation: 0 }
    }

    fn seats(group: &[Member]) -> Vec<usize> {
        group.iter().map(|member| member.seat).collect()
    }

    #[test]
    fn a_world_knows_its_members_without_a_list() {
        let world = Group::world(1_000_000, Member { seat: 5, incarnation: 2 });
        assert_eq!(world.member(5), Some(Member { seat: 5, incarnation: 2 }));
        assert_eq!(world.rank_of(seat(999_999)), Some(999_999));
        assert_eq!(world.rank_of(seat(5)), None, "an earlier life is not a member");
        assert_eq!(world.rank_of(seat(1_000_000)), None);
        assert_eq!(world.rank(), Some(5));
    }

    #[test]
    fn sets_keep_the_order_the_standard_says() {
        let a = Group::of([3, 1, 2].map(seat).to_vec(), seat(1));
        let b = Group::of([2, 4, 3].map(seat).to_vec(), seat(1));
        assert_eq!(seats(&a.union(&b)), [3, 1, 2, 4]);
        assert_eq!(seats(&a.intersection(&b)), [3, 2]);
        assert_eq!(seats(&a.difference(&b)), [1]);
        assert_eq!((a.rank(), b.rank()), (Some(1), None));
    }

    #[test]
    fn groups_compare_by_members_and_order() {
        let a = Group::of([0, 1, 2].map(seat).to_vec(), seat(0));
        let b = Group::of([2, 1, 0].map(seat).to_vec(), seat(0));
        let c = Group::of([0, 1].map(seat).to_vec(), seat(0));
        let d = Group::of([0, 1, 3].map(seat).to_vec(), seat(0));
        assert_eq!(a.compare(&Group::world(3, seat(0))), Comparison::Ident);
        assert_eq!(a.compare(&b), Comparison::Similar);
        assert_eq!(a.compare(&c), Comparison::Unequal);
        assert_eq!(a.compare(&d), Comparison::Unequal);
    }

    #[test]
    fn ranges_run_both_ways() {
        let world = Group::world(7, seat(0));
        assert_eq!(world.expand(&[[6, 1, -2], [0, 3, 2]]), Ok(vec![6, 4, 2, 0, 2]));
        assert_eq!(world.expand(&[[3, 3, 7]]), Ok(vec![3]));
        assert_eq!(world.expand(&[[3, 1, 1]]), Ok(vec![]));
        assert!(world.expand(&[[0, 1, 0]]).is_err());
        assert!(world.expand(&[[0, i32::MAX, 1]]).is_err());
    }

    #[test]
    fn a_rank_that_is_none_and_a_rank_named_twice_are_refused() {
        let group = Group::world(4, seat(0));
        assert!(group.incl(&[0, 4]).is_err());
        assert!(group.incl(&[-1]).is_err());
        assert!(group.excl(&[1, 1]).is_err());
        assert_eq!(seats(&group.incl(&[3, 0]).expect("the ranks are there")), [3, 0]);
        assert_eq!(seats(&group.excl(&[3, 0]).expect("the ranks are there")), [1, 2]);
    }

    /// Groups as sets that are lists: what the standard says, and nothing else.
    #[test]
    fn random_groups_agree_with_plain_lists() {
        let rounds = if cfg!(miri) { 5 } else { 2000 };
        for seed in 0..rounds {
            let mut random = Random::new(seed);
            let most = [5, 70][random.below(2) as usize];
            let mut list = || {
                let mut all: Vec<usize> = (0..most).collect();
                (1..most).for_each(|at| all.swap(at, random.below(at as u64 + 1) as usize));
                all.truncate(random.below(most as u64 + 1) as usize);
                all
            };
            let (a, b) = (list(), list());
            let group =
                |list: &[usize]| Group::of(list.iter().copied().map(seat).collect(), seat(0));
            let (first, second) = (group(&a), group(&b));
            let only = |list: &[usize], keep: &dyn Fn(&usize) -> bool| -> Vec<usize> {
                list.iter().copied().filter(|seat| keep(seat)).collect()
            };
            let (in_a, in_b) = (|seat: &usize| a.contains(seat), |seat: &usize| b.contains(seat));
            let not_in_a = only(&b, &|seat| !in_a(seat));
            assert_eq!(seats(&first.union(&second)), [&a[..], &not_in_a].concat(), "seed {seed}");
            assert_eq!(seats(&first.intersection(&second)), only(&a, &in_b), "seed {seed}");
            assert_eq!(seats(&first.difference(&second)), only(&a, &|seat| !in_b(seat)));
            let sorted = |list: &[usize]| {
                let mut list = list.to_vec();
                list.sort_unstable();
                list
            };
            let wanted = match () {
                () if a == b => Comparison::Ident,
                () if sorted(&a) == sorted(&b) => Comparison::Similar,
                () => Comparison::Unequal,
            };
            assert_eq!(first.compare(&second), wanted, "seed {seed}");
            let place = |seat: &usize| b.iter().position(|other| other == seat);
            let translated: Vec<i32> =
                a.iter().map(|seat| place(seat).map_or(UNDEFINED, |at| at as i32)).collect();
            let ranks: Vec<i64> = (0..a.len() as i64).collect();
            assert_eq!(first.translate(&ranks, &second), Ok(translated), "seed {seed}");
            let chosen: Vec<i64> = ranks.iter().copied().filter(|_| random.chance(50)).collect();
            let incl: Vec<usize> = chosen.iter().map(|rank| a[*rank as usize]).collect();
            assert_eq!(first.incl(&chosen).map(|members| seats(&members)), Ok(incl.clone()));
            let excl = only(&a, &|seat| !incl.contains(seat));
            assert_eq!(first.excl(&chosen).map(|members| seats(&members)), Ok(excl));
            assert_eq!(first.rank(), a.iter().position(|seat| *seat == 0).map(|at| at as i32));
        }
    }

    #[test]
    fn random_ranges_agree_with_counting() {
        let world = Group::world(40, seat(0));
        for seed in 0..2000 {
            let mut random = Random::new(seed);
            let mut number = |most: u64| random.below(2 * most) as i32 - most as i32 / 4;
            let (first, last, stride) = (number(22), number(22), number(5));
            let mut ranks = Vec::new();
            let mut at = first;
            while stride != 0 && (stride > 0 && at <= last || stride < 0 && at >= last) {
                ranks.push(i64::from(at));
                at += stride;
            }
            let is_known = ranks.iter().all(|rank| (0..40).contains(rank));
            let seen = world.expand(&[[first, last, stride]]);
            let wanted = (stride != 0 && is_known).then_some(ranks);
            assert_eq!(seen.ok(), wanted, "seed {seed}: {first} {last} {stride}");
        }
    }

    #[test]
    fn ranks_translate_by_member() {
        let world = Group::world(4, seat(0));
        let some = Group::of([3, 1].map(seat).to_vec(), seat(0));
        let found = world.translate(&[0, 1, 3, -3], &some);
        assert_eq!(found, Ok(vec![UNDEFINED, 1, 0, PROC_NULL]));
        assert!(world.translate(&[4], &some).is_err());
    }
}
