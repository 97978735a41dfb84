//! `--processes`: each rank is a process of its own, which `ftrun`, or its agent on another host,
//! starts, watches and, after a failure, starts again. `ftrun` is also the coordinator of what they
//! agree on.

mod adopted;
mod area;
mod company;
pub(crate) mod connections;
mod deadlock;
mod distance;
mod failing_nodes;
pub(crate) mod happening;
mod judgement;
pub(crate) mod lines;
mod machine;
mod noting;
mod orders;
pub(crate) mod recipes;
mod report;
pub(crate) mod resume;
pub(crate) mod seats;
mod shared;
mod starter;
mod telling;
mod trace;
mod watch;
mod watch_orders;
mod work;
mod written;

use crate::hosts::signals;
use crate::prepared::Prepared;
use crate::shared::refusal::{NOT_RUNNABLE, Refusal};
pub(crate) use adopted::Adopted;
use connections::{Listener, Offer};
use ftmpi_elf::{Kind, look};
use ftmpi_launch::Job;
use ftmpi_wireup::MOST_PROCESSES;
use happening::Happening;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use seats::Template;
use starter::Starter;
use std::path::PathBuf;
use std::process::ExitCode;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::Instant;

/// Runs the job; returns its exit status when all is over.
pub(crate) fn run(prepared: Prepared) -> Result<ExitCode, Refusal> {
    let hosts = prepared.hosts.clone();
    conduct(prepared, |prepared, sender| {
        Ok(match hosts.is_empty() {
            true => here(prepared, None, sender)?,
            false => {
                // Before there are threads.
                let held = signals::hold();
                let cluster = starter::cluster(&prepared, &hosts, sender)?;
                held.end_first(&cluster);
                Starter::There(cluster)
            }
        })
    })
}

/// Runs a job whose ranks another launcher has started.
pub(crate) fn adopt(prepared: Prepared, ranks: Adopted) -> Result<ExitCode, Refusal> {
    conduct(prepared, |prepared, sender| {
        adopted::expect(sender.clone());
        Ok(match ranks {
            Adopted::Here(listener) => here(prepared, Some(listener), sender)?,
            Adopted::There(places, awaited) => {
                Starter::There(starter::adopted(&prepared, places, awaited, sender)?)
            }
        })
    })
}

fn conduct(
    mut prepared: Prepared,
    starter: impl FnOnce(Prepared, &Sender<Happening>) -> Result<Starter, Refusal>,
) -> Result<ExitCode, Refusal> {
    let hosts = &prepared.hosts;
    let job = &mut prepared.request.job;
    if job.chance.is_some() && job.virtual_time.is_none() {
        // The order in which processes run is the system's: the seed is that of the failures alone.
        job.seed = None;
    }
    // Seats that nobody has asked for are to cost nothing as long as they are empty.
    job.ranks_per_core = Some(job.seats().div_ceil(ftmpi_launch::cores()));
    if job.universe == 0 && job.machine.is_none() {
        let spawns = |file: &PathBuf| matches!(look(file), Ok(Kind::Elf(elf)) if elf.spawns);
        if prepared.files.iter().any(spawns) {
            job.universe = job.ranks + SPAWNED_BY_DEFAULT;
        }
    }
    refuse_what_is_not_built(
        &prepared.request.job,
        (!hosts.is_empty()).then_some(prepared.request.hosts.named_by),
    )?;
    allow_open_files();
    let name = prepared.program().file_name().unwrap_or_default().to_string_lossy().into_owned();
    let begun = Instant::now();
    let trace = trace::Trace::begin(&mut prepared.request.job, &name).map_err(Refusal::usage)?;
    let job = prepared.request.job.clone();
    let machine = machine::Machine::of(&job).map_err(Refusal::usage)?;
    let report = report::Report::open(&job, begun).map_err(Refusal::usage)?;
    let (sender, events) = channel();
    let berths = machine.as_ref().map(|machine| &machine.berths);
    let watch = watch::Watch::begin(&job, &name, berths).map_err(Refusal::usage)?;
    prepared.begun = begun;
    let starter = starter(prepared, &sender)?;
    let seen = work::Seen { begun, report, watch, trace };
    let work = work::Work::begin(&job, starter, (sender, events), seen, machine);
    let status = work.map_err(|error| Refusal::new(NOT_RUNNABLE, error))?.go_on();
    Ok(ExitCode::from(status))
}

/// What starts ranks where this is the only host. `awaits`: where they come to that another
/// launcher has started.
fn here(
    prepared: Prepared, awaits: Option<Listener>, events: &Sender<Happening>,
) -> Result<Starter, Refusal> {
    let adopts = awaits.is_some();
    let listener = awaits
        .map_or_else(connections::listen, Ok)
        .map_err(|error| Refusal::broken(format!("cannot listen to the ranks: {error}")))?;
    let (address, secret) = (listener.address.clone(), listener.secret.clone());
    let job = &prepared.request.job;
    let is_shared = job.processes.is_some();
    let (ranks, tags_output, job) = (job.ranks, job.tag_output && !is_shared, job.encode());
    let offer = Offer { host: None, job: job.clone() };
    listener.serve(events.clone(), adopts.then_some(offer));
    let prepared = Rc::new(prepared);
    let of_job = prepared.clone();
    let command = Box::new(move |seat| of_job.command_of(seat, ranks));
    let (sink, host) = (Arc::new(lines::write), None);
    let template =
        Template { command, job, tags_output, is_shared, address, secret, host, adopts, sink };
    Ok(Starter::Here(template, prepared))
}

/// For how many spawned ranks there are seats, unless the user says otherwise: few, for each takes
/// from the memory in which all others write messages.
const SPAWNED_BY_DEFAULT: usize = 16;

/// Allows as many open files as the system does: each rank needs some here.
fn allow_open_files() {
    let limits = getrlimit(Resource::Nofile);
    // If it is not allowed, the start of some rank will say so.
    let _refused = setrlimit(Resource::Nofile, Rlimit { current: limits.maximum, ..limits });
}

/// Options that mean nothing yet where ranks are processes.
fn refuse_what_is_not_built(job: &Job, hosts: Option<&str>) -> Result<(), Refusal> {
    let processes = job.division().processes();
    if processes > MOST_PROCESSES {
        return Err(Refusal::usage(format!(
            "{processes} processes are more than the {MOST_PROCESSES} that a job can have: let \
             ranks share processes (--processes=P), or reserve less (--universe)"
        )));
    }
    let asked = [
        (job.virtual_time.is_some(), "--virtual"),
        (job.seed.is_some(), "--seed"),
        (hosts.is_some() && job.machine.is_some(), "--machine"),
        (job.shares_image, "--share-image"),
    ];
    let is_shared = job.processes.is_some();
    let has_more_seats = job.universe > job.ranks;
    let asked = asked
        .into_iter()
        .chain([(has_more_seats && job.machine.is_some(), "--universe and --machine")]);
    let of_shared = [
        (hosts.is_some() && job.trace.is_some(), "--trace with several hosts"),
        (hosts.is_some() && !job.matches.is_empty(), "--match with several hosts"),
    ];
    let of_shared = of_shared.iter().filter(|_| is_shared);
    match asked.chain(of_shared.copied()).find(|(is_asked, _)| *is_asked) {
        Some((_, what)) => Err(Refusal::usage(format!(
            "{what} and {} do not go together yet: leave one of them out",
            match hosts {
                _ if is_shared => "several ranks in each of several processes (--processes=P)",
                hosts => hosts.unwrap_or("--processes"),
            }
        ))),
        None => Ok(()),
    }
}
