//! Test: ranks that take checkpoints and restore them step by step, in any order, and die at any
//! step. Data are numbers, codes are the lists of what went into them; so every mixture is seen.

use super::layout::{Layout, Layouts};
use super::ledger::{Account, Choice, Entry, Seat, Verdict, judge, spared, vacant};
use super::scheme::Scheme;
use crate::base::random::Random;
use std::collections::BTreeMap;

/// What went into a code: the members' data, in the order of the stripe.
type Sum = Vec<u64>;

#[derive(Clone, Default)]
struct Slot {
    entry: Option<Entry>,
    data: u64,
    codes: BTreeMap<usize, Sum>,
}

/// Where a rank is in the call that it is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
enum At {
    /// Has told its account, and waits for those of the others.
    Told,
    /// Has its data in the slot, or knows what is to be restored.
    Begun,
    /// Has its data, and makes codes.
    Has,
    /// Has all, and has confirmed that.
    Confirmed,
    Done,
    Failed,
}

#[derive(Clone)]
struct Rank {
    slots: [Slot; 2],
    seen: u64,
    is_new: bool,
    at: At,
    slot: usize,
    /// In a world that gets smaller: whose data it has now, a bit each; and of whom there is nobody
    /// else to have them.
    holdings: u64,
    orphans: u64,
}

struct World {
    scheme: Scheme,
    layout: Layout,
    ranks: Vec<Option<Rank>>,
    /// By serial numbers, everybody's data.
    truth: BTreeMap<u64, Vec<u64>>,
    random: Random,
    /// What all have told in this call; and what they all make of it.
    accounts: Vec<Option<Account>>,
    verdict: Option<Verdict>,
    /// Who dies when he has done so many steps of this call.
    death: Option<(usize, u32)>,
    /// Whether nobody takes the places of the dead.
    is_shrinking: bool,
}

impl World {
    fn new(scheme: &str, members: usize, seed: u64) -> World {
        let scheme = Scheme::parse(scheme).expect("a scheme");
        let layout = Layout::new(&scheme, members, &[]).expect("enough of them");
        let ranks = (0..members).map(|_| Some(World::rank(false))).collect();
        let (truth, random) = (BTreeMap::new(), Random::new(seed));
        let (accounts, verdict, death) = (Vec::new(), None, None);
        let is_shrinking = false;
        World { scheme, layout, ranks, truth, random, accounts, verdict, death, is_shrinking }
    }

    fn rank(is_new: bool) -> Rank {
        let slots = Default::default();
        Rank { slots, seen: 0, is_new, at: At::Told, slot: 0, holdings: 0, orphans: 0 }
    }

    fn members(&self) -> usize {
        self.ranks.len()
    }

    /// All who live make the same call; who dies is gone when it is over. True: all succeeded.
    fn call(&mut self, is_restore: bool, death: Option<(usize, u32)>) -> bool {
        self.death = death;
        self.verdict = None;
        self.accounts = self.ranks.iter().map(|rank| rank.as_ref().map(World::account)).collect();
        self.ranks.iter_mut().flatten().for_each(|rank| rank.at = At::Told);
        let mut steps = vec![0; self.members()];
        while let Some(who) = self.next() {
            if self.death.is_some_and(|(victim, after)| victim == who && steps[who] >= after) {
                self.ranks[who] = None;
                continue;
            }
            // Whoever could go on may hear of a death first.
            let hears = self.has_dead() && self.random.chance(50);
            let goes = !hears && if is_restore { self.restore(who) } else { self.take(who) };
            match goes {
                true => steps[who] += 1,
                false if self.has_dead() => self.own(who).at = At::Failed,
                false => {}
            }
        }
        self.ranks.iter().all(|rank| rank.as_ref().is_some_and(|rank| rank.at == At::Done))
    }

    fn account(rank: &Rank) -> Account {
        Account {
            entries: [rank.slots[0].entry, rank.slots[1].entry],
            seen: rank.seen,
            is_new: rank.is_new,
            ..Account::default()
        }
    }

