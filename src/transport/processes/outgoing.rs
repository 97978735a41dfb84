//! What goes to other processes: it waits in a queue for each of them until there is room in the
//! ring there; a long message stays here until its receiver has read it.

use super::Processes;
use super::cooperative_copy::{Claim, Kept};
use super::foreign::{OPEN, STATE};
use super::peer::{Parcel, Peer, Waiting};
use super::segment::{self, Address, HOLDS};
use super::stream::{Frame, REFERENCE, SYNCHRONOUS, Writer};
use crate::base::Member;
use crate::base::sync::biased::Guard;
use crate::host::life;
use crate::host::memory::{Span, afar};
use crate::transport::packet::{Fate, Packet};
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;

impl Processes {
    /// A process can be reached there from now on.
    pub fn meet(&self, process: usize, at: Address) {
        let mut peer = self.peers[process].visit();
        self.count_met(&mut peer);
        let queue = std::mem::take(&mut peer.queue);
        *peer = Peer { is_met: true, at: Some(at), queue, ..Peer::default() };
        self.write(process, &mut peer);
        self.ask_for_help(peer);
        if self.are_shared() {
            // What it has sent already may have had to wait.
            self.bell().ring();
        }
    }

    /// What waits for a process can be written from now on.
    pub(super) fn count_met(&self, peer: &mut Peer) {
        if !std::mem::replace(&mut peer.is_met, true) {
            self.queued.fetch_add(peer.queue.len(), Ordering::SeqCst);
        }
    }

    /// This life of a rank receives nothing any more, though it may not have ended.
    pub fn retire(&self, member: Member) {
        let peer = self.peers[self.process_of(member.seat)].visit();
        // Under the lock, which all have who put something into the queue.
        self.first_lives[member.seat].fetch_max(member.incarnation + 1, Ordering::Relaxed);
        self.unqueue(peer, |parcel| !self.are_shared() || parcel.is_for(member));
    }

    /// Nobody listens any more at the process that was reached there. What waits for its ranks goes
    /// home as these are [retired](Processes::retire); what is for others waits for the next one.
    pub fn leave(&self, process: usize) {
        let mut peer = self.peers[process].visit();
        let mut queue = std::mem::take(&mut peer.queue);
        if peer.is_met {
            self.queued.fetch_sub(queue.len(), Ordering::Relaxed);
        }
        queue.retain(|parcel| !matches!(parcel, Parcel::Return(_)));
        *peer = Peer { queue, ..Peer::default() };
    }

    /// A rank of this process is dead: what it has sent and nobody has begun to read is lost.
    pub fn lose_own(&self, member: Member) {
        let mut away = self.away.lock();
        let is_lost = |place: usize, waiting: &Option<Waiting>| {
            let is_its = waiting.as_ref().is_some_and(|it| it.packet.sender() == member);
            is_its && self.recall_hold(place)
        };
        let all = away.packets.iter().enumerate();
        let lost: Vec<usize> =
            all.filter(|(place, it)| is_lost(*place, it)).map(|(place, _)| place).collect();
        let lost: Vec<Waiting> = lost.into_iter().filter_map(|place| away.take(place)).collect();
        drop(away);
        drop(lost);
        let is_its = |parcel: &Parcel| match parcel {
            Parcel::Message(_, packet) => packet.sender() == member,
            _ => false,
        };
        self.peers.iter().for_each(|peer| self.unqueue(peer.visit(), is_its));
    }

    /// What is lost of what waits for a process goes home without having been delivered.
    fn unqueue(&self, mut peer: Guard<'_, Peer>, is_lost: impl Fn(&Parcel) -> bool) {
        let queue = std::mem::take(&mut peer.queue);
        let (lost, kept): (VecDeque<Parcel>, _) = queue.into_iter().partition(is_lost);
        peer.queue = kept;
        if peer.is_met {
            self.queued.fetch_sub(lost.len(), Ordering::Relaxed);
        }
        drop(peer);
        drop(lost);
    }

