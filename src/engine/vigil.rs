//! Waits for others without a message: for what happens in a [`Meeting`].

use super::meeting::{Gate, Key, Meeting};
use super::op::{Died, Mishap, Roster, Watch};
use super::waits::Want;
use super::{Engine, State};
use crate::transport::Envelope;
use parking_lot::MutexGuard;
use std::sync::Arc;

/// How often one who has a core looks before he does anything else: somebody is about to come.
const LOOKS: u32 = 100;

/// What a member waits for, and whose death ends the wait.
pub struct Vigil<'a> {
    pub meeting: &'a Meeting,
    pub gate: Gate,
    pub turn: u32,
    /// The context of the operation's messages, if it had any, and the own rank.
    pub envelope: Envelope,
    pub everyone: &'a Arc<dyn Roster>,
}

/// The same for those who look from outside.
#[derive(Clone, Copy)]
pub(super) struct Watched {
    key: Key,
    gate: Gate,
    turn: u32,
    envelope: Envelope,
}

impl Engine {
    /// What stands against working together with `everyone`, if anything does.
    #[inline]
    pub fn objection(&self, vigil: &Vigil<'_>) -> Option<Mishap> {
        if self.is_calm() { None } else { self.object(&mut self.state.lock(), vigil) }
    }

    #[cold]
    fn object(&self, state: &mut State, vigil: &Vigil<'_>) -> Option<Mishap> {
        let (rank, roster) = (vigil.envelope.source, vigil.everyone.clone());
        let watch = Watch::Everyone { rank, member: self.me, roster };
        let judged = self.judge(state, vigil.envelope, &watch, 0);
        judged.or_else(|| self.interruption(state, &watch))
    }

    /// Makes progress until it `is_so`, or until a death or the like makes that hopeless.
    #[inline]
    pub fn keep_vigil(
        &self, vigil: &Vigil<'_>, is_so: impl Fn() -> bool,
    ) -> Result<Option<Mishap>, Died> {
        self.step()?;
        let looks = if self.world.is_crowded() { 1 } else { LOOKS };
        for _ in 0..looks {
            if is_so() {
                return if self.pulse.is_stopping() { Err(Died) } else { Ok(None) };
            }
            std::hint::spin_loop();
        }
        self.keep_long_vigil(vigil, &is_so)
    }

    #[inline(never)]
    fn keep_long_vigil(
        &self, vigil: &Vigil<'_>, is_so: &dyn Fn() -> bool,
    ) -> Result<Option<Mishap>, Died> {
        let mut state = self.state.lock();
        loop {
            self.progress(&mut state)?;
            self.drive(&mut state)?;
            if is_so() {
                self.leave(&mut state)?;
                return Ok(None);
            }
            if !self.is_calm()
                && let Some(mishap) = self.object(&mut state, vigil)
            {
                return Ok(Some(mishap));
            }
            if !self.copy_next(&mut state)? {
                self.wait_for_others(&mut state, vigil, is_so);
            }
        }
    }

    /// Lets go of the state until there may be something to do.
    fn wait_for_others(
        &self, state: &mut MutexGuard<'_, State>, vigil: &Vigil<'_>, is_so: &dyn Fn() -> bool,
    ) {
        let Vigil { meeting, gate, turn, envelope, .. } = *vigil;
        let watched = Watched { key: meeting.key(), gate, turn, envelope };
        let seen = self.seen(state);
        let note = state.note(self.world.call(), None, Some(watched));
        state.waiting += 1;
        MutexGuard::unlocked(state, || self.pause(seen, is_so));
        state.waiting -= 1;
        state.waiters.remove(note);
    }

    /// Who keeps a vigil from ending; `None` when nobody does.
    pub(super) fn missing(&self, watched: Watched) -> Option<Vec<Want>> {
        /// More are not named.
        const MOST: usize = 8;
        let meeting = self.world.known_meeting(watched.key)?;
        let missing = meeting.missing(watched.gate, watched.turn);
        let Envelope { context, tag, .. } = watched.envelope;
        let want = |place: &usize| {
            let rank = i32::try_from(*place).expect("ranks fit an int");
            match watched.gate {
                Gate::Room => Want::Receiver { context, rank, tag },
                _ => Want::Message { context, source: rank, tag, room: None },
            }
        };
        let wants: Vec<Want> = missing.iter().take(MOST).map(want).collect();
        (!wants.is_empty()).then_some(wants)
    }
}
