//! A job that can be run: what was asked for, with everything checked that can be checked.

use crate::environment::{self, Variables};
use crate::hosts::named::{self, Named};
use crate::hosts::slurm;
use crate::program::Unfit;
use crate::request::{App, Request};
use crate::shared::place;
use crate::shared::refusal::Refusal;
use crate::{limits, program};
use ftmpi_launch::{Job, RankKind};
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// A job that can be run: all that can be checked is checked.
pub(crate) struct Prepared {
    pub(crate) request: Request,
    variables: Variables,
    /// The files of the programs.
    pub(crate) files: Vec<PathBuf>,
    /// The hosts, if the job has others than this one.
    pub(crate) hosts: Vec<Named>,
    /// When the job began, if `ftrun` is about to run it itself.
    pub(crate) begun: Instant,
}

/// Checks everything that can be checked.
pub(crate) fn prepare(called: &str, mut request: Request) -> Result<Prepared, Refusal> {
    let library = place::library()?;
    place::name_as_the_standard_does(&library);
    if let [App { directory: Some(directory), .. }] = request.apps.as_slice() {
        std::env::set_current_dir(directory).map_err(|error| cannot_enter(directory, &error))?;
    }
    let hosts = hosts_of(&mut request)?;
    let mut variables = environment::of(&request, &library)?;
    let files = match programs(&mut request, &variables).and_then(|it| mixed_well(&request, it)) {
        Ok(files) => files,
        Err(Unfit { refusal, as_processes }) => {
            let Some(reason) = as_processes else {
                return Err(refusal);
            };
            if !request.job.is_quiet {
                eprintln!("{called}: {reason}: each rank is a process of its own (--processes)");
            }
            (request.has_processes, request.job.processes) = (true, None);
            request.job.sizes.clear();
            variables = environment::of(&request, &library)?;
            programs(&mut request, &variables).map_err(|unfit| unfit.refusal)?
        }
    };
    let is_python = request.apps.iter().any(|app| app.is_python);
    match place::modules_of_python() {
        Err(refusal) if is_python => return Err(refusal),
        // What is only started may start Python.
        Ok(modules) if is_python || request.is_only_started() => {
            variables.look_first_in(&modules, "PYTHONPATH");
        }
        _ => {}
    }
    limits::check(&request.job)?;
    if request.verbose {
        for (app, program) in request.apps.iter().zip(&files) {
            eprintln!("{called}: {} ranks of {}", app.ranks, program.display());
        }
        eprintln!("{called}: library {}", library.display());
    }
    let Request { apps, job, .. } = &mut request;
    if apps.len() > 1 {
        job.carrier = carrier(&files);
        job.programs = apps.iter().zip(&files).map(|(app, file)| launched(app, file)).collect();
    }
    Ok(Prepared { request, variables, files, hosts, begun: Instant::now() })
}

/// The hosts that were named, if they are more than this one: there each rank is a process.
fn hosts_of(request: &mut Request) -> Result<Vec<Named>, Refusal> {
    if request.is_adopted {
        return Ok(Vec::new());
    }
    slurm::settle(&mut request.hosts, |name| std::env::var(name).ok())?;
    let hosts = named::wanted(&request.hosts)?;
    if hosts.is_empty() {
        return Ok(hosts);
    }
    if request.hosts.counts_per_host {
        let words = "-N says how many ranks each host gets: with --hosts, say so by --per-host, \
                     and how many there are in all by -np";
        return Err(Refusal::usage(words));
    }
    let places = named::places(request.job.ranks, &hosts, request.hosts.per_host)?;
    request.settle_processes_of_hosts(&places)?;
    // With a seed, ranks are fibers: that is refused as what it is.
    let Job { kind, processes, seed, .. } = &request.job;
    if !matches!(kind, RankKind::Auto) && processes.is_none() && seed.is_none() {
        let words = format!(
            "--ranks and {} do not go together: each rank on several hosts is a process, unless \
             they share processes (--per-process N)",
            request.hosts.named_by
        );
        return Err(Refusal::usage(words));
    }
    Ok(hosts)
}

impl Prepared {
    /// The file that the process starts with.
    pub(crate) fn program(&self) -> &Path {
        &self.files[self.request.job.carrier]
    }

    /// What runs this job, or a variation of it.
    pub(crate) fn command(&self, job: &Job) -> Command {
        let mut command = self.command_without_job(job.ranks);
        command.env(ftmpi_launch::VARIABLE, job.encode());
        command
    }

    /// What runs the program as one of so many ranks, whichever job it is told of.
    pub(crate) fn command_without_job(&self, ranks: usize) -> Command {
        let number = self.request.job.carrier;
        let mut command = self.started(number, &self.files[number]);
        self.give_variables(&mut command, ranks);
        command
    }

    /// What is started for the rank in this seat, one of so many.
    pub(crate) fn command_of(&self, seat: usize, ranks: usize) -> Command {
        let job = &self.request.job;
        let number = job.app_of(seat);
        // In processes that ranks share, the library runs the others.
        let Some(program) = job.programs.get(number).filter(|_| job.processes.is_none()) else {
            return self.command_without_job(ranks);
        };
        let mut command = self.started(number, &program.file);
        self.give_variables(&mut command, ranks);
        let own = &self.request.apps[number].variables;
        command.envs(own.iter().map(|(name, value)| (name, value)));
        program.directory.iter().for_each(|directory| _ = command.current_dir(directory));
        command
    }

    fn started(&self, number: usize, file: &Path) -> Command {
        let app = &self.request.apps[number];
        let mut command = Command::new(file);
        command.arg0(&app.program).args(&app.arguments);
        command
    }

    /// Gives a program the variables of the job, as one of so many ranks.
    pub(crate) fn give_variables(&self, command: &mut Command, ranks: usize) {
        self.variables.give_to(command);
        for name in ftmpi_launch::SIZE_VARIABLES {
            command.env(name, ranks.to_string());
        }
    }
}

/// Python shares a process with no other program: its extensions look for the interpreter in the
/// program that the process has started with.
fn mixed_well(request: &Request, files: Vec<PathBuf>) -> Result<Vec<PathBuf>, Unfit> {
    let is_mixed = files.iter().any(|file| *file != files[0]);
    let has_python = request.apps.iter().any(|app| app.is_python);
    if !is_mixed || !has_python || request.is_only_started() {
        return Ok(files);
    }
    let words = "Python and another program cannot share a process: let each rank have its own \
                 (--processes)";
    let reason = "Python and another program".to_string();
    Err(Unfit { refusal: Refusal::usage(words), as_processes: Some(reason) })
}

/// The files of all programs, each found from the directory in which its ranks start.
fn programs(request: &mut Request, variables: &Variables) -> Result<Vec<PathBuf>, Unfit> {
    let (is_only, is_only_started) = (request.apps.len() == 1, request.is_only_started());
    let apps = &mut request.apps;
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
