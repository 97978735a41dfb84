//! Requests: operations that the program has started and asks for later (MPI-5.0 §3.7, §3.9).
//!
//! Operations that were complete from the start share one handle, so that they cost no entry.
//! Lock order: the engine's state, then the requests.

use crate::engine::Ops;
use crate::mpi::comm::Comm;
use crate::mpi::error::{Class, Error, Failure, Result};
use crate::mpi::grequest::General;
use crate::mpi::process::Process;
use crate::mpi::pt2pt::{Pending, completed, news};
use crate::mpi::run::Failures;
use crate::mpi::status::{Completed, Status};
use crate::mpi::table::{self, Held, Shelf, Sort};
use parking_lot::Mutex;
use std::sync::Arc;

pub const NULL: usize = 0x180;
const UNDEFINED: i32 = -32766;
/// The handle of all operations that are complete and have nothing to say: no key is 0.
const DONE: usize = (Sort::Request as usize) << 27;

/// How a persistent operation is started.
pub type Start = dyn Fn(&Process) -> Result<Pending> + Send + Sync;

/// The requests of a rank, by handle.
#[derive(Default)]
pub struct Requests(Mutex<Shelf<Request>>, Failures);

struct Request {
    /// The communicator whose error handler hears of failures, even if it was freed meanwhile.
    comm: Held<Comm>,
    /// `None`: persistent, and not active.
    pending: Option<Pending>,
    restart: Option<Arc<Start>>,
    /// The program's functions, of a generalized request.
    general: Option<Arc<General>>,
}

impl Request {
    fn new(comm: &Held<Comm>, pending: Option<Pending>) -> Request {
        let comm = comm.clone();
        Request { comm, pending, restart: None, general: None }
    }

    /// True if the program has freed it, and it is kept for [`complete`] only.
    fn is_given_up(&self) -> bool {
        self.general.as_ref().is_some_and(|general| general.is_given_up())
    }
}

/// The program, if it is to be asked what came of its generalized request.
type Asked = Option<Arc<General>>;

/// What looking at a request has brought.
enum Step {
    /// There is nothing to wait for: MPI_REQUEST_NULL, or persistent and not active.
    Inactive,
    Pending,
    /// Ended; the handle is from now on this one. The program may have something to say, which it
    /// is asked once no lock is held.
    Ended(usize, Completed, Asked),
}

impl Requests {
    pub fn new() -> Requests {
        Requests::default()
    }

    /// How nonblocking collective operations have failed.
    pub(super) fn failures(&self) -> &Failures {
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
        self.insert(Request { restart: Some(start), ..Request::new(comm, None) })
    }

    fn insert(&self, request: Request) -> Result<usize> {
        match self.0.lock().insert(request) {
            Ok(key) => Ok(table::handle(Sort::Request, key)),
            Err(_) => Err(Class::INTERN.because("there are four million requests already")),
        }
    }

    /// Looks at a request, and takes it out of its operation's way if it has ended.
    #[inline]
    fn step(&self, ops: &mut Ops, handle: usize, is_look: bool) -> Result<Step> {
        if handle == NULL {
            return Ok(Step::Inactive);
        }
        if handle == DONE {
            return Ok(Step::Ended(NULL, nothing(), None));
        }
        let mut shelf = self.0.lock();
        let key = table::key(Sort::Request, handle);
        let request = key.and_then(|key| shelf.find_mut(key).map(|request| (key, request)));
        let request = request.filter(|(_, request)| !request.is_given_up());
        let (key, request) = request.ok_or_else(|| unknown(handle))?;
        let Some(pending) = request.pending else { return Ok(Step::Inactive) };
        let Some(mut end) = ended(pending, ops) else { return Ok(Step::Pending) };
        if let Pending::Run(run) = pending {
            end.news = end.news.map_err(|failure| self.1.of(run, is_look).unwrap_or(failure));
        }
        end.news = end.news.map_err(|failure| failure.on(&request.comm));
        let general = request.general.clone();
        if is_look {
            return Ok(Step::Ended(handle, end, general));
        }
        forget(pending, ops);
        if request.restart.is_some() {
            request.pending = None;
            return Ok(Step::Ended(handle, end, None));
        }
        shelf.remove(key);
        Ok(Step::Ended(NULL, end, general))
    }

