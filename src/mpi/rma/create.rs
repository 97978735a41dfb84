//! Creates and frees windows (MPI-5.0 §12.2).
//!
//! One uniform round of all members: each says where its memory is, and all get the context of the
//! communicator that synchronizes the window; or none gets the window.

use crate::host::memory::afar::SharedBlock;
use crate::host::memory::{Block, Span};
use crate::mpi::coll::claim::Kind;
use crate::mpi::coll::{self, Barrier};
use crate::mpi::comm::prepared::{Draft, Words};
use crate::mpi::comm::{Comm, Contexts};
use crate::mpi::datatype::Address;
use crate::mpi::error::{Class, Failure, Result, is_death};
use crate::mpi::info::Info;
use crate::mpi::lane::Lane;
use crate::mpi::process::Process;
use crate::mpi::rma::hints;
use crate::mpi::rma::peers::{self, must_be_whole};
use crate::mpi::rma::remote::meet;
use crate::mpi::rma::segment::Segment;
use crate::mpi::rma::shared::{Creations, Memory, Part, Shared};
use crate::mpi::rma::win::{Flavor, Win};
use crate::mpi::run;
use std::sync::Arc;

/// The memory of new windows of several members in one piece begins at such addresses.
const ALIGNMENT: usize = 64;

/// What a member asks for.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// In bytes; of a dynamic window, 0.
    pub size: i64,
    pub disp_unit: i64,
    pub info: Option<&'a Info>,
}

impl Request<'_> {
    /// The size in bytes.
    fn bytes(&self) -> Result<usize> {
        if self.disp_unit <= 0 {
            let words = format!("disp_unit is {}; it must be positive", self.disp_unit);
            return Err(Class::DISP.because(words));
        }
        let words = || format!("size is {}; it must not be negative", self.size);
        usize::try_from(self.size).map_err(|_| Class::SIZE.because(words()))
    }

    fn segment(&self, memory: Span, is_kept: bool) -> Segment {
        Segment { memory, unit: self.disp_unit, is_kept }
    }
}

/// A window over memory of the program; returns its handle.
pub fn create(
    process: &'static Process, comm: &Comm, base: Address, request: Request<'_>,
) -> Result<usize> {
    let expose = |part: &Part| {
        let bytes = request.bytes()?;
        let memory = base.span(bytes);
        if bytes > 0 && (base.0 < Address::LOWEST || memory.is_odd()) {
            let words = format!("base is {:#x}, and size is {bytes}", base.0);
            return Err(Class::BASE.because(words));
        }
        part.expose(request.segment(memory, false));
        Ok(())
    };
    let made =
        make(process, comm, (Flavor::Create, Kind::WinCreate), request.info, expose, settled)?;
    Ok(made.handle)
}

/// A window over new memory; returns its handle and the address of the own memory.
pub fn allocate(
    process: &'static Process, comm: &Comm, request: Request<'_>,
) -> Result<(usize, Address)> {
    let expose = |part: &Part| {
        let memory = part.keep(block(process, comm, request.bytes()?)?);
        part.expose(request.segment(memory, true));
        Ok(())
    };
    let how = (Flavor::Allocate, Kind::WinAllocate);
    make(process, comm, how, request.info, expose, settled).map(|win| with_base(&win))
}

/// Like [`allocate`]; without another wish, the memory of all members is in one piece.
pub fn allocate_shared(
    process: &'static Process, comm: &Comm, request: Request<'_>,
) -> Result<(usize, Address)> {
    let is_apart = hints::is_true(request.info, hints::NONCONTIGUOUS);
    let expose = |part: &Part| {
        let bytes = request.bytes()?;
        let memory = match is_apart.clone()? {
            true => part.keep(block(process, comm, bytes)?),
            // Where it is follows once all sizes are known.
            false => Address(0).span(bytes),
        };
        part.wish(request.segment(memory, true));
        Ok(())
    };
    let how = (Flavor::Shared, Kind::WinAllocateShared);
    make(process, comm, how, request.info, expose, line_up).map(|win| with_base(&win))
}

/// A window without memory; returns its handle.
pub fn create_dynamic(
    process: &'static Process, comm: &Comm, info: Option<&Info>,
) -> Result<usize> {
    let expose = |part: &Part| {
        let memory = Address::BOTTOM.span(0);
        part.expose(Segment { memory, unit: 1, is_kept: false });
        Ok(())
    };
    let how = (Flavor::Dynamic, Kind::WinCreateDynamic);
    make(process, comm, how, info, expose, settled).map(|win| win.handle)
}

fn with_base(win: &Win) -> (usize, Address) {
    let own = win.own_part().segment().expect("the window is there");
    (win.handle, Address(own.memory.address()))
}

/// Memory that all members can reach.
fn block(process: &Process, comm: &Comm, bytes: usize) -> Result<Memory> {
    let block = match meet::is_needed(process, comm) {
        true => SharedBlock::zeroed(bytes).ok().map(Memory::Shared),
        false => Block::zeroed(bytes).map(Memory::Own),
    };
    block.ok_or_else(|| no_memory(bytes))
}

