//! Restores: all tell what they have, those who lack data get them made of what the others have,
//! codes that are gone are made again, and all put their data back where they are registered.
//!
//! Nothing that a checkpoint consists of is overwritten, so a failure in the midst leaves what
//! there was. The program's data change last, when all have confirmed.

use super::code::{self, Maker, Part};
use super::exchange::{Give, LONG_STEP, Take, exchange};
use super::keep::Checkpoint;
use super::layout::{Layout, Repair};
use super::ledger::{self, Account, Choice, Entry, Extent, Seat, Verdict};
use super::memory::{KINDS, Orphan, Slot, code_of, units};
use super::taking::{accounts, comm_of, encode};
use crate::host::memory::Span;
use crate::mpi::codes::DATA_LOST;
use crate::mpi::coll;
use crate::mpi::comm::Comm;
use crate::mpi::error::{Class, Failure, Result};
use crate::mpi::lane::Lane;
use crate::mpi::plight::enumerate;
use crate::mpi::process::Process;
use crate::mpi::run::{self, Way};
use crate::mpi::table::Held;
use std::sync::Arc;

/// From how many digits on it is said aloud that they are lost.
const LOUD: i32 = 4;

/// What all know of the checkpoint that is restored.
struct Common {
    layout: Layout,
    choice: Choice,
    extents: Vec<Extent>,
    /// The ranks that the places had then.
    ranks: Vec<i32>,
}

/// Restores the last checkpoint that can be; returns what the program calls it, and nothing when
/// there has been none, or none that this rank had a part in.
pub fn restore(process: &'static Process, keep: &Arc<Checkpoint>) -> Result<Option<i64>> {
    let comm = comm_of(process, keep)?;
    run::block(attempt(process, keep, &comm)).map_err(|failure| failure.on(&comm))
}

async fn attempt(
    process: &'static Process, keep: &Checkpoint, comm: &Held<Comm>,
) -> Result<Option<i64>> {
    let accounts = accounts(process, keep, comm, 0)?;
    let me = comm.living().rank as usize;
    let seen = accounts.iter().map(|account| account.seen).max().unwrap_or(0);
    let choice = match ledger::judge(&keep.scheme, &accounts) {
        Verdict::Restore(choice) => choice,
        verdict => {
            let mut memory = keep.memory.lock();
            memory.seen = seen;
            return match verdict {
                Verdict::Lost { version, places, .. } => Err(lost(keep, version, &places)),
                // What was begun nobody can use.
                _ => {
                    memory.is_new = false;
                    memory.slots.iter_mut().for_each(|slot| slot.entry = None);
                    Ok(None)
                }
            };
        }
    };
    let (at, mut slot) = fetch(keep, &choice, &accounts[me], me);
    let outcome = rebuild(process, keep, comm, (choice, &accounts), &mut slot).await;
    let mut memory = keep.memory.lock();
    memory.seen = seen;
    memory.slots[at] = slot;
    let (common, orphans, digits) = outcome?;
    let serial = common.choice.serial;
    for slot in &mut memory.slots {
        slot.entry = slot.entry.filter(|entry| entry.serial <= serial);
    }
    (memory.orphans, memory.digits) = (orphans, digits);
    let Some(entry) = memory.slots[at].entry.as_mut().filter(|entry| entry.serial == serial) else {
        return Ok(None);
    };
    entry.is_committed = true;
    // Not before: what others had whole would count as never committed if this one, who has had no
    // part in it, were heard as one who had.
    memory.is_new = false;
    let group = &comm.living().group;
    let member = |seat: &Seat| match seat {
        Seat::Guardian(_) => None,
        seat => group.member(seat.rank()),
    };
    memory.slots[at].members = common.choice.seats.iter().map(member).collect();
    let poured = memory.slots[at].pour(&memory.items, keep.scheme.code);
    poured.map_err(|fault| Failure::from(process.engine.suffer(fault.address)))?;
    Ok(Some(common.choice.version))
}

#[cold]
fn lost(keep: &Checkpoint, version: i64, places: &[usize]) -> Failure {
    let (noun, verb) = if places.len() == 1 { ("rank", "is") } else { ("ranks", "are") };
    DATA_LOST.because(format!(
        "checkpoint {version} cannot be restored: what {noun} {} had in it {verb} lost, since more \
         failed than scheme {} makes up for",
        enumerate(places),
        keep.scheme
    ))
}

/// This rank's slot of the checkpoint, and which it is: one that is there, or a fresh one.
fn fetch(keep: &Checkpoint, choice: &Choice, mine: &Account, me: usize) -> (usize, Slot) {
    let mut memory = keep.memory.lock();
    let is_it = |slot: &Slot| slot.entry.is_some_and(|entry| entry.serial == choice.serial);
    if let Some(at) = memory.slots.iter().position(is_it) {
        return (at, std::mem::take(&mut memory.slots[at]));
    }
    let at = ledger::vacant(Some(choice.serial), mine);
    let mut slot = std::mem::take(&mut memory.slots[at]);
    slot.entry = choice.seats.iter().position(|seat| *seat == Seat::Heir(me)).map(|place| Entry {
        serial: choice.serial,
        version: choice.version,
        members: choice.seats.len() as u32,
        place: place as u32,
        has_data: false,
        has_codes: false,
        is_committed: false,
    });
    (at, slot)
}

