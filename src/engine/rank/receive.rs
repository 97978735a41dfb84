//! Receives.

use super::arrivals::{Found, Wanted};
use super::probe::failed;
use crate::base::slab::Key;
use crate::engine::rank::awaited::Sought;
use crate::engine::rank::operation::{Died, Mishap, Outcome, Stage, Watch};
use crate::engine::{Engine, State};
use crate::host::memory::Region;
use crate::transport::{Envelope, Packet};

impl Engine {
    /// Starts a receive of a message that `pattern` accepts. It takes nothing in: whoever waits
    /// does.
    #[inline]
    pub fn start_receive(
        &self, pattern: Envelope, watch: Watch, into: impl Into<Region>,
    ) -> Result<Key, Died> {
        self.begin_receive(pattern, watch, into.into())
    }

    #[inline]
    fn begin_receive(&self, pattern: Envelope, watch: Watch, into: Region) -> Result<Key, Died> {
        let mut state = self.state.lock();
        state.start_preposted();
        if self.is_barred(&state, pattern) {
            return Ok(state.lost(Mishap::Revoked));
        }
        if let Some(packet) = state.expected(pattern) {
            let key = state.begin(Stage::Copying { into }, pattern, Some(watch));
            self.hand(&mut state, packet, key)?;
            self.leave(&mut state)?;
            return Ok(key);
        }
        let key = state.begin(Stage::Receiving { into }, pattern, Some(watch));
        state.posted.insert(pattern, key);
        if !self.is_calm() {
            self.progress(&mut state)?;
            self.leave(&mut state)?;
            self.review(&mut state, key);
        }
        Ok(key)
    }

    /// Receives a message that `pattern` accepts. A receive that waits anyway is not put down among
    /// the others: it looks at what arrives itself, after all that were there before.
    #[inline]
    pub fn receive(
        &self, pattern: Envelope, watch: &Watch, into: &Region,
    ) -> Result<Outcome, Died> {
        self.step()?;
        let mut state = self.state.lock();
        let heard = state.heard(pattern);
        loop {
            if self.is_barred(&state, pattern) {
                return Ok(failed(pattern, Mishap::Revoked));
            }
            // What has waited comes before what arrives.
            let waited = state.expected(pattern);
            let wanted = if waited.is_none() { Some(Wanted { pattern, into }) } else { None };
            let arrived = self.progress_lightly(&mut state, wanted)?;
            let packet = match arrived {
                Some(Found::Received(outcome)) => {
                    self.leave(&mut state)?;
                    return Ok(outcome);
                }
                Some(Found::Packet(packet)) => Some(packet),
                None => waited,
            };
            if let Some(packet) = packet {
                if self.must_fetch(&packet) {
                    let stage = Stage::Copying { into: into.clone() };
                    let key = state.begin(stage, pattern, None);
                    self.hand(&mut state, packet, key)?;
                    drop(state);
                    return self.wait(key);
                }
                let (envelope, sent) = (packet.envelope(), packet.bytes());
                self.take_time_to_receive(&envelope);
                self.leave(&mut state)?;
                drop(state);
                return self.received(envelope, sent, into.bytes(), packet.deliver(into));
            }
            let judged = self.judge(&mut state, pattern, watch, heard);
            if let Some(mishap) = judged.or_else(|| self.interruption(watch)) {
                return Ok(failed(pattern, self.tell(&state, pattern, mishap)));
            }
            if state.has_due() {
                self.drive(&mut state)?;
            } else if !self.copy_next(&mut state)? {
                let room = Some(into.bytes());
                self.wait_for_news(&mut state, Some(Sought { pattern, room }));
            }
        }
    }
}

impl State {
    /// The message that a receive with this pattern gets at once.
    #[inline]
    pub(in crate::engine) fn expected(&mut self, pattern: Envelope) -> Option<Packet> {
        loop {
            let place = self.unexpected.find(pattern)?;
            let packet = self.unexpected.remove(place);
            if packet.is_intact() && packet.claim() {
                return Some(packet);
            }
        }
    }
}
