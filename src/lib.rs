//! An MPI that survives failures: every rank is a thread or fiber of one process, and the job
//! continues when ranks die.
//!
//! The code is organised in floors; each uses only the floors below it (see
//! `docs/ARCHITECTURE.md`).

#![deny(unsafe_code)]
#![allow(
    unreachable_pub,
    reason = "`pub` is what a room offers to others; nothing leaves the crate"
)]

mod checkpoint;
mod engine;
#[allow(unsafe_code, reason = "loads images, replaces libc functions and ends threads")]
mod host;
mod job;
mod mpi;
#[allow(unsafe_code, reason = "packets are handed from rank to rank as raw nodes")]
mod transport;

#[allow(unsafe_code, reason = "doors: exports symbols and takes raw parameters")]
mod abi;

use ftmpi_base as base;
use ftmpi_fault as fault;
use ftmpi_launch as launch;
use ftmpi_machine as machine;
use ftmpi_view as view;
use ftmpi_watch as watch;
use ftmpi_wireup as wireup;
