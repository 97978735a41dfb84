//! The target of an access: checks that it may be accessed, and finds the memory.

use crate::base::Member;
use crate::host::life::{self, Pin};
use crate::host::memory::afar::Missing;
use crate::host::memory::{Region, Span};
use crate::mpi::datatype::{Address, Datatype};
use crate::mpi::error::{Class, Failure, Result};
use crate::mpi::op::kernels::atomic::Accumulator;
use crate::mpi::p2p::outcome::loss;
use crate::mpi::process::Process;
use crate::mpi::rma::epochs::Reach;
use crate::mpi::rma::passive;
use crate::mpi::rma::peers::{hidden, left, must_be_whole, must_live};
use crate::mpi::rma::remote::question;
use crate::mpi::rma::segment::Segment;
use crate::mpi::rma::shared::Part;
use crate::mpi::rma::win::{Flavor, Win};
use crate::transport::Showing;

/// What an access names of the target.
#[derive(Clone, Copy)]
pub struct Spot<'a> {
    pub rank: i32,
    pub disp: i64,
    pub count: i64,
    pub datatype: &'a Datatype,
}

impl Spot<'_> {
    /// Fails outside of a passive epoch, in which alone calls may return requests.
    pub fn must_be_passive(&self, win: &Win) -> Result {
        match win.comm.target(self.rank, "target_rank")? {
            Some(_) => win.epochs.must_be_passive(Some(self.rank)),
            None => Ok(()),
        }
    }
}

/// Memory of a target that may be accessed: it stays as long as this value.
pub struct Target<'w> {
    pub part: &'w Part,
    pub region: Region,
    /// The process whose memory it is, by addresses there, if this one has not mapped it.
    pub elsewhere: Option<Showing>,
    pub rank: i32,
    is_own: bool,
    /// All bytes from the first to the last.
    hull: Span,
    _pin: Option<Pin>,
}

impl<'w> Target<'w> {
    /// The memory that `spot` names; `None`: it names nobody.
    pub fn find(process: &Process, win: &'w Win, spot: &Spot<'_>) -> Result<Option<Target<'w>>> {
        must_be_whole(process, win)?;
        process.engine.step()?;
        let Some(Member { seat, incarnation }) = win.comm.target(spot.rank, "target_rank")? else {
            return Ok(None);
        };
        match win.epochs.reach(spot.rank) {
            Reach::Yes => {}
            Reach::Locking => passive::lock_one_of_all(process, win, spot.rank)?,
            Reach::No => return Err(no_epoch(spot.rank)),
        }
        must_live(process, win, spot.rank)?;
        win.epochs.note_stores();
        let part = win.shared.part(spot.rank);
        if part.is_closed() {
            return Err(left(process));
        }
        let (segment, elsewhere) = memory_of(part, spot)?;
        let (address, hull, is_kept) = locate(win, part, &segment, spot)?;
        if let (Some(_), Flavor::Dynamic) = (elsewhere, win.flavor)
            && hull.bytes() > 0
            && !question::is_attached(process, win, spot.rank, hull)?
        {
            return Err(out_of_range(spot, UNATTACHED));
        }
        let region = spot.datatype.region(address, spot.count)?;
        let is_own = spot.rank == win.comm.rank;
        let needs_pin = !is_own && !is_kept && hull.bytes() > 0 && part.there().is_none();
        let pin = if needs_pin { Some(life::pin(seat, incarnation)) } else { None };
        if let Some(None) = pin {
            return Err(loss(spot.rank));
        }
        let (rank, _pin) = (spot.rank, pin.flatten());
        Ok(Some(Target { part, region, elsewhere, rank, is_own, hull, _pin }))
    }

    /// The failure for memory that is not there: it ends the process that has named it, which is
    /// the target's if it is the target's.
    #[cold]
    pub fn missed(
        &self, process: &Process, win: &Win, address: usize, is_targets: bool,
    ) -> Failure {
        if self.is_own || !is_targets {
            return process.engine.suffer(address).into();
        }
        if self.part.is_closed() {
            // It has freed the window, and may do with that memory what it likes.
            return left(process);
        }
        if self.part.there().is_some() {
            let endpoint = win.shared.endpoint();
            endpoint.inspect(|endpoint| {
                endpoint.tell_missing(process.world, self.part.member, address)
            });
            return loss(self.rank);
        }
        let Member { seat, incarnation } = self.part.member;
        self.part.blame(address);
        life::kill_only(seat, incarnation);
        loss(self.rank)
    }

    /// The failure of a copy from or to the memory of another process.
    #[cold]
    pub fn missed_there(&self, process: &Process, win: &Win, missing: Missing) -> Failure {
        match missing {
            Missing::Process => loss(self.rank),
            Missing::Hidden if win.flavor == Flavor::Dynamic => left(process),
            Missing::Hidden => hidden(process, win, self.rank),
            Missing::There(address) => self.missed(process, win, address, true),
            Missing::Here(address) => self.missed(process, win, address, false),
        }
    }

    /// Whether this process can change such elements there.
    pub fn is_in_reach(&self, accumulator: &Accumulator) -> bool {
        if self.part.there().is_none() {
            return true;
        }
        let mut places = self.region.places(accumulator.bytes());
        loop {
            let (address, count) = places.run();
            if count == 0 {
                return self.elsewhere.is_none();
            }
            if !accumulator.is_atomic_at(address) {
                return false;
            }
            places.pass(count);
        }
    }

    /// How far from the beginning of the window's memory this address is.
    pub fn offset_there(&self, address: usize) -> u64 {
        let there = self.part.there().map(|there| there.segment.memory);
        let memory = self.part.segment().map(|mapped| mapped.memory).or(there);
        address.wrapping_sub(memory.map_or(0, Span::address)) as u64
    }

    /// Whether this address is in the target's memory.
    pub fn holds(&self, address: usize) -> bool {
        self.hull.holds(address)
    }
}

