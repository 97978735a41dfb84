//! Groups that have no communicator in common, and find each other, and worlds that are spawned
//! (MPI-5.0 §11.8, §11.9).

pub mod births;
pub mod connect;
pub mod disconnect;
pub mod hints;
pub mod join;
pub mod ports;
pub mod spawn;
