//! MPI_Dims_create: a balanced grid of processes (MPI-5.0 §8.5.2). Pure.
//!
//! The standard wants the free dimensions as close to each other as possible. Close means that the
//! largest is as little larger than the smallest as can be; of grids that are equally close, the
//! one whose largest dimension is the smallest wins, then the next, and so on. Träff and Lübbe
//! (2015) show that popular libraries miss the optimum. Here it is exact: candidates for the
//! largest dimension are tried from the root upwards, until not even a perfect rest could be
//! closer.

use crate::mpi::error::{Class, Result};

/// Fills in the dimensions that are 0, in nonincreasing order, so that all multiply to `nodes`.
pub fn create(nodes: i32, dims: &[i32]) -> Result<Vec<i32>> {
    if nodes < 1 {
        return Err(Class::ARG.because(format!("nnodes is {nodes}; it must be at least 1")));
    }
    if let Some(dim) = dims.iter().find(|dim| **dim < 0) {
        return Err(Class::DIMS.because(format!("dims holds {dim}; it must not be negative")));
    }
    let fixed = dims.iter().filter(|dim| **dim > 0);
    let product = fixed.fold(1i64, |product, dim| product.saturating_mul(i64::from(*dim)));
    let free = dims.iter().filter(|dim| **dim == 0).count();
    let is_whole = i64::from(nodes) % product == 0 && (free > 0 || product == i64::from(nodes));
    if !is_whole {
        let words = format!("nnodes is {nodes}; the dimensions that are set multiply to {product}");
        return Err(Class::DIMS.because(words));
    }
    let mut found = balance(nodes / product as i32, free).into_iter();
    let fill = |dim: &i32| if *dim == 0 { found.next().expect("one for each") } else { *dim };
    Ok(dims.iter().map(fill).collect())
}

/// The closest way to write `number` as a product of so many factors, largest first.
fn balance(number: i32, count: usize) -> Vec<i32> {
    // With a factor for each prime there is nothing to choose.
    let parts = count.min(primes(number).len());
    let mut factors = match parts {
        0 => Vec::new(),
        _ => Search::of(number).closest(number, parts),
    };
    factors.resize(count, 1);
    factors
}

/// Where factors are looked for.
struct Search {
    divisors: Vec<i32>,
    largest_prime: i32,
}

impl Search {
    fn of(number: i32) -> Search {
        let largest_prime = primes(number).last().copied().unwrap_or(1);
        Search { divisors: divisors(number), largest_prime }
    }

    /// The closest factors of `number`, largest first.
    fn closest(&self, number: i32, count: usize) -> Vec<i32> {
        let mut best = vec![1; count];
        best[0] = number;
        if count == 1 {
            return best;
        }
        // The largest factor holds the largest prime, and is no smaller than a root.
        let is_large_enough = |largest: &&i32| {
            **largest >= self.largest_prime && power(**largest, count) >= i64::from(number)
        };
        for largest in self.divisors.iter().filter(is_large_enough) {
            let (rest, spread) = (number / largest, best[0] - best[count - 1]);
            // The smallest factor is no larger than the root of the rest, which only shrinks.
            let fits = |smallest: &i32| power(*smallest, count - 1) <= i64::from(rest);
            let small = &self.divisors[..self.divisors.partition_point(fits)];
            let is_closer = |smallest: &&i32| largest - **smallest < spread;
            if !small.last().is_some_and(|smallest| is_closer(&smallest)) {
                break;
            }
            let candidates = small.iter().rev().take_while(is_closer);
            let found = candidates.filter(|smallest| rest % **smallest == 0).find_map(|smallest| {
                let middle = self.between(rest / smallest, count - 2, *smallest, *largest)?;
                Some([vec![*largest], middle, vec![*smallest]].concat())
            });
            best = found.unwrap_or(best);
        }
        best
    }

    /// Factors of `number` between `least` and `most`, largest first, each as small as can be.
    fn between(&self, number: i32, count: usize, least: i32, most: i32) -> Option<Vec<i32>> {
        if count == 0 {
            return (number == 1).then(Vec::new);
        }
        let product = i64::from(number);
        if power(least, count) > product || power(most, count) < product {
            return None;
        }
        if count == 1 {
            return Some(vec![number]);
        }
        let from = self.divisors.partition_point(|factor| power(*factor, count) < product);
        let most = i64::from(most).min(product / power(least, count - 1));
        let within = self.divisors[from..].iter().take_while(|factor| i64::from(**factor) <= most);
        within.filter(|factor| number % **factor == 0).find_map(|factor| {
            let rest = self.between(number / factor, count - 1, least, *factor)?;
            Some([vec![*factor], rest].concat())
        })
    }
}

