//! Reading and writing (MPI-5.0 §14.4), in all forms: at explicit offsets, at the individual or the
//! shared file pointer; alone or collectively; blocking, nonblocking or split.

use crate::host::disk::Direction;
use crate::host::memory::Span;
use crate::mpi::coll::claim::{Form, Kind};
use crate::mpi::coll::{self, FileAccess};
use crate::mpi::datatype::{Address, Datatype};
use crate::mpi::error::{Class, Failure, Result, is_death};
use crate::mpi::file::access::{Access, Manner};
use crate::mpi::file::carrier::End;
use crate::mpi::file::faults;
use crate::mpi::file::open_file::{Disk, File, Split};
use crate::mpi::file::pool;
use crate::mpi::file::representation::Items;
use crate::mpi::file::turn;
use crate::mpi::file::view::View;
use crate::mpi::handle_table::Held;
use crate::mpi::p2p::request;
use crate::mpi::p2p::status::{Completed, Status};
use crate::mpi::process::Process;
use crate::mpi::run::{self, Way};
use crate::mpi::transfers::access_files;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};

/// Where an access begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// At this position, in etypes.
    At(i64),
    /// At the individual file pointer.
    Individual,
    /// At the shared file pointer; collectively, one member after the other.
    Shared,
}

/// What a call wants: a direction, where, and which memory.
pub struct Wish {
    pub direction: Direction,
    pub start: Start,
    pub items: Items,
}

impl Wish {
    pub fn new(
        direction: Direction, start: Start, buf: Address, count: i64, datatype: Held<Datatype>,
    ) -> Wish {
        Wish { direction, start, items: Items { buf, count, datatype } }
    }

    fn kind(&self) -> Kind {
        match (self.direction, self.start) {
            (Direction::Read, Start::At(_)) => Kind::FileReadAtAll,
            (Direction::Read, Start::Individual) => Kind::FileReadAll,
            (Direction::Read, Start::Shared) => Kind::FileReadOrdered,
            (Direction::Write, Start::At(_)) => Kind::FileWriteAtAll,
            (Direction::Write, Start::Individual) => Kind::FileWriteAll,
            (Direction::Write, Start::Shared) => Kind::FileWriteOrdered,
        }
    }
}

/// An access that was checked and can begin.
struct Prepared {
    disk: Arc<Disk>,
    manner: Manner,
    access: Access,
    items: Items,
    /// What is in the file, where that differs from what is in memory. It is accessed by its
    /// address only.
    copy: Option<Box<[u8]>>,
}

impl Prepared {
    /// Checks all arguments, and then moves the file pointer if the access uses one. What members
    /// write in order is placed later.
    fn new(process: &Process, file: &File, wish: &Wish, is_collective: bool) -> Result<Prepared> {
        let manner = file.manner(wish.direction)?;
        if wish.start != Start::Shared {
            file.must_be_random()?;
        }
        let (view, items) = (file.view(), wish.items.clone());
        let (region, copy) = memory(process, &view, wish)?;
        let bytes = region.bytes();
        let etypes = view.etypes_in(bytes)?;
        view.must_hold(bytes)?;
        let position = match wish.start {
            Start::At(offset) => offset,
            Start::Individual => file.pass(etypes),
            Start::Shared if is_collective => 0,
            Start::Shared => file.pass_shared(etypes)?,
        };
        let start = view.data_at(position)?;
        let access = Access { view, start, region, owner: process.me };
        Ok(Prepared { disk: file.disk.clone(), manner, access, items, copy })
    }

    /// Carries the access, whoever does it.
    fn carrier(&self) -> impl FnOnce() -> End + Send + 'static {
        let (disk, manner, access) = (self.disk.clone(), self.manner, self.access.clone());
        move || turn::carry(&disk, manner, &access)
    }

    /// What the program is told.
    fn finish(self, process: &Process, end: End) -> Result<Completed> {
        if let Some(address) = end.fault {
            return Err(process.engine.suffer(address).into());
        }
        let moved = end.missing.min(self.access.bytes());
        let told = match &self.copy {
            None => Ok(moved),
            Some(copy) => self.told(process, copy, moved)?,
        };
        let mut status = Status::PLAIN;
        status.set_bytes(*told.as_ref().unwrap_or(&0) as i64);
        let path = self.disk.path.display().to_string();
        let failed = end.error.map_or(Ok(()), |number| Err(faults::failure(number, &path)));
        Ok(Completed { status, news: failed.and(told.map(drop)) })
    }

    /// How many bytes in memory those in the file are, which are stored there first if they were
    /// read. A failed conversion is an error; memory that is not there ends the rank.
    fn told(&self, process: &Process, copy: &[u8], moved: usize) -> Result<Result<usize>> {
        let representation = &self.access.view.representation;
        if self.manner.direction == Direction::Write {
            let each = representation.bytes(process.program, &self.items.datatype)?.max(1);
            return Ok(Ok(self.items.datatype.bytes(moved as i64 / each)?));
        }
        match representation.decode(process.program, &self.items, &copy[..moved]) {
            Ok(Ok(bytes)) => Ok(Ok(bytes)),
            Ok(Err(address)) => Err(process.engine.suffer(address).into()),
            Err(failure) if failure.is_death() => Err(failure),
            Err(failure) => Ok(Err(failure)),
        }
    }
}

