//! Runs ranks in this process: loader, libc shims, heaps, scheduler, death, respawn.
//!
//! How a rank runs: `job::start` hands the program and the job to [`life::run`] → every seat gets a
//! [`Rank`] (private images by [`loader`], heap by [`heap`], libc state by [`shims`]) → its thread
//! runs constructors and `main` → it ends in one of the ways of [`life::Ending`] → the supervisor
//! tells the [`life::Tenant`] above, and does what the tenant decides.

pub mod callers;
pub mod clock;
pub mod computing;
mod cores;
pub mod disk;
mod errno;
mod fiber;
pub mod frames;
mod futex;
pub mod heap;
pub mod interfaces;
pub mod launcher;
pub mod life;
pub mod loader;
pub mod memory;
pub mod output;
pub mod rank;
mod real;
pub mod replay;
pub mod sched;
pub mod script;
pub mod service;
pub mod shims;
pub mod signals;
pub mod socket;
pub mod symbols;
pub mod tasks;
pub mod unwind;
pub mod variables;
pub mod virtual_time;

pub use rank::{Rank, current};

use real::real;
