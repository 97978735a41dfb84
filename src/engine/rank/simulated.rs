//! What messages cost in virtual time, beyond their way through the network: the receiver's call,
//! and the data of long messages, which come only when their receiver has asked for them.

use super::arrivals::{Found, Wanted};
use super::operation::{Died, Outcome, Step};
use crate::base::Member;
use crate::base::slab::Key;
use crate::base::sync::biased::Guard;
use crate::engine::{Engine, State};
use crate::host::{clock, sched};
use crate::transport::{Envelope, Packet};

impl Engine {
    /// Whether the data of a message have to come over a simulated network.
    #[inline]
    pub(in crate::engine) fn must_fetch(&self, packet: &Packet) -> bool {
        self.network.is_some() && !packet.has_data()
    }

    /// Asks the sender of a message that has been matched for its data.
    #[cold]
    pub(in crate::engine) fn fetch(&self, state: &mut State, packet: Packet, key: Key) {
        let network = self.network.expect("only a simulated network keeps data back");
        state.fetching.push((packet.ticket(), key));
        network.fetch(packet, self.me.seat);
    }

    /// In virtual time, receiving a message takes the machine's time.
    #[inline]
    pub(in crate::engine) fn take_time_to_receive(&self, envelope: &Envelope) {
        if let Some(network) = self.network
            && !envelope.is_by_hardware()
        {
            clock::pass_picos(network.overheads().receive);
        }
    }
}

impl Engine {
    /// In virtual time, waits as long as it takes to bring so many bytes from one member to
    /// another, for each of these. Otherwise members share memory, and nothing is to be brought.
    pub fn carry(&self, transfers: impl Iterator<Item = (Member, Member, usize)>) {
        if let Some(network) = self.network {
            let seats =
                |(from, to, bytes): (Member, Member, usize)| (from.seat, to.seat, bytes as u64);
            network.carry(transfers.map(seats));
        }
    }
}

impl Engine {
    /// How this operation has ended; before that, [`Engine::wait_for_step`] is to wait for it.
    pub fn end_of_step(&self, op: Key) -> Option<Outcome> {
        let mut state = self.state.lock();
        match std::mem::take(&mut state.step) {
            Step::Ended(outcome) => Some(outcome),
            _ => {
                state.step = Step::Awaits(op);
                None
            }
        }
    }

    /// Waits for what the last step of a run waits for.
    pub fn wait_for_step(&self) -> Result<(), Died> {
        let step = std::mem::take(&mut self.state.lock().step);
        let Step::Awaits(op) = step else { unreachable!("a run waits for something") };
        let outcome = self.wait(op)?;
        self.state.lock().step = Step::Ended(outcome);
        Ok(())
    }

    /// [`Engine::progress`] for a rank that waits: in virtual time on another stack, so that its
    /// own stays within a page.
    #[inline]
    pub(in crate::engine) fn progress_lightly(
        &self, state: &mut Guard<'_, State>, wanted: Option<Wanted<'_>>,
    ) -> Result<Option<Found>, Died> {
        match self.network {
            None => self.progress_for(state, wanted),
            Some(_) => self.progress_aside(state, wanted),
        }
    }

    #[cold]
    #[inline(never)]
    fn progress_aside(
        &self, state: &mut Guard<'_, State>, wanted: Option<Wanted<'_>>,
    ) -> Result<Option<Found>, Died> {
        sched::on_other_stack(|| self.progress_for(state, wanted))
    }
}

impl State {
    /// The receive that has asked for the data of this packet.
    #[inline]
    pub(in crate::engine) fn fetched(&mut self, packet: &Packet) -> Option<Key> {
        if self.fetching.is_empty() {
            return None;
        }
        let place = self.fetching.iter().position(|(ticket, _)| *ticket == packet.ticket())?;
        Some(self.fetching.swap_remove(place).1)
    }
}
