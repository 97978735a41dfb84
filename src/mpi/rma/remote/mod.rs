//! Windows whose members are in several processes. Each process keeps its own part of a window:
//! who has locked it, and who has told it what. The others write it notes ([`notes`]), which it
//! reads at once, even while its rank computes ([`handler`]). Memory of other processes is mapped
//! where the library has allocated it, and read and written through the kernel where it has not,
//! or by asking where it is on another host; what is to be atomic there its own process does
//! ([`ask`]).

pub mod ask;
pub mod endpoint;
pub mod handler;
pub mod meet;
mod notes;
pub mod question;
