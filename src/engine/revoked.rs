//! Which communicators are revoked. Ranks of one process share one list, so that whoever revokes
//! has told all at once; between processes, [`crate::fault::revocation`] will carry the news.
//!
//! An entry goes when all who live have let go of the communicator.

use super::op::{Died, Roster};
use super::{Engine, State, World};
use crate::base::Member;
use crate::transport::Envelope;
use parking_lot::Mutex;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The revoked communicators of a job, by their contexts. Several may share one: they have no
/// member in common.
#[derive(Default)]
pub(super) struct Revoked {
    entries: Mutex<HashMap<u32, Vec<Entry>>>,
    count: AtomicUsize,
}

struct Entry {
    roster: Arc<dyn Roster>,
    /// Who has freed it.
    gone: HashSet<Member>,
}

impl Entry {
    fn concerns(&self, member: Member) -> bool {
        self.roster.rank_of(member).is_some()
    }
}

impl World {
    /// The communicator with this context and these members, of whom `me` is one, is revoked.
    pub fn revoke(&self, context: u32, roster: &Arc<dyn Roster>, me: Member) {
        let mut entries = self.revoked.entries.lock();
        let alike = entries.entry(context).or_default();
        if alike.iter().any(|entry| entry.concerns(me)) {
            return;
        }
        alike.push(Entry { roster: roster.clone(), gone: HashSet::new() });
        self.revoked.count.fetch_add(1, Ordering::SeqCst);
        // Whoever finds the entry finds the stir, too.
        self.disturb();
        drop(entries);
        self.wake_all();
    }

    /// Whether the communicator with this context of which `me` is a member is revoked.
    pub fn is_revoked(&self, context: u32, me: Member) -> bool {
        if self.revoked.count.load(Ordering::SeqCst) == 0 {
            return false;
        }
        let entries = self.revoked.entries.lock();
        let alike = entries.get(&context);
        alike.is_some_and(|alike| alike.iter().any(|entry| entry.concerns(me)))
    }

    /// Whether a communicator of which `me` is a member is revoked, and not forgotten yet.
    pub(super) fn has_revoked(&self, me: Member) -> bool {
        self.revoked.count.load(Ordering::SeqCst) != 0
            && self.revoked.entries.lock().values().flatten().any(|entry| entry.concerns(me))
    }

    /// `me` has freed the communicator with this context; nothing of its own waits there any more.
    fn let_go(&self, context: u32, me: Member) {
        if self.revoked.count.load(Ordering::SeqCst) == 0 {
            return;
        }
        let deaths = self.deaths_since(0);
        let mut entries = self.revoked.entries.lock();
        let Some(alike) = entries.get_mut(&context) else { return };
        let Some(place) = alike.iter().position(|entry| entry.concerns(me)) else { return };
        let Entry { roster, gone } = &mut alike[place];
        gone.insert(me);
        let is_missing = |dead: &&Member| roster.rank_of(**dead).is_some() && !gone.contains(dead);
        if gone.len() + deaths.iter().filter(is_missing).count() == roster.size() {
            alike.swap_remove(place);
            self.revoked.count.fetch_sub(1, Ordering::SeqCst);
        }
        if alike.is_empty() {
            entries.remove(&context);
        }
        drop(entries);
        // Those who were disquieted by it look again.
        self.disturb();
    }
}

impl Engine {
    /// The program has freed the communicator with this context. What waits there ends first.
    pub fn let_go(&self, context: u32) -> Result<(), Died> {
        if self.world.is_revoked(context, self.me) {
            self.poll(|_| Some(()))?;
            self.world.let_go(context, self.me);
        }
        Ok(())
    }

    /// Whether messages with this envelope are of a revoked communicator.
    #[inline]
    pub(super) fn is_revoked(&self, state: &State, envelope: Envelope) -> bool {
        let context = envelope.context / 2;
        !self.is_calm()
            && self.world.is_revoked(*state.kin.get(&context).unwrap_or(&context), self.me)
    }

    /// Messages of `context` end when the communicator of the context `parent` is revoked; `None`:
    /// not any more.
    pub fn relate(&self, context: u32, parent: Option<u32>) {
        let mut state = self.state.lock();
        match parent {
            Some(parent) => state.kin.insert(context, parent),
            None => state.kin.remove(&context),
        };
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::engine::tests::world;

    struct Ranks(Vec<Member>);

    impl Roster for Ranks {
        fn rank_of(&self, member: Member) -> Option<i32> {
            self.0.iter().position(|one| *one == member).map(|rank| rank as i32)
        }

        fn size(&self) -> usize {
            self.0.len()
        }
    }

    fn member(seat: usize) -> Member {
        Member { seat, incarnation: 0 }
    }

    fn ranks(seats: &[usize]) -> Arc<dyn Roster> {
        Arc::new(Ranks(seats.iter().copied().map(member).collect()))
    }

    #[test]
    fn of_two_communicators_with_one_context_only_the_one_is_revoked() {
        let world = world(4);
        world.revoke(7, &ranks(&[0, 2]), member(0));
        let revoked = |seat| world.is_revoked(7, member(seat));
        assert_eq!([0, 1, 2, 3].map(revoked), [true, false, true, false]);
        world.revoke(7, &ranks(&[1, 3]), member(3));
        assert_eq!([0, 1, 2, 3].map(revoked), [true; 4]);
        assert!(!world.is_revoked(8, member(0)));
    }

    #[test]
    fn nothing_is_left_when_all_who_live_have_let_go() {
        let world = world(4);
        for context in 2..100 {
            world.revoke(context, &ranks(&[0, 1, 2]), member(1));
            world.revoke(context, &ranks(&[0, 1, 2]), member(2));
        }
        world.bury(1, 0);
        for context in 2..100 {
            world.let_go(context, member(0));
            assert!(!world.revoked.entries.lock().is_empty());
            world.let_go(context, member(2));
        }
        assert!(!world.has_revoked(member(0)));
        assert!(world.revoked.entries.lock().is_empty());
        assert_eq!(world.revoked.count.load(Ordering::SeqCst), 0);
    }
}
