//! The paper's programs: broadcasts along lines and down an octree, the maximum, a ring.

use super::node::{Node, Program};
use super::packet::Size;

/// From the corner along x, from there along y, from there along z, neighbour to neighbour.
pub struct LineBroadcast;

/// The box of nodes is split in half in every dimension; whoever has the message sends it to the
/// first node of each part that is not his.
pub struct OctreeBroadcast;

/// The maximum of a value of each node, back along the lines.
pub struct Reduce;

/// A token from node to node in the order of their numbers, and back to the first one.
pub struct Ring;

const GO: u16 = 0;

/// The neighbours to whom a line broadcast goes on from here.
fn onwards(node: &Node<'_>) -> impl Iterator<Item = [u32; 3]> + use<> {
    let (at, dims) = (node.xyz(), node.dims());
    // Along a dimension goes only who has not left it for a later one.
    let along = (0..3).filter(move |&dim| at[dim + 1..].iter().all(|&later| later == 0));
    along.filter(move |&dim| at[dim] + 1 < dims[dim]).map(move |dim| {
        let mut next = at;
        next[dim] += 1;
        next
    })
}

impl Program for LineBroadcast {
    /// How often the message came.
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

impl Program for OctreeBroadcast {
    type Data = u32;
    type Payload = [u8; 24];

    fn start(&self, node: &mut Node<'_>) -> u32 {
        if node.number() == 0 {
            let [x, y, z] = node.dims();
            node.add(GO, Size::Small, &packed(&[0, 0, 0, x, y, z]));
        }
        0
    }

    fn handle(&self, _: u16, data: &mut u32, payload: &[u8], node: &mut Node<'_>) {
        *data += 1;
        let mut whole = unpacked(payload);
        // What is left is the part with this node in its corner, until that is all.
        while (0..3).any(|dim| whole[dim + 3] - whole[dim] > 1) {
            let halves: [u32; 3] =
                std::array::from_fn(|dim| whole[dim] + (whole[dim + 3] - whole[dim]).div_ceil(2));
            for part in 1..8 {
                let mut sub = whole;
                for (dim, &half) in halves.iter().enumerate() {
                    let at = if part >> dim & 1 == 1 { dim } else { dim + 3 };
                    sub[at] = half;
                }
                if (0..3).all(|dim| sub[dim] < sub[dim + 3]) {
                    node.send([sub[0], sub[1], sub[2]], GO, Size::Small, &packed(&sub));
                }
            }
            whole[3..].copy_from_slice(&halves);
        }
    }
}

fn packed(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn unpacked(payload: &[u8]) -> [u32; 6] {
    let (words, _) = payload.as_chunks::<4>();
    std::array::from_fn(|at| u32::from_le_bytes(words[at]))
}

/// What a node of a reduction waits for.
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
        // The way back of a line broadcast: the last dimension in which one is off the border.
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
