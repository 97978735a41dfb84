//! The failures planned for a machine: at a time, periodic, or random. A seed repeats them.

use super::region::Nodes;
use super::units::{Picos, SECOND};
use ftmpi_base::random::Random;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};
use std::ops::RangeInclusive;
use std::time::Duration;

/// The failures of a machine file.
#[derive(Clone, Debug, PartialEq)]
pub struct Faults {
    pub seed: u64,
    pub plans: Vec<Plan>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Plan {
    /// Once, all of these.
    At(Picos, Nodes),
    /// Repeatedly, drawn anew each time.
    Every(Picos, Nodes),
    /// One of these at a time, at random times.
    Chance(Dice, Nodes),
}

/// A node that dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Death {
    pub at: Picos,
    pub node: usize,
    /// Whether it was planned for a time; otherwise it belongs to an endless series.
    pub is_set: bool,
}

/// Times between failures: the Weibull distribution, which is exponential for shape 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dice {
    /// In picoseconds.
    pub mean: f64,
    pub shape: f64,
    /// For each node, whose age counts from the beginning; otherwise for all of them together.
    pub is_per_node: bool,
}

impl Dice {
    /// The permitted shapes: with a lower one, nearly all times would be 0.
    pub const SHAPES: RangeInclusive<f64> = 0.1..=100.0;

    fn draw(&self, random: &mut Random) -> Picos {
        let fraction = ((random.bits() >> 11) + 1) as f64 / (1u64 << 53) as f64;
        let scale = self.mean / gamma(1.0 + 1.0 / self.shape);
        (scale * (-fraction.ln()).powf(1.0 / self.shape)).round() as Picos
    }
}

impl Faults {
    /// The deaths until `end`, in order; no node dies twice.
    pub fn until(&self, end: Picos) -> Vec<(Picos, usize)> {
        self.deaths(end).into_iter().map(|death| (death.at, death.node)).collect()
    }

    /// All deaths in real time, of which a second of the machine takes `scale`.
    pub fn strokes(&self, scale: f64) -> impl Iterator<Item = (Duration, usize)> + Send + use<> {
        /// A century, in seconds: anything later never happens.
        const LONGEST: f64 = 100.0 * 365.0 * 86400.0;
        let scale = scale / SECOND as f64;
        let in_real_time = move |(at, node): (Picos, usize)| {
            (Duration::from_secs_f64((at as f64 * scale).min(LONGEST)), node)
        };
        self.until(Picos::MAX).into_iter().map(in_real_time)
    }

    /// The deaths until `end`, each with its cause.
    pub fn deaths(&self, end: Picos) -> Vec<Death> {
        let mut dead = HashSet::new();
        let mut died = Vec::new();
        let mut randoms: Vec<_> = (1..)
            .map(|salt| Random::new(self.seed ^ (salt << 32)))
            .take(self.plans.len())
            .collect();
        let mut living: Vec<_> = self.plans.iter().map(Living::of).collect();
        // The next time at which a plan is due, then which plan; random times of each node are
        // drawn at once.
        let mut agenda = BinaryHeap::new();
        for (number, plan) in self.plans.iter().enumerate() {
            let random = &mut randoms[number];
            match plan {
                Plan::At(at, _) => agenda.push(Reverse((*at, number, None))),
                Plan::Every(period, _) => agenda.push(Reverse((*period, number, None))),
                Plan::Chance(dice, nodes) if dice.is_per_node => {
                    for node in nodes.pick(random, |_| true) {
                        agenda.push(Reverse((dice.draw(random), number, Some(node))));
                    }
                }
                Plan::Chance(dice, _) => agenda.push(Reverse((dice.draw(random), number, None))),
            }
        }
        while let Some(Reverse((at, number, node))) = agenda.pop() {
            if at > end {
                break;
            }
            let random = &mut randoms[number];
            let left = &mut living[number];
            let (victims, next) = match (&self.plans[number], node) {
                (_, Some(node)) => (vec![node], None),
                (Plan::At(_, nodes), _) => (nodes.pick(random, |node| !dead.contains(&node)), None),
                (Plan::Every(period, nodes), _) => {
                    (left.draw(nodes.wanted(left.list.len()), random), Some((*period).max(1)))
                }
                (Plan::Chance(dice, _), _) => {
                    let next = dice.draw(random);
                    (left.draw(left.list.len().min(1), random), Some(next))
                }
            };
            // A plan without victims now will have none later: the living only become fewer.
            if let Some(next) = next.filter(|_| !victims.is_empty()) {
                agenda.push(Reverse((at.saturating_add(next), number, None)));
            }
            for node in victims {
                if dead.insert(node) {
                    living.iter_mut().for_each(|living| living.remove(node));
                    let is_set = matches!(self.plans[number], Plan::At(..));
                    died.push(Death { at, node, is_set });
                }
            }
        }
        died
    }
}

/// The living nodes of a plan. Drawing one takes constant time.
#[derive(Default)]
struct Living {
    list: Vec<u32>,
    /// By node: its index in the list.
    places: Vec<u32>,
}

const NOWHERE: u32 = u32::MAX;

