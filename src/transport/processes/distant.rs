//! Processes of other hosts: how what they send becomes messages here, and how memory is read from
//! there, piece by piece, by asking.

use super::foreign::{CLAIMED, Foreign, OPEN};
use super::peer::Peer;
use super::stream::{ANSWER, ASK_FOR_BYTES, ASK_IF_READ, ASK_TO_CLAIM, Frame, Short, Taken};
use super::{Incoming, OF_PROCESS, Processes};
use crate::base::Member;
use crate::host::memory::afar::Missing;
use crate::host::memory::{self, Region, Span, afar};
use crate::transport::hosts::{Distant, Hosts, Letter, OnHost};
use crate::transport::packet::Packet;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::ptr;
use std::sync::atomic::Ordering;

/// How much is asked for at once, and how many such questions are under way.
const PIECE: usize = 256 << 10;
const WINDOW: usize = 8;

impl Processes {
    /// The job has several hosts; returns by what this process is reached from others.
    pub fn open_hosts(&self, me: Member, here: OnHost) -> Result<Vec<u8>, String> {
        let hosts = Hosts::open(me, here, self.peers.len())?;
        Ok(self.hosts.get_or_init(|| hosts).address().to_vec())
    }

    /// A process is on this host, and is reached there if that is another than this.
    pub fn meet_on_host(&self, process: usize, host: u32, at: Distant) -> bool {
        let Some(hosts) = self.hosts.get() else { return false };
        hosts.locate(process, host);
        if !hosts.is_distant(process) {
            return false;
        }
        hosts.meet(process, at);
        let mut peer = self.peers[process].lock();
        self.count_met(&mut peer);
        self.write(process, &mut peer);
        self.ask_for_help(peer);
        true
    }

    /// On which host a process is; all are on one if nobody has said otherwise.
    pub fn host_of(&self, process: usize) -> u32 {
        self.hosts.get().and_then(|hosts| hosts.host_of(process)).unwrap_or(0)
    }

    /// The way to a process, if that is on another host.
    #[inline]
    pub(super) fn hosts_for(&self, process: usize) -> Option<&Hosts> {
        self.hosts.get().filter(|hosts| hosts.is_distant(process))
    }

    /// Whether this life of a process of another host is the one that was met.
    pub(super) fn is_life(&self, process: usize, incarnation: u32) -> bool {
        self.hosts_for(process).is_some_and(|hosts| hosts.life(process) == Some(incarnation))
    }

    /// Sends what waits for a process of another host.
    pub(super) fn write_distant(&self, hosts: &Hosts, process: usize, peer: &mut Peer) {
        let mut sent = 0;
        while hosts.life(process).is_some()
            && let Some(parcel) = peer.queue.pop_front()
        {
            if let Some(back) = self.put(process, parcel, Packet::ROOM, |frame, bytes| {
                hosts.send(process, frame, bytes)
            }) {
                peer.queue.push_front(back);
                break;
            }
            sent += 1;
        }
        self.queued.fetch_sub(sent, Ordering::Relaxed);
    }

    /// Takes in what has come from other hosts.
    pub(super) fn take_distant(
        &self, hosts: &Hosts, incoming: &mut Incoming, wants: &mut impl FnMut(Short) -> Taken,
    ) {
        hosts.poll(&mut incoming.letters);
        while let Some(letter) = incoming.letters.pop_front() {
            let from = letter.frame.from as usize;
            if matches!(letter.frame.kind, ASK_TO_CLAIM | ASK_FOR_BYTES | ASK_IF_READ) {
                self.reply(hosts, from, &letter.frame);
                continue;
            }
            if letter.frame.kind == ANSWER {
                hosts.settle(letter);
                continue;
            }
            let Letter { frame, bytes } = &letter;
            // What makes no sense comes from a process that has gone mad: it spoils its own only.
            if let Ok(Some(Taken::Enough)) =
                self.accept(from, frame, bytes, &mut incoming.pool, wants)
            {
                break;
            }
        }
    }

    /// Answers a question of another host.
    fn reply(&self, hosts: &Hosts, to: usize, asked: &Frame) {
        let mut frame = Frame { kind: ANSWER, addressee: asked.sender, ..Frame::default() };
        frame.envelope.context = asked.envelope.context;
        let mut bytes = Vec::new();
        match asked.kind {
            ASK_TO_CLAIM => frame.envelope.tag = i32::from(self.claim_here(asked)),
            ASK_FOR_BYTES => {
                bytes = vec![0; (asked.bytes as usize).min(PIECE)];
                let start = ptr::with_exposed_provenance(asked.address as usize);
                if let Err(fault) =
                    memory::copy(Span::new(start, bytes.len()), Span::of_mut(&mut bytes))
                {
                    (frame.envelope.tag, frame.address) = (1, fault.address as u64);
                    bytes.clear();
                }
            }
            _ => {}
        }
        // Whoever has asked may have ended meanwhile.
        let _sent = hosts.send(to, &frame, &bytes);
    }

