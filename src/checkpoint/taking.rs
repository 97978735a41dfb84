//! Takes checkpoints: all tell what they have and make room, together they copy it and make codes
//! of it, in one pass; all hear that this is done, and confirm that they have heard so.
//!
//! Beside the program, each copies its own data at once, and codes are made of the copies.

use super::disk;
use super::files;
use super::keep::{Checkpoint, await_idle, mttf};
use super::layout::{Layout, Layouts};
use super::ledger::{self, Account, Entry, Written};
use super::memory::{DOUBLES, EXACT, KINDS, Slot, Source, Stretch, is_finite, stretches};
use super::pace::Toll;
use super::restoring::say;
use super::scheme::Scheme;
use super::shelf::Offer;
use super::stripes::{Codes, Crew, Offers};
use crate::host::clock;
use crate::host::memory::Span;
use crate::mpi::coll;
use crate::mpi::comm::Comm;
use crate::mpi::error::{Class, Failure, Result};
use crate::mpi::lane::Lane;
use crate::mpi::process::Process;
use crate::mpi::run::{self, Way};
use crate::mpi::table::Held;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// A checkpoint under way.
struct Job {
    process: &'static Process,
    keep: Arc<Checkpoint>,
    comm: Held<Comm>,
    layout: Layout,
    /// Which of the two it goes into.
    at: usize,
    slot: Slot,
    /// Where its data come from, unless they are copied.
    source: Option<Source>,
    /// The shelves of all.
    shelves: Vec<u64>,
    /// In which turn, and where, it is written to disk, too.
    file: Option<(usize, PathBuf)>,
    /// How long the program waited for its data to be copied, if it does not wait for the rest.
    waited: Option<Duration>,
    /// The numbers of its operations on the communicator.
    tags: [i32; 6],
    began: Instant,
    /// Whether it has been carried out to its end, good or bad.
    is_over: bool,
}

/// Whatever becomes of it, the rank can go on to the next; what broke in the midst counts for
/// nothing.
impl Drop for Job {
    fn drop(&mut self) {
        if !self.is_over {
            self.slot.entry = None;
        }
        let mut memory = self.keep.memory.lock();
        memory.slots[self.at] = std::mem::take(&mut self.slot);
        memory.is_busy = false;
    }
}

/// Takes a checkpoint, which the program calls `version`.
pub fn take(process: &'static Process, keep: &Arc<Checkpoint>, version: i64) -> Result {
    let comm = comm_of(process, keep)?;
    let taken = prepare(process, keep, &comm, (version, false))
        .and_then(|job| run::block(carry_out(process, job, Way::Blocking)));
    taken.map_err(|failure| failure.on(&comm))
}

/// Starts to take one: the data are copied when this returns, and may change. Returns the handle of
/// its request.
pub fn start(process: &'static Process, keep: &Arc<Checkpoint>, version: i64) -> Result<usize> {
    let comm = comm_of(process, keep)?;
    let job = prepare(process, keep, &comm, (version, true));
    let job = job.map_err(|failure| failure.on(&comm))?;
    run::request(process, &comm, move |way| carry_out(process, job, way))
}

pub(super) fn comm_of(process: &'static Process, keep: &Checkpoint) -> Result<Held<Comm>> {
    let handle = keep.memory.lock().comm;
    process.comm(handle, "the communicator of ck")
}

/// Everybody's accounts, in the order of ranks, once all are known to keep the same thing.
pub(super) fn accounts(
    process: &'static Process, keep: &Checkpoint, comm: &Comm, version: i64,
) -> Result<Vec<Account>> {
    await_idle(process, keep)?;
    let place = comm.living().rank as usize;
    let mine = keep.memory.lock().account(&keep.scheme, place, version);
    // Where the program has not said so, a machine that ranks sit on may.
    let berth = || Some(process.world.berths()?.node_of(process.me.seat) as u32);
    let mine = Account { node: mine.node.or_else(berth), shelf: keep.shelf.number, ..mine };
    let all = coll::share(process, comm, &mine.to_bytes())?;
    let all: Vec<Account> = all.chunks_exact(Account::BYTES).map(Account::from_bytes).collect();
    if let Some(other) = all.iter().position(|account| account.digest != all[0].digest) {
        let [first, other] = [0, other].map(|at| rank_in(comm, at));
        let scheme = &keep.scheme;
        let words = format!("ranks {first} and {other} have different schemes; mine is {scheme}");
        return Err(Class::NOT_SAME.because(words));
    }
    if let Some(other) = all.iter().position(|account| account.every != all[0].every) {
        let [first, other] = [0, other].map(|at| rank_in(comm, at));
        let words = format!("ranks {first} and {other} write to disk at different intervals");
        return Err(Class::NOT_SAME.because(words));
    }
    Ok(all)
}

