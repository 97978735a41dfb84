//! `--processes`: each rank is a process of its own, which `ftrun` starts, watches and, after a
//! failure, starts again. `ftrun` is also the coordinator of what they agree on.

mod connections;
mod deadlock;
mod happening;
mod judgement;
mod lines;
mod report;
mod seats;
mod watch;
mod watch_orders;
mod work;

use crate::prepared::Prepared;
use crate::shared::refusal::{NOT_RUNNABLE, Refusal};
use ftmpi_launch::Job;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::process::ExitCode;

/// Runs the job; returns its exit status when all is over.
pub(crate) fn run(prepared: Prepared) -> Result<ExitCode, Refusal> {
    refuse_what_is_not_built(&prepared.request.job, prepared.request.apps.len())?;
    let listener = connections::listen()
        .map_err(|error| Refusal::broken(format!("cannot listen to the ranks: {error}")))?;
    allow_open_files();
    let (address, secret) = (listener.address.clone(), listener.secret.clone());
    let job = prepared.request.job.clone();
    let template = seats::Template { prepared, address, secret };
    let report = report::Report::open(&job).map_err(Refusal::usage)?;
    let name =
        template.prepared.program().file_name().unwrap_or_default().to_string_lossy().into_owned();
    let watch = watch::Watch::begin(&job, &name).map_err(Refusal::usage)?;
    let work = work::Work::begin(&job, template, listener, report, watch);
    let status = work.map_err(|error| Refusal::new(NOT_RUNNABLE, error))?.go_on();
    Ok(ExitCode::from(status))
}

/// Allows as many open files as the system does: each rank needs some here.
fn allow_open_files() {
    let limits = getrlimit(Resource::Nofile);
    // If it is not allowed, the start of some rank will say so.
    let _refused = setrlimit(Resource::Nofile, Rlimit { current: limits.maximum, ..limits });
}

/// Options that mean nothing yet where ranks are processes.
fn refuse_what_is_not_built(job: &Job, programs: usize) -> Result<(), Refusal> {
    let asked = [
        (job.seed.is_some(), "--seed"),
        (job.trace.is_some(), "--trace"),
        (!job.matches.is_empty(), "--match"),
        (job.machine.is_some(), "--machine"),
        (job.shares_image, "--share-image"),
        (job.universe > job.ranks, "--universe"),
        (programs > 1, "several programs"),
    ];
    match asked.iter().find(|(is_asked, _)| *is_asked) {
        Some((_, what)) => Err(Refusal::usage(format!(
            "{what} and --processes do not go together yet: leave one of them out"
        ))),
        None => Ok(()),
    }
}
