//! What ranks have done beside their programs: a thread of the host's does it, for all of them, so
//! that nobody waits for a disk.

use crate::base::slab::Key;
use crate::host::{life, replay, service};
use crate::mpi::process::Process;
use crossbeam_channel::{Sender, unbounded};
use std::future::poll_fn;
use std::sync::{Arc, OnceLock};
use std::task::Poll;

type Errand = Box<dyn FnOnce() + Send>;

/// Where errands go, since the first; `None`: there was no room for a thread.
static ERRANDS: OnceLock<Option<Sender<Errand>>> = OnceLock::new();

/// Has `work` done while `run` waits, and returns what came of it. Where a seed decides what
/// happens when, or nobody can do it, it is done at once.
pub(super) async fn beside<T: Send + Sync + 'static>(
    process: &'static Process, run: Key, work: impl FnOnce() -> T + Send + 'static,
) -> T {
    let errands = if replay::is_in_force() { &None } else { ERRANDS.get_or_init(hire) };
    let Some(errands) = errands else { return work() };
    let me = process.me;
    let (op, done) = (process.engine.open(), Arc::new(OnceLock::new()));
    let its = done.clone();
    let errand = move || {
        // Nobody else sets it.
        let _ = its.set(work());
        drop(its);
        // Who has died meanwhile waits for nothing.
        if let Some(_pin) = life::pin(me.seat, me.incarnation) {
            process.engine.close(op);
        }
    };
    errands.send(Box::new(errand)).expect("the scribe never goes");
    poll_fn(|_| match process.engine.ended_for(op, run) {
        Some(_) => Poll::Ready(()),
        None => Poll::Pending,
    })
    .await;
    Arc::into_inner(done).and_then(OnceLock::into_inner).expect("done before it was said to be")
}

fn hire() -> Option<Sender<Errand>> {
    let (errands, waiting) = unbounded::<Errand>();
    let is_there = service::help(move || waiting.into_iter().for_each(|errand| errand()));
    is_there.is_ok().then_some(errands)
}
