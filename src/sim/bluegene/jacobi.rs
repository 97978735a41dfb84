//! Jacobi's method in three dimensions: every node has a block of cells, sends its faces to its
//! neighbours, and continues when it has theirs. The result equals that of one loop over all cells,
//! bit for bit, in whatever order packets arrive.

use super::node::{Node, Program};
use super::packet::Size;

/// Cells of a block in each dimension: a face of nine fits into a packet.
const SIDE: usize = 3;
const FACE: usize = SIDE * SIDE;
const CELLS: usize = SIDE * FACE;

const GO: u16 = 0;
const TELL: u16 = 1;

pub struct Jacobi {
    pub rounds: u32,
}

/// The data of a node.
#[derive(Clone, Debug)]
pub struct Block {
    pub cells: [f64; CELLS],
    round: u32,
    has_begun: bool,
    /// For this round and the next, by direction: the neighbours' faces.
    faces: [[Option<[f64; FACE]>; 6]; 2],
}

/// The value beyond the borders: one below the floor, else 0.
fn beyond(direction: usize) -> f64 {
    if direction == 4 { 1.0 } else { 0.0 }
}

/// The index of a cell, given its place in the block.
fn cell(at: [usize; 3]) -> usize {
    at[0] + SIDE * (at[1] + SIDE * at[2])
}

/// Directions are down and up in x, in y, in z.
fn neighbour(xyz: [u32; 3], dims: [u32; 3], direction: usize) -> Option<[u32; 3]> {
    let (dim, is_up) = (direction / 2, direction % 2 == 1);
    let mut next = xyz;
    next[dim] = if is_up { xyz[dim] + 1 } else { xyz[dim].checked_sub(1)? };
    (next[dim] < dims[dim]).then_some(next)
}

/// The cells of a face, in the order of their indices.
fn face_cells(direction: usize) -> impl Iterator<Item = usize> {
    let (dim, is_up) = (direction / 2, direction % 2 == 1);
    let layer = if is_up { SIDE - 1 } else { 0 };
    (0..CELLS).filter(move |index| index / SIDE.pow(dim as u32) % SIDE == layer)
}

impl Block {
    fn tell(&self, node: &mut Node<'_>) {
        for direction in 0..6 {
            let Some(next) = neighbour(node.xyz(), node.dims(), direction) else { continue };
            // There it arrives from the opposite side.
            // Nothing is allocated here: threads would wait for each other's heaps.
            let mut bytes = [0; 2 + 8 * FACE];
            bytes[..2].copy_from_slice(&[(direction ^ 1) as u8, (self.round % 2) as u8]);
            let (values, _) = bytes[2..].as_chunks_mut::<8>();
            for (value, index) in values.iter_mut().zip(face_cells(direction)) {
                *value = self.cells[index].to_le_bytes();
            }
            node.send(next, TELL, Size::Small, &bytes);
        }
    }

    /// The value beside a cell in a direction.
    fn beside(&self, at: [usize; 3], direction: usize) -> f64 {
        let (dim, is_up) = (direction / 2, direction % 2 == 1);
        let is_inside = if is_up { at[dim] + 1 < SIDE } else { at[dim] > 0 };
        if is_inside {
            let mut next = at;
            next[dim] = if is_up { at[dim] + 1 } else { at[dim] - 1 };
            return self.cells[cell(next)];
        }
        let face = &self.faces[(self.round % 2) as usize][direction];
        let Some(face) = face else { return beyond(direction) };
        let others = [[1, 2], [0, 2], [0, 1]][dim];
        face[at[others[0]] + SIDE * at[others[1]]]
    }

    fn advance(&mut self) {
        let mut next = [0.0; CELLS];
        for (index, value) in next.iter_mut().enumerate() {
            let at = [index % SIDE, index / SIDE % SIDE, index / FACE];
            *value = mean(|direction| self.beside(at, direction));
        }
        self.cells = next;
        self.faces[(self.round % 2) as usize] = [None; 6];
        self.round += 1;
    }

    fn is_complete(&self, node: &Node<'_>) -> bool {
        let faces = &self.faces[(self.round % 2) as usize];
        let (xyz, dims) = (node.xyz(), node.dims());
        (0..6).all(|way| faces[way].is_some() || neighbour(xyz, dims, way).is_none())
    }
}

/// Always in one order: sums of floats depend on it.
fn mean(beside: impl Fn(usize) -> f64) -> f64 {
    (0..6).map(beside).sum::<f64>() / 6.0
}

impl Program for Jacobi {
    type Data = Block;
    type Payload = [u8; 2 + 8 * FACE];

    fn start(&self, node: &mut Node<'_>) -> Block {
        node.add(GO, Size::Small, &[]);
        Block { cells: [0.0; CELLS], round: 0, has_begun: false, faces: [[None; 6]; 2] }
    }

    fn handle(&self, handler: u16, data: &mut Block, payload: &[u8], node: &mut Node<'_>) {
        if handler == TELL {
            let (direction, round) = (usize::from(payload[0]), usize::from(payload[1]));
            let (values, _) = payload[2..].as_chunks::<8>();
            let face = std::array::from_fn(|at| f64::from_le_bytes(values[at]));
            let place = &mut data.faces[round][direction];
            assert!(place.is_none(), "nobody is two rounds ahead of his neighbour");
            *place = Some(face);
        } else {
            data.has_begun = true;
            data.tell(node);
        }
        // A neighbour's face may arrive before the node's own first packet: it waits.
        while data.has_begun && data.round < self.rounds && data.is_complete(node) {
            data.advance();
            node.flops(6 * CELLS as u64);
            if data.round < self.rounds {
                data.tell(node);
            }
        }
    }
}

/// The result of one loop over all cells, for `dims` blocks.
pub fn serial(dims: [u32; 3], rounds: u32) -> Vec<f64> {
    let size = dims.map(|extent| extent as usize * SIDE);
    let index = |at: [usize; 3]| at[0] + size[0] * (at[1] + size[1] * at[2]);
    let mut cells = vec![0.0; size.iter().product()];
    for _ in 0..rounds {
        let old = cells.clone();
        for (number, value) in cells.iter_mut().enumerate() {
            let at = [number % size[0], number / size[0] % size[1], number / (size[0] * size[1])];
            *value = mean(|direction| {
                let (dim, is_up) = (direction / 2, direction % 2 == 1);
                let mut next = at;
                let there = if is_up { at[dim] + 1 } else { at[dim].wrapping_sub(1) };
                next[dim] = there;
                if there < size[dim] { old[index(next)] } else { beyond(direction) }
            });
        }
    }
    cells
}

/// How many cells of a machine's nodes differ from those of the loop.
pub fn differing<'a>(dims: [u32; 3], rounds: u32, block: impl Fn(u32) -> &'a Block) -> usize {
    let (serial, size) = (serial(dims, rounds), dims.map(|extent| extent as usize * SIDE));
    let differs = |number: &usize| {
        let at = [number % size[0], number / size[0] % size[1], number / (size[0] * size[1])];
        let [x, y, z] = at.map(|at| (at / SIDE) as u32);
        let block = block(x + dims[0] * (y + dims[1] * z));
        block.cells[cell(at.map(|at| at % SIDE))].to_bits() != serial[*number].to_bits()
    };
    (0..serial.len()).filter(differs).count()
}
