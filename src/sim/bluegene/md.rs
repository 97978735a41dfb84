//! Molecular dynamics: every node has a cell of a periodic box and the atoms in it.
//!
//! In turn, nodes tell their 26 neighbours where their atoms are, and which atoms have moved over
//! to them. An atom's forces are added up in the order of its neighbours' numbers, so that the
//! result equals that of one loop over all atoms, bit for bit, in whatever order packets arrive.

use super::node::{Node, Program};
use super::packet::{PAYLOAD_MOST, Size};
use ftmpi_base::random::Random;

const GO: u16 = 0;
const TELL: u16 = 1;

/// Atoms on a side of a cell in the beginning, and their distance then, in diameters.
const ROW: u32 = 2;
const SPACING: f64 = 1.2;
/// A cell's side, the range of the forces.
const SIDE: f64 = ROW as f64 * SPACING;
const STEP: f64 = 0.004;
/// Operations to compute the distance of two atoms, and to add their interaction.
const FLOPS: [u64; 2] = [12, 30];
const NEIGHBOURS: u32 = 26;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Atom {
    pub id: u32,
    pub at: [f64; 3],
    pub speed: [f64; 3],
    force: [f64; 3],
}

/// A box of atoms, and the number of steps.
pub struct Md {
    pub steps: u32,
    size: [f64; 3],
    atoms: Vec<Atom>,
}

/// The data of a node.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    pub atoms: Vec<Atom>,
    /// After every step: the kinetic energy, and half of that between each atom and the others.
    pub energies: Vec<f64>,
    /// Even rounds tell where atoms are, odd ones which have moved over.
    round: u32,
    has_begun: bool,
    /// For this round and the next: the atoms that arrived, and from how many neighbours.
    came: [Vec<Atom>; 2],
    count: [u32; 2],
}

impl Md {
    /// Atoms on a slightly disturbed lattice, with a total momentum of 0. Half of them are near the
    /// borders of cells.
    pub fn new(dims: [u32; 3], steps: u32, seed: u64) -> Result<Md, String> {
        if dims.iter().any(|&extent| extent < 3) {
            return Err(format!("dims {dims:?}: a cell has 26 neighbours: use 3,3,3 or more"));
        }
        let mut random = Random::new(seed);
        let mut drawn =
            |width: f64| [0; 3].map(|_| width * (random.below(1 << 20) as f64 / 524_288.0 - 1.0));
        let rows = dims.map(|extent| extent * ROW);
        let atom = |id: u32| {
            let place = [id % rows[0], id / rows[0] % rows[1], id / (rows[0] * rows[1])];
            let shift = drawn(0.05);
            let at = std::array::from_fn(|dim| f64::from(place[dim]) * SPACING + 0.1 + shift[dim]);
            Atom { id, at, speed: drawn(1.0), force: [0.0; 3] }
        };
        let mut atoms: Vec<Atom> = (0..rows.iter().product()).map(atom).collect();
        let mean = momentum(&atoms).map(|sum| sum / atoms.len() as f64);
        atoms.iter_mut().for_each(|atom| (0..3).for_each(|dim| atom.speed[dim] -= mean[dim]));
        Ok(Md { steps, size: dims.map(|extent| f64::from(extent) * SIDE), atoms })
    }

    /// The final atoms, computed by one loop over all atoms.
    pub fn serial(&self) -> Vec<Atom> {
        let mut atoms = self.atoms.clone();
        for step in 0..=self.steps {
            let others = atoms.clone();
            for atom in &mut atoms {
                self.push(atom, &others);
            }
            if step > 0 {
                atoms.iter_mut().for_each(kick);
            }
            if step < self.steps {
                atoms.iter_mut().for_each(|atom| self.drift(atom));
            }
        }
        atoms
    }

