//! The hosts of a job, as its coordinator hears them: their leases, and the view. Beats are
//! answered by the threads that listen to the agents, and a thread of its own looks for leases that
//! are over: so what the coordinator does otherwise, or waits for, lengthens no host's silence.
//!
//! The coordinator hears of a lost host once enough of the others have accepted that it is out.

use super::agent::{Agent, Steps};
use crate::processes::happening::Happening;
use ftmpi_fault::{HostView, Leases, Move, Reign, SUCCESSION};
use ftmpi_wireup as wireup;
use ftmpi_wireup::hosts::{Mark, OfAgent, ToAgent};
use std::collections::BTreeMap;
use std::io::BufReader;
use std::net::TcpStream;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The hosts, as they are heard.
pub(crate) struct Registry {
    state: Mutex<State>,
    /// How many hosts the job has begun with.
    hosts: usize,
    started: Instant,
    steps: Steps,
    events: Sender<Happening>,
}

struct State {
    leases: Leases,
    reign: Reign,
    /// Nobody takes over: a host is out when it is lost.
    is_alone: bool,
    /// The job is over: agents may go.
    is_closed: bool,
    /// When leases are over of those that have not voted.
    succeeds: Option<Duration>,
    agents: BTreeMap<usize, Arc<Agent>>,
    /// The view that is proposed, after the one that is settled.
    proposed: Option<(HostView, HostView)>,
    /// What step each host has confirmed.
    confirmed: BTreeMap<usize, u64>,
    /// How many messages that each agent keeps have been dealt with.
    taken: BTreeMap<usize, u64>,
}

impl Registry {
    /// Those of a coordinator that counts its time from `started`. `is_alone`: nobody takes over.
    pub(crate) fn new(
        hosts: usize, reign: Reign, is_alone: bool, started: Instant, steps: Steps,
        events: Sender<Happening>,
    ) -> Registry {
        let state = State {
            leases: Leases::new(hosts, started.elapsed()),
            reign,
            is_alone,
            is_closed: false,
            succeeds: None,
            agents: BTreeMap::new(),
            proposed: None,
            confirmed: BTreeMap::new(),
            taken: BTreeMap::new(),
        };
        Registry { state: Mutex::new(state), hosts, started, steps, events }
    }

    /// Until that time, the voters may have been loyal to others: once leases are over that those
    /// may have prolonged before, the hosts are given up that have not voted.
    pub(super) fn succeed_after(&self, deserted: Instant) {
        let at = (deserted + SUCCESSION).saturating_duration_since(self.started);
        self.with(|state, _| state.succeeds = state.reign.has_to_wait().then_some(at));
    }

    fn with<T>(&self, act: impl FnOnce(&mut State, Duration) -> T) -> T {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.started.elapsed();
        act(&mut state, now)
    }

    /// The job is over: whoever goes has done so in peace.
    pub(crate) fn close(&self) {
        self.with(|state, _| state.is_closed = true);
    }

    /// One more message that this agent keeps has been dealt with.
    pub(crate) fn took(&self, host: usize) {
        self.with(|state, _| *state.taken.entry(host).or_default() += 1);
    }

    /// Hears an agent from now on.
    pub(crate) fn attend(
        self: &Arc<Registry>, agent: Arc<Agent>, mut reading: BufReader<TcpStream>,
    ) {
        let registry = self.clone();
        thread::spawn(move || {
            let host = agent.host;
            while let Some(said) = wireup::read(&mut reading).ok().flatten() {
                match said {
                    OfAgent::Beat { beat, mark } => registry.answer(&agent, beat, mark),
                    OfAgent::Accepted(view) => {
                        let moves = registry.with(|state, _| state.reign.hear(host, view));
                        registry.perform(moves);
                    }
                    said => {
                        if matches!(said, OfAgent::Account(_)) {
                            registry.propose_again(&agent);
                        }
                        if registry.tell(host, Some(said)).is_err() {
                            return;
                        }
                    }
                }
            }
            let is_apart = registry.with(|state, _| state.is_alone || state.is_closed);
            // One that has only lost its connection has ranks until its lease is over.
            if is_apart || agent.has_ended() {
                registry.lose(host);
            }
        });
    }

    fn tell(&self, host: usize, said: Option<OfAgent>) -> Result<(), ()> {
        self.events.send(Happening::OfAgent { host, said }).map_err(|_| ())
    }

