//! The fast path for the most common calls: a few plain numbers, to or from one member of
//! MPI_COMM_WORLD. They check only whether a call is of this kind; `mpi::p2p` does the rest.

use crate::base::Member;
use crate::engine::{Receipt, Watch};
use crate::host::memory::Span;
use crate::mpi::comm::{self, Comm};
use crate::mpi::datatype::Address;
use crate::mpi::datatype::predefined;
use crate::mpi::error::Result;
use crate::mpi::handle_table::{self, Held, Sort};
use crate::mpi::p2p::outcome::{Pending, envelope};
use crate::mpi::p2p::request_table;
use crate::mpi::p2p::status::Status;
use crate::mpi::process::Process;
use crate::transport::{Envelope, LONGEST_IN_RING};

/// Larger counts are not for here.
const MOST: u64 = i32::MAX as u64;

/// The arguments of such a call, as they came; the tag is one that its call may have.
#[derive(Clone, Copy)]
pub struct Short {
    pub buf: Address,
    pub count: i64,
    pub datatype: usize,
    /// The other's rank.
    pub peer: i32,
    pub tag: i32,
    pub comm: usize,
}

impl Short {
    /// The memory of the message, if it is at most `most` plain numbers.
    #[inline(always)]
    fn span(&self, most: u64) -> Option<Span> {
        let size = predefined::plain_bytes(self.datatype);
        if size == 0 || self.count as u64 > most {
            return None;
        }
        if self.buf.0 < Address::LOWEST && self.buf.0 | self.count as usize != 0 {
            return None;
        }
        Some(self.buf.span(self.count as usize * size))
    }

    /// The member with the peer's rank while MPI_COMM_WORLD is still the initial one, if there is
    /// one: only members have rings.
    #[inline(always)]
    fn inhabitant(&self) -> Member {
        Member { seat: self.peer as usize, incarnation: 0 }
    }
}

/// Sends a message if that is done at once; false: nothing has happened.
#[inline(always)]
pub fn send(process: &'static Process, it: Short) -> Result<bool> {
    let Some(data) = it.span(LONGEST_IN_RING as u64) else { return Ok(false) };
    let Some(world) = process.first_world(it.comm) else { return Ok(false) };
    let envelope = envelope(2 * comm::WORLD_CONTEXT, world.rank, it.tag);
    Ok(process.engine.send_at_once(envelope, it.inhabitant(), data)?)
}

/// What a receive asks for.
#[inline(always)]
fn wanted(it: Short) -> Envelope {
    envelope(2 * comm::WORLD_CONTEXT, it.peer, it.tag)
}

/// Receives a message if it is there at once, or in a moment, and tells of it; false: nothing has
/// happened.
#[inline(always)]
pub fn recv(process: &'static Process, it: Short, tell: impl Fn(Status)) -> Result<bool> {
    let Some(into) = it.span(MOST) else { return Ok(false) };
    if process.first_world(it.comm).is_none() {
        return Ok(false);
    }
    let tell = |tag, bytes| tell(status_of(Receipt { source: it.peer, tag, bytes }));
    Ok(process.engine.receive_at_once(wanted(it), it.inhabitant(), into, tell)?)
}

/// Starts a receive, and returns its handle; `None`: nothing has happened.
#[inline(always)]
pub fn irecv(process: &'static Process, it: Short) -> Result<Option<usize>> {
    let Some(into) = it.span(MOST) else { return Ok(None) };
    let Some(world) = process.first_world(it.comm) else { return Ok(None) };
    match process.engine.prepost(wanted(it), it.inhabitant(), into) {
        Some(receive) => Ok(Some(handle_table::handle(Sort::Request, receive))),
        None => post(process, world, it, into),
    }
}

/// Starts a receive that cannot be preposted at a ring.
#[inline(never)]
fn post(
    process: &'static Process, world: &'static Comm, it: Short, into: Span,
) -> Result<Option<usize>> {
    let Some(member) = world.plain_member(it.peer).filter(|_| process.engine.may_take_fast_path())
    else {
        return Ok(None);
    };
    let watch = Watch::Peer { rank: it.peer, member };
    let key = process.engine.start_receive(wanted(it), watch, into)?;
    process.requests.keep(&Held::Ever(world), Pending::Op(key)).map(Some)
}

/// Waits for a preposted receive if its message arrives soon; `None`: nothing has happened.
#[inline(always)]
pub fn wait(process: &'static Process, handle: usize) -> Result<Option<Status>> {
    match handle {
        request_table::DONE => return Ok(Some(Status::PLAIN)),
        request_table::NULL => return Ok(Some(Status::EMPTY)),
        _ => {}
    }
    let Some(receive) = handle_table::receive(handle) else { return Ok(None) };
    let number = receive.number() as usize;
    let mut receipt = None;
    process.engine.fill_preposted(|preposted| {
        let is_settled = preposted.settle(number, |got| receipt = Some(got));
        is_settled || !preposted.has(number)
    })?;
    Ok(receipt.map(status_of))
}

/// The status of a message that a preposted receive got.
#[inline(always)]
pub(in crate::mpi) fn status_of(receipt: Receipt) -> Status {
    let mut status = Status::new(receipt.source, receipt.tag);
    status.set_bytes(receipt.bytes as i64);
    status
}
