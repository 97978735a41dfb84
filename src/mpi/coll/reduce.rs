//! Reductions (MPI-5.0 §6.9). The program's memory is only copied from and to; operands meet in
//! memory of the library's own.

use super::bracket::Bracket;
use super::brisk::Turn;
use super::choice::{Combination, Crowd};
use super::claim::{Claim, Kind};
use super::rooted::collect;
use super::sitting::{Sitting, index};
use super::tree::{Tree, broadcast};
use super::{Blocks, Plan, Role, others};
use crate::host::memory::{Region, Span};
use crate::mpi::comm::Comm;
use crate::mpi::datatype::{Address, Datatype};
use crate::mpi::error::{Class, Result};
use crate::mpi::handle_table::Held;
use crate::mpi::lane::Lane;
use crate::mpi::op::Op;
use crate::mpi::op::combine::Combiner;
use crate::mpi::process::Process;
use crate::mpi::scratch::Scratch;

/// What is combined, and how.
pub struct Terms {
    pub send: Address,
    pub recv: Address,
    pub count: Result<i64>,
    pub datatype: Result<Held<Datatype>>,
    pub op: Result<Held<Op>>,
}

/// The same, judged.
pub(super) struct Sum {
    input: Address,
    pub(super) count: i64,
    pub(super) datatype: Held<Datatype>,
    op: Held<Op>,
}

impl Sum {
    /// `count` items at `input`.
    pub(super) fn new(terms: &Terms, input: Address, count: i64) -> Result<Sum> {
        let (datatype, op) = (terms.datatype.clone()?, terms.op.clone()?);
        op.is_defined_on(&datatype)?;
        datatype.region(input, count)?;
        Ok(Sum { input, count, datatype, op })
    }

    /// `count` items without gaps at `input`, for an operation that is known to be defined on them.
    #[inline]
    pub(super) fn of_plain(
        input: Address, count: i64, datatype: Held<Datatype>, op: Held<Op>,
    ) -> Sum {
        Sum { input, count, datatype, op }
    }

    /// This member's part of the input.
    pub(super) fn input(&self, part: Part) -> Result<Region> {
        self.at(self.input, part)
    }

    /// A part of what lies at `buf`.
    pub(super) fn at(&self, buf: Address, part: Part) -> Result<Region> {
        let offset = part.first * self.datatype.shape.extent;
        self.datatype.region(Address(buf.0.wrapping_add(offset as usize)), part.items)
    }

    pub(super) fn whole(&self) -> Part {
        Part { first: 0, items: self.count }
    }

