//! The launcher: reads the command line, refuses what cannot work, and becomes the program.
//!
//! The library is not linked in here: it replaces libc functions that a launcher needs unchanged.
//! The two communicate through a [`Job`](ftmpi_launch::Job).

#![forbid(unsafe_code)]

mod app_file;
mod calls;
mod environment;
mod faults;
mod help;
mod hosts;
mod limits;
mod modes;
mod options;
mod processes;
mod program;
mod python;
mod request;
#[path = "../shared/mod.rs"]
mod shared;

use environment::Variables;
use program::Unfit;
use request::{App, Asked, Request};
use shared::place;
use shared::refusal::{NOT_RUNNABLE, Refusal};
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
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
        Ok(status) => status,
        Err(refusal) => refusal.say(&called),
    }
}

/// Checks everything that can be checked, then becomes the program, unless each rank is a process
/// of its own.
fn run(called: &str, mut request: Request) -> Result<ExitCode, Refusal> {
    let library = place::library()?;
    place::name_as_the_standard_does(&library);
    if let [App { directory: Some(directory), .. }] = request.apps.as_slice() {
        std::env::set_current_dir(directory).map_err(|error| cannot_enter(directory, &error))?;
    }
    hosts::check(&request.hosts)?;
    let mut variables = environment::of(&request, &library)?;
    let programs = match programs(&mut request, &variables) {
        Ok(programs) => programs,
        Err(Unfit { refusal, as_processes }) => {
            let Some(reason) = as_processes.filter(|_| request.apps.len() == 1) else {
                return Err(refusal);
            };
            if !request.job.is_quiet {
                eprintln!("{called}: {reason}: each rank is a process of its own (--processes)");
            }
            request.has_processes = true;
            variables = environment::of(&request, &library)?;
            programs(&mut request, &variables).map_err(|unfit| unfit.refusal)?
        }
    };
    if request.apps.iter().any(|app| app.is_python) {
        variables.look_first_in(&place::modules_of_python()?, "PYTHONPATH");
    }
    limits::check(&request.job)?;
    if request.verbose {
        for (app, program) in request.apps.iter().zip(&programs) {
            eprintln!("{called}: {} ranks of {}", app.ranks, program.display());
        }
        eprintln!("{called}: library {}", library.display());
    }
    if request.has_processes {
        let program = programs.into_iter().next().expect("there is a program to run");
        return processes::run(&request, program, variables);
    }
    let Request { apps, job, .. } = &mut request;
    if apps.len() > 1 {
        job.carrier = carrier(&programs);
        job.programs = apps.iter().zip(&programs).map(|(app, file)| launched(app, file)).collect();
    }
    variables.carry(job);
    let (app, program) = (&apps[job.carrier], &programs[job.carrier]);
    let mut command = Command::new(program);
    command.arg0(&app.program).args(&app.arguments);
    variables.give_to(&mut command);
    let error = command.exec();
    Err(Refusal::new(NOT_RUNNABLE, format!("cannot run {}: {error}", program.display())))
}

/// The files of all programs, each found from the directory in which its ranks start.
fn programs(request: &mut Request, variables: &Variables) -> Result<Vec<PathBuf>, Unfit> {
    let Request { apps, has_processes, .. } = request;
    let (is_only, is_only_started) = (apps.len() == 1, *has_processes);
    let found = |app: &mut App| {
        let program = app.program.clone();
        let Some(directory) = app.directory.as_ref().filter(|_| !is_only) else {
            return program::check(app, &program, variables, is_only_started);
        };
        let entered = directory.read_dir().map_err(|error| cannot_enter(directory, &error));
        entered?;
        let has_place = program.to_string_lossy().contains('/');
        let name = if has_place { directory.join(&program) } else { program.into() };
        program::check(app, name.as_os_str(), variables, is_only_started)
    };
    apps.iter_mut().map(found).collect()
}

fn cannot_enter(directory: &Path, error: &std::io::Error) -> Refusal {
    Refusal::usage(format!("cannot enter --wdir {}: {error}", directory.display()))
}

/// Which program the process starts with: the thread-local variables of the others must fit where
/// its own are.
fn carrier(programs: &[PathBuf]) -> usize {
    let tls = |file: &PathBuf| match ftmpi_elf::look(file) {
        Ok(ftmpi_elf::Kind::Elf(elf)) => elf.tls.0,
        _ => 0,
    };
    let most = programs.iter().map(tls).max().unwrap_or(0);
    programs.iter().position(|file| tls(file) == most).unwrap_or(0)
}

/// A program as the library is told of it.
fn launched(app: &App, file: &Path) -> ftmpi_launch::Program {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let name = std::iter::once(app.program.clone());
    let variable = |(name, value): &(String, OsString)| {
        let mut line = OsString::from(name);
        line.push("=");
        line.push(value);
        line
    };
    ftmpi_launch::Program {
        ranks: app.ranks,
        file: absolute(file),
        arguments: name.chain(app.arguments.iter().cloned()).collect(),
        directory: app.directory.as_deref().map(absolute),
        variables: app.variables.iter().map(variable).collect(),
    }
}
