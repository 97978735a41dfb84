//! Encodes stripes in place: each member computes a part of every code. It reads data straight from
//! the other members' memory, and writes codes or restored data straight into their keepers'
//! memory. So all members share one pass over the data.
//!
//! All members meet before any of them reads, and again when all have done their parts. Only a
//! member that has been at the second meeting relies on what others have made for it.

use super::code::Encoder;
use super::extent::{DOUBLES, KINDS};
use super::layout::part_of;
use super::room::Room;
use super::rounds::{Topic, hear};
use super::scheme::Scheme;
use super::shape::Shape;
use super::slot::{Codes as Kept, Data, Slot, Source, code_of, is_finite};
use crate::base::Member;
use crate::base::sync::sheet::Writing;
use crate::host::life;
use crate::host::memory::Fault;
use crate::mpi::coll;
use crate::mpi::comm::Comm;
use crate::mpi::error::Result;
use crate::mpi::lane::Lane;
use crate::mpi::process::Process;
use crate::mpi::run::Way;
use std::ops::Range;
use std::result::Result as Outcome;
use std::sync::{Arc, OnceLock};

/// Chunks of data of one kind, each of `unit` bytes.
#[derive(Clone, Copy)]
pub(super) struct Chunks {
    pub(super) kind: usize,
    pub(super) unit: usize,
}

/// What a rank shows to the others for one piece of work. All users hold it, so it outlives the
/// rank that has shown it. A rank that gives up never touches it again, so members that go on do no
/// harm.
pub(super) struct Offer {
    /// Of its own place, and of places in its care.
    pub(super) holdings: Vec<Holding>,
    /// Where data come from that have not been copied into the holdings yet.
    pub(super) source: Option<Source>,
    /// An unmapped address within the registered memory.
    pub(super) fault: OnceLock<usize>,
    /// Where restored data go.
    pub(super) rooms: Vec<Arc<Room>>,
}

/// A rank's data and codes of a place.
pub(super) struct Holding {
    place: usize,
    pub(super) data: Arc<Data>,
    pub(super) codes: Arc<Kept>,
}

impl Offer {
    /// Shows the contents of these slots, which belong to one checkpoint.
    pub(super) fn of<'a>(slots: impl IntoIterator<Item = &'a Slot>) -> Offer {
        let holding = |slot: &Slot| {
            let (data, codes) = (slot.data.clone(), slot.codes.clone());
            Some(Holding { place: slot.place()?, data, codes })
        };
        Offer {
            holdings: slots.into_iter().filter_map(holding).collect(),
            source: None,
            fault: OnceLock::new(),
            rooms: Vec::new(),
        }
    }

    pub(super) fn holding(&self, place: usize) -> &Holding {
        let found = self.holdings.iter().find(|holding| holding.place == place);
        found.expect("who sits at a place shows what is kept there")
    }
}

/// What all members show.
enum ShownOffers {}

impl Topic for ShownOffers {
    type Part = Arc<Offer>;
    type Outcome = Vec<Arc<Offer>>;
}

/// The worst outcome of all members.
enum DoneWork {}

impl Topic for DoneWork {
    type Part = Work;
    type Outcome = Work;
}

/// All members, at work on stripes.
pub(super) struct Crew<'a> {
    pub(super) process: &'a Process,
    pub(super) comm: &'a Comm,
    pub(super) way: Way,
    /// The tags of its meetings on the communicator.
    pub(super) tags: [i32; 3],
}

/// The outcome of a part of the work; the largest counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Work {
    Done,
    /// Some codes are infinite or NaN.
    Unsound,
    /// The memory of this rank cannot be read.
    Lost {
        rank: usize,
    },
}

/// Codes to be made.
pub(super) struct Codes<'a> {
    pub(super) scheme: &'a Scheme,
    pub(super) shape: &'a Shape,
    /// The rank at each place.
    pub(super) ranks: &'a [i32],
    /// Places whose codes are wanted.
    pub(super) is_wanted: &'a [bool],
    /// The places for which this rank works: its own, and those in its care.
    pub(super) places: Vec<usize>,
}

