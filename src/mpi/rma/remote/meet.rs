//! How the members of a new window learn of each other's memory.

use super::endpoint::{Endpoint, There};
use super::handler::Registry;
use crate::host::memory::Span;
use crate::host::memory::afar::SharedBlock;
use crate::mpi::coll::unite;
use crate::mpi::comm::prepared::Words;
use crate::mpi::comm::{Comm, Contexts};
use crate::mpi::datatype::Address;
use crate::mpi::error::{Class, Failure, Result};
use crate::mpi::lane::Lane;
use crate::mpi::p2p::outcome::loss;
use crate::mpi::process::Process;
use crate::mpi::rma::segment::Segment;
use crate::mpi::rma::shared::{Part, Shared};
use crate::mpi::run;
use crate::transport::Showing;
use serde::{Deserialize, Serialize};
use std::io;
use std::sync::Arc;

/// Whether the members of `comm` are in several processes.
pub fn is_needed(process: &Process, comm: &Comm) -> bool {
    !comm.is_alone() && process.world.is_of_several_processes()
}

/// What a member tells the others of its memory.
#[derive(Debug, Serialize, Deserialize)]
struct Offer {
    at: Showing,
    descriptor: Option<i32>,
    address: u64,
    bytes: u64,
    unit: i64,
}

impl Offer {
    fn of(part: &Part) -> Option<Offer> {
        let segment = part.segment().copied().or_else(|| part.wished())?;
        Some(Offer {
            at: Showing::own(),
            descriptor: part.descriptor(),
            address: segment.memory.address() as u64,
            bytes: segment.memory.bytes() as u64,
            unit: segment.unit,
        })
    }

    fn segment(&self) -> Segment {
        let memory = Address(self.address as usize).span(self.bytes as usize);
        Segment { memory, unit: self.unit, is_kept: self.descriptor.is_some() }
    }
}

/// All members tell each other of their memory, and the first one draws the contexts; or all fail.
/// Where a member has none, the window is spoiled.
pub fn introduce(lane: &Lane<'_>, shared: &Shared, me: i32) -> Result<Contexts> {
    let drawn = Contexts::draw(lane.process(), lane.rank()).bytes();
    let part = shared.part(me);
    let offer = if shared.is_spoiled() { None } else { Offer::of(part) };
    // Others may write as soon as they know of it.
    part.segment().inspect(|segment| part.show(segment.memory));
    let mine = encode(&(drawn, offer));
    let all = run::block(unite(lane, &mine, |said| {
        (0..lane.size()).map(|rank| said.by(rank)).collect::<Result<Vec<_>>>()
    }))?;
    let mut contexts = None;
    for (place, bytes) in (0..).zip(all) {
        let (drawn, offer): (Vec<u8>, Option<Offer>) = decode(&bytes)?;
        if place == 0 {
            contexts = Some(Words::new(drawn).read().contexts());
        }
        // The lane counts without the gaps.
        let rank = shared.rank_of(lane.comm().member(place)).ok_or_else(gone)?;
        match offer {
            None => shared.spoil(),
            Some(_) if rank == me => {}
            Some(offer) => {
                let (at, segment) = (offer.at, offer.segment());
                let descriptor = offer.descriptor.filter(|_| !at.is_distant());
                shared.part(rank).set_there(There { at, descriptor, segment });
            }
        }
    }
    contexts.ok_or_else(gone)
}

/// Why a process has not mapped the window's memory.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
enum Unmapped {
    NoMemory,
    /// The process of this member has ended, and its memory with it.
    Gone(i32),
}

impl Unmapped {
    fn because(error: &io::Error, rank: i32) -> Unmapped {
        match error.raw_os_error() {
            Some(libc::ENOMEM | libc::EMFILE | libc::ENFILE) => Unmapped::NoMemory,
            _ => Unmapped::Gone(rank),
        }
    }
}

