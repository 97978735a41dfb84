//! Where ranks run when there is a core for each: which hardware threads each may use.
//!
//! One hardware thread of each core comes first, in the order of the cores, then the second ones;
//! cores that another job has claimed come last.

use super::topology::{Core, HardwareThread};
use crate::launch::Binding;
use std::collections::BTreeMap;

/// The cores of the machine, in the order in which ranks take them.
pub(super) struct Placement {
    /// The hardware threads of each core.
    cores: Vec<(Core, Vec<usize>)>,
    /// How many of the first ones no other job has claimed.
    free: usize,
}

/// Why ranks are not bound although nobody has asked for that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Loose {
    Alone,
    Crowded,
    /// Other jobs have claimed cores.
    Claimed,
    /// There is other work on the machine.
    Busy,
}

impl Placement {
    pub(super) fn new(threads: &[HardwareThread], is_claimed: impl Fn(Core) -> bool) -> Placement {
        let mut cores: BTreeMap<Core, Vec<usize>> = BTreeMap::new();
        for thread in threads {
            cores.entry(thread.core).or_default().push(thread.number);
        }
        let mut cores: Vec<_> = cores.into_iter().collect();
        // Numbers of sockets and cores may have gaps and need not follow those of the threads.
        cores.sort_by_key(|(_, threads)| threads[0]);
        let (free, claimed): (Vec<_>, Vec<_>) =
            cores.into_iter().partition(|(core, _)| !is_claimed(*core));
        Placement { free: free.len(), cores: free.into_iter().chain(claimed).collect() }
    }

    /// How many cores there are.
    pub(super) fn cores(&self) -> usize {
        self.cores.len()
    }

    pub(super) fn all_cores(&self) -> impl Iterator<Item = Core> {
        self.cores.iter().map(|(core, _)| *core)
    }

    /// These hardware threads and their cores, for people.
    pub(super) fn words(&self, threads: &[usize]) -> String {
        let listed = |numbers: Vec<String>| numbers.join(", ");
        let is_of = |all: &[usize]| all.iter().any(|thread| threads.contains(thread));
        let cores = self.cores.iter().filter(|(_, all)| is_of(all));
        let core = |(Core { socket, number }, _): &(Core, Vec<usize>)| {
            format!("socket {socket} core {number}")
        };
        let numbers = listed(threads.iter().map(ToString::to_string).collect());
        let plural = if threads.len() == 1 { "" } else { "s" };
        format!("{} (hardware thread{plural} {numbers})", listed(cores.map(core).collect()))
    }

    /// All hardware threads, in the order in which ranks take them.
    pub(super) fn order(&self) -> Vec<usize> {
        let most = self.cores.iter().map(|(_, threads)| threads.len()).max().unwrap_or(0);
        let level = |place: usize| {
            self.cores.iter().filter_map(move |(_, threads)| threads.get(place).copied())
        };
        (0..most).flat_map(level).collect()
    }

    /// The core of this hardware thread, and all threads of it.
    pub(super) fn core_of(&self, thread: usize) -> Option<&(Core, Vec<usize>)> {
        self.cores.iter().find(|(_, threads)| threads.contains(&thread))
    }

    /// The hardware threads of each of `ranks` ranks; `is_busy`: other work runs on the machine.
    pub(super) fn shares(
        &self, ranks: usize, binding: Binding, is_busy: bool,
    ) -> Result<Vec<Vec<usize>>, Loose> {
        let order = self.order();
        if ranks > order.len() {
            return Err(Loose::Crowded);
        }
        let each = order[..ranks].iter();
        match binding {
            Binding::None => Ok(Vec::new()),
            Binding::HardwareThread => Ok(each.map(|thread| vec![*thread]).collect()),
            Binding::Core => {
                let core = |thread: &usize| self.core_of(*thread).map(|(_, all)| all.clone());
                Ok(each.filter_map(core).collect())
            }
            Binding::Auto if ranks == 1 => Err(Loose::Alone),
            Binding::Auto if is_busy => Err(Loose::Busy),
            Binding::Auto if self.free < ranks.min(self.cores.len()) => Err(Loose::Claimed),
            Binding::Auto if ranks > self.cores.len() => {
                Ok(each.map(|thread| vec![*thread]).collect())
            }
            Binding::Auto => Ok((0..ranks).map(|rank| self.share(rank, ranks)).collect()),
        }
    }

