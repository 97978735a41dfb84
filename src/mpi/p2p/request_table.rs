//! The requests of a rank, by handle.
//!
//! Operations that are complete at once share one handle, so that they need no table entry.
//! Lock order: the engine's state, then the requests.

use crate::base::slab::Key;
use crate::base::sync::biased::Biased;
use crate::engine::{Mishap, Ops, Outcome};
use crate::mpi::comm::Comm;
use crate::mpi::error::{Class, Failure, Result};
use crate::mpi::failure::call_trace;
use crate::mpi::handle_table::{self, Held, Shelf, Sort};
use crate::mpi::p2p::generalized_request::General;
use crate::mpi::p2p::outcome::{Pending, completed, doubted, news, status_of};
use crate::mpi::p2p::partitioned::half::Half;
use crate::mpi::p2p::status::{Completed, Status};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::collections::HashMap;
use std::sync::Arc;

pub const NULL: usize = 0x180;
pub(super) const UNDEFINED: i32 = -32766;
/// The handle of all operations that are complete and have nothing to say: no key is 0.
pub const DONE: usize = (Sort::Request as usize) << 27;

/// How a persistent operation is started.
pub type Start = dyn Fn() -> Result<Pending> + Send + Sync;

/// What is to be done around an operation, for the floor above: it keeps what the operation needs.
pub trait Attendant: Send + Sync {
    /// The operation is about to start again.
    fn before(&self);
    /// The program may look at what has come so far; the operation goes on.
    fn meanwhile(&self);
    /// It has ended. May come more than once.
    fn after(&self);
}

/// The requests of a rank, by handle.
#[derive(Default)]
pub struct Requests(pub(super) Biased<Kept>, Failures);

#[derive(Default)]
pub(super) struct Kept {
    pub(super) shelf: Shelf<Request>,
    /// Requests with the handle of a preposted receive (see `engine::rank::preposted`).
    pub(super) preposted: FxHashMap<Key, Key>,
}

impl Kept {
    /// Where the request of this handle is.
    #[inline]
    pub(super) fn key(&self, handle: usize) -> Option<Key> {
        let key = handle_table::key(Sort::Request, handle)?;
        if key.reserved().is_none() {
            return Some(key);
        }
        self.preposted.get(&key).copied()
    }

    #[inline]
    pub(super) fn find(&self, handle: usize) -> Option<&Request> {
        self.shelf.find(self.key(handle)?)
    }

    #[inline]
    pub(super) fn find_mut(&mut self, handle: usize) -> Option<&mut Request> {
        let key = self.key(handle)?;
        self.shelf.find_mut(key)
    }

    /// Removes a request; if it was a preposted receive, its handle is to be released.
    pub(super) fn remove(&mut self, handle: usize) -> Option<(Request, Option<Key>)> {
        let key = self.key(handle)?;
        let request = self.shelf.remove(key)?;
        let receive = handle_table::receive(handle);
        Some((request, receive.filter(|receive| self.preposted.remove(receive).is_some())))
    }
}

pub(super) struct Request {
    /// The communicator whose error handler hears of failures, even if it was freed meanwhile.
    pub(super) comm: Held<Comm>,
    /// `None`: persistent, and not active.
    pub(super) pending: Option<Pending>,
    /// What few requests have.
    pub(super) more: Option<Box<More>>,
}

#[derive(Clone, Default)]
pub(super) struct More {
    pub(super) restart: Option<Arc<Start>>,
    /// The program's functions, of a generalized request.
    pub(super) general: Option<Arc<General>>,
    pub(super) attendant: Option<Arc<dyn Attendant>>,
    /// Of a partitioned message.
    pub(super) half: Option<Arc<Half>>,
}

impl Request {
    #[inline]
    pub(super) fn new(comm: &Held<Comm>, pending: Option<Pending>) -> Request {
        Request { comm: comm.clone(), pending, more: None }
    }

    pub(super) fn with(self, more: More) -> Request {
        Request { more: Some(Box::new(more)), ..self }
    }

    pub(super) fn more(&self) -> More {
        self.more.as_deref().cloned().unwrap_or_default()
    }

    /// Whether it is persistent, and wants nothing more when it is complete.
    #[inline]
    fn is_plainly_persistent(&self) -> bool {
        let is_plain = |more: &More| {
            more.restart.is_some() && more.general.is_none() && more.attendant.is_none()
        };
        self.more.as_deref().is_some_and(is_plain)
    }

    pub(super) fn general(&self) -> Option<&Arc<General>> {
        self.more.as_ref()?.general.as_ref()
    }

    /// True if the program has freed it, and it is kept for [`complete`] only.
    #[inline]
    pub(super) fn is_given_up(&self) -> bool {
        self.more.is_some() && self.general().is_some_and(|general| general.is_given_up())
    }
}

