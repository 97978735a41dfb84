//! What packets do to a machine, for those who look: how much each link has carried, and each node.

use super::setup::Setup;
use ftmpi_machine::topology::Topology;

/// Sees what happens on a machine. What nobody looks at costs nothing: `()` sees nothing.
pub trait Observer: Send {
    /// A packet of so many bytes leaves a node.
    fn sent(&mut self, from: u32, to: u32, bytes: usize);
    /// It reaches the other.
    fn arrived(&mut self, from: u32, to: u32);
    /// A handler has run.
    fn handled(&mut self, node: u32);
}

impl Observer for () {
    #[inline(always)]
    fn sent(&mut self, _: u32, _: u32, _: usize) {}

    #[inline(always)]
    fn arrived(&mut self, _: u32, _: u32) {}

    #[inline(always)]
    fn handled(&mut self, _: u32) {}
}

/// Counts what goes over each link of a packet's way, when it is sent; nodes' packets to themselves
/// go over none, and are not counted.
pub struct Heat {
    topology: Topology,
    pub links: Vec<Load>,
    pub nodes: Vec<Counts>,
}

/// What a link has carried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    pub packets: u64,
    pub bytes: u64,
}

/// What a node has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub sent: u64,
    pub received: u64,
    pub handlers: u64,
}

impl Heat {
    pub fn new(setup: &Setup) -> Heat {
        let topology = setup.topology.clone();
        let links = vec![Load::default(); topology.links()];
        Heat { links, nodes: vec![Counts::default(); topology.nodes()], topology }
    }
}

impl Observer for Heat {
    fn sent(&mut self, from: u32, to: u32, bytes: usize) {
        if from == to {
            return;
        }
        self.nodes[from as usize].sent += 1;
        let links = &mut self.links;
        self.topology.each_link(from as usize, to as usize, |link| {
            links[link].packets += 1;
            links[link].bytes += bytes as u64;
        });
    }

    fn arrived(&mut self, from: u32, to: u32) {
        self.nodes[to as usize].received += u64::from(from != to);
    }

    fn handled(&mut self, node: u32) {
        self.nodes[node as usize].handlers += 1;
    }
}
