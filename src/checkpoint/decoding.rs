//! Decoding: computes lost data from what the other members have, and tells how accurate they are.

use super::code::{Maker, Part};
use super::extent::{DOUBLES, EXACT};
use super::layout::{Repair, share};
use super::ledger::Seat;
use super::restored::{Common, maker};
use super::room::{Room, Worst};
use super::slot::Slot;
use super::stripes::{Bytes, Chunks, Crew, Offer, Offers, Work, pieces};
use crate::mpi::error::Result;
use crate::mpi::process::Process;
use parking_lot::Mutex;
use std::iter;
use std::ops::Range;
use std::result::Result as Outcome;
use std::sync::Arc;

/// The length of pieces. The parts are looked up anew for each piece.
const PIECE: usize = 1 << 20;
/// Data that have lost this many decimal digits are gone: a double has no more.
pub(super) const ALL_DIGITS: i32 = 16;

/// Restores all lost data: in this rank's own slot, and in the slots of places that no rank has any
/// more (`others`, which gets a slot for each of these places that this rank takes care of).
/// Returns the largest loss of accuracy among the data restored here.
pub(super) async fn decode(
    crew: &Crew<'_>, common: &Common, own: &mut Slot, others: &mut Vec<Slot>,
) -> Result<Worst> {
    let me = crew.comm.rank as usize;
    let seats = common.choice.seats.iter().enumerate();
    for (place, _) in seats.filter(|(_, seat)| **seat == Seat::Guardian(me)) {
        if others.iter().all(|other| other.place() != Some(place)) {
            others.push(Slot { entry: Some(common.choice.entry(place)), ..Slot::default() });
        }
    }
    let mut rooms = Vec::new();
    for slot in iter::once(&mut *own).chain(&mut *others) {
        let Some(place) = slot.lost_place() else { continue };
        // Reuses the buffers of the slot.
        let mut room = Slot { data: std::mem::take(&mut slot.data), ..Slot::default() };
        room.make_room(&common.shape, place);
        let (extent, data) = (common.shape.heads.extents[place], room.data);
        rooms.push(Arc::new(Room { place, extent, data, sizes: Mutex::default() }));
    }
    let slots = iter::once(&*own).chain(&*others);
    let offer = Arc::new(Offer { rooms: rooms.clone(), ..Offer::of(slots) });
    // The exact data come first: their directory tells where doubles are, and how large they are.
    let kinds = [EXACT, DOUBLES];
    let part = |offers: &Offers<'_>, kind: usize| decode_kind(crew.process, common, offers, kind);
    crew.work(offer, kinds, common.shape.has_doubles, part).await?;
    let lost = iter::once(own).chain(others).filter(|slot| slot.lost_place().is_some());
    let mut worst = Worst::default();
    for (slot, room) in lost.zip(rooms) {
        let judged = room.judge();
        if judged.digits > worst.digits {
            worst = judged;
        }
        slot.data = room.data.clone();
    }
    Ok(worst)
}

impl Slot {
    /// Its place, if the data of the place are lost.
    fn lost_place(&self) -> Option<usize> {
        self.entry.filter(|entry| !entry.has_data).map(|entry| entry.place as usize)
    }
}

/// Computes this member's part of all lost data.
fn decode_kind(
    process: &Process, common: &Common, offers: &Offers<'_>, kind: usize,
) -> Result<Work> {
    // In several processes, each member restores what it gets.
    let part = if offers.are_apart() { Some((0, 1)) } else { offers.part() };
    let Some((part, parts)) = part else { return Ok(Work::Done) };
    for repair in &common.choice.repairs {
        let unit = common.shape.unit(kind, repair.stripe);
        let range = share(unit, part, parts);
        for lost in repair.lost.iter().filter(|_| !range.is_empty()) {
            let mut wanted = Wanted::of(common, kind, repair, *lost);
            if offers.are_apart() && wanted.rank != offers.me {
                continue;
            }
            process.engine.step()?;
            let from = wanted.parts.iter().map(|source| source.rank as i32);
            offers.gather(process, from, range.len())?;
            let made = wanted.make(offers, Chunks { kind, unit }, repair.stripe, range.clone());
            if let Err(lost) = made {
                return Ok(lost);
            }
            offers.spread(process, iter::once(wanted.rank as i32), range.len())?;
        }
    }
    Ok(Work::Done)
}

impl Source {
    fn read<'a>(
        &self, offers: &'a Offers<'_>, Chunks { kind, unit }: Chunks, stripe: usize,
        piece: Range<usize>,
    ) -> Outcome<Bytes<'a>, Work> {
        let (at, start) = ((self.rank, self.place), self.chunk * unit);
        match self.part {
            Part::Data(_) => offers.data(at, kind, start + piece.start..start + piece.end),
            Part::Code(_) => offers.code(at, kind, stripe, piece),
        }
    }
}

/// A lost chunk: which rank gets it, and its parts.
struct Wanted {
    place: usize,
    rank: usize,
    chunk: usize,
    maker: Maker,
    parts: Vec<Source>,
}

/// A place's part of a stripe: a chunk of data, or a code.
struct Source {
    part: Part,
    place: usize,
    /// The rank that has it.
    rank: usize,
    /// The number of the chunk among that member's chunks; unused for codes.
    chunk: usize,
}

impl Wanted {
    /// Computes a range of the chunk, in the memory of the rank that gets it.
    fn make(
        &mut self, offers: &Offers<'_>, Chunks { kind, unit }: Chunks, stripe: usize,
        range: Range<usize>,
    ) -> Outcome<(), Work> {
        let rooms = &offers.of(self.rank).rooms;
        let room = rooms.iter().find(|room| room.place == self.place);
        let room = room.expect("there is room for all that comes back");
        let start = self.chunk * unit;
        if kind == DOUBLES {
            self.maker.measure(&room.ends(start + range.start, range.len()));
        }
        for piece in pieces(range, PIECE) {
            let mut made = room.data[kind].write(start + piece.start..start + piece.end);
            for (number, source) in self.parts.iter().enumerate() {
                let bytes = source.read(offers, Chunks { kind, unit }, stripe, piece.clone())?;
                self.maker.add(source.part, &bytes, &mut made, number == 0);
            }
            self.maker.end();
        }
        room.note(self.maker.largest());
        Ok(())
    }

    fn of(common: &Common, kind: usize, repair: &Repair, lost: usize) -> Wanted {
        let stripe = &common.shape.layout.stripes[repair.stripe];
        let rank = |place: usize| common.choice.seats[place].rank();
        let (place, chunk) = stripe.data[lost];
        let made = maker(&common.scheme, &common.shape, kind, repair, lost);
        let (maker, codes) = made.expect("it was found out before that it can be made");
        let there = stripe.data.iter().enumerate().filter(|(at, _)| !repair.lost.contains(at));
        let data = there.map(|(at, (place, chunk))| Source {
            part: Part::Data(at),
            place: *place,
            rank: rank(*place),
            chunk: *chunk,
        });
        let codes = codes.into_iter().map(|at| Source {
            part: Part::Code(at),
            place: stripe.keepers[at],
            rank: rank(stripe.keepers[at]),
            chunk: 0,
        });
        let parts = data.chain(codes).collect();
        Wanted { place, rank: rank(place), chunk, maker, parts }
    }
}
