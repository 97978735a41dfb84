//! The other processes of a job: the way to their coordinator (see
//! [`Coordinator`](crate::fault::Coordinator)), and what has come from there.

use crate::base::Member;
use crate::fault::ports::Reply;
use crate::fault::{Ask, Decision, Founding, Key, Party, Purpose, Report, Value};
use crate::transport::Processes;
use parking_lot::{Condvar, Mutex};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

/// Tells the coordinator something that a rank of this process does.
pub type Reporter = dyn Fn(Member, &Report) + Send + Sync;

/// Keeps what the ranks of a world that is spawned have to know.
type Registrar = dyn Fn(&Founding) + Send + Sync;

/// The other processes of a job.
pub(in crate::engine) struct Elsewhere {
    pub(super) processes: &'static Processes,
    report: Box<Reporter>,
    news: Mutex<Heard>,
    /// The processes that can be reached.
    met: Mutex<BTreeSet<usize>>,
    /// Signalled when there are more of them, or one is dead.
    meeting: Condvar,
    /// What follows from a death for the floors above.
    pub(super) bury: OnceLock<Box<dyn Fn(Member) + Send + Sync>>,
    /// What follows there from a world that is spawned.
    pub(super) register: OnceLock<Box<Registrar>>,
    /// The number of what was asked for last.
    asked: Mutex<u64>,
}

/// What a rank has asked of the coordinator has come of this.
pub(super) enum Answer {
    AtPorts(Reply),
    Founded(Founding),
    /// `may_come`: others may leave some.
    NoSeats {
        may_come: bool,
    },
}

/// What a rank of this process waits for.
type Its = (Member, Key);

/// What ranks of this process wait for from the coordinator.
#[derive(Default)]
struct Heard {
    decisions: BTreeMap<Its, Arc<Decision>>,
    exchanges: BTreeMap<Its, Option<Vec<Vec<u8>>>>,
    /// What a rank has said, and what it cannot go on with.
    said: BTreeMap<Its, Vec<Member>>,
    given_up: BTreeSet<Its>,
    /// Agreements to which the coordinator has contributed for a rank.
    contributed: BTreeSet<Its>,
    /// By the number of what was asked for.
    answers: BTreeMap<(Member, u64), Answer>,
}

impl Elsewhere {
    pub(super) fn new(processes: &'static Processes, report: Box<Reporter>) -> Elsewhere {
        let met = Mutex::new(BTreeSet::from([processes.process_of(processes.seats().start)]));
        let (news, meeting, asked) = (Mutex::default(), Condvar::new(), Mutex::default());
        let (bury, register) = (OnceLock::new(), OnceLock::new());
        Elsewhere { processes, report, news, met, meeting, bury, register, asked }
    }

    /// Whether a seat is in this process.
    pub(super) fn is_here(&self, seat: usize) -> bool {
        self.processes.seats().contains(&seat)
    }

    /// This process can be reached from now on.
    pub(super) fn meet(&self, process: usize) {
        self.met.lock().insert(process);
        self.look_again();
    }

    /// Others come in the place of these processes, which are over.
    pub(super) fn part_with(&self, processes: impl Iterator<Item = usize>) {
        let own = self.processes.process_of(self.processes.seats().start);
        let mut met = self.met.lock();
        processes.filter(|process| *process != own).for_each(|process| _ = met.remove(&process));
    }

    pub(super) fn look_again(&self) {
        let _met = self.met.lock();
        self.meeting.notify_all();
    }

    /// Waits until all are met who are to be.
    pub(super) fn wait_until_all_are_met(&self, are_met: impl Fn(&BTreeSet<usize>) -> bool) {
        let mut met = self.met.lock();
        while !are_met(&met) {
            self.meeting.wait(&mut met);
        }
    }

    pub(super) fn report(&self, from: Member, report: &Report) {
        (self.report)(from, report);
    }

    pub(super) fn contribute(&self, me: Member, key: Key, party: &Party<'_>, value: Value) {
        if self.news.lock().contributed.remove(&(me, key)) {
            return;
        }
        let (roster, course) = (party.roster.to_vec(), party.course.cloned());
        self.report(me, &Report::Contributed { key, roster, course, value });
    }

    pub(super) fn decision(&self, me: Member, key: Key) -> Option<Arc<Decision>> {
        self.news.lock().decisions.remove(&(me, key))
    }

    /// Whether what `key` names has come.
    pub(super) fn has_heard(&self, me: Member, key: Key) -> bool {
        let news = self.news.lock();
        match key.purpose {
            Purpose::Exchange => news.exchanges.contains_key(&(me, key)),
            _ => news.decisions.contains_key(&(me, key)),
        }
    }

    pub(super) fn say(&self, me: Member, key: Key, roster: Vec<Member>, bytes: Vec<u8>) {
        self.news.lock().said.insert((me, key), roster.clone());
        self.report(me, &Report::Said { key, roster, bytes });
    }

    /// The rank cannot go on with what it has said.
    pub(super) fn give_up(&self, me: Member, key: Key) {
        let mut news = self.news.lock();
        if let Some(roster) = news.said.get(&(me, key)).cloned()
            && news.given_up.insert((me, key))
        {
            drop(news);
            self.report(me, &Report::GaveUp { key, roster, has_said: true });
        }
    }

    /// A decision has come. `next`: the number of the agreement to which it has led.
    pub(super) fn decide(&self, me: Member, key: Key, decision: Arc<Decision>, next: Option<u64>) {
        let mut news = self.news.lock();
        news.decisions.insert((me, key), decision);
        news.contributed.extend(next.map(|number| (me, Key { number, ..key })));
    }

    /// What all have said has come.
    pub(super) fn answer(&self, me: Member, key: Key, all: Option<Vec<Vec<u8>>>) {
        self.news.lock().exchanges.insert((me, key), all);
    }

    /// What all have said, once that is known; `None`: it has come to nothing.
    pub(super) fn take(&self, me: Member, key: Key) -> Option<Vec<Vec<u8>>> {
        let mut news = self.news.lock();
        news.said.remove(&(me, key));
        news.given_up.remove(&(me, key));
        news.exchanges.remove(&(me, key)).flatten()
    }

    /// Asks the coordinator for something; returns the number of that. They leave in their order.
    pub(super) fn ask(&self, me: Member, what: Ask) -> u64 {
        let mut asked = self.asked.lock();
        *asked += 1;
        self.report(me, &Report::Asked { number: *asked, what });
        *asked
    }

    /// An answer has come.
    pub(super) fn keep(&self, its: (Member, u64), answer: Answer) {
        self.news.lock().answers.insert(its, answer);
    }

    pub(super) fn take_answer(&self, its: (Member, u64)) -> Option<Answer> {
        self.news.lock().answers.remove(&its)
    }

    /// A rank of this process is dead, and waits for nothing.
    pub(super) fn forget(&self, member: Member) {
        let mut news = self.news.lock();
        let is_of_others = |its: &Its| its.0 != member;
        news.decisions.retain(|its, _| is_of_others(its));
        news.exchanges.retain(|its, _| is_of_others(its));
        news.said.retain(|its, _| is_of_others(its));
        news.given_up.retain(is_of_others);
        news.contributed.retain(is_of_others);
        news.answers.retain(|(of, _), _| *of != member);
    }
}
