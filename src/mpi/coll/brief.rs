//! Operations of the commonest kind on MPI_COMM_WORLD: a few numbers, combined by operations of the
//! library's own. They judge only whether they are that, by plain numbers, and go the way of
//! [`brisk`](super::brisk), without a plan: some members may go this way, and others that one.

use super::bracket::Bracket;
use super::brisk::Turn;
use super::choice::Crowd;
use super::claim::{Amount, Claim, Kind};
use super::reduce::{Part, Sum};
use crate::host::memory::{Region, Span};
use crate::mpi::comm::Comm;
use crate::mpi::datatype::Address;
use crate::mpi::datatype::predefined;
use crate::mpi::error::Result;
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
    /// What is combined for those that are to come here.
    #[inline(always)]
    fn given(self, send: Address) -> Numbers {
        if send == Address::IN_PLACE { self } else { Numbers { buf: send, ..self } }
    }

    /// Where they lie, if they are a few bytes, and one at least.
    #[inline(always)]
    fn span(self) -> Option<Span> {
        let size = predefined::plain_bytes(self.datatype);
        let is_brief = size != 0
            && self.buf.0 >= Address::LOWEST
            && (1..=MOST as u64).contains(&(self.count as u64))
            && self.count as usize * size <= MOST;
        is_brief.then(|| self.buf.span(self.count as usize * size))
    }

    /// The same of a block for each of so many members: how many bytes a block has, and all.
    #[inline(always)]
    fn blocks(self, members: usize) -> Option<(usize, Span)> {
        let each = self.span()?.bytes();
        Some((each, self.buf.span(each * members)))
    }

    /// How much of what they are.
    #[inline(always)]
    fn amount(self) -> Amount {
        Amount::plain(self.datatype, self.count)
    }

    /// The claim of those who combine them.
    #[inline(always)]
    fn claim(self, kind: Kind, op: usize) -> Claim {
        Claim::of(kind).op(Op::code_of(op)).amount(self.amount())
    }

    /// The same of what this operation works on.
    #[inline(always)]
    fn operand(self, op: usize) -> Option<Span> {
        self.span().filter(|_| Op::works_on(op, self.datatype))
    }

    /// What combines them, which are such an operand. Out of line: not all who come here need it.
    #[inline(never)]
    fn sum(self, op: usize) -> Sum {
        let known = predefined::find(self.datatype).zip(Op::predefined(op));
        let (datatype, op) = known.expect("both are predefined, as the one works on the other");
        Sum::of_plain(self.buf, self.count, datatype, op)
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
    let turn = Turn::next_of_all(process, comm);
    turn.come(Claim::of(Kind::Barrier))?;
    turn.all(|_| ())?;
    Ok(true)
}

/// What the root has comes to everybody, in the same way.
#[inline]
pub fn bcast(process: &'static Process, it: Numbers, from: i32, comm: usize) -> Result<bool> {
    let (Some((comm, crowd)), Some(data)) = (world(process, comm), it.span()) else {
        return Ok(false);
    };
    let Some(root) = root(comm, from).filter(|_| crowd.broadcasts_at_once(data.bytes())) else {
        return Ok(false);
    };
    let turn = Turn::next(process, comm);
    turn.come(Claim::of(Kind::Bcast).amount(it.amount()).root(root))?;
    turn.broadcast(root, &data.into())?;
    Ok(true)
}

/// What everybody has comes to the root, in the same way.
#[inline]
pub fn gather(
    process: &'static Process, send: Numbers, recv: Numbers, to: i32, comm: usize,
) -> Result<bool> {
    let Some((comm, crowd)) = world(process, comm) else { return Ok(false) };
    let (Some(root), Some(mine)) = (root(comm, to), send.span()) else { return Ok(false) };
    let each = mine.bytes();
    if !crowd.gathers_at_once(each) {
        return Ok(false);
    }
    if to != comm.rank {
        let turn = Turn::next(process, comm);
        turn.come(Claim::of(Kind::Gather).amount(send.amount()).root(root))?;
        turn.bring(&mine.into(), root)?;
        return Ok(true);
    }
    let all = recv.blocks(comm.group.len()).filter(|(bytes, _)| *bytes == each);
    let Some((_, all)) = all else { return Ok(false) };
    let turn = Turn::next(process, comm);
    turn.come(Claim::of(Kind::Gather).amount(send.amount()).root(root))?;
    turn.collect(Some(&mine.into()), &all.into(), each)?;
    Ok(true)
}

