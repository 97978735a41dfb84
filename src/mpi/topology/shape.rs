//! The kinds of virtual topologies.

use super::cart::Cart;
use super::graph::{Adjacency, Graph};

const UNDEFINED: i32 = -32766;

/// What hangs on a communicator, as this process knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Topology {
    Cart(Cart),
    Graph(Graph),
    Dist(Adjacency),
}

impl Topology {
    /// The constant that says which kind it is; MPI_UNDEFINED for none.
    pub fn kind(topology: Option<&Topology>) -> i32 {
        match topology {
            Some(Topology::Cart(_)) => 211,
            Some(Topology::Graph(_)) => 212,
            Some(Topology::Dist(_)) => 213,
            None => UNDEFINED,
        }
    }
}
