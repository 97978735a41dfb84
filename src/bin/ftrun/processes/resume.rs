//! The work of a coordinator that takes over when `ftrun`, or the one before, is lost. Agents tell
//! what they have kept; of that, everything is made that the last one had.

use super::happening::{Connection, Guest, Happening};
use super::judgement::Record;
use super::lines::{self, say};
use super::report::Report;
use super::seats::Life;
use super::starter::Starter;
use super::trace::Trace;
use super::work::{Seen, Work};
use crate::hosts::agent::Agent;
use crate::hosts::cluster::{Cluster, Way};
use crate::hosts::crown::Crown;
use crate::hosts::stands::Stands;
use ftmpi_base::Member;
use ftmpi_fault::Event;
use ftmpi_launch::Job;
use ftmpi_wireup as wireup;
use ftmpi_wireup::Said;
use ftmpi_wireup::hosts::{OfAgent, Program, ToAgent};
use ftmpi_wireup::takeover::{Account, Entry, Fellows, LifeAccount};
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// What the agents have kept, by host.
type Accounts = BTreeMap<usize, Account>;

/// Coordinates the job to its end.
pub(crate) fn run(crown: Crown) {
    let (fellows, program, me) = (crown.fellows.clone(), crown.program.clone(), crown.me);
    let Ok(job) = Job::decode(&program.job) else { return };
    // What is shown of a job has ended with the one that did so.
    let job = Job { watch: None, record: None, draws: false, ..job };
    lines::redirect(&fellows.output);
    let name = |host: usize| fellows.hosts[host].name.clone();
    say(&format!("ftrun: the coordinator is lost; host {} goes on with the job", name(me)));
    let (sender, events) = channel();
    let settled = crown.reign.settled().hosts.clone();
    let (job_begun, started) = (crown.begun, crown.started);
    let (agents, registry, steps) = crown.begin(&sender);
    let (mut accounts, early) = gather(&agents, &events);
    let best = accounts.values().max_by_key(|it| (it.epoch, it.position));
    let Some((epoch, begun)) = best.map(|best| (best.epoch, best.begun)) else { return };
    // The others have heard what is not so.
    accounts.retain(|_, account| account.epoch == epoch || account.position <= begun);
    let Some(best) = accounts.values().max_by_key(|it| (it.epoch, it.position)) else { return };
    for agent in &agents {
        match accounts.get(&agent.host) {
            Some(account) => catch_up(agent, account.position, best),
            None => agent.cut_off(),
        }
    }
    let stands = stands(&fellows, &accounts, &agents);
    let way = Way { entries: best.position, steps, registry, passes_input: false };
    let by_host = |host: usize| agents.iter().find(|agent| agent.host == host).cloned();
    let all = (0..fellows.hosts.len()).map(by_host).collect();
    let starter = Starter::There(Cluster::new(all, stands, way));
    let seen = written(&job, job_begun, (&fellows, &program), &best.entries);
    let mut work = Work::new(&job, starter, (sender, events), seen);
    work.started = started;
    work.pass_over_strokes();
    work.note(Event::TakenOver(name(me)));
    let missing = settled.into_iter().filter(|host| !accounts.contains_key(host));
    work.unknown.hosts = missing.map(|host| (host, name(host))).collect();
    work.take_over(best, &accounts, &agents);
    for happening in early {
        match happening {
            Happening::OfAgent { host, said } if work.end.is_some() => work.hear_at_end(host, said),
            _ if work.end.is_some() => {}
            happening => work.cope(happening),
        }
    }
    let status = work.go_on();
    say(&format!("ftrun: the job has ended with exit status {status}"));
}

/// The files of the job, as far as earlier coordinators have written them.
fn written(
    job: &Job, begun: Instant, (fellows, program): (&Fellows, &Program), entries: &[Entry],
) -> Seen {
    let output = &fellows.output;
    let output = output.strip_suffix(".out").unwrap_or(output);
    let report = fellows
        .report
        .as_ref()
        .map(|file| Report::go_on(job, begun, (file, &format!("{output}.report")), entries));
    let name = String::from_utf8_lossy(program.apps.first().map_or(&[], |app| &app.file));
    let name = name.rsplit('/').next().unwrap_or(&name);
    let trace = fellows.trace.as_ref().and_then(|file| {
        let kind = file.path.rsplit('.').next().unwrap_or_default();
        Trace::go_on(name, (file, &format!("{output}.trace.{kind}")), entries)
    });
    Seen { begun, report, watch: None, trace }
}

