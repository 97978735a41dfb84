//! A connection to another worker: it is made by the first way that leads there, and sends messages
//! in order. Short ones may come back.

use super::greeting::{WELCOME, greeting};
use super::reader::Reader;
use super::writing::give;
use crate::base::slab::Key;
use crate::host::memory::{Span, afar};
use rustix::event::epoll::{self, EventData, EventFlags};
use rustix::fd::{AsRawFd, OwnedFd};
use rustix::io::Errno;
use rustix::net::{self, AddressFamily, SendFlags, SocketFlags, SocketType, sockopt};
use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::iter;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Those of two workers, of which the first has made the connection.
#[derive(Clone, Copy)]
pub(super) struct Ids {
    pub(super) from: u64,
    pub(super) to: u64,
}

/// What has become of the other end.
#[derive(Default)]
pub(super) struct End {
    /// It was connected, and is not any more.
    pub(super) is_broken: AtomicBool,
    /// Why it could not be connected.
    pub(super) refusal: OnceLock<String>,
}

pub(super) struct Outgoing {
    pub(super) ids: Ids,
    /// The connection that the other worker has made, if that takes short messages back.
    pub(super) way_back: Option<Key>,
    ways: Vec<SocketAddr>,
    /// How many ways were tried, those that were tried again too.
    tried: usize,
    stage: Stage,
    socket: Option<OwnedFd>,
    queue: VecDeque<Waiting>,
    /// How much of the first one the network has taken.
    written: usize,
    /// Whether events are awaited that tell of room.
    expects_room: bool,
    reader: Reader,
    end: Arc<End>,
}

/// A message that waits.
struct Waiting {
    /// Its length and its beginning.
    start: Vec<u8>,
    /// Memory of this process whose bytes follow.
    lent: Vec<Span>,
    end: Vec<u8>,
}

impl Waiting {
    fn parts(&self) -> impl Iterator<Item = Span> {
        let (start, end) = (Span::of(&self.start), Span::of(&self.end));
        iter::once(start).chain(self.lent.iter().copied()).chain(iter::once(end))
    }

    fn bytes(&self) -> usize {
        self.parts().map(Span::bytes).sum()
    }

    /// Memory that was lent is missing: zeros take its place, and that of the end.
    fn spoil(&mut self) {
        let zeros = self.bytes() - self.start.len();
        self.lent.clear();
        self.end = vec![0; zeros];
    }
}

enum Stage {
    Connecting(Instant),
    /// Until it is clear that it is the worker that was looked for.
    Greeting,
    Open,
    Ended,
}

impl Outgoing {
    pub(super) fn new(ids: Ids, ways: Vec<SocketAddr>, end: Arc<End>) -> Outgoing {
        Outgoing {
            ids,
            way_back: None,
            ways,
            tried: 0,
            stage: Stage::Connecting(Instant::now()),
            socket: None,
            queue: VecDeque::new(),
            written: 0,
            expects_room: false,
            reader: Reader::after(1),
            end,
        }
    }

    /// How many messages the network has not taken yet.
    pub(super) fn queued(&self) -> usize {
        self.queue.len()
    }

    pub(super) fn is_connecting(&self) -> bool {
        matches!(self.stage, Stage::Connecting(_) | Stage::Greeting)
    }

    /// Begins to connect by the next way; each is tried a few times.
    pub(super) fn connect(&mut self, poll: &OwnedFd, data: EventData) {
        self.go_by_the_next(io::ErrorKind::AddrNotAvailable.into(), poll, data);
    }

    /// `why` the way before does not lead there.
    fn go_by_the_next(&mut self, mut why: io::Error, poll: &OwnedFd, data: EventData) {
        const TIMES: usize = 3;
        self.socket = None;
        self.reader = Reader::after(1);
        while self.tried < TIMES * self.ways.len() {
            let way = self.ways[self.tried % self.ways.len()];
            self.tried += 1;
            match begin(way, poll, data) {
                Ok(socket) => {
                    self.socket = Some(socket);
                    self.stage = Stage::Connecting(Instant::now());
                    self.expects_room = true;
                    return;
                }
                Err(error) => why = error,
            }
        }
        self.refuse(&why);
    }

