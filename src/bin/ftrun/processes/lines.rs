//! Output of ranks, whole lines at a time.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::OwnedFd;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::thread;
use std::time::{Duration, Instant};

/// Where the lines of a rank go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    Output,
    Errors,
}

/// What takes the lines of ranks: these streams, or who passes them on.
pub(crate) type Sink = Arc<dyn Fn(Stream, &[u8]) -> io::Result<()> + Send + Sync>;

/// What passes on the output of a rank.
pub(crate) struct Passing {
    /// The pipe; it is closed when nobody passes on what is written there.
    from: Weak<File>,
    progress: Arc<Progress>,
}

/// How far it is.
#[derive(Default)]
struct Progress {
    /// It has passed on all that it has taken, and waits for more.
    is_waiting: AtomicBool,
    /// How many bytes it has taken.
    taken: AtomicU64,
}

/// More than a pipe holds.
const MOST_IN_PIPE: u64 = 2 << 20;

/// When the job is over, a reader may take nothing for so long without losing the rest.
pub(crate) const READING: Duration = Duration::from_secs(5);

/// Between two looks at how far it is.
const OFTEN: Duration = Duration::from_micros(50);

/// Waits until what ranks have written so far is passed on, as long as whoever reads it takes
/// something of it now and then: at least once within `pause`. True if all is.
pub(crate) fn finish(passing: &[Passing], pause: Duration) -> bool {
    let mut left: Vec<(&Passing, u64)> = passing.iter().map(|it| (it, it.taken())).collect();
    let (mut before, mut since) = ((0, 0), Instant::now());
    loop {
        left.retain(|(it, first)| !it.is_over(*first));
        if left.is_empty() {
            return true;
        }
        let taken = left.iter().map(|(it, first)| it.taken().wrapping_sub(*first)).sum::<u64>();
        let now = (taken, left.len());
        if now != before {
            (before, since) = (now, Instant::now());
        } else if since.elapsed() >= pause {
            return false;
        }
        thread::sleep(OFTEN);
    }
}

impl Passing {
    /// Waits until all that has been written so far is passed on, for at most `longest`; true if it
    /// is. A process that the rank has left behind may keep the pipe open, and write on: nobody
    /// waits for that.
    pub(crate) fn finish(&self, longest: Duration) -> bool {
        let (begun, first) = (Instant::now(), self.taken());
        while !self.is_over(first) {
            if begun.elapsed() >= longest {
                return false;
            }
            thread::sleep(OFTEN);
        }
        true
    }

    /// How many bytes it has taken.
    fn taken(&self) -> u64 {
        self.progress.taken.load(Ordering::SeqCst)
    }

    /// Whether all is passed on that was written when it had taken `first` bytes.
    fn is_over(&self, first: u64) -> bool {
        self.is_done() || self.taken().wrapping_sub(first) > MOST_IN_PIPE
    }

    fn is_done(&self) -> bool {
        let Some(from) = self.from.upgrade() else { return true };
        // In this order: what is taken from the pipe is passed on before it waits again.
        !has_come(&from, Some(Duration::ZERO)) && self.progress.is_waiting.load(Ordering::SeqCst)
    }
}

/// Whether there is something to read, or nobody who could write, within this time.
fn has_come(from: &File, longest: Option<Duration>) -> bool {
    let longest = longest.map(|it| Timespec::try_from(it).expect("it is short"));
    let mut ways = [PollFd::new(from, PollFlags::IN)];
    poll(&mut ways, longest.as_ref()).is_ok_and(|count| count > 0)
}

/// The output of a rank, whose reader tells how far it is.
struct Watched {
    from: Arc<File>,
    progress: Arc<Progress>,
}

impl Read for Watched {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.progress.is_waiting.store(true, Ordering::SeqCst);
        while !has_come(&self.from, None) {}
        self.progress.is_waiting.store(false, Ordering::SeqCst);
        let taken = (&*self.from).read(into)?;
        self.progress.taken.fetch_add(taken as u64, Ordering::SeqCst);
        Ok(taken)
    }
}

