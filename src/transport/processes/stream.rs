//! What one process sends to another: frames of whole cache lines in a ring that both map.
//!
//! A frame is there once its first word has its length, which is stored last; so what a process
//! was writing when it died is not there. The reader clears the first word of each line that it has
//! read, and then tells how much it has consumed. Neither waits for the other, and neither believes
//! what it finds: the other may have written anything.

use super::segment::ReaderPage;
use crate::base::Member;
use crate::base::sync::cache::prefetch_to_write;
use crate::host::memory::afar::Mapping;
use crate::host::memory::{self, Fault, Span};
use crate::transport::Envelope;
use std::sync::atomic::{AtomicU32, Ordering};

/// A frame without its bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub(in crate::transport) struct Frame {
    pub(in crate::transport) kind: u32,
    pub(in crate::transport) envelope: Envelope,
    /// The sender's and the receiver's seat, and which lives of them.
    pub(in crate::transport) from: u32,
    pub(in crate::transport) sender: u32,
    pub(in crate::transport) to: u32,
    pub(in crate::transport) addressee: u32,
    /// For a message that waits with its sender: its place there.
    pub(in crate::transport) hold: u32,
    pub(in crate::transport) stamp: u32,
    /// The bytes of the message.
    pub(in crate::transport) bytes: u64,
    /// Where they are; or where memory was missing.
    pub(in crate::transport) address: u64,
}

impl Frame {
    /// A message without its bytes.
    #[inline]
    pub(super) fn of_message(envelope: Envelope, from: Member, to: Member, bytes: usize) -> Frame {
        Frame {
            kind: MESSAGE,
            envelope,
            from: from.seat as u32,
            sender: from.incarnation,
            to: to.seat as u32,
            addressee: to.incarnation,
            bytes: bytes as u64,
            ..Frame::default()
        }
    }
}

impl Frame {
    /// Whether it is from and to these lives.
    #[inline]
    pub(super) fn is_between(&self, from: Member, to: Member) -> bool {
        let ends = (self.from, self.sender, self.to, self.addressee);
        ends == (from.seat as u32, from.incarnation, to.seat as u32, to.incarnation)
    }
}

/// A short message that has come, in place.
#[derive(Clone, Copy)]
pub struct Short {
    pub envelope: Envelope,
    pub from: Member,
    pub to: Member,
    pub data: Span,
}

/// What a caller has made of a message: it goes to the inbox, or the caller has it and looks at
/// more, or has it and leaves the others where they are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    No,
    Yes,
    Enough,
}

/// Kinds of frames: what fills the end of a ring, a message, a message that stays with its sender,
/// word that this one needs to stay no longer, and a note to the process itself.
pub(super) const FILLER: u32 = 1;
pub(super) const MESSAGE: u32 = 2;
pub(super) const REFERENCE: u32 = 3;
pub(super) const RETURN: u32 = 4;
pub(super) const NOTE: u32 = 5;
/// Between hosts only: questions, whose context is their number, and answers.
pub(super) const ASK_TO_CLAIM: u32 = 6;
pub(super) const ASK_FOR_BYTES: u32 = 7;
pub(super) const ASK_TO_STORE: u32 = 8;
pub(super) const ASK_TO_CHANGE: u32 = 9;
pub(super) const ASK_TO_FORGET: u32 = 10;
pub(super) const ASK_IF_READ: u32 = 11;
pub(super) const ANSWER: u32 = 12;
/// Between hosts, too: whether the other one is there, and that it is.
pub(in crate::transport) const BEAT: u32 = 13;
pub(in crate::transport) const BEAT_BACK: u32 = 14;
/// A message whose bytes come along, though its sender waits for word that it has been taken, and
/// may recall it until then.
pub(super) const SYNCHRONOUS: u32 = 15;

const LINE: usize = 64;
const PAGE: usize = 4096;
/// A frame's length, and what else is known of it.
const START: usize = 8;
const HEADER: usize = START + size_of::<Frame>();
const _: () = assert!(HEADER == LINE, "bytes begin in a line of their own");

/// A message of a few bytes is in the line of its header, in place of the address.
const FEW: usize = size_of::<u64>();

fn length_of(bytes: usize) -> usize {
    if bytes <= FEW { LINE } else { HEADER + bytes.next_multiple_of(LINE) }
}

/// The longest message that is worth a frame of its own in a ring of this size.
pub(super) fn longest(ring: usize) -> usize {
    ring / 4 - HEADER
}

fn reader_page(region: &Mapping) -> &ReaderPage {
    // SAFETY: it is the first page of the region; it is made of atomics, and any bits are a value.
    unsafe { &*region.start().cast::<ReaderPage>() }
}

/// The sender's end.
pub(super) struct Writer {
    region: Mapping,
    ring: usize,
    at: usize,
    /// How much was written and, as far as is known, consumed; these wrap around.
    written: u32,
    consumed: u32,
}

impl Writer {
    pub(super) fn new(region: Mapping, ring: usize) -> Writer {
        Writer { region, ring, at: 0, written: 0, consumed: 0 }
    }

