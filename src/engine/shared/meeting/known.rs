//! The registry of all meetings of a job.

use super::{Key, Levels, Meeting};
use crate::base::Member;
use crate::engine::World;
use std::sync::Arc;
use std::sync::atomic::Ordering;

impl World {
    /// The meeting of the communicator with this context and this first member. The first caller
    /// lists its members.
    pub fn meeting(
        &'static self, key: (u32, Member), list: impl FnOnce() -> Vec<Member>,
    ) -> Arc<Meeting> {
        let mut known = self.meetings.0.lock();
        if let Some(meeting) = known.meetings.get(&key) {
            return meeting.clone();
        }
        if known.meetings.len() > known.limit {
            let ledger = self.ledger.lock();
            known.meetings.retain(|_, meeting| !meeting.is_over(|member| ledger.is_dead(member)));
            drop(ledger);
            known.limit = 16 + 2 * known.meetings.len();
        }
        let meeting = self.make_meeting(key, list());
        known.meetings.insert(key, meeting.clone());
        meeting
    }

    /// Out of line: of all members, which may have little memory for their stacks, one needs room
    /// for it.
    #[inline(never)]
    fn make_meeting(&'static self, key: (u32, Member), members: Vec<Member>) -> Arc<Meeting> {
        let processes = self.processes().filter(|processes| processes.are_shared());
        let levels = processes.map(|processes| Box::new(Levels::of(&members, processes)));
        let bell = |member: &Member| self.port(member.seat).bell();
        Arc::new(Meeting::new(key, members, bell, levels))
    }

    /// One of its members has released the communicator.
    pub fn leave_meeting(&self, meeting: &Meeting) {
        let gone = meeting.gone.fetch_add(1, Ordering::SeqCst) + 1;
        if gone == meeting.levels().map_or(meeting.members.len(), |it| it.here().len()) {
            self.meetings.0.lock().meetings.remove(&meeting.key);
        }
    }

    pub(in crate::engine) fn known_meeting(&self, key: Key) -> Option<Arc<Meeting>> {
        self.meetings.0.lock().meetings.get(&key).cloned()
    }
}

impl Meeting {
    /// Whether all members are dead or have left. A member that is both is counted twice, but then
    /// the communicator has a dead member, and no member needs anything from it.
    fn is_over(&self, is_dead: impl Fn(Member) -> bool) -> bool {
        // Those in other processes have meetings of their own.
        let is_here = |place: &usize| self.levels().is_none_or(|it| it.here().contains(place));
        let here = || (0..self.members.len()).filter(is_here);
        let dead = here().filter(|place| is_dead(self.members[*place])).count();
        self.gone.load(Ordering::SeqCst) + dead >= here().count()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::super::tests::{meeting, member};
    use super::*;
    use crate::engine::rank::tests::world;

    #[test]
    fn a_meeting_stays_until_all_have_let_go_or_are_dead() {
        let world = world(3);
        let one = meeting(world, 7, 3);
        world.leave_meeting(&one);
        world.leave_meeting(&one);
        assert!(Arc::ptr_eq(&one, &meeting(world, 7, 3)), "somebody may still come for something");
        world.leave_meeting(&one);
        assert!(world.known_meeting(one.key()).is_none());
        meeting(world, 8, 3);
        world.leave_meeting(&meeting(world, 8, 3));
        world.bury(1, 0);
        world.leave_meeting(&meeting(world, 8, 3));
        (100..200).for_each(|context| drop(meeting(world, context, 3)));
        assert!(world.known_meeting((8, member(0))).is_none());
    }
}
