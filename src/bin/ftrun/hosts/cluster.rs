//! The hosts of a job while it runs, by their agents.

use super::agent::{Agent, Steps};
use super::registry::Registry;
use super::stands::Stands;
use crate::processes::seats::Life;
use ftmpi_base::Member;
use ftmpi_wireup::hosts::ToAgent;
use ftmpi_wireup::takeover::Entry;
use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;

/// How the coordinator reaches the hosts.
pub(crate) struct Way {
    /// How many entries all have been told before.
    pub(crate) entries: u64,
    pub(crate) steps: Steps,
    pub(crate) registry: Arc<Registry>,
    /// What is typed here is for rank 0.
    pub(crate) passes_input: bool,
}

/// The hosts of a job.
pub(crate) struct Cluster {
    /// By number; none where a host is lost.
    agents: Vec<Option<Arc<Agent>>>,
    stands: Stands,
    /// What is typed here goes to rank 0.
    passes_input: bool,
    /// How many entries all have been told.
    entries: u64,
    steps: Steps,
    registry: Arc<Registry>,
}

impl Cluster {
    pub(crate) fn new(agents: Vec<Option<Arc<Agent>>>, stands: Stands, way: Way) -> Cluster {
        let Way { entries, steps, registry, passes_input } = way;
        Cluster { agents, stands, passes_input: !passes_input, entries, steps, registry }
    }

    /// Tells all ranks this, and their agents, in the one order of all entries.
    pub(crate) fn tell_all(&mut self, entry: &Entry) {
        self.entries += 1;
        let what = ToAgent::TellAll { number: self.entries, entry: entry.clone() };
        self.agents.iter().flatten().for_each(|agent| agent.tell(&what));
    }

    /// All that this step of the coordinator was to tell has been told.
    pub(crate) fn end_step(&self) {
        self.steps.fetch_add(1, Ordering::SeqCst);
    }

    /// One more message that the agent of this host keeps has been dealt with.
    pub(crate) fn took(&self, host: usize) {
        self.registry.took(host);
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
        self.registry.close();
        self.agents.iter().flatten().for_each(|agent| agent.tell(&ToAgent::End));
    }

    /// What ends the job at once, whatever the coordinator does.
    pub(crate) fn end_at_once(&self) -> impl FnOnce() + Send + use<> {
        let agents: Vec<Arc<Agent>> = self.agents.iter().flatten().cloned().collect();
        move || agents.iter().for_each(|agent| agent.tell(&ToAgent::Quit))
    }

    /// Waits for no agent any more.
    pub(crate) fn give_up(&mut self) {
        self.registry.close();
        self.agents.iter().flatten().for_each(|agent| agent.tell(&ToAgent::Quit));
        (0..self.agents.len()).for_each(|host| _ = self.lose(host));
    }

    pub(crate) fn has_agents(&self) -> bool {
        self.agents.iter().any(Option::is_some)
    }
}

impl Drop for Cluster {
    /// A job that could not begin has no successor.
    fn drop(&mut self) {
        self.give_up();
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
