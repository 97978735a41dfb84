//! Jobs on several hosts: which hosts, how an agent is started on each, and what it does there.
//! `ftrun` itself is the coordinator; each rank is a process.

pub(crate) mod agent;
pub(crate) mod await_agents;
pub(crate) mod cluster;
pub(crate) mod named;
mod registry;
pub(crate) mod serve;
pub(crate) mod slurm;
pub(crate) mod stands;
pub(crate) mod summon;
mod tenancy;
mod version;
