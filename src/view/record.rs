//! A recorded run in a file: scenes, and frames as differences from the frame before.
//!
//! A file begins with [`HEAD`]. Then come records: a letter for the kind, the number of bytes, the
//! bytes, and a checksum of all that. So a file that is truncated or corrupted is read as far as it
//! is intact.
//!
//! | kind | what it holds                                                              |
//! |------|----------------------------------------------------------------------------|
//! | `S`  | a scene: the length of its JSON, that, two floats for each dot             |
//! | `F`  | a frame by itself                                                          |
//! | `D`  | a frame as a difference from the one before                                |
//! | `E`  | nothing: the run has ended                                                 |
//!
//! A frame is a time in milliseconds, the head and the tail of its text (the length of each, then
//! that; an unchanged tail has the length [`SAME`]), and the picture as its difference from the one
//! before: in turns, how many bytes are equal, how many are not, and what to combine these with
//! (exclusive or).

use super::ahead::{Ahead, Work};
use super::scene::{Shown, Written};
use super::start::Start;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

pub(super) const HEAD: &[u8] = b"ftview 1\n";
const SAME: u32 = u32::MAX;
/// One in this many frames is stored whole.
pub(super) const EACH: usize = 64;
const FLUSHED: Duration = Duration::from_millis(500);
/// The most bytes that may wait for a slow disk.
const MOST_AHEAD: usize = 16 << 20;
/// A longer record is invalid.
const LONGEST: u32 = 1 << 30;

/// Records a run in a file, by a separate thread.
pub struct Recorder {
    path: PathBuf,
    ahead: Ahead<Next>,
    begun: Instant,
    slow: Slow,
    /// How many frames were left out for lack of room.
    left_out: u64,
}

/// What to do if the disk is too slow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slow {
    /// The run waits: nothing is missing.
    Waits,
    /// The run does not wait: frames are left out.
    LeavesOut,
}

/// What is to be written next.
enum Next {
    Scene(Arc<Shown>),
    /// With its time, in milliseconds.
    Frame(u32, Written),
    End,
}

/// Why a recording is incomplete.
#[derive(Debug, PartialEq, Eq)]
pub struct Flaw {
    pub words: String,
    /// The disk was too slow, as opposed to full or broken.
    pub is_late: bool,
}

impl From<Flaw> for String {
    fn from(flaw: Flaw) -> String {
        flaw.words
    }
}

/// The writer of a recording.
struct Scribe {
    file: BufWriter<File>,
    /// When everything had last reached the file.
    flushed: Instant,
    last: Written,
    /// How many frames until one must be stored whole.
    until: usize,
}

/// A record as it is read.
#[derive(Debug, PartialEq)]
pub(super) struct Record<'a> {
    pub(super) kind: u8,
    pub(super) body: &'a [u8],
}

impl Recorder {
    pub fn create(path: &Path, slow: Slow, start: Start) -> Result<Recorder, String> {
        let begin = |file| {
            let mut file = BufWriter::with_capacity(1 << 16, file);
            file.write_all(HEAD)?;
            let last = Written::default();
            Ahead::begin(Scribe { file, flushed: Instant::now(), last, until: 0 }, start)
        };
        let ahead = File::create(path).and_then(begin);
        let ahead = ahead.map_err(|why| format!("cannot write --record {}: {why}", path.display()));
        let path = path.to_path_buf();
        Ok(Recorder { path, ahead: ahead?, begun: Instant::now(), slow, left_out: 0 })
    }

    pub(super) fn scene(&mut self, shown: Arc<Shown>) {
        let bytes = shown.json.len() + 8 * shown.places.len();
        self.ahead.put(Next::Scene(shown), bytes);
    }

    pub(super) fn frame(&mut self, next: Written) {
        match self.slow {
            Slow::Waits => self.ahead.wait(MOST_AHEAD),
            Slow::LeavesOut if self.ahead.bytes() > MOST_AHEAD => {
                self.left_out += 1;
                return;
            }
            Slow::LeavesOut => {}
        }
        let millis = u32::try_from(self.begun.elapsed().as_millis()).unwrap_or(u32::MAX);
        let bytes = next.head.len() + next.tail.len() + next.image.len();
        self.ahead.put(Next::Frame(millis, next), bytes);
    }