    fn refuse(&mut self, why: &io::Error) {
        let ways: Vec<String> = self.ways.iter().map(SocketAddr::to_string).collect();
        let words = format!("TCP to {}: {why}", ways.join(", "));
        self.end.refusal.get_or_init(|| words);
        self.finish();
    }

    fn finish(&mut self) {
        self.stage = Stage::Ended;
        self.socket = None;
        self.queue.clear();
    }

    /// Something has happened to the connection: it goes on to connect, or writes what waits. What
    /// has come with the welcome is put into `arrived`.
    pub(super) fn go_on(
        &mut self, poll: &OwnedFd, data: EventData, scratch: &mut [u8], arrived: &mut Vec<Vec<u8>>,
    ) {
        if let Stage::Connecting(_) = self.stage {
            let Some(socket) = &self.socket else { return };
            let outcome = sockopt::socket_error(socket).and_then(|outcome| outcome);
            match outcome.and_then(|()| greet(socket, self.ids)) {
                Ok(()) => self.stage = Stage::Greeting,
                Err(Errno::AGAIN) => return,
                Err(error) => return self.go_by_the_next(error.into(), poll, data),
            }
        }
        if let Stage::Greeting = self.stage {
            self.listen(poll, data, scratch, arrived);
        }
        if let Stage::Open = self.stage {
            self.write();
        }
    }

    /// Gives up a way that takes too long.
    pub(super) fn look_at_the_time(&mut self, poll: &OwnedFd, data: EventData) {
        // Where a host was cut off, that shows elsewhere before.
        const LONGEST: Duration = Duration::from_secs(20);
        // Another way may be better.
        const LONG: Duration = Duration::from_secs(3);
        // Whoever is connected may be stopped by a debugger.
        let Stage::Connecting(since) = self.stage else { return };
        let limit = if self.ways.len() > 1 { LONG } else { LONGEST };
        if since.elapsed() > limit {
            self.go_by_the_next(io::ErrorKind::TimedOut.into(), poll, data);
        }
    }

    /// Hears the welcome, what comes back, or of the end.
    fn listen(
        &mut self, poll: &OwnedFd, data: EventData, scratch: &mut [u8], arrived: &mut Vec<Vec<u8>>,
    ) {
        let Some(socket) = &self.socket else { return };
        let mut is_welcome = false;
        let goes_on = self.reader.take(socket, scratch, arrived, |said| {
            is_welcome = said == [WELCOME];
            is_welcome
        });
        if is_welcome {
            self.stage = Stage::Open;
        }
        match self.stage {
            _ if goes_on => {}
            Stage::Open => self.lose(),
            _ => {
                let why = io::Error::other("somebody else answers, or nobody any more");
                self.go_by_the_next(why, poll, data);
            }
        }
    }

    /// Takes what has come back, if it is open.
    pub(super) fn take(&mut self, scratch: &mut [u8], arrived: &mut Vec<Vec<u8>>) {
        if let (Stage::Open, Some(socket)) = (&self.stage, &self.socket)
            && !self.reader.take(socket, scratch, arrived, |_| false)
        {
            self.lose();
        }
    }

    /// The other end is gone.
    fn lose(&mut self) {
        self.end.is_broken.store(true, Ordering::Relaxed);
        self.finish();
    }

    /// Sends a message, whose beginning and end are given. What the network takes at once is not
    /// copied.
    pub(super) fn send(&mut self, start: &[u8], end: &[u8]) {
        let length = ((start.len() + end.len()) as u32).to_le_bytes();
        match (&self.stage, &self.socket) {
            (Stage::Ended, _) => return,
            (Stage::Open, Some(socket)) if self.queue.is_empty() => {
                match give(socket, &[&length[..], start, end].map(IoSlice::new)) {
                    Ok(taken) if taken == length.len() + start.len() + end.len() => return,
                    Ok(taken) => self.written = taken,
                    Err(Errno::AGAIN | Errno::INTR) => {}
                    Err(_) => return self.lose(),
                }
            }
            _ => {}
        }
        let start = [&length[..], start, end].concat();
        self.queue.push_back(Waiting { start, lent: Vec::new(), end: Vec::new() });
    }

