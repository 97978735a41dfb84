//! A ring: carries one sender's messages to one receiver, once the two have communicated a few
//! times.
//!
//! Short messages are in the ring itself, one cache line each; others are packets, and the ring
//! holds references. When the ring is full, packets take the receiver's inbox, and nothing goes
//! through the ring until the receiver has taken all of them: before it takes a packet that
//! bypassed the ring, it takes what is left in the ring, and messages stay in order.
//!
//! Rings are never freed but reused: any thread may look whether one holds a message.

use super::packet::{Envelope, Packet};
use crate::base::Member;
use crate::base::sync::atomic::{AtomicPtr, AtomicU32, Ordering};
use crate::base::sync::fence;
use crate::base::sync::queue::Linked;
#[cfg(test)]
use crate::base::sync::ring::SLOTS;
use crate::base::sync::ring::{Ring, Room};
use crate::host::memory::{self, Fault, Region, Span};
use crate::host::sched::Bell;
use parking_lot::Mutex;
use std::ptr::{self, NonNull};

/// How many rings may lead to one receiver, and how many may lead away from it.
pub const MOST: usize = 8;

/// The longest message that lies in the ring.
pub const ROOM: usize = 40;

/// Says that there is a packet in place of bytes.
const PACKET: u32 = u32::MAX;

/// A message in the ring. With the ring's own word it is one cache line.
#[repr(C)]
struct Slip {
    envelope: Envelope,
    bytes: u32,
    payload: [u64; ROOM / 8],
}

const _: () = assert!(size_of::<Slip>() == 56 && align_of::<Slip>() == 8);

pub(super) struct SharedRing {
    lines: Ring<Slip>,
    /// How many packets the receiver has taken that went round by the inbox.
    absorbed: AtomicU32,
    /// How many sides hold on to it.
    holders: AtomicU32,
}

static UNUSED: Mutex<Vec<&'static SharedRing>> = Mutex::new(Vec::new());

impl SharedRing {
    /// An unused ring, for two ranks.
    pub(super) fn open(from: Member, to: Member, bell: &'static Bell) -> (Outgoing, Incoming) {
        let ring = UNUSED.lock().pop().unwrap_or_else(|| {
            let (absorbed, holders) = (AtomicU32::new(0), AtomicU32::new(0));
            Box::leak(Box::new(SharedRing { lines: Ring::default(), absorbed, holders }))
        });
        ring.absorbed.store(0, Ordering::Relaxed);
        ring.holders.store(2, Ordering::Relaxed);
        (Outgoing { ring, to, bell, detoured: 0 }, Incoming { ring, from })
    }

    fn let_go(&'static self) {
        if self.holders.fetch_sub(1, Ordering::AcqRel) == 1 {
            // Neither side is there any more: what lies in it goes home.
            drain(self);
            UNUSED.lock().push(self);
        }
    }
}

/// Sends home what lies in a ring, for its only receiver.
fn drain(ring: &SharedRing) {
    // SAFETY: the caller is the only receiver.
    while let Some(slip) = unsafe { ring.lines.next() } {
        drop(packet_in(slip));
        // SAFETY: as above.
        unsafe { ring.lines.pass() };
    }
}

/// The packet in a place of the ring, if there is one; it is taken out.
#[inline]
fn packet_in(slip: NonNull<Slip>) -> Option<Packet> {
    // SAFETY: the place is filled, and the taker's until it passes on.
    if unsafe { (*slip.as_ptr()).bytes } != PACKET {
        return None;
    }
    // SAFETY: the same.
    let node = unsafe { (*slip.as_ptr()).payload[0] };
    let node = std::ptr::with_exposed_provenance_mut(node as usize);
    let node = NonNull::new(node).expect("the sender has put a packet there");
    // SAFETY: the sender gave the packet up when it put it there, and the taker passes on.
    Some(unsafe { Packet::from_raw(node) })
}

