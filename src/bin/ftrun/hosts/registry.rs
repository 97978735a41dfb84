//! The leases of the hosts, as `ftrun` keeps them. Beats are answered by the threads that listen to
//! the agents, and a thread of its own looks for leases that are over: so what `ftrun` does
//! otherwise, or waits for, lengthens no host's silence.

use super::agent::Agent;
use crate::processes::happening::Happening;
use ftmpi_fault::Leases;
use ftmpi_wireup::hosts::ToAgent;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The leases of all hosts.
pub(super) struct Registry {
    leases: Mutex<Leases>,
    started: Instant,
}

impl Registry {
    pub(super) fn new(hosts: usize) -> Registry {
        let leases = Mutex::new(Leases::new(hosts, Duration::ZERO));
        Registry { leases, started: Instant::now() }
    }

    fn with<T>(&self, act: impl FnOnce(&mut Leases, Duration) -> T) -> T {
        let mut leases = self.leases.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.started.elapsed();
        act(&mut leases, now)
    }

    /// A beat has come from this host.
    pub(super) fn answer(&self, agent: &Agent, beat: u64) {
        if self.with(|leases, now| leases.hear(agent.host, now)) {
            agent.tell(&ToAgent::Renew(beat));
        }
    }

    /// The connection to this host has ended.
    pub(super) fn forget(&self, host: usize) {
        self.with(|leases, _| leases.forget(host));
    }

    /// From now on, hosts whose leases are over are given up.
    pub(super) fn watch(self: Arc<Registry>, agents: Vec<Arc<Agent>>, events: Sender<Happening>) {
        const OFTEN: Duration = Duration::from_millis(100);
        // Nobody was to be heard before all had answered.
        self.with(|leases, now| *leases = Leases::new(agents.len(), now));
        thread::spawn(move || {
            while let Some(due) = self.with(|leases, now| Some(leases.due()?.saturating_sub(now))) {
                thread::sleep(due.max(OFTEN));
                for host in self.with(Leases::expire) {
                    agents[host].cut_off();
                    if events.send(Happening::OfAgent { host, said: None }).is_err() {
                        return;
                    }
                }
            }
        });
    }
}
