//! What ranks have written beside their programs: a thread of the host's does it, for all of them,
//! so that nobody waits for a disk. Who waits for it may be called away by a failure.
//!
//! So a file may be finished long after all others have gone on. Therefore nobody begins one that
//! somebody else has begun: whoever comes next has it written by the same thread, and so after it.
//! What nobody waits for any more is not begun.

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

/// Where errands go, since the first; `None`: there was no room for a thread.
static ERRANDS: OnceLock<Option<Sender<Errand>>> = OnceLock::new();
/// The files that are being written.
static BEGUN: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// A file that is being written, by whoever holds this.
struct Begun<'a>(&'a Path);

impl Begun<'_> {
    /// `None`: somebody has begun it already.
    fn on(file: &Path) -> Option<Begun<'_>> {
        let is_first = BEGUN.lock().insert(file.to_path_buf());
        is_first.then(|| Begun(file))
    }
}

impl Drop for Begun<'_> {
    fn drop(&mut self) {
        BEGUN.lock().remove(self.0);
    }
}

/// Has `file` written by `work`; what is wrong otherwise. Who waits in place does it himself, if he
/// can begin it; it is done at once, too, where a seed decides what happens when, or nobody else
/// can do it.
pub(super) async fn write(
    process: &'static Process, lane: &Lane<'_>, file: &Path,
    work: impl FnOnce() -> Outcome<(), String> + Send + 'static,
) -> Result<Outcome<(), String>> {
    let is_in_place = lane.way() == Way::Blocking || replay::is_in_force();
    let begun = if is_in_place { Begun::on(file) } else { None };
    let errands = if begun.is_some() { None } else { ERRANDS.get_or_init(hire).as_ref() };
    let Some(errands) = errands else { return Ok(work()) };
    let (wait, outside) = lane.start_outside()?;
    // Its record may be another's by then, who is not to be taken for it.
    let me = process.me;
    let is_there = move || life::pin(me.seat, me.incarnation).is_some();
    let tell = move || {
        if let Some(_pin) = life::pin(me.seat, me.incarnation) {
            process.engine.report(outside);
        }
    };
    let done = send(errands, file, (work, is_there), tell);
    wait.end().await?;
    Ok(Arc::into_inner(done).and_then(OnceLock::into_inner).expect("done before it was told"))
}

fn hire() -> Option<Sender<Errand>> {
    let (errands, waiting) = unbounded::<Errand>();
    let is_there = service::help(move || waiting.into_iter().for_each(|errand| errand()));
    is_there.is_ok().then_some(errands)
}

/// Has it done after all that was sent before, if whoever sends it lives and waits then. What came
/// of it is in the cell when `tell` is called; who drops the cell does not wait any more.
fn send(
    errands: &Sender<Errand>, file: &Path,
    (work, is_there): (
        impl FnOnce() -> Outcome<(), String> + Send + 'static,
        impl FnOnce() -> bool + Send + 'static,
    ),
    tell: impl FnOnce() + Send + 'static,
) -> Arc<OnceLock<Outcome<(), String>>> {
    let done = Arc::new(OnceLock::new());
    let (its, file) = (Arc::downgrade(&done), file.to_path_buf());
    let errand = move || {
        // Begun before it is known to be wanted: who takes its place finds it begun, or it is not.
        let begun = Begun::on(&file);
        let Some(done) = its.upgrade().filter(|_| is_there()) else { return };
        let words = || format!("{}: one who is dead is still writing it", file.display());
        let outcome = if begun.is_some() { work() } else { Err(words()) };
        drop(begun);
        // Nobody else sets it.
        let _ = done.set(outcome);
        drop(done);
        tell();
    };
    errands.send(Box::new(errand)).expect("the scribe never goes");
    done
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossbeam_channel::{Receiver, bounded};
    use std::time::Duration;

    const DEADLINE: Duration = Duration::from_secs(60);

    /// What has come of it when it is told.
    fn end(told: &Receiver<()>, done: Arc<OnceLock<Outcome<(), String>>>) -> Outcome<(), String> {
        told.recv_timeout(DEADLINE).expect("it is done");
        Arc::into_inner(done).and_then(OnceLock::into_inner).expect("done before it was told")
    }

    #[test]
    fn what_is_written_late_lies_below_what_is_written_next() {
        let errands = hire().expect("there is room for a thread");
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
        let late = send(&errands, file, (slowly, || true), || ());
        has_begun.recv_timeout(DEADLINE).expect("it is begun");
        // Those who waited are called away, or die: this one is finished, the others not begun.
        drop(late);
        drop(send(&errands, file, write("by one who has gone on", true), nobody));
        let _dead = send(&errands, file, write("by one who is dead", false), nobody);
        assert!(Begun::on(file).is_none(), "nobody writes it at the same time");
        assert!(Begun::on(Path::new("what_is_written_elsewhere")).is_some());
        let (tell, told) = bounded(1);
        let tell = move || tell.send(()).expect("the test listens");
        let next = send(&errands, file, write("next", true), tell);
        answer.send(()).expect("the disk is there");
        assert_eq!(end(&told, next), Ok(()));
        assert_eq!(*written.lock(), ["next"]);
        assert!(Begun::on(file).is_some(), "nobody writes it any more");
    }

    #[test]
    fn what_one_writes_who_is_given_up_is_not_written_by_another() {
        let errands = hire().expect("there is room for a thread");
        let file = Path::new("what_one_writes_who_is_given_up");
        let _in_place = Begun::on(file).expect("nobody has begun it");
        let (tell, told) = bounded(1);
        let tell = move || tell.send(()).expect("the test listens");
        let work = || panic!("somebody else has begun it");
        let why = end(&told, send(&errands, file, (work, || true), tell));
        assert_eq!(why, Err(format!("{}: one who is dead is still writing it", file.display())));
    }
}
