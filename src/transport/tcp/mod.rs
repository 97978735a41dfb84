//! Plain TCP, which carries messages between hosts that have nothing faster: a worker of this
//! process, and endpoints that lead to those of others.
//!
//! Each worker makes a connection to each that it sends something to. Short messages between two
//! workers go by the connection of the one with the lower number in both directions, as soon as it
//! is there: then each acknowledges what has come with what it sends, which saves a third of the
//! packets. Long ones go by the connection of their sender, so that two messages may overtake each
//! other. If a process is killed that has something unread in a connection, what the network had
//! not taken of its last message there is lost. A worker is used by one thread at a time.

mod address;
mod greeting;
mod incoming;
mod outgoing;
mod reader;
#[cfg(test)]
mod tests;
mod writing;

use crate::base::slab::{Key, Slab};
use crate::host::interfaces;
use crate::host::memory::Span;
use address::Place;
use incoming::{EVENTS, Incoming};
use outgoing::{End, Ids, Outgoing};
use rustix::event::Timespec;
use rustix::event::epoll::{self, Event, EventData, EventFlags};
use rustix::fd::{AsFd, AsRawFd, OwnedFd};
use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::mem::MaybeUninit;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// What reaches and sends messages.
pub(super) struct Worker {
    poll: OwnedFd,
    listener: TcpListener,
    place: Place,
    interfaces: Vec<interfaces::Interface>,
    incoming: Slab<Incoming>,
    outgoing: Slab<Outgoing>,
    /// Those that have not yet said whom they look for, the oldest first.
    strangers: VecDeque<Key>,
    /// Endpoints that are being connected.
    connecting: Vec<Key>,
    /// Whence the last messages came, and how many in a row; and where only is looked at, and how
    /// often in a row.
    last: Option<(Source, u32)>,
    busiest: Option<(Source, u32)>,
    /// How many messages the network has not taken yet.
    queued: usize,
    scratch: Vec<u8>,
    arrived: Vec<Vec<u8>>,
}

/// The way to a worker of another process.
pub(super) struct Endpoint {
    key: Key,
    end: Arc<End>,
}

/// What something has happened to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    Listener,
    Incoming(Key),
    Outgoing(Key),
}

impl Source {
    fn data(self) -> EventData {
        EventData::new_u64(match self {
            Source::Listener => 0,
            Source::Incoming(key) => 1 << 32 | u64::from(key.number()),
            Source::Outgoing(key) => 2 << 32 | u64::from(key.number()),
        })
    }

    fn of(data: EventData) -> Source {
        let number = data.u64();
        match (number >> 32, Key::from_number(number as u32)) {
            (1, Some(key)) => Source::Incoming(key),
            (2, Some(key)) => Source::Outgoing(key),
            _ => Source::Listener,
        }
    }
}

impl Worker {
    /// Those who connect without saying whom they look for, at once.
    const MOST_STRANGERS: usize = 256;

    /// After so many messages in a row from one place, the next ones are expected there, too.
    const IN_A_ROW: u32 = 8;

    /// A worker that others reach by these interfaces, or by all.
    pub(super) fn open(names: &[&str]) -> Result<Worker, String> {
        let all = interfaces::all().map_err(|error| format!("no network interfaces: {error}"))?;
        let is_chosen = |it: &interfaces::Interface| names.contains(&it.name.as_str());
        let chosen: Vec<_> =
            all.iter().filter(|it| names.is_empty() || is_chosen(it)).cloned().collect();
        if chosen.is_empty() {
            let have: Vec<_> = all.iter().map(|it| it.name.as_str()).collect();
            return Err(format!(
                "no interface is named {}: there are {}",
                names.join(" or "),
                have.join(", ")
            ));
        }
        Worker::at(chosen).map_err(|error| format!("cannot listen to TCP: {error}"))
    }

    fn at(interfaces: Vec<interfaces::Interface>) -> io::Result<Worker> {
        const SCRATCH: usize = 64 << 10;
        let listener = address::listen()?;
        let poll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        epoll::add(&poll, &listener, Source::Listener.data(), EventFlags::IN)?;
        let place = Place::new(listener.local_addr()?.port(), &interfaces)?;
        Ok(Worker {
            poll,
            listener,
            place,
            interfaces,
            incoming: Slab::default(),
            outgoing: Slab::default(),
            strangers: VecDeque::new(),
            connecting: Vec::new(),
            last: None,
            busiest: None,
            queued: 0,
            scratch: vec![0; SCRATCH],
            arrived: Vec::new(),
        })
    }

    /// By what others reach this worker.
    pub(super) fn address(&self) -> Vec<u8> {
        self.place.bytes()
    }

