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
    /// The root and each member; of alltoall, each member and all others at once.
    Linear,
    /// Each member and a few others at a time.
    Scattered,
    /// Blocks down a tree, then by doubling or around a ring.
    ScatterDoubling,
    ScatterRing,
    /// Messages to the members at distances 1, 2, 4 … and from those at the other side.
    Dissemination,
    /// The same, with blocks that are passed on.
    Bruck,
    /// Pairs at distances 1, 2, 4 … exchange what they have.
    Doubling,
    Halving,
    /// Halving, then doubling or up a tree.
    Rabenseifner,
    /// From member to member; of a reduction, twice.
    Ring,
    /// Pairs, one after another.
    Pairwise,
    /// By the machine's own tree, if all ranks take part.
    Hardware,
}

/// Each operation with its name in machine files and the algorithms that there are for it.
const TABLE: [(Operation, &str, &[Algorithm]); 10] = {
    use Algorithm::{
        Binomial, Bruck, Dissemination, Doubling, Halving, Hardware, Linear, Pairwise,
        Rabenseifner, Ring, ScatterDoubling, ScatterRing, Scattered, Tree,
    };
    [
        (Operation::Barrier, "barrier", &[Dissemination, Doubling, Tree, Hardware]),
        (Operation::Bcast, "bcast", &[Binomial, ScatterDoubling, ScatterRing, Linear, Hardware]),
        (Operation::Gather, "gather", &[Binomial, Linear]),
        (Operation::Scatter, "scatter", &[Binomial, Linear]),
        (Operation::Reduce, "reduce", &[Binomial, Rabenseifner, Linear, Hardware]),
        (Operation::Allreduce, "allreduce", &[Doubling, Rabenseifner, Ring, Tree, Hardware]),
        (Operation::Allgather, "allgather", &[Doubling, Bruck, Ring]),
        (Operation::Alltoall, "alltoall", &[Bruck, Scattered, Linear, Pairwise]),
        (Operation::ReduceScatterBlock, "reduce_scatter_block", &[Halving, Pairwise]),
        (Operation::Scan, "scan", &[Doubling, Linear]),
    ]
};

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

    /// The algorithm that MPICH uses by default for an operation of `size` members on so many
    /// bytes (Thakur et al., Optimization of collective communication operations in MPICH, 2005).
    pub fn usual(self, bytes: u64, size: u64) -> Algorithm {
        let all = bytes.saturating_mul(size);
        let is_whole = size.is_power_of_two();
        match self {
            Operation::Barrier => Algorithm::Dissemination,
            Operation::Bcast if bytes < 12 << 10 || size < 8 => Algorithm::Binomial,
            Operation::Bcast if bytes < 512 << 10 && is_whole => Algorithm::ScatterDoubling,
            Operation::Bcast => Algorithm::ScatterRing,
            Operation::Gather | Operation::Scatter => Algorithm::Binomial,
            Operation::Reduce if bytes <= 2 << 10 => Algorithm::Binomial,
            Operation::Allreduce if bytes <= 2 << 10 => Algorithm::Doubling,
            Operation::Reduce | Operation::Allreduce => Algorithm::Rabenseifner,
            Operation::Allgather if all < 512 << 10 && is_whole => Algorithm::Doubling,
            Operation::Allgather if all < 80 << 10 => Algorithm::Bruck,
            Operation::Allgather => Algorithm::Ring,
            Operation::Alltoall if bytes <= 256 && size >= 8 => Algorithm::Bruck,
            Operation::Alltoall if bytes <= 32 << 10 => Algorithm::Scattered,
            Operation::Alltoall => Algorithm::Pairwise,
            Operation::ReduceScatterBlock if bytes < 512 << 10 => Algorithm::Halving,
            Operation::ReduceScatterBlock => Algorithm::Pairwise,
            Operation::Scan => Algorithm::Doubling,
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Algorithm::Tree => "tree",
            Algorithm::Binomial => "binomial",
            Algorithm::Linear => "linear",
            Algorithm::Scattered => "scattered",
            Algorithm::ScatterDoubling => "scatter-doubling",
            Algorithm::ScatterRing => "scatter-ring",
            Algorithm::Dissemination => "dissemination",
            Algorithm::Bruck => "bruck",
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// The algorithm for an operation of `size` members on so many bytes: the one that the file
    /// chooses; otherwise, of all ranks, the tree if there is one; otherwise the usual one.
    pub fn algorithm(
        &self, operation: Operation, bytes: u64, size: u64, is_of_all: bool,
    ) -> Algorithm {
        let choice = self.choices.iter().find(|choice| choice.operation == operation);
        let chosen = choice.map(|choice| {
            let below = choice.below.iter().find(|(limit, _)| bytes < *limit);
            below.map_or(choice.last, |(_, algorithm)| *algorithm)
        });
        let can_climb = operation.algorithms().contains(&Algorithm::Hardware);
        let by_tree = (self.tree.is_some() && can_climb).then_some(Algorithm::Hardware);
        let found = chosen.or(by_tree).filter(|it| is_of_all || *it != Algorithm::Hardware);
        found.unwrap_or_else(|| operation.usual(bytes, size))
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
            let found = chosen.algorithm(Operation::Allreduce, bytes, 8, true);
            assert_eq!(found, algorithm, "{bytes}");
        }
        assert_eq!(chosen.algorithm(Operation::Bcast, 5, 8, true), Algorithm::Binomial);
    }

    #[test]
    fn the_tree_is_for_all_ranks_unless_the_file_chooses_otherwise() {
        let words = [Name("hardware"), Limit(100), Name("binomial")];
        let choices = vec![Preference::read(Operation::Bcast, &words).unwrap()];
        let tree = Some(HardwareTree { hop: 1, barrier_hop: 1, byte: 1 });
        let chosen = Collectives { choices, tree };
        let algorithm = |operation, bytes, is_of_all| {
            chosen.algorithm(operation, bytes, if is_of_all { 64 } else { 8 }, is_of_all)
        };
        assert_eq!(algorithm(Operation::Barrier, 0, true), Algorithm::Hardware);
        assert_eq!(algorithm(Operation::Barrier, 0, false), Algorithm::Dissemination);
        assert_eq!(algorithm(Operation::Alltoall, 0, true), Algorithm::Bruck);
        assert_eq!(algorithm(Operation::Bcast, 99, true), Algorithm::Hardware);
        assert_eq!(algorithm(Operation::Bcast, 99, false), Algorithm::Binomial);
        assert_eq!(algorithm(Operation::Bcast, 100, true), Algorithm::Binomial);
    }

    #[test]
    fn the_usual_algorithms_change_where_those_of_mpich_do() {
        use Algorithm::*;
        // Of one operation: members, and algorithms with the bytes from which on they are used.
        type Limits<'a> = &'a [(u64, Algorithm)];
        let cases: &[(Operation, u64, Limits)] = &[
            (Operation::Barrier, 64, &[(0, Dissemination)]),
            (Operation::Bcast, 7, &[(0, Binomial), (1 << 30, Binomial)]),
            (
                Operation::Bcast,
                64,
                &[(0, Binomial), (12_288, ScatterDoubling), (524_288, ScatterRing)],
            ),
            (Operation::Bcast, 60, &[(0, Binomial), (12_288, ScatterRing)]),
            (Operation::Gather, 64, &[(0, Binomial), (1 << 30, Binomial)]),
            (Operation::Reduce, 64, &[(0, Binomial), (2_049, Rabenseifner)]),
            (Operation::Allreduce, 60, &[(0, Doubling), (2_049, Rabenseifner)]),
            (Operation::Allgather, 64, &[(0, Doubling), (8_192, Ring)]),
            (Operation::Allgather, 10, &[(0, Bruck), (8_192, Ring)]),
            (Operation::Alltoall, 64, &[(0, Bruck), (257, Scattered), (32_769, Pairwise)]),
            (Operation::Alltoall, 7, &[(0, Scattered), (32_769, Pairwise)]),
            (Operation::ReduceScatterBlock, 64, &[(0, Halving), (524_288, Pairwise)]),
            (Operation::Scan, 64, &[(0, Doubling)]),
        ];
        for (operation, size, changes) in cases {
            let mut before = None;
            for (bytes, algorithm) in *changes {
                let usual = |bytes| operation.usual(bytes, *size);
                assert_eq!(usual(*bytes), *algorithm, "{operation:?} {size} {bytes}");
                if let Some(before) = before {
                    assert_eq!(usual(bytes - 1), before, "{operation:?} {size} {bytes}");
                }
                before = Some(*algorithm);
                assert!(operation.algorithms().contains(algorithm), "{operation:?}");
            }
        }
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
