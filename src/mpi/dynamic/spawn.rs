//! MPI_Comm_spawn: a further world of ranks, in this process or in processes of their own, and an
//! intercommunicator with it (MPI-5.0 §11.8).
//!
//! The root finds the programs, takes seats, starts the ranks, and tells the other parents. The new
//! ranks need nobody to get their communicators: contexts and members are in their certificates
//! (see [`births`]). In the end the parents meet: either all have the intercommunicator, or none
//! has, and the new ranks are ended.

use crate::base::Member;
use crate::engine::shared::rules::InitialErrhandler;
use crate::engine::{Died, Founding, Ordered, Recipe, Spawn};
use crate::host::life::{self, Order, Startable};
use crate::host::{clock, sched};
use crate::mpi::coll::claim::Kind;
use crate::mpi::coll::lane;
use crate::mpi::comm::bootstrap::Seal;
use crate::mpi::comm::intercomm::{living_root, pass_on};
use crate::mpi::comm::prepared::{Draft, Words};
use crate::mpi::comm::{Comm, Contexts};
use crate::mpi::dynamic::births::{self, Births};
use crate::mpi::dynamic::hints::{Command, Hints};
use crate::mpi::errhandler::Installed;
use crate::mpi::error::{Class, Result};
use crate::mpi::failure::ulfm::must_not_be_revoked;
use crate::mpi::handle_table::Held;
use crate::mpi::info::Info;
use crate::mpi::process::Process;
use crate::mpi::run;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// What the root wants to be started.
pub struct Orders(Option<Result<Vec<Command>>>);

impl Orders {
    /// They matter at the root only, which reads them.
    pub fn of(comm: &Comm, root: i32, read: impl FnOnce() -> Result<Vec<Command>>) -> Orders {
        Orders((comm.rank == root).then(read))
    }

    /// The code for each of the ranks that were wanted. Where there is no new world, only the root
    /// knows how many these are.
    pub fn codes(&self, spawned: &Result<Spawned>) -> Vec<i32> {
        match (spawned, &self.0) {
            (Ok(spawned), _) => {
                let each = |(most, started): &(usize, usize)| {
                    let missing = std::iter::repeat_n(Class::SPAWN.0, most - started);
                    std::iter::repeat_n(0, *started).chain(missing)
                };
                spawned.started.iter().flat_map(each).collect()
            }
            (Err(_), Some(Ok(commands))) => {
                let most = commands.iter().map(|command| command.most.max(0) as usize);
                vec![Class::SPAWN.0; most.sum()]
            }
            (Err(_), _) => Vec::new(),
        }
    }
}

/// The info behind a handle, unless it is MPI_INFO_NULL.
pub fn hints(process: &'static Process, handle: usize) -> Result<Option<Held<Info>>> {
    const NULL: usize = 0x130;
    (handle != NULL).then(|| process.info(handle, "array_of_info")).transpose()
}

/// What came of it.
pub struct Spawned {
    pub handle: usize,
    /// Of each command: how many ranks were wanted, and how many were started.
    started: Vec<(usize, usize)>,
}

/// Starts ranks.
pub fn spawn(process: &Process, comm: &Comm, root: i32, orders: &Orders) -> Result<Spawned> {
    comm.must_be_intra()?;
    let root = living_root(comm, root)?;
    let lane = lane(process, comm, Kind::Spawn)?;
    let begin = |commands: &Result<Vec<Command>>| {
        begin(process, comm, commands.as_ref().map_err(Clone::clone)?)
    };
    let told = orders.0.as_ref().map(begin);
    let known = told.as_ref().and_then(|told| told.as_ref().ok().cloned());
    let heard = run::block(pass_on(&lane, root, told));
    if let Err(failure) = &heard
        && failure.is_death()
    {
        return Err(failure.clone());
    }
    let outcome = heard.clone().and_then(|news| confirm(process, comm, &news));
    match outcome {
        Ok(news) => {
            let group = &comm.living().group;
            let remote = Arc::new(process.derive_group(group, news.members));
            let draft = Draft::child(comm, 0, group.clone()).between(news.contexts, remote);
            Ok(Spawned { handle: draft.make(process)?.handle, started: news.started })
        }
        Err(failure) => {
            let news = known.or(heard.ok());
            end(process, comm.living().member(root), news.as_ref());
            Err(failure)
        }
    }
}