    /// Ends the recording; returns why it is incomplete, and waits at most this long if a limit is
    /// given.
    pub(super) fn finish(self, patience: Option<Duration>) -> Result<(), Flaw> {
        // Like all waiting work, it needs a size.
        self.ahead.put(Next::End, 1);
        let path = self.path.display();
        let late = |words: String| Err(Flaw { words, is_late: true });
        match self.ahead.end(patience) {
            Err(why) => {
                let words = format!("cannot write --record {path}: {why}");
                Err(Flaw { words, is_late: false })
            }
            Ok(false) => late(format!(
                "--record {path}: its end is missing, since it is written too slowly: the job \
                 does not wait for it"
            )),
            Ok(true) if self.left_out > 0 => late(format!(
                "--record {path}: {} pictures are missing, since it is written too slowly",
                self.left_out
            )),
            Ok(true) => Ok(()),
        }
    }
}

impl Work<Next> for Scribe {
    fn take(&mut self, next: Next) -> io::Result<()> {
        match next {
            Next::Scene(shown) => {
                let Shown { json, places } = &*shown;
                let mut body = (json.len() as u32).to_le_bytes().to_vec();
                body.extend(json.as_bytes());
                body.extend(bytes_of(places));
                self.until = 0;
                self.write(b'S', &body)?;
            }
            Next::Frame(millis, next) => self.frame(millis, next)?,
            Next::End => {
                self.write(b'E', &[])?;
                return self.rest();
            }
        }
        // A run that is killed leaves most of it behind.
        if self.flushed.elapsed() > FLUSHED { self.rest() } else { Ok(()) }
    }

    fn rest(&mut self) -> io::Result<()> {
        self.flushed = Instant::now();
        self.file.flush()
    }
}

impl Scribe {
    fn frame(&mut self, millis: u32, next: Written) -> io::Result<()> {
        let is_alone = self.until == 0 || next.image.len() != self.last.image.len();
        self.until = if is_alone { EACH - 1 } else { self.until - 1 };
        if is_alone {
            self.last = Written::default();
        }
        let mut body = millis.to_le_bytes().to_vec();
        body.extend((next.head.len() as u32).to_le_bytes());
        body.extend(next.head.as_bytes());
        if next.tail == self.last.tail {
            body.extend(SAME.to_le_bytes());
        } else {
            body.extend((next.tail.len() as u32).to_le_bytes());
            body.extend(next.tail.as_bytes());
        }
        differences(&self.last.image, &next.image, &mut body);
        self.last = next;
        self.write(if is_alone { b'F' } else { b'D' }, &body)
    }

    fn write(&mut self, kind: u8, body: &[u8]) -> io::Result<()> {
        let mut head = [kind, 0, 0, 0, 0];
        head[1..].copy_from_slice(&(body.len() as u32).to_le_bytes());
        self.file.write_all(&head)?;
        self.file.write_all(body)?;
        self.file.write_all(&checksum(&[&head, body]).to_le_bytes())
    }
}

/// The first record of these bytes, and its whole length; or why there is none.
pub(super) fn next(bytes: &[u8]) -> Result<(Record<'_>, usize), &'static str> {
    const CUT: &str = "it ends too early";
    let head = bytes.get(..5).ok_or(CUT)?;
    let length = number(&head[1..]);
    if !b"SFDE".contains(&head[0]) || length > LONGEST {
        return Err("it is broken");
    }
    let end = 5 + length as usize;
    let body = bytes.get(5..end).ok_or(CUT)?;
    let sum = bytes.get(end..end + 4).ok_or(CUT)?;
    if number(sum) != checksum(&[head, body]) {
        return Err("it is broken");
    }
    Ok((Record { kind: head[0], body }, end + 4))
}

impl Record<'_> {
    pub(super) fn scene(&self) -> Option<Shown> {
        let mut rest = self.body;
        let json = text(&mut rest)?;
        let float = |bytes: &[u8]| f32::from_bits(number(bytes));
        let place = |bytes: &[u8]| [float(&bytes[..4]), float(&bytes[4..])];
        Some(Shown { json, places: rest.chunks_exact(8).map(place).collect() })
    }

    /// Its time, in milliseconds.
    pub(super) fn time(&self) -> Option<u32> {
        self.body.get(..4).map(number)
    }

    /// Turns the frame before into this one.
    pub(super) fn frame(&self, frame: &mut Written) -> Option<()> {
        if self.kind == b'F' {
            *frame = Written::default();
        }
        let mut rest = self.body.get(4..)?;
        frame.head = text(&mut rest)?;
        match rest.get(..4).map(number)? {
            SAME => rest = &rest[4..],
            _ => frame.tail = text(&mut rest)?,
        }
        combine(Arc::make_mut(&mut frame.image), rest)
    }
}