    /// Which life of the sender its receiver waits for.
    pub(super) fn awaited_life(&self) -> u32 {
        reader_page(&self.region).life.load(Ordering::Acquire)
    }

    /// How much was written so far; wraps around.
    pub(super) fn written(&self) -> u32 {
        self.written
    }

    fn word(&self, at: usize) -> &AtomicU32 {
        // SAFETY: `at` is a multiple of a line within the ring, behind the page of the reader.
        unsafe { &*self.region.start().add(PAGE + at).cast::<AtomicU32>() }
    }

    fn has_room_for(&mut self, length: usize) -> bool {
        let has_room = |it: &Writer| {
            let waiting = it.written.wrapping_sub(it.consumed) as usize;
            waiting <= it.ring && length <= it.ring - waiting
        };
        has_room(self) || {
            self.consumed = reader_page(&self.region).consumed.load(Ordering::Acquire);
            has_room(self)
        }
    }

    /// Writes a frame with these bytes of the library's own memory; false if there is no room.
    pub(super) fn write(&mut self, frame: &Frame, bytes: &[u8]) -> bool {
        let copy = |room: Span| memory::copy(Span::of(bytes), room);
        self.send(frame, bytes.len(), copy).expect("both places are memory of the library's own")
    }

    /// Writes a frame with so many bytes, which `fill` puts there; false if there is no room. A
    /// fault is that of `fill`: then the frame is not there.
    #[inline]
    pub(super) fn send(
        &mut self, frame: &Frame, bytes: usize, fill: impl FnOnce(Span) -> Result<(), Fault>,
    ) -> Result<bool, Fault> {
        let length = length_of(bytes);
        let rest = self.ring - self.at;
        let filler = if length > rest { rest } else { 0 };
        if !self.has_room_for(filler + length) {
            return Ok(false);
        }
        if filler > 0 {
            self.put(&Frame { kind: FILLER, ..Frame::default() });
            self.publish(filler);
        }
        self.put(frame);
        let filled = fill(self.room_for(bytes));
        if filled.is_err() {
            // What comes here next may be shorter, and ends where there is nothing yet.
            let lines = (self.at..self.at + length).step_by(LINE);
            lines.for_each(|line| self.word(line).store(0, Ordering::Relaxed));
        }
        filled?;
        self.publish(length);
        Ok(true)
    }

    #[inline]
    fn put(&mut self, frame: &Frame) {
        // SAFETY: there is room for the whole frame, and the reader does not look at it before its
        // length is there.
        unsafe { self.region.start().add(PAGE + self.at + START).cast::<Frame>().write(*frame) }
    }

    /// Where the bytes of the next frame go.
    #[inline]
    fn room_for(&self, bytes: usize) -> Span {
        let offset = if bytes <= FEW { LINE - FEW } else { HEADER };
        Span::new(self.region.start().wrapping_add(PAGE + self.at + offset).cast(), bytes)
    }

    #[inline]
    fn publish(&mut self, length: usize) {
        self.word(self.at).store(length as u32, Ordering::Release);
        self.at = (self.at + length) % self.ring;
        self.written = self.written.wrapping_add(length as u32);
        prefetch_to_write(self.word(self.at));
    }
}

/// The other process has written what no process of this library writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Broken;

/// The receiver's end.
pub(super) struct Reader {
    region: Mapping,
    ring: usize,
    at: usize,
    consumed: u32,
}

impl Reader {
    pub(super) fn new(region: Mapping, ring: usize) -> Reader {
        Reader { region, ring, at: 0, consumed: 0 }
    }

    fn word(&self, at: usize) -> &AtomicU32 {
        // SAFETY: `at` is a multiple of a line within the ring, behind the reader's page.
        unsafe { &*self.region.start().add(PAGE + at).cast::<AtomicU32>() }
    }

    /// How much was read so far; wraps around.
    pub(super) fn consumed(&self) -> u32 {
        self.consumed
    }

    /// Whether a frame is there.
    #[inline]
    pub(super) fn has_frame(&self) -> bool {
        self.word(self.at).load(Ordering::Relaxed) != 0
    }

    /// The next frame, and its bytes, if it is there. It stays until it is [passed](Self::pass).
    pub(super) fn next(&self) -> Result<Option<(Frame, &[u8])>, Broken> {
        let length = self.word(self.at).load(Ordering::Acquire) as usize;
        if length == 0 {
            return Ok(None);
        }
        if !length.is_multiple_of(LINE) || length > self.ring - self.at {
            return Err(Broken);
        }
        // SAFETY: the frame lies within the ring; its fields are numbers, of any value.
        let (frame, start) = unsafe {
            let start = self.region.start().add(PAGE + self.at);
            (start.add(START).cast::<Frame>().read_volatile(), start)
        };
        if !matches!(frame.kind, MESSAGE | NOTE | SYNCHRONOUS) {
            return Ok(Some((frame, &[])));
        }
        let bytes = usize::try_from(frame.bytes).map_err(|_| Broken)?;
        if bytes > self.ring || length_of(bytes) != length {
            return Err(Broken);
        }
        let offset = if bytes <= FEW { LINE - FEW } else { HEADER };
        // SAFETY: they lie within the frame. A sender that writes there again has gone mad: then
        // its own message is spoilt, as these bytes are only copied.
        let bytes = unsafe { std::slice::from_raw_parts(start.add(offset), bytes) };
        Ok(Some((frame, bytes)))
    }