/// The root's part: starts the ranks. Returns what [`News`] reads.
fn begin(process: &Process, comm: &Comm, commands: &[Command]) -> Result<Words> {
    must_not_be_revoked(process, comm)?;
    let world = process.world;
    if world.berths().is_some() {
        let words = "on a simulated machine (--machine) there are no nodes for spawned ranks";
        return Err(Class::SPAWN.because(words));
    }
    let hints = commands.iter().map(Hints::of).collect::<Result<Vec<Hints>>>()?;
    let parents = comm.living().group.members().collect();
    let founding = match world.is_of_several_processes() {
        true => found_elsewhere(process, commands, &hints, parents)?,
        false => found_here(process, commands, &hints, parents)?,
    };
    let Founding { contexts: (own, local), seal, context, started, .. } = &founding;
    let contexts = Contexts { own: *own, local: *local };
    let words = Words::default().contexts(contexts).number(*seal).number(*context);
    let words = words.number(started.len() as u32);
    let each = commands.iter().zip(started);
    let words = each.fold(words, |words, (command, started)| {
        words.number(command.most as u32).number(*started as u32)
    });
    Ok(words.members(founding.members()))
}

/// Starts ranks in this process.
fn found_here(
    process: &Process, commands: &[Command], hints: &[Hints], parents: Vec<Member>,
) -> Result<Founding> {
    let world = process.world;
    let each = commands.iter().zip(hints);
    let apps = each.map(|(command, hints)| find(command, hints)).collect::<Result<Vec<_>>>()?;
    let (births, counts) = (world.tenant::<Births>(), counts(hints));
    let (seats, started) = take_seats(process, || {
        births.lend(|loans| {
            let latest = |seat| world.latest(seat).incarnation;
            let lent = loans.lend(world.ranks()..world.size(), &counts, latest);
            Ok(lent.ok_or(loans.are_any()))
        })
    })?;
    let fresh = || world.fresh_context();
    let (contexts, seal, context) = ((fresh(), fresh()), fresh(), fresh());
    let members = world.found(context, seats.clone());
    let founding = Founding {
        by: process.me,
        number: 0,
        first: members.first().map_or(0, |member| member.incarnation),
        seats,
        context,
        contexts,
        seal,
        parents,
        recipes: Vec::new(),
        started,
        errhandlers: errhandlers(hints),
    };
    births::register(world, &founding);
    for (member, appnum) in members.iter().zip(founding.appnums()) {
        life::start(member.seat, member.incarnation, apps[appnum]);
    }
    Ok(founding)
}

/// Has `ftrun` start processes.
fn found_elsewhere(
    process: &Process, commands: &[Command], hints: &[Hints], parents: Vec<Member>,
) -> Result<Founding> {
    let each = commands.iter().zip(hints);
    let is_copied = process.world.shares_processes();
    let recipe = |(command, hints)| recipe(command, hints, is_copied);
    let recipes = each.map(recipe).collect::<Result<_>>()?;
    let (counts, errhandlers) = (counts(hints), errhandlers(hints));
    let spawn = Spawn { parents, recipes, counts, errhandlers };
    take_seats(process, || {
        Ok(match process.engine.order_ranks(spawn.clone())? {
            Ordered::Founded(founding) => Ok(founding),
            Ordered::NoSeats { may_come } => Err(may_come),
        })
    })
}

fn counts(hints: &[Hints]) -> Vec<Vec<usize>> {
    hints.iter().map(|hints| hints.counts.clone()).collect()
}

fn errhandlers(hints: &[Hints]) -> Vec<Option<InitialErrhandler>> {
    hints.iter().map(|hints| hints.errhandler).collect()
}