    /// Memory for so many items.
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
        let bytes = self.datatype.bytes(items)?;
        let combiner = Combiner::new(lane.process(), &self.op, &self.datatype, items);
        combiner.combine(left.span(bytes), right.span(bytes));
        Ok(())
    }

    /// What combines values that lie one after the other.
    #[inline]
    pub(super) fn combiner<'a>(&'a self, process: &'a Process) -> Combiner<'a> {
        self.combiner_of(process, self.count)
    }

    /// The same for so many items.
    #[inline]
    pub(super) fn combiner_of<'a>(&'a self, process: &'a Process, items: i64) -> Combiner<'a> {
        Combiner::new(process, &self.op, &self.datatype, items)
    }

    /// Whether one member can combine the values of all: an operation of the library's own, on
    /// values without gaps.
    pub(super) fn is_plain(&self) -> bool {
        let shape = &self.datatype.shape;
        matches!(&*self.op, Op::Named(_)) && shape.size == shape.extent && shape.lb == 0
    }

    /// The same for those who combine values where they lie, and no copies.
    pub(super) fn is_in_one_piece(&self) -> bool {
        self.is_plain() && self.datatype.is_predefined()
    }

    /// Bytes of one item.
    pub(super) fn item(&self) -> i64 {
        self.datatype.shape.size
    }

    /// Comes to the turn of this operation, whose result is for all or not, unless it goes by
    /// messages; says as well whether one member is to combine all.
    pub(super) async fn sit_down<'l, 'a>(
        &self, lane: &'l Lane<'a>, is_for_all: bool,
    ) -> Result<Option<(Sitting<'l, 'a>, bool)>> {
        let (bytes, crowd) = (self.datatype.bytes(self.count)?, Crowd::of(lane));
        let is_at_once = crowd.combines_at_once(bytes);
        if !self.is_plain() || !is_at_once && !crowd.combines_parts(bytes) {
            return Ok(None);
        }
        let sitting = Sitting::next(lane, is_for_all).await?;
        Ok(sitting.map(|sitting| (sitting, is_at_once)))
    }

    /// Where the brackets are when values are combined in this way, up to `top`.
    pub(super) fn bracket(&self, combination: Combination, top: i32) -> Result<Bracket> {
        Ok(Bracket::of(combination, self.datatype.bytes(self.count)?, top))
    }

    /// The part of the member with this rank, of parts as equal as can be.
    pub(super) fn part(&self, rank: i32, members: i32) -> Part {
        let edge = |rank: i32| {
            let edge = i128::from(self.count) * i128::from(rank) / i128::from(members);
            i64::try_from(edge).expect("an edge is no larger than the count")
        };
        Part { first: edge(rank), items: edge(rank + 1) - edge(rank) }
    }

    /// What the member of `lane` combines of everybody's values, where some do it for all.
    pub(super) fn share(&self, lane: &Lane<'_>) -> Part {
        let (rank, members) = (i64::from(lane.rank()), i64::from(lane.size()));
        let combiners = Crowd::of(lane).combiners() as i64;
        // Evenly spread, as neighbours share a core.
        let number = (rank * combiners + members - 1) / members;
        if number < combiners && number * members / combiners == rank {
            let (number, combiners) = (number as i32, combiners as i32);
            return self.part(number, combiners);
        }
        Part { first: 0, items: 0 }
    }

    pub(super) fn combination(&self, lane: &Lane<'_>) -> Result<Combination> {
        let bytes = self.datatype.bytes(self.count)?;
        Ok(Crowd::of(lane).reduction(bytes, self.count))
    }
}

/// Some items in a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) first: i64,
    pub(super) items: i64,
}

impl Part {
    /// The same in pieces of so many items at the most.
    pub(super) fn blocks(self, most: i64) -> impl Iterator<Item = Part> {
        let end = self.first + self.items;
        (0..self.items).step_by(most as usize).map(move |offset| {
            let first = self.first + offset;
            Part { first, items: most.min(end - first) }
        })
    }
}

/// Memory of the library's own, and where its items would start as a buffer.
pub(super) struct Room {
    pub(super) buf: Address,
    _memory: Scratch,
}

impl Room {
    pub(super) fn span(&self, bytes: usize) -> Span {
        Span::new(std::ptr::with_exposed_provenance(self.buf.0), bytes)
    }
}

/// Combines everybody's values; the result goes to the root's `recv`.
pub struct Reduce {
    role: Role,
    /// `None` where nothing is given: in the root's group, between two groups.
    sum: Option<Sum>,
    /// At the root.
    target: Option<(Address, Region)>,
    claim: Claim,
}

impl Reduce {
    pub fn plan(comm: &Comm, terms: &Terms, root: i32) -> Result<Reduce> {
        let role = Role::of(comm, root)?;
        let is_root = role == Role::Root;
        let gives = !comm.is_inter() || matches!(role, Role::Leaf(_));
        let is_in_place = is_root && gives && terms.send == Address::IN_PLACE;
        let input = if is_in_place { terms.recv } else { terms.send };
        let sum = if gives { Some(Sum::new(terms, input, terms.count.clone()?)?) } else { None };
        let target = match is_root {
            true => Some((
                terms.recv,
                terms.datatype.clone()?.region(terms.recv, terms.count.clone()?)?,
            )),
            false => None,
        };
        let claim = Claim::of(Kind::Reduce).role(role, comm);
        let claim = match role {
            Role::Nobody => claim,
            _ => claim.sum(terms, terms.count.clone()?)?,
        };
        Ok(Reduce { role, sum, target, claim })
    }

