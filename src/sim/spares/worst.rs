//! The worst damage that a number of failures can do: all orders of all failures where they are few
//! enough, else the most harmful beginnings, each with every next failure.

use super::study::{Case, Study};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The result of failures in the worst order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worst {
    /// The uses of the most used link.
    pub uses: usize,
    /// The ranks whose nodes failed, in order.
    pub ranks: Vec<usize>,
    /// Whether every order was tried, so that nothing can be worse.
    pub is_proven: bool,
    /// How many orders of failures were tried.
    pub orders: u64,
    /// In how many of these a failure had no substitute: the last, or one before it.
    pub unhandled: u64,
}

/// The limits of a search.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    /// How many beginnings are continued if there are too many orders to try.
    pub width: usize,
    /// Up to how many orders are tried exhaustively.
    pub orders: u64,
    /// The result does not depend on the number of threads.
    pub threads: usize,
}

impl Default for Search {
    fn default() -> Search {
        Search { width: 30, orders: 20_000_000, threads: 1 }
    }
}

impl Worst {
    /// Whether every order finds its substitutes; `None` if unknown.
    pub fn is_handled(&self) -> Option<bool> {
        match self.unhandled {
            0 => self.is_proven.then_some(true),
            _ => Some(false),
        }
    }
}

/// The worst of 1, 2, … failures; ends early if no failure has a substitute.
pub fn worst(study: &Study, failures: usize, search: Search) -> Vec<Worst> {
    let ranks = study.ranks() as u64;
    let mut worst = Vec::new();
    let mut level: Vec<Vec<usize>> = vec![Vec::new()];
    let (mut is_proven, mut lost) = (true, 0u64);
    for count in 1..=failures {
        let next_orders = (level.len() as u64).saturating_mul(ranks).saturating_mul(ranks);
        let goes_on_whole = is_proven && next_orders <= search.orders;
        let found = extend(study, &level, search, goes_on_whole && count < failures);
        let order = |&(begun, rank): &(usize, usize)| [&level[begun][..], &[rank]].concat();
        let most = found.most.first_key_value();
        let (uses, first) = most.map_or((0, Vec::new()), |(harm, at)| (harm.0.0, order(at)));
        // Continuations of an order that was not handled count as tried and not handled.
        let begun_lost = lost.saturating_mul(ranks);
        lost = begun_lost.saturating_add(found.unhandled);
        let orders = begun_lost.saturating_add(level.len() as u64 * ranks);
        worst.push(Worst { uses, ranks: first, is_proven, orders, unhandled: lost });
        level = match goes_on_whole {
            true => found.handled.iter().map(order).collect(),
            false => found.most.values().map(order).collect(),
        };
        is_proven = goes_on_whole;
        if level.is_empty() {
            break;
        }
    }
    worst
}

/// The next failures, each by its beginning's number and the rank.
#[derive(Default)]
struct Found {
    /// By harm, the most first. Orders of equal failures do equal harm; the first of them is kept.
    most: BTreeMap<Reverse<(usize, u64)>, (usize, usize)>,
    /// All of them, if requested.
    handled: Vec<(usize, usize)>,
    unhandled: u64,
}

/// Every next failure after each of these beginnings.
fn extend(study: &Study, level: &[Vec<usize>], search: Search, is_whole: bool) -> Found {
    let next = AtomicUsize::new(0);
    let one = || {
        let mut found = Found::default();
        loop {
            let begun = next.fetch_add(1, Ordering::Relaxed);
            let Some(ranks) = level.get(begun) else { return found };
            let mut case = replay(study, ranks);
            for rank in 0..study.ranks() {
                let Some(harm) = case.weigh(rank) else {
                    found.unhandled += 1;
                    continue;
                };
                found.keep(Reverse(harm), (begun, rank), search.width);
                if is_whole {
                    found.handled.push((begun, rank));
                }
            }
        }
    };
    std::thread::scope(|scope| {
        let threads = search.threads.clamp(1, level.len().max(1));
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(one)).collect();
        let mut all = Found::default();
        for thread in threads {
            all.merge(thread.join().expect("no case panics"), search.width);
        }
        all.handled.sort_unstable();
        all
    })
}

impl Found {
    fn keep(&mut self, harm: Reverse<(usize, u64)>, at: (usize, usize), width: usize) {
        let is_less = self.most.len() >= width
            && self.most.last_key_value().is_some_and(|(least, _)| harm > *least);
        if is_less {
            return;
        }
        let first = self.most.entry(harm).or_insert(at);
        *first = at.min(*first);
        if self.most.len() > width {
            self.most.pop_last();
        }
    }

    /// Adds what another search has found; the order of merging does not matter.
    fn merge(&mut self, other: Found, width: usize) {
        other.most.into_iter().for_each(|(harm, at)| self.keep(harm, at, width));
        self.handled.extend(other.handled);
        self.unhandled += other.unhandled;
    }
}

fn replay<'a>(study: &'a Study, ranks: &[usize]) -> Case<'a> {
    let mut case = study.case(true);
    for &rank in ranks {
        case.fail(rank).expect("it did before");
    }
    case
}
