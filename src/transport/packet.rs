//! A packet: one message on its way, in memory of the sender's seat, to which it goes back; and the
//! ports of the seats, between which packets travel.
//!
//! The holder of a [`Packet`] owns it alone. Dropping one sends it home, which is at the same time
//! the acknowledgement that its message was taken (see [`Fate`]). Nodes are never freed.
//!
//! | hold      | who may change it                                   | to                    |
//! |-----------|-----------------------------------------------------|-----------------------|
//! | `PLAIN`   | nobody: the sender has let go of the message        |                       |
//! | `OPEN`    | the receiver when it matches, the sender to recall  | `CLAIMED`, `RECALLED` |
//! | `CLAIMED` | the sender, when the packet is home again           | `PLAIN`               |
//! | `RECALLED`| the same                                            | `PLAIN`               |

use crate::base::Member;
use crate::base::sync::atomic::{AtomicPtr, AtomicU8, Ordering};
use crate::base::sync::queue::{Linked, Queue};
use crate::host::life;
use crate::host::memory::{self, Fault, Region, Span};
use crate::host::sched::Bell;
use crate::transport::cooperative_copy::{self, Errand, Invitation};
use crate::transport::processes::foreign::Foreign;
use std::mem::offset_of;
use std::ptr::{self, NonNull};
use std::sync::OnceLock;
use std::sync::atomic::AtomicU32;

/// Where one seat is reached: the inbox for what others send, and the queue of its own packets that
/// have come home.
#[repr(C, align(64))]
pub struct Port {
    pub(super) inbox: Queue<Packet>,
    pub(super) bell: Bell,
    pub(super) seat: u32,
    /// The life that sits here plus 1; 0 while the seat is empty.
    pub(super) life: AtomicU32,
    /// How many rings have been made that lead here, in all lives.
    pub(super) made: AtomicU32,
    /// To help with a copy of what this seat has sent.
    pub(super) invitation: Invitation,
    pub(super) returns: Returns,
}

/// On a line of its own: receivers write it, and the sender looks only now and then.
#[repr(align(64))]
#[derive(Default)]
pub(super) struct Returns(pub(super) Queue<Packet>);

/// What a message is matched by (MPI-5.0 §3.2.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Envelope {
    pub context: u32,
    /// The sender's rank in the communicator.
    pub source: i32,
    pub tag: i32,
}

impl Envelope {
    /// In the tag of a collective operation's message, in virtual time: the machine carries it by a
    /// network for such operations. Other operations come to this bit after a billion.
    pub const BY_HARDWARE: i32 = 1 << 30;

    /// Whether the simulated machine's own network for collective operations carries it, so that no
    /// call of its MPI sends or receives it.
    pub fn is_by_hardware(&self) -> bool {
        let is_collective = self.context % 2 == 1;
        is_collective && self.tag > 0 && self.tag & Envelope::BY_HARDWARE != 0
    }

    /// Of a message between the halves of a partitioned one, where `context` is that of the
    /// program's messages: in the context of collectives, from a source that is no rank.
    pub fn between_halves(context: u32, rank: i32, kind: Between, tag: i32) -> Envelope {
        let source = FIRST_HALF - (KINDS * rank + kind as i32);
        Envelope { context: context | 1, source, tag }
    }

    /// Whether it is of such a message.
    pub fn is_between_halves(&self) -> bool {
        self.context % 2 == 1 && self.source <= FIRST_HALF
    }
}

/// A message between the halves of a partitioned one.
#[derive(Clone, Copy)]
pub enum Between {
    Greeting,
    Data,
    Start,
}

/// How many kinds there are; and the source of the first one of rank 0.
const KINDS: i32 = 3;
const FIRST_HALF: i32 = -10;

/// How a message's bytes travel.
pub enum Load<'a> {
    /// Copied into the packet; at most [`Packet::ROOM`] bytes.
    Carried(&'a Region),
    /// They stay where they are until the receiver copies them.
    Referenced(&'a Region),
    /// In a block of the library's own that the packet takes along.
    Attached(Box<[u8]>),
}

/// What became of a packet that is home again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The message was not taken: recalled, or its receiver is gone.
    Refused,
    Delivered,
    /// The sender's memory was not there: the sender's fault to suffer.
    Faulty {
        address: usize,
    },
}