    async fn within(&self, lane: &Lane<'_>, sum: &Sum, root: i32) -> Result {
        let combination = sum.combination(lane)?;
        let bytes = sum.datatype.bytes(sum.count)?;
        if Crowd::of(lane).meets_for_sum_of_one(bytes)
            && let Some((sitting, is_at_once)) = sum.sit_down(lane, false).await?
        {
            let target = self.target.as_ref().map(|(_, target)| target);
            let bracket = sum.bracket(combination, root)?;
            return match is_at_once {
                true => sitting.reduce(sum, bracket, target, root).await,
                false => sitting.reduce_by_parts(sum, bracket, target).await,
            };
        }
        if combination == Combination::Parts {
            return self.by_parts(lane, sum, root).await;
        }
        let top = if sum.op.commutes() { root } else { 0 };
        let values = climb(lane, sum, top).await?;
        match (values, &self.target) {
            (Some(values), Some((_, target))) => {
                lane.copy(&sum.in_room(&values, sum.count)?, target)
            }
            (Some(values), None) => lane.send(root, &sum.in_room(&values, sum.count)?).await,
            (None, Some((_, target))) => lane.recv(top, target).await.map(drop),
            (None, None) => Ok(()),
        }
    }

    async fn by_parts(&self, lane: &Lane<'_>, sum: &Sum, root: i32) -> Result {
        let size = lane.size();
        let parts = |rank| sum.part(rank, size);
        let (values, sends) = combine_parts(lane, sum, parts).await?;
        let mine = parts(lane.rank());
        match &self.target {
            None => lane.send(root, &sum.in_room(&values, mine.items)?).await?,
            Some((recv, _)) => {
                let places = (0..size).map(|rank| sum.at(*recv, parts(rank)));
                collect(lane, &Blocks::Each(places.collect::<Result<_>>()?)).await?;
                lane.copy(&sum.in_room(&values, mine.items)?, &sum.at(*recv, mine)?)?;
            }
        }
        lane.all(sends).await
    }
}

impl Plan for Reduce {
    fn claim(&self) -> Claim {
        self.claim
    }

    async fn carry_out(&self, lane: &Lane<'_>) -> Result {
        let root = self.role.root(lane);
        match (&self.sum, &self.target) {
            (Some(sum), _) if !lane.comm().is_inter() => self.within(lane, sum, root).await,
            (Some(sum), _) => match climb(&lane.local(), sum, 0).await? {
                Some(values) => lane.send(root, &sum.in_room(&values, sum.count)?).await,
                None => Ok(()),
            },
            (None, Some((_, target))) => lane.recv(0, target).await.map(drop),
            (None, None) => lane.look_round(),
        }
    }

    #[inline]
    fn at_once(&self, process: &Process, comm: &Comm) -> Result<bool> {
        let (Some(sum), Some(crowd)) = (&self.sum, Turn::crowd(process, comm)) else {
            return Ok(false);
        };
        let bytes = sum.datatype.bytes(sum.count)?;
        let is_small = sum.is_plain() && crowd.combines_at_once(bytes);
        if !is_small || !crowd.meets_for_sum_of_one(bytes) {
            return Ok(false);
        }
        let root = if let Role::Leaf(root) = self.role { root } else { comm.rank };
        let target = self.target.as_ref().map(|(_, target)| target);
        let bracket = Bracket::of(crowd.reduction(bytes, sum.count), bytes, root);
        let (turn, input) = (Turn::next(process, comm), sum.input(sum.whole())?);
        turn.come(self.claim)?;
        turn.put(&input)?;
        turn.all_at(index(root))?;
        target.map_or(Ok(()), |target| turn.combine_for_one(sum, bracket, target))?;
        Ok(true)
    }
}

