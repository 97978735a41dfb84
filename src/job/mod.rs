//! The job's policy: how a job starts and ends, what the end of a rank means to it, fault
//! injection, the deadlock detector, reports, and what people see of a running job.

mod abort;
mod company;
mod deadlock;
mod death_outside;
mod end;
mod entry;
mod fault_injection;
mod gone;
mod join;
mod launched;
mod link;
mod live;
mod policy;
mod report;
mod standstill;
mod start;
mod worlds;

pub use abort::end_group;
pub use end::{end_for_error, end_job, leave, status_for};
pub use entry::start;
pub use fault_injection::lead;
pub use join::join;
pub use link::{die, kill, place};
pub use standstill::introduce;
pub use worlds::Worlds;
