//! A connection that another worker has made. It carries that worker's messages, and short ones
//! back.

use super::greeting::{GREETING, WELCOME, greeter};
use super::reader::Reader;
use super::writing::{HEAD, give};
use rustix::event::epoll::{self, EventData, EventFlags};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::net::{SendFlags, send};
use std::io::{self, IoSlice};
use std::net::TcpStream;

pub(super) struct Incoming {
    pub(super) stream: TcpStream,
    /// The worker that it is to look for.
    me: u64,
    /// Who it is, once it has said so, and whom it looks for.
    pub(super) greeter: Option<u64>,
    reader: Reader,
    /// What the network has not taken yet of a message.
    left: Vec<u8>,
}

impl Incoming {
    pub(super) fn new(stream: TcpStream, me: u64) -> io::Result<Incoming> {
        stream.set_nonblocking(true)?;
        stream.set_nodelay(true)?;
        let (greeter, reader, left) = (None, Reader::after(GREETING), Vec::new());
        Ok(Incoming { stream, me, greeter, reader, left })
    }

    /// Whether it has said whom it looks for.
    pub(super) fn is_known(&self) -> bool {
        self.greeter.is_some()
    }

    /// Takes what has come, though not for ever; false if nothing more will.
    pub(super) fn take(&mut self, scratch: &mut [u8], into: &mut Vec<Vec<u8>>) -> bool {
        let Incoming { stream, me, greeter: known, reader, .. } = self;
        reader.take(&*stream, scratch, into, |said| match greeter(*me, said) {
            // Whoever says something else is sent away before the end of it.
            Err(()) => false,
            Ok(None) => true,
            Ok(who) => {
                *known = who;
                let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
                send(&*stream, &[WELCOME], flags).is_ok()
            }
        })
    }

    /// Sends a message back, whose beginning and end are given; false: not now, nothing has
    /// happened.
    pub(super) fn send(
        &mut self, start: &[u8], end: &[u8], poll: &OwnedFd, data: EventData,
    ) -> bool {
        let length = ((start.len() + end.len()) as u32).to_le_bytes();
        if !self.left.is_empty() {
            return false;
        }
        match give(&self.stream, &[&length[..], start, end].map(IoSlice::new)) {
            Ok(taken) if taken == HEAD + start.len() + end.len() => true,
            Ok(taken) => {
                self.left = [&length[..], start, end].concat().split_off(taken);
                // If that fails, there is no connection any more.
                let _heard = epoll::modify(poll, &self.stream, data, EVENTS | EventFlags::OUT);
                true
            }
            Err(_) => false,
        }
    }

    /// Whether the network has not taken all yet.
    pub(super) fn is_sending(&self) -> bool {
        !self.left.is_empty()
    }

    /// There may be room for what is left.
    pub(super) fn go_on(&mut self, poll: &OwnedFd, data: EventData) {
        if self.left.is_empty() {
            return;
        }
        match give(&self.stream, &[IoSlice::new(&self.left)]) {
            Ok(taken) => _ = self.left.drain(..taken),
            Err(Errno::AGAIN | Errno::INTR) => {}
            // That nothing more comes shows as well.
            Err(_) => self.left.clear(),
        }
        if self.left.is_empty() {
            let _heard = epoll::modify(poll, &self.stream, data, EVENTS);
        }
    }
}

/// What is awaited of each connection.
pub(super) const EVENTS: EventFlags = EventFlags::IN;
