//! Groups that have no communicator in common, and find each other (MPI-5.0 §11.9).

pub mod connect;
pub mod join;
pub mod ports;
