//! Uniform agreement among a fixed list of members, of which all but one may die. Pure.
//!
//! Every member contributes a value. All members that decide take one decision: a combination of
//! values, and the members that are missing from it. The assumptions: every living member is
//! notified of all deaths, in any order and at any time, and never of a death that has not
//! happened; messages between two members stay in order; a message of a dead member may be lost.
//! Notices of death come in through [`Agreement::bury`], possibly before the member has
//! contributed.
//!
//! **How it works.** A member's *coordinator* is the lowest member that it does not know to be
//! dead. The member reports to it: its value, and the proposal that it has locked, if any. It
//! reports again whenever its coordinator dies, without being asked. When all living members have
//! reported to a coordinator, that makes one proposal: what one of them has locked, or else the
//! combination of their values. A member that receives a proposal from its coordinator locks it and
//! accepts. When all living members have accepted, the coordinator decides and tells all of them.
//! That takes 4(n-1) messages. A member that has decided says so in later reports, and answers a
//! proposal with the decision; a coordinator that hears of a decision, or has decided before a
//! report comes, passes the decision on.
//!
//! **Why it is uniform.** All locks that living members hold are of one proposal. For let `d` make
//! a new proposal: every living member has reported to `d` that it has locked nothing, and after
//! that it locks what `d` proposes, and no late message of an earlier coordinator; members with
//! other locks are dead. And what a coordinator `c` decides by itself, all living members have
//! locked, since `c` waits for all that it does not know to be dead, and living members are never
//! taken for dead. A later coordinator is one of them, so it finds at least one lock, its own, and
//! all locks that it finds are of that proposal. So nothing else is ever proposed again, and
//! nothing else is decided.
//!
//! **Why it ends.** There are finitely many deaths. After the last one, when all notices are in,
//! all living members have one coordinator. Each has reported to it (at once, or when it
//! contributed), so the coordinator has decided or makes a proposal. All accept, or answer with the
//! decision that an earlier coordinator's last message brought them; then it decides, and tells all
//! members that have reported without a decision. Later reports are answered.
//!
//! **Missing members** are those that the coordinator knew to be dead when it made the proposal. So
//! no living member is missing, and all others have contributed, though they may have died since.
//! They are listed in the order in which that coordinator was notified: if all members get notices
//! in one order, in that order. A member that has [left](Agreement::excuse) is missing, too, but
//! not dead.

mod absent;
mod decision;
mod poll;
mod value;

use super::rules::{Rules, Sound};
use absent::Absent;
pub use decision::{Decision, Lock};
use poll::Poll;
use std::marker::PhantomData;
use std::sync::Arc;
pub use value::Value;

/// Messages to send, with their receivers, in this order.
pub type Outbox = Vec<(usize, Message)>;

/// The messages between members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// To the coordinator: the sender's value and lock.
    Report(Value, Option<Lock>),
    /// From the coordinator: a proposal to lock.
    Propose(Arc<Decision>),
    /// To the coordinator: its proposal is locked.
    Accept,
    /// The decision.
    Decide(Arc<Decision>),
}

/// One member's part in one agreement.
#[derive(Clone, Debug)]
pub struct Agreement<R = Sound> {
    me: usize,
    size: usize,
    value: Option<Value>,
    absent: Absent,
    /// The lowest member that is not absent.
    coordinator: usize,
    lock: Option<Lock>,
    /// What this member knows as a coordinator, or a future one: others may notice a death earlier.
    poll: Option<Box<Poll>>,
    rules: PhantomData<R>,
}

impl Agreement {
    /// The part of member `me` of `size`.
    pub fn new(me: usize, size: usize) -> Agreement {
        Agreement::ruled(me, size)
    }
}

impl<R: Rules> Agreement<R> {
    /// The part of member `me` of `size` under the rules `R`.
    pub(super) fn ruled(me: usize, size: usize) -> Agreement<R> {
        assert!(me < size, "member {me} is one of the {size}");
        Agreement {
            me,
            size,
            value: None,
            absent: Absent::default(),
            coordinator: 0,
            lock: None,
            poll: None,
            rules: PhantomData,
        }
    }

    /// Contributes this member's value, once.
    pub fn contribute(&mut self, value: Value, outbox: &mut Outbox) {
        assert!(self.value.is_none(), "member {} contributes once", self.me);
        self.value = Some(value);
        self.report(outbox);
    }

    /// Whether this member has contributed.
    pub fn has_contributed(&self) -> bool {
        self.value.is_some()
    }

    /// Receives a message from another member.
    pub fn hear(&mut self, from: usize, message: Message, outbox: &mut Outbox) {
        match message {
            Message::Report(value, lock) => self.hear_report(from, value, lock, outbox),
            Message::Propose(proposal) => self.hear_proposal(from, proposal, outbox),
            Message::Accept => self.hear_accept(from, outbox),
            Message::Decide(decision) => self.decide(from, decision, outbox),
        }
    }

