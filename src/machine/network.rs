//! The network model: what messages between the nodes of a machine cost in virtual time. Pure:
//! time is a parameter.

use super::model::Model;
use super::units::Picos;

/// How a network is modelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NetworkModel {
    /// Every message has the network to itself.
    #[default]
    Ideal,
    /// Messages consist of packets, which wait for each other at every link.
    Packets,
}

impl NetworkModel {
    pub const ALL: [NetworkModel; 2] = [NetworkModel::Ideal, NetworkModel::Packets];

    pub fn name(self) -> &'static str {
        match self {
            NetworkModel::Ideal => "ideal",
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
    /// Until when each link is taken.
    taken: Vec<Picos>,
}

/// How far a message has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It arrives whole at this time.
    Arrives(Picos),
    /// The rest, so many bytes, can leave at this time.
    Leaves { rest: u64, at: Picos },
}

impl Network {
    pub fn new(model: Model, detail: NetworkModel) -> Network {
        let links = match detail {
            NetworkModel::Ideal => 0,
            NetworkModel::Packets => model.topology.links(),
        };
        Network { model, detail, taken: vec![0; links] }
    }

    /// Whether messages do not wait for each other.
    pub fn is_ideal(&self) -> bool {
        self.detail == NetworkModel::Ideal
    }

    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Sends what is left of a message, `bytes` of it: all of it, or its next packet.
    pub fn send(&mut self, from: usize, to: usize, bytes: u64, now: Picos) -> Progress {
        let Model { topology, cost, node, .. } = &self.model;
        let path = topology.path(from, to);
        if self.detail == NetworkModel::Ideal || path.hops == 0 {
            return Progress::Arrives(cost.arrival(path, bytes, now));
        }
        let packet = bytes.min(u64::from(node.packet.max(1)));
        let length = packet * cost.byte;
        let (mut head, mut free) = (now, None);
        topology.each_link(from, to, |link| {
            let begins = head.max(self.taken[link]);
            self.taken[link] = begins + length;
            free = free.or(Some(begins + length));
            head = begins + cost.hop;
        });
        match bytes - packet {
            0 => {
                let corners = cost.arrival(path, 0, 0) - Picos::from(path.hops) * cost.hop;
                Progress::Arrives(head + corners + length)
            }
            rest => Progress::Leaves { rest, at: free.unwrap_or(now) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::NANO;

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

    /// When a message arrives whose packets are sent one after the other.
    fn arrival(network: &mut Network, from: usize, to: usize, bytes: u64, now: Picos) -> Picos {
        match network.send(from, to, bytes, now) {
            Progress::Arrives(at) => at,
            Progress::Leaves { rest, at } => arrival(network, from, to, rest, at),
        }
    }

    #[test]
    fn a_message_alone_takes_the_same_time_in_every_model() {
        for detail in NetworkModel::ALL {
            for (to, bytes, nanos) in [(1, 0, 10), (1, 8, 26), (2, 1000, 2020), (9, 250, 520)] {
                let mut network = network(detail);
                assert_eq!(arrival(&mut network, 0, to, bytes, 5), 5 + nanos * NANO, "{detail:?}");
            }
        }
    }

    #[test]
    fn messages_that_share_a_link_share_its_bandwidth() {
        let mut network = network(NetworkModel::Packets);
        let alone = 10 * NANO + 2000 * NANO;
        let (mut left, mut ends) = ([Some((1000, 0)); 4], Vec::new());
        // The packet that can leave first goes first.
        while let Some(next) =
            (0..4).filter(|it| left[*it].is_some()).min_by_key(|it| left[*it].map(|(_, at)| at))
        {
            let (bytes, at) = left[next].unwrap();
            left[next] = match network.send(0, 1, bytes, at) {
                Progress::Arrives(at) => {
                    ends.push(at);
                    None
                }
                Progress::Leaves { rest, at } => Some((rest, at)),
            };
        }
        assert_eq!(*ends.last().unwrap(), 4 * (alone - 10 * NANO) + 10 * NANO);
        assert!(ends[0] > 3 * alone, "they share it fairly: {ends:?}");
        assert_eq!(arrival(&mut network, 2, 3, 1000, 0), alone, "another link is free");
    }

    #[test]
    fn models_are_known_by_their_names() {
        for detail in NetworkModel::ALL {
            assert_eq!(NetworkModel::named(detail.name()), Some(detail));
        }
        assert_eq!(NetworkModel::named("magic"), None);
    }
}
