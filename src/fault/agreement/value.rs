//! What members contribute to an agreement, and how it becomes one value.

/// What a member contributes, and what comes of all contributions together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// Combined by AND.
    pub flags: u64,
    /// Combined by maximum.
    pub most: u64,
    /// Combined by minimum.
    pub least: u64,
    /// Combined by OR.
    pub any: u64,
    /// How many of the members' deaths, in the common order of notices, are acknowledged: combined
    /// by minimum, so it is what all have acknowledged.
    pub acknowledged: u32,
}

impl Value {
    /// What adds nothing to the others.
    pub const NEUTRAL: Value =
        Value { flags: u64::MAX, most: 0, least: u64::MAX, any: 0, acknowledged: u32::MAX };

    /// Both together.
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