    /// Makes a message of this process its receiver's for good.
    fn claim_here(&self, asked: &Frame) -> bool {
        let Some(hold) = self.head().holds.get(asked.hold as usize) else { return false };
        let (open, claimed) = (asked.stamp | OPEN, asked.stamp | CLAIMED);
        let (won, lost) = (Ordering::AcqRel, Ordering::Acquire);
        match hold.compare_exchange(open, claimed, won, lost) {
            Ok(_) => true,
            Err(found) => found == claimed,
        }
    }

    /// What a thread does that waits for an answer.
    fn keep_going(&self) {
        if let Some(mut incoming) = self.incoming.try_lock() {
            self.take_all(&mut incoming, |_| Taken::No);
        }
    }

    pub(super) fn claim_distant(&self, foreign: &Foreign, incarnation: u32) -> bool {
        let to = Member { seat: foreign.process, incarnation };
        let (hold, stamp) = (foreign.hold, foreign.stamp);
        let frame = Frame { kind: ASK_TO_CLAIM, hold, stamp, ..Frame::default() };
        let answer = self.hosts.get().and_then(|hosts| hosts.ask(to, frame, &|| self.keep_going()));
        // A sender that has died has not recalled it.
        answer.is_none_or(|letter| letter.frame.envelope.tag == 1)
    }

    /// Copies memory of a process of another host.
    pub(super) fn fetch_distant(
        &self, from: Member, address: usize, into: &Region,
    ) -> Result<(), Missing> {
        let hosts = self.hosts.get().ok_or(Missing::Process)?;
        let work = || self.keep_going();
        let (mut asked, mut open, total) = (0, VecDeque::new(), into.bytes());
        let mut outcome = Ok(());
        while outcome.is_ok() && asked < total || !open.is_empty() {
            while outcome.is_ok() && asked < total && open.len() < WINDOW {
                let bytes = (total - asked).min(PIECE);
                let frame = Frame {
                    kind: ASK_FOR_BYTES,
                    address: (address + asked) as u64,
                    bytes: bytes as u64,
                    ..Frame::default()
                };
                match hosts.pose(from, frame) {
                    Some(number) => open.push_back((number, asked, bytes)),
                    None => outcome = Err(Missing::Process),
                }
                asked += bytes;
            }
            let Some((number, offset, bytes)) = open.pop_front() else { break };
            let answer = hosts.answer(number, &work);
            outcome = outcome.and_then(|()| match answer {
                Some(letter) if letter.frame.envelope.tag != 0 => {
                    Err(Missing::There(letter.frame.address as usize))
                }
                Some(letter) if letter.bytes.len() == bytes => {
                    let source = Span::of(&letter.bytes).into();
                    memory::transfer(&source, &into.part(offset, bytes))
                        .map_err(|fault| Missing::Here(fault.address))
                }
                _ => Err(Missing::Process),
            });
        }
        outcome
    }

    /// Works for other hosts, while the rank may be computing. Never returns. `tell` hears of the
    /// lives that cannot be reached any more, `refuse` why there is no way to some process at all.
    pub fn attend_hosts(&self, tell: impl Fn(Member), refuse: impl Fn(String)) -> ! {
        let hosts = self.hosts.get().expect("the job has several hosts");
        let mut known = 0;
        loop {
            self.take_all(&mut self.incoming.lock(), |_| Taken::No);
            let arrivals = hosts.arrivals();
            if std::mem::replace(&mut known, arrivals) != arrivals {
                self.bell().ring();
            }
            hosts.broken().into_iter().for_each(&tell);
            hosts.refusal().into_iter().for_each(&refuse);
            hosts.sleep();
        }
    }

    /// Returns once other hosts have read all that this process has sent them, as far as they live.
    pub fn flush_hosts(&self) {
        let Some(hosts) = self.hosts.get() else { return };
        self.write_queued();
        let frame = Frame { kind: ASK_IF_READ, ..Frame::default() };
        let asked: Vec<u32> =
            hosts.correspondents().into_iter().filter_map(|to| hosts.pose(to, frame)).collect();
        for number in asked {
            let _read = hosts.answer(number, &|| self.keep_going());
        }
    }
}

/// Where a process is whose memory others may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Showing {
    pid: i32,
    /// The life of its rank, if the job has several hosts.
    member: Option<Member>,
}

impl Showing {
    /// This process.
    pub fn own() -> Showing {
        let hosts = OF_PROCESS.get().and_then(|processes| processes.hosts.get());
        Showing { pid: std::process::id() as i32, member: hosts.map(Hosts::me) }
    }

    /// Copies from its memory at this address.
    pub fn fetch(self, address: usize, into: Span) -> Result<(), Missing> {
        if let Some((processes, member)) = OF_PROCESS.get().zip(self.member)
            && processes.hosts_for(member.seat).is_some()
        {
            return processes.fetch_distant(member, address, &into.into());
        }
        let theirs = Span::new(ptr::with_exposed_provenance(address), into.bytes());
        afar::fetch(self.pid, &theirs.into(), &into.into())
    }
}
