//! How a job starts: sets up what `ftrun` asked for, then starts the ranks.

use crate::engine::World;
use crate::engine::shared::rules::{Modes, Rules};
use crate::host::life::{self, Apps};
use crate::host::virtual_time::Pace;
use crate::host::{loader, replay, virtual_time};
use crate::job::fault_injection::{self, Strokes, Target};
use crate::job::gone::Gone;
use crate::job::policy::Policy;
use crate::job::worlds::Worlds;
use crate::job::{deadlock, live, report};
use crate::launch::{Job, OnFailure, VirtualTime};
use crate::machine::berths::Berths;
use crate::machine::network::Network;
use crate::machine::{Chance, Model};
use crate::mpi::failure::call_trace;
use crate::mpi::tools::settings;
use crate::mpi::{checks, leftovers};
use crate::transport::SimulatedNetwork;
use std::path::Path;
use std::sync::Arc;

/// Starts a job that has all of its ranks in this process.
pub(super) fn start_alone(job: Result<(Job, Apps), String>, worlds: &Worlds) -> ! {
    match job {
        Ok((mut job, apps)) => {
            if job.universe == 0 && loader::refers_to(|name| ftmpi_elf::spawns(name.as_bytes())) {
                job.universe = job.ranks.saturating_add(SPAWNED_BY_DEFAULT);
            }
            if let Some(seed) = job.seed {
                replay::prepare(seed, job.is_quiet);
            }
            let gone = Arc::new(Gone::new(job.ranks, job.seats()));
            leftovers::want(job.leftovers);
            if !job.checks {
                checks::turn(false);
            }
            let model = machine_of(&job).unwrap_or_else(|why| life::refuse(&why));
            let network = network_of(&job, model.as_ref());
            let world = (worlds.make)(job.ranks, job.seats(), network);
            settings::keep(world, &job);
            if let Some((mean, _)) = job.chance {
                world.expect_failures_each(mean);
            }
            let strokes = strokes(world, &job, model).unwrap_or_else(|why| life::refuse(&why));
            fault_injection::order(world, &job, strokes);
            let patience = deadlock::begin(world, gone.clone(), &job);
            if let Some(file) = &job.report {
                report::open(Path::new(file)).unwrap_or_else(|why| life::refuse(&why));
            }
            live::begin(world, &job).unwrap_or_else(|why| life::refuse(&why));
            if job.report.is_some() || live::is_on() {
                world.keep_chronicle(|incident| {
                    report::write(incident);
                    live::tell(incident);
                });
            }
            let rules = job.rules.or_else(shown);
            if let Some(rules) = rules {
                world.charter().give(rules);
            }
            trace_if_asked(world, &job, None).unwrap_or_else(|why| life::refuse(&why));
            if let Some(errhandler) = job.errhandler {
                world.charter().start_with(errhandler);
            }
            let tenant = Box::new(Policy::new(world, &job, gone, patience));
            life::run(apps, job, tenant)
        }
        Err(why) => life::refuse(&why),
    }
}

/// Begins to write down the calls of all ranks, if that is asked for. The trace also numbers the
/// receives that matches are ordered for. A process of several adds its rows `to_timeline`, or to
/// the file.
pub(super) fn trace_if_asked(
    world: &'static World, job: &Job, to_timeline: Option<call_trace::Sink>,
) -> Result<(), String> {
    const NOWHERE: &str = "/dev/null";
    let is_forced = !job.matches.is_empty();
    match job.trace.as_deref().or(is_forced.then_some(NOWHERE)) {
        Some(file) => trace(world, job, file, to_timeline),
        None => Ok(()),
    }
}

fn trace(
    world: &'static World, job: &Job, path: &str, to_timeline: Option<call_trace::Sink>,
) -> Result<(), String> {
    let rules = match (world.rules(), job.on_failure) {
        (Rules::Standard, OnFailure::Restart) => "restart".to_string(),
        (Rules::Standard, _) => "continue".to_string(),
        (rules, _) => rules.encode(),
    };
    let begun = match job.traced_since {
        Some(since) => call_trace::join(path, since, to_timeline, &job.matches),
        None => call_trace::begin(path, job.ranks, &rules, &job.matches),
    };
    begun.map_err(|error| format!("cannot write --trace {path}: {error}"))?;
    world.be_careful();
    Ok(())
}

/// For how many spawned ranks there are seats, unless the user says otherwise.
const SPAWNED_BY_DEFAULT: usize = 64;

/// The machine that the job is to run on, if it is simulated.
fn machine_of(job: &Job) -> Result<Option<Model>, String> {
    let find = |file: &String| Model::find(file, |file| std::fs::read_to_string(file));
    job.machine.as_ref().map(find).transpose()
}

/// Makes time virtual, if the job is to have the time of its machine; returns its network.
fn network_of(job: &Job, model: Option<&Model>) -> Option<&'static SimulatedNetwork> {
    let (VirtualTime { compute, network }, model) = (job.virtual_time?, model?);
    let (speed, recovery) = (model.speed.clone(), model.recovery.clone());
    virtual_time::prepare(Pace { compute, speed, recovery, poll: model.mpi.poll });
    Some(SimulatedNetwork::new(Network::new(model.clone(), network)))
}

/// Places the ranks on their simulated machine, if there is one; returns the failures to come, at
/// random and of the machine.
fn strokes(world: &'static World, job: &Job, model: Option<Model>) -> Result<Vec<Strokes>, String> {
    let mut all: Vec<Strokes> = Vec::new();
    if let Some((mean, seed)) = job.chance {
        let chance = Chance::new(mean, job.ranks, seed);
        all.push(Box::new(chance.map(|(at, seat)| (at, Target::Seat(seat)))));
    }
    if let Some(model) = model {
        world.sit_on(Berths::new(&model, job.ranks)?);
        if let Some(network) = world.network() {
            // Ranks that are spawned sit with the first.
            let node_of = |seat| {
                let seat = if seat < world.ranks() { seat } else { 0 };
                world.berths().map_or(0, |berths| berths.node_of(seat))
            };
            network.place(Box::new(node_of));
        }
        let mut failures = model.faults.strokes(job.time_scale).peekable();
        if failures.peek().is_some() {
            all.push(Box::new(failures.map(|(at, node)| (at, Target::Node(node)))));
        }
    }
    Ok(all)
}

/// The rules that the program expects, judged by the symbols it refers to.
pub(super) fn shown() -> Option<Rules> {
    // C refers to the constant as a symbol; Fortran has it as a number.
    let is_of_ft = |name: &str| name == "ftmpi_check_recover" || name == "ftmpi_incarnation";
    let is_of_ulfm = |name: &str| {
        let name = name.to_ascii_lowercase();
        let name = name.strip_prefix('p').unwrap_or(&name);
        name.starts_with("mpix_comm_")
    };
    if loader::refers_to(is_of_ft) {
        return Some(Rules::Ft(Modes::default()));
    }
    loader::refers_to(is_of_ulfm).then_some(Rules::Ulfm)
}
