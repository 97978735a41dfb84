//! The model of a whole machine: its network, nodes, costs, spares and planned failures.

use super::collectives::Collectives;
use super::cost::Cost;
use super::faults::Faults;
use super::spares::Spares;
use super::topology::Topology;
use super::units::{Picos, SECOND};

#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    pub name: String,
    pub topology: Topology,
    /// How many nodes a rack has in each dimension of a grid; empty: each node is its own rack.
    pub rack: Vec<u32>,
    pub node: Node,
    pub cost: Cost,
    pub mpi: Overheads,
    pub speed: Speed,
    pub recovery: Recovery,
    /// `None`: files cost nothing.
    pub files: Option<Files>,
    pub spares: Option<Spares>,
    pub faults: Faults,
}

/// What the machine's MPI adds to a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overheads {
    /// The time that a call takes to send a message, and to receive one.
    pub send: Picos,
    pub receive: Picos,
    /// The time that a call takes to ask in vain.
    pub poll: Picos,
    /// Longer messages wait for their receiver (rendezvous).
    pub eager: usize,
    pub collectives: Collectives,
}

/// What a failure costs in time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovery {
    /// Until the others hear of it.
    pub detect: Picos,
    /// Until a rank that is started again runs.
    pub restart: Picos,
    /// The bytes of a process, which go over the network when it moves to another node.
    pub process_bytes: u64,
}

/// The file system, which all share.
#[derive(Clone, Debug, PartialEq)]
pub struct Files {
    /// Of an access, besides its bytes.
    pub latency: Picos,
    /// Bytes per second, of all accesses together.
    pub bytes: f64,
}

impl Files {
    /// When the files have taken in an access, and may begin with the next, and when it is over, if
    /// they have been busy until `taken`.
    pub fn access(&self, bytes: u64, taken: Picos, now: Picos) -> (Picos, Picos) {
        let length = (bytes as f64 / self.bytes * SECOND as f64) as Picos;
        let free = now.max(taken).saturating_add(length);
        (free, free.saturating_add(self.latency))
    }
}

/// How fast a rank computes.
#[derive(Clone, Debug, PartialEq)]
pub struct Speed {
    /// In operations and bytes of memory per second.
    pub flops: f64,
    pub bytes: f64,
    /// How many times as long as here a computation takes that is measured here.
    pub factor: f64,
}

impl Speed {
    /// The time of a computation of so many operations on so many bytes of memory, in seconds:
    /// whichever takes longer (the roofline).
    pub fn seconds(&self, flops: f64, bytes: f64) -> f64 {
        (flops.max(0.0) / self.flops).max(bytes.max(0.0) / self.bytes)
    }
}

/// The equipment of every node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    pub processors: u32,
    /// Per processor.
    pub threads: u32,
    /// Packets for which there is room when they arrive.
    pub inbuf: u32,
    /// Packets that may wait to leave.
    pub outbuf: u32,
    /// The size of a packet in bytes, its header included.
    pub packet: u32,
}

impl Node {
    /// The threads of all its processors.
    pub fn all_threads(&self) -> Result<u32, String> {
        let Node { processors, threads, .. } = *self;
        processors.checked_mul(threads).ok_or_else(|| {
            format!("{processors} processors with {threads} threads: use fewer than 2^32 in all")
        })
    }
}

impl Default for Node {
    /// The Blue Gene as it was announced in 2001.
    fn default() -> Node {
        Node { processors: 25, threads: 8, inbuf: 32, outbuf: 32, packet: 128 }
    }
}

/// Built-in machines: name and text.
const KNOWN: [(&str, &str); 5] = [
    ("bluegene-2001", include_str!("files/bluegene-2001.toml")),
    ("bluegene-l", include_str!("files/bluegene-l.toml")),
    ("bluegene-q", include_str!("files/bluegene-q.toml")),
    ("k", include_str!("files/k.toml")),
    ("fat-tree", include_str!("files/fat-tree.toml")),
];

impl Model {
    /// The built-in machine of this name.
    pub fn known(name: &str) -> Option<Model> {
        let (name, text) = KNOWN.iter().find(|(known, _)| *known == name)?;
        Some(Model::read(name, text).expect("the machines that come along are tested"))
    }

    /// The names of the built-in machines.
    pub fn names() -> impl Iterator<Item = &'static str> {
        KNOWN.iter().map(|(name, _)| *name)
    }

    /// A machine by its name, or from a file, whose text the caller provides.
    pub fn find(
        file: &str, text: impl FnOnce(&str) -> std::io::Result<String>,
    ) -> Result<Model, String> {
        if let Some(model) = Model::known(file) {
            return Ok(model);
        }
        let text = text(file).map_err(|why| {
            let names: Vec<_> = Model::names().collect();
            format!("{file}: {why} (machines known by name: {})", names.join(", "))
        })?;
        Model::read(file, &text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accesses_to_files_take_turns_and_wait_for_the_latency_together() {
        let files = Files { latency: 7, bytes: SECOND as f64 / 3.0 };
        assert_eq!(files.access(10, 0, 5), (35, 42));
        assert_eq!(files.access(10, 35, 6), (65, 72));
        assert_eq!(files.access(0, 65, 100), (100, 107));
    }

    #[test]
    fn every_machine_that_comes_along_is_well_formed_and_named_as_its_file() {
        for name in Model::names() {
            let model = Model::known(name).unwrap();
            assert_eq!(model.name, name);
            assert!(model.topology.nodes() > 1000, "{name}");
        }
        assert_eq!(Model::known("bluegene-2001").unwrap().topology.nodes(), 41_616);
        assert_eq!(Model::known("bluegene-l").unwrap().topology.nodes(), 65_536);
        assert_eq!(Model::known("k").unwrap().topology.nodes(), 82_944);
        assert!(Model::known("bluegene-x").is_none());
    }
}
