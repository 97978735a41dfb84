//! The global maximum on networks so large that nobody keeps their lists: who tells whom follows
//! from a seed by arithmetic, and a node is the largest value that it knows.
//!
//! A node receives from as many others as it sends to: lists are permutations upon each other. They
//! are drawn blindly, so that very few have somebody twice or themselves.

use super::max::{Spread, scattered};

/// Numbers from 0 on in another order, by arithmetic only.
#[derive(Clone, Copy, Debug)]
pub struct Order {
    count: u32,
    mask: u32,
    shift: u32,
    keys: [u32; 3],
}

/// A network and who dies in it when.
#[derive(Clone, Debug)]
pub struct Hashed {
    pub nodes: u32,
    pub neighbours: u32,
    pub seed: u64,
    /// So many die at this tick.
    pub deaths: Vec<(u64, u32)>,
}

/// How a maximum spread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    pub spread: Spread,
    /// By tick: how many learned something new.
    pub learned: Vec<u64>,
}

impl Order {
    pub fn new(count: u32, seed: u64) -> Order {
        let bits = u32::BITS - (count.max(4) - 1).leading_zeros();
        let mut random = ftmpi_base::random::Random::new(seed);
        let keys = [0; 3].map(|_| random.bits() as u32);
        Order { count, mask: u32::MAX >> (u32::BITS - bits), shift: bits.div_ceil(2), keys }
    }

    /// The number that stands at a place.
    #[inline]
    pub fn of(&self, place: u32) -> u32 {
        let mut at = place;
        loop {
            // Each step can be undone, within so many bits: no two places have one number.
            for key in self.keys {
                at = at.wrapping_add(key) & self.mask;
                at ^= at >> self.shift;
                at = at.wrapping_mul(0x7feb_352d) & self.mask;
                at ^= at >> self.shift;
            }
            // What is beyond the last one goes on until it is not.
            if at < self.count {
                return at;
            }
        }
    }
}

impl Hashed {
    /// From whom nodes receive, one order for each entry of a list.
    pub fn orders(&self) -> Vec<Order> {
        let seed = |entry: u32| self.seed.wrapping_mul(1 << 16).wrapping_add(u64::from(entry));
        (0..self.neighbours).map(|entry| Order::new(self.nodes, seed(entry))).collect()
    }

    /// Runs until nobody learns anything, so many ticks at the most. `watch` hears after each tick
    /// how many have learned something in it.
    pub fn run(&self, ticks: u64, threads: usize, mut watch: impl FnMut(u64, u64)) -> Told {
        let mut deaths: Vec<_> = self.deaths.iter().filter(|&&(at, _)| at <= ticks).collect();
        deaths.sort_unstable();
        let all = deaths.iter().fold(0u32, |sum, (_, count)| sum.saturating_add(*count));
        let victims = Order::new(self.nodes, !self.seed);
        let doomed = Marks::of(self.nodes, (0..all.min(self.nodes)).map(|at| victims.of(at)));
        let living = || (0..self.nodes).filter(|&node| !doomed.has(node));
        let target = living().map(scattered).max().unwrap_or(0);
        let span = (self.nodes as usize).div_ceil(threads);
        let orders = self.orders();
        // Nothing is what the dead know.
        let mut known: Vec<u32> = (0..self.nodes).map(|node| scattered(node).max(1)).collect();
        let mut next = known.clone();
        let (mut now, mut hops, mut learned) = (0, 0, Vec::new());
        let (mut dead, mut deaths) = (0, deaths.into_iter().peekable());
        loop {
            // Whoever dies at a tick says nothing in it that others hear.
            while let Some((_, count)) = deaths.next_if(|&&(at, _)| at <= now) {
                let end = self.nodes.min(count.saturating_add(dead));
                (dead..end).for_each(|at| known[victims.of(at) as usize] = 0);
                dead = end;
            }
            let most = known.iter().copied().max().unwrap_or(0);
            let step = Step { orders: &orders, known: &known, doomed: &doomed, target, most };
            let news = step.run(&mut next, span);
            now += 1;
            if now > ticks || (news == [0, 0] && deaths.peek().is_none()) {
                break;
            }
            std::mem::swap(&mut known, &mut next);
            learned.push(news[0]);
            watch(now, news[0]);
            hops = if news[1] > 0 { now as u32 } else { hops };
        }
        let survivors = living().count();
        let knowing = living().filter(|&node| known[node as usize] >= target).count();
        Told { spread: Spread { survivors, hops, unknowing: survivors - knowing }, learned }
    }
}

/// So many nodes look for what they are told at once.
const BLOCK: usize = 512;

/// From one tick to the next.
struct Step<'a> {
    orders: &'a [Order],
    known: &'a [u32],
    doomed: &'a Marks,
    target: u32,
    /// Who knows this learns nothing more.
    most: u32,
}

