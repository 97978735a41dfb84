//! The agent of a host, as `ftrun` sees it: what it is told.

use ftmpi_wireup::hosts::ToAgent;
use ftmpi_wireup::{self as wireup, Told};
use rustix::fd::OwnedFd;
use rustix::process::{Signal, pidfd_send_signal};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

/// One agent.
pub(crate) struct Agent {
    pub(crate) host: usize,
    pub(crate) name: String,
    stream: Mutex<TcpStream>,
    /// The same, for whoever does not wait for what is being written.
    connection: TcpStream,
    /// The command that has started it, if this process has run it.
    starter: Option<OwnedFd>,
    steps: Steps,
    /// Where others reach it, once that is known.
    pub(crate) addresses: OnceLock<Vec<SocketAddr>>,
}

/// How many steps of the coordinator are over: what they were to tell has been told.
pub(crate) type Steps = Arc<AtomicU64>;

impl Agent {
    pub(crate) fn new(
        host: usize, name: String, stream: TcpStream, starter: Option<OwnedFd>, steps: Steps,
    ) -> io::Result<Agent> {
        let connection = stream.try_clone()?;
        let (stream, addresses) = (Mutex::new(stream), OnceLock::new());
        Ok(Agent { host, name, stream, connection, starter, steps, addresses })
    }

    /// It has not been heard for too long: nothing passes between it and `ftrun` any more.
    pub(crate) fn cut_off(&self) {
        // It may be closed already.
        let _closed = self.connection.shutdown(Shutdown::Both);
    }

    /// Whether its process has certainly ended, when its connection has: then nothing listens there
    /// any more.
    pub(crate) fn has_ended(&self) -> bool {
        const PATIENCE: Duration = Duration::from_millis(200);
        let tries = self.addresses.get().into_iter().flatten().flat_map(|address| [address; 3]);
        for address in tries {
            match TcpStream::connect_timeout(address, PATIENCE) {
                Err(error) if error.kind() == ErrorKind::ConnectionRefused => return true,
                Err(_) => {}
                Ok(mut stream) => {
                    let _limited = stream.set_read_timeout(Some(PATIENCE));
                    // One that is just ending closes it; one that lives waits for a word.
                    let said = stream.read(&mut [0]);
                    if said.is_err_and(|error| {
                        matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
                    }) {
                        return false;
                    }
                }
            }
        }
        false
    }

    /// It has gone: what has started it is to go, too.
    pub(crate) fn end(&self) {
        self.cut_off();
        if let Some(starter) = &self.starter {
            // It may have ended already.
            let _gone = pidfd_send_signal(starter, Signal::KILL);
        }
    }

    pub(crate) fn tell(&self, what: &ToAgent) {
        self.write(&wireup::encode(what));
    }

    /// Tells a rank on its host something.
    pub(crate) fn pass_on(&self, seat: usize, incarnation: u32, told: &Told) {
        let step = self.steps.load(Ordering::SeqCst) + 1;
        self.tell(&ToAgent::Tell { seat, incarnation, step, told: wireup::encode(told) });
    }

    pub(crate) fn kill(&self, seat: usize, incarnation: u32) {
        self.tell(&ToAgent::Kill { seat, incarnation });
    }

    fn write(&self, bytes: &[u8]) {
        let Ok(mut stream) = self.stream.lock() else { return };
        if stream.write_all(bytes).is_err() {
            // Half a message is none: whoever listens to it hears that it has gone.
            let _closed = stream.shutdown(Shutdown::Both);
        }
    }
}
