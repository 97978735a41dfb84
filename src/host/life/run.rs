//! Runs a job: decides where ranks go and what carries them, and hands over to the supervisor.

use super::apps::{App, Apps, Ready};
use super::closing::end_process;
use super::ground::{self, Needs, Plan};
use super::running_job::{self, Prepared, RunningJob, hurry, look_again};
use super::seat::Seat;
use super::supervisor::Supervisor;
use super::tenant::Tenant;
use super::{limits, threads};
use crate::host::loader::Template;
use crate::host::replay::{self, Wakers};
use crate::host::{cores, fiber, heap, sched, shims, signals};
use crate::launch::{Job, RankKind};
use std::ops::Range;

/// Runs `apps` as the ranks of `job` until all have ended or `tenant` ends the job.
pub fn run(apps: Apps, job: Job, tenant: Box<dyn Tenant>) -> ! {
    match prepare(apps, &job, tenant) {
        Ok(world) => Supervisor::new(world, &job).work(),
        Err(why) => end_process(2, &format!("ftrun: {why}\n")),
    }
}

fn prepare(apps: Apps, job: &Job, tenant: Box<dyn Tenant>) -> Result<&'static RunningJob, String> {
    shims::prepare(job);
    replay::connect(Wakers { supervisor: hurry, workers: fiber::rouse, monitor: fiber::hurry });
    let template = |program| Template::of(program, job, shims::function).map(Box::new);
    let templates = apps.programs.into_iter().map(template).collect::<Result<Vec<_>, _>>()?;
    let templates: Vec<&'static mut Template> = templates.into_iter().map(Box::leak).collect();
    let count = sched::cores();
    let (plan, templates) = lay_out(templates, job, &apps.all, wants_fibers(job, count))?;
    let known = apps.files.into_iter().zip(templates.iter().copied()).collect();
    let apps = Ready::all(apps.all, &templates);
    let grounds = plan.reserve(job.seats()).map_err(|error| {
        let gigabytes = ((plan.bytes >> 20) * job.ranks) >> 10;
        format!(
            "{} ranks of this program need {gigabytes} GB of address space: {error}; allow more \
             with `ulimit -v unlimited`, or run fewer ranks",
            job.ranks
        )
    })?;
    if !heap::reserve(job.seats(), job.heap_bytes, job.processes.is_some()) {
        return Err(format!(
            "not enough address space for the heaps of {} ranks; run fewer ranks, or use a smaller \
             --heap",
            job.ranks
        ));
    }
    sched::expect_crowd(job.ranks.div_ceil(count));
    cores::arrange(job, job.ranks <= count && !wants_fibers(job, count));
    let seats = grounds.into_iter().map(Seat::new).collect();
    let world = running_job::begin(Prepared {
        job: job.clone(),
        apps,
        templates: known,
        plan,
        seats,
        tenant,
    });
    signals::install();
    // Workers are interrupted by signals, which look at the world.
    if let Some(seats) = choose_kind(job, count)? {
        world.use_fibers(seats);
        // The supervisor, for which all recovering ranks wait, competes with workers that never
        // rest.
        cores::ask_for_slices_of(cores::PROMPT);
    }
    Ok(world)
}

/// Decides where ranks and their images go, within the mappings that this machine allows.
fn lay_out(
    mut templates: Vec<&'static mut Template>, job: &Job, apps: &[App], is_for_fibers: bool,
) -> Result<(Plan, Vec<&'static Template>), String> {
    // The arguments do not count against the stack size.
    let arguments = apps.iter().map(App::bytes_of_arguments).max().unwrap_or(0);
    let stack_bytes = job.stack_bytes.saturating_add(arguments);
    let maps = |templates: &[&'static mut Template]| {
        templates.iter().map(|template| template.maps()).max().unwrap_or(0)
    };
    let least = if job.seats() > job.ranks { IMAGES_OF_SPAWNED } else { 0 };
    let needs_of = |templates: &[&'static mut Template]| needs_of(templates).at_least(least);
    let mut plan = Plan::new(&needs_of(&templates), stack_bytes, is_for_fibers);
    if let Err(why) = limits::check(job.ranks, maps(&templates) + plan.maps()) {
        // Without separate mappings, their number has no limit.
        let may_flatten = !job.shares_image && plan.marks_guards();
        if !may_flatten || !templates.iter_mut().all(|template| template.flatten()) {
            return Err(why);
        }
        plan = Plan::new(&needs_of(&templates), stack_bytes, is_for_fibers);
        limits::check(job.ranks, maps(&templates) + plan.maps())?;
        if job.explain {
            eprintln!("ftrun: each rank has its own copy of the code: {why}");
        }
    }
    for template in templates.iter().filter(|template| template.is_shared) {
        let failed = |error| format!("no memory for the image of all ranks: {error}");
        let start = ground::reserve_images(template).map_err(failed)?;
        // SAFETY: the memory was reserved for them, and nothing runs in there yet.
        unsafe { template.make_for_all(start) }.map_err(failed)?;
    }
    Ok((plan, templates.into_iter().map(|template| &*template).collect()))
}

/// The address space for the images of ranks where programs may be spawned that nobody knows yet.
const IMAGES_OF_SPAWNED: usize = 32 << 20;

/// What the images of any of these programs need.
fn needs_of(templates: &[&'static mut Template]) -> Needs {
    templates.iter().fold(Needs::default(), |needs, template| needs.and(template))
}

/// Whether all ranks are to be fibers, if that is possible.
fn wants_fibers(job: &Job, cores: usize) -> bool {
    fibers(job, cores).start == 0
}

/// The seats of ranks that are to be fibers, if that is possible: of all, or of those that will
/// be spawned, for which there are no cores.
fn fibers(job: &Job, cores: usize) -> Range<usize> {
    let seats = job.seats();
    match job.kind {
        RankKind::Thread => seats..seats,
        RankKind::Auto if seats <= cores => seats..seats,
        RankKind::Auto if job.ranks <= cores => job.ranks..seats,
        RankKind::Fiber | RankKind::Auto => 0..seats,
    }
}

/// The seats of ranks that are fibers. An error says why there are none, if they were requested.
fn choose_kind(job: &Job, cores: usize) -> Result<Option<Range<usize>>, String> {
    let seats = fibers(job, cores);
    if seats.is_empty() {
        return Ok(None);
    }
    let workers = cores.min(job.seats());
    let outcome = fiber::start_workers(workers, threads::find_number_in_descriptor, look_again);
    match &outcome {
        Err(why) if job.seed.is_some() => {
            return Err(format!("--seed needs ranks on fibers, which are not available: {why}"));
        }
        Ok(()) if job.explain => {
            let which = if seats.start > 0 { "spawned ranks" } else { "ranks" };
            eprintln!("ftrun: {which} are fibers on {workers} threads");
        }
        Err(why) if job.explain || job.kind == RankKind::Fiber => {
            eprintln!("ftrun: ranks are threads, not fibers: {why}");
        }
        _ => {}
    }
    Ok(outcome.is_ok().then_some(seats))
}

/// Whether an alarm of a rank is pending.
pub fn has_alarms() -> bool {
    running_job::found().is_some_and(|world| world.visits().any(|rank| signals::has_alarm(&rank)))
}
