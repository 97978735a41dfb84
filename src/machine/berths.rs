//! Which node each rank of a job occupies, failure after failure.

use super::map;
use super::model::Model;
use super::placement::{Move, Placement, Use};
use super::spares::{Choice, Method};
use super::topology::{Grid, Topology};
use super::traffic::{Pattern, Traffic};

#[derive(Clone, Debug)]
pub struct Berths {
    name: String,
    methods: Vec<Method>,
    choose: Choice,
    placement: Placement,
    rack: Vec<u32>,
    /// The traffic of neighbours in all dimensions.
    traffic: Traffic,
}

/// How many nodes the machine of a job has at most: each takes some 75 bytes.
pub const MOST_NODES: usize = 1 << 24;

/// The move of a failed node's rank to another node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relocation {
    pub failed: usize,
    /// `None`: no spare node is left, so that the failed one had to be repaired.
    pub method: Option<Method>,
    pub moves: Vec<Move>,
    /// Messages on links beyond the first message of each, before and after.
    pub collisions: [u64; 2],
}

impl Relocation {
    /// Tells that a rank continues on the node of this name.
    pub fn words(&self, rank: usize, node: &str) -> String {
        let [before, after] = self.collisions;
        let others = self.moves.len().saturating_sub(1);
        match self.method {
            None => {
                format!("no spare node is left: rank {rank} continues on node {node}, repaired")
            }
            Some(method) => format!(
                "rank {rank} continues on node {node} ({method}, {others} others move); messages \
                 that collide: {before}, now {after}"
            ),
        }
    }
}

impl Berths {
    /// One rank on each node that is no spare, in the order of nodes; nodes left over are spares.
    pub fn new(model: &Model, ranks: usize) -> Result<Berths, String> {
        let nodes = model.topology.nodes();
        if nodes > MOST_NODES {
            let why = "a job has a table of all nodes of its machine, which has room for";
            return Err(format!("{}: {nodes} nodes: {why} {MOST_NODES}", model.name));
        }
        // The nodes of a fat tree are a row: those below one switch are next to each other.
        let row = |nodes: usize| Grid::mesh(&[u32::try_from(nodes).unwrap_or(u32::MAX)]);
        let grid = match &model.topology {
            Topology::Grid(grid) => grid.clone(),
            Topology::FatTree(_) | Topology::Dragonfly(_) => row(model.topology.nodes())?,
        };
        let allocation = model.spares.as_ref();
        let placement = Placement::of_ranks(&grid, allocation, ranks).map_err(|most| {
            let but = if allocation.is_some() { " that are no spares" } else { "" };
            format!(
                "{}: {ranks} ranks: there are {most} nodes{but}, for one each: run {most} at most",
                model.name
            )
        })?;
        let neighbours = Pattern::star(grid.dims().len());
        let methods = allocation.map_or(vec![Method(0)], |spares| spares.substitute.clone());
        Ok(Berths {
            name: model.name.clone(),
            methods,
            choose: allocation.map_or(Choice::Nearest, |spares| spares.choose),
            traffic: Traffic::over(model.topology.clone(), &placement, &neighbours),
            placement,
            rack: model.rack.clone(),
        })
    }

    /// The node of a rank, or its node at the time of failure.
    pub fn node_of(&self, rank: usize) -> usize {
        self.placement.seats()[rank] as usize
    }

    /// The rack of a rank; without racks, its node.
    pub fn rack_of(&self, rank: usize) -> usize {
        let (node, grid) = (self.node_of(rank), self.placement.grid());
        if self.rack.is_empty() {
            return node;
        }
        let racks = grid.dims().iter().zip(&self.rack).map(|(extent, size)| extent.div_ceil(*size));
        let places = grid.place(node).into_iter().zip(&self.rack).map(|(at, size)| at / size);
        let both: Vec<(u32, u32)> = racks.zip(places).collect();
        both.iter().rev().fold(0, |rack, (count, at)| rack * *count as usize + *at as usize)
    }

