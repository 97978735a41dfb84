//! What every floor stands on: clock, chance, queues, agendas, words.

#![deny(unsafe_code)]

pub mod agenda;
pub mod json;
pub mod layout;
pub mod member;
pub mod random;
pub mod roll;
pub mod slab;
#[allow(unsafe_code, reason = "queues hand nodes over between threads")]
pub mod sync;
pub mod tenants;

pub use member::Member;