    /// Member `who` is dead. Repeated notices have no effect.
    pub fn bury(&mut self, who: usize, outbox: &mut Outbox) {
        self.miss(who, false, outbox);
    }

    /// Member `who` has left after finalizing: it takes no part in this agreement or a later one.
    /// If it had contributed, it has decided.
    pub fn excuse(&mut self, who: usize, outbox: &mut Outbox) {
        self.miss(who, true, outbox);
    }

    /// The decision, once there is one.
    pub fn decision(&self) -> Option<&Arc<Decision>> {
        self.lock.as_ref().filter(|lock| lock.is_decided).map(|lock| &lock.proposal)
    }

    fn miss(&mut self, who: usize, has_left: bool, outbox: &mut Outbox) {
        assert!(who != self.me, "the dead hear no notice of their own death");
        if !self.absent.insert(who, has_left, self.size) {
            return;
        }
        if let Some(poll) = &mut self.poll {
            poll.forget(who);
        }
        if who == self.coordinator {
            while self.absent.contains(self.coordinator) {
                self.coordinator += 1;
            }
            if R::REPORTS_ANEW || self.coordinator == self.me {
                self.report(outbox);
            }
        }
        self.proceed(outbox);
    }

    /// Reports to the coordinator.
    fn report(&mut self, outbox: &mut Outbox) {
        let Some(value) = self.value else { return };
        if self.coordinator != self.me {
            let report = Message::Report(value, self.lock.clone());
            outbox.push((self.coordinator, report));
        } else if self.decision().is_none() {
            let (me, lock) = (self.me, self.lock.clone());
            self.poll().hear(me, value, lock);
            self.proceed(outbox);
        }
    }

    fn poll(&mut self) -> &mut Poll {
        self.poll.get_or_insert_with(|| Box::new(Poll::new(self.size)))
    }

    fn hear_report(&mut self, from: usize, value: Value, lock: Option<Lock>, outbox: &mut Outbox) {
        if self.absent.contains(from) {
            return;
        }
        let news = lock.as_ref().filter(|lock| lock.is_decided).map(|lock| lock.proposal.clone());
        match (self.decision().cloned(), news) {
            (Some(_), Some(_)) => {}
            (Some(decision), None) if R::ANSWERS_LATE => {
                outbox.push((from, Message::Decide(decision)));
            }
            (Some(_), None) => {}
            (None, Some(decision)) => self.decide(from, decision, outbox),
            (None, None) => {
                self.poll().hear(from, value, lock);
                self.proceed(outbox);
            }
        }
    }

    fn hear_proposal(&mut self, from: usize, proposal: Arc<Decision>, outbox: &mut Outbox) {
        if let Some(decision) = self.decision() {
            if R::ANSWERS_PROPOSALS {
                outbox.push((from, Message::Decide(decision.clone())));
            }
            return;
        }
        if from != self.coordinator && R::SHUTS_OUT {
            return;
        }
        self.lock = Some(Lock { is_decided: false, proposal });
        outbox.push((from, Message::Accept));
    }

    fn hear_accept(&mut self, from: usize, outbox: &mut Outbox) {
        if self.absent.contains(from) || self.decision().is_some() {
            return;
        }
        self.poll().accept(from);
        self.proceed(outbox);
    }

    /// Takes the coordinator's next step, if this member is the coordinator and the step is
    /// possible.
    fn proceed(&mut self, outbox: &mut Outbox) {
        if self.coordinator != self.me || self.value.is_none() || self.decision().is_some() {
            return;
        }
        let living = self.size - self.absent.len();
        let absent = &self.absent;
        let Some(poll) = &mut self.poll else { return };
        if poll.may_propose(if R::POLLS_ALL { living } else { living / 2 + 1 }) {
            let proposal = poll.propose::<R>(absent);
            poll.accept(self.me);
            self.lock = Some(Lock { is_decided: false, proposal: proposal.clone() });
            self.tell_all(|| Message::Propose(proposal.clone()), outbox);
        }
        let is_accepted = self.poll.as_ref().is_some_and(|poll| poll.is_accepted(living));
        if is_accepted || !R::CONFIRMS {
            let proposal = self.lock.as_ref().map(|lock| lock.proposal.clone());
            if let Some(proposal) = proposal {
                self.decide(self.me, proposal, outbox);
            }
        }
    }

    fn tell_all(&self, message: impl Fn() -> Message, outbox: &mut Outbox) {
        let others = (0..self.size).filter(|&who| who != self.me && !self.absent.contains(who));
        outbox.extend(others.map(|who| (who, message())));
    }

