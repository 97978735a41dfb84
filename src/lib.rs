//! An MPI that survives: every rank a thread of one process, and the job goes on when ranks die.
//!
//! The house has floors; each uses only what lies below it (see `docs/ARCHITECTURE.md`).

#![deny(unsafe_code)]

pub mod base;
pub mod checkpoint;
pub mod engine;
pub mod fault;
#[allow(unsafe_code, reason = "loads images, replaces libc functions and ends threads")]
pub mod host;
pub mod job;
pub mod machine;
pub mod mpi;
#[allow(unsafe_code, reason = "packets are handed from rank to rank as raw nodes")]
pub mod transport;
pub mod view;

#[allow(unsafe_code, reason = "doors: exports symbols and takes raw parameters")]
pub mod abi;
