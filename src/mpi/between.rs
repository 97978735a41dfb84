//! Intercommunicators: how two groups find each other and what they make together (MPI-5.0 §7.6).
//!
//! One leader on each side speaks with the other, and passes on what was agreed. Failures are
//! passed on as well: nobody waits for a leader that has given up.

use crate::host::memory::Span;
use crate::mpi::circle::{Circle, check_stringtag};
use crate::mpi::coll::claim::Kind;
use crate::mpi::coll::{broadcast, lane, share};
use crate::mpi::comm::{Comm, Contexts, Peer};
use crate::mpi::draft::{Draft, Words};
use crate::mpi::errhandler::{Errhandler, Installed};
use crate::mpi::error::{Class, Result};
use crate::mpi::group::Group;
use crate::mpi::info::Info;
use crate::mpi::lane::Lane;
use crate::mpi::making::{Wish, chosen};
use crate::mpi::process::Process;
use crate::mpi::run;
use crate::mpi::table::{Held, Sort};
use crate::mpi::ulfm::must_not_be_revoked;
use std::hash::Hash;
use std::sync::Arc;

/// An intercommunicator between the group of `local` and that of another communicator, whose
/// leader is `remote_leader` in `peer`; `peer` matters at the local leader only.
pub fn create(
    process: &Process, local: &Comm, local_leader: i32, peer: Result<Held<Comm>>,
    remote_leader: i32, tag: i32,
) -> Result<usize> {
    local.must_be_intra()?;
    is_leader(local_leader, &local.group, "local_leader")?;
    let told = (local.rank == local_leader).then(|| {
        let peer = peer?;
        let other = match peer.peer(remote_leader)? {
            Peer::Rank { member, .. } => member,
            Peer::Null => return Err(Class::RANK.because("remote_leader is MPI_PROC_NULL")),
        };
        let purpose = ("MPI_Intercomm_create", peer.context(), tag);
        let mut leaders = [process.me, other];
        leaders.sort_unstable_by_key(|leader| leader.seat);
        must_not_be_revoked(process, &peer)?;
        meet(process, &local.group, &leaders, &purpose, Some(&*peer))
    });
    let lane = lane(process, local, Kind::IntercommCreate)?;
    let news = run::block(pass_on(&lane, local_leader, told))?;
    let group = local.group.clone();
    found(process, Draft::child(local, 0, group), &news).map(|made| made.handle)
}

/// Two groups that have no communicator at all.
pub struct Sides<'a> {
    pub local: &'a Group,
    pub local_leader: i32,
    /// Both matter at the local leader only.
    pub remote: Result<Held<Group>>,
    pub remote_leader: i32,
}

/// An intercommunicator between two groups.
pub fn from_groups(
    process: &Process, sides: Sides<'_>, stringtag: &[u8], info: Option<&Info>,
    errhandler: Held<Errhandler>,
) -> Result<usize> {
    check_stringtag(stringtag)?;
    let errhandler = Installed::with(Sort::Comm, errhandler)?;
    let Sides { local, local_leader, remote, remote_leader } = sides;
    let Some(rank) = local.rank() else {
        return Err(Class::GROUP.because("local_group does not hold the calling process"));
    };
    is_leader(local_leader, local, "local_leader")?;
    let group = Arc::new(process.derive_group(local, local.members().collect()));
    let purpose = ("MPI_Intercomm_create_from_groups", stringtag);
    let told = (rank == local_leader).then(|| {
        let remote = remote?;
        is_leader(remote_leader, &remote, "remote_leader")?;
        let other = remote.member(remote_leader as usize).expect("it was checked");
        let mut leaders = [process.me, other];
        leaders.sort_unstable_by_key(|leader| leader.seat);
        meet(process, local, &leaders, &purpose, None)
    });
    let circle = Circle::new(process, group.clone(), &purpose);
    let news = run::block(pass_on(&circle.lane(), local_leader, told))?;
    let draft = Draft { info, ..Draft::new(0, group, errhandler) };
    found(process, draft, &news).map(|made| made.handle)
}

/// Contexts for another intercommunicator between the two groups of a lane.
pub(super) async fn contexts(lane: &Lane<'_>, drawn: Contexts) -> Result<Contexts> {
    let mine = Words::default().contexts(drawn);
    let is_first = is_first(lane.comm());
    let agree = |mine, theirs| if is_first { mine } else { theirs };
    Ok(consult(lane, mine, agree).await?.read().contexts())
}

