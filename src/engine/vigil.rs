//! Waits for others without a message: for what happens in a [`Meeting`].

use super::meeting::{Gate, Hall, Key, Meeting, Round};
use super::op::{Died, Mishap, Watch};
use super::waits::Want;
use super::{Engine, State};
use crate::base::member::Roster;
use crate::base::slab::Key as Run;
use crate::base::sync::biased::Guard;
use crate::transport::Envelope;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// How often one who has a core looks before he does anything else: somebody is about to come.
const LOOKS: u32 = 100;

/// Of those who keep a wait from ending, more are not named.
const MOST_NAMED: usize = 8;

/// What a member waits for, and whose death ends the wait.
pub struct Vigil<'a> {
    pub meeting: &'a Meeting,
    pub round: &'a Round,
    pub gate: Gate,
    pub turn: u32,
    /// The context of the operation's messages, if it had any, and the own rank.
    pub envelope: Envelope,
    pub everyone: &'a Arc<dyn Roster>,
}

impl Vigil<'_> {
    /// Whether it has happened.
    #[inline]
    pub fn is_over(&self) -> bool {
        match self.gate {
            Gate::Room => self.meeting.has_room(self.turn),
            gate => self.round.is_open(gate, self.turn),
        }
    }
}

/// What a run waits for.
pub struct Awaited {
    pub hall: Hall,
    pub gate: Gate,
    pub envelope: Envelope,
}

impl Awaited {
    fn is_over(&self) -> bool {
        self.hall.round.is_open(self.gate, self.hall.turn)
    }

    fn missing(&self) -> Vec<usize> {
        match self.gate {
            Gate::Shown { place } | Gate::Read { place } => vec![place],
            _ => self.hall.round.missing(self.hall.turn).take(MOST_NAMED).collect(),
        }
    }
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

    /// Makes progress until it has happened, or until a death or the like makes that hopeless.
    #[inline]
    pub fn keep_vigil(&self, vigil: &Vigil<'_>) -> Result<Option<Mishap>, Died> {
        self.step()?;
        let looks = if self.world.is_crowded() { 1 } else { LOOKS };
        for _ in 0..looks {
            if vigil.is_over() {
                return if self.pulse.is_stopping() { Err(Died) } else { Ok(None) };
            }
            std::hint::spin_loop();
        }
        self.keep_long_vigil(vigil, &|| vigil.is_over(), true)
    }

    /// The same for what comes to an end whoever dies, as `is_over` says.
    pub fn sit_out(&self, vigil: &Vigil<'_>, is_over: impl Fn() -> bool) -> Result<(), Died> {
        self.keep_long_vigil(vigil, &is_over, false).map(drop)
    }

    #[inline(never)]
    fn keep_long_vigil(
        &self, vigil: &Vigil<'_>, is_so: &dyn Fn() -> bool, minds: bool,
    ) -> Result<Option<Mishap>, Died> {
        let mut state = self.state.lock();
        loop {
            self.progress(&mut state)?;
            self.drive(&mut state)?;
            if is_so() {
                self.leave(&mut state)?;
                return Ok(None);
            }
            if minds
                && !self.is_calm()
                && let Some(mishap) = self.object(&mut state, vigil)
            {
                return Ok(Some(mishap));
            }
            if !self.copy_next(&mut state)? {
                self.wait_for_others(&mut state, vigil, is_so);
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
        &self, state: &mut Guard<'_, State>, vigil: &Vigil<'_>, is_so: &dyn Fn() -> bool,
    ) {
        let Vigil { meeting, gate, turn, envelope, .. } = *vigil;
        let watched = Watched { key: meeting.key(), gate, turn, envelope };
        self.wait_for_news_or(state, None, Some(watched), is_so);
    }

    /// Lets `run` go on when that has happened, or when there is news of failures.
    pub fn call_back(&self, run: Run, awaited: Awaited) {
        let mut state = self.state.lock();
        state.vigils.push((run, awaited));
        self.vigils.store(state.vigils.len() as u32, Ordering::SeqCst);
    }

    /// Lets those runs go on for which something has happened; all of them when there is news of
    /// failures, which each judges for itself.
    #[inline]
    pub(super) fn look_at_vigils(&self, state: &mut State, is_for_all: bool) {
        if !state.vigils.is_empty() {
            self.end_vigils(state, is_for_all);
        }
    }

    #[inline(never)]
    fn end_vigils(&self, state: &mut State, is_for_all: bool) {
        let is_over = |(_, awaited): &mut (Run, Awaited)| is_for_all || awaited.is_over();
        let over: Vec<Run> = state.vigils.extract_if(.., is_over).map(|(run, _)| run).collect();
        self.vigils.store(state.vigils.len() as u32, Ordering::SeqCst);
        state.has_news |= !over.is_empty();
        over.into_iter().for_each(|run| state.wake_run(run));
    }

    /// Whether something has happened that a run waits for.
    #[inline]
    pub(super) fn has_vigil_to_end(&self) -> bool {
        self.vigils.load(Ordering::SeqCst) != 0
            && self.state.lock().vigils.iter().any(|(_, awaited)| awaited.is_over())
    }

    /// Who keeps a wait from ending; `None` when nobody does.
    pub(super) fn missing(&self, watched: Watched) -> Option<Vec<Want>> {
        let Watched { gate, envelope, .. } = watched;
        let missing =
            self.world.known_meeting(watched.key)?.missing(gate, watched.turn, MOST_NAMED);
        wants(envelope, gate == Gate::Room, missing)
    }
}

impl State {
    /// Who keeps the runs from going on; `None` when nobody keeps one of them.
    pub(super) fn missed_by_runs(&self) -> Option<Vec<Want>> {
        let wants = |(_, awaited): &(Run, Awaited)| match awaited.is_over() {
            true => None,
            false => wants(awaited.envelope, false, awaited.missing()),
        };
        self.vigils.iter().map(wants).collect::<Option<Vec<_>>>().map(|all| all.concat())
    }
}

fn wants(envelope: Envelope, is_ahead: bool, missing: Vec<usize>) -> Option<Vec<Want>> {
    let Envelope { context, tag, .. } = envelope;
    let want = |place: &usize| {
        let rank = i32::try_from(*place).expect("ranks fit an int");
        match is_ahead {
            true => Want::Receiver { context, rank, tag },
            false => Want::Message { context, source: rank, tag, room: None },
        }
    };
    let wants: Vec<Want> = missing.iter().map(want).collect();
    (!wants.is_empty()).then_some(wants)
}
