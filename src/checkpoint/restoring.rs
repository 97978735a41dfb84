//! Restores a checkpoint in memory: all members report what they have, lost data are rebuilt from
//! what the others have, lost codes are made again, and each member copies its data back to where
//! they are registered.
//!
//! No part of a checkpoint is overwritten, so a failure in the middle leaves it as it was. The
//! program's data change last, when all members have confirmed.

use super::census::{
    Candidate, Census, Outlook, census, drafted, first, outlook, rank_in, ranks_of,
};
use super::decoding::{ALL_DIGITS, decode};
use super::disk::{Unfit, share_trouble};
use super::extent::{Extent, Heads};
use super::files::TURNS;
use super::keep::Checkpoint;
use super::laid::Layouts;
use super::ledger::{self, Account, Choice, Entry, Seat, Verdict};
use super::memory::Memory;
use super::restored::{Common, lost};
use super::room::Worst;
use super::rounds::{Topic, hear};
use super::shape::Shape;
use super::slot::{Orphan, Slot};
use super::stripes::{Codes, Crew};
use super::taking::{comm_of, encode, lay_out, say};
use crate::fault::enumerate;
use crate::mpi::comm::Comm;
use crate::mpi::comm::group::Group;
use crate::mpi::error::{Class, Failure, Result};
use crate::mpi::error_codes::DATA_LOST;
use crate::mpi::handle_table::Held;
use crate::mpi::lane::Lane;
use crate::mpi::process::Process;
use crate::mpi::run::{self, Way};
use std::sync::Arc;

/// A loss of this many digits is reported.
const LOUD: i32 = 4;

/// What all members know of the checkpoint, from those that have data of it.
enum Commons {}

impl Topic for Commons {
    type Part = Option<Arc<Heads>>;
    type Outcome = Common;
}

/// Which places are without codes.
enum MissingCodes {}

impl Topic for MissingCodes {
    type Part = bool;
    type Outcome = Arc<[bool]>;
}

/// What the restored sums have lost.
enum WorstLosses {}

impl Topic for WorstLosses {
    type Part = Worst;
    type Outcome = Losses;
}

/// The losses of all restored sums.
struct Losses {
    /// The most decimal digits that one has lost.
    digits: i32,
    /// Those that have no digit left, by places.
    spoilt: Vec<Worst>,
}

/// Restores the last checkpoint that can be restored. Returns the program's number for it; `None`
/// if there was none, or none in which this rank had a part.
pub fn restore(process: &'static Process, keep: &Arc<Checkpoint>) -> Result<Option<i64>> {
    let comm = comm_of(process, keep)?;
    run::block(attempt(process, keep, &comm)).map_err(|failure| failure.on(&comm))
}

async fn attempt(
    process: &'static Process, keep: &Checkpoint, comm: &Held<Comm>,
) -> Result<Option<i64>> {
    let census = census(process, keep, comm, 0)?;
    let outlook = outlook(process, keep, comm, &census)?;
    let Outlook { verdict, generations, seen, interval, .. } = outlook;
    {
        let mut memory = keep.memory.lock();
        memory.seen = *seen;
        memory.pace.restart(*interval);
    }
    let newest = if let Verdict::Restore(choice) = verdict { choice.serial } else { 0 };
    let is_nothing = matches!(verdict, Verdict::Nothing);
    let older = generations.iter().position(|one| one.kept.generation.serial <= newest);
    let (newer, older) = generations.split_at(older.unwrap_or(generations.len()));
    let accounts = &census.accounts[..];
    let call = Call { process, keep, comm, accounts, layouts: &outlook.layouts };
    let mut troubles = if is_nothing { call.damage(generations).await? } else { Vec::new() };
    for candidate in newer {
        match call.restore_disk(candidate, newest, &troubles).await? {
            Ok(version) => return Ok(version),
            Err(Unfit::Fewer(words)) if is_nothing => return Err(Class::ARG.because(words)),
            Err(Unfit::Fewer(words) | Unfit::Other(words)) => troubles.push(words),
        }
    }
    if is_nothing && troubles.is_empty() {
        return Ok(call.begin(&census));
    }
    let outcome = call.restore_memory(verdict).await;
    if let (Ok(Some(version)), [_, ..]) = (&outcome, &troubles[..])
        && call.me() == 0
    {
        say(&format!("checkpoint {version} is restored from memory; {}", troubles.join("; ")));
    }
    let loss = match outcome.as_ref().map_err(Failure::error) {
        Err(Some(error)) if error.class == DATA_LOST => error.detail.clone().into_owned(),
        _ => return outcome,
    };
    for candidate in older {
        match call.restore_disk(candidate, 0, &troubles).await? {
            Ok(version) => return Ok(version),
            Err(Unfit::Fewer(words) | Unfit::Other(words)) => troubles.push(words),
        }
    }
    let disk = call.directory().filter(|_| !troubles.is_empty());
    let disk = disk.map(|directory| format!("; in {}: ", directory.display()));
    Err(DATA_LOST.because(loss + &disk.unwrap_or_default() + &troubles.join("; ")))
}

