//! The buffers of collective operations: one block, or one for each peer.

use super::claim::Amount;
use super::role::Role;
use crate::host::memory::{Region, Span};
use crate::mpi::comm::Comm;
use crate::mpi::datatype::{Address, Datatype, Place};
use crate::mpi::error::{Class, Failure, Result};
use crate::mpi::handle_table::Held;

/// A buffer as it was passed: where it is not significant, it may be anything (MPI-5.0 §6). It
/// refers to what the door has found, because moving that costs more than most of a call.
#[derive(Clone, Copy)]
pub struct Offer<'a> {
    pub buf: Address,
    pub count: &'a Result<i64>,
    pub datatype: &'a Result<Held<Datatype>>,
}

/// An array of numbers that the caller passed.
pub trait List {
    /// The first `count` numbers.
    fn numbers(&self, count: i64) -> Result<Vec<i64>>;
}

/// The datatypes of the blocks in a buffer.
pub enum Types<'a> {
    /// One type for all blocks; displacements count its extents.
    One(Result<Held<Datatype>>),
    /// One type for each block; displacements count bytes.
    Each(&'a dyn Fn(i64) -> Result<Vec<Held<Datatype>>>),
}

/// The error of an argument, reported only where the argument matters.
#[cold]
pub(super) fn again(failure: &Failure) -> Failure {
    failure.clone()
}

/// A buffer with a block for each peer; sizes and displacements are listed.
pub struct Lists<'a> {
    pub buf: Address,
    pub counts: &'a dyn List,
    pub displs: &'a dyn List,
    pub types: Types<'a>,
}

/// A buffer that has a block for each peer.
pub trait Sides {
    /// What [`Sides::check`] has found.
    type Checked;
    fn is_in_place(&self) -> bool;
    /// Whether all blocks are equal, at all members alike, though members need not know their
    /// length.
    fn is_even(&self) -> bool;
    /// Checks the blocks of `peers`.
    fn check(&self, peers: i32) -> Result<Self::Checked>;
    /// The blocks that were checked.
    fn at(checked: Self::Checked) -> Blocks;
    /// The blocks of `peers`.
    fn blocks(&self, peers: i32) -> Result<Blocks> {
        Ok(Self::at(self.check(peers)?))
    }
    /// The contents of each block, if all are equal.
    fn each(&self) -> Result<Amount>;
}

/// A buffer that is significant everywhere: address, count, type.
#[derive(Clone)]
pub struct Side {
    pub buf: Address,
    pub count: i64,
    pub datatype: Held<Datatype>,
}

impl Side {
    pub fn region(&self) -> Result<Region> {
        self.datatype.region(self.buf, self.count)
    }
}

impl<'a> Offer<'a> {
    /// The region of the data, now that it is significant.
    #[inline(always)]
    pub fn region(&self) -> Result<Region> {
        self.datatype()?.region(self.buf, self.count()?)
    }

    /// Checks the address and size of the data.
    #[inline(always)]
    pub(super) fn spot(&self) -> Result<Spot<'a>> {
        let datatype = self.datatype()?;
        Ok(Spot { datatype, place: datatype.place(self.buf, self.count()?)? })
    }

    /// Checks the address and size of the data; returns their types and number, too.
    #[inline(always)]
    pub(super) fn measured(&self) -> Result<(Spot<'a>, Amount)> {
        let (datatype, count) = (self.datatype()?, self.count()?);
        let spot = Spot { datatype, place: datatype.place(self.buf, count)? };
        Ok((spot, Amount::of(datatype, count)))
    }

    #[inline(always)]
    pub(super) fn datatype(&self) -> Result<&'a Datatype> {
        self.datatype.as_deref().map_err(again)
    }

    /// The type and number of its elements.
    #[inline(always)]
    pub(super) fn amount(&self) -> Result<Amount> {
        Ok(Amount::of(self.datatype()?, self.count()?))
    }

    #[inline(always)]
    pub(super) fn count(&self) -> Result<i64> {
        self.count.as_ref().copied().map_err(again)
    }
}

/// A buffer whose place was checked. Plans check everything first and make regions last: a value
/// that must be dropped when a check fails has to be in memory, and would be copied from there.
#[derive(Clone, Copy)]
pub struct Spot<'a> {
    datatype: &'a Datatype,
    place: Place,
}

impl Spot<'_> {
    #[inline(always)]
    pub(super) fn region(self) -> Region {
        self.datatype.at(self.place)
    }
}

/// Equal blocks whose place was checked; see [`Spot`].
#[derive(Clone, Copy)]
pub struct Row<'a> {
    all: Spot<'a>,
    each: usize,
}

impl<'a> Sides for Offer<'a> {
    type Checked = Row<'a>;

    fn is_in_place(&self) -> bool {
        self.buf == Address::IN_PLACE
    }

    fn is_even(&self) -> bool {
        true
    }

    #[inline(always)]
    fn each(&self) -> Result<Amount> {
        self.amount()
    }

    #[inline(always)]
    fn check(&self, peers: i32) -> Result<Row<'a>> {
        let (count, datatype) = (self.count()?, self.datatype()?);
        let each = datatype.bytes(count)?;
        let Some(count) = count.checked_mul(i64::from(peers)) else {
            return Err(too_many(count));
        };
        Ok(Row { all: Spot { datatype, place: datatype.place(self.buf, count)? }, each })
    }

    #[inline(always)]
    fn at(row: Row<'a>) -> Blocks {
        Blocks::Even { all: row.all.region(), each: row.each }
    }
}

#[cold]
fn too_many(count: i64) -> Failure {
    Class::COUNT
        .because(format!("count is {count}; a buffer of that size exceeds the address space"))
}

