//! Test: ranks that take checkpoints and restore them step by step, in any order, and die at any
//! step. Data are numbers, codes are the lists of what went into them; so every mixture is seen,
//! and every part that is missing. Who works on stripes may come late, and go on when others, who
//! have heard of a death, are in their next call and have other data already. Memory is used again
//! with whatever is in there.

mod stories;
mod work;

use super::laid::Layouts;
use super::layout::{Layout, Share};
use super::ledger::{Account, Choice, Entry, Seat, Verdict, judge, spared, vacant};
use super::scheme::Scheme;
use crate::base::random::Random;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use work::{Todo, Work};

/// What went into a code: the members' data, in the order of the stripe.
type Sum = Vec<u64>;
/// Memory that others work in: values by chunks and parts, or by stripes and parts.
type Shared<T> = Rc<RefCell<BTreeMap<(usize, usize), T>>>;

#[derive(Clone, Default)]
struct Slot {
    entry: Option<Entry>,
    data: Shared<u64>,
    codes: Shared<Sum>,
}

/// How many work on one stripe: all of few members, some of more.
const HANDS: usize = 3;

/// What all have to keep to, and a test may leave out.
#[derive(Clone, Copy)]
struct Rules {
    /// Nobody counts on what others make before all have told that they have made it.
    meets_after_work: bool,
    /// Nobody is told that it has succeeded before all know that theirs is whole.
    confirms: bool,
}

const ALL_RULES: Rules = Rules { meets_after_work: true, confirms: true };

/// Where a rank is in the call that it is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
enum At {
    /// Still at work on stripes of the call before.
    Late,
    /// Has told its account, and waits for those of the others.
    Told,
    /// Knows what is to be restored, and has shown what it has.
    Begun,
    /// Makes its part of what is lost; then it has done so.
    Decodes,
    Decoded,
    /// Has shown its data, or where they come from, and room for all.
    Has,
    /// Makes its part of all codes; then it has done so.
    Works,
    Worked,
    /// Knows that it has all, and has confirmed that.
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
    work: Work,
    /// In a world that gets smaller: whose data it has now, a bit each; and of whom there is nobody
    /// else to have them, and where these come back.
    holdings: u64,
    orphans: u64,
    rooms: BTreeMap<usize, Shared<u64>>,
}