#[cold]
fn no_epoch(rank: i32) -> Failure {
    Class::RMA_SYNC.because(format!("no epoch is open in which rank {rank} may be accessed"))
}

const UNATTACHED: &str = "no attached memory is there";

/// The memory of a member, and the process whose addresses those are if it is not this one.
fn memory_of(part: &Part, spot: &Spot<'_>) -> Result<(Segment, Option<Showing>)> {
    if let Some(there) = part.there() {
        return part.reach(there).map_err(|_| loss(spot.rank));
    }
    let segment = part.segment().copied();
    Ok((segment.ok_or_else(|| out_of_range(spot, "it has none"))?, None))
}

/// The address of the target's first item, all memory that the items reach over, and whether it
/// stays when the target dies.
fn locate(
    win: &Win, part: &Part, segment: &Segment, spot: &Spot<'_>,
) -> Result<(Address, Span, bool)> {
    let (first, length) = spot.datatype.hull(spot.count)?;
    if win.flavor == Flavor::Dynamic {
        let start = spot.disp.checked_add(first).and_then(|start| usize::try_from(start).ok());
        let hull = start.map(|start| Address(start).span(length)).filter(|hull| !hull.is_odd());
        let is_there =
            |hull: &Span| length == 0 || part.there().is_some() || is_attached(part, *hull);
        let hull = hull.filter(is_there).ok_or_else(|| out_of_range(spot, UNATTACHED))?;
        return Ok((Address(spot.disp as usize), hull, false));
    }
    if spot.disp < 0 {
        let words = format!("target_disp is {}; it must not be negative", spot.disp);
        return Err(Class::DISP.because(words));
    }
    let bytes = segment.memory.bytes();
    let offset = spot.disp.checked_mul(segment.unit);
    let start = offset.and_then(|offset| offset.checked_add(first));
    let start = start.and_then(|start| usize::try_from(start).ok());
    let is_inside = |start: &usize| start.checked_add(length).is_some_and(|end| end <= bytes);
    match (offset, start.filter(is_inside)) {
        (Some(offset), Some(start)) => {
            let base = segment.memory.address();
            let hull = segment.memory.part(start, length);
            Ok((Address(base.wrapping_add_signed(offset as isize)), hull, segment.is_kept))
        }
        _ if length == 0 => Ok((Address::BOTTOM, Address::BOTTOM.span(0), true)),
        _ => Err(out_of_range(spot, &format!("its window has {bytes} bytes"))),
    }
}

/// Whether one attached region holds all of it.
fn is_attached(part: &Part, hull: Span) -> bool {
    let last = hull.address() + (hull.bytes() - 1);
    let attached = part.attached.read();
    attached.iter().any(|region| region.holds(hull.address()) && region.holds(last))
}

#[cold]
fn out_of_range(spot: &Spot<'_>, why: &str) -> Failure {
    let Spot { rank, disp, count, .. } = spot;
    let what = format!("{count} items at displacement {disp} of rank {rank}");
    Class::RMA_RANGE.because(format!("{what} are not part of its memory: {why}"))
}
