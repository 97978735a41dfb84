//! A ring: carries one sender's messages to one receiver, once the two have communicated a few
//! times.
//!
//! Short messages are in the ring itself, one cache line each. Longer ones are in memory beside it
//! (see `payloads`) or, beyond some KB, in packets, and the ring tells where. When the ring is
//! full, packets take the receiver's inbox, and nothing goes through the ring until the receiver
//! has taken all of them: before it takes a packet that bypassed the ring, it takes what is left in
//! the ring, and messages stay in order.
//!
//! Rings are never freed but reused: any thread may look whether one holds a message.

use super::packet::{Envelope, Packet};
use super::payloads::{LONGEST, Payloads, Taking, own_lines};
use crate::base::Member;
use crate::base::sync::atomic::{AtomicPtr, AtomicU32, Ordering};
use crate::base::sync::cache::comes_soon;
use crate::base::sync::fence;
use crate::base::sync::queue::Linked;
#[cfg(test)]
use crate::base::sync::ring::SLOTS;
use crate::base::sync::ring::{Ring, Room};
use crate::host::memory::{self, Fault, Region, Span};
use crate::host::sched::{self, Bell};
use parking_lot::Mutex;
use std::ptr::{self, NonNull};
use std::sync::atomic::AtomicU64;

/// How many rings may lead to one receiver, and how many may lead away from it.
pub const MOST: usize = 8;

/// The longest message that is in a line of the ring.
const ROOM: usize = 40;

/// Says that there is a packet in place of bytes.
const PACKET: u32 = u32::MAX;

/// The pieces of a message that the receiver can take while the others are copied: two at least.
const LEAST_PIECE: usize = 1 << 10;
const MOST_PIECE: usize = 2 << 10;

