//! The inbox: what arrives at a seat's port, and the wire, which is all ports and the rings between
//! them.

use super::packet::{Packet, Port, Returns};
use crate::base::Member;
use crate::base::sync::fence;
use crate::base::sync::queue::{Batch, Queue};
use crate::host::sched::Bell;
use crate::transport::cooperative_copy::Invitation;
use crate::transport::ring::{Incoming, MOST, Outgoing, SharedRing};
use parking_lot::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

impl Port {
    pub(super) fn new(seat: u32) -> Port {
        Port {
            inbox: Queue::default(),
            bell: Bell::default(),
            seat,
            life: AtomicU32::new(0),
            made: AtomicU32::new(0),
            invitation: Invitation::default(),
            returns: Returns::default(),
        }
    }

    pub fn seat(&self) -> usize {
        self.seat as usize
    }

    /// Threads that wait for news of this port sleep on it.
    pub fn bell(&self) -> &Bell {
        &self.bell
    }

    /// Whether this life of the seat still goes on.
    pub fn is_alive(&self, incarnation: u32) -> bool {
        self.life.load(Ordering::Acquire) == incarnation + 1
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

    /// Changes when there are new rings that lead here.
    #[inline]
    pub fn made(&self) -> u32 {
        self.made.load(Ordering::Acquire)
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

    /// Helps to copy what this seat has sent, if the receiver invites it to.
    #[inline]
    pub fn helps(&self) -> bool {
        self.invitation.accept()
    }

    /// Whether [`Port::helps`] has anything to do.
    #[inline]
    pub fn is_invited(&self) -> bool {
        self.invitation.is_out()
    }

    /// Takes an own packet back from its last holder.
    #[inline]
    pub(super) fn accept_return(&self, packet: Packet, is_awaited: bool) {
        self.returns.0.push(packet);
        if is_awaited {
            self.bell.unpark_unfenced();
        }
    }
}

/// The rings that lead to a seat.
#[derive(Default)]
struct Rings {
    /// How many there are in this life.
    open: usize,
    /// Those that the receiver has not found yet.
    fresh: Vec<Fresh>,
}

/// A ring that its receiver has not found yet.
struct Fresh {
    /// What [`Port::made`] was when it had been made.
    number: u32,
    incoming: Incoming,
}

/// All ports of the process.
pub struct Wire {
    ports: Box<[Port]>,
    rings: Box<[Mutex<Rings>]>,
    /// How many ranks, those in the first seats, get rings to others with whom they communicate
    /// often.
    with_rings: usize,
    /// The way to ranks in other processes.
    outside: Option<&'static dyn Outside>,
}

/// The way to ranks in other processes.
pub(super) trait Outside: Send + Sync {
    /// Whether the rank in this seat is in another process.
    fn has(&self, seat: usize) -> bool;
    /// Sends `packet` there. It never waits.
    fn post(&'static self, seat: usize, packet: Packet);
}

impl Wire {
    /// A wire for `seats` seats, the first of which have rings between them. It lives as long as
    /// the process, as packets point into it.
    ///
    /// With rings, a rank that is about to sleep makes a heavy fence, so that senders need none:
    /// that is for ranks that have a core each and seldom sleep.
    pub fn new(seats: usize, with_rings: usize) -> &'static Wire {
        let seats = u32::try_from(seats).expect("there are fewer than four billion seats");
        assert!(seats < 1 << 31, "a packet has 31 bits for its sender's seat");
        let with_rings = if fence::arm() { with_rings } else { 0 };
        let ports = (0..seats).map(Port::new).collect();
        let rings = (0..seats).map(|_| Mutex::default()).collect();
        Box::leak(Box::new(Wire { ports, rings, with_rings, outside: None }))
    }

    /// A wire for seats of which most are in other processes.
    pub(super) fn across(outside: &'static dyn Outside, seats: usize) -> &'static Wire {
        let ports = (0..seats as u32).map(Port::new).collect();
        let rings = (0..seats).map(|_| Mutex::default()).collect();
        Box::leak(Box::new(Wire { ports, rings, with_rings: 0, outside: Some(outside) }))
    }

    /// Whether the rank in this seat gets a ring to and from others with whom it communicates
    /// often.
    #[inline]
    pub fn has_rings(&self, seat: usize) -> bool {
        seat < self.with_rings
    }

    /// A life begins at a seat: what was meant for the one before goes back to its senders.
    pub fn open(&self, to: Member) {
        let port = &self.ports[to.seat];
        drop(port.inbox.take());
        *self.rings[to.seat].lock() = Rings::default();
        port.life.store(to.incarnation + 1, Ordering::Release);
    }

    /// A ring from one rank to another that is alive, unless too many lead there already.
    pub fn connect(&'static self, from: Member, to: Member) -> Option<Outgoing> {
        let port = self.port(to.seat);
        let mut rings = self.rings[to.seat].lock();
        if !self.has_rings(to.seat) || rings.open == MOST || !port.is_alive(to.incarnation) {
            return None;
        }
        let (outgoing, incoming) = SharedRing::open(from, to, port.bell());
        rings.open += 1;
        let number = port.made.load(Ordering::Relaxed).wrapping_add(1);
        rings.fresh.push(Fresh { number, incoming });
        port.made.store(number, Ordering::Release);
        Some(outgoing)
    }

    /// The rings to this seat that nobody has asked for yet, out of those that had been made when
    /// [`Port::made`] was `made`. What their senders sent before was in the inbox by then.
    pub fn fresh_rings(&self, seat: usize, made: u32) -> Vec<Incoming> {
        let mut rings = self.rings[seat].lock();
        let is_known = |fresh: &&Fresh| made.wrapping_sub(fresh.number) < u32::MAX / 2;
        let known = rings.fresh.iter().take_while(is_known).count();
        rings.fresh.drain(..known).map(|fresh| fresh.incoming).collect()
    }

    /// The ring of this sender to this seat, if it was not asked for yet.
    pub fn fresh_ring(&self, seat: usize, from: Member) -> Option<Incoming> {
        let mut rings = self.rings[seat].lock();
        let place = rings.fresh.iter().position(|fresh| fresh.incoming.from() == from)?;
        Some(rings.fresh.remove(place).incoming)
    }

    /// Nothing comes any more through this number of rings of the life at this seat.
    pub fn close_rings(&self, seat: usize, count: usize) {
        self.rings[seat].lock().open -= count;
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
        match self.outside {
            Some(outside) if outside.has(seat) => outside.post(seat, packet),
            _ => self.receive(seat, packet),
        }
    }

    /// Puts `packet` into the inbox of a seat in this process.
    #[inline]
    pub(super) fn receive(&self, seat: usize, packet: Packet) {
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
    use crate::transport::packet::pool::Pool;
    use crate::transport::packet::{Delivery, Envelope, Fate, Load};

    fn packet(pool: &mut Pool, load: Load, token: u32) -> Packet {
        let room = if let Load::Carried(data) = &load { data.bytes() } else { 0 };
        let packet = pool.blank(room).or_else(|| {
            pool.grow(room);
            pool.blank(room)
        });
        let mut packet = packet.expect("the pool has just grown");
        let envelope = Envelope { context: 2, source: 0, tag: 7 };
        packet.address(
            envelope,
            Member { seat: 0, incarnation: 0 },
            Member { seat: 1, incarnation: 0 },
            token,
        );
        packet.load(load).expect("the tests' memory is there");
        packet
    }

    fn two_ports() -> (&'static Wire, Pool) {
        let wire = Wire::new(2, 2);
        (0..2).for_each(|seat| wire.open(Member { seat, incarnation: 0 }));
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
        wire.open(Member { seat: 1, incarnation: 1 });
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
