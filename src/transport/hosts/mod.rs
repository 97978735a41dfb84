//! The wire between hosts: frames like those in the rings of one host, carried by TCP or UCX.
//!
//! A short message goes along with its frame. A longer one stays with its sender: the receiver asks
//! for it, and gets it in pieces, which whoever makes progress there sends, rank or service thread.
//! A process talks only to lives of others that it has been told of, and hears nobody else. A
//! [`Member`] is a process here, and a life of it, whatever ranks it has.
//!
//! Where ranks share the process, only its service thread uses the network, and sends what they
//! leave in the outbox: a rank may be ended in a system call that waits, or switched away from, and
//! would leave the network, and its lock, in the middle of something.

mod attendance;
mod frame;
mod order;
mod outbox;
mod silence;

use crate::base::Member;
use crate::host::memory::Span;
use crate::host::sched;
use crate::transport::network::{Endpoint, Worker};
use crate::transport::processes::stream::{BEAT, BEAT_BACK, Frame};
use crate::transport::readable::wait_for;
use attendance::Attendance;
use frame::Stamp;
use order::Sequence;
use outbox::Outbox;
use parking_lot::{Condvar, Mutex};
use silence::{Act, Silence};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How a process of another host is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distant {
    pub incarnation: u32,
    /// Of its worker (see `network`).
    pub address: Vec<u8>,
}

/// Where this process is among the hosts of its job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OnHost {
    pub host: u32,
    /// Only processes of the job know it.
    pub key: u64,
}

/// What has passed between this process and a life of one on another host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Traffic {
    pub peer: Member,
    /// How many frames this process has sent to it, and taken in from it.
    pub sent: u64,
    pub taken: u64,
}

/// A frame that has come.
pub(super) struct Letter {
    /// The process that has sent it.
    pub(super) from: Member,
    pub(super) frame: Frame,
    packed: Vec<u8>,
}

impl Letter {
    /// One as it would come.
    #[cfg(test)]
    pub(super) fn with(from: Member, frame: Frame, bytes: &[u8]) -> Letter {
        let stamp = Stamp { key: 0, number: 0, from: 0, life: 0, to: 0 };
        Letter { from, packed: frame::pack(stamp, &frame, bytes), frame }
    }

    /// What comes with the frame.
    pub(super) fn bytes(&self) -> &[u8] {
        frame::bytes_of(&self.packed)
    }
}

/// The processes of other hosts, as one process sees them.
pub(super) struct Hosts {
    me: Member,
    here: OnHost,
    address: Vec<u8>,
    /// Of the network, and of the outbox.
    descriptors: Vec<i32>,
    net: Mutex<Net>,
    /// The host of each process, plus one; 0: not known.
    hosts: Box<[AtomicU32]>,
    /// What ranks send that share this process, if they do.
    outbox: Option<Outbox>,
    questions: Mutex<Questions>,
    answered: Condvar,
    /// How many frames have come.
    arrivals: AtomicU64,
    attendance: Attendance,
    started: Instant,
}

struct Net {
    worker: Worker,
    lines: Vec<Line>,
    silence: Silence,
}

/// The way to one process of another host, and what comes from there.
#[derive(Default)]
struct Line {
    at: Option<Distant>,
    endpoint: Option<Endpoint>,
    /// There is no way to this life.
    refusal: Option<Refusal>,
    sent: u64,
    came: Sequence<Letter>,
    /// Lives before this one are over.
    from: u32,
    /// What a life has sent that is not known yet.
    early: Vec<(Stamp, Letter)>,
    is_reported: bool,
    /// Somebody wants to know whether it answers.
    is_wanted: bool,
}

/// Why there is no way.
struct Refusal {
    why: String,
    since: Instant,
    is_told: bool,
}

/// What this process has asked others.
#[derive(Default)]
struct Questions {
    next: u32,
    open: BTreeMap<u32, Question>,
}

struct Question {
    to: Member,
    answer: Option<Letter>,
    /// Nobody will answer.
    is_lost: bool,
}

