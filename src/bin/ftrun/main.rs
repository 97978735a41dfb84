//! The launcher: reads the command line, refuses what cannot work, and becomes the program.
//!
//! The library is not linked in here: it replaces libc functions that a launcher needs unchanged.
//! The two communicate through a [`Job`](ftmpi_launch::Job).

#![forbid(unsafe_code)]

mod adoption;
mod app_file;
mod as_processes;
mod calibrate;
mod calls;
mod compiled;
mod completions;
mod doctor;
mod environment;
mod explore;
mod faults;
mod help;
mod hosts;
mod limits;
mod modes;
mod named_processes;
mod options;
mod prepared;
mod processes;
mod program;
mod python;
mod request;
#[path = "../shared/mod.rs"]
mod shared;
mod sharing;
mod values;
mod virtual_time;

use prepared::prepare;
use request::{Asked, Request};
use shared::refusal::{NOT_RUNNABLE, Refusal};
use std::os::unix::process::CommandExt;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut words = std::env::args_os().peekable();
    let called = shared::called(words.next(), "ftrun");
    if words.next_if(|word| word == explore::NAME).is_some() {
        return explore::main(&called, words.collect());
    }
    if words.next_if(|word| word == doctor::NAME).is_some() {
        return doctor::main(&called, &words.collect::<Vec<_>>());
    }
    if words.next_if(|word| word == calibrate::NAME).is_some() {
        return calibrate::main(&called, &words.collect::<Vec<_>>());
    }
    if words.next_if(|word| word == completions::NAME).is_some() {
        return completions::main(&called, &words.collect::<Vec<_>>());
    }
    if words.next_if(|word| word == hosts::serve::NAME).is_some() {
        return hosts::serve::main(&called, processes::resume::run);
    }
    if words.next_if(|word| word == adoption::NAME).is_some() {
        return adoption::main(&called, words.next().is_some());
    }
    let done = match request::read(&called, words) {
        Ok(Asked::Help) => return shared::print(&called, &help::page(&called)),
        Ok(Asked::Version) => return shared::print(&called, &help::version(&called)),
        Ok(Asked::Run(request)) => run(&called, *request),
        Err(refusal) => Err(refusal),
    };
    match done {
        Ok(status) => status,
        Err(refusal) => refusal.say(&called),
    }
}

/// Becomes the program, unless each rank is a process of its own.
fn run(called: &str, request: Request) -> Result<ExitCode, Refusal> {
    let prepared = prepare(called, request)?;
    if prepared.request.has_processes {
        return processes::run(prepared);
    }
    let error = prepared.command(&prepared.request.job).exec();
    let program = prepared.program().display();
    Err(Refusal::new(NOT_RUNNABLE, format!("cannot run {program}: {error}")))
}
