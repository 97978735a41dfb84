//! What a rank waits for, as the deadlock detector reports it.

use crate::base::Member;
use crate::engine::rank::awaited::{Sought, Waiter, Waits, Want, Watched};
use crate::engine::rank::operation::{Op, Stage, Watch};

use crate::engine::{Engine, State};
use crate::transport::Envelope;
use std::sync::atomic::Ordering;

impl State {
    /// Notes that a thread is about to wait in the call of this name.
    pub(in crate::engine) fn note(
        &mut self, call: &'static str, sought: Option<Sought>, watched: Option<Watched>,
    ) -> crate::engine::Key {
        let Ok(key) = self.waiters.insert(Waiter { call, sought, watched }) else {
            panic!("a rank has fewer than four million threads")
        };
        key
    }
}

impl Engine {
    /// The call in which a thread of the rank sleeps, if one does: as it was a moment ago.
    pub fn asleep_in(&self) -> Option<&'static str> {
        self.asleep_in.read()
    }

    /// How many messages the program has sent.
    pub fn sent(&self) -> u64 {
        self.sent_shortly.load(Ordering::Relaxed) + self.sent_otherwise.load(Ordering::Relaxed)
    }

    /// How many of them have taken the fast path.
    pub fn sent_fast(&self) -> u64 {
        self.sent_shortly.load(Ordering::Relaxed)
    }

    /// How often a thread of the rank in this seat was woken, in all of its lives.
    pub fn wakings(&self) -> u32 {
        self.port.bell().rings()
    }

    /// How often a thread of this rank was woken.
    pub fn wakings_in_this_life(&self) -> u32 {
        // The bell's counter wraps around.
        self.wakings().wrapping_sub(self.rings_before)
    }

    /// The program has sent a message that did not go the short way.
    #[inline]
    pub fn count_sent(&self, to: Member) {
        self.sent_otherwise.fetch_add(1, Ordering::Relaxed);
        if let Some(pairs) = self.world.pairs.get() {
            pairs.count(self.me.seat, to.seat);
        }
    }

    /// What the rank waits for, if some thread of it waits and there is nothing for it to look at.
    /// For other ranks' threads, too, while this rank's stand still. Packets that have come home
    /// are nothing to look at, nor is what has stirred the world: whoever has to look is woken for
    /// it, and then a thread of it runs.
    pub fn waits(&self) -> Option<Waits> {
        let state = self.state.try_visit()?;
        let has_work = self.has_arrivals(state.rings.made)
            || !state.copies.is_empty()
            || state.copying > 0
            || state.has_due();
        let waits = !state.waiters.is_empty() || state.sleeper.is_some();
        if !waits || has_work || self.pulse.is_stopping() {
            return None;
        }
        let waiters = state.waiters.keys().filter_map(|key| state.waiters.find(key));
        let (mut calls, mut wants) = (Vec::new(), Vec::new());
        for waiter in waiters {
            calls.push(waiter.call);
            wants.extend(waiter.sought.map(Sought::want));
            if let Some(watched) = waiter.watched {
                wants.extend(self.missing(watched));
            }
        }
        if let Some((call, watched)) = state.sleeper {
            calls.push(call);
            wants.extend(self.missing(watched));
        }
        wants.extend(state.missed_by_runs());
        let ops = state.ops.0.keys().filter_map(|key| state.ops.0.find(key));
        wants.extend(ops.filter(|op| !op.is_orphan).filter_map(Op::want));
        calls.sort_unstable();
        wants.sort_unstable();
        Some(Waits { calls, wants })
    }
}

impl Engine {
    /// The messages that have arrived and were not received, with their lengths.
    pub fn unmatched(&self) -> Vec<(Envelope, usize)> {
        // A dead rank has nothing to report.
        let _is_up_to_date = self.poll(|_| Some(()));
        let state = self.state.lock();
        let wanted = state.unexpected.all().filter(|(_, packet)| !packet.is_recalled());
        wanted.map(|(envelope, packet)| (envelope, packet.bytes())).collect()
    }
}

impl Sought {
    fn want(self) -> Want {
        let Envelope { context, source, tag } = self.pattern;
        Want::Message { context, source, tag, room: self.room }
    }
}

impl Op {
    /// What it waits for, unless it is of a run that says so itself.
    fn want(&self) -> Option<Want> {
        let Envelope { context, tag, .. } = self.envelope;
        if self.envelope.is_between_halves() {
            return None;
        }
        match &self.stage {
            Stage::Receiving { into, .. } => {
                let room = Some(into.bytes());
                Some(Sought { pattern: self.envelope, room }.want())
            }
            Stage::Sending { .. } => match self.watch {
                Some(Watch::Peer { rank, .. } | Watch::Everyone { rank, .. }) => {
                    Some(Want::Receiver { context, rank, tag })
                }
                _ => None,
            },
            Stage::Open => Some(Want::Program),
            Stage::Outside(_) => Some(Want::File),
            Stage::Copying { .. }
            | Stage::Flushing
            | Stage::Running(_)
            | Stage::Deciding(_)
            | Stage::Done(_) => None,
        }
    }
}
