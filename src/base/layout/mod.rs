//! Where the data of a datatype lie: the type map (MPI-5.0 §5.1), flattened when a type is made.
//!
//! A [`Layout`] is a tree of loops over strips of equal blocks, in the order of the type map, as
//! small as merging makes it. It is pure: displacements and lengths, no memory. A [`Cursor`] walks
//! over it strip by strip from any byte of the data on, which is how partial messages go on.

mod cursor;
mod node;
pub mod samples;
#[cfg(test)]
mod tests;

pub use cursor::{Cursor, Items};
pub use node::{FEW_RUNS, Run};

use node::Node;

/// A type whose displacements or sizes no 64 bits hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

/// Where the data of an item lie, relative to its address, and how far apart items are.
#[derive(Clone, Debug)]
pub struct Layout {
    /// One item, and where its first byte of data is.
    item: Node,
    first: i64,
    /// As many items in a row as there is memory.
    row: Node,
    bounds: Bounds,
}

/// How large an item is, and where it begins and ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Bounds {
    /// Bytes of data.
    size: u64,
    /// Where the data begin and end; equal when there are none.
    data: (i64, i64),
    /// Where the item begins and ends as far as its neighbours are concerned.
    span: (i64, i64),
    /// Whether those were set by hand (MPI-5.0 §5.1.6: markers), which enclosing types inherit.
    is_marked: bool,
    /// What the item wants its address to be a multiple of.
    alignment: u64,
}

/// So many items are more than fit into memory.
const ENDLESS: u64 = 1 << 62;

impl Layout {
    /// A basic type: blocks of data given by where they begin and how long they are.
    pub fn basic(blocks: &[(i64, u64)], extent: i64, alignment: u64) -> Layout {
        let parts = blocks.iter().map(|(at, bytes)| (*at, Node::run(*bytes))).collect();
        let (first, item) = Node::list(parts);
        let end = blocks.iter().map(|(at, bytes)| at + *bytes as i64).max().unwrap_or(0);
        let bounds = Bounds {
            size: item.size(),
            data: (first, end),
            span: (0, extent),
            is_marked: false,
            alignment,
        };
        Layout::new(first, item, bounds)
    }

    fn new(first: i64, item: Node, bounds: Bounds) -> Layout {
        let extent = bounds.span.1.wrapping_sub(bounds.span.0);
        let row = item.clone().repeat(ENDLESS, extent);
        Layout { item, first, row, bounds }
    }

    /// `count` groups of `length` items each; the groups begin `stride` bytes apart.
    pub fn vector(&self, count: u64, length: u64, stride: i64) -> Result<Layout, TooLarge> {
        let extent = self.extent();
        let mut bounds = Bounds::none();
        if count > 0 && length > 0 {
            let group = self.bounds.repeat(length, extent)?;
            bounds = group.repeat(count, stride)?;
        }
        let item = self.item.clone().repeat(length, extent).repeat(count, stride);
        let first = if item.is_empty() { 0 } else { self.first };
        Ok(Layout::new(first, item, bounds.padded()?))
    }

    /// Items of several types: how many in a row, where, of what (MPI_Type_create_struct).
    pub fn structure(blocks: &[(u64, i64, &Layout)]) -> Result<Layout, TooLarge> {
        let mut bounds = Bounds::none();
        let mut parts = Vec::with_capacity(blocks.len());
        for (length, at, of) in blocks.iter().filter(|(length, _, _)| *length > 0) {
            let group = of.bounds.repeat(*length, of.extent())?.shifted(*at)?;
            bounds = bounds.joined(&group)?;
            let node = of.item.clone().repeat(*length, of.extent());
            if !node.is_empty() {
                parts.push((of.first.wrapping_add(*at), node));
            }
        }
        let (first, item) = Node::list(parts);
        Ok(Layout::new(first, item, bounds.padded()?))
    }

    /// The same data in an item that begins at `lb` and is `extent` long.
    pub fn resized(&self, lb: i64, extent: i64) -> Result<Layout, TooLarge> {
        let ub = lb.checked_add(extent).ok_or(TooLarge)?;
        let bounds = Bounds { span: (lb, ub), is_marked: true, ..self.bounds };
        Ok(Layout::new(self.first, self.item.clone(), bounds))
    }

    /// The same data `displacement` bytes further on, without padding behind it.
    pub fn shifted(&self, displacement: i64) -> Result<Layout, TooLarge> {
        let bounds = self.bounds.shifted(displacement)?;
        let first = if self.item.is_empty() { 0 } else { self.first + displacement };
        Ok(Layout::new(first, self.item.clone(), bounds))
    }

