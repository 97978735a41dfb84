//! Communicator creation and freeing (MPI-5.0 §7.4).
//!
//! The leader of a creation draws the context id and sends it to the other members. Two threads of
//! a process may create communicators at once.

use crate::host::memory::Span;
use crate::mpi::coll;
use crate::mpi::coll::claim::{self, Claim, Form, Kind};
use crate::mpi::comm::bootstrap::{Circle, Seal, check_stringtag};
use crate::mpi::comm::group::Group;
use crate::mpi::comm::intercomm;
use crate::mpi::comm::prepared::{Draft, Words};
use crate::mpi::comm::wishes::{UNDEFINED, Wish, chosen, wishes};
use crate::mpi::comm::{Comm, Contexts, WORLD};
use crate::mpi::errhandler::{Errhandler, Installed};
use crate::mpi::error::{Class, Failure, Result, is_death};
use crate::mpi::failure::lineage;
use crate::mpi::failure::recovery;
use crate::mpi::failure::ulfm::must_not_be_revoked;
use crate::mpi::handle_table::{Held, Sort};
use crate::mpi::hardware::{self, PSET_NAME, RESOURCE_TYPE};
use crate::mpi::info::Info;
use crate::mpi::lane::Lane;
use crate::mpi::p2p::outcome::Pending;
use crate::mpi::process::Process;
use crate::mpi::run;
use crate::mpi::session;
use std::sync::Arc;

const TYPE_SHARED: i32 = 221;
const TYPE_HW_UNGUIDED: i32 = 222;
const TYPE_HW_GUIDED: i32 = 223;
const TYPE_RESOURCE_GUIDED: i32 = 224;

/// A communicator like `comm` with a context of its own; returns its handle.
pub fn duplicate(process: &'static Process, comm: &Comm, info: Option<&Info>) -> Result<usize> {
    if recovery::is_meant(process, comm) {
        return recovery::repair(process, comm);
    }
    let contexts = run::block(contexts(&coll::lane(process, comm, Kind::Dup)?))?;
    let made = twin(process, comm, info)?;
    made.settle(contexts);
    lineage::is_known(process, &made)?;
    Ok(made.handle)
}

/// What MPI_Comm_dup makes of `comm`: a duplicate, or what a recovery makes of it, where the
/// program asks for one or needs one.
pub fn duplicate_or_recover(
    process: &'static Process, comm: &Comm, is_asked: bool,
) -> Result<usize> {
    match is_asked && recovery::mode(process).is_some() {
        true => recovery::repair(process, comm),
        false => duplicate(process, comm, None),
    }
}

/// Starts to make one. Returns its handle, which leads nowhere until the request has ended well,
/// and that of the request.
pub fn start_duplicate(
    process: &'static Process, comm: &Held<Comm>, info: Option<&Info>,
) -> Result<(usize, usize)> {
    let tag = comm.next_collective(process);
    let drawn = comm.draw(process, tag);
    let claim = Claim::of(Kind::Dup).form(Form::Nonblocking);
    claim::compare(process, comm, tag, claim)?;
    let made = twin(process, comm, info);
    if is_death(&made) {
        return Err(Failure::died());
    }
    // The others wait for this process, whatever its callbacks said.
    let (on, twin) = (comm.clone(), made.as_ref().ok().cloned());
    let pending = run::start(process, |way| async move {
        let lane = Lane::new(process, &on, tag, way).drawn_as(drawn.as_ref());
        let lane = lane.calling(claim.call());
        let agreed = contexts(&lane).await;
        if let Some(twin) = twin {
            match &agreed {
                Ok(contexts) => {
                    twin.settle(*contexts);
                    lineage::is_known(process, &twin)?;
                }
                Err(_) => drop(process.comms.remove(twin.handle)),
            }
        }
        agreed.map(drop)
    })?;
    match (made, pending) {
        (Ok(made), pending) => Ok((made.handle, process.requests.keep(comm, pending)?)),
        (Err(failure), Pending::Run(run)) => {
            process.engine.abandon(run);
            Err(failure)
        }
        (Err(failure), _) => Err(failure),
    }
}

