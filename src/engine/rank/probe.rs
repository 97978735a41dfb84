//! Probes, and messages that are matched before they are received (MPI-5.0 §3.8).

use crate::engine::rank::awaited::Sought;
use crate::engine::rank::operation::{Died, Mishap, Outcome, Stage, Watch};
use crate::engine::{Engine, State};
use crate::host::memory::Region;
use crate::transport::{Envelope, Packet};

/// A message that only its holder can receive.
pub struct Held(Packet);

impl Held {
    /// What is known of the message.
    pub fn outcome(&self) -> Outcome {
        outcome_of(&self.0)
    }
}

fn outcome_of(packet: &Packet) -> Outcome {
    let Envelope { source, tag, .. } = packet.envelope();
    Outcome { source, tag, bytes: packet.bytes(), ..Outcome::default() }
}

pub(in crate::engine) fn failed(pattern: Envelope, mishap: Mishap) -> Outcome {
    let source = match mishap {
        Mishap::Lost { rank } | Mishap::Doubted { rank } => rank,
        _ => pattern.source,
    };
    Outcome { source, tag: pattern.tag, mishap: Some(mishap), ..Outcome::default() }
}

impl Engine {
    /// What the message is like that a receive with this pattern would get now.
    pub fn peek(&self, pattern: Envelope, watch: &Watch) -> Result<Option<Outcome>, Died> {
        self.poll_state(|state| self.peeked(state, pattern, watch, state.heard(pattern)))
    }

    /// Waits for a message that a receive with this pattern would get, and describes it.
    pub fn probe(&self, pattern: Envelope, watch: &Watch) -> Result<Outcome, Died> {
        let mut heard = None;
        self.wait_for_message(Some(Sought { pattern, room: None }), |state| {
            let heard = *heard.get_or_insert_with(|| state.heard(pattern));
            self.peeked(state, pattern, watch, heard)
        })
    }

    /// Takes the message out that a receive with this pattern would get now.
    pub fn seize(
        &self, pattern: Envelope, watch: &Watch,
    ) -> Result<Option<Result<Held, Outcome>>, Died> {
        self.poll_state(|state| self.seized(state, pattern, watch, state.heard(pattern)))
    }

    /// Waits for a message that a receive with this pattern would get, and takes it out.
    pub fn seize_next(
        &self, pattern: Envelope, watch: &Watch,
    ) -> Result<Result<Held, Outcome>, Died> {
        let mut heard = None;
        self.wait_for_message(Some(Sought { pattern, room: None }), |state| {
            let heard = *heard.get_or_insert_with(|| state.heard(pattern));
            self.seized(state, pattern, watch, heard)
        })
    }

    /// Receives a message that is held.
    pub fn receive_held(&self, held: Held, into: &Region) -> Result<Outcome, Died> {
        let Held(packet) = held;
        if self.must_fetch(&packet) {
            let mut state = self.state.lock();
            let stage = Stage::Copying { into: into.clone() };
            let key = state.begin(stage, packet.envelope(), None);
            self.hand(&mut state, packet, key)?;
            drop(state);
            return self.wait(key);
        }
        let (envelope, sent) = (packet.envelope(), packet.bytes());
        self.take_time_to_receive(&envelope);
        self.received(envelope, sent, into.bytes(), packet.deliver(into))
    }

    fn peeked(
        &self, state: &mut State, pattern: Envelope, watch: &Watch, heard: usize,
    ) -> Option<Outcome> {
        if self.is_barred(state, pattern) {
            return Some(failed(pattern, Mishap::Revoked));
        }
        while let Some(place) = state.unexpected.find(pattern) {
            let packet = state.unexpected.message(place);
            // Not claimed: a sender that takes its message back must not wait for the receiver.
            if packet.is_intact() && !packet.is_recalled() {
                return Some(outcome_of(packet));
            }
            drop(state.unexpected.remove(place));
        }
        self.refusal(state, pattern, watch, heard)
    }

    /// Why nothing will come, or why the probe is given up.
    fn refusal(
        &self, state: &mut State, pattern: Envelope, watch: &Watch, heard: usize,
    ) -> Option<Outcome> {
        let mishap = self.judge(state, pattern, watch, heard);
        let mishap = mishap.or_else(|| self.interruption(watch));
        mishap.map(|mishap| failed(pattern, self.tell(state, pattern, mishap)))
    }

    fn seized(
        &self, state: &mut State, pattern: Envelope, watch: &Watch, heard: usize,
    ) -> Option<Result<Held, Outcome>> {
        if self.is_barred(state, pattern) {
            return Some(Err(failed(pattern, Mishap::Revoked)));
        }
        if let Some(packet) = state.expected(pattern) {
            return Some(Ok(Held(packet)));
        }
        self.refusal(state, pattern, watch, heard).map(Err)
    }
}
