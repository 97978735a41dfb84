//! The foundation of every floor: clock, random numbers, queues, agendas, words.

#![deny(unsafe_code)]

pub mod agenda;
pub mod division;
pub mod json;
pub mod layout;
pub mod member;
pub mod random;
pub mod roll;
pub mod slab;
#[allow(unsafe_code, reason = "queues hand nodes over between threads")]
pub mod sync;
pub mod tenants;

pub use division::{Division, evenly};
pub use member::Member;
