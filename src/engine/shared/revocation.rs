//! Revoked communicators. The ranks of one process share one list, so that a revocation reaches all
//! at once.

use crate::base::Member;
use crate::base::member::Roster;
use crate::engine::rank::operation::{Died, Mishap};
use crate::engine::{Engine, State, World};
use crate::fault::{Report, Revocations};
use crate::transport::Envelope;
use std::sync::Arc;
use std::sync::atomic::Ordering;

impl World {
    /// The communicator with this context and these members, of whom `me` is one, is revoked.
    pub fn revoke(&self, context: u32, roster: &Arc<dyn Roster>, me: Member) {
        // First those in other processes: a rank of this one that hears of it may give up what it
        // has under way, and they are to learn of that afterwards.
        if let Some(elsewhere) = &self.elsewhere
            && !self.is_revoked(context, me)
        {
            let roster = self.members_of(&**roster);
            elsewhere.report(me, &Report::Revoked { context, roster });
        }
        self.enter_revocation(context, roster, me, true);
    }

    /// Enters a revocation. `by_me`: this rank's program has done it.
    pub(super) fn enter_revocation(
        &self, context: u32, roster: &Arc<dyn Roster>, me: Member, by_me: bool,
    ) {
        let mut all = self.revoked.all.lock();
        // A member that dies or leaves from now on is removed from what is in the list. What
        // becomes of those in other processes, they know themselves.
        let others = match &self.elsewhere {
            Some(elsewhere) => {
                let all = self.members_of(&**roster).into_iter();
                all.filter(|other| !elsewhere.is_here(other.seat)).collect()
            }
            None => Vec::new(),
        };
        let gone = self.deaths_since(0).into_iter().chain(self.departed()).chain(others);
        let is_news = all.revoke(context, roster, me, gone);
        if by_me {
            all.hear(context, me);
        }
        if !is_news {
            return;
        }
        self.revoked.count.store(all.count(), Ordering::SeqCst);
        // A rank that finds the entry finds the stir, too.
        self.disturb();
        drop(all);
        self.wake_all();
    }

    /// Whether the communicator with this context of which `me` is a member is revoked.
    pub fn is_revoked(&self, context: u32, me: Member) -> bool {
        self.has_revocations() && self.revoked.all.lock().is_revoked(context, me)
    }

    /// Whether the program of `me` begins nothing more on the communicator with this context: it
    /// has heard that it is revoked, or has freed it since.
    pub fn is_revocation_heard(&self, context: u32, me: Member) -> bool {
        self.has_revocations() && self.revoked.all.lock().is_heard(context, me)
    }

    /// Whether a communicator is revoked that `me` holds.
    pub(in crate::engine) fn disquiets(&self, me: Member) -> bool {
        self.has_revocations() && self.revoked.all.lock().disquiets(me)
    }

    #[inline]
    fn has_revocations(&self) -> bool {
        self.revoked.count.load(Ordering::SeqCst) != 0
    }

    /// `me` has freed the communicator with this context; nothing of its own waits there any more.
    pub fn let_go(&self, context: u32, me: Member) {
        if self.has_revocations() {
            self.relieve(|all| all.let_go(context, me));
            // It is disquieted by it no more.
            self.disturb();
        }
    }

    /// `member` has left, or is dead: it needs to know of no revocation. Somebody may be revoking
    /// who has not counted it among the dead.
    pub(in crate::engine) fn part_with(&self, member: Member) {
        self.relieve(|all| all.part_with(member));
    }

    /// Whether the communicator with this context is revoked, which the program of `me` is told.
    pub fn tell_whether_revoked(&self, context: u32, me: Member) -> bool {
        let is_revoked = self.is_revoked(context, me);
        if is_revoked {
            self.hear_of_revocation(context, me);
        }
        is_revoked
    }

    fn hear_of_revocation(&self, context: u32, me: Member) {
        self.revoked.all.lock().hear(context, me);
    }

    fn relieve(&self, change: impl FnOnce(&mut Revocations)) {
        let mut all = self.revoked.all.lock();
        change(&mut all);
        self.revoked.count.store(all.count(), Ordering::SeqCst);
    }
}

impl Engine {
    /// The program has freed the communicator with this context. What waits there ends first.
    pub fn let_go(&self, context: u32) -> Result<(), Died> {
        if self.world.is_revoked(context, self.me) {
            self.poll_state(|state| {
                state.unexpected.retain_by(|envelope, _| envelope.context / 2 != context);
                Some(())
            })?;
            self.world.let_go(context, self.me);
        }
        Ok(())
    }

    /// Whether messages with this envelope are of a revoked communicator.
    #[inline]
    pub(in crate::engine) fn is_revoked(&self, state: &State, envelope: Envelope) -> bool {
        !self.is_calm() && state.revoked_with(envelope).any(|of| self.world.is_revoked(of, self.me))
    }

    /// Whether the program has been told that this communicator is revoked: no operation begins
    /// there any more, even if everything that it needs has arrived.
    #[inline]
    pub(in crate::engine) fn is_barred(&self, state: &State, envelope: Envelope) -> bool {
        !self.is_calm()
            && state.revoked_with(envelope).any(|of| self.world.is_revocation_heard(of, self.me))
    }

    /// The program is about to be told of this mishap.
    pub(in crate::engine) fn tell(
        &self, state: &State, envelope: Envelope, mishap: Mishap,
    ) -> Mishap {
        if mishap == Mishap::Revoked {
            state.revoked_with(envelope).for_each(|of| self.world.hear_of_revocation(of, self.me));
        }
        mishap
    }

    /// Messages of `context` end when the communicator of the context `parent` is revoked.
    pub fn relate(&self, context: u32, parent: u32) {
        self.state.lock().kin.push((context, parent));
    }

    /// They do so no more, whosever they were.
    pub fn part(&self, context: u32) {
        self.state.lock().kin.retain(|(of, _)| *of != context);
    }
}

impl State {
    /// The contexts of the communicators that messages with this envelope are revoked with.
    fn revoked_with(&self, envelope: Envelope) -> impl Iterator<Item = u32> + '_ {
        let context = envelope.context / 2;
        let kin = self.kin.iter().filter(move |(of, _)| *of == context).map(|(_, with)| *with);
        std::iter::once(context).chain(kin)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::base::roll::Roll;
    use crate::engine::rank::tests::world;

    #[test]
    fn nothing_is_left_when_all_who_live_have_let_go() {
        let member = |seat| Member { seat, incarnation: 0 };
        let world = world(5);
        let roster: Arc<dyn Roster> = Arc::new(Roll::new((0..5).map(member).collect()));
        world.bury(3, 0);
        for context in 2..100 {
            world.revoke(context, &roster, member(1));
            world.revoke(context, &roster, member(2));
        }
        world.depart(member(4));
        for context in 2..100 {
            world.let_go(context, member(0));
            assert!(!world.disquiets(member(0)) || context < 99);
            world.let_go(context, member(2));
            assert!(world.is_revoked(context, member(1)));
        }
        // It holds all of them, and no other thread frees them in its name.
        assert!(world.disquiets(member(1)));
        world.bury(1, 0);
        assert!(!world.has_revocations());
        assert!(!world.disquiets(member(1)));
    }
}