impl Sides for Lists<'_> {
    type Checked = Vec<Region>;

    fn is_in_place(&self) -> bool {
        self.buf == Address::IN_PLACE
    }

    fn is_even(&self) -> bool {
        false
    }

    fn each(&self) -> Result<Amount> {
        Ok(Amount::ANY)
    }

    fn check(&self, peers: i32) -> Result<Vec<Region>> {
        let peers = i64::from(peers);
        let (counts, displs) = (self.counts.numbers(peers)?, self.displs.numbers(peers)?);
        let types = match &self.types {
            Types::One(datatype) => vec![datatype.clone()?],
            Types::Each(read) => read(peers)?,
        };
        let is_one = matches!(self.types, Types::One(_));
        let block = |(place, (count, displ)): (usize, (i64, i64))| {
            if count < 0 {
                let words =
                    format!("element {place} of the counts is {count}; it must not be negative");
                return Err(Class::COUNT.because(words));
            }
            let datatype = if is_one { &types[0] } else { &types[place] };
            let unit = if is_one { datatype.shape.extent } else { 1 };
            let offset = displ.wrapping_mul(unit) as usize;
            datatype.region(Address(self.buf.0.wrapping_add(offset)), count)
        };
        let listed = counts.into_iter().zip(displs).enumerate();
        listed.map(block).collect()
    }

    fn at(checked: Vec<Region>) -> Blocks {
        Blocks::Each(checked)
    }
}

/// The places of the peers' blocks.
#[derive(Clone)]
pub enum Blocks {
    /// In a row, all of one size.
    Even {
        all: Region,
        each: usize,
    },
    Each(Vec<Region>),
}

impl Blocks {
    /// Blocks of `each` bytes.
    pub fn even(all: Span, each: usize) -> Blocks {
        Blocks::Even { all: all.into(), each }
    }

    /// The block of the peer with this rank.
    #[inline]
    pub fn of(&self, rank: i32) -> Region {
        let rank = usize::try_from(rank).expect("a rank is not negative");
        match self {
            Blocks::Even { all, each } => all.part(rank * each, *each),
            Blocks::Each(blocks) => blocks[rank].clone(),
        }
    }

    /// The block by its member's place among the living.
    #[inline]
    pub(super) fn at(&self, place: usize) -> Region {
        self.of(i32::try_from(place).expect("ranks fit an int"))
    }

    /// The size of the largest block.
    #[inline]
    pub(super) fn largest(&self) -> usize {
        match self {
            Blocks::Even { each, .. } => *each,
            Blocks::Each(blocks) => blocks.iter().map(|block| block.bytes()).max().unwrap_or(0),
        }
    }

    /// The size of all blocks together.
    #[inline]
    pub fn bytes(&self) -> usize {
        match self {
            Blocks::Even { all, .. } => all.bytes(),
            Blocks::Each(blocks) => blocks.iter().map(|block| block.bytes()).sum(),
        }
    }

    /// True if no message is sent for this peer's block: both ends know that it is empty.
    pub fn is_left_out(&self, rank: i32) -> bool {
        matches!(self, Blocks::Each(_)) && self.of(rank).bytes() == 0
    }

    /// These blocks without gaps in `room`, which is large enough for all.
    pub fn packed(&self, room: &Region) -> Blocks {
        match self {
            Blocks::Even { each, .. } => Blocks::Even { all: room.clone(), each: *each },
            Blocks::Each(blocks) => {
                let mut offset = 0;
                let place = |block: &Region| {
                    let part = room.part(offset, block.bytes());
                    offset += block.bytes();
                    part
                };
                Blocks::Each(blocks.iter().map(place).collect())
            }
        }
    }
}

/// Checks the blocks of all peers of `comm`.
#[inline(always)]
pub(super) fn check<S: Sides>(sides: &S, comm: &Comm) -> Result<S::Checked> {
    sides.check(comm.peers().size())
}

/// The checked blocks of all living peers of `comm`.
#[inline(always)]
pub(super) fn at_living<S: Sides>(checked: S::Checked, comm: &Comm) -> Blocks {
    match comm.gaps() {
        None => S::at(checked),
        Some(gaps) => without(S::at(checked), &gaps.ranks),
    }
}

/// The blocks of all living peers of `comm`.
#[inline(always)]
pub(super) fn blocks<S: Sides>(sides: &S, comm: &Comm) -> Result<Blocks> {
    Ok(at_living::<S>(check(sides, comm)?, comm))
}

/// Only the blocks of these ranks: no member may touch the blocks of gaps.
#[inline(never)]
fn without(blocks: Blocks, ranks: &[i32]) -> Blocks {
    Blocks::Each(ranks.iter().map(|rank| blocks.of(*rank)).collect())
}

/// The one block that this member gives, or `None` where it is in place.
#[inline(always)]
pub(super) fn given<'a>(offer: &Offer<'a>) -> Result<Option<Spot<'a>>> {
    if offer.is_in_place() { Ok(None) } else { offer.spot().map(Some) }
}

/// What this member gives to the root or gets from it, or `None` where that is in place, and the
/// contents of each block, if all are equal.
#[inline(always)]
pub(super) fn part<'a>(
    comm: &Comm, role: Role, at_root: &impl Sides, mine: &Offer<'a>,
) -> Result<(Option<Spot<'a>>, Amount)> {
    let (mine, amount) = match role {
        Role::Root if comm.is_inter() => (None, at_root.each()?),
        Role::Root => (given(mine)?, at_root.each()?),
        Role::Leaf(_) => {
            let (mine, amount) = mine.measured()?;
            (Some(mine), amount)
        }
        Role::Nobody => (None, Amount::ANY),
    };
    Ok((mine, if at_root.is_even() { amount } else { Amount::ANY }))
}
