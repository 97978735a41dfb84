//! The way of a process of several to `ftrun`, and what is said there.

use crate::base::Member;
use crate::host::{life, service};
use crate::mpi::failure::call_trace;
use crate::mpi::process::Process;
use crate::wireup::{self, EndOfGroup, Place, Said, VARIABLE};
use crossbeam_channel::{Sender, unbounded};
use parking_lot::Mutex;
use std::io::{self, Write};
use std::os::unix::net::UnixStream;
use std::sync::OnceLock;
use std::time::Duration;

/// The way to `ftrun`, once this process has joined a job of several.
static LINK: OnceLock<Link> = OnceLock::new();

enum Link {
    Direct(Mutex<UnixStream>),
    /// By a thread that writes it. A rank that shares the process may be ended, or give its core
    /// to another one, in a system call that waits: so none of them holds a lock there.
    ByMessenger(Sender<Vec<u8>>),
}

/// `ftrun` listens there.
pub(super) fn open(stream: UnixStream) {
    LINK.get_or_init(|| Link::Direct(Mutex::new(stream)));
}

/// The same, in a process that ranks share.
pub(super) fn open_for_several(mut stream: UnixStream) -> io::Result<()> {
    let (sender, all) = unbounded::<Vec<u8>>();
    LINK.get_or_init(|| Link::ByMessenger(sender));
    // If nobody listens, the job is over, and the thread that listens ends the process.
    let write = move || all.iter().for_each(|said| drop(stream.write_all(&said)));
    service::start(Box::new(write))
}

pub(super) fn say(said: &Said) {
    match LINK.get() {
        Some(Link::Direct(stream)) => drop(wireup::write(&mut *stream.lock(), said)),
        Some(Link::ByMessenger(sender)) => drop(sender.send(wireup::encode(said))),
        None => {}
    }
}

/// What is written here is added to the timeline by `ftrun`.
pub(super) struct ToTimeline;

impl Write for ToTimeline {
    fn write(&mut self, rows: &[u8]) -> io::Result<usize> {
        say(&Said::Traced(rows.to_vec()));
        Ok(rows.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The seat of the rank of this process in its job of several, and how many lives it had before;
/// also before it has joined. `None` if it has several ranks.
pub fn place() -> Option<(usize, u32)> {
    static PLACE: OnceLock<(usize, u32)> = OnceLock::new();
    if let Some(place) = PLACE.get() {
        return Some(*place);
    }
    // A process that another launcher has started has none before its first call.
    let text = std::env::var_os(VARIABLE)?;
    let place = Place::decode(text.to_string_lossy().lines().next()?)?;
    Some(*PLACE.get_or_init(|| (place.seat, place.past)))
}

/// Kills the rank in this seat, which lives in another process; false if there are none.
pub fn kill(seat: usize) -> bool {
    say(&Said::Kill { seat, incarnation: None });
    LINK.get().is_some() || place().is_some()
}

/// Ends all ranks of a group, this one included, in whichever processes they are; or the job, if
/// there are no others.
pub(super) fn end_group(by: Member, members: Vec<Member>, status: i32, words: &str) {
    life::write_what_is_held();
    say(&Said::EndGroup(EndOfGroup { by, members, status, words: words.to_string() }));
}

/// Ends the job from this process, if it is one of several.
pub(super) fn end_job(status: i32, words: &str) {
    if LINK.get().is_some() {
        life::write_what_is_held();
        say(&Said::Abort { status, words: words.to_string() });
        // To be killed with all others.
        std::thread::sleep(Duration::from_secs(10));
    }
}

/// Ends this process with its job. What the program has printed is not lost.
pub(super) fn write_and_die() -> ! {
    life::write_what_is_held();
    life::kill_process()
}

/// The rank of this process, which is one of several or alone, is to die as if it were killed.
pub fn die(process: &Process) -> ! {
    if let Some(order) = process.fate.get().and_then(|fate| fate.met()) {
        say(&Said::Order(order.to_string()));
    }
    // Nobody else knows in which call it was.
    call_trace::leaves(process.me, -1);
    life::kill_process()
}
