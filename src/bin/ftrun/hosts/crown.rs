//! What a new coordinator begins with.

use super::agent::{Agent, Steps};
use super::registry::Registry;
use crate::processes::happening::Happening;
use ftmpi_fault::Reign;
use ftmpi_wireup as wireup;
use ftmpi_wireup::hosts::Program;
use ftmpi_wireup::takeover::{Fellows, ToPeer};
use std::io::BufReader;
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

/// The votes that it has, and what it is about.
pub(crate) struct Crown {
    pub(crate) me: usize,
    /// When the job began, and when its ranks did.
    pub(crate) begun: Instant,
    pub(crate) started: Instant,
    /// When it has asked for votes.
    pub(crate) asked: Instant,
    /// When the last of its voters was loyal to another coordinator.
    pub(crate) deserted: Instant,
    pub(crate) reign: Reign,
    /// The hosts whose agents have certainly ended.
    pub(crate) gone: Vec<usize>,
    pub(crate) voters: Vec<(usize, BufReader<TcpStream>)>,
    pub(crate) program: Program,
    pub(crate) fellows: Fellows,
}

impl Crown {
    /// Tells the voters that they have won, and hears them from now on.
    pub(crate) fn begin(
        self, events: &Sender<Happening>,
    ) -> (Vec<Arc<Agent>>, Arc<Registry>, Steps) {
        let Crown { asked, deserted, mut reign, gone, voters, fellows, .. } = self;
        // Its clock begins when it has asked them.
        reign.back(Duration::ZERO);
        let (steps, settled) = (Steps::default(), reign.settled().clone());
        let hosts = fellows.hosts.len();
        let registry = Registry::new(hosts, reign, false, asked, steps.clone(), events.clone());
        registry.succeed_after(deserted);
        let registry = Arc::new(registry);
        let mut agents = Vec::new();
        for (host, mut stream) in voters {
            let name = fellows.hosts[host].name.clone();
            let elected = ToPeer::Elected { settled: settled.clone(), known: 0 };
            // If it has gone, that is heard.
            let _unheard = wireup::write(stream.get_mut(), &elected);
            let _unlimited = stream.get_ref().set_read_timeout(None);
            let Ok(writing) = stream.get_ref().try_clone() else { continue };
            let Ok(agent) = Agent::new(host, name, writing, None, steps.clone()) else { continue };
            let _once = agent.addresses.set(fellows.hosts[host].addresses.clone());
            agents.push((Arc::new(agent), stream));
        }
        let all: Vec<Arc<Agent>> = agents.iter().map(|(agent, _)| agent.clone()).collect();
        registry.watch(&all);
        agents.into_iter().for_each(|(agent, stream)| registry.attend(agent, stream));
        gone.into_iter().for_each(|host| registry.lose(host));
        (all, registry, steps)
    }
}