/// Takes seats for the ranks that are wanted. If there are none, waits a moment, if `take` says
/// that some may come: ranks that were told to end may be about to.
fn take_seats<T>(
    process: &Process, take: impl Fn() -> Result<std::result::Result<T, bool>>,
) -> Result<T> {
    const PATIENCE: Duration = Duration::from_secs(1);
    let begun = clock::now();
    loop {
        match take()? {
            Ok(taken) => return Ok(taken),
            Err(may_come) if !may_come || clock::now() > begun + PATIENCE => {
                let words = format!(
                    "the job has no seats left for that many ranks: its universe is {}; allow more \
                     with ftrun --universe N",
                    process.world.size()
                );
                return Err(Class::SPAWN.because(words));
            }
            Err(_) => {}
        }
        if process.engine.is_stopping() {
            return Err(Died.into());
        }
        sched::yield_now();
    }
}

/// What all parents get to know.
struct News {
    contexts: Contexts,
    /// The contexts of the seal and of the new world.
    seal: u32,
    context: u32,
    /// Of each command: how many ranks were wanted, and how many were started.
    started: Vec<(usize, usize)>,
    members: Vec<Member>,
}

impl News {
    fn read(words: &Words) -> News {
        let mut reader = words.read();
        let (contexts, seal, context) = (reader.contexts(), reader.number(), reader.number());
        let commands = reader.number();
        let pair = |_| (reader.number() as usize, reader.number() as usize);
        let started = (0..commands).map(pair).collect();
        News { contexts, seal, context, started, members: reader.members() }
    }
}

/// Meets the other parents; returns what they know then.
fn confirm(process: &Process, comm: &Comm, words: &Words) -> Result<News> {
    let news = News::read(words);
    let seal = Seal::new(process, news.seal, comm.living().group.clone());
    seal.within(comm).close()?;
    process.world.tenant::<Births>().confirm(news.context);
    Ok(news)
}

/// Not all parents know of the new ranks: these end. What the dead root has started is in the
/// table, if it has not been able to tell.
fn end(process: &Process, root: Member, news: Option<&Words>) {
    let told = news.map(|words| News::read(words).members);
    let births = process.world.tenant::<Births>();
    let of_root = || births.unconfirmed(root).into_iter();
    let members = told.unwrap_or_else(|| match process.world.is_dead(root) {
        true => of_root().flat_map(|birth| birth.members.members().to_vec()).collect(),
        false => Vec::new(),
    });
    if let Some(first) = members.first() {
        process.world.disown(first.seat);
    }
    if !members.is_empty() && !process.world.end_newborn(process.me, &members) {
        members.iter().for_each(|member| life::kill_newborn(member.seat, member.incarnation));
    }
}

fn find(command: &Command, hints: &Hints) -> Result<Startable> {
    life::find(&order(command, hints)).map_err(|why| Class::SPAWN.because(why))
}

fn recipe(command: &Command, hints: &Hints, is_copied: bool) -> Result<Recipe> {
    let found = life::executable(&order(command, hints), is_copied);
    let (file, directory) = found.map_err(|why| Class::SPAWN.because(why))?;
    let bytes = |path: PathBuf| path.into_os_string().into_vec();
    let words = std::iter::once(&command.name).chain(&command.arguments).cloned().collect();
    Ok(Recipe { file: bytes(file), words, directory: directory.map(bytes) })
}

fn order(command: &Command, hints: &Hints) -> Order {
    Order {
        command: command.name.clone(),
        arguments: command.arguments.clone(),
        directory: hints.directory.clone(),
        path: hints.path.clone(),
    }
}

/// A spawned rank gets the intercommunicator with its parents.
pub fn meet_parents(process: &Process) -> Result {
    let Some((birth, appnum)) = births::of(process.world, process.me.seat) else { return Ok(()) };
    let members = birth.world_of(process.me);
    let world = births::group_of_world(process.world, process.me);
    let group = Arc::new(process.derive_group(&world, members));
    let remote = Arc::new(process.derive_group(&group, birth.parents.members().to_vec()));
    let errhandler = Installed::initial(birth.errhandler(process.world, appnum));
    let (own, local) = birth.contexts;
    let draft = Draft::new(own, group, errhandler).between(Contexts { own, local }, remote);
    process.parent.store(draft.make(process)?.handle, Ordering::Relaxed);
    Ok(())
}

/// The intercommunicator with the parents, if there are any and it was not freed.
pub fn parent(process: &Process) -> Option<usize> {
    let handle = process.parent.load(Ordering::Relaxed);
    (handle != 0 && process.comms.find(handle).is_some()).then_some(handle)
}