/// A block for each comes from the root, in the same way.
#[inline]
pub fn scatter(
    process: &'static Process, send: Numbers, recv: Numbers, from: i32, comm: usize,
) -> Result<bool> {
    let Some((comm, crowd)) = world(process, comm) else { return Ok(false) };
    let (Some(root), Some(mine)) = (root(comm, from), recv.span()) else { return Ok(false) };
    let each = mine.bytes();
    if !crowd.scatters_at_once(each) {
        return Ok(false);
    }
    if from != comm.rank {
        let turn = Turn::next(process, comm);
        turn.come(Claim::of(Kind::Scatter).amount(recv.amount()).root(root))?;
        turn.receive_block(root, &mine.into())?;
        return Ok(true);
    }
    let all = send.blocks(comm.group.len()).filter(|(bytes, _)| *bytes == each);
    let Some((_, all)) = all else { return Ok(false) };
    let turn = Turn::next(process, comm);
    turn.come(Claim::of(Kind::Scatter).amount(recv.amount()).root(root))?;
    turn.hand_out(&all.into(), each, Some(&mine.into()))?;
    Ok(true)
}

/// What everybody has comes to everybody, in the same way.
#[inline]
pub fn allgather(
    process: &'static Process, send: Numbers, recv: Numbers, comm: usize,
) -> Result<bool> {
    let Some((comm, crowd)) = world(process, comm) else { return Ok(false) };
    let (Some(mine), Some((each, all))) = (send.span(), recv.blocks(comm.group.len())) else {
        return Ok(false);
    };
    if mine.bytes() != each || !crowd.packs(each, all.bytes()) {
        return Ok(false);
    }
    let turn = Turn::next_of_all(process, comm);
    turn.come(Claim::of(Kind::Allgather).amount(recv.amount()))?;
    turn.allgather(&mine.into(), false, &all.into(), each)?;
    Ok(true)
}

/// A block for each goes from everybody to everybody, in the same way.
#[inline]
pub fn alltoall(
    process: &'static Process, send: Numbers, recv: Numbers, comm: usize,
) -> Result<bool> {
    let Some((comm, crowd)) = world(process, comm) else { return Ok(false) };
    let members = comm.group.len();
    let (Some((given, from)), Some((each, to))) = (send.blocks(members), recv.blocks(members))
    else {
        return Ok(false);
    };
    if given != each || !crowd.lays_rows_down(each) {
        return Ok(false);
    }
    let turn = Turn::next_of_all(process, comm);
    turn.come(Claim::of(Kind::Alltoall).amount(recv.amount()))?;
    turn.alltoall(&from.into(), &to.into(), each)?;
    Ok(true)
}

/// Combines everybody's values for the root, in the same way.
#[inline]
pub fn reduce(
    process: &'static Process, send: Address, it: Numbers, op: usize, to: i32, comm: usize,
) -> Result<bool> {
    let Some((comm, crowd)) = world(process, comm) else { return Ok(false) };
    let Some(root) = root(comm, to) else { return Ok(false) };
    let (is_root, is_in_place) = (to == comm.rank, send == Address::IN_PLACE);
    let given = it.given(send);
    let Some(input) = given.operand(op) else { return Ok(false) };
    let target = it.span().filter(|_| is_root);
    let is_plain = if is_root { target.is_some() } else { !is_in_place };
    let bytes = input.bytes();
    let (is_at_once, is_twice) = (crowd.combines_at_once(bytes), crowd.combines_twice(bytes));
    if !is_plain || !(is_at_once || is_twice) || !crowd.meets_for_sum_of_one(bytes) {
        return Ok(false);
    }
    let turn = Turn::next(process, comm);
    turn.come(it.claim(Kind::Reduce, op).root(root))?;
    let bracket = || Bracket::of(crowd.reduction(bytes, it.count), bytes, to);
    if !is_at_once {
        let target = target.map(Region::from);
        turn.reduce_where_it_lies(&given.sum(op), bracket(), target.as_ref())?;
        return Ok(true);
    }
    turn.put(&input.into())?;
    turn.all_at(root)?;
    if let Some(target) = target {
        turn.combine_for_one(&given.sum(op), bracket(), &target.into())?;
    }
    Ok(true)
}