/// A restoration in which all members take part.
pub(super) struct Call<'a> {
    pub(super) process: &'static Process,
    pub(super) keep: &'a Checkpoint,
    pub(super) comm: &'a Held<Comm>,
    pub(super) accounts: &'a [Account],
    layouts: &'a Layouts,
}

impl Call<'_> {
    pub(super) fn lane(&self) -> Lane<'_> {
        Lane::new(self.process, self.comm, self.comm.next_tag(), Way::Blocking)
    }

    /// All members, for one piece of work.
    pub(super) fn crew(&self) -> Crew<'_> {
        let numbers = [0; 3].map(|_| (self.comm.next_tag(), None));
        Crew { process: self.process, comm: self.comm.living(), way: Way::Blocking, numbers }
    }

    pub(super) fn me(&self) -> usize {
        self.comm.living().rank as usize
    }

    pub(super) fn group(&self) -> &Group {
        &self.comm.living().group
    }

    /// Discards an unfinished checkpoint, which cannot be restored. Makes room for two checkpoints
    /// of the registered data, so that the first ones take no longer than others; a scheme that
    /// does not fit is reported by these.
    fn begin(&self, census: &Census) -> Option<i64> {
        let draft = drafted(self.keep, self.layouts, self.comm, census).ok();
        let mut memory = self.keep.memory.lock();
        memory.is_new = false;
        for slot in &mut memory.slots {
            slot.entry = None;
            if let Some(draft) = draft {
                lay_out(slot, draft, self.me());
            }
        }
        None
    }

    /// The troubles with files of a turn in which no generation can be recognized: there may have
    /// been one, newer than all others.
    async fn damage(&self, generations: &[Candidate]) -> Result<Vec<String>> {
        let mut all = Vec::new();
        for turn in 0..TURNS {
            let is_damaged = self.accounts.iter().any(|account| account.is_damaged[turn]);
            if !is_damaged || generations.iter().any(|one| one.kept.turn == turn) {
                continue;
            }
            let disk = |memory: &Memory| Some(memory.disk.as_ref()?.damage[turn].clone());
            let mine = disk(&self.keep.memory.lock()).flatten();
            let found = share_trouble(&self.lane().into_turn(), mine).await?;
            let found = found.as_ref().as_ref();
            all.extend(found.map(|(at, why)| format!("rank {}: {why}", rank_in(self.comm, *at))));
        }
        Ok(all)
    }

    async fn restore_memory(&self, verdict: &Verdict) -> Result<Option<i64>> {
        let keep = self.keep;
        match verdict {
            Verdict::Nothing => Err(DATA_LOST.because("there is no checkpoint in memory")),
            Verdict::Lost { serial, version, places, members } => {
                let lane = self.lane().into_turn();
                let ranks = ranks_of(&lane, keep, *serial, *members).await?;
                Err(lost(&keep.scheme, *version, &ranks, places))
            }
            Verdict::Restore(choice) => {
                let me = self.me();
                let (at, mut slot) = fetch(keep, self.layouts, choice, &self.accounts[me], me);
                let outcome = self.rebuild(choice, &mut slot).await;
                keep.memory.lock().slots[at] = slot;
                let (common, orphans, digits) = outcome?;
                self.take_over(at, &common, orphans, digits)
            }
        }
    }

    /// Makes the restored checkpoint the valid one, and copies its data to where they are
    /// registered.
    pub(super) fn take_over(
        &self, at: usize, common: &Common, orphans: Vec<Orphan>, digits: i32,
    ) -> Result<Option<i64>> {
        let mut memory = self.keep.memory.lock();
        let serial = common.choice.serial;
        for slot in &mut memory.slots {
            slot.entry = slot.entry.filter(|entry| entry.serial <= serial);
        }
        (memory.orphans, memory.digits) = (orphans, digits);
        let entry = memory.slots[at].entry.as_mut().filter(|entry| entry.serial == serial);
        let Some(entry) = entry else { return Ok(None) };
        entry.is_committed = true;
        // Not earlier: if this rank, which had no part in the checkpoint, counted as one that had,
        // then what the others have completely would count as never committed.
        memory.is_new = false;
        memory.slots[at].members = common.members.clone();
        let poured = memory.slots[at].pour(&memory.items, self.keep.scheme.code);
        poured.map_err(|fault| Failure::from(self.process.engine.suffer(fault.address)))?;
        Ok(Some(common.choice.version))
    }

    /// Completes the parts of all members. Returns what all know of the checkpoint, the data of
    /// former ranks that are now in this rank's care, and the number of digits lost.
    async fn rebuild(
        &self, choice: &Choice, slot: &mut Slot,
    ) -> Result<(Arc<Common>, Vec<Orphan>, i32)> {
        let keep = self.keep;
        self.lane().look_round()?;
        let mine = slot.entry.filter(|entry| entry.has_data).map(|_| slot.heads.clone());
        let make = |all: Vec<&Option<Arc<Heads>>>| {
            let heads = first(all).expect("somebody has data");
            let layout = self.layouts.of(choice.serial, choice.seats.len());
            let shape = Shape::new(layout, heads);
            Common::of(keep.scheme.clone(), shape, choice.clone(), self.accounts, self.group())
        };
        let common = hear::<Commons>(&self.lane().into_turn(), mine, make).await?;
        self.must_match(&common)?;
        common.must_be_solved()?;
        common.name(slot);
        let mut others = Vec::new();
        let worst = decode(&self.crew(), &common, slot, &mut others).await?;
        let digits = settle(&self.lane().into_turn(), &common, worst).await?;
        let orphans = others.into_iter().filter_map(|other| common.orphan(other)).collect();
        if let Some(entry) = slot.entry.as_mut() {
            entry.has_data = true;
        }
        self.complete(&common, slot).await?;
        Ok((common, orphans, digits))
    }

    /// Fails if a rank has registered other data than the checkpoint has for it.
    pub(super) fn must_match(&self, common: &Common) -> Result {
        let Some((place, rank)) = common.misfit else { return Ok(()) };
        let bytes = |extent: Extent| extent.bytes.iter().sum::<u64>();
        Err(Class::NOT_SAME.because(format!(
            "rank {} has registered other data ({} bytes) than checkpoint {} has for it ({} bytes)",
            rank_in(self.comm, rank),
            bytes(self.accounts[rank].extent),
            common.choice.version,
            bytes(common.shape.heads.extents[place])
        )))
    }

    /// Called when all have their data: makes lost codes again, and all members confirm.
    pub(super) async fn complete(&self, common: &Common, slot: &mut Slot) -> Result {
        let Choice { seats, without_codes, .. } = &common.choice;
        let is_whole = !seats.iter().any(|seat| matches!(seat, Seat::Guardian(_)));
        if is_whole && without_codes.contains(&true) {
            let place = slot.place();
            if let Some(place) = place.filter(|place| without_codes[*place]) {
                slot.make_room_for_codes(&common.shape, place);
            }
            let codes = Codes {
                scheme: &common.scheme,
                shape: &common.shape,
                ranks: &common.ranks,
                is_wanted: without_codes,
                places: place.into_iter().collect(),
            };
            let is_sound = encode(&self.crew(), &codes, [&*slot], None).await?;
            // Set before all have confirmed, since a member that gets the confirmation relies on
            // the codes of all.
            slot.entry = slot.entry.map(|entry| match without_codes[entry.place as usize] {
                true => Entry { has_codes: is_sound, ..entry },
                false => entry,
            });
        }
        let has_codes = slot.entry.is_none_or(|entry| entry.has_codes);
        let make =
            |all: Vec<&bool>| seats.iter().map(|seat| !*all[seat.rank()]).collect::<Arc<[bool]>>();
        let told = hear::<MissingCodes>(&self.lane().into_turn(), has_codes, make).await?;
        slot.without_codes = Arc::clone(&told);
        Ok(())
    }
}

