//! Virtual topologies: the neighbours of each rank (MPI-5.0 §8).

pub mod cart;
pub mod create;
pub mod dims;
pub mod graph;
pub mod shape;

use crate::mpi::comm::Comm;
use crate::mpi::error::{Class, Failure, Result};
use cart::{Cart, Dim};
use graph::{Adjacency, Edge, Ends, Graph};
use shape::Topology;

/// The grid that the arguments of a call describe, for the processes of `comm`.
pub fn grid(comm: &Comm, dims: &[i64], periods: &[bool]) -> Result<Cart> {
    comm.must_be_intra()?;
    let dim = |(length, is_periodic): (&i64, &bool)| {
        let length = i32::try_from(*length).expect("it was an int");
        Dim { length, is_periodic: *is_periodic }
    };
    Cart::new(dims.iter().zip(periods).map(dim).collect(), comm.size())
}

/// The graph that the arguments of a call describe, for the processes of `comm`.
pub fn graph(comm: &Comm, index: &[i64], edges: &[i64]) -> Result<Graph> {
    comm.must_be_intra()?;
    Graph::new(narrow(index), narrow(edges), comm.size())
}

/// How many edges an index of nodes speaks of.
pub fn count_edges(index: &[i64]) -> i64 {
    index.last().copied().unwrap_or(0)
}

/// Ranks with the weights of the edges to them.
type Weighted = (Vec<i64>, Option<Vec<i32>>);

/// The edges of one process that the arguments of a call describe.
pub fn adjacency(comm: &Comm, sources: Weighted, destinations: Weighted) -> Result<Adjacency> {
    comm.must_be_intra()?;
    if sources.1.is_some() != destinations.1.is_some() {
        let words = "either both weights are MPI_UNWEIGHTED or none";
        return Err(Class::ARG.because(words));
    }
    let ends =
        |(ranks, weights): Weighted, name| Ends::new(narrow(&ranks), weights, comm.size(), name);
    let (sources, destinations) = (ends(sources, "sources")?, ends(destinations, "destinations")?);
    Ok(Adjacency { sources, destinations })
}

/// How many edges there are when the nodes have so many each.
pub fn count_degrees(degrees: &[i64]) -> Result<i64> {
    match degrees.iter().find(|degree| **degree < 0) {
        None => Ok(degrees.iter().sum()),
        Some(degree) => {
            Err(Class::ARG.because(format!("degrees holds {degree}; it must not be negative")))
        }
    }
}

/// Some edges of a graph, and whether they have weights.
pub fn edges(
    comm: &Comm, sources: &[i64], degrees: &[i64], destinations: &[i64], weights: Option<Vec<i32>>,
) -> Result<(Vec<Edge>, bool)> {
    comm.must_be_intra()?;
    let each = sources.iter().zip(degrees);
    let starts = each.flat_map(|(source, degree)| std::iter::repeat_n(*source, *degree as usize));
    let starts: Vec<i64> = starts.collect();
    let sources =
        Ends::new(narrow(sources), None, comm.size(), "sources").map(|_| narrow(&starts))?;
    let Ends { ranks, weights } =
        Ends::new(narrow(destinations), weights, comm.size(), "destinations")?;
    let edge = |(index, (source, destination))| {
        let weight = weights.as_ref().map(|weights| weights[index]);
        Edge { source, destination, weight }
    };
    Ok((sources.into_iter().zip(ranks).enumerate().map(edge).collect(), weights.is_some()))
}

fn narrow(numbers: &[i64]) -> Vec<i32> {
    numbers.iter().map(|number| i32::try_from(*number).expect("it was an int")).collect()
}

/// With whom a process speaks in neighbourhood collectives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbours {
    pub sources: Vec<i32>,
    pub destinations: Vec<i32>,
}

impl Comm {
    /// The grid of this communicator.
    pub fn cart(&self) -> Result<&Cart> {
        match self.topology.as_deref() {
            Some(Topology::Cart(cart)) => Ok(cart),
            _ => Err(self.lacks("cartesian topology")),
        }
    }

    /// The grid, for a caller who has room for so many dimensions.
    pub fn cart_within(&self, maxdims: i64) -> Result<&Cart> {
        let cart = self.cart()?;
        match cart.dims().len() as i64 {
            count if count <= maxdims => Ok(cart),
            count => {
                let words = format!("maxdims is {maxdims}; the grid has {count} dimensions");
                Err(Class::DIMS.because(words))
            }
        }
    }

    /// The ranks `disp` steps before and after the caller in this direction of the grid.
    pub fn shift(&self, direction: i32, disp: i32) -> Result<(i32, i32)> {
        let cart = self.cart()?;
        let known = usize::try_from(direction).ok().filter(|known| *known < cart.dims().len());
        let Some(direction) = known else {
            let words =
                format!("direction is {direction}; the grid has {} dimensions", cart.dims().len());
            return Err(Class::DIMS.because(words));
        };
        let step = |disp: i64| cart.step(self.rank, direction, disp);
        Ok((step(-i64::from(disp)), step(i64::from(disp))))
    }

    /// The graph of this communicator.
    pub fn graph(&self) -> Result<&Graph> {
        match self.topology.as_deref() {
            Some(Topology::Graph(graph)) => Ok(graph),
            _ => Err(self.lacks("graph topology")),
        }
    }

    /// This process's part of the distributed graph of this communicator.
    pub fn adjacency(&self) -> Result<&Adjacency> {
        match self.topology.as_deref() {
            Some(Topology::Dist(adjacency)) => Ok(adjacency),
            _ => Err(self.lacks("distributed graph topology")),
        }
    }

    /// Whom this process receives from and sends to, in the order of MPI-5.0 §8.7: of a grid in
    /// each dimension the one before and the one after, which may be MPI_PROC_NULL.
    pub fn neighbours(&self) -> Result<Neighbours> {
        let same = |ranks: Vec<i32>| Neighbours { sources: ranks.clone(), destinations: ranks };
        match self.topology.as_deref() {
            Some(Topology::Cart(cart)) => Ok(same(cart.neighbours(self.rank))),
            Some(Topology::Graph(graph)) => Ok(same(graph.neighbours(self.rank).to_vec())),
            Some(Topology::Dist(own)) => Ok(Neighbours {
                sources: own.sources.ranks.clone(),
                destinations: own.destinations.ranks.clone(),
            }),
            None => Err(self.lacks("topology")),
        }
    }

    /// A rank of this communicator, which has a topology.
    pub fn place(&self, rank: i32) -> Result<i32> {
        if (0..self.size()).contains(&rank) {
            return Ok(rank);
        }
        let words = format!("rank is {rank}; {} has ranks 0 to {}", self.title(), self.size() - 1);
        Err(Class::RANK.because(words))
    }

    #[cold]
    fn lacks(&self, what: &str) -> Failure {
        Class::TOPOLOGY.because(format!("{} has no {what}", self.title()))
    }
}
