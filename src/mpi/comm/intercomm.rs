//! Intercommunicators: creation, split, subset and merge (MPI-5.0 §7.6).
//!
//! One leader of each group talks to the other leader, and passes on to its group what they agreed
//! on. It passes on failures, too, so that no member waits for a leader that has given up.

use crate::host::memory::Span;
use crate::mpi::coll::claim::Kind;
use crate::mpi::coll::{broadcast, lane, unite};
use crate::mpi::comm::bootstrap::{Circle, Seal, check_stringtag};
use crate::mpi::comm::group::Group;
use crate::mpi::comm::prepared::{Draft, Words};
use crate::mpi::comm::wishes::{Wish, chosen, wishes};
use crate::mpi::comm::{Comm, Contexts, Peer};
use crate::mpi::errhandler::{Errhandler, Installed};
use crate::mpi::error::{Class, Result};
use crate::mpi::failure::abroad;
use crate::mpi::failure::ulfm::must_not_be_revoked;
use crate::mpi::handle_table::{Held, Sort};
use crate::mpi::info::Info;
use crate::mpi::lane::Lane;
use crate::mpi::process::Process;
use crate::mpi::run;
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
    let leads = local.rank == local_leader;
    let peer = leads.then_some(peer).transpose();
    let told = leads.then(|| {
        let peer = peer.as_ref().map_err(Clone::clone)?.as_ref().expect("a leader has one");
        let other = match peer.peer(remote_leader)? {
            Peer::Rank { member, .. } => member,
            Peer::Null => return Err(Class::RANK.because("remote_leader is MPI_PROC_NULL")),
        };
        let purpose = ("MPI_Intercomm_create", peer.context(), tag);
        let mut leaders = [process.me, other];
        leaders.sort_unstable_by_key(|leader| leader.seat);
        must_not_be_revoked(process, peer)?;
        Meeting::of(process, &leaders, &purpose)?.within(peer).exchange(&local.group)
    });
    let lane = lane(process, local, Kind::IntercommCreate)?;
    let peer = peer.as_ref().ok().and_then(Option::as_deref);
    let parents: Vec<&Comm> = std::iter::once(local).chain(peer).collect();
    let agreed = learn(process, &lane, local_leader, told, &parents)?;
    let draft = Draft::child(local, 0, local.group.clone());
    draft.between(agreed.contexts, agreed.remote).make(process).map(|made| made.handle)
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
        Meeting::of(process, &leaders, &purpose)?.exchange(local)
    });
    let circle = Circle::new(process, group.clone(), &purpose);
    let agreed = learn(process, &circle.lane(), local_leader, told, &[])?;
    let draft = Draft { info, ..Draft::new(0, group, errhandler) };
    draft.between(agreed.contexts, agreed.remote).make(process).map(|made| made.handle)
}

/// Intercommunicators between the members of either group with equal color.
pub(in crate::mpi) fn split(process: &Process, comm: &Comm, wish: Wish) -> Result<Option<usize>> {
    let (contexts, all) = wishes(&lane(process, comm, Kind::Split)?, wish)?;
    let Some(color) = wish.color() else { return Ok(None) };
    let (first, second) =
        all.split_at(if comm.is_first() { comm.group.len() } else { comm.peers().len() });
    let (ours, theirs) = if comm.is_first() { (first, second) } else { (second, first) };
    let pick = |wishes: &[Wish], group: &Group| {
        let members = chosen(wishes, color).filter_map(|rank| group.member(rank)).collect();
        Arc::new(process.derive_group(&comm.group, members))
    };
    let (group, remote) = (pick(ours, &comm.group), pick(theirs, comm.remote()?));
    if remote.is_empty() {
        return Ok(None);
    }
    let draft = Draft::child(comm, 0, group).between(contexts, remote);
    draft.make(process).map(|made| Some(made.handle))
}

