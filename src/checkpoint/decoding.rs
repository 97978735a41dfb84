//! Makes the data of those who lack them out of what the others have, and says how good they are.

use super::code::{Maker, Part};
use super::exchange::{Give, LONG_STEP, Take, exchange};
use super::keep::Checkpoint;
use super::layout::Repair;
use super::ledger::{Extent, Seat};
use super::memory::{
    DOUBLES, KINDS, Orphan, Slot, Stretch, code_of, is_finite, own, stretches, units,
};
use super::restoring::{Common, lost};
use crate::mpi::error::Result;
use crate::mpi::lane::Lane;
use std::sync::Arc;

/// Who has lost so many decimal digits has nothing: a double has no more.
pub(super) const ALL_DIGITS: i32 = 16;

/// The worst of the sums that came back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Worst {
    /// Decimal digits that are lost.
    pub(super) digits: i32,
    /// Whose item it is.
    pub(super) place: usize,
    pub(super) id: i32,
}

/// Data that come back here: those of the own place, or of one where nobody is any more.
struct Room {
    place: usize,
    extent: Extent,
    data: Arc<[Vec<u8>; KINDS]>,
    /// How large, of each stretch of doubles, the parts of sums were at most.
    sizes: Vec<f64>,
}

/// Makes the data of those who lack them; returns those that nobody else will ask for, and the
/// worst of what came back here.
pub(super) async fn decode(
    lane: &Lane<'_>, keep: &Checkpoint, common: &Common, slot: &mut Slot,
) -> Result<(Vec<Orphan>, Worst)> {
    let me = lane.rank() as usize;
    let own_place = slot.entry.filter(|entry| !entry.has_data).map(|entry| entry.place as usize);
    let is_here = |place: &usize| {
        common.choice.seats[*place] == Seat::Guardian(me) || own_place == Some(*place)
    };
    let mut rooms: Vec<Room> = (0..common.extents.len())
        .filter(is_here)
        .map(|place| {
            let mut room = Slot { extents: common.extents.clone(), ..Slot::default() };
            if own_place == Some(place) {
                // Its buffers are at hand.
                room.data = std::mem::take(&mut slot.data);
            }
            room.make_room(&common.layout, place);
            Room { place, extent: common.extents[place], data: room.data, sizes: Vec::new() }
        })
        .collect();
    for kind in 0..KINDS {
        decode_kind(lane, keep, common, slot, &mut rooms, kind).await?;
    }
    let (mut orphans, mut worst) = (Vec::new(), Worst::default());
    for mut room in rooms {
        let judged = room.judge();
        if judged.digits > worst.digits {
            worst = judged;
        }
        if own_place == Some(room.place) {
            slot.data = room.data;
        } else if room.extent.bytes != [0; KINDS] {
            // Who only kept codes has left nothing.
            let (rank, extent) = (common.ranks[room.place], room.extent);
            orphans.push(Orphan { rank, extent, data: room.data });
        }
    }
    Ok((orphans, worst))
}

async fn decode_kind(
    lane: &Lane<'_>, keep: &Checkpoint, common: &Common, slot: &Slot, rooms: &mut [Room],
    kind: usize,
) -> Result {
    let me = lane.rank() as usize;
    let units = units(&common.layout, &common.extents, kind);
    let (mut gives, mut takes, mut targets) = (Vec::new(), Vec::new(), Vec::new());
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
                let room = rooms.iter().position(|room| room.place == wanted.place);
                let room = room.expect("there is room for all that come here");
                let start = wanted.chunk * unit;
                let mut maker = wanted.maker;
                if kind == DOUBLES {
                    maker.measure(&rooms[room].ends(start, unit));
                }
                let parts = wanted.parts.iter().map(|part| (part.part, part.rank as i32)).collect();
                takes.push(Take { maker, parts, made: vec![0; unit] });
                targets.push((room, start));
            }
        }
    }
    exchange(lane, &gives, &mut takes, LONG_STEP).await?;
    for (take, (room, start)) in takes.into_iter().zip(targets) {
        rooms[room].put(kind, start, &take);
    }
    Ok(())
}

impl Room {
    fn doubles(&self) -> Vec<Stretch> {
        let all = stretches(&self.data, &self.extent).into_iter();
        all.filter(|stretch| stretch.kind == DOUBLES).collect()
    }

    /// Where stretches end, counted in doubles, in so many bytes from `start` on. What tells has
    /// come back before.
    fn ends(&self, start: usize, bytes: usize) -> Vec<usize> {
        let end = |stretch: Stretch| stretch.bytes.end.saturating_sub(start).min(bytes) / 8;
        self.doubles().into_iter().map(end).collect()
    }

    fn put(&mut self, kind: usize, start: usize, take: &Take) {
        own(&mut self.data)[kind][start..][..take.made.len()].copy_from_slice(&take.made);
        let largest = take.maker.largest();
        self.sizes.resize(self.sizes.len().max(largest.len()), 0.0);
        self.sizes.iter_mut().zip(largest).for_each(|(size, other)| *size = size.max(*other));
    }

    /// How many digits of each item are lost: a sum is wrong by what a double does not resolve of
    /// its parts. Where all numbers were zero, they are.
    fn judge(&mut self) -> Worst {
        let mut worst = Worst { place: self.place, ..Worst::default() };
        let doubles = self.doubles();
        let data = &mut own(&mut self.data)[DOUBLES];
        for (stretch, size) in doubles.into_iter().zip(&self.sizes) {
            let digits = match &mut data[stretch.bytes] {
                bytes if stretch.norm == 0.0 => {
                    bytes.fill(0);
                    0
                }
                bytes if !is_finite(bytes) => i32::MAX,
                _ => (size / stretch.norm).log10().ceil().max(0.0) as i32,
            };
            if digits > worst.digits {
                (worst.digits, worst.id) = (digits, stretch.id);
            }
        }
        worst
    }
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
            return Err(self::lost(keep, common.choice.version, &common.ranks, &[place]));
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
