//! The load of each link when all ranks send all messages of a pattern at once. More than one
//! message on a link is a collision.

use super::placement::{Move, Placement};
use super::spares::Method;
use super::topology::{Grid, Topology};
use std::sync::Arc;

/// The peers of a rank: offsets in the ranks' own grid, which does not wrap around.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern(pub Vec<Vec<i32>>);

impl Pattern {
    /// The stencil with neighbours in each dimension: 5 points in two, 7 in three.
    pub fn star(dims: usize) -> Pattern {
        let unit = |at, sign| (0..dims).map(|dim| if dim == at { sign } else { 0 }).collect();
        Pattern((0..dims).flat_map(|dim| [unit(dim, -1), unit(dim, 1)]).collect())
    }

    /// The stencil with the diagonal neighbours too: 9 points in two dimensions, 27 in three.
    pub fn full(dims: usize) -> Pattern {
        let offsets = (0..3usize.pow(dims as u32)).map(|number| {
            (0..dims as u32).map(|dim| (number / 3usize.pow(dim) % 3) as i32 - 1).collect()
        });
        Pattern(offsets.filter(|offset: &Vec<i32>| offset.iter().any(|&step| step != 0)).collect())
    }

    /// Reads `5P`, `9P`, `7P` or `27P`, or offsets such as `1,0;0,2`, whose opposites are added.
    pub fn parse(text: &str, dims: usize) -> Result<Pattern, String> {
        match (text, dims) {
            ("5P", 2) | ("7P", 3) => Ok(Pattern::star(dims)),
            ("9P", 2) | ("27P", 3) => Ok(Pattern::full(dims)),
            _ => Pattern::listed(text, dims).ok_or_else(|| {
                format!(
                    "`{text}` is not a stencil of {dims} dimensions: use 5P or 9P in two, 7P or \
                     27P in three, or offsets such as {}",
                    if dims == 2 { "1,0;0,2" } else { "1,0,0;0,0,2" }
                )
            }),
        }
    }

    /// Listed offsets and their opposites: patterns are symmetric.
    fn listed(text: &str, dims: usize) -> Option<Pattern> {
        let mut offsets = Vec::new();
        for offset in text.split(';') {
            let offset: Option<Vec<i32>> =
                offset.split(',').map(|step| step.trim().parse().ok()).collect();
            let is_small = |step: &i32| step.unsigned_abs() < 1 << 20;
            let offset = offset.filter(|list| list.len() == dims && list.iter().all(is_small))?;
            if offset.iter().all(|&step| step == 0) {
                return None;
            }
            offsets.push(offset.iter().map(|step| -step).collect());
            offsets.push(offset);
        }
        offsets.sort_unstable();
        offsets.dedup();
        Some(Pattern(offsets))
    }
}

/// The use of every link of a machine by the messages of a pattern.
#[derive(Clone, Debug)]
pub struct Traffic {
    topology: Topology,
    /// By rank: the ranks that it sends to. Patterns are symmetric, so they send to it, too.
    peers: Arc<[Vec<u32>]>,
    seats: Vec<u32>,
    uses: Vec<u32>,
    /// By number of uses: how many links have it.
    links: Vec<u32>,
    is_moving: Vec<bool>,
}

impl Traffic {
    /// Over the links of the mesh or torus on which the ranks are placed.
    pub fn new(placement: &Placement, pattern: &Pattern) -> Traffic {
        Traffic::over(Topology::Grid(placement.grid().clone()), placement, pattern)
    }

    /// Over the links of another network, whose nodes have equal numbers.
    pub fn over(topology: Topology, placement: &Placement, pattern: &Pattern) -> Traffic {
        assert!(topology.nodes() >= placement.grid().nodes(), "every node is in the network");
        let ranks = Grid::mesh(placement.rank_dims()).expect("less than the whole machine");
        let count = placement.seats().len();
        let peers = (0..count).map(|rank| {
            let mut peers = peers(&ranks, rank, pattern);
            peers.retain(|&peer| (peer as usize) < count);
            peers
        });
        let peers = peers.collect();
        let mut traffic = Traffic {
            uses: vec![0; topology.links()],
            links: vec![topology.links() as u32],
            is_moving: vec![false; count],
            seats: placement.seats().to_vec(),
            topology,
            peers,
        };
        for rank in 0..count {
            for at in 0..traffic.peers[rank].len() {
                traffic.count(rank as u32, traffic.peers[rank][at], 1);
            }
        }
        traffic
    }