    /// Fails when one of the handles is none.
    fn check(&self, requests: &impl Places, count: usize) -> Result {
        let shelf = self.0.lock();
        for index in 0..count {
            let handle = requests.key(index);
            let key = table::key(Sort::Request, handle);
            let request = key.and_then(|key| shelf.find(key));
            let is_known = request.is_some_and(|request| !request.is_given_up());
            if !is_known && handle != NULL && handle != DONE {
                return Err(unknown_at(index, handle));
            }
        }
        Ok(())
    }

    fn find<T>(&self, handle: usize, look: impl FnOnce(&mut Request) -> Result<T>) -> Result<T> {
        let mut shelf = self.0.lock();
        let request = table::key(Sort::Request, handle).and_then(|key| shelf.find_mut(key));
        let request = request.filter(|request| !request.is_given_up());
        look(request.ok_or_else(|| unknown(handle))?)
    }
}

fn nothing() -> Completed {
    Completed { status: Status::EMPTY, news: Ok(()) }
}

/// How the operation has ended, if it has.
#[inline]
fn ended(pending: Pending, ops: &Ops) -> Option<Completed> {
    match pending {
        Pending::Nothing => Some(nothing()),
        Pending::Complete(status) => Some(Completed { status, news: Ok(()) }),
        Pending::Op(op) => ops.outcome(op).map(completed),
        Pending::Run(run) => {
            ops.outcome(run).map(|end| Completed { status: Status::EMPTY, news: news(end) })
        }
        Pending::Two { send, recv } => {
            let (sent, received) = (ops.outcome(send)?, completed(ops.outcome(recv)?));
            Some(Completed { news: received.news.and(news(sent)), ..received })
        }
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
        0 => "request is a null pointer, not a handle of a request".to_string(),
        _ => format!("request is {handle:#x}, which is no request (was it completed already?)"),
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
pub fn wait(process: &Process, handle: usize) -> Result<(usize, Completed)> {
    if handle == DONE || handle == NULL {
        return Ok((NULL, nothing()));
    }
    let step = process.engine.wait_for(|ops| match process.requests.step(ops, handle, false) {
        Ok(Step::Pending) => None,
        other => Some(other),
    })?;
    settled(process, handle, step?, false)
}

/// Asks whether a request has ended; only looks, or also completes it.
pub fn test(process: &Process, handle: usize, is_look: bool) -> Result<Option<(usize, Completed)>> {
    let step = process.engine.poll(|ops| match process.requests.step(ops, handle, is_look) {
        Ok(Step::Pending) => None,
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
    }
}

fn can_start(request: &Request) -> Result<&Arc<Start>> {
    let Some(start) = &request.restart else {
        return Err(Class::REQUEST.because("request is not persistent; it was started once"));
    };
    if request.pending.is_some() {
        return Err(Class::REQUEST.because("request is active; it must end before it is started"));
    }
    Ok(start)
}

/// Starts a persistent request.
pub fn start(process: &Process, handle: usize) -> Result {
    let (comm, restart) = process.requests.find(handle, |request| {
        let start = can_start(request)?.clone();
        Ok((request.comm.clone(), start))
    })?;
    let pending = restart(process).map_err(|failure| failure.on(&comm))?;
    process.requests.find(handle, |request| {
        request.pending = Some(pending);
        Ok(())
    })
}

/// Starts persistent requests; none of them, when one cannot be started.
pub fn start_all(process: &Process, count: usize, key: impl Fn(usize) -> usize) -> Result {
    for index in 0..count {
        process.requests.find(key(index), |request| can_start(request).map(drop))?;
    }
    (0..count).try_for_each(|index| start(process, key(index)))
}

/// Marks an operation for cancellation; it ends soon, with or without effect.
pub fn cancel(process: &Process, handle: usize) -> Result {
    if handle == DONE {
        return Ok(());
    }
    let (pending, general) = process.requests.find(handle, |request| {
        let pending = request.pending.ok_or_else(|| {
            Class::REQUEST.because("request is persistent and not active; nothing can be cancelled")
        })?;
        Ok((pending, request.general.clone()))
    })?;
    if let Some(general) = general {
        return general.cancel(process);
    }
    match pending {
        Pending::Op(op) => process.engine.cancel(op),
        Pending::Run(_) => {
            let words = "request is of a collective operation, which cannot be cancelled";
            return Err(Class::REQUEST.because(words));
        }
        // The two halves of an MPI_Isendrecv cannot be cancelled together, so neither is.
        _ => {}
    }
    Ok(())
}

/// Forgets a request; its operation goes on to its end.
pub fn free(process: &Process, handle: usize) -> Result {
    if handle == DONE {
        return Ok(());
    }
    process.requests.find(handle, |request| match request.pending {
        Some(Pending::Run(_)) => {
            let words = "request is of a collective operation that is active; it cannot be freed";
            Err(Class::REQUEST.because(words))
        }
        _ => Ok(()),
    })?;
    let general = process.requests.find(handle, |request| Ok(request.general.clone()))?;
    if general.as_ref().is_some_and(|general| !general.give_up()) {
        return Ok(());
    }
    let key = table::key(Sort::Request, handle);
    let request = key.and_then(|key| process.requests.0.lock().remove(key));
    match request.ok_or_else(|| unknown(handle))?.pending {
        Some(Pending::Op(op) | Pending::Run(op)) => process.engine.abandon(op),
        Some(Pending::Two { send, recv }) => {
            process.engine.abandon(send);
            process.engine.abandon(recv);
        }
        None | Some(Pending::Nothing | Pending::Complete(_)) => {}
    }
    general.map_or(Ok(()), |general| general.free(process))
}

/// A generalized request: the program does the work, and says when it is complete.
pub fn start_general(process: &'static Process, general: General) -> Result<usize> {
    let pending = Pending::Op(process.engine.open());
    let request = Request::new(&Held::Ever(process.self_comm()), Some(pending));
    process.requests.insert(Request { general: Some(Arc::new(general)), ..request })
}

/// The program says that a generalized request is complete.
pub fn complete(process: &Process, handle: usize) -> Result {
    let mut shelf = process.requests.0.lock();
    let key = table::key(Sort::Request, handle);
    let request = key.and_then(|key| Some((key, shelf.find(key)?)));
    let (key, request) = request.ok_or_else(|| unknown(handle))?;
    let (Some(general), Some(Pending::Op(op))) = (request.general.clone(), request.pending) else {
        return Err(Class::REQUEST.because("request is not a generalized one"));
    };
    let is_given_up = general.complete()?;
    if is_given_up {
        shelf.remove(key);
    }
    drop(shelf);
    process.engine.close(op);
    if is_given_up {
        process.engine.abandon(op);
        return general.free(process);
    }
    Ok(())
}

/// The caller's arrays of requests and statuses. Statuses keep their MPI_ERROR but when told.
pub trait Places {
    fn key(&self, index: usize) -> usize;
    fn set_key(&self, index: usize, key: usize);
    fn set_status(&self, index: usize, status: Status);
    fn set_error(&self, index: usize, code: i32);
}

/// One call on many requests.
pub struct Many<'a, P> {
    pub process: &'a Process,
    pub places: P,
    pub count: usize,
    /// Only looks, and completes nothing (MPI_Request_get_status and its like).
    pub is_look: bool,
}

/// What went wrong in a call on many requests: where, by which code; and the first in words.
#[derive(Default)]
struct Trouble {
    codes: Vec<(usize, i32)>,
    first: Option<Error>,
    /// Generalized requests that have ended, and where their statuses go.
    general: Vec<(usize, Arc<General>)>,
}

impl Trouble {
    fn add(&mut self, place: usize, failure: Failure) {
        if let Failure::Error(error) = failure {
            self.codes.push((place, error.class.0));
            self.first.get_or_insert(*error);
        }
    }

    /// Asks the program about its own requests: no lock is held any more.
    fn ask<P: Places>(&mut self, many: &Many<'_, P>) {
        for (place, general) in std::mem::take(&mut self.general) {
            let end = general.ended(many.process, many.is_look);
            many.places.set_status(place, end.status);
            end.news.unwrap_or_else(|failure| self.add(place, failure));
        }
    }

    /// The error of the call, with the codes of the first `count` statuses set.
    fn raise(self, places: &impl Places, count: usize) -> Result {
        let Some(first) = self.first else { return Ok(()) };
        (0..count).for_each(|place| places.set_error(place, 0));
        self.codes.iter().for_each(|(place, code)| places.set_error(*place, *code));
        let words = format!("{} of {count} requests failed; the first: ", self.codes.len());
        let detail = (words + &first.detail).into();
        Err(Failure::Error(Box::new(Error { class: Class::IN_STATUS, detail, on: first.on })))
    }
}

impl<P: Places> Many<'_, P> {
    fn step(&self, ops: &mut Ops, index: usize) -> Result<Step> {
        self.process.requests.step(ops, self.places.key(index), self.is_look)
    }

    fn put(&self, index: usize, place: usize, after: usize, status: Status) {
        if !self.is_look {
            self.places.set_key(index, after);
        }
        self.places.set_status(place, status);
    }

    /// Waits for all. When a rank that one of them needs has died, the others are not waited for.
    pub fn wait_all(&self) -> Result {
        self.process.requests.check(&self.places, self.count)?;
        let (mut next, mut trouble) = (0, Trouble::default());
        self.process.engine.wait_for(|ops| {
            while next < self.count && self.settle(ops, next, &mut trouble) {
                next += 1;
            }
            let is_over = next == self.count || self.give_up(ops, next, &mut trouble);
            is_over.then_some(())
        })?;
        trouble.ask(self);
        trouble.raise(&self.places, self.count)
    }

    /// Whether all have ended; if so, or if one cannot any more, their statuses are set.
    pub fn test_all(&self) -> Result<(bool, Result)> {
        self.process.requests.check(&self.places, self.count)?;
        let mut trouble = Trouble::default();
        let is_over = self.process.engine.poll(|ops| {
            let look = |ops: &mut Ops, index| {
                let handle = self.places.key(index);
                matches!(self.process.requests.step(ops, handle, true), Ok(Step::Pending))
            };
            if (0..self.count).any(|index| look(ops, index)) {
                return self.give_up(ops, 0, &mut trouble).then_some(true);
            }
            for index in 0..self.count {
                let _is_settled = self.settle(ops, index, &mut trouble);
            }
            Some(true)
        })?;
        trouble.ask(self);
        let news = trouble.raise(&self.places, self.count);
        Ok((is_over.unwrap_or(false), news))
    }

    /// Sets the results of the request at `index`, if it has ended.
    fn settle(&self, ops: &mut Ops, index: usize, trouble: &mut Trouble) -> bool {
        match self.step(ops, index) {
            Ok(Step::Pending) => return false,
            Ok(Step::Inactive) => self.places.set_status(index, Status::EMPTY),
            Ok(Step::Ended(after, end, general)) => {
                self.put(index, index, after, end.status);
                trouble.general.extend(general.map(|general| (index, general)));
                end.news.unwrap_or_else(|failure| trouble.add(index, failure));
            }
            Err(failure) => trouble.add(index, failure),
        }
        true
    }

    /// Leaves those alone that have not ended if one has failed because of a death: whoever would
    /// have to send may be waiting for us elsewhere by now.
    fn give_up(&self, ops: &mut Ops, first: usize, trouble: &mut Trouble) -> bool {
        if self.process.world.epoch() == 0 {
            return false;
        }
        let is_lost = |index: usize| {
            let handle = self.places.key(index);
            match self.process.requests.step(ops, handle, true) {
                Ok(Step::Ended(_, Completed { news: Err(Failure::Error(error)), .. }, _)) => {
                    error.class == Class::PROC_ABORTED
                }
                _ => false,
            }
        };
        let has_lost = trouble.codes.iter().any(|(_, code)| *code == Class::PROC_ABORTED.0);
        if !has_lost && !(first..self.count).any(is_lost) {
            return false;
        }
        for index in first..self.count {
            if !self.settle(ops, index, trouble) {
                trouble.add(index, Class::PENDING.because("not complete yet"));
            }
        }
        true
    }

    /// Waits for one, any. No index: there is none to wait for.
    pub fn wait_any(&self) -> Result<(Option<usize>, Completed)> {
        self.process.requests.check(&self.places, self.count)?;
        let found = self.process.engine.wait_for(|ops| self.any(ops).transpose())?;
        Ok(self.known(found?))
    }

    /// Whether one has ended, any. No index: there is none to wait for.
    pub fn test_any(&self) -> Result<Option<(Option<usize>, Completed)>> {
        self.process.requests.check(&self.places, self.count)?;
        let found = self.process.engine.poll(|ops| self.any(ops).transpose())?;
        Ok(found.transpose()?.map(|found| self.known(found)))
    }

    fn known(&self, found: (Option<usize>, Completed, Asked)) -> (Option<usize>, Completed) {
        let (index, end, general) = found;
        (index, general.map_or(end, |general| general.ended(self.process, self.is_look)))
    }

    fn any(&self, ops: &mut Ops) -> Result<Option<(Option<usize>, Completed, Asked)>> {
        let mut is_idle = true;
        for index in 0..self.count {
            match self.step(ops, index)? {
                Step::Inactive => {}
                Step::Pending => is_idle = false,
                Step::Ended(after, end, general) => {
                    if !self.is_look {
                        self.places.set_key(index, after);
                    }
                    return Ok(Some((Some(index), end, general)));
                }
            }
        }
        Ok(is_idle.then(|| (None, nothing(), None)))
    }

    /// Waits until at least one has ended, and completes all that have.
    pub fn wait_some(&self) -> Result<Batch> {
        self.process.requests.check(&self.places, self.count)?;
        let harvest = self.process.engine.wait_for(|ops| {
            let harvest = self.some(ops);
            harvest.is_worth_telling().then_some(harvest)
        })?;
        Ok(self.batch(harvest))
    }

    /// The same without waiting: none may have ended.
    pub fn test_some(&self) -> Result<Batch> {
        self.process.requests.check(&self.places, self.count)?;
        let mut found = None;
        let _was_in_vain = self.process.engine.poll(|ops| {
            let harvest = found.insert(self.some(ops));
            harvest.is_worth_telling().then_some(())
        })?;
        Ok(self.batch(found.expect("the engine has asked")))
    }

    fn some(&self, ops: &mut Ops) -> Harvest {
        let mut harvest =
            Harvest { indices: Vec::new(), is_idle: true, trouble: Trouble::default() };
        let Harvest { indices, is_idle, trouble } = &mut harvest;
        for index in 0..self.count {
            let place = indices.len();
            match self.step(ops, index) {
                Ok(Step::Inactive) => {}
                Ok(Step::Pending) => *is_idle = false,
                Ok(Step::Ended(after, end, general)) => {
                    self.put(index, place, after, end.status);
                    trouble.general.extend(general.map(|general| (place, general)));
                    end.news.unwrap_or_else(|failure| trouble.add(place, failure));
                    indices.push(index);
                }
                Err(failure) => trouble.add(place, failure),
            }
        }
        harvest
    }

    fn batch(&self, mut harvest: Harvest) -> Batch {
        harvest.trouble.ask(self);
        let news = harvest.trouble.raise(&self.places, harvest.indices.len());
        let has_some = !harvest.is_idle || !harvest.indices.is_empty();
        Batch { ended: has_some.then_some(harvest.indices), news }
    }
}

/// What one look at many requests has found.
struct Harvest {
    indices: Vec<usize>,
    /// There is none to wait for.
    is_idle: bool,
    trouble: Trouble,
}

impl Harvest {
    fn is_worth_telling(&self) -> bool {
        self.is_idle || !self.indices.is_empty()
    }
}

/// What a call on some requests has brought.
pub struct Batch {
    /// `None`: there are none to wait for.
    ended: Option<Vec<usize>>,
    pub news: Result,
}

impl Batch {
    /// How many have ended; MPI_UNDEFINED when there are none to wait for.
    pub fn count(&self) -> i32 {
        let count = |indices: &Vec<usize>| i32::try_from(indices.len()).unwrap_or(i32::MAX);
        self.ended.as_ref().map_or(UNDEFINED, count)
    }

    /// Which have ended, in the order of their statuses.
    pub fn indices(&self) -> &[usize] {
        self.ended.as_deref().unwrap_or_default()
    }
}