struct World {
    scheme: Scheme,
    layout: Rc<Layout>,
    rules: Rules,
    ranks: Vec<Option<Rank>>,
    /// By serial numbers, everybody's data.
    truth: BTreeMap<u64, Vec<u64>>,
    random: Random,
    /// Which call it is.
    call: usize,
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
        let layout = Rc::new(Layout::new(&scheme, members, &[]).expect("enough of them"));
        World {
            scheme,
            layout,
            rules: ALL_RULES,
            ranks: (0..members).map(|_| Some(World::rank(false))).collect(),
            truth: BTreeMap::new(),
            random: Random::new(seed),
            call: 0,
            accounts: Vec::new(),
            verdict: None,
            death: None,
            is_shrinking: false,
        }
    }

    fn rank(is_new: bool) -> Rank {
        Rank {
            slots: Default::default(),
            seen: 0,
            is_new,
            at: At::Told,
            slot: 0,
            work: Work::default(),
            holdings: 0,
            orphans: 0,
            rooms: BTreeMap::new(),
        }
    }

    fn members(&self) -> usize {
        self.ranks.len()
    }

    /// All who live make the same call; who dies is gone when it is over. True: all succeeded.
    fn call(&mut self, is_restore: bool, death: Option<(usize, u32)>) -> bool {
        self.death = death;
        self.verdict = None;
        self.call += 1;
        self.accounts = vec![None; self.members()];
        for who in 0..self.members() {
            match &mut self.ranks[who] {
                Some(rank) if !rank.work.todo.is_empty() => rank.at = At::Late,
                Some(_) => self.tell(who),
                None => {}
            }
        }
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
                false if self.has_dead() => self.fail(who),
                false => {}
            }
        }
        self.ranks.iter().all(|rank| rank.as_ref().is_some_and(|rank| rank.at == At::Done))
    }

    /// Whoever is at work hears of nothing before he has done it.
    fn fail(&mut self, who: usize) {
        let goes_on = self.random.chance(50);
        let rank = self.own(who);
        if rank.at != At::Late {
            rank.at = At::Failed;
        }
        if !goes_on {
            self.end_work(who);
        }
    }

    /// Lets go of what others have shown; a late one is in the call now.
    fn end_work(&mut self, who: usize) {
        let rank = self.own(who);
        rank.work = Work::default();
        if rank.at == At::Late {
            self.tell(who);
        }
    }

    fn tell(&mut self, who: usize) {
        let account = World::account(self.own(who));
        self.accounts[who] = Some(account);
        self.own(who).at = At::Told;
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
            At::Late => self.work(who),
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
                let at = vacant(spared, &mine);
                let mut slot = std::mem::take(&mut self.own(who).slots[at]);
                slot.entry = Some(World::entry(serial, members, who));
                let rank = self.own(who);
                rank.slots[at] = slot;
                (rank.slot, rank.seen, rank.is_new, rank.at) = (at, serial, false, At::Has);
                true
            }
            At::Has => {
                let wanted = vec![true; self.members()];
                let ranks = (0..self.members()).collect();
                self.begin_codes(who, &wanted, ranks, true)
            }
            At::Works => self.work(who),
            At::Worked => self.settle(who, true),
            _ => self.confirm(who),
        }
    }

    fn entry(serial: u64, members: usize, place: usize) -> Entry {
        Entry {
            serial,
            version: serial as i64,
            members: members as u32,
            place: place as u32,
            has_data: false,
            has_codes: false,
            is_committed: false,
            has_nodes: false,
        }
    }

    /// What all have shown in this call.
    fn shown(&self) -> Vec<Option<Slot>> {
        let slot = |rank: &Rank| rank.slots[rank.slot].clone();
        let shows = |rank: &&Rank| rank.at != At::Failed;
        self.ranks.iter().map(|rank| rank.as_ref().filter(shows).map(slot)).collect()
    }

    /// All have room: the codes that are wanted are to be made.
    fn begin_codes(
        &mut self, who: usize, wanted: &[bool], ranks: Vec<usize>, copies: bool,
    ) -> bool {
        if !self.all_are(At::Has) {
            return false;
        }
        let rank = self.own(who);
        let entry = rank.slots[rank.slot].entry.expect("it was begun");
        let layout = match copies {
            true => self.layout.clone(),
            false => Rc::new(self.layout_of(entry.members as usize)),
        };
        let mut todo = Vec::new();
        for share in layout.shares(entry.place as usize, HANDS) {
            let keepers = layout.stripes[share.stripe].keepers.iter().enumerate();
            let keepers = keepers.filter(|(_, keeper)| wanted[**keeper]);
            todo.extend(keepers.map(|(index, _)| Todo { share, index, is_code: true }));
        }
        let (slots, call, repairs) = (self.shown(), self.call, BTreeMap::new());
        let (serial, layout) = (entry.serial, Some(layout));
        let rank = self.own(who);
        rank.work = Work { todo, serial, call, copies, slots, ranks, layout, repairs };
        rank.at = At::Works;
        true
    }

    fn layout_of(&self, members: usize) -> Layout {
        Layout::new(&self.scheme, members, &[]).expect("it was taken by it")
    }

    /// All have done their work: what others have made here is whole.
    fn settle(&mut self, who: usize, is_take: bool) -> bool {
        let is_full = self.all_are(At::Worked) || !self.rules.meets_after_work;
        let confirms = self.rules.confirms;
        let rank = self.own(who);
        if is_full {
            if let Some(entry) = rank.slots[rank.slot].entry.as_mut() {
                (entry.has_data, entry.has_codes) = (true, true);
            }
            rank.at = At::Confirmed;
            if is_take && !confirms {
                self.end(who);
            }
        }
        is_full
    }

    fn confirm(&mut self, who: usize) -> bool {
        let is_full = self.all_are(At::Confirmed);
        if is_full {
            self.end(who);
        }
        is_full
    }

    fn end(&mut self, who: usize) {
        let rank = self.own(who);
        let entry = rank.slots[rank.slot].entry.as_mut().expect("it was begun");
        let serial = entry.serial;
        entry.is_committed = true;
        for slot in &mut rank.slots {
            slot.entry = slot.entry.filter(|entry| entry.serial <= serial);
        }
        (rank.at, rank.is_new) = (At::Done, false);
        let (members, place) = (entry_of(rank).members as usize, entry_of(rank).place as usize);
        let layout = self.layout_of(members);
        let rank = self.own(who);
        let data = value(&layout, &rank.slots[rank.slot].data, place);
        rank.holdings = data.unwrap_or_default() | rank.orphans;
    }

    /// One step of a restoration.
    fn restore(&mut self, who: usize) -> bool {
        let at = self.own(who).at;
        match at {
            At::Late | At::Decodes | At::Works => self.work(who),
            At::Told => self.look(who),
            At::Begun => {
                let Some(Verdict::Restore(choice)) = self.judged() else { return false };
                self.all_are(At::Begun) && self.begin_decoding(who, &choice)
            }
            At::Decoded => {
                if self.all_are(At::Decoded) {
                    self.have_back(who);
                }
                self.own(who).at == At::Has
            }
            At::Has if self.is_missing_any() => {
                // Codes are made again only where nobody is missing.
                let is_full = self.all_are(At::Has);
                self.own(who).at = if is_full { At::Confirmed } else { At::Has };
                is_full
            }
            At::Has => {
                let Some(Verdict::Restore(choice)) = self.judged() else { return false };
                let ranks = choice.seats.iter().map(|seat| seat.rank()).collect();
                self.begin_codes(who, &choice.without_codes, ranks, false)
            }
            At::Worked => self.settle(who, false),
            _ => self.confirm(who),
        }
    }

    /// All have told what they have: what is restored, and where that comes here.
    fn look(&mut self, who: usize) -> bool {
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
        let at = found.unwrap_or_else(|| vacant(Some(choice.serial), &mine));
        let mut slot = std::mem::take(&mut rank.slots[at]);
        if found.is_none() {
            assert_eq!(choice.seats[who], Seat::Heir(who), "it has a place to take");
            slot.entry = Some(World::entry(choice.serial, choice.seats.len(), who));
        }
        let mut rooms = BTreeMap::new();
        for (place, seat) in choice.seats.iter().enumerate() {
            if *seat == Seat::Guardian(who) {
                rooms.insert(place, Rc::default());
            } else if *seat == Seat::Heir(who) {
                rooms.insert(place, slot.data.clone());
            }
        }
        let rank = self.own(who);
        rank.slots[at] = slot;
        (rank.slot, rank.orphans, rank.rooms, rank.at) = (at, 0, rooms, At::Begun);
        true
    }

    /// Each makes some parts of all that is lost.
    fn begin_decoding(&mut self, who: usize, choice: &Choice) -> bool {
        let layout = Rc::new(self.layout_of(choice.seats.len()));
        let ranks: Vec<usize> = choice.seats.iter().map(|seat| seat.rank()).collect();
        let (mut todo, mut repairs) = (Vec::new(), BTreeMap::new());
        for repair in &choice.repairs {
            repairs.insert(repair.stripe, repair.codes[..repair.lost.len()].to_vec());
            let all = (0..layout.members()).flat_map(|member| layout.shares(member, HANDS));
            let parts = all.filter(|share| share.stripe == repair.stripe);
            for share in parts.filter(|share| share.part % self.members() == who) {
                let lost = repair.lost.iter();
                todo.extend(lost.map(|index| Todo { share, index: *index, is_code: false }));
            }
        }
        let (slots, call, copies) = (self.shown(), self.call, false);
        let (serial, layout) = (choice.serial, Some(layout));
        let rank = self.own(who);
        rank.work = Work { todo, serial, call, copies, slots, ranks, layout, repairs };
        rank.at = At::Decodes;
        true
    }

    /// All have made what was lost: this rank has its data, and those of places where nobody is any
    /// more, if they come here.
    fn have_back(&mut self, who: usize) {
        let Some(Verdict::Restore(choice)) = self.judged() else { return };
        let layout = self.layout_of(choice.seats.len());
        let rank = self.own(who);
        for (place, room) in std::mem::take(&mut rank.rooms) {
            if choice.seats[place] == Seat::Guardian(who) {
                rank.orphans |= value(&layout, &room, place).unwrap_or_default();
            }
        }
        let entry = rank.slots[rank.slot].entry.as_mut().expect("it was begun");
        entry.has_data = true;
        rank.at = At::Has;
    }

    /// Whether the checkpoint that is restored has places where nobody is any more.
    fn is_missing_any(&self) -> bool {
        let Some(Verdict::Restore(choice)) = &self.verdict else { return false };
        choice.seats.iter().any(|seat| matches!(seat, Seat::Guardian(_)))
    }

    /// The dead are gone, and the others count anew.
    fn shrink(&mut self) {
        self.ranks.retain(Option::is_some);
        let layout = Layout::new(&self.scheme, self.members(), &[]);
        self.layout = Rc::new(layout.expect("enough of them are left"));
        // Their places are others' now.
        self.ranks.iter_mut().flatten().for_each(|rank| rank.work = Work::default());
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
            Some((slot.entry?, slot.clone()))
        };
        let all: Option<Vec<(Entry, Slot)>> = self.ranks.iter().map(entry).collect();
        let all = all?;
        let serial = all[0].0.serial;
        let truth = &self.truth[&serial];
        for (rank, (entry, slot)) in all.iter().enumerate() {
            let layout = self.layout_of(entry.members as usize);
            assert_eq!(entry.serial, serial, "all have the same checkpoint");
            let place = entry.place as usize;
            let has_data = layout.chunks[place] > 0;
            let data = value(&layout, &slot.data, place);
            assert!(!has_data || data == Some(truth[place]), "rank {rank} has other data");
        }
        Some(serial)
    }
}

fn entry_of(rank: &Rank) -> Entry {
    rank.slots[rank.slot].entry.expect("it was begun")
}

/// What a place has, if all parts of it are there, and alike.
fn value(layout: &Layout, data: &Shared<u64>, place: usize) -> Option<u64> {
    let shares: Vec<Share> =
        (0..layout.members()).flat_map(|member| layout.shares(member, HANDS)).collect();
    let mut all = Vec::new();
    for (number, stripe) in layout.stripes.iter().enumerate() {
        let chunks = stripe.data.iter().filter(|(member, _)| *member == place);
        for (_, chunk) in chunks {
            let parts = shares.iter().filter(|share| share.stripe == number);
            all.extend(parts.map(|share| data.borrow().get(&(*chunk, share.part)).copied()));
        }
    }
    let first = *all.first()?;
    if all.iter().all(|one| *one == first) { first } else { None }
}