/// Combines everybody's values; the result goes to everybody's `recv`.
pub struct Allreduce {
    sum: Sum,
    recv: Address,
    target: Region,
    claim: Claim,
}

impl Allreduce {
    pub fn plan(comm: &Comm, terms: &Terms) -> Result<Allreduce> {
        let is_in_place = terms.send == Address::IN_PLACE && !comm.is_inter();
        let input = if is_in_place { terms.recv } else { terms.send };
        let sum = Sum::new(terms, input, terms.count.clone()?)?;
        let target = sum.at(terms.recv, sum.whole())?;
        let claim = Claim::of(Kind::Allreduce).sum(terms, sum.count)?;
        Ok(Allreduce { sum, recv: terms.recv, target, claim })
    }

    async fn between(&self, lane: &Lane<'_>) -> Result {
        let local = lane.local();
        if let Some(values) = climb(&local, &self.sum, 0).await? {
            let values = self.sum.in_room(&values, self.sum.count)?;
            lane.exchange(0, &values, 0, &self.target).await?;
        }
        broadcast(&local, &self.target, 0).await?;
        lane.note(local.verdict())
    }

    /// Two members exchange their values; the left operand is that of the first one at both.
    async fn by_exchange(&self, lane: &Lane<'_>) -> Result {
        let (sum, count, across) = (&self.sum, self.sum.count, 1 - lane.rank());
        let (mut mine, mut theirs) = (sum.room(count)?, sum.room(count)?);
        let (give, get) = (sum.in_room(&mine, count)?, sum.in_room(&theirs, count)?);
        lane.copy(&sum.input(sum.whole())?, &give)?;
        let recv = lane.start_recv(across, &get)?;
        lane.send(across, &give).await?;
        check(lane, across, recv.end().await?, &get)?;
        let result = match across {
            0 => {
                sum.combine(lane, &theirs, &mut mine, count)?;
                mine
            }
            _ => {
                sum.combine(lane, &mine, &mut theirs, count)?;
                theirs
            }
        };
        lane.copy(&sum.in_room(&result, count)?, &self.target)
    }

    async fn by_parts(&self, lane: &Lane<'_>) -> Result {
        let (sum, size) = (&self.sum, lane.size());
        let parts = |rank| sum.part(rank, size);
        let (values, mut doings) = combine_parts(lane, sum, parts).await?;
        let mine = parts(lane.rank());
        let values = sum.in_room(&values, mine.items)?;
        // Whoever sends its result has read all that it needs of the input, in place or not.
        for rank in others(lane.comm()) {
            doings.push(lane.start_recv(rank, &sum.at(self.recv, parts(rank))?)?);
        }
        for rank in others(lane.comm()) {
            doings.push(lane.start_send(rank, &values)?);
        }
        lane.copy(&values, &sum.at(self.recv, mine)?)?;
        lane.all(doings).await
    }
}

impl Plan for Allreduce {
    fn claim(&self) -> Claim {
        self.claim
    }

    async fn carry_out(&self, lane: &Lane<'_>) -> Result {
        if lane.comm().is_inter() {
            return self.between(lane).await;
        }
        let bytes = self.sum.datatype.bytes(self.sum.count)?;
        let combination = Crowd::of(lane).reduction(bytes, self.sum.count);
        if let Some((sitting, is_at_once)) = self.sum.sit_down(lane, true).await? {
            let (sum, target) = (&self.sum, &self.target);
            let bracket = sum.bracket(combination, 0)?;
            if !is_at_once {
                return sitting.reduce_by_parts(sum, bracket, Some(target)).await;
            }
            let last = bracket.last(sitting.members());
            return sitting.reduce_for_all(sum, bracket, target, |results| results(last)).await;
        }
        match combination {
            Combination::Parts => self.by_parts(lane).await,
            Combination::Tree if Crowd::of(lane).exchanges() => self.by_exchange(lane).await,
            Combination::Tree => {
                if let Some(values) = climb(lane, &self.sum, 0).await? {
                    let values = self.sum.in_room(&values, self.sum.count)?;
                    lane.copy(&values, &self.target)?;
                }
                broadcast(lane, &self.target, 0).await
            }
        }
    }

