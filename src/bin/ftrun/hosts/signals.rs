//! The end of `ftrun` by a signal, as a user who types Ctrl-C wants it: the whole job ends, and
//! nobody takes over.

use super::cluster::Cluster;
use nix::sys::signal::{SigSet, Signal, raise};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// What ends the job, once there is one.
type End = Arc<Mutex<Option<Box<dyn FnOnce() + Send>>>>;

/// The signals that ask `ftrun` to end, as long as it runs a job.
pub(crate) struct Held(End);

/// Holds back these signals in this thread and all that it starts, which are none so far. When one
/// comes, the job is ended first, and then this process by it.
pub(crate) fn hold() -> Held {
    let asks = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP, Signal::SIGQUIT];
    let asked: SigSet = asks.into_iter().filter(|signal| !is_ignored(*signal)).collect();
    let (end, held) = (End::default(), asked.thread_block().is_ok());
    if held {
        let end = end.clone();
        thread::spawn(move || end_by(asked, &end));
    }
    Held(end)
}

impl Held {
    pub(crate) fn end_first(&self, cluster: &Cluster) {
        let end: Box<dyn FnOnce() + Send> = Box::new(cluster.end_at_once());
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(end);
    }
}

fn end_by(asked: SigSet, end: &End) {
    /// For an agent that does not listen.
    const PATIENCE: Duration = Duration::from_millis(500);
    let Ok(signal) = asked.wait() else { return };
    if let Some(end) = end.lock().unwrap_or_else(PoisonError::into_inner).take() {
        let (done, is_done) = channel::<()>();
        thread::spawn(move || {
            end();
            drop(done);
        });
        let _either = is_done.recv_timeout(PATIENCE);
    }
    let _released = asked.thread_unblock();
    let _sent = raise(signal);
    std::process::exit(128 + signal as i32);
}

/// Whether this process was started so, as by `nohup`.
fn is_ignored(signal: Signal) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.unwrap_or(0) >> (signal as i32 - 1) & 1 == 1
}