/// An intercommunicator of `group`, a part of the local group, and of its like on the other side.
pub(in crate::mpi) fn subset(
    process: &Process, comm: &Comm, group: &Group,
) -> Result<Option<usize>> {
    let (contexts, said) =
        consult(process, comm, Kind::Create, |words| words.members(group.members()))?;
    let remote = said.read().members();
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
    let (contexts, said) =
        consult(process, comm, Kind::IntercommMerge, |words| words.number(u32::from(high)))?;
    let is_other_high = said.read().number() != 0;
    let comes_first = if high == is_other_high { comm.is_first() } else { !high };
    let members = match comes_first {
        true => comm.group.members().chain(remote.members()).collect(),
        false => remote.members().chain(comm.group.members()).collect(),
    };
    let group = Arc::new(process.derive_group(&comm.group, members));
    Draft::child(comm, contexts.own, group).make(process).map(|made| made.handle)
}

/// Contexts that the members of both groups know, and what the first of the other one says.
fn consult(
    process: &Process, comm: &Comm, kind: Kind, say: impl FnOnce(Words) -> Words,
) -> Result<(Contexts, Words)> {
    comm.remote()?;
    let lane = lane(process, comm, kind)?.union();
    let mine = Words::default().contexts(Contexts::draw(process, lane.rank()));
    let mine = if comm.rank == 0 { say(mine) } else { mine };
    let their_first = if comm.is_first() { comm.size() } else { 0 };
    run::block(unite(&lane, mine.bytes(), |said| {
        let theirs = Words::new(said.by(their_first)?);
        let contexts = Words::new(said.by(0)?).read().contexts();
        let mut reader = theirs.read();
        reader.contexts();
        Ok((contexts, Words::new(reader.rest().to_vec())))
    }))
}

pub(in crate::mpi) fn is_leader(rank: i32, group: &Group, name: &str) -> Result {
    if (0..group.size()).contains(&rank) {
        return Ok(());
    }
    let words = format!("{name} is {rank}; the group has ranks 0 to {}", group.size() - 1);
    Err(Class::RANK.because(words))
}

/// The rank of `root` among the living members of `comm`, with whom another world meets: gaps stay
/// behind.
pub(in crate::mpi) fn living_root(comm: &Comm, root: i32) -> Result<i32> {
    is_leader(root, &comm.group, "root")?;
    comm.gaps().map_or(Ok(root), |gaps| gaps.root(root))
}

/// Two leaders exchange what their groups have to know of each other.
pub(in crate::mpi) struct Meeting<'a>(Circle<'a>);

impl<'a> Meeting<'a> {
    /// That of two leaders who know each other, and what for.
    fn of(
        process: &'a Process, leaders: &[crate::base::Member; 2], purpose: &impl Hash,
    ) -> Result<Meeting<'a>> {
        if leaders[0] == leaders[1] {
            return Err(Class::RANK.because("the remote leader is the local leader itself"));
        }
        let pair = Arc::new(Group::of(leaders.to_vec(), process.me));
        Ok(Meeting(Circle::new(process, pair, purpose)))
    }

    /// That of a pair of leaders on a context that was drawn for them alone.
    pub(in crate::mpi) fn new(process: &'a Process, pair: Arc<Group>, context: u32) -> Meeting<'a> {
        Meeting(Circle::on(process, context, pair))
    }

    /// Makes the caller give up when `parent` is revoked.
    pub(in crate::mpi) fn within(self, parent: &Comm) -> Meeting<'a> {
        Meeting(self.0.within(parent))
    }

    /// The caller has given up: the other leader hears of it.
    pub(in crate::mpi) fn refuse(self) -> Result {
        let peer = 1 - self.0.comm.rank;
        self.0.run(async |lane| swap(lane, peer, &Words::default()).await).map(drop)
    }

    /// Exchanges the members of both groups. Returns contexts for both, that of their seal, and the
    /// other's members.
    pub(in crate::mpi) fn exchange(self, group: &Group) -> Result<Words> {
        let Meeting(circle) = self;
        let mine = Words::default().contexts(Contexts::draw(circle.process(), 0));
        let fresh = circle.process().world.fresh_context();
        let mine = mine.number(fresh).members(group.members());
        let peer = 1 - circle.comm.rank;
        let theirs = circle.run(async |lane| swap(lane, peer, &mine).await)?;
        if theirs.read().is_empty() {
            return Err(Class::PROC_ABORTED.because("the other group has given up"));
        }
        agreement(circle.comm.rank == 0, &mine, &theirs)
    }
}