fn power(base: i32, exponent: usize) -> i64 {
    (0..exponent).fold(1i64, |power, _| power.saturating_mul(i64::from(base)))
}

/// The prime factors of `number`, smallest first, each as often as it divides.
fn primes(mut number: i32) -> Vec<i32> {
    let mut primes = Vec::new();
    let mut candidate = 2;
    while candidate <= number / candidate {
        while number % candidate == 0 {
            primes.push(candidate);
            number /= candidate;
        }
        candidate += 1;
    }
    primes.extend((number > 1).then_some(number));
    primes
}

/// All divisors of `number`, smallest first.
fn divisors(number: i32) -> Vec<i32> {
    let mut divisors = vec![1];
    for prime in primes(number) {
        let multiples: Vec<i32> = divisors.iter().map(|divisor| divisor * prime).collect();
        divisors.extend(multiples);
        divisors.sort_unstable();
        divisors.dedup();
    }
    divisors
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every nonincreasing sequence of `count` factors of `number` that are at most `bound`.
    fn all(number: i32, count: usize, bound: i32) -> Vec<Vec<i32>> {
        if count == 0 {
            return if number == 1 { vec![vec![]] } else { vec![] };
        }
        let factors = (1..=bound.min(number)).filter(|factor| number % factor == 0);
        let with = |factor| {
            let rests = all(number / factor, count - 1, factor).into_iter();
            rests.map(move |rest| [vec![factor], rest].concat())
        };
        factors.flat_map(with).collect()
    }

    #[test]
    fn no_other_grid_is_closer() {
        let most = if cfg!(miri) { 30 } else { 600 };
        for number in 1..=most {
            for count in 1..=4 {
                let closeness = |dims: &Vec<i32>| (dims[0] - dims[count - 1], dims.clone());
                let all = all(number, count, number).into_iter();
                let best = all.min_by_key(closeness).expect("there is one");
                assert_eq!(create(number, &vec![0; count]), Ok(best), "{number} in {count}");
            }
        }
    }

    #[test]
    fn what_the_standard_shows() {
        assert_eq!(create(6, &[0, 0]), Ok(vec![3, 2]));
        assert_eq!(create(7, &[0, 0]), Ok(vec![7, 1]));
        assert_eq!(create(6, &[0, 3, 0]), Ok(vec![2, 3, 1]));
        assert!(create(7, &[0, 3, 0]).is_err());
    }

    #[test]
    fn the_largest_is_as_little_larger_than_the_smallest_as_can_be() {
        assert_eq!(create(34_425, &[0; 3]), Ok(vec![51, 27, 25]));
        assert_eq!(create(24_624, &[0; 3]), Ok(vec![38, 27, 24]));
        assert_eq!(create(31_050, &[0; 3]), Ok(vec![46, 27, 25]));
        assert_eq!(create(14_976, &[0, 2, 0, 0]), Ok(vec![26, 2, 18, 16]));
    }

    #[test]
    fn large_numbers_take_no_time() {
        assert_eq!(create(i32::MAX, &[0, 0, 0]), Ok(vec![i32::MAX, 1, 1]));
        assert_eq!(create(1 << 30, &[0; 3]), Ok(vec![1 << 10; 3]));
        assert_eq!(create(1 << 30, &[0; 40]).map(|dims| dims[29..31].to_vec()), Ok(vec![2, 1]));
        // 2^6 * 3^3 * 5^2 * 7 * 11 * 13
        assert_eq!(create(43_243_200, &[0; 4]).map(|dims| dims.iter().product()), Ok(43_243_200));
        assert_eq!(create(100_000, &[0, 0, 0]), Ok(vec![50, 50, 40]));
        // One with more divisors than most, and those of many that took the longest.
        for number in [2_095_133_040, 1_396_755_360, 839_250_720, 1_267_833_600] {
            for count in 2..=31 {
                let dims = create(number, &vec![0; count]).expect("any number can be written so");
                assert_eq!(dims.iter().product::<i32>(), number);
                assert!(dims.is_sorted_by(|a, b| a >= b), "{dims:?}");
            }
        }
    }

    #[test]
    fn wrong_grids_are_refused() {
        assert!(create(0, &[0]).is_err());
        assert!(create(4, &[-1, 0]).is_err());
        assert!(create(4, &[2]).is_err());
        assert!(create(4, &[]).is_err());
        assert_eq!(create(1, &[]), Ok(vec![]));
        assert_eq!(create(4, &[4]), Ok(vec![4]));
        assert!(create(4, &[i32::MAX, i32::MAX, i32::MAX]).is_err());
    }
}