/// The program, if it is to be asked what came of its generalized request.
pub(super) type Asked = Option<Arc<General>>;

/// What looking at a request has brought.
pub(super) enum Step {
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

    /// The handle of a partitioned message.
    pub(super) fn keep_partitioned(
        &self, comm: &Held<Comm>, start: Arc<Start>, half: Arc<Half>,
    ) -> Result<usize> {
        let more = More { restart: Some(start), half: Some(half), ..More::default() };
        self.insert(Request::new(comm, None).with(more))
    }

    /// The operations that run on `comm` without a message of their own.
    pub(in crate::mpi) fn runs_of(&self, comm: &Comm) -> Vec<Key> {
        let kept = self.0.lock();
        let is_there = |request: &&Request| request.comm.context() == comm.context();
        let requests = kept.shelf.keys().filter_map(|key| kept.shelf.find(key)).filter(is_there);
        let runs = requests.filter_map(|request| match request.pending {
            Some(Pending::Run(run) | Pending::Partitioned(run)) => Some(run),
            _ => None,
        });
        runs.collect()
    }

    /// How many there are that have not been completed or freed, without preposted receives,
    /// which the engine counts.
    pub(in crate::mpi) fn count(&self) -> usize {
        let kept = self.0.lock();
        kept.shelf.len() - kept.preposted.len()
    }

    #[inline]
    pub(super) fn insert(&self, request: Request) -> Result<usize> {
        match self.0.lock().shelf.insert(request) {
            Ok(key) => Ok(handle_table::handle(Sort::Request, key)),
            Err(_) => Err(Class::INTERN.because("too many requests: four million are in use")),
        }
    }

    /// Completes a request of one operation that has ended well, if nothing else is to be done for
    /// it. Tells the handle that takes its place, and the status: to return these through memory
    /// costs time. Returns whether the request was completed.
    #[inline]
    pub(super) fn settle_plain(
        &self, ops: &mut Ops, handle: usize, tell: impl FnOnce(usize, Status),
    ) -> bool {
        let Some(key) = handle_table::key(Sort::Request, handle) else { return false };
        let shelf = &mut self.0.lock().shelf;
        let Some(request) = shelf.find_mut(key) else { return false };
        let is_persistent = request.is_plainly_persistent();
        let Some(pending) = request.pending.filter(|_| is_persistent || request.more.is_none())
        else {
            return false;
        };
        let after = if is_persistent { handle } else { NULL };
        let is_settled = match pending {
            Pending::Op(op) => ops.collect_good(op, |outcome| tell(after, status_of(outcome))),
            Pending::Run(run) => {
                ops.collect_good(run, |outcome| tell(after, status_of_run(outcome)))
            }
            _ => return false,
        };
        match is_settled {
            true if is_persistent => request.pending = None,
            true => shelf.discard(key),
            false => {}
        }
        is_settled
    }

    /// What a plain persistent request has started, if it is active.
    #[inline]
    pub(super) fn started(&self, handle: usize) -> Option<Pending> {
        let key = handle_table::key(Sort::Request, handle)?;
        let kept = self.0.lock();
        let request = kept.shelf.find(key)?;
        request.pending.filter(|_| request.is_plainly_persistent())
    }

    /// Whether a completion call has to do with this request.
    pub(super) fn is_active(&self, handle: usize) -> bool {
        let is_pending = |request: &Request| request.pending.is_some() && !request.is_given_up();
        handle == DONE || handle != NULL && self.0.lock().find(handle).is_some_and(is_pending)
    }

    /// A persistent request is not active any more.
    #[inline]
    pub(super) fn rest(&self, handle: usize) {
        if let Some(request) = self.0.lock().find_mut(handle) {
            request.pending = None;
        }
    }

    /// The preposted receive that a persistent request waits for.
    #[inline]
    pub(super) fn preposted(&self, handle: usize) -> Option<Key> {
        let key = handle_table::key(Sort::Request, handle)?;
        match self.0.lock().shelf.find(key)?.pending {
            Some(Pending::Preposted(receive)) => Some(receive),
            _ => None,
        }
    }

    /// Looks at a request, and takes it out of its operation's way if it has ended.
    pub(super) fn step(&self, ops: &mut Ops, handle: usize, is_look: bool) -> Result<Step> {
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
        if let Some(number) = pending.number()
            && !is_look
            && end.news.is_ok()
            && !end.status.is_cancelled()
        {
            call_trace::fulfils(number, end.status.source, end.status.tag);
        }
        if let Pending::Run(run) = pending {
            end.news = end.news.map_err(|failure| self.1.of(run, is_look).unwrap_or(failure));
        }
        end.news = end.news.map_err(|failure| failure.on(&request.comm));
        if let Some(attendant) = request.more.as_ref().and_then(|more| more.attendant.as_ref()) {
            attendant.after();
        }
        let general = request.general().cloned();
        if is_look {
            return Ok(Step::Ended(handle, end, general));
        }
        forget(pending, ops);
        if request.more.as_ref().is_some_and(|more| more.restart.is_some()) {
            request.pending = None;
            return Ok(Step::Ended(handle, end, None));
        }
        if let Some((_, Some(receive))) = kept.remove(handle) {
            ops.release(receive);
        }
        Ok(Step::Ended(NULL, end, general))
    }

