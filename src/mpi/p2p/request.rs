//! Requests: operations that the program starts and completes later (MPI-5.0 §3.7, §3.9).

mod many;

pub use many::{Many, Places};

use crate::base::slab::Key;
use crate::engine::Ops;
use crate::machine::forced_match::NOTHING;
use crate::mpi::error::{Class, Failure, Result};
use crate::mpi::handle_table::{self, Held};
use crate::mpi::p2p::choices::{self, Choice};
use crate::mpi::p2p::generalized_request::General;
use crate::mpi::p2p::outcome::Pending;
use crate::mpi::p2p::persistent;
use crate::mpi::p2p::request_table::{
    Attendant, DONE, Kept, More, NULL, Request, Requests, Start, Step, nothing, plain, unknown,
};
use crate::mpi::p2p::status::Completed;
use crate::mpi::process::Process;
use std::sync::Arc;

impl Requests {
    /// Why nobody waits for a request any more that has not ended: the others recover. Where it
    /// can still end well, it goes on. What a rank does with itself needs no others.
    #[inline]
    pub(super) fn interruption(&self, process: &Process, handle: usize) -> Option<Failure> {
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
}

/// Turns a preposted receive into an ordinary request; its handle stays.
#[inline]
fn admit(process: &'static Process, handle: usize) {
    if let Some(receive) = handle_table::receive(handle) {
        return admit_preposted(process, receive);
    }
    if let Some(receive) = process.requests.preposted(handle) {
        admit_persistent(process, handle, receive);
    }
}

/// Turns the preposted receive of a persistent request into an operation.
#[cold]
fn admit_persistent(process: &'static Process, handle: usize, receive: Key) {
    let Some(op) = process.engine.admit(receive) else { return };
    process.engine.release(receive);
    let mut kept = process.requests.0.lock();
    if let Some(request) = kept.find_mut(handle) {
        request.pending = Some(Pending::Op(op));
    }
}

#[cold]
fn admit_preposted(process: &'static Process, receive: Key) {
    let is_known = |kept: &Kept| kept.preposted.contains_key(&receive);
    if is_known(&process.requests.0.lock()) {
        return;
    }
    let Some(op) = process.engine.admit(receive) else { return };
    let world = Held::Ever(process.world_of_old());
    let mut kept = process.requests.0.lock();
    if let Ok(key) = kept.shelf.insert(Request::new(&world, Some(Pending::Op(op)))) {
        kept.preposted.insert(receive, key);
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

/// Waits for one request. Returns the handle that takes its place, and what came of it.
pub fn wait(process: &'static Process, handle: usize) -> Result<(usize, Completed)> {
    if handle == DONE || handle == NULL {
        return Ok((NULL, if handle == DONE { plain() } else { nothing() }));
    }
    if let Some(status) = persistent::wait(process, handle)? {
        return Ok((handle, status.into()));
    }
    admit(process, handle);
    let step = process.engine.wait_for(|ops| {
        let mut plain = None;
        if process.requests.settle_plain(ops, handle, |after, status| plain = Some((after, status)))
        {
            return plain.map(|(after, status)| Ok(Step::Ended(after, status.into(), None)));
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
    let choice = if process.is_counted() { whether(process, [handle].into_iter()) } else { None };
    let look = |ops: &mut Ops| match process.requests.step(ops, handle, is_look) {
        Ok(Step::Pending) => process.requests.interruption(process, handle).map(Err),
        other => Some(other),
    };
    let step = choices::ask(choice.as_ref(), &process.engine, look)?;
    if let Some(choice) = choice {
        choice.note(step.is_some().then_some(0));
    }
    step.map(|step| settled(process, handle, step?, is_look)).transpose()
}

/// The choice whether requests are complete, if one of them is active.
#[cold]
fn whether(process: &Process, mut handles: impl Iterator<Item = usize>) -> Option<Choice> {
    let is_open = handles.any(|handle| process.requests.is_active(handle));
    is_open.then(|| Choice::among(process, [0, NOTHING].into_iter())).flatten()
}

fn settled(
    process: &Process, handle: usize, step: Step, is_look: bool,
) -> Result<(usize, Completed)> {
    match step {
        Step::Ended(after, end, None) => Ok((after, end)),
        Step::Ended(after, _, Some(general)) => {
            Ok((after, general.ended(process.program, is_look)))
        }
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
    if let Some(receive) = handle_table::receive(handle) {
        admit_preposted(process, receive);
    }
    let (restart, attendant) = process.requests.look_at(handle, |request| {
        let start = can_start(request)?.clone();
        Ok((start, request.more.as_ref().and_then(|more| more.attendant.clone())))
    })?;
    if let Some(attendant) = attendant {
        attendant.before();
    }
    let pending = restart();
    process.requests.look_at(handle, |request| {
        request.pending = Some(pending?);
        Ok(())
    })
}

/// Starts persistent requests; none of them, when one cannot be started.
pub fn start_all(process: &'static Process, count: usize, key: impl Fn(usize) -> usize) -> Result {
    for index in 0..count {
        admit(process, key(index));
        process.requests.look_at(key(index), |request| can_start(request).map(drop))?;
    }
    (0..count).try_for_each(|index| start(process, key(index)))
}

/// Marks an operation for cancellation; it ends soon, with or without effect.
pub fn cancel(process: &'static Process, handle: usize) -> Result {
    if handle == DONE {
        return Ok(());
    }
    admit(process, handle);
    let (pending, general) = process.requests.look_at(handle, |request| match request.pending {
        None => {
            let words = "request is persistent and inactive; there is nothing to cancel";
            Err(Class::REQUEST.because(words))
        }
        Some(Pending::Run(_)) => {
            let words = "request is of a collective operation or a file, which cannot be cancelled";
            Err(Class::REQUEST.because(words))
        }
        Some(Pending::Partitioned(_)) => {
            let words = "request is of a partitioned message, which cannot be cancelled";
            Err(Class::REQUEST.because(words))
        }
        Some(pending) => Ok((pending, request.general().cloned())),
    })?;
    if let Some(general) = general {
        return general.cancel(process.program);
    }
    // The two halves of an MPI_Isendrecv cannot be cancelled together, so neither is.
    if let Pending::Op(op) | Pending::Wild { op, .. } = pending {
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
    let run = process.requests.look_at(handle, |request| match request.pending {
        Some(Pending::Partitioned(run)) => Ok(Some(run)),
        // An access to a file goes on by itself.
        Some(Pending::Run(run)) if process.files.find(request.comm.handle).is_none() => {
            Ok(Some(run))
        }
        _ => Ok(None),
    })?;
    if let Some(run) = run {
        must_have_ended(process, handle, run)?;
    }
    let general = process.requests.look_at(handle, |request| Ok(request.general().cloned()))?;
    if general.as_ref().is_some_and(|general| !general.give_up()) {
        return Ok(());
    }
    let removed = process.requests.0.lock().remove(handle);
    let (request, receive) = removed.ok_or_else(|| unknown(handle))?;
    if let Some(receive) = receive {
        process.engine.release(receive);
    }
    if request.pending.is_some() {
        // The operation continues, and its end will not be noticed.
        std::mem::forget(request.more().attendant);
    }
    match request.pending {
        Some(
            Pending::Op(op)
            | Pending::Wild { op, .. }
            | Pending::Run(op)
            | Pending::Partitioned(op),
        ) => {
            process.engine.abandon(op);
        }
        Some(Pending::Two { send, recv, .. }) => {
            process.engine.abandon(send);
            process.engine.abandon(recv);
        }
        None | Some(Pending::Nothing | Pending::Complete(_) | Pending::Preposted(_)) => {}
    }
    general.map_or(Ok(()), |general| general.free(process.program))
}

/// Fails for a collective operation that is active (MPI-5.0 §6.12), and for a partitioned message
/// (§4.2.1); one that has ended may be freed like any other, however soon it came to its end.
fn must_have_ended(process: &Process, handle: usize, run: Key) -> Result {
    let end = process.engine.poll(|ops| ops.outcome(run).map(drop))?;
    process.requests.look_at(handle, |_| match end {
        Some(()) => {
            process.requests.failures().of(run, false);
            Ok(())
        }
        None => {
            let words = "request is of a collective operation or a partitioned message that is \
                         active; it cannot be freed";
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
        return general.free(process.program);
    }
    Ok(())
}
