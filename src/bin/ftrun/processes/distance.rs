//! Ranks on other hosts: how they are started there, what their agents say, and what follows when a
//! host is lost.

use super::happening::{Connection, Guest, Happening};
use super::lines::{self, Stream, say};
use super::seats::{Life, Template};
use super::work::Work;
use crate::hosts::cluster::Cluster;
use crate::hosts::named::{self, Named};
use crate::hosts::summon;
use crate::prepared::Prepared;
use crate::shared::refusal::Refusal;
use ftmpi_base::Member;
use ftmpi_wireup::hosts::{OfAgent, Program, Variable};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

/// What starts ranks.
pub(super) enum Starter {
    Here(Template),
    There(Cluster),
}

impl Starter {
    pub(super) fn start(
        &mut self, member: Member, generation: u64, events: &Sender<Happening>,
    ) -> Result<Life, String> {
        match self {
            Starter::Here(template) => {
                template.start(member.seat, member.incarnation, generation, events)
            }
            Starter::There(cluster) => cluster.start(member, generation),
        }
    }

    fn cluster(&mut self) -> Option<&mut Cluster> {
        match self {
            Starter::Here(_) => None,
            Starter::There(cluster) => Some(cluster),
        }
    }
}

/// The hosts of a job, with an agent on each.
pub(super) fn cluster(
    prepared: &Prepared, hosts: &[Named], events: &Sender<Happening>,
) -> Result<Cluster, Refusal> {
    let request = &prepared.request;
    let places = named::places(request.job.ranks, hosts, request.hosts.per_host)?;
    let program = program(prepared)?;
    let agents = summon::all(hosts, request.hosts.agent.as_deref(), program, events)?;
    let cluster = Cluster::new(agents, places);
    cluster.pass_on_input();
    Ok(cluster)
}

/// Variables that belong to this host or login, and mean nothing on another.
const OWN: [&str; 12] = [
    "HOSTNAME",
    "HOST",
    "DISPLAY",
    "SSH_CLIENT",
    "SSH_CONNECTION",
    "SSH_TTY",
    "SSH_AUTH_SOCK",
    "SSH_AGENT_PID",
    "XDG_RUNTIME_DIR",
    "XDG_SESSION_ID",
    "DBUS_SESSION_BUS_ADDRESS",
    "SHLVL",
];

/// What all ranks run, for agents on other hosts.
fn program(prepared: &Prepared) -> Result<Program, Refusal> {
    let job = &prepared.request.job;
    let command = prepared.command_without_job(job.ranks);
    let bytes = |text: &OsStr| text.as_bytes().to_vec();
    let own = std::env::vars_os().filter(|(name, _)| !OWN.iter().any(|own| name == own));
    let mut variables: BTreeMap<Vec<u8>, Option<Vec<u8>>> =
        own.map(|(name, value)| (bytes(&name), Some(bytes(&value)))).collect();
    let changes = command.get_envs().map(|(name, value)| (bytes(name), value.map(bytes)));
    variables.extend(changes);
    let variables: Vec<Variable> = variables.into_iter().collect();
    let failed = |error| Refusal::usage(format!("where are we? {error}"));
    let file = std::path::absolute(prepared.program()).map_err(failed)?;
    let directory = std::env::current_dir().map_err(failed)?;
    let name = prepared.request.apps[job.carrier].program.as_os_str();
    let words = std::iter::once(name).chain(command.get_args());
    Ok(Program {
        file: bytes(file.as_os_str()),
        arguments: words.map(bytes).collect(),
        variables,
        directory: bytes(directory.as_os_str()),
        job: job.encode(),
        tags_output: job.tag_output,
        key: super::connections::chance(),
    })
}

/// How long a life may be there and yet out of reach for another.
const REACH_PATIENCE: Duration = Duration::from_millis(500);

