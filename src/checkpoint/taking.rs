//! Takes checkpoints: all tell what they have, each copies its data, codes are made, all confirm.

use super::code::{Maker, Part};
use super::exchange::{Give, STEP, Take, exchange};
use super::keep::{Checkpoint, await_idle};
use super::layout::Layout;
use super::ledger::{self, Account, Entry};
use super::memory::{KINDS, Slot, code_of, units};
use super::scheme::Scheme;
use crate::host::clock;
use crate::mpi::coll;
use crate::mpi::comm::Comm;
use crate::mpi::error::{Class, Failure, Result};
use crate::mpi::lane::Lane;
use crate::mpi::process::Process;
use crate::mpi::run::{self, Way};
use crate::mpi::table::Held;
use std::sync::Arc;
use std::time::Instant;

/// A checkpoint under way: its data are copied.
struct Job {
    keep: Arc<Checkpoint>,
    comm: Held<Comm>,
    layout: Layout,
    /// Which of the two it goes into.
    at: usize,
    slot: Slot,
    /// The numbers of its operations on the communicator.
    tags: [i32; 2],
    began: Instant,
}

/// Takes a checkpoint, which the program calls `version`.
pub fn take(process: &'static Process, keep: &Arc<Checkpoint>, version: i64) -> Result {
    let comm = comm_of(process, keep)?;
    let taken = prepare(process, keep, &comm, version)
        .and_then(|job| run::block(carry_out(process, job, Way::Blocking)));
    taken.map_err(|failure| failure.on(&comm))
}

/// Starts to take one: the data are copied when this returns, and may change. Returns the handle of
/// its request.
pub fn start(process: &'static Process, keep: &Arc<Checkpoint>, version: i64) -> Result<usize> {
    let comm = comm_of(process, keep)?;
    let job = prepare(process, keep, &comm, version).map_err(|failure| failure.on(&comm))?;
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
    let mine = keep.memory.lock().account(&keep.scheme, version);
    let all = coll::share(process, comm, &mine.to_bytes())?;
    let all: Vec<Account> = all.chunks_exact(Account::BYTES).map(Account::from_bytes).collect();
    if let Some(other) = all.iter().position(|account| account.digest != all[0].digest) {
        let words = format!("ranks 0 and {other} have different schemes; mine is {}", keep.scheme);
        return Err(Class::NOT_SAME.because(words));
    }
    Ok(all)
}

/// Agrees on what is to be done, and copies the data.
fn prepare(
    process: &'static Process, keep: &Arc<Checkpoint>, comm: &Held<Comm>, version: i64,
) -> Result<Job> {
    let began = clock::now();
    let accounts = accounts(process, keep, comm, version)?;
    if let Some(other) = accounts.iter().find(|account| account.version != accounts[0].version) {
        let (one, other) = (accounts[0].version, other.version);
        let words = format!("some ranks take checkpoint {one}, others {other}");
        return Err(Class::NOT_SAME.because(words));
    }
    let members = accounts.len();
    let layout = Layout::new(&keep.scheme, members).map_err(|why| Class::ARG.because(why))?;
    must_be_protected(&keep.scheme, &layout, &accounts)?;
    let spared = ledger::spared(&keep.scheme, &accounts);
    let place = comm.living().rank as usize;
    let at = ledger::vacant(spared, &accounts[place]);
    let serial = accounts.iter().map(|account| account.seen).max().unwrap_or(0) + 1;
    let mut memory = keep.memory.lock();
    let mut slot = std::mem::take(&mut memory.slots[at]);
    slot.extents = accounts.iter().map(|account| account.extent).collect();
    let living = &comm.living().group;
    slot.members = living.members().map(Some).collect();
    slot.ranks = living.members().map(|who| comm.group.rank_of(who).unwrap_or(-1)).collect();
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
    });
    (memory.seen, memory.is_new, memory.is_busy) = (serial, false, true);
    memory.orphans.clear();
    drop(memory);
    let tags = [comm.next_collective(), comm.next_collective()];
    let (keep, comm) = (keep.clone(), comm.clone());
    Ok(Job { keep, comm, layout, at, slot, tags, began })
}

/// Fails when somebody has data that nobody would keep codes of.
fn must_be_protected(scheme: &Scheme, layout: &Layout, accounts: &[Account]) -> Result {
    let has_data = |at: &usize| accounts[*at].extent.bytes != [0; KINDS];
    match (0..accounts.len()).filter(has_data).find(|at| layout.chunks[*at] == 0) {
        None => Ok(()),
        Some(rank) => Err(Class::ARG.because(format!(
            "by scheme {scheme} rank {rank} only keeps codes, but it has registered data"
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
        encode(&lane, &job.keep.scheme, &job.layout, &mut job.slot, &ranks, &all).await?;
        job.slot.entry.as_mut().expect("set before").has_codes = true;
        let lane = Lane::new(process, &job.comm, job.tags[1], way).as_turn();
        coll::share_on(&lane, &[0]).await?;
        job.slot.entry.as_mut().expect("set before").is_committed = true;
        Ok(())
    };
    let outcome = outcome.await;
    let mut memory = job.keep.memory.lock();
    memory.slots[job.at] = job.slot;
    memory.is_busy = false;
    memory.cost = clock::now().duration_since(job.began).as_nanos() as u64;
    outcome
}

/// Makes the codes that those of the places `is_wanted` keep. `ranks`: who sits at each place.
pub(super) async fn encode(
    lane: &Lane<'_>, scheme: &Scheme, layout: &Layout, slot: &mut Slot, ranks: &[i32],
    is_wanted: &[bool],
) -> Result {
    let place = slot.entry.expect("who makes codes has a place").place as usize;
    for kind in 0..KINDS {
        let units = units(layout, &slot.extents, kind);
        let code = code_of(scheme.code, kind);
        let (mut gives, mut takes, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
        for (number, stripe) in layout.stripes.iter().enumerate() {
            let unit = units[stripe.group];
            for (index, keeper) in stripe.keepers.iter().enumerate().filter(|(_, k)| is_wanted[**k])
            {
                let own = stripe.data.iter().find(|(member, _)| *member == place);
                if let Some((_, chunk)) = own {
                    let bytes = &slot.data[kind][chunk * unit..(chunk + 1) * unit];
                    gives.push(Give { bytes, to: ranks[*keeper] });
                }
                if *keeper == place {
                    let part = |(at, (member, _)): (usize, &(usize, usize))| {
                        (Part::Data(at), ranks[*member])
                    };
                    let maker = Maker::of_code(code, index, stripe.data.len(), scheme.spares);
                    let parts = stripe.data.iter().enumerate().map(part).collect();
                    let mut made = slot.codes[kind].remove(&number).unwrap_or_default();
                    made.resize(unit, 0);
                    takes.push(Take { maker, parts, made });
                    numbers.push(number);
                }
            }
        }
        exchange(lane, &gives, &mut takes, STEP).await?;
        let made = takes.into_iter().map(|take| take.made);
        slot.codes[kind].extend(numbers.into_iter().zip(made));
    }
    Ok(())
}