impl Crew<'_> {
    fn lane(&self, at: usize) -> Lane<'_> {
        Lane::new(self.process, self.comm, self.tags[at], self.way).into_turn()
    }

    /// Works on both kinds of data together with all other members, in this order. They meet in
    /// between if the second kind depends on the first. Returns false if some codes are infinite or
    /// NaN.
    pub(super) async fn work(
        &self, offer: Arc<Offer>, kinds: [usize; KINDS], in_between: bool,
        part: impl Fn(&Offers<'_>, usize) -> Result<Work>,
    ) -> Result<bool> {
        self.lane(0).look_round()?;
        let shown = |all: Vec<&Arc<Offer>>| all.into_iter().cloned().collect();
        let all = hear::<ShownOffers>(&self.lane(0), offer.clone(), shown).await?;
        let (comm, me) = (self.comm, self.comm.rank as usize);
        let offers = Offers { all, comm, me, hands: self.hands() };
        let mut work = Work::Done;
        for (at, kind) in kinds.into_iter().enumerate() {
            if at > 0 && in_between {
                coll::meet(&self.lane(1)).await?;
            }
            work = work.max(part(&offers, kind)?);
        }
        // A member that has heard from all others may reuse its memory.
        drop(offers);
        self.settle(&offer, work).await
    }

    /// The number of members that work on a stripe. If members share cores, that is four for each
    /// core: enough to make up for late ones, and each gets longer pieces than if all took part.
    fn hands(&self) -> usize {
        let (members, crowd) = (self.comm.size() as usize, self.process.world.ranks_per_core());
        if crowd > 1 { 4 * members.div_ceil(crowd) } else { members }
    }

    /// Called when this member's part is done: all learn the worst outcome of any member.
    async fn settle(&self, shown: &Offer, mine: Work) -> Result<bool> {
        let lane = self.lane(2);
        let worst = |all: Vec<&Work>| all.into_iter().max().copied().unwrap_or(Work::Done);
        match *hear::<DoneWork>(&lane, mine, worst).await? {
            Work::Done => Ok(true),
            Work::Unsound => Ok(false),
            Work::Lost { rank } => match shown.fault.get() {
                Some(address) if rank == self.comm.rank as usize => {
                    Err(self.process.engine.suffer(*address).into())
                }
                _ => Err(lane.loss(rank as i32)),
            },
        }
    }
}

/// What all members show.
pub(super) struct Offers<'a> {
    all: Arc<Vec<Arc<Offer>>>,
    comm: &'a Comm,
    pub(super) me: usize,
    /// How many members work on one stripe, at most.
    hands: usize,
}

impl Offers<'_> {
    /// The part of the lost data that this member restores, and the number of parts; `None` if it
    /// has none.
    pub(super) fn part(&self) -> Option<(usize, usize)> {
        part_of(self.me, self.all.len(), self.hands)
    }

    pub(super) fn of(&self, rank: usize) -> &Offer {
        &self.all[rank]
    }

    /// In virtual time, so many bytes come here from each of these ranks.
    pub(super) fn gather(&self, process: &Process, from: impl Iterator<Item = i32>, bytes: usize) {
        let me = process.me;
        process.engine.carry(from.map(|rank| (self.comm.member(rank), me, bytes)));
    }

    /// In virtual time, so many bytes go from here to each of these ranks.
    pub(super) fn spread(&self, process: &Process, to: impl Iterator<Item = i32>, bytes: usize) {
        let me = process.me;
        process.engine.carry(to.map(|rank| (me, self.comm.member(rank), bytes)));
    }

    /// Copies a piece of what a rank has registered, while that rank is pinned.
    fn bring(&self, rank: usize, kind: usize, start: usize, room: &mut [u8]) -> Outcome<(), Work> {
        let offer = self.of(rank);
        let Some(source) = &offer.source else { return Ok(()) };
        let Member { seat, incarnation } = self.comm.member(rank as i32);
        let pin = (rank != self.me).then(|| life::pin(seat, incarnation));
        if let Some(None) = pin {
            return Err(Work::Lost { rank });
        }
        source.bring(kind, start, room).map_err(|Fault { address, .. }| {
            offer.fault.get_or_init(|| address);
            Work::Lost { rank }
        })
    }
}

