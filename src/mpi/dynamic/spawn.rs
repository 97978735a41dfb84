//! MPI_Comm_spawn: a further world of ranks in this process, and an intercommunicator with it
//! (MPI-5.0 §11.8).
//!
//! The root finds the programs, takes seats, starts the ranks, and tells the other parents. The new
//! ranks need nobody to get their communicators: contexts and members are in their certificates
//! (see [`births`]). In the end the parents meet: either all have the intercommunicator, or none
//! has, and the new ranks are ended.

use crate::base::Member;
use crate::base::roll::Roll;
use crate::engine::Died;
use crate::engine::shared::rules::InitialErrhandler;
use crate::host::life::{self, Order, Startable};
use crate::host::{clock, sched};
use crate::mpi::coll::claim::Kind;
use crate::mpi::coll::lane;
use crate::mpi::comm::bootstrap::Seal;
use crate::mpi::comm::intercomm::{living_root, pass_on};
use crate::mpi::comm::prepared::{Draft, Words};
use crate::mpi::comm::{Comm, Contexts};
use crate::mpi::dynamic::births::{self, Birth, Births};
use crate::mpi::dynamic::hints::{self, Command, Hints};
use crate::mpi::dynamic::ports::must_be_in_one_process;
use crate::mpi::errhandler::Installed;
use crate::mpi::error::{Class, Result};
use crate::mpi::failure::ulfm::must_not_be_revoked;
use crate::mpi::handle_table::Held;
use crate::mpi::info::Info;
use crate::mpi::process::Process;
use crate::mpi::run;
use std::ops::Range;
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
    must_be_in_one_process(process)?;
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
    let each = commands.iter().zip(&hints);
    let apps = each.map(|(command, hints)| find(command, hints)).collect::<Result<Vec<_>>>()?;
    let births = world.tenant::<Births>();
    let (seats, started) = take_seats(process, &births, &hints)?.ok_or_else(|| {
        let words = format!(
            "the job has no seats left for that many ranks: its universe is {}; allow more with \
             ftrun --universe N",
            world.size()
        );
        Class::SPAWN.because(words)
    })?;
    let of_app = |(appnum, count): (usize, &usize)| std::iter::repeat_n(appnum, *count);
    let appnums: Vec<usize> = started.iter().enumerate().flat_map(of_app).collect();
    let fresh = || world.fresh_context();
    let (own, local, seal, context) = (fresh(), fresh(), fresh(), fresh());
    let members = world.found(context, seats);
    let parents = Arc::new(Roll::new(comm.living().group.members().collect()));
    let roll = Arc::new(Roll::new(members.clone()));
    let errhandlers: Vec<_> = hints.iter().map(|hints| hints.errhandler).collect();
    if errhandlers.contains(&Some(InitialErrhandler::Return)) {
        world.charter().hear();
    }
    let birth = Birth { members: roll, context, contexts: (own, local), parents, errhandlers };
    births.register(process.me, &Arc::new(birth), &appnums);
    for (member, appnum) in members.iter().zip(&appnums) {
        life::start(member.seat, member.incarnation, apps[*appnum]);
    }
    let words = Words::default().contexts(Contexts { own, local }).number(seal).number(context);
    let words = words.number(started.len() as u32);
    let each = commands.iter().zip(started);
    let words = each.fold(words, |words, (command, started)| {
        words.number(command.most as u32).number(started as u32)
    });
    Ok(words.members(members.into_iter()))
}

/// Takes seats for the ranks that are wanted. If there are none, waits a moment: ranks that were
/// told to end may be about to.
fn take_seats(
    process: &Process, births: &Births, hints: &[Hints],
) -> Result<Option<(Range<usize>, Vec<usize>)>> {
    const PATIENCE: Duration = Duration::from_secs(1);
    let counts: Vec<Vec<usize>> = hints.iter().map(|hints| hints.counts.clone()).collect();
    let begun = clock::now();
    loop {
        if let Some(taken) = births.take(process.world, |free| hints::fit(&counts, free)) {
            return Ok(Some(taken));
        }
        if !births.have_lent() || clock::now() > begun + PATIENCE {
            return Ok(None);
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
    members.iter().for_each(|member| life::kill_newborn(member.seat, member.incarnation));
}

fn find(command: &Command, hints: &Hints) -> Result<Startable> {
    let order = Order {
        command: command.name.clone(),
        arguments: command.arguments.clone(),
        directory: hints.directory.clone(),
        path: hints.path.clone(),
    };
    life::find(&order).map_err(|why| Class::SPAWN.because(why))
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
