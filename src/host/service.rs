//! Service threads of the library that wait for the outside world: no signal interrupts them, and
//! their waits do not count as waits of the job.

use super::rank;
use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::mem::MaybeUninit;
use std::path::Path;
use std::sync::OnceLock;
use std::thread::Thread;
use std::time::Duration;
use std::{io, ptr};

static NUMBERS: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// Starts a service thread.
pub fn start(work: Box<dyn FnOnce() + Send>) -> io::Result<()> {
    /// A leak detector looks neither into the library's own heap nor into a thread that is about to
    /// begin. Here it finds the first few, which every process of several has.
    static STARTED: [OnceLock<Thread>; 4] = [const { OnceLock::new() }; 4];
    let thread = begin("view", || {
        let listed = Listed::new();
        work();
        drop(listed);
    })?;
    let _is_kept = STARTED.iter().any(|place| place.set(thread.clone()).is_ok());
    Ok(())
}

/// Starts a thread that does what ranks wait for: while it works, the job does not count as stuck.
pub fn help(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    begin("helper", work).map(drop)
}

fn begin(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<Thread> {
    let thread = std::thread::Builder::new().name(name.into()).stack_size(256 << 10);
    // From its first moment on: a signal that found it before would run a handler of the program
    // there, which may jump to the stack of another thread.
    let mut before = MaybeUninit::uninit();
    // SAFETY: writes sets of our own, and reads the first.
    unsafe {
        let mut all = MaybeUninit::uninit();
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr());
    }
    let started = rank::as_host(|| thread.spawn(work));
    // SAFETY: the set was written above.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), ptr::null_mut()) };
    started.map(|started| started.thread().clone())
}

/// The processor time that the calling thread has used.
pub fn spent() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes to a time of ours.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// The number of the calling thread in the kernel.
pub fn own_number() -> i32 {
    // SAFETY: has no preconditions.
    unsafe { libc::gettid() }
}

/// The threads that a library of the network starts while it is opened are service threads, too.
pub fn adopt<T>(name: &str, open: impl FnOnce() -> T) -> T {
    let before = named(name);
    let opened = open();
    NUMBERS.lock().extend(named(name).difference(&before));
    opened
}

/// The threads of this process that have this name.
fn named(name: &str) -> BTreeSet<i32> {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let is_named = |path: &Path| {
        std::fs::read_to_string(path.join("comm")).is_ok_and(|comm| comm.trim_end() == name)
    };
    let paths = tasks.map(|task| task.path()).filter(|path| is_named(path));
    paths.filter_map(|path| path.file_name()?.to_str()?.parse().ok()).collect()
}

/// Whether the thread of this number is a service thread.
pub(super) fn is_one(number: i32) -> bool {
    NUMBERS.lock().contains(&number)
}

/// Lists the calling thread as a service thread, as long as this lives.
struct Listed(i32);

impl Listed {
    fn new() -> Listed {
        let number = own_number();
        NUMBERS.lock().insert(number);
        Listed(number)
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        NUMBERS.lock().remove(&self.0);
    }
}
