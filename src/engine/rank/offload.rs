//! Waits for work that a thread outside does, which knows nothing of failures: a disk may hang for
//! ever. These waits end like receives, and an answer that comes later is dropped.

use crate::base::slab::Key;
use crate::engine::rank::operation::{Outcome, Stage, Watch};
use crate::engine::{Engine, State};
use crate::transport::Envelope;

/// Such a wait. Its number is its own, as its key is not for ever.
#[derive(Clone, Copy, Debug)]
pub struct Outside {
    pub op: Key,
    number: u64,
}

impl Engine {
    /// An operation that goes on until [`Engine::report`] ends it, or a failure that stands against
    /// a receive with this envelope and this watch.
    pub fn go_outside(&self, envelope: Envelope, watch: Watch) -> Outside {
        let mut state = self.state.lock();
        state.outside += 1;
        let number = state.outside;
        let op = state.begin(Stage::Outside(number), envelope, Some(watch));
        // What has been taken in already is not looked at again.
        self.review(&mut state, op);
        Outside { op, number }
    }

    /// It is done. False if no thread waits for it any more.
    pub fn report(&self, outside: Outside) -> bool {
        let mut state = self.state.lock();
        let is_awaited = state.waits_outside(outside);
        if is_awaited {
            self.finish(&mut state, outside.op, Outcome::default());
            self.share_news(&mut state);
        }
        is_awaited
    }
}

impl State {
    fn waits_outside(&self, Outside { op, number }: Outside) -> bool {
        let op = self.ops.0.find(op);
        op.is_some_and(|op| matches!(op.stage, Stage::Outside(its) if its == number))
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::base::Member;
    use crate::base::member::Roster;
    use crate::base::roll::Roll;
    use crate::engine::rank::tests::{engine, pattern, world};
    use crate::engine::shared::rules::{CommMode, Modes, MsgMode, Rules};
    use crate::engine::{Mishap, World};
    use std::sync::Arc;
    use std::thread;

    fn everyone(seats: usize) -> Arc<dyn Roster> {
        let member = |seat| Member { seat, incarnation: 0 };
        Arc::new(Roll::new((0..seats).map(member).collect()))
    }

    /// Rank 0 of three waits for a disk.
    fn waiting(world: &'static World) -> (Engine, Outside) {
        let engine = engine(world, 0);
        let watch = Watch::Everyone { rank: 0, member: engine.me(), roster: everyone(3) };
        let outside = engine.go_outside(pattern(0, 1), watch);
        (engine, outside)
    }

    fn ended(engine: &Engine, outside: Outside) -> Option<Mishap> {
        engine.wait(outside.op).expect("the tests' ranks live").mishap
    }

    #[test]
    fn who_is_outside_ends_the_wait_once() {
        let (engine, outside) = waiting(world(3));
        let engine: &'static Engine = Box::leak(Box::new(engine));
        let disk = thread::spawn(move || engine.report(outside));
        assert_eq!(ended(engine, outside), None);
        assert_eq!(disk.join().ok(), Some(true));
        assert!(!engine.report(outside), "nobody waits any more");
    }

    #[test]
    fn a_death_ends_the_wait_whether_it_comes_before_or_after() {
        let world = world(3);
        let (first, before) = waiting(world);
        world.bury(2, 0);
        assert_eq!(ended(&first, before), Some(Mishap::Lost { rank: 2 }));
        // One that has noticed it begins to wait once more, and one that has not.
        let watch = Watch::Everyone { rank: 0, member: first.me(), roster: everyone(3) };
        let after = first.go_outside(pattern(0, 2), watch);
        assert_eq!(ended(&first, after), Some(Mishap::Lost { rank: 2 }));
        let (other, unheard) = waiting(world);
        assert_eq!(ended(&other, unheard), Some(Mishap::Lost { rank: 2 }));
        assert!(!first.report(before) && !first.report(after) && !other.report(unheard));
    }

    #[test]
    fn those_of_others_do_not_end_it_nor_do_they_what_the_program_is_to_complete() {
        let world = world(4);
        let (engine, outside) = waiting(world);
        let general = engine.open();
        world.bury(3, 0);
        let look = |op| engine.poll(|ops| ops.outcome(op).copied()).expect("nobody dies here");
        assert_eq!((look(outside.op), look(general)), (None, None));
        world.bury(1, 0);
        assert_eq!(ended(&engine, outside), Some(Mishap::Lost { rank: 1 }));
        assert_eq!(look(general), None);
        assert!(engine.close(general));
        assert!(look(general).is_some_and(|outcome| outcome.mishap.is_none()));
    }

    #[test]
    fn a_death_ends_it_whatever_becomes_of_messages() {
        for msg in [MsgMode::Noop, MsgMode::Cont] {
            for comm in [CommMode::Blank, CommMode::Shrink, CommMode::Rebuild] {
                let world = world(3);
                world.charter().give(Rules::Ft(Modes { comm, msg, ..Modes::default() }));
                let (engine, outside) = waiting(world);
                world.bury(1, 0);
                assert_eq!(ended(&engine, outside), Some(Mishap::Lost { rank: 1 }), "{comm:?}");
            }
        }
    }

    #[test]
    fn a_revocation_ends_it() {
        let world = world(3);
        world.charter().give(Rules::Ulfm);
        let (engine, outside) = waiting(world);
        let other = Member { seat: 2, incarnation: 0 };
        world.revoke(pattern(0, 1).context / 2, &everyone(3), other);
        assert_eq!(ended(&engine, outside), Some(Mishap::Revoked));
        assert!(!engine.report(outside));
    }

    #[test]
    fn an_answer_that_comes_too_late_ends_nothing_else() {
        let world = world(3);
        let (engine, late) = waiting(world);
        engine.cancel(late.op);
        assert!(engine.wait(late.op).is_ok_and(|outcome| outcome.is_cancelled));
        // Until its key is another's.
        let watch = || Watch::Everyone { rank: 0, member: engine.me(), roster: everyone(3) };
        let again = loop {
            let again = engine.go_outside(pattern(0, 1), watch());
            if again.op == late.op {
                break again;
            }
            engine.cancel(again.op);
            assert!(engine.wait(again.op).is_ok());
        };
        assert!(!engine.report(late), "its answer is not that of another");
        assert!(engine.report(again));
        assert_eq!(ended(&engine, again), None);
    }
}
