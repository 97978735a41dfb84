//! A walk over a layout.

use super::node::{Node, Part};

/// `count` blocks of `bytes`, the beginnings `stride` apart, the first one at `offset`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strip {
    pub offset: i64,
    pub bytes: usize,
    pub count: usize,
    pub stride: i64,
}

/// Where a walk over a layout is. There is always more to come: whoever walks knows how far.
#[derive(Debug)]
pub struct Cursor<'a> {
    strip: Strip,
    /// Bytes of the strip's first block that have been passed.
    within: usize,
    above: Vec<Frame<'a>>,
}

/// A node that contains the strip, and what of it comes next.
#[derive(Debug)]
enum Frame<'a> {
    Loop { body: &'a Node, offset: i64, stride: i64, left: u64 },
    List { parts: &'a [Part], offset: i64 },
}

impl<'a> Cursor<'a> {
    /// A walk over a node whose first byte is at `first`, from byte `skip` of its data on.
    pub(super) fn new(node: &'a Node, first: i64, skip: usize) -> Cursor<'a> {
        let strip = Strip { offset: 0, bytes: 0, count: 0, stride: 0 };
        let mut cursor = Cursor { strip, within: 0, above: Vec::new() };
        cursor.descend(node, first, skip as u64);
        cursor
    }

    /// A walk over one run of bytes from `offset` on.
    pub fn over_run(offset: i64, bytes: usize) -> Cursor<'static> {
        let strip = Strip { offset, bytes, count: 1, stride: 0 };
        Cursor { strip, within: 0, above: Vec::new() }
    }

    /// What comes next in blocks of one length: nothing while the cursor is inside a block.
    #[inline]
    pub fn blocks(&self) -> Strip {
        Strip { count: if self.within == 0 { self.strip.count } else { 0 }, ..self.strip }
    }

    /// What is left of the block that the cursor is in, as one run.
    #[inline]
    pub fn run(&self) -> Strip {
        let Strip { offset, bytes, .. } = self.strip;
        let offset = offset.wrapping_add(self.within as i64);
        Strip { offset, bytes: bytes - self.within, count: 1, stride: 0 }
    }

    /// Passes `count` of the blocks that come next.
    #[inline]
    pub fn pass_blocks(&mut self, count: usize) {
        let strip = &mut self.strip;
        strip.count -= count;
        strip.offset = strip.offset.wrapping_add(strip.stride.wrapping_mul(count as i64));
        if strip.count == 0 {
            self.advance();
        }
    }

    /// Passes `bytes` of the run that comes next.
    #[inline]
    pub fn pass_bytes(&mut self, bytes: usize) {
        self.within += bytes;
        if self.within == self.strip.bytes {
            self.within = 0;
            self.pass_blocks(1);
        }
    }

    /// To the strip behind this one.
    fn advance(&mut self) {
        while let Some(frame) = self.above.last_mut() {
            match frame {
                Frame::Loop { body, offset, stride, left } if *left > 0 => {
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
                Frame::Loop { .. } => {}
            }
            self.above.pop();
        }
    }

    /// To byte `skip` of the data of this node.
    fn descend(&mut self, node: &'a Node, offset: i64, skip: u64) {
        match node {
            Node::Empty => {}
            Node::Strip { bytes, count, stride } => {
                let passed = skip / bytes;
                self.strip = Strip {
                    offset: offset.wrapping_add(stride.wrapping_mul(passed as i64)),
                    bytes: *bytes as usize,
                    count: (count - passed) as usize,
                    stride: *stride,
                };
                self.within = (skip % bytes) as usize;
                if self.strip.count == 0 {
                    self.advance();
                }
            }
            Node::Loop { count, stride, size, body } => {
                let passed = skip / size;
                let offset = offset.wrapping_add(stride.wrapping_mul(passed as i64));
                let left = (count - passed).saturating_sub(1);
                self.above.push(Frame::Loop { body, offset, stride: *stride, left });
                if passed == *count {
                    return self.advance();
                }
                self.descend(body, offset, skip % size);
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
