//! Brings ranks to life in this process: loader, libc shims, heaps, scheduler, death, respawn.
//!
//! The way of a rank: `job::start` hands the program and the job to [`life::run`] → every
//! seat gets a [`Rank`] (private images by [`loader`], heap by [`heap`], libc state by [`shims`]) →
//! its thread runs constructors and `main` → it ends by one of the ways of [`life::Ending`] → the
//! supervisor tells the [`life::Tenant`] above, and does what that says.

pub mod clock;
mod fiber;
pub mod heap;
pub mod life;
pub mod loader;
pub mod memory;
pub mod output;
pub mod rank;
mod real;
pub mod replay;
pub mod sched;
pub mod service;
pub mod shims;
pub mod signals;
pub mod tasks;
pub mod unwind;
pub mod variables;

pub use rank::{Rank, current};

use real::real;
