//! The communication graph: for each node a list to send to and one to receive from, and a place.
//!
//! u is in the list from which v receives exactly when v is in the list to which u sends.

/// Lists of nodes, one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lists {
    starts: Vec<u32>,
    all: Vec<u32>,
}

#[derive(Clone, Debug)]
pub struct Graph {
    pub sends: Lists,
    pub receives: Lists,
    /// The place of each node in the picture, in the unit square.
    pub places: Vec<[f32; 2]>,
}

impl Lists {
    /// The lists of `nodes` nodes; `of` appends that of one.
    pub fn collect(nodes: u32, mut of: impl FnMut(u32, &mut Vec<u32>)) -> Lists {
        let mut starts = Vec::with_capacity(nodes as usize + 1);
        starts.push(0);
        let mut all = Vec::new();
        for node in 0..nodes {
            of(node, &mut all);
            starts.push(u32::try_from(all.len()).expect("there are fewer entries in all"));
        }
        Lists { starts, all }
    }

    /// Lists of one length, one after the other.
    pub fn equal(nodes: u32, count: u32, all: Vec<u32>) -> Lists {
        assert!(all.len() == nodes as usize * count as usize, "every node has its list");
        Lists { starts: (0..=nodes).map(|node| node * count).collect(), all }
    }

    #[inline]
    pub fn of(&self, node: u32) -> &[u32] {
        let at = node as usize;
        &self.all[self.starts[at] as usize..self.starts[at + 1] as usize]
    }

    /// Where a node's list begins in the concatenated lists.
    #[inline]
    pub fn start(&self, node: u32) -> usize {
        self.starts[node as usize] as usize
    }

    pub fn nodes(&self) -> u32 {
        self.starts.len() as u32 - 1
    }

    pub fn entries(&self) -> usize {
        self.all.len()
    }

    /// The reversed lists: the nodes that have each node in theirs, sorted.
    fn turned_round(&self) -> Lists {
        let mut starts = vec![0; self.starts.len()];
        self.all.iter().for_each(|&node| starts[node as usize + 1] += 1);
        (1..starts.len()).for_each(|at| starts[at] += starts[at - 1]);
        let (mut next, mut all) = (starts.clone(), vec![0; self.all.len()]);
        for node in 0..self.nodes() {
            for &to in self.of(node) {
                all[next[to as usize] as usize] = node;
                next[to as usize] += 1;
            }
        }
        Lists { starts, all }
    }
}

impl Graph {
    /// From the lists of receivers.
    pub fn new(sends: Lists, places: Vec<[f32; 2]>) -> Graph {
        assert_eq!(sends.nodes() as usize, places.len(), "every node has a place");
        Graph { receives: sends.turned_round(), sends, places }
    }

    /// From lists that may be one-sided: adds each entry in the opposite direction, too.
    pub fn symmetric(lists: &Lists, places: Vec<[f32; 2]>) -> Graph {
        let back = lists.turned_round();
        let mut both = Vec::new();
        let sends = Lists::collect(lists.nodes(), |node, all| {
            both.clear();
            both.extend([lists.of(node), back.of(node)].into_iter().flatten());
            both.sort_unstable();
            both.dedup();
            all.extend(&both);
        });
        // Sorted both ways, the lists are equal.
        assert_eq!(sends.nodes() as usize, places.len(), "every node has a place");
        Graph { receives: sends.clone(), sends, places }
    }

    pub fn nodes(&self) -> u32 {
        self.sends.nodes()
    }

    /// Whether each node receives from exactly the nodes to which it sends.
    pub fn is_symmetric(&self) -> bool {
        (0..self.nodes()).all(|node| {
            let mut sends = self.sends.of(node).to_vec();
            sends.sort_unstable();
            sends == self.receives.of(node)
        })
    }

    /// All nodes that have this node in a list, once each: those that are told of its death.
    pub fn beside(&self, node: u32) -> Vec<u32> {
        let mut all = [self.sends.of(node), self.receives.of(node)].concat();
        all.sort_unstable();
        all.dedup();
        all
    }
}
