//! What the calls mean. Everything hangs on a [`process::Process`]: one rank's MPI.

pub mod attr;
pub mod between;
pub mod buffer;
pub mod callback;
pub mod circle;
pub mod codes;
pub mod coll;
pub mod combine;
pub mod comm;
pub mod datatype;
pub mod draft;
pub mod env;
pub mod errhandler;
pub mod error;
pub mod group;
pub mod holdings;
pub mod info;
pub mod lane;
pub mod making;
#[allow(unsafe_code, reason = "reductions read and write elements")]
pub mod memory;
pub mod message;
pub mod named;
pub mod op;
pub mod phase;
pub mod process;
pub mod pt2pt;
pub mod request;
pub mod run;
pub mod scratch;
pub mod session;
pub mod status;
pub mod table;
pub mod typing;
pub mod world;