    /// Somebody who has not ended.
    fn next(&mut self) -> Option<usize> {
        let goes_on = |rank: &Option<Rank>| {
            rank.as_ref().is_some_and(|rank| !matches!(rank.at, At::Done | At::Failed))
        };
        let all: Vec<usize> = (0..self.members()).filter(|at| goes_on(&self.ranks[*at])).collect();
        if all.is_empty() {
            return None;
        }
        Some(all[self.random.below(all.len() as u64) as usize])
    }

    fn has_dead(&self) -> bool {
        self.ranks.iter().any(Option::is_none)
    }

    fn own(&mut self, who: usize) -> &mut Rank {
        self.ranks[who].as_mut().expect("he lives")
    }

    /// Whether all have come so far; who is dead may have, before.
    fn all_are(&self, at: At) -> bool {
        let is = |rank: &Rank| rank.at >= at && rank.at != At::Failed;
        self.ranks.iter().all(|rank| rank.as_ref().is_some_and(is))
    }

    fn judged(&mut self) -> Option<Verdict> {
        if self.verdict.is_none() {
            let all: Option<Vec<Account>> = self.accounts.iter().cloned().collect();
            self.verdict = Some(judge(&Layouts::from(&self.scheme), &all?));
        }
        self.verdict.clone()
    }

    /// One step of a checkpoint; false where this rank has to wait.
    fn take(&mut self, who: usize) -> bool {
        match self.own(who).at {
            At::Told => {
                let all: Option<Vec<Account>> = self.accounts.iter().cloned().collect();
                let Some(all) = all else { return false };
                let spared = spared(&Layouts::from(&self.scheme), &all);
                let seen = all.iter().map(|account| account.seen).max();
                let serial = seen.expect("somebody is there") + 1;
                let members = self.members();
                let data = match self.is_shrinking {
                    true => self.own(who).holdings,
                    false => self.random.bits(),
                };
                self.truth.entry(serial).or_insert_with(|| vec![0; members])[who] = data;
                let mine = World::account(self.own(who));
                let rank = self.own(who);
                rank.slot = vacant(spared, &mine);
                (rank.seen, rank.is_new, rank.at) = (serial, false, At::Has);
                rank.slots[rank.slot] = Slot { entry: None, data, codes: BTreeMap::new() };
                rank.slots[rank.slot].entry = Some(Entry {
                    serial,
                    version: serial as i64,
                    members: members as u32,
                    place: who as u32,
                    has_data: true,
                    has_codes: false,
                    is_committed: false,
                    has_nodes: false,
                });
                true
            }
            At::Has => self.make_codes(who),
            _ => self.confirm(who),
        }
    }

    /// One code after the other; then all of them are there.
    fn make_codes(&mut self, who: usize) -> bool {
        let rank = self.ranks[who].as_ref().expect("he lives");
        let slot = &rank.slots[rank.slot];
        let serial = slot.entry.expect("it was begun").serial;
        let keeps = |number: &usize| self.layout.stripes[*number].keepers.contains(&who);
        let mut missing = (0..self.layout.stripes.len()).filter(keeps);
        let Some(number) = missing.find(|number| !slot.codes.contains_key(number)) else {
            let rank = self.own(who);
            let entry = rank.slots[rank.slot].entry.as_mut().expect("it was begun");
            entry.has_codes = true;
            rank.at = At::Confirmed;
            return true;
        };
        let given = |(member, _): &(usize, usize)| {
            let other = self.ranks[*member].as_ref().filter(|other| other.at >= At::Has)?;
            let slot = other.slots.iter().find(|slot| {
                slot.entry.is_some_and(|entry| entry.serial == serial && entry.has_data)
            })?;
            Some(slot.data)
        };
        let sum: Option<Sum> = self.layout.stripes[number].data.iter().map(given).collect();
        let Some(sum) = sum else { return false };
        let rank = self.own(who);
        rank.slots[rank.slot].codes.insert(number, sum);
        true
    }

