//! MPI_Dims_create: a balanced grid of processes (MPI-5.0 §8.5.2). Pure.
//!
//! Balanced means that the largest free dimension is as small as can be, then the next, and so on:
//! no other grid with the same fixed dimensions is closer to a cube from above. Träff and Lübbe
//! (2015) show that popular libraries miss this.

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

/// The most balanced way to write `number` as a product of so many factors, largest first.
fn balance(number: i32, count: usize) -> Vec<i32> {
    let primes = primes(number);
    // With a factor for each prime there is nothing to choose.
    let parts = count.min(primes.len());
    let mut factors = match parts {
        0 => Vec::new(),
        _ => search(number, parts, number, &divisors(number)).expect("it is its own only factor"),
    };
    factors.resize(count, 1);
    factors
}

/// The best factors of `number` that are at most `bound`.
fn search(number: i32, count: usize, bound: i32, divisors: &[i32]) -> Option<Vec<i32>> {
    if count == 1 {
        return (number <= bound).then(|| vec![number]);
    }
    // The largest factor holds the largest prime, and is no smaller than a root.
    let largest_prime = primes(number).last().copied().unwrap_or(1);
    let is_large_enough = |factor: i32| {
        let power = (0..count).try_fold(1i64, |power, _| power.checked_mul(i64::from(factor)));
        factor >= largest_prime && power.is_none_or(|power| power >= i64::from(number))
    };
    let within = divisors.iter().copied().take_while(|factor| *factor <= bound);
    let mut candidates = within.filter(|factor| number % factor == 0 && is_large_enough(*factor));
    candidates.find_map(|factor| {
        let rest = search(number / factor, count - 1, factor, divisors)?;
        Some([vec![factor], rest].concat())
    })
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
    fn no_other_grid_is_more_balanced() {
        let most = if cfg!(miri) { 30 } else { 600 };
        for number in 1..=most {
            for count in 1..=4 {
                let best = all(number, count, number).into_iter().min().expect("there is one");
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
    fn large_numbers_take_no_time() {
        assert_eq!(create(i32::MAX, &[0, 0, 0]), Ok(vec![i32::MAX, 1, 1]));
        assert_eq!(create(1 << 30, &[0; 3]), Ok(vec![1 << 10; 3]));
        assert_eq!(create(1 << 30, &[0; 40]).map(|dims| dims[29..31].to_vec()), Ok(vec![2, 1]));
        // 2^6 * 3^3 * 5^2 * 7 * 11 * 13
        assert_eq!(create(43_243_200, &[0; 4]).map(|dims| dims.iter().product()), Ok(43_243_200));
        assert_eq!(create(100_000, &[0, 0, 0]), Ok(vec![50, 50, 40]));
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