    /// Sends something to a life of a process.
    pub(super) fn push(&self, to: Member, parcel: Parcel) {
        let process = self.process_of(to.seat);
        let peer = self.peers[process].visit();
        match self.is_over(to) {
            // It goes home without having been delivered.
            true => drop((peer, parcel)),
            false => self.queue(process, peer, parcel),
        }
    }

    /// The message that this claim is about.
    pub(super) fn kept(&self, claim: Claim) -> Option<Kept> {
        let Claim { process, hold, stamp } = claim;
        let pid = self.peers.get(process)?.visit().at?.pid;
        let away = self.away.lock();
        let waiting = away.packets.get(hold as usize)?.as_ref()?;
        let is_meant = waiting.process == process && waiting.stamp == stamp;
        let start = std::ptr::with_exposed_provenance(waiting.packet.whereabouts());
        is_meant.then(|| Kept { source: Span::new(start, waiting.packet.bytes()), pid })
    }

    /// Whether nothing is sent to this life any more.
    pub(super) fn is_over(&self, member: Member) -> bool {
        member.incarnation < self.first_lives[member.seat].load(Ordering::Relaxed)
    }

    pub(super) fn queue(&self, process: usize, mut peer: Guard<'_, Peer>, parcel: Parcel) {
        peer.queue.push_back(parcel);
        // Until it can be reached, nobody can do anything for it.
        if peer.is_met {
            self.queued.fetch_add(1, Ordering::SeqCst);
            self.write(process, &mut peer);
            self.ask_for_help(peer);
        }
    }

    /// If something is left in this queue, somebody is to write it when there is room.
    pub(super) fn ask_for_help(&self, peer: Guard<'_, Peer>) {
        let is_left = !peer.queue.is_empty();
        drop(peer);
        if is_left
            && !self.is_helped.swap(true, Ordering::SeqCst)
            && let Some(help) = self.help.get()
        {
            help();
        }
    }

    /// How many messages and notes of this process wait: for room in a ring, for who is to come, or
    /// in memory of this process for their receivers.
    pub fn waiting(&self) -> usize {
        let queued: usize = self.peers.iter().map(|peer| peer.visit().queue.len()).sum();
        queued + HOLDS - self.away.lock().free.len()
    }

    /// Writes what can be written; true when nothing waits any more.
    pub fn write_queued(&self) -> bool {
        if self.queued.load(Ordering::Relaxed) != 0 {
            for (process, peer) in self.peers.iter().enumerate() {
                if let Some(mut peer) = peer.try_visit() {
                    self.write(process, &mut peer);
                }
            }
        }
        if self.queued.load(Ordering::Relaxed) != 0 {
            return false;
        }
        self.is_helped.swap(false, Ordering::SeqCst);
        // Somebody may have queued more just before, and seen that help was there.
        self.queued.load(Ordering::SeqCst) == 0
    }

    pub(super) fn write(&self, process: usize, peer: &mut Peer) {
        if peer.queue.is_empty() {
            return;
        }
        if let Some(hosts) = self.hosts_for(process) {
            return self.write_distant(hosts, process, peer);
        }
        if !self.reach(process, peer) {
            return;
        }
        let Peer { head: Some(head), writer: Some(writer), queue, .. } = peer else { return };
        let (mut written, mut has_notes) = (0, false);
        while let Some(parcel) = queue.pop_front() {
            has_notes |= matches!(parcel, Parcel::Note(..));
            let send = |frame: &Frame, bytes: &[u8]| writer.write(frame, bytes);
            if let Some(back) = self.put(process, parcel, self.longest_short(), send) {
                queue.push_front(back);
                break;
            }
            written += 1;
        }
        if written > 0 {
            self.queued.fetch_sub(written, Ordering::Relaxed);
            self.bell_of(process, head.get()).ring();
        }
        if written > 0 && has_notes {
            head.get().note_bell.ring();
        }
    }

