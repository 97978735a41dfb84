//! The hosts of a job while it runs, by their agents.

use super::agent::Agent;
use super::stands::Stands;
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
    stands: Stands,
    /// What is typed here goes to rank 0.
    passes_input: bool,
}

impl Cluster {
    pub(crate) fn new(agents: Vec<Arc<Agent>>, stands: Stands) -> Cluster {
        let agents = agents.into_iter().map(Some).collect();
        Cluster { agents, stands, passes_input: false }
    }

    /// Hosts on which another launcher has started the ranks: they have got their input from that.
    pub(crate) fn of_others(agents: Vec<Arc<Agent>>, stands: Stands) -> Cluster {
        Cluster { passes_input: true, ..Cluster::new(agents, stands) }
    }

    /// Lets an agent start a rank: where its life before was, or, if that host is lost or cannot
    /// start any, on another one.
    pub(crate) fn start(&mut self, member: Member, generation: u64) -> Result<Life, String> {
        let Member { seat, incarnation } = member;
        let host = self.stands.place(seat).ok_or("there is no host left that can start it")?;
        let agent = self.agents[host].as_ref().ok_or("its host is lost")?;
        agent.tell(&ToAgent::Start { seat, incarnation, generation });
        if seat == 0 && !std::mem::replace(&mut self.passes_input, true) {
            pass_on_input(agent.clone());
        }
        Ok(Life::there(seat, incarnation, agent))
    }

    /// A rank could not be started on this host: none will be any more.
    pub(crate) fn give_up_starting_on(&mut self, host: usize) {
        self.stands.rule_out(host);
    }

    /// The agent of a host, as long as that is there.
    pub(crate) fn agent(&self, host: usize) -> Option<&Arc<Agent>> {
        self.agents.get(host)?.as_ref()
    }

    /// A host is lost; its name, if it was there.
    pub(crate) fn lose(&mut self, host: usize) -> Option<String> {
        let agent = self.agents.get_mut(host)?.take()?;
        self.stands.rule_out(host);
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
}

/// What is typed here goes to rank 0, which this agent has been told to start: before, it would
/// have nobody to give it to.
fn pass_on_input(agent: Arc<Agent>) {
    const MOST: usize = 64 << 10;
    thread::spawn(move || {
        let (mut input, mut bytes) = (std::io::stdin().lock(), vec![0; MOST]);
        while let Ok(count @ 1..) = input.read(&mut bytes) {
            agent.tell(&ToAgent::Input(bytes[..count].to_vec()));
        }
        agent.tell(&ToAgent::Input(Vec::new()));
    });
}