    /// Moves some ranks.
    pub fn apply(&mut self, moves: &[Move]) {
        moves.iter().for_each(|step| self.is_moving[step.rank as usize] = true);
        moves.iter().for_each(|step| self.count_all(step.rank, -1));
        moves.iter().for_each(|step| self.seats[step.rank as usize] = step.to);
        moves.iter().for_each(|step| self.count_all(step.rank, 1));
        moves.iter().for_each(|step| self.is_moving[step.rank as usize] = false);
    }

    /// Reverses moves that were applied.
    pub fn undo(&mut self, moves: &[Move]) {
        let back = |step: &Move| Move { rank: step.rank, from: step.to, to: step.from };
        self.apply(&moves.iter().map(back).collect::<Vec<_>>());
    }

    /// The number of messages on a link.
    pub fn uses(&self, link: usize) -> usize {
        self.uses[link] as usize
    }

    /// The uses of the most used link.
    pub fn worst(&self) -> usize {
        self.links.iter().rposition(|&links| links > 0).unwrap_or(0)
    }

    /// The sum of the squares of all uses: it grows where many messages meet.
    pub fn squares(&self) -> u64 {
        self.links.iter().zip(0u64..).map(|(&links, uses)| u64::from(links) * uses * uses).sum()
    }

    /// The number of messages beyond the first on each link.
    pub fn collisions(&self) -> u64 {
        let excess = self
            .links
            .iter()
            .zip(0u64..)
            .map(|(&links, uses)| u64::from(links) * uses.saturating_sub(1));
        excess.sum()
    }

    /// Counts all messages from and to a rank, those between two moving ranks once.
    fn count_all(&mut self, rank: u32, change: i32) {
        for at in 0..self.peers[rank as usize].len() {
            let peer = self.peers[rank as usize][at];
            self.count(rank, peer, change);
            if !self.is_moving[peer as usize] {
                self.count(peer, rank, change);
            }
        }
    }

    fn count(&mut self, from: u32, to: u32, change: i32) {
        let (from, to) = (self.seats[from as usize], self.seats[to as usize]);
        let (uses, links) = (&mut self.uses, &mut self.links);
        self.topology.each_link(from as usize, to as usize, |link| {
            let old = uses[link] as usize;
            let new = old.wrapping_add_signed(change as isize);
            uses[link] = new as u32;
            if new >= links.len() {
                links.resize(new + 1, 0);
            }
            links[old] -= 1;
            links[new] += 1;
        });
    }
}

fn peers(ranks: &Grid, rank: usize, pattern: &Pattern) -> Vec<u32> {
    let place = ranks.place(rank);
    let moved = |offset: &Vec<i32>| {
        let steps = place.iter().zip(offset).zip(ranks.dims());
        let there = steps.map(|((&at, &step), &extent)| {
            at.checked_add_signed(step).filter(|&there| there < extent)
        });
        there.collect::<Option<Vec<u32>>>().map(|there| ranks.node(&there) as u32)
    };
    pattern.0.iter().filter_map(moved).collect()
}

