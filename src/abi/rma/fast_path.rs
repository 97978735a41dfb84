//! The fast path of one-sided calls (see `mpi::rma::at_once`). It declines anything unusual or
//! erroneous, which then takes the slow path.

#![allow(clippy::too_many_arguments, reason = "as many as the calls have")]

use crate::abi::kinds::*;
use crate::mpi::datatype::Address;
use crate::mpi::error::Result;
use crate::mpi::process::Process;
use crate::mpi::rma::at_once::{self, Access};

/// An access whose two sides are alike.
#[inline(always)]
fn access(
    process: &'static Process, buf: Address, counts: [impl Kind<Checked = i64>; 2],
    datatypes: [MPI_Datatype; 2], target_rank: Int, target_disp: Aint, win: MPI_Win,
) -> Option<Access> {
    let [count, other] = counts.map(|count| count.check(process, "count"));
    let (Ok(count), Ok(other)) = (count, other) else { return None };
    let [datatype, target] = datatypes.map(Handle::key);
    let (rank, disp, win) = (target_rank.value(), target_disp.value(), win.key());
    let is_alike = count == other && datatype == target;
    is_alike.then_some(Access { buf, count, datatype, rank, disp, win })
}

#[inline(always)]
fn one(
    buf: Address, datatype: MPI_Datatype, target_rank: Int, target_disp: Aint, win: MPI_Win,
) -> Access {
    let (datatype, win) = (datatype.key(), win.key());
    Access { buf, count: 1, datatype, rank: target_rank.value(), disp: target_disp.value(), win }
}

#[inline(always)]
pub(super) fn put<C: Kind<Checked = i64>>(
    process: &'static Process, origin_addr: InBuf, origin_count: C, origin_datatype: MPI_Datatype,
    target_rank: Int, target_disp: Aint, target_count: C, target_datatype: MPI_Datatype,
    win: MPI_Win,
) -> Result<bool> {
    let Ok(buf) = origin_addr.check(process, "origin_addr") else { return Ok(false) };
    let (counts, types) = ([origin_count, target_count], [origin_datatype, target_datatype]);
    match access(process, buf, counts, types, target_rank, target_disp, win) {
        Some(access) => at_once::put(process, access),
        None => Ok(false),
    }
}

#[inline(always)]
pub(super) fn get<C: Kind<Checked = i64>>(
    process: &'static Process, origin_addr: OutBuf, origin_count: C, origin_datatype: MPI_Datatype,
    target_rank: Int, target_disp: Aint, target_count: C, target_datatype: MPI_Datatype,
    win: MPI_Win,
) -> Result<bool> {
    let Ok(buf) = origin_addr.check(process, "origin_addr") else { return Ok(false) };
    let (counts, types) = ([origin_count, target_count], [origin_datatype, target_datatype]);
    match access(process, buf, counts, types, target_rank, target_disp, win) {
        Some(access) => at_once::get(process, access),
        None => Ok(false),
    }
}

#[inline(always)]
pub(super) fn accumulate<C: Kind<Checked = i64>>(
    process: &'static Process, origin_addr: InBuf, origin_count: C, origin_datatype: MPI_Datatype,
    target_rank: Int, target_disp: Aint, target_count: C, target_datatype: MPI_Datatype,
    op: MPI_Op, win: MPI_Win,
) -> Result<bool> {
    let Ok(buf) = origin_addr.check(process, "origin_addr") else { return Ok(false) };
    let (counts, types) = ([origin_count, target_count], [origin_datatype, target_datatype]);
    match access(process, buf, counts, types, target_rank, target_disp, win) {
        Some(access) => at_once::combine(process, access, None, op.key()),
        None => Ok(false),
    }
}

#[inline(always)]
pub(super) fn fetch_and_accumulate<C: Kind<Checked = i64>>(
    process: &'static Process, origin_addr: InBuf, origin_count: C,
    origin_datatype: Late<MPI_Datatype>, result_addr: OutBuf, result_count: C,
    result_datatype: MPI_Datatype, target_rank: Int, target_disp: Aint, target_count: C,
    target_datatype: MPI_Datatype, op: MPI_Op, win: MPI_Win,
) -> Result<bool> {
    let Ok(buf) = origin_addr.check(process, "origin_addr") else { return Ok(false) };
    let Ok(result) = result_addr.check(process, "result_addr") else { return Ok(false) };
    let (counts, types) = ([result_count, target_count], [result_datatype, target_datatype]);
    let Some(access) = access(process, buf, counts, types, target_rank, target_disp, win) else {
        return Ok(false);
    };
    let op = op.key();
    let Ok(count) = origin_count.check(process, "origin_count") else { return Ok(false) };
    let is_alike = count == access.count && origin_datatype.key() == access.datatype;
    match is_alike || !at_once::needs_origin(op) {
        true => at_once::combine(process, access, Some(result), op),
        false => Ok(false),
    }
}

#[inline(always)]
pub(super) fn fetch_and_op(
    process: &'static Process, origin_addr: InBuf, result_addr: OutBuf, datatype: MPI_Datatype,
    target_rank: Int, target_disp: Aint, op: MPI_Op, win: MPI_Win,
) -> Result<bool> {
    let Ok(buf) = origin_addr.check(process, "origin_addr") else { return Ok(false) };
    let Ok(result) = result_addr.check(process, "result_addr") else { return Ok(false) };
    let access = one(buf, datatype, target_rank, target_disp, win);
    at_once::combine(process, access, Some(result), op.key())
}

#[inline(always)]
pub(super) fn compare_and_swap(
    process: &'static Process, origin_addr: InBuf, compare_addr: InBuf, result_addr: OutBuf,
    datatype: MPI_Datatype, target_rank: Int, target_disp: Aint, win: MPI_Win,
) -> Result<bool> {
    let Ok(buf) = origin_addr.check(process, "origin_addr") else { return Ok(false) };
    let Ok(compare) = compare_addr.check(process, "compare_addr") else { return Ok(false) };
    let Ok(result) = result_addr.check(process, "result_addr") else { return Ok(false) };
    let access = one(buf, datatype, target_rank, target_disp, win);
    at_once::compare_and_swap(process, access, compare, result)
}

#[inline(always)]
pub(super) fn lock(
    process: &'static Process, lock_type: Int, rank: Int, assert: Int, win: MPI_Win,
) -> Result<bool> {
    let (lock_type, rank, assert) = (lock_type.value(), rank.value(), assert.value());
    Ok(assert == 0 && at_once::lock(process, win.key(), lock_type, rank))
}

#[inline(always)]
pub(super) fn unlock(process: &'static Process, rank: Int, win: MPI_Win) -> Result<bool> {
    Ok(at_once::unlock(process, win.key(), rank.value()))
}

#[inline(always)]
pub(super) fn flush(process: &'static Process, rank: Int, win: MPI_Win) -> Result<bool> {
    Ok(at_once::flush(process, win.key(), Some(rank.value())))
}

#[inline(always)]
pub(super) fn flush_all(process: &'static Process, win: MPI_Win) -> Result<bool> {
    Ok(at_once::flush(process, win.key(), None))
}
