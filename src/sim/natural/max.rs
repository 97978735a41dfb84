//! The global maximum: whoever hears of a larger value tells all in his list.

use super::graph::Graph;
use super::world::{Application, Here, World};

pub struct Max;

/// What a node knows.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    own: u32,
    best: u32,
    /// When it learned that.
    since: u32,
}

/// How far the maximum of the survivors has got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spread {
    pub survivors: usize,
    /// When the last of those who know it learned it.
    pub hops: u32,
    /// Survivors who do not know it.
    pub unknowing: usize,
}

impl Application for Max {
    type State = Known;
    type Message = u32;

    fn create(&self, node: u32, _: &Graph) -> Known {
        let own = scattered(node);
        Known { own, best: own, since: 0 }
    }

    fn begin(&self, state: &mut Known, here: &mut Here<'_, '_, u32>) {
        here.send_all(state.best);
    }

    #[inline]
    fn hear(&self, state: &mut Known, _: u32, value: &u32, here: &mut Here<'_, '_, u32>) {
        if *value > state.best {
            state.best = *value;
            state.since = here.now as u32;
        }
    }

    fn miss(&self, _: &mut Known, _: u32, _: &mut Here<'_, '_, u32>) {}

    /// A new value of one's own.
    fn border(&self, state: &mut Known, value: f64, here: &mut Here<'_, '_, u32>) {
        state.own = value as u32;
        if state.own > state.best {
            state.best = state.own;
            state.since = here.now as u32;
        }
    }

    #[inline]
    fn settle(&self, state: &mut Known, here: &mut Here<'_, '_, u32>) {
        // Of all values of a tick, only the largest is worth telling.
        if here.now > 0 && u64::from(state.since) == here.now {
            here.send_all(state.best);
        }
    }

    #[inline]
    fn colour(&self, state: &Known) -> u8 {
        (state.best >> 24) as u8
    }

    fn info(&self, state: &Known) -> String {
        format!("own {}, knows {} since tick {}", state.own, state.best, state.since)
    }
}

impl World<Max> {
    pub fn spread(&self) -> Spread {
        let living = || self.rows().flat_map(|row| row.nodes().flatten());
        let largest = |(count, most): (usize, u32), known: &Known| (count + 1, most.max(known.own));
        let (survivors, target) = living().fold((0, 0), largest);
        let knowing = living().filter(|known| known.best >= target);
        let (count, hops) =
            knowing.fold((0, 0), |(count, hops), known| (count + 1, hops.max(known.since)));
        Spread { survivors, hops, unknowing: survivors - count }
    }
}

/// Values that all differ and are in no order.
pub(super) fn scattered(node: u32) -> u32 {
    let mixed = (node ^ node >> 16).wrapping_mul(0x7feb_352d);
    let mixed = (mixed ^ mixed >> 15).wrapping_mul(0x846c_a68b);
    mixed ^ mixed >> 16
}

/// The share of survivors who never know, when a share `dead` of all nodes with `count` in their
/// list to receive from is dead: whoever hears only from the dead and from those who never know.
pub fn share_unknowing(dead: f64, count: u32) -> f64 {
    let next = |share: f64| (dead + (1.0 - dead) * share).powi(count as i32);
    (0..10_000).fold(0.0, |share, _| next(share))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::natural::Wiring;
    use crate::natural::graph::Lists;
    use ftmpi_base::random::Random;
    use std::sync::Arc;

    fn spread(nodes: u32, count: u32, kills: usize, seed: u64) -> Spread {
        let graph = Wiring::Random(count).graph(nodes, seed).unwrap();
        let mut world = World::new(Arc::new(graph), Max, 1);
        let mut random = Random::new(seed);
        let mut killed = std::collections::HashSet::new();
        while killed.len() < kills {
            killed.insert(random.below(u64::from(nodes)) as u32);
        }
        killed.iter().for_each(|&node| world.kill(0, node));
        assert!(!world.run_until(10_000));
        assert_eq!(world.counters().deaths, kills as u64);
        world.spread()
    }

    #[test]
    fn a_hundred_thousand_know_after_as_many_hops_as_the_paper_says() {
        // Neighbours, kills, hops and survivors who never know: from .. to.
        let table = [
            (4, 0, (10, 12), (0, 0)),
            (4, 1_000, (10, 12), (0, 0)),
            (4, 10_000, (11, 14), (1, 20)),
            (10, 0, (6, 7), (0, 0)),
            (10, 10_000, (6, 8), (0, 0)),
        ];
        for (count, kills, hops, unknowing) in table {
            let found = spread(100_000, count, kills, 1);
            let of = format!("{count} neighbours, {kills} kills: {found:?}");
            assert!((hops.0..=hops.1).contains(&found.hops), "{of}");
            assert!((unknowing.0..=unknowing.1).contains(&found.unknowing), "{of}");
        }
    }

    #[test]
    #[ignore = "the whole table with ten seeds takes a minute"]
    fn the_whole_table_holds_for_ten_seeds() {
        for seed in 1..=10 {
            for (count, hops) in [
                (4, [(10, 12), (10, 12), (10, 12), (11, 14)]),
                (10, [(6, 7), (6, 7), (6, 8), (6, 8)]),
            ] {
                for (kills, hops) in [0, 100, 1_000, 10_000].into_iter().zip(hops) {
                    let found = spread(100_000, count, kills, seed);
                    let never = if count == 4 && kills == 10_000 { 1..=20 } else { 0..=0 };
                    assert!((hops.0..=hops.1).contains(&found.hops), "{seed} {kills} {found:?}");
                    assert!(never.contains(&found.unknowing), "{seed} {kills} {found:?}");
                }
            }
        }
        for (count, about) in [(4, 12), (10, 7)] {
            let hops = spread(500_000, count, 0, 1).hops;
            assert!(hops.abs_diff(about) <= 1, "{count}: {hops}");
        }
    }

    #[test]
    fn the_share_that_never_knows_is_the_one_of_the_equation() {
        for (dead, count) in [(0.3, 4), (0.5, 4), (0.4, 3)] {
            let found = spread(20_000, count, (dead * 20_000.0) as usize, 3);
            let share = found.unknowing as f64 / found.survivors as f64;
            let expected = share_unknowing(dead, count);
            assert!((share / expected - 1.0).abs() < 0.15, "{dead} {count}: {share} {expected}");
        }
    }

    #[test]
    fn with_lists_to_send_to_only_some_never_know() {
        let mut random = Random::new(1);
        let lists = Lists::collect(20_000, |_, all| {
            all.extend((0..4).map(|_| random.below(20_000) as u32));
        });
        let mut world = World::new(Arc::new(Graph::new(lists, vec![[0.0; 2]; 20_000])), Max, 1);
        world.run_until(1000);
        let share = world.spread().unknowing as f64 / 20_000.0;
        assert!((share / (-4f64).exp() - 1.0).abs() < 0.15, "{share}");
    }
}