impl Work {
    /// The agent of a host says something; nothing: it has gone, and its ranks with it.
    pub(super) fn hear_agent(&mut self, host: usize, said: Option<OfAgent>) {
        let Some(said) = said else { return self.lose_host(host) };
        match said {
            OfAgent::Joined { seat, incarnation, at } => {
                let Some(cluster) = self.starter.cluster() else { return };
                let Some(agent) = cluster.agent(host).cloned() else { return };
                let connection = Connection::There { agent, seat, incarnation };
                self.cope(Happening::Joined(Guest { seat, incarnation, at, connection }));
            }
            OfAgent::Said { seat, incarnation, said } => {
                self.cope(Happening::Said { seat, incarnation, said });
            }
            OfAgent::Closed { seat, incarnation } => {
                self.cope(Happening::Closed { seat, incarnation });
            }
            OfAgent::Ended { seat, incarnation, status } => {
                let status = ExitStatus::from_raw(status);
                self.cope(Happening::Ended { seat, incarnation, status });
            }
            OfAgent::Output { is_error, lines } => {
                let to = if is_error { Stream::Errors } else { Stream::Output };
                // If nobody reads it, the ranks cannot be told.
                let _unread = lines::write(to, &lines);
            }
            OfAgent::NotStarted { seat, incarnation, why } => {
                if self.life(seat, incarnation).is_some() {
                    say(&format!("ftrun: rank {seat}: {why}"));
                    self.seats[seat] = None;
                    self.lose(Member { seat, incarnation });
                }
            }
            OfAgent::Hello { .. } | OfAgent::Ready(_) => {}
        }
    }

    /// A host is lost: its ranks are dead.
    fn lose_host(&mut self, host: usize) {
        const KILLED: i32 = 9;
        let Some(name) = self.starter.cluster().and_then(|cluster| cluster.lose(host)) else {
            return;
        };
        let is_there = |life: &Life| life.is_on(host);
        let lost =
            (0..self.seats.len()).filter(|seat| self.seats[*seat].as_ref().is_some_and(is_there));
        let lost: Vec<usize> = lost.collect();
        for seat in &lost {
            let Some(life) = self.seats[*seat].as_mut() else { continue };
            life.ended.get_or_insert(ExitStatus::from_raw(KILLED));
            life.died.get_or_insert_with(Instant::now);
            (life.is_silent, life.is_lost) = (true, true);
        }
        if !lost.is_empty() {
            self.tell_user(&format!("ftrun: host {name} is lost"));
        }
        lost.into_iter().for_each(|seat| self.conclude(seat));
    }

    /// Somebody cannot reach this life. It may have ended, which will be known soon.
    pub(super) fn suspect(&mut self, member: Member) {
        let Member { seat, incarnation } = member;
        let is_known = self.suspects.iter().any(|(_, suspect)| *suspect == member);
        let is_there = self.life(seat, incarnation).is_some_and(|life| !life.has_departed);
        if is_there && !is_known {
            self.suspects.push((Instant::now() + REACH_PATIENCE, member));
        }
    }

    /// Kills those that are there, but cannot be reached: what was sent to them is lost.
    pub(super) fn end_suspects(&mut self, now: Instant) {
        let due: Vec<_> = self.suspects.extract_if(.., |(at, _)| *at <= now).collect();
        for (_, Member { seat, incarnation }) in due {
            let Some(life) = self.life(seat, incarnation).filter(|life| !life.has_departed) else {
                continue;
            };
            life.kill();
            self.tell_user(&format!(
                "ftrun: rank {seat} cannot be reached by other hosts any more"
            ));
        }
    }

    /// The job is over: waits until agents have passed on what is left, and have gone.
    pub(super) fn part_with_agents(&mut self) {
        const PATIENCE: Duration = Duration::from_secs(3);
        let until = Instant::now() + PATIENCE;
        if let Some(cluster) = self.starter.cluster() {
            cluster.end();
        }
        while self.starter.cluster().is_some_and(|cluster| cluster.has_agents()) {
            let left = until.saturating_duration_since(Instant::now());
            match self.events.recv_timeout(left) {
                Ok(Happening::OfAgent { host, said: None }) => {
                    self.starter.cluster().and_then(|cluster| cluster.lose(host));
                }
                Ok(Happening::OfAgent {
                    said: Some(OfAgent::Output { is_error, lines }), ..
                }) => {
                    let to = if is_error { Stream::Errors } else { Stream::Output };
                    let _unread = lines::write(to, &lines);
                }
                Ok(_) => {}
                Err(_) => break,
            }
        }
        if let Some(cluster) = self.starter.cluster() {
            cluster.give_up();
        }
    }
}
