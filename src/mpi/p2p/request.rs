//! Requests: operations that the program starts and completes later (MPI-5.0 §3.7, §3.9).
//!
//! Operations that are complete at once share one handle, so that they need no table entry.
//! Lock order: the engine's state, then the requests.

mod many;

pub use many::{Many, Places};

use crate::base::slab::Key;
use crate::base::sync::biased::Biased;
use crate::engine::Ops;
use crate::mpi::checks;
use crate::mpi::comm::Comm;
use crate::mpi::error::{Class, Failure, Result};
use crate::mpi::handle_table::{self, Held, Shelf, Sort};
use crate::mpi::p2p::generalized_request::General;
use crate::mpi::p2p::status::{Completed, Status};
use crate::mpi::p2p::{Pending, completed, doubted, news, status_of};
use crate::mpi::process::Process;
use crate::mpi::run::Failures;
use std::ops::Range;
use std::sync::Arc;

pub const NULL: usize = 0x180;
const UNDEFINED: i32 = -32766;
/// The handle of all operations that are complete and have nothing to say: no key is 0.
pub const DONE: usize = (Sort::Request as usize) << 27;

/// How a persistent operation is started.
pub type Start = dyn Fn(&Process) -> Result<Pending> + Send + Sync;

/// What is to be done around an operation, for the floor above: it keeps what the operation needs.
pub trait Attendant: Send + Sync {
    /// The operation is about to start again.
    fn before(&self);
    /// It has ended. May come more than once.
    fn after(&self);
}

/// The requests of a rank, by handle.
#[derive(Default)]
pub struct Requests(Biased<Kept>, Failures);

#[derive(Default)]
struct Kept {
    shelf: Shelf<Request>,
    /// Requests with the handle of a preposted receive (see `engine::rank::preposted`).
    booked: Vec<(Key, Key)>,
}

impl Kept {
    /// Where the request of this handle is.
    #[inline]
    fn key(&self, handle: usize) -> Option<Key> {
        let key = handle_table::key(Sort::Request, handle)?;
        if key.reserved().is_none() {
            return Some(key);
        }
        let booked = self.booked.iter().find(|(booking, _)| *booking == key);
        booked.map(|(_, key)| *key)
    }

    #[inline]
    fn find(&self, handle: usize) -> Option<&Request> {
        self.shelf.find(self.key(handle)?)
    }

    #[inline]
    fn find_mut(&mut self, handle: usize) -> Option<&mut Request> {
        let key = self.key(handle)?;
        self.shelf.find_mut(key)
    }

    /// Removes a request; if it was a preposted receive, its handle is to be released.
    fn remove(&mut self, handle: usize) -> Option<(Request, Option<Key>)> {
        let key = self.key(handle)?;
        let request = self.shelf.remove(key)?;
        let booked = self.booked.iter().position(|(_, other)| *other == key);
        Some((request, booked.map(|index| self.booked.swap_remove(index).0)))
    }
}

struct Request {
    /// The communicator whose error handler hears of failures, even if it was freed meanwhile.
    comm: Held<Comm>,
    /// `None`: persistent, and not active.
    pending: Option<Pending>,
    /// What few requests have.
    more: Option<Box<More>>,
}

#[derive(Clone, Default)]
struct More {
    restart: Option<Arc<Start>>,
    /// The program's functions, of a generalized request.
    general: Option<Arc<General>>,
    attendant: Option<Arc<dyn Attendant>>,
}

impl Request {
    #[inline]
    fn new(comm: &Held<Comm>, pending: Option<Pending>) -> Request {
        Request { comm: comm.clone(), pending, more: None }
    }

    fn with(self, more: More) -> Request {
        Request { more: Some(Box::new(more)), ..self }
    }

    fn more(&self) -> More {
        self.more.as_deref().cloned().unwrap_or_default()
    }

    fn general(&self) -> Option<&Arc<General>> {
        self.more.as_ref()?.general.as_ref()
    }

    /// True if the program has freed it, and it is kept for [`complete`] only.
    #[inline]
    fn is_given_up(&self) -> bool {
        self.more.is_some() && self.general().is_some_and(|general| general.is_given_up())
    }
}

/// The program, if it is to be asked what came of its generalized request.
type Asked = Option<Arc<General>>;

