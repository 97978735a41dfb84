//! Threads of the library that read and write files for ranks that do not wait for it: nonblocking
//! accesses go on while their ranks compute. In atomic mode they also serve those that wait, one
//! after the other: no rank is ever ended while it holds a file.
//!
//! An access that has begun comes to its end even if its rank dies: until then the memory of the
//! rank stays.

use crate::host::{life, replay, sched, service};
use crate::mpi::error::{Class, Result};
use crate::mpi::lane::Lane;
use crate::mpi::process::Process;
use crate::mpi::run::Way;
use crossbeam_channel::{Receiver, Sender, unbounded};
use parking_lot::Mutex;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};

type Errand = Box<dyn FnOnce() + Send>;

/// More threads than that only get into each other's way.
const MOST_THREADS: usize = 8;
/// No message has this tag, and no lane waits for one.
const TAG: i32 = 0;

/// The threads of a job that access files; there are none before the first errand.
#[derive(Default)]
struct Pool(OnceLock<Option<Sender<Errand>>>);

/// Lets a thread of the pool do `work`, and waits for it as the run waits. No failure of another
/// rank ends the wait. In a job with a seed the rank does the work itself, and where there is no
/// memory for threads.
pub async fn perform<T: Send + 'static>(
    process: &'static Process, way: Way, work: impl FnOnce() -> T + Send + 'static,
) -> Result<T> {
    let pool = process.world.tenant::<Pool>();
    let errands = if replay::is_in_force() { None } else { pool.errands() };
    let Some(errands) = errands else { return Ok(work()) };
    let lane = Lane::new(process, process.self_comm(), TAG, way);
    let (wait, outside) = lane.start_outside()?;
    let (me, done) = (process.me, Arc::new(Mutex::new(None)));
    let result = done.clone();
    let errand = move || {
        // Without it, the rank's memory is gone.
        let Some(_pin) = life::pin(me.seat, me.incarnation) else { return };
        // What breaks here is the rank's to report.
        *result.lock() = catch_unwind(AssertUnwindSafe(work)).ok();
        process.engine.report(outside);
    };
    errands.send(Box::new(errand)).expect("the threads never go");
    wait.end().await?;
    let value = done.lock().take();
    value.ok_or_else(|| Class::INTERN.because("an access to a file has met a broken invariant"))
}

impl Pool {
    fn errands(&self) -> Option<&Sender<Errand>> {
        self.0.get_or_init(hire).as_ref()
    }
}

/// Starts the threads; `None` if not even one can be started.
fn hire() -> Option<Sender<Errand>> {
    let (sender, receiver) = unbounded::<Errand>();
    let count = sched::cores().clamp(2, MOST_THREADS);
    let serve = |receiver: Receiver<Errand>| receiver.into_iter().for_each(|errand| errand());
    let start = |_: &usize| {
        let receiver = receiver.clone();
        service::help(move || serve(receiver)).is_ok()
    };
    (0..count).filter(start).count().gt(&0).then_some(sender)
}
