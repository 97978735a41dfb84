//! What the ranks of several processes have in common: who is dead, who has left, what is agreed
//! on, which communicators are revoked. One coordinator keeps it for all, in the process that has
//! started the others. Pure.
//!
//! Every process reports what its rank does, and hears of everything in one order, so all of them
//! have the same record of deaths. Deaths are reported by whoever sees processes end; they are
//! never suspected. If the coordinator is lost, another one may take over ([`resume`]).

mod known;
pub mod resume;

use crate::agreements::{Agreements, News, Party, Summons, Surroundings};
use crate::exchange::Exchanges;
use crate::ledger::Ledger;
use crate::loans::{Founding, Loans, Spawn};
use crate::messages::{Ask, Notice, Order, Report, Welcome};
use crate::ports::{AtPorts, Ports};
use ftmpi_base::Member;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::time::Duration;

/// What the ranks have in common.
pub struct Coordinator {
    ledger: Ledger,
    agreements: Agreements,
    exchanges: Exchanges,
    called: BTreeMap<u32, u64>,
    revoked: BTreeMap<u32, Vec<Member>>,
    /// The next context that the coordinator draws, and how far apart they are.
    context: Cell<u32>,
    stride: u32,
    known: known::Known,
    /// How many ranks there are at first.
    ranks: usize,
    ports: Ports,
    loans: Loans,
    founded: Vec<Founding>,
    /// The number of the last thing that each rank has asked for.
    asked: BTreeMap<Member, u64>,
}

impl Coordinator {
    /// A coordinator of `ranks` ranks, all of whom live, and of so many seats, for others, too.
    /// Contexts that it draws leave this remainder when divided by `stride`; those of ranks leave
    /// others.
    pub fn new(ranks: usize, seats: usize, (remainder, stride): (u32, u32)) -> Coordinator {
        Coordinator {
            ledger: Ledger::new(seats),
            agreements: Agreements::default(),
            exchanges: Exchanges::default(),
            called: BTreeMap::new(),
            revoked: BTreeMap::new(),
            context: Cell::new(remainder),
            stride,
            known: known::Known::default(),
            ranks,
            ports: Ports::default(),
            loans: Loans::default(),
            founded: Vec::new(),
            asked: BTreeMap::new(),
        }
    }

    /// The coordinator of the job that has this number on its machine.
    pub fn of_job(self, job: u32) -> Coordinator {
        Coordinator { ports: Ports::of(job), ..self }
    }

    /// `from` has told this. What the dead have said is of no matter any more.
    pub fn hear(&mut self, from: Member, report: Report, now: Duration) -> Vec<Order> {
        if self.ledger.is_dead(from) {
            return Vec::new();
        }
        if let Some(orders) = self.answer_as_before(from, &report, now) {
            return orders;
        }
        match report {
            Report::Began | Report::InSession(_) | Report::Learnt(_) => Vec::new(),
            Report::Contributed { key, roster, course, value } => {
                if let Ok(most) = u32::try_from(value.most) {
                    self.learn(most);
                }
                let party = Party { roster: &roster, course: course.as_ref() };
                self.agree(now, Vec::new(), |agreements, around| {
                    agreements.contribute(key, &party, from, value, around)
                })
            }
            Report::Said { key, roster, bytes } => {
                let gone = self.gone(&roster);
                self.exchanges.say(key, &roster, from, bytes, &gone)
            }
            Report::GaveUp { key, roster, has_said } => {
                let gone = self.gone(&roster);
                self.exchanges.give_up(key, &roster, &gone, from, has_said)
            }
            Report::Departed => {
                let mut orders = vec![Order::TellAll(Notice::Departed(from))];
                orders.extend(self.exchanges.miss(from));
                self.agree(now, orders, |agreements, around| agreements.depart(from, around))
            }
            Report::Called { home, generation } => {
                let known = self.called.entry(home).or_default();
                if *known >= generation {
                    return Vec::new();
                }
                *known = generation;
                vec![Order::TellAll(Notice::Called { home, generation })]
            }
            Report::Revoked { context, roster } => {
                if self.revoked.insert(context, roster.clone()).is_some() {
                    return Vec::new();
                }
                vec![Order::TellAll(Notice::Revoked { context, roster })]
            }
            Report::Disowned(members) => members.into_iter().map(Order::Disown).collect(),
            Report::Asked { number, what } => self.ask(from, number, what),
        }
    }