/// What looking at a request has brought.
enum Step {
    /// There is nothing to wait for: MPI_REQUEST_NULL, or persistent and not active.
    Inactive,
    Pending,
    /// Active, but a waiting caller is told of a death that is not acknowledged.
    Doubted(Failure),
    /// Ended; the handle is from now on this one. The program may have something to say, which it
    /// is asked once no lock is held.
    Ended(usize, Completed, Asked),
}

impl Requests {
    pub fn new() -> Requests {
        Requests::default()
    }

    /// Removes all requests, unless a thread died while it changed them.
    pub(in crate::mpi) fn clear(&self) {
        let left = self.0.try_visit().map(|mut kept| std::mem::take(&mut *kept));
        drop(left);
    }

    /// How nonblocking collective operations have failed.
    pub(in crate::mpi) fn failures(&self) -> &Failures {
        &self.1
    }

    /// The handle of an operation that was started on `comm`.
    #[inline]
    pub fn keep(&self, comm: &Held<Comm>, pending: Pending) -> Result<usize> {
        match pending {
            Pending::Nothing => Ok(DONE),
            _ => self.insert(Request::new(comm, Some(pending))),
        }
    }

    /// The handle of an operation that `start` starts as often as wanted.
    pub fn keep_persistent(&self, comm: &Held<Comm>, start: Arc<Start>) -> Result<usize> {
        self.insert(Request::new(comm, None).with(More { restart: Some(start), ..More::default() }))
    }

    /// How many there are that have not been completed or freed, without preposted receives,
    /// which the engine counts.
    pub(in crate::mpi) fn count(&self) -> usize {
        let kept = self.0.lock();
        kept.shelf.len() - kept.booked.len()
    }

    #[inline]
    fn insert(&self, request: Request) -> Result<usize> {
        match self.0.lock().shelf.insert(request) {
            Ok(key) => Ok(handle_table::handle(Sort::Request, key)),
            Err(_) => Err(Class::INTERN.because("too many requests: four million are in use")),
        }
    }

    /// Completes a request that is of one operation, which has ended well, and wants no more;
    /// `None` if it is of another sort or has not ended.
    #[inline]
    fn settled_plain(&self, ops: &mut Ops, handle: usize) -> Option<Status> {
        let mut plain = None;
        self.settle_plain(ops, handle, |status| plain = Some(status));
        plain
    }

    /// Like `settled_plain`, but hands the status to `tell` instead of returning it: passing a
    /// status through memory costs time. Returns whether the request was completed.
    #[inline]
    fn settle_plain(&self, ops: &mut Ops, handle: usize, tell: impl FnOnce(Status)) -> bool {
        let Some(key) = handle_table::key(Sort::Request, handle) else { return false };
        let shelf = &mut self.0.lock().shelf;
        let Some(Request { pending: Some(Pending::Op(op)), more: None, .. }) = shelf.find(key)
        else {
            return false;
        };
        let is_settled = ops.collect_good(*op, |outcome| tell(status_of(outcome)));
        if is_settled {
            shelf.discard(key);
        }
        is_settled
    }

    /// Looks at a request, and takes it out of its operation's way if it has ended.
    fn step(&self, ops: &mut Ops, handle: usize, is_look: bool) -> Result<Step> {
        if handle == NULL {
            return Ok(Step::Inactive);
        }
        if handle == DONE {
            return Ok(Step::Ended(NULL, plain(), None));
        }
        let mut kept = self.0.lock();
        let request = kept.find_mut(handle).filter(|request| !request.is_given_up());
        let request = request.ok_or_else(|| unknown(handle))?;
        let Some(pending) = request.pending else { return Ok(Step::Inactive) };
        let Some(mut end) = ended(pending, ops) else {
            return match doubt(pending, ops) {
                // It goes on; only the waiting does not.
                Some(rank) => Ok(Step::Doubted(doubted(rank).on(&request.comm))),
                None => Ok(Step::Pending),
            };
        };
        if let Pending::Run(run) = pending {
            end.news = end.news.map_err(|failure| self.1.of(run, is_look).unwrap_or(failure));
        }
        end.news = end.news.map_err(|failure| failure.on(&request.comm));
        let More { restart, general, attendant } = request.more();
        if let Some(attendant) = attendant {
            attendant.after();
        }
        if is_look {
            return Ok(Step::Ended(handle, end, general));
        }
        forget(pending, ops);
        if restart.is_some() {
            request.pending = None;
            return Ok(Step::Ended(handle, end, None));
        }
        if let Some((_, Some(booking))) = kept.remove(handle) {
            ops.release(booking);
        }
        Ok(Step::Ended(NULL, end, general))
    }