impl Placement {
    /// Of all substitutions the one after which the most used link is used least; of several,
    /// there are fewest collisions, and then fewest moves.
    pub fn calmest(
        &self, failed: usize, methods: &[Method], traffic: &mut Traffic,
    ) -> Option<(Method, Vec<Move>)> {
        let every = |&method: &Method| {
            self.ways(failed, method).into_iter().map(move |moves| (method, moves))
        };
        methods.iter().flat_map(every).min_by_key(|(_, moves)| {
            traffic.apply(moves);
            let score = (traffic.worst(), traffic.collisions(), moves.len());
            traffic.undo(moves);
            score
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fat_tree::FatTree;
    use crate::spares::Spares;
    use ftmpi_base::random::Random;

    #[test]
    fn without_failures_a_star_uses_every_link_between_ranks_once() {
        let grid = Grid::mesh(&[6, 6]).unwrap();
        let placement = Placement::new(&grid, &Spares::parse("2D(1,1)").unwrap());
        let traffic = Traffic::new(&placement, &Pattern::star(2));
        assert_eq!((traffic.worst(), traffic.collisions()), (1, 0));
        assert_eq!(traffic.links[1], 2 * (4 * 6 + 5 * 5));
    }

    #[test]
    fn counting_on_is_counting_anew_and_can_be_taken_back() {
        let grid = Grid::torus(&[5, 5, 5]).unwrap();
        let spares = Spares::parse("3D(2,1)").unwrap();
        for pattern in [Pattern::star(3), Pattern::full(3)] {
            let mut placement = Placement::new(&grid, &spares);
            let mut traffic = Traffic::new(&placement, &pattern);
            let mut random = Random::new(5);
            while placement.spares() > 0 {
                let rank = random.below(placement.seats().len() as u64) as usize;
                let failed = placement.seats()[rank] as usize;
                let (_, moves) = placement.substitute(failed, &spares.substitute).unwrap();
                let before = traffic.uses.clone();
                traffic.apply(&moves);
                traffic.undo(&moves);
                assert_eq!(traffic.uses, before);
                traffic.apply(&moves);
                placement.apply(failed, &moves);
                let anew = Traffic::new(&placement, &pattern);
                assert_eq!(traffic.uses, anew.uses);
                assert_eq!(traffic.worst(), anew.worst());
                assert_eq!(traffic.collisions(), anew.collisions());
            }
        }
    }

    #[test]
    fn a_link_counts_more_messages_than_16_bits_hold() {
        let grid = Grid::mesh(&[516]).unwrap();
        let placement = Placement::new(&grid, &Spares::parse("1D(1,1)").unwrap());
        let all = Pattern((-514..=514).filter(|&step| step != 0).map(|step| vec![step]).collect());
        // Over the link in the middle, every node on one side sends to every node on the other.
        assert_eq!(Traffic::new(&placement, &all).worst(), 257 * 258);
    }

    #[test]
    fn messages_may_go_over_another_network_than_the_one_of_the_ranks() {
        let grid = Grid::mesh(&[7, 7, 7]).unwrap();
        let spares = Spares::parse("3D(2,1)").unwrap();
        let mut placement = Placement::new(&grid, &spares);
        let tree = Topology::FatTree(FatTree::new(19, 2).unwrap());
        let star = Pattern::star(3);
        let mut traffic = Traffic::over(tree.clone(), &placement, &star);
        assert_eq!(traffic.worst(), 6, "a node's six messages, and no others");
        for rank in [0, 100, 200] {
            let failed = placement.seats()[rank] as usize;
            let (_, moves) = placement.substitute(failed, &spares.substitute).unwrap();
            traffic.apply(&moves);
            placement.apply(failed, &moves);
            let anew = Traffic::over(tree.clone(), &placement, &star);
            assert_eq!(traffic.uses, anew.uses);
        }
    }

    #[test]
    fn stencils_have_their_points() {
        for (text, dims, count) in [("5P", 2, 4), ("9P", 2, 8), ("7P", 3, 6), ("27P", 3, 26)] {
            assert_eq!(Pattern::parse(text, dims).unwrap().0.len(), count);
        }
        assert!(Pattern::parse("5P", 3).unwrap_err().contains("7P or 27P in three"));
        let two = Pattern::parse("1,0; 0,-2;-1,0", 2).unwrap();
        assert_eq!(two.0, [vec![-1, 0], vec![0, -2], vec![0, 2], vec![1, 0]]);
        assert_eq!(Pattern::parse("1,0,0;0,1,0;0,0,1", 3).unwrap().0.len(), 6);
        for text in ["", "0,0", "1", "1,0,0", "1,x", "1,0;", "1,2000000000"] {
            assert!(Pattern::parse(text, 2).unwrap_err().contains("1,0;0,2"), "{text}");
        }
    }
}
