//! What members contribute to an agreement, and how contributions are combined.

use serde::{Deserialize, Serialize};

/// A contribution, or a combination of contributions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Value {
    /// Combined by AND.
    pub flags: u64,
    /// Combined by maximum.
    pub most: u64,
    /// Combined by minimum.
    pub least: u64,
    /// Combined by OR.
    pub any: u64,
    /// How many of the members' deaths, in the common order of notices, are acknowledged. Combined
    /// by minimum, so it is the number that all have acknowledged.
    pub acknowledged: u32,
}

impl Value {
    /// The neutral element of the combination.
    pub const NEUTRAL: Value =
        Value { flags: u64::MAX, most: 0, least: u64::MAX, any: 0, acknowledged: u32::MAX };

    /// Combines two values.
    #[must_use]
    pub fn and(self, other: Value) -> Value {
        Value {
            flags: self.flags & other.flags,
            most: self.most.max(other.most),
            least: self.least.min(other.least),
            any: self.any | other.any,
            acknowledged: self.acknowledged.min(other.acknowledged),
        }
    }
}

impl Default for Value {
    fn default() -> Value {
        Value::NEUTRAL
    }
}
