//! Where data and codes are kept: stripes with data of different members, and the keepers of their
//! codes.
//!
//! A member's data are cut into chunks of equal length, each of which belongs to one stripe. A copy
//! is the code of a stripe with one chunk. All parts of a stripe are at different members, so a
//! stripe with k codes survives the loss of any k members.

use super::scheme::{Keeping, Scheme};
use std::ops::Range;

/// The codes work on multiples of this many bytes.
pub const GRAIN: usize = 64;

/// Chunks that are encoded together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stripe {
    /// The members that share stripes form a group.
    pub group: usize,
    /// For each chunk, its member, and its number among that member's chunks.
    pub data: Vec<(usize, usize)>,
    /// The members that keep the codes, in the order of codes.
    pub keepers: Vec<usize>,
}

/// The stripes of a number of members.
#[derive(Clone, Debug)]
pub struct Layout {
    pub stripes: Vec<Stripe>,
    /// The number of chunks of each member; 0 if it has no data, or they are not protected.
    pub chunks: Vec<usize>,
    /// The group of each member.
    pub groups: Vec<usize>,
    /// For each member, the stripes that it has a part in, and which part: first data, then codes.
    parts: Vec<Vec<(usize, usize)>>,
    /// The number of stripes of each group.
    crowds: Vec<usize>,
}

/// How the lost chunks of a stripe are restored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    pub stripe: usize,
    /// The data that are lost, by index.
    pub lost: Vec<usize>,
    /// The codes that are left, by index.
    pub codes: Vec<usize>,
}

/// A member's share of the work on a stripe: one range of each code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    pub stripe: usize,
    /// The number of this part, and the number of all parts.
    pub part: usize,
    pub parts: usize,
}

impl Share {
    /// The range in chunks of `unit` bytes, a multiple of the grain.
    pub fn range(self, unit: usize) -> Range<usize> {
        share(unit, self.part, self.parts)
    }
}

/// The bytes of part number `part`. The parts are as equal as the grain allows.
pub(super) fn share(unit: usize, part: usize, parts: usize) -> Range<usize> {
    let grains = unit / GRAIN;
    let end = |part: usize| grains * part / parts * GRAIN;
    end(part)..end(part + 1)
}

/// The part of member `who` of `of` members, and the number of parts, if the work is divided among
/// `hands` members. These are spread evenly.
pub(super) fn part_of(who: usize, of: usize, hands: usize) -> Option<(usize, usize)> {
    let parts = hands.min(of);
    let part = who * parts / of;
    ((part * of).div_ceil(parts) == who).then_some((part, parts))
}

impl Layout {
    /// The layout of `members` ranks on unknown nodes.
    pub(super) fn anywhere(scheme: &Scheme, members: usize) -> Result<Layout, String> {
        let mut layout = Layout::empty(members);
        let too_few = |least: usize| {
            Err(format!("scheme {scheme} needs at least {least} ranks; there are {members}"))
        };
        match scheme.keeping {
            // A single rank has no other that could keep anything.
            Keeping::Spread | Keeping::Ring | Keeping::Pair if members == 1 => {}
            Keeping::Mirror if members < 2 || members % 2 == 1 => {
                return Err(format!("scheme mirror needs an even number of ranks, not {members}"));
            }
            Keeping::Mirror => {
                let half = members / 2;
                layout.copies((0..half).map(|member| (member, half + member)));
                layout.chunks[half..].fill(0);
            }
            Keeping::Ring => layout.copies((0..members).map(|from| (from, (from + 1) % members))),
            Keeping::Pair => {
                let partner = |member: usize| {
                    let other = member ^ 1;
                    // With an odd number, the last one is paired with the one before.
                    if other < members { other } else { member - 1 }
                };
                layout.copies((0..members).map(|member| (member, partner(member))));
            }
            Keeping::Dedicated => {
                let groups = scheme.groups(members, 1);
                let keepers = groups * scheme.spares;
                if members < keepers + groups {
                    return too_few(keepers + groups);
                }
                layout.dedicate(groups, scheme.spares);
            }
            Keeping::Spread => {
                let groups = scheme.groups(members, 1);
                if members / groups <= scheme.spares {
                    return too_few(groups * (scheme.spares + 1));
                }
                for group in 0..groups {
                    let dealt = (group..members).step_by(groups).collect();
                    layout.spread(group, dealt, scheme.spares);
                }
            }
        }
        Ok(layout)
    }

    pub fn members(&self) -> usize {
        self.chunks.len()
    }

    /// A layout without stripes.
    pub(super) fn empty(members: usize) -> Layout {
        Layout {
            stripes: Vec::new(),
            chunks: vec![1; members],
            groups: vec![0; members],
            parts: vec![Vec::new(); members],
            crowds: Vec::new(),
        }
    }

