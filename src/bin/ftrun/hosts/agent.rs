//! The agent of a host, as `ftrun` sees it: what it is told.

use ftmpi_wireup::hosts::ToAgent;
use ftmpi_wireup::{self as wireup, Told};
use rustix::fd::OwnedFd;
use rustix::process::{Signal, pidfd_send_signal};
use std::io::{self, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Mutex;

/// One agent.
pub(crate) struct Agent {
    pub(crate) host: usize,
    pub(crate) name: String,
    stream: Mutex<TcpStream>,
    /// The same, for whoever does not wait for what is being written.
    connection: TcpStream,
    /// The command that has started it, unless another launcher has.
    starter: Option<OwnedFd>,
}

impl Agent {
    pub(crate) fn new(
        host: usize, name: String, stream: TcpStream, starter: Option<OwnedFd>,
    ) -> io::Result<Agent> {
        let connection = stream.try_clone()?;
        Ok(Agent { host, name, stream: Mutex::new(stream), connection, starter })
    }

    /// It has not been heard for too long: nothing passes between it and `ftrun` any more.
    pub(crate) fn cut_off(&self) {
        // It may be closed already.
        let _closed = self.connection.shutdown(Shutdown::Both);
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
        self.tell(&ToAgent::Tell { seat, incarnation, told: wireup::encode(told) });
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
