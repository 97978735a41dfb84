//! MPI_Comm_spawn: a further world of ranks in this process, and an intercommunicator with it
//! (MPI-5.0 §11.8).
//!
//! The root finds the programs, takes seats, starts the ranks, and tells the other parents. The new
//! ranks need nobody to get their communicators: contexts and members are in their certificates
//! (see [`births`]). In the end the parents meet: either all have the intercommunicator, or none
//! has, and the new ranks are ended.

use crate::base::Member;
use crate::base::roll::Roll;
use crate::host::life::{self, Order, Startable};
use crate::mpi::coll::claim::Kind;
use crate::mpi::coll::lane;
use crate::mpi::comm::bootstrap::Seal;
use crate::mpi::comm::intercomm::{living_root, pass_on};
use crate::mpi::comm::prepared::{Draft, Words};
use crate::mpi::comm::{Comm, Contexts};
use crate::mpi::dynamic::births::{self, Birth, Births};
use crate::mpi::env;
use crate::mpi::errhandler::Installed;
use crate::mpi::error::{Class, Result};
use crate::mpi::failure::ulfm::must_not_be_revoked;
use crate::mpi::handle_table::Held;
use crate::mpi::info::Info;
use crate::mpi::process::Process;
use crate::mpi::run;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// One program to start.
pub struct Command {
    pub name: Vec<u8>,
    pub arguments: Vec<Vec<u8>>,
    pub most: i32,
    pub info: Option<Held<Info>>,
}

/// What the root wants to be started.
pub struct Orders(Option<Result<Vec<Command>>>);

impl Orders {
    /// They matter at the root only, which reads them.
    pub fn of(comm: &Comm, root: i32, read: impl FnOnce() -> Result<Vec<Command>>) -> Orders {
        Orders((comm.rank == root).then(read))
    }

    /// For how many ranks there are codes: at the root also for those that were not started.
    pub fn codes(&self, spawned: &Result<Spawned>) -> usize {
        match (spawned, &self.0) {
            (Ok(spawned), _) => spawned.count,
            (Err(_), Some(Ok(commands))) => {
                commands.iter().map(|command| command.most.max(0) as usize).sum()
            }
            (Err(_), _) => 0,
        }
    }
}

/// The code for each of the ranks.
pub fn code(spawned: &Result<Spawned>) -> i32 {
    if spawned.is_ok() { 0 } else { Class::SPAWN.0 }
}

/// The info behind a handle, unless it is MPI_INFO_NULL.
pub fn hints(process: &'static Process, handle: usize) -> Result<Option<Held<Info>>> {
    const NULL: usize = 0x130;
    (handle != NULL).then(|| process.info(handle, "array_of_info")).transpose()
}

/// What came of it.
pub struct Spawned {
    pub handle: usize,
    /// How many ranks were started.
    pub count: usize,
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
        Ok((contexts, members)) => {
            let count = members.len();
            let group = &comm.living().group;
            let remote = Arc::new(process.derive_group(group, members));
            let draft = Draft::child(comm, 0, group.clone()).between(contexts, remote);
            Ok(Spawned { handle: draft.make(process)?.handle, count })
        }
        Err(failure) => {
            let news = known.or(heard.ok());
            end(process, comm.living().member(root), news.as_ref());
            Err(failure)
        }
    }
}

/// The root's part: starts the ranks. Returns contexts, the contexts of the seal and of the new
/// world, and the members.
fn begin(process: &Process, comm: &Comm, commands: &[Command]) -> Result<Words> {
    must_not_be_revoked(process, comm)?;
    let world = process.world;
    if world.berths().is_some() {
        let words = "on a simulated machine (--machine) there are no nodes for spawned ranks";
        return Err(Class::SPAWN.because(words));
    }
    let apps = commands.iter().map(find).collect::<Result<Vec<Startable>>>()?;
    let births = world.tenant::<Births>();
    let (seats, appnums) = match commands {
        [command] => {
            let seats = births.take(world, soft(command)?.into_iter());
            let appnums = vec![0; seats.as_ref().map_or(0, |seats| seats.len())];
            (seats, appnums)
        }
        commands => {
            let most = |(appnum, command): (usize, &Command)| {
                std::iter::repeat_n(appnum, command.most.max(0) as usize)
            };
            let appnums: Vec<usize> = commands.iter().enumerate().flat_map(most).collect();
            (births.take(world, std::iter::once(appnums.len())), appnums)
        }
    };
    let seats = seats.ok_or_else(|| {
        let words = format!(
            "the job has no seats left for that many ranks: its universe is {}; allow more with \
             ftrun --universe N",
            world.size()
        );
        Class::SPAWN.because(words)
    })?;
    let members: Vec<Member> = seats.clone().map(|seat| Member { seat, incarnation: 0 }).collect();
    let fresh = || world.fresh_context();
    let (own, local, seal, context) = (fresh(), fresh(), fresh(), fresh());
    let parents = Arc::new(Roll::new(comm.living().group.members().collect()));
    let roll = Arc::new(Roll::new(members.clone()));
    let birth = Birth { members: roll, context, contexts: (own, local), parents };
    births.register(process.me, &Arc::new(birth), &appnums);
    world.found(context, seats);
    for (member, appnum) in members.iter().zip(&appnums) {
        life::start(member.seat, apps[*appnum]);
    }
    let words = Words::default().contexts(Contexts { own, local }).number(seal).number(context);
    Ok(words.members(members.into_iter()))
}

