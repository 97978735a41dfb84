//! Who sends to whom: for each node a list to send to and one to receive from, and a place.
//!
//! u stands in the list from which v receives exactly when v stands in the list to which u sends.

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
    /// Where each node is seen, in the unit square.
    pub places: Vec<[f32; 2]>,
}

impl Lists {
    pub fn new(lists: &[Vec<u32>]) -> Lists {
        let mut starts = vec![0];
        let mut all = Vec::with_capacity(lists.iter().map(Vec::len).sum());
        for list in lists {
            all.extend(list);
            starts.push(all.len() as u32);
        }
        Lists { starts, all }
    }

    #[inline]
    pub fn of(&self, node: u32) -> &[u32] {
        let at = node as usize;
        &self.all[self.starts[at] as usize..self.starts[at + 1] as usize]
    }

    /// Where a node's list begins, if all lists are one.
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

    /// The lists of those who have each node in theirs, sorted.
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
    /// From the lists to send to.
    pub fn new(lists: &[Vec<u32>], places: Vec<[f32; 2]>) -> Graph {
        assert_eq!(lists.len(), places.len(), "every node has a place");
        let sends = Lists::new(lists);
        Graph { receives: sends.turned_round(), sends, places }
    }

    /// From lists that may be one-sided: who is in somebody's list has him in his own.
    pub fn symmetric(mut lists: Vec<Vec<u32>>, places: Vec<[f32; 2]>) -> Graph {
        for node in 0..lists.len() {
            for at in 0..lists[node].len() {
                let other = lists[node][at] as usize;
                lists[other].push(node as u32);
            }
        }
        for list in &mut lists {
            list.sort_unstable();
            list.dedup();
        }
        Graph::new(&lists, places)
    }

    pub fn nodes(&self) -> u32 {
        self.sends.nodes()
    }

    /// Whether all receive from those to whom they send, and from nobody else.
    pub fn is_symmetric(&self) -> bool {
        (0..self.nodes()).all(|node| {
            let mut sends = self.sends.of(node).to_vec();
            sends.sort_unstable();
            sends == self.receives.of(node)
        })
    }

    /// Everybody who has this node in a list, once each: those who are told of its death.
    pub fn beside(&self, node: u32) -> Vec<u32> {
        let mut all = [self.sends.of(node), self.receives.of(node)].concat();
        all.sort_unstable();
        all.dedup();
        all
    }
}