/// The layouts of what there is; whoever has part of a checkpoint tells on which nodes it was
/// taken.
pub(super) fn layouts<'a>(
    process: &'static Process, keep: &'a Checkpoint, comm: &Comm, accounts: &[Account],
) -> Result<Layouts<'a>> {
    let mut layouts = Layouts::from(&keep.scheme);
    let me = comm.living().rank as usize;
    for serial in ledger::serials(accounts) {
        let knows =
            |account: &Account| account.entry(serial).copied().filter(|entry| entry.has_nodes);
        let Some(root) = accounts.iter().position(|account| knows(account).is_some()) else {
            continue;
        };
        let members = knows(&accounts[root]).map_or(0, |entry| entry.members as usize);
        let mut bytes = vec![0; 4 * members];
        if root == me {
            let memory = keep.memory.lock();
            let slots = memory.slots.iter();
            let slot = slots.filter(|slot| slot.entry.is_some_and(|one| one.serial == serial));
            let nodes = slot.flat_map(|slot| &slot.nodes).flat_map(|node| node.to_ne_bytes());
            bytes.iter_mut().zip(nodes).for_each(|(byte, node)| *byte = node);
        }
        let lane = Lane::new(process, comm, comm.next_collective(), Way::Blocking);
        run::block(coll::broadcast(&lane, &Span::of_mut(&mut bytes).into(), root as i32))?;
        let nodes = bytes.as_chunks::<4>().0.iter().map(|node| u32::from_ne_bytes(*node));
        layouts.nodes.insert(serial, nodes.collect());
    }
    Ok(layouts)
}

/// Where these ranks are. Whoever says nothing is on a node of its own; if none says anything,
/// nodes do not count.
pub(super) fn nodes<'a>(accounts: impl Iterator<Item = &'a Account>) -> Vec<u32> {
    let nodes: Vec<Option<u32>> = accounts.map(|account| account.node).collect();
    if nodes.iter().all(Option::is_none) {
        return Vec::new();
    }
    // Programs count from 0 on, and have 31 bits.
    let node = |(at, node): (usize, Option<u32>)| node.unwrap_or(u32::MAX - at as u32);
    nodes.into_iter().enumerate().map(node).collect()
}

/// The rank that one of those who live has in the communicator: where there are gaps (BLANK),
/// places are counted without them.
pub(super) fn rank_in(comm: &Comm, place: usize) -> i32 {
    let member = comm.living().group.member(place);
    member.and_then(|member| comm.group.rank_of(member)).unwrap_or(-1)
}