/// How often the receiver looks for the next piece before it looks at other things.
const LOOKS: u32 = 1000;

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
    payloads: Payloads,
    marks: [Mark; MARKS],
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
            let (lines, payloads) = (Ring::default(), Payloads::default());
            let marks = Default::default();
            Box::leak(Box::new(SharedRing { lines, payloads, marks, absorbed, holders }))
        });
        // SAFETY: the ring is unused.
        unsafe { ring.payloads.reset() };
        ring.marks.iter().for_each(|mark| mark.0.store(0, Ordering::Relaxed));
        ring.absorbed.store(0, Ordering::Relaxed);
        ring.holders.store(2, Ordering::Relaxed);
        (
            Outgoing { ring, to, bell, detoured: 0, next_mark: 1 },
            Incoming { ring, from, taking: Taking::default() },
        )
    }

    fn mark(&self, number: u32) -> &AtomicU32 {
        &self.marks[number as usize % MARKS].0
    }

    /// Whether the piece with this mark comes within so many looks. If not, the sender may need
    /// this very core.
    fn piece_comes(&self, mark: u32) -> bool {
        // Later pieces may have overwritten it.
        let is_there = || {
            let marked = self.mark(mark).load(Ordering::Acquire);
            marked.wrapping_sub(mark) < u32::MAX / 2
        };
        let has_come = comes_soon(LOOKS, is_there);
        if !has_come {
            sched::yield_now();
        }
        has_come
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

/// How long the pieces are in which so many bytes are copied.
#[inline]
fn piece_of(bytes: usize) -> usize {
    (bytes / 2).clamp(LEAST_PIECE, MOST_PIECE) & !(LEAST_PIECE - 1)
}

/// A mark tells that a piece is there. The marks are used in turn, and each has a line of its own:
/// a receiver that polls the line of the next mark does not disturb the sender's other stores.
#[repr(align(64))]
#[derive(Default)]
struct Mark(AtomicU32);

/// How many there are.
const MARKS: usize = 16;

/// What a line has of a message beside the ring.
#[derive(Clone, Copy)]
#[repr(C)]
struct Beside {
    address: u64,
    /// How long its pieces are.
    piece: u32,
    /// The number of the mark of its second piece.
    mark: u32,
    /// Not 0 if the sender's memory has turned out not to be there. An atomic for the sender from
    /// the moment when the line is sent.
    is_broken: u64,
}

const _: () = assert!(size_of::<Beside>() <= ROOM && align_of::<Beside>() == 8);

/// Whether the sender has given up this message.
///
/// # Safety
/// There is a message beside the ring in this line, which lives as long as the reference.
unsafe fn is_broken<'a>(slip: *mut Slip) -> &'a AtomicU64 {
    // SAFETY: the caller's promise.
    unsafe { AtomicU64::from_ptr(&raw mut (*beside(slip)).is_broken) }
}

/// How long the pieces of the message beside the ring are, and the number of the second one's mark.
///
/// # Safety
/// There is a message beside the ring in this line.
unsafe fn pieces_in(slip: NonNull<Slip>) -> (usize, u32) {
    // SAFETY: the caller's promise, and nobody writes these words before the line is passed.
    unsafe {
        let message = beside(slip.as_ptr());
        ((*message).piece as usize, (*message).mark)
    }
}

/// Where a line has a message beside the ring.
///
/// # Safety
/// It is a line of a ring.
#[inline(always)]
unsafe fn beside(slip: *mut Slip) -> *mut Beside {
    // SAFETY: the caller's promise.
    unsafe { (&raw mut (*slip).payload).cast() }
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
    /// The number of the next mark.
    next_mark: u32,
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
        if bytes > ROOM {
            let piece = piece_of(bytes);
            return self.send_long(&{ envelope }, bytes, piece, |start, room| {
                memory::copy(data.part(start, room.bytes()), room)
            });
        }
        if !self.is_clear() {
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
        if bytes > ROOM {
            return self.send_long(&envelope, bytes, bytes, |_, room| {
                memory::transfer(data, &room.into())
            });
        }
        if !self.is_clear() {
            return Ok(false);
        }
        // SAFETY: the holder of the ring's only sending end is one.
        let Some(room) = (unsafe { self.ring.lines.room() }) else { return Ok(false) };
        memory::transfer(data, &room_for(&room, envelope, bytes).into())?;
        // SAFETY: there was room, and it is filled.
        unsafe { self.ring.lines.send(room) };
        Ok(true)
    }

    /// Sends a message beside the ring, piece by piece: `copy` makes the copy of the piece that
    /// starts at this offset. The receiver can take the first piece while the others are copied.
    #[inline(never)]
    fn send_long(
        &mut self, envelope: &Envelope, bytes: usize, piece: usize,
        copy: impl Fn(usize, Span) -> Result<(), Fault>,
    ) -> Result<bool, Fault> {
        if bytes > LONGEST || !self.is_clear() {
            return Ok(false);
        }
        // SAFETY: the holder of the ring's only sending end is one.
        let Some(line) = (unsafe { self.ring.lines.room() }) else { return Ok(false) };
        // SAFETY: the same.
        let Some(room) = (unsafe { self.ring.payloads.room(bytes) }) else { return Ok(false) };
        copy(0, room.part(0, piece))?;
        let (slip, mark) = (line.at, self.next_mark);
        let (address, piece_bytes) = (room.address() as u64, piece as u32);
        let message = Beside { address, piece: piece_bytes, mark, is_broken: 0 };
        // SAFETY: the line is the sender's until it is sent, and there was room.
        unsafe {
            (&raw mut (*slip).envelope).write(*envelope);
            (&raw mut (*slip).bytes).write(bytes as u32);
            beside(slip).write(message);
            self.ring.lines.send(line);
            self.ring.payloads.sent(bytes);
        }
        let mut outcome = Ok(true);
        for start in (piece..bytes).step_by(piece) {
            if outcome.is_ok()
                && let Err(fault) = copy(start, room.part(start, piece))
            {
                // SAFETY: the message is there, and rings are never freed.
                unsafe { is_broken(slip) }.store(1, Ordering::Relaxed);
                outcome = Err(fault);
            }
            // A broken message has all of its marks, too: the receiver passes it over.
            let mark = self.next_mark;
            self.next_mark = mark.wrapping_add(1);
            self.ring.mark(mark).store(mark, Ordering::Release);
        }
        outcome
    }

    /// Sends a message, but dies when one piece of it is on its way.
    #[cfg(test)]
    pub fn send_half(&mut self, envelope: Envelope, data: Span) {
        let sent = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            self.send_long(&envelope, data.bytes(), piece_of(data.bytes()), |start, room| {
                match start {
                    0 => memory::copy(data.part(0, room.bytes()), room),
                    _ => std::panic::resume_unwind(Box::new(())),
                }
            })
        }));
        assert!(sent.is_err(), "the message has more than one piece");
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
    taking: Taking,
}

/// What comes next in a ring.
pub enum Arrival {
    /// A message that stays where it is until [`Incoming::pass`].
    Message {
        envelope: Envelope,
        data: Span,
    },
    Packet(Packet),
}

/// What a caller that only looks sees.
pub enum Glance {
    Nothing,
    Message { envelope: Envelope, data: Span },
    Other,
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