    /// Maps the other's segment at the first message to it; false if that cannot be done yet.
    pub(super) fn reach(&self, process: usize, peer: &mut Peer) -> bool {
        if peer.writer.is_some() {
            return true;
        }
        let Some(at) = peer.at else { return false };
        // A process that has ended has no files any more; its death will be told.
        let Ok((head, region)) = segment::open(at, self.geometry, self.me) else { return false };
        let writer = Writer::new(region, self.geometry.ring);
        if writer.awaited_life() != self.life {
            // There they have not heard yet of the death of the life before.
            return false;
        }
        if let Err(error) = afar::may_read(at.pid) {
            self.end_for(&error);
        }
        head.get().announce(self.me);
        // It may sleep for long before this process writes anything: nothing new is left unseen.
        self.bell_of(process, head.get()).ring();
        peer.head = Some(Arc::new(head));
        peer.writer = Some(writer);
        true
    }

    /// This rank cannot receive long messages: better no job than half a one.
    fn end_for(&self, error: &io::Error) -> ! {
        let rank = self.seats().start;
        let words = format!(
            "ftrun: rank {rank} may not read the memory of other ranks \
             (process_vm_readv: {error}); in a container, allow it with --cap-add SYS_PTRACE, \
             or run without --processes\n"
        );
        life::end_process(2, &words)
    }

    /// Sends one parcel by `send`, or gives it back if that has no room for it. Messages of up to
    /// `most` bytes go along; those that are longer stay here.
    pub(super) fn put(
        &self, process: usize, parcel: Parcel, most: usize,
        mut send: impl FnMut(&Frame, &[u8]) -> bool,
    ) -> Option<Parcel> {
        let (seat, packet) = match parcel {
            Parcel::Return(frame) => {
                return (!send(&frame, &[])).then_some(Parcel::Return(frame));
            }
            Parcel::Note(frame, bytes) => {
                return (!send(&frame, &bytes)).then_some(Parcel::Note(frame, bytes));
            }
            Parcel::Message(seat, packet) => (seat, packet),
        };
        if packet.is_recalled() {
            return None;
        }
        let to = Member { seat, incarnation: packet.addressee() };
        let frame = Frame::of_message(packet.envelope(), packet.sender(), to, packet.bytes());
        if packet.may_leave_for_good()
            && packet.bytes() <= most
            && let Some(bytes) = packet.held()
        {
            if !send(&frame, bytes) {
                return Some(Parcel::Message(seat, packet));
            }
            packet.come_home(Fate::Delivered);
            return None;
        }
        // Another host asks before it takes such a message, and would have the bytes for nothing.
        let most = self.hosts_for(process).is_none().then_some(most);
        self.refer(process, most, send, frame, packet).map(|packet| Parcel::Message(seat, packet))
    }

    /// Tells the receiver where a message is, which stays here until it has been read. Up to `most`
    /// bytes of it go along, if they are the library's own.
    fn refer(
        &self, process: usize, most: Option<usize>, send: impl FnOnce(&Frame, &[u8]) -> bool,
        frame: Frame, packet: Packet,
    ) -> Option<Packet> {
        let packet = packet.gathered()?;
        let pin = match self.are_shared() {
            true => Some(packet.pin()?),
            false => None,
        };
        let mut away = self.away.lock();
        let Some(&place) = away.free.last() else { return Some(packet) };
        let stamp = away.stamp.wrapping_add(STATE + 1);
        let hold = &self.head().holds[place as usize];
        hold.store(stamp | OPEN, Ordering::Release);
        if !packet.go_away() {
            // The sender has recalled it meanwhile.
            return None;
        }
        let address = packet.whereabouts() as u64;
        let along = packet.held().filter(|bytes| most.is_some_and(|most| bytes.len() <= most));
        let kind = if along.is_some() { SYNCHRONOUS } else { REFERENCE };
        let frame = Frame { kind, hold: place, stamp, address, ..frame };
        if !send(&frame, along.unwrap_or(&[])) {
            return Some(packet.come_back());
        }
        away.stamp = stamp;
        away.free.pop();
        away.packets[place as usize] = Some(Waiting { packet, process, stamp, _pin: pin });
        None
    }
}