    /// Adopts the decision that `from` knows, and passes it on to members that have reported.
    fn decide(&mut self, from: usize, decision: Arc<Decision>, outbox: &mut Outbox) {
        if self.decision().is_some() {
            return;
        }
        self.lock = Some(Lock { is_decided: true, proposal: decision.clone() });
        let Some(poll) = self.poll.take() else { return };
        let waiting = poll.voters().filter(|&who| who != self.me && who != from);
        outbox.extend(waiting.map(|who| (who, Message::Decide(decision.clone()))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    /// Members of one agreement whose messages arrive at once.
    struct Circle {
        machines: Vec<Option<Agreement>>,
        flying: VecDeque<(usize, usize, Message)>,
        outbox: Outbox,
    }

    impl Circle {
        fn new(size: usize) -> Circle {
            let machines = (0..size).map(|me| Some(Agreement::new(me, size))).collect();
            Circle { machines, flying: VecDeque::new(), outbox: Outbox::new() }
        }

        fn with(&mut self, me: usize, step: impl FnOnce(&mut Agreement, &mut Outbox)) {
            let machine = self.machines[me].as_mut().expect("only the living act");
            step(machine, &mut self.outbox);
            self.flying.extend(self.outbox.drain(..).map(|(to, message)| (me, to, message)));
            while let Some((from, to, message)) = self.flying.pop_front() {
                let Some(machine) = &mut self.machines[to] else { continue };
                machine.hear(from, message, &mut self.outbox);
                self.flying
                    .extend(self.outbox.drain(..).map(|(next, message)| (to, next, message)));
            }
        }

        fn contribute(&mut self, me: usize) {
            self.with(me, |machine, outbox| machine.contribute(Value::NEUTRAL, outbox));
        }

        fn kill(&mut self, who: usize) {
            self.machines[who] = None;
            for me in 0..self.machines.len() {
                if self.machines[me].is_some() {
                    self.with(me, |machine, outbox| machine.bury(who, outbox));
                }
            }
        }

        fn decisions(&self) -> Vec<Option<&Decision>> {
            let living = self.machines.iter().flatten();
            living.map(|machine| machine.decision().map(|decision| &**decision)).collect()
        }
    }

    #[test]
    fn everybody_decides_when_the_last_has_contributed_and_not_before() {
        for size in 1..6 {
            let mut circle = Circle::new(size);
            for me in (0..size).rev() {
                assert!(circle.decisions().iter().all(Option::is_none));
                let value = Value { flags: !(1 << me), any: 1 << me, ..Value::NEUTRAL };
                circle.with(me, |machine, outbox| machine.contribute(value, outbox));
            }
            let all = (1 << size) - 1;
            let value = Value { flags: !all, any: all, ..Value::NEUTRAL };
            let decision = Decision { value, dead: vec![], left: vec![] };
            assert_eq!(circle.decisions(), vec![Some(&decision); size]);
        }
    }

    #[test]
    fn the_last_of_many_decides_alone() {
        let mut circle = Circle::new(120);
        (0..119).for_each(|me| circle.contribute(me));
        (0..119).for_each(|who| circle.kill(who));
        circle.contribute(119);
        let everybody: Vec<usize> = (0..119).collect();
        assert_eq!(circle.decisions()[0].expect("the last decides").dead, everybody);
    }

    #[test]
    fn a_failure_is_acknowledged_when_all_contributors_have() {
        let decision = |dead: &[usize], acknowledged| Decision {
            value: Value { acknowledged, ..Value::NEUTRAL },
            dead: dead.to_vec(),
            left: Vec::new(),
        };
        assert!(decision(&[], 0).is_acknowledged(&[]));
        assert!(!decision(&[4, 2], 1).is_acknowledged(&[4, 2]), "2 came after the first");
        assert!(decision(&[4, 2], 2).is_acknowledged(&[4, 2]));
        assert!(decision(&[4], 1).is_acknowledged(&[4, 2]));
        assert!(!decision(&[4], u32::MAX).is_acknowledged(&[]), "who does not know it cannot have");
    }

    /// The quickest of a few runs, in microseconds.
    fn cost(run: impl Fn()) -> u128 {
        let once = |_| {
            let start = std::time::Instant::now();
            run();
            start.elapsed().as_micros()
        };
        (0..30).map(once).min().unwrap_or_default()
    }

    #[test]
    #[ignore = "measures"]
    fn what_agreements_cost() {
        for size in [2, 16, 120, 1000, 10_000] {
            let all_well = cost(|| {
                let mut circle = Circle::new(size);
                (0..size).for_each(|me| circle.contribute(me));
                assert!(circle.decisions().iter().all(Option::is_some));
            });
            let one_dead = cost(|| {
                let mut circle = Circle::new(size);
                circle.kill(0);
                (1..size).for_each(|me| circle.contribute(me));
                assert!(circle.decisions().iter().all(Option::is_some));
            });
            println!("{size}: {all_well} us when all is well, {one_dead} us without the first");
        }
        let [before, after] = [true, false].map(|contribute_first| {
            cost(|| {
                let mut circle = Circle::new(120);
                if contribute_first {
                    (0..119).for_each(|me| circle.contribute(me));
                }
                (0..119).for_each(|who| circle.kill(who));
                circle.contribute(119);
                assert!(circle.decisions()[0].is_some());
            })
        });
        println!("119 of 120 dead: {before} us after they had contributed, {after} us before");
    }
}
