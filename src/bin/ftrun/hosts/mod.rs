//! Jobs on several hosts: which hosts, how an agent is started on each, and what it does there.
//! `ftrun` itself is the coordinator; each rank is a process.

pub(crate) mod agent;
pub(crate) mod await_agents;
pub(crate) mod cluster;
mod commands;
pub(crate) mod crown;
mod hearing;
pub(crate) mod named;
mod peers;
pub(crate) mod registry;
mod replica;
pub(crate) mod serve;
pub(crate) mod signals;
pub(crate) mod slurm;
pub(crate) mod stands;
mod succession;
pub(crate) mod summon;
mod tenancy;
mod uplink;
mod version;
