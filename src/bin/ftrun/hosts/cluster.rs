//! The hosts of a job while it runs: which ranks are where, and what becomes of those whose host is
//! lost.

use super::agent::Agent;
use crate::processes::seats::Life;
use ftmpi_base::Member;
use ftmpi_wireup::hosts::ToAgent;
use std::io::Read;
use std::sync::Arc;
use std::thread;

/// The hosts of a job.
pub(crate) struct Cluster {
    /// By number; none where a host is lost.
    agents: Vec<Option<Arc<Agent>>>,
    /// The host of each rank.
    places: Vec<usize>,
}

impl Cluster {
    pub(crate) fn new(agents: Vec<Arc<Agent>>, places: Vec<usize>) -> Cluster {
        Cluster { agents: agents.into_iter().map(Some).collect(), places }
    }

    /// Lets an agent start a rank: where its life before was, or, if that host is lost, on the one
    /// with the fewest ranks.
    pub(crate) fn start(&mut self, member: Member, generation: u64) -> Result<Life, String> {
        let Member { seat, incarnation } = member;
        if self.agents[self.places[seat]].is_none() {
            let living = (0..self.agents.len()).filter(|host| self.agents[*host].is_some());
            let load = |host: &usize| self.places.iter().filter(|place| *place == host).count();
            self.places[seat] = living.min_by_key(load).ok_or("no host is left")?;
        }
        let agent = self.agents[self.places[seat]].as_ref().ok_or("no host is left")?;
        agent.tell(&ToAgent::Start { seat, incarnation, generation });
        Ok(Life::there(seat, incarnation, agent))
    }

    /// The agent of a host, as long as that is there.
    pub(crate) fn agent(&self, host: usize) -> Option<&Arc<Agent>> {
        self.agents.get(host)?.as_ref()
    }

    /// A host is lost; its name, if it was there.
    pub(crate) fn lose(&mut self, host: usize) -> Option<String> {
        let agent = self.agents.get_mut(host)?.take()?;
        agent.end();
        Some(agent.name.clone())
    }

    /// The job is over.
    pub(crate) fn end(&self) {
        self.agents.iter().flatten().for_each(|agent| agent.tell(&ToAgent::End));
    }

    /// Waits for no agent any more.
    pub(crate) fn give_up(&mut self) {
        (0..self.agents.len()).for_each(|host| _ = self.lose(host));
    }

    pub(crate) fn has_agents(&self) -> bool {
        self.agents.iter().any(Option::is_some)
    }

    /// What is typed here goes to rank 0.
    pub(crate) fn pass_on_input(&self) {
        const MOST: usize = 64 << 10;
        let Some(agent) = self.agent(self.places[0]).cloned() else { return };
        thread::spawn(move || {
            let (mut input, mut bytes) = (std::io::stdin().lock(), vec![0; MOST]);
            while let Ok(count @ 1..) = input.read(&mut bytes) {
                agent.tell(&ToAgent::Input(bytes[..count].to_vec()));
            }
            agent.tell(&ToAgent::Input(Vec::new()));
        });
    }
}
