//! What the calls mean. Everything hangs on a [`process::Process`]: one rank's MPI.

pub mod attributes;
pub mod callback;
pub mod checks;
pub mod coll;
pub mod comm;
pub mod datatype;
pub mod env;
pub mod errhandler;
pub mod error;
pub mod error_codes;
pub mod failure;
pub mod fortran;
pub mod handle_table;
pub mod hardware;
pub mod info;
pub mod init;
pub mod lane;
pub mod leftovers;
pub mod objects;
pub mod op;
pub mod p2p;
pub mod process;
pub mod run;
pub mod scratch;
pub mod session;
pub mod topology;
