//! Bytes on their way to a file: a thread of its own writes them, so whoever has them written never
//! waits for a disk, however slow that is.

use super::server::Start;
use std::fs::File;
use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What is handed over, and is still to be written.
pub(super) struct Ahead(Arc<Way>);

#[derive(Default)]
struct Way {
    state: Mutex<State>,
    moved: Condvar,
}

#[derive(Default)]
struct State {
    waiting: Vec<u8>,
    /// How many bytes the thread has taken and not yet written.
    in_hand: usize,
    /// Nothing more is to come.
    is_closed: bool,
    trouble: Option<io::Error>,
}

impl Ahead {
    pub(super) fn begin(file: File, start: Start) -> io::Result<Ahead> {
        let way = Arc::<Way>::default();
        let its = way.clone();
        start(Box::new(move || its.write_all(file)))?;
        Ok(Ahead(way))
    }

    /// How many bytes have been handed over and are not in the file.
    pub(super) fn bytes(&self) -> usize {
        let state = self.0.lock();
        state.waiting.len() + state.in_hand
    }

    /// Waits until all is in the file, for so long at most; whether it is.
    pub(super) fn end(&self, patience: Duration) -> io::Result<bool> {
        let mut state = self.0.lock();
        state.is_closed = true;
        self.0.moved.notify_all();
        let is_under_way = |state: &mut State| !state.waiting.is_empty() || state.in_hand > 0;
        let waited = self.0.moved.wait_timeout_while(state, patience, is_under_way);
        let (mut state, late) = waited.unwrap_or_else(PoisonError::into_inner);
        state.trouble.take().map_or(Ok(!late.timed_out()), Err)
    }
}

impl Write for Ahead {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut state = self.0.lock();
        if let Some(trouble) = state.trouble.take() {
            return Err(trouble);
        }
        state.waiting.extend(bytes);
        self.0.moved.notify_all();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        self.0.lock().is_closed = true;
        self.0.moved.notify_all();
    }
}

impl Way {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Every change is whole before anything can panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_all(&self, mut file: File) {
        let mut bytes = Vec::new();
        loop {
            let is_idle = |state: &mut State| state.waiting.is_empty() && !state.is_closed;
            let waited = self.moved.wait_while(self.lock(), is_idle);
            let mut state = waited.unwrap_or_else(PoisonError::into_inner);
            if state.waiting.is_empty() {
                return;
            }
            std::mem::swap(&mut bytes, &mut state.waiting);
            state.in_hand = bytes.len();
            drop(state);
            let written = file.write_all(&bytes);
            bytes.clear();
            let mut state = self.lock();
            state.in_hand = 0;
            if let Err(why) = written {
                // What comes after a gap is of no use.
                state.waiting.clear();
                state.trouble = Some(why);
            }
            drop(state);
            self.moved.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn all_of_it_gets_there_and_nobody_waits_for_who_does_not_take_it() {
        let (mut reader, writer) = io::pipe().unwrap();
        let file = File::from(std::os::fd::OwnedFd::from(writer));
        let mut ahead = Ahead::begin(file, super::super::thread).unwrap();
        // Far more than a pipe holds.
        let bytes: Vec<u8> = (0..3_000_000u32).map(|at| (at % 251) as u8).collect();
        bytes.chunks(70_000).for_each(|part| ahead.write_all(part).unwrap());
        assert!(ahead.bytes() > 1_000_000);
        assert!(!ahead.end(Duration::from_millis(1)).unwrap(), "nobody has taken it");
        let mut taken = vec![0; bytes.len()];
        reader.read_exact(&mut taken).unwrap();
        assert!(taken == bytes);
        assert!(ahead.end(Duration::from_secs(60)).unwrap());
        assert_eq!(reader.read(&mut taken).unwrap(), 0, "and then its end");
    }

    #[test]
    fn what_goes_wrong_is_told() {
        let (reader, writer) = io::pipe().unwrap();
        let file = File::from(std::os::fd::OwnedFd::from(writer));
        let mut ahead = Ahead::begin(file, super::super::thread).unwrap();
        drop(reader);
        ahead.write_all(b"nobody takes it").unwrap();
        let told = ahead.end(Duration::from_secs(60)).unwrap_err();
        assert_eq!(told.kind(), io::ErrorKind::BrokenPipe);
    }
}
