//! Calls of the commonest kind: a few plain numbers, to or from one member of
//! MPI_COMM_WORLD. They judge only whether they are that; everything else is `pt2pt`'s.

use crate::base::Member;
use crate::engine::{self, Receipt, Watch};
use crate::host::memory::Span;
use crate::mpi::comm::Comm;
use crate::mpi::datatype::Address;
use crate::mpi::error::Result;
use crate::mpi::named;
use crate::mpi::process::Process;
use crate::mpi::pt2pt::{Pending, envelope};
use crate::mpi::request;
use crate::mpi::status::Status;
use crate::mpi::table::{self, Held, Sort};
use crate::transport::{Envelope, SHORT};

/// A count that makes more bytes than there are addresses is not for here.
const MOST: u64 = 1 << 48;

/// The arguments of such a call, as they came.
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
    /// The memory of the message, if it is so many numbers at most.
    #[inline(always)]
    fn span(&self, most: u64) -> Option<Span> {
        let size = named::plain_bytes(self.datatype);
        let is_there = self.buf.0 >= Address::LOWEST || self.buf.0 | self.count as usize == 0;
        let is_plain = size != 0 && self.count as u64 <= most && is_there;
        is_plain.then(|| self.buf.span(self.count as usize * size))
    }
}

/// Sends a message if that is done at once; false: nothing has happened.
#[inline(always)]
pub fn send(process: &'static Process, it: Short) -> Result<bool> {
    let (Some(data), Some(world)) = (it.span(SHORT as u64), process.first_world(it.comm)) else {
        return Ok(false);
    };
    let Some(member) = world.plain_member(it.peer).filter(|_| it.tag >= 0) else {
        return Ok(false);
    };
    let envelope = envelope(2 * world.context(), world.rank, it.tag);
    Ok(process.engine.send_at_once(envelope, member, data)?)
}

/// Whom a receive of so few bytes is from, and what it asks for.
#[inline(always)]
fn wanted(world: &Comm, it: Short) -> Option<(Envelope, Member)> {
    let is_tag = it.tag >= 0 || it.tag == engine::ANY_TAG;
    let member = world.plain_member(it.peer).filter(|_| is_tag)?;
    Some((envelope(2 * world.context(), it.peer, it.tag), member))
}

/// Receives a message if it is there at once, or in a moment; `None`: nothing has happened.
#[inline(always)]
pub fn recv(process: &'static Process, it: Short) -> Result<Option<Status>> {
    let (Some(into), Some(world)) = (it.span(MOST), process.first_world(it.comm)) else {
        return Ok(None);
    };
    let Some((pattern, member)) = wanted(world, it) else { return Ok(None) };
    let received = process.engine.receive_at_once(pattern, member, into)?;
    Ok(received.map(|(envelope, bytes)| {
        let mut status = Status::new(envelope.source, envelope.tag);
        status.set_bytes(bytes as i64);
        status
    }))
}

/// Starts a receive, and returns its handle; `None`: nothing has happened.
#[inline(always)]
pub fn irecv(process: &'static Process, it: Short) -> Result<Option<usize>> {
    let (Some(into), Some(world)) = (it.span(MOST), process.first_world(it.comm)) else {
        return Ok(None);
    };
    let Some((pattern, member)) = wanted(world, it) else { return Ok(None) };
    if let Some(booking) = process.engine.book(pattern, member, into) {
        return Ok(Some(table::handle(Sort::Request, booking)));
    }
    if !process.engine.is_carefree() {
        return Ok(None);
    }
    let watch = Watch::Peer { rank: it.peer, member };
    let key = process.engine.start_receive(pattern, watch, into)?;
    process.requests.keep(&Held::Ever(world), Pending::Op(key)).map(Some)
}

/// Waits for a booking if its message comes in a moment; `None`: nothing has happened.
#[inline(always)]
pub fn wait(process: &'static Process, handle: usize) -> Result<Option<Status>> {
    if handle == request::DONE || handle == request::NULL {
        return Ok(Some(Status::EMPTY));
    }
    let Some(booking) = table::booking(handle) else { return Ok(None) };
    let mut receipt = None;
    process.engine.fill_bookings(|bookings| {
        receipt = bookings.settle(booking);
        receipt.is_some() || !bookings.has(booking)
    })?;
    Ok(receipt.map(status_of))
}

/// What is known of a message that was booked.
#[inline(always)]
pub(super) fn status_of(receipt: Receipt) -> Status {
    let mut status = Status::new(receipt.source, receipt.tag);
    status.set_bytes(receipt.bytes as i64);
    status
}
