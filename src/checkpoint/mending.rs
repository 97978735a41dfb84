//! Restores from files. A file that is missing, damaged, or of another generation is treated like a
//! dead rank: its data are rebuilt from the codes in the other files, and then it is written anew.
//!
//! A restoration has two steps. First the checkpoint is completed as it was written: with the
//! scheme and the layout of the ranks that wrote it, whichever rank reads the file of a place now.
//! Then it becomes the checkpoint in memory, with the scheme and the layout of the present ranks.

use super::census::{Candidate, rank_in};
use super::decoding::decode;
use super::disk::{self, Found, Kept, Part, Unfit, share_trouble};
use super::extent::{DOUBLES, EXACT, Heads};
use super::files;
use super::head::{Head, Note, codes};
use super::laid::Laid;
use super::ledger::{self, Choice, Entry, Generation, Seat, Written};
use super::restored::Common;
use super::restoring::{Call, settle};
use super::rounds::{Topic, hear};
use super::shape::{Shape, nodes};
use super::slot::Slot;
use super::stripes::Codes;
use super::taking::{encode, say};
use crate::base::sync::sheet::Sheet;
use crate::mpi::error::{Class, Failure, Result};
use crate::mpi::error_codes::DATA_LOST;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::result::Result as Outcome;
use std::sync::Arc;

/// What all members know of a generation from its files.
enum Readings {}

impl Topic for Readings {
    type Part = Vec<Told>;
    type Outcome = Reading;
}

/// What a rank reports about a file.
#[derive(Serialize, Deserialize)]
struct Told {
    place: usize,
    head: Option<Head>,
    has_data: bool,
    has_codes: bool,
    trouble: Option<String>,
}

/// What follows from all reports.
enum Reading {
    Good(Box<OnDisk>),
    /// More is lost than can be rebuilt.
    Lost(String),
    /// The present members cannot protect it with their scheme.
    Unprotected(String),
}

/// A generation that can be restored.
struct OnDisk {
    /// As it was written.
    then: Common,
    /// As it is kept in memory from now on: without codes, unless those of `then` fit.
    now: Common,
    /// The trouble with each file, by places.
    troubles: Vec<Option<String>>,
}