/// Makes everybody's part of the checkpoint whole; returns what all know of it, the data of those
/// who are there no more that came into the care of this rank, and how many digits are lost.
async fn rebuild(
    process: &'static Process, keep: &Checkpoint, comm: &Held<Comm>,
    (choice, accounts): (Choice, &[Account]), slot: &mut Slot,
) -> Result<(Common, Vec<Orphan>, i32)> {
    let next = || Lane::new(process, comm, comm.next_collective(), Way::Blocking);
    next().look_round()?;
    let common = tell(&next(), keep, choice, slot).await?;
    must_match(&common, accounts)?;
    let digits = digits_lost(keep, &common);
    if comm.living().rank == 0 && digits >= LOUD {
        eprintln!("ftmpi: restored sums of doubles lose about {digits} of their 16 digits");
    }
    let orphans = decode(&next(), keep, &common, slot).await?;
    let is_finite = orphans.iter().all(|orphan| is_finite(&orphan.data[1]));
    let mut is_sound = is_finite;
    if let Some(entry) = slot.entry.as_mut().filter(|entry| !entry.has_data) {
        is_sound &= self::is_finite(&slot.data[1]);
        entry.has_data = is_sound;
    }
    let is_whole = !common.choice.seats.iter().any(|seat| matches!(seat, Seat::Guardian(_)));
    let lane = next();
    if is_whole && slot.entry.is_some() {
        let ranks: Vec<i32> = common.choice.seats.iter().map(|seat| seat.rank() as i32).collect();
        let wanted = &common.choice.without_codes;
        encode(&lane, &keep.scheme, &common.layout, slot, &ranks, wanted).await?;
    }
    let all = coll::share_on(&next().as_turn(), &[u8::from(is_sound)]).await?;
    if all.contains(&0) {
        let places: Vec<usize> = common
            .choice
            .seats
            .iter()
            .enumerate()
            .filter(|(_, seat)| all[seat.rank()] == 0)
            .map(|(place, _)| place)
            .collect();
        // A number that is none makes those of all others so, in sums.
        return Err(lost(keep, common.choice.version, &places));
    }
    if let Some(entry) = slot.entry.as_mut().filter(|_| is_whole) {
        entry.has_codes = true;
    }
    Ok((common, orphans, digits))
}

fn is_finite(doubles: &[u8]) -> bool {
    doubles.as_chunks::<8>().0.iter().all(|bytes| f64::from_ne_bytes(*bytes).is_finite())
}

/// Those who have a part in the checkpoint tell the others what all had registered.
async fn tell(
    lane: &Lane<'_>, keep: &Checkpoint, choice: Choice, slot: &mut Slot,
) -> Result<Common> {
    const WORDS: usize = 4;
    let holders = choice.seats.iter().filter(|seat| matches!(seat, Seat::Holder(_)));
    let root = holders.map(|seat| seat.rank()).min().expect("somebody has data");
    let members = choice.seats.len();
    let mut words = vec![0; WORDS * members];
    if lane.rank() as usize == root {
        for (place, words) in words.chunks_exact_mut(WORDS).enumerate() {
            let extent = slot.extents[place];
            words.copy_from_slice(&[
                extent.bytes[0],
                extent.bytes[1],
                extent.digest,
                i64::from(slot.ranks[place]) as u64,
            ]);
        }
    }
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
    coll::broadcast(lane, &Span::of_mut(&mut bytes).into(), root as i32).await?;
    let words: Vec<u64> =
        bytes.as_chunks::<8>().0.iter().map(|word| u64::from_ne_bytes(*word)).collect();
    let extents = words
        .chunks_exact(WORDS)
        .map(|words| Extent { bytes: [words[0], words[1]], digest: words[2] })
        .collect();
    let ranks: Vec<i32> = words.chunks_exact(WORDS).map(|words| words[3] as i32).collect();
    let layout = Layout::new(&keep.scheme, members).expect("the checkpoint was taken by it");
    let common = Common { layout, choice, extents, ranks };
    slot.extents.clone_from(&common.extents);
    slot.ranks.clone_from(&common.ranks);
    if let Some(entry) = slot.entry.filter(|entry| !entry.has_data) {
        slot.make_room(&common.layout, entry.place as usize);
    }
    Ok(common)
}

