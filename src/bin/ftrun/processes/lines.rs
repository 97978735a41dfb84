//! Output of ranks, whole lines at a time.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

/// Where the lines of a rank go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    Output,
    Errors,
}

/// What takes the lines of ranks: these streams, or who passes them on.
pub(crate) type Sink = Arc<dyn Fn(Stream, &[u8]) -> io::Result<()> + Send + Sync>;

/// Passes on what a rank writes until it writes no more. `tag` begins each line.
pub(super) fn pass_on(
    from: impl Read + Send + 'static, to: Stream, tag: String, sink: Sink,
) -> JoinHandle<()> {
    let pass = move || {
        let mut from = BufReader::new(from);
        let mut lines = tag.clone().into_bytes();
        while let Ok(1..) = from.read_until(b'\n', &mut lines) {
            // What is there already goes along: fewer, larger writes.
            while from.buffer().contains(&b'\n') {
                lines.extend_from_slice(tag.as_bytes());
                if from.read_until(b'\n', &mut lines).is_err() {
                    break;
                }
            }
            if sink(to, &lines).is_err() {
                // As in any pipeline, the rank hears of that when it writes again.
                return;
            }
            lines.clear();
            lines.extend_from_slice(tag.as_bytes());
        }
    };
    thread::spawn(pass)
}

pub(crate) fn write(to: Stream, lines: &[u8]) -> io::Result<()> {
    match to {
        Stream::Output => {
            let mut out = io::stdout().lock();
            out.write_all(lines)?;
            out.flush()
        }
        Stream::Errors => io::stderr().lock().write_all(lines),
    }
}

/// Writes a line of the launcher's own to stderr.
pub(crate) fn say(line: &str) {
    // If stderr is closed, the line has no reader.
    let _unread = write(Stream::Errors, format!("{line}\n").as_bytes());
}