/// Passes on what a rank writes until it writes no more. `tag` begins each line.
pub(super) fn pass_on(from: impl Into<OwnedFd>, to: Stream, tag: String, sink: Sink) -> Passing {
    let (from, progress) = (Arc::new(File::from(from.into())), Arc::new(Progress::default()));
    let passing = Passing { from: Arc::downgrade(&from), progress: progress.clone() };
    let from = Watched { from, progress };
    let pass = move || {
        let mut from = BufReader::new(from);
        let mut lines = tag.clone().into_bytes();
        while let Ok(1..) = from.read_until(b'\n', &mut lines) {
            // What is there already goes along: fewer, larger writes.
            while from.buffer().contains(&b'\n') {
                lines.extend_from_slice(tag.as_bytes());
                if from.read_until(b'\n', &mut lines).is_err() {
                    break;
                }
            }
            if sink(to, &lines).is_err() {
                // As in any pipeline, the rank hears of that when it writes again.
                return;
            }
            lines.clear();
            lines.extend_from_slice(tag.as_bytes());
        }
    };
    thread::spawn(pass);
    passing
}

/// Where all output goes, if this process has no terminal of its own.
static FILE: OnceLock<File> = OnceLock::new();

/// From now on, all output goes into this file, behind what is there.
pub(crate) fn redirect(path: &str) {
    if let Ok(file) = append(path) {
        let _only_once = FILE.set(file);
    }
}

/// Adds a line to that file.
pub(crate) fn add(path: &str, line: &str) {
    // Nobody is there who could be told.
    let _unwritten = append(path).and_then(|mut file| file.write_all(line.as_bytes()));
}

fn append(path: &str) -> io::Result<File> {
    File::options().append(true).create(true).mode(0o600).open(path)
}

pub(crate) fn write(to: Stream, lines: &[u8]) -> io::Result<()> {
    if let Some(mut file) = FILE.get() {
        return file.write_all(lines);
    }
    match to {
        Stream::Output => {
            let mut out = io::stdout().lock();
            out.write_all(lines)?;
            out.flush()
        }
        Stream::Errors => io::stderr().lock().write_all(lines),
    }
}

/// Writes a line of the launcher's own to stderr.
pub(crate) fn say(line: &str) {
    // If stderr is closed, the line has no reader.
    let _unread = write(Stream::Errors, format!("{line}\n").as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::PipeWriter;
    use std::sync::Mutex;
    use std::sync::mpsc::{Receiver, Sender, channel};

    /// The output of a rank, passed on to a reader who takes a part of it for each word.
    fn slowly_read() -> (PipeWriter, Passing, Sender<()>, Arc<AtomicU64>) {
        let (from, to) = io::pipe().expect("there are pipes");
        let (go_on, words) = channel::<()>();
        let (words, read) = (Mutex::<Receiver<()>>::new(words), Arc::<AtomicU64>::default());
        let count = read.clone();
        let sink = move |_: Stream, lines: &[u8]| {
            let _ = words.lock().expect("nobody panics").recv();
            count.fetch_add(lines.len() as u64, Ordering::SeqCst);
            Ok(())
        };
        (to, pass_on(from, Stream::Output, String::new(), Arc::new(sink)), go_on, read)
    }

    const LINES: &[u8] = &[b'\n'; 60_000];

    #[test]
    fn what_was_written_is_passed_on_however_long_a_reader_takes_who_goes_on_reading() {
        let (mut to, passing, go_on, read) = slowly_read();
        to.write_all(LINES).expect("it fits into the pipe");
        // All parts together take longer than `pause`, and each one less.
        let pause = Duration::from_millis(500);
        let reader = thread::spawn(move || {
            while go_on.send(()).is_ok() {
                thread::sleep(pause / 3);
            }
        });
        assert!(finish(std::slice::from_ref(&passing), pause));
        assert_eq!(read.load(Ordering::SeqCst), LINES.len() as u64);
        drop(to);
        reader.join().expect("it ends when nobody passes anything on");
    }

    #[test]
    fn nobody_waits_for_a_reader_who_takes_nothing() {
        let (mut to, passing, go_on, _) = slowly_read();
        to.write_all(LINES).expect("it fits into the pipe");
        let pause = Duration::from_millis(30);
        assert!(!finish(std::slice::from_ref(&passing), pause));
        drop((to, go_on));
    }
}