    /// `by` asks for something. If it asks another coordinator once more, it is done only once.
    fn ask(&mut self, by: Member, number: u64, what: Ask) -> Vec<Order> {
        if self.asked.get(&by).is_some_and(|last| *last >= number) {
            return Vec::new();
        }
        self.asked.insert(by, number);
        match what {
            Ask::AtPorts(what) => {
                let contexts = [self.fresh_context(), self.fresh_context()];
                self.act_at_ports(by, &what, contexts);
                vec![Order::TellAll(Notice::AtPorts { by, number, what, contexts })]
            }
            Ask::Spawn(spawn) => self.spawn(by, number, spawn),
        }
    }

    fn act_at_ports(&mut self, by: Member, what: &AtPorts, contexts: [u32; 2]) {
        let ledger = &self.ledger;
        // Who has asked finds the answer by himself.
        let _reply = self.ports.act(by, what, contexts, |member| ledger.is_dead(member));
    }

    fn spawn(&mut self, by: Member, number: u64, spawn: Spawn) -> Vec<Order> {
        let Spawn { parents, recipes, counts, errhandlers } = spawn;
        let (ledger, seats) = (&self.ledger, self.ranks..self.ledger.seats().count());
        let latest = |seat| ledger.latest(seat).incarnation;
        let Some((seats, started)) = self.loans.lend(seats, &counts, latest) else {
            let may_come = self.loans.are_any();
            return vec![Order::Tell(by, Notice::NoSeats { number, may_come })];
        };
        let first = self.ledger.begin_anew(seats.clone());
        let (context, seal) = (self.fresh_context(), self.fresh_context());
        let contexts = (self.fresh_context(), self.fresh_context());
        let founding = Founding {
            by,
            number,
            seats,
            first,
            context,
            contexts,
            seal,
            parents,
            recipes,
            started,
            errhandlers,
        };
        self.keep(&founding);
        let start = |member| Order::Start { member, generation: 0 };
        let starts: Vec<Order> = founding.members().map(start).collect();
        std::iter::once(Order::TellAll(Notice::Founded(founding))).chain(starts).collect()
    }

    /// Others have lived in its seats before.
    fn keep(&mut self, founding: &Founding) {
        let is_over = |past: &Founding| past.seats.clone().any(|it| founding.seats.contains(&it));
        self.founded.retain(|past| !is_over(past));
        self.founded.push(founding.clone());
    }

    /// A life has ended for good; its seat may be somebody else's.
    pub fn free(&mut self, member: Member) {
        if member.seat >= self.ranks {
            self.loans.end(member);
        }
    }

    /// A member is dead. It is told once, and before everything that follows from it.
    pub fn bury(&mut self, member: Member, now: Duration) -> Vec<Order> {
        if !self.ledger.bury(member) {
            return Vec::new();
        }
        let is_alive = |member: &Member| !self.ledger.is_dead(*member);
        self.revoked.retain(|_, roster| roster.iter().any(is_alive));
        let mut orders = vec![Order::TellAll(Notice::Died(member))];
        orders.extend(self.exchanges.miss(member));
        self.agree(now, orders, |agreements, around| agreements.bury(member, around))
    }

    /// A member that had died is started again, without a recovery.
    pub fn restart(&mut self, member: Member) -> Vec<Order> {
        match self.ledger.enter(member) {
            true => vec![Order::TellAll(Notice::Entered(member))],
            false => Vec::new(),
        }
    }

    /// Whether this life has ended.
    pub fn is_dead(&self, member: Member) -> bool {
        self.ledger.is_dead(member)
    }

    /// What a process has to know that begins now, with `member` if it has one rank.
    pub fn welcome(&mut self, member: Option<Member>) -> Welcome {
        Welcome {
            ledger: self.ledger.clone(),
            departed: self.agreements.departed().collect(),
            called: self.called.clone(),
            revoked: self.revoked.iter().map(|(of, roster)| (*of, roster.clone())).collect(),
            summons: member.and_then(|member| self.agreements.summons(member)),
            ports: self.ports.clone(),
            founded: self.founded.clone(),
        }
    }

    /// The recovery that `member`, which begins now, is to take part in.
    pub fn summons(&mut self, member: Member) -> Option<Summons> {
        self.agreements.summons(member)
    }

