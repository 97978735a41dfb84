//! Several messages of one sender that their receiver copies together: the two synchronise once for
//! all of them (see [`crate::transport::cooperative_copy`]).

use super::packet::{Delivery, Envelope, Packet};
use crate::host::memory::Region;
use crate::transport::cooperative_copy::Errand;

/// How many go together, and how many bytes: the first one is not there before the last one is.
const MOST: usize = 8;
const MOST_BYTES: usize = 256 << 10;

/// Such messages, each with what its receiver calls it.
pub struct Batches<T> {
    packets: Vec<(Packet, T)>,
    errands: Vec<Errand>,
    /// Whether the sender's memory was there when they were copied.
    are_had: bool,
}

impl<T> Default for Batches<T> {
    fn default() -> Batches<T> {
        Batches { packets: Vec::new(), errands: Vec::new(), are_had: false }
    }
}

impl<T> Batches<T> {
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

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::base::Member;
    use crate::host::memory::Span;
    use crate::transport::packet::pool::Pool;
    use crate::transport::packet::{Fate, Load};
    use crate::transport::{Port, Wire};

    const SENDER: Member = Member { seat: 0, incarnation: 0 };

    /// A sender's port, and a message from it for each of these.
    fn posted(data: &[Vec<u8>]) -> (&'static Port, Vec<Packet>) {
        let wire = Wire::new(2, 2);
        (0..2).for_each(|seat| wire.open(Member { seat, incarnation: 0 }));
        // Its other packets are not to come home.
        let pool = Box::leak(Box::new(Pool::new(wire.port(0))));
        data.iter().for_each(|_| pool.grow(0));
        let packet = |(data, token): (&Vec<u8>, u32)| {
            let mut packet = pool.blank(0).expect("the pool has grown");
            let envelope = Envelope { context: 2, source: 0, tag: token as i32 };
            packet.address(envelope, SENDER, Member { seat: 1, incarnation: 0 }, token);
            packet.load(Load::Referenced(&Span::of(data).into())).expect("there is memory");
            packet
        };
        let packets = data.iter().zip(1..).map(packet).collect();
        (wire.port(0), packets)
    }

    fn data() -> Vec<Vec<u8>> {
        let fill = |bytes: usize| (0..bytes).map(|at| (at * 3 / 2) as u8).collect();
        [70_000, 20_000, 0, 50_000].map(fill).to_vec()
    }

    #[test]
    fn each_comes_whole_and_goes_home_and_others_have_room_then() {
        let data = data();
        let (port, packets) = posted(&data);
        let mut into: Vec<Vec<u8>> = data.iter().map(|data| vec![0; data.len()]).collect();
        let mut batches = Batches::default();
        for ((packet, room), name) in packets.into_iter().zip(&mut into).zip(0_usize..) {
            assert!(batches.have_room_for(&packet));
            batches.add(packet, name, Span::of_mut(room).into());
        }
        batches.copy();
        for (name, (envelope, bytes), delivery) in batches.deliveries() {
            assert_eq!((envelope.tag, bytes), (name as i32 + 1, data[name].len()));
            assert_eq!(delivery, Delivery::Done);
        }
        assert!(batches.is_empty() && into == data);
        let home: Vec<Fate> = port.returned().map(|packet| packet.fate()).collect();
        assert_eq!(home, [Fate::Delivered; 4]);
    }

    #[test]
    fn what_is_too_much_or_of_another_sender_does_not_come_along() {
        let data = vec![vec![1; MOST_BYTES - 10], vec![2; 11], vec![3; 10]];
        let (_, packets) = posted(&data);
        let other = posted(&data).1.pop().expect("there are three");
        let [first, more, fits] = packets.try_into().ok().expect("there are three");
        let mut batches = Batches::default();
        let mut room = vec![0; MOST_BYTES];
        batches.add(first, (), Span::of_mut(&mut room).into());
        assert!(!batches.have_room_for(&more) && !batches.have_room_for(&other));
        assert!(batches.have_room_for(&fits));
    }

    #[test]
    fn nothing_is_read_of_the_dead() {
        let data = data();
        let (port, packets) = posted(&data);
        let mut into = vec![0; 70_000];
        let mut batches = Batches::default();
        for packet in packets {
            batches.add(packet, (), Span::of_mut(&mut into).into());
        }
        port.close();
        batches.copy();
        assert!(batches.deliveries().all(|told| told.2 == Delivery::SenderGone));
        assert!(into.iter().all(|byte| *byte == 0));
    }
}
