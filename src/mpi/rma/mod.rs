//! One-sided communication (MPI-5.0 §12). Where ranks share a process, put and get are copies, an
//! accumulate is an atomic operation on the target's memory, and all are complete when their calls
//! return. What is left is to say when they are allowed (epochs), and who waits for whom; and in
//! virtual time, what they would take ([`traffic`]).
//!
//! From below: what the members of a window share ([`shared`]), what a process
//! knows of its own part ([`epochs`], [`win`]), and what the calls do.

pub mod accumulate;
pub mod active;
pub mod at_once;
pub mod attached;
pub mod create;
pub mod dynamic;
pub mod epochs;
pub mod hints;
pub mod passive;
pub mod peers;
pub mod remote;
pub mod segment;
pub mod shared;
pub mod target;
pub mod traffic;
pub mod transfer;
pub mod win;
