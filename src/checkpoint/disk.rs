//! The second level: from time to time, all ranks write their checkpoints into files. A generation
//! is complete when all have written theirs. Two generations are kept in turn, so that one is
//! always complete.
//!
//! As with checkpoints in memory, all ranks report what they know (it is part of their accounts)
//! and come to one conclusion. A generation is identified by its serial number and a random stamp,
//! so that files of another job are never mistaken for its own.

use super::files::{self, Contents, TURNS};
use super::head::Head;
use super::ledger::{Account, Entry, Generation, Seat, Written, seats};
use super::rounds::{Topic, hear};
use super::scheme::Scheme;
use super::scribe;
use super::shape::Shape;
use super::slot::{Codes, Data, Slot};
use crate::mpi::error::{Class, Result};
use crate::mpi::lane::Lane;
use crate::mpi::process::Process;
use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::result::Result as Outcome;
use std::sync::Arc;

/// How many unreadable files a message names.
const NAMED: usize = 3;

/// The first trouble of any member, and where it was.
enum Troubles {}

impl Topic for Troubles {
    type Part = Option<String>;
    type Outcome = Option<(usize, String)>;
}

/// Where a rank writes, and how often.
pub(super) struct Disk {
    pub(super) directory: PathBuf,
    pub(super) every: u64,
    /// The generations that this rank knows of, by turns; `None` if it has not looked yet.
    pub(super) written: Option<[Option<Written>; TURNS]>,
    /// Why files of its own cannot be read, by turns.
    pub(super) damage: [Option<String>; TURNS],
}

impl Disk {
    /// What there is of `place`, one of `size`. If its own file is lost, files of places beyond
    /// `size` may tell of the generation: as many of them are read as the scheme tolerates losses.
    pub(super) fn look(
        &mut self, place: usize, size: usize, scheme: &Scheme,
    ) -> [Option<Written>; TURNS] {
        if let Some(written) = self.written {
            return written;
        }
        let mut damage = [const { None }; TURNS];
        let look = |place: usize, turn: usize| {
            files::look(&files::path(&self.directory, place, turn), place)
        };
        let written = [0, 1].map(|turn| {
            let own = look(place, turn).unwrap_or_else(|why| {
                damage[turn] = Some(why);
                None
            });
            let has_file = own.is_some();
            let others = (1..=scheme.spares).map(|step| place + step * size);
            let mut others = others.filter_map(|other| look(other, turn).ok().flatten());
            let head = own.or_else(|| others.next())?;
            let (generation, place) = (head.generation, place as u32);
            let is_member = place < generation.members;
            is_member.then_some(Written { generation, place, has_file, is_whole: false })
        });
        self.damage = damage;
        *self.written.insert(written)
    }

    /// Forgets a generation, which need not be preserved any more.
    pub(super) fn forget(&mut self, generation: &Generation) {
        for written in self.written.iter_mut().flatten() {
            *written = written.filter(|written| written.generation != *generation);
        }
    }
}

/// A random number that no other job draws.
pub(super) fn stamp() -> u64 {
    RandomState::new().hash_one(std::process::id())
}

/// A generation on disk, according to all accounts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kept {
    pub(super) generation: Generation,
    pub(super) turn: usize,
    /// How many of the present members have their files of it.
    pub(super) files: usize,
    is_whole: bool,
}

/// All generations on disk, newest first; of two with one serial number, the one with more files
/// first.
pub(super) fn generations(accounts: &[Account]) -> Vec<Kept> {
    let mut found: BTreeMap<(u64, u64), Kept> = BTreeMap::new();
    let turns = accounts.iter().flat_map(|account| account.written.iter().enumerate());
    for (turn, written) in turns.filter_map(|(turn, written)| Some((turn, (*written)?))) {
        let Written { generation, has_file, is_whole, .. } = written;
        let key = (generation.serial, generation.stamp);
        let kept = Kept { generation, turn, files: 0, is_whole: false };
        let kept = found.entry(key).or_insert(kept);
        kept.files += usize::from(has_file);
        kept.is_whole |= is_whole;
    }
    let mut all: Vec<Kept> = found.into_values().collect();
    all.sort_by_key(|one| std::cmp::Reverse((one.generation.serial, one.files)));
    all
}

