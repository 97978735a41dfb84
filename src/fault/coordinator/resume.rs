//! A coordinator that takes over: what it knows from the notices that all have heard, and what
//! ranks have been told or still wait for, as the agents of their hosts have kept it.

use super::Coordinator;
use crate::agreement::{Decision, Value};
use crate::agreements::{Key, Purpose, Summons};
use crate::messages::{Notice, Order, Report};
use ftmpi_base::Member;
use std::time::Duration;

/// What follows for a member from a decision that has led to another agreement: it has contributed
/// there, as this report says.
pub fn led_on(
    key: Key, course: Option<&Summons>, decision: &Decision, next: u64,
) -> Option<Report> {
    let mut course = course?.clone();
    course.advance(decision);
    let key = Key { number: next, ..key };
    let roster = course.recovery.roster().to_vec();
    Some(Report::Contributed { key, roster, course: Some(course), value: Value::NEUTRAL })
}

impl Coordinator {
    /// All have been told this, or will be.
    pub fn follow(&mut self, notice: &Notice) {
        const NO_MATTER: Duration = Duration::ZERO;
        match notice {
            Notice::Died(member) => _ = self.bury(*member, NO_MATTER),
            Notice::Departed(member) => _ = self.hear(*member, Report::Departed, NO_MATTER),
            Notice::Entered(member) => _ = self.ledger.enter(*member),
            Notice::Called { home, generation } => {
                let known = self.called.entry(*home).or_default();
                *known = (*known).max(*generation);
            }
            Notice::Revoked { context, roster } => {
                self.revoked.insert(*context, roster.clone());
            }
            Notice::AtPorts { by, number, what, contexts } => {
                self.asked.insert(*by, *number);
                contexts.iter().for_each(|context| self.learn(*context));
                self.act_at_ports(*by, what, *contexts);
            }
            Notice::Founded(founding) => {
                self.asked.insert(founding.by, founding.number);
                founding.all_contexts().into_iter().for_each(|context| self.learn(context));
                self.ledger.begin_with(founding.seats.clone(), founding.first);
                self.loans.note(founding.seats.clone());
                self.keep(founding);
            }
            Notice::Decided { .. } | Notice::Heard { .. } | Notice::NoSeats { .. } => {}
        }
    }

    /// Some member has been told this.
    pub fn know(&mut self, notice: &Notice) {
        match notice {
            Notice::Decided { key, decision, next } => {
                if let Ok(most) = u32::try_from(decision.value.most) {
                    self.learn(most);
                }
                self.known.decided.insert(*key, (decision.clone(), *next));
            }
            Notice::Heard { key, all } => _ = self.known.heard.insert(*key, all.clone()),
            _ => {}
        }
    }

    /// Contexts up to this one may be in use.
    pub fn pass_over(&mut self, context: u32) {
        self.learn(context);
    }

