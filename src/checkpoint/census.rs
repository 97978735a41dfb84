//! What all members have reported before a checkpoint or a restoration, and what follows from it.
//! The result is equal for all, so the first member to need it computes it for the others.

use super::disk::{self, Kept};
use super::extent::{Heads, KINDS};
use super::keep::{Checkpoint, await_idle};
use super::laid::{Laid, Layouts};
use super::layout::Layout;
use super::ledger::{self, Account, Seat, Verdict};
use super::rounds::{Topic, hear, made};
use super::scheme::Scheme;
use super::shape::{Shape, nodes};
use crate::base::Member;
use crate::mpi::comm::Comm;
use crate::mpi::error::{Class, Result};
use crate::mpi::lane::Lane;
use crate::mpi::process::Process;
use crate::mpi::run::{self, Way};
use std::result::Result as Outcome;
use std::sync::{Arc, OnceLock};

/// What each member has.
enum Accounts {}

impl Topic for Accounts {
    type Part = Account;
    type Outcome = Census;
}

/// What is known about the members that took a checkpoint.
enum KnownHeads {}

impl Topic for KnownHeads {
    type Part = Option<Arc<Heads>>;
    type Outcome = Option<Arc<Heads>>;
}

/// The accounts of all members, in the order of ranks.
pub(super) struct Census {
    pub(super) accounts: Vec<Account>,
    /// The first member that differs from rank 0 in its scheme, in how often it writes to disk, and
    /// in the program's number for the checkpoint.
    schemes: Option<usize>,
    writes: Option<usize>,
    versions: Option<usize>,
    /// Checkpoints whose layouts depend on nodes.
    on_nodes: Vec<u64>,
    /// What to take, and what can be restored, once a member has computed it.
    draft: OnceLock<Outcome<Draft, String>>,
    outlook: OnceLock<Outlook>,
}

impl Census {
    fn of(accounts: &[&Account]) -> Census {
        let accounts: Vec<Account> = accounts.iter().map(|account| (*account).clone()).collect();
        let differs = |what: fn(&Account) -> u64| {
            accounts.iter().position(|account| what(account) != what(&accounts[0]))
        };
        let is_on_nodes = |serial: &u64| {
            let mut entries = accounts.iter().filter_map(|account| account.entry(*serial));
            entries.any(|entry| entry.has_nodes && entry.has_data)
        };
        Census {
            schemes: differs(|account| account.digest),
            writes: differs(|account| account.every),
            versions: differs(|account| account.version as u64),
            on_nodes: ledger::serials(&accounts).filter(is_on_nodes).collect(),
            accounts,
            draft: OnceLock::new(),
            outlook: OnceLock::new(),
        }
    }

    /// What all have agreed to take.
    pub(super) fn draft(&self) -> &Draft {
        let draft = self.draft.get().and_then(|draft| draft.as_ref().ok());
        draft.expect("nothing else is agreed on")
    }
}

/// All members report what they have; fails unless they agree on what to keep.
pub(super) fn census(
    process: &'static Process, keep: &Checkpoint, comm: &Comm, version: i64,
) -> Result<Arc<Census>> {
    await_idle(process, keep)?;
    let (place, size) = (comm.living().rank as usize, comm.living().size() as usize);
    let mine = keep.memory.lock().account(&keep.scheme, place, size, version);
    // If the program has not named a node, the simulated machine does, if there is one.
    let berth = || process.world.nodes().rack_of(process.me.seat).map(|rack| rack as u32);
    let shared = || process_as_node(process, comm, &keep.scheme);
    let mine = Account { node: mine.node.or_else(berth).or_else(shared), ..mine };
    let tag = comm.next_tag();
    let lane = Lane::new(process, comm, tag, Way::Blocking).into_turn();
    let census = hear::<Accounts>(&lane, mine, |all| Census::of(&all));
    let census = run::block(census)?;
    let ranks = |other: usize| [0, other].map(|at| rank_in(comm, at));
    if let Some(other) = census.schemes {
        let ([first, other], scheme) = (ranks(other), &keep.scheme);
        let words = format!("ranks {first} and {other} have different schemes; mine is {scheme}");
        return Err(Class::NOT_SAME.because(words));
    }
    if let Some(other) = census.writes {
        let [first, other] = ranks(other);
        let words = format!("ranks {first} and {other} write to disk at different intervals");
        return Err(Class::NOT_SAME.because(words));
    }
    Ok(census)
}

/// Where ranks share processes, each is a node: what kills one kills all of its ranks. Not if
/// there are too few of them for the scheme.
fn process_as_node(process: &Process, comm: &Comm, scheme: &Scheme) -> Option<u32> {
    let of = |seat| process.world.shared_process_of(seat).map(|number| number as u32);
    let mine = of(process.me.seat)?;
    let members = comm.living().group.members();
    let nodes: Vec<u32> = members.filter_map(|member| of(member.seat)).collect();
    Laid::of(scheme, nodes.len(), &nodes).ok().map(|_| mine)
}

/// The rank in the communicator of the living member number `place`: a communicator with gaps
/// (BLANK) has fewer members than ranks.
pub(super) fn rank_in(comm: &Comm, place: usize) -> i32 {
    let member = comm.living().group.member(place);
    member.and_then(|member| comm.group.rank_of(member)).unwrap_or(-1)
}

/// The layouts of the known checkpoints. Members that have part of a checkpoint report the nodes on
/// which it was taken.
fn layouts(
    process: &'static Process, keep: &Checkpoint, comm: &Comm, census: &Census,
) -> Result<Layouts> {
    let mut layouts = Layouts::from(&keep.scheme);
    for serial in &census.on_nodes {
        let lane = Lane::new(process, comm, comm.next_tag(), Way::Blocking).into_turn();
        let mine = keep.memory.lock().heads(*serial);
        let heads = run::block(hear::<KnownHeads>(&lane, mine, first))?;
        layouts.nodes.insert(*serial, Option::clone(&heads).expect("somebody has told of it"));
    }
    Ok(layouts)
}