    /// Looks at a request; what is wrong with it is its communicator's to hear.
    pub(super) fn look_at<T>(
        &self, handle: usize, look: impl FnOnce(&mut Request) -> Result<T>,
    ) -> Result<T> {
        let mut kept = self.0.lock();
        let request = kept.find_mut(handle).filter(|request| !request.is_given_up());
        let request = request.ok_or_else(|| unknown(handle))?;
        look(request).map_err(|failure| failure.on(&request.comm))
    }
}

/// An operation that has ended well and has nothing to say.
pub(super) fn plain() -> Completed {
    Completed { status: Status::PLAIN, news: Ok(()) }
}

/// What a run has to say: how many bytes of a file it has moved, if it has to do with one.
#[inline]
fn status_of_run(end: &Outcome) -> Status {
    let mut status = Status::PLAIN;
    status.set_bytes(end.bytes as i64);
    status
}

/// There was no operation.
pub(super) fn nothing() -> Completed {
    Completed { status: Status::EMPTY, news: Ok(()) }
}

/// How the operation has ended, if it has.
#[inline]
fn ended(pending: Pending, ops: &Ops) -> Option<Completed> {
    match pending {
        Pending::Nothing => Some(plain()),
        Pending::Complete(status) => Some(Completed { status, news: Ok(()) }),
        Pending::Op(op) | Pending::Wild { op, .. } | Pending::Partitioned(op) => {
            ops.outcome(op).map(completed)
        }
        Pending::Run(run) => {
            ops.outcome(run).map(|end| Completed { status: status_of_run(end), news: news(end) })
        }
        // It becomes an operation before anybody asks for it here.
        Pending::Preposted(_) => None,
        Pending::Two { send, recv, .. } => {
            let (sent, received) = (ops.outcome(send)?, completed(ops.outcome(recv)?));
            Some(Completed { news: received.news.and(news(sent)), ..received })
        }
    }
}

/// The rank whose death, not acknowledged, stands against waiting.
fn doubt(pending: Pending, ops: &Ops) -> Option<i32> {
    match pending {
        Pending::Op(op) | Pending::Wild { op, .. } | Pending::Two { recv: op, .. } => ops.doubt(op),
        Pending::Nothing
        | Pending::Complete(_)
        | Pending::Preposted(_)
        | Pending::Run(_)
        | Pending::Partitioned(_) => None,
    }
}

fn forget(pending: Pending, ops: &mut Ops) {
    match pending {
        Pending::Nothing | Pending::Complete(_) | Pending::Preposted(_) => {}
        Pending::Op(op)
        | Pending::Wild { op, .. }
        | Pending::Run(op)
        | Pending::Partitioned(op) => drop(ops.collect(op)),
        Pending::Two { send, recv, .. } => [send, recv].into_iter().for_each(|op| {
            ops.collect(op);
        }),
    }
}

#[cold]
pub(super) fn unknown(handle: usize) -> Failure {
    let words = match handle {
        NULL => "request is MPI_REQUEST_NULL".to_string(),
        0 => "request is a null pointer, not a valid request handle".to_string(),
        _ => format!(
            "request is {handle:#x}, not a valid request handle (was it completed already?)"
        ),
    };
    Class::REQUEST.because(words)
}

/// The failures of runs, kept until the program asks for them.
#[derive(Default)]
pub struct Failures(Mutex<HashMap<u32, Failure>>);

impl Failures {
    /// How the run under `key` ends for the engine.
    pub(in crate::mpi) fn end(
        &self, key: Key, end: Result,
    ) -> std::result::Result<Outcome, crate::engine::Died> {
        let mishap = match end {
            Ok(()) => None,
            Err(failure) if failure.is_death() => return Err(crate::engine::Died),
            Err(failure) => {
                self.0.lock().insert(key.number(), failure);
                Some(Mishap::Failed)
            }
        };
        Ok(Outcome { mishap, ..Outcome::default() })
    }

    /// How the run under `key` has failed; it is forgotten unless this `is_look`.
    pub(in crate::mpi) fn of(&self, key: Key, is_look: bool) -> Option<Failure> {
        let mut failures = self.0.lock();
        match is_look {
            true => failures.get(&key.number()).cloned(),
            false => failures.remove(&key.number()),
        }
    }
}
