//! The fast path of one-sided calls: few plain numbers of the window that was used last, its locks
//! and flushes, while nothing is unusual. It only checks whether a call is of this kind, and leaves
//! all others alone.

use crate::base::Member;
use crate::base::sync::biased::Own;
use crate::host::life;
use crate::host::memory::{Change, Exchange, Instruction, Verb, copy_few, exchange};
use crate::mpi::datatype::predefined::{Kin, Word};
use crate::mpi::datatype::{Address, predefined};
use crate::mpi::error::{Failure, Result};
use crate::mpi::op::kernels::atomic::{Accumulator, Elements};
use crate::mpi::op::{Named, Op};
use crate::mpi::process::Process;
use crate::mpi::rma::passive::{lock_of_type, sync};
use crate::mpi::rma::win::{Flavor, Win};
use std::sync::Arc;

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

/// The window that was used last, in the hands of the one thread that uses windows.
type Recent<'a> = Own<'a, Option<Arc<Win>>>;

/// The window with this handle, if it was used last and nothing is unusual.
#[inline(always)]
fn recent(process: &Process, handle: usize) -> Option<Recent<'_>> {
    let recent = process.windows.recent.own()?;
    let is_it = |win: &Arc<Win>| win.handle == handle && win.is_well(&process.engine);
    recent.as_ref().is_some_and(is_it).then_some(recent)
}

impl Access {
    /// Calls `act` with the address of the target's memory, which has `bytes` and is aligned to
    /// `alignment`, if the access is of this kind. `act` returns how it went.
    #[inline(always)]
    fn with(
        &self, process: &'static Process, bytes: usize, alignment: usize,
        act: impl FnOnce(&Win, usize) -> std::result::Result<(), usize>,
    ) -> Result<bool> {
        if self.buf.0 < Address::LOWEST {
            return Ok(false);
        }
        let Some(recent) = recent(process, self.win) else { return Ok(false) };
        let Some(win) = recent.as_deref() else { return Ok(false) };
        let Some(part) = win.shared.find(self.rank) else { return Ok(false) };
        let Some(segment) = part.segment() else { return Ok(false) };
        let Some(offset) = self.disp.checked_mul(segment.unit) else { return Ok(false) };
        let room = segment.memory.bytes() as i64 - bytes as i64;
        let is_inside = offset >= 0 && offset <= room;
        if !is_inside || win.flavor == Flavor::Dynamic || part.is_closed() {
            return Ok(false);
        }
        if !win.epochs.admits(self.rank) {
            return Ok(false);
        }
        let target = segment.memory.address() + offset as usize;
        if target & (alignment - 1) != 0 {
            return Ok(false);
        }
        let needs_pin = !segment.is_kept && self.rank != win.comm.rank;
        let Member { seat, incarnation } = part.member;
        // The target lives until this goes.
        let pin = if needs_pin { Some(life::pin(seat, incarnation)) } else { None };
        if let Some(None) = pin {
            return Ok(false);
        }
        match act(win, target) {
            Ok(()) => Ok(true),
            Err(address) => self.fail(process, win, address, target..target + bytes),
        }
    }

    /// Memory is not there.
    #[cold]
    fn fail(
        &self, process: &'static Process, win: &Win, address: usize, target: std::ops::Range<usize>,
    ) -> Result<bool> {
        if target.contains(&address) && self.rank != win.comm.rank {
            // The slow path meets the same fault, and knows whose it is.
            return Ok(false);
        }
        Err(Failure::from(process.engine.suffer(address)))
    }

    /// How many bytes it has, if they are few plain numbers.
    #[inline(always)]
    fn bytes(&self) -> Option<usize> {
        let size = predefined::plain_bytes(self.datatype) as i64;
        let bytes = size.checked_mul(self.count)?;
        (bytes > 0 && bytes <= MOST).then_some(bytes as usize)
    }
}

/// Puts a few numbers; false: nothing has happened.
#[inline(always)]
pub fn put(process: &'static Process, it: Access) -> Result<bool> {
    let Some(bytes) = it.bytes() else { return Ok(false) };
    it.with(process, bytes, 1, |win, target| {
        win.epochs.note_stores();
        copy_few(it.buf.span(bytes), Address(target).span(bytes)).map_err(|fault| fault.address)
    })
}

/// Gets a few numbers; false: nothing has happened.
#[inline(always)]
pub fn get(process: &'static Process, it: Access) -> Result<bool> {
    let Some(bytes) = it.bytes() else { return Ok(false) };
    it.with(process, bytes, 1, |_, target| {
        copy_few(Address(target).span(bytes), it.buf.span(bytes)).map_err(|fault| fault.address)
    })
}

/// Whether the operation with this handle looks at the origin.
#[inline(always)]
pub fn needs_origin(op: usize) -> bool {
    Op::predefined_name(op) != Some(Named::NoOp)
}