/// Where the next message goes, with this envelope and length.
#[inline(always)]
fn room_for(room: &Room<Slip>, envelope: Envelope, bytes: usize) -> Span {
    let slip = room.at;
    // SAFETY: the place is the sender's until it is sent.
    let payload = unsafe {
        (&raw mut (*slip).envelope).write(envelope);
        (&raw mut (*slip).bytes).write(bytes as u32);
        &raw mut (*slip).payload
    };
    Span::new(payload.cast(), bytes)
}

/// The sender's end.
pub struct Outgoing {
    ring: &'static SharedRing,
    to: Member,
    /// What the receiver sleeps on.
    bell: &'static Bell,
    /// How many packets have gone round by the inbox.
    detoured: u32,
}

impl Outgoing {
    /// Whom it leads to.
    #[inline]
    pub fn to(&self) -> Member {
        self.to
    }

    /// How its receiver hears of what lies in it.
    #[inline(always)]
    pub fn call(&self) -> Call {
        Call(self.bell)
    }

    /// Whether the ring can be used: nothing is on its way through the inbox.
    #[inline(always)]
    fn is_clear(&self) -> bool {
        self.detoured == 0 || self.ring.absorbed.load(Ordering::Acquire) == self.detoured
    }

    /// A message is likely to be sent very soon.
    #[inline(always)]
    pub fn anticipate(&mut self) {
        // SAFETY: the holder of the ring's only sending end is one.
        unsafe { self.ring.lines.anticipate() }
    }

    /// Sends a short message; false if that has to go as a packet. A fault is the caller's memory.
    #[inline]
    pub fn send(&mut self, envelope: Envelope, data: &Region) -> Result<bool, Fault> {
        match data.span() {
            Some(data) => self.send_span(envelope, data),
            None => self.send_pieces(envelope, data),
        }
    }

    /// Sends contiguous data.
    #[inline(always)]
    pub fn send_span(&mut self, envelope: Envelope, data: Span) -> Result<bool, Fault> {
        let bytes = data.bytes();
        if bytes > ROOM || !self.is_clear() {
            return Ok(false);
        }
        // SAFETY: the holder of the ring's only sending end is one.
        let Some(room) = (unsafe { self.ring.lines.room() }) else { return Ok(false) };
        memory::copy_few(data, room_for(&room, envelope, bytes))?;
        // SAFETY: there was room, and it is filled.
        unsafe { self.ring.lines.send(room) };
        Ok(true)
    }

    /// Sends data in pieces.
    #[inline(never)]
    fn send_pieces(&mut self, envelope: Envelope, data: &Region) -> Result<bool, Fault> {
        let bytes = data.bytes();
        if bytes > ROOM || !self.is_clear() {
            return Ok(false);
        }
        // SAFETY: the holder of the ring's only sending end is one.
        let Some(room) = (unsafe { self.ring.lines.room() }) else { return Ok(false) };
        memory::transfer(data, &room_for(&room, envelope, bytes).into())?;
        // SAFETY: there was room, and it is filled.
        unsafe { self.ring.lines.send(room) };
        Ok(true)
    }

    /// Sends a packet; gives it back, marked as one that goes round, if there is no room.
    pub fn pass(&mut self, packet: Packet) -> Option<Packet> {
        let room = match self.is_clear() {
            // SAFETY: the holder of the ring's only sending end is one.
            true => unsafe { self.ring.lines.room() },
            false => None,
        };
        if let Some(room) = room {
            let slip = room.at;
            let node = packet.into_raw().as_ptr().expose_provenance();
            // SAFETY: the place is the sender's until it is sent, and there was room.
            unsafe {
                (&raw mut (*slip).bytes).write(PACKET);
                (&raw mut (*slip).payload[0]).write(node as u64);
                self.ring.lines.send(room);
            }
            return None;
        }
        self.detoured = self.detoured.wrapping_add(1).max(1);
        Some(packet.on_a_detour())
    }
}

impl Drop for Outgoing {
    fn drop(&mut self) {
        self.ring.let_go();
    }
}

