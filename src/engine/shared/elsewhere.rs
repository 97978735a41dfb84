//! The other processes of a job: the way to their coordinator (see
//! [`Coordinator`](crate::fault::Coordinator)), and what has come from there.

use crate::base::Member;
use crate::fault::{Decision, Key, Party, Purpose, Report, Value};
use crate::transport::Processes;
use parking_lot::{Condvar, Mutex};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

/// Tells the coordinator something.
pub type Reporter = dyn Fn(&Report) + Send + Sync;

/// The other processes of a job.
pub(in crate::engine) struct Elsewhere {
    /// The rank of this process.
    pub(super) me: Member,
    pub(super) processes: &'static Processes,
    report: Box<Reporter>,
    news: Mutex<Heard>,
    /// The processes that can be reached.
    met: Mutex<BTreeSet<usize>>,
    /// Signalled when there are more of them, or one is dead.
    meeting: Condvar,
    /// What follows from a death for the floors above.
    pub(super) bury: OnceLock<Box<dyn Fn(Member) + Send + Sync>>,
}

/// What this rank waits for from the coordinator.
#[derive(Default)]
struct Heard {
    decisions: BTreeMap<Key, Arc<Decision>>,
    exchanges: BTreeMap<Key, Option<Vec<Vec<u8>>>>,
    /// What this rank has said, and what it cannot go on with.
    said: BTreeMap<Key, Vec<Member>>,
    given_up: BTreeSet<Key>,
    /// Agreements to which the coordinator has contributed for this rank.
    contributed: BTreeSet<Key>,
}

impl Elsewhere {
    pub(super) fn new(
        me: Member, processes: &'static Processes, report: Box<Reporter>,
    ) -> Elsewhere {
        let met = Mutex::new(BTreeSet::from([me.seat]));
        let (news, meeting, bury) = (Mutex::default(), Condvar::new(), OnceLock::new());
        Elsewhere { me, processes, report, news, met, meeting, bury }
    }

    /// This process can be reached from now on.
    pub(super) fn meet(&self, process: usize) {
        self.met.lock().insert(process);
        self.look_again();
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

    pub(super) fn report(&self, report: &Report) {
        (self.report)(report);
    }

    pub(super) fn contribute(&self, key: Key, party: &Party<'_>, value: Value) {
        if self.news.lock().contributed.remove(&key) {
            return;
        }
        let (roster, course) = (party.roster.to_vec(), party.course.cloned());
        self.report(&Report::Contributed { key, roster, course, value });
    }

    pub(super) fn decision(&self, key: Key) -> Option<Arc<Decision>> {
        self.news.lock().decisions.remove(&key)
    }

    /// Whether what `key` names has come.
    pub(super) fn has_heard(&self, key: Key) -> bool {
        let news = self.news.lock();
        match key.purpose {
            Purpose::Exchange => news.exchanges.contains_key(&key),
            _ => news.decisions.contains_key(&key),
        }
    }

    pub(super) fn say(&self, key: Key, roster: Vec<Member>, bytes: Vec<u8>) {
        self.news.lock().said.insert(key, roster.clone());
        self.report(&Report::Said { key, roster, bytes });
    }

    /// The rank cannot go on with what it has said.
    pub(super) fn give_up(&self, key: Key) {
        let mut news = self.news.lock();
        if let Some(roster) = news.said.get(&key).cloned()
            && news.given_up.insert(key)
        {
            drop(news);
            self.report(&Report::GaveUp { key, roster, has_said: true });
        }
    }

    /// A decision has come. `next`: the number of the agreement to which it has led.
    pub(super) fn decide(&self, key: Key, decision: Arc<Decision>, next: Option<u64>) {
        let mut news = self.news.lock();
        news.decisions.insert(key, decision);
        news.contributed.extend(next.map(|number| Key { number, ..key }));
    }

    /// What all have said has come.
    pub(super) fn answer(&self, key: Key, all: Option<Vec<Vec<u8>>>) {
        self.news.lock().exchanges.insert(key, all);
    }

    /// What all have said, once that is known; `None`: it has come to nothing.
    pub(super) fn take(&self, key: Key) -> Option<Vec<Vec<u8>>> {
        let mut news = self.news.lock();
        news.said.remove(&key);
        news.given_up.remove(&key);
        news.exchanges.remove(&key).flatten()
    }
}