impl Hosts {
    pub(super) fn open(
        me: Member, here: OnHost, (processes, is_shared): (usize, bool), net: &str,
    ) -> Result<Hosts, String> {
        let worker = Worker::open(net)?;
        let outbox = is_shared.then(Outbox::open).transpose();
        let outbox = outbox.map_err(|error| format!("cannot make sockets: {error}"))?;
        let (address, mut descriptors) = (worker.address()?, worker.descriptors());
        descriptors.extend(outbox.as_ref().map(Outbox::descriptor));
        let lines = (0..processes).map(|_| Line::default()).collect();
        let hosts: Box<[AtomicU32]> = (0..processes).map(|_| AtomicU32::new(0)).collect();
        hosts[me.seat].store(here.host + 1, Ordering::Relaxed);
        Ok(Hosts {
            me,
            here,
            address,
            descriptors,
            net: Mutex::new(Net { worker, lines, silence: Silence::default() }),
            hosts,
            outbox,
            questions: Mutex::default(),
            answered: Condvar::new(),
            arrivals: AtomicU64::new(0),
            attendance: Attendance::default(),
            started: Instant::now(),
        })
    }

    pub(super) fn me(&self) -> Member {
        self.me
    }

    /// Whether only the service thread sends and takes anything.
    #[inline]
    pub(super) fn has_outbox(&self) -> bool {
        self.outbox.is_some()
    }

    pub(super) fn address(&self) -> &[u8] {
        &self.address
    }

    /// A process is on this host.
    pub(super) fn locate(&self, process: usize, host: u32) {
        self.hosts[process].store(host + 1, Ordering::Release);
    }

    /// The host of a process, if it was ever told.
    pub(super) fn host_of(&self, process: usize) -> Option<u32> {
        self.hosts[process].load(Ordering::Acquire).checked_sub(1)
    }

    /// Whether a process is known to be on another host.
    pub(super) fn is_distant(&self, process: usize) -> bool {
        self.host_of(process).is_some_and(|host| host != self.here.host)
    }

    /// A life of a process of another host is reached there from now on.
    pub(super) fn meet(&self, process: usize, at: Distant) {
        let mut net = self.net.lock();
        let Net { worker, lines, silence, .. } = &mut *net;
        silence.forget(process);
        let line = &mut lines[process];
        if let Some(endpoint) = line.endpoint.take() {
            worker.close(endpoint);
        }
        let early = std::mem::take(&mut line.early);
        *line = Line { from: at.incarnation, at: Some(at), early, ..Line::default() };
    }

    /// The life of a process that was met is over.
    pub(super) fn part(&self, process: usize) {
        let mut net = self.net.lock();
        let Net { worker, lines, silence, .. } = &mut *net;
        silence.forget(process);
        let line = &mut lines[process];
        let endpoint = line.endpoint.take();
        if let Some(over) = line.at.take() {
            let from = over.incarnation + 1;
            *line = Line { from, early: std::mem::take(&mut line.early), ..Line::default() };
        }
        if let Some(endpoint) = endpoint {
            worker.close(endpoint);
        }
        drop(net);
        self.give_up(|to| to.seat == process);
    }

    /// The life that sits in a place on another host, if it was met.
    pub(super) fn life(&self, process: usize) -> Option<u32> {
        self.net.lock().lines[process].at.as_ref().map(|at| at.incarnation)
    }

    /// Whether a life was met, and is not known to be out of reach.
    fn reaches(&self, to: Member) -> bool {
        let line = &self.net.lock().lines[to.seat];
        line.at.as_ref().is_some_and(|at| at.incarnation == to.incarnation)
            && !line.endpoint.as_ref().is_some_and(Endpoint::is_broken)
            && !line.is_refused()
    }

    /// Sends a frame; false if the process was not met yet. What is sent to a process that cannot
    /// be reached any more is lost: its end will be told.
    pub(super) fn send(&self, process: usize, frame: &Frame, bytes: &[u8]) -> bool {
        let mut net = self.net.lock();
        let Net { worker, lines, .. } = &mut *net;
        let line = &mut lines[process];
        let Some(at) = &line.at else { return false };
        let number = line.sent;
        if let Some(outbox) = &self.outbox {
            let to = Member { seat: process, incarnation: at.incarnation };
            let packed = frame::pack(self.stamp(process, number), frame, bytes);
            line.sent += 1;
            outbox.put(to, packed);
            drop(net);
            outbox.wake();
            return true;
        }
        if let Some(endpoint) = line.connected(worker) {
            let head = frame::head(self.stamp(process, number), frame);
            worker.send(endpoint, &head, bytes);
            line.sent += 1;
        }
        true
    }