    #[inline]
    fn at_once(&self, process: &Process, comm: &Comm) -> Result<bool> {
        let bytes = self.sum.datatype.bytes(self.sum.count)?;
        let fits = |crowd: &Crowd| self.sum.is_plain() && crowd.combines_at_once(bytes);
        let Some(crowd) = Turn::crowd(process, comm).filter(fits) else { return Ok(false) };
        let (turn, input) = (Turn::next_of_all(process, comm), self.sum.input(self.sum.whole())?);
        let bracket = Bracket::of(crowd.reduction(bytes, self.sum.count), bytes, 0);
        turn.come(self.claim)?;
        turn.reduce_for_all(|| &self.sum, &input, bracket, (0, &self.target))?;
        Ok(true)
    }
}

/// Combines along a tree up to `top`, in the order of ranks counted from there: each member's
/// values come from the left of those of its children. The top gets the values.
pub(super) async fn climb(lane: &Lane<'_>, sum: &Sum, top: i32) -> Result<Option<Room>> {
    let count = sum.count;
    let tree = Tree::to_combine(lane, top, sum.datatype.bytes(count)?);
    let mut children = tree.children().peekable();
    if let (None, Some(parent)) = (children.peek(), tree.parent()) {
        lane.send(parent, &sum.input(sum.whole())?).await?;
        return Ok(None);
    }
    let (mut mine, mut theirs) = (sum.room(count)?, sum.room(count)?);
    lane.copy(&sum.input(sum.whole())?, &sum.in_room(&mine, count)?)?;
    for child in children {
        receive(lane, child, &sum.in_room(&theirs, count)?).await?;
        sum.combine(lane, &mine, &mut theirs, count)?;
        std::mem::swap(&mut mine, &mut theirs);
    }
    let Some(parent) = tree.parent() else { return Ok(Some(mine)) };
    lane.send(parent, &sum.in_room(&mine, count)?).await?;
    Ok(None)
}

/// Receives as many values as there should be: a member with fewer is an error here.
pub(super) async fn receive(lane: &Lane<'_>, from: i32, into: &Region) -> Result {
    check(lane, from, lane.recv(from, into).await?, into)
}

fn check(lane: &Lane<'_>, from: i32, bytes: usize, into: &Region) -> Result {
    if bytes == into.bytes() {
        return Ok(());
    }
    let words =
        format!("rank {from} reduces {bytes} bytes where this rank reduces {}", into.bytes());
    lane.note(Err(Class::COUNT.because(words)))
}

/// Every member combines its part of everybody's values, in the order of ranks, straight out of
/// their memory. Returns the values, and the sends of the others' parts, which may go on.
pub(super) async fn combine_parts<'l, 'a>(
    lane: &'l Lane<'a>, sum: &Sum, parts: impl Fn(i32) -> Part,
) -> Result<(Room, Vec<crate::mpi::lane::Doing<'l, 'a>>)> {
    let mut sends = Vec::new();
    for rank in others(lane.comm()) {
        sends.push(lane.start_send(rank, &sum.input(parts(rank))?)?);
    }
    let mine = parts(lane.rank());
    let (mut values, next) = (sum.room(mine.items)?, sum.room(mine.items)?);
    for rank in (0..lane.size()).rev() {
        let is_first = rank + 1 == lane.size();
        let into = sum.in_room(if is_first { &values } else { &next }, mine.items)?;
        if rank == lane.rank() {
            lane.copy(&sum.input(mine)?, &into)?;
        } else {
            receive(lane, rank, &into).await?;
        }
        if !is_first {
            sum.combine(lane, &next, &mut values, mine.items)?;
        }
    }
    Ok((values, sends))
}
