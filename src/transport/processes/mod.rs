//! The wire between processes of one host: rings in memory that they share for short messages; long
//! ones are read where they are.
//!
//! Whoever looks for messages takes in what has come for any rank of this process and hands it to
//! its inbox, so matching knows nothing of other processes. Nothing that is shared is ever locked.
//! A process that dies leaves its messages behind as far as they were complete.

mod area;
mod arrivals;
mod cooperative_copy;
mod distant;
pub(in crate::transport) mod foreign;
mod intake;
mod notes;
mod outgoing;
mod peer;
pub(in crate::transport) mod remote_memory;
mod reservation;
mod rooms;
mod segment;
mod short;
pub(in crate::transport) mod shown;
mod stillness;
pub(in crate::transport) mod stream;

pub use area::{Area, Hall, LONGEST as LONGEST_IN_AREA, MOST as MOST_IN_AREA, Seat};
pub use distant::OfHosts;
pub use reservation::Reservation;
pub use segment::{Address, MOST as MOST_PROCESSES};
pub use short::Next;
pub use stream::{Short, Taken};

use crate::base::sync::biased::Biased;
use crate::base::sync::fence;
use crate::base::{Division, Member};
use crate::host::memory::Region;
use crate::host::memory::afar::Missing;
use crate::host::sched::{Bell, Seen, SharedBell};
use crate::transport::hosts::{Hosts, Letter};
use crate::transport::inbox::{Outside, Wire};
use crate::transport::packet::pool::Pool;
use crate::transport::packet::{Packet, Port, Ticket, expect_recalls};
use foreign::{Foreign, OPEN, Origin, Place, RECALLED, STATE};
use parking_lot::Mutex;
use peer::{Away, Parcel, Peer, Waiting};
use segment::{Geometry, HOLDS, Head, MappedHead, Segment};
use std::collections::{HashMap, VecDeque};
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use stream::{Frame, RETURN, Reader};

/// All processes of a job, as one of them sees them. Each has one rank, unless they share.
pub struct Processes {
    me: usize,
    /// How often this process has been started before: if it has one rank, which life of it that
    /// is.
    life: u32,
    /// Which seats are in which process.
    division: Division,
    /// For each seat: lives before this one are over, and what is meant for them is not sent.
    first_lives: Box<[AtomicU32]>,
    /// For each process: the start of it that is the present or the next one.
    starts: Box<[AtomicU32]>,
    geometry: Geometry,
    segment: Segment,
    /// Only what ranks do again and again makes them the owners of these.
    peers: Box<[Biased<Peer>]>,
    incoming: Biased<Incoming>,
    away: Mutex<Away>,
    /// Where packets are at home that carry messages of others.
    porch: &'static Port,
    wire: OnceLock<&'static Wire>,
    /// How many frames wait for room in the rings of processes that can be reached.
    queued: AtomicUsize,
    /// Whether somebody has been asked to write them.
    is_helped: AtomicBool,
    help: OnceLock<Box<dyn Fn() + Send + Sync>>,
    note_handler: OnceLock<Box<NoteHandler>>,
    /// The way to processes of other hosts, if the job has several.
    hosts: OnceLock<Hosts>,
    /// The messages that wait for this process on other hosts, by process, hold and stamp, and
    /// whether their senders have said that they have recalled them.
    references: Mutex<HashMap<(usize, u32, u32), bool>>,
    /// What all processes of the job share, if it has one host.
    area: OnceLock<Area>,
    /// Rung whenever this process is, where ranks share it: they watch the area.
    watchers: Mutex<Vec<&'static Bell>>,
}

/// Those of this process, if its job has several.
static OF_PROCESS: OnceLock<&'static Processes> = OnceLock::new();

/// Reads the notes from a rank to one of this process. It waits for nothing, and may be called by
/// any thread.
type NoteHandler = dyn Fn(Member, Member, &[u8]) + Send + Sync;

struct Watcher<'a> {
    of: &'a Processes,
    bell: &'static Bell,
}

impl Drop for Watcher<'_> {
    fn drop(&mut self) {
        let mut watchers = self.of.watchers.lock();
        if let Some(place) = watchers.iter().position(|bell| std::ptr::eq(*bell, self.bell)) {
            watchers.swap_remove(place);
        }
    }
}

/// What comes from other processes.
struct Incoming {
    readers: Vec<(usize, Reader)>,
    /// The place of the last one that was asked for.
    asked: usize,
    /// Whose turn it is: all have theirs.
    first: usize,
    /// What [`Head::contacts`] was when they were looked for.
    contacts: u32,
    pool: Pool,
    broken: Vec<usize>,
    /// What has come from other hosts.
    letters: VecDeque<Letter>,
}

