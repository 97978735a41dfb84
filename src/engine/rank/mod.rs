//! What a rank does for itself: matching, eager and rendezvous messages, progress, waits.

pub(in crate::engine) mod afar;
pub(in crate::engine) mod any_source;
pub(in crate::engine) mod arrivals;
pub(in crate::engine) mod awaited;
pub(in crate::engine) mod buffered;
pub(in crate::engine) mod eager;
pub(in crate::engine) mod generation;
pub(in crate::engine) mod instruments;
pub(in crate::engine) mod match_table;
pub(in crate::engine) mod matching;
#[cfg(all(test, not(loom)))]
pub(in crate::engine) mod model;
pub(in crate::engine) mod offload;
pub(in crate::engine) mod operation;
pub(in crate::engine) mod outlook;
pub(in crate::engine) mod posting;
pub(in crate::engine) mod prepost;
pub(in crate::engine) mod preposted;
pub(in crate::engine) mod probe;
pub(in crate::engine) mod progress;
pub(in crate::engine) mod receive;
pub(in crate::engine) mod rings;
mod send_outside;
pub(in crate::engine) mod simulated;
pub(in crate::engine) mod steps;
pub(in crate::engine) mod synchronize;
pub(in crate::engine) mod tally;
pub(in crate::engine) mod tasks;
#[cfg(all(test, not(loom)))]
pub(in crate::engine) mod tests;
pub(in crate::engine) mod wait;
pub(in crate::engine) mod wait_report;
