//! The fast path of one-sided calls: few plain numbers of the window that was used last, while
//! nothing is unusual. It only checks whether a call is of this kind, and leaves all others alone.

use crate::base::Member;
use crate::host::life;
use crate::host::memory::{Span, copy_few};
use crate::mpi::datatype::{Address, predefined};
use crate::mpi::error::{Failure, Result};
use crate::mpi::op::kernels::atomic::{Accumulator, Elements, Exchange};
use crate::mpi::op::{Named, Op};
use crate::mpi::process::Process;
use crate::mpi::rma::shared::Part;
use crate::mpi::rma::win::{Flavor, Win};
use std::ops::Deref;

/// Longer accesses are not for here.
const MOST: i64 = 64;

/// The arguments of an access, as they came.
#[derive(Clone, Copy)]
pub struct Access {
    pub buf: Address,
    pub count: i64,
    pub datatype: usize,
    pub rank: i32,
    pub disp: i64,
    pub win: usize,
}

impl Access {
    /// Calls `act` with the memory of both sides, if the access is of this kind: `act` returns how
    /// it went, `None` if it has done nothing.
    #[inline(always)]
    fn with(
        &self, process: &'static Process,
        act: impl FnOnce(&Win, Span, Span) -> Option<std::result::Result<(), usize>>,
    ) -> Result<bool> {
        let size = predefined::plain_bytes(self.datatype) as i64;
        if size == 0 || self.count <= 0 || self.count > MOST / size {
            return Ok(false);
        }
        if self.buf.0 < Address::LOWEST || !process.engine.may_take_fast_path() {
            return Ok(false);
        }
        let Some(recent) = process.windows.recent.own() else { return Ok(false) };
        let Some(win) = recent.deref() else { return Ok(false) };
        if win.handle != self.win {
            return Ok(false);
        }
        let bytes = (self.count * size) as usize;
        let Some(part) = win.shared.find(self.rank) else { return Ok(false) };
        let Some(segment) = part.segment() else { return Ok(false) };
        let Some(offset) = self.disp.checked_mul(segment.unit) else { return Ok(false) };
        let room = segment.memory.bytes().checked_sub(bytes);
        if offset < 0 || room.is_none_or(|room| offset as usize > room) || !win.is_plain(part) {
            return Ok(false);
        }
        if !win.epochs.admits(self.rank) {
            return Ok(false);
        }
        let needs_pin = !segment.is_kept && self.rank != win.comm.rank;
        let Member { seat, incarnation } = part.member;
        let pin = if needs_pin { Some(life::pin(seat, incarnation)) } else { None };
        if let Some(None) = pin {
            return Ok(false);
        }
        let target = segment.memory.part(offset as usize, bytes);
        match act(win, self.buf.span(bytes), target) {
            None => Ok(false),
            Some(Ok(())) => Ok(true),
            Some(Err(address)) => {
                if target.holds(address) && self.rank != win.comm.rank {
                    // The slow path meets the same fault, and knows whose it is.
                    return Ok(false);
                }
                Err(Failure::from(process.engine.suffer(address)))
            }
        }
    }
}

impl Win {
    /// Whether displacements say where memory is, and the members still have it.
    #[inline(always)]
    fn is_plain(&self, part: &Part) -> bool {
        self.flavor != Flavor::Dynamic && !part.is_closed() && self.own_part().fault().is_none()
    }
}

/// Puts a few numbers; false: nothing has happened.
#[inline(always)]
pub fn put(process: &'static Process, it: Access) -> Result<bool> {
    it.with(process, |_, own, target| Some(copy_few(own, target).map_err(|fault| fault.address)))
}

/// Gets a few numbers; false: nothing has happened.
#[inline(always)]
pub fn get(process: &'static Process, it: Access) -> Result<bool> {
    it.with(process, |_, own, target| Some(copy_few(target, own).map_err(|fault| fault.address)))
}

/// Combines a few numbers; `fetched` says where the former go. False: nothing has happened.
#[inline(always)]
pub fn combine(
    process: &'static Process, it: Access, fetched: Option<Address>, op: usize,
) -> Result<bool> {
    if fetched.is_some_and(|fetched| fetched.0 < Address::LOWEST) {
        return Ok(false);
    }
    it.with(process, |_, own, target| {
        let named = match Op::predefined(op).as_deref() {
            Some(Op::Named(Named::NoOp)) | None => return None,
            Some(Op::Named(named)) => *named,
            Some(Op::User { .. }) => return None,
        };
        let accumulator = accumulator(it.datatype, named)?;
        let elements = Elements {
            origin: own.address(),
            target: target.address(),
            fetched: fetched.map_or(0, |fetched| fetched.0),
            count: it.count as usize,
        };
        accumulator.is_atomic_at(elements.target).then(|| accumulator.run(elements))
    })
}

/// Compares and swaps one number; false: nothing has happened.
#[inline(always)]
pub fn compare_and_swap(
    process: &'static Process, it: Access, compare: Address, result: Address,
) -> Result<bool> {
    if compare.0 < Address::LOWEST || result.0 < Address::LOWEST {
        return Ok(false);
    }
    it.with(process, |_, own, target| {
        let accumulator = accumulator(it.datatype, Named::Sum).filter(Accumulator::is_integer)?;
        let exchange = Exchange {
            origin: own.address(),
            compare: compare.0,
            result: result.0,
            target: target.address(),
        };
        accumulator.is_atomic_at(exchange.target).then(|| accumulator.compare_and_swap(exchange))
    })
}

#[inline]
fn accumulator(datatype: usize, op: Named) -> Option<Accumulator> {
    let datatype = predefined::find(datatype)?;
    Accumulator::new(op, datatype.shape.element)
}
