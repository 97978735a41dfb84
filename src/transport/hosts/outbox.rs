//! What ranks send that share a process, until the service thread of the process has sent it. A
//! rank may be ended in any system call that waits, so it does nothing here but wake that thread,
//! with nothing held.

use crate::base::Member;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};

pub(super) struct Outbox {
    letters: Mutex<VecDeque<(Member, Vec<u8>)>>,
    /// The service thread sleeps until a byte comes.
    is_asleep: AtomicBool,
    bell: UnixStream,
    rope: UnixStream,
}

impl Outbox {
    pub(super) fn open() -> io::Result<Outbox> {
        let (bell, rope) = UnixStream::pair()?;
        bell.set_nonblocking(true)?;
        rope.set_nonblocking(true)?;
        Ok(Outbox { letters: Mutex::default(), is_asleep: AtomicBool::new(false), bell, rope })
    }

    pub(super) fn put(&self, to: Member, packed: Vec<u8>) {
        self.letters.lock().push_back((to, packed));
    }

    pub(super) fn take(&self) -> Option<(Member, Vec<u8>)> {
        self.letters.lock().pop_front()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.letters.lock().is_empty()
    }

    /// Wakes the service thread if it sleeps. One that is ended in here may not have done it, but
    /// the next one will: only that thread says that it is awake.
    pub(super) fn wake(&self) {
        if self.is_asleep.load(Ordering::SeqCst) {
            // If there is no room, it has not read yet that it is woken.
            let _woken = (&self.rope).write(&[1]);
        }
    }

    /// The service thread wants to sleep; true if it may, as there is nothing to send.
    pub(super) fn may_sleep(&self) -> bool {
        self.is_asleep.store(true, Ordering::SeqCst);
        let may = self.is_empty();
        if !may {
            self.is_asleep.store(false, Ordering::SeqCst);
        }
        may
    }

    /// What becomes readable when somebody wakes the service thread.
    pub(super) fn descriptor(&self) -> i32 {
        self.bell.as_raw_fd()
    }

    /// The service thread is awake.
    pub(super) fn has_slept(&self) {
        self.is_asleep.store(false, Ordering::SeqCst);
        let mut bytes = [0; 64];
        while (&self.bell).read(&mut bytes).is_ok_and(|count| count == bytes.len()) {}
    }
}
