//! Processes of other hosts: how what they send becomes messages here, and how they are asked.

use super::foreign::{CLAIMED, Foreign, OPEN};
use super::peer::Peer;
use super::remote_memory;
use super::stream::{
    ANSWER, ASK_FOR_BYTES, ASK_IF_READ, ASK_TO_CLAIM, ASK_TO_FORGET, Frame, Short, Taken,
};
use super::{Incoming, Processes};
use crate::base::Member;
use crate::transport::hosts::{Distant, Hosts, Letter, OnHost};
use std::sync::atomic::Ordering;

/// What a process finds out about other hosts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OfHosts {
    /// This life cannot be reached any more.
    Unreachable(Member),
    /// It does not answer, or is heard again.
    Silent { member: Member, is_silent: bool },
    /// Why there is no way to some process at all.
    NoWay(String),
}

impl Processes {
    /// Somebody wants to know whether this life of another host answers.
    pub fn try_to_reach(&self, member: Member) {
        let process = self.process_of(member.seat);
        if let Some(hosts) = self.hosts_for(process) {
            hosts.try_to_reach(Member { seat: process, ..member });
        }
    }

    /// A life of a process, as `ftrun` knows it: by its first seat.
    pub(super) fn by_seat(&self, process: Member) -> Member {
        Member { seat: self.division.seats_of(process.seat).start, ..process }
    }

    /// The job has several hosts; returns by what this process is reached from others. `net` says
    /// what the user wants to carry messages.
    pub fn open_hosts(&self, here: OnHost, net: &str) -> Result<Vec<u8>, String> {
        let me = Member { seat: self.me, incarnation: self.life };
        let hosts = Hosts::open(me, here, (self.peers.len(), self.are_shared()), net)?;
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
        let mut peer = self.peers[process].visit();
        self.count_met(&mut peer);
        self.write(process, &mut peer);
        self.ask_for_help(peer);
        true
    }

    /// On which host a rank is; all are on one if nobody has said otherwise.
    pub fn host_of(&self, seat: usize) -> u32 {
        let hosts = self.hosts.get();
        hosts.and_then(|hosts| hosts.host_of(self.process_of(seat))).unwrap_or(0)
    }

    /// The longest message that goes to another host with its envelope. Its receiver asks for
    /// longer ones.
    pub const LONGEST_SENT_ABROAD: usize = 256 << 10;

