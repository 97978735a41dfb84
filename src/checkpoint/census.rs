//! What all have told before a checkpoint or a restoration, and what follows from it: the same for
//! all, so the first who knows it works it out.

use super::disk;
use super::keep::{Checkpoint, await_idle};
use super::layout::{Layout, Layouts};
use super::ledger::{self, Account, Entry, Verdict, Written};
use super::memory::KINDS;
use super::scheme::Scheme;
use super::shape::{Heads, Shape, nodes};
use super::shelf::Stamp;
use crate::base::Member;
use crate::base::sync::alike::Alike;
use crate::host::memory::Span;
use crate::mpi::coll;
use crate::mpi::comm::Comm;
use crate::mpi::error::{Class, Result};
use crate::mpi::lane::Lane;
use crate::mpi::process::Process;
use crate::mpi::run::{self, Way};
use std::ops::Deref;
use std::result::Result as Outcome;
use std::sync::Arc;

static CENSUSES: Alike<Stamp, Census> = Alike::new();
static DRAFTS: Alike<Stamp, Outcome<Draft, String>> = Alike::new();
static OUTLOOKS: Alike<Stamp, Outlook> = Alike::new();

/// Everybody's accounts, in the order of ranks.
pub(super) struct Census {
    /// The operation in which they were told.
    pub(super) stamp: Stamp,
    pub(super) accounts: Vec<Account>,
    /// The shelves of all.
    pub(super) shelves: Vec<u64>,
    /// The first who differs from rank 0 in its scheme, in how often it writes to disk, and in what
    /// its program calls the checkpoint.
    schemes: Option<usize>,
    writes: Option<usize>,
    versions: Option<usize>,
    /// Checkpoints whose layouts go by nodes: the number, who has part of it, how many took it.
    on_nodes: Vec<(u64, usize, usize)>,
}

impl Census {
    fn of(stamp: Stamp, bytes: &[u8]) -> Census {
        let accounts: Vec<Account> =
            bytes.chunks_exact(Account::BYTES).map(Account::from_bytes).collect();
        let differs = |what: fn(&Account) -> u64| {
            accounts.iter().position(|account| what(account) != what(&accounts[0]))
        };
        let on_nodes = |serial: u64| {
            let mut entries = accounts.iter().map(|account| account.entry(serial)).enumerate();
            let part = |(at, entry): (usize, Option<&Entry>)| {
                let entry = entry.filter(|entry| entry.has_nodes)?;
                Some((serial, at, entry.members as usize))
            };
            entries.find_map(part)
        };
        Census {
            stamp,
            shelves: accounts.iter().map(|account| account.shelf).collect(),
            schemes: differs(|account| account.digest),
            writes: differs(|account| account.every),
            versions: differs(|account| account.version as u64),
            on_nodes: ledger::serials(&accounts).filter_map(on_nodes).collect(),
            accounts,
        }
    }
}