    /// The members that have kept others waiting for so long who recover.
    pub fn latecomers(&self, now: Duration, patience: Duration) -> Vec<Member> {
        let called = |home| self.called.get(&home).copied().unwrap_or(0);
        let awaited = self.agreements.awaited(called);
        let overdue = awaited.filter(|(since, _)| now.saturating_sub(*since) >= patience);
        overdue.flat_map(|(_, missing)| missing).collect()
    }

    /// The members of this roster that are dead or have left.
    fn gone(&self, roster: &[Member]) -> Vec<Member> {
        let is_gone =
            |member: &Member| self.ledger.is_dead(*member) || self.agreements.has_departed(*member);
        roster.iter().copied().filter(is_gone).collect()
    }

    /// The coordinator's next context comes after this one.
    fn learn(&self, context: u32) {
        let next = self.context.get();
        if next <= context {
            let steps = (context - next) / self.stride + 1;
            self.context.set(next + steps * self.stride);
        }
    }

    fn fresh_context(&self) -> u32 {
        self.context.replace(self.context.get() + self.stride)
    }

    fn agree(
        &mut self, now: Duration, orders: Vec<Order>,
        act: impl FnOnce(&mut Agreements, &Surroundings<'_>) -> News,
    ) -> Vec<Order> {
        let (context, stride) = (&self.context, self.stride);
        let fresh_context = || context.replace(context.get() + stride);
        let around = Surroundings { ledger: &self.ledger, now, fresh_context: &fresh_context };
        let news = act(&mut self.agreements, &around);
        let News { decided, led_on, wanted, agreed, .. } = news;
        let mut orders = orders;
        if !agreed.is_empty() {
            orders.push(Order::Write(agreed));
        }
        for (members, summons) in wanted {
            let generation = summons.recovery.before().generation + 1;
            for member in members {
                if self.ledger.has_entered(member) || !self.ledger.enter(member) {
                    continue;
                }
                self.agreements.summon(member, &summons);
                orders.push(Order::TellAll(Notice::Entered(member)));
                orders.push(Order::Start { member, generation });
            }
        }
        let led_on = led_on.into_iter().map(|(key, member, next)| (key, member, Some(next)));
        let decided = decided.into_iter().map(|(key, member)| (key, member, None));
        for (key, member, next) in led_on.chain(decided) {
            if let Some(decision) = self.agreements.decision(key, member) {
                orders.push(Order::Tell(member, Notice::Decided { key, decision, next }));
            }
        }
        orders
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Key, Mode, Purpose, Record, Recovery, Slot, Summons, Value, View};
    use std::sync::Arc;

    const NOW: Duration = Duration::ZERO;
    const KEY: Key = Key { purpose: Purpose::Flag, of: 7, number: 0 };

    fn member(seat: usize, incarnation: u32) -> Member {
        Member { seat, incarnation }
    }

    fn first(ranks: usize) -> Vec<Member> {
        (0..ranks).map(|seat| member(seat, 0)).collect()
    }

    fn coordinator(ranks: usize) -> Coordinator {
        Coordinator::new(ranks, ranks, (2, ranks as u32 + 1))
    }

    fn contribution(key: Key, roster: &[Member], flags: u64) -> Report {
        let value = Value { flags, ..Value::NEUTRAL };
        Report::Contributed { key, roster: roster.to_vec(), course: None, value }
    }

    fn decided(orders: &[Order]) -> Vec<(Member, u64, Vec<usize>)> {
        let told = orders.iter().filter_map(|order| match order {
            Order::Tell(to, Notice::Decided { decision, next: None, .. }) => {
                Some((*to, decision.value.flags, decision.dead.clone()))
            }
            _ => None,
        });
        told.collect()
    }

    #[test]
    fn an_agreement_is_over_when_the_last_has_come_or_died() {
        let (mut it, roster) = (coordinator(3), first(3));
        assert!(it.hear(roster[0], contribution(KEY, &roster, 6), NOW).is_empty());
        assert!(it.hear(roster[2], contribution(KEY, &roster, 3), NOW).is_empty());
        let orders = it.bury(roster[1], NOW);
        assert_eq!(orders[0], Order::TellAll(Notice::Died(roster[1])), "the death comes first");
        let both = [0, 2].map(|seat| (roster[seat], 2, vec![1]));
        assert_eq!(decided(&orders), both);
        assert!(it.bury(roster[1], NOW).is_empty(), "a death is told once");
    }

    #[test]
    fn what_the_dead_say_is_not_heard() {
        let (mut it, roster) = (coordinator(2), first(2));
        it.bury(roster[0], NOW);
        assert!(it.hear(roster[0], contribution(KEY, &roster, 1), NOW).is_empty());
        assert!(it.hear(roster[0], Report::Departed, NOW).is_empty());
        let orders = it.hear(roster[1], contribution(KEY, &roster, 4), NOW);
        assert_eq!(decided(&orders), [(roster[1], 4, vec![0])]);
    }

    #[test]
    fn nobody_waits_for_those_who_have_left() {
        let (mut it, roster) = (coordinator(2), first(2));
        it.hear(roster[0], contribution(KEY, &roster, 5), NOW);
        let orders = it.hear(roster[1], Report::Departed, NOW);
        assert_eq!(decided(&orders), [(roster[0], 5, vec![])]);
    }

    /// Whatever dies when, all who live decide alike, and are told so once.
    #[test]
    fn all_who_live_are_told_one_decision_whoever_dies_when() {
        let ranks: usize = 4;
        for order in 0..ranks.pow(4) {
            let (mut it, roster) = (coordinator(ranks), first(ranks));
            let mut told: Vec<(Member, u64, Vec<usize>)> = Vec::new();
            let mut dead = Vec::new();
            for step in 0..2 * ranks {
                let orders = match order / ranks.pow(step as u32 / 2) % ranks {
                    victim if step % 2 == 1 && dead.len() < ranks - 1 && victim % 2 == 0 => {
                        dead.push(victim);
                        it.bury(roster[victim], NOW)
                    }
                    _ => {
                        let seat = step / 2;
                        it.hear(roster[seat], contribution(KEY, &roster, 1 << seat | 16), NOW)
                    }
                };
                told.extend(decided(&orders));
            }
            for (place, one) in told.iter().enumerate() {
                assert!(told[..place].iter().all(|other| other.0 != one.0), "told once");
                assert_eq!((one.1, &one.2), (told[0].1, &told[0].2), "told alike");
            }
            let has_heard = |seat: &usize| told.iter().any(|one| one.0.seat == *seat);
            let alive: Vec<usize> = (0..ranks).filter(|seat| !dead.contains(seat)).collect();
            assert!(alive.iter().all(has_heard), "{order}: {told:?}, {dead:?} are dead");
        }
    }

    fn summons(ranks: usize) -> Summons {
        let slots = first(ranks).into_iter().map(Slot::Taken).collect();
        let view = View { generation: 0, slots };
        let recovery = Arc::new(Recovery::new(view, Record::new(), Mode::Rebuild, None));
        Summons { recovery, number: 0, modes: None }
    }

    #[test]
    fn a_rebuild_starts_the_dead_and_waits_for_them_even_if_they_die_again() {
        let (mut it, roster) = (coordinator(2), first(2));
        it.bury(roster[1], NOW);
        let course = summons(2);
        let key = Key { purpose: Purpose::Recovery { home: 0 }, of: 0, number: 0 };
        let report = Report::Contributed {
            key,
            roster: roster.clone(),
            course: Some(course),
            value: Value { most: 100, ..Value::NEUTRAL },
        };
        let mut orders = it.hear(roster[0], report, NOW);
        for life in 1..3 {
            let next = member(1, life);
            assert!(orders.contains(&Order::Start { member: next, generation: 1 }), "{orders:?}");
            assert!(decided(&orders).is_empty(), "the survivor waits");
            if life == 1 {
                orders = it.bury(next, NOW);
            }
        }
        let next = member(1, 2);
        let text = postcard::to_allocvec(&it.welcome(Some(next))).expect("it can be written");
        let welcome: Welcome = postcard::from_bytes(&text).expect("and read");
        assert!(welcome.ledger.is_dead(member(1, 1)) && !welcome.ledger.is_dead(next));
        let summons = welcome.summons.expect("it is to take part in the recovery");
        assert_eq!(summons.recovery.roster(), [roster[0], next]);
        let key = Key { number: summons.number, ..key };
        let report = Report::Contributed {
            key,
            roster: summons.recovery.roster().to_vec(),
            course: Some(summons),
            value: Value::NEUTRAL,
        };
        let orders = it.hear(next, report, NOW);
        let told: Vec<Member> = decided(&orders).into_iter().map(|(to, ..)| to).collect();
        assert_eq!(told, [roster[0], next]);
    }
}