/// Agrees on what is to be done, and makes room for it; beside the program, copies the data.
fn prepare(
    process: &'static Process, keep: &Arc<Checkpoint>, comm: &Held<Comm>,
    (version, is_beside): (i64, bool),
) -> Result<Job> {
    let began = clock::now();
    let accounts = accounts(process, keep, comm, version)?;
    if let Some(other) = accounts.iter().find(|account| account.version != accounts[0].version) {
        let (one, other) = (accounts[0].version, other.version);
        let words = format!("some ranks take checkpoint {one}, others {other}");
        return Err(Class::NOT_SAME.because(words));
    }
    let members = accounts.len();
    let layouts = layouts(process, keep, comm, &accounts)?;
    let nodes = nodes(accounts.iter());
    let layout = Layout::new(&keep.scheme, members, &nodes);
    let layout = layout.map_err(|why| Class::ARG.because(why))?;
    must_be_protected(&keep.scheme, &layout, comm, &accounts)?;
    let spared = ledger::spared(&layouts, &accounts);
    let place = comm.living().rank as usize;
    let at = ledger::vacant(spared, &accounts[place]);
    let serial = accounts.iter().map(|account| account.seen).max().unwrap_or(0) + 1;
    let mut memory = keep.memory.lock();
    let mut slot = std::mem::take(&mut memory.slots[at]);
    slot.extents = accounts.iter().map(|account| account.extent).collect();
    lay_out(&mut slot, comm, &layout);
    let mut source = Some(Source::of(&memory.items, keep.scheme.code));
    // Who is alone has nobody who would copy anything.
    if let Some(source) = source.take_if(|_| is_beside || layout.stripes.is_empty()) {
        let filled = slot.fill(&source);
        filled.map_err(|fault| Failure::from(process.engine.suffer(fault.address)))?;
    }
    slot.entry = Some(Entry {
        serial,
        version,
        members: members as u32,
        place: place as u32,
        has_data: source.is_none(),
        has_codes: false,
        is_committed: false,
        has_nodes: !nodes.is_empty(),
    });
    slot.nodes = nodes;
    // Who waits in place may jump out, and nobody would say that it is over.
    (memory.seen, memory.is_new, memory.is_busy) = (serial, false, is_beside);
    memory.orphans.clear();
    let turn = disk::turn(&accounts, serial);
    let disk = turn.zip(memory.disk.as_ref());
    let file = disk.map(|(turn, disk)| (turn, files::path(&disk.directory, place, turn)));
    drop(memory);
    let tags = [0; 6].map(|_| comm.next_collective());
    let shelves = accounts.iter().map(|account| account.shelf).collect();
    let (keep, comm, is_over) = (keep.clone(), comm.clone(), false);
    let waited = is_beside.then(|| clock::now().duration_since(began));
    let job = Job {
        process,
        keep,
        comm,
        layout,
        at,
        slot,
        source,
        shelves,
        file,
        waited,
        tags,
        began,
        is_over,
    };
    Ok(job)
}

/// Makes a slot for all who live, who have told how much they have, with room for this one.
fn lay_out(slot: &mut Slot, comm: &Comm, layout: &Layout) {
    let living = comm.living();
    slot.members = living.group.members().map(Some).collect();
    slot.ranks = (0..layout.members()).map(|at| rank_in(comm, at)).collect();
    slot.without_codes = vec![false; layout.members()];
    slot.make_room(layout, living.rank as usize);
    slot.make_room_for_codes(layout, living.rank as usize);
}

/// Fails when somebody has data that nobody would keep codes of.
fn must_be_protected(
    scheme: &Scheme, layout: &Layout, comm: &Comm, accounts: &[Account],
) -> Result {
    let has_data = |at: &usize| accounts[*at].extent.bytes != [0; KINDS];
    match (0..accounts.len()).filter(has_data).find(|at| layout.chunks[*at] == 0) {
        None => Ok(()),
        Some(at) => Err(Class::ARG.because(format!(
            "by scheme {scheme} rank {} only keeps codes, but it has registered data",
            rank_in(comm, at)
        ))),
    }
}

/// Makes the codes; the checkpoint counts once all know that they have theirs.
async fn carry_out(process: &'static Process, mut job: Job, way: Way) -> Result {
    let outcome = async {
        let is_sound = protect(process, &mut job, way).await?;
        let entry = job.slot.entry.expect("set before");
        let lane = |at: usize| Lane::new(process, &job.comm, job.tags[at], way).as_turn();
        // Codes that are no numbers are of use to nobody.
        if !is_sound {
            let why = unsound(&lane(4), &job.slot, entry).await?;
            job.keep.memory.lock().pace.skip();
            job.slot.entry = None;
            return Err(why);
        }
        // Before all have confirmed: whoever is told so counts on everybody's data and codes.
        let entry = Entry { has_data: true, has_codes: true, ..entry };
        job.slot.entry = Some(entry);
        let toll = confirm(&lane(3), &job).await?;
        job.slot.entry = Some(Entry { is_committed: true, ..entry });
        let words = job.keep.memory.lock().pace.take(toll);
        if let Some(words) = words.filter(|_| entry.place == 0) {
            say(&words);
        }
        let Some((turn, path)) = job.file.take() else { return Ok(()) };
        write(&lane(5), &job, turn, path).await
    };
    let outcome = outcome.await;
    job.is_over = true;
    outcome
}