    /// Called when all stripes are there: notes the parts of each member.
    pub(super) fn note_parts(&mut self) {
        let groups = self.stripes.iter().map(|stripe| stripe.group + 1).max().unwrap_or(0);
        self.crowds = vec![0; groups];
        for (number, stripe) in self.stripes.iter().enumerate() {
            self.crowds[stripe.group] += 1;
            let data = stripe.data.iter().map(|(member, _)| member);
            for (at, member) in data.chain(&stripe.keepers).enumerate() {
                self.parts[*member].push((number, at));
            }
        }
    }

    /// The stripes whose codes a member keeps.
    pub fn kept_by(&self, member: usize) -> impl Iterator<Item = usize> {
        let parts = self.parts[member].iter();
        let codes = parts.filter(|(number, at)| *at >= self.stripes[*number].data.len());
        codes.map(|(number, _)| *number)
    }

    /// The members about which this one knows enough to rebuild their data or codes, itself
    /// included: those whose codes it keeps, and those that keep its codes. If the stripes can make
    /// up for a set of lost members, each of these is known to a member that is left.
    pub(super) fn mates(&self, member: usize) -> Vec<usize> {
        let mut mates = vec![member];
        for (number, at) in &self.parts[member] {
            let Stripe { data, keepers, .. } = &self.stripes[*number];
            mates.extend(keepers);
            if *at >= data.len() {
                mates.extend(data.iter().map(|(member, _)| *member));
            }
        }
        mates.sort_unstable();
        mates.dedup();
        mates
    }

    pub(super) fn copies(&mut self, pairs: impl Iterator<Item = (usize, usize)>) {
        for (group, (from, to)) in pairs.enumerate() {
            self.stripes.push(Stripe { group, data: vec![(from, 0)], keepers: vec![to] });
            self.groups[from] = group;
        }
    }

    /// Puts neighbours, which may be on one machine, into different groups.
    fn dedicate(&mut self, groups: usize, spares: usize) {
        let workers = self.members() - groups * spares;
        for group in 0..groups {
            let first = workers + group * spares;
            let keepers = (first..first + spares).collect();
            self.group_of((group..workers).step_by(groups).collect(), keepers);
        }
        self.chunks[workers..].fill(0);
    }

    /// Adds a group whose `keepers` keep codes only.
    pub(super) fn group_of(&mut self, members: Vec<usize>, keepers: Vec<usize>) {
        let group = self.stripes.len();
        for member in members.iter().chain(&keepers) {
            self.groups[*member] = group;
        }
        let data = members.into_iter().map(|member| (member, 0)).collect();
        self.stripes.push(Stripe { group, data, keepers });
    }

    /// Adds a group with as many stripes as members. Each member keeps codes of `spares` stripes,
    /// and has a chunk in all the others.
    pub(super) fn spread(&mut self, group: usize, members: Vec<usize>, spares: usize) {
        let size = members.len();
        let mut used = vec![0; size];
        for first in 0..size {
            let keeps = |index: usize| (index + size - first) % size < spares;
            let keepers = (0..spares).map(|step| members[(first + step) % size]).collect();
            let mut data = Vec::new();
            for index in (0..size).filter(|index| !keeps(*index)) {
                data.push((members[index], used[index]));
                used[index] += 1;
            }
            self.stripes.push(Stripe { group, data, keepers });
        }
        for (member, used) in members.into_iter().zip(used) {
            self.chunks[member] = used;
            self.groups[member] = group;
        }
    }

    /// The codes that `member` computes. If a group has a stripe for each of its members, each
    /// takes one stripe; otherwise up to `hands` of a stripe's members divide it.
    pub fn shares(&self, member: usize, hands: usize) -> Vec<Share> {
        let share = |&(number, at): &(usize, usize)| {
            let stripe = &self.stripes[number];
            let parts = stripe.data.len() + stripe.keepers.len();
            if self.crowds[stripe.group] >= parts {
                let is_first = at == stripe.data.len();
                return is_first.then_some(Share { stripe: number, part: 0, parts: 1 });
            }
            let (part, parts) = part_of(at, parts, hands)?;
            Some(Share { stripe: number, part, parts })
        };
        self.parts[member].iter().filter_map(share).collect()
    }

