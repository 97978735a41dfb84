//! The tools interface (MPI-5.0 §15.3): control variables, performance variables, categories and
//! events. Every rank has tools of its own; what they read lies below, and is counted anyway or
//! only as long as a tool asks for it.

pub mod categories;
pub mod cvars;
pub mod errors;
pub mod event_queue;
pub mod events;
pub mod pvars;
mod registration;
pub mod settings;
pub mod state;
pub mod value;
pub mod variables;
