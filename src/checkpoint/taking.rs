//! Takes checkpoints: all tell what they have, each copies its data, codes are made, all confirm.

use super::code::{Maker, Part};
use super::disk;
use super::exchange::{Give, STEP, Take, exchange};
use super::files;
use super::keep::{Checkpoint, await_idle, mttf};
use super::layout::{Layout, Layouts};
use super::ledger::{self, Account, Entry, Written};
use super::memory::{DOUBLES, KINDS, Slot, Stretch, code_of, is_finite, own, stretches, units};
use super::pace::Toll;
use super::restoring::say;
use super::scheme::Scheme;
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
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A checkpoint under way: its data are copied.
struct Job {
    process: &'static Process,
    keep: Arc<Checkpoint>,
    comm: Held<Comm>,
    layout: Layout,
    /// Which of the two it goes into.
    at: usize,
    slot: Slot,
    /// In which turn, and where, it is written to disk, too.
    file: Option<(usize, PathBuf)>,
    /// How long the program waited for its data to be copied, if it does not wait for the rest.
    waited: Option<Duration>,
    /// The numbers of its operations on the communicator.
    tags: [i32; 4],
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

/// Agrees on what is to be done, and copies the data.
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
    let living = &comm.living().group;
    slot.members = living.members().map(Some).collect();
    slot.ranks = (0..members).map(|at| rank_in(comm, at)).collect();
    slot.without_codes = vec![false; members];
    slot.make_room(&layout, place);
    let filled = slot.fill(&memory.items, keep.scheme.code);
    filled.map_err(|fault| Failure::from(process.engine.suffer(fault.address)))?;
    slot.entry = Some(Entry {
        serial,
        version,
        members: members as u32,
        place: place as u32,
        has_data: true,
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
    let tags = [0; 4].map(|_| comm.next_collective());
    let (keep, comm) = (keep.clone(), comm.clone());
    let waited = is_beside.then(|| clock::now().duration_since(began));
    Ok(Job { process, keep, comm, layout, at, slot, file, waited, tags, began, is_over: false })
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

/// Makes the codes; the checkpoint counts once all have theirs.
async fn carry_out(process: &'static Process, mut job: Job, way: Way) -> Result {
    let members = job.layout.members();
    let outcome = async {
        let lane = Lane::new(process, &job.comm, job.tags[0], way);
        lane.look_round()?;
        let ranks: Vec<i32> = (0..members as i32).collect();
        let all = vec![true; members];
        let is_sound =
            encode(&lane, &job.keep.scheme, &job.layout, &mut job.slot, &ranks, &all).await?;
        let entry = job.slot.entry.expect("set before");
        // Codes that are no numbers are of use to nobody.
        job.slot.entry = Some(Entry { has_codes: is_sound, ..entry });
        let lane = Lane::new(process, &job.comm, job.tags[1], way).as_turn();
        let all = confirm(&lane, &job, is_sound).await?;
        let Some(toll) = all else {
            job.slot.entry = None;
            job.keep.memory.lock().pace.skip();
            let lane = Lane::new(process, &job.comm, job.tags[2], way).as_turn();
            return Err(unsound(&lane, &job.slot, entry).await?);
        };
        job.slot.entry = Some(Entry { has_codes: true, is_committed: true, ..entry });
        let words = job.keep.memory.lock().pace.take(toll);
        if let Some(words) = words.filter(|_| entry.place == 0) {
            say(&words);
        }
        let Some((turn, path)) = job.file.take() else { return Ok(()) };
        let lane = Lane::new(process, &job.comm, job.tags[3], way).as_turn();
        write(&lane, &job, turn, path).await
    };
    let outcome = outcome.await;
    job.is_over = true;
    outcome
}

/// All tell each other that they have all; what it has cost them, unless codes are no numbers.
async fn confirm(lane: &Lane<'_>, job: &Job, is_sound: bool) -> Result<Option<Toll>> {
    let mut bytes = {
        let memory = job.keep.memory.lock();
        let cost = job.waited.unwrap_or_else(|| clock::now().duration_since(job.began));
        let disk = memory.disk.as_ref().map_or(0.0, |disk| memory.writing / disk.every as f64);
        let pace = &memory.pace;
        let mttf = mttf(job.process, pace);
        pace.toll(job.began, cost.as_secs_f64() + disk, mttf).to_bytes()
    };
    bytes.push(u8::from(is_sound));
    let all = coll::share_on(lane, &bytes).await?;
    let all = || all.chunks_exact(Toll::BYTES + 1);
    let is_sound = all().all(|bytes| bytes[Toll::BYTES] != 0);
    Ok(is_sound.then(|| Toll::of_all(all().map(Toll::from_bytes))))
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
        stretch.kind == DOUBLES && !is_finite(&slot.data[DOUBLES][stretch.bytes.clone()])
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

/// Makes the codes that those of the places `is_wanted` keep. `ranks`: who sits at each place.
/// False: some that were made here are no numbers.
pub(super) async fn encode(
    lane: &Lane<'_>, scheme: &Scheme, layout: &Layout, slot: &mut Slot, ranks: &[i32],
    is_wanted: &[bool],
) -> Result<bool> {
    let place = slot.entry.expect("who makes codes has a place").place as usize;
    let mut is_sound = true;
    for kind in 0..KINDS {
        let units = units(layout, &slot.extents, kind);
        let code = code_of(scheme.code, kind);
        let (mut gives, mut takes, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
        for (number, stripe) in layout.stripes.iter().enumerate() {
            let unit = units[stripe.group];
            for (index, keeper) in stripe.keepers.iter().enumerate().filter(|(_, k)| is_wanted[**k])
            {
                let mine = stripe.data.iter().find(|(member, _)| *member == place);
                if let Some((_, chunk)) = mine {
                    let bytes = &slot.data[kind][chunk * unit..(chunk + 1) * unit];
                    gives.push(Give { bytes, to: ranks[*keeper] });
                }
                if *keeper == place {
                    let part = |(at, (member, _)): (usize, &(usize, usize))| {
                        (Part::Data(at), ranks[*member])
                    };
                    let maker = Maker::of_code(code, index, stripe.data.len(), scheme.spares);
                    let parts = stripe.data.iter().enumerate().map(part).collect();
                    let mut made = own(&mut slot.codes)[kind].remove(&number).unwrap_or_default();
                    made.resize(unit, 0);
                    takes.push(Take { maker, parts, made });
                    numbers.push(number);
                }
            }
        }
        exchange(lane, &gives, &mut takes, STEP).await?;
        let made = takes.into_iter().map(|take| take.made);
        let made = made.inspect(|made| is_sound &= kind != DOUBLES || is_finite(made));
        // Who keeps none that are wanted keeps those that are there.
        if !numbers.is_empty() {
            own(&mut slot.codes)[kind].extend(numbers.into_iter().zip(made));
        }
    }
    Ok(is_sound)
}