/// The turn in which to write the checkpoint `serial`, if it is due. The newest complete generation
/// is not overwritten: one that a member knows to be complete, or of which all members that can
/// have files have them. If no generation is complete, the one with the most files is kept, since
/// it may be repairable.
pub(super) fn turn(accounts: &[Account], serial: u64) -> Option<usize> {
    let every = accounts[0].every;
    if every == 0 {
        return None;
    }
    let all = generations(accounts);
    let could = |one: &Kept| accounts.len().min(one.generation.members as usize);
    let is_whole = |one: &&Kept| one.is_whole || one.files == could(one);
    if let Some(last) = all.iter().find(is_whole) {
        return (serial >= last.generation.serial + every).then_some(1 - last.turn);
    }
    let most = all.iter().rev().max_by_key(|one| one.files);
    Some(most.map_or(0, |one| 1 - one.turn))
}

/// What a place keeps, as it is written into its file.
pub(super) struct Part {
    path: PathBuf,
    head: Head,
    data: Arc<Data>,
    codes: Arc<Codes>,
}

impl Part {
    pub(super) fn of(path: PathBuf, head: Head, slot: &Slot) -> Part {
        Part { path, head, data: slot.data.clone(), codes: slot.codes.clone() }
    }

    /// Writes the file; returns the reason if it cannot.
    pub(super) async fn write(
        self, process: &'static Process, lane: &Lane<'_>,
    ) -> Result<Outcome<(), String>> {
        let fresh = files::fresh(&self.path);
        let work = move || files::write(&self.path, &self.head, &self.data, &self.codes);
        scribe::write(process, lane, &fresh, work).await
    }
}

/// Writes this rank's file from its slot. All members learn whether all files were written.
pub(super) async fn write(
    process: &'static Process, lane: &Lane<'_>, path: PathBuf, stamp: u64, slot: &Slot,
    scheme: &Scheme, shape: &Shape,
) -> Result<Written> {
    let entry = slot.entry.expect("who writes has a checkpoint");
    let Entry { serial, version, members, place, .. } = entry;
    let generation = Generation { serial, stamp, version, members };
    let head = Head::of(generation, scheme, shape, place as usize);
    let mine = Part::of(path, head, slot).write(process, lane).await?;
    if let Some((at, why)) = &*share_trouble(lane, mine.err()).await? {
        let rank = slot.heads.ranks[*at];
        return Err(Class::IO.because(format!(
            "checkpoint {version} is in memory only, since rank {rank} cannot write its file: {why}"
        )));
    }
    Ok(Written { generation, place, has_file: true, is_whole: true })
}

/// The first trouble of any member, and where it was.
pub(super) async fn share_trouble(
    lane: &Lane<'_>, mine: Option<String>,
) -> Result<Arc<Option<(usize, String)>>> {
    let first = |all: Vec<&Option<String>>| {
        all.into_iter().enumerate().find_map(|(at, words)| Some((at, words.clone()?)))
    };
    hear::<Troubles>(lane, mine, first).await
}

/// For each place, the rank that has or gets what was written for it.
pub(super) fn readers(accounts: &[Account], generation: &Generation) -> Vec<Seat> {
    let members = generation.members as usize;
    let told = |account: &Account| account.writing(generation).map(|one| one.place as usize);
    let places: Vec<Option<usize>> = match are_counted_as_written(accounts) {
        // Ranks that have lost their files, and so know nothing of the generation, take part, too.
        true => (0..accounts.len()).map(|rank| (rank < members).then_some(rank)).collect(),
        false => accounts.iter().map(told).collect(),
    };
    let mut holders = vec![None; members];
    for (rank, place) in places.iter().enumerate() {
        if let Some(holder) = place.and_then(|place| holders.get_mut(place)) {
            holder.get_or_insert(rank);
        }
    }
    seats(&places, &holders)
}