/// Maps the memory of all members of a window that all use directly: what has a place already, and
/// the rest, which the first member allocates in one piece of `total` bytes.
pub fn line_up(lane: &Lane<'_>, shared: &Shared, total: usize) -> Result {
    let first = if lane.rank() == 0 { SharedBlock::zeroed(total).ok() } else { None };
    let descriptor = first.as_ref().and_then(SharedBlock::descriptor);
    let mine = encode(&(std::process::id() as i32, descriptor));
    let told = run::block(unite(lane, &mine, |said| said.by(0)))?;
    let (pid, descriptor): (i32, Option<i32>) = decode(&told)?;
    let rank = shared.rank_of(lane.comm().member(0)).ok_or_else(gone)?;
    let opened = || {
        let descriptor = descriptor.ok_or(Unmapped::NoMemory)?;
        let opened = SharedBlock::open(pid, descriptor, total);
        opened.map_err(|error| Unmapped::because(&error, rank))
    };
    let block = first.map_or_else(opened, Ok).and_then(|block| {
        map_placed(shared)?;
        Ok(block)
    });
    let mine = encode(&block.as_ref().err());
    let all = run::block(unite(lane, &mine, |said| {
        (0..lane.size()).map(|place| said.by(place)).collect::<Result<Vec<_>>>()
    }))?;
    let all = all.iter().map(|said| decode(said)).collect::<Result<Vec<Option<Unmapped>>>>()?;
    let whys = || all.iter().copied().flatten();
    // That is a death, of which others may have heard nothing yet.
    let lost =
        whys().find_map(|why| if let Unmapped::Gone(rank) = why { Some(rank) } else { None });
    if let Some(rank) = lost {
        return Err(loss(rank));
    }
    let are_mapped = whys().next().is_none();
    let all = block.ok().filter(|_| are_mapped).and_then(|block| shared.keep_for_all(block));
    let words = "a process cannot map the window's memory";
    place(shared, all.ok_or_else(|| Class::NO_MEM.because(words))?);
    Ok(())
}

/// Maps what members have allocated themselves.
fn map_placed(shared: &Shared) -> std::result::Result<(), Unmapped> {
    for (rank, part) in (0..).zip(shared.parts()) {
        if let Some(there) = part.there().filter(|there| there.segment.is_kept) {
            part.reach(there).map_err(|error| Unmapped::because(&error, rank))?;
        }
    }
    Ok(())
}

/// Gives the members that have no memory yet their pieces of `all`, in rank order.
fn place(shared: &Shared, all: Span) {
    let mut start = 0;
    for part in shared.parts() {
        let wish = part.there().map_or_else(|| part.wished(), |there| Some(there.segment));
        let Some(wish) = wish else { continue };
        if wish.memory.address() != 0 {
            part.expose(wish);
            continue;
        }
        let bytes = wish.memory.bytes();
        part.expose(Segment { memory: all.part(start, bytes), is_kept: true, ..wish });
        start += bytes;
    }
}

/// Notes about the window are read from now on, whatever the rank does.
pub fn open(process: &'static Process, shared: &Arc<Shared>, window: u32, me: i32) {
    let endpoint = shared.set_endpoint(Endpoint::new(window, me, shared.part(me).member));
    process.world.attend_notes();
    process.world.tenant::<Registry>().open(process.world, shared, endpoint);
}

/// The window is freed. `is_last`: nothing is written about it any more.
pub fn close(process: &Process, window: u32, is_last: bool) {
    if process.world.is_of_several_processes() {
        process.world.tenant::<Registry>().close((window, process.me), is_last);
    }
}

fn encode(message: &impl Serialize) -> Vec<u8> {
    postcard::to_allocvec(message).expect("it is plain data")
}

fn decode<T: for<'a> Deserialize<'a>>(bytes: &[u8]) -> Result<T> {
    postcard::from_bytes(bytes).map_err(|_| gone())
}

#[cold]
fn gone() -> Failure {
    Class::OTHER.because("a process has told nothing of its part of the window")
}
