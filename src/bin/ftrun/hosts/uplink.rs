//! The way of an agent to the coordinator, which may be another one tomorrow. Output of ranks, and
//! the like ([`OfAgent::is_kept`]), is kept until the coordinator has dealt with it.

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
    /// Whether messages are kept: somebody may take over.
    keeps: bool,
    /// The coordinator's.
    epoch: u64,
    kept: VecDeque<OfAgent>,
    /// The number of messages of that kind to this coordinator that are no longer kept.
    gone: u64,
}

impl Uplink {
    pub(super) fn new(stream: TcpStream) -> Uplink {
        let connection = stream.try_clone().ok().map(|stream| (0, stream));
        let kept = VecDeque::new();
        let line = Line { stream: Some(stream), keeps: false, epoch: 0, kept, gone: 0 };
        Uplink { line: Mutex::new(line), connection: Mutex::new(connection) }
    }

    fn with<T>(&self, act: impl FnOnce(&mut Line) -> T) -> T {
        act(&mut self.line.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// From now on, messages are kept until they have been dealt with.
    pub(super) fn keep(&self) {
        self.with(|line| line.keeps = true);
    }

    /// Says something, if somebody listens, or will.
    pub(super) fn say(&self, said: &OfAgent) {
        self.with(|line| {
            line.write(said);
            match said.is_kept() {
                true if line.keeps => line.kept.push_back(said.clone()),
                true => line.gone += 1,
                false => {}
            }
        });
    }

    pub(super) fn beat(&self, beat: u64, mark: Mark) {
        self.with(|line| line.write(&OfAgent::Beat { beat, mark }));
    }

    /// The coordinator of this epoch has dealt with so many messages of those that are kept.
    pub(super) fn confirm(&self, epoch: u64, taken: u64) {
        self.with(|line| {
            if line.epoch == epoch {
                let count = taken.saturating_sub(line.gone).min(line.kept.len() as u64);
                line.kept.drain(..count as usize);
                line.gone += count;
            }
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

    /// The coordinator of this epoch is told this first, and then all that is kept.
    pub(super) fn turn(&self, epoch: u64, stream: TcpStream, first: &OfAgent) {
        let connection = stream.try_clone().ok().map(|stream| (epoch, stream));
        *self.connection.lock().unwrap_or_else(PoisonError::into_inner) = connection;
        self.with(|line| {
            line.stream = Some(stream);
            line.write(first);
            (line.epoch, line.gone) = (epoch, 0);
            let kept = std::mem::take(&mut line.kept);
            kept.iter().for_each(|said| line.write(said));
            line.kept = kept;
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    /// A connection, and its other end.
    fn pair() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("there is a port");
        let address = listener.local_addr().expect("it listens");
        let stream = TcpStream::connect(address).expect("it listens");
        (stream, listener.accept().expect("somebody connects").0)
    }

    fn output(number: u8) -> OfAgent {
        OfAgent::Output { is_error: false, lines: vec![number] }
    }

    fn numbers(from: &mut TcpStream, count: usize) -> Vec<u8> {
        let mut next = || match wireup::read(from).expect("it is well formed") {
            Some(OfAgent::Output { lines, .. }) => lines[0],
            other => panic!("{other:?}"),
        };
        (0..count).map(|_| next()).collect()
    }

    #[test]
    fn the_next_coordinator_hears_what_the_last_one_has_not_dealt_with() {
        let (stream, mut first) = pair();
        let uplink = Uplink::new(stream);
        uplink.say(&output(1));
        uplink.keep();
        (2..6).for_each(|number| uplink.say(&output(number)));
        assert_eq!(numbers(&mut first, 5), [1, 2, 3, 4, 5]);
        uplink.confirm(0, 3);
        uplink.cut(0);
        uplink.say(&output(6));
        let (stream, mut second) = pair();
        uplink.turn(4, stream, &output(0));
        uplink.say(&output(7));
        assert_eq!(numbers(&mut second, 5), [0, 4, 5, 6, 7]);
        uplink.confirm(0, 9);
        uplink.confirm(4, 3);
        let (stream, mut third) = pair();
        uplink.turn(5, stream, &output(0));
        assert_eq!(numbers(&mut third, 2), [0, 7]);
    }
}
