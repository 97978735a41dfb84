//! The numbers and operands that kernels work on.

/// An element that arithmetic works on.
pub(super) trait Number: Copy + PartialOrd {
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
    /// The smaller of the two.
    fn least(self, other: Self) -> Self {
        if other < self { other } else { self }
    }
    /// The larger of the two.
    fn most(self, other: Self) -> Self {
        if other > self { other } else { self }
    }
}

/// Two runs of elements, and where the results go: to those on the right, or apart from both.
#[derive(Clone, Copy)]
pub(super) struct Operands {
    pub(super) left: usize,
    pub(super) right: usize,
    pub(super) into: usize,
    pub(super) count: usize,
}