/// All together copy what is not copied yet, and make the codes. False: some are no numbers.
async fn protect(process: &'static Process, job: &mut Job, way: Way) -> Result<bool> {
    let members = job.layout.members();
    let ranks: Vec<i32> = (0..members as i32).collect();
    let tags = [0, 1, 2].map(|at| job.tags[at]);
    let (shelves, shelf) = (&job.shelves[..], &job.keep.shelf);
    let crew = Crew { process, comm: job.comm.living(), way, tags, shelves, shelf };
    let codes = Codes {
        scheme: &job.keep.scheme,
        layout: &job.layout,
        extents: &job.slot.extents,
        ranks: &ranks,
        is_wanted: &vec![true; members],
        place: job.slot.entry.map(|entry| entry.place as usize),
    };
    encode(&crew, &codes, &job.slot, job.source.take()).await
}

/// All tell each other that they have all, and what it has cost them.
async fn confirm(lane: &Lane<'_>, job: &Job) -> Result<Toll> {
    let mine = {
        let memory = job.keep.memory.lock();
        let cost = job.waited.unwrap_or_else(|| clock::now().duration_since(job.began));
        let disk = memory.disk.as_ref().map_or(0.0, |disk| memory.writing / disk.every as f64);
        let pace = &memory.pace;
        let mttf = mttf(job.process, pace);
        pace.toll(job.began, cost.as_secs_f64() + disk, mttf).to_bytes()
    };
    let all = coll::share_on(lane, &mine).await?;
    Ok(Toll::of_all(all.chunks_exact(Toll::BYTES).map(Toll::from_bytes)))
}

/// Writes the checkpoint, which stands whatever becomes of that, to disk.
async fn write(lane: &Lane<'_>, job: &Job, turn: usize, path: PathBuf) -> Result {
    let note = |written: Option<Written>| {
        let mut memory = job.keep.memory.lock();
        if let Some(all) = memory.disk.as_mut().and_then(|disk| disk.written.as_mut()) {
            all[turn] = written;
        }
    };
    note(None);
    let began = clock::now();
    let written = disk::write(lane, path, &job.slot).await?;
    note(Some(written));
    job.keep.memory.lock().writing = clock::now().duration_since(began).as_secs_f64();
    Ok(())
}

/// Why there can be no checkpoint: all find out together whose numbers are none.
async fn unsound(lane: &Lane<'_>, slot: &Slot, entry: Entry) -> Result<Failure> {
    const FINE: i64 = i64::MAX;
    let is_bad = |stretch: &Stretch| {
        stretch.kind == DOUBLES && !is_finite(&slot.data[DOUBLES].read(stretch.bytes.clone()))
    };
    let extent = &slot.extents[entry.place as usize];
    let bad = stretches(&slot.data, extent).into_iter().find(is_bad);
    let mine = bad.map_or(FINE, |stretch| i64::from(stretch.id));
    let all = coll::share_on(lane, &mine.to_ne_bytes()).await?;
    let all = all.as_chunks::<8>().0.iter().map(|bytes| i64::from_ne_bytes(*bytes));
    let why = match all.enumerate().find(|(_, id)| *id != FINE) {
        Some((place, id)) => {
            let rank = slot.ranks[place];
            format!("rank {rank} has registered numbers as {id} that are infinite or none (NaN)")
        }
        None => "sums of doubles become infinite".to_string(),
    };
    let version = entry.version;
    Ok(Class::ARG.because(format!("there is no checkpoint {version}: {why}; the last one stays")))
}

/// All make the codes that are wanted, of what is in the slots, or of what they copy there from
/// `source`. False: some are no numbers.
pub(super) async fn encode(
    crew: &Crew<'_>, codes: &Codes<'_>, slot: &Slot, source: Option<Source>,
) -> Result<bool> {
    // How large doubles are is part of what is exact, and known when they are copied.
    let has_doubles = codes.extents.iter().any(|extent| extent.bytes[DOUBLES] > 0);
    let in_between = has_doubles && source.is_some();
    let shown = crew.shelf.show(Offer {
        stamp: crew.stamp(),
        data: slot.data.clone(),
        codes: slot.codes.clone(),
        source,
        fault: OnceLock::new(),
        rooms: Vec::new(),
    });
    let part = |offers: &Offers, kind: usize| codes.make(crew.process, offers, kind);
    crew.work(&shown, [DOUBLES, EXACT], in_between, part).await
}