#[cfg(all(test, not(loom), not(miri)))]
mod tests {
    use super::*;
    use crate::base::Division;
    use crate::host::memory::Span;
    use crate::transport::Envelope;
    use crate::transport::packet::Load;
    use crate::transport::packet::pool::Pool;
    use crate::transport::processes::Taken;
    use crate::transport::processes::stream::RETURN;
    use std::sync::mpsc::{Receiver, channel};

    const ME: Member = Member { seat: 0, incarnation: 0 };
    const DEAD: Member = Member { seat: 1, incarnation: 0 };
    const NEXT: Member = Member { seat: 1, incarnation: 1 };

    /// One of two processes, and the notes that it gets.
    fn process(me: Member) -> (&'static Processes, Receiver<Vec<u8>>) {
        one_of(Division::of_one_each(2), me)
    }

    /// The process of this member, and the notes that it gets.
    fn one_of(division: Division, me: Member) -> (&'static Processes, Receiver<Vec<u8>>) {
        let processes = Processes::make(me, division.clone()).expect("there is memory");
        let wire = processes.wire_for(division.seats());
        let others = (0..division.seats()).filter(|seat| *seat != me.seat);
        others.for_each(|seat| wire.open(Member { seat, ..ME }));
        wire.open(me);
        let (sender, notes) = channel();
        processes.handle_notes(Box::new(move |_, _, bytes| {
            sender.send(bytes.to_vec()).expect("the test listens");
        }));
        (processes, notes)
    }

    fn introduce(one: &Processes, other: &Processes) {
        let pid = std::process::id() as i32;
        one.meet(other.me, Address { pid, descriptor: other.descriptor() });
    }

    fn look(processes: &Processes) {
        processes.poll_for(false, |_| Taken::No);
    }

    #[test]
    fn what_is_sent_to_a_process_that_has_ended_goes_home_and_keeps_nobody_busy() {
        let (here, _) = process(ME);
        let (there, notes) = process(DEAD);
        introduce(here, there);
        here.note(ME, DEAD, b"in time");
        look(there);
        assert_eq!(notes.try_recv().as_deref(), Ok(&b"in time"[..]));
        // The ring is full, and more waits.
        let long = vec![1; here.longest_note()];
        (0..9).for_each(|_| here.note(ME, DEAD, &long));
        assert!(!here.write_queued());
        here.part(DEAD);
        assert!(here.write_queued());
        let mut pool = Pool::new(here.wire().port(0));
        pool.grow(0);
        let mut packet = pool.blank(0).expect("the pool has just grown");
        packet.address(Envelope { context: 2, source: 0, tag: 7 }, ME, DEAD, 1);
        packet.load(Load::Carried(&Span::of(&[1]).into())).expect("it is there");
        here.wire().post(1, packet);
        here.note(ME, DEAD, b"too late");
        assert!(here.wire().port(0).has_returned() && here.write_queued());
    }

    #[test]
    fn what_waits_for_a_rank_that_dies_alone_is_lost_and_nothing_else() {
        let division = Division::new(5, 2);
        let [dead, neighbour] = [3, 4].map(|seat| Member { seat, ..ME });
        let ((here, _), (there, notes)) = (one_of(division.clone(), ME), one_of(division, dead));
        assert_eq!((here.seats(), there.seats()), (0..3, 3..5));
        here.note(ME, dead, b"lost");
        here.note(Member { seat: 2, ..ME }, neighbour, b"arrives");
        here.lose(dead);
        here.note(ME, dead, b"too late");
        introduce(here, there);
        here.note(ME, Member { incarnation: 1, ..dead }, b"for its next life");
        assert!(here.write_queued());
        there.wire().open(Member { incarnation: 1, ..dead });
        look(there);
        let read: Vec<Vec<u8>> = notes.try_iter().collect();
        assert_eq!(read, [&b"arrives"[..], b"for its next life"]);
    }

    #[test]
    fn what_is_sent_to_a_successor_that_has_not_come_waits_and_keeps_nobody_busy() {
        let (here, _) = process(ME);
        here.part(DEAD);
        here.note(ME, NEXT, b"welcome");
        assert!(here.write_queued());
        let (next, notes) = process(NEXT);
        introduce(here, next);
        look(next);
        assert_eq!(notes.try_recv().as_deref(), Ok(&b"welcome"[..]));
    }

