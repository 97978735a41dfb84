//! The wire within one process: a port per seat, where packets for it arrive and its own come home.

use super::packet::Packet;
use crate::base::sync::queue::{Batch, Queue};
use crate::host::sched::Bell;
use std::sync::atomic::{AtomicU32, Ordering};

/// Where one seat is reached.
#[repr(C, align(64))]
pub struct Port {
    inbox: Queue<Packet>,
    bell: Bell,
    seat: u32,
    /// The life that sits here plus 1; 0 while nobody does.
    life: AtomicU32,
    returns: Returns,
}

/// On a line of its own: receivers write it, and the sender looks only now and then.
#[repr(align(64))]
#[derive(Default)]
struct Returns(Queue<Packet>);

impl Port {
    fn new(seat: u32) -> Port {
        Port {
            inbox: Queue::default(),
            bell: Bell::default(),
            seat,
            life: AtomicU32::new(0),
            returns: Returns::default(),
        }
    }

    pub fn seat(&self) -> usize {
        self.seat as usize
    }

    /// What those who wait for news of this port sleep on.
    pub fn bell(&self) -> &Bell {
        &self.bell
    }

    /// Whether this life of the seat still goes on.
    pub fn is_alive(&self, incarnation: u32) -> bool {
        self.life.load(Ordering::Acquire) == incarnation + 1
    }

    /// A life begins: what was meant for the one before goes back to its senders.
    pub fn open(&self, incarnation: u32) {
        drop(self.inbox.take());
        self.life.store(incarnation + 1, Ordering::Release);
    }

    /// The life that sat here is over.
    pub fn close(&self) {
        self.life.store(0, Ordering::Release);
    }

    /// What has arrived, oldest first. One thread at a time.
    #[inline]
    pub fn arrivals(&self) -> Batch<Packet> {
        self.inbox.take()
    }

    #[inline]
    pub fn has_arrivals(&self) -> bool {
        !self.inbox.is_empty()
    }

    /// Own packets that have come home. One thread at a time.
    #[inline]
    pub fn returned(&self) -> Batch<Packet> {
        self.returns.0.take()
    }

    #[inline]
    pub fn has_returned(&self) -> bool {
        !self.returns.0.is_empty()
    }

    /// Takes an own packet back from whoever had it.
    #[inline]
    pub(super) fn accept_return(&self, packet: Packet, is_awaited: bool) {
        self.returns.0.push(packet);
        if is_awaited {
            self.bell.unpark_unfenced();
        }
    }
}

/// All ports of the process.
pub struct Wire {
    ports: Box<[Port]>,
}

impl Wire {
    /// A wire for `seats` seats. It lives as long as the process, as packets point into it.
    pub fn new(seats: usize) -> &'static Wire {
        let seats = u32::try_from(seats).expect("there are fewer than four billion seats");
        Box::leak(Box::new(Wire { ports: (0..seats).map(Port::new).collect() }))
    }

    pub fn size(&self) -> usize {
        self.ports.len()
    }

    #[inline]
    pub fn port(&'static self, seat: usize) -> &'static Port {
        &self.ports[seat]
    }

    /// Sends `packet` on its way. It never waits.
    #[inline]
    pub fn post(&self, seat: usize, packet: Packet) {
        let port = &self.ports[seat];
        port.inbox.push(packet);
        port.bell.unpark_unfenced();
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::base::Member;
    use crate::host::memory::{Region, Span};
    use crate::transport::packet::{Delivery, Envelope, Fate, Load, Pool};

    fn packet(pool: &mut Pool, load: Load, token: u32) -> Packet {
        let room = if let Load::Carried(data) = &load { data.bytes() } else { 0 };
        let packet = pool.blank(room).or_else(|| {
            pool.grow(room);
            pool.blank(room)
        });
        let mut packet = packet.expect("the pool has just grown");
        let envelope = Envelope { context: 2, source: 0, tag: 7 };
        packet.address(envelope, 0, Member { seat: 1, incarnation: 0 }, token);
        packet.load(load).expect("the tests' memory is there");
        packet
    }

    fn two_ports() -> (&'static Wire, Pool) {
        let wire = Wire::new(2);
        (0..2).for_each(|seat| wire.port(seat).open(0));
        (wire, Pool::new(wire.port(0)))
    }

    #[test]
    fn every_shape_of_message_arrives_whole_and_comes_home() {
        let (wire, mut pool) = two_ports();
        for bytes in [0, 1, 8, 200, 201, 5000, Packet::ROOM] {
            let data: Vec<u8> = (0..bytes).map(|n| n as u8).collect();
            let carried = packet(&mut pool, Load::Carried(&Span::of(&data).into()), 0);
            let referenced = packet(&mut pool, Load::Referenced(&Span::of(&data).into()), 1);
            let attached = packet(&mut pool, Load::Attached(data.clone().into()), 2);
            [carried, referenced, attached].into_iter().for_each(|p| wire.post(1, p));
            for arrived in wire.port(1).arrivals() {
                let mut into = vec![0; bytes + 1];
                assert_eq!(arrived.sender(), Member { seat: 0, incarnation: 0 });
                assert!(arrived.claim() && arrived.bytes() == bytes);
                assert_eq!(arrived.deliver(&Span::of_mut(&mut into).into()), Delivery::Done);
                assert_eq!(into[..bytes], data);
            }
            let home: Vec<Packet> = wire.port(0).returned().collect();
            assert_eq!(home.iter().map(Packet::token).collect::<Vec<_>>(), [0, 1, 2]);
            assert!(home.iter().all(|packet| packet.fate() == Fate::Delivered));
            home.into_iter().for_each(|packet| pool.keep(packet));
        }
    }

    #[test]
    fn a_message_is_either_claimed_or_recalled() {
        let (wire, mut pool) = two_ports();
        let first = packet(&mut pool, Load::Referenced(&Region::EMPTY), 1);
        let second = packet(&mut pool, Load::Referenced(&Region::EMPTY), 2);
        let tickets = [first.ticket(), second.ticket()];
        [first, second].into_iter().for_each(|p| wire.post(1, p));
        assert!(tickets[1].recall());
        let claims: Vec<bool> = wire.port(1).arrivals().map(|packet| packet.claim()).collect();
        assert_eq!(claims, [true, false]);
        assert!(!tickets[0].recall());
        assert!(wire.port(0).returned().all(|packet| packet.fate() == Fate::Refused));
    }

    #[test]
    fn what_was_meant_for_an_earlier_life_goes_home_and_the_memory_of_the_dead_is_not_read() {
        let (wire, mut pool) = two_ports();
        wire.post(1, packet(&mut pool, Load::Referenced(&Region::EMPTY), 1));
        wire.port(1).close();
        wire.port(1).open(1);
        assert!(!wire.port(1).has_arrivals() && wire.port(0).has_returned());
        wire.post(1, packet(&mut pool, Load::Referenced(&Span::of(&[1; 40]).into()), 1));
        wire.port(0).close();
        let mut into = [0; 40];
        for packet in wire.port(1).arrivals() {
            assert!(!packet.is_intact());
            assert_eq!(packet.deliver(&Span::of_mut(&mut into).into()), Delivery::SenderGone);
        }
        assert_eq!(into, [0; 40]);
    }
}
