//! Operations of the commonest kind on MPI_COMM_WORLD: a few numbers, combined by operations of the
//! library's own. They judge only whether they are that, by plain numbers, and go the way of
//! [`brisk`](super::brisk), without a plan: some members may go this way, and others that one.

use super::brisk::Turn;
use super::choice::Crowd;
use super::reduce::Sum;
use crate::host::memory::{Region, Span};
use crate::mpi::comm::Comm;
use crate::mpi::datatype::Address;
use crate::mpi::error::Result;
use crate::mpi::named;
use crate::mpi::op::Op;
use crate::mpi::process::Process;

/// Some numbers of the program's, as they came.
#[derive(Clone, Copy)]
pub struct Numbers {
    pub buf: Address,
    pub count: i64,
    pub datatype: usize,
}

impl Numbers {
    /// Where they lie, if they are so many bytes at most, and one at least.
    #[inline(always)]
    fn span(self, most: usize) -> Option<Span> {
        let size = named::plain_bytes(self.datatype);
        let is_brief = size != 0
            && self.buf.0 >= Address::LOWEST
            && (1..=most as u64).contains(&(self.count as u64))
            && self.count as usize * size <= most;
        is_brief.then(|| self.buf.span(self.count as usize * size))
    }

    /// What is combined for those that are to come here.
    #[inline(always)]
    fn given(self, send: Address) -> Numbers {
        if send == Address::IN_PLACE { self } else { Numbers { buf: send, ..self } }
    }

    /// The same, if members of such a crowd combine them at once.
    #[inline(always)]
    fn sum(self, op: usize, crowd: Crowd) -> Option<Sum> {
        self.span(MOST).filter(|span| crowd.combines_at_once(span.bytes()))?;
        let (datatype, op) = (named::find(self.datatype)?, Op::predefined(op)?);
        op.is_defined_on(&datatype).ok()?;
        Some(Sum::of_plain(self.buf, self.count, datatype, op))
    }
}

/// No operation here has more bytes.
const MOST: usize = 1 << 14;

/// Who goes this way, unless something is unusual.
#[inline(always)]
fn world(process: &'static Process, comm: usize) -> Option<(&'static Comm, Crowd)> {
    let comm = process.first_world(comm)?;
    let crowd = Crowd::among(comm.group.len(), process.world.ranks_per_core());
    let is_usual = process.engine.is_carefree() && process.world.rules().modes().is_none();
    (is_usual && crowd.is_near()).then_some((comm, crowd))
}

#[inline(always)]
fn root(comm: &Comm, root: i32) -> Option<usize> {
    usize::try_from(root).ok().filter(|root| *root < comm.group.len())
}

/// Returns when all members have come, if this is the way to do so; false: nothing has happened.
#[inline]
pub fn barrier(process: &'static Process, comm: usize) -> Result<bool> {
    let Some((comm, _)) = world(process, comm) else { return Ok(false) };
    Turn::come(process, comm)?.all(|_| ())?;
    Ok(true)
}

/// What the root has comes to everybody, in the same way.
#[inline]
pub fn bcast(process: &'static Process, it: Numbers, from: i32, comm: usize) -> Result<bool> {
    let (Some((comm, crowd)), Some(data)) = (world(process, comm), it.span(MOST)) else {
        return Ok(false);
    };
    let Some(root) = root(comm, from).filter(|_| crowd.broadcasts_at_once(data.bytes())) else {
        return Ok(false);
    };
    Turn::come(process, comm)?.broadcast(root, &data.into())?;
    Ok(true)
}

/// Combines everybody's values for the root, in the same way.
#[inline]
pub fn reduce(
    process: &'static Process, send: Address, it: Numbers, op: usize, to: i32, comm: usize,
) -> Result<bool> {
    let Some((comm, crowd)) = world(process, comm) else { return Ok(false) };
    let Some(root) = root(comm, to) else { return Ok(false) };
    let is_root = to == comm.rank;
    let given = if is_root { it.given(send) } else { Numbers { buf: send, ..it } };
    let Some(sum) = given.sum(op, crowd) else { return Ok(false) };
    let (given, got) = (given.span(MOST), it.span(MOST).filter(|_| is_root));
    let meets = |span: Span| crowd.meets_for_sum_of_one(span.bytes());
    if is_root && got.is_none() || !given.is_some_and(meets) {
        return Ok(false);
    }
    let target = got.map(Region::from);
    Turn::come(process, comm)?.reduce(&sum, crowd, target.as_ref(), root)?;
    Ok(true)
}

/// Combines everybody's values for everybody, in the same way.
#[inline]
pub fn allreduce(
    process: &'static Process, send: Address, it: Numbers, op: usize, comm: usize,
) -> Result<bool> {
    let Some((comm, crowd)) = world(process, comm) else { return Ok(false) };
    let (Some(sum), Some(target)) = (it.given(send).sum(op, crowd), it.span(MOST)) else {
        return Ok(false);
    };
    if !crowd.reduces_for_all(target.bytes()) {
        return Ok(false);
    }
    Turn::come(process, comm)?.allreduce(&sum, crowd, &target.into())?;
    Ok(true)
}