#[cold]
fn no_memory(bytes: usize) -> Failure {
    Class::NO_MEM.because(format!("out of memory: the window needs {bytes} bytes"))
}

/// The memory of all members is where they have said.
fn settled(_: &Lane<'_>, _: &Shared) -> Result {
    Ok(())
}

/// Puts the memory of the members that have none yet into one piece, in rank order.
fn line_up(lane: &Lane<'_>, shared: &Shared) -> Result {
    let wish = |part: &Part| part.wished().or(part.there().map(|there| there.segment));
    let wishes = || shared.parts().iter().filter_map(|part| Some((part, wish(part)?)));
    let is_placed = |wish: &Segment| wish.memory.address() != 0;
    let wanted = wishes().filter(|(_, wish)| !is_placed(wish));
    let total = wanted.map(|(_, wish)| wish.memory.bytes()).try_fold(0, usize::checked_add);
    let total = total.ok_or_else(|| no_memory(usize::MAX))?;
    if meet::is_needed(lane.process(), lane.comm()) {
        return meet::line_up(lane, shared, total.max(ALIGNMENT));
    }
    let all = shared.allocate_for_all(total.max(ALIGNMENT)).ok_or_else(|| no_memory(total))?;
    let mut start = 0;
    for (part, wish) in wishes() {
        if is_placed(&wish) {
            part.expose(wish);
            continue;
        }
        let bytes = wish.memory.bytes();
        part.expose(Segment { memory: all.part(start, bytes), ..wish });
        start += bytes;
    }
    Ok(())
}

/// Creates a window: `expose` says what the own memory is, `settle` completes the parts once all
/// have done so.
fn make(
    process: &'static Process, comm: &Comm, (flavor, kind): (Flavor, Kind), info: Option<&Info>,
    expose: impl FnOnce(&Part) -> Result, settle: impl FnOnce(&Lane<'_>, &Shared) -> Result,
) -> Result<Arc<Win>> {
    comm.must_be_intra()?;
    if flavor == Flavor::Shared {
        comm.must_be_on_one_host(process, "memory that all can use directly")?;
    }
    let hints = hints::new(flavor, info);
    let lane = coll::lane(process, comm, kind)?;
    let (creations, stamp) = (process.world.tenant::<Creations>(), lane.stamp());
    let new = || Shared::new(comm.group.members());
    let shared = match meet::is_needed(process, comm) {
        // Where ranks share a process, too, each has an end of its own.
        true => Arc::new(new()),
        false => creations.meet(stamp, new),
    };
    let exposed = expose(shared.part(comm.rank)).and(hints);
    if exposed.is_err() {
        shared.spoil();
    }
    let contexts = match meet::is_needed(process, comm) {
        true => meet::introduce(&lane, &shared, comm.rank),
        false => agree(&lane),
    };
    creations.forget(stamp);
    let (contexts, hints) = (contexts?, exposed?);
    if shared.is_spoiled() {
        return Err(Class::OTHER.because("another process could not do its part of the window"));
    }
    settle(&lane, &shared)?;
    if meet::is_needed(process, comm) {
        meet::open(process, &shared, contexts.own, comm.rank);
    }
    let draft = Draft::child(comm, contexts.own, comm.group.clone());
    let hidden = Arc::new(draft.hidden(process));
    let network = process.world.network();
    let new = |handle| Arc::new(Win::new(handle, hidden, shared, flavor, hints, network));
    let made = process.windows.table.insert_with(new).map(|(_, win)| win);
    made.ok_or_else(|| Class::OTHER.because("too many objects: no handle is left for a window"))
}

/// All members have come this far, and know the contexts; or all fail.
fn agree(lane: &Lane<'_>) -> Result<Contexts> {
    let mut bytes = Contexts::draw(lane.process(), lane.rank()).bytes();
    run::block(coll::unite_behind(lane, &mut bytes))?;
    Ok(Words::new(bytes).read().contexts())
}

/// Frees the window behind `handle`, once no member accesses another one's memory any more.
pub fn free(process: &'static Process, handle: usize) -> Result {
    let win = process.win(handle, "win")?;
    let whole = must_be_whole(process, &win);
    match whole.is_ok() && peers::all_live(process, &win) {
        true => win.epochs.must_be_closed()?,
        // Those who would have ended the epoch may be gone.
        false => win.epochs.must_hold_no_locks()?,
    }
    win.attributes.clear(&process.keyvals, handle)?;
    let parted = whole.and_then(|()| coll::block(process, &win.comm, &Barrier::of(Kind::WinFree)));
    if is_death(&parted) {
        return parted;
    }
    win.own_part().close();
    if parted.is_err() {
        peers::tell_left(process, &win);
    }
    meet::close(process, win.comm.context(), parted.is_ok());
    process.windows.remove(handle);
    process.engine.let_go(win.comm.context())?;
    // After a failure the members cannot meet any more; the window goes all the same.
    match parted {
        Err(failure) if !failure.error().is_some_and(|error| error.is_of_a_death) => Err(failure),
        _ => Ok(()),
    }
}
