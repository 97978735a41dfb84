//! How long the way of a message is, without the links on it.

/// How long a route is, for those who count its cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Path {
    pub hops: u32,
    /// How often the route goes on in another dimension (or, in a fat tree, turns down).
    pub turns: u32,
}