/// What both leaders conclude: contexts of the first of them, and the other's members.
fn agreement(is_first: bool, mine: &Words, theirs: &Words) -> Result<Words> {
    let mut decider = if is_first { mine } else { theirs }.read();
    let (contexts, seal) = (decider.contexts(), decider.number());
    let mut theirs = theirs.read();
    let _drawn = (theirs.contexts(), theirs.number());
    let members = theirs.members().into_iter();
    Ok(Words::default().contexts(contexts).number(seal).members(members))
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

/// The leader broadcasts to its group what it has learnt, or that it has failed.
pub(in crate::mpi) async fn pass_on(
    lane: &Lane<'_>, leader: i32, told: Option<Result<Words>>,
) -> Result<Words> {
    let (class, mut bytes) = match &told {
        None => (0, Vec::new()),
        Some(Ok(words)) => (0, words.bytes().to_vec()),
        Some(Err(failure)) => match failure.error() {
            Some(error) => (error.class.0, error.detail.as_bytes().to_vec()),
            None => return Err(failure.clone()),
        },
    };
    let header = Words::default().number(class as u32).number(bytes.len() as u32);
    let mut header: [u8; 8] = header.bytes().try_into().expect("two numbers");
    broadcast(lane, &Span::of_mut(&mut header).into(), leader).await?;
    let header = Words::new(header.to_vec());
    let mut header = header.read();
    let (class, length) = (header.number() as i32, header.number());
    bytes.resize(length as usize, 0);
    broadcast(lane, &Span::of_mut(&mut bytes).into(), leader).await?;
    match (told, class) {
        (Some(told), _) => told,
        (None, 0) => Ok(Words::new(bytes)),
        (None, class) => {
            let why = String::from_utf8_lossy(&bytes);
            let words = format!("rank {leader}, the leader of this group, got an error: {why}");
            Err(Class(class).because(words))
        }
    }
}

/// What two leaders have agreed on, as a member of one of the groups knows it.
pub(in crate::mpi) struct Agreed {
    pub(in crate::mpi) contexts: Contexts,
    seal: u32,
    pub(in crate::mpi) remote: Arc<Group>,
}

impl Agreed {
    fn read(process: &Process, group: &Group, news: &Words) -> Result<Agreed> {
        let mut reader = news.read();
        let (contexts, seal) = (reader.contexts(), reader.number());
        let members = reader.members();
        if let Some(member) = members.iter().find(|member| group.rank_of(**member).is_some()) {
            let words =
                format!("process {} is in both groups; they must have none in common", member.seat);
            return Err(Class::COMM.because(words));
        }
        Ok(Agreed { contexts, seal, remote: Arc::new(process.derive_group(group, members)) })
    }

    /// Where the members of both groups meet last. When one of `parents` is revoked, all give up.
    fn seal<'a>(&self, process: &'a Process, group: &Group, parents: &[&Comm]) -> Seal<'a> {
        let seal = Seal::new(process, self.seal, Arc::new(group.united(&self.remote)));
        parents.iter().fold(seal, |seal, parent| seal.within(parent))
    }
}

/// Gets from the leader what the other leader has told it. Either all members of both groups learn
/// it, or none does.
pub(in crate::mpi) fn learn(
    process: &Process, lane: &Lane<'_>, leader: i32, told: Option<Result<Words>>, parents: &[&Comm],
) -> Result<Agreed> {
    let group = &lane.comm().group;
    let known = told.clone().and_then(Result::ok);
    match run::block(pass_on(lane, leader, told)) {
        Ok(news) => {
            let agreed = Agreed::read(process, group, &news)?;
            let closed = agreed.seal(process, group, parents).close();
            if closed.as_ref().is_err_and(|failure| !failure.is_death()) {
                let all = Arc::new(group.united(&agreed.remote));
                abroad::give_up_comm(process, agreed.contexts, &all);
            }
            closed.map(|()| agreed)
        }
        Err(failure) => {
            // The other side may be there already.
            if let Some(news) = known.filter(|_| !failure.is_death()) {
                Agreed::read(process, group, &news)?.seal(process, group, parents).give_up();
            }
            Err(failure)
        }
    }
}
