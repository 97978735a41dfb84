//! The launcher: reads the command line, refuses what cannot work, and becomes the program.
//!
//! The library is not linked in here: it replaces libc functions that a launcher needs unchanged.
//! The two communicate through a [`Job`](ftmpi_launch::Job).

#![forbid(unsafe_code)]

mod calls;
mod environment;
mod faults;
mod help;
mod hosts;
mod libraries;
mod limits;
mod modes;
mod options;
mod program;
mod request;
#[path = "../shared/mod.rs"]
mod shared;

use request::{Asked, Request};
use shared::place;
use shared::refusal::{NOT_RUNNABLE, Refusal};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let mut words = std::env::args_os();
    let called = shared::called(words.next(), "ftrun");
    let done = match request::read(&called, words) {
        Ok(Asked::Help) => return shared::print(&called, &help::page(&called)),
        Ok(Asked::Version) => return shared::print(&called, &help::version(&called)),
        Ok(Asked::Run(request)) => run(&called, *request),
        Err(refusal) => Err(refusal),
    };
    match done {
        Ok(never) => match never {},
        Err(refusal) => refusal.say(&called),
    }
}

/// Checks everything that can be checked, then becomes the program; returns only with a refusal.
fn run(called: &str, request: Request) -> Result<std::convert::Infallible, Refusal> {
    let library = place::library()?;
    place::name_as_the_standard_does(&library);
    if let Some(directory) = &request.directory {
        std::env::set_current_dir(directory).map_err(|error| {
            Refusal::usage(format!("cannot enter --wdir {}: {error}", directory.display()))
        })?;
    }
    hosts::check(&request.hosts)?;
    let variables = environment::of(&request, &library)?;
    let program = program::check(&request.program, &variables)?;
    limits::check(&request.job)?;
    if request.verbose {
        eprintln!("{called}: {} ranks of {}", request.job.ranks, program.display());
        eprintln!("{called}: library {}", library.display());
    }
    let mut command = Command::new(&program);
    command.arg0(&request.program).args(&request.arguments);
    variables.give_to(&mut command);
    let error = command.exec();
    Err(Refusal::new(NOT_RUNNABLE, format!("cannot run {}: {error}", program.display())))
}
