//! The memory that a member of a window exposes.

use crate::host::memory::Span;
use crate::mpi::datatype::Address;

/// The memory that a member exposes.
#[derive(Clone, Copy, Debug)]
pub struct Segment {
    pub memory: Span,
    /// How far apart displacements are, in bytes.
    pub unit: i64,
    /// Whether it is the library's, and so stays when its member dies.
    pub is_kept: bool,
}

impl Segment {
    /// Where it begins.
    pub fn address(&self) -> Address {
        Address(self.memory.address())
    }
}
