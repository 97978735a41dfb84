//! What a node hears.

/// Something that reaches a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Note<W> {
    pub to: u32,
    pub from: u32,
    pub what: W,
}