    /// Why nobody waits for a request any more that has not ended: the others recover. Where it
    /// can still end well, it goes on. What a rank does with itself needs no others.
    #[inline]
    fn interruption(&self, process: &Process, handle: usize) -> Option<Failure> {
        match process.engine.is_called() && process.world.rules().modes().is_some() {
            true => self.interrupted(handle),
            false => None,
        }
    }

    #[cold]
    fn interrupted(&self, handle: usize) -> Option<Failure> {
        let words = "the other ranks are recovering from a failure; the request is still active";
        let kept = self.0.lock();
        let request = kept.find(handle)?;
        let needs_others = request.general().is_some() || !request.comm.is_alone();
        let is_concerned = request.pending.is_some() && needs_others;
        is_concerned.then(|| {
            let failure = Class::PROC_ABORTED.because(words);
            // A generalized request is of no communicator.
            if request.general().is_some() { failure } else { failure.on(&request.comm) }
        })
    }

    /// Fails when one of those handles is none. What was booked is a request like any other from
    /// now on.
    fn check(
        &self, process: &'static Process, requests: &impl Places, mut those: Range<usize>,
    ) -> Result {
        those.clone().for_each(|index| admit(process, requests.key(index)));
        if !checks::are_on() {
            return Ok(());
        }
        let kept = self.0.lock();
        those.try_for_each(|index| {
            let handle = requests.key(index);
            let is_known = || kept.find(handle).is_some_and(|request| !request.is_given_up());
            match handle == DONE || handle == NULL || is_known() {
                true => Ok(()),
                false => Err(unknown_at(index, handle)),
            }
        })
    }

    /// Looks at a request; what is wrong with it is its communicator's to hear.
    fn find<T>(&self, handle: usize, look: impl FnOnce(&mut Request) -> Result<T>) -> Result<T> {
        let mut kept = self.0.lock();
        let request = kept.find_mut(handle).filter(|request| !request.is_given_up());
        let request = request.ok_or_else(|| unknown(handle))?;
        look(request).map_err(|failure| failure.on(&request.comm))
    }
}

/// Turns a preposted receive into an ordinary request; its handle stays.
#[inline]
fn admit(process: &'static Process, handle: usize) {
    if let Some(booking) = handle_table::booking(handle) {
        admit_booking(process, booking);
    }
}

#[cold]
fn admit_booking(process: &'static Process, booking: Key) {
    let is_known = |kept: &Kept| kept.booked.iter().any(|(known, _)| *known == booking);
    if is_known(&process.requests.0.lock()) {
        return;
    }
    let Some(op) = process.engine.admit(booking) else { return };
    let world = Held::Ever(process.world_of_old());
    let mut kept = process.requests.0.lock();
    if let Ok(key) = kept.shelf.insert(Request::new(&world, Some(Pending::Op(op)))) {
        kept.booked.push((booking, key));
    }
}

/// Gives the operation of `handle`, which was just started, an attendant.
pub fn attend(process: &'static Process, handle: usize, attendant: Arc<dyn Attendant>) {
    admit(process, handle);
    let mut kept = process.requests.0.lock();
    match kept.find_mut(handle) {
        Some(request) => request.more.get_or_insert_default().attendant = Some(attendant),
        // It is over.
        None => attendant.after(),
    }
}

/// An operation that has ended well and has nothing to say.
fn plain() -> Completed {
    Completed { status: Status::PLAIN, news: Ok(()) }
}

/// There was no operation.
fn nothing() -> Completed {
    Completed { status: Status::EMPTY, news: Ok(()) }
}

/// How the operation has ended, if it has.
#[inline]
fn ended(pending: Pending, ops: &Ops) -> Option<Completed> {
    match pending {
        Pending::Nothing => Some(plain()),
        Pending::Complete(status) => Some(Completed { status, news: Ok(()) }),
        Pending::Op(op) => ops.outcome(op).map(completed),
        Pending::Run(run) => {
            ops.outcome(run).map(|end| Completed { status: Status::PLAIN, news: news(end) })
        }
        Pending::Two { send, recv } => {
            let (sent, received) = (ops.outcome(send)?, completed(ops.outcome(recv)?));
            Some(Completed { news: received.news.and(news(sent)), ..received })
        }
    }
}