/// All of a duplicate but its contexts.
fn twin(process: &Process, comm: &Comm, info: Option<&Info>) -> Result<Arc<Comm>> {
    let attributes = comm.attributes.copy(&process.keyvals, comm.handle)?;
    let (topology, group) = (comm.topology.clone(), comm.group.clone());
    let draft = Draft::child(comm, Contexts::NONE.own, group);
    let draft = match comm.is_inter() {
        true => draft.between(Contexts::NONE, comm.remote()?.clone()),
        false => draft,
    };
    Draft { attributes, info, topology, ..draft }.make(process)
}

/// Contexts that all of a lane know, or none.
async fn contexts(lane: &Lane<'_>) -> Result<Contexts> {
    let lane = lane.union();
    let mut bytes = Contexts::draw(lane.process(), lane.rank()).bytes();
    coll::unite_behind(&lane, &mut bytes).await?;
    let contexts = Words::new(bytes).read().contexts();
    contexts.learn(lane.process());
    Ok(contexts)
}

/// One communicator for each color, ranks in the order of keys; none for MPI_UNDEFINED.
pub fn split(process: &'static Process, comm: &Comm, wish: Wish) -> Result<Option<usize>> {
    if recovery::is_wanted(process, comm) {
        return recovery::repair(process, comm).map(Some);
    }
    if comm.is_inter() {
        return intercomm::split(process, comm, wish);
    }
    // Disjoint communicators may share a context: no process is in two of them.
    let (contexts, all) = wishes(&coll::lane(process, comm, Kind::Split)?, wish)?;
    let Some(color) = wish.color() else { return Ok(None) };
    let living = &comm.living().group;
    let members = chosen(&all, color).filter_map(|rank| living.member(rank)).collect();
    let group = Arc::new(process.derive_group(&comm.group, members));
    Draft::child(comm, contexts.own, group).make(process).map(|made| Some(made.handle))
}

/// One communicator for each part of the machine, or of what the hints name; none for those who
/// are in no such part, and for all where it is unknown (MPI-5.0 §7.4.2).
pub fn split_type(
    process: &'static Process, comm: &Comm, kind: i32, key: i32, hints: Option<&Held<Info>>,
) -> Result<Option<usize>> {
    let hint = |key| hints.map(|hints| hints.value(key)).transpose().map(Option::flatten);
    let color = match kind {
        TYPE_SHARED => Some(process.world.host_of(process.me.seat) as i32),
        UNDEFINED => None,
        TYPE_HW_GUIDED => hint(RESOURCE_TYPE)?.and_then(|name| hardware::part(&name)),
        TYPE_RESOURCE_GUIDED => match (hint(RESOURCE_TYPE)?, hint(PSET_NAME)?) {
            (Some(name), None) => hardware::part(&name),
            (None, Some(name)) => session::part(process, &name),
            _ => None,
        },
        TYPE_HW_UNGUIDED => {
            match comm.must_be_intra().and_then(|()| hardware::next_level(process, comm))? {
                None => None,
                Some((name, part)) => {
                    if let Some(hints) = hints.filter(|hints| process.may_change(hints).is_ok()) {
                        hints.set(RESOURCE_TYPE, name.as_bytes())?;
                    }
                    part
                }
            }
        }
        _ => {
            let words =
                format!("split_type is {kind}; it must be one of the MPI_COMM_TYPE constants");
            return Err(Class::ARG.because(words));
        }
    };
    split(process, comm, Wish::new(color.unwrap_or(UNDEFINED), key)?)
}

/// A communicator of `group`, made by all of `comm`; those outside get none.
pub fn create(process: &'static Process, comm: &Comm, group: &Group) -> Result<Option<usize>> {
    is_subset(comm, group)?;
    if recovery::is_wanted(process, comm) {
        return recovery::repair(process, comm).map(Some);
    }
    if comm.is_inter() {
        return intercomm::subset(process, comm, group);
    }
    let context = agree(process, comm, Kind::Create)?;
    if group.rank().is_none() {
        return Ok(None);
    }
    let group = Arc::new(process.derive_group(&comm.group, group.members().collect()));
    Draft::child(comm, context, group).make(process).map(|made| Some(made.handle))
}