    /// The members that have entered and live, as the notices say.
    pub fn living(&self) -> impl Iterator<Item = Member> + '_ {
        let is_taken = |seat| {
            seat < self.ranks || self.founded.iter().any(|world| world.seats.contains(&seat))
        };
        let living = self.ledger.seats().filter(|(_, is_alive)| *is_alive);
        living.map(|(member, _)| member).filter(move |member| is_taken(member.seat))
    }

    /// The latest lives in the seats of spawned worlds.
    pub fn spawned(&self) -> Vec<Member> {
        let seats = self.founded.iter().flat_map(|world| world.seats.clone());
        seats.map(|seat| self.ledger.latest(seat)).collect()
    }

    pub fn has_departed(&self, member: Member) -> bool {
        self.agreements.has_departed(member)
    }

    /// A member has reported this to the last coordinator, and waits for what follows.
    pub fn resume(&mut self, from: Member, mut report: Report, now: Duration) -> Vec<Order> {
        if let Report::Contributed { key, course: Some(_), value, .. } = &mut report
            && matches!(key.purpose, Purpose::Recovery { .. })
        {
            // Where that was done for it, the last coordinator has drawn one.
            let fresh = self.context.get();
            self.context.set(fresh + self.stride);
            value.most = value.most.max(fresh.into());
        }
        self.hear(from, report, now)
    }

    /// What a report is answered with if others have been told the answer.
    pub(super) fn answer_as_before(
        &mut self, from: Member, report: &Report, now: Duration,
    ) -> Option<Vec<Order>> {
        match report {
            Report::Contributed { key, course, .. } => {
                let (decision, next) = self.known.decided.get(key)?.clone();
                let follows = next.and_then(|next| led_on(*key, course.as_ref(), &decision, next));
                let told = Notice::Decided { key: *key, decision, next };
                let mut orders = vec![Order::Tell(from, told)];
                if let Some(report) = follows {
                    orders.extend(self.resume(from, report, now));
                }
                Some(orders)
            }
            Report::Said { key, .. } => {
                let all = self.known.heard.get(key)?.clone();
                Some(vec![Order::Tell(from, Notice::Heard { key: *key, all })])
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::Ask;
    use crate::ports::AtPorts;
    use crate::{Recipe, Spawn};

    const NOW: Duration = Duration::ZERO;
    const KEY: Key = Key { purpose: Purpose::Flag, of: 7, number: 0 };

    fn three() -> [Member; 3] {
        [0, 1, 2].map(|seat| Member { seat, incarnation: 0 })
    }

    fn contribution(flags: u64) -> Report {
        let value = Value { flags, ..Value::NEUTRAL };
        Report::Contributed { key: KEY, roster: three().to_vec(), course: None, value }
    }

    fn told(orders: &[Order]) -> Vec<(usize, u64)> {
        let decided = orders.iter().filter_map(|order| match order {
            Order::Tell(to, Notice::Decided { decision, .. }) => {
                Some((to.seat, decision.value.flags))
            }
            _ => None,
        });
        decided.collect()
    }

    /// The coordinator is lost when it has told rank 0 only; then rank 0 dies.
    #[test]
    fn what_one_has_been_told_all_are_told() {
        let [zero, one, two] = three();
        let mut first = Coordinator::new(3, 3, (2, 4));
        let reports = [(zero, 6), (one, 3), (two, 7)];
        let orders = reports.map(|(from, flags)| first.hear(from, contribution(flags), NOW));
        assert_eq!(told(&orders[2]), [(0, 2), (1, 2), (2, 2)]);
        let Order::Tell(_, decided) = &orders[2][0] else { panic!("{orders:?}") };
        let mut next = Coordinator::new(3, 3, (2, 4));
        next.know(decided);
        next.bury(zero, NOW);
        for (from, flags) in [(one, 3), (two, 7)] {
            let orders = next.resume(from, contribution(flags), NOW);
            assert_eq!(told(&orders), [(from.seat, 2)], "{orders:?}");
        }
    }

    #[test]
    fn what_nobody_has_been_told_is_decided_again_without_the_dead() {
        let [zero, one, two] = three();
        let mut next = Coordinator::new(3, 3, (2, 4));
        next.follow(&Notice::Died(zero));
        assert!(next.resume(one, contribution(3), NOW).is_empty());
        assert_eq!(told(&next.resume(two, contribution(7), NOW)), [(1, 3), (2, 3)]);
        assert_eq!(next.living().collect::<Vec<_>>(), [one, two]);
        assert!(next.bury(zero, NOW).is_empty(), "all know of that death");
    }

    fn asked(number: u64, what: Ask) -> Report {
        Report::Asked { number, what }
    }

    fn two_ranks() -> Ask {
        let recipe = Recipe { file: b"/a".into(), words: vec![b"a".into()], directory: None };
        Ask::Spawn(Spawn {
            parents: vec![three()[0]],
            recipes: vec![recipe],
            counts: vec![vec![2]],
            errhandlers: vec![None],
        })
    }

    fn told_all(orders: &[Order]) -> Vec<Notice> {
        let told = orders.iter().filter_map(|order| match order {
            Order::TellAll(notice) => Some(notice.clone()),
            _ => None,
        });
        told.collect()
    }

    #[test]
    fn what_a_rank_asks_of_two_coordinators_is_done_once() {
        let one = three()[1];
        let [mut first, mut next] = [7, 8].map(|job| Coordinator::new(3, 5, (2, 6)).of_job(job));
        let open = || asked(1, Ask::AtPorts(AtPorts::Open));
        let opened = told_all(&first.hear(one, open(), NOW));
        assert!(matches!(opened[..], [Notice::AtPorts { number: 1, .. }]), "{opened:?}");
        next.follow(&opened[0]);
        assert!(next.resume(one, open(), NOW).is_empty(), "all have been told");
        let again = told_all(&next.hear(one, asked(2, Ask::AtPorts(AtPorts::Open)), NOW));
        assert!(matches!(again[..], [Notice::AtPorts { number: 2, .. }]), "{again:?}");
        assert_eq!(next.welcome(None).ports.of_owner(one).len(), 2);
    }

    #[test]
    fn a_world_is_spawned_where_the_last_one_has_ended_whoever_coordinates() {
        let one = three()[1];
        let [mut first, mut next] = [7, 8].map(|job| Coordinator::new(3, 5, (2, 6)).of_job(job));
        let orders = first.hear(one, asked(1, two_ranks()), NOW);
        let spawned = [3, 4].map(|seat| Member { seat, incarnation: 0 });
        let starts = spawned.map(|member| Order::Start { member, generation: 0 });
        assert_eq!(orders[1..], starts);
        let [Notice::Founded(before)] = &told_all(&orders)[..] else { panic!("{orders:?}") };
        next.follow(&told_all(&orders)[0]);
        assert_eq!(next.living().count(), 5);
        let none = next.hear(one, asked(2, two_ranks()), NOW);
        let no_seats = Notice::NoSeats { number: 2, may_come: true };
        assert_eq!(none, [Order::Tell(one, no_seats)]);
        spawned.into_iter().for_each(|member| next.free(member));
        let orders = next.hear(one, asked(3, two_ranks()), NOW);
        let [Notice::Founded(founding)] = &told_all(&orders)[..] else { panic!("{orders:?}") };
        assert_eq!((founding.first, founding.seats.clone()), (1, 3..5));
        let known = next.welcome(None).founded;
        assert_eq!(known, std::slice::from_ref(founding), "the one before is over");
        let of_old = before.all_contexts();
        assert!(founding.all_contexts().iter().all(|it| !of_old.contains(it)), "{orders:?}");
    }
}
