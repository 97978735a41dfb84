//! Failures as a program sees them: FT-MPI's modes and states, ULFM, recovery, injected deaths.

pub mod abroad;
pub mod attributes;
pub mod blank;
pub mod call_trace;
pub mod creation_order;
pub mod deadlock_report;
pub mod fault_attributes;
pub mod lineage;
pub mod planned_death;
pub mod recovery;
pub mod recovery_times;
pub(in crate::mpi) mod states;
pub mod ulfm;
pub mod usability;