/// All tell what they have, and are known to keep the same thing.
pub(super) fn census(
    process: &'static Process, keep: &Checkpoint, comm: &Comm, version: i64,
) -> Result<Arc<Census>> {
    await_idle(process, keep)?;
    let place = comm.living().rank as usize;
    let mine = keep.memory.lock().account(&keep.scheme, place, version);
    // Where the program has not said so, a machine that ranks sit on may.
    let berth = || Some(process.world.berths()?.node_of(process.me.seat) as u32);
    let mine = Account { node: mine.node.or_else(berth), shelf: keep.shelf.number, ..mine };
    let tag = comm.next_tag();
    let lane = Lane::new(process, comm, tag, Way::Blocking).as_turn();
    let all = run::block(coll::share_on(&lane, &mine.to_bytes()))?;
    let stamp = (comm.living().context(), tag);
    let census = CENSUSES.of(stamp, || Census::of(stamp, &all));
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

/// The rank that one of those who live has in the communicator: where there are gaps (BLANK),
/// places are counted without them.
pub(super) fn rank_in(comm: &Comm, place: usize) -> i32 {
    let member = comm.living().group.member(place);
    member.and_then(|member| comm.group.rank_of(member)).unwrap_or(-1)
}

/// The layouts of what there is; whoever has part of a checkpoint tells on which nodes it was
/// taken.
fn layouts(
    process: &'static Process, keep: &Checkpoint, comm: &Comm, census: &Census,
) -> Result<Layouts> {
    let mut layouts = Layouts::from(&keep.scheme);
    let me = comm.living().rank as usize;
    for &(serial, root, members) in &census.on_nodes {
        let mut bytes = vec![0; 4 * members];
        if root == me {
            let memory = keep.memory.lock();
            let slots = memory.slots.iter();
            let slot = slots.filter(|slot| slot.entry.is_some_and(|one| one.serial == serial));
            let nodes = slot.flat_map(|slot| &slot.heads.nodes).flat_map(|node| node.to_ne_bytes());
            bytes.iter_mut().zip(nodes).for_each(|(byte, node)| *byte = node);
        }
        let lane = Lane::new(process, comm, comm.next_tag(), Way::Blocking);
        run::block(coll::broadcast(&lane, &Span::of_mut(&mut bytes).into(), root as i32))?;
        let nodes = bytes.as_chunks::<4>().0.iter().map(|node| u32::from_ne_bytes(*node));
        layouts.nodes.insert(serial, nodes.collect());
    }
    Ok(layouts)
}

/// A checkpoint that is to be taken.
pub(super) struct Draft {
    pub(super) shape: Shape,
    pub(super) serial: u64,
    /// The one that must not be overwritten.
    pub(super) spared: Option<u64>,
    /// In which turn it is written to disk, if it is.
    pub(super) turn: Option<usize>,
    /// Who has the data of each place: that member, who has that rank among those who live.
    pub(super) members: Arc<[Option<Member>]>,
    pub(super) ranks: Vec<i32>,
    /// Nobody is without codes; those of all are wanted.
    pub(super) without_codes: Arc<[bool]>,
    pub(super) is_wanted: Vec<bool>,
}

/// The draft that all have, which is one.
pub(super) struct Agreed(Arc<Outcome<Draft, String>>);

impl Deref for Agreed {
    type Target = Draft;
    fn deref(&self) -> &Draft {
        self.0.as_ref().as_ref().expect("nothing else is agreed on")
    }
}

/// What all take next.
pub(super) fn draft(
    process: &'static Process, keep: &Checkpoint, comm: &Comm, census: &Census,
) -> Result<Agreed> {
    if let Some(other) = census.versions {
        let [one, other] = [0, other].map(|at| census.accounts[at].version);
        let words = format!("some ranks take checkpoint {one}, others {other}");
        return Err(Class::NOT_SAME.because(words));
    }
    let layouts = layouts(process, keep, comm, census)?;
    let make = || Draft::of(&keep.scheme, &layouts, comm, &census.accounts);
    let draft = DRAFTS.of(census.stamp, make);
    match &*draft {
        Ok(_) => Ok(Agreed(draft)),
        Err(why) => Err(Class::ARG.because(why.clone())),
    }
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
        let layout = Layout::new(scheme, members, &heads.nodes)?;
        must_be_protected(scheme, &layout, &heads)?;
        let serial = accounts.iter().map(|account| account.seen).max().unwrap_or(0) + 1;
        Ok(Draft {
            shape: Shape::new(layout, Arc::new(heads)),
            serial,
            spared: ledger::spared(layouts, accounts),
            turn: disk::turn(accounts, serial),
            members: comm.living().group.members().map(Some).collect(),
            ranks: (0..members as i32).collect(),
            without_codes: vec![false; members].into(),
            is_wanted: vec![true; members],
        })
    }
}

/// Fails when somebody has data that nobody would keep codes of.
fn must_be_protected(scheme: &Scheme, layout: &Layout, heads: &Heads) -> Outcome<(), String> {
    let has_data = |at: &usize| heads.extents[*at].bytes != [0; KINDS];
    match (0..layout.members()).filter(has_data).find(|at| layout.chunks[*at] == 0) {
        None => Ok(()),
        Some(at) => Err(format!(
            "by scheme {scheme} rank {} only keeps codes, but it has registered data",
            heads.ranks[at]
        )),
    }
}

/// What all make of what there is.
pub(super) struct Outlook {
    pub(super) layouts: Layouts,
    pub(super) verdict: Verdict,
    /// What is on disk, the newest first.
    pub(super) generations: Vec<Written>,
    /// The largest number of a checkpoint that anybody knows, and the longest interval.
    pub(super) seen: u64,
    pub(super) interval: u64,
}

/// What there is to be restored.
pub(super) fn outlook(
    process: &'static Process, keep: &Checkpoint, comm: &Comm, census: &Census,
) -> Result<Arc<Outlook>> {
    let layouts = layouts(process, keep, comm, census)?;
    let accounts = &census.accounts[..];
    let most = |what: fn(&Account) -> u64| accounts.iter().map(what).max().unwrap_or(0);
    let make = || Outlook {
        verdict: ledger::judge(&layouts, accounts),
        generations: disk::generations(accounts),
        seen: most(|account| account.seen),
        interval: most(|account| account.interval),
        layouts,
    };
    Ok(OUTLOOKS.of(census.stamp, make))
}