    #[test]
    fn what_is_sent_to_a_successor_does_not_go_to_who_has_yet_to_end() {
        let division = Division::of(&[2, 1]);
        let [before, next] = [0, 1].map(|incarnation| Member { seat: 2, incarnation });
        let ((here, _), (ending, heard)) = (one_of(division.clone(), ME), one_of(division, before));
        introduce(here, ending);
        here.note(ME, before, b"in time");
        here.leave(1);
        here.note(ME, next, b"welcome");
        look(ending);
        assert_eq!(heard.try_iter().collect::<Vec<_>>(), [b"in time"]);
        here.part(before);
        let (there, heard) = one_of(Division::of(&[2, 1]), next);
        introduce(here, there);
        look(there);
        assert_eq!(heard.try_iter().collect::<Vec<_>>(), [b"welcome"]);
    }

    /// Its receiver may be computing for long, and give it back when another is in its place.
    #[test]
    fn a_long_message_that_is_taken_back_leaves_its_place_at_once() {
        let (here, notes) = process(ME);
        let (there, _) = process(DEAD);
        introduce(here, there);
        introduce(there, here);
        let long = vec![1; Packet::ROOM + 1];
        let mut pool = Pool::new(here.wire().port(0));
        let mut post = || {
            pool.grow(0);
            let mut packet = pool.blank(0).expect("the pool has just grown");
            packet.address(Envelope { context: 2, source: 0, tag: 7 }, ME, DEAD, 1);
            packet.load(Load::Referenced(&Span::of(&long).into())).expect("it is there");
            let ticket = packet.ticket();
            here.wire().post(1, packet);
            ticket
        };
        for _ in 0..100 {
            let ticket = post();
            assert_eq!(here.waiting(), 1);
            assert!(here.recall(ticket) && !here.recall(ticket));
            assert_eq!(here.waiting(), 0);
        }
        let hold = here.away.lock().free.last().copied().expect("all are free");
        let stamp = here.away.lock().stamp;
        let last = post();
        let frame = Frame { kind: RETURN, hold, stamp, ..Frame::default() };
        there.queue(0, there.peers[0].visit(), Parcel::Return(frame));
        there.note(DEAD, ME, b"goes on");
        look(here);
        assert_eq!(notes.try_recv().as_deref(), Ok(&b"goes on"[..]));
        assert!(here.waiting() == 1 && here.recall(last));
    }

    /// A ring may be full while the sender hears of a revocation.
    #[test]
    fn a_message_is_taken_back_while_there_is_no_room_for_it() {
        let (here, _notes) = process(ME);
        let (there, _) = process(DEAD);
        introduce(here, there);
        let long = vec![1; Packet::ROOM + 1];
        let mut pool = Pool::new(here.wire().port(0));
        for round in 0..2000 {
            pool.grow(0);
            let mut packet = pool.blank(0).expect("the pool has just grown");
            packet.address(Envelope { context: 2, source: 0, tag: 7 }, ME, DEAD, 1);
            packet.load(Load::Referenced(&Span::of(&long).into())).expect("it is there");
            let ticket = packet.ticket();
            std::thread::scope(|scope| {
                let recall =
                    scope.spawn(move || ticket.recall_from_here().is_ok() || here.recall(ticket));
                let mut parcel = Some(Parcel::Message(1, packet));
                while let Some(waits) = parcel.take().filter(|_| !recall.is_finished()) {
                    parcel = here.put(1, waits, 0, |_, _| false);
                }
                assert!(recall.join().is_ok_and(|is_back| is_back), "round {round}");
            });
            assert_eq!(here.waiting(), 0);
        }
    }

