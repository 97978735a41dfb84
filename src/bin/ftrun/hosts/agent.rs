//! The agent of a host, as `ftrun` sees it: what it is told.

use ftmpi_wireup::hosts::ToAgent;
use ftmpi_wireup::{self as wireup, Told};
use std::io::Write;
use std::net::{Shutdown, TcpStream};
use std::sync::Mutex;

/// One agent.
pub(crate) struct Agent {
    pub(crate) host: usize,
    pub(crate) name: String,
    stream: Mutex<TcpStream>,
}

impl Agent {
    pub(crate) fn new(host: usize, name: String, stream: TcpStream) -> Agent {
        Agent { host, name, stream: Mutex::new(stream) }
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
