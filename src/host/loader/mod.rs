//! Gives every rank its own copy of the program and of the libraries that hold its state.

/// The private images of one rank.
#[derive(Default)]
pub(super) struct Images {}
