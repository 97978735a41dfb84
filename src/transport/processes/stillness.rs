//! Whether anything is under way between this process and the others, as far as this one knows.

use super::Processes;
use super::peer::{Parcel, Peer};
use crate::transport::hosts::{Hosts, Traffic};
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

impl Processes {
    /// A number that stays the same as long as this process sends nothing and takes nothing in;
    /// `None` when something has come, or is about to be sent. It waits for nobody.
    pub fn stillness(&self) -> Option<u64> {
        let mut seen = DefaultHasher::new();
        // Whoever has it takes something in.
        let incoming = self.incoming.try_visit()?;
        if self.has_news_of(&incoming) {
            return None;
        }
        incoming.contacts.hash(&mut seen);
        for (process, reader) in &incoming.readers {
            (process, reader.consumed()).hash(&mut seen);
        }
        drop(incoming);
        for peer in &self.peers {
            let peer = peer.try_visit()?;
            if !self.is_blocked(&peer) {
                return None;
            }
            let written = peer.writer.as_ref().map(|writer| writer.written());
            (peer.queue.len(), written).hash(&mut seen);
        }
        Some(seen.finish())
    }

    /// What has passed between this process and those of other hosts; `None`: something happens.
    pub fn traffic(&self) -> Option<Vec<Traffic>> {
        self.hosts.get().map_or(Some(Vec::new()), Hosts::traffic)
    }

    /// Whether nothing that is queued for a process can be sent before that process, or `ftrun`,
    /// does something. A full ring does not count: its reader has something to look at.
    fn is_blocked(&self, peer: &Peer) -> bool {
        match peer.queue.front() {
            None => true,
            Some(_) if peer.at.is_none() => true,
            Some(Parcel::Message(_, packet)) => {
                !self.is_short(packet.bytes()) && self.away.lock().free.is_empty()
            }
            Some(_) => false,
        }
    }
}
