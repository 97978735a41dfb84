//! The way of an agent to the coordinator, which may be another one tomorrow. What ranks print is
//! kept until the coordinator has certainly read it.

use ftmpi_wireup as wireup;
use ftmpi_wireup::hosts::{Mark, OfAgent};
use std::collections::VecDeque;
use std::net::{Shutdown, TcpStream};
use std::sync::{Mutex, PoisonError};

/// The way to the coordinator.
pub(super) struct Uplink {
    line: Mutex<Line>,
    /// The same connection, for whoever does not wait for what is being written.
    connection: Mutex<Option<(u64, TcpStream)>>,
}

struct Line {
    stream: Option<TcpStream>,
    /// Output is kept: somebody may take over.
    keeps: bool,
    /// The last beat, and output with the beat before which it was written.
    beat: u64,
    output: VecDeque<(u64, OfAgent)>,
}

impl Uplink {
    pub(super) fn new(stream: TcpStream) -> Uplink {
        let connection = stream.try_clone().ok().map(|stream| (0, stream));
        let line = Line { stream: Some(stream), keeps: false, beat: 0, output: VecDeque::new() };
        Uplink { line: Mutex::new(line), connection: Mutex::new(connection) }
    }

    fn with<T>(&self, act: impl FnOnce(&mut Line) -> T) -> T {
        act(&mut self.line.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// From now on, output is kept until it has been read.
    pub(super) fn keep(&self) {
        self.with(|line| line.keeps = true);
    }

    /// Says something, if somebody listens.
    pub(super) fn say(&self, said: &OfAgent) {
        self.with(|line| line.write(said));
    }

    /// Lines that ranks have printed.
    pub(super) fn print(&self, said: OfAgent) {
        self.with(|line| {
            line.write(&said);
            if line.keeps {
                line.output.push_back((line.beat, said));
            }
        });
    }

    pub(super) fn beat(&self, beat: u64, mark: Mark) {
        self.with(|line| {
            line.beat = beat;
            line.write(&OfAgent::Beat { beat, mark });
        });
    }

    /// This beat was heard, and so was all that was written before.
    pub(super) fn confirm(&self, beat: u64) {
        self.with(|line| {
            let read = line.output.partition_point(|(before, _)| *before < beat);
            line.output.drain(..read);
        });
    }

    /// Says nothing more to the coordinator of this epoch.
    pub(super) fn cut(&self, epoch: u64) {
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, stream)) = connection.take_if(|(of, _)| *of == epoch) {
            // Whoever waits until more can be written waits no longer.
            let _closed = stream.shutdown(Shutdown::Both);
            self.with(|line| line.stream = None);
        }
    }

    /// The coordinator of this epoch is told this first, and then what nobody may have read.
    pub(super) fn turn(&self, epoch: u64, stream: TcpStream, first: &OfAgent) {
        let connection = stream.try_clone().ok().map(|stream| (epoch, stream));
        *self.connection.lock().unwrap_or_else(PoisonError::into_inner) = connection;
        self.with(|line| {
            line.stream = Some(stream);
            line.write(first);
            let unread = std::mem::take(&mut line.output);
            unread.iter().for_each(|(_, said)| line.write(said));
            line.output = unread.into_iter().map(|(_, said)| (line.beat, said)).collect();
        });
    }
}

impl Line {
    fn write(&mut self, said: &OfAgent) {
        if let Some(stream) = &mut self.stream {
            // If nobody listens, that is heard elsewhere.
            let _unheard = wireup::write(stream, said);
        }
    }
}