/// This rank's slot of the checkpoint, and its index: an existing slot, or a fresh one.
fn fetch(
    keep: &Checkpoint, layouts: &Layouts, choice: &Choice, mine: &Account, me: usize,
) -> (usize, Slot) {
    let mut memory = keep.memory.lock();
    let is_it = |slot: &Slot| slot.entry.is_some_and(|entry| entry.serial == choice.serial);
    if let Some(at) = memory.slots.iter().position(is_it) {
        let slot = &mut memory.slots[at];
        let has_codes = slot.entry.is_some_and(|entry| entry.has_codes);
        let mut mine = slot.clone();
        if !has_codes {
            // The codes are made anew, in their old memory.
            drop(std::mem::take(&mut mine.codes));
            mine.codes = std::mem::take(&mut slot.codes);
        }
        return (at, mine);
    }
    let at = ledger::vacant(Some(choice.serial), mine);
    let mut slot = std::mem::take(&mut memory.slots[at]);
    let place = choice.seats.iter().position(|seat| *seat == Seat::Heir(me));
    let has_nodes = layouts.nodes.get(&choice.serial).is_some_and(|heads| !heads.nodes.is_empty());
    slot.entry = place.map(|place| Entry { has_nodes, ..choice.entry(place) });
    (at, slot)
}