/// How a delivery went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    Done,
    /// The sender died, or is about to because its memory is not there.
    SenderGone,
    /// The receiver's memory is not there.
    TargetFault {
        address: usize,
    },
}

#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Shape {
    Carried,
    /// In one piece; the payload is the address.
    Referenced,
    /// In many pieces; a [`Region`] lies behind the node.
    Scattered,
    Attached,
    /// In another process; a [`Foreign`] lies behind the node.
    Foreign,
}

const PLAIN: u8 = 0;
const OPEN: u8 = 1;
const CLAIMED: u8 = 2;
const RECALLED: u8 = 3;
/// The fate of a message of which no answer is awaited.
const GONE_IS_ENOUGH: u8 = 3;
/// It waits for a receiver in another process.
const AWAY: u8 = 4;
/// Its sender's process keeps the hold.
const ELSEWHERE: u8 = 5;

/// The first cache line of a packet: everything that matching needs, and 8 bytes of payload.
#[repr(C, align(64))]
pub struct Node {
    link: AtomicPtr<Node>,
    home: &'static Port,
    envelope: Envelope,
    /// Which life of the home seat sent it, and which life of the receiver's seat it is for.
    sender: u32,
    addressee: u32,
    /// The sender's name for the operation that waits for this packet; 0 when none does.
    token: u32,
    bytes: usize,
    hold: AtomicU8,
    shape: Shape,
    class: u8,
    fate: u8,
    /// The sender's seat: mostly, but not always, the one where the packet is at home.
    seat: u32,
    /// The beginning of the payload, which goes on behind the struct. By reference: its address.
    payload: [u64; 1],
}

/// In a seat's number: the packet goes round a ring.
const DETOUR: u32 = 1 << 31;

const HEADER: usize = offset_of!(Node, payload);
/// Whole sizes of nodes, and how many are made at once at most.
const CLASSES: [(usize, usize); 3] = [(256, 8), (2048, 4), (Packet::ROOM + 64, 1)];
const _: () = assert!(cfg!(loom) || HEADER == 56, "an 8-byte message is one cache line");
const _: () = assert!(Packet::ROOM + HEADER <= CLASSES[2].0);
const _: () = assert!(size_of::<Node>() + size_of::<Region>() <= CLASSES[0].0);
const _: () = assert!(size_of::<Node>() + size_of::<Foreign>() <= CLASSES[0].0);

/// A message and the memory it travels in.
pub struct Packet(NonNull<Node>);

// SAFETY: a packet is the only owner of its node; `home` and `hold` are made to be shared.
unsafe impl Send for Packet {}

// SAFETY: nodes are never freed, and only the owner of the packet and the queue use `link`.
unsafe impl Linked for Packet {
    type Node = Node;

    #[inline]
    fn into_raw(self) -> NonNull<Node> {
        let node = self.0;
        std::mem::forget(self);
        node
    }

    #[inline]
    unsafe fn from_raw(node: NonNull<Node>) -> Packet {
        Packet(node)
    }

    #[inline]
    unsafe fn link<'a>(node: NonNull<Node>) -> &'a AtomicPtr<Node> {
        // SAFETY: nodes are never freed, and `link` is only touched as an atomic.
        unsafe { &(*node.as_ptr()).link }
    }
}

impl Drop for Packet {
    /// Sends the packet home.
    #[inline]
    fn drop(&mut self) {
        if !matches!(self.shape(), Shape::Carried | Shape::Referenced) {
            self.detach();
        }
        let home = self.home();
        let is_awaited = self.token() != 0;
        home.accept_return(Packet(self.0), is_awaited);
    }
}

/// Reads or writes one field of the node, without a reference to the whole.
macro_rules! field {
    ($packet:expr, $name:ident) => {
        // SAFETY: the packet owns its node, which is never freed.
        unsafe { (*$packet.0.as_ptr()).$name }
    };
    ($packet:expr, $name:ident = $value:expr) => {{
        let value = $value;
        // SAFETY: the packet owns its node, which is never freed.
        unsafe { (*$packet.0.as_ptr()).$name = value }
    }};
}

