//! The ranks' connections: a local socket without a file, to which only processes with the secret
//! of the job have a key.

use super::happening::{Guest, Happening};
use ftmpi_wireup::{self as wireup, Said, Told};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufReader, ErrorKind, Write};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::sync::mpsc::Sender;
use std::thread;
use std::time::Duration;

/// Where ranks are awaited.
pub(super) struct Listener {
    socket: UnixListener,
    pub(super) address: String,
    pub(super) secret: String,
}

pub(super) fn listen() -> io::Result<Listener> {
    let address = format!("ftmpi-{}-{:x}", std::process::id(), chance());
    let name = SocketAddr::from_abstract_name(&address)?;
    let secret = format!("{:016x}{:016x}", chance(), chance());
    Ok(Listener { socket: UnixListener::bind_addr(&name)?, address, secret })
}

/// A number that nobody can guess.
fn chance() -> u64 {
    // Its keys come from the kernel.
    RandomState::new().hash_one(std::process::id())
}

impl Listener {
    /// From now on, whoever comes and whatever is said goes to `events`.
    pub(super) fn serve(self, events: Sender<Happening>) {
        thread::spawn(move || {
            for stream in self.socket.incoming().flatten() {
                let (events, secret) = (events.clone(), self.secret.clone());
                thread::spawn(move || attend(stream, &secret, &events));
            }
        });
    }
}

/// How long a rank may leave a message unread before it counts as stuck.
const PATIENCE: Duration = Duration::from_secs(10);

/// Listens to one process for as long as it is there.
fn attend(stream: UnixStream, expected: &str, events: &Sender<Happening>) {
    let Ok(reading) = stream.try_clone() else { return };
    let mut reading = BufReader::new(reading);
    let Ok(Some(Said::Joined { secret, seat, incarnation, at })) = wireup::read(&mut reading)
    else {
        return;
    };
    if secret != expected {
        return;
    }
    let _limited = stream.set_write_timeout(Some(PATIENCE));
    let guest = Guest { seat, incarnation, at, stream };
    if events.send(Happening::Joined(guest)).is_err() {
        return;
    }
    while let Ok(Some(said)) = wireup::read(&mut reading) {
        if events.send(Happening::Said { seat, incarnation, said }).is_err() {
            return;
        }
    }
    // Nobody may listen any more.
    let _unheard = events.send(Happening::Closed { seat, incarnation });
}

/// Tells a process something; false if it is there and does not listen. If it has ended, that will
/// be known.
pub(super) fn tell(stream: &UnixStream, told: &Told) -> bool {
    let mut stream = stream;
    let written = stream.write_all(&wireup::encode(told));
    !written.is_err_and(|error| matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut))
}