/// All members learn the largest loss of digits; fails if some data have no digit left.
pub(super) async fn settle(lane: &Lane<'_>, common: &Common, mine: Worst) -> Result<i32> {
    let make = |all: Vec<&Worst>| {
        let digits = all.iter().map(|worst| worst.digits).max().unwrap_or(0);
        let spoilt = all.into_iter().filter(|one| one.digits >= ALL_DIGITS);
        let mut spoilt: Vec<Worst> = spoilt.copied().collect();
        spoilt.sort_unstable_by_key(|one| one.place);
        Losses { digits, spoilt }
    };
    let losses = hear::<WorstLosses>(lane, mine, make).await?;
    let Losses { digits, spoilt } = &*losses;
    let digits = *digits;
    if let Some(first) = spoilt.first() {
        let ranks: Vec<usize> =
            spoilt.iter().map(|one| common.shape.heads.ranks[one.place] as usize).collect();
        let noun = if ranks.len() == 1 { "rank" } else { "ranks" };
        return Err(DATA_LOST.because(format!(
            "checkpoint {} cannot be restored: the data of {noun} {} is lost, because the sums \
             of scheme {} keep no digit of what rank {} has registered as {}: other numbers are \
             much larger",
            common.choice.version,
            enumerate(&ranks),
            common.scheme,
            common.shape.heads.ranks[first.place],
            first.id
        )));
    }
    if lane.rank() == 0 && digits >= LOUD {
        say(&format!("restored doubles have lost about {digits} of their 16 digits"));
    }
    Ok(digits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Member;
    use crate::checkpoint::extent::{DOUBLES, KINDS};
    use crate::checkpoint::scheme::Scheme;
    const MEMBERS: usize = 4;
    /// Two sums with equal weights, which no scheme has.
    fn equal_sums() -> Scheme {
        let mut scheme = Scheme::parse("sum").expect("a scheme");
        scheme.spares = 2;
        scheme
    }

    fn member(seat: usize) -> Member {
        Member { seat, incarnation: 0 }
    }

    /// The accounts of all members after a checkpoint with this number of doubles each; the members
    /// in `lost` have lost theirs.
    fn told(lost: &[usize], doubles: u64) -> Vec<Account> {
        let mut bytes = [64; KINDS];
        bytes[DOUBLES] = 8 * doubles;
        let extent = Extent { bytes, digest: 1 };
        let entry = |place: usize| Entry {
            serial: 3,
            version: 7,
            members: MEMBERS as u32,
            place: place as u32,
            has_data: true,
            has_codes: true,
            is_committed: true,
            has_nodes: false,
        };
        let account = |place: usize| match lost.contains(&place) {
            true => Account { is_new: true, extent, ..Account::default() },
            false => Account { entries: [Some(entry(place)), None], extent, ..Account::default() },
        };
        (0..MEMBERS).map(account).collect()
    }

    fn outcomes(lost: &[usize], doubles: u64) -> Vec<std::result::Result<(), String>> {
        let (scheme, accounts) = (equal_sums(), told(lost, doubles));
        let outcome = |me: usize| {
            let layouts = Layouts::from(&scheme);
            let Verdict::Restore(choice) = ledger::judge(&layouts, &accounts) else {
                panic!("there are codes enough");
            };
            let extents = accounts.iter().map(|account| account.extent).collect();
            let heads = Heads { extents, ranks: (0..MEMBERS as i32).collect(), nodes: Vec::new() };
            let shape = Shape::new(layouts.of(3, MEMBERS), Arc::new(heads));
            let group = Group::of((0..MEMBERS).map(member).collect(), member(me));
            let common = Common::of(scheme.clone(), shape, choice, &accounts, &group);
            common.must_be_solved().map_err(|failure| match failure.error() {
                Some(error) if error.class == DATA_LOST => error.detail.clone().into_owned(),
                _ => panic!("{failure:?}"),
            })
        };
        (0..MEMBERS).map(outcome).collect()
    }

    #[test]
    fn sums_without_a_solution_are_an_error_at_all_alike() {
        let words = "checkpoint 7 cannot be restored: the data of ranks 1-2 is lost, because \
                     more ranks failed than scheme sum tolerates";
        assert_eq!(outcomes(&[1, 2], 100), vec![Err(words.to_string()); MEMBERS]);
    }

    #[test]
    fn what_has_a_solution_is_restored_whatever_the_rest_would_have() {
        assert_eq!(outcomes(&[2], 100), vec![Ok(()); MEMBERS], "one number, and two sums");
        assert_eq!(outcomes(&[1, 2], 0), vec![Ok(()); MEMBERS]);
    }
}