    /// Sends a frame, memory of this process, which stays until it has arrived, and an end: zeros
    /// if it is not there. For a process that has no outbox.
    pub(super) fn send_lent(&self, process: usize, frame: &Frame, lent: Vec<Span>, end: &[u8]) {
        let mut net = self.net.lock();
        let Net { worker, lines, .. } = &mut *net;
        let line = &mut lines[process];
        let number = line.sent;
        if let Some(endpoint) = line.connected(worker) {
            let head = frame::head(self.stamp(process, number), frame);
            worker.send_lent(endpoint, &head, lent, end);
            line.sent += 1;
        }
    }

    /// Sends what is in the outbox. The service thread does that.
    fn empty_outbox(&self, net: &mut Net) {
        let Net { worker, lines, .. } = net;
        while let Some((Member { seat: process, incarnation }, packed)) =
            self.outbox.as_ref().and_then(Outbox::take)
        {
            let line = &mut lines[process];
            // Another life numbers what it gets from the beginning.
            if line.at.as_ref().is_some_and(|at| at.incarnation == incarnation)
                && let Some(endpoint) = line.connected(worker)
            {
                worker.send(endpoint, &packed, &[]);
            }
        }
    }

    /// That of a frame for a process.
    fn stamp(&self, to: usize, number: u64) -> Stamp {
        let Member { seat, incarnation: life } = self.me;
        let (from, to) = (seat as u32, to as u32);
        Stamp { key: self.here.key, number, from, life, to }
    }

    /// Sends a beat, or the answer to one. Beats are no part of what is numbered and counted.
    fn beat(&self, net: &mut Net, kind: u32, process: usize) {
        let Net { worker, lines, .. } = net;
        let line = &mut lines[process];
        if let Some(endpoint) = line.connected(worker) {
            let frame = Frame { kind, ..Frame::default() };
            worker.send(endpoint, &frame::head(self.stamp(process, 0), &frame), &[]);
        }
    }

    /// Lets the network work, and takes what has come, in order.
    pub(super) fn poll(&self, into: &mut VecDeque<Letter>) {
        // Whoever has it is at work.
        let Some(mut net) = self.net.try_lock() else { return };
        self.empty_outbox(&mut net);
        for packed in net.worker.progress() {
            let Some((stamp, frame)) = frame::unpack(&packed) else { continue };
            let is_ours = stamp.key == self.here.key && stamp.to as usize == self.me.seat;
            let from = stamp.from as usize;
            let Some(line) = net.lines.get_mut(from).filter(|_| is_ours) else { continue };
            let is_known = line.at.as_ref().is_some_and(|at| at.incarnation == stamp.life);
            if is_known {
                net.silence.hear(from, self.started.elapsed());
            }
            if let BEAT | BEAT_BACK = frame.kind {
                if frame.kind == BEAT && is_known {
                    self.beat(&mut net, BEAT_BACK, from);
                }
                continue;
            }
            let line = &mut net.lines[from];
            let from = Member { seat: from, incarnation: stamp.life };
            line.hear(stamp, Letter { from, frame, packed }, into);
            self.arrivals.fetch_add(1, Ordering::Relaxed);
        }
        for line in net.lines.iter_mut().filter(|line| line.at.is_some() && !line.early.is_empty())
        {
            for (stamp, letter) in std::mem::take(&mut line.early) {
                self.arrivals.fetch_add(1, Ordering::Relaxed);
                line.hear(stamp, letter, into);
            }
        }
    }

    /// A number that changes when frames come.
    pub(super) fn arrivals(&self) -> u64 {
        self.arrivals.load(Ordering::Relaxed)
    }

    /// The lives that cannot be reached any more, each once.
    pub(super) fn broken(&self) -> Vec<Member> {
        let mut net = self.net.lock();
        let lines = net.lines.iter_mut().enumerate();
        let broken = lines.filter_map(|(seat, line)| {
            let is_broken = line.endpoint.as_ref().is_some_and(Endpoint::is_broken);
            if !is_broken || std::mem::replace(&mut line.is_reported, true) {
                return None;
            }
            Some(Member { seat, incarnation: line.at.as_ref()?.incarnation })
        });
        let broken: Vec<Member> = broken.collect();
        drop(net);
        self.give_up(|to| broken.contains(&to));
        broken
    }

