//! Runs: computations that wait for messages, written once as `async` functions over a `Lane`.
//!
//! A blocking run stays on the caller's stack and waits in place, so that one poll completes it. A
//! nonblocking run is boxed, and the engine drives it.

use crate::base::slab::Key;
use crate::engine::{Died, Outcome};
use crate::mpi::comm::Comm;
use crate::mpi::error::Result;
use crate::mpi::handle_table::Held;
use crate::mpi::p2p::outcome::Pending;
use crate::mpi::p2p::status::{Completed, Status};
use crate::mpi::process::Process;
use std::pin::{Pin, pin};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, Waker};

/// How a run waits, and its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// On the caller's stack, in place.
    Blocking,
    /// In the engine, under this key.
    Nonblocking(Key),
}

/// What is done in place when it is awaited. Unlike the standard library's futures, it is always
/// part of the caller.
pub struct AtOnce<F>(pub F);

impl<F: FnMut() -> Result + Unpin> Future for AtOnce<F> {
    type Output = Result;
    #[inline(always)]
    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result> {
        Poll::Ready((self.0)())
    }
}

/// What has been done before it is awaited.
pub struct Over(pub Result);

impl Future for Over {
    type Output = Result;
    #[inline(always)]
    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result> {
        Poll::Ready(std::mem::replace(&mut self.0, Ok(())))
    }
}

/// Carries out a run whose lanes are blocking.
#[inline(always)]
pub fn block<T>(run: impl Future<Output = Result<T>>) -> Result<T> {
    let mut context = Context::from_waker(Waker::noop());
    match pin!(run).poll(&mut context) {
        Poll::Ready(end) => end,
        Poll::Pending => panic!("a blocking lane waits in place"),
    }
}

/// Starts the run that `make` makes, whose lanes go the [`Way`] that it is told.
pub fn start<F>(process: &'static Process, make: impl FnOnce(Way) -> F) -> Result<Pending>
where
    F: Future<Output = Result> + Send + 'static,
{
    start_whole(process, |way| {
        let run = make(way);
        async move { ended(process, way, run.await) }
    })
}

/// Starts a run like [`start`] that says itself how it has [`ended`]. It takes up less memory: a
/// future that only waits for another is twice as large.
pub fn start_whole<F>(process: &'static Process, make: impl FnOnce(Way) -> F) -> Result<Pending>
where
    F: Future<Output = Ended> + Send + 'static,
{
    let started = process.engine.start_run(|key| Box::pin(make(Way::Nonblocking(key))))?;
    // What could be done at once needs no request.
    Ok(started.map_or(Pending::Nothing, Pending::Run))
}

/// How a run ends.
pub type Ended = std::result::Result<Outcome, Died>;

/// How a run ends that goes this way, and of which this has become.
pub fn ended(process: &Process, way: Way, end: Result) -> Ended {
    match way {
        Way::Nonblocking(key) => process.requests.failures().end(key, end),
        Way::Blocking => unreachable!("such a run is awaited in place"),
    }
}

/// Starts a run like [`start`], whose end has a status.
pub fn start_with_status<F>(
    process: &'static Process, make: impl FnOnce(Way) -> F,
) -> Result<Pending>
where
    F: Future<Output = Result<Completed>> + Send + 'static,
{
    let at_once = Arc::new(OnceLock::new());
    let told = at_once.clone();
    let started = process.engine.start_run(|key| {
        let run = make(Way::Nonblocking(key));
        Box::pin(async move {
            let (bytes, news) = match run.await {
                Ok(Completed { status, news }) => (status.bytes() as usize, news),
                Err(failure) => (0, Err(failure)),
            };
            let _ = told.set(bytes);
            let outcome = process.requests.failures().end(key, news)?;
            Ok(Outcome { bytes, ..outcome })
        })
    })?;
    Ok(started.map_or_else(|| complete(at_once.get().copied()), Pending::Run))
}

fn complete(bytes: Option<usize>) -> Pending {
    let mut status = Status::PLAIN;
    status.set_bytes(bytes.unwrap_or(0) as i64);
    Pending::Complete(status)
}

/// Starts a run like [`start`], and returns the handle of its request.
pub fn request<F>(
    process: &'static Process, comm: &Held<Comm>, make: impl FnOnce(Way) -> F,
) -> Result<usize>
where
    F: Future<Output = Result> + Send + 'static,
{
    let pending = start(process, make)?;
    process.requests.keep(comm, pending)
}
