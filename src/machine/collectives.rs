//! Which algorithms the MPI of a machine uses for collective operations, where its file chooses.

use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Barrier,
    Bcast,
    Gather,
    Scatter,
    Reduce,
    Allreduce,
    Allgather,
    Alltoall,
    ReduceScatterBlock,
    Scan,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// Up a binomial tree, then down.
    Tree,
    Binomial,
    /// The root and each member, one after another.
    Linear,
    /// Blocks down a tree, then around a ring.
    ScatterRing,
    /// Messages at distances 1, 2, 4 …
    Doubling,
    Halving,
    /// Halving, then doubling or up a tree.
    Rabenseifner,
    /// From member to member; of a reduction, twice.
    Ring,
    Pairwise,
}

/// Each operation with its name in machine files and the algorithms that there are for it, the
/// usual one for short data first.
const TABLE: [(Operation, &str, &[Algorithm]); 10] = [
    (Operation::Barrier, "barrier", &[Algorithm::Doubling, Algorithm::Tree]),
    (Operation::Bcast, "bcast", &[Algorithm::Binomial, Algorithm::ScatterRing, Algorithm::Linear]),
    (Operation::Gather, "gather", &[Algorithm::Binomial, Algorithm::Linear]),
    (Operation::Scatter, "scatter", &[Algorithm::Binomial, Algorithm::Linear]),
    (Operation::Reduce, "reduce", &[Algorithm::Binomial, Algorithm::Rabenseifner]),
    (
        Operation::Allreduce,
        "allreduce",
        &[Algorithm::Doubling, Algorithm::Rabenseifner, Algorithm::Ring, Algorithm::Tree],
    ),
    (Operation::Allgather, "allgather", &[Algorithm::Doubling, Algorithm::Ring]),
    (Operation::Alltoall, "alltoall", &[Algorithm::Doubling, Algorithm::Pairwise]),
    (
        Operation::ReduceScatterBlock,
        "reduce_scatter_block",
        &[Algorithm::Halving, Algorithm::Pairwise],
    ),
    (Operation::Scan, "scan", &[Algorithm::Doubling, Algorithm::Linear]),
];

impl Operation {
    pub const NAMES: [&'static str; TABLE.len()] = {
        let mut names = [""; TABLE.len()];
        let mut at = 0;
        while at < TABLE.len() {
            names[at] = TABLE[at].1;
            at += 1;
        }
        names
    };

    pub fn named(name: &str) -> Option<Operation> {
        TABLE.iter().find(|(_, known, _)| *known == name).map(|(operation, ..)| *operation)
    }

    /// The algorithms that there are for it.
    pub fn algorithms(self) -> &'static [Algorithm] {
        let known = TABLE.iter().find(|(operation, ..)| *operation == self);
        known.map_or(&[], |(_, _, algorithms)| algorithms)
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Algorithm::Tree => "tree",
            Algorithm::Binomial => "binomial",
            Algorithm::Linear => "linear",
            Algorithm::ScatterRing => "scatter-ring",
            Algorithm::Doubling => "doubling",
            Algorithm::Halving => "halving",
            Algorithm::Rabenseifner => "rabenseifner",
            Algorithm::Ring => "ring",
            Algorithm::Pairwise => "pairwise",
        })
    }
}

/// What a file chooses for one operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preference {
    pub operation: Operation,
    /// Algorithms for data of fewer bytes than this, in ascending order.
    pub below: Vec<(u64, Algorithm)>,
    /// The algorithm for all others.
    pub last: Algorithm,
}

/// What a file chooses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Collectives(pub Vec<Preference>);

impl Collectives {
    /// The algorithm for an operation on so many bytes, if the file chooses one.
    pub fn algorithm(&self, operation: Operation, bytes: u64) -> Option<Algorithm> {
        let choice = self.0.iter().find(|choice| choice.operation == operation)?;
        let below = choice.below.iter().find(|(limit, _)| bytes < *limit);
        Some(below.map_or(choice.last, |(_, algorithm)| *algorithm))
    }
}

/// One part of a choice as the file has it: names and limits by turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word<'a> {
    Name(&'a str),
    Limit(u64),
}

impl Preference {
    /// Reads `name, limit, name, limit, …, name`; the place of the word that is wrong, and why.
    pub fn read(operation: Operation, words: &[Word<'_>]) -> Result<Preference, (usize, String)> {
        let known = || {
            let names: Vec<String> =
                operation.algorithms().iter().map(ToString::to_string).collect();
            names.join(", ")
        };
        let mut choice =
            Preference { operation, below: Vec::new(), last: operation.algorithms()[0] };
        for (at, word) in words.iter().enumerate() {
            match *word {
                Word::Name(name) if at % 2 == 0 => {
                    let algorithms = operation.algorithms().iter();
                    let found = algorithms.copied().find(|it| it.to_string() == name);
                    let why = || (at, format!("`{name}` is no algorithm for it: use {}", known()));
                    choice.last = found.ok_or_else(why)?;
                }
                Word::Limit(limit) if at % 2 == 1 => {
                    if choice.below.last().is_some_and(|(before, _)| *before >= limit) {
                        return Err((at, "limits ascend".to_string()));
                    }
                    choice.below.push((limit, choice.last));
                }
                _ => return Err((at, "algorithms and limits in bytes take turns".to_string())),
            }
        }
        match words.last() {
            Some(Word::Name(_)) => Ok(choice),
            _ => Err((0, "it ends with the algorithm for all longer data".to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Word::{Limit, Name};

    #[test]
    fn a_choice_goes_by_the_number_of_bytes() {
        let words = [Name("doubling"), Limit(100), Name("ring"), Limit(5000), Name("rabenseifner")];
        let chosen = Collectives(vec![Preference::read(Operation::Allreduce, &words).unwrap()]);
        for (bytes, algorithm) in [
            (0, Algorithm::Doubling),
            (99, Algorithm::Doubling),
            (100, Algorithm::Ring),
            (5000, Algorithm::Rabenseifner),
        ] {
            assert_eq!(chosen.algorithm(Operation::Allreduce, bytes), Some(algorithm), "{bytes}");
        }
        assert_eq!(chosen.algorithm(Operation::Bcast, 5), None);
    }

    #[test]
    fn what_is_not_a_choice_is_refused_with_the_place_of_the_mistake() {
        let place = |words: &[Word]| Preference::read(Operation::Reduce, words).unwrap_err().0;
        assert_eq!(place(&[]), 0);
        assert_eq!(place(&[Name("binomial"), Limit(7)]), 0);
        assert_eq!(place(&[Limit(7), Name("binomial")]), 0);
        assert_eq!(place(&[Name("binomial"), Name("binomial")]), 1);
        assert_eq!(place(&[Name("binomial"), Limit(7), Name("ring")]), 2);
        let descending =
            [Name("binomial"), Limit(7), Name("rabenseifner"), Limit(7), Name("binomial")];
        assert_eq!(place(&descending), 3);
    }

    #[test]
    fn every_name_is_known() {
        for name in Operation::NAMES {
            assert!(!Operation::named(name).unwrap().algorithms().is_empty(), "{name}");
        }
        assert_eq!(Operation::named("magic"), None);
    }
}