/// Fails when somebody has registered other data than what is to be restored.
fn must_match(common: &Common, accounts: &[Account]) -> Result {
    for (place, seat) in common.choice.seats.iter().enumerate() {
        let (Seat::Holder(rank) | Seat::Heir(rank)) = *seat else { continue };
        let (had, has) = (common.extents[place], accounts[rank].extent);
        if had != has {
            let bytes = |extent: Extent| extent.bytes.iter().sum::<u64>();
            return Err(Class::NOT_SAME.because(format!(
                "rank {rank} has registered other data ({} bytes) than there are in checkpoint {} \
                 ({} bytes)",
                bytes(has),
                common.choice.version,
                bytes(had)
            )));
        }
    }
    Ok(())
}

/// Decimal digits that get lost on the way.
fn digits_lost(keep: &Checkpoint, common: &Common) -> i32 {
    let has_doubles = common.extents.iter().any(|extent| extent.bytes[1] > 0);
    let growth = |repair: &Repair| {
        let data = common.layout.stripes[repair.stripe].data.len();
        code::condition(keep.scheme.code, data, keep.scheme.spares, repair)
    };
    let worst = common.choice.repairs.iter().map(growth).fold(1.0, f64::max);
    if has_doubles { worst.log10().ceil() as i32 } else { 0 }
}

/// Makes the data of those who lack them.
async fn decode(
    lane: &Lane<'_>, keep: &Checkpoint, common: &Common, slot: &mut Slot,
) -> Result<Vec<Orphan>> {
    let me = lane.rank() as usize;
    let mut orphans = Vec::new();
    for (place, _) in
        common.choice.seats.iter().enumerate().filter(|(_, seat)| **seat == Seat::Guardian(me))
    {
        let extent = common.extents[place];
        let mut room = Slot { extents: common.extents.clone(), ..Slot::default() };
        room.make_room(&common.layout, place);
        orphans.push((place, Orphan { rank: common.ranks[place], extent, data: room.data }));
    }
    for kind in 0..KINDS {
        let units = units(&common.layout, &common.extents, kind);
        let (mut gives, mut takes, mut places) = (Vec::new(), Vec::new(), Vec::new());
        for repair in &common.choice.repairs {
            let unit = units[common.layout.stripes[repair.stripe].group];
            for lost in &repair.lost {
                let wanted = Wanted::of(keep, common, kind, repair, *lost)?;
                for part in wanted.parts.iter().filter(|part| part.rank == me) {
                    let bytes = match part.part {
                        Part::Data(_) => &slot.data[kind][part.chunk * unit..][..unit],
                        Part::Code(_) => &slot.codes[kind][&repair.stripe][..],
                    };
                    gives.push(Give { bytes, to: wanted.rank as i32 });
                }
                if wanted.rank == me {
                    let parts = wanted.parts.iter().map(|part| (part.part, part.rank as i32));
                    let (maker, parts) = (wanted.maker, parts.collect());
                    takes.push(Take { maker, parts, made: vec![0; unit] });
                    places.push((wanted.place, wanted.chunk * unit));
                }
            }
        }
        exchange(lane, &gives, &mut takes, LONG_STEP).await?;
        for (take, (place, start)) in takes.into_iter().zip(places) {
            let orphan = orphans.iter_mut().find(|(other, _)| *other == place);
            let data = orphan.map_or(&mut slot.data, |(_, orphan)| &mut orphan.data);
            data[kind][start..][..take.made.len()].copy_from_slice(&take.made);
        }
    }
    Ok(orphans.into_iter().map(|(_, orphan)| orphan).collect())
}

/// A lost chunk: who is to have it, and what it is made of.
struct Wanted {
    place: usize,
    rank: usize,
    chunk: usize,
    maker: Maker,
    parts: Vec<Source>,
}

/// What one rank has of a stripe.
struct Source {
    part: Part,
    rank: usize,
    /// Which chunk of that one's data, where it is data.
    chunk: usize,
}

impl Wanted {
    fn of(
        keep: &Checkpoint, common: &Common, kind: usize, repair: &Repair, lost: usize,
    ) -> Result<Wanted> {
        let stripe = &common.layout.stripes[repair.stripe];
        let rank = |place: usize| common.choice.seats[place].rank();
        let (place, chunk) = stripe.data[lost];
        let code = code_of(keep.scheme.code, kind);
        let made = Maker::of_data(code, lost, stripe.data.len(), keep.scheme.spares, repair);
        let Some((maker, codes)) = made else {
            return Err(self::lost(keep, common.choice.version, &[place]));
        };
        let there = stripe.data.iter().enumerate().filter(|(at, _)| !repair.lost.contains(at));
        let data = there.map(|(at, (place, chunk))| Source {
            part: Part::Data(at),
            rank: rank(*place),
            chunk: *chunk,
        });
        let codes = codes.into_iter().map(|at| Source {
            part: Part::Code(at),
            rank: rank(stripe.keepers[at]),
            chunk: 0,
        });
        let parts = data.chain(codes).collect();
        Ok(Wanted { place, rank: rank(place), chunk, maker, parts })
    }
}
