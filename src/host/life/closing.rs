//! The end of the process, with all that is still to be written.

use super::running_job::{self, RunningJob};
use super::seat::Visit;
use super::units;
use crate::host::shims::stdio;
use crate::host::{Rank, current, output, replay, virtual_time};
use crossbeam_channel::{RecvTimeoutError, bounded};
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;

/// Ends the process before the job has begun.
pub fn refuse(why: &str) -> ! {
    output::write(2, format!("ftrun: {why}\n").as_bytes());
    // SAFETY: no rank lives, and nothing of the program has run.
    unsafe { libc::_exit(2) }
}

/// Ends the process as `kill -9` does.
pub fn kill_process() -> ! {
    loop {
        // SAFETY: ends the process.
        unsafe { libc::kill(libc::getpid(), libc::SIGKILL) };
    }
}

/// Ends the process, from any thread: first writes a message to stderr, then what libc still holds,
/// if that is possible. Only the first call takes effect; later callers wait for the end.
pub fn end_process(status: i32, last_words: &str) -> ! {
    const UNDECIDED: i32 = i32::MIN;
    static STATUS: AtomicI32 = AtomicI32::new(UNDECIDED);
    /// The thread whose call took effect, by its number in the kernel.
    static SPEAKER: AtomicI32 = AtomicI32::new(0);
    /// The speaker may belong to a rank that dies before it has finished.
    const PATIENCE: Duration = Duration::from_secs(2);
    // SAFETY: has no preconditions.
    let own = unsafe { libc::gettid() };
    let (decided, known) = (Ordering::AcqRel, Ordering::Acquire);
    if STATUS.compare_exchange(UNDECIDED, status, decided, known).is_ok() {
        SPEAKER.store(own, Ordering::Release);
        if let Some(world) = running_job::found() {
            world.tenant.closing();
        }
        if virtual_time::is_on() {
            output::write(2, virtual_time::accounts::summary().as_bytes());
        }
        output::write(2, last_words.as_bytes());
        output::write(2, output::about_losses().as_bytes());
        output::write(2, replay::last_words(output::judged(status)).as_bytes());
        write_what_is_held();
    } else if SPEAKER.load(Ordering::Acquire) != own {
        std::thread::sleep(PATIENCE);
    }
    // A handler that has interrupted the speaker does not wait for it.
    loop {
        let status = output::judged(STATUS.load(Ordering::Acquire));
        // SAFETY: ends the process.
        unsafe { libc::syscall(libc::SYS_exit_group, status) };
    }
}

/// Flushes what the ranks, libc and Fortran have buffered. Ranks that still run may hold the locks
/// of libc's streams for ever: so a separate thread tries.
pub fn write_what_is_held() {
    const LONGEST: Duration = Duration::from_millis(500);
    let (done, is_done) = bounded(0);
    let speaker = current().map(|rank| rank.seat);
    let flush = move || {
        // The output of dead ranks is saved already.
        let ranks = running_job::found().into_iter().flat_map(RunningJob::visits);
        let living = ranks.filter(|rank| !rank.life.is_ending()).map(Visit::for_good);
        let mut living: Vec<&'static Rank> = living.collect();
        // The rank that ends the job may do so in the middle of printing, and nothing waits for it.
        living.sort_by_key(|rank| Some(rank.seat) == speaker);
        living.iter().for_each(|rank| stdio::flush_all(&rank.libc));
        // SAFETY: flushes all streams.
        unsafe { libc::fflush(std::ptr::null_mut()) };
        match (units::flusher(), running_job::found()) {
            (Some(flusher), Some(_)) => {
                living.iter().for_each(|rank| units::flush(flusher, Some(rank)));
            }
            (Some(flusher), None) => units::flush(flusher, None),
            (None, _) => {}
        }
        living.iter().for_each(|rank| stdio::finish_lines(&rank.libc));
        let _ = done.send(());
    };
    if std::thread::Builder::new().spawn(flush).is_ok() {
        let _: Result<(), RecvTimeoutError> = is_done.recv_timeout(LONGEST);
    }
}
