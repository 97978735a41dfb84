//! One revocation, and what must be true of it.

use super::plan::Plan;
use super::{Act, Actor, Deed, Ending, Facts, Judge, Sim};
use crate::base::random::Random;
use crate::fault::revocation::Revocation;
use crate::fault::rules::Rules;

/// A member whose program may revoke.
struct Holder<R> {
    machine: Revocation<R>,
    revokes: bool,
}

impl<R: Rules> Actor for Holder<R> {
    type Note = ();

    fn wake(&mut self, deed: &mut Deed<Self>) {
        if self.revokes {
            deed.acts.extend(self.machine.revoke().map(|to| Act::Post(to, ())));
        }
    }

    fn hear(&mut self, from: usize, (): (), deed: &mut Deed<Self>) {
        deed.acts.extend(self.machine.hear(from).map(|to| Act::Post(to, ())));
    }

    fn miss(&mut self, _: usize, _: bool, _: &mut Deed<Self>) {}
}

struct Herald;

impl<R: Rules> Judge<Holder<R>> for Herald {
    fn watch(&mut self, _: usize, _: &Holder<R>, _: &Facts) -> Result<(), String> {
        Ok(())
    }

    fn close(&mut self, living: &[(usize, &Holder<R>)], _: &Facts) -> Result<(), String> {
        let knows = |(_, actor): &&(usize, &Holder<R>)| actor.machine.is_revoked();
        let knowing = living.iter().filter(knows).count();
        match knowing == 0 || knowing == living.len() {
            true => Ok(()),
            false => Err(format!("{knowing} of {} know of it", living.len())),
        }
    }
}

/// Runs a revocation as planned.
pub(super) fn run<R: Rules>(plan: Plan, story: bool) -> Ending {
    let random = &mut Random::new(plan.seed ^ 0x7e70);
    let size = plan.size;
    let first = random.below(size as u64) as usize;
    let holders = (0..size).map(|me| Holder::<R> {
        machine: Revocation::ruled(me, size),
        revokes: me == first || random.chance(10),
    });
    let holders = holders.collect();
    let mut sim = Sim::new(plan, story);
    let verdict = sim.run(holders, &mut Herald);
    Ending::of(sim, verdict, 0)
}