    /// Sends a message whose middle is memory of this process, which stays until all has arrived.
    /// It is read when the network takes it; if it is not there, zeros are sent, and instead of the
    /// end, too.
    pub(super) fn send_lent(&mut self, start: &[u8], lent: Vec<Span>, end: &[u8]) {
        if let Stage::Ended = self.stage {
            return;
        }
        let length = start.len() + lent.iter().map(|span| span.bytes()).sum::<usize>() + end.len();
        let start = [&(length as u32).to_le_bytes()[..], start].concat();
        self.queue.push_back(Waiting { start, lent, end: end.to_vec() });
        if let (Stage::Open, 1) = (&self.stage, self.queue.len()) {
            self.write();
        }
    }

    /// Writes what the network takes of what waits.
    fn write(&mut self) {
        const AT_ONCE: usize = 64;
        while let Some(first) = self.queue.front() {
            let Some(socket) = &self.socket else { return };
            // A message whose memory may be missing goes alone: then it is known whose is.
            let is_lent = !first.lent.is_empty();
            let others = self.queue.iter().skip(1).take_while(|it| !is_lent && it.lent.is_empty());
            let all = iter::once(first).chain(others);
            let mut spans = [Span::EMPTY; AT_ONCE];
            let (mut count, mut skipped) = (0, self.written);
            for part in all.flat_map(Waiting::parts).take(AT_ONCE) {
                let skip = skipped.min(part.bytes());
                skipped -= skip;
                spans[count] = part.part(skip, part.bytes());
                count += 1;
            }
            match afar::send(socket.as_raw_fd(), &spans[..count]) {
                Ok(taken) => self.take_off(taken),
                Err(error) => match error.raw_os_error() {
                    Some(libc::EAGAIN | libc::EINTR) => return,
                    Some(libc::EFAULT) if is_lent => {
                        self.queue.front_mut().into_iter().for_each(Waiting::spoil);
                    }
                    _ => return self.lose(),
                },
            }
        }
    }

    /// So many bytes more have been written.
    fn take_off(&mut self, taken: usize) {
        self.written += taken;
        while let Some(first) = self.queue.front()
            && let Some(more) = self.written.checked_sub(first.bytes())
        {
            self.written = more;
            self.queue.pop_front();
        }
    }

    /// Asks for an event when there is room, if that is needed.
    pub(super) fn expect_room(&mut self, poll: &OwnedFd, data: EventData) {
        let is_needed = match self.stage {
            Stage::Connecting(_) => true,
            Stage::Open => !self.queue.is_empty(),
            Stage::Greeting | Stage::Ended => false,
        };
        if let Some(socket) = &self.socket
            && std::mem::replace(&mut self.expects_room, is_needed) != is_needed
        {
            let room = if is_needed { EventFlags::OUT } else { EventFlags::empty() };
            if epoll::modify(poll, socket, data, EventFlags::IN | room).is_err() {
                self.lose();
            }
        }
    }
}

/// A socket that connects.
fn begin(way: SocketAddr, poll: &OwnedFd, data: EventData) -> io::Result<OwnedFd> {
    let family = if way.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let socket = net::socket_with(family, SocketType::STREAM, flags, None)?;
    sockopt::set_tcp_nodelay(&socket, true)?;
    match net::connect(&socket, &way) {
        Ok(()) | Err(Errno::INPROGRESS) => {}
        Err(error) => return Err(error.into()),
    }
    epoll::add(poll, &socket, data, EventFlags::IN | EventFlags::OUT)?;
    Ok(socket)
}

/// Says whom it looks for. There is room for that.
fn greet(socket: &OwnedFd, ids: Ids) -> rustix::io::Result<()> {
    net::send(socket, &greeting(ids.to, ids.from), SendFlags::DONTWAIT | SendFlags::NOSIGNAL)
        .map(drop)
}
