//! The operands of a reduction (MPI-5.0 §6.9), and the message algorithms that several reductions
//! share. The program's memory is only copied from and to; operands are combined in memory that the
//! library owns.

use super::blocks::again;
use super::bracket::Bracket;
use super::claim::{Amount, Claim, Kind};
use super::role::others;
use super::select::{Combination, Crowd};
use super::tree::Tree;
use crate::host::memory::{Region, Span};
use crate::mpi::datatype::{Address, Datatype, Place};
use crate::mpi::error::{Class, Result};
use crate::mpi::handle_table::Held;
use crate::mpi::lane::{Doing, Lane};
use crate::mpi::op::Op;
use crate::mpi::op::combine::Combiner;
use crate::mpi::process::Process;
use crate::mpi::scratch::Scratch;

/// The arguments of a reduction.
pub struct Terms<'a> {
    pub send: Address,
    pub recv: Address,
    pub count: &'a Result<i64>,
    pub datatype: &'a Result<Held<Datatype>>,
    pub op: &'a Result<Held<Op>>,
}

impl<'a> Terms<'a> {
    #[inline(always)]
    pub(super) fn count(&self) -> Result<i64> {
        self.count.as_ref().copied().map_err(again)
    }

    /// Checks that `count` items at `input` can be combined.
    #[inline(always)]
    pub(super) fn check(&self, input: Address, count: i64) -> Result<Checked<'a>> {
        let (datatype, op) = (self.datatype.as_ref(), self.op.as_ref());
        let (datatype, op) = (datatype.map_err(again)?, op.map_err(again)?);
        op.is_defined_on(datatype)?;
        Ok(Checked { input, place: datatype.place(input, count)?, count, datatype, op })
    }
}

/// Terms that were checked; see [`Spot`](super::blocks::Spot).
#[derive(Clone, Copy)]
pub(super) struct Checked<'a> {
    input: Address,
    place: Place,
    count: i64,
    datatype: &'a Held<Datatype>,
    op: &'a Held<Op>,
}

impl Checked<'_> {
    #[inline(always)]
    pub(super) fn sum(self) -> Sum {
        let Checked { input, place, count, datatype, op } = self;
        let whole = datatype.at(place);
        Sum { input, whole, count, datatype: datatype.clone(), op: op.clone() }
    }

    /// Checks the buffer for `items` results.
    #[inline(always)]
    pub(super) fn target(self, buf: Address, items: i64) -> Result<Place> {
        self.datatype.place(buf, items)
    }

    /// How many bytes each member has.
    #[inline(always)]
    pub(super) fn bytes(self) -> usize {
        self.place.bytes()
    }

    #[inline(always)]
    pub(super) fn region(self, place: Place) -> Region {
        self.datatype.at(place)
    }

    /// The claim of a member that combines these values.
    #[inline(always)]
    pub(super) fn claim(self, kind: Kind) -> Claim {
        Sum::claim_of(kind, self.datatype, self.op, self.count)
    }
}

/// The operands and operation of a reduction, kept for as long as it takes.
pub(super) struct Sum {
    input: Address,
    /// All of this member's values.
    whole: Region,
    pub(super) count: i64,
    pub(super) datatype: Held<Datatype>,
    pub(super) op: Held<Op>,
}

impl Sum {
    /// This member's values.
    #[inline(always)]
    pub(super) fn values(&self) -> &Region {
        &self.whole
    }

    /// A part of this member's values.
    pub(super) fn input(&self, part: Part) -> Result<Region> {
        self.at(self.input, part)
    }

    /// A part of the items at `buf`.
    #[inline(always)]
    pub(super) fn at(&self, buf: Address, part: Part) -> Result<Region> {
        let offset = part.first * self.datatype.shape.extent;
        self.datatype.region(Address(buf.0.wrapping_add(offset as usize)), part.items)
    }

    #[inline(always)]
    pub(super) fn whole(&self) -> Part {
        Part { first: 0, items: self.count }
    }

    /// Memory for `items` items.
    pub(super) fn room(&self, items: i64) -> Result<Room> {
        let mut memory = Scratch::default();
        let (buf, _) = memory.items(&self.datatype, items)?;
        Ok(Room { buf, _memory: memory })
    }

    /// The first items in a room.
    pub(super) fn in_room(&self, room: &Room, items: i64) -> Result<Region> {
        self.at(room.buf, Part { first: 0, items })
    }

