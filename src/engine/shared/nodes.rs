//! The nodes of a simulated machine on which ranks sit. The process that has all ranks keeps the
//! machine; where there are several, `ftrun` does, and tells each of its own ranks.

use crate::machine::berths::Berths;
use parking_lot::{Mutex, MutexGuard};
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// Where ranks sit, if they do on a machine that was thought out.
#[derive(Default)]
pub struct Nodes {
    berths: OnceLock<Mutex<Berths>>,
    /// By seat, as others say.
    told: Mutex<BTreeMap<usize, Node>>,
}

/// What is told of the node of a rank.
pub struct Node {
    pub name: String,
    pub rack: usize,
}

impl Nodes {
    /// The ranks sit there; before anybody lives.
    pub(super) fn keep(&self, berths: Berths) {
        self.berths.get_or_init(|| Mutex::new(berths));
    }

    /// The rank in this seat sits there, says who keeps the machine.
    pub fn learn(&self, seat: usize, node: Node) {
        self.told.lock().insert(seat, node);
    }

    /// Where ranks sit, if this process keeps the machine.
    pub(super) fn berths(&self) -> Option<MutexGuard<'_, Berths>> {
        self.berths.get().map(|berths| berths.lock())
    }

    /// The name of the node of a rank of this process.
    pub fn name_of(&self, seat: usize) -> Option<String> {
        match self.berths() {
            Some(berths) => Some(berths.name_of(berths.node_of(seat))),
            None => self.told.lock().get(&seat).map(|node| node.name.clone()),
        }
    }

    /// The rack of a rank of this process; without racks, its node.
    pub fn rack_of(&self, seat: usize) -> Option<usize> {
        match self.berths() {
            Some(berths) => Some(berths.rack_of(seat)),
            None => self.told.lock().get(&seat).map(|node| node.rack),
        }
    }
}
