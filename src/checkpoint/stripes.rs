//! Encodes stripes in place: each member computes a part of every code. It reads data straight from
//! the other members' memory, and writes codes or restored data straight into their keepers'
//! memory. So all members share one pass over the data.
//!
//! All members meet before any of them reads, and again when all have done their parts. Only a
//! member that has been at the second meeting relies on what others have made for it.
//!
//! In several processes each member makes what it keeps itself, from what it reads of the others
//! (see `away`).

use super::away::Away;
use super::code::Encoder;
use super::extent::{DOUBLES, KINDS};
use super::layout::{Share, part_of};
use super::room::Room;
use super::rounds::{Topic, hear, hear_here};
use super::scheme::Scheme;
use super::shape::Shape;
use super::slot::{Codes as Kept, Data, Slot, Source, code_of, is_finite};
use crate::base::Member;
use crate::base::sync::sheet::{Reading, Writing};
use crate::engine::Drawn;
use crate::host::life;
use crate::host::memory::Fault;
use crate::mpi::coll;
use crate::mpi::comm::Comm;
use crate::mpi::error::Result;
use crate::mpi::lane::Lane;
use crate::mpi::process::Process;
use crate::mpi::run::Way;
use serde::{Deserialize, Serialize};
use std::ops::{Deref, Range};
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
    pub(super) place: usize,
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

    /// Where other processes find that.
    fn addresses(&self) -> Away {
        let holdings = self.holdings.iter();
        Away::of(holdings.map(|one| (one.place, &*one.data, &*one.codes)))
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

/// Where members in several processes keep what they show.
enum Addresses {}

impl Topic for Addresses {
    type Part = Away;
    type Outcome = Vec<Away>;
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
    /// The tags of its meetings on the communicator, and their numbers in a run.
    pub(super) numbers: [(i32, Option<&'a Drawn>); 3],
}

/// The outcome of a part of the work; the largest counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
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
        let (tag, drawn) = self.numbers[at];
        Lane::new(self.process, self.comm, tag, self.way).into_turn().drawn_as(drawn)
    }

    /// Works on both kinds of data together with all other members, in this order. They meet in
    /// between if the second kind depends on the first. Returns false if some codes are infinite or
    /// NaN.
    pub(super) async fn work(
        &self, offer: Arc<Offer>, kinds: [usize; KINDS], in_between: bool,
        part: impl Fn(&Offers<'_>, usize) -> Result<Work>,
    ) -> Result<bool> {
        self.lane(0).look_round()?;
        let shown = self.show(&offer).await?;
        let (comm, me) = (self.comm, self.comm.rank as usize);
        let offers = Offers { shown, comm, me, hands: self.hands() };
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

    /// Shows an offer to all members, and learns what they show.
    async fn show(&self, offer: &Arc<Offer>) -> Result<Shown> {
        let lane = self.lane(0);
        if self.comm.shares_memory(self.process) {
            let all = |all: Vec<&Arc<Offer>>| all.into_iter().cloned().collect();
            return hear_here::<ShownOffers>(&lane, offer.clone(), all).await.map(Shown::Here);
        }
        let all = |all: Vec<&Away>| all.into_iter().cloned().collect();
        let others = hear::<Addresses>(&lane, offer.addresses(), all).await?;
        Ok(Shown::Apart { own: offer.clone(), others })
    }

    /// The number of members that work on a stripe. If members share cores, that is four for each
    /// core: enough to make up for late ones, and each gets longer pieces than if all took part.
    fn hands(&self) -> usize {
        let members = self.comm.size() as usize;
        let crowd = self.process.world.crowding.ranks_per_core(self.comm.group.seats());
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
enum Shown {
    /// In this process.
    Here(Arc<Vec<Arc<Offer>>>),
    /// In several.
    Apart { own: Arc<Offer>, others: Arc<Vec<Away>> },
}

/// Bytes that a member keeps.
pub(super) enum Bytes<'a> {
    InPlace(Reading<'a>),
    Brought(Vec<u8>),
}

impl Deref for Bytes<'_> {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        match self {
            Bytes::InPlace(bytes) => bytes,
            Bytes::Brought(bytes) => bytes,
        }
    }
}

/// What all members show.
pub(super) struct Offers<'a> {
    shown: Shown,
    comm: &'a Comm,
    pub(super) me: usize,
    /// How many members work on one stripe, at most.
    hands: usize,
}

impl Offers<'_> {
    /// The part of the lost data that this member restores, and the number of parts; `None` if it
    /// has none.
    pub(super) fn part(&self) -> Option<(usize, usize)> {
        part_of(self.me, self.comm.size() as usize, self.hands)
    }

    /// Whether each member makes for itself all that it keeps.
    pub(super) fn are_apart(&self) -> bool {
        matches!(self.shown, Shown::Apart { .. })
    }

    /// What a rank shows in this process.
    pub(super) fn of(&self, rank: usize) -> &Offer {
        match &self.shown {
            Shown::Here(all) => &all[rank],
            Shown::Apart { own, .. } => {
                assert!(rank == self.me, "nobody writes into another process");
                own
            }
        }
    }

    /// Reads data that a rank has of a place.
    pub(super) fn data(
        &self, (rank, place): (usize, usize), kind: usize, range: Range<usize>,
    ) -> Outcome<Bytes<'_>, Work> {
        match self.away(rank) {
            None => Ok(Bytes::InPlace(self.of(rank).holding(place).data[kind].read(range))),
            Some(away) => brought(rank, away.data(place, kind, range)),
        }
    }

    /// Reads the code of a stripe that a rank keeps at a place.
    pub(super) fn code(
        &self, (rank, place): (usize, usize), kind: usize, stripe: usize, range: Range<usize>,
    ) -> Outcome<Bytes<'_>, Work> {
        match self.away(rank) {
            None => {
                let code = &self.of(rank).holding(place).codes[kind][&stripe];
                Ok(Bytes::InPlace(code.read(range)))
            }
            Some(away) => brought(rank, away.code(place, kind, stripe, range)),
        }
    }

    /// Whether the data of a rank are to be copied yet.
    fn has_source(&self, rank: usize) -> bool {
        self.away(rank).is_none() && self.of(rank).source.is_some()
    }

    fn away(&self, rank: usize) -> Option<&Away> {
        match &self.shown {
            Shown::Apart { others, .. } if rank != self.me => Some(&others[rank]),
            _ => None,
        }
    }

    /// In virtual time, so many bytes come here from each of these ranks.
    pub(super) fn gather(
        &self, process: &Process, from: impl Iterator<Item = i32>, bytes: usize,
    ) -> Result {
        let me = process.me;
        Ok(process.engine.carry(from.map(|rank| (self.comm.member(rank), me, bytes)))?)
    }

    /// In virtual time, so many bytes go from here to each of these ranks.
    pub(super) fn spread(
        &self, process: &Process, to: impl Iterator<Item = i32>, bytes: usize,
    ) -> Result {
        let me = process.me;
        Ok(process.engine.carry(to.map(|rank| (me, self.comm.member(rank), bytes)))?)
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

/// What has come from another process: nothing if that has ended, or has given up.
fn brought<'a>(rank: usize, bytes: Option<Vec<u8>>) -> Outcome<Bytes<'a>, Work> {
    bytes.map(Bytes::Brought).ok_or(Work::Lost { rank })
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
        let shares = |place: &usize| self.shares(offers, *place);
        for (share, by) in self.places.iter().flat_map(shares) {
            let stripe = &self.shape.layout.stripes[share.stripe];
            let unit = self.shape.unit(kind, share.stripe);
            let keepers = stripe.keepers.iter().copied().enumerate();
            let is_wanted =
                |keeper: usize| self.is_wanted[keeper] && by.is_none_or(|by| by == keeper);
            let wanted: Vec<(usize, usize)> =
                keepers.filter(|(_, keeper)| is_wanted(*keeper)).collect();
            if wanted.is_empty() {
                continue;
            }
            let rows = wanted.iter().map(|(index, _)| *index).collect();
            let mut encoder = Encoder::of(code, stripe.data.len(), self.scheme.spares, rows);
            let bytes = share.range(unit).len();
            let from = stripe.data.iter().map(|(member, _)| self.ranks[*member]);
            offers.gather(process, from, bytes)?;
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
            let keepers = wanted.iter().map(|(_, keeper)| self.ranks[*keeper]);
            offers.spread(process, keepers, bytes)?;
        }
        Ok(work)
    }

    /// The parts of codes that are made by the member at a place: for some keeper, or for all.
    fn shares(&self, offers: &Offers<'_>, place: usize) -> Vec<(Share, Option<usize>)> {
        let layout = &self.shape.layout;
        if offers.are_apart() {
            let whole = |stripe| (Share { stripe, part: 0, parts: 1 }, Some(place));
            return layout.kept_by(place).map(whole).collect();
        }
        layout.shares(place, offers.hands).into_iter().map(|share| (share, None)).collect()
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
            if offers.has_source(rank) {
                let mut room = offers.of(rank).holding(*member).data[kind].write(range);
                offers.bring(rank, kind, start, &mut room)?;
                encoder.add(at, &room, &mut made);
            } else {
                encoder.add(at, &offers.data((rank, *member), kind, range)?, &mut made);
            }
        }
        encoder.end(&mut made);
        Ok(kind != DOUBLES || made.iter().all(|made| is_finite(made)))
    }
}