    /// `right` becomes `left` op `right`.
    pub(super) fn combine(
        &self, lane: &Lane<'_>, left: &Room, right: &mut Room, items: i64,
    ) -> Result {
        self.combine_span(lane, left.span(self.datatype.bytes(items)?), right, items)
    }

    /// `right` becomes `left` op `right`, where these lie anywhere.
    fn combine_span(&self, lane: &Lane<'_>, left: Span, right: &mut Room, items: i64) -> Result {
        let combiner = Combiner::new(lane.process(), &self.op, &self.datatype, items);
        combiner.combine(left, right.span(self.datatype.bytes(items)?));
        Ok(())
    }

    /// The combiner of all items, for contiguous values.
    #[inline]
    pub(super) fn combiner<'a>(&'a self, process: &'a Process) -> Combiner<'a> {
        self.combiner_of(process, self.count)
    }

    /// The combiner of `items` items.
    #[inline]
    pub(super) fn combiner_of<'a>(&'a self, process: &'a Process, items: i64) -> Combiner<'a> {
        Combiner::new(process, &self.op, &self.datatype, items)
    }

    /// The combiner of `bytes` of contiguous values.
    #[inline]
    pub(super) fn combiner_of_bytes<'a>(
        &'a self, process: &'a Process, bytes: usize,
    ) -> Combiner<'a> {
        // A division takes longer than the sum of a few numbers.
        match bytes == self.bytes() {
            true => self.combiner(process),
            false => self.combiner_of(process, bytes as i64 / self.item()),
        }
    }

    /// Whether one member can combine the values of all: the operation is the library's own, and
    /// the values have no gaps.
    #[inline(always)]
    pub(super) fn is_plain(&self) -> bool {
        let shape = &self.datatype.shape;
        matches!(&*self.op, Op::Named(_)) && shape.size == shape.extent && shape.lb == 0
    }

    /// Whether values can also be combined in place, without copies.
    #[inline(always)]
    pub(super) fn is_in_one_piece(&self) -> bool {
        self.is_plain() && self.datatype.is_predefined()
    }

    /// Bytes of one item.
    #[inline(always)]
    pub(super) fn item(&self) -> i64 {
        self.datatype.shape.size
    }

    /// The claim of a member that combines these values.
    #[inline(always)]
    pub(super) fn claim(&self, kind: Kind) -> Claim {
        Sum::claim_of(kind, &self.datatype, &self.op, self.count)
    }

    #[inline(always)]
    fn claim_of(kind: Kind, datatype: &Datatype, op: &Op, count: i64) -> Claim {
        Claim::of(kind).op(op.code()).amount(Amount::of(datatype, count))
    }

    /// How many bytes each member has.
    #[inline(always)]
    pub(super) fn bytes(&self) -> usize {
        self.whole.bytes()
    }

    /// The brackets of this reduction among this crowd, up to `top`.
    #[inline(always)]
    pub(super) fn bracket(&self, crowd: Crowd, top: usize) -> Bracket {
        Bracket::of(self.combination(crowd), self.bytes(), top)
    }

    /// Whether members of this crowd exchange all values by messages and combine them in a row.
    pub(super) fn is_exchanged(&self, crowd: Crowd) -> bool {
        let is_row = || self.bracket(crowd, 0).first_of_row(crowd.members()).is_some();
        crowd.exchanges(self.bytes()) && is_row()
    }

    /// The values of the member in this place of a room for several.
    pub(super) fn span_at(&self, room: &Room, place: i32) -> Span {
        let offset = i64::from(place) * self.count * self.datatype.shape.extent;
        let start = room.buf.0.wrapping_add_signed(offset as isize);
        Span::new(std::ptr::with_exposed_provenance(start), self.bytes())
    }

    /// The part of the member with this rank; parts are as equal as possible.
    pub(super) fn part(&self, rank: i32, members: i32) -> Part {
        let edge = |rank: i32| {
            let edge = i128::from(self.count) * i128::from(rank) / i128::from(members);
            i64::try_from(edge).expect("an edge is no larger than the count")
        };
        Part { first: edge(rank), items: edge(rank + 1) - edge(rank) }
    }

    /// The part that the member of `lane` combines, where some members combine for all.
    pub(super) fn share(&self, lane: &Lane<'_>) -> Part {
        let (rank, members) = (i64::from(lane.rank()), i64::from(lane.size()));
        let combiners = Crowd::of(lane).combiners() as i64;
        // Spread evenly, because neighbouring ranks share a core.
        let number = (rank * combiners + members - 1) / members;
        if number < combiners && number * members / combiners == rank {
            let (number, combiners) = (number as i32, combiners as i32);
            return self.part(number, combiners);
        }
        Part { first: 0, items: 0 }
    }

    #[inline(always)]
    pub(super) fn combination(&self, crowd: Crowd) -> Combination {
        crowd.combination(self.bytes(), self.count)
    }
}