/// The first value that a member has.
pub(super) fn first<T: Clone>(all: Vec<&Option<T>>) -> Option<T> {
    all.into_iter().find_map(Option::clone)
}

/// The ranks that the places of a checkpoint had, from a member that has part of it.
pub(super) async fn ranks_of(
    lane: &Lane<'_>, keep: &Checkpoint, serial: u64, members: usize,
) -> Result<Vec<i32>> {
    let mine = keep.memory.lock().heads(serial);
    let heads = hear::<KnownHeads>(lane, mine, first).await?;
    Ok(heads.as_ref().as_ref().map_or((0..members as i32).collect(), |heads| heads.ranks.clone()))
}

/// A checkpoint to be taken.
pub(super) struct Draft {
    pub(super) shape: Shape,
    pub(super) serial: u64,
    /// The one that must not be overwritten.
    pub(super) spared: Option<u64>,
    /// The turn in which it is written to disk, if it is, and the stamp that its files share.
    pub(super) turn: Option<usize>,
    pub(super) stamp: u64,
    /// The member that has the data of each place, and its rank among the living members.
    pub(super) members: Arc<[Option<Member>]>,
    pub(super) ranks: Vec<i32>,
    /// No member is without codes, and the codes of all are wanted.
    pub(super) without_codes: Arc<[bool]>,
    pub(super) is_wanted: Vec<bool>,
}

/// What all members take next.
pub(super) fn draft<'a>(
    process: &'static Process, keep: &Checkpoint, comm: &Comm, census: &'a Census,
) -> Result<&'a Draft> {
    if let Some(other) = census.versions {
        let [one, other] = [0, other].map(|at| census.accounts[at].version);
        let words = format!("some ranks take checkpoint {one}, others {other}");
        return Err(Class::NOT_SAME.because(words));
    }
    drafted(keep, &layouts(process, keep, comm, census)?, comm, census)
}

/// The draft that follows from known layouts.
pub(super) fn drafted<'a>(
    keep: &Checkpoint, layouts: &Layouts, comm: &Comm, census: &'a Census,
) -> Result<&'a Draft> {
    let make = || Draft::of(&keep.scheme, layouts, comm, &census.accounts);
    made(&census.draft, make).as_ref().map_err(|why| Class::ARG.because(why.clone()))
}

impl Draft {
    fn of(
        scheme: &Scheme, layouts: &Layouts, comm: &Comm, accounts: &[Account],
    ) -> Outcome<Draft, String> {
        let members = accounts.len();
        let heads = Heads {
            extents: accounts.iter().map(|account| account.extent).collect(),
            ranks: (0..members).map(|at| rank_in(comm, at)).collect(),
            nodes: nodes(accounts.iter()),
        };
        let layout = Laid::of(scheme, members, &heads.nodes)?;
        must_be_protected(scheme, &layout, &heads)?;
        let serial = accounts.iter().map(|account| account.seen).max().unwrap_or(0) + 1;
        Ok(Draft {
            shape: Shape::new(layout, Arc::new(heads)),
            serial,
            spared: ledger::spared(layouts, accounts),
            turn: disk::turn(accounts, serial),
            stamp: accounts.first().map_or(0, |first| first.stamp),
            members: comm.living().group.members().map(Some).collect(),
            ranks: (0..members as i32).collect(),
            without_codes: vec![false; members].into(),
            is_wanted: vec![true; members],
        })
    }
}

/// Fails if a member has data that the scheme does not protect.
fn must_be_protected(scheme: &Scheme, layout: &Layout, heads: &Heads) -> Outcome<(), String> {
    let has_data = |at: &usize| heads.extents[*at].bytes != [0; KINDS];
    match (0..layout.members()).filter(has_data).find(|at| layout.chunks[*at] == 0) {
        None => Ok(()),
        Some(at) => Err(format!(
            "with scheme {scheme}, rank {} keeps only codes, but it has registered data",
            heads.ranks[at]
        )),
    }
}

/// A checkpoint on disk, and which rank has or gets what was written for each place.
pub(super) struct Candidate {
    pub(super) kept: Kept,
    pub(super) seats: Vec<Seat>,
}

/// What all members conclude from the accounts.
pub(super) struct Outlook {
    pub(super) layouts: Layouts,
    pub(super) verdict: Verdict,
    /// What is on disk, newest first.
    pub(super) generations: Vec<Candidate>,
    /// The largest serial number of a checkpoint that a member knows, and the longest interval.
    pub(super) seen: u64,
    pub(super) interval: u64,
}

/// What can be restored.
pub(super) fn outlook<'a>(
    process: &'static Process, keep: &Checkpoint, comm: &Comm, census: &'a Census,
) -> Result<&'a Outlook> {
    let layouts = layouts(process, keep, comm, census)?;
    let accounts = &census.accounts[..];
    let most = |what: fn(&Account) -> u64| accounts.iter().map(what).max().unwrap_or(0);
    let with_seats =
        |kept: Kept| Candidate { seats: disk::readers(accounts, &kept.generation), kept };
    let make = || Outlook {
        verdict: ledger::judge(&layouts, accounts),
        generations: disk::generations(accounts).into_iter().map(with_seats).collect(),
        seen: most(|account| account.seen),
        interval: most(|account| account.interval),
        layouts,
    };
    Ok(made(&census.outlook, make))
}
