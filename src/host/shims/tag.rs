//! Tagged output (`--tag-output`): every line starts with `[rank]` and is written in one piece.

use super::state::{LibcState, Part};
use crate::host::{current, output};
use parking_lot::Mutex;
use std::sync::atomic::AtomicBool;

/// A line longer than this leaves in pieces.
const LONGEST_LINE: usize = 64 << 10;

/// Whether every line of output starts with the rank that wrote it.
pub(super) static TAG_OUTPUT: AtomicBool = AtomicBool::new(false);

/// What a rank has begun to write, on stdout and on stderr.
#[derive(Default)]
struct Tags(Mutex<[Begun; 2]>);

static TAGS: Part<Tags> = Part::new();

#[derive(Default)]
struct Begun {
    text: Vec<u8>,
    /// The beginning of this line, tag included, has left already.
    is_shown: bool,
}

impl Begun {
    /// Takes the complete lines out, tagged; with `all` the rest, too.
    fn take(&mut self, seat: usize, all: bool) -> Vec<u8> {
        let whole = match self.text.iter().rposition(|&byte| byte == b'\n') {
            _ if all || self.text.len() > LONGEST_LINE => self.text.len(),
            Some(last) => last + 1,
            None => 0,
        };
        let mut tagged = Vec::new();
        for line in self.text[..whole].split_inclusive(|&byte| byte == b'\n') {
            if !std::mem::replace(&mut self.is_shown, !line.ends_with(b"\n")) {
                tagged.extend_from_slice(format!("[{seat}] ").as_bytes());
            }
            tagged.extend_from_slice(line);
        }
        self.text.drain(..whole);
        tagged
    }
}

/// Writes `bytes` for the rank; what ends in no newline waits for the rest of its line.
pub(super) fn write(state: &LibcState, descriptor: i32, bytes: &[u8]) -> isize {
    let mut begun = TAGS.of(state).0.lock();
    let begun = &mut begun[usize::from(descriptor == 2)];
    begun.text.extend_from_slice(bytes);
    match send(descriptor, &begun.take(state.seat, false)) {
        true => bytes.len() as isize,
        false => -1,
    }
}

/// What a dead rank left in stdout's buffer.
pub(super) fn write_if_free(state: &LibcState, bytes: &[u8]) {
    if let Some(mut begun) = TAGS.of(state).0.try_lock() {
        begun[0].text.extend_from_slice(bytes);
    }
}

/// Shows the line that stdout has begun: a program is about to ask for input.
pub(super) fn show_prompt(state: &LibcState) {
    let text = TAGS.of(state).0.lock()[0].take(state.seat, true);
    send(1, &text);
}

/// Ends the lines that a rank has left unfinished. It has ended, or died in the middle of one.
pub(super) fn finish(state: &LibcState) {
    let Some(mut begun) = TAGS.of(state).0.try_lock() else { return };
    for (begun, descriptor) in begun.iter_mut().zip([1, 2]) {
        let mut text = begun.take(state.seat, true);
        if begun.is_shown {
            text.push(b'\n');
            begun.is_shown = false;
        }
        send(descriptor, &text);
    }
}

fn send(descriptor: i32, mut bytes: &[u8]) -> bool {
    // A rank waits for its readers; the supervisor, which writes for the dead, has more to do.
    if current().is_none() {
        return output::write(descriptor, bytes);
    }
    while !bytes.is_empty() {
        // SAFETY: the bytes live.
        let sent = unsafe { libc::write(descriptor, bytes.as_ptr().cast(), bytes.len()) };
        let is_interrupted =
            std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted;
        match usize::try_from(sent) {
            Ok(sent) => bytes = &bytes[sent..],
            Err(_) if is_interrupted => {}
            Err(_) => {
                output::note_failure(descriptor, last_error());
                return false;
            }
        }
    }
    true
}

fn last_error() -> i32 {
    std::io::Error::last_os_error().raw_os_error().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(begun: &mut Begun, text: &str, all: bool) -> String {
        begun.text.extend_from_slice(text.as_bytes());
        String::from_utf8(begun.take(7, all)).unwrap()
    }

    #[test]
    fn every_line_has_one_tag() {
        let mut begun = Begun::default();
        assert_eq!(told(&mut begun, "one\ntwo\nthr", false), "[7] one\n[7] two\n");
        assert_eq!(told(&mut begun, "ee\n", false), "[7] three\n");
        assert_eq!(told(&mut begun, "name? ", true), "[7] name? ");
        assert_eq!(told(&mut begun, "x\ny\n", false), "x\n[7] y\n");
        assert_eq!(told(&mut begun, "\n", false), "[7] \n");
        let long = "x".repeat(LONGEST_LINE + 1);
        assert_eq!(told(&mut begun, &long, false), format!("[7] {long}"));
        assert_eq!(told(&mut begun, "end\n", false), "end\n");
    }
}
