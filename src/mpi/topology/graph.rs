//! Graph topologies: whole graphs that every rank knows, and distributed graphs of which each rank
//! knows its own edges (MPI-5.0 §8.5). Pure.

use crate::mpi::error::{Class, Result};

/// A graph that every rank knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    /// Where the neighbours of each node end in `edges`.
    index: Box<[i32]>,
    edges: Box<[i32]>,
}

impl Graph {
    /// A graph for `size` processes, which may be more than there are nodes.
    pub fn new(index: Vec<i32>, edges: Vec<i32>, size: i32) -> Result<Graph> {
        let nodes = i32::try_from(index.len()).unwrap_or(i32::MAX);
        if nodes > size {
            let words = format!("the graph has {nodes} nodes; there are {size} processes");
            return Err(Class::ARG.because(words));
        }
        let starts = std::iter::once(&0).chain(&index);
        if let Some((_, end)) = starts.zip(&index).find(|(start, end)| start > end) {
            let words = format!("index holds {end} after a larger number; it must not decrease");
            return Err(Class::ARG.because(words));
        }
        if let Some(edge) = edges.iter().find(|edge| !(0..nodes).contains(*edge)) {
            let words = format!("edges holds {edge}; the graph has nodes 0 to {}", nodes - 1);
            return Err(Class::ARG.because(words));
        }
        Ok(Graph { index: index.into(), edges: edges.into() })
    }

    /// How many nodes there are.
    pub fn size(&self) -> i32 {
        i32::try_from(self.index.len()).expect("there are as many processes")
    }

    pub fn index(&self) -> &[i32] {
        &self.index
    }

    pub fn edges(&self) -> &[i32] {
        &self.edges
    }

    /// The neighbours of `rank`, which is one of the graph's.
    pub fn neighbours(&self, rank: i32) -> &[i32] {
        let rank = usize::try_from(rank).expect("a rank is not negative");
        let start = rank.checked_sub(1).map_or(0, |before| self.index[before]);
        &self.edges[start as usize..self.index[rank] as usize]
    }
}

/// One end of a process's edges: the ranks at the other end, and the weights.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ends {
    pub ranks: Vec<i32>,
    /// `None`: no edge of the graph has a weight.
    pub weights: Option<Vec<i32>>,
}

impl Ends {
    /// Ends at processes of which there are `size`.
    pub fn new(ranks: Vec<i32>, weights: Option<Vec<i32>>, size: i32, name: &str) -> Result<Ends> {
        if let Some(rank) = ranks.iter().find(|rank| !(0..size).contains(*rank)) {
            let words =
                format!("{name} holds {rank}; the communicator has ranks 0 to {}", size - 1);
            return Err(Class::RANK.because(words));
        }
        if let Some(weight) = weights.iter().flatten().find(|weight| **weight < 0) {
            let words = format!("the weights of {name} hold {weight}; none may be negative");
            return Err(Class::ARG.because(words));
        }
        Ok(Ends { ranks, weights })
    }

    fn add(&mut self, rank: i32, weight: Option<i32>) {
        self.ranks.push(rank);
        if let Some(weight) = weight {
            self.weights.get_or_insert_default().push(weight);
        }
    }
}

/// A process's own edges of a distributed graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Adjacency {
    pub sources: Ends,
    pub destinations: Ends,
}

impl Adjacency {
    /// Whether edges have weights.
    pub fn is_weighted(&self) -> bool {
        self.sources.weights.is_some()
    }
}

/// One edge of a distributed graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    pub source: i32,
    pub destination: i32,
    pub weight: Option<i32>,
}

/// What each of `size` processes has of these edges, in their order.
pub fn distribute(edges: &[Edge], size: usize, is_weighted: bool) -> Vec<Adjacency> {
    let none = Ends { ranks: Vec::new(), weights: is_weighted.then(Vec::new) };
    let alone = Adjacency { sources: none.clone(), destinations: none };
    let mut all = vec![alone; size];
    for edge in edges {
        all[edge.source as usize].destinations.add(edge.destination, edge.weight);
        all[edge.destination as usize].sources.add(edge.source, edge.weight);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_graph_of_the_standard() {
        // MPI-5.0 example 8.3: 0 – 1, 3; 1 – 0; 2 – 3; 3 – 0, 2.
        let graph = Graph::new(vec![2, 3, 4, 6], vec![1, 3, 0, 3, 0, 2], 4).expect("it is a graph");
        let all: Vec<&[i32]> = (0..4).map(|rank| graph.neighbours(rank)).collect();
        assert_eq!(all, [&[1, 3][..], &[0], &[3], &[0, 2]]);
    }

    #[test]
    fn wrong_graphs_are_refused() {
        assert!(Graph::new(vec![1, 0], vec![0], 2).is_err());
        assert!(Graph::new(vec![-1, 0], vec![0], 2).is_err());
        assert!(Graph::new(vec![1, 1], vec![2], 2).is_err());
        assert!(Graph::new(vec![0, 0, 0], vec![], 2).is_err());
        assert!(Ends::new(vec![0, 2], None, 2, "sources").is_err());
        assert!(Ends::new(vec![0], Some(vec![-1]), 2, "sources").is_err());
    }

    #[test]
    fn every_edge_is_known_at_both_ends() {
        let edge = |source, destination, weight| Edge { source, destination, weight: Some(weight) };
        let all = distribute(&[edge(0, 1, 7), edge(1, 1, 8), edge(0, 2, 9)], 3, true);
        let ends = |ranks: &[i32], weights: &[i32]| Ends {
            ranks: ranks.to_vec(),
            weights: Some(weights.to_vec()),
        };
        assert_eq!(all[0].destinations, ends(&[1, 2], &[7, 9]));
        assert_eq!(all[0].sources, ends(&[], &[]));
        assert_eq!(all[1].sources, ends(&[0, 1], &[7, 8]));
        assert_eq!(all[1].destinations, ends(&[1], &[8]));
        assert_eq!(all[2].sources, ends(&[0], &[9]));
        assert!(all[2].is_weighted());
    }
}
