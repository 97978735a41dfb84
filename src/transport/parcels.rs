//! Messages of one sender's that their receiver copies together: the two of them hear of each other
//! once for all of it (see [`super::joint`]).

use super::joint::Errand;
use super::packet::{Delivery, Envelope, Packet};
use crate::host::memory::Region;

/// How many go together, and how many bytes: the first one is not there before the last one is.
const MOST: usize = 8;
const MOST_BYTES: usize = 256 << 10;

/// Such messages, each with what its receiver calls it.
pub struct Parcels<T> {
    packets: Vec<(Packet, T)>,
    errands: Vec<Errand>,
    /// Whether the sender's memory was there when they were copied.
    are_had: bool,
}

impl<T> Default for Parcels<T> {
    fn default() -> Parcels<T> {
        Parcels { packets: Vec::new(), errands: Vec::new(), are_had: false }
    }
}

impl<T> Parcels<T> {
    /// Whether this message may come along with those that are there.
    pub fn have_room_for(&self, packet: &Packet) -> bool {
        let bytes: usize = self.errands.iter().map(Errand::bytes).sum();
        self.packets.len() < MOST
            && bytes + packet.bytes() <= MOST_BYTES
            && self.packets.first().is_none_or(|(first, _)| first.goes_with(packet))
    }

    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    pub fn add(&mut self, packet: Packet, name: T, into: Region) {
        self.errands.push(Errand::new(packet.source(), into));
        self.packets.push((packet, name));
    }

    /// Copies what fits of each.
    pub fn copy(&mut self) {
        let Some((first, _)) = self.packets.first() else { return };
        let pin = first.pin();
        self.are_had = pin.is_some();
        if self.are_had {
            first.run(&self.errands);
        }
    }

    /// How the copy of each went; the packets go home, and there is room for others.
    pub fn deliveries(&mut self) -> impl Iterator<Item = (T, (Envelope, usize), Delivery)> {
        let are_had = self.are_had;
        let all = self.packets.drain(..).zip(self.errands.drain(..));
        all.map(move |((packet, name), errand)| {
            let message = (packet.envelope(), packet.bytes());
            let delivery = match are_had {
                true => packet.concluded(errand.outcome()),
                false => Delivery::SenderGone,
            };
            (name, message, delivery)
        })
    }
}