/// Intercommunicators of those of either side who have the same color.
pub(super) fn split(process: &Process, comm: &Comm, wish: Wish) -> Result<Option<usize>> {
    let ours = share(process, comm.local(), Kind::Split, &wish.bytes())?;
    let mine = Words::default().contexts(Contexts::draw(process, comm.rank));
    let mine = Words::new([mine.bytes(), &ours].concat());
    let news = consult_now(process, comm, Kind::Split, mine, |mine, theirs| {
        let contexts = if is_first(comm) { &mine } else { &theirs }.read().contexts();
        let mut theirs = theirs.read();
        theirs.contexts();
        Words::new([Words::default().contexts(contexts).bytes(), theirs.rest()].concat())
    })?;
    let mut reader = news.read();
    let contexts = reader.contexts();
    let Some(color) = wish.color() else { return Ok(None) };
    let pick = |all: &[u8], group: &Group| {
        let members = chosen(all, color).filter_map(|rank| group.member(rank)).collect();
        Arc::new(process.derive_group(&comm.group, members))
    };
    let (group, remote) = (pick(&ours, &comm.group), pick(reader.rest(), comm.remote()?));
    if remote.is_empty() {
        return Ok(None);
    }
    let draft = Draft::child(comm, 0, group).between(contexts, remote);
    draft.make(process).map(|made| Some(made.handle))
}

/// An intercommunicator of `group`, a part of the local group, and of its like on the other side.
pub(super) fn subset(process: &Process, comm: &Comm, group: &Group) -> Result<Option<usize>> {
    let mine =
        Words::default().contexts(Contexts::draw(process, comm.rank)).members(group.members());
    let news = consult_now(process, comm, Kind::Create, mine, |mine, theirs| {
        let contexts = if is_first(comm) { &mine } else { &theirs }.read().contexts();
        let mut theirs = theirs.read();
        theirs.contexts();
        Words::new([Words::default().contexts(contexts).bytes(), theirs.rest()].concat())
    })?;
    let mut reader = news.read();
    let (contexts, remote) = (reader.contexts(), reader.members());
    if group.rank().is_none() || remote.is_empty() {
        return Ok(None);
    }
    let group = Arc::new(process.derive_group(&comm.group, group.members().collect()));
    let remote = Arc::new(process.derive_group(&comm.group, remote));
    let draft = Draft::child(comm, 0, group).between(contexts, remote);
    draft.make(process).map(|made| Some(made.handle))
}

/// One communicator of both groups: those who say `high` come last; where both say the same, the
/// one with the first seat among the two first members comes first (MPI-5.0 §7.6.2).
pub fn merge(process: &Process, comm: &Comm, high: bool) -> Result<usize> {
    let remote = comm.remote()?;
    let mine = Words::default().number(u32::from(high)).number(process.world.fresh_context());
    let news = consult_now(process, comm, Kind::IntercommMerge, mine, |mine, theirs| {
        let (mut mine, mut theirs) = (mine.read(), theirs.read());
        let (my_high, their_high) = (mine.number(), theirs.number());
        let (my_context, their_context) = (mine.number(), theirs.number());
        let comes_first = if my_high == their_high { is_first(comm) } else { my_high == 0 };
        let context = if is_first(comm) { my_context } else { their_context };
        Words::default().number(u32::from(comes_first)).number(context)
    })?;
    let mut reader = news.read();
    let (comes_first, context) = (reader.number() != 0, reader.number());
    let members = match comes_first {
        true => comm.group.members().chain(remote.members()).collect(),
        false => remote.members().chain(comm.group.members()).collect(),
    };
    let group = Arc::new(process.derive_group(&comm.group, members));
    Draft::child(comm, context, group).make(process).map(|made| made.handle)
}

/// Whether the own side is the one that decides where both could: both sides find the same.
fn is_first(comm: &Comm) -> bool {
    let seat = |group: &Group| group.member(0).expect("no side is empty").seat;
    seat(&comm.group) < seat(comm.peers())
}

fn is_leader(rank: i32, group: &Group, name: &str) -> Result {
    if (0..group.size()).contains(&rank) {
        return Ok(());
    }
    let words = format!("{name} is {rank}; the group has ranks 0 to {}", group.size() - 1);
    Err(Class::RANK.because(words))
}

