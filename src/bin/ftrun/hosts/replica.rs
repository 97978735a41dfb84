//! What an agent keeps in case the coordinator is lost: what all ranks have been told, and what
//! those of its host have reported and been told alone.
//!
//! Everything passes through here on its way, so nothing is asked for twice. A report is kept until
//! it is answered; an answer until the coordinator says that all have got theirs; an order to kill
//! until those are dead that it names.

use ftmpi_base::Member;
use ftmpi_fault::{Key, Ledger, Notice, Purpose, Report, led_on};
use ftmpi_wireup::takeover::{Account, Entry, LifeAccount};
use ftmpi_wireup::{Said, Told};
use std::collections::BTreeMap;

pub(super) struct Replica {
    /// The epoch of the last coordinator, and how many entries there were when it began.
    epoch: u64,
    begun: u64,
    log: Vec<Entry>,
    /// Which lives there are, as the entries tell.
    ledger: Ledger,
    notes: BTreeMap<Member, Notes>,
    /// The answers to ranks of this host, each with its step.
    told: Vec<(u64, Notice)>,
    context: u64,
    rules: Option<(Member, Said)>,
}

/// What is kept of one life.
#[derive(Default)]
struct Notes {
    is_in: bool,
    has_begun: bool,
    has_departed: bool,
    in_session: Option<bool>,
    /// What it waits for.
    waits: BTreeMap<Key, Report>,
    /// What has no answer of its own.
    others: Vec<Report>,
    said: Vec<Said>,
}

impl Replica {
    /// That of a job with so many ranks.
    pub(super) fn new(ranks: usize) -> Replica {
        Replica {
            epoch: 0,
            begun: 0,
            log: Vec::new(),
            ledger: Ledger::new(ranks),
            notes: BTreeMap::new(),
            told: Vec::new(),
            context: 0,
            rules: None,
        }
    }

    /// The next entry. False if it is known.
    pub(super) fn enter(&mut self, number: u64, entry: &Entry) -> bool {
        let is_next = number == self.log.len() as u64 + 1;
        if is_next {
            self.log.push(entry.clone());
            match entry {
                Entry::Notice(Notice::Entered(member)) => _ = self.ledger.enter(*member),
                Entry::Notice(Notice::AtPorts { by, number, .. }) => self.answer(by, *number),
                Entry::Notice(Notice::Founded(founding)) => {
                    self.ledger.begin_with(founding.seats.clone(), founding.first);
                    self.answer(&founding.by, founding.number);
                }
                Entry::Notice(Notice::Died(member)) => {
                    self.ledger.bury(*member);
                    let ledger = &self.ledger;
                    let said = self.notes.values_mut().map(|notes| &mut notes.said);
                    said.for_each(|said| said.retain(|it| !is_carried_out(it, ledger)));
                }
                _ => {}
            }
        }
        is_next
    }

    /// What this rank has asked for is done.
    fn answer(&mut self, by: &Member, number: u64) {
        if let Some(notes) = self.notes.get_mut(by) {
            notes.waits.remove(&of_asked(number));
        }
    }

    /// A rank of this host says this; of one that is to be killed, the life is named.
    pub(super) fn name_life(&self, said: Said) -> Said {
        match said {
            Said::Kill { seat, incarnation: None } => {
                let latest = self.ledger.seats().nth(seat);
                Said::Kill { seat, incarnation: latest.map(|(life, _)| life.incarnation) }
            }
            said => said,
        }
    }

    /// A new coordinator has begun after so many entries.
    pub(super) fn begin(&mut self, epoch: u64, begun: u64) {
        (self.epoch, self.begun) = (epoch, begun);
        // It tells all that in its first step.
        self.told.iter_mut().for_each(|(of, _)| *of = 1);
    }

