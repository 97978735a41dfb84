//! What the calls mean. Everything hangs on a [`process::Process`]: one rank's MPI.

pub mod error;
pub mod process;
pub mod status;
pub mod table;
pub mod world;