    /// A beat has come from this host.
    fn answer(&self, agent: &Agent, beat: u64, echo: Mark) {
        let step = self.steps.load(Ordering::SeqCst);
        let answer = self.with(|state, now| {
            state.reign.confirm(agent.host, Duration::from_micros(echo.at));
            state.confirmed.insert(agent.host, echo.step);
            let renews = state.is_alone || state.reign.is_backed(now);
            let known = state.reign.members().map(|host| state.confirmed.get(&host).copied());
            let known = known.min().flatten().unwrap_or(0);
            let mark = Mark { at: now.as_micros() as u64, step };
            let taken = state.taken.get(&agent.host).copied().unwrap_or(0);
            let answer = ToAgent::Renew { beat, renews, mark, known, taken };
            state.leases.hear(agent.host, now).then_some(answer)
        });
        if let Some(answer) = answer {
            agent.tell(&answer);
        }
    }

    /// An agent that has been told of a view before it had the way here could not accept it.
    fn propose_again(&self, agent: &Agent) {
        if let Some((settled, next)) = self.with(|state, _| state.proposed.clone()) {
            agent.tell(&ToAgent::Propose { settled, next });
        }
    }

    /// The connection to this host has ended, or its lease.
    pub(super) fn lose(&self, host: usize) {
        let moves = self.with(|state, _| {
            state.leases.forget(host);
            if state.is_alone || state.is_closed {
                return None;
            }
            Some(state.reign.lose(host))
        });
        match moves {
            Some(moves) => self.perform(moves),
            // Nobody may listen any more.
            None => _ = self.tell(host, None),
        }
    }

    fn perform(&self, moves: Vec<Move>) {
        for it in moves {
            let agents = self.with(|state, _| {
                let members: Vec<usize> = state.reign.members().collect();
                let agents = members.iter().filter_map(|host| state.agents.get(host).cloned());
                agents.collect::<Vec<Arc<Agent>>>()
            });
            let tell = |what: &ToAgent| agents.iter().for_each(|agent| agent.tell(what));
            match it {
                Move::Propose { settled, next } => {
                    let proposed = Some((settled.clone(), next.clone()));
                    self.with(|state, _| state.proposed = proposed);
                    tell(&ToAgent::Propose { settled, next });
                }
                Move::Settled { view, gone } => {
                    self.with(|state, _| state.proposed = None);
                    tell(&ToAgent::Settled(view));
                    for host in gone {
                        self.with(|state, _| state.leases.forget(host));
                        // Nobody may listen any more.
                        let _unheard = self.tell(host, None);
                    }
                }
                Move::GiveUp { left, of } => {
                    let _unheard = self.events.send(Happening::Outvoted { left, of });
                }
            }
        }
    }

    /// From now on, hosts whose leases are over are given up.
    pub(crate) fn watch(self: &Arc<Registry>, agents: &[Arc<Agent>]) {
        const OFTEN: Duration = Duration::from_millis(20);
        self.with(|state, now| {
            // Nobody was to be heard before all had answered.
            state.leases = Leases::new(self.hosts, now);
            let is_there = |host: &usize| agents.iter().any(|agent| agent.host == *host);
            (0..self.hosts).filter(|it| !is_there(it)).for_each(|it| state.leases.forget(it));
            if state.reign.epoch() == 0 {
                // Nobody can have voted for another coordinator before they know of each other.
                state.reign.back(now);
            }
            state.agents = agents.iter().map(|agent| (agent.host, agent.clone())).collect();
        });
        let registry = self.clone();
        thread::spawn(move || {
            loop {
                thread::sleep(OFTEN);
                let (is_closed, expired, moves) = registry.with(|state, now| {
                    let is_due = state.succeeds.take_if(|at| *at <= now).is_some();
                    let moves = if is_due { state.reign.succeed() } else { Vec::new() };
                    let expired = state.leases.expire(now);
                    let cut = expired.iter().filter_map(|host| state.agents.get(host));
                    cut.for_each(|agent| agent.cut_off());
                    (state.is_closed, expired, moves)
                });
                if is_closed {
                    return;
                }
                registry.perform(moves);
                expired.into_iter().for_each(|host| registry.lose(host));
            }
        });
    }
}
