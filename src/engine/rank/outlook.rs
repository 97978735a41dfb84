//! What a rank knows of failures: which generation it is in, which communicators have lost members,
//! and where messages of earlier generations go.

use crate::base::Member;
use crate::base::member::Roster;
use crate::base::roll::Roll;
use crate::engine::rank::operation::Watch;
use crate::engine::shared::home::Home;
use crate::engine::shared::rules::MsgMode;
use crate::transport::{Envelope, Packet};
use std::collections::HashMap;
use std::sync::Arc;

/// A communicator, as far as failures are concerned.
pub struct Fellowship {
    pub context: u32,
    pub roster: Arc<dyn Roster>,
    /// What becomes of its messages, where the modes of FT-MPI hold.
    pub msg: Option<MsgMode>,
}

/// Lists the communicators of a rank.
pub(in crate::engine) type Fellowships = dyn Fn() -> Vec<Fellowship> + Send + Sync;

/// What a rank knows of failures.
#[derive(Default)]
pub(in crate::engine) struct Outlook {
    /// The world of this generation; `None`: all ranks are in their first life.
    pub(super) company: Option<Arc<Roll>>,
    /// How many deaths concern earlier generations only.
    pub(in crate::engine) base: usize,
    /// Contexts below this one are of earlier generations.
    pub(super) floor: u32,
    /// Under NOOP, the communicators that have a dead member, by their contexts: its rank.
    pub(super) broken: HashMap<u32, i32>,
    /// Those with another message mode than the job's, by their contexts.
    pub(super) peculiar: HashMap<u32, MsgMode>,
    /// A member of the own world, of this generation, is dead.
    pub(in crate::engine) has_losses: bool,
    /// Under CONT, where messages of earlier generations belong now, and since which one.
    pub(super) moved: Vec<(u64, Moved)>,
}

/// Where the messages of a communicator go after a recovery.
pub struct Moved {
    /// Its contexts, before and after.
    pub from: u32,
    pub to: u32,
    /// Its members, after.
    pub roster: Arc<dyn Roster>,
    /// Whether they go there at all.
    pub is_cont: bool,
}

impl Moved {
    pub(super) fn concerns(&self, envelope: Envelope) -> bool {
        envelope.context == 2 * self.from
    }

    /// The envelope of a message of `sender`, if that is still a member.
    pub(super) fn message(&self, envelope: Envelope, sender: Member) -> Option<Envelope> {
        let source = self.roster.rank_of(sender)?;
        Some(Envelope { context: 2 * self.to, source, ..envelope })
    }

    /// What a receive asks for that watches this.
    pub(super) fn pattern(&self, envelope: Envelope, watch: &Watch) -> Envelope {
        let source = match watch {
            Watch::Peer { rank, .. } | Watch::Everyone { rank, .. } => *rank,
            Watch::Anyone(_) => envelope.source,
        };
        Envelope { context: 2 * self.to, source, ..envelope }
    }

    /// Whose death ends an operation; `None` when its peer is no member any more.
    pub(super) fn watch(&self, watch: Watch) -> Option<Watch> {
        match watch {
            Watch::Peer { member, .. } => {
                Some(Watch::Peer { rank: self.roster.rank_of(member)?, member })
            }
            Watch::Everyone { .. } => None,
            Watch::Anyone(_) => Some(Watch::Anyone(self.roster.clone())),
        }
    }
}

impl Outlook {
    /// Whether a message is left over from an earlier generation. What a rank sends to itself
    /// stays.
    #[inline]
    pub(in crate::engine) fn is_of_old(
        &self, envelope: Envelope, packet: &Packet, me: Member,
    ) -> bool {
        envelope.context < self.floor && packet.sender() != me
    }

    /// Whether messages may be of an earlier generation, and belong to this one.
    #[inline]
    pub(in crate::engine) fn has_moved(&self) -> bool {
        !self.moved.is_empty()
    }

    /// The message as it is to be taken: it may have been sent in an earlier generation. `None`:
    /// its sender is no member any more.
    #[inline]
    pub(in crate::engine) fn renewed(&self, packet: Packet) -> Option<Packet> {
        if self.moved.is_empty() { Some(packet) } else { self.brought_on(packet) }
    }

    #[cold]
    fn brought_on(&self, mut packet: Packet) -> Option<Packet> {
        for (_, moved) in &self.moved {
            if moved.concerns(packet.envelope()) {
                let envelope = moved.message(packet.envelope(), packet.sender())?;
                packet = packet.readdressed(envelope);
            }
        }
        Some(packet)
    }

    /// Whether the death of `member` is news in this generation. Those of other worlds always are:
    /// communicators may reach there.
    pub(super) fn concerns(&self, home: &Home, member: Member) -> bool {
        if home.has(member.seat) && member.incarnation < home.first() {
            // It was of a world that has had these seats before.
            return false;
        }
        let Some(company) = &self.company else { return true };
        !home.has(member.seat) || company.place(member).is_some()
    }
}
