//! Memory of the library's own for the length of one call, aligned for any element.

use crate::host::memory::Span;
use std::ffi::c_void;

/// Room that is thrown away with the value. One room at a time.
#[derive(Default)]
pub struct Scratch(Vec<u128>);

impl Scratch {
    /// Zeroed room for `bytes`.
    pub fn room(&mut self, bytes: usize) -> Span {
        self.0 = vec![0; bytes.div_ceil(size_of::<u128>())];
        self.span(bytes)
    }

    /// The first `bytes` of the room.
    pub fn span(&mut self, bytes: usize) -> Span {
        Span::new(self.0.as_mut_ptr().cast_const().cast::<c_void>(), bytes)
    }
}