    /// Bytes of data in an item.
    #[inline]
    pub fn size(&self) -> i64 {
        self.bounds.size as i64
    }

    /// Where an item begins.
    #[inline]
    pub fn lb(&self) -> i64 {
        self.bounds.span.0
    }

    /// Bytes from one item to the next.
    #[inline]
    pub fn extent(&self) -> i64 {
        self.bounds.span.1 - self.bounds.span.0
    }

    /// Where the data begin.
    #[inline]
    pub fn true_lb(&self) -> i64 {
        self.bounds.data.0
    }

    /// Bytes from the first of data to the last.
    #[inline]
    pub fn true_extent(&self) -> i64 {
        self.bounds.data.1 - self.bounds.data.0
    }

    /// Where the data of so many items in a row are, if that is one run of bytes.
    #[inline]
    pub fn run(&self, count: u64) -> Option<i64> {
        let node = if count == 1 { &self.item } else { &self.row };
        node.is_run().then_some(self.first)
    }

    /// Walks over items in a row from the byte of data with this number on.
    #[inline]
    pub fn cursor(&self, skip: usize) -> Cursor<'_> {
        Cursor::new(&self.row, self.first, skip)
    }
}

impl Bounds {
    const fn none() -> Bounds {
        Bounds { size: 0, data: (0, 0), span: (0, 0), is_marked: false, alignment: 1 }
    }

    /// Nothing that counts: such parts leave no trace in what they are part of.
    fn is_nothing(&self) -> bool {
        self.size == 0 && !self.is_marked
    }

    fn shifted(&self, by: i64) -> Result<Bounds, TooLarge> {
        if self.is_nothing() {
            return Ok(*self);
        }
        let move_by = |(from, to): (i64, i64)| {
            Ok((from.checked_add(by).ok_or(TooLarge)?, to.checked_add(by).ok_or(TooLarge)?))
        };
        let data = if self.size == 0 { self.data } else { move_by(self.data)? };
        Ok(Bounds { data, span: move_by(self.span)?, ..*self })
    }

    /// `count` of these, `stride` bytes apart. `count` is not 0.
    fn repeat(&self, count: u64, stride: i64) -> Result<Bounds, TooLarge> {
        let way = i64::try_from(count - 1).ok().and_then(|count| count.checked_mul(stride));
        let way = if count == 1 { 0 } else { way.ok_or(TooLarge)? };
        let one = Bounds { size: self.size.min(1), ..*self };
        let mut all = one.joined(&one.shifted(way)?)?;
        let size = self.size.checked_mul(count).filter(|size| *size <= i64::MAX as u64);
        all.size = size.ok_or(TooLarge)?;
        Ok(all)
    }

    fn joined(&self, other: &Bounds) -> Result<Bounds, TooLarge> {
        let hull = |a: (i64, i64), b: (i64, i64)| (a.0.min(b.0), a.1.max(b.1));
        let (data, size) = match (self.size, other.size) {
            (_, 0) => (self.data, self.size),
            (0, _) => (other.data, other.size),
            (a, b) => (hull(self.data, other.data), a.checked_add(b).ok_or(TooLarge)?),
        };
        let span = match (self.is_nothing(), other.is_nothing()) {
            (_, true) => self.span,
            (true, false) => other.span,
            // Where there are markers, nothing else says where an item begins and ends.
            _ if self.is_marked == other.is_marked => hull(self.span, other.span),
            _ if self.is_marked => self.span,
            _ => other.span,
        };
        let is_marked = self.is_marked || other.is_marked;
        let alignment = self.alignment.max(other.alignment);
        let joined = Bounds { size, data, span, is_marked, alignment };
        let is_measurable = |(from, to): (i64, i64)| to.checked_sub(from).is_some();
        let is_fine = is_measurable(data) && is_measurable(span) && size <= i64::MAX as u64;
        if is_fine { Ok(joined) } else { Err(TooLarge) }
    }

    /// With the gap behind an item that the alignment of its data asks for (MPI-5.0 §5.1.6).
    fn padded(mut self) -> Result<Bounds, TooLarge> {
        if !self.is_marked {
            let extent = (self.span.1 - self.span.0).cast_unsigned();
            let gap = extent.next_multiple_of(self.alignment) - extent;
            self.span.1 = self.span.1.checked_add_unsigned(gap).ok_or(TooLarge)?;
            self.joined(&Bounds::none())?;
        }
        Ok(self)
    }
}
