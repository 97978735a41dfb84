//! The job's policy: how it starts and ends, what a rank's end means to it, injected faults,
//! deadlock, reports, and what people see of it while it runs.

mod abort;
mod deadlock;
mod end;
mod fault_injection;
mod gone;
mod live;
mod policy;
mod report;
mod start;

pub use abort::end_group;
pub use end::{end_for_error, end_job, leave, status_for};
pub use fault_injection::lead;
pub use start::start;