/// Two leaders tell each other who they lead. Returns contexts for both, and the other's members.
fn meet(
    process: &Process, group: &Group, leaders: &[crate::base::Member; 2], purpose: &impl Hash,
    parent: Option<&Comm>,
) -> Result<Words> {
    if leaders[0] == leaders[1] {
        return Err(Class::RANK.because("the remote leader is the local leader itself"));
    }
    let pair = Arc::new(Group::of(leaders.to_vec(), process.me));
    let circle = Circle::new(process, pair, purpose);
    let circle = match parent {
        Some(parent) => circle.within(parent),
        None => circle,
    };
    let mine = Words::default().contexts(Contexts::draw(process, 0)).members(group.members());
    let theirs = run::block(swap(&circle.lane(), 1 - circle.comm.rank, &mine))?;
    let decider = if circle.comm.rank == 0 { &mine } else { &theirs };
    let contexts = decider.read().contexts();
    let mut theirs = theirs.read();
    theirs.contexts();
    Ok(Words::default().contexts(contexts).members(theirs.members().into_iter()))
}

/// Says `mine` to a peer, and hears what it says.
async fn swap(lane: &Lane<'_>, peer: i32, mine: &Words) -> Result<Words> {
    let length = (mine.bytes().len() as u64).to_ne_bytes();
    let mut room = [0; 8];
    let (said, heard) = (Span::of(&length).into(), Span::of_mut(&mut room).into());
    lane.exchange(peer, &said, peer, &heard).await?;
    let room = usize::try_from(u64::from_ne_bytes(room)).expect("a list that fits into memory");
    let mut theirs = vec![0; room];
    let (said, heard) = (Span::of(mine.bytes()).into(), Span::of_mut(&mut theirs).into());
    lane.exchange(peer, &said, peer, &heard).await?;
    Ok(Words::new(theirs))
}

/// The first of each side agree on something, and tell the others what.
async fn consult(
    lane: &Lane<'_>, mine: Words, agree: impl FnOnce(Words, Words) -> Words,
) -> Result<Words> {
    let told = match lane.rank() {
        0 => Some(swap(lane, 0, &mine).await.map(|theirs| agree(mine, theirs))),
        _ => None,
    };
    pass_on(&lane.local(), 0, told).await
}

/// The same, and waits for it.
fn consult_now(
    process: &Process, comm: &Comm, kind: Kind, mine: Words,
    agree: impl FnOnce(Words, Words) -> Words,
) -> Result<Words> {
    comm.remote()?;
    run::block(consult(&lane(process, comm, kind)?, mine, agree))
}

/// The leader tells everybody what it has learnt, or that it has failed.
async fn pass_on(lane: &Lane<'_>, leader: i32, told: Option<Result<Words>>) -> Result<Words> {
    let (class, mut bytes) = match &told {
        None => (0, Vec::new()),
        Some(Ok(words)) => (0, words.bytes().to_vec()),
        Some(Err(failure)) => match failure.error() {
            Some(error) => (error.class.0, Vec::new()),
            None => return Err(failure.clone()),
        },
    };
    let header = Words::default().number(class as u32).number(bytes.len() as u32);
    let mut header: [u8; 8] = header.bytes().try_into().expect("two numbers");
    broadcast(lane, &Span::of_mut(&mut header).into(), leader).await?;
    if let Some(told) = &told {
        told.as_ref().map_err(Clone::clone)?;
    }
    let header = Words::new(header.to_vec());
    let mut header = header.read();
    let (class, length) = (header.number() as i32, header.number());
    if class != 0 {
        let words =
            format!("rank {leader}, the leader of this group, could not agree with the other");
        return Err(Class(class).because(words));
    }
    bytes.resize(length as usize, 0);
    broadcast(lane, &Span::of_mut(&mut bytes).into(), leader).await?;
    Ok(Words::new(bytes))
}

/// The intercommunicator that two leaders have agreed on.
fn found(process: &Process, draft: Draft<'_>, news: &Words) -> Result<Arc<Comm>> {
    let mut reader = news.read();
    let (contexts, members) = (reader.contexts(), reader.members());
    if let Some(member) = members.iter().find(|member| draft.group.rank_of(**member).is_some()) {
        let words =
            format!("process {} is in both groups; they must have none in common", member.seat);
        return Err(Class::COMM.because(words));
    }
    let remote = Arc::new(process.derive_group(&draft.group, members));
    draft.between(contexts, remote).make(process)
}
