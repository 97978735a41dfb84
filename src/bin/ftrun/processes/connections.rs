//! The ranks' connections: a local socket without a file, to which only processes with the secret
//! of the job have a key.

use super::happening::{Connection, Guest, Happening};
use ftmpi_wireup::{self as wireup, Place, Said, Told};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufReader};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::sync::Arc;
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
    /// From now on, whoever comes and whatever is said goes to `events`. Ranks that another
    /// launcher has started learn their places in the offered job.
    pub(crate) fn serve(self, events: Sender<Happening>, offer: Option<Offer>) {
        let Listener { socket, address, secret } = self;
        let desk = Arc::new(Desk { address, secret, offer, events });
        thread::spawn(move || {
            for stream in socket.incoming().flatten() {
                let desk = desk.clone();
                thread::spawn(move || desk.attend(stream));
            }
        });
    }
}

/// What ranks that another launcher has started are told of their job.
pub(crate) struct Offer {
    pub(crate) host: Option<(u32, u64)>,
    /// As the library is told of it.
    pub(crate) job: String,
}

/// What awaits ranks.
struct Desk {
    address: String,
    secret: String,
    offer: Option<Offer>,
    events: Sender<Happening>,
}

/// How long a rank may leave a message unread before it counts as stuck.
const PATIENCE: Duration = Duration::from_secs(10);

impl Desk {
    /// Listens to one process for as long as it is there.
    fn attend(&self, mut stream: UnixStream) {
        let Ok(reading) = stream.try_clone() else { return };
        let mut reading = BufReader::new(reading);
        let (seat, incarnation, at) = match wireup::read(&mut reading) {
            Ok(Some(Said::Joined { secret, seat, incarnation, at })) if secret == self.secret => {
                (seat, incarnation, at)
            }
            Ok(Some(Said::Adopt { secret, seat })) if secret == self.secret => {
                if let Some(text) = self.environment(seat) {
                    // If it has gone, it will be missed.
                    let _gone = wireup::write(&mut stream, &Told::Adopted(text));
                }
                return;
            }
            _ => return,
        };
        let _limited = stream.set_write_timeout(Some(PATIENCE));
        let connection = Connection::Here(stream);
        let guest = Guest { seat, incarnation, at, connection };
        if self.events.send(Happening::Joined(guest)).is_err() {
            return;
        }
        while let Ok(Some(said)) = wireup::read(&mut reading) {
            if self.events.send(Happening::Said { seat, incarnation, said }).is_err() {
                return;
            }
        }
        // Nobody may listen any more.
        let _unheard = self.events.send(Happening::Closed { seat, incarnation });
    }

    /// What the first life of a rank would have found in its environment.
    fn environment(&self, seat: usize) -> Option<String> {
        let Offer { host, job } = self.offer.as_ref()?;
        let (address, secret) = (self.address.clone(), self.secret.clone());
        let place = Place { address, secret, seat, incarnation: 0, past: 0, host: *host };
        Some(format!("{}\n{job}", place.encode()))
    }
}