/// How a receiver hears that something lies in a ring.
#[derive(Clone, Copy)]
pub struct Call(&'static Bell);

impl Call {
    /// Something lies there now. Where there are rings, light fences are light.
    #[inline(always)]
    pub fn announce(self) {
        fence::feather();
        self.0.unpark_unfenced();
    }
}

/// The receiver's end.
pub struct Incoming {
    ring: &'static SharedRing,
    from: Member,
}

/// What lies next in a ring.
pub enum Arrival {
    /// A message of one line, which lies there until [`Incoming::pass`].
    Short {
        envelope: Envelope,
        data: Span,
    },
    Packet(Packet),
}

/// What a caller that only looks sees.
pub enum Glance {
    Nothing,
    Short { envelope: Envelope, data: Span },
    Packet,
}

impl Incoming {
    /// How many messages there may be at a time.
    #[cfg(test)]
    pub const SLOTS: usize = SLOTS;

    /// The sender.
    #[inline]
    pub fn from(&self) -> Member {
        self.from
    }

    /// What comes next. A packet is taken out at once.
    #[inline]
    pub fn arrival(&mut self) -> Option<Arrival> {
        // SAFETY: the holder of the ring's only receiving end is one.
        let slip = unsafe { self.ring.lines.next() }?;
        if let Some(packet) = packet_in(slip) {
            self.pass();
            return Some(Arrival::Packet(packet));
        }
        // SAFETY: the place is filled, and the taker's until it passes on.
        let (envelope, bytes) = unsafe { ((*slip.as_ptr()).envelope, (*slip.as_ptr()).bytes) };
        // SAFETY: the same.
        let payload = unsafe { &raw const (*slip.as_ptr()).payload };
        Some(Arrival::Short { envelope, data: Span::new(payload.cast(), bytes as usize) })
    }

    /// Whether there is anything.
    #[inline(always)]
    pub fn has_next(&self) -> bool {
        self.ring.lines.has_next()
    }

    /// What comes next, which stays there.
    #[inline(always)]
    pub fn glance(&self) -> Glance {
        // SAFETY: the holder of the ring's only receiving end is one.
        let Some(slip) = (unsafe { self.ring.lines.next() }) else { return Glance::Nothing };
        // SAFETY: the place is filled, and the taker's until it passes on.
        let bytes = unsafe { (*slip.as_ptr()).bytes };
        if bytes as usize > ROOM {
            return Glance::Packet;
        }
        // SAFETY: the same.
        let envelope = unsafe { (*slip.as_ptr()).envelope };
        // SAFETY: the same.
        let payload = unsafe { &raw const (*slip.as_ptr()).payload };
        Glance::Short { envelope, data: Span::new(payload.cast(), bytes as usize) }
    }

    /// The message that came last was read.
    #[inline(always)]
    pub fn pass(&mut self) {
        // SAFETY: `arrival` has found one, and its caller is the only receiver.
        unsafe { self.ring.lines.pass() }
    }

    /// A packet that went round has been taken.
    pub fn absorb(&mut self) {
        let absorbed = self.ring.absorbed.load(Ordering::Relaxed);
        self.ring.absorbed.store(absorbed.wrapping_add(1).max(1), Ordering::Release);
    }
}

impl Drop for Incoming {
    /// What was not taken goes home.
    fn drop(&mut self) {
        drain(self.ring);
        self.ring.let_go();
    }
}

/// The rings that lead to a rank, for its threads that wait: they look without a lock.
#[derive(Default)]
pub struct WatchedRings {
    rings: [AtomicPtr<SharedRing>; MOST],
    count: AtomicU32,
}

impl WatchedRings {
    /// From now on, it watches these.
    pub fn watch(&self, incoming: &[Incoming]) {
        for (place, incoming) in self.rings.iter().zip(incoming) {
            place.store(ptr::from_ref(incoming.ring).cast_mut(), Ordering::Relaxed);
        }
        self.count.store(incoming.len() as u32, Ordering::Release);
    }

    /// Whether something lies in one of them; a hint, but surely true when something does.
    #[inline]
    pub fn have_messages(&self) -> bool {
        let count = self.count.load(Ordering::Acquire) as usize;
        self.rings[..count.min(MOST)].iter().any(|place| {
            // SAFETY: the first `count` places have been set to rings, which are never freed.
            unsafe { &*place.load(Ordering::Relaxed) }.lines.has_next()
        })
    }
}
