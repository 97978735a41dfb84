//! The second level: every so often, all write what they keep into files. A generation is whole
//! once all have written theirs; two are kept in turn, so that one is always there.
//!
//! As with what is in memory, all tell what they know (it is part of their accounts), and judge
//! alike.

use super::files::{self, Head, TURNS};
use super::ledger::{Account, Seat, Written, seats};
use super::memory::{KINDS, Slot};
use super::rounds::Rounds;
use super::scribe;
use crate::mpi::error::{Class, Result};
use crate::mpi::lane::Lane;
use crate::mpi::process::Process;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The first of what went wrong anywhere, and where.
static TROUBLES: Rounds<Option<String>, Option<(usize, String)>> = Rounds::new();

/// Where a rank writes, and how often.
pub(super) struct Disk {
    pub(super) directory: PathBuf,
    pub(super) every: u64,
    /// The generations that this rank has a file of, by turns; `None`: it has not looked yet.
    pub(super) written: Option<[Option<Written>; TURNS]>,
    /// What was wrong with those that cannot be read.
    pub(super) damage: Option<String>,
}

impl Disk {
    /// What there is of `place`.
    pub(super) fn look(&mut self, place: usize) -> [Option<Written>; TURNS] {
        if let Some(written) = self.written {
            return written;
        }
        let found = [0, 1].map(|turn| files::look(&files::path(&self.directory, place, turn)));
        self.damage = found.iter().find_map(|found| found.as_ref().err().cloned());
        *self.written.insert(found.map(|found| found.ok().flatten().map(Head::written)))
    }
}

impl Head {
    fn written(self) -> Written {
        let Head { serial, version, members, place, .. } = self;
        Written { serial, version, members, place, is_whole: false }
    }
}

/// All of what is on disk, the newest first.
pub(super) fn generations(accounts: &[Account]) -> Vec<Written> {
    let all = accounts.iter().flat_map(|account| account.written.iter().flatten());
    let mut all: Vec<Written> = all.copied().collect();
    all.sort_by_key(|one| (std::cmp::Reverse(one.serial), !one.is_whole));
    all.dedup_by_key(|one| one.serial);
    all
}

/// In which turn the checkpoint `serial` is to be written, if it is to be: not in that of the
/// newest generation that is whole. That is one of which somebody knows it, or which all have who
/// could.
pub(super) fn turn(accounts: &[Account], serial: u64) -> Option<usize> {
    let every = accounts[0].every;
    if every == 0 {
        return None;
    }
    let is_whole = |one: &Written| {
        let has = |account: &&Account| account.writing(one.serial).is_some();
        one.is_whole
            || accounts.iter().filter(has).count() == accounts.len().min(one.members as usize)
    };
    let Some(last) = generations(accounts).into_iter().find(is_whole) else { return Some(0) };
    let of = |account: &Account| account.written.iter().position(|one| *one == Some(last));
    let of = accounts.iter().find_map(of).expect("somebody has told of it");
    (serial >= last.serial + every).then_some(1 - of)
}

/// Writes this rank's file; all learn whether all have theirs.
pub(super) async fn write(
    process: &'static Process, lane: &Lane<'_>, path: PathBuf, slot: &Slot,
) -> Result<Written> {
    let entry = slot.entry.expect("who writes has a checkpoint");
    let place = entry.place as usize;
    let head = Head {
        serial: entry.serial,
        version: entry.version,
        members: entry.members,
        place: entry.place,
        rank: slot.heads.ranks[place],
        extent: slot.heads.extents[place],
    };
    let (data, file) = (slot.data.clone(), path.clone());
    let work = move || files::write(&file, &head, &data);
    let mine = scribe::write(process, lane, &files::fresh(&path), work).await?;
    if let Some((at, why)) = &*share_trouble(lane, mine.err()).await? {
        let (version, rank) = (entry.version, slot.heads.ranks[*at]);
        return Err(Class::IO.because(format!(
            "checkpoint {version} is in memory only, since rank {rank} cannot write its file: {why}"
        )));
    }
    Ok(Written { is_whole: true, ..head.written() })
}

/// The first of what went wrong anywhere, and where.
pub(super) async fn share_trouble(
    lane: &Lane<'_>, mine: Option<String>,
) -> Result<Arc<Option<(usize, String)>>> {
    let first = |all: Vec<&Option<String>>| {
        all.into_iter().enumerate().find_map(|(at, words)| Some((at, words.clone()?)))
    };
    TROUBLES.hear(lane, mine, first).await
}

/// Who has, or gets, what was written for each place.
pub(super) fn readers(accounts: &[Account], generation: &Written) -> Vec<Seat> {
    let place = |account: &Account| {
        account.writing(generation.serial).map(|written| written.place as usize)
    };
    let places: Vec<Option<usize>> = accounts.iter().map(place).collect();
    let mut holders = vec![None; generation.members as usize];
    for (rank, place) in places.iter().enumerate() {
        if let Some(holder) = place.and_then(|place| holders.get_mut(place)) {
            holder.get_or_insert(rank);
        }
    }
    seats(&places, &holders)
}

/// Fails where more ranks are here than wrote a checkpoint, at all alike: some would have nothing,
/// and others what they had.
pub(super) fn must_have_written(
    generation: &Written, here: usize,
) -> std::result::Result<(), String> {
    let Written { version, members, .. } = *generation;
    match here <= members as usize {
        true => Ok(()),
        false => Err(format!(
            "checkpoint {version} was written by {members} ranks, and cannot be restored by \
             {here}: start the job with {members} or fewer, or with another directory"
        )),
    }
}

/// What was written for a place.
pub(super) type Piece = (usize, Head, [Vec<u8>; KINDS]);

/// Reads it; what is wrong otherwise.
pub(super) fn read(
    directory: &Path, generation: &Written, place: usize,
) -> std::result::Result<Piece, String> {
    let mut troubles = Vec::new();
    for turn in 0..TURNS {
        let path = files::path(directory, place, turn);
        match files::look(&path) {
            Ok(Some(head)) if head.serial == generation.serial => {
                let is_it = head.written().place as usize == place
                    && head.members == generation.members
                    && head.version == generation.version;
                // A slow disk may have put another one in its place meanwhile.
                return match files::read(&path) {
                    Ok((read, data)) if is_it && read == head => Ok((place, head, data)),
                    Ok(_) => Err(format!("{} is of another checkpoint", path.display())),
                    Err(why) => Err(why),
                };
            }
            Ok(Some(_)) => {}
            Ok(None) => troubles.push(format!("{} is missing", path.display())),
            Err(why) => troubles.push(why),
        }
    }
    let (version, directory) = (generation.version, directory.display());
    troubles
        .insert(0, format!("no file of rank {place} in {directory} is of checkpoint {version}"));
    Err(troubles.join("; "))
}
