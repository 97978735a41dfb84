//! Takes checkpoints: all members report what they have and make room; together they copy the data
//! and make codes, in one pass; then all confirm that this is done.
//!
//! If the program continues meanwhile, each member copies its own data at once, and codes are made
//! from the copies.

use super::census::{Census, Draft, census, draft};
use super::disk;
use super::extent::{DOUBLES, EXACT};
use super::files;
use super::keep::{Checkpoint, mttf};
use super::ledger::{self, Entry, Written};
use super::pace::Toll;
use super::rounds::{Topic, hear};
use super::slot::{Slot, Source, Stretch, is_finite, stretches};
use super::stripes::{Codes, Crew, Offer, Offers};
use crate::engine::Drawn;
use crate::host::{clock, output};
use crate::mpi::comm::Comm;
use crate::mpi::error::{Class, Failure, Result};
use crate::mpi::handle_table::Held;
use crate::mpi::lane::Lane;
use crate::mpi::process::Process;
use crate::mpi::run::{self, Way};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What the checkpoint has cost each member.
enum Tolls {}

impl Topic for Tolls {
    type Part = Toll;
    type Outcome = Toll;
}

/// The first member with infinite or NaN numbers, and the item that has them.
enum Troubles {}

impl Topic for Troubles {
    type Part = Option<i32>;
    type Outcome = Option<(usize, i32)>;
}

/// A checkpoint under way.
struct Job {
    process: &'static Process,
    keep: Arc<Checkpoint>,
    comm: Held<Comm>,
    census: Arc<Census>,
    /// Its slot.
    at: usize,
    slot: Slot,
    /// Where its data come from, unless they are copied already.
    source: Option<Source>,
    /// The turn and the path to write it to disk, if it is.
    file: Option<(usize, PathBuf)>,
    /// How long the program waited for the copy, if it continues during the rest.
    waited: Option<Duration>,
    /// The tags of its operations on the communicator, and their numbers in a run.
    numbers: [(i32, Option<Drawn>); 6],
    began: Instant,
    /// Whether it has ended, successfully or not.
    is_over: bool,
}

/// Frees the checkpoint object for the next operation. A checkpoint that was interrupted is
/// discarded.
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

/// Takes a checkpoint with the program's number `version`.
pub fn take(process: &'static Process, keep: &Arc<Checkpoint>, version: i64) -> Result {
    let comm = comm_of(process, keep)?;
    let taken = prepare(process, keep, &comm, version, false)
        .and_then(|job| run::block(carry_out(process, job, Way::Blocking)));
    taken.map_err(|failure| failure.on(&comm))
}

/// Starts to take a checkpoint. The data are copied when this returns, so they may change. Returns
/// the handle of its request.
pub fn start(process: &'static Process, keep: &Arc<Checkpoint>, version: i64) -> Result<usize> {
    let comm = comm_of(process, keep)?;
    let job = prepare(process, keep, &comm, version, true);
    let job = job.map_err(|failure| failure.on(&comm))?;
    run::request(process, &comm, move |way| carry_out(process, job, way))
}

pub(super) fn comm_of(process: &'static Process, keep: &Checkpoint) -> Result<Held<Comm>> {
    let handle = keep.memory.lock().comm;
    process.comm(handle, "the communicator of ck")
}

/// Agrees with the others on the checkpoint, and makes room for it. If `is_beside`, copies the
/// data.
fn prepare(
    process: &'static Process, keep: &Arc<Checkpoint>, comm: &Held<Comm>, version: i64,
    is_beside: bool,
) -> Result<Job> {
    let began = clock::now();
    let census = census(process, keep, comm, version)?;
    let draft = draft(process, keep, comm, &census)?;
    let Draft { shape, serial, .. } = draft;
    let place = comm.living().rank as usize;
    let at = ledger::vacant(draft.spared, &census.accounts[place]);
    let mut memory = keep.memory.lock();
    let mut slot = std::mem::take(&mut memory.slots[at]);
    lay_out(&mut slot, draft, place);
    let mut source = Some(Source::of(&memory.items, keep.scheme.code));
    // Without stripes, or from other processes, no member copies the data while it encodes them.
    let copies_now =
        is_beside || shape.layout.stripes.is_empty() || !comm.living().shares_memory(process);
    if let Some(source) = source.take_if(|_| copies_now) {
        let filled = slot.fill(&source);
        filled.map_err(|fault| Failure::from(process.engine.suffer(fault.address)))?;
    }
    slot.entry = Some(Entry {
        serial: *serial,
        version,
        members: shape.members() as u32,
        place: place as u32,
        has_data: source.is_none(),
        has_codes: false,
        is_committed: false,
        has_nodes: !shape.heads.nodes.is_empty(),
    });
    // Not busy in a blocking call: the thread may jump out of it, and then nothing would reset
    // this.
    (memory.seen, memory.is_new, memory.is_busy) = (*serial, false, is_beside);
    memory.orphans.clear();
    let disk = draft.turn.zip(memory.disk.as_ref());
    let file = disk.map(|(turn, disk)| (turn, files::path(&disk.directory, place, turn)));
    drop(memory);
    let draw = |tag| if is_beside { comm.draw(process, tag) } else { None };
    let numbers = [0; 6].map(|_| comm.next_tag()).map(|tag| (tag, draw(tag)));
    let (keep, comm, is_over) = (keep.clone(), comm.clone(), false);
    let waited = is_beside.then(|| clock::now().duration_since(began));
    let job = Job {
        process,
        keep,
        comm,
        census: census.clone(),
        at,
        slot,
        source,
        file,
        waited,
        numbers,
        began,
        is_over,
    };
    Ok(job)
}

