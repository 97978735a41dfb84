//! `--processes`: each rank is a process of its own, which `ftrun` starts, watches and, after a
//! failure, starts again. `ftrun` is also the coordinator of what they agree on.

mod connections;
mod happening;
mod judgement;
mod lines;
mod seats;
mod work;

use crate::environment::Variables;
use crate::request::Request;
use crate::shared::refusal::{NOT_RUNNABLE, Refusal};
use ftmpi_launch::Job;
use std::path::PathBuf;
use std::process::ExitCode;

/// Runs the job; returns its exit status when all is over.
pub(crate) fn run(
    request: &Request, program: PathBuf, variables: Variables,
) -> Result<ExitCode, Refusal> {
    refuse_what_is_not_built(&request.job, request.apps.len())?;
    let app = &request.apps[0];
    let listener = connections::listen()
        .map_err(|error| Refusal::broken(format!("cannot listen to the ranks: {error}")))?;
    let command = seats::Template {
        program,
        name: app.program.clone(),
        arguments: app.arguments.clone(),
        variables,
        job: request.job.clone(),
        address: listener.address.clone(),
        secret: listener.secret.clone(),
    };
    let work = work::Work::begin(&request.job, command, listener);
    let status = work.map_err(|error| Refusal::new(NOT_RUNNABLE, error))?.go_on();
    Ok(ExitCode::from(status))
}

/// Options that mean nothing yet where ranks are processes.
fn refuse_what_is_not_built(job: &Job, programs: usize) -> Result<(), Refusal> {
    let asked = [
        (job.seed.is_some(), "--seed"),
        (job.watch.is_some(), "--watch"),
        (job.draws, "--tui"),
        (job.record.is_some(), "--record"),
        (job.report.is_some(), "--report"),
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