/// Whether all members have the ranks that they had when data were kept, as in a job that has just
/// started.
fn are_counted_as_written(accounts: &[Account]) -> bool {
    accounts.iter().enumerate().all(|(rank, account)| {
        let entries = account.entries.iter().flatten().map(|entry| entry.place);
        let mut places = entries.chain(account.written.iter().flatten().map(|one| one.place));
        places.all(|place| place as usize == rank)
    })
}

/// Why a generation does not suit the present members, whatever its files contain.
pub(super) enum Unfit {
    /// More members than places: an error, since some would get nothing.
    Fewer(String),
    /// Another reason; the generation is skipped.
    Other(String),
}

/// Whether the present members can restore a generation at all.
pub(super) fn must_fit(
    kept: &Kept, seats: &[Seat], here: usize, scheme: &Scheme,
) -> Outcome<(), Unfit> {
    let Generation { version, members, .. } = kept.generation;
    if here > members as usize {
        let words = format!(
            "checkpoint {version} was written by {members} ranks, and cannot be restored by \
             {here}: start the job with {members} or fewer, or with another directory"
        );
        // A leftover file of another job is no reason to refuse this one's checkpoint.
        let is_there = kept.files + scheme.spares >= members as usize;
        return Err(if is_there { Unfit::Fewer(words) } else { Unfit::Other(words) });
    }
    let mut sits = vec![false; here];
    seats.iter().for_each(|seat| sits[seat.rank()] = true);
    match sits.iter().position(|sits| !sits) {
        None => Ok(()),
        Some(_) => Err(Unfit::Other(format!("not all ranks have a part in checkpoint {version}"))),
    }
}

/// What the file of a place contains.
pub(super) struct Found {
    pub(super) place: usize,
    pub(super) head: Option<Head>,
    pub(super) data: Option<Data>,
    pub(super) codes: Option<Codes>,
    pub(super) trouble: Option<String>,
}

/// Reads the file of a place.
pub(super) fn read(directory: &Path, kept: &Kept, place: usize) -> Found {
    let path = files::path(directory, place, kept.turn);
    let nothing = Found { place, head: None, data: None, codes: None, trouble: None };
    match files::look(&path, place) {
        Ok(Some(head)) if head.generation == kept.generation => {}
        Ok(Some(head)) => return nothing.because(other(&path, &head)),
        Ok(None) => return nothing.because(format!("{} is missing", files::name(&path))),
        Err(why) => return nothing.because(why),
    }
    match files::read(&path, place) {
        // A slow disk may have replaced the file in the meantime.
        Ok(Contents { head, .. }) if head.generation != kept.generation => {
            nothing.because(other(&path, &head))
        }
        Ok(Contents { head, data, codes }) => {
            let trouble = data.as_ref().err().or(codes.as_ref().err()).cloned();
            Found { place, head: Some(head), data: data.ok(), codes: codes.ok(), trouble }
        }
        Err(why) => nothing.because(why),
    }
}

impl Found {
    fn because(self, why: String) -> Found {
        Found { trouble: Some(why), ..self }
    }
}

fn other(path: &Path, head: &Head) -> String {
    let (path, version) = (files::name(path), head.generation.version);
    format!("{path} belongs to another generation or job (its checkpoint is {version})")
}

/// The troubles with files in one sentence, which does not name all files.
pub(super) fn told<'a>(troubles: impl Iterator<Item = &'a String>) -> String {
    let mut all: Vec<&str> = troubles.map(String::as_str).collect();
    let rest = all.len().saturating_sub(NAMED);
    all.truncate(NAMED);
    let more = if rest > 0 { format!("; and {rest} more") } else { String::new() };
    all.join("; ") + &more
}