/// Meets the other parents; returns what they know then.
fn confirm(process: &Process, comm: &Comm, news: &Words) -> Result<(Contexts, Vec<Member>)> {
    let mut reader = news.read();
    let (contexts, seal, context) = (reader.contexts(), reader.number(), reader.number());
    let members = reader.members();
    Seal::new(process, seal, comm.living().group.clone()).within(comm).close()?;
    process.world.tenant::<Births>().confirm(context);
    Ok((contexts, members))
}

/// Not all parents know of the new ranks: these end. What the dead root has started is in the
/// table, if it has not been able to tell.
fn end(process: &Process, root: Member, news: Option<&Words>) {
    let told = news.map(|news| {
        let mut reader = news.read();
        let _read = (reader.contexts(), reader.number(), reader.number());
        reader.members()
    });
    let births = process.world.tenant::<Births>();
    let of_root = || births.unconfirmed(root).into_iter();
    let members = told.unwrap_or_else(|| match process.world.is_dead(root) {
        true => of_root().flat_map(|birth| birth.members.members().to_vec()).collect(),
        false => Vec::new(),
    });
    if let Some(first) = members.first() {
        process.world.disown(first.seat);
    }
    members.iter().for_each(|member| life::kill(member.seat));
}

fn find(command: &Command) -> Result<Startable> {
    let value = |key: &[u8]| {
        let value = command.info.as_ref().map(|info| info.value(key)).transpose();
        value.map(Option::flatten)
    };
    if let Some(host) = value(b"host")?
        && !env::is_here(&host)
    {
        let host = String::from_utf8_lossy(&host).into_owned();
        return Err(Class::SPAWN.because(format!("host {host} is not this one")));
    }
    let order = Order {
        command: command.name.clone(),
        arguments: command.arguments.clone(),
        directory: value(b"wdir")?,
        path: value(b"path")?,
    };
    if command.most < 0 {
        return Err(Class::ARG.because(format!("maxprocs is {}", command.most)));
    }
    life::find(&order).map_err(|why| Class::SPAWN.because(why))
}

/// The numbers of ranks that will do, in ascending order: those of the info `soft`, or as many as
/// were asked for.
fn soft(command: &Command) -> Result<Vec<usize>> {
    let most = command.most.max(0) as usize;
    let soft = command.info.as_ref().map(|info| info.value(b"soft")).transpose()?.flatten();
    let Some(soft) = soft else { return Ok(vec![most]) };
    let text = String::from_utf8_lossy(&soft).into_owned();
    let number = |part: &str| part.trim().parse::<i64>().ok();
    let mut all = std::collections::BTreeSet::new();
    for part in text.split(',') {
        let numbers: Option<Vec<i64>> = part.split(':').map(number).collect();
        let (first, last, step) = match numbers.as_deref() {
            Some([only]) => (*only, *only, 1),
            Some([first, last]) => (*first, *last, 1),
            Some([first, last, step]) if *step != 0 => (*first, *last, *step),
            _ => {
                let words = format!("soft is `{text}`; it lists numbers or first:last:step");
                return Err(Class::ARG.because(words));
            }
        };
        let count = ((last - first) / step).max(-1) + 1;
        let within = (0..count).map(|index| first + index * step);
        all.extend(within.filter_map(|it| usize::try_from(it).ok()).filter(|it| *it <= most));
    }
    Ok(all.into_iter().collect())
}

/// A spawned rank gets the intercommunicator with its parents.
pub fn meet_parents(process: &Process) -> Result {
    let Some((birth, _)) = births::of(process.world, process.me.seat) else { return Ok(()) };
    let members = birth.world_of(process.me);
    let world = births::group_of_world(process.world, process.me);
    let group = Arc::new(process.derive_group(&world, members));
    let remote = Arc::new(process.derive_group(&group, birth.parents.members().to_vec()));
    let errhandler = Installed::initial(process.world.charter().errhandler());
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