/// The rank whose death, not acknowledged, stands against waiting.
fn doubt(pending: Pending, ops: &Ops) -> Option<i32> {
    match pending {
        Pending::Op(op) | Pending::Two { recv: op, .. } => ops.doubt(op),
        Pending::Nothing | Pending::Complete(_) | Pending::Run(_) => None,
    }
}

fn forget(pending: Pending, ops: &mut Ops) {
    match pending {
        Pending::Nothing | Pending::Complete(_) => {}
        Pending::Op(op) | Pending::Run(op) => drop(ops.collect(op)),
        Pending::Two { send, recv } => [send, recv].into_iter().for_each(|op| {
            ops.collect(op);
        }),
    }
}

#[cold]
fn unknown(handle: usize) -> Failure {
    let words = match handle {
        NULL => "request is MPI_REQUEST_NULL".to_string(),
        0 => "request is a null pointer, not a valid request handle".to_string(),
        _ => format!(
            "request is {handle:#x}, not a valid request handle (was it completed already?)"
        ),
    };
    Class::REQUEST.because(words)
}

#[cold]
fn unknown_at(index: usize, handle: usize) -> Failure {
    let words = format!(
        "element {index} of array_of_requests is {handle:#x}, which is no request (was it \
         completed already?)"
    );
    Class::REQUEST.because(words)
}

/// Waits for one request. Returns the handle that takes its place, and what came of it.
pub fn wait(process: &'static Process, handle: usize) -> Result<(usize, Completed)> {
    if handle == DONE || handle == NULL {
        return Ok((NULL, if handle == DONE { plain() } else { nothing() }));
    }
    admit(process, handle);
    let step = process.engine.wait_for(|ops| {
        if let Some(status) = process.requests.settled_plain(ops, handle) {
            return Some(Ok(Step::Ended(NULL, status.into(), None)));
        }
        match process.requests.step(ops, handle, false) {
            Ok(Step::Pending) => process.requests.interruption(process, handle).map(Err),
            other => Some(other),
        }
    })?;
    settled(process, handle, step?, false)
}

/// Asks whether a request has ended; only looks, or also completes it.
pub fn test(
    process: &'static Process, handle: usize, is_look: bool,
) -> Result<Option<(usize, Completed)>> {
    admit(process, handle);
    let step = process.engine.poll(|ops| match process.requests.step(ops, handle, is_look) {
        Ok(Step::Pending) => process.requests.interruption(process, handle).map(Err),
        other => Some(other),
    })?;
    step.map(|step| settled(process, handle, step?, is_look)).transpose()
}

fn settled(
    process: &Process, handle: usize, step: Step, is_look: bool,
) -> Result<(usize, Completed)> {
    match step {
        Step::Ended(after, end, None) => Ok((after, end)),
        Step::Ended(after, _, Some(general)) => Ok((after, general.ended(process, is_look))),
        Step::Inactive | Step::Pending => Ok((handle, nothing())),
        Step::Doubted(failure) => Err(failure),
    }
}

fn can_start(request: &Request) -> Result<&Arc<Start>> {
    let Some(start) = request.more.as_ref().and_then(|more| more.restart.as_ref()) else {
        return Err(Class::REQUEST
            .because("request is not persistent; only persistent requests can be started"));
    };
    if request.pending.is_some() {
        return Err(
            Class::REQUEST.because("request is active; complete it before it is started again")
        );
    }
    Ok(start)
}

/// Starts a persistent request.
pub fn start(process: &'static Process, handle: usize) -> Result {
    admit(process, handle);
    let (comm, restart, attendant) = process.requests.find(handle, |request| {
        let start = can_start(request)?.clone();
        Ok((request.comm.clone(), start, request.more().attendant))
    })?;
    if let Some(attendant) = attendant {
        attendant.before();
    }
    let pending = restart(process).map_err(|failure| failure.on(&comm))?;
    process.requests.find(handle, |request| {
        request.pending = Some(pending);
        Ok(())
    })
}

