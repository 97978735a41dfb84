//! What a rank has opened and not closed.

use super::state::{LibcState, Part};
use super::stream::Stream;
use parking_lot::Mutex;

/// Its `FILE`s.
#[derive(Default)]
pub(super) struct Files(Mutex<Vec<Open>>);

pub(super) static FILES: Part<Files> = Part::new();

#[derive(Clone, Copy)]
pub(super) struct Open {
    stream: Stream,
    /// The process at the other end, where `popen` opened it.
    pub(super) process: Option<libc::pid_t>,
}

impl Files {
    /// Runs `act` on a snapshot: it may block.
    pub(super) fn each(&self, act: impl Fn(Stream)) {
        let open: Vec<_> = self.0.lock().iter().map(|open| open.stream).collect();
        open.into_iter().for_each(act);
    }

    pub(super) fn add(&self, stream: Stream, process: Option<libc::pid_t>) {
        stream.take_from_libc();
        self.0.lock().push(Open { stream, process });
    }

    /// The newest are closed first most of the time.
    pub(super) fn remove(&self, stream: Stream) -> Option<Open> {
        let mut open = self.0.lock();
        let index = open.iter().rposition(|open| open.stream == stream)?;
        Some(open.swap_remove(index))
    }

    /// The process behind a stream that `popen` opened.
    pub(super) fn process(&self, stream: Stream) -> Option<libc::pid_t> {
        let open = self.0.lock();
        open.iter().find(|open| open.stream == stream).and_then(|open| open.process)
    }
}

impl LibcState {
    /// Closes the descriptors that the rank has left open. It has ended, and none of its threads
    /// runs any more; its streams were flushed if it ended by `exit`. The `FILE`s are freed, too,
    /// unless the rank has died inside libc, which may hold its own locks then.
    pub(in crate::host) fn close_files(&self, has_died_in_libc: bool) {
        for Open { stream, .. } in std::mem::take(&mut *FILES.of(self).0.lock()) {
            if stream.descriptor() > 2 {
                // SAFETY: the descriptor is the dead rank's.
                unsafe { libc::close(stream.descriptor()) };
            }
            if !has_died_in_libc {
                stream.dispose();
            }
        }
    }
}
