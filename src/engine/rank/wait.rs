//! Waits without a message: for what happens in a [`Meeting`], until it happens or a failure ends
//! the wait.

use crate::base::slab::Key as Run;
use crate::base::sync::biased::Guard;
use crate::engine::rank::awaited::{
    Awaited, MOST_NAMED, MeetingWait, Want, Watched, WatchedGate, wants,
};
use crate::engine::rank::operation::{Died, Mishap, Watch};
use crate::engine::shared::meeting::Gate;
use crate::engine::{Engine, State};
use std::sync::atomic::Ordering;

/// How often a thread with a core of its own looks before it does anything else.
const LOOKS: u32 = 100;

impl Engine {
    /// What stands against working together with `everyone`, if anything does.
    #[inline]
    pub fn objection(&self, wait: &MeetingWait<'_>) -> Option<Mishap> {
        if self.is_calm() { None } else { self.object(&mut self.state.lock(), wait) }
    }

    /// What stands against beginning that. A revocation does only once the program has heard of it:
    /// all others may have come, and ended this well.
    #[inline]
    pub fn objection_at_first(&self, wait: &MeetingWait<'_>) -> Option<Mishap> {
        if self.is_calm() {
            None
        } else {
            self.object_at_first(wait, |state| self.weigh(state, wait))
        }
    }

    /// What stands against the wait by the newest record of deaths, whatever has been received so
    /// far.
    #[inline]
    pub fn objection_by_now(&self, wait: &MeetingWait<'_>) -> Option<Mishap> {
        if self.is_calm() {
            return None;
        }
        let judge = |state: &mut State| self.judge_send(state, wait.envelope, &self.watch(wait));
        self.object_at_first(wait, judge)
    }

    #[cold]
    fn object_at_first(
        &self, wait: &MeetingWait<'_>, judge: impl FnOnce(&mut State) -> Option<Mishap>,
    ) -> Option<Mishap> {
        let mut state = self.state.lock();
        let mishap = judge(&mut state)?;
        if mishap != Mishap::Revoked || self.is_barred(&state, wait.envelope) {
            return Some(mishap);
        }
        drop(state);
        self.first_dead(&*wait.everyone.roster()).map(|rank| Mishap::Lost { rank })
    }

    #[cold]
    pub(super) fn object(&self, state: &mut State, wait: &MeetingWait<'_>) -> Option<Mishap> {
        let mishap = self.weigh(state, wait)?;
        Some(self.tell(state, wait.envelope, mishap))
    }

    fn weigh(&self, state: &mut State, wait: &MeetingWait<'_>) -> Option<Mishap> {
        let watch = self.watch(wait);
        let judged = self.judge(state, wait.envelope, &watch, 0);
        judged.or_else(|| self.interruption(&watch))
    }

    fn watch(&self, wait: &MeetingWait<'_>) -> Watch {
        let (rank, roster) = (wait.envelope.source, wait.everyone.roster());
        Watch::Everyone { rank, member: self.me, roster }
    }

    /// Makes progress until it has happened, or until a death or the like makes that hopeless.
    #[inline]
    pub fn wait_at_gate(&self, wait: &MeetingWait<'_>) -> Result<Option<Mishap>, Died> {
        self.step()?;
        let looks = if self.world.crowding.is_crowded() { 1 } else { LOOKS };
        for _ in 0..looks {
            if wait.is_over() {
                return if self.pulse.is_stopping() { Err(Died) } else { Ok(None) };
            }
            std::hint::spin_loop();
        }
        self.wait_long_at_gate(wait, &|| wait.is_over(), true)
    }

    /// Waits where ranks share cores: a single thread of a rank that has nothing else under way
    /// sleeps at once.
    #[inline]
    pub fn sleep_at_gate(&self, wait: &MeetingWait<'_>) -> Result<Option<Mishap>, Died> {
        self.step()?;
        if (wait.is_over() || self.nap(wait)) && !self.pulse.is_stopping() {
            return Ok(None);
        }
        self.wait_long_at_gate(wait, &|| wait.is_over(), true)
    }

    /// Sleeps until it has happened, if there is nothing else to do; false when there is, or when
    /// something else has happened.
    #[inline]
    fn nap(&self, wait: &MeetingWait<'_>) -> bool {
        let mut state = self.state.lock();
        if !self.is_idle(&state) {
            return false;
        }
        let call = self.world.call();
        state.sleeper = Some((call, wait.watched()));
        self.asleep_in.set(Some(call));
        state.waiting += 1;
        let turn = self.turns.load(Ordering::Relaxed);
        wait.round.attend(wait.gate, wait.turn);
        let is_over = Guard::unlocked(&mut state, || {
            let bell = self.port.bell();
            let heard = bell.listen();
            // Another thread of the rank may come, and leave this one something to do.
            let is_left_alone = self.turns.load(Ordering::SeqCst) == turn;
            if is_left_alone && !self.has_cause() && !wait.is_over() {
                bell.park_until(heard, || wait.is_over());
            }
            wait.is_over()
        });
        self.asleep_in.set(None);
        state.waiting -= 1;
        state.sleeper = None;
        is_over
    }