    /// How the data of the members in `is_lost` are restored, from the data of the others and from
    /// the codes of members not in `without_codes`; or else the members whose data cannot be
    /// restored.
    pub fn plan(
        &self, is_lost: &[bool], without_codes: &[bool],
    ) -> Result<Vec<Repair>, Vec<usize>> {
        let mut repairs = Vec::new();
        let mut hopeless: Vec<usize> = Vec::new();
        for (number, stripe) in self.stripes.iter().enumerate() {
            let lost: Vec<usize> =
                (0..stripe.data.len()).filter(|at| is_lost[stripe.data[*at].0]).collect();
            if lost.is_empty() {
                continue;
            }
            let codes: Vec<usize> = (0..stripe.keepers.len())
                .filter(|at| !without_codes[stripe.keepers[*at]])
                .collect();
            match codes.len() < lost.len() {
                true => hopeless.extend(lost.iter().map(|at| stripe.data[*at].0)),
                false => repairs.push(Repair { stripe: number, lost, codes }),
            }
        }
        let bare = (0..self.members()).filter(|member| is_lost[*member] && self.is_bare(*member));
        hopeless.extend(bare);
        hopeless.sort_unstable();
        hopeless.dedup();
        if hopeless.is_empty() { Ok(repairs) } else { Err(hopeless) }
    }

    /// Whether no stripe protects the data of a member.
    fn is_bare(&self, member: usize) -> bool {
        self.members() == 1 && member == 0
    }

