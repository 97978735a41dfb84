//! The scribe: one thread writes files for all ranks of a job, so that no rank waits for a disk
//! without noticing failures.
//!
//! A rank may thus continue long before its file is finished. So a file that is being written is
//! not begun by another thread: the next version is queued behind it. A file that no rank waits for
//! any more is not begun.

use crate::host::{life, replay, service};
use crate::mpi::error::Result;
use crate::mpi::lane::Lane;
use crate::mpi::process::Process;
use crate::mpi::run::Way;
use crossbeam_channel::{Sender, unbounded};
use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::result::Result as Outcome;
use std::sync::{Arc, OnceLock};

type Errand = Box<dyn FnOnce() + Send>;

/// The scribe of a job.
#[derive(Default)]
struct Scribe {
    /// Where errands are sent, from the first one on; `None` if there was no memory for a thread.
    errands: OnceLock<Option<Sender<Errand>>>,
    /// The files that are being written.
    begun: Mutex<BTreeSet<PathBuf>>,
}

/// A claim on a file, held while it is being written.
struct Begun<'a> {
    scribe: &'a Scribe,
    file: &'a Path,
}

impl Drop for Begun<'_> {
    fn drop(&mut self) {
        self.scribe.begun.lock().remove(self.file);
    }
}

/// Writes `file` by `work`; returns what went wrong. A rank in a blocking call writes it itself if
/// no other thread has begun it, and so does a rank in a job with a seed. Without a scribe, every
/// rank does.
pub(super) async fn write(
    process: &'static Process, lane: &Lane<'_>, file: &Path,
    work: impl FnOnce() -> Outcome<(), String> + Send + 'static,
) -> Result<Outcome<(), String>> {
    let scribe = process.world.tenant::<Scribe>();
    let is_in_place = lane.way() == Way::Blocking || replay::is_in_force();
    let begun = if is_in_place { scribe.begin(file) } else { None };
    if begun.is_some() || !scribe.is_there() {
        return Ok(work());
    }
    let (wait, outside) = lane.start_outside()?;
    // The rank's record may belong to its replacement by then.
    let me = process.me;
    let is_there = move || life::pin(me.seat, me.incarnation).is_some();
    let tell = move || {
        if let Some(_pin) = life::pin(me.seat, me.incarnation) {
            process.engine.report(outside);
        }
    };
    let done = scribe.send(file, work, is_there, tell);
    wait.end().await?;
    Ok(Arc::into_inner(done).and_then(OnceLock::into_inner).expect("done before it was told"))
}

impl Scribe {
    /// `None` if the file has been begun already.
    fn begin<'a>(&'a self, file: &'a Path) -> Option<Begun<'a>> {
        let is_first = self.begun.lock().insert(file.to_path_buf());
        is_first.then(|| Begun { scribe: self, file })
    }

    fn errands(&self) -> Option<&Sender<Errand>> {
        self.errands.get_or_init(hire).as_ref()
    }

    /// Whether there is a thread for errands.
    fn is_there(&self) -> bool {
        self.errands().is_some()
    }

    /// Queues `work`, which is done if its sender is still alive and waiting when its turn comes.
    /// The outcome is in the cell when `tell` is called; dropping the cell means not to wait any
    /// more.
    fn send(
        self: &Arc<Self>, file: &Path, work: impl FnOnce() -> Outcome<(), String> + Send + 'static,
        is_there: impl FnOnce() -> bool + Send + 'static, tell: impl FnOnce() + Send + 'static,
    ) -> Arc<OnceLock<Outcome<(), String>>> {
        let done = Arc::new(OnceLock::new());
        let (its, file, scribe) = (Arc::downgrade(&done), file.to_path_buf(), self.clone());
        let errand = move || {
            // Claimed before checking that it is wanted: otherwise the sender's replacement could
            // begin the file in between.
            let begun = scribe.begin(&file);
            let Some(done) = its.upgrade().filter(|_| is_there()) else { return };
            let words = || format!("{}: a rank that has died is still writing it", file.display());
            let outcome = if begun.is_some() { work() } else { Err(words()) };
            drop(begun);
            // No other thread sets it.
            let _ = done.set(outcome);
            drop(done);
            tell();
        };
        let errands = self.errands().expect("there is a thread for it");
        errands.send(Box::new(errand)).expect("the scribe never goes");
        done
    }
}

fn hire() -> Option<Sender<Errand>> {
    let (errands, waiting) = unbounded::<Errand>();
    let is_there = service::help(move || waiting.into_iter().for_each(|errand| errand()));
    is_there.is_ok().then_some(errands)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossbeam_channel::{Receiver, bounded};
    use std::time::Duration;

    const DEADLINE: Duration = Duration::from_secs(60);

    /// Waits until the file is written; returns the outcome.
    fn end(told: &Receiver<()>, done: Arc<OnceLock<Outcome<(), String>>>) -> Outcome<(), String> {
        told.recv_timeout(DEADLINE).expect("it is done");
        Arc::into_inner(done).and_then(OnceLock::into_inner).expect("done before it was told")
    }

    #[test]
    fn what_is_written_late_lies_below_what_is_written_next() {
        let scribe = Arc::new(Scribe::default());
        let file = Path::new("what_is_written_late");
        let written: Arc<Mutex<Vec<&str>>> = Arc::default();
        let write = |what: &'static str, is_there: bool| {
            let written = written.clone();
            let work = move || {
                written.lock().push(what);
                Ok(())
            };
            (work, move || is_there)
        };
        let (begun, has_begun) = bounded::<()>(1);
        let (answer, disk) = bounded::<()>(1);
        let slowly = move || {
            begun.send(()).expect("the test listens");
            disk.recv_timeout(DEADLINE).map_err(|error| error.to_string())
        };
        let nobody = || panic!("nobody waits for this");
        let late = scribe.send(file, slowly, || true, || ());
        has_begun.recv_timeout(DEADLINE).expect("it is begun");
        // The waiting ranks are interrupted, or die: this file is finished, the others are not
        // begun.
        drop(late);
        let (work, is_there) = write("by one who has gone on", true);
        drop(scribe.send(file, work, is_there, nobody));
        let (work, is_there) = write("by one who is dead", false);
        let _dead = scribe.send(file, work, is_there, nobody);
        assert!(scribe.begin(file).is_none(), "nobody writes it at the same time");
        assert!(scribe.begin(file).is_none(), "who asks in vain lets nothing go");
        assert!(scribe.begin(Path::new("what_is_written_elsewhere")).is_some());
        let (tell, told) = bounded(1);
        let tell = move || tell.send(()).expect("the test listens");
        let (work, is_there) = write("next", true);
        let next = scribe.send(file, work, is_there, tell);
        answer.send(()).expect("the disk is there");
        assert_eq!(end(&told, next), Ok(()));
        assert_eq!(*written.lock(), ["next"]);
        assert!(scribe.begin(file).is_some(), "nobody writes it any more");
    }

    #[test]
    fn what_one_writes_who_is_given_up_is_not_written_by_another() {
        let scribe = Arc::new(Scribe::default());
        let file = Path::new("what_one_writes_who_is_given_up");
        let _in_place = scribe.begin(file).expect("nobody has begun it");
        let (tell, told) = bounded(1);
        let tell = move || tell.send(()).expect("the test listens");
        let work = || panic!("somebody else has begun it");
        let why = end(&told, scribe.send(file, work, || true, tell));
        assert_eq!(
            why,
            Err(format!("{}: a rank that has died is still writing it", file.display()))
        );
    }
}
