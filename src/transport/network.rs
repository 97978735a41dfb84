//! What carries messages between hosts: UCX where both have a network that it is made for
//! (InfiniBand, RoCE), else TCP.
//!
//! UCX speaks TCP, too, but a process that dies while it is being connected may end its peer by an
//! assertion of UCX's: 14 of 180 with UCX 1.13, 1 of 180 with 1.22.

use crate::host::memory::{Span, afar};
use crate::transport::{tcp, ucx};
use serde::{Deserialize, Serialize};
use std::fs;

/// What reaches and sends messages.
pub(super) struct Worker {
    tcp: tcp::Worker,
    ucx: Option<ucx::Worker>,
}

/// The way to a worker of another process.
pub(super) enum Endpoint {
    Tcp(tcp::Endpoint),
    Ucx(ucx::Endpoint),
}

/// By what others reach a worker.
#[derive(Serialize, Deserialize)]
struct Address {
    tcp: Vec<u8>,
    ucx: Option<Vec<u8>>,
}

/// What the user wants.
#[derive(Debug, PartialEq, Eq)]
enum Wish<'a> {
    Best,
    Tcp(Vec<&'a str>),
    Ucx,
}

impl Wish<'_> {
    fn of(text: &str) -> Result<Wish<'_>, String> {
        match text.split_once(':').unwrap_or((text, "")) {
            ("", "") => Ok(Wish::Best),
            ("ucx", "") => Ok(Wish::Ucx),
            ("tcp", names) => Ok(Wish::Tcp(names.split(',').filter(|it| !it.is_empty()).collect())),
            _ => Err(format!("FTMPI_NET is `{text}`; it may be `tcp`, `tcp:eth0,eth1` or `ucx`")),
        }
    }
}

/// Whether this host has a network that UCX is made for.
fn has_fabric() -> bool {
    fs::read_dir("/sys/class/infiniband").is_ok_and(|mut devices| devices.next().is_some())
}

impl Worker {
    /// The worker of this process; `wish` is what the user wants.
    pub(super) fn open(wish: &str) -> Result<Worker, String> {
        let (names, ucx) = match Wish::of(wish)? {
            Wish::Tcp(names) => (names, None),
            Wish::Ucx => (Vec::new(), Some(ucx::Worker::open()?)),
            // TCP does without.
            Wish::Best if has_fabric() => (Vec::new(), ucx::Worker::open().ok()),
            Wish::Best => (Vec::new(), None),
        };
        Ok(Worker { tcp: tcp::Worker::open(&names)?, ucx })
    }

    /// By what others reach this worker.
    pub(super) fn address(&self) -> Result<Vec<u8>, String> {
        let ucx = self.ucx.as_ref().map(ucx::Worker::address).transpose()?;
        let address = Address { tcp: self.tcp.address(), ucx };
        Ok(postcard::to_allocvec(&address).expect("it is plain data"))
    }

    /// The way to the worker of this address. Whether it can be reached may show later. `None`: the
    /// process ends.
    pub(super) fn connect(&mut self, address: &[u8]) -> Option<Result<Endpoint, String>> {
        let Ok(Address { tcp, ucx }) = postcard::from_bytes(address) else {
            return Some(Err("its address is of another version".into()));
        };
        Some(match (&mut self.ucx, ucx) {
            (Some(worker), Some(address)) => worker.connect(&address)?.map(Endpoint::Ucx),
            _ => self.tcp.connect(&tcp).map(Endpoint::Tcp),
        })
    }

    /// Sends a message, whose beginning and end are given. If the other end is gone, it is lost.
    #[inline]
    pub(super) fn send(&mut self, to: &Endpoint, start: &[u8], end: &[u8]) {
        match (to, &mut self.ucx) {
            (Endpoint::Tcp(to), _) => self.tcp.send(to, start, end),
            (Endpoint::Ucx(to), Some(worker)) => worker.send(to, [start, end].concat()),
            (Endpoint::Ucx(_), None) => {}
        }
    }

    /// Sends a message whose middle is memory of this process, which stays until it has
    /// arrived. If it is not there, zeros are sent, and instead of the end, too.
    pub(super) fn send_lent(&mut self, to: &Endpoint, start: &[u8], lent: Vec<Span>, end: &[u8]) {
        if let Endpoint::Tcp(to) = to {
            return self.tcp.send_lent(to, start, lent, end);
        }
        let bytes = lent.iter().map(|span| span.bytes()).sum();
        let mut copied = vec![0; bytes + end.len()];
        let (middle, last) = copied.split_at_mut(bytes);
        if afar::gather(&lent, Span::of_mut(middle)).is_ok() {
            last.copy_from_slice(end);
        }
        self.send(to, start, &copied);
    }

    /// Lets the network work, and hands over what has come.
    pub(super) fn progress(&mut self) -> Vec<Vec<u8>> {
        let mut arrived = self.tcp.progress();
        if let Some(ucx) = &mut self.ucx {
            arrived.append(&mut ucx.progress());
        }
        arrived
    }

    /// Whether there is something left to send.
    pub(super) fn is_sending(&self) -> bool {
        self.tcp.is_sending() || self.ucx.as_ref().is_some_and(ucx::Worker::is_sending)
    }

    /// Gives up an endpoint, and what was not sent by it.
    pub(super) fn close(&mut self, endpoint: Endpoint) {
        match (endpoint, &mut self.ucx) {
            (Endpoint::Tcp(endpoint), _) => self.tcp.close(&endpoint),
            (Endpoint::Ucx(endpoint), Some(worker)) => worker.close(endpoint),
            (Endpoint::Ucx(_), None) => {}
        }
    }

    /// What becomes readable when there is something to do, once [`Worker::arm`] has said so.
    pub(super) fn descriptors(&self) -> Vec<i32> {
        let ucx = self.ucx.as_ref().map(ucx::Worker::descriptor);
        [self.tcp.descriptor()].into_iter().chain(ucx).collect()
    }

    /// True if there is nothing to do: then a descriptor tells of the next.
    pub(super) fn arm(&mut self) -> bool {
        self.ucx.as_mut().is_none_or(ucx::Worker::arm)
    }
}

impl Endpoint {
    /// The other end was there, and is gone.
    pub(super) fn is_broken(&self) -> bool {
        match self {
            Endpoint::Tcp(endpoint) => endpoint.is_broken(),
            Endpoint::Ucx(endpoint) => endpoint.is_broken(),
        }
    }

    /// Why there is no way there, once that has shown.
    pub(super) fn refusal(&self) -> Option<&str> {
        match self {
            Endpoint::Tcp(endpoint) => endpoint.refusal(),
            Endpoint::Ucx(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_say_what_carries_messages() {
        assert_eq!(Wish::of(""), Ok(Wish::Best));
        assert_eq!(Wish::of("tcp"), Ok(Wish::Tcp(vec![])));
        assert_eq!(Wish::of("tcp:ib0,eth1"), Ok(Wish::Tcp(vec!["ib0", "eth1"])));
        assert_eq!(Wish::of("ucx"), Ok(Wish::Ucx));
        assert!(Wish::of("udp").is_err_and(|why| why.contains("FTMPI_NET is `udp`")));
        assert!(Wish::of("ucx:mlx5_0").is_err());
    }
}
