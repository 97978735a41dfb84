//! The paper's programs: broadcasts along lines and down an octree, the maximum, a ring.

use super::node::{Node, Program};
use super::packet::Size;

/// From the corner along x, from there along y, from there along z, neighbour to neighbour.
pub struct LineBroadcast;

/// From the middle of the machine, which cuts it into eight parts: each part's middle gets the
/// message, and repeats this.
pub struct OctreeBroadcast {
    /// Whether a separate micro-task starts the broadcast: one handler more in the chain.
    pub has_starter: bool,
}

/// The maximum of a value of each node, back along the lines.
pub struct Reduce;

/// A token from node to node in the order of their numbers, and back to the first one.
pub struct Ring;

const GO: u16 = 0;

/// The neighbours to which a line broadcast continues from here.
fn onwards(node: &Node<'_>) -> impl Iterator<Item = [u32; 3]> + use<> {
    let (at, dims) = (node.xyz(), node.dims());
    // A message continues along a dimension only if it has not left that for a later one.
    let along = (0..3).filter(move |&dim| at[dim + 1..].iter().all(|&later| later == 0));
    along.filter(move |&dim| at[dim] + 1 < dims[dim]).map(move |dim| {
        let mut next = at;
        next[dim] += 1;
        next
    })
}

impl Program for LineBroadcast {
    /// How often the message arrived.
    type Data = u32;
    type Payload = [u8; 0];

    fn start(&self, node: &mut Node<'_>) -> u32 {
        if node.number() == 0 {
            node.add(GO, Size::Small, &[]);
        }
        0
    }

    fn handle(&self, _: u16, data: &mut u32, payload: &[u8], node: &mut Node<'_>) {
        *data += 1;
        onwards(node).for_each(|next| node.send(next, GO, Size::Small, payload));
    }
}

/// Starts an octree broadcast if that takes a separate handler.
const START: u16 = 1;

/// A part of the machine that has not got the message yet.
struct Part {
    /// Its first node, and its end in each dimension.
    from: [u32; 3],
    end: [u32; 3],
    /// Whether the first node already has the message: it has cut a larger part.
    is_begun: bool,
}

impl Part {
    const BYTES: usize = 25;

    fn middle(&self) -> [u32; 3] {
        std::array::from_fn(|dim| (self.from[dim] + self.end[dim]) / 2)
    }

    /// The parts into which its middle cuts it, as far as a node in them lacks the message.
    fn cut(&self) -> impl Iterator<Item = Part> {
        let middle = self.middle();
        let parts = (0..8).map(move |way| {
            let is_upper = |dim: usize| way >> dim & 1 == 1;
            let from =
                std::array::from_fn(|dim| if is_upper(dim) { middle[dim] } else { self.from[dim] });
            let end =
                std::array::from_fn(|dim| if is_upper(dim) { self.end[dim] } else { middle[dim] });
            Part { from, end, is_begun: from == middle || self.is_begun && from == self.from }
        });
        parts.filter(|part| {
            let lacking = part.nodes() - u32::from(part.nodes() > 0 && part.is_begun);
            lacking > 0
        })
    }

    fn nodes(&self) -> u32 {
        (0..3).map(|dim| self.end[dim] - self.from[dim]).product()
    }

    fn packed(&self) -> [u8; Part::BYTES] {
        let mut packed = [u8::from(self.is_begun); Part::BYTES];
        let (words, _) = packed.as_chunks_mut::<4>();
        let numbers = self.from.iter().chain(&self.end);
        words.iter_mut().zip(numbers).for_each(|(word, number)| *word = number.to_le_bytes());
        packed
    }

    fn unpacked(payload: &[u8]) -> Part {
        let (words, flag) = payload.as_chunks::<4>();
        let number = |at: usize| u32::from_le_bytes(words[at]);
        let three = |first: usize| std::array::from_fn(|dim| number(first + dim));
        Part { from: three(0), end: three(3), is_begun: flag[0] != 0 }
    }
}

impl Program for OctreeBroadcast {
    type Data = u32;
    type Payload = [u8; Part::BYTES];

    fn start(&self, node: &mut Node<'_>) -> u32 {
        let whole = Part { from: [0; 3], end: node.dims(), is_begun: false };
        if node.xyz() == whole.middle() {
            let first = if self.has_starter { START } else { GO };
            node.add(first, Size::Small, &whole.packed());
        }
        0
    }

    fn handle(&self, handler: u16, data: &mut u32, payload: &[u8], node: &mut Node<'_>) {
        if handler == START {
            return node.add(GO, Size::Small, payload);
        }
        *data += 1;
        for part in Part::unpacked(payload).cut() {
            node.send(part.middle(), GO, Size::Small, &part.packed());
        }
    }
}

/// The state of a node that waits in a reduction.
pub struct Waiting {
    pub best: u64,
    missing: u32,
}

impl Program for Reduce {
    type Data = Waiting;
    type Payload = [u8; 8];

    fn start(&self, node: &mut Node<'_>) -> Waiting {
        let missing = onwards(node).count() as u32;
        if missing == 0 {
            node.add(GO, Size::Small, &[0; 8]);
        }
        let best = u64::from(node.number()).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Waiting { best, missing: missing.max(1) }
    }

    fn handle(&self, _: u16, data: &mut Waiting, payload: &[u8], node: &mut Node<'_>) {
        let value = payload.try_into().map(u64::from_le_bytes).expect("eight bytes were sent");
        data.best = data.best.max(value);
        data.missing -= 1;
        if data.missing > 0 {
            return;
        }
        // The way back of a line broadcast: along the last dimension in which the node is off the
        // border.
        let mut at = node.xyz();
        match (0..3).rev().find(|&dim| at[dim] > 0) {
            None => node.finish(),
            Some(dim) => {
                at[dim] -= 1;
                node.send(at, GO, Size::Small, &data.best.to_le_bytes());
            }
        }
    }
}

impl Program for Ring {
    type Data = u32;
    type Payload = [u8; 0];

    fn start(&self, node: &mut Node<'_>) -> u32 {
        if node.number() == 0 {
            node.add(GO, Size::Small, &[]);
        }
        0
    }

    fn handle(&self, _: u16, data: &mut u32, _: &[u8], node: &mut Node<'_>) {
        *data += 1;
        let count: u32 = node.dims().iter().product();
        if node.number() == 0 && *data == 2 {
            node.finish();
        } else {
            node.send_to((node.number() + 1) % count, GO, Size::Small, &[]);
        }
    }
}