mod away;
pub(super) mod pool;

impl Packet {
    /// The longest message that can be carried inside a packet.
    pub const ROOM: usize = 16 << 10;

    fn home(&self) -> &'static Port {
        field!(self, home)
    }

    fn shape(&self) -> Shape {
        field!(self, shape)
    }

    #[inline]
    pub fn envelope(&self) -> Envelope {
        field!(self, envelope)
    }

    /// Gives the message another envelope.
    pub fn readdressed(self, envelope: Envelope) -> Packet {
        field!(self, envelope = envelope);
        self
    }

    /// How long the message is.
    #[inline]
    pub fn bytes(&self) -> usize {
        field!(self, bytes)
    }

    /// Its sender.
    pub fn sender(&self) -> Member {
        let seat = (field!(self, seat) & !DETOUR) as usize;
        Member { seat, incarnation: field!(self, sender) }
    }

    /// The life of the receiver's seat that it is for.
    #[inline]
    pub fn addressee(&self) -> u32 {
        field!(self, addressee)
    }

    /// The sender's name for the operation that waits for this packet; 0 when none does.
    #[inline]
    pub fn token(&self) -> u32 {
        field!(self, token)
    }

    /// Marks the packet as one that bypasses a ring of its sender's.
    pub(super) fn on_a_detour(self) -> Packet {
        field!(self, seat = field!(self, seat) | DETOUR);
        self
    }

    /// Whether it has bypassed a ring of its sender's.
    #[inline]
    pub fn is_on_a_detour(&self) -> bool {
        field!(self, seat) & DETOUR != 0
    }

    /// Whether the bytes can still be had: they died with the sender when they were still there.
    pub fn is_intact(&self) -> bool {
        match self.shape() {
            Shape::Carried | Shape::Attached => true,
            Shape::Referenced | Shape::Scattered => self.home().is_alive(field!(self, sender)),
            Shape::Foreign => {
                let Member { seat, incarnation } = self.sender();
                self.foreign().is_alive(seat, incarnation)
            }
        }
    }

    /// Whether its data travel with it, and do not stay with the sender.
    pub fn has_data(&self) -> bool {
        matches!(self.shape(), Shape::Carried | Shape::Attached)
    }

    /// Whether taking this message is short work, to be done under a lock.
    #[inline]
    pub fn is_carried(&self) -> bool {
        self.shape() == Shape::Carried
    }

    /// Writes the address on a blank packet. `token` is the sender's name for what waits for it.
    #[inline]
    pub fn address(&mut self, envelope: Envelope, sender: Member, to: Member, token: u32) {
        field!(self, envelope = envelope);
        field!(self, sender = sender.incarnation);
        field!(self, seat = sender.seat as u32);
        field!(self, addressee = to.incarnation);
        field!(self, token = token);
        self.hold().store(if token == 0 { PLAIN } else { OPEN }, Ordering::Relaxed);
    }

    /// Puts the message in. A fault is the caller's own memory that is not there.
    #[inline]
    pub fn load(&mut self, load: Load<'_>) -> Result<(), Fault> {
        match load {
            Load::Carried(data) => {
                field!(self, shape = Shape::Carried);
                field!(self, bytes = data.bytes());
                assert!(data.bytes() <= self.room(), "a carried message fits its packet");
                memory::transfer(data, &self.span(data.bytes()).into())
            }
            Load::Referenced(data) => {
                field!(self, bytes = data.bytes());
                match data.span() {
                    Some(span) => {
                        field!(self, shape = Shape::Referenced);
                        field!(self, payload = [span.address() as u64]);
                    }
                    None => {
                        // SAFETY: no block is smaller than a node and a region, and the packet
                        // owns it.
                        unsafe { self.scattered().write(data.clone()) };
                        field!(self, shape = Shape::Scattered);
                    }
                }
                Ok(())
            }
            Load::Attached(block) => {
                field!(self, shape = Shape::Attached);
                field!(self, bytes = block.len());
                let block = Box::into_raw(block).cast::<u8>().expose_provenance();
                field!(self, payload = [block as u64]);
                Ok(())
            }
        }
    }

    /// Makes the message the receiver's for good; false when the sender has recalled it.
    #[inline]
    pub fn claim(&self) -> bool {
        let hold = self.hold();
        match hold.load(Ordering::Relaxed) {
            PLAIN | CLAIMED => true,
            ELSEWHERE => self.foreign().claim(),
            _ => {
                let (won, lost) = (Ordering::Acquire, Ordering::Relaxed);
                hold.compare_exchange(OPEN, CLAIMED, won, lost).is_ok()
            }
        }
    }

    /// Whether the sender has taken the message back.
    pub fn is_recalled(&self) -> bool {
        match self.hold().load(Ordering::Acquire) {
            ELSEWHERE => self.foreign().is_recalled(),
            hold => hold == RECALLED,
        }
    }

    /// Copies what fits of the message to `into`, and sends the packet home.
    #[inline]
    pub fn deliver(self, into: &Region) -> Delivery {
        let bytes = self.bytes().min(into.bytes());
        let outcome = match self.shape() {
            Shape::Carried => memory::transfer(&self.span(bytes).into(), into),
            Shape::Attached => {
                let block = ptr::with_exposed_provenance(self.word());
                memory::transfer(&Span::new(block, bytes).into(), into)
            }
            Shape::Referenced | Shape::Scattered => {
                let errand = Errand::new(self.source(), into.clone());
                let Some(_pin) = self.pin() else { return Delivery::SenderGone };
                self.run(std::slice::from_ref(&errand));
                errand.outcome()
            }
            Shape::Foreign => self.foreign().read(bytes, into),
        };
        self.concluded(outcome)
    }

    /// Whether the receiver copies straight out of the sender's memory.
    #[inline]
    pub fn is_by_reference(&self) -> bool {
        matches!(self.shape(), Shape::Referenced | Shape::Scattered)
    }

    /// Whether the bytes are still in the sender's memory, in this process or another.
    fn is_with_sender(&self) -> bool {
        self.is_by_reference() || self.shape() == Shape::Foreign
    }

    /// Whether both are such messages, of one sender's: they may be copied together.
    #[inline]
    pub fn goes_with(&self, other: &Packet) -> bool {
        let is_of_one = ptr::eq(self.home(), other.home()) && self.sender() == other.sender();
        self.is_by_reference() && other.is_by_reference() && is_of_one
    }

    /// Where the bytes lie that have stayed with the sender.
    pub(super) fn source(&self) -> Region {
        if self.shape() == Shape::Scattered {
            // SAFETY: `load` put a region there, and the shape says that it still is.
            return unsafe { (*self.scattered()).clone() };
        }
        Span::new(ptr::with_exposed_provenance(self.word()), self.bytes()).into()
    }

    /// Keeps the sender's memory where it is, if it is still there.
    pub(super) fn pin(&self) -> Option<life::Pin> {
        let Member { seat, incarnation } = self.sender();
        life::pin(seat, incarnation).filter(|_| self.is_intact())
    }

    /// Copies from the memory of this packet's sender, which may help.
    pub(super) fn run(&self, errands: &[Errand]) {
        match errands.iter().map(Errand::bytes).sum::<usize>() < cooperative_copy::LONG {
            true => errands.iter().for_each(Errand::run_alone),
            false => self.home().invitation.run(errands),
        }
    }

    /// Notes how the copy went, and sends the packet home.
    #[inline]
    pub(super) fn concluded(self, outcome: Result<(), Fault>) -> Delivery {
        match outcome {
            Ok(()) => {
                field!(self, fate = 1);
                Delivery::Done
            }
            Err(Fault { address, in_source: true }) if self.is_with_sender() => {
                field!(self, fate = 2);
                field!(self, payload = [address as u64]);
                Delivery::SenderGone
            }
            Err(fault) => Delivery::TargetFault { address: fault.address },
        }
    }

    /// A handle by which the sender can take the message back.
    pub fn ticket(&self) -> Ticket {
        Ticket(self.0)
    }

    /// Nobody waits for an answer: the message is as good as delivered once it has left.
    pub fn needs_no_answer(&mut self) {
        field!(self, fate = GONE_IS_ENOUGH);
    }

    /// Whether it may come home as soon as its bytes have left.
    pub(super) fn may_leave_for_good(&self) -> bool {
        self.token() == 0 || field!(self, fate) == GONE_IS_ENOUGH
    }

    /// What became of a packet that is home again.
    pub fn fate(&self) -> Fate {
        match field!(self, fate) {
            0 | GONE_IS_ENOUGH => Fate::Refused,
            1 => Fate::Delivered,
            _ => Fate::Faulty { address: self.word() },
        }
    }

    fn hold(&self) -> &AtomicU8 {
        // SAFETY: nodes are never freed, and `hold` is only touched as an atomic.
        unsafe { &(*self.0.as_ptr()).hold }
    }

    fn word(&self) -> usize {
        field!(self, payload)[0] as usize
    }

    fn room(&self) -> usize {
        CLASSES[usize::from(field!(self, class))].0 - HEADER
    }

    fn span(&self, bytes: usize) -> Span {
        // SAFETY: the node's block is larger than its header.
        let start = unsafe { self.0.as_ptr().cast::<u8>().add(HEADER) };
        Span::new(start.cast(), bytes)
    }

    /// Where the region of a scattered message lies.
    fn scattered(&self) -> *mut Region {
        // SAFETY: every block is larger than a node and a region.
        unsafe { self.0.as_ptr().add(1).cast::<Region>() }
    }

    /// Where a message in another process is described.
    fn foreign_place(&self) -> *mut Foreign {
        // SAFETY: every block is larger than a node and such a description.
        unsafe { self.0.as_ptr().add(1).cast::<Foreign>() }
    }

    fn foreign(&self) -> &Foreign {
        assert!(self.shape() == Shape::Foreign, "only such a packet has a description");
        // SAFETY: `load_foreign` put it there, and the shape says that it still is.
        unsafe { &*self.foreign_place() }
    }

    #[cold]
    fn detach(&mut self) {
        if self.shape() == Shape::Foreign {
            let fate = self.fate();
            let fault = if let Fate::Faulty { address } = fate { Some(address) } else { None };
            self.foreign().give_back(fate == Fate::Delivered, fault);
            field!(self, shape = Shape::Carried);
            field!(self, fate = 0);
            // SAFETY: `load_foreign` put it there; from now on the shape says that there is none.
            return unsafe { self.foreign_place().drop_in_place() };
        }
        if self.shape() == Shape::Scattered {
            field!(self, shape = Shape::Carried);
            // SAFETY: `load` put a region there; from now on the shape says that there is none.
            return unsafe { self.scattered().drop_in_place() };
        }
        let start = ptr::with_exposed_provenance_mut::<u8>(self.word());
        let block = ptr::slice_from_raw_parts_mut(start, self.bytes());
        // SAFETY: `load` made this word from a box of this size; the shape says it is ours.
        drop(unsafe { Box::from_raw(block) });
        field!(self, shape = Shape::Carried);
    }
}