/// Waits for what all agents have kept; what they say besides comes later.
fn gather(agents: &[Arc<Agent>], events: &Receiver<Happening>) -> (Accounts, Vec<Happening>) {
    const PATIENCE: Duration = Duration::from_secs(2);
    let (until, mut accounts, mut early) = (Instant::now() + PATIENCE, Accounts::new(), Vec::new());
    let mut awaited: BTreeSet<usize> = agents.iter().map(|agent| agent.host).collect();
    while !awaited.is_empty() {
        match events.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(Happening::OfAgent { host, said: Some(OfAgent::Account(account)) }) => {
                awaited.remove(&host);
                accounts.insert(host, *account);
            }
            Ok(happening) => {
                if let Happening::OfAgent { host, said: None } = &happening {
                    awaited.remove(host);
                }
                early.push(happening);
            }
            Err(_) => break,
        }
    }
    (accounts, early)
}

/// An agent has heard so much: it hears the rest.
fn catch_up(agent: &Agent, position: u64, best: &Account) {
    for (number, entry) in (1..).zip(&best.entries).skip(position as usize) {
        agent.tell(&ToAgent::TellAll { number, entry: entry.clone() });
    }
    agent.tell(&ToAgent::Reign { begun: best.position });
}

fn stands(fellows: &Fellows, accounts: &Accounts, agents: &[Arc<Agent>]) -> Stands {
    let mut places = fellows.places.clone();
    let mut latest = vec![0; places.len()];
    for (host, account) in accounts {
        for Member { seat, incarnation } in account.lives.iter().map(|life| life.member) {
            if incarnation >= latest[seat] {
                (places[seat], latest[seat]) = (*host, incarnation);
            }
        }
    }
    let mut stands = Stands::new(places, fellows.hosts.iter().map(|host| host.slots));
    let is_there = |host: &usize| agents.iter().any(|agent| agent.host == *host);
    (0..fellows.hosts.len()).filter(|it| !is_there(it)).for_each(|host| stands.rule_out(host));
    stands
}

impl Work {
    fn take_over(&mut self, best: &Account, accounts: &Accounts, agents: &[Arc<Agent>]) {
        let mut met = BTreeMap::new();
        for entry in &best.entries {
            match entry {
                Entry::Notice(notice) => {
                    self.coordinator.follow(notice);
                    self.keep_recipes(notice);
                }
                Entry::Met { seat, at } => _ = met.insert(*seat, at.clone()),
                Entry::Cause(_) | Entry::Chronicle { .. } => {}
                Entry::Record(text) => {
                    if let Ok(Some(record)) = wireup::read::<Record>(&mut &text[..]) {
                        self.record = record;
                    }
                }
            }
        }
        for account in accounts.values() {
            let context = u32::try_from(account.context).unwrap_or(0);
            self.coordinator.pass_over(context);
            account.told.iter().for_each(|notice| self.coordinator.know(notice));
        }
        let mut lives = Vec::new();
        for agent in agents {
            let Some(account) = accounts.get(&agent.host) else { continue };
            for life in &account.lives {
                if self.coordinator.is_dead(life.member) {
                    agent.kill(life.member.seat, life.member.incarnation);
                } else {
                    let first = self.recipes.get(&life.member.seat).map_or(0, |it| it.first);
                    let known = known(life, agent, &self.sender);
                    self.seats[life.member.seat] = Some(known.of_world(first));
                    self.plan(life.member, aged(life.age_ms));
                    lives.push((life, agent));
                }
            }
        }
        self.find_unknown();
        self.free_spawned();
        for (from, said) in accounts.values().flat_map(|account| &account.said) {
            if concerns_others(said) || self.seats[from.seat].is_some() {
                self.hear(*from, said.clone());
            }
        }
        if self.end.is_some() {
            // Nothing follows any more from what has happened to ranks.
            return;
        }
        for (life, agent) in &lives {
            let at = life.at.as_ref();
            if let Some(at) = at.filter(|at| life.is_in && met.get(&life.member.seat) != Some(*at))
            {
                self.introduce(life.member.seat, at);
            }
            self.go_on_with(life, agent);
        }
        for (from, report) in accounts.values().flat_map(|account| &account.reports) {
            if self.life(from.seat, from.incarnation).is_some() {
                let now = self.started.elapsed();
                let orders = self.coordinator.resume(*from, report.clone(), now);
                self.obey(orders);
            }
        }
        if self.unknown.hosts.is_empty() {
            self.lose_unknown(None);
        }
    }

