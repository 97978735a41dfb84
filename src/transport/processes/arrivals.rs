//! Frames that have come from other processes, wherever those are, and what becomes of them here.

use super::foreign::{Foreign, Place};
use super::segment::HOLDS;
use super::stream::{
    Broken, Frame, MESSAGE, NOTE, REFERENCE, RETURN, SYNCHRONOUS, Short, Taken, longest,
};
use super::{OF_PROCESS, Processes, Waiting};
use crate::base::Member;
use crate::host::memory::Span;
use crate::transport::packet::pool::Pool;
use crate::transport::packet::{Fate, Load, Packet};

/// Where the bytes of a message are that has come.
enum Source {
    Here,
    There(Foreign),
    /// They ended with their sender.
    Gone,
}

impl Processes {
    /// Takes a frame that has come with its bytes; `None`: it has to wait where it is.
    #[inline]
    pub(super) fn accept(
        &self, process: usize, frame: &Frame, bytes: &[u8], pool: &mut Pool,
        wants: &mut impl FnMut(Short) -> Taken,
    ) -> Result<Option<Taken>, Broken> {
        match frame.kind {
            MESSAGE | REFERENCE | SYNCHRONOUS => {
                let is_sane = self.is_between(process, frame)
                    && bytes.len() <= self.longest_along()
                    && (frame.hold as usize) < HOLDS
                    && (frame.kind != SYNCHRONOUS || frame.bytes == bytes.len() as u64);
                if !is_sane {
                    return Err(Broken);
                }
                let from = Member { seat: frame.from as usize, incarnation: frame.sender };
                let to = Member { seat: frame.to as usize, incarnation: frame.addressee };
                if frame.kind == MESSAGE {
                    let (envelope, data) = (frame.envelope, Span::of(bytes));
                    let taken = wants(Short { envelope, from, to, data });
                    if taken != Taken::No {
                        return Ok(Some(taken));
                    }
                }
                let Some(source) = self.source(process, frame, bytes) else { return Ok(None) };
                // What no packet has room for is beside it, and so is what may be recalled.
                let is_beside = bytes.len() > Packet::ROOM || frame.kind == SYNCHRONOUS;
                let mut packet = self.blank(pool, if is_beside { 0 } else { bytes.len() });
                packet.address(frame.envelope, from, to, 0);
                match source {
                    Source::Here => {
                        let data = Span::of(bytes).into();
                        let beside = || Load::Attached(bytes.into());
                        let load = if is_beside { beside() } else { Load::Carried(&data) };
                        packet.load(load).map_err(|_| Broken)?;
                    }
                    Source::There(foreign) => {
                        packet.load_foreign(frame.bytes as usize, foreign);
                    }
                    Source::Gone => return Ok(Some(Taken::Yes)),
                }
                self.wire().receive(to.seat, packet);
            }
            RETURN => self.come_home(process, frame)?,
            NOTE => self.read_note(process, frame, bytes)?,
            _ => return Err(Broken),
        }
        Ok(Some(Taken::No))
    }

    /// How many bytes may come along with a message.
    fn longest_along(&self) -> usize {
        Packet::ROOM.max(longest(self.geometry.ring)).max(Processes::LONGEST_SENT_ABROAD)
    }

    /// Whether a frame comes from a rank of this process, and is for one of ours.
    pub(super) fn is_between(&self, process: usize, frame: &Frame) -> bool {
        let (from, to) = (frame.from as usize, frame.to as usize);
        match self.are_shared() {
            true => {
                let is_from_there = self.division.seats_of(process).contains(&from);
                is_from_there && self.seats().contains(&to)
            }
            false => from == process && to == self.me,
        }
    }

    fn blank(&self, pool: &mut Pool, bytes: usize) -> Packet {
        if let Some(packet) = pool.blank(bytes) {
            return packet;
        }
        self.porch.returned().for_each(|packet| pool.keep(packet));
        pool.blank(bytes).unwrap_or_else(|| {
            pool.grow(bytes);
            pool.blank(bytes).expect("the pool has just grown")
        })
    }

    /// Where the bytes of a message are; `None`: its sender, which has just begun, is not known
    /// yet, but will be told of.
    fn source(&self, process: usize, frame: &Frame, bytes: &[u8]) -> Option<Source> {
        if frame.kind == MESSAGE {
            return Some(Source::Here);
        }
        let place = match self.hosts_for(process) {
            Some(hosts) => {
                let Some(incarnation) = hosts.life(process) else { return Some(Source::Gone) };
                self.references.lock().insert((process, frame.hold, frame.stamp), false);
                Place::Distant { incarnation }
            }
            None => {
                let mut peer = self.peers[process].visit();
                let pid = peer.at?.pid;
                if !self.reach(process, &mut peer) {
                    return Some(Source::Gone);
                }
                Place::Near { head: peer.head.clone()?, pid }
            }
        };
        let origin = *OF_PROCESS.get()?;
        let (address, hold, stamp) = (frame.address as usize, frame.hold, frame.stamp);
        let along = (frame.kind == SYNCHRONOUS).then(|| bytes.into());
        Some(Source::There(Foreign { origin, process, place, address, hold, stamp, along }))
    }

    fn come_home(&self, process: usize, frame: &Frame) -> Result<(), Broken> {
        let place = frame.hold as usize;
        let mut away = self.away.lock();
        let is_meant =
            |waiting: &Waiting| waiting.process == process && waiting.stamp == frame.stamp;
        if !away.packets.get(place).ok_or(Broken)?.as_ref().is_some_and(is_meant) {
            // It was recalled meanwhile, and is home.
            return Ok(());
        }
        let Some(Waiting { packet, _pin, .. }) = away.take(place) else { return Ok(()) };
        drop(away);
        let fate = match frame.envelope.tag {
            0 => Fate::Refused,
            1 => Fate::Delivered,
            _ => Fate::Faulty { address: frame.address as usize },
        };
        packet.come_home(fate);
        Ok(())
    }
}