/// The sender's hold on a message that is under way. Void once the packet is home.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket(NonNull<Node>);

// SAFETY: a ticket only touches `hold`, an atomic of a node that is never freed.
unsafe impl Send for Ticket {}

impl Ticket {
    /// Takes the message back; false when the receiver has matched it already.
    pub fn recall(self) -> bool {
        match self.recall_from_here() {
            Ok(_) => true,
            Err(AWAY) => recall_from_away(self),
            Err(_) => false,
        }
    }

    /// Takes the message back unless it has left or was matched; then this returns its state.
    pub(super) fn recall_from_here(self) -> Result<u8, u8> {
        // SAFETY: nodes are never freed, and `hold` is only touched as an atomic.
        let hold = unsafe { &(*self.0.as_ptr()).hold };
        let (won, lost) = (Ordering::AcqRel, Ordering::Relaxed);
        hold.compare_exchange(OPEN, RECALLED, won, lost)
    }
}

/// Takes a message back that waits for a receiver in another process.
#[cold]
fn recall_from_away(ticket: Ticket) -> bool {
    RECALL.get().is_some_and(|recall| recall(ticket))
}

/// How such messages are taken back, once there are other processes.
static RECALL: OnceLock<fn(Ticket) -> bool> = OnceLock::new();

pub(super) fn expect_recalls(recall: fn(Ticket) -> bool) {
    RECALL.get_or_init(|| recall);
}
