//! The weights of checksums, and the equations that restore lost data.
//!
//! Every square part of a Gaussian random matrix can be inverted, and most parts accurately (Chen
//! and Dongarra 2005). How accurately is computed for the parts that are lost.

use crate::base::random::Random;
use crate::base::sync::latest::Latest;
use std::sync::Arc;

/// All members draw equal weights.
const SEED: u64 = 0x0f7c_b1d6_57a3_90e5;

/// Up to this many choices of codes are compared.
const CHOICES: usize = 256;

/// A row of weights for each sum.
pub type Weights = Vec<Vec<f64>>;

/// The latest weights, by the number of sums and of numbers: all members ask for equal ones again
/// and again.
static LATEST: Latest<(usize, usize), Weights, 4> = Latest::new();

/// The weights of `spares` sums of `data` numbers.
pub fn gaussian(spares: usize, data: usize) -> Arc<Weights> {
    LATEST.of((spares, data), || draw(spares, data))
}

fn draw(spares: usize, data: usize) -> Weights {
    let row = |row: usize| {
        let mut random = Random::new(SEED ^ (row as u64) << 32);
        (0..data).map(|_| normal(&mut random)).collect()
    };
    (0..spares).map(row).collect()
}

/// A number of the standard normal distribution (Box and Muller 1958).
fn normal(random: &mut Random) -> f64 {
    let mut uniform = || ((random.bits() >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
    let (radius, angle) = (uniform(), uniform());
    (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
}

/// How lost numbers are computed from sums.
#[derive(Clone, Debug)]
pub struct Solution {
    /// The sums to use.
    pub rows: Vec<usize>,
    /// For each lost number, the factor of each of these sums, after subtracting what is not lost.
    pub inverse: Vec<Vec<f64>>,
    /// How much rounding errors may grow: the condition of the equations, including all other
    /// numbers of the sums (norms of largest rows).
    pub condition: f64,
}

/// Solves for the `lost` numbers with available sums, choosing those that lose the fewest digits.
pub fn solve(weights: &[Vec<f64>], lost: &[usize], there: &[usize]) -> Option<Solution> {
    let mut best: Option<Solution> = None;
    let mut rows: Vec<usize> = (0..lost.len()).collect();
    if there.len() < lost.len() {
        return None;
    }
    for _ in 0..CHOICES {
        let chosen: Vec<usize> = rows.iter().map(|at| there[*at]).collect();
        let matrix: Vec<Vec<f64>> =
            chosen.iter().map(|row| lost.iter().map(|at| weights[*row][*at]).collect()).collect();
        if let Some(inverse) = invert(&matrix) {
            let sums: Vec<Vec<f64>> = chosen.iter().map(|row| weights[*row].clone()).collect();
            let condition = norm(&sums) * norm(&inverse);
            if best.as_ref().is_none_or(|best| condition < best.condition) {
                best = Some(Solution { rows: chosen, inverse, condition });
            }
        }
        if !advance(&mut rows, there.len()) {
            break;
        }
    }
    best
}

/// Advances to the next choice of `chosen.len()` of `places`, in lexicographic order.
fn advance(chosen: &mut [usize], places: usize) -> bool {
    let count = chosen.len();
    let Some(at) = (0..count).rev().find(|at| chosen[*at] < places - count + at) else {
        return false;
    };
    chosen[at] += 1;
    for later in at + 1..count {
        chosen[later] = chosen[later - 1] + 1;
    }
    true
}

/// The largest sum of magnitudes in a row.
fn norm(matrix: &[Vec<f64>]) -> f64 {
    matrix.iter().map(|row| row.iter().map(|entry| entry.abs()).sum()).fold(0.0, f64::max)
}

/// The inverse of a square matrix, by elimination with pivots; `None` if there is none.
fn invert(matrix: &[Vec<f64>]) -> Option<Vec<Vec<f64>>> {
    let size = matrix.len();
    let mut left: Vec<Vec<f64>> = matrix.to_vec();
    let mut right: Vec<Vec<f64>> = (0..size)
        .map(|row| (0..size).map(|column| f64::from(u8::from(row == column))).collect())
        .collect();
    for step in 0..size {
        let pivot = (step..size)
            .max_by(|one, other| left[*one][step].abs().total_cmp(&left[*other][step].abs()))?;
        if left[pivot][step] == 0.0 {
            return None;
        }
        left.swap(step, pivot);
        right.swap(step, pivot);
        let scale = 1.0 / left[step][step];
        for entry in left[step].iter_mut().chain(&mut right[step]) {
            *entry *= scale;
        }
        let (head, other) = (left[step].clone(), right[step].clone());
        for row in (0..size).filter(|row| *row != step) {
            let factor = left[row][step];
            let subtract = |entries: &mut [f64], from: &[f64]| {
                entries.iter_mut().zip(from).for_each(|(entry, by)| *entry -= factor * by);
            };
            subtract(&mut left[row], &head);
            subtract(&mut right[row], &other);
        }
    }
    Some(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_choice_comes_once() {
        let (mut chosen, mut seen) = (vec![0, 1, 2], 1);
        while advance(&mut chosen, 6) {
            assert!(chosen.windows(2).all(|pair| pair[0] < pair[1]) && chosen[2] < 6);
            seen += 1;
        }
        assert_eq!(seen, 20);
    }

    #[test]
    fn every_lost_set_can_be_solved_and_the_condition_tells_how_well() {
        let weights = gaussian(4, 10);
        let mut worst: f64 = 0.0;
        for pattern in 1..1u32 << 10 {
            let lost: Vec<usize> = (0..10).filter(|at| pattern >> at & 1 == 1).collect();
            let there: Vec<usize> = (0..4).collect();
            let solution = solve(&weights, &lost, &there);
            assert_eq!(solution.is_some(), lost.len() <= 4, "{lost:?}");
            let Some(solution) = solution else { continue };
            worst = worst.max(solution.condition);
            // The inverse times the matrix is the identity.
            for (row, inverse) in solution.inverse.iter().enumerate() {
                for (column, at) in lost.iter().enumerate() {
                    let entry: f64 = inverse
                        .iter()
                        .zip(&solution.rows)
                        .map(|(by, sum)| by * weights[*sum][*at])
                        .sum();
                    let expected = f64::from(u8::from(row == column));
                    let allowed = 1e-14 * solution.condition;
                    assert!((entry - expected).abs() <= allowed, "{lost:?}: {entry}");
                }
            }
        }
        assert!(worst < 1e6, "{worst}");
    }

    #[test]
    fn with_more_sums_than_losses_the_best_are_taken() {
        let weights = gaussian(5, 8);
        let all = solve(&weights, &[1, 4], &[0, 1, 2, 3, 4]).expect("enough sums");
        for first in 0..5 {
            for second in first + 1..5 {
                let some = solve(&weights, &[1, 4], &[first, second]).expect("two sums");
                assert!(all.condition <= some.condition);
            }
        }
    }

    #[test]
    fn equal_sums_solve_for_one_number_only_and_are_passed_over_for_better_ones() {
        let ones = vec![1.0; 5];
        let equal = vec![ones.clone(), ones.clone(), (1..6).map(f64::from).collect()];
        assert!(solve(&equal, &[3], &[0, 1]).is_some());
        assert!(solve(&equal, &[1, 3], &[0, 1]).is_none(), "both say the same");
        assert!(solve(&equal, &[1, 2, 3], &[0, 1, 2]).is_none());
        let solution = solve(&equal, &[1, 3], &[0, 1, 2]).expect("two that differ are there");
        assert!(solution.rows == [0, 2] || solution.rows == [1, 2], "{:?}", solution.rows);
    }

    #[test]
    fn the_numbers_are_normal() {
        let row = &gaussian(1, 20_000)[0];
        let mean = row.iter().sum::<f64>() / row.len() as f64;
        let spread = row.iter().map(|x| x * x).sum::<f64>() / row.len() as f64;
        assert!(mean.abs() < 0.03 && (spread - 1.0).abs() < 0.03, "{mean} {spread}");
    }
}
