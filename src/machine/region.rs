//! Sets of nodes: lists, boxes, balls, and a random part of any of them.
//!
//! | words                              | nodes                                            |
//! |------------------------------------|--------------------------------------------------|
//! | `all`                              | every node                                       |
//! | `3` or `3 17 40`                   | these, by number                                 |
//! | `box 0,0,0..16,16,16`              | a block; the second corner is not in it          |
//! | `ball 8,8,8 5`                     | those at most 5 hops away from a place           |
//! | `random 0.1% of box 0,0..16,16`    | a share of a set, or a number of it: `random 5`  |

use super::topology::Topology;
use super::units::{Amount, amount, numbers};
use ftmpi_base::random::Random;

#[derive(Clone, Debug, PartialEq)]
pub struct Nodes {
    set: Set,
    /// How many of the set, drawn anew each time; `None` means all of it.
    part: Option<Amount>,
}

#[derive(Clone, Debug, PartialEq)]
enum Set {
    All(usize),
    List(Vec<usize>),
}

impl Nodes {
    pub fn all(topology: &Topology) -> Nodes {
        Nodes { set: Set::All(topology.nodes()), part: None }
    }

    pub fn one_of_all(topology: &Topology) -> Nodes {
        Nodes { part: Some(Amount::Count(1)), ..Nodes::all(topology) }
    }

    /// These nodes, or a part of them.
    pub fn of(list: Vec<usize>, part: Option<Amount>) -> Nodes {
        Nodes { set: Set::List(list), part }
    }

    /// Parses the words of the table above.
    pub fn parse(words: &str, topology: &Topology) -> Result<Nodes, String> {
        let words = words.trim();
        let Some(rest) = words.strip_prefix("random ") else {
            return Ok(Nodes { set: Set::parse(words, topology)?, part: None });
        };
        let (part, set) = rest.split_once(" of ").unwrap_or((rest, "all"));
        Ok(Nodes { set: Set::parse(set.trim(), topology)?, part: Some(amount(part)?) })
    }

    /// The nodes of this set for which `is_there` is true; sorted.
    pub fn pick(&self, random: &mut Random, is_there: impl Fn(usize) -> bool) -> Vec<usize> {
        let mut found: Vec<usize> = match &self.set {
            Set::All(nodes) => (0..*nodes).filter(|&node| is_there(node)).collect(),
            Set::List(list) => list.iter().copied().filter(|&node| is_there(node)).collect(),
        };
        if let Some(part) = self.part {
            let wanted = part.of(found.len());
            for at in 0..wanted {
                let other = at + random.below((found.len() - at) as u64) as usize;
                found.swap(at, other);
            }
            found.truncate(wanted);
            found.sort_unstable();
        }
        found
    }

    /// All nodes to choose from.
    pub fn members(&self) -> Vec<usize> {
        match &self.set {
            Set::All(nodes) => (0..*nodes).collect(),
            Set::List(list) => list.clone(),
        }
    }

    /// How many of `members` nodes this part is.
    pub fn wanted(&self, members: usize) -> usize {
        self.part.map_or(members, |part| part.of(members))
    }
}

impl Set {
    fn parse(words: &str, topology: &Topology) -> Result<Set, String> {
        let nodes = topology.nodes();
        let (kind, rest) = words.split_once(' ').unwrap_or((words, ""));
        match kind {
            "all" => Ok(Set::All(nodes)),
            "box" => {
                let corners = rest.split_once("..").ok_or("expected box 0,0,0..16,16,16")?;
                let (low, high) = (place(corners.0, topology)?, place(corners.1, topology)?);
                let grid = topology.grid().expect("a place was read, so there is a grid");
                let is_in = |node: &usize| {
                    let at = grid.place(*node);
                    (0..at.len()).all(|dim| (low[dim]..high[dim]).contains(&at[dim]))
                };
                Ok(Set::List((0..nodes).filter(is_in).collect()))
            }
            "ball" => {
                let no = || format!("`{words}`: use ball 8,8,8 5");
                let (centre, radius) = rest.trim().rsplit_once(' ').ok_or_else(no)?;
                let radius: u32 = radius.parse().map_err(|_| no())?;
                let centre = place(centre, topology)?;
                let grid = topology.grid().expect("a place was read, so there is a grid");
                if centre.iter().zip(grid.dims()).any(|(at, extent)| at >= extent) {
                    return Err(format!("`{words}`: the centre lies outside of the machine"));
                }
                let centre = grid.node(&centre);
                let is_near = |node: &usize| topology.path(centre, *node).hops <= radius;
                Ok(Set::List((0..nodes).filter(is_near).collect()))
            }
            _ => {
                let mut list = Vec::new();
                for word in words.split([' ', ',']).filter(|word| !word.is_empty()) {
                    let no = || format!("`{word}` is not a node: use 0 to {}, or all", nodes - 1);
                    let node = word.parse().ok().filter(|&node: &usize| node < nodes);
                    list.push(node.ok_or_else(no)?);
                }
                list.sort_unstable();
                list.dedup();
                Ok(Set::List(list))
            }
        }
    }
}

fn place(text: &str, topology: &Topology) -> Result<Vec<u32>, String> {
    let grid = topology.grid().ok_or("places are for meshes, tori and hypercubes")?;
    let place = numbers(text.trim())?;
    match place.len() == grid.dims().len() {
        true => Ok(place),
        false => Err(format!("`{text}`: a place has {} numbers here", grid.dims().len())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::Grid;

    fn picked(words: &str) -> Vec<usize> {
        let torus = Topology::Grid(Grid::torus(&[4, 4]).unwrap());
        Nodes::parse(words, &torus).unwrap().pick(&mut Random::new(1), |_| true)
    }

    #[test]
    fn every_way_of_naming_nodes_means_what_the_table_says() {
        assert_eq!(picked("all").len(), 16);
        assert_eq!(picked("3 9,3"), vec![3, 9]);
        assert_eq!(picked("box 1,1..3,3"), vec![5, 6, 9, 10]);
        assert_eq!(picked("ball 0,0 1"), vec![0, 1, 3, 4, 12]);
        assert_eq!(picked("random 25%").len(), 4);
        let part = picked("random 2 of box 0,0..4,1");
        assert!(part.len() == 2 && part.iter().all(|&node| node < 4), "{part:?}");
    }

    #[test]
    fn the_dead_are_not_drawn() {
        let torus = Topology::Grid(Grid::torus(&[4, 4]).unwrap());
        let nodes = Nodes::parse("random 100%", &torus).unwrap();
        assert_eq!(nodes.pick(&mut Random::new(1), |node| node > 12), vec![13, 14, 15]);
    }

    #[test]
    fn what_is_no_set_of_nodes_is_said_with_the_cure() {
        let torus = Topology::Grid(Grid::torus(&[4, 4]).unwrap());
        let said = |words| Nodes::parse(words, &torus).unwrap_err();
        assert!(said("16").contains("use 0 to 15"));
        assert!(said("box 1,1").contains("expected box"));
        assert!(said("box 1,1,1..2,2,2").contains("2 numbers"));
        assert!(said("ball 9,9 1").contains("outside"));
        assert!(said("random some of all").contains("0.1%"));
    }
}