    /// A rank of this host says this.
    pub(super) fn hear(&mut self, from: Member, said: &Said) {
        let notes = self.notes.entry(from).or_default();
        match said {
            Said::Rules(_) => self.rules = Some((from, said.clone())),
            Said::Kill { .. } | Said::EndGroup(_) if is_carried_out(said, &self.ledger) => {}
            Said::Order(_) | Said::Kill { .. } | Said::EndGroup(_) | Said::Abort { .. } => {
                notes.said.push(said.clone());
            }
            Said::Unreachable(_) | Said::Silent { .. } => {
                let about = |said: &Said| match said {
                    Said::Unreachable(member) | Said::Silent { member, .. } => Some(*member),
                    _ => None,
                };
                notes.said.retain(|known| about(known) != about(said));
                notes.said.push(said.clone());
            }
            Said::Report { report, .. } => match report {
                Report::Began => notes.has_begun = true,
                Report::Departed => notes.has_departed = true,
                Report::Contributed { key, value, .. } => {
                    if value.most < u64::from(u32::MAX) {
                        self.context = self.context.max(value.most);
                    }
                    notes.waits.insert(*key, report.clone());
                }
                Report::Said { key, .. } => _ = notes.waits.insert(*key, report.clone()),
                Report::GaveUp { .. }
                | Report::Called { .. }
                | Report::Revoked { .. }
                | Report::Disowned(_) => {
                    notes.others.push(report.clone());
                }
                Report::InSession(is_so) => notes.in_session = Some(*is_so),
                Report::Asked { number, .. } => {
                    notes.waits.insert(of_asked(*number), report.clone());
                }
                Report::Learnt(_) => {}
            },
            _ => {}
        }
    }

    /// A rank of this host is told this, in that step of the coordinator.
    pub(super) fn tell(&mut self, to: Member, told: &Told, step: u64) {
        let notes = self.notes.entry(to).or_default();
        match told {
            Told::Welcome { .. } => notes.is_in = true,
            Told::Answer { notice, .. } => {
                match notice {
                    Notice::Decided { key, decision, next } => {
                        if decision.value.most < u64::from(u32::MAX) {
                            self.context = self.context.max(decision.value.most);
                        }
                        let waited = notes.waits.remove(key);
                        let course = waited.as_ref().and_then(|report| match report {
                            Report::Contributed { course, .. } => course.as_ref(),
                            _ => None,
                        });
                        let follows = next.and_then(|next| led_on(*key, course, decision, next));
                        if let Some(report @ Report::Contributed { key, .. }) = follows {
                            notes.waits.insert(key, report);
                        }
                    }
                    Notice::Heard { key, .. } => _ = notes.waits.remove(key),
                    Notice::NoSeats { number, .. } => {
                        notes.waits.remove(&of_asked(*number));
                        return;
                    }
                    _ => return,
                }
                self.told.push((step, notice.clone()));
            }
            _ => {}
        }
    }

    /// What was told up to this step is known to all.
    pub(super) fn forget(&mut self, step: u64) {
        self.told.retain(|(of, _)| *of > step);
    }

    /// Whether a life has been welcomed.
    pub(super) fn is_in(&self, member: Member) -> bool {
        self.notes.get(&member).is_some_and(|notes| notes.is_in)
    }

    /// All that is kept, for a coordinator that knows so many entries.
    pub(super) fn account(&self, known: u64, lives: Vec<LifeAccount>) -> Account {
        let from = (known as usize).min(self.log.len());
        let notes = || self.notes.iter();
        let reports = notes().flat_map(|(member, notes)| {
            let reports = notes.waits.values().chain(&notes.others);
            reports.map(|report| (*member, report.clone()))
        });
        let said = notes()
            .flat_map(|(member, notes)| notes.said.iter().map(|said| (*member, said.clone())));
        let lives = lives.into_iter().map(|life| {
            let notes = self.notes.get(&life.member);
            LifeAccount {
                is_in: notes.is_some_and(|notes| notes.is_in),
                has_begun: notes.is_some_and(|notes| notes.has_begun),
                has_departed: notes.is_some_and(|notes| notes.has_departed),
                in_session: notes.and_then(|notes| notes.in_session),
                ..life
            }
        });
        Account {
            epoch: self.epoch,
            begun: self.begun,
            position: self.log.len() as u64,
            entries: self.log[from..].to_vec(),
            lives: lives.collect(),
            told: self.told.iter().map(|(_, notice)| notice.clone()).collect(),
            reports: reports.collect(),
            said: self.rules.iter().cloned().chain(said).collect(),
            context: self.context,
        }
    }
}