    /// Somebody wants to know whether this life answers.
    pub(super) fn try_to_reach(&self, member: Member) {
        let line = &mut self.net.lock().lines[member.seat];
        line.is_wanted |= line.at.as_ref().is_some_and(|at| at.incarnation == member.incarnation);
    }

    /// Asks lives that have said nothing for a while, one on each host that this process has sent
    /// anything to. Returns those that do not answer from now on, or are heard again.
    pub(super) fn listen(&self) -> Vec<(Member, bool)> {
        let mut net = self.net.lock();
        let now = self.started.elapsed();
        if !net.silence.is_due(now) {
            return Vec::new();
        }
        let (mut watched, mut hosts) = (Vec::new(), BTreeSet::new());
        for (seat, line) in net.lines.iter().enumerate().filter(|(_, line)| line.at.is_some()) {
            let is_used = line.endpoint.as_ref().is_some_and(|endpoint| !endpoint.is_broken());
            if line.is_wanted || is_used && hosts.insert(self.host_of(seat)) {
                watched.push(seat);
            }
        }
        let mut told = Vec::new();
        for act in net.silence.look(now, &watched) {
            match act {
                Act::Ask(seat) => self.beat(&mut net, BEAT, seat),
                Act::Tell { peer: seat, is_silent } => {
                    let life = net.lines[seat].at.as_ref().map(|at| at.incarnation);
                    told.extend(life.map(|incarnation| (Member { seat, incarnation }, is_silent)));
                }
            }
        }
        told
    }

    /// A process that lives and to which there is no way, and why, if there is one; told once. A
    /// refusal may also be the first that is seen of a death, so that it is held back for a while.
    /// To lives that have left, there need not be a way.
    pub(super) fn refusal(&self, has_left: impl Fn(Member) -> bool) -> Option<(usize, String)> {
        const UNTIL_A_DEATH_IS_KNOWN: Duration = Duration::from_secs(2);
        let mut net = self.net.lock();
        let Net { worker, lines, .. } = &mut *net;
        let (mut told, mut gone) = (None, Vec::new());
        for (seat, line) in lines.iter_mut().enumerate() {
            line.note_refusal(worker);
            let (Some(refusal), Some(at)) = (&mut line.refusal, &line.at) else { continue };
            if has_left(Member { seat, incarnation: at.incarnation }) {
                gone.push(seat);
            } else if !refusal.is_told && told.is_none() {
                refusal.is_told = refusal.since.elapsed() >= UNTIL_A_DEATH_IS_KNOWN;
                told = refusal.is_told.then(|| (seat, refusal.why.clone()));
            }
        }
        drop(net);
        gone.into_iter().for_each(|process| self.part(process));
        told
    }

    /// Nobody answers what these lives were asked.
    fn give_up(&self, is_over: impl Fn(Member) -> bool) {
        let mut questions = self.questions.lock();
        let lost = questions.open.values_mut().filter(|question| is_over(question.to));
        lost.for_each(|question| question.is_lost = true);
        self.answered.notify_all();
    }

    /// Who looks after the network: the rank, or the service thread.
    pub(super) fn attendance(&self) -> &Attendance {
        &self.attendance
    }

    /// Sleeps until there may be something to do.
    pub(super) fn sleep(&self) {
        const WHILE_SENDING: Duration = Duration::from_millis(2);
        const IDLE: Duration = Duration::from_millis(200);
        let mut net = self.net.lock();
        if !net.worker.arm() || !self.outbox.as_ref().is_none_or(Outbox::may_sleep) {
            return;
        }
        let time = if net.worker.is_sending() { WHILE_SENDING } else { IDLE };
        drop(net);
        wait_for(&self.descriptors, time);
        if let Some(outbox) = &self.outbox {
            outbox.has_slept();
        }
    }

    /// Asks a life of another host something; `None`: it is over. `work` is done while waiting.
    pub(super) fn ask(&self, to: Member, frame: Frame, work: &dyn Fn()) -> Option<Letter> {
        let number = self.pose(to, frame, &[])?;
        self.answer(number, work)
    }

    /// Asks without waiting for the answer, which is to be taken by [`Hosts::answer`].
    pub(super) fn pose(&self, to: Member, frame: Frame, bytes: &[u8]) -> Option<u32> {
        let mut questions = self.questions.lock();
        let number = questions.next;
        questions.next = number.wrapping_add(1);
        questions.open.insert(number, Question { to, answer: None, is_lost: false });
        drop(questions);
        let mut frame = frame;
        frame.envelope.context = number;
        if self.reaches(to) && self.send(to.seat, &frame, bytes) && self.reaches(to) {
            return Some(number);
        }
        self.questions.lock().open.remove(&number);
        None
    }