    /// Spawned ranks that nobody knows have ended.
    fn free_spawned(&mut self) {
        for spawned in self.coordinator.spawned() {
            if self.seats[spawned.seat].is_none() {
                self.coordinator.free(spawned);
            }
        }
    }

    /// Lives that have begun, and that no agent knows.
    fn find_unknown(&mut self) {
        let is_unknown = |member: &Member| {
            self.seats[member.seat].is_none() && !self.coordinator.has_departed(*member)
        };
        let unknown: Vec<Member> = self.coordinator.living().filter(is_unknown).collect();
        let mut hosts = self.unknown.hosts.values();
        let host = hosts.next().filter(|_| hosts.next().is_none()).cloned();
        for Member { seat, incarnation } in &unknown {
            let life = Life::nowhere(*incarnation, host.clone(), self.started);
            self.seats[*seat] = Some(life);
        }
        self.unknown.members = unknown;
    }

    /// A host is lost, or there is none that could be. With the last one that did not answer, those
    /// are lost that nobody knows.
    pub(super) fn lose_unknown(&mut self, host: Option<usize>) {
        if let Some(host) = host {
            let Some(name) = self.unknown.hosts.remove(&host) else { return };
            self.tell_user(&format!("ftrun: host {name} is lost"));
        }
        if !self.unknown.hosts.is_empty() {
            return;
        }
        for Member { seat, incarnation } in std::mem::take(&mut self.unknown.members) {
            if let Some(life) = self.life(seat, incarnation) {
                life.is_lost = true;
                life.is_silent = true;
                life.ended = Some(ExitStatus::from_raw(libc::SIGKILL));
                life.died = Some(Instant::now());
                self.conclude(seat);
            }
        }
    }

    /// What has happened to a life while nobody coordinated the job.
    fn go_on_with(&mut self, account: &LifeAccount, agent: &Arc<Agent>) {
        let Member { seat, incarnation } = account.member;
        if account.has_departed && !self.coordinator.has_departed(account.member) {
            let (from, report) = (account.member, ftmpi_fault::Report::Departed);
            self.hear(from, Said::Report { from, report });
        }
        if let (false, Some(at)) = (account.is_in, &account.at) {
            let agent = agent.clone();
            let connection = Connection::There { agent, seat, incarnation };
            let guest = Guest { seat, incarnation, at: at.clone(), connection };
            self.cope(Happening::Joined(guest));
        }
        if !account.is_in && incarnation > 0 && account.ended.is_none() {
            // What it was to take part in is known to nobody: the next one will be told.
            agent.kill(seat, incarnation);
        }
        if account.is_silent && account.is_in {
            self.cope(Happening::Closed { seat, incarnation });
        }
        if let Some(status) = account.ended {
            let status = ExitStatus::from_raw(status);
            self.cope(Happening::Ended { seat, incarnation, status });
        }
    }
}

/// Whether what a life has said counts however it has ended since.
fn concerns_others(said: &Said) -> bool {
    let is_order = matches!(said, Said::Kill { .. } | Said::Abort { .. } | Said::EndGroup(_));
    is_order || matches!(said, Said::Rules(_))
}

fn aged(millis: u64) -> Instant {
    let now = Instant::now();
    now.checked_sub(Duration::from_millis(millis)).unwrap_or(now)
}

/// A life as its agent knows it.
fn known(account: &LifeAccount, agent: &Arc<Agent>, events: &Sender<Happening>) -> Life {
    let Member { seat, incarnation } = account.member;
    let mut life = Life::there(seat, incarnation, agent);
    life.started = aged(account.age_ms);
    life.has_begun = account.has_begun;
    life.has_departed = account.has_departed;
    life.in_session = account.in_session;
    if let Some(at) = account.at.as_ref().filter(|_| account.is_in) {
        let agent = agent.clone();
        life.join(seat, at.clone(), Connection::There { agent, seat, incarnation }, events);
    }
    life
}
