//! A frame as it travels between hosts: its numbers, one after the other, before the bytes.

use crate::transport::Envelope;
use crate::transport::processes::stream::Frame;

/// What every frame begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    /// Only processes of the job know it.
    pub(super) key: u64,
    /// The frames from one life of a process to another are numbered.
    pub(super) number: u64,
    /// The process that has sent it, in its life of this number, and the one that it is for.
    pub(super) from: u32,
    pub(super) life: u32,
    pub(super) to: u32,
}

const LENGTH: usize = 4 * size_of::<u64>() + 13 * size_of::<u32>();

/// The numbers of a frame, after which its bytes come.
pub(super) fn head(stamp: Stamp, frame: &Frame) -> [u8; LENGTH] {
    let Frame {
        kind,
        envelope,
        from,
        sender,
        to,
        addressee,
        hold,
        stamp: mark,
        bytes: long,
        address,
    } = *frame;
    let Envelope { context, source, tag } = envelope;
    let (mut head, mut at) = ([0; LENGTH], 0);
    let mut write = |bytes: &[u8]| {
        head[at..][..bytes.len()].copy_from_slice(bytes);
        at += bytes.len();
    };
    for number in [stamp.key, stamp.number, long, address] {
        write(&number.to_le_bytes());
    }
    let (source, tag) = (source as u32, tag as u32);
    let of_processes = [stamp.from, stamp.life, stamp.to];
    let of_ranks = [kind, context, source, tag, from, sender, to, addressee, hold, mark];
    for number in of_processes.into_iter().chain(of_ranks) {
        write(&number.to_le_bytes());
    }
    head
}

/// A frame as it travels.
pub(super) fn pack(stamp: Stamp, frame: &Frame, bytes: &[u8]) -> Vec<u8> {
    [&head(stamp, frame), bytes].concat()
}

/// `None`: no process of this library has sent it.
pub(super) fn unpack(packed: &[u8]) -> Option<(Stamp, Frame)> {
    let (numbers, _) = packed.split_at_checked(LENGTH)?;
    let (long, short) = numbers.split_at(4 * size_of::<u64>());
    let mut long = long
        .chunks_exact(8)
        .map(|eight| eight.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)));
    let mut short = short
        .chunks_exact(4)
        .map(|four| four.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte)));
    let (key, number) = (long.next()?, long.next()?);
    let (length, address) = (long.next()?, long.next()?);
    let (from, life, to) = (short.next()?, short.next()?, short.next()?);
    let stamp = Stamp { key, number, from, life, to };
    let kind = short.next()?;
    let (context, source, tag) = (short.next()?, short.next()? as i32, short.next()? as i32);
    let envelope = Envelope { context, source, tag };
    let (from, sender) = (short.next()?, short.next()?);
    let (to, addressee) = (short.next()?, short.next()?);
    let (hold, mark) = (short.next()?, short.next()?);
    let frame = Frame {
        kind,
        envelope,
        from,
        sender,
        to,
        addressee,
        hold,
        stamp: mark,
        bytes: length,
        address,
    };
    Some((stamp, frame))
}

/// The bytes after the numbers of a frame that was unpacked.
pub(super) fn bytes_of(packed: &[u8]) -> &[u8] {
    &packed[LENGTH..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_arrive_as_they_were_sent() {
        let envelope = Envelope { context: 7, source: -1, tag: i32::MIN };
        let frame = Frame {
            kind: 9,
            envelope,
            from: 1,
            sender: u32::MAX,
            to: 2,
            addressee: 3,
            hold: 4,
            stamp: 5,
            bytes: 1 << 40,
            address: u64::MAX - 1,
        };
        let stamp = Stamp { key: u64::MAX / 3, number: 12, from: 6, life: 7, to: u32::MAX - 2 };
        let packed = pack(stamp, &frame, b"data");
        assert_eq!((unpack(&packed), bytes_of(&packed)), (Some((stamp, frame)), &b"data"[..]));
        let empty = &packed[..LENGTH];
        assert_eq!((unpack(empty), bytes_of(empty)), (Some((stamp, frame)), &b""[..]));
        assert_eq!(unpack(&packed[..LENGTH - 1]), None);
    }
}