    /// Waits for an answer; `None`: nobody gives one any more.
    pub(super) fn answer(&self, number: u32, work: &dyn Fn()) -> Option<Letter> {
        const AGAIN: Duration = Duration::from_millis(1);
        const SPINS: usize = 1000;
        for turn in 0.. {
            work();
            let mut questions = self.questions.lock();
            let question = questions.open.get(&number)?;
            if question.answer.is_some() || question.is_lost {
                return questions.open.remove(&number)?.answer;
            }
            if turn > SPINS || sched::is_yielding_dear() {
                self.attendance.leave();
                self.answered.wait_for(&mut questions, AGAIN);
            } else {
                drop(questions);
                if self.outbox.is_none() {
                    self.attendance.look();
                }
                sched::yield_now();
            }
        }
        None
    }

    /// An answer has come.
    pub(super) fn settle(&self, letter: Letter) {
        let mut questions = self.questions.lock();
        if let Some(question) = questions.open.get_mut(&letter.frame.envelope.context)
            && question.to == letter.from
        {
            question.answer = Some(letter);
            self.answered.notify_all();
        }
    }

    /// What has passed between this process and each life of another host; `None`: the network is
    /// at work, or refuses a life, of which more will be heard.
    pub(super) fn traffic(&self) -> Option<Vec<Traffic>> {
        let net = self.net.try_lock()?;
        let is_refused = net.lines.iter().any(Line::is_refused);
        let has_more = self.outbox.as_ref().is_some_and(|it| !it.is_empty());
        if net.worker.is_sending() || has_more || is_refused {
            return None;
        }
        let lines = net.lines.iter().enumerate();
        let met = lines.filter_map(|(seat, line)| {
            let peer = Member { seat, incarnation: line.at.as_ref()?.incarnation };
            Some(Traffic { peer, sent: line.sent, taken: line.came.taken() })
        });
        Some(met.filter(|traffic| traffic.sent + traffic.taken > 0).collect())
    }

    /// The lives to which anything was sent.
    pub(super) fn correspondents(&self) -> Vec<Member> {
        let net = self.net.lock();
        let lines = net.lines.iter().enumerate();
        let met = lines.filter(|(_, line)| {
            let is_broken = line.endpoint.as_ref().is_some_and(Endpoint::is_broken);
            line.sent > 0 && !is_broken
        });
        met.filter_map(|(seat, line)| {
            Some(Member { seat, incarnation: line.at.as_ref()?.incarnation })
        })
        .collect()
    }
}

impl Line {
    /// The endpoint, which is made when it is first used. A life that was refused once stays so:
    /// what was to go to it is lost.
    fn connected(&mut self, worker: &mut Worker) -> Option<&Endpoint> {
        let at = self.at.as_ref()?;
        if self.endpoint.is_none() && self.refusal.is_none() {
            match worker.connect(&at.address)? {
                Ok(endpoint) => self.endpoint = Some(endpoint),
                Err(why) => self.refuse(why),
            }
        }
        self.endpoint.as_ref()
    }

    fn refuse(&mut self, why: String) {
        self.refusal = Some(Refusal { why, since: Instant::now(), is_told: false });
    }

    fn is_refused(&self) -> bool {
        let refuses = |endpoint: &Endpoint| endpoint.refusal().is_some();
        self.refusal.is_some() || self.endpoint.as_ref().is_some_and(refuses)
    }

    /// That there is no way may show after the endpoint was made.
    fn note_refusal(&mut self, worker: &mut Worker) {
        if let Some(why) = self.endpoint.as_ref().and_then(Endpoint::refusal) {
            self.refuse(why.into());
            self.endpoint.take().into_iter().for_each(|endpoint| worker.close(endpoint));
        }
    }

    fn hear(&mut self, stamp: Stamp, letter: Letter, into: &mut VecDeque<Letter>) {
        if stamp.life < self.from {
            return;
        }
        match self.at.as_ref().is_some_and(|at| at.incarnation == stamp.life) {
            true => self.came.accept(stamp.number, letter, |letter| into.push_back(letter)),
            false => self.early.push((stamp, letter)),
        }
    }
}