    /// An equal share of the free cores: threads that a rank starts run beside it.
    fn share(&self, rank: usize, ranks: usize) -> Vec<usize> {
        let bound = |rank: usize| rank * self.free / ranks;
        let cores = &self.cores[bound(rank)..bound(rank + 1)];
        cores.iter().flat_map(|(_, threads)| threads.iter().copied()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Binding::{Auto, Core as OneCore, HardwareThread as OneThread};

    /// Hardware threads, each with its socket and the number of its core there.
    fn machine(threads: &[(usize, usize, usize)]) -> Vec<HardwareThread> {
        let thread = |&(number, socket, core): &(usize, usize, usize)| HardwareThread {
            number,
            core: Core { socket, number: core },
        };
        threads.iter().map(thread).collect()
    }

    fn nobody(_: Core) -> bool {
        false
    }

    /// Two sockets of two cores with two threads each, as the kernel likes to number them.
    fn two_sockets() -> Vec<HardwareThread> {
        machine(&[
            (0, 0, 0),
            (1, 0, 1),
            (2, 1, 0),
            (3, 1, 1),
            (4, 0, 0),
            (5, 0, 1),
            (6, 1, 0),
            (7, 1, 1),
        ])
    }

    #[test]
    fn second_hardware_threads_come_last() {
        assert_eq!(Placement::new(&two_sockets(), nobody).order(), [0, 1, 2, 3, 4, 5, 6, 7]);
        let neighbours = machine(&[(0, 0, 0), (1, 0, 0), (2, 0, 4), (3, 0, 4), (4, 1, 0)]);
        assert_eq!(Placement::new(&neighbours, nobody).order(), [0, 2, 4, 1, 3]);
        let four = machine(&[(0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0), (8, 0, 9)]);
        assert_eq!(Placement::new(&four, nobody).order(), [0, 8, 1, 2, 3]);
    }

    #[test]
    fn ranks_share_out_the_cores() {
        let placement = Placement::new(&two_sockets(), nobody);
        assert_eq!(placement.shares(2, Auto, false), Ok(vec![vec![0, 4, 1, 5], vec![2, 6, 3, 7]]));
        let three = vec![vec![0, 4], vec![1, 5], vec![2, 6, 3, 7]];
        assert_eq!(placement.shares(3, Auto, false), Ok(three));
        let each = |shares: Vec<Vec<usize>>| shares.into_iter().flatten().collect::<Vec<_>>();
        assert_eq!(placement.shares(6, Auto, false).map(each), Ok(vec![0, 1, 2, 3, 4, 5]));
        let cores = vec![vec![0, 4], vec![1, 5], vec![2, 6], vec![3, 7], vec![0, 4]];
        assert_eq!(placement.shares(5, OneCore, true), Ok(cores));
        assert_eq!(placement.shares(5, OneThread, true).map(each), Ok(vec![0, 1, 2, 3, 4]));
    }

    #[test]
    fn nobody_is_bound_where_that_would_do_harm() {
        let placement = Placement::new(&two_sockets(), nobody);
        assert_eq!(placement.shares(1, Auto, false), Err(Loose::Alone));
        assert_eq!(placement.shares(4, Auto, true), Err(Loose::Busy));
        assert_eq!(placement.shares(9, Auto, false), Err(Loose::Crowded));
        assert_eq!(placement.shares(9, OneCore, false), Err(Loose::Crowded));
        assert_eq!(placement.shares(4, Binding::None, false), Ok(Vec::new()));
    }

    #[test]
    fn cores_of_other_jobs_are_left_to_them() {
        let placement = Placement::new(&two_sockets(), |core| core.socket == 0);
        assert_eq!(placement.order(), [2, 3, 0, 1, 6, 7, 4, 5]);
        assert_eq!(placement.shares(2, Auto, false), Ok(vec![vec![2, 6], vec![3, 7]]));
        assert_eq!(placement.shares(3, Auto, false), Err(Loose::Claimed));
        let asked = vec![vec![2, 6], vec![3, 7], vec![0, 4]];
        assert_eq!(placement.shares(3, OneCore, false), Ok(asked));
    }

    #[test]
    fn one_core_of_a_mask_is_all_there_is() {
        let placement = Placement::new(&machine(&[(5, 1, 3)]), nobody);
        assert_eq!(placement.order(), [5]);
        assert_eq!(placement.shares(2, OneCore, false), Err(Loose::Crowded));
        assert_eq!(placement.shares(1, OneCore, false), Ok(vec![vec![5]]));
        assert!(Placement::new(&[], nobody).order().is_empty());
        assert_eq!(placement.words(&[5]), "socket 1 core 3 (hardware thread 5)");
        let two = Placement::new(&two_sockets(), nobody);
        let words = "socket 0 core 1, socket 1 core 0 (hardware threads 1, 5, 2, 6)";
        assert_eq!(two.words(&[1, 5, 2, 6]), words);
    }
}