/// Prepares a slot for the checkpoint `draft`.
pub(super) fn lay_out(slot: &mut Slot, draft: &Draft, place: usize) {
    slot.heads = draft.shape.heads.clone();
    slot.layout = Some(draft.shape.layout.clone());
    slot.members = draft.members.clone();
    slot.without_codes = draft.without_codes.clone();
    slot.make_room(&draft.shape, place);
    slot.make_room_for_codes(&draft.shape, place);
}

/// Makes the codes. The checkpoint counts once all members know that they have theirs.
async fn carry_out(process: &'static Process, mut job: Job, way: Way) -> Result {
    let outcome = async {
        let is_sound = protect(process, &mut job, way).await?;
        let entry = job.slot.entry.expect("set before");
        let lane = |at: usize| {
            let (tag, drawn) = &job.numbers[at];
            Lane::new(process, &job.comm, *tag, way).into_turn().drawn_as(drawn.as_ref())
        };
        // Codes with infinite or NaN numbers are useless.
        if !is_sound {
            let why = unsound(&lane(4), &job.slot, entry).await?;
            job.keep.memory.lock().pace.skip();
            job.slot.entry = None;
            return Err(why);
        }
        // Set before all have confirmed, since a member that gets the confirmation relies on the
        // data and codes of all.
        let entry = Entry { has_data: true, has_codes: true, ..entry };
        job.slot.entry = Some(entry);
        let toll = confirm(&lane(3), &job).await?;
        job.slot.entry = Some(Entry { is_committed: true, ..entry });
        process.saved.note(process.world.age());
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

/// All members together copy what is not copied yet, and make the codes. Returns false if some
/// codes are infinite or NaN.
async fn protect(process: &'static Process, job: &mut Job, way: Way) -> Result<bool> {
    let numbers = [0, 1, 2].map(|at| (job.numbers[at].0, job.numbers[at].1.as_ref()));
    let crew = Crew { process, comm: job.comm.living(), way, numbers };
    let draft = job.census.draft();
    let codes = Codes {
        scheme: &job.keep.scheme,
        shape: &draft.shape,
        ranks: &draft.ranks,
        is_wanted: &draft.is_wanted,
        places: job.slot.place().into_iter().collect(),
    };
    encode(&crew, &codes, [&job.slot], job.source.take()).await
}

/// All members confirm that they have everything, and report what it has cost.
async fn confirm(lane: &Lane<'_>, job: &Job) -> Result<Toll> {
    let mine = {
        let memory = job.keep.memory.lock();
        let cost = job.waited.unwrap_or_else(|| clock::now().duration_since(job.began));
        let disk = memory.disk.as_ref().map_or(0.0, |disk| memory.writing / disk.every as f64);
        let pace = &memory.pace;
        let mttf = mttf(job.process, pace);
        pace.toll(job.began, cost.as_secs_f64() + disk, mttf)
    };
    hear::<Tolls>(lane, mine, |all| Toll::of_all(all.into_iter().copied())).await.map(|all| *all)
}

/// Writes the checkpoint to disk. It stays valid if that fails.
async fn write(lane: &Lane<'_>, job: &Job, turn: usize, path: PathBuf) -> Result {
    let note = |written: Option<Written>| {
        let mut memory = job.keep.memory.lock();
        if let Some(all) = memory.disk.as_mut().and_then(|disk| disk.written.as_mut()) {
            all[turn] = written;
        }
    };
    note(None);
    let began = clock::now();
    let draft = job.census.draft();
    let (slot, scheme, shape) = (&job.slot, &job.keep.scheme, &draft.shape);
    let written = disk::write(job.process, lane, path, draft.stamp, slot, scheme, shape).await?;
    note(Some(written));
    job.keep.memory.lock().writing = clock::now().duration_since(began).as_secs_f64();
    Ok(())
}

/// Why there can be no checkpoint: all members learn whose numbers are infinite or NaN.
async fn unsound(lane: &Lane<'_>, slot: &Slot, entry: Entry) -> Result<Failure> {
    let is_bad = |stretch: &Stretch| {
        stretch.kind == DOUBLES && !is_finite(&slot.data[DOUBLES].read(stretch.bytes.clone()))
    };
    let extent = &slot.heads.extents[entry.place as usize];
    let bad = stretches(&slot.data, extent).into_iter().find(is_bad);
    let first = |all: Vec<&Option<i32>>| {
        all.into_iter().enumerate().find_map(|(place, id)| Some((place, (*id)?)))
    };
    let why = match *hear::<Troubles>(lane, bad.map(|stretch| stretch.id), first).await? {
        Some((place, id)) => {
            let rank = slot.heads.ranks[place];
            format!("rank {rank} has registered infinite or NaN numbers as {id}")
        }
        None => "sums of doubles overflow".to_string(),
    };
    let version = entry.version;
    Ok(Class::ARG
        .because(format!("checkpoint {version} was not taken: {why}; the previous one is kept")))
}

/// All members make the wanted codes, from the slots, or from `source`, which they copy there.
/// Returns false if some codes are infinite or NaN.
pub(super) async fn encode<'a>(
    crew: &Crew<'_>, codes: &Codes<'_>, slots: impl IntoIterator<Item = &'a Slot>,
    source: Option<Source>,
) -> Result<bool> {
    // The norms of doubles belong to the exact data, and are known when the doubles are copied.
    let in_between = codes.shape.has_doubles && source.is_some();
    let offer = Arc::new(Offer { source, ..Offer::of(slots) });
    let part = |offers: &Offers<'_>, kind: usize| codes.make(crew.process, offers, kind);
    crew.work(offer, [DOUBLES, EXACT], in_between, part).await
}

/// Writes a message to stderr.
pub(super) fn say(words: &str) {
    output::write(2, format!("ftmpi: {words}\n").as_bytes());
}
