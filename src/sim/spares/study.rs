//! One machine with spares and one way to substitute, followed failure by failure.

use ftmpi_base::random::Random;
use ftmpi_machine::placement::{Move, Placement, Use};
use ftmpi_machine::spares::{Choice, Method, Spares};
use ftmpi_machine::topology::{Grid, Topology};
use ftmpi_machine::traffic::{Pattern, Traffic};

/// What all cases have in common.
#[derive(Clone, Debug)]
pub struct Study {
    /// Where ranks and spares are.
    pub grid: Grid,
    /// The network for their messages: the grid itself, or one whose nodes have its numbers.
    pub network: Topology,
    pub spares: Spares,
    pub pattern: Pattern,
    fresh: Placement,
    quiet: Traffic,
}

/// A machine during a sequence of failures.
#[derive(Clone)]
pub struct Case<'a> {
    study: &'a Study,
    pub placement: Placement,
    /// The messages on all links, if they are counted.
    pub traffic: Option<Traffic>,
}

/// The result of one failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub method: Method,
    /// How many ranks moved.
    pub moves: usize,
    /// The uses of the most used link, if they are counted.
    pub worst: usize,
}

/// The most nodes: more would need machines with more memory.
const MOST_NODES: usize = 10_000_000;

impl Study {
    pub fn new(grid: Grid, spares: Spares, pattern: Pattern) -> Result<Study, String> {
        Study::over(Topology::Grid(grid.clone()), grid, spares, pattern)
    }

    /// A job whose nodes are numbered as in `grid` on a network of another shape.
    pub fn over(
        network: Topology, grid: Grid, spares: Spares, pattern: Pattern,
    ) -> Result<Study, String> {
        spares.check(&grid)?;
        let (nodes, room) = (grid.nodes(), network.nodes());
        Study::fits(nodes)?;
        Study::fits(room)?;
        if room < nodes {
            return Err(format!("the network has {room} nodes: the job needs {nodes}"));
        }
        let fresh = Placement::new(&grid, &spares);
        let quiet = Traffic::over(network.clone(), &fresh, &pattern);
        Ok(Study { grid, network, spares, pattern, fresh, quiet })
    }

    /// Whether there is memory for `nodes` nodes.
    pub fn fits(nodes: usize) -> Result<(), String> {
        match nodes {
            0..=MOST_NODES => Ok(()),
            _ => Err(format!("{nodes} nodes: use at most {MOST_NODES} nodes")),
        }
    }

    /// The node on which a rank begins.
    pub fn first_seat(&self, rank: usize) -> usize {
        self.fresh.seats()[rank] as usize
    }

    /// The use of a node in the beginning.
    pub fn first_use(&self, node: usize) -> Use {
        self.fresh.node(node)
    }

    pub fn ranks(&self) -> usize {
        self.fresh.seats().len()
    }

    /// The largest possible number of failures.
    pub fn reach(&self) -> usize {
        self.fresh.spares()
    }

    /// A machine on which nothing has failed yet.
    pub fn case(&self, counts: bool) -> Case<'_> {
        let is_counted = counts || self.spares.choose == Choice::Collisions;
        let traffic = is_counted.then(|| self.quiet.clone());
        Case { study: self, placement: self.fresh.clone(), traffic }
    }

    /// Failures at random, each of a node that hosts a rank, until there is no substitute.
    pub fn random_case(&self, seed: u64, failures: usize, counts: bool) -> Vec<Outcome> {
        let mut random = Random::new(seed);
        let mut case = self.case(counts);
        let ranks = self.ranks() as u64;
        (0..failures).map_while(|_| case.fail(random.below(ranks) as usize)).collect()
    }
}

impl Case<'_> {
    /// The node of this rank fails; none if nothing can substitute it.
    pub fn fail(&mut self, rank: usize) -> Option<Outcome> {
        let (method, moves) = self.plan(rank)?;
        let worst = self.go(rank, &moves);
        Some(Outcome { method, moves: moves.len(), worst })
    }

    /// The moves that a failure of this rank's node would cause.
    pub fn plan(&mut self, rank: usize) -> Option<(Method, Vec<Move>)> {
        let failed = self.placement.seats()[rank] as usize;
        let methods = &self.study.spares.substitute;
        match (self.study.spares.choose, &mut self.traffic) {
            (Choice::Collisions, Some(traffic)) => self.placement.calmest(failed, methods, traffic),
            (Choice::Dimension, _) => self.placement.substitute_by_dimension(failed, methods),
            _ => self.placement.substitute(failed, methods),
        }
    }

    /// The result of a failure of this rank's node, and the squares of all uses then; the machine
    /// does not change. Uses must be counted.
    pub fn weigh(&mut self, rank: usize) -> Option<(usize, u64)> {
        let (_, moves) = self.plan(rank)?;
        let traffic = self.traffic.as_mut()?;
        traffic.apply(&moves);
        let weight = (traffic.worst(), traffic.squares());
        traffic.undo(&moves);
        Some(weight)
    }

    /// The node of this rank has failed, and ranks move; returns the uses of the most used link.
    pub fn go(&mut self, rank: usize, moves: &[Move]) -> usize {
        let failed = self.placement.seats()[rank] as usize;
        self.placement.apply(failed, moves);
        self.traffic.as_mut().map_or(0, |traffic| {
            traffic.apply(moves);
            traffic.worst()
        })
    }
}

/// How much work a figure may be.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// How many; none: as many as are a matter of seconds for the figure's machine.
    pub cases: Option<u64>,
    pub seed: u64,
    pub threads: usize,
}

/// A mesh with the star as its pattern, unless another is named. Slides keep to one dimension as
/// long as they can, as the paper advises: its figures come out by that, and not by the shortest.
pub fn study(
    dims: &[u32], alloc: &str, methods: &str, stencil: Option<&str>,
) -> Result<Study, String> {
    let mut spares = Spares::parse(alloc)?;
    spares.substitute = Method::parse_list(methods, dims.len() as u32)?;
    spares.choose = Choice::Dimension;
    let pattern = match stencil {
        Some(text) => Pattern::parse(text, dims.len())?,
        None => Pattern::star(dims.len()),
    };
    Study::new(Grid::mesh(dims)?, spares, pattern)
}