/// Combines everybody's values for everybody, in the same way.
#[inline]
pub fn allreduce(
    process: &'static Process, send: Address, it: Numbers, op: usize, comm: usize,
) -> Result<bool> {
    let Some((comm, crowd)) = world(process, comm) else { return Ok(false) };
    let given = it.given(send);
    let (Some(input), Some(target)) = (given.operand(op), it.span()) else { return Ok(false) };
    let bytes = target.bytes();
    let (is_at_once, is_twice) = (crowd.combines_at_once(bytes), crowd.combines_twice(bytes));
    if !(is_at_once || is_twice) {
        return Ok(false);
    }
    let bracket = Bracket::of(crowd.reduction(bytes, it.count), bytes, 0);
    let turn = Turn::next_of_all(process, comm);
    turn.come(it.claim(Kind::Allreduce, op))?;
    let target = target.into();
    match is_at_once {
        true => turn.reduce_for_all(|| given.sum(op), &input.into(), bracket, (0, &target))?,
        false => turn.reduce_where_it_lies(&given.sum(op), bracket, Some(&target))?,
    }
    Ok(true)
}

/// The same; everybody gets a block of the result.
#[inline]
pub fn reduce_scatter(
    process: &'static Process, send: Address, it: Numbers, op: usize, comm: usize,
) -> Result<bool> {
    let Some((comm, crowd)) = world(process, comm) else { return Ok(false) };
    let Some(target) = it.span() else { return Ok(false) };
    let all = Numbers { count: it.count * comm.group.len() as i64, ..it.given(send) };
    let Some(input) = all.operand(op) else { return Ok(false) };
    let (bytes, rank) = (input.bytes(), comm.rank);
    let is_at_once = crowd.combines_at_once(bytes);
    if !is_at_once && !crowd.looks_round() {
        return Ok(false);
    }
    let bracket = Bracket::of(crowd.reduction(bytes, all.count), bytes, 0);
    let turn = Turn::next_of_all(process, comm);
    turn.come(all.claim(Kind::ReduceScatterBlock, op))?;
    let (offset, target) = (turn.me() * target.bytes(), target.into());
    let part = Part { first: i64::from(rank) * it.count, items: it.count };
    match is_at_once {
        true => turn.reduce_for_all(|| all.sum(op), &input.into(), bracket, (offset, &target))?,
        false => turn.reduce_and_keep(&all.sum(op), bracket, part, &target)?,
    }
    Ok(true)
}

/// Combines the values of all up to each member, or before it, in the same way.
#[inline]
pub fn scan(
    process: &'static Process, send: Address, it: Numbers, op: usize, comm: usize,
    is_exclusive: bool,
) -> Result<bool> {
    let Some((comm, crowd)) = world(process, comm) else { return Ok(false) };
    let given = it.given(send);
    let Some(input) = given.operand(op) else { return Ok(false) };
    // Nobody is before the first member: it gets nothing then, whatever it has room for.
    let gets = !is_exclusive || comm.rank > 0;
    let target = it.span().filter(|_| gets);
    if gets && target.is_none() || !crowd.passes_on(input.bytes()) {
        return Ok(false);
    }
    let turn = Turn::next(process, comm);
    turn.come(it.claim(if is_exclusive { Kind::Exscan } else { Kind::Scan }, op))?;
    turn.scan(&given.sum(op), &input.into(), target.map(Region::from).as_ref(), is_exclusive)?;
    Ok(true)
}