    /// The way to the worker of this address. Whether it can be reached shows later.
    pub(super) fn connect(&mut self, address: &[u8]) -> Result<Endpoint, String> {
        let place = Place::from_bytes(address).ok_or("its address is of another version")?;
        let ways = place.ways_from(&self.interfaces);
        let end: Arc<End> = Arc::default();
        let ids = Ids { from: self.place.id, to: place.id };
        let mut outgoing = Outgoing::new(ids, ways, end.clone());
        outgoing.way_back = self.incoming.keys().find(|key| self.leads_back(*key, ids));
        let key = self.outgoing.insert(outgoing).map_err(|_| "too many connections")?;
        self.connecting.push(key);
        self.drive(key, |it, poll| it.connect(poll, Source::Outgoing(key).data()));
        Ok(Endpoint { key, end })
    }

    /// Whether short messages for this worker go by that connection.
    fn leads_back(&self, incoming: Key, ids: Ids) -> bool {
        let greeter = self.incoming.find(incoming).and_then(|it| it.greeter);
        greeter == Some(ids.to) && ids.to < ids.from
    }

    /// Sends a message, whose beginning and end are given. If the other end is gone, it is lost.
    pub(super) fn send(&mut self, to: &Endpoint, start: &[u8], end: &[u8]) {
        const SHORT: usize = 32 << 10;
        let outgoing = self.outgoing.find(to.key);
        if let Some(back) = outgoing.and_then(|it| it.way_back)
            && start.len() + end.len() <= SHORT
            && let Some(incoming) = self.incoming.find_mut(back)
            && incoming.send(start, end, &self.poll, Source::Incoming(back).data())
        {
            self.queued += usize::from(incoming.is_sending());
            return;
        }
        self.drive(to.key, |it, _| it.send(start, end));
    }

    /// Sends a message whose middle is memory of this process: see [`Outgoing::send_lent`].
    pub(super) fn send_lent(&mut self, to: &Endpoint, start: &[u8], lent: Vec<Span>, end: &[u8]) {
        self.drive(to.key, |it, _| it.send_lent(start, lent, end));
    }

    /// Does something with an endpoint, and keeps account of what it has not sent.
    fn drive(&mut self, key: Key, work: impl FnOnce(&mut Outgoing, &OwnedFd)) {
        if let Some(outgoing) = self.outgoing.find_mut(key) {
            let before = outgoing.queued();
            work(outgoing, &self.poll);
            outgoing.expect_room(&self.poll, Source::Outgoing(key).data());
            self.queued = self.queued + outgoing.queued() - before;
        }
    }