    /// The use of a node.
    pub fn node(&self, node: usize) -> Use {
        self.placement.node(node)
    }

    /// The name of a node for people: the machine, and its place there.
    pub fn name_of(&self, node: usize) -> String {
        let place: Vec<_> = self.placement.grid().place(node).iter().map(u32::to_string).collect();
        format!("{}:{}", self.name, place.join(","))
    }

    /// Where each rank is drawn, by the place of its node.
    pub fn map(&self) -> Vec<[f32; 2]> {
        let places = map::of_grid(self.placement.grid());
        self.placement.seats().iter().map(|&node| places[node as usize]).collect()
    }

    /// The extents of the grid whose places the nodes have.
    pub fn dims(&self) -> &[u32] {
        self.placement.grid().dims()
    }

    /// The node of each rank.
    pub fn nodes(&self) -> &[u32] {
        self.placement.seats()
    }

    /// The nodes without a rank: which, where each is drawn, and whether it is a free spare; else
    /// it is dead.
    pub fn vacant(&self) -> Vec<(usize, [f32; 2], bool)> {
        let places = map::of_grid(self.placement.grid()).into_iter().enumerate();
        let vacant = places.filter_map(|(node, place)| match self.placement.node(node) {
            Use::Spare => Some((node, place, true)),
            Use::Dead => Some((node, place, false)),
            Use::Rank(_) | Use::Failed(_) => None,
        });
        vacant.collect()
    }

    /// A node fails, whatever its use.
    pub fn fail(&mut self, node: usize) {
        self.placement.fail(node);
    }

