//! The inbox: a port per seat, where packets for it arrive and its own return.

use super::packet::Packet;
use crate::base::Member;
use crate::base::sync::fence;
use crate::base::sync::queue::{Batch, Queue};
use crate::host::sched::Bell;
use crate::transport::cooperative_copy::Invitation;
use crate::transport::ring::{Channel, Incoming, MOST, Outgoing};
use parking_lot::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

/// Where one seat is reached.
#[repr(C, align(64))]
pub struct Port {
    inbox: Queue<Packet>,
    bell: Bell,
    seat: u32,
    /// The life that sits here plus 1; 0 while nobody does.
    life: AtomicU32,
    /// How many channels have been made that lead here, in all lives.
    made: AtomicU32,
    /// To help with a copy of what this seat has sent.
    pub(super) invitation: Invitation,
    channels: Mutex<Channels>,
    returns: Returns,
}

/// The channels that lead to a seat.
#[derive(Default)]
struct Channels {
    /// How many there are in this life.
    open: usize,
    /// Those that the receiver has not found yet, with their numbers.
    fresh: Vec<(u32, Incoming)>,
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
            made: AtomicU32::new(0),
            invitation: Invitation::default(),
            channels: Mutex::default(),
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
        *self.channels.lock() = Channels::default();
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

    /// Changes when there are new channels that lead here.
    #[inline]
    pub fn made(&self) -> u32 {
        self.made.load(Ordering::Acquire)
    }

    /// The channels that nobody has asked for yet, out of those that had been made when
    /// [`Port::made`] was `made`. What their senders sent before was in the inbox by then.
    pub fn fresh_channels(&self, made: u32) -> Vec<Incoming> {
        let mut channels = self.channels.lock();
        let is_known = |(number, _): &(u32, Incoming)| made.wrapping_sub(*number) < u32::MAX / 2;
        let known = channels.fresh.iter().take_while(|fresh| is_known(fresh)).count();
        channels.fresh.drain(..known).map(|(_, incoming)| incoming).collect()
    }

    /// The channel of this sender, if nobody has asked for it yet.
    pub fn fresh_channel(&self, from: Member) -> Option<Incoming> {
        let mut channels = self.channels.lock();
        let place = channels.fresh.iter().position(|(_, fresh)| fresh.from() == from)?;
        Some(channels.fresh.remove(place).1)
    }

    /// Nothing comes any more through so many channels of this life.
    pub fn close_channels(&self, count: usize) {
        self.channels.lock().open -= count;
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

    /// Helps to copy what this seat has sent, if somebody invites to that.
    #[inline]
    pub fn helps(&self) -> bool {
        self.invitation.accept()
    }

    /// Whether [`Port::helps`] has anything to do.
    #[inline]
    pub fn is_invited(&self) -> bool {
        self.invitation.is_out()
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
    /// Whether two who meet often get a channel.
    has_channels: bool,
}

impl Wire {
    /// A wire for `seats` seats. It lives as long as the process, as packets point into it.
    ///
    /// With channels, whoever is about to sleep pays for a heavy fence, so that senders need none:
    /// that is for ranks that have a core each, and seldom sleep.
    pub fn new(seats: usize, wants_channels: bool) -> &'static Wire {
        let seats = u32::try_from(seats).expect("there are fewer than four billion seats");
        assert!(seats < 1 << 31, "a packet has 31 bits for its sender's seat");
        let has_channels = fence::arm() && wants_channels;
        Box::leak(Box::new(Wire { ports: (0..seats).map(Port::new).collect(), has_channels }))
    }

    /// Whether two who meet often get a channel.
    #[inline]
    pub fn has_channels(&self) -> bool {
        self.has_channels
    }

    /// A channel from one to another who lives, unless too many lead there already.
    pub fn connect(&'static self, from: Member, to: Member) -> Option<Outgoing> {
        let port = self.port(to.seat);
        let mut channels = port.channels.lock();
        if !self.has_channels || channels.open == MOST || !port.is_alive(to.incarnation) {
            return None;
        }
        let (outgoing, incoming) = Channel::open(from, to, port.bell());
        channels.open += 1;
        let number = port.made.load(Ordering::Relaxed).wrapping_add(1);
        channels.fresh.push((number, incoming));
        port.made.store(number, Ordering::Release);
        Some(outgoing)
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
        let wire = Wire::new(2, true);
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