/// Divides a range into pieces of `bytes` bytes.
pub(super) fn pieces(range: Range<usize>, bytes: usize) -> impl Iterator<Item = Range<usize>> {
    let end = range.end;
    range.step_by(bytes).map(move |start| start..end.min(start + bytes))
}

impl Codes<'_> {
    /// Makes this member's part of all wanted codes for one kind of data. Data that are not in the
    /// slots yet are copied there on the way.
    pub(super) fn make(&self, process: &Process, offers: &Offers<'_>, kind: usize) -> Result<Work> {
        let code = code_of(self.scheme.code, kind);
        let mut work = Work::Done;
        let shares = |place: &usize| self.shape.layout.shares(*place, offers.hands);
        for share in self.places.iter().flat_map(shares) {
            let stripe = &self.shape.layout.stripes[share.stripe];
            let unit = self.shape.unit(kind, share.stripe);
            let keepers = stripe.keepers.iter().enumerate();
            let wanted: Vec<(usize, usize)> = keepers
                .filter(|(_, keeper)| self.is_wanted[**keeper])
                .map(|(i, k)| (i, *k))
                .collect();
            if wanted.is_empty() {
                continue;
            }
            let rows = wanted.iter().map(|(index, _)| *index).collect();
            let mut encoder = Encoder::of(code, stripe.data.len(), self.scheme.spares, rows);
            let bytes = share.range(unit).len();
            let from = stripe.data.iter().map(|(member, _)| self.ranks[*member]);
            offers.gather(process, from, bytes);
            for piece in pieces(share.range(unit), encoder.piece()) {
                process.engine.step()?;
                let made = self.piece(
                    offers,
                    Chunks { kind, unit },
                    share.stripe,
                    &wanted,
                    piece,
                    &mut encoder,
                );
                match made {
                    Ok(true) => {}
                    Ok(false) => work = Work::Unsound,
                    Err(lost) => return Ok(lost),
                }
            }
            offers.spread(process, wanted.iter().map(|(_, keeper)| self.ranks[*keeper]), bytes);
        }
        Ok(work)
    }

    /// Makes one piece of the codes of a stripe; returns false if they are infinite or NaN.
    fn piece(
        &self, offers: &Offers<'_>, Chunks { kind, unit }: Chunks, number: usize,
        wanted: &[(usize, usize)], piece: Range<usize>, encoder: &mut Encoder,
    ) -> Outcome<bool, Work> {
        let rank = |place: usize| self.ranks[place] as usize;
        let code = |(_, keeper): &(usize, usize)| {
            offers.of(rank(*keeper)).holding(*keeper).codes[kind][&number].write(piece.clone())
        };
        let mut made: Vec<Writing<'_>> = wanted.iter().map(code).collect();
        for (at, (member, chunk)) in self.shape.layout.stripes[number].data.iter().enumerate() {
            let (rank, start) = (rank(*member), chunk * unit + piece.start);
            let range = start..start + piece.len();
            let offer = offers.of(rank);
            let data = &offer.holding(*member).data[kind];
            if offer.source.is_some() {
                let mut room = data.write(range);
                offers.bring(rank, kind, start, &mut room)?;
                encoder.add(at, &room, &mut made);
            } else {
                encoder.add(at, &data.read(range), &mut made);
            }
        }
        encoder.end(&mut made);
        Ok(kind != DOUBLES || made.iter().all(|made| is_finite(made)))
    }
}
