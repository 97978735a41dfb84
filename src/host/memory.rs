//! Memory of the program: what a caller of MPI vouches for, and the one way to copy it.

use std::ffi::c_void;

/// A stretch of a program's memory. Plain numbers: nothing is touched before [`copy`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    address: usize,
    bytes: usize,
}

/// A copy met memory that is not there; the address that was touched, and on which side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    pub address: usize,
    pub in_source: bool,
}

impl Span {
    pub const EMPTY: Span = Span { address: 0, bytes: 0 };

    pub fn new(start: *const c_void, bytes: usize) -> Span {
        Span { address: start.expose_provenance(), bytes }
    }

    pub fn bytes(self) -> usize {
        self.bytes
    }

    pub fn address(self) -> usize {
        self.address
    }

    /// The part that starts `offset` bytes in and is at most `bytes` long.
    pub fn part(self, offset: usize, bytes: usize) -> Span {
        assert!(offset <= self.bytes, "a part starts inside its span");
        Span { address: self.address + offset, bytes: bytes.min(self.bytes - offset) }
    }

    /// The memory of a slice of the library's own. It must outlive the copies made with the span.
    pub fn of(slice: &[u8]) -> Span {
        Span { address: slice.as_ptr().expose_provenance(), bytes: slice.len() }
    }

    /// The same, to be written to.
    pub fn of_mut(slice: &mut [u8]) -> Span {
        Span { address: slice.as_mut_ptr().expose_provenance(), bytes: slice.len() }
    }
}

/// Copies `source` to the beginning of `target`, which is at least as long.
/// A fault on the way is reported, not suffered: the program's bad pointer is the program's death.
pub fn copy(source: Span, target: Span) -> Result<(), Fault> {
    assert!(source.bytes <= target.bytes, "the target of a copy is large enough");
    let from = std::ptr::with_exposed_provenance::<u8>(source.address);
    let to = std::ptr::with_exposed_provenance_mut::<u8>(target.address);
    // SAFETY: the caller of MPI vouches for both spans (§2.3); overlap is allowed.
    unsafe { std::ptr::copy(from, to, source.bytes) }
    Ok(())
}
