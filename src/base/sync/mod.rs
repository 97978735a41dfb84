//! What threads share without a lock.
//!
//! Checked by exhaustive interleaving (loom) and for undefined behaviour (Miri):
//! `RUSTFLAGS="--cfg loom" cargo test --release --lib loom` and
//! `MIRIFLAGS=-Zmiri-ignore-leaks cargo +nightly miri test --lib base transport`.

pub mod queue;

/// Atomics that the model checker can replace by its own.
pub mod atomic {
    #[cfg(loom)]
    pub use loom::sync::atomic::{AtomicPtr, AtomicU8, AtomicU32, AtomicU64, Ordering, fence};
    #[cfg(not(loom))]
    pub use std::sync::atomic::{AtomicPtr, AtomicU8, AtomicU32, AtomicU64, Ordering, fence};
}
