//! Waits for other ranks at a window: these change what they share with this rank, then ring its
//! bell. A failure ends the wait like that for a message.

use crate::base::slab::Key;
use crate::engine::rank::awaited::{Want, Watched};
use crate::engine::rank::operation::{Died, Mishap, Op, Stage, Watch};
use crate::engine::{Engine, State};
use crate::host::sched;
use crate::transport::Envelope;
use std::sync::atomic::Ordering;

/// What a rank waits for, and whose death ends the wait.
pub struct PeerWait<'a> {
    /// The context of the window, as that of a collective, and the own rank.
    pub envelope: Envelope,
    pub watch: &'a Watch,
    /// One of the ranks that keep it from ending, for the deadlock report.
    pub missing: i32,
}

impl Engine {
    /// Makes progress until `is_over`, or until a failure makes that hopeless. It is asked again
    /// after it has said so once. Whoever makes it so calls
    /// [`World::wake`](crate::engine::World::wake) afterwards.
    pub fn wait_for_peers(
        &self, wait: &PeerWait<'_>, is_over: impl Fn() -> bool,
    ) -> Result<Option<Mishap>, Died> {
        let (context, rank) = (wait.envelope.context, wait.missing);
        let watched = Watched::Peer(Want::Synchronization { context, rank });
        self.wait_unless_opposed(wait, watched, is_over)
    }

    /// Makes progress until `is_over`, or until a failure makes that hopeless.
    pub(super) fn wait_unless_opposed(
        &self, wait: &PeerWait<'_>, watched: Watched, is_over: impl Fn() -> bool,
    ) -> Result<Option<Mishap>, Died> {
        self.step()?;
        let mut state = self.state.lock();
        loop {
            self.progress_lightly(&mut state, None)?;
            self.drive(&mut state)?;
            if is_over() {
                self.leave(&mut state)?;
                return Ok(None);
            }
            if !self.is_calm()
                && let Some(mishap) = self.oppose(&mut state, wait)
            {
                return Ok(Some(mishap));
            }
            if !self.copy_next(&mut state)? {
                self.wait_for_news_or(&mut state, None, Some(watched), &is_over, || ());
            }
        }
    }

    /// Makes progress until nothing is under way on these contexts, and none of the `runs` that are
    /// listed; or until a failure makes that hopeless.
    pub fn come_to_rest(
        &self, wait: &PeerWait<'_>, contexts: [u32; 2], runs: impl Fn() -> Vec<Key>,
    ) -> Result<Option<Mishap>, Died> {
        self.wait_until(|state| {
            state.start_preposted();
            let is_active = |op: &Op| !matches!(op.stage, Stage::Done(_));
            let on_it = |op: &Op| contexts.contains(&(op.envelope.context / 2));
            let has_messages = state
                .ops
                .0
                .keys()
                .any(|key| state.ops.0.find(key).is_some_and(|op| on_it(op) && is_active(op)));
            let has_runs =
                || runs().into_iter().any(|run| state.ops.0.find(run).is_some_and(&is_active));
            if !has_messages && !has_runs() {
                return Some(None);
            }
            if self.is_calm() { None } else { self.oppose(state, wait).map(Some) }
        })
    }

    /// Where ranks share cores, lets another one run: the caller may ask again and again for what
    /// only others can change.
    #[inline]
    pub fn give_way(&self) {
        if self.world.crowding.is_crowded() {
            sched::yield_now();
        }
    }

    /// Whether the caller, which does not wait, should [give way](Self::give_way) all the same, as
    /// it does now and then where ranks share cores.
    #[inline(always)]
    pub fn should_give_way(&self) -> bool {
        /// So often that a rank that polls does not delay others much, and so seldom that its own
        /// calls cost no more than a yield each.
        const CALLS: u32 = 64;
        if !self.world.crowding.is_crowded() {
            return false;
        }
        let calls = self.calls_since_way.load(Ordering::Relaxed) + 1;
        self.calls_since_way.store(calls % CALLS, Ordering::Relaxed);
        calls >= CALLS
    }

    /// What stands against the wait, as of now.
    #[cold]
    fn oppose(&self, state: &mut State, wait: &PeerWait<'_>) -> Option<Mishap> {
        let judged = self.judge(state, wait.envelope, wait.watch, 0);
        let mishap = judged.or_else(|| self.interruption(wait.watch))?;
        Some(self.tell(state, wait.envelope, mishap))
    }
}
