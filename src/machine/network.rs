//! The network model: what messages between the nodes of a machine cost in virtual time. Pure:
//! time is a parameter.

use super::flows::Flows;
use super::model::Model;
use super::units::Picos;
use std::cmp::Reverse;

/// How a network is modelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NetworkModel {
    /// Every message has the network to itself.
    #[default]
    Ideal,
    /// Messages that share a link share its bandwidth.
    Flows,
    /// Messages consist of packets, which wait for each other at every link.
    Packets,
}

impl NetworkModel {
    pub const ALL: [NetworkModel; 3] =
        [NetworkModel::Ideal, NetworkModel::Flows, NetworkModel::Packets];

    pub fn name(self) -> &'static str {
        match self {
            NetworkModel::Ideal => "ideal",
            NetworkModel::Flows => "flows",
            NetworkModel::Packets => "packets",
        }
    }

    /// The model of this name.
    pub fn named(name: &str) -> Option<NetworkModel> {
        NetworkModel::ALL.into_iter().find(|model| model.name() == name)
    }
}

/// A network, with what is under way in it.
pub struct Network {
    model: Model,
    detail: NetworkModel,
    /// Until when each link is taken, and for how long it has been so far.
    taken: Vec<(Picos, Picos)>,
    /// What is under way as flows.
    flows: Flows,
    /// Until when the files are busy.
    files_taken: Picos,
}

/// The way of a message whose packets wait at links.
pub struct Route {
    links: Vec<usize>,
    corners: Picos,
}

impl Route {
    pub fn hops(&self) -> usize {
        self.links.len()
    }
}

/// How a packet has passed a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passed {
    /// When its head is at the other end, and if that is where it goes to, when all of it is.
    pub head: Picos,
    pub whole: Picos,
    /// When the link is free again.
    pub free: Picos,
}

impl Network {
    pub fn new(model: Model, detail: NetworkModel) -> Network {
        let links = match detail {
            NetworkModel::Ideal => 0,
            NetworkModel::Flows | NetworkModel::Packets => model.topology.links(),
        };
        let flows = Flows::new(links, model.cost.byte);
        Network { model, detail, taken: vec![(0, 0); links], flows, files_taken: 0 }
    }

    /// Whether messages do not wait for each other.
    pub fn is_ideal(&self) -> bool {
        self.detail == NetworkModel::Ideal
    }

    pub fn model(&self) -> &Model {
        &self.model
    }

    /// When a message arrives that leaves now and waits for no other.
    pub fn arrival(&self, from: usize, to: usize, bytes: u64, now: Picos) -> Picos {
        self.model.cost.arrival(self.model.topology.path(from, to), bytes, now)
    }

    /// The way of a message, unless its packets wait for no other's.
    pub fn route(&self, from: usize, to: usize) -> Option<Route> {
        if self.detail != NetworkModel::Packets || from == to {
            return None;
        }
        let links = self.links(from, to);
        let straight = links.len() as Picos * self.model.cost.hop;
        Some(Route { corners: self.arrival(from, to, 0, 0) - straight, links })
    }

    fn links(&self, from: usize, to: usize) -> Vec<usize> {
        let mut links = Vec::new();
        self.model.topology.each_link(from, to, |link| links.push(link));
        links
    }

    /// A message begins as a flow, if that is what messages are; returns its number.
    pub fn begin_flow(&mut self, from: usize, to: usize, bytes: u64, now: Picos) -> Option<usize> {
        if self.detail != NetworkModel::Flows || from == to {
            return None;
        }
        let links = self.links(from, to);
        links.iter().for_each(|link| self.taken[*link].1 += bytes * self.model.cost.byte);
        Some(self.flows.begin(links, bytes, now))
    }

    /// Flows have begun or ended: all get their shares. When the next one ends, if none begins
    /// before.
    pub fn settle_flows(&mut self, now: Picos) -> Option<Picos> {
        self.flows.settle(now)
    }

    /// The flows that have ended by now: all that is left of each is the way of its last byte.
    pub fn end_flows(&mut self, now: Picos) -> Vec<usize> {
        self.flows.end(now)
    }

    /// When an access to files is over that begins now; `None`: it takes no time.
    pub fn access_files(&mut self, bytes: u64, now: Picos) -> Option<Picos> {
        let files = self.model.files.as_ref()?;
        let (free, over) = files.access(bytes, self.files_taken, now);
        self.files_taken = free;
        Some(over)
    }

    /// How long the next packet is of a message of which so many bytes are left.
    pub fn packet(&self, rest: u64) -> u64 {
        rest.min(u64::from(self.model.node.packet.max(1)))
    }

