//! How threads are started.

use std::io;

/// Starts a thread that does this.
pub type Start = fn(Box<dyn FnOnce() + Send>) -> io::Result<()>;

/// Starts an ordinary thread.
pub fn thread(work: Box<dyn FnOnce() + Send>) -> io::Result<()> {
    let thread = std::thread::Builder::new().name("view".into()).stack_size(256 << 10);
    thread.spawn(work).map(drop)
}