    /// Lets the network work, and hands over what has come.
    pub(super) fn progress(&mut self) -> Vec<Vec<u8>> {
        // Where they have come from one place for a while, a look there is the cheapest.
        const LOOKS: u32 = 4;
        const AT_ONCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 0 };
        if let Some((source, turns)) = self.busiest.filter(|(_, turns)| *turns < LOOKS) {
            self.busiest = Some((source, turns + 1));
            self.take(source);
            return std::mem::take(&mut self.arrived);
        }
        self.busiest = self.busiest.map(|(source, _)| (source, 0));
        let mut room = [const { MaybeUninit::<Event>::uninit() }; 32];
        let happened = epoll::wait(&self.poll, &mut room, Some(&AT_ONCE));
        // A signal that interrupts it is as good as no event.
        for event in happened.map_or_else(|_| &mut [][..], |(events, _)| events) {
            match Source::of(event.data) {
                Source::Listener => self.accept(),
                source => {
                    self.go_on(source);
                    self.take(source);
                }
            }
        }
        self.watch_those_that_connect();
        std::mem::take(&mut self.arrived)
    }

    /// Something has happened to a connection: there may be room for what waits.
    fn go_on(&mut self, source: Source) {
        match source {
            Source::Outgoing(key) => {
                let mut arrived = std::mem::take(&mut self.arrived);
                let mut scratch = std::mem::take(&mut self.scratch);
                self.drive(key, |it, poll| {
                    it.go_on(poll, source.data(), &mut scratch, &mut arrived);
                });
                (self.arrived, self.scratch) = (arrived, scratch);
            }
            Source::Incoming(key) => {
                if let Some(incoming) = self.incoming.find_mut(key).filter(|it| it.is_sending()) {
                    incoming.go_on(&self.poll, source.data());
                    self.queued -= usize::from(!incoming.is_sending());
                }
            }
            Source::Listener => {}
        }
    }

    fn watch_those_that_connect(&mut self) {
        for key in std::mem::take(&mut self.connecting) {
            let data = Source::Outgoing(key).data();
            self.drive(key, |it, poll| it.look_at_the_time(poll, data));
            if self.outgoing.find(key).is_some_and(Outgoing::is_connecting) {
                self.connecting.push(key);
            }
        }
    }

    fn accept(&mut self) {
        const AT_ONCE: usize = 64;
        for _ in 0..AT_ONCE {
            let stream = match self.listener.accept() {
                Ok((stream, _)) => stream,
                // There may be no descriptor left.
                Err(error) if error.kind() != ErrorKind::WouldBlock => return self.send_one_away(),
                Err(_) => return,
            };
            let Ok(incoming) = Incoming::new(stream, self.place.id) else { continue };
            let Ok(key) = self.incoming.insert(incoming) else { return };
            self.strangers.push_back(key);
            let known = self.incoming.find(key).expect("it was just inserted");
            let data = Source::Incoming(key).data();
            match epoll::add(&self.poll, known.stream.as_fd(), data, EVENTS) {
                // It has mostly said already whom it looks for.
                Ok(()) => self.take(Source::Incoming(key)),
                Err(_) => self.incoming.discard(key),
            }
            if self.strangers.len() > Worker::MOST_STRANGERS {
                let incoming = &self.incoming;
                let is_stranger = |key: &Key| incoming.find(*key).is_some_and(|it| !it.is_known());
                self.strangers.retain(is_stranger);
            }
            if self.strangers.len() > Worker::MOST_STRANGERS {
                self.send_one_away();
            }
        }
    }

    fn send_one_away(&mut self) {
        while let Some(key) = self.strangers.pop_front() {
            if self.incoming.find(key).is_some_and(|it| !it.is_known()) {
                return self.incoming.discard(key);
            }
        }
    }

    /// Takes what has come by this connection.
    fn take(&mut self, source: Source) {
        let before = self.arrived.len();
        let is_there = match source {
            Source::Incoming(key) => self.take_in(key),
            Source::Outgoing(key) => match self.outgoing.find_mut(key) {
                Some(outgoing) => {
                    let queued = outgoing.queued();
                    outgoing.take(&mut self.scratch, &mut self.arrived);
                    // Whoever has lost the other end has nothing to send any more.
                    self.queued = self.queued + outgoing.queued() - queued;
                    true
                }
                None => false,
            },
            Source::Listener => false,
        };
        let is_busiest = self.busiest.is_some_and(|(busiest, _)| busiest == source);
        if !is_there && is_busiest {
            self.busiest = None;
        } else if self.arrived.len() > before && !is_busiest {
            let before = self.last.filter(|(last, _)| *last == source).map_or(0, |it| it.1);
            self.last = Some((source, before + 1));
            self.busiest = (before >= Worker::IN_A_ROW).then_some((source, 0));
        }
    }

    /// False if there is no such connection.
    fn take_in(&mut self, key: Key) -> bool {
        let Some(incoming) = self.incoming.find_mut(key) else { return false };
        let was_known = incoming.is_known();
        let is_open = incoming.take(&mut self.scratch, &mut self.arrived);
        if is_open && !was_known && incoming.is_known() {
            let all: Vec<Key> = self.outgoing.keys().collect();
            for to in all {
                let ids = self.outgoing.find(to).map(|it| it.ids);
                if ids.is_some_and(|ids| self.leads_back(key, ids))
                    && let Some(outgoing) = self.outgoing.find_mut(to)
                {
                    outgoing.way_back = Some(key);
                }
            }
        }
        if !is_open {
            let lost = self.incoming.remove(key);
            self.queued -= usize::from(lost.is_some_and(|it| it.is_sending()));
        }
        true
    }

    /// Whether there is something left to send.
    pub(super) fn is_sending(&self) -> bool {
        self.queued > 0
    }

    /// Gives up an endpoint, and what was not sent by it.
    pub(super) fn close(&mut self, endpoint: &Endpoint) {
        let closed = self.outgoing.remove(endpoint.key);
        self.queued -= closed.map_or(0, |outgoing| outgoing.queued());
    }

    /// What is readable while there is something to do.
    pub(super) fn descriptor(&self) -> i32 {
        self.poll.as_raw_fd()
    }
}

impl Endpoint {
    /// It was connected, and is not any more.
    pub(super) fn is_broken(&self) -> bool {
        self.end.is_broken.load(Ordering::Relaxed)
    }

    /// Why it could not be connected.
    pub(super) fn refusal(&self) -> Option<&str> {
        self.end.refusal.get().map(String::as_str)
    }
}