    /// Gives a rank whose node has failed another node; `None` if its node has not failed.
    pub fn reseat(&mut self, rank: usize) -> Option<Relocation> {
        let failed = self.node_of(rank);
        if !matches!(self.placement.node(failed), Use::Failed(_)) {
            return None;
        }
        let before = self.traffic.collisions();
        let found = match self.choose {
            Choice::Nearest => self.placement.substitute(failed, &self.methods),
            Choice::Dimension => self.placement.substitute_by_dimension(failed, &self.methods),
            Choice::Collisions => self.placement.calmest(failed, &self.methods, &mut self.traffic),
        };
        let Some((method, moves)) = found else {
            self.placement.repair(failed);
            let collisions = [before; 2];
            return Some(Relocation { failed, method: None, moves: Vec::new(), collisions });
        };
        self.placement.apply(failed, &moves);
        self.traffic.apply(&moves);
        let collisions = [before, self.traffic.collisions()];
        Some(Relocation { failed, method: Some(method), moves, collisions })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(spares: &str) -> Model {
        let text = format!("[machine]\nname = \"m\"\ntopology = \"mesh\"\ndims = [4, 4]\n{spares}");
        Model::read("m.toml", &text).unwrap()
    }

    const CHAINS: &str = "[spares]\nalloc = \"2D(1,1)\"\nsubstitute = [\"1D\", \"0D\"]\n";

    #[test]
    fn a_rank_whose_node_fails_sits_on_another_and_those_between_move_on() {
        let mut berths = Berths::new(&machine(CHAINS), 12).unwrap();
        assert_eq!([0, 2, 3, 11].map(|rank| berths.node_of(rank)), [0, 2, 4, 14]);
        assert_eq!(berths.reseat(1), None, "its node lives");
        berths.fail(1);
        assert_eq!(berths.node(1), Use::Failed(1));
        let relocation = berths.reseat(1).unwrap();
        let step = |rank, from, to| Move { rank, from, to };
        assert_eq!(relocation.moves, [step(1, 1, 2), step(2, 2, 3)]);
        assert_eq!(relocation.method, Some(Method(1)));
        assert!(relocation.collisions[0] == 0 && relocation.collisions[1] > 0);
        assert_eq!([1, 2].map(|rank| berths.node_of(rank)), [2, 3]);
        assert_eq!(berths.node(1), Use::Dead);
        let vacant = berths.vacant();
        assert_eq!(vacant.len(), 4, "three of the four spares, and the dead node: {vacant:?}");
        let places = map::of_grid(berths.placement.grid());
        assert_eq!(vacant[0], (1, places[1], false));
        assert!(vacant[1..].iter().all(|(.., is_spare)| *is_spare));
        assert_eq!(vacant[1], (7, places[7], true));
        assert_eq!(berths.name_of(6), "m:2,1");
    }

    #[test]
    fn a_file_may_say_by_which_rule_a_slide_is_chosen() {
        // Its row's spare is next to node 2, its column's two nodes away.
        let spares = "[spares]\nalloc = \"2D(2,1)\"\nsubstitute = [\"1D\"]\n";
        for (choose, to) in [("nearest", 3), ("dimension", 6)] {
            let text = format!("{spares}choose = \"{choose}\"\n");
            let mut berths = Berths::new(&machine(&text), 9).unwrap();
            berths.fail(2);
            assert_eq!(berths.reseat(2).unwrap().moves[0].to, to, "{choose}");
        }
    }

    #[test]
    fn of_nodes_that_fail_at_once_none_is_moved_to() {
        let mut berths = Berths::new(&machine(CHAINS), 12).unwrap();
        for node in [0, 1, 2, 3] {
            berths.fail(node);
        }
        for rank in [0, 1, 2] {
            let relocation = berths.reseat(rank).unwrap();
            assert_eq!(relocation.method, Some(Method(0)), "the row has no living node");
            assert!(relocation.moves[0].to > 3);
        }
        berths.fail(12);
        let relocation = berths.reseat(9).unwrap();
        assert_eq!(relocation.method, None, "all four spares are used");
        assert_eq!((berths.node_of(9), berths.node(12)), (12, Use::Rank(9)));
    }

    #[test]
    fn without_spares_whatever_is_left_over_is_one() {
        let mut berths = Berths::new(&machine(""), 15).unwrap();
        berths.fail(0);
        assert_eq!(berths.reseat(0).unwrap().moves[0].to, 15);
        let why = Berths::new(&machine(""), 17).unwrap_err();
        assert_eq!(why, "m: 17 ranks: there are 16 nodes, for one each: run 16 at most");
        let why = Berths::new(&machine(CHAINS), 13).unwrap_err();
        assert!(why.contains("12 nodes that are no spares"), "{why}");
    }

    #[test]
    fn machines_are_no_larger_than_their_table_may_be() {
        let text = "[machine]\nname = \"m\"\ntopology = \"mesh\"\ndims = [2000000000]\n";
        let why = Berths::new(&Model::read("m.toml", text).unwrap(), 2).unwrap_err();
        assert!(why.starts_with("m: 2000000000 nodes: ") && why.ends_with(" 16777216"), "{why}");
    }

    #[test]
    fn below_switches_the_nearest_node_left_over_is_a_spare() {
        let text = "[machine]\nname = \"t\"\ntopology = \"fat-tree\"\narity = 4\nlevels = 2\n";
        let mut berths = Berths::new(&Model::read("t.toml", text).unwrap(), 14).unwrap();
        assert_eq!([0, 13].map(|rank| berths.node_of(rank)), [0, 13]);
        berths.fail(12);
        let relocation = berths.reseat(12).unwrap();
        assert_eq!(relocation.moves, [Move { rank: 12, from: 12, to: 14 }]);
        assert_eq!((berths.name_of(14), berths.rack_of(12)), ("t:14".to_string(), 14));
        assert_eq!(berths.map().len(), 14);
        let why = Berths::new(&Model::read("t.toml", text).unwrap(), 17).unwrap_err();
        assert_eq!(why, "t: 17 ranks: there are 16 nodes, for one each: run 16 at most");
    }
}