/// A communicator of `group`, made by its members alone.
pub fn create_group(
    process: &Process, comm: &Comm, group: &Group, tag: i32,
) -> Result<Option<usize>> {
    comm.must_be_intra()?;
    must_not_be_revoked(process, comm)?;
    is_subset(comm, group)?;
    if group.rank().is_none() {
        return Ok(None);
    }
    let group = Arc::new(process.derive_group(&comm.group, group.members().collect()));
    let purpose = ("MPI_Comm_create_group", comm.context(), tag);
    let circle = Circle::new(process, group.clone(), &purpose).within(comm);
    let context = agree_in(process, &circle, Some(comm))?;
    Draft::child(comm, context, group).make(process).map(|made| Some(made.handle))
}

/// A communicator of `group`, made by its members, which need no other communicator.
pub fn from_group(
    process: &Process, group: &Group, stringtag: &[u8], info: Option<&Info>,
    errhandler: Held<Errhandler>,
) -> Result<Option<usize>> {
    check_stringtag(stringtag)?;
    let errhandler = Installed::with(Sort::Comm, errhandler)?;
    if group.is_empty() {
        return Ok(None);
    }
    if group.rank().is_none() {
        return Err(Class::GROUP.because("group does not hold the calling process"));
    }
    let group = Arc::new(process.derive_group(group, group.members().collect()));
    let circle = Circle::new(process, group.clone(), &("MPI_Comm_create_from_group", stringtag));
    let context = agree_in(process, &circle, None)?;
    let draft = Draft::new(context, group, errhandler);
    Draft { info, ..draft }.make(process).map(|made| Some(made.handle))
}

/// Frees the communicator behind `handle`. What is under way on it goes on to its end.
pub fn free(process: &'static Process, handle: usize) -> Result {
    let comm = process.comm(handle, "comm")?;
    // FT-MPI's programs free what they have repaired, and that may be the world (2000, example 3).
    if comm.handle == WORLD && (comm.generation > 0 || process.world.charter().returns_deaths()) {
        return Ok(());
    }
    if comm.handle != WORLD && comm.is_alias_of(&process.world_comm()) {
        // Only this handle goes.
        process.comms.remove(handle);
        return Ok(());
    }
    if comm.is_predefined() {
        let words = format!("comm is {}, which cannot be freed", comm.title());
        return Err(Class::COMM.because(words));
    }
    comm.attributes.clear(&process.keyvals, handle)?;
    process.comms.remove(handle);
    process.engine.let_go(comm.context())?;
    if comm.is_inter() {
        process.engine.let_go(comm.local().context())?;
    }
    Ok(())
}

/// A context that all of `comm` know, or none.
pub(in crate::mpi) fn agree(process: &Process, comm: &Comm, kind: Kind) -> Result<u32> {
    run::block(contexts(&coll::lane(process, comm, kind)?)).map(|contexts| contexts.own)
}

/// A context that all of a circle know, or none; they are members of `parent`, if of anything.
fn agree_in(process: &Process, circle: &Circle<'_>, parent: Option<&Comm>) -> Result<u32> {
    let mut bytes = Contexts::draw(process, circle.comm.rank).bytes();
    run::block(coll::broadcast(&circle.lane(), &Span::of_mut(&mut bytes).into(), 0))?;
    let contexts = Words::new(bytes).read().contexts();
    if circle.comm.size() > 1 {
        let seal = Seal::new(process, contexts.local, circle.comm.group.clone());
        match parent {
            Some(parent) => seal.within(parent),
            None => seal,
        }
        .close()?;
    }
    Ok(contexts.own)
}

fn is_subset(comm: &Comm, group: &Group) -> Result {
    match group.members().find(|member| comm.group.rank_of(*member).is_none()) {
        None => Ok(()),
        Some(member) => {
            let words = format!("group holds process {}, which is not in comm", member.seat);
            Err(Class::GROUP.because(words))
        }
    }
}
