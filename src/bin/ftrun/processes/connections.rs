//! The ranks' connections: a local socket without a file, to which only processes with the secret
//! of the job have a key.

use super::happening::{Connection, Guest, Happening};
use ftmpi_wireup::{self as wireup, Said};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufReader};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::sync::mpsc::Sender;
use std::thread;
use std::time::Duration;

/// Where ranks are awaited.
pub(crate) struct Listener {
    socket: UnixListener,
    pub(crate) address: String,
    pub(crate) secret: String,
}

pub(crate) fn listen() -> io::Result<Listener> {
    let address = format!("ftmpi-{}-{:x}", std::process::id(), chance());
    let name = SocketAddr::from_abstract_name(&address)?;
    Ok(Listener { socket: UnixListener::bind_addr(&name)?, address, secret: secret() })
}

/// Words that nobody can guess.
pub(crate) fn secret() -> String {
    format!("{:016x}{:016x}", chance(), chance())
}

/// A number that nobody can guess.
pub(crate) fn chance() -> u64 {
    // Its keys come from the kernel.
    RandomState::new().hash_one(std::process::id())
}

impl Listener {
    /// From now on, whoever comes and whatever is said goes to `events`.
    pub(crate) fn serve(self, events: Sender<Happening>) {
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
    let connection = Connection::Here(stream);
    let guest = Guest { seat, incarnation, at, connection };
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