impl Call<'_> {
    /// Restores a generation if it is complete or can be rebuilt; otherwise returns why not.
    /// `spared` is the serial number of the checkpoint in memory that may still be needed;
    /// `troubles` tells why no newer checkpoint is restored.
    pub(super) async fn restore_disk(
        &self, candidate: &Candidate, spared: u64, troubles: &[String],
    ) -> Result<Outcome<Option<i64>, Unfit>> {
        let Candidate { kept, seats } = candidate;
        if let Err(why) = disk::must_fit(kept, seats, self.accounts.len(), &self.keep.scheme) {
            return Ok(Err(why));
        }
        let found = self.read(kept, seats);
        let told = found.iter().map(Found::told).collect();
        let lane = self.lane().into_turn();
        let reading = hear::<Readings>(&lane, told, |all| self.reading(kept, seats, all)).await?;
        let on_disk = match &*reading {
            Reading::Good(on_disk) => on_disk,
            Reading::Lost(why) => return Ok(Err(self.give_up(kept, why.clone()))),
            Reading::Unprotected(why) => return Err(Class::ARG.because(why.clone())),
        };
        self.must_match(&on_disk.then)?;
        let (mut own, mut others) = self.seat(&on_disk.then, found);
        let (mut digits, mut mended) = (0, String::new());
        if on_disk.troubles.iter().any(Option::is_some) {
            match self.mend(kept, on_disk, &mut own, &mut others).await? {
                Ok((lost, words)) => (digits, mended) = (lost, words),
                Err(why) => return Ok(Err(self.give_up(kept, why))),
            }
        }
        let orphans = others.into_iter().filter_map(|other| on_disk.then.orphan(other)).collect();
        self.make_present(&on_disk.now, &mut own).await?;
        let at = self.keep_restored(kept, own, spared);
        if let Some(directory) = self.directory().filter(|_| self.me() == 0) {
            let (version, directory) = (kept.generation.version, directory.display());
            let because: String = troubles.iter().map(|why| format!("; {why}")).collect();
            say(&format!("checkpoint {version} is restored from {directory}{mended}{because}"));
        }
        self.take_over(at, &on_disk.now, orphans, digits).map(Ok)
    }

    pub(super) fn directory(&self) -> Option<PathBuf> {
        self.keep.memory.lock().disk.as_ref().map(|disk| disk.directory.clone())
    }

    /// Reads the files of the places that this rank gets.
    fn read(&self, kept: &Kept, seats: &[Seat]) -> Vec<Found> {
        let Some(directory) = self.directory() else { return Vec::new() };
        let mine = seats.iter().enumerate().filter(|(_, seat)| seat.rank() == self.me());
        mine.map(|(place, _)| disk::read(&directory, kept, place)).collect()
    }

    /// What follows from all reports about the files.
    fn reading(&self, kept: &Kept, seats: &[Seat], all: Vec<&Vec<Told>>) -> Reading {
        let mut told: Vec<&Told> = all.into_iter().flatten().collect();
        told.sort_unstable_by_key(|told| told.place);
        let mut troubles: Vec<Option<String>> =
            told.iter().map(|told| told.trouble.clone()).collect();
        let Some(then) = self.as_written(kept, seats, &told) else {
            let (version, words) = (kept.generation.version, disk::told(troubles.iter().flatten()));
            return Reading::Lost(format!(
                "checkpoint {version} has lost more files than can be rebuilt: {words}"
            ));
        };
        let without_codes = &then.choice.without_codes;
        for Told { place, .. } in told.iter().filter(|told| without_codes[told.place]) {
            // The codes are undamaged, but the layout asks for others.
            let strange = || format!("the codes in the file of place {place} do not match");
            troubles[*place].get_or_insert_with(strange);
        }
        match self.as_it_is_kept(&then) {
            Ok(now) => Reading::Good(Box::new(OnDisk { then, now, troubles })),
            Err(why) => Reading::Unprotected(why),
        }
    }

    /// The checkpoint as it was written, with the necessary repairs; `None` if it cannot be
    /// repaired.
    fn as_written(&self, kept: &Kept, seats: &[Seat], told: &[&Told]) -> Option<Common> {
        let members = seats.len();
        if told.len() != members {
            return None;
        }
        let heads = || told.iter().filter_map(|told| told.head.as_ref());
        let Head { scheme, has_nodes, .. } = heads().next()?;
        let mut notes: Vec<Option<Note>> = vec![None; members];
        for note in heads().flat_map(|head| &head.notes) {
            notes[note.place] = Some(*note);
        }
        let notes = notes.into_iter().collect::<Option<Vec<Note>>>()?;
        let nodes: Vec<u32> = notes.iter().filter(|_| *has_nodes).map(|note| note.node).collect();
        let layout = Laid::of(scheme, members, &nodes).ok()?;
        let extents = notes.iter().map(|note| note.extent).collect();
        let ranks = notes.iter().map(|note| note.rank).collect();
        let shape = Shape::new(layout, Arc::new(Heads { extents, ranks, nodes }));
        let has_codes = |told: &&Told| {
            let head = told.head.as_ref().filter(|_| told.has_codes);
            head.is_some_and(|head| head.codes == codes(&shape, told.place))
        };
        let is_lost: Vec<bool> = told.iter().map(|told| !told.has_data).collect();
        let without_codes: Vec<bool> = told.iter().map(|told| !has_codes(told)).collect();
        let repairs = shape.layout.plan(&is_lost, &without_codes).ok()?;
        let seat = |(seat, is_lost): (&Seat, &bool)| match *seat {
            Seat::Guardian(rank) => Seat::Guardian(rank),
            seat if *is_lost => Seat::Heir(seat.rank()),
            seat => Seat::Holder(seat.rank()),
        };
        let Generation { serial, version, .. } = kept.generation;
        let seats = seats.iter().zip(&is_lost).map(seat).collect();
        let choice = Choice { serial, version, seats, without_codes, repairs };
        let then = Common::of(scheme.clone(), shape, choice, self.accounts, self.group());
        then.unsolved.is_empty().then_some(then)
    }

    /// The completed checkpoint as the ranks of this job keep it, or why they cannot.
    fn as_it_is_kept(&self, then: &Common) -> Outcome<Common, String> {
        let scheme = &self.keep.scheme;
        let Choice { seats, .. } = &then.choice;
        let members = seats.len();
        // The ranks may be on other nodes than those that wrote it. If some are missing, no rank
        // has codes.
        let is_whole = !seats.iter().any(|seat| matches!(seat, Seat::Guardian(_)));
        let here = seats.iter().map(|seat| &self.accounts[seat.rank()]);
        let nodes = if is_whole { nodes(here) } else { Vec::new() };
        let has_codes = is_whole && *scheme == then.scheme && nodes == then.shape.heads.nodes;
        let layout = Laid::of(scheme, members, &nodes)?;
        let Heads { extents, ranks, .. } = &*then.shape.heads;
        let heads = Heads { extents: extents.clone(), ranks: ranks.clone(), nodes };
        let shape = Shape::new(layout, Arc::new(heads));
        let holds = |seat: &Seat| match *seat {
            Seat::Heir(rank) => Seat::Holder(rank),
            other => other,
        };
        let choice = Choice {
            seats: seats.iter().map(holds).collect(),
            without_codes: vec![!has_codes; members],
            repairs: Vec::new(),
            ..then.choice
        };
        Ok(Common::of(scheme.clone(), shape, choice, self.accounts, self.group()))
    }

    /// Puts the contents of files into slots: of this rank's own place, and of others in its care.
    fn seat(&self, then: &Common, found: Vec<Found>) -> (Slot, Vec<Slot>) {
        let (mut own, mut others) = (Slot::default(), Vec::new());
        for Found { place, data, codes, .. } in found {
            let has_codes = !then.choice.without_codes[place];
            let entry = Entry { has_data: data.is_some(), has_codes, ..then.choice.entry(place) };
            let mut slot = Slot { entry: Some(entry), ..Slot::default() };
            if let Some(data) = data {
                slot.data = Arc::new(data);
                slot.make_room(&then.shape, place);
            }
            match codes.filter(|_| has_codes) {
                Some(codes) => slot.codes = Arc::new(codes),
                None => slot.make_room_for_codes(&then.shape, place),
            }
            match then.choice.seats[place] {
                Seat::Guardian(_) => others.push(slot),
                _ => own = slot,
            }
        }
        (own, others)
    }

    /// Completes the checkpoint as it was written, and writes lost files anew. Returns the number
    /// of digits lost and a message, or the reason why it cannot.
    async fn mend(
        &self, kept: &Kept, on_disk: &OnDisk, own: &mut Slot, others: &mut Vec<Slot>,
    ) -> Result<Outcome<(i32, String), String>> {
        let OnDisk { then, troubles, .. } = on_disk;
        let worst = decode(&self.crew(), then, own, others).await?;
        let digits = match settle(&self.lane().into_turn(), then, worst).await {
            Err(failure) => return refusal(failure).map(Err),
            Ok(digits) => digits,
        };
        let slots = || std::iter::once(&*own).chain(&*others);
        let codes = Codes {
            scheme: &then.scheme,
            shape: &then.shape,
            ranks: &then.ranks,
            is_wanted: &then.choice.without_codes,
            places: slots().filter_map(Slot::place).collect(),
        };
        if !encode(&self.crew(), &codes, slots(), None).await? {
            return Ok(Err("sums of doubles overflow while the lost data is rebuilt".to_string()));
        }
        // All members count the same operations, whether they write a file or not.
        let lane = self.lane();
        let mut trouble = None;
        for slot in slots() {
            let place = slot.place().filter(|place| troubles[*place].is_some());
            let Some(part) = place.map(|place| self.part(kept, then, slot, place)) else {
                continue;
            };
            let written = part.write(self.process, &lane).await?;
            trouble = trouble.or(written.err());
        }
        let words = disk::told(troubles.iter().flatten());
        let end = match &*share_trouble(&self.lane().into_turn(), trouble).await? {
            None => "the lost data is rebuilt from the other files, and written again".to_string(),
            Some((at, why)) => format!(
                "the lost data is rebuilt from the other files, but rank {} cannot write it: {why}",
                rank_in(self.comm, *at)
            ),
        };
        for slot in std::iter::once(own).chain(others) {
            slot.entry = slot.entry.map(|entry| Entry { has_data: true, has_codes: true, ..entry });
        }
        Ok(Ok((digits, format!("; {words}: {end}"))))
    }

    /// What is written into the file of a place.
    fn part(&self, kept: &Kept, then: &Common, slot: &Slot, place: usize) -> Part {
        let directory = self.directory().expect("it was read from there");
        let path = files::path(&directory, place, kept.turn);
        let head = Head::of(kept.generation, &then.scheme, &then.shape, place);
        Part::of(path, head, slot)
    }

    /// Turns the completed checkpoint into one of the present members.
    async fn make_present(&self, now: &Common, own: &mut Slot) -> Result {
        now.name(own);
        if let Some(place) = own.place() {
            let has_codes = !now.choice.without_codes[place];
            let has_nodes = !now.shape.heads.nodes.is_empty();
            own.entry = own.entry.map(|entry| Entry { has_codes, has_nodes, ..entry });
            if !has_codes {
                // Other ranks may still use what they were shown; and the chunks have other
                // lengths.
                let used = now.shape.heads.extents[place].bytes;
                let copy = |kind: usize| own.data[kind].read(0..used[kind] as usize).to_vec();
                own.data = Arc::new([EXACT, DOUBLES].map(|kind| Sheet::from(copy(kind))));
                own.make_room(&now.shape, place);
                own.codes = Arc::default();
            }
        }
        self.complete(now, own).await
    }

    /// Puts the restored checkpoint into the slot that is needed less; returns which.
    fn keep_restored(&self, kept: &Kept, own: Slot, spared: u64) -> usize {
        let mine = &self.accounts[self.me()];
        // An older copy of this checkpoint in memory is of no use.
        let is_it =
            |entry: &Option<Entry>| entry.is_some_and(|one| one.serial == kept.generation.serial);
        let same = mine.entries.iter().position(is_it);
        let at = same.unwrap_or_else(|| ledger::vacant(Some(spared), mine));
        let place = own.entry.map(|entry| entry.place);
        let mut memory = self.keep.memory.lock();
        memory.slots[at] = own;
        let written = memory.disk.as_mut().and_then(|disk| disk.written.as_mut());
        if let Some((written, place)) = written.zip(place) {
            let generation = kept.generation;
            let whole = Written { generation, place, has_file: true, is_whole: true };
            written[kept.turn] = Some(whole);
        }
        at
    }

    /// Forgets a generation that cannot be restored, so that the next ones may overwrite it.
    fn give_up(&self, kept: &Kept, why: String) -> Unfit {
        if let Some(disk) = self.keep.memory.lock().disk.as_mut() {
            disk.forget(&kept.generation);
        }
        Unfit::Other(why)
    }
}

impl Found {
    fn told(&self) -> Told {
        Told {
            place: self.place,
            head: self.head.clone(),
            has_data: self.data.is_some(),
            has_codes: self.codes.is_some(),
            trouble: self.trouble.clone(),
        }
    }
}

/// The reason, if the failure says that data are lost.
fn refusal(failure: Failure) -> Result<String> {
    match failure.error() {
        Some(error) if error.class == DATA_LOST => Ok(error.detail.clone().into_owned()),
        _ => Err(failure),
    }
}
