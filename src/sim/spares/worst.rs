//! The worst that so many failures can do: all orders of all failures where there are few enough,
//! else the most harmful beginnings, each with every next failure.

use super::study::{Case, Study};
use crate::machine::traffic::Traffic;
use std::collections::HashSet;

/// What failures in the worst order lead to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worst {
    /// The uses of the most used link.
    pub uses: usize,
    /// Whose nodes failed, in order.
    pub ranks: Vec<usize>,
    /// Whether nothing can be worse.
    pub is_proven: bool,
    /// Whether every order of failures that was looked at found its substitutes.
    pub is_handled: bool,
}

/// So many orders of failures are looked at to the last one.
const FEW: f64 = 3e5;

/// The worst of 1, 2, … failures; where not all can be looked at, `width` beginnings go on.
pub fn worst(study: &Study, failures: usize, width: usize) -> Vec<Worst> {
    let mut worst = Vec::new();
    let mut level: Vec<Vec<usize>> = vec![Vec::new()];
    let (mut is_proven, mut is_handled) = (true, true);
    for count in 1..=failures {
        let is_last = count == failures;
        let mut found: Vec<(usize, u64, Vec<usize>)> = Vec::new();
        let mut best = (0, Vec::new());
        for ranks in &level {
            let case = replay(study, ranks);
            for rank in 0..study.ranks() {
                let mut next = case.clone();
                let Some(outcome) = next.fail(rank) else {
                    is_handled = false;
                    continue;
                };
                let order = || [&ranks[..], &[rank]].concat();
                if outcome.worst > best.0 {
                    best = (outcome.worst, order());
                }
                if !is_last {
                    let squares = next.traffic.as_ref().map_or(0, Traffic::squares);
                    found.push((outcome.worst, squares, order()));
                }
            }
        }
        let (uses, ranks) = best;
        worst.push(Worst { uses, ranks, is_proven, is_handled });
        if is_last || found.is_empty() {
            break;
        }
        if found.len() as f64 * study.ranks() as f64 > FEW {
            is_proven = false;
            found.sort_by_key(|(uses, squares, _)| std::cmp::Reverse((*uses, *squares)));
            // What differs by its order only has the same harm; one of them goes on.
            let mut seen = HashSet::new();
            found.retain(|(uses, squares, _)| seen.insert((*uses, *squares)));
            found.truncate(width);
        }
        level = found.into_iter().map(|(_, _, ranks)| ranks).collect();
    }
    worst
}

fn replay<'a>(study: &'a Study, ranks: &[usize]) -> Case<'a> {
    let mut case = study.case(true);
    for &rank in ranks {
        case.fail(rank).expect("it did before");
    }
    case
}