/// The bytes of places, as they are written.
pub(super) fn bytes_of(places: &[[f32; 2]]) -> Vec<u8> {
    places.iter().flatten().flat_map(|at| at.to_le_bytes()).collect()
}

/// The difference of `next` from `last`, whose missing bytes count as zero.
fn differences(last: &[u8], next: &[u8], into: &mut Vec<u8>) {
    /// Copying this many equal bytes is cheaper than skipping them.
    const FEW: usize = 3;
    let old = |at: usize| last.get(at).copied().unwrap_or(0);
    let run = |from: usize| (from..next.len()).take_while(|&at| next[at] == old(at)).count();
    write_number(next.len(), into);
    let mut at = 0;
    while at < next.len() {
        let same = run(at);
        let begin = at + same;
        let mut end = begin;
        while end < next.len() {
            let gap = run(end);
            if gap >= FEW || end + gap == next.len() && gap > 0 {
                break;
            }
            end += gap + 1;
        }
        let end = end.min(next.len());
        write_number(same, into);
        write_number(end - begin, into);
        into.extend((begin..end).map(|at| next[at] ^ old(at)));
        at = end;
    }
}

fn combine(image: &mut Vec<u8>, bytes: &[u8]) -> Option<()> {
    let mut rest = bytes;
    let length = read_number(&mut rest)?;
    if length > LONGEST as usize {
        return None;
    }
    image.resize(length, 0);
    let mut at = 0;
    while at < length {
        at += read_number(&mut rest)?;
        let count = read_number(&mut rest)?;
        let (change, after) = rest.split_at_checked(count)?;
        let place = image.get_mut(at..at.checked_add(count)?)?;
        place.iter_mut().zip(change).for_each(|(byte, change)| *byte ^= change);
        (at, rest) = (at + count, after);
    }
    Some(())
}

/// Seven bits a byte, the lowest first; the highest bit is set if more follow.
fn write_number(mut number: usize, into: &mut Vec<u8>) {
    while number > 127 {
        into.push(number as u8 | 128);
        number >>= 7;
    }
    into.push(number as u8);
}

fn read_number(rest: &mut &[u8]) -> Option<usize> {
    let mut number = 0;
    for shift in 0..5 {
        let (&byte, after) = rest.split_first()?;
        *rest = after;
        number |= usize::from(byte & 127) << (7 * shift);
        if byte < 128 {
            return Some(number);
        }
    }
    None
}

fn text(rest: &mut &[u8]) -> Option<String> {
    let length = rest.get(..4).map(number)? as usize;
    let (text, after) = rest[4..].split_at_checked(length)?;
    *rest = after;
    String::from_utf8(text.to_vec()).ok()
}

fn number(bytes: &[u8]) -> u32 {
    bytes[..4].iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte))
}