    fn confirm(&mut self, who: usize) -> bool {
        let is_full = self.all_are(At::Confirmed);
        let rank = self.own(who);
        if is_full {
            let entry = rank.slots[rank.slot].entry.as_mut().expect("it was begun");
            let serial = entry.serial;
            entry.is_committed = true;
            let data = rank.slots[rank.slot].data;
            for slot in &mut rank.slots {
                slot.entry = slot.entry.filter(|entry| entry.serial <= serial);
            }
            (rank.at, rank.is_new) = (At::Done, false);
            rank.holdings = data | rank.orphans;
        }
        is_full
    }

    /// One step of a restoration.
    fn restore(&mut self, who: usize) -> bool {
        let at = self.own(who).at;
        match at {
            At::Told => {
                let Some(verdict) = self.judged() else { return false };
                let seen = self.accounts.iter().flatten().map(|account| account.seen).max();
                let mine = World::account(self.own(who));
                let rank = self.own(who);
                rank.seen = seen.expect("somebody is there");
                let Verdict::Restore(choice) = &verdict else {
                    assert!(matches!(verdict, Verdict::Nothing), "no more died than may");
                    (rank.at, rank.is_new) = (At::Done, false);
                    rank.slots.iter_mut().for_each(|slot| slot.entry = None);
                    return true;
                };
                let is_it = |slot: &Slot| slot.entry.is_some_and(|e| e.serial == choice.serial);
                let found = rank.slots.iter().position(is_it);
                rank.slot = found.unwrap_or_else(|| vacant(Some(choice.serial), &mine));
                if found.is_none() {
                    assert_eq!(choice.seats[who], Seat::Heir(who), "it has a place to take");
                    let entry = Entry {
                        serial: choice.serial,
                        version: choice.version,
                        members: choice.seats.len() as u32,
                        place: who as u32,
                        has_data: false,
                        has_codes: false,
                        is_committed: false,
                        has_nodes: false,
                    };
                    rank.slots[rank.slot] = Slot { entry: Some(entry), ..Slot::default() };
                }
                rank.orphans = 0;
                rank.at = At::Begun;
                true
            }
            At::Begun => {
                let Some(Verdict::Restore(choice)) = self.judged() else { return false };
                self.win_back(who, &choice)
            }
            At::Has if self.is_missing_any() => {
                // Codes are made again only where nobody is missing.
                self.own(who).at = At::Confirmed;
                true
            }
            At::Has => self.make_codes(who),
            _ => self.confirm(who),
        }
    }

    /// Whether the checkpoint that is restored has places where nobody is any more.
    fn is_missing_any(&self) -> bool {
        let Some(Verdict::Restore(choice)) = &self.verdict else { return false };
        choice.seats.iter().any(|seat| matches!(seat, Seat::Guardian(_)))
    }

    /// Data that are lost follow from codes with data of the same moment: first those of places
    /// where nobody is any more, if they come here.
    fn win_back(&mut self, who: usize, choice: &Choice) -> bool {
        let mut orphans = 0;
        for (place, seat) in choice.seats.iter().enumerate() {
            if *seat == Seat::Guardian(who) {
                let Some(data) = self.decoded(place, choice) else { return false };
                orphans |= data;
            }
        }
        let rank = self.own(who);
        rank.orphans = orphans;
        let entry = rank.slots[rank.slot].entry.expect("it was begun");
        if !entry.has_data {
            let Some(data) = self.decoded(entry.place as usize, choice) else { return false };
            let rank = self.own(who);
            let slot = &mut rank.slots[rank.slot];
            slot.data = data;
            slot.entry.as_mut().expect("it was begun").has_data = true;
        }
        self.own(who).at = At::Has;
        true
    }

