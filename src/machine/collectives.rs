//! Which algorithms the MPI of a machine uses for collective operations, where its file chooses.

use super::units::Picos;
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
    /// By the machine's own tree, if all ranks take part.
    Hardware,
}

/// Each operation with its name in machine files and the algorithms that there are for it, the
/// usual one for short data first.
const TABLE: [(Operation, &str, &[Algorithm]); 10] = [
    (Operation::Barrier, "barrier", &[Algorithm::Doubling, Algorithm::Tree, Algorithm::Hardware]),
    (
        Operation::Bcast,
        "bcast",
        &[Algorithm::Binomial, Algorithm::ScatterRing, Algorithm::Linear, Algorithm::Hardware],
    ),
    (Operation::Gather, "gather", &[Algorithm::Binomial, Algorithm::Linear]),
    (Operation::Scatter, "scatter", &[Algorithm::Binomial, Algorithm::Linear]),
    (
        Operation::Reduce,
        "reduce",
        &[Algorithm::Binomial, Algorithm::Rabenseifner, Algorithm::Hardware],
    ),
    (
        Operation::Allreduce,
        "allreduce",
        &[
            Algorithm::Doubling,
            Algorithm::Rabenseifner,
            Algorithm::Ring,
            Algorithm::Tree,
            Algorithm::Hardware,
        ],
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
            Algorithm::Hardware => "hardware",
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

/// The prices of a network of its own for operations of all ranks: a tree that combines what it
/// carries up, and spreads what it carries down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HardwareTree {
    /// Of data, and of a barrier.
    pub hop: Picos,
    pub barrier_hop: Picos,
    pub byte: Picos,
}

/// What a file chooses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Collectives {
    pub choices: Vec<Preference>,
    pub tree: Option<HardwareTree>,
}

impl Collectives {
    /// The algorithm for an operation on so many bytes, if the file chooses one: of all ranks, the
    /// tree if there is one and nothing else is said.
    pub fn algorithm(
        &self, operation: Operation, bytes: u64, is_of_all: bool,
    ) -> Option<Algorithm> {
        let choice = self.choices.iter().find(|choice| choice.operation == operation);
        let chosen = choice.map(|choice| {
            let below = choice.below.iter().find(|(limit, _)| bytes < *limit);
            below.map_or(choice.last, |(_, algorithm)| *algorithm)
        });
        let can_climb = operation.algorithms().contains(&Algorithm::Hardware);
        let by_tree = (self.tree.is_some() && can_climb).then_some(Algorithm::Hardware);
        chosen.or(by_tree).filter(|it| is_of_all || *it != Algorithm::Hardware)
    }
}

/// One part of a choice as the file has it: names and limits by turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word<'a> {
    Name(&'a str),
    Limit(u64),
}

impl Preference {
    /// Whether it names this algorithm.
    pub fn has(&self, algorithm: Algorithm) -> bool {
        self.last == algorithm || self.below.iter().any(|(_, below)| *below == algorithm)
    }

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
        let choices = vec![Preference::read(Operation::Allreduce, &words).unwrap()];
        let chosen = Collectives { choices, tree: None };
        for (bytes, algorithm) in [
            (0, Algorithm::Doubling),
            (99, Algorithm::Doubling),
            (100, Algorithm::Ring),
            (5000, Algorithm::Rabenseifner),
        ] {
            let found = chosen.algorithm(Operation::Allreduce, bytes, true);
            assert_eq!(found, Some(algorithm), "{bytes}");
        }
        assert_eq!(chosen.algorithm(Operation::Bcast, 5, true), None);
    }

    #[test]
    fn the_tree_is_for_all_ranks_unless_the_file_chooses_otherwise() {
        let words = [Name("hardware"), Limit(100), Name("binomial")];
        let choices = vec![Preference::read(Operation::Bcast, &words).unwrap()];
        let tree = Some(HardwareTree { hop: 1, barrier_hop: 1, byte: 1 });
        let chosen = Collectives { choices, tree };
        let algorithm = |operation, bytes, is_of_all| chosen.algorithm(operation, bytes, is_of_all);
        assert_eq!(algorithm(Operation::Barrier, 0, true), Some(Algorithm::Hardware));
        assert_eq!(algorithm(Operation::Barrier, 0, false), None);
        assert_eq!(algorithm(Operation::Alltoall, 0, true), None);
        assert_eq!(algorithm(Operation::Bcast, 99, true), Some(Algorithm::Hardware));
        assert_eq!(algorithm(Operation::Bcast, 99, false), None);
        assert_eq!(algorithm(Operation::Bcast, 100, false), Some(Algorithm::Binomial));
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
