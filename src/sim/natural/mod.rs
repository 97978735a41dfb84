//! Natural fault tolerance (Geist and Engelmann 2002): algorithms that continue when nodes die, on
//! a hundred thousand nodes, each of which knows a few others.

pub mod deaths;
pub mod graph;
pub mod hashed;
pub mod max;
pub mod picture;
mod points;
pub mod poisson;
pub mod rate;
pub mod solve;
pub mod wiring;
pub mod world;

pub use graph::Graph;
pub use wiring::{MOST_NODES, Wiring};
pub use world::{Application, Counters, Here, Row, World};