/// FNV-1a (Fowler, Noll and Vo): detects accidental corruption.
fn checksum(parts: &[&[u8]]) -> u32 {
    let bytes = parts.iter().copied().flatten();
    bytes.fold(0x811c_9dc5, |sum, &byte| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Frame, Image, Replay, thread};
    use ftmpi_base::random::Random;
    use std::fs::OpenOptions;
    use std::process::Command;

    /// A pipe that has not been read from yet.
    struct Pipe {
        path: PathBuf,
        taken: File,
    }

    impl Pipe {
        fn new(name: &str) -> Pipe {
            let path = std::env::temp_dir().join(format!("record-{name}-{}", std::process::id()));
            let _ = std::fs::remove_file(&path);
            assert!(Command::new("mkfifo").arg(&path).status().is_ok_and(|made| made.success()));
            // Opening it both ways does not block.
            let taken = OpenOptions::new().read(true).write(true).open(&path).unwrap();
            Pipe { path, taken }
        }

        /// Takes all there is, up to the end of a recording.
        fn take(mut self) -> Replay {
            std::fs::remove_file(&self.path).unwrap();
            let (mut bytes, mut room) = (Vec::new(), vec![0; 1 << 16]);
            let end: &[u8] = &[b'E', 0, 0, 0, 0];
            let end = [end, &checksum(&[end]).to_le_bytes()].concat();
            while !bytes.ends_with(&end) {
                let count = io::Read::read(&mut self.taken, &mut room).unwrap();
                bytes.extend(&room[..count]);
            }
            let file = std::env::temp_dir().join(format!("{}.file", self.path.display()));
            std::fs::write(&file, bytes).unwrap();
            let replay = Replay::open(&file).unwrap();
            std::fs::remove_file(&file).unwrap();
            assert_eq!(replay.trouble(), None);
            replay
        }
    }

    /// Records `count` frames of a megabyte each, all different.
    fn record(recorder: &mut Recorder, count: u64) {
        let json = "{\"scene\":1,\"kinds\":[]}".into();
        recorder.scene(Arc::new(Shown { json, places: vec![[0.5; 2]; 1 << 20] }));
        let mut random = Random::new(1);
        for tick in 0..count {
            let colour = random.below(256) as usize;
            let image = Image::of((0..1 << 20).map(|dot: usize| Some((dot * colour) as u8)));
            let frame = Frame { tick, image, ..Frame::default() };
            recorder.frame(Written::new(1, &frame, &Default::default()));
        }
    }

    #[test]
    fn nothing_is_missing_where_the_run_waits_for_a_slow_disk() {
        let pipe = Pipe::new("waits");
        let mut recorder = Recorder::create(&pipe.path, Slow::Waits, thread).unwrap();
        let writer = std::thread::spawn(move || {
            record(&mut recorder, 40);
            recorder.finish(None)
        });
        assert_eq!(pipe.take().frames(), 40);
        assert_eq!(writer.join().unwrap(), Ok(()));
    }

    #[test]
    fn the_run_waits_for_nobody_where_frames_may_be_left_out_and_says_how_many() {
        let pipe = Pipe::new("leaves-out");
        let path = pipe.path.clone();
        let mut recorder = Recorder::create(&path, Slow::LeavesOut, thread).unwrap();
        // Nothing is read.
        record(&mut recorder, 40);
        assert!(recorder.left_out > 10, "{}", recorder.left_out);
        let left_out = recorder.left_out;
        let writer = std::thread::spawn(move || recorder.finish(None));
        assert_eq!(pipe.take().frames() as u64, 40 - left_out);
        let told = writer.join().unwrap().unwrap_err().words;
        assert!(told.ends_with(&format!(
            "{left_out} pictures are missing, since it is written too slowly"
        )));
    }

    #[test]
    fn the_end_of_a_run_waits_no_longer_than_it_may_and_what_goes_wrong_is_told() {
        let pipe = Pipe::new("end");
        let mut recorder = Recorder::create(&pipe.path, Slow::LeavesOut, thread).unwrap();
        record(&mut recorder, 3);
        let told = recorder.finish(Some(Duration::from_millis(1))).unwrap_err().words;
        assert!(told.contains("its end is missing"), "{told}");
        assert_eq!(pipe.take().frames(), 3, "who takes it later has it");
        let mut recorder = Recorder::create(Path::new("/dev/full"), Slow::Waits, thread).unwrap();
        record(&mut recorder, 40);
        let told = recorder.finish(None).unwrap_err().words;
        assert!(told.starts_with("cannot write --record /dev/full: "), "{told}");
    }

    #[test]
    fn whatever_changes_comes_back_and_what_does_not_takes_no_room() {
        let mut random = Random::new(3);
        let mut last = Vec::new();
        for _ in 0..300 {
            let mut next: Vec<u8> = last.clone();
            next.resize(random.below(400) as usize, 7);
            for _ in 0..random.below(20).min(next.len() as u64) {
                let at = random.below(next.len() as u64) as usize;
                next[at] = random.below(256) as u8;
            }
            let mut bytes = Vec::new();
            differences(&last, &next, &mut bytes);
            let mut back = last.clone();
            combine(&mut back, &bytes).unwrap();
            assert_eq!(back, next);
            let mut bytes = Vec::new();
            differences(&next, &next, &mut bytes);
            assert!(bytes.len() <= 5, "{bytes:?}");
            last = next;
        }
    }

    #[test]
    fn numbers_come_back() {
        for number in [0, 1, 127, 128, 300, 1 << 20, LONGEST as usize] {
            let mut bytes = Vec::new();
            write_number(number, &mut bytes);
            assert_eq!(read_number(&mut &bytes[..]), Some(number));
        }
        assert_eq!(read_number(&mut &[255; 9][..]), None);
    }
}
