//! Failures that await a machine: at a time, every so often, or by chance. A seed repeats them.

use super::region::Nodes;
use super::units::Picos;
use crate::base::random::Random;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

/// What a machine file says of failures.
#[derive(Clone, Debug, PartialEq)]
pub struct Faults {
    pub seed: u64,
    pub plans: Vec<Plan>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Plan {
    /// Once, all of these.
    At(Picos, Nodes),
    /// Again and again, drawn anew each time.
    Every(Picos, Nodes),
    /// One of these at a time, when the dice say so.
    Chance(Dice, Nodes),
}

/// Times between failures: Weibull's distribution, whose shape 1 is the exponential one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dice {
    /// In picoseconds.
    pub mean: f64,
    pub shape: f64,
    /// Of each node, whose age counts from the beginning; else of them all together.
    pub is_per_node: bool,
}

impl Dice {
    fn draw(&self, random: &mut Random) -> f64 {
        let fraction = ((random.bits() >> 11) + 1) as f64 / (1u64 << 53) as f64;
        self.mean / gamma(1.0 + 1.0 / self.shape) * (-fraction.ln()).powf(1.0 / self.shape)
    }
}

impl Faults {
    /// Who dies when until `end`, in order; nobody dies twice.
    pub fn until(&self, end: Picos) -> Vec<(Picos, usize)> {
        let mut dead = HashSet::new();
        let mut died = Vec::new();
        let mut randoms: Vec<_> = (1..)
            .map(|salt| Random::new(self.seed ^ (salt << 32)))
            .take(self.plans.len())
            .collect();
        // The next time at which a plan has something to say, then which plan; chance for each
        // node is drawn at once.
        let mut agenda = BinaryHeap::new();
        for (number, plan) in self.plans.iter().enumerate() {
            let random = &mut randoms[number];
            match plan {
                Plan::At(at, _) => agenda.push(Reverse((*at, number, None))),
                Plan::Every(period, _) => agenda.push(Reverse((*period, number, None))),
                Plan::Chance(dice, nodes) if dice.is_per_node => {
                    for node in nodes.pick(random, |_| true) {
                        let at = dice.draw(random) as Picos;
                        agenda.push(Reverse((at, number, Some(node))));
                    }
                }
                Plan::Chance(dice, _) => {
                    agenda.push(Reverse((dice.draw(random) as Picos, number, None)));
                }
            }
        }
        while let Some(Reverse((at, number, node))) = agenda.pop() {
            if at > end {
                break;
            }
            let random = &mut randoms[number];
            let victims = match (&self.plans[number], node) {
                (_, Some(node)) => vec![node],
                (Plan::At(_, nodes), _) => nodes.pick(random, |node| !dead.contains(&node)),
                (Plan::Every(period, nodes), _) => {
                    agenda.push(Reverse((at.saturating_add((*period).max(1)), number, None)));
                    nodes.pick(random, |node| !dead.contains(&node))
                }
                (Plan::Chance(dice, nodes), _) => {
                    let next = at.saturating_add((dice.draw(random) as Picos).max(1));
                    agenda.push(Reverse((next, number, None)));
                    one(nodes, random, &dead)
                }
            };
            died.extend(
                victims.into_iter().filter(|&node| dead.insert(node)).map(|node| (at, node)),
            );
            if dead.len() == self.reach() {
                break;
            }
        }
        died
    }

    /// So many can die at the most, as far as that can be told: plans may overlap.
    fn reach(&self) -> usize {
        let sizes = self.plans.iter().map(|plan| match plan {
            Plan::At(_, nodes) | Plan::Every(_, nodes) | Plan::Chance(_, nodes) => nodes.size(),
        });
        sizes.sum()
    }
}

/// One of those that live, if anybody does.
fn one(nodes: &Nodes, random: &mut Random, dead: &HashSet<usize>) -> Vec<usize> {
    let living = nodes.pick(random, |node| !dead.contains(&node));
    match living.is_empty() {
        true => living,
        false => vec![living[random.below(living.len() as u64) as usize]],
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
    use crate::machine::topology::{Grid, Topology};
    use crate::machine::units::SECOND;

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
    fn failures_come_at_their_time_or_every_so_often() {
        let at = faults(|topology| Plan::At(5, Nodes::parse("random 10%", topology).unwrap()));
        assert_eq!(at.until(4), vec![]);
        assert_eq!(at.until(5).len(), 100);
        let every = faults(|topology| Plan::Every(10, Nodes::one_of_all(topology)));
        let times: Vec<_> = every.until(35).iter().map(|(at, _)| *at).collect();
        assert_eq!(times, vec![10, 20, 30]);
    }
}
