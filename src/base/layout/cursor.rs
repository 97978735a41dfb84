//! A walk over a layout.

use super::node::{Node, Part, Run};

/// Where a walk over a layout is: at some byte of a strip of blocks. There is always more to come:
/// whoever walks knows how far.
#[derive(Debug)]
pub struct Cursor<'a> {
    /// Where the block begins that the cursor is in.
    offset: i64,
    /// How long blocks are; how many are left, this one included; how far apart they are.
    bytes: usize,
    count: usize,
    stride: i64,
    /// Bytes of the block that have been passed.
    within: usize,
    /// Where the blocks are when that is told one by one, this one first; seen from `origin`.
    offsets: &'a [i64],
    origin: i64,
    above: Vec<Frame<'a>>,
}

/// A node that contains the strip, and what of it comes next.
#[derive(Debug)]
enum Frame<'a> {
    Loop { body: &'a Node, offset: i64, stride: i64, left: u64, size: u64 },
    List { parts: &'a [Part], offset: i64 },
    Runs { all: &'a [Run], next: usize, offset: i64 },
}

/// Items that come next, each of the same few runs.
#[derive(Clone, Copy, Debug)]
pub struct Items<'a> {
    pub runs: &'a [Run],
    /// Where the first item is.
    pub offset: i64,
    /// How far apart they are, and how many there are.
    pub stride: i64,
    pub count: usize,
    /// Bytes of data in one.
    pub size: usize,
}

impl<'a> Cursor<'a> {
    /// A walk over a node whose first byte is at `first`, from byte `skip` of its data on.
    #[inline]
    pub(super) fn new(node: &'a Node, first: i64, skip: usize) -> Cursor<'a> {
        let mut cursor = Cursor::over_run(0, 0);
        cursor.descend(node, first, skip as u64);
        cursor
    }

    /// A walk over one run of bytes from `offset` on.
    #[inline]
    pub fn over_run(offset: i64, bytes: usize) -> Cursor<'a> {
        Cursor {
            offset,
            bytes,
            count: 1,
            stride: 0,
            within: 0,
            offsets: &[],
            origin: 0,
            above: Vec::new(),
        }
    }

    /// How long the blocks are that come next, and how many there are: none while the cursor is
    /// inside a block.
    #[inline]
    pub fn blocks(&self) -> (usize, usize) {
        (self.bytes, if self.within == 0 { self.count } else { 0 })
    }

    /// Where the next byte is.
    #[inline]
    pub fn offset(&self) -> i64 {
        self.offset.wrapping_add(self.within as i64)
    }

    /// How far apart the blocks are that come next.
    #[inline]
    pub fn stride(&self) -> i64 {
        self.stride
    }

    /// Where the blocks are that come next, seen from the offset that is returned as well, if they
    /// are not evenly spaced.
    #[inline]
    pub fn list(&self) -> Option<(i64, &'a [i64])> {
        (self.offsets.len() > 1).then_some((self.origin, self.offsets))
    }

    /// How many bytes are left of the block that the cursor is in.
    #[inline]
    pub fn run_bytes(&self) -> usize {
        self.bytes - self.within
    }

    /// The items that come next, if the cursor is at the beginning of one.
    #[inline]
    pub fn items(&self) -> Option<Items<'a>> {
        if self.within != 0 {
            return None;
        }
        let [.., below, Frame::Runs { all, next: 1, offset }] = &self.above[..] else {
            return None;
        };
        let Frame::Loop { stride, left, size, .. } = below else { return None };
        let (stride, count) = (*stride, *left as usize + 1);
        Some(Items { runs: all, offset: *offset, stride, count, size: *size as usize })
    }

    /// Passes `count` of the items that come next.
    #[inline]
    pub fn pass_items(&mut self, count: usize) {
        self.above.pop();
        if let Some(Frame::Loop { offset, stride, left, .. }) = self.above.last_mut() {
            *left -= count as u64 - 1;
            *offset = offset.wrapping_add(stride.wrapping_mul(count as i64 - 1));
        }
        self.advance();
    }

    /// Moves on by `count` times `bytes`: blocks that come next, or bytes of this block.
    #[inline]
    pub fn pass(&mut self, bytes: usize, count: usize) {
        let (length, blocks) = self.blocks();
        if length == bytes && blocks >= count {
            return self.pass_blocks(count);
        }
        self.within += bytes * count;
        if self.within == self.bytes {
            self.within = 0;
            self.pass_blocks(1);
        }
    }

    #[inline]
    fn pass_blocks(&mut self, count: usize) {
        self.count -= count;
        if self.count == 0 {
            self.advance();
        } else if self.offsets.is_empty() {
            self.offset = self.offset.wrapping_add(self.stride.wrapping_mul(count as i64));
        } else {
            self.offsets = &self.offsets[count..];
            self.offset = self.origin.wrapping_add(self.offsets[0]);
        }
    }

    /// To the strip behind this one.
    fn advance(&mut self) {
        while let Some(frame) = self.above.last_mut() {
            match frame {
                Frame::Loop { body, offset, stride, left, .. } if *left > 0 => {
                    *left -= 1;
                    *offset = offset.wrapping_add(*stride);
                    let (body, offset) = (*body, *offset);
                    return self.descend(body, offset, 0);
                }
                Frame::List { parts, offset } => {
                    if let Some((part, rest)) = parts.split_first() {
                        *parts = rest;
                        let offset = offset.wrapping_add(part.offset);
                        return self.descend(&part.node, offset, 0);
                    }
                }
                Frame::Runs { all, next, offset } if *next < all.len() => {
                    let (run, offset) = (all[*next], *offset);
                    *next += 1;
                    return self.enter(run, offset);
                }
                Frame::Loop { .. } | Frame::Runs { .. } => {}
            }
            self.above.pop();
        }
    }

    fn enter(&mut self, run: Run, offset: i64) {
        self.offset = offset.wrapping_add(run.offset);
        (self.bytes, self.count, self.stride, self.within) = (run.bytes, 1, 0, 0);
        self.offsets = &[];
    }

    /// To byte `skip` of the data of this node.
    fn descend(&mut self, node: &'a Node, offset: i64, skip: u64) {
        match node {
            Node::Empty => {}
            Node::Strip { bytes, count, stride } => {
                let passed = if skip == 0 { 0 } else { skip / bytes };
                self.offset = offset.wrapping_add(stride.wrapping_mul(passed as i64));
                self.bytes = *bytes as usize;
                self.count = (count - passed) as usize;
                self.stride = *stride;
                self.within = (skip - passed * bytes) as usize;
                self.offsets = &[];
                if self.count == 0 {
                    self.advance();
                }
            }
            Node::Blocks { bytes, offsets } => {
                let passed = ((skip / bytes) as usize).min(offsets.len());
                self.offsets = &offsets[passed..];
                self.origin = offset;
                self.offset = offset.wrapping_add(self.offsets.first().copied().unwrap_or(0));
                self.bytes = *bytes as usize;
                self.count = self.offsets.len();
                self.within = (skip % bytes) as usize;
                if self.count == 0 {
                    self.advance();
                }
            }
            Node::Loop { count, stride, size, body } => {
                let passed = skip / size;
                let offset = offset.wrapping_add(stride.wrapping_mul(passed as i64));
                let left = (count - passed).saturating_sub(1);
                let (stride, size) = (*stride, *size);
                self.above.push(Frame::Loop { body, offset, stride, left, size });
                if passed == *count {
                    return self.advance();
                }
                self.descend(body, offset, skip % size);
            }
            Node::Runs { runs, .. } => {
                let skip = skip as usize;
                let index = match skip {
                    0 => 0,
                    skip => runs.partition_point(|run| run.before <= skip) - 1,
                };
                let run = runs[index];
                self.above.push(Frame::Runs { all: runs, next: index + 1, offset });
                self.enter(run, offset);
                self.within = skip - run.before;
                if self.within == self.bytes {
                    self.within = 0;
                    self.advance();
                }
            }
            Node::List { parts, .. } => {
                let index = parts.partition_point(|part| part.before <= skip) - 1;
                let part = &parts[index];
                self.above.push(Frame::List { parts: &parts[index + 1..], offset });
                self.descend(&part.node, offset.wrapping_add(part.offset), skip - part.before);
            }
        }
    }
}