/// Whether all are dead that are to be killed.
fn is_carried_out(said: &Said, ledger: &Ledger) -> bool {
    match said {
        Said::Kill { seat, incarnation } => incarnation
            .is_none_or(|incarnation| ledger.is_dead(Member { seat: *seat, incarnation })),
        Said::EndGroup(end) => end.members.iter().all(|member| ledger.is_dead(*member)),
        _ => false,
    }
}

/// Under which key it is kept what a rank has asked for.
fn of_asked(number: u64) -> Key {
    Key { purpose: Purpose::Asked, of: 0, number }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftmpi_fault::{Decision, Purpose, Value};
    use std::sync::Arc;

    const ME: Member = Member { seat: 1, incarnation: 0 };

    fn key(number: u64) -> Key {
        Key { purpose: Purpose::Flag, of: 1, number }
    }

    fn contributed(number: u64) -> Said {
        let (roster, value) = (vec![ME], Value { most: 9, ..Value::NEUTRAL });
        let report = Report::Contributed { key: key(number), roster, course: None, value };
        Said::Report { from: ME, report }
    }

    #[test]
    fn a_report_is_kept_until_it_is_answered_and_an_answer_until_all_have_theirs() {
        let mut it = Replica::new(2);
        it.hear(ME, &contributed(1));
        it.hear(ME, &contributed(2));
        let decision = Decision { value: Value::NEUTRAL, dead: vec![], left: vec![] };
        let decision = Arc::new(decision);
        let notice = Notice::Decided { key: key(1), decision, next: None };
        it.tell(ME, &Told::Answer { to: ME, notice: notice.clone() }, 5);
        let account = it.account(0, Vec::new());
        let [(ME, Report::Contributed { key: open, .. })] = &account.reports[..] else {
            panic!("{account:?}")
        };
        assert_eq!((*open, account.told, account.context), (key(2), vec![notice], 9));
        it.forget(4);
        assert_eq!(it.account(0, Vec::new()).told.len(), 1);
        it.forget(5);
        assert!(it.account(0, Vec::new()).told.is_empty());
    }

    #[test]
    fn an_order_to_kill_is_kept_until_the_life_is_dead_that_there_was() {
        let mut it = Replica::new(2);
        let kill = |it: &mut Replica| {
            let said = it.name_life(Said::Kill { seat: 0, incarnation: None });
            it.hear(ME, &said);
        };
        let kept = |it: &Replica| {
            let said = it.account(0, Vec::new()).said.into_iter();
            let lives = said.filter_map(|(_, said)| match said {
                Said::Kill { seat: 0, incarnation } => incarnation,
                _ => None,
            });
            lives.collect::<Vec<u32>>()
        };
        let [old, new] = [0, 1].map(|incarnation| Member { seat: 0, incarnation });
        kill(&mut it);
        assert_eq!(kept(&it), [0]);
        it.enter(1, &Entry::Notice(Notice::Died(old)));
        kill(&mut it);
        assert_eq!(kept(&it), [0; 0], "it is dead already");
        it.enter(2, &Entry::Notice(Notice::Entered(new)));
        assert_eq!(kept(&it), [0; 0]);
        kill(&mut it);
        assert_eq!(kept(&it), [1]);
        it.hear(ME, &Said::Kill { seat: 7, incarnation: None });
        assert_eq!(kept(&it), [1], "there is no such rank");
    }

    #[test]
    fn entries_come_in_order_and_once() {
        let mut it = Replica::new(2);
        assert!(!it.enter(2, &Entry::Cause(1)), "the first is missing");
        assert!(it.enter(1, &Entry::Cause(1)) && !it.enter(1, &Entry::Cause(2)));
        assert!(it.enter(2, &Entry::Cause(3)));
        let account = it.account(1, Vec::new());
        assert_eq!((account.position, account.entries.len()), (2, 1));
    }
}