/// The memory that is written to the file or read from it, and what keeps it.
fn memory(
    process: &Process, view: &View, wish: &Wish,
) -> Result<(crate::host::memory::Region, Option<Box<[u8]>>)> {
    let Items { buf, count, datatype } = &wish.items;
    let region = datatype.region(*buf, *count)?;
    let representation = &view.representation;
    if representation.is_native() || region.bytes() == 0 {
        return Ok((region, None));
    }
    let each = representation.bytes(process.program, datatype)?;
    let bytes = each.checked_mul(*count).and_then(|bytes| usize::try_from(bytes).ok());
    let bytes = bytes.ok_or_else(|| {
        Class::COUNT.because(format!("count is {count}; so much does not fit a file"))
    })?;
    let mut copy = match wish.direction {
        Direction::Read => vec![0; bytes],
        Direction::Write => match representation.encode(process.program, &wish.items, bytes)? {
            Ok(bytes) => bytes,
            Err(address) => return Err(process.engine.suffer(address).into()),
        },
    }
    .into_boxed_slice();
    Ok((Span::of_mut(&mut copy).into(), Some(copy)))
}

/// Does an access of this process alone.
pub fn perform(process: &'static Process, file: &File, wish: &Wish) -> Result<Completed> {
    let prepared = Prepared::new(process, file, wish, false)?;
    process.engine.step()?;
    let carry = prepared.carrier();
    let end = match (prepared.access.bytes(), file.disk.is_atomic()) {
        (0, _) => End::GOOD,
        // Nobody is ended while it holds the file: a thread of the library does it.
        (_, true) => run::block(pool::perform(process, Way::Blocking, carry))?,
        (_, false) => carry(),
    };
    run::block(access_files(process, Way::Blocking, prepared.access.bytes()))?;
    prepared.finish(process, end)
}

/// Starts an access of this process alone; returns the handle of its request.
pub fn start(process: &'static Process, file: &File, wish: &Wish) -> Result<usize> {
    let prepared = Prepared::new(process, file, wish, false)?;
    let pending = run::start_with_status(process, |way| async move {
        let end = match prepared.access.bytes() {
            0 => End::GOOD,
            _ => pool::perform(process, way, prepared.carrier()).await?,
        };
        access_files(process, way, prepared.access.bytes()).await?;
        prepared.finish(process, end)
    })?;
    process.requests.keep(&file.comm, pending)
}

/// The plan of a collective access. What it needs until its end is kept beside it.
fn plan(process: &'static Process, file: &File, wish: &Wish) -> Result<(FileAccess, Prepared)> {
    let mut prepared = Prepared::new(process, file, wish, true)?;
    let hints = file.hints.lock();
    prepared.manner.buffer = hints.collective_buffer();
    let plan = FileAccess {
        process,
        kind: wish.kind(),
        disk: prepared.disk.clone(),
        manner: prepared.manner,
        access: prepared.access.clone(),
        is_ordered: wish.start == Start::Shared,
        aggregators: hints.aggregators(),
        merges: hints.merges(wish.direction),
        alignment: hints.alignment(),
        end: OnceLock::new(),
    };
    Ok((plan, prepared))
}

/// What came of a collective access at this member. If others have died, that is the news, but
/// what was moved was.
fn concluded(
    process: &Process, prepared: Prepared, end: Option<End>, outcome: Result,
) -> Result<Completed> {
    if is_death(&outcome) {
        return Err(Failure::died());
    }
    let end = end.unwrap_or(End { missing: 0, ..End::GOOD });
    let done = prepared.finish(process, end)?;
    Ok(Completed { news: outcome.and(done.news), ..done })
}

/// Does a collective access.
pub fn perform_all(process: &'static Process, file: &File, wish: &Wish) -> Result<Completed> {
    let (plan, prepared) = match plan(process, file, wish) {
        Ok((plan, prepared)) => (Ok(plan), Ok(prepared)),
        Err(failure) => (Err(failure.clone()), Err(failure)),
    };
    let outcome = coll::block(process, &file.comm, &plan);
    let end = plan.as_ref().ok().and_then(|plan| plan.end.get().copied());
    concluded(process, prepared?, end, outcome)
}

/// Starts a collective access in this form; returns the handle of its request.
fn begin(process: &'static Process, file: &File, wish: &Wish, form: Form) -> Result<usize> {
    let (plan, prepared) = match plan(process, file, wish) {
        Ok((plan, prepared)) => (Ok(plan), Some(prepared)),
        Err(failure) => (Err(failure), None),
    };
    coll::start_with_status(process, &file.comm, form, plan, move |plan: FileAccess, outcome| {
        let prepared = prepared.expect("it has begun, so its arguments are good");
        concluded(process, prepared, plan.end.get().copied(), outcome)
    })
}

/// Starts a collective access; returns the handle of its request.
pub fn start_all(process: &'static Process, file: &File, wish: &Wish) -> Result<usize> {
    begin(process, file, wish, Form::Nonblocking)
}

/// Begins a split collective access: `what` is the call's name without its end.
pub fn begin_split(
    process: &'static Process, file: &File, wish: &Wish, what: &'static str,
) -> Result {
    if let Some(split) = *file.split.lock() {
        let words = format!("{}_begin has not been ended on fh", split.what);
        return Err(Class::IO.because(words));
    }
    let request = begin(process, file, wish, Form::Split)?;
    file.split_request.store(request as i32, Ordering::Relaxed);
    *file.split.lock() = Some(Split { what, request });
    Ok(())
}

/// Ends a split collective access.
pub fn end_split(process: &'static Process, file: &File, what: &str) -> Result<Completed> {
    let split = *file.split.lock();
    let Some(split) = split.filter(|split| split.what == what) else {
        let begun = split.map_or("nothing".to_string(), |split| format!("{}_begin", split.what));
        let words = format!("{what}_end ends {what}_begin, but {begun} has been called on fh");
        return Err(Class::IO.because(words));
    };
    let (_, done) = request::wait(process, split.request)?;
    *file.split.lock() = None;
    Ok(done)
}