    /// Adds the forces of other atoms, in the order of their numbers. Returns the atom's share of
    /// the energy, and the number of operations.
    fn push(&self, atom: &mut Atom, others: &[Atom]) -> (f64, u64) {
        let (mut energy, mut flops) = (0.0, 0);
        atom.force = [0.0; 3];
        for other in others.iter().filter(|other| other.id != atom.id) {
            let apart: [f64; 3] = std::array::from_fn(|dim| {
                let apart = atom.at[dim] - other.at[dim];
                let round = self.size[dim].copysign(apart);
                if apart.abs() * 2.0 > self.size[dim] { apart - round } else { apart }
            });
            flops += FLOPS[0];
            let square: f64 = apart.iter().map(|apart| apart * apart).sum();
            if square >= SIDE * SIDE {
                continue;
            }
            flops += FLOPS[1];
            let distance = square.sqrt();
            let (force, potential) = lennard_jones(distance);
            let (force_there, potential_there) = lennard_jones(SIDE);
            // Shifted so that force and energy are continuous at the range.
            (0..3).for_each(|dim| atom.force[dim] += (force - force_there) / distance * apart[dim]);
            energy += 0.5 * (potential - potential_there + (distance - SIDE) * force_there);
        }
        (energy, flops)
    }

    /// Half a push, then the move of a step, back into the box if it leads out.
    fn drift(&self, atom: &mut Atom) {
        kick(atom);
        for dim in 0..3 {
            let at = atom.at[dim] + STEP * atom.speed[dim];
            let size = self.size[dim];
            atom.at[dim] = match at {
                at if at < 0.0 => at + size,
                at if at >= size => at - size,
                at => at,
            };
        }
    }
}

fn lennard_jones(distance: f64) -> (f64, f64) {
    let sixth = distance.powi(-6);
    (24.0 * (2.0 * sixth * sixth - sixth) / distance, 4.0 * (sixth * sixth - sixth))
}

fn kick(atom: &mut Atom) {
    (0..3).for_each(|dim| atom.speed[dim] += 0.5 * STEP * atom.force[dim]);
}

/// The momentum of atoms with mass 1.
pub fn momentum(atoms: &[Atom]) -> [f64; 3] {
    let add = |sum: [f64; 3], atom: &Atom| std::array::from_fn(|dim| sum[dim] + atom.speed[dim]);
    atoms.iter().fold([0.0; 3], add)
}

/// The cell of a place.
fn cell(at: [f64; 3], dims: [u32; 3]) -> [u32; 3] {
    // A place rounded up to the box's end is in the last one.
    std::array::from_fn(|dim| ((at[dim] / SIDE) as u32).min(dims[dim] - 1))
}

/// The neighbouring cells, with the box periodic.
fn around(xyz: [u32; 3], dims: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
    let ways = (0..27u32).filter(|&way| way != 13);
    ways.map(move |way| {
        let step = [way % 3, way / 3 % 3, way / 9];
        std::array::from_fn(|dim| (xyz[dim] + dims[dim] + step[dim] - 1) % dims[dim])
    })
}

impl Cell {
    /// Tells all neighbours in an even round where all atoms are, in an odd one which move there.
    fn tell(&mut self, node: &mut Node<'_>) {
        let (xyz, dims) = (node.xyz(), node.dims());
        let is_even = self.round.is_multiple_of(2);
        let mut gone: Vec<Atom> = Vec::new();
        if !is_even {
            let is_here = |atom: &Atom| cell(atom.at, dims) == xyz;
            gone.extend(self.atoms.iter().filter(|&atom| !is_here(atom)));
            self.atoms.retain(is_here);
        }
        let mut told = 0;
        for next in around(xyz, dims) {
            let mut bytes = vec![(self.round % 2) as u8];
            let goes = |atom: &&Atom| cell(atom.at, dims) == next;
            match is_even {
                true => self.atoms.iter().for_each(|atom| atom.pack(&mut bytes)),
                false => gone.iter().filter(goes).for_each(|atom| {
                    told += 1;
                    atom.pack(&mut bytes);
                }),
            }
            node.send(next, TELL, Size::Large, &bytes);
        }
        if told < gone.len() {
            node.fail("an atom has passed a whole cell in one step".into());
        }
    }