    /// It may be that of a revocation, which ends the wait for them.
    #[test]
    fn messages_that_were_sent_before_a_note_come_before_it_whichever_process_sent_them() {
        let members = [0, 1, 2].map(|seat| Member { seat, ..ME });
        let [(here, notes), (first, _), (second, _)] =
            members.map(|member| one_of(Division::of_one_each(3), member));
        [first, second].into_iter().for_each(|other| introduce(other, here));
        let send = |from: &'static Processes, tag: i32| {
            let mut pool = Pool::new(from.wire().port(from.me));
            pool.grow(0);
            let mut packet = pool.blank(0).expect("the pool has just grown");
            let sender = Member { seat: from.me, ..ME };
            packet.address(Envelope { context: 2, source: 0, tag }, sender, ME, 0);
            packet.load(Load::Carried(&Span::of(&[1]).into())).expect("it is there");
            from.wire().post(0, packet);
        };
        // Whichever of the two rings is read first.
        for (one, other) in [(first, second), (second, first)] {
            send(other, 1);
            other.note(Member { seat: other.me, ..ME }, ME, b"ends that");
            let mut taken = Vec::new();
            here.poll_for(false, |short| {
                if short.envelope.tag == 1 {
                    send(one, 2);
                }
                taken.push((short.envelope.tag, notes.try_recv().is_ok()));
                Taken::No
            });
            assert_eq!(taken, [(1, false), (2, false)]);
            assert!(notes.try_recv().is_ok());
        }
    }

    /// Else its first words would be taken for those of the dead, or be lost with them.
    #[test]
    fn a_successor_writes_nothing_before_the_death_is_known() {
        const LAST: &[u8] = &[7; 900];
        let (here, notes) = process(ME);
        for life in [DEAD, NEXT, Member { incarnation: 2, ..DEAD }] {
            let (there, _) = process(life);
            introduce(there, here);
            there.note(life, ME, b"hello");
            if let Some(before) = life.incarnation.checked_sub(1) {
                look(here);
                assert!(notes.try_iter().all(|note| note == LAST) && !there.write_queued());
                here.part(Member { incarnation: before, ..DEAD });
                assert!(there.write_queued());
            }
            look(here);
            assert_eq!(notes.try_recv().as_deref(), Ok(&b"hello"[..]));
            // These are not read before the next life begins.
            there.note(life, ME, LAST);
            if life.incarnation == 2 {
                // Who hears of an end again has heard from the next one.
                here.part(NEXT);
                there.note(life, ME, b"goes on");
                look(here);
                assert_eq!(notes.try_iter().collect::<Vec<_>>(), [LAST, b"goes on"]);
            }
        }
        let (late, notes) = process(ME);
        late.know(Member { incarnation: 2, ..DEAD }, true);
        let (there, _) = process(Member { incarnation: 2, ..DEAD });
        introduce(there, late);
        there.note(DEAD, ME, b"hello");
        look(late);
        assert_eq!(notes.try_recv().as_deref(), Ok(&b"hello"[..]));
    }

    /// The listener of a process may be delayed anywhere while its rank hears and answers.
    #[test]
    fn a_successor_is_answered_as_soon_as_it_has_written() {
        let (here, mut heard) = process(ME);
        for incarnation in 0..200 {
            let life = Member { incarnation, ..DEAD };
            let (there, answers) = process(life);
            introduce(there, here);
            there.note(life, ME, b"hello");
            std::thread::scope(|scope| {
                let heard = &mut heard;
                scope.spawn(move || {
                    until(|| {
                        there.write_queued();
                        look(here);
                        heard.try_recv().is_ok()
                    });
                    here.note(ME, life, b"welcome");
                });
                if let Some(before) = incarnation.checked_sub(1) {
                    here.part(Member { incarnation: before, ..DEAD });
                }
                introduce(here, there);
            });
            here.write_queued();
            look(there);
            assert_eq!(answers.try_recv().as_deref(), Ok(&b"welcome"[..]), "{incarnation}");
        }
    }

    fn until(is_so: impl Fn() -> bool) {
        let end = std::time::Instant::now() + std::time::Duration::from_secs(60);
        while !is_so() {
            assert!(std::time::Instant::now() < end);
            std::thread::yield_now();
        }
    }
}