    /// The head of a packet is at this link of its way now.
    pub fn pass(&mut self, route: &Route, at: usize, bytes: u64, now: Picos) -> Passed {
        let length = bytes.saturating_mul(self.model.cost.byte);
        let (taken, busy) = &mut self.taken[route.links[at]];
        let begins = now.max(*taken);
        let free = begins.saturating_add(length);
        (*taken, *busy) = (free, busy.saturating_add(length));
        let head = begins.saturating_add(self.model.cost.hop);
        Passed { head, whole: head.saturating_add(length).saturating_add(route.corners), free }
    }
}

impl Network {
    /// For how long a link has been taken, if messages wait for each other.
    pub fn busy(&self, link: usize) -> Picos {
        self.taken.get(link).map_or(0, |(_, busy)| *busy)
    }

    /// The links that have been taken for the longest time, and for how long.
    pub fn busiest(&self, many: usize) -> impl Iterator<Item = (usize, Picos)> + '_ {
        let mut links: Vec<usize> = (0..self.taken.len()).collect();
        links.sort_by_key(|link| Reverse(self.taken[*link].1));
        links
            .into_iter()
            .map(|link| (link, self.taken[link].1))
            .take(many)
            .filter(|link| link.1 > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::NANO;
    use std::collections::BinaryHeap;

    const TEXT: &str = r#"
        [machine]
        topology = "torus"
        dims = [8, 8]
        [node]
        packet = 100
        [cost]
        hop_ns = 10
        corner_ns = 0
        byte_ns = 2
    "#;

    fn network(detail: NetworkModel) -> Network {
        Network::new(Model::read("m", TEXT).unwrap(), detail)
    }

    /// When messages arrive, each with its two nodes, its length, and when it leaves.
    fn arrivals(network: &mut Network, messages: &[(usize, usize, u64, Picos)]) -> Vec<Picos> {
        let routes: Vec<Option<Route>> =
            messages.iter().map(|(from, to, ..)| network.route(*from, *to)).collect();
        let mut ends: Vec<Picos> = messages
            .iter()
            .map(|(from, to, bytes, at)| network.arrival(*from, *to, *bytes, *at))
            .collect();
        // What is where: a message that still has so many bytes to send, or a packet on its way.
        let mut events = BinaryHeap::new();
        for (number, (_, _, bytes, at)) in messages.iter().enumerate() {
            events.push(Reverse((*at, number, 0, *bytes, true)));
        }
        while let Some(Reverse((now, number, at, bytes, sends))) = events.pop() {
            let Some(route) = &routes[number] else { continue };
            let packet = if sends { network.packet(bytes) } else { bytes };
            let passed = network.pass(route, at, packet, now);
            if sends && packet < bytes {
                events.push(Reverse((passed.free, number, 0, bytes - packet, true)));
            }
            match at + 1 < route.hops() {
                true => events.push(Reverse((passed.head, number, at + 1, packet, false))),
                false => ends[number] = passed.whole,
            }
        }
        ends
    }

    #[test]
    fn a_message_alone_takes_the_same_time_in_every_model() {
        for detail in NetworkModel::ALL {
            for (to, bytes, nanos) in [(1, 0, 10), (1, 8, 26), (2, 1000, 2020), (9, 250, 520)] {
                let ends = arrivals(&mut network(detail), &[(0, to, bytes, 5)]);
                assert_eq!(ends, [5 + nanos * NANO], "{detail:?}");
            }
        }
    }

    #[test]
    fn messages_that_share_a_link_share_its_bandwidth() {
        let mut network = network(NetworkModel::Packets);
        let (hop, alone) = (10 * NANO, 2000 * NANO);
        let ends = arrivals(&mut network, &[(0, 1, 1000, 0); 4]);
        assert_eq!(ends.iter().max(), Some(&(4 * alone + hop)));
        assert!(ends.iter().all(|end| *end > 3 * alone), "they share it fairly: {ends:?}");
        assert_eq!(arrivals(&mut network, &[(2, 3, 1000, 0)]), [alone + hop], "another is free");
        let busiest: Vec<(String, Picos)> = (network.busiest(3))
            .map(|(link, busy)| (network.model().topology.link_name(link), busy))
            .collect();
        assert_eq!(busiest, [("0-1".to_string(), 4 * alone), ("2-3".to_string(), alone)]);
    }

    #[test]
    fn a_packet_that_is_far_from_a_link_keeps_nobody_from_it() {
        let mut network = network(NetworkModel::Packets);
        // The first one comes to the link between nodes 2 and 3 when the second has gone.
        let ends = arrivals(&mut network, &[(0, 3, 100, 0), (2, 3, 4, 5 * NANO)]);
        assert_eq!(ends, [230 * NANO, 23 * NANO]);
    }

    #[test]
    fn models_are_known_by_their_names() {
        for detail in NetworkModel::ALL {
            assert_eq!(NetworkModel::named(detail.name()), Some(detail));
        }
        assert_eq!(NetworkModel::named("magic"), None);
    }
}
