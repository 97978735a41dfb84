//! The constants of a machine's run.

use super::packet::{HEADER, PAYLOAD_MOST};
use ftmpi_machine::Model;
use ftmpi_machine::cost::{CornerRule, Cost};
use ftmpi_machine::model;
use ftmpi_machine::topology::{Path, Topology};

/// A machine of up to three dimensions, and how programs run on it.
#[derive(Clone, Debug)]
pub struct Setup {
    pub topology: Topology,
    pub dims: [u32; 3],
    pub node: model::Node,
    pub cost: Cost,
    /// How many of a node's threads receive packets.
    pub communication: u32,
    /// How many run large handlers.
    pub workers: u32,
    /// Whether payloads longer than a packet are sent in fragments.
    pub has_fragments: bool,
    /// Picoseconds in a tick of the virtual clock.
    pub tick: u64,
}

/// The most nodes: more would need machines with more memory.
const MOST_NODES: usize = 10_000_000;

impl Setup {
    /// All threads that do not receive packets are workers.
    pub fn new(model: &Model, communication: u32) -> Result<Setup, String> {
        let grid = model.topology.grid().ok_or("the emulator needs a mesh or torus")?;
        let dims: Vec<u32> = grid.dims().iter().copied().chain([1, 1, 1]).collect();
        if grid.dims().len() > 3 {
            let dims = grid.dims();
            return Err(format!(
                "the emulator has three dimensions, not {dims:?}: use --dims 8,8,8"
            ));
        }
        if grid.nodes() > MOST_NODES {
            let dims = grid.dims();
            return Err(format!("dims {dims:?}: the emulator has at most {MOST_NODES} nodes"));
        }
        let threads = model.node.all_threads()?;
        if communication == 0 || communication > threads {
            return Err(format!("{communication} communication threads: use 1 to {threads}"));
        }
        let cost = model.cost.clone();
        let corner = if cost.corner_rule == CornerRule::PerTurn { 0 } else { cost.corner };
        if cost.handler == 0 && cost.hop == 0 && corner == 0 {
            return Err("handlers, hops and corners that cost nothing: time would stand still: \
                        use --handler 1 or more"
                .into());
        }
        if cost.byte > 0 && model.node.outbuf == 0 {
            return Err("outbuf = 0: a packet needs room until it has left: use 1 or more".into());
        }
        let parts = [cost.cycle, cost.hop, cost.corner, cost.handler, cost.byte];
        Ok(Setup {
            topology: model.topology.clone(),
            dims: [dims[0], dims[1], dims[2]],
            node: model.node.clone(),
            cost,
            communication,
            workers: threads - communication,
            has_fragments: false,
            tick: parts.into_iter().fold(0, divisor),
        })
    }

    pub fn nodes(&self) -> u32 {
        self.dims.iter().product()
    }

    pub fn xyz(&self, node: u32) -> [u32; 3] {
        let mut rest = node;
        self.dims.map(|extent| {
            let at = rest % extent;
            rest /= extent;
            at
        })
    }

    pub(super) fn nanos(&self, ticks: u64) -> f64 {
        (ticks * self.tick) as f64 / 1e3
    }

    /// Whether packets are large enough for a program that sends this much at most.
    pub fn check(&self, payload_bytes: usize) -> Result<(), String> {
        match payload_bytes <= self.payload_most() {
            true => Ok(()),
            false => Err(format!(
                "packet = {}: this program sends {} bytes behind a header of {HEADER}: use {} or \
                 more",
                self.node.packet,
                payload_bytes,
                payload_bytes + HEADER
            )),
        }
    }

    /// The maximum length of a payload on this machine.
    pub fn payload_most(&self) -> usize {
        (self.node.packet as usize).saturating_sub(HEADER).min(PAYLOAD_MOST)
    }

    /// The fewest ticks from the start of a handler to its first effect on another node: it ends,
    /// and a packet crosses a link.
    pub(super) fn lookahead(&self) -> u64 {
        let link = self.cost.arrival(Path { hops: 1, turns: 0 }, 0, 0);
        self.cost.handler.div_ceil(self.tick) + link.div_ceil(self.tick)
    }

    #[inline]
    pub(super) fn arrival(&self, from: u32, to: u32, leaves: u64) -> u64 {
        let path = self.topology.path(from as usize, to as usize);
        // The cost of bytes has been paid on leaving.
        leaves + self.cost.arrival(path, 0, 0).div_ceil(self.tick)
    }
}

fn divisor(one: u64, other: u64) -> u64 {
    if other == 0 { one } else { divisor(other, one % other) }
}