    /// What a place had, out of codes; nothing yet where somebody has not come so far.
    fn decoded(&self, place: usize, choice: &Choice) -> Option<u64> {
        let serial = choice.serial;
        let layout =
            Layout::new(&self.scheme, choice.seats.len(), &[]).expect("it was taken by it");
        let mut back = None;
        for repair in &choice.repairs {
            let stripe = &layout.stripes[repair.stripe];
            let Some(index) = repair.lost.iter().find(|at| stripe.data[**at].0 == place) else {
                continue;
            };
            for code in &repair.codes[..repair.lost.len()] {
                let keeper = choice.seats[stripe.keepers[*code]].rank();
                let keeper = self.ranks[keeper].as_ref();
                let keeper = keeper.filter(|keeper| keeper.at >= At::Begun)?;
                let slot = keeper.slots.iter().find(|slot| {
                    slot.entry.is_some_and(|entry| entry.serial == serial && entry.has_codes)
                });
                let sum = &slot.expect("the plan says that it is there").codes[&repair.stripe];
                let data = stripe.data.iter().map(|(member, _)| self.truth[&serial][*member]);
                assert_eq!(*sum, data.collect::<Sum>(), "a mixture of moments");
                back = Some(sum[*index]);
            }
        }
        Some(back.unwrap_or_default())
    }

    /// The dead are gone, and the others count anew.
    fn shrink(&mut self) {
        self.ranks.retain(Option::is_some);
        let layout = Layout::new(&self.scheme, self.members(), &[]);
        self.layout = layout.expect("enough of them are left");
    }

    /// The dead come back with nothing.
    fn rebuild(&mut self) {
        for rank in self.ranks.iter_mut().filter(|rank| rank.is_none()) {
            *rank = Some(World::rank(true));
        }
    }

    /// What all have after they have restored it; `None`: there was nothing.
    fn restored(&self) -> Option<u64> {
        let entry = |rank: &Option<Rank>| {
            let rank = rank.as_ref().expect("all live");
            let slots = rank.slots.iter().filter(|slot| slot.entry.is_some());
            let slot = slots.max_by_key(|slot| slot.entry.map(|entry| entry.serial))?;
            Some((slot.entry?.serial, slot.entry?.place as usize, slot.data))
        };
        let all: Option<Vec<(u64, usize, u64)>> = self.ranks.iter().map(entry).collect();
        let all = all?;
        let serial = all[0].0;
        let members = self.truth[&serial].len();
        let layout = Layout::new(&self.scheme, members, &[]).expect("it was taken by it");
        for (rank, (other, place, data)) in all.iter().enumerate() {
            assert_eq!(*other, serial, "all have the same checkpoint");
            let has_data = layout.stripes.iter().any(|s| s.data.iter().any(|d| d.0 == *place));
            assert!(
                !has_data || *data == self.truth[&serial][*place],
                "rank {rank} has other data"
            );
        }
        Some(serial)
    }
}

/// Checkpoints with deaths in the last one, then restorations with deaths in the first ones; all in
/// the order of a seed. Nobody loses what anybody was told is safe.
fn story(scheme: &str, members: usize, seed: u64, deaths: &[(bool, usize, u32)]) {
    let mut world = World::new(scheme, members, seed);
    let mut safe = None;
    let mut dead = 0;
    for &(is_restore, who, after) in deaths {
        if !is_restore {
            for _ in 0..world.random.below(3) {
                assert!(world.call(false, None), "nobody dies");
                safe = world.restored();
            }
        }
        let before = world.ranks.iter().flatten().map(|rank| rank.seen).max();
        world.call(is_restore, Some((who, after)));
        let is_told = |rank: &Rank| !is_restore && rank.at == At::Done;
        if world.ranks.iter().flatten().any(is_told) {
            safe = before.map(|serial| serial + 1);
        }
        dead += usize::from(world.has_dead());
        assert!(dead <= world.scheme.spares, "the story keeps to what is promised");
        world.rebuild();
        if deaths.iter().all(|(is_restore, ..)| !is_restore) {
            assert!(world.call(true, None), "{scheme} {seed}: it comes to its end");
            assert!(world.restored() >= safe, "{scheme} {seed} {deaths:?}");
            dead = 0;
        }
    }
    assert!(world.call(true, None), "{scheme} {seed}: it comes to its end");
    let restored = world.restored();
    assert!(
        restored >= safe,
        "{scheme} of {members}, seed {seed}, {deaths:?}: {restored:?} {safe:?}"
    );
    assert!(world.call(false, None), "and the next checkpoint is as good as any");
    assert_eq!(world.restored(), Some(world.ranks[0].as_ref().expect("all live").seen));
}

