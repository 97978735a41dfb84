//! What threads share without a lock.
//!
//! Checked by exhaustive interleaving (loom): `RUSTFLAGS="--cfg loom" cargo test --release -p
//! ftmpi_base loom --target-dir target/loom` (with `-p ftmpi_rs` for the bell of host/sched.rs),
//! and for undefined behaviour (Miri):
//! `MIRIFLAGS="-Zmiri-ignore-leaks -Zmiri-permissive-provenance -Zmiri-disable-isolation" cargo
//! +nightly miri test -p ftmpi_base`, likewise with `-p ftmpi_rs --lib transport:: fault::
//! engine::`.

pub mod alike;
pub mod arrivals;
pub mod biased;
pub mod cache;
pub mod fence;
pub mod handover;
pub mod latest;
pub mod lock_queue;
pub mod name;
pub mod queue;
pub mod ring;
pub mod sheet;

/// Atomics that the model checker can replace by its own.
pub mod atomic {
    #[cfg(loom)]
    pub use loom::sync::atomic::{
        AtomicBool, AtomicPtr, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence,
    };
    #[cfg(not(loom))]
    pub use std::sync::atomic::{
        AtomicBool, AtomicPtr, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence,
    };
}