/// Combines a few numbers; `fetched` says where the former go. False: nothing has happened.
#[inline(always)]
pub fn combine(
    process: &'static Process, it: Access, fetched: Option<Address>, op: usize,
) -> Result<bool> {
    if fetched.is_some_and(|fetched| fetched.0 < Address::LOWEST) {
        return Ok(false);
    }
    let Some(named) = Op::predefined_name(op) else { return Ok(false) };
    let it = match (named, fetched) {
        (Named::NoOp, None) => return Ok(false),
        // It has no operand.
        (Named::NoOp, Some(buf)) => Access { buf, ..it },
        _ => it,
    };
    let fetched = fetched.map_or(0, |fetched| fetched.0);
    let Some((instruction, bytes)) = instruction(named, it.datatype) else {
        return combine_by_kernel(process, it, fetched, named);
    };
    if it.count != 1 {
        return combine_some(process, it, fetched, instruction);
    }
    it.with(process, bytes, bytes, |_, target| {
        instruction.change(Change { origin: it.buf.0, target, fetched })
    })
}

/// The processor's instruction for an operation on a datatype, and how long a word of it is.
#[inline(always)]
fn instruction(op: Named, datatype: usize) -> Option<(Instruction, usize)> {
    let Word { kin, log2_bytes } = predefined::word(datatype)?;
    let is_integer = kin == Kin::Integer;
    let has_bits = is_integer || kin == Kin::Bits;
    let verb = match op {
        Named::NoOp => Verb::Load,
        Named::Replace => Verb::Swap,
        Named::Sum if is_integer => Verb::Add,
        Named::Sum if kin == Kin::Real => Verb::AddReal,
        Named::Band if has_bits => Verb::And,
        Named::Bor if has_bits => Verb::Or,
        Named::Bxor if has_bits => Verb::Xor,
        _ => return None,
    };
    Some((Instruction::new(verb, log2_bytes)?, 1 << log2_bytes))
}

/// The same for several numbers, one after the other.
#[inline(never)]
fn combine_some(
    process: &'static Process, it: Access, fetched: usize, instruction: Instruction,
) -> Result<bool> {
    let Some(bytes) = it.bytes() else { return Ok(false) };
    let step = bytes / it.count as usize;
    it.with(process, bytes, step, |_, target| {
        (0..bytes).step_by(step).try_for_each(|at| {
            let fetched = if fetched == 0 { 0 } else { fetched + at };
            instruction.change(Change { origin: it.buf.0 + at, target: target + at, fetched })
        })
    })
}

/// The same for operations for which the processor has no instruction.
#[inline(never)]
fn combine_by_kernel(
    process: &'static Process, it: Access, fetched: usize, op: Named,
) -> Result<bool> {
    let Some(bytes) = it.bytes() else { return Ok(false) };
    let datatype = predefined::find(it.datatype);
    let accumulator = datatype.and_then(|known| Accumulator::new(op, known.shape.element));
    let Some(accumulator) = accumulator else { return Ok(false) };
    if !accumulator.is_atomic_at(0) {
        return Ok(false);
    }
    it.with(process, bytes, accumulator.bytes(), |_, target| {
        let elements = Elements { origin: it.buf.0, target, fetched, count: it.count as usize };
        accumulator.run(elements)
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
    let Some(Word { kin: Kin::Integer, log2_bytes }) = predefined::word(it.datatype) else {
        return Ok(false);
    };
    let bytes = 1 << log2_bytes;
    it.with(process, bytes, bytes, |_, target| {
        let it = Exchange { origin: it.buf.0, compare: compare.0, result: result.0, target };
        exchange(it, log2_bytes)
    })
}

/// Locks a target that nobody has locked; false: nothing has happened.
#[inline(always)]
pub fn lock(process: &Process, handle: usize, lock_type: i32, rank: i32) -> bool {
    let Some(lock) = lock_of_type(lock_type) else { return false };
    let Some(recent) = recent(process, handle) else { return false };
    let Some(win) = recent.as_deref() else { return false };
    // A gap that a dead rank has left has no segment.
    let Some(part) = win.shared.find(rank).filter(|part| part.segment().is_some()) else {
        return false;
    };
    win.shared.starving().is_none()
        && win.epochs.lock_at_once(rank, || part.lock.try_take(win.comm.rank, lock))
}

/// Unlocks a target for which nobody waits; false: nothing has happened.
#[inline(always)]
pub fn unlock(process: &Process, handle: usize, rank: i32) -> bool {
    if process.engine.should_give_way() {
        return false;
    }
    let Some(recent) = recent(process, handle) else { return false };
    let Some(win) = recent.as_deref() else { return false };
    let Some(part) = win.shared.find(rank) else { return false };
    win.epochs.unlock_at_once(rank, || part.lock.try_give_up(win.comm.rank))
}

/// Completes the accesses to a target, or to all; false: nothing has happened.
#[inline(always)]
pub fn flush(process: &Process, handle: usize, rank: Option<i32>) -> bool {
    if process.engine.should_give_way() {
        return false;
    }
    let Some(recent) = recent(process, handle) else { return false };
    let Some(win) = recent.as_deref() else { return false };
    let is_member = |rank| win.shared.find(rank).is_some_and(|part| part.segment().is_some());
    if !win.epochs.is_passive(rank) || !rank.is_none_or(is_member) {
        return false;
    }
    // Changes by atomic instructions are ordered already, and loads are complete.
    if win.epochs.take_stores() {
        sync();
    }
    true
}
