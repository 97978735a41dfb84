//! The network model: what messages between the nodes of a machine cost in virtual time. Pure:
//! time is a parameter.

use super::flows::Flows;
use super::happening::Happening;
use super::model::Model;
use super::packets::Packets;
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
    traffic: Traffic,
    /// Until when the files are busy.
    files_taken: Picos,
}

/// Messages that wait for each other, or share links.
enum Traffic {
    None,
    Flows(Flows),
    Packets(Packets),
}

impl Network {
    pub fn new(model: Model, detail: NetworkModel) -> Network {
        let links = || model.topology.links();
        let traffic = match detail {
            NetworkModel::Ideal => Traffic::None,
            NetworkModel::Flows => Traffic::Flows(Flows::new(links(), model.cost.byte)),
            NetworkModel::Packets => {
                Traffic::Packets(Packets::new(links(), &model.cost, model.node.packet.into()))
            }
        };
        Network { model, traffic, files_taken: 0 }
    }

    /// Whether messages do not wait for each other.
    pub fn is_ideal(&self) -> bool {
        matches!(self.traffic, Traffic::None)
    }

    pub fn model(&self) -> &Model {
        &self.model
    }

    /// When a message arrives that leaves now and waits for no other.
    pub fn arrival(&self, from: usize, to: usize, bytes: u64, now: Picos) -> Picos {
        self.model.cost.arrival(self.model.topology.path(from, to), bytes, now)
    }

    /// A message of this name leaves. What becomes of it says [`Network::go_on`], which is called
    /// next, once for all that leave at one time. False if it has nothing to do with any other.
    pub fn begin(
        &mut self, name: usize, (from, to): (usize, usize), bytes: u64, now: Picos,
    ) -> bool {
        if self.is_ideal() || from == to {
            return false;
        }
        let mut links = Vec::new();
        self.model.topology.each_link(from, to, |link| links.push(link as u32));
        let straight = links.len() as Picos * self.model.cost.hop;
        let latency = self.arrival(from, to, 0, 0);
        match &mut self.traffic {
            Traffic::None => {}
            Traffic::Flows(flows) => flows.begin(name, links, latency, bytes, now),
            Traffic::Packets(packets) => {
                packets.begin(name, links, latency - straight, bytes, now);
            }
        }
        true
    }

    /// Goes on up to now, and further until before `quiet`, before which nothing happens elsewhere,
    /// or until something happens. Returns when to call this again, if nothing begins before.
    pub fn go_on(
        &mut self, now: Picos, quiet: Picos, happened: &mut Vec<Happening>,
    ) -> Option<Picos> {
        match &mut self.traffic {
            Traffic::None => None,
            Traffic::Flows(flows) => {
                flows.go_on(now, happened);
                flows.next()
            }
            Traffic::Packets(packets) => {
                packets.go_on(now, quiet, happened);
                packets.next()
            }
        }
    }

    /// When an access to files is over that begins now; `None`: it takes no time.
    pub fn access_files(&mut self, bytes: u64, now: Picos) -> Option<Picos> {
        let files = self.model.files.as_ref()?;
        let (free, over) = files.access(bytes, self.files_taken, now);
        self.files_taken = free;
        Some(over)
    }

    /// For how long a link has been taken, if messages have to do with each other.
    pub fn busy(&self, link: usize) -> Picos {
        match &self.traffic {
            Traffic::None => 0,
            Traffic::Flows(flows) => flows.busy(link),
            Traffic::Packets(packets) => packets.busy(link),
        }
    }

    /// The links that have been taken for the longest time, and for how long.
    pub fn busiest(&self, many: usize) -> impl Iterator<Item = (usize, Picos)> + '_ {
        let links = if self.is_ideal() { 0 } else { self.model.topology.links() };
        let mut links: Vec<(usize, Picos)> =
            (0..links).map(|link| (link, self.busy(link))).collect();
        links.sort_by_key(|(_, busy)| Reverse(*busy));
        links.into_iter().take(many).filter(|link| link.1 > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::happening::What;
    use crate::units::{END, NANO};
    use ftmpi_base::random::Random;

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

    /// When messages arrive, each with its two nodes, its length, and when it leaves. `is_ahead`:
    /// the network goes on by itself while nothing happens elsewhere.
    fn arrivals_by(
        is_ahead: bool, network: &mut Network, messages: &[(usize, usize, u64, Picos)],
    ) -> Vec<Picos> {
        let mut ends = vec![Picos::MAX; messages.len()];
        let mut order: Vec<usize> = (0..messages.len()).collect();
        order.sort_by_key(|number| Reverse(messages[*number].3));
        let (mut next, mut happened) = (None, Vec::new());
        while let Some(now) = order.last().map(|it| messages[*it].3).into_iter().chain(next).min() {
            while let Some(number) = order.pop_if(|number| messages[*number].3 == now) {
                let (from, to, bytes, at) = messages[number];
                if !network.begin(number, (from, to), bytes, at) {
                    ends[number] = network.arrival(from, to, bytes, at);
                }
            }
            let quiet = order.last().map_or(Picos::MAX, |number| messages[*number].3);
            next = network.go_on(now, if is_ahead { quiet } else { now }, &mut happened);
            for it in happened.drain(..) {
                assert!(it.at >= now, "nothing happens in the past");
                if it.what == What::Arrives {
                    ends[it.message] = it.at;
                }
            }
        }
        assert!(ends.iter().all(|end| *end < Picos::MAX), "all arrive");
        ends
    }

    fn arrivals(network: &mut Network, messages: &[(usize, usize, u64, Picos)]) -> Vec<Picos> {
        arrivals_by(true, network, messages)
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
    fn a_network_that_goes_on_by_itself_does_what_it_does_step_by_step() {
        let mut random = Random::new(11);
        for detail in NetworkModel::ALL {
            for many in [1, 2, 5, 20, 100] {
                let mut drawn = |most| random.below(most);
                let messages: Vec<(usize, usize, u64, Picos)> = (0..many)
                    .map(|_| (drawn(64) as usize, drawn(64) as usize, drawn(2000), drawn(9_000)))
                    .map(|(from, to, bytes, at)| (from, to, bytes, at * NANO))
                    .collect();
                let [ahead, steps] = [true, false]
                    .map(|is_ahead| arrivals_by(is_ahead, &mut network(detail), &messages));
                assert_eq!(ahead, steps, "{detail:?}, {many} messages");
            }
        }
    }

    #[test]
    fn what_takes_too_long_is_under_way_until_the_end_of_all_time() {
        for detail in [NetworkModel::Flows, NetworkModel::Packets] {
            let text = TEXT.replace("byte_ns = 2", "byte_ns = 1e9");
            let mut network = Network::new(Model::read("m", &text).unwrap(), detail);
            assert!(network.begin(0, (0, 2), u64::MAX, 5));
            let (mut next, mut happened) = (Some(5), Vec::new());
            while let Some(now) = next.filter(|now| *now < END) {
                next = network.go_on(now, Picos::MAX, &mut happened);
            }
            assert_eq!((next, happened.len()), (Some(END), 0), "{detail:?}");
        }
    }

    #[test]
    fn models_are_known_by_their_names() {
        for detail in NetworkModel::ALL {
            assert_eq!(NetworkModel::named(detail.name()), Some(detail));
        }
        assert_eq!(NetworkModel::named("magic"), None);
    }
}