    /// Whether the calling thread, alone with its rank, has nothing to do but to wait.
    #[inline]
    fn is_idle(&self, state: &State) -> bool {
        let is_done = state.copies.is_empty() && !state.has_due() && state.waiting_runs.is_empty();
        is_done
            && state.waiting + state.copying == 0
            && self.port.made() == state.rings.made
            && !self.world.wire().has_rings(self.me.seat)
            && !self.has_cause()
    }

    /// Whether something has come for this rank, or something is unusual.
    #[inline]
    fn has_cause(&self) -> bool {
        self.port.has_arrivals()
            || self.awaited.load(Ordering::Relaxed) != 0
            || !self.is_calm()
            || self.pulse.is_stopping()
    }

    /// Waits until `is_over`, for what ends whichever rank dies.
    pub fn sit_out(&self, wait: &MeetingWait<'_>, is_over: impl Fn() -> bool) -> Result<(), Died> {
        self.wait_long_at_gate(wait, &is_over, false).map(drop)
    }

    #[inline(never)]
    fn wait_long_at_gate(
        &self, wait: &MeetingWait<'_>, is_so: &dyn Fn() -> bool, minds: bool,
    ) -> Result<Option<Mishap>, Died> {
        let (mut state, mut attends) = (self.state.lock(), false);
        loop {
            self.progress(&mut state)?;
            self.drive(&mut state)?;
            if is_so() {
                self.leave(&mut state)?;
                return Ok(None);
            }
            if minds
                && !self.is_calm()
                && let Some(mishap) = self.object(&mut state, wait)
            {
                return Ok(Some(mishap));
            }
            if !self.copy_next(&mut state)? {
                if !std::mem::replace(&mut attends, true) {
                    wait.round.attend(wait.gate, wait.turn);
                }
                self.wait_for_others(&mut state, wait, is_so);
                // Then there is no need to look at everything else first.
                if is_so() && !self.pulse.is_stopping() {
                    self.leave(&mut state)?;
                    return Ok(None);
                }
            }
        }
    }

    /// Lets go of the state until there may be something to do.
    fn wait_for_others(
        &self, state: &mut Guard<'_, State>, wait: &MeetingWait<'_>, is_so: &dyn Fn() -> bool,
    ) {
        self.wait_for_news_or(state, None, Some(wait.watched()), is_so, || ());
    }

    /// Lets `run` go on when that has happened, or when there is news of failures.
    pub fn call_back(&self, run: Run, awaited: Awaited) {
        let mut state = self.state.lock();
        state.waiting_runs.push((run, awaited));
        self.waiting_runs.store(state.waiting_runs.len() as u32, Ordering::SeqCst);
    }

    /// Lets those runs go on for which something has happened; all of them when there is news of
    /// failures, which each judges for itself.
    #[inline]
    pub(in crate::engine) fn look_at_waiting_runs(&self, state: &mut State, is_for_all: bool) {
        if !state.waiting_runs.is_empty() {
            self.end_waits(state, is_for_all);
        }
    }

    #[inline(never)]
    fn end_waits(&self, state: &mut State, is_for_all: bool) {
        let State { waiting_runs, ops, .. } = state;
        let is_over = |(_, awaited): &mut (Run, Awaited)| is_for_all || awaited.is_over(ops);
        let over: Vec<Run> = waiting_runs.extract_if(.., is_over).map(|(run, _)| run).collect();
        self.waiting_runs.store(state.waiting_runs.len() as u32, Ordering::SeqCst);
        state.has_news |= !over.is_empty();
        over.into_iter().for_each(|run| state.wake_run(run));
    }

    /// Whether something has happened that a run waits for.
    #[inline]
    pub(in crate::engine) fn has_wait_to_end(&self) -> bool {
        if self.waiting_runs.load(Ordering::SeqCst) == 0 {
            return false;
        }
        let state = self.state.lock();
        state.waiting_runs.iter().any(|(_, awaited)| awaited.is_over(&state.ops))
    }

    /// The ranks that keep a wait from ending.
    pub(in crate::engine) fn missing(&self, watched: Watched) -> Vec<Want> {
        let WatchedGate { key, gate, turn, envelope } = match watched {
            Watched::Gate(watched) => watched,
            Watched::Peer(want) => return vec![want],
            Watched::Part(envelope) => return wants(envelope, false, self.missing_in_part()),
        };
        let meeting = self.world.known_meeting(key);
        let missing = meeting.map(|meeting| meeting.missing(gate, turn, MOST_NAMED));
        wants(envelope, gate == Gate::Room, missing.unwrap_or_default())
    }
}

impl State {
    /// The ranks that keep the runs from going on.
    pub(in crate::engine) fn missed_by_runs(&self) -> impl Iterator<Item = Want> {
        self.waiting_runs.iter().flat_map(|(_, awaited)| awaited.wants(&self.ops))
    }
}
