//! What starts ranks: `ftrun` itself, or its agents on several hosts.

use super::connections::chance;
use super::happening::Happening;
use super::recipes::Spawned;
use super::seats::{Life, Template};
use super::written::describe;
use crate::hosts::await_agents::Awaited;
use crate::hosts::cluster::{Cluster, Way};
use crate::hosts::named::{self, Named};
use crate::hosts::stands::Stands;
use crate::hosts::summon::{self, Summoned};
use crate::prepared::Prepared;
use crate::shared::refusal::Refusal;
use ftmpi_base::Member;
use ftmpi_launch::Job;
use ftmpi_wireup::hosts::{App, Program, ToAgent, Variable};
use ftmpi_wireup::takeover::{Fellow, Fellows};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::process::Command;
use std::rc::Rc;
use std::sync::mpsc::Sender;
use std::time::Duration;

/// What starts ranks.
pub(super) enum Starter {
    /// Whose program it is.
    Here(Template, Rc<Prepared>),
    There(Cluster),
}

impl Starter {
    pub(super) fn start(
        &mut self, member: Member, generation: u64, spawned: Option<&Spawned>,
        events: &Sender<Happening>,
    ) -> Result<Life, String> {
        match self {
            Starter::Here(template, prepared) => {
                let furnish = |command: &mut _, ranks| prepared.give_variables(command, ranks);
                let other = spawned.map(|it| it.other(furnish));
                template.start(member, generation, other, events)
            }
            Starter::There(cluster) => cluster.start(member, generation),
        }
    }

    pub(super) fn cluster(&mut self) -> Option<&mut Cluster> {
        match self {
            Starter::Here(..) => None,
            Starter::There(cluster) => Some(cluster),
        }
    }
}

/// The hosts of a job, with an agent on each.
pub(super) fn cluster(
    prepared: &Prepared, hosts: &[Named], events: &Sender<Happening>,
) -> Result<Cluster, Refusal> {
    let request = &prepared.request;
    let mut places = named::places(request.job.ranks, hosts, request.hosts.per_host)?;
    let all = [hosts, &named::spares(&request.hosts, hosts)?].concat();
    let program = program(prepared)?;
    let directory = program.directory.clone();
    let summoned = summon::all(&all, &request.hosts, (program, &places), events)?;
    let Summoned { agents, addresses, registry, steps } = summoned;
    place_spawned(&mut places, &request.job);
    if !request.hosts.has_no_takeover {
        let output = output_after(&directory, std::process::id());
        let hosts = all.iter().zip(addresses).map(|(host, addresses)| Fellow {
            name: host.name.clone(),
            addresses,
            slots: host.slots,
        });
        let (job, hosts, places) = (&request.job, hosts.collect(), places.clone());
        let file = |path: &Option<String>| path.as_deref().map(describe);
        let (report, trace) = (file(&job.report), file(&job.trace));
        let age = prepared.begun.elapsed();
        let fellows = Fellows { hosts, places, output, age, report, trace };
        let fellows = ToAgent::Fellows(Box::new(fellows));
        agents.iter().for_each(|agent| agent.tell(&fellows));
    }
    let stands = Stands::new(places, all.iter().map(|host| host.slots));
    let stands = stands.divided(request.job.division());
    let way = Way { entries: 0, steps, registry, passes_input: true };
    Ok(Cluster::new(agents.into_iter().map(Some).collect(), stands, way))
}

/// Spawned ranks come to each host in turn that has ranks: others may be to stand in.
fn place_spawned(places: &mut Vec<usize>, job: &Job) {
    let hosts: BTreeSet<usize> = places.iter().copied().collect();
    places.extend(hosts.iter().cycle().take(job.seats() - job.ranks));
}

/// Where output goes once `ftrun`, this process, is lost.
fn output_after(directory: &[u8], process: u32) -> String {
    format!("{}/ftrun.{process}.out", String::from_utf8_lossy(directory))
}

/// The hosts of ranks that another launcher has started there, whose agents come by themselves.
pub(super) fn adopted(
    prepared: &Prepared, mut places: Vec<usize>, awaited: Awaited, events: &Sender<Happening>,
) -> Result<Cluster, Refusal> {
    let Summoned { agents, registry, steps, .. } =
        awaited.begin(&places, program(prepared)?, events)?;
    let hosts = vec![None; agents.len()];
    place_spawned(&mut places, &prepared.request.job);
    // They have got their input from the other launcher.
    let way = Way { entries: 0, steps, registry, passes_input: false };
    let stands = Stands::new(places, hosts.into_iter());
    Ok(Cluster::new(agents.into_iter().map(Some).collect(), stands, way))
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

/// What the ranks run, for agents on other hosts.
fn program(prepared: &Prepared) -> Result<Program, Refusal> {
    let job = &prepared.request.job;
    let own = std::env::vars_os().filter(|(name, _)| !OWN.iter().any(|own| name == own));
    let mut variables: BTreeMap<Vec<u8>, Option<Vec<u8>>> =
        own.map(|(name, value)| (bytes(&name), Some(bytes(&value)))).collect();
    let common = prepared.command_without_job(job.ranks);
    variables.extend(changes(&common));
    let variables: Vec<Variable> = variables.into_iter().collect();
    let failed = |error| Refusal::usage(format!("where are we? {error}"));
    let directory = std::env::current_dir().map_err(failed)?;
    // In processes that ranks share, the library runs the others.
    let counts = match job.programs.is_empty() || job.processes.is_some() {
        true => vec![job.ranks],
        false => job.programs.iter().map(|program| program.ranks).collect(),
    };
    let (mut apps, mut first) = (Vec::new(), 0);
    for ranks in counts {
        let command = prepared.command_of(first, job.ranks);
        let app = match job.processes {
            None => &prepared.request.apps[job.app_of(first)],
            Some(_) => &prepared.request.apps[job.carrier],
        };
        let words = std::iter::once(app.program.as_os_str()).chain(command.get_args());
        let file = std::path::absolute(command.get_program()).map_err(failed)?;
        let known = |variable: &Variable| variables.contains(variable);
        apps.push(App {
            ranks,
            file: bytes(file.as_os_str()),
            arguments: words.map(bytes).collect(),
            variables: changes(&command).filter(|variable| !known(variable)).collect(),
            directory: command.get_current_dir().map(|it| bytes(it.as_os_str())),
        });
        first += ranks;
    }
    Ok(Program {
        apps,
        variables,
        directory: bytes(directory.as_os_str()),
        job: job.encode(),
        sent_at: Duration::ZERO,
        tags_output: job.tag_output,
        key: chance(),
    })
}

fn bytes(text: &OsStr) -> Vec<u8> {
    text.as_bytes().to_vec()
}

/// What a command changes in the environment.
fn changes(command: &Command) -> impl Iterator<Item = Variable> {
    command.get_envs().map(|(name, value)| (bytes(name), value.map(bytes)))
}
