//! Packets, and payloads that span several of them.

/// The maximum length of a payload: a packet of 128 bytes has a header of 8.
pub const PAYLOAD_MOST: usize = 120;
pub(super) const HEADER: usize = 8;

/// The kind of thread that runs a handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// The communication thread that has the packet.
    Small,
    /// A worker thread.
    Large,
}

/// Space for a payload: every packet of a program carries this much, and no more.
pub trait Payload: Copy + Send {
    const BYTES: usize;

    fn packed(bytes: &[u8]) -> Self;
    fn bytes(&self) -> &[u8];
}

impl<const N: usize> Payload for [u8; N] {
    const BYTES: usize = N;

    #[inline]
    fn packed(bytes: &[u8]) -> [u8; N] {
        let mut packed = [0; N];
        packed[..bytes.len()].copy_from_slice(bytes);
        packed
    }

    #[inline]
    fn bytes(&self) -> &[u8] {
        self
    }
}

/// A packet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packet<R> {
    pub(super) handler: u16,
    pub(super) size: Size,
    bytes: u8,
    /// Whether it is a fragment of a longer message.
    pub(super) is_part: bool,
    /// Whether it is a micro-task of the node itself, which needs no input buffer.
    pub(super) is_task: bool,
    payload: R,
}

/// A handler's packet: its receiver, its arrival time, and its handler.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sent {
    pub(super) to: u32,
    pub(super) arrives: u64,
    pub(super) handler: u16,
    pub(super) size: Size,
    pub(super) is_part: bool,
    pub(super) is_task: bool,
    /// The end of its payload among all bytes.
    end: usize,
}

/// Everything that one handler sends.
#[derive(Debug, Default)]
pub(super) struct Outgoing {
    list: Vec<Sent>,
    bytes: Vec<u8>,
}

/// The head of a fragment.
pub(super) struct Fragment {
    pub(super) sender: u32,
    pub(super) message: u32,
    pub(super) number: u16,
    pub(super) count: u16,
}

pub(super) const FRAGMENT_HEADER: usize = 12;

/// A message of which some fragments have arrived.
#[derive(Debug)]
pub(super) struct Partial {
    key: [u8; 8],
    missing: u16,
    bytes: Vec<u8>,
}

impl<R: Payload> Packet<R> {
    #[inline]
    pub(super) fn payload(&self) -> &[u8] {
        &self.payload.bytes()[..usize::from(self.bytes)]
    }

    /// Its length, with its header.
    #[inline]
    pub(super) fn bytes(&self) -> usize {
        HEADER + usize::from(self.bytes)
    }
}

impl Sent {
    #[inline]
    pub(super) fn new(to: u32, arrives: u64, handler: u16, size: Size) -> Sent {
        Sent { to, arrives, handler, size, is_part: false, is_task: false, end: 0 }
    }
}

impl Outgoing {
    #[inline]
    pub(super) fn push(&mut self, mut what: Sent, payload: &[u8]) {
        self.bytes.extend_from_slice(payload);
        what.end = self.bytes.len();
        self.list.push(what);
    }

    /// Removes all packets in order.
    #[inline]
    pub(super) fn drain<R: Payload>(&mut self, mut visit: impl FnMut(u32, u64, Packet<R>)) {
        let mut begin = 0;
        for sent in self.list.drain(..) {
            let bytes = &self.bytes[begin..sent.end];
            begin = sent.end;
            let packet = Packet {
                handler: sent.handler,
                size: sent.size,
                bytes: bytes.len() as u8,
                is_part: sent.is_part,
                is_task: sent.is_task,
                payload: R::packed(bytes),
            };
            visit(sent.to, sent.arrives, packet);
        }
        self.bytes.clear();
    }
}

impl Fragment {
    pub(super) fn packed(&self) -> [u8; FRAGMENT_HEADER] {
        let mut packed = [0; FRAGMENT_HEADER];
        packed[..4].copy_from_slice(&self.sender.to_le_bytes());
        packed[4..8].copy_from_slice(&self.message.to_le_bytes());
        packed[8..10].copy_from_slice(&self.number.to_le_bytes());
        packed[10..].copy_from_slice(&self.count.to_le_bytes());
        packed
    }
}

/// Adds a fragment to those of its message; returns the message when it is complete. One message's
/// fragments take one route, so that they arrive in order.
pub(super) fn gathered(partials: &mut Vec<Partial>, fragment: &[u8]) -> Option<Vec<u8>> {
    let (head, bytes) = fragment.split_at(FRAGMENT_HEADER);
    let key: [u8; 8] = head[..8].try_into().expect("the header is longer");
    let at = partials.iter().position(|partial| partial.key == key).unwrap_or_else(|| {
        let missing = u16::from_le_bytes([head[10], head[11]]);
        partials.push(Partial { key, missing, bytes: Vec::new() });
        partials.len() - 1
    });
    let partial = &mut partials[at];
    partial.bytes.extend_from_slice(bytes);
    partial.missing -= 1;
    (partial.missing == 0).then(|| partials.swap_remove(at).bytes)
}