/// A range of items.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) first: i64,
    pub(super) items: i64,
}

impl Part {
    /// Divides the range into blocks of at most `most` items.
    pub(super) fn blocks(self, most: i64) -> impl Iterator<Item = Part> {
        let end = self.first + self.items;
        (0..self.items).step_by(most as usize).map(move |offset| {
            let first = self.first + offset;
            Part { first, items: most.min(end - first) }
        })
    }
}

/// Memory that the library owns, and where its items would start as a buffer.
pub(super) struct Room {
    pub(super) buf: Address,
    _memory: Scratch,
}

impl Room {
    pub(super) fn span(&self, bytes: usize) -> Span {
        Span::new(std::ptr::with_exposed_provenance(self.buf.0), bytes)
    }
}

/// Combines along a tree up to `top`, in rank order counted from there: each member's values are
/// left operands of its children's. The top gets the result.
pub(super) async fn climb(lane: &Lane<'_>, sum: &Sum, top: i32) -> Result<Option<Room>> {
    let count = sum.count;
    let tree = Tree::to_combine(lane, top, sum.datatype.bytes(count)?);
    let mut children = tree.children().peekable();
    if let (None, Some(parent)) = (children.peek(), tree.parent()) {
        lane.send(parent, sum.values()).await?;
        return Ok(None);
    }
    let (mut mine, mut theirs) = (sum.room(count)?, sum.room(count)?);
    lane.copy(sum.values(), &sum.in_room(&mine, count)?)?;
    for child in children {
        receive(lane, child, &sum.in_room(&theirs, count)?).await?;
        sum.combine(lane, &mine, &mut theirs, count)?;
        std::mem::swap(&mut mine, &mut theirs);
    }
    let Some(parent) = tree.parent() else { return Ok(Some(mine)) };
    lane.send(parent, &sum.in_room(&mine, count)?).await?;
    Ok(None)
}

/// Receives the expected number of values: a member with fewer is an error here.
pub(super) async fn receive(lane: &Lane<'_>, from: i32, into: &Region) -> Result {
    check(lane, from, lane.recv(from, into).await?, into)
}

pub(super) fn check(lane: &Lane<'_>, from: i32, bytes: usize, into: &Region) -> Result {
    if bytes == into.bytes() {
        return Ok(());
    }
    let words =
        format!("rank {from} reduces {bytes} bytes, but this rank reduces {}", into.bytes());
    lane.note(Err(Class::COUNT.because(words)))
}

/// Every member combines its part of all members' values, in rank order, straight out of their
/// memory. Returns the values, and the sends of the other parts, which may still be under way.
pub(super) async fn combine_parts<'l, 'a>(
    lane: &'l Lane<'a>, sum: &Sum, parts: impl Fn(i32) -> Part,
) -> Result<(Room, Vec<Doing<'l, 'a>>)> {
    let mut sends = Vec::new();
    for rank in others(lane.comm()) {
        sends.push(lane.start_send(rank, &sum.input(parts(rank))?)?);
    }
    let mine = parts(lane.rank());
    let own = sum.input(mine)?;
    let (mut values, next) = (sum.room(mine.items)?, sum.room(mine.items)?);
    for rank in (0..lane.size()).rev() {
        let is_first = rank + 1 == lane.size();
        let into = sum.in_room(if is_first { &values } else { &next }, mine.items)?;
        match own.span().filter(|_| sum.is_plain()) {
            // It can be combined where it is.
            Some(own) if rank == lane.rank() && !is_first => {
                sum.combine_span(lane, own, &mut values, mine.items)?;
                continue;
            }
            _ if rank == lane.rank() => lane.copy(&own, &into)?,
            _ => receive(lane, rank, &into).await?,
        }
        if !is_first {
            sum.combine(lane, &next, &mut values, mine.items)?;
        }
    }
    Ok((values, sends))
}