    /// Finishes a round for which all neighbours have reported.
    fn advance(&mut self, md: &Md, node: &mut Node<'_>) {
        let parity = (self.round % 2) as usize;
        let came = std::mem::take(&mut self.came[parity]);
        self.count[parity] = 0;
        let step = self.round / 2;
        self.round += 1;
        if parity == 1 {
            self.atoms.extend(came);
            self.atoms.sort_by_key(|atom| atom.id);
            return self.tell(node);
        }
        let mut all = [&came[..], &self.atoms].concat();
        all.sort_by_key(|atom| atom.id);
        let mut energy = 0.0;
        for atom in &mut self.atoms {
            let (share, flops) = md.push(atom, &all);
            node.flops(flops);
            if step > 0 {
                kick(atom);
            }
            energy += share + 0.5 * atom.speed.iter().map(|speed| speed * speed).sum::<f64>();
            if step < md.steps {
                md.drift(atom);
            }
        }
        self.energies.push(energy);
        if step < md.steps {
            self.tell(node);
        }
    }
}

const ATOM_BYTES: usize = 4 + 48;

impl Atom {
    fn pack(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.id.to_le_bytes());
        bytes.extend(self.at.iter().chain(&self.speed).flat_map(|number| number.to_le_bytes()));
    }

    fn unpacked(bytes: &[u8; ATOM_BYTES]) -> Atom {
        let (id, numbers) = bytes.split_at(4);
        let (numbers, _) = numbers.as_chunks::<8>();
        let three =
            |from: usize| std::array::from_fn(|dim| f64::from_le_bytes(numbers[from + dim]));
        let id = u32::from_le_bytes(id.try_into().expect("four bytes"));
        Atom { id, at: three(0), speed: three(3), force: [0.0; 3] }
    }
}

impl Program for Md {
    type Data = Cell;
    type Payload = [u8; PAYLOAD_MOST];
    // Atoms are sent in fragments: there must be room for more than the head of one.
    const PAYLOAD_BYTES: usize = 16;

    fn start(&self, node: &mut Node<'_>) -> Cell {
        node.add(GO, Size::Large, &[]);
        let (xyz, dims) = (node.xyz(), node.dims());
        let is_here = |atom: &&Atom| cell(atom.at, dims) == xyz;
        Cell { atoms: self.atoms.iter().filter(is_here).copied().collect(), ..Cell::default() }
    }

    fn handle(&self, handler: u16, data: &mut Cell, payload: &[u8], node: &mut Node<'_>) {
        if handler == TELL {
            let round = usize::from(payload[0]);
            let (atoms, _) = payload[1..].as_chunks::<ATOM_BYTES>();
            data.came[round].extend(atoms.iter().map(Atom::unpacked));
            data.count[round] += 1;
        } else {
            data.has_begun = true;
            data.tell(node);
        }
        // A neighbour's atoms may arrive before the node's own first packet: they wait.
        while data.has_begun && data.count[(data.round % 2) as usize] == NEIGHBOURS {
            data.advance(self, node);
        }
    }
}

/// The final state of a box, over all its cells.
pub struct Outcome {
    /// In the order of their numbers.
    pub atoms: Vec<Atom>,
    /// After every step, of the whole box.
    pub energies: Vec<f64>,
}

impl Outcome {
    pub fn of<'a>(cells: impl Iterator<Item = &'a Cell>) -> Outcome {
        let mut outcome = Outcome { atoms: Vec::new(), energies: Vec::new() };
        for cell in cells {
            outcome.atoms.extend(&cell.atoms);
            outcome.energies.resize(outcome.energies.len().max(cell.energies.len()), 0.0);
            let both = outcome.energies.iter_mut().zip(&cell.energies);
            both.for_each(|(sum, energy)| *sum += energy);
        }
        outcome.atoms.sort_by_key(|atom| atom.id);
        outcome
    }

    /// The largest part of the momentum in any dimension.
    pub fn momentum(&self) -> f64 {
        momentum(&self.atoms).into_iter().map(f64::abs).fold(0.0, f64::max)
    }

    /// The largest deviation of the energy from its initial value, relative to that.
    pub fn drift(&self) -> f64 {
        let Some(&first) = self.energies.first() else { return 0.0 };
        let far = self.energies.iter().map(|energy| (energy - first).abs());
        far.fold(0.0, f64::max) / first.abs()
    }

    /// How many atoms differ in place or speed from those of a serial run.
    pub fn differing(&self, serial: &[Atom]) -> usize {
        let both = self.atoms.iter().zip(serial);
        let differ = both.filter(|(one, other)| {
            one.id != other.id || one.at != other.at || one.speed != other.speed
        });
        differ.count() + self.atoms.len().abs_diff(serial.len())
    }
}