    /// Whether the next frame is a note.
    pub(super) fn has_note(&self) -> bool {
        matches!(self.next(), Ok(Some((frame, _))) if frame.kind == NOTE)
    }

    /// Lets the sender write again where the next frame is.
    pub(super) fn pass(&mut self) {
        let length = self.word(self.at).load(Ordering::Relaxed) as usize;
        let length = length.clamp(LINE, self.ring - self.at);
        let lines = (self.at..self.at + length).step_by(LINE);
        lines.for_each(|line| self.word(line).store(0, Ordering::Relaxed));
        self.at = (self.at + length) % self.ring;
        self.consumed = self.consumed.wrapping_add(length as u32);
        reader_page(&self.region).consumed.store(self.consumed, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::super::segment::{Geometry, Segment};
    use super::*;

    fn pair() -> (Writer, Reader, usize) {
        let geometry = Geometry::of(300);
        let segment = Segment::new(geometry).expect("the kernel has memory");
        let [one, other] = [0, 0].map(|_| segment.region_of(299).expect("it can be mapped"));
        (Writer::new(one, geometry.ring), Reader::new(other, geometry.ring), geometry.ring)
    }

    fn message(number: usize, ring: usize) -> (Frame, Vec<u8>) {
        let sizes = [0, 1, 8, 9, 63, 64, 65, 1000, longest(ring)];
        let bytes = vec![number as u8; sizes[number % sizes.len()]];
        let envelope = Envelope { context: 3, source: 1, tag: number as i32 };
        let frame =
            Frame { kind: MESSAGE, envelope, bytes: bytes.len() as u64, ..Frame::default() };
        (frame, bytes)
    }

    #[test]
    fn frames_arrive_whole_and_in_order_however_full_the_ring_is() {
        let (mut writer, mut reader, ring) = pair();
        let (mut sent, mut taken) = (0, 0);
        for round in 0..3000 {
            let is_filled = round % 3 != 2;
            let mut write = || {
                let (frame, bytes) = message(sent, ring);
                let is_written = writer.write(&frame, &bytes);
                sent += usize::from(is_written);
                is_written
            };
            while is_filled && write() {}
            for _ in 0..round % 50 {
                let Some((frame, bytes)) = reader.next().expect("it is whole") else { break };
                if frame.kind != FILLER {
                    let (expected, data) = message(taken, ring);
                    assert_eq!((frame.envelope, bytes), (expected.envelope, &data[..]));
                    taken += 1;
                }
                reader.pass();
            }
        }
        assert!(taken > 10_000, "{taken}");
    }

    #[test]
    fn a_message_whose_memory_is_not_there_leaves_no_trace() {
        let (mut writer, mut reader, ring) = pair();
        for round in 0..200 {
            let long = 1000 + round;
            let frame = Frame { kind: MESSAGE, bytes: long as u64, ..Frame::default() };
            let sent = writer.send(&frame, long, |room| {
                memory::copy(Span::of(&vec![255; long - 1]), room.part(0, long - 1))?;
                Err(Fault { address: 5, in_source: true })
            });
            let next = reader.next().expect("it is whole");
            assert!(sent.is_err() && next.is_none_or(|(frame, _)| frame.kind == FILLER));
            // A line, and then what lies behind it.
            for number in [round, round + 1] {
                let (frame, bytes) = message(number, ring);
                assert!(writer.write(&frame, &bytes));
            }
            let mut taken = round;
            while let Some((frame, bytes)) = reader.next().expect("it is whole") {
                if frame.kind != FILLER {
                    let (expected, data) = message(taken, ring);
                    assert_eq!((frame.envelope, bytes), (expected.envelope, &data[..]));
                    taken += 1;
                }
                reader.pass();
            }
            assert_eq!(taken, round + 2);
        }
    }

    #[test]
    fn what_is_not_a_frame_is_noticed() {
        for (word, bytes) in [(1, 0), (64 + 32, 0), (1 << 30, 0), (64, 9), (128, 8), (128, 900)] {
            let (mut writer, reader, _) = pair();
            let frame = Frame { kind: MESSAGE, bytes, ..Frame::default() };
            assert!(writer.write(&frame, &[]));
            writer.word(0).store(word, Ordering::Relaxed);
            assert_eq!(reader.next(), Err(Broken), "{word} {bytes}");
        }
    }

    #[test]
    fn a_reader_that_claims_too_much_stops_the_writer() {
        let (mut writer, reader, _) = pair();
        reader_page(&reader.region).consumed.store(1 << 20, Ordering::Relaxed);
        let (frame, bytes) = message(7, 16 << 10);
        let written = (0..1000).filter(|_| writer.write(&frame, &bytes)).count();
        assert!(written < 17, "{written}");
    }
}