/// Ranks die one after the other and nobody takes their places, in checkpoints and in restorations,
/// until few are left: between two whole checkpoints no more than the scheme makes up for. What
/// everybody once had, somebody always has.
fn story_of_fewer(scheme: &str, members: usize, least: usize, seed: u64) {
    let mut world = World::new(scheme, members, seed);
    world.is_shrinking = true;
    for (bit, rank) in world.ranks.iter_mut().flatten().enumerate() {
        rank.holdings = 1 << bit;
    }
    while world.members() > least {
        assert!(world.call(false, None), "nobody dies");
        let safe = world.restored();
        assert!(safe.is_some(), "{scheme} {seed}: a checkpoint is there");
        let mut may_die = world.scheme.spares.min(world.members() - least);
        let mut is_restore = world.random.chance(30);
        loop {
            let who = world.random.below(world.members() as u64) as usize;
            let after = world.random.below(u64::from(STEPS)) as u32;
            let death =
                (may_die > 0 && (!is_restore || world.random.chance(60))).then_some((who, after));
            let is_done = world.call(is_restore, death);
            if world.has_dead() {
                may_die -= 1;
                world.shrink();
            } else if is_restore && is_done {
                break;
            }
            is_restore = true;
        }
        assert!(world.restored() >= safe, "{scheme} {seed}: {:?} {safe:?}", world.restored());
        let all = world.ranks.iter().flatten().fold(0, |all, rank| {
            assert_eq!(all & rank.holdings, 0, "{scheme} {seed}: nobody's data come twice");
            all | rank.holdings
        });
        assert_eq!(all, (1 << members) - 1, "{scheme} {seed}: somebody's data are gone");
    }
}

#[test]
fn in_a_world_that_gets_smaller_somebody_has_the_data_of_everybody() {
    for seed in 0..1500 {
        for (scheme, members, least) in
            [("xor", 6, 2), ("rs:2", 8, 3), ("ring", 6, 2), ("pair", 7, 2), ("rs:3", 9, 4)]
        {
            story_of_fewer(scheme, members, least, seed);
        }
    }
}

const STEPS: u32 = 12;

#[test]
fn a_death_at_any_step_of_a_checkpoint_loses_nothing() {
    for (scheme, members) in [
        ("xor", 2),
        ("xor", 4),
        ("rs:2", 5),
        ("ring", 4),
        ("pair", 3),
        ("mirror", 4),
        ("rs,dedicated", 4),
    ] {
        for (who, after) in (0..members).flat_map(|who| (0..STEPS).map(move |after| (who, after))) {
            for seed in 0..30 {
                story(scheme, members, seed, &[(false, who, after)]);
            }
        }
    }
}

#[test]
fn a_death_at_any_step_of_a_restoration_loses_nothing() {
    for (scheme, members) in [("rs:2", 4), ("weighted:2,dedicated", 5), ("rs:2,groups=2", 6)] {
        for first in 0..members {
            for (who, after) in
                (0..members).flat_map(|who| (0..STEPS).map(move |after| (who, after)))
            {
                for seed in 0..6 {
                    let step = (seed as u32 * 5 + after) % STEPS;
                    story(scheme, members, seed, &[(false, first, step), (true, who, after)]);
                }
            }
        }
    }
}

#[test]
fn one_death_after_the_other_loses_nothing() {
    let mut random = Random::new(77);
    for seed in 0..3000 {
        let (scheme, members) =
            [("xor", 5), ("rs:3", 7), ("ring", 6), ("pair", 6)][seed as usize % 4];
        let deaths: Vec<(bool, usize, u32)> = (0..5)
            .map(|_| (false, random.below(members as u64) as usize, random.below(12) as u32))
            .collect();
        story(scheme, members, seed, &deaths);
    }
}