    /// Whether a rank is on another host.
    #[inline]
    pub fn is_abroad(&self, seat: usize) -> bool {
        self.hosts_for(self.process_of(seat)).is_some()
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
            let most = Processes::LONGEST_SENT_ABROAD;
            if let Some(back) =
                self.put(process, parcel, most, |frame, bytes| hosts.send(process, frame, bytes))
            {
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
        // Whoever has looked abroad just now need not look again.
        if incoming.letters.is_empty() {
            hosts.poll(&mut incoming.letters);
        }
        while let Some(letter) = incoming.letters.pop_front() {
            let from = letter.from.seat;
            if (ASK_TO_CLAIM..=ASK_IF_READ).contains(&letter.frame.kind) {
                self.reply(hosts, from, &letter);
                continue;
            }
            if letter.frame.kind == ANSWER {
                hosts.settle(letter);
                continue;
            }
            let (frame, bytes) = (&letter.frame, letter.bytes());
            // What makes no sense comes from a process that has gone mad: it spoils its own only.
            if let Ok(Some(Taken::Enough)) =
                self.accept(from, frame, bytes, &mut incoming.pool, wants)
            {
                break;
            }
        }
    }

    /// Answers a question of another host.
    fn reply(&self, hosts: &Hosts, to: usize, letter: &Letter) {
        let asked = &letter.frame;
        let mut frame = Frame { kind: ANSWER, ..Frame::default() };
        frame.envelope.context = asked.envelope.context;
        let mut bytes = Vec::new();
        match asked.kind {
            ASK_TO_CLAIM => frame.envelope.tag = i32::from(self.claim_here(asked)),
            ASK_TO_FORGET => {
                let mut references = self.references.lock();
                if let Some(is_recalled) = references.get_mut(&(to, asked.hold, asked.stamp)) {
                    *is_recalled = true;
                }
            }
            ASK_IF_READ => {}
            ASK_FOR_BYTES if !hosts.has_outbox() => {
                if let Some(lent) = remote_memory::lend(asked, letter.bytes(), &mut frame) {
                    return hosts.send_lent(to, &frame, lent, &remote_memory::COMPLETE);
                }
                bytes = remote_memory::serve(asked, letter.bytes(), &mut frame);
            }
            _ => bytes = remote_memory::serve(asked, letter.bytes(), &mut frame),
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
    pub(super) fn keep_going(&self) {
        if let Some(mut incoming) = self.incoming.try_visit() {
            self.take_all(&mut incoming, |_| Taken::No);
        }
    }

    /// A message was recalled that waited here for a receiver in this process: if that is on
    /// another host, it knows when this returns.
    pub(super) fn let_forget(&self, process: usize, hold: u32, stamp: u32) {
        if let Some(hosts) = self.hosts_for(process)
            && let Some(incarnation) = hosts.life(process)
        {
            let frame = Frame { kind: ASK_TO_FORGET, hold, stamp, ..Frame::default() };
            let receiver = Member { seat: process, incarnation };
            let _known = hosts.ask(receiver, frame, &|| self.keep_going());
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

    /// Works for other hosts, while the rank may be computing. Never returns. `tell` hears what
    /// becomes known of them.
    pub fn attend_hosts(&self, tell: impl Fn(OfHosts)) -> ! {
        let hosts = self.hosts.get().expect("the job has several hosts");
        let mut known = 0;
        let mut attendant = hosts.attendance().attend();
        loop {
            let mut incoming = self.incoming.visit();
            self.take_all(&mut incoming, |_| Taken::No);
            if hosts.has_outbox() {
                self.take_distant(hosts, &mut incoming, &mut |_| Taken::No);
            }
            drop(incoming);
            let arrivals = hosts.arrivals();
            if std::mem::replace(&mut known, arrivals) != arrivals {
                self.bell().ring();
            }
            for broken in hosts.broken() {
                tell(OfHosts::Unreachable(self.by_seat(broken)));
            }
            let has_left = |process: Member| !self.are_shared() && self.is_over(process);
            if let Some((process, why)) = hosts.refusal(has_left) {
                let [me, to] = [self.me, process].map(|it| self.division.seats_of(it).start);
                tell(OfHosts::NoWay(format!("rank {me} has no way to rank {to}: {why}")));
            }
            for (process, is_silent) in hosts.listen() {
                tell(OfHosts::Silent { member: self.by_seat(process), is_silent });
            }
            if !attendant.rests() {
                hosts.sleep();
            }
        }
    }

    /// Whether a rank that waits may look itself for what comes from other hosts.
    pub fn may_look_abroad(&self) -> bool {
        self.hosts.get().is_some_and(|hosts| !hosts.has_outbox())
    }

    /// Looks for what has come from other hosts; the service thread rests meanwhile.
    pub fn look_abroad(&self) {
        if let Some((hosts, mut incoming)) = self.hosts.get().zip(self.incoming.try_lock()) {
            hosts.attendance().look();
            hosts.poll(&mut incoming.letters);
        }
    }

    /// Returns once other hosts have read all that this process has sent them, as far as they live.
    pub fn flush_hosts(&self) {
        let Some(hosts) = self.hosts.get() else { return };
        self.write_queued();
        let frame = Frame { kind: ASK_IF_READ, ..Frame::default() };
        let asked: Vec<u32> = hosts
            .correspondents()
            .into_iter()
            .filter_map(|to| hosts.pose(to, frame, &[]))
            .collect();
        for number in asked {
            let _read = hosts.answer(number, &|| self.keep_going());
        }
    }
}
