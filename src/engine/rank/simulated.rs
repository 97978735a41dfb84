//! What messages cost in virtual time, beyond their way through the network: the receiver's call,
//! and the data of long messages, which come only when their receiver has asked for them.

use super::arrivals::{Found, Wanted};
use super::awaited::{MOST_NAMED, Watched};
use super::operation::{Died, Mishap};
use super::synchronize::PeerWait;
use crate::base::Member;
use crate::base::slab::Key;
use crate::base::sync::biased::Guard;
use crate::engine::{Engine, State};
use crate::host::{clock, sched};
use crate::transport::{Envelope, Packet, Transfers};

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
    pub fn carry(
        &self, transfers: impl Iterator<Item = (Member, Member, usize)>,
    ) -> Result<(), Died> {
        let Some(network) = self.network else { return Ok(()) };
        let seats = |(from, to, bytes): (Member, Member, usize)| (from.seat, to.seat, bytes as u64);
        self.await_transfers(&network.carry(transfers.map(seats)))
    }

    /// Waits until all of these are over, or the rank is to die.
    pub fn await_transfers(&self, transfers: &Transfers) -> Result<(), Died> {
        // Whoever kills a rank rings its bell.
        match transfers.await_at(self.port.bell(), || self.is_stopping()) {
            true => Ok(()),
            false => Err(Died),
        }
    }
}

impl Engine {
    /// Whether some rank's steps are reported, so that each has to make its own.
    pub fn makes_own_steps(&self) -> bool {
        self.world.is_careful()
    }

    /// Waits until the rank's part in an operation is over, which others carry on; or until a
    /// failure makes that hopeless.
    pub fn wait_for_part(&self, wait: &PeerWait<'_>) -> Result<Option<Mishap>, Died> {
        let network = self.network.expect("only in virtual time others carry it on");
        let is_over = || network.is_part_over(self.me.seat);
        let ended = self.wait_unless_opposed(wait, Watched::Part(wait.envelope), is_over);
        if ended != Ok(None) {
            network.drop_part(self.me.seat);
        }
        ended
    }

    /// The ranks whose messages keep that part from ending.
    pub(super) fn missing_in_part(&self) -> Vec<usize> {
        let network = self.network.into_iter();
        let ranks = network.flat_map(|network| network.expected_from(self.me.seat));
        ranks.filter_map(|rank| usize::try_from(rank).ok()).take(MOST_NAMED).collect()
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