impl Processes {
    /// The wire of the process in which this seat is, in its life of this number.
    pub fn new(me: Member, division: Division, is_crowded: bool) -> io::Result<&'static Processes> {
        let processes = Processes::make(me, division)?;
        // Who sleeps for each message makes the fence himself: it is more than one processor's.
        if !is_crowded && fence::arm_among_processes() {
            processes.segment.head.get().bell.be_heard_from_afar();
        }
        expect_recalls(recall);
        Ok(OF_PROCESS.get_or_init(|| processes))
    }

    fn make(me: Member, division: Division) -> io::Result<&'static Processes> {
        let (processes, life) = (division.processes(), me.incarnation);
        let me = division.process_of(me.seat);
        assert!(me < processes && processes <= MOST_PROCESSES, "they fit");
        let geometry = Geometry::of(processes);
        let segment = Segment::new(geometry)?;
        fence::arm();
        // A receiver reads a long message from the memory of this process.
        // SAFETY: it only allows what the same user may do anyway, whatever the system's policy.
        unsafe { libc::prctl(libc::PR_SET_PTRACER, libc::PR_SET_PTRACER_ANY) };
        let porch: &'static Port = Box::leak(Box::new(Port::new(me as u32)));
        let incoming = Incoming {
            readers: Vec::new(),
            asked: 0,
            first: 0,
            contacts: 0,
            pool: Pool::new(porch),
            broken: Vec::new(),
            letters: VecDeque::new(),
        };
        Ok(Box::leak(Box::new(Processes {
            me,
            life,
            first_lives: (0..division.seats()).map(|_| AtomicU32::new(0)).collect(),
            starts: (0..processes).map(|_| AtomicU32::new(0)).collect(),
            division,
            geometry,
            segment,
            peers: (0..processes).map(|_| Biased::default()).collect(),
            incoming: Biased::new(incoming),
            away: Mutex::default(),
            porch,
            wire: OnceLock::new(),
            queued: AtomicUsize::new(0),
            is_helped: AtomicBool::new(false),
            help: OnceLock::new(),
            note_handler: OnceLock::new(),
            hosts: OnceLock::new(),
            references: Mutex::default(),
            area: OnceLock::new(),
            watchers: Mutex::default(),
        })))
    }

    /// The wire for ranks in these processes.
    pub fn wire_for(&'static self, seats: usize) -> &'static Wire {
        self.wire.get_or_init(|| Wire::across(self, seats))
    }

    fn wire(&self) -> &'static Wire {
        self.wire.get().expect("a wire is made with what belongs to it")
    }

    /// By which descriptor others open what they write to.
    pub fn descriptor(&self) -> i32 {
        self.segment.descriptor()
    }

    /// `help` is called when frames wait for room and nobody may be looking: somebody is to call
    /// [`Processes::write_queued`] from time to time until it returns true.
    pub fn expect_help(&self, help: Box<dyn Fn() + Send + Sync>) {
        self.help.get_or_init(|| help);
    }

    /// All processes of the job share the memory that one has open there; each learns of it before
    /// it meets any other.
    pub fn share(&self, at: Address) -> io::Result<()> {
        let area = Area::open(at, self.me, self.peers.len())?;
        if fence::is_armed_among_processes() {
            area.bell_of(self.me).be_heard_from_afar();
        }
        self.area.get_or_init(|| area).be_for_world(0);
        Ok(())
    }

    /// The world has this context from now on.
    pub fn be_for_world(&self, context: u32) {
        if let Some(area) = self.area.get() {
            area.be_for_world(context);
        }
    }

    /// The memory in which members work together without messages, if there is any.
    pub fn area(&'static self) -> Option<&'static Area> {
        self.area.get()
    }

    /// Whether a receiver asks for help with a long message.
    #[inline]
    pub fn is_invited(&self) -> bool {
        self.head().invitation.is_open()
    }

    /// Helps with a long message that a receiver elsewhere copies, if it asks for that.
    #[inline]
    pub fn helps(&self) -> bool {
        self.is_invited() && self.head().invitation.help(|claim| self.kept(claim))
    }

    /// What others ring for this process.
    fn bell(&self) -> &SharedBell {
        self.bell_of(self.me, self.head())
    }

    /// What is rung for a process, of which this is the head.
    #[inline]
    fn bell_of<'a>(&'a self, process: usize, head: &'a Head) -> &'a SharedBell {
        match self.area.get() {
            Some(area) => area.bell_of(process),
            None => &head.bell,
        }
    }

    fn head(&self) -> &Head {
        self.segment.head.get()
    }

    /// As long as the returned value lives, this bell rings whenever that of this process does.
    pub fn watch(&self, bell: &'static Bell) -> impl Drop + '_ {
        self.watchers.lock().push(bell);
        Watcher { of: self, bell }
    }

    fn call_watchers(&self) {
        self.watchers.lock().iter().for_each(|bell| bell.unpark());
    }

    /// The seats of this process.
    pub fn seats(&self) -> Range<usize> {
        self.division.seats_of(self.me)
    }

    /// Whether several ranks may be in one process.
    #[inline]
    pub fn are_shared(&self) -> bool {
        self.division.is_shared()
    }

    /// The process in which a seat is.
    #[inline]
    pub fn process_of(&self, seat: usize) -> usize {
        self.division.process_of(seat)
    }

    /// What is known of a rank as this process begins.
    pub fn know(&self, member: Member, is_alive: bool) {
        let first_life = member.incarnation + u32::from(!is_alive);
        if first_life > 0 {
            if !self.are_shared() {
                self.expect(member.seat, first_life);
            }
            self.retire(Member { incarnation: first_life - 1, ..member });
        }
    }

    /// This start of a process is the present or the next one, as this process begins.
    pub fn expect(&self, process: usize, life: u32) {
        if life > 0 {
            self.starts[process].store(life, Ordering::Relaxed);
            self.segment.expect_life(process, life);
        }
    }

    /// A rank of another process is dead. Its process has ended with it, unless there are others.
    pub fn lose(&self, member: Member) {
        if !self.are_shared() {
            return self.part(member);
        }
        // Whoever looked just before may have missed its last words.
        self.take_all(&mut self.incoming.visit(), |_| Taken::No);
        self.retire(member);
    }

    /// The process of this seat has ended, in this life. What it has sent is in; nothing is sent to
    /// it any more.
    pub fn part(&self, member: Member) {
        let process = self.process_of(member.seat);
        let mut incoming = self.incoming.visit();
        let next = member.incarnation + 1;
        // Who knows of that already may have heard from the next one.
        if self.starts[process].fetch_max(next, Ordering::Relaxed) >= next {
            return;
        }
        // Whoever looked just before may have missed its last words.
        self.take_all(&mut incoming, |_| Taken::No);
        incoming.readers.retain(|(of, _)| *of != process);
        incoming.broken.retain(|of| *of != process);
        self.head().forget(process);
        self.segment.clear(process);
        drop(incoming);
        if let Some(hosts) = self.hosts.get() {
            hosts.part(process);
        }
        if !self.are_shared() {
            self.retire(member);
        }
        self.leave(process);
        let mut away = self.away.lock();
        let is_lost = |waiting: &Option<Waiting>| {
            waiting.as_ref().is_some_and(|waiting| waiting.process == process)
        };
        let lost: Vec<usize> = (0..HOLDS).filter(|place| is_lost(&away.packets[*place])).collect();
        let lost: Vec<Waiting> = lost.into_iter().filter_map(|place| away.take(place)).collect();
        drop(away);
        self.head().invitation.forget(process);
        // They go home without having been delivered.
        drop(lost);
        // Not before: the next one is answered as soon as it has written, and not at this address.
        self.segment.expect_life(process, next);
        // It may have died between two steps of a ring.
        self.bell().ring_for_the_dead();
        self.head().note_bell.ring_for_the_dead();
    }

    /// Whether anything has come from another process.
    pub fn has_news(&self) -> bool {
        self.incoming.try_lock().is_some_and(|incoming| self.has_news_of(&incoming))
    }

    fn has_news_of(&self, incoming: &Incoming) -> bool {
        incoming.contacts != self.head().contacts()
            || !incoming.letters.is_empty()
            || incoming.readers.iter().any(|(_, reader)| reader.has_frame())
    }

    /// Takes in what has come from other processes, and writes what has waited for room. `wants`
    /// may take short messages, in order, before they go to an inbox. `surely`: all that has come
    /// by now is taken in, whoever else is about to do it.
    #[inline]
    pub fn poll_for(&self, surely: bool, wants: impl FnMut(Short) -> Taken) {
        if self.queued.load(Ordering::Relaxed) != 0 {
            self.write_queued();
        }
        let incoming = match surely {
            true => Some(self.incoming.visit()),
            // Another thread does it, if it cannot be had.
            false => self.incoming.try_lock(),
        };
        if let Some(mut incoming) = incoming {
            self.take_all(&mut incoming, wants);
        }
    }

    /// Sleeps on `bell` until it rings, or something has come from another process.
    pub fn park(&self, bell: &Bell, seen: Seen, is_so: impl Fn() -> bool) {
        if self.are_shared() {
            // Whoever attends to messages rings it.
            if !is_so() {
                bell.park(seen);
            }
            return;
        }
        let heard = self.bell().listen();
        if let Some(hosts) = self.hosts.get() {
            hosts.attendance().leave();
        }
        // Another thread may have looked before this one listened.
        let has_news = self.has_news_of(&self.incoming.visit());
        if !has_news && !is_so() {
            bell.park_with(seen, self.bell(), heard);
        }
    }
}

impl Outside for Processes {
    #[inline]
    fn has(&self, seat: usize) -> bool {
        self.process_of(seat) != self.me
    }

    fn post(&'static self, seat: usize, packet: Packet) {
        let to = Member { seat, incarnation: packet.addressee() };
        self.push(to, Parcel::Message(seat, packet));
    }
}

impl Origin for Processes {
    fn is_alive(&self, seat: usize, incarnation: u32) -> bool {
        seat < self.wire().size() && self.wire().port(seat).is_alive(incarnation)
    }

    fn is_there(&self, process: usize, head: &Arc<MappedHead>) -> bool {
        self.peers[process].visit().has(head)
    }

    fn helped(&self) -> Option<usize> {
        fence::is_armed_among_processes().then_some(self.me)
    }

    fn claim(&self, foreign: &Foreign, incarnation: u32) -> bool {
        self.claim_distant(foreign, incarnation)
    }

    fn is_recalled(&self, foreign: &Foreign) -> bool {
        let (process, hold, stamp) = (foreign.process, foreign.hold, foreign.stamp);
        self.references.lock().get(&(process, hold, stamp)).copied().unwrap_or(false)
    }

    fn fetch(&self, from: Member, address: usize, into: &Region) -> Result<(), Missing> {
        self.fetch_distant(from, address, into)
    }

    fn give_back(&self, foreign: &Foreign, is_delivered: bool, fault: Option<usize>) {
        if let Place::Distant { .. } = foreign.place {
            self.references.lock().remove(&(foreign.process, foreign.hold, foreign.stamp));
        }
        let fate = match fault {
            Some(_) => 2,
            None => i32::from(is_delivered),
        };
        let mut frame =
            Frame { kind: RETURN, hold: foreign.hold, stamp: foreign.stamp, ..Frame::default() };
        frame.envelope.tag = fate;
        frame.address = fault.unwrap_or(0) as u64;
        let peer = self.peers[foreign.process].visit();
        // Its next life knows nothing of it.
        let is_same = match &foreign.place {
            Place::Near { head, .. } => peer.has(head),
            Place::Distant { incarnation } => self.is_life(foreign.process, *incarnation),
        };
        if is_same {
            self.queue(foreign.process, peer, Parcel::Return(frame));
        }
    }
}

/// Takes a message back that waits in this process for a receiver elsewhere; false when it has been
/// claimed, or is home. Its place is free at once: what its receiver may still know of it has a
/// stamp that no message there has any more.
fn recall(ticket: Ticket) -> bool {
    OF_PROCESS.get().is_some_and(|processes| processes.recall(ticket))
}

impl Processes {
    fn recall(&self, ticket: Ticket) -> bool {
        let mut away = self.away.lock();
        let is_meant = |waiting: &Option<Waiting>| {
            waiting.as_ref().is_some_and(|waiting| waiting.packet.is_of(ticket))
        };
        let Some(place) = away.packets.iter().position(is_meant) else {
            // It has come back, as there was no room for it, or it is home.
            return ticket.recall_from_here().is_ok();
        };
        if !self.recall_hold(place) {
            return false;
        }
        let waiting = away.take(place);
        drop(away);
        if let Some(Waiting { process, stamp, .. }) = &waiting {
            self.let_forget(*process, place as u32, *stamp);
        }
        // It goes home without having been delivered.
        drop(waiting);
        true
    }

    /// Whether the message in this place was still unclaimed; then nobody can claim it any more.
    fn recall_hold(&self, place: usize) -> bool {
        let hold = &self.head().holds[place];
        let found = hold.load(Ordering::Acquire);
        let (won, lost) = (Ordering::AcqRel, Ordering::Relaxed);
        let recalled = found & !STATE | RECALLED;
        found & STATE == OPEN && hold.compare_exchange(found, recalled, won, lost).is_ok()
    }
}