/// Starts persistent requests; none of them, when one cannot be started.
pub fn start_all(process: &'static Process, count: usize, key: impl Fn(usize) -> usize) -> Result {
    for index in 0..count {
        admit(process, key(index));
        process.requests.find(key(index), |request| can_start(request).map(drop))?;
    }
    (0..count).try_for_each(|index| start(process, key(index)))
}

/// Marks an operation for cancellation; it ends soon, with or without effect.
pub fn cancel(process: &'static Process, handle: usize) -> Result {
    if handle == DONE {
        return Ok(());
    }
    admit(process, handle);
    let (pending, general) = process.requests.find(handle, |request| match request.pending {
        None => {
            let words = "request is persistent and inactive; there is nothing to cancel";
            Err(Class::REQUEST.because(words))
        }
        Some(Pending::Run(_)) => {
            let words = "request is of a collective operation, which cannot be cancelled";
            Err(Class::REQUEST.because(words))
        }
        Some(pending) => Ok((pending, request.general().cloned())),
    })?;
    if let Some(general) = general {
        return general.cancel(process);
    }
    // The two halves of an MPI_Isendrecv cannot be cancelled together, so neither is.
    if let Pending::Op(op) = pending {
        process.engine.cancel(op);
    }
    Ok(())
}

/// Forgets a request; its operation goes on to its end.
pub fn free(process: &'static Process, handle: usize) -> Result {
    if handle == DONE {
        return Ok(());
    }
    admit(process, handle);
    let run = process.requests.find(handle, |request| match request.pending {
        Some(Pending::Run(run)) => Ok(Some(run)),
        _ => Ok(None),
    })?;
    if let Some(run) = run {
        must_have_ended(process, handle, run)?;
    }
    let general = process.requests.find(handle, |request| Ok(request.general().cloned()))?;
    if general.as_ref().is_some_and(|general| !general.give_up()) {
        return Ok(());
    }
    let removed = process.requests.0.lock().remove(handle);
    let (request, booking) = removed.ok_or_else(|| unknown(handle))?;
    if let Some(booking) = booking {
        process.engine.release(booking);
    }
    if request.pending.is_some() {
        // The operation continues, and its end will not be noticed.
        std::mem::forget(request.more().attendant);
    }
    match request.pending {
        Some(Pending::Op(op) | Pending::Run(op)) => process.engine.abandon(op),
        Some(Pending::Two { send, recv }) => {
            process.engine.abandon(send);
            process.engine.abandon(recv);
        }
        None | Some(Pending::Nothing | Pending::Complete(_)) => {}
    }
    general.map_or(Ok(()), |general| general.free(process))
}

/// Fails for a collective operation that is active (MPI-5.0 §6.12); one that has ended may be freed
/// like any other, however soon it came to its end.
fn must_have_ended(process: &Process, handle: usize, run: Key) -> Result {
    let end = process.engine.poll(|ops| ops.outcome(run).map(drop))?;
    process.requests.find(handle, |_| match end {
        Some(()) => {
            process.requests.failures().of(run, false);
            Ok(())
        }
        None => {
            let words = "request is of a collective operation that is active; it cannot be freed";
            Err(Class::REQUEST.because(words))
        }
    })
}

/// A generalized request: the program does the work, and says when it is complete.
pub fn start_general(process: &'static Process, general: General) -> Result<usize> {
    let pending = Pending::Op(process.engine.open());
    let request = Request::new(&Held::Ever(process.self_comm()), Some(pending));
    process
        .requests
        .insert(request.with(More { general: Some(Arc::new(general)), ..More::default() }))
}

/// The program says that a generalized request is complete.
pub fn complete(process: &Process, handle: usize) -> Result {
    let mut kept = process.requests.0.lock();
    let request = kept.find(handle).ok_or_else(|| unknown(handle))?;
    let (Some(general), Some(Pending::Op(op))) = (request.general().cloned(), request.pending)
    else {
        return Err(Class::REQUEST.because("request is not a generalized one"));
    };
    let is_given_up = general.complete()?;
    if is_given_up {
        kept.remove(handle);
    }
    drop(kept);
    process.engine.close(op);
    if is_given_up {
        process.engine.abandon(op);
        return general.free(process);
    }
    Ok(())
}
