//! The cost of a message: its arrival time, given its route and departure. Pure arithmetic.

use super::topology::Path;
use super::units::{NANO, Picos};

/// When a change of dimension costs time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CornerRule {
    /// Once for each message, as the paper counts.
    PerMessage,
    /// For each turn that a message takes.
    PerTurn,
    /// For each turn, and once if a message takes none: it turns into the network.
    OnceAtLeast,
}

/// The costs of a network, in picoseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cost {
    pub cycle: Picos,
    pub hop: Picos,
    pub corner: Picos,
    pub corner_rule: CornerRule,
    /// The minimum time of a handler.
    pub handler: Picos,
    /// For each byte, at the narrowest place of its route.
    pub byte: Picos,
}

impl Default for Cost {
    /// The Blue Gene as it was announced in 2001.
    fn default() -> Cost {
        Cost {
            cycle: NANO,
            hop: 5 * NANO,
            corner: 75 * NANO,
            corner_rule: CornerRule::PerMessage,
            handler: 1000 * NANO,
            byte: 0,
        }
    }
}

impl Cost {
    /// The arrival time of a message that leaves now. A message to oneself takes no time.
    pub fn arrival(&self, path: Path, bytes: u64, now: Picos) -> Picos {
        if path.hops == 0 {
            return now;
        }
        let corners = match self.corner_rule {
            CornerRule::PerMessage => 1,
            CornerRule::PerTurn => path.turns,
            CornerRule::OnceAtLeast => path.turns.max(1),
        };
        let network = Picos::from(path.hops) * self.hop + Picos::from(corners) * self.corner;
        now.saturating_add(network).saturating_add(bytes.saturating_mul(self.byte))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_corner_is_paid_once_or_for_each_turn() {
        let mut cost = Cost::default();
        let straight = Path { hops: 1, turns: 0 };
        let crooked = Path { hops: 12, turns: 2 };
        assert_eq!(cost.arrival(straight, 128, 0), 80 * NANO);
        assert_eq!(cost.arrival(crooked, 128, 7), 7 + 135 * NANO);
        cost.corner_rule = CornerRule::PerTurn;
        assert_eq!(cost.arrival(straight, 128, 0), 5 * NANO);
        assert_eq!(cost.arrival(crooked, 128, 0), 210 * NANO);
        cost.corner_rule = CornerRule::OnceAtLeast;
        assert_eq!(cost.arrival(straight, 128, 0), 80 * NANO);
        assert_eq!(cost.arrival(crooked, 128, 0), 210 * NANO);
    }

    #[test]
    fn a_message_that_takes_too_long_arrives_at_the_end_of_all_time() {
        let cost = Cost { byte: 1 << 40, ..Cost::default() };
        assert_eq!(cost.arrival(Path { hops: 1, turns: 0 }, 1 << 31, 5), Picos::MAX);
    }

    #[test]
    fn bytes_cost_what_the_machine_says_and_oneself_costs_nothing() {
        let cost = Cost { byte: 10, ..Cost::default() };
        assert_eq!(cost.arrival(Path { hops: 1, turns: 0 }, 100, 0), 81 * NANO);
        assert_eq!(cost.arrival(Path::default(), 100, 5), 5);
    }
}