    /// What comes next. A packet is taken out at once; a message of which only a part is there will
    /// come.
    #[inline]
    pub fn arrival(&mut self) -> Option<Arrival> {
        loop {
            // SAFETY: the holder of the ring's only receiving end is one.
            let slip = unsafe { self.ring.lines.next() }?;
            if let Some(packet) = packet_in(slip) {
                // SAFETY: the same, and there is one.
                unsafe { self.ring.lines.pass() };
                return Some(Arrival::Packet(packet));
            }
            let (envelope, data) = self.message(slip);
            match data.bytes() > LEAST_PIECE && !self.is_whole(slip, data.bytes())? {
                false => return Some(Arrival::Message { envelope, data }),
                // SAFETY: as above.
                true => unsafe { self.ring.lines.pass() },
            }
        }
    }

    /// Whether all of a message in pieces is there; `None`: not yet.
    fn is_whole(&self, slip: NonNull<Slip>, bytes: usize) -> Option<bool> {
        // SAFETY: the line is filled, and the taker's until it passes on.
        let (piece, mark) = unsafe { pieces_in(slip) };
        let others = bytes.div_ceil(piece) as u32 - 1;
        if others > 0 && !self.ring.piece_comes(mark.wrapping_add(others - 1)) {
            return None;
        }
        // SAFETY: as above.
        Some(unsafe { is_broken(slip.as_ptr()) }.load(Ordering::Relaxed) == 0)
    }

    /// Whether there is anything.
    #[inline(always)]
    pub fn has_next(&self) -> bool {
        self.ring.lines.has_next()
    }

    /// What comes next, which stays there.
    #[inline(always)]
    pub fn glance(&mut self) -> Glance {
        // SAFETY: the holder of the ring's only receiving end is one.
        let Some(slip) = (unsafe { self.ring.lines.next() }) else { return Glance::Nothing };
        // SAFETY: the place is filled, and the taker's until it passes on.
        if unsafe { (*slip.as_ptr()).bytes } == PACKET {
            return Glance::Other;
        }
        let (envelope, data) = self.message(slip);
        Glance::Message { envelope, data }
    }

    /// The message of this line, which is no packet.
    #[inline(always)]
    fn message(&mut self, slip: NonNull<Slip>) -> (Envelope, Span) {
        // SAFETY: the line is filled, and the taker's until it passes on.
        let (envelope, bytes) = unsafe { ((*slip.as_ptr()).envelope, (*slip.as_ptr()).bytes) };
        // SAFETY: the same.
        let payload = unsafe { &raw const (*slip.as_ptr()).payload };
        let bytes = bytes as usize;
        if bytes <= ROOM {
            return (envelope, Span::new(payload.cast(), bytes));
        }
        // SAFETY: the same.
        let address = unsafe { (*beside(slip.as_ptr())).address } as usize;
        // SAFETY: the holder of the ring's only receiving end is one, and so is its `taking`.
        unsafe { self.taking.take(&self.ring.payloads, address, bytes) };
        (envelope, Span::new(ptr::with_exposed_provenance(address), bytes))
    }

    /// Copies the message that came last, `data`, to the beginning of `into`, and passes on; false:
    /// not all of it is there, and it stays.
    #[inline(always)]
    pub fn take(&mut self, data: Span, into: Span) -> Result<bool, Fault> {
        if data.bytes() <= ROOM {
            memory::copy_few(data, into)?;
        } else if !self.take_long(data, into)? {
            return Ok(false);
        }
        // SAFETY: `message` has found it, and its caller is the only receiver.
        unsafe { self.ring.lines.pass() };
        Ok(true)
    }

    /// Copies a message from beside the ring, as its pieces come.
    #[inline(never)]
    fn take_long(&mut self, data: Span, into: Span) -> Result<bool, Fault> {
        // SAFETY: the holder of the ring's only receiving end is one.
        let Some(slip) = (unsafe { self.ring.lines.next() }) else { return Ok(false) };
        // SAFETY: it is the message that came last, and there until it is passed.
        let (piece, mut mark) = unsafe { pieces_in(slip) };
        for start in (0..data.bytes()).step_by(piece) {
            if start > 0 {
                if !self.ring.piece_comes(mark) {
                    return Ok(false);
                }
                mark = mark.wrapping_add(1);
            }
            let piece = data.part(start, piece);
            memory::copy(piece, into.part(start, piece.bytes()))?;
            // SAFETY: the sender has written all of the piece.
            unsafe { own_lines(piece) };
        }
        // SAFETY: as above.
        Ok(unsafe { is_broken(slip.as_ptr()) }.load(Ordering::Relaxed) == 0)
    }

    /// The message that came last, `data`, was read.
    #[inline(always)]
    pub fn pass(&mut self, data: Span) {
        // SAFETY: `message` has found it, and its caller is the only receiver.
        unsafe {
            if data.bytes() > ROOM {
                own_lines(data);
            }
            self.ring.lines.pass();
        }
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