impl Step<'_> {
    /// Fills in what nodes know next. Says how many learned something, and how many of those who
    /// survive all learned the largest value of their own, or what is more.
    fn run(&self, next: &mut [u32], span: usize) -> [u64; 2] {
        std::thread::scope(|scope| {
            let parts = next.chunks_mut(span).zip((0u32..).step_by(span));
            let threads = parts.map(|(part, first)| scope.spawn(move || self.part(part, first)));
            let news = threads.collect::<Vec<_>>().into_iter();
            let news = news.map(|thread| thread.join().expect("it only reads"));
            news.fold([0, 0], |sum, one| [sum[0] + one[0], sum[1] + one[1]])
        })
    }

    fn part(&self, part: &mut [u32], first: u32) -> [u64; 2] {
        let end = first as usize + part.len();
        part.copy_from_slice(&self.known[first as usize..end]);
        let (mut news, mut block) = ([0, 0], Vec::with_capacity(BLOCK));
        for node in first..end as u32 {
            if self.known[node as usize] != self.most {
                block.push(node);
            }
            if block.len() == BLOCK {
                self.block(&block, part, first, &mut news);
                block.clear();
            }
        }
        self.block(&block, part, first, &mut news);
        news
    }

    /// What these nodes know next. All places are known before the first is looked at: memory then
    /// looks for many of them at once.
    fn block(&self, nodes: &[u32], part: &mut [u32], first: u32, news: &mut [u64; 2]) {
        let (mut best, mut from) = ([0; BLOCK], [0; BLOCK]);
        for order in self.orders {
            from.iter_mut().zip(nodes).for_each(|(from, &node)| *from = order.of(node));
            let told = from[..nodes.len()].iter().map(|&node| self.known[node as usize]);
            best.iter_mut().zip(told).for_each(|(best, told)| *best = told.max(*best));
        }
        for (&node, &best) in nodes.iter().zip(&best) {
            let before = self.known[node as usize];
            let is_living = !self.doomed.has(node);
            // What the dead hear, they do not learn.
            if best <= before || (before == 0 && !is_living) {
                continue;
            }
            part[(node - first) as usize] = best;
            news[0] += 1;
            news[1] += u64::from(is_living && best >= self.target);
        }
    }
}

/// One bit for each node.
struct Marks(Vec<u64>);

impl Marks {
    fn of(nodes: u32, marked: impl Iterator<Item = u32>) -> Marks {
        let mut bits = vec![0u64; nodes.div_ceil(64) as usize];
        marked.for_each(|node| bits[node as usize / 64] |= 1 << (node % 64));
        Marks(bits)
    }

    #[inline]
    fn has(&self, node: u32) -> bool {
        self.0[node as usize / 64] >> (node % 64) & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::natural::graph::Lists;
    use crate::natural::max::Max;
    use crate::natural::{Graph, World};
    use std::sync::Arc;

    #[test]
    fn an_order_has_every_number_once() {
        for count in [1, 2, 5, 64, 1000, 4096, 10_007] {
            let order = Order::new(count, 3);
            let mut numbers: Vec<u32> = (0..count).map(|place| order.of(place)).collect();
            let is_mixed = count < 64 || !numbers.is_sorted();
            numbers.sort_unstable();
            assert!(is_mixed && numbers.into_iter().eq(0..count), "{count}");
        }
    }

    #[test]
    fn nodes_learn_what_they_learn_in_the_simulator() {
        for deaths in [vec![], vec![(0, 600)], vec![(3, 900), (2, 40), (90, 1)]] {
            let hashed = Hashed { nodes: 3000, neighbours: 3, seed: 5, deaths };
            let mut lists = vec![Vec::new(); 3000];
            for order in hashed.orders() {
                (0..3000).for_each(|node| lists[order.of(node) as usize].push(node));
            }
            let lists = Lists::collect(3000, |node, all| all.extend(&lists[node as usize]));
            let mut world = World::new(Arc::new(Graph::new(lists, vec![[0.0; 2]; 3000])), Max, 1);
            let (victims, mut dead) = (Order::new(3000, !5), 0);
            let mut sorted = hashed.deaths.clone();
            sorted.sort_unstable();
            for (at, count) in sorted {
                (dead..dead + count).for_each(|place| world.kill(at, victims.of(place)));
                dead += count;
            }
            world.run_until(1000);
            let told = hashed.run(1000, 1, |_, _| ());
            assert_eq!(told.spread, world.spread(), "{:?}", hashed.deaths);
            assert_eq!(told, hashed.run(1000, 2, |_, _| ()));
        }
    }

    #[test]
    fn a_hundred_thousand_know_after_as_many_hops_as_the_paper_says() {
        for (neighbours, dead, hops, never) in
            [(4, 0, 10..=12, 0..=0), (4, 10_000, 11..=14, 1..=20), (10, 10_000, 6..=8, 0..=0)]
        {
            let deaths = vec![(0, dead)];
            let told =
                Hashed { nodes: 100_000, neighbours, seed: 1, deaths }.run(100, 2, |_, _| ());
            assert!(hops.contains(&told.spread.hops), "{neighbours} {dead} {:?}", told.spread);
            assert!(never.contains(&told.spread.unknowing), "{:?}", told.spread);
        }
    }
}