    /// For each member, how many more of the members that share stripes with it may be lost, in any
    /// combination; `None` if data are lost for good. Members in `is_gone` have lost data and
    /// codes, those in `without_codes` only their codes.
    pub fn tolerance(&self, is_gone: &[bool], without_codes: &[bool]) -> Vec<Option<usize>> {
        let mut left = vec![usize::MAX; self.members()];
        let mut dead = vec![false; self.members()];
        for stripe in &self.stripes {
            let members = || stripe.data.iter().map(|(member, _)| *member);
            let data = members().filter(|member| is_gone[*member]).count();
            let codes = stripe.keepers.iter();
            let codes = codes.filter(|at| is_gone[**at] || without_codes[**at]).count();
            let rest = stripe.keepers.len().checked_sub(data + codes);
            let is_dead = rest.is_none() && data > 0;
            for member in members().chain(stripe.keepers.iter().copied()) {
                left[member] = left[member].min(rest.unwrap_or(0));
                dead[member] |= is_dead;
            }
        }
        let bare = |left: usize| if left == usize::MAX { 0 } else { left };
        left.iter().zip(dead).map(|(left, dead)| (!dead).then_some(bare(*left))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    const SCHEMES: [&str; 14] = [
        "xor",
        "rs",
        "rs:2",
        "rs:3",
        "sum",
        "weighted:2",
        "mirror",
        "ring",
        "pair",
        "xor,dedicated",
        "rs:2,dedicated",
        "rs:2,groups=2",
        "rs,dedicated,groups=2",
        "weighted:3,dedicated",
    ];

    fn layouts(most: usize) -> impl Iterator<Item = (Scheme, Layout)> {
        SCHEMES.iter().flat_map(move |text| {
            let scheme = Scheme::parse(text).expect("a scheme");
            (1..=most).filter_map(move |members| {
                Layout::new(&scheme, members, &[]).ok().map(|layout| (scheme.clone(), layout))
            })
        })
    }

    #[test]
    fn no_stripe_has_two_parts_with_one_member_and_every_chunk_is_in_one_stripe() {
        for (scheme, layout) in layouts(40) {
            let mut chunks = BTreeSet::new();
            for stripe in &layout.stripes {
                let mut members: Vec<usize> =
                    stripe.data.iter().map(|(member, _)| *member).collect();
                members.extend(&stripe.keepers);
                let distinct: BTreeSet<usize> = members.iter().copied().collect();
                assert_eq!(distinct.len(), members.len(), "{scheme}: {stripe:?}");
                assert_eq!(stripe.keepers.len(), scheme.spares);
                for chunk in &stripe.data {
                    assert!(chunks.insert(*chunk), "{scheme}: {chunk:?} is in two stripes");
                }
            }
            let promised: usize = layout.chunks.iter().sum();
            if layout.members() > 1 {
                assert_eq!(chunks.len(), promised, "{scheme} of {}", layout.members());
            }
        }
    }

    #[test]
    fn every_byte_of_every_stripe_is_worked_out_by_one_however_many_hands_there_are() {
        for (_, layout) in layouts(40) {
            for hands in 1..layout.members() + 2 {
                check_shares(&layout, hands);
            }
        }
    }

    /// How much each member computes; nothing is left out, and nothing is done twice.
    fn check_shares(layout: &Layout, hands: usize) -> Vec<usize> {
        let unit = 64 * 1000;
        let mut done: Vec<Vec<Range<usize>>> = vec![Vec::new(); layout.stripes.len()];
        let mut work = vec![0; layout.members()];
        for (member, work) in work.iter_mut().enumerate() {
            for share in layout.shares(member, hands) {
                let range = share.range(unit);
                assert_eq!(range.start % 64, 0, "{range:?}");
                *work += range.len() * layout.stripes[share.stripe].data.len();
                done[share.stripe].push(range);
            }
        }
        for ranges in &mut done {
            ranges.sort_by_key(|range| range.start);
            let ends = ranges.iter().fold(0, |end, range| {
                assert_eq!(range.start, end, "{hands} hands: {layout:?}");
                range.end
            });
            assert_eq!(ends, unit, "{hands} hands: {layout:?}");
            assert!(ranges.len() <= hands.max(1));
        }
        work
    }

    #[test]
    fn all_have_as_much_to_do_where_all_have_a_hand_in_it() {
        for (scheme, layout) in layouts(40) {
            let work = check_shares(&layout, layout.members());
            let (least, most) = (work.iter().min(), work.iter().max());
            let (least, most) = (least.expect("members"), most.expect("members"));
            // With an odd number, one member belongs to two pairs; and the sizes of groups may
            // differ by one.
            assert!(*most <= 3 * least + 64 * 40, "{scheme} of {}: {work:?}", layout.members());
        }
    }

    #[test]
    fn every_pattern_that_is_promised_can_be_planned_and_one_more_may_not() {
        for (scheme, layout) in layouts(9) {
            let members = layout.members();
            let whole = layout.tolerance(&vec![false; members], &vec![false; members]);
            let any = whole.iter().map(|left| left.expect("nobody is lost")).min().unwrap_or(0);
            let mut breaks = false;
            for pattern in 0..1u32 << members {
                let gone: Vec<bool> = (0..members).map(|at| pattern >> at & 1 == 1).collect();
                let plan = layout.plan(&gone, &gone);
                let count = pattern.count_ones() as usize;
                assert!(plan.is_ok() || count > any, "{scheme} of {members}: {gone:?}");
                breaks |= plan.is_err() && count == any + 1;
                let told = layout.tolerance(&gone, &gone);
                let is_lost = told.iter().any(Option::is_none);
                assert_eq!(
                    plan.is_err() && members > 1,
                    is_lost && members > 1,
                    "{scheme}: {gone:?}"
                );
            }
            assert!(breaks, "{scheme} of {members} promises less than it could: {any}");
        }
    }

    #[test]
    fn whatever_is_lost_and_can_be_planned_is_known_by_a_mate_that_is_there() {
        for (scheme, layout) in layouts(9).filter(|(_, layout)| layout.members() > 1) {
            let members = layout.members();
            let mates: Vec<Vec<usize>> = (0..members).map(|member| layout.mates(member)).collect();
            for pattern in 0..1u32 << members {
                let gone: Vec<bool> = (0..members).map(|at| pattern >> at & 1 == 1).collect();
                let knows =
                    |member: usize, other: usize| !gone[other] && mates[other].contains(&member);
                let is_known = |member: usize| (0..members).any(|other| knows(member, other));
                if layout.plan(&gone, &gone).is_ok() {
                    assert!((0..members).all(is_known), "{scheme} of {members}: {gone:?}");
                }
            }
        }
    }

    #[test]
    fn groups_promise_each_for_itself() {
        let scheme = Scheme::parse("xor,groups=2").expect("a scheme");
        let layout = Layout::new(&scheme, 8, &[]).expect("enough of them");
        let gone = |lost: &[usize]| (0..8).map(|at| lost.contains(&at)).collect::<Vec<bool>>();
        assert!(layout.plan(&gone(&[0, 3]), &gone(&[0, 3])).is_ok(), "one of each group");
        assert_eq!(layout.plan(&gone(&[1, 3]), &gone(&[1, 3])), Err(vec![1, 3]));
        let left = layout.tolerance(&gone(&[1]), &gone(&[]));
        assert_eq!(
            layout.tolerance(&gone(&[]), &gone(&[1])),
            layout.tolerance(&gone(&[1]), &gone(&[]))
        );
        assert_eq!(left[..4], [Some(1), Some(0), Some(1), Some(0)]);
    }

    #[test]
    fn too_few_are_refused_and_one_alone_is_unprotected() {
        for (text, members) in [("rs:2", 2), ("mirror", 3), ("xor,dedicated", 1), ("rs:4", 3)] {
            let scheme = Scheme::parse(text).expect("a scheme");
            let reason = Layout::new(&scheme, members, &[]).expect_err("too few");
            assert!(reason.contains("needs"), "{reason}");
        }
        let alone =
            Layout::new(&Scheme::parse("rs:2").expect("a scheme"), 1, &[]).expect("as it is");
        assert_eq!(alone.tolerance(&[false], &[false]), [Some(0)]);
        assert_eq!(alone.plan(&[true], &[true]), Err(vec![0]));
    }
}