impl Living {
    /// Plans that draw repeatedly need one; the others look at their nodes once.
    fn of(plan: &Plan) -> Living {
        let nodes = match plan {
            Plan::Every(_, nodes) => nodes,
            Plan::Chance(dice, nodes) if !dice.is_per_node => nodes,
            _ => return Living::default(),
        };
        let members = nodes.members();
        let count = members.iter().max().map_or(0, |highest| highest + 1);
        let mut living = Living { list: Vec::new(), places: vec![NOWHERE; count] };
        for node in members {
            if living.places[node] == NOWHERE {
                living.places[node] = living.list.len() as u32;
                living.list.push(node as u32);
            }
        }
        living
    }

    /// Draws `wanted` of them, sorted.
    fn draw(&mut self, wanted: usize, random: &mut Random) -> Vec<usize> {
        let drawn = (0..wanted).map(|_| {
            let at = random.below(self.list.len() as u64) as usize;
            let node = self.list[at] as usize;
            self.remove(node);
            node
        });
        let mut drawn: Vec<_> = drawn.collect();
        drawn.sort_unstable();
        drawn
    }

    fn remove(&mut self, node: usize) {
        let Some(place) = self.places.get_mut(node) else { return };
        let place = std::mem::replace(place, NOWHERE);
        if place == NOWHERE {
            return;
        }
        self.list.swap_remove(place as usize);
        if let Some(&moved) = self.list.get(place as usize) {
            self.places[moved as usize] = place;
        }
    }
}

/// Euler's function from 1 to 2 and, by its recurrence, above (Lanczos's approximation).
fn gamma(x: f64) -> f64 {
    const PARTS: [f64; 6] = [
        76.180_091_729_471_46,
        -86.505_320_329_416_77,
        24.014_098_240_830_91,
        -1.231_739_572_450_155,
        0.120_865_097_386_617_9e-2,
        -0.539_523_938_495_3e-5,
    ];
    let x = x - 1.0;
    let sum = PARTS
        .iter()
        .zip(1..)
        .fold(1.000_000_000_190_015, |sum, (part, at)| sum + part / (x + f64::from(at)));
    let base = x + 5.5;
    base.powf(x + 0.5) * (-base).exp() * (2.0 * std::f64::consts::PI).sqrt() * sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{Grid, Topology};
    use crate::units::SECOND;

    fn faults(plan: impl Fn(&Topology) -> Plan) -> Faults {
        let topology = Topology::Grid(Grid::mesh(&[1000]).unwrap());
        Faults { seed: 7, plans: vec![plan(&topology)] }
    }

    fn dice(shape: f64, is_per_node: bool) -> Dice {
        Dice { mean: SECOND as f64, shape, is_per_node }
    }

    #[test]
    fn a_seed_repeats_the_failures_in_order_and_nobody_dies_twice() {
        let chance = |topology: &Topology| Plan::Chance(dice(1.0, false), Nodes::all(topology));
        let faults = faults(chance);
        let died = faults.until(2000 * SECOND);
        assert_eq!(died, faults.until(2000 * SECOND));
        assert_eq!(died.len(), 1000, "everybody dies in the end");
        assert!(died.is_sorted_by_key(|(at, _)| *at));
        let nodes: HashSet<_> = died.iter().map(|(_, node)| node).collect();
        assert_eq!(nodes.len(), died.len());
        let other = Faults { seed: 8, ..faults.clone() };
        assert_ne!(died, other.until(2000 * SECOND));
        let early = faults.until(100 * SECOND);
        assert_eq!(early, died[..early.len()], "what comes later changes nothing");
    }

    #[test]
    fn means_are_kept_whatever_the_shape() {
        for shape in [0.7, 1.0, 3.0] {
            let each = |topology: &Topology| Plan::Chance(dice(shape, true), Nodes::all(topology));
            let died = faults(each).until(Picos::MAX);
            let mean = died.iter().map(|(at, _)| *at as f64).sum::<f64>() / died.len() as f64;
            assert!((mean / SECOND as f64 - 1.0).abs() < 0.1, "shape {shape}: {mean}");
        }
    }

    #[test]
    fn plans_that_overlap_end_when_all_are_dead() {
        let topology = Topology::Grid(Grid::mesh(&[100_000]).unwrap());
        let often = Dice { mean: 1000.0, shape: 1.0, is_per_node: false };
        let plans = vec![
            Plan::At(SECOND, Nodes::all(&topology)),
            Plan::Chance(often, Nodes::all(&topology)),
            Plan::Every(0, Nodes::parse("random 1%", &topology).unwrap()),
            Plan::Every(2000, Nodes::one_of_all(&topology)),
        ];
        let died = Faults { seed: 1, plans }.until(Picos::MAX);
        let nodes: HashSet<_> = died.iter().map(|(_, node)| node).collect();
        assert_eq!((died.len(), nodes.len()), (100_000, 100_000));
    }

    #[test]
    fn failures_come_at_their_time_or_every_so_often() {
        let at = faults(|topology| Plan::At(5, Nodes::parse("random 10%", topology).unwrap()));
        assert_eq!(at.until(4), vec![]);
        assert_eq!(at.until(5).len(), 100);
        let every = faults(|topology| Plan::Every(10, Nodes::one_of_all(topology)));
        let times: Vec<_> = every.until(35).iter().map(|(at, _)| *at).collect();
        assert_eq!(times, vec![10, 20, 30]);
    }
}
