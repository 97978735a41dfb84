//! A file that `ftrun` writes about the job, and with which another coordinator goes on when this
//! one is lost.
//!
//! One that was only suspended, or cut off, may find another one in its place. So whenever the file
//! has become longer by itself, it looks whether another one has begun to write there, and leaves
//! the file to that one. Whoever writes has locked the file (`flock`). One that takes over keeps it
//! locked from when it has read the end until its first words are there.

use ftmpi_wireup::takeover::JobFile;
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use std::fs::{File, Metadata, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::thread;
use std::time::{Duration, Instant};

pub(super) struct Written {
    file: File,
    /// Its path, unless it is a pipe or the like, with which nobody else can go on.
    path: Option<String>,
    /// Its length as far as this process knows, and the part in which nobody else has written.
    length: u64,
    own: u64,
    /// It stays locked until the first words of this coordinator are there.
    is_claimed: bool,
    /// Somebody had it locked for too long: that is not waited for again.
    is_hurried: bool,
    /// Another coordinator goes on with it.
    is_left: bool,
}

/// A file with which this coordinator goes on.
pub(super) struct Resumed {
    pub(super) file: Written,
    /// Its last bytes, and whether these are all.
    pub(super) end: Vec<u8>,
    pub(super) is_all: bool,
    /// It is the one that the user has named.
    pub(super) is_original: bool,
}

/// What the first words of another coordinator have in them (`takeover_words` of `ftmpi_fault`).
const MARK: &[u8] = b"the coordinator is lost; host ";

impl Written {
    /// A new file, or one that is emptied.
    pub(super) fn create(path: &str) -> io::Result<Written> {
        let file = File::create(path)?;
        let is_regular = file.metadata()?.is_file();
        if is_regular {
            fcntl_setfl(&file, fcntl_getfl(&file)? | OFlags::APPEND)?;
        }
        let path = is_regular.then(|| path.to_string());
        let (is_claimed, is_hurried, is_left) = (false, false, false);
        Ok(Written { file, path, length: 0, own: 0, is_claimed, is_hurried, is_left })
    }

    /// Goes on with this file, or, if this host does not have it, with one at `beside`. `whole`
    /// tells how much of its last bytes, at most `most`, may stay.
    pub(super) fn go_on(
        file: &JobFile, beside: &str, most: u64, whole: impl Fn(&[u8]) -> usize,
    ) -> io::Result<Resumed> {
        let open = |path: &str| {
            File::options().read(true).append(true).create(path == beside).mode(0o600).open(path)
        };
        let known = open(&file.path).ok();
        let known = known.filter(|found| found.metadata().is_ok_and(|it| is_it(&it, file)));
        let is_original = known.is_some();
        let path = if is_original { &file.path } else { beside };
        let mut file = known.map_or_else(|| open(beside), Ok)?;
        let is_hurried = !lock(&file, PATIENCE);
        let begin = file.metadata()?.len().saturating_sub(most);
        let mut end = Vec::new();
        file.seek(SeekFrom::Start(begin))?;
        file.read_to_end(&mut end)?;
        end.truncate(whole(&end));
        let length = begin + end.len() as u64;
        file.set_len(length)?;
        let path = Some(path.to_string());
        let (own, is_claimed, is_left) = (length, true, false);
        let file = Written { file, path, length, own, is_claimed, is_hurried, is_left };
        Ok(Resumed { file, end, is_all: begin == 0, is_original })
    }

    /// Where it is.
    pub(super) fn path(&self) -> &str {
        self.path.as_deref().unwrap_or_default()
    }

    /// Adds this, unless another coordinator goes on with the file.
    pub(super) fn add(&mut self, bytes: &[u8]) -> io::Result<()> {
        if !self.is_claimed && self.path.is_some() {
            let longest = if self.is_hurried { Duration::ZERO } else { PATIENCE };
            self.is_hurried = !lock(&self.file, longest);
        }
        self.look();
        let mut written = Ok(());
        if !self.is_left {
            let start = self.length;
            written = self.file.write_all(bytes);
            self.length += bytes.len() as u64;
            // Its own first words are not another one's, which may cut off what is written last.
            self.own = if has_mark(bytes) { self.length } else { start };
        }
        self.is_claimed &= !has_mark(bytes);
        if !self.is_claimed {
            let _never_locked = self.file.unlock();
        }
        written
    }

    /// Gives another coordinator time to go on with it.
    pub(super) fn await_another(&mut self, until: Instant) {
        const OFTEN: Duration = Duration::from_millis(20);
        self.look();
        while !self.is_left && Instant::now() < until {
            thread::sleep(OFTEN);
            self.look();
        }
    }

    fn look(&mut self) {
        let Some(path) = &self.path else { return };
        if self.file.metadata().is_ok_and(|found| found.len() == self.length) {
            self.own = self.length;
            return;
        }
        let mut more = Vec::new();
        let read = File::open(path).and_then(|mut file| {
            file.seek(SeekFrom::Start(self.own))?;
            file.read_to_end(&mut more)
        });
        if read.is_ok() {
            self.own += more.len() as u64;
            self.length = self.own;
            self.is_left |= has_mark(&more);
        }
    }
}

fn has_mark(bytes: &[u8]) -> bool {
    bytes.windows(MARK.len()).any(|bytes| bytes == MARK)
}

/// How long somebody else may keep the file locked. It may be suspended.
const PATIENCE: Duration = Duration::from_secs(1);

/// Locks the file, if it can be locked; false if somebody else has it after this time.
fn lock(file: &File, longest: Duration) -> bool {
    const OFTEN: Duration = Duration::from_millis(2);
    let until = Instant::now() + longest;
    while matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
        if Instant::now() >= until {
            return false;
        }
        thread::sleep(OFTEN);
    }
    true
}

/// What another host has to know of the file at this path.
pub(super) fn describe(path: &str) -> JobFile {
    let (place, known) = (std::path::absolute(path), std::fs::metadata(path).ok());
    let known = known.filter(Metadata::is_file);
    JobFile {
        path: place.map_or(path.to_string(), |place| place.to_string_lossy().into_owned()),
        inode: known.as_ref().map(Metadata::ino),
        born: known.and_then(|known| known.created().ok()),
    }
}

/// Whether this is that file.
fn is_it(found: &Metadata, file: &JobFile) -> bool {
    let born = found.created().ok();
    found.is_file()
        && file.inode == Some(found.ino())
        && born.zip(file.born).is_none_or(|(this, that)| this == that)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(name: &str) -> String {
        let name = format!("ftrun-written-{name}-{}", std::process::id());
        std::env::temp_dir().join(name).to_string_lossy().into_owned()
    }

    fn lines(text: &[u8]) -> usize {
        text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1)
    }

    #[test]
    fn a_successor_cuts_off_half_a_line_and_its_predecessor_writes_no_more() {
        let path = place("same");
        let mut first = Written::create(&path).expect("it can be written");
        first.add(b"one\ntw").expect("it can be written");
        let known = describe(&path);
        let next = Written::go_on(&known, "/nowhere/beside", 1 << 20, lines);
        let Resumed { file: mut next, end, is_all, is_original } = next.expect("it is there");
        assert_eq!((&end[..], is_all, is_original), (&b"one\n"[..], true, true));
        next.add(b"the coordinator is lost; host b goes on\n").expect("it can be written");
        first.await_another(Instant::now());
        first.add(b"never\n").expect("it is not written");
        next.add(b"two\n").expect("it can be written");
        let text = std::fs::read_to_string(&path).expect("it is there");
        assert_eq!(text, "one\nthe coordinator is lost; host b goes on\ntwo\n");
        std::fs::remove_file(&path).expect("it is there");
    }

    #[test]
    fn nobody_else_writes_before_the_first_words_of_a_successor_and_these_do_not_mislead_it() {
        let path = place("back");
        let mut first = Written::create(&path).expect("it can be written");
        first.add(b"one\n").expect("it can be written");
        let mut other = File::options().append(true).open(&path).expect("it is there");
        assert!(lock(&other, Duration::ZERO), "it is free between two lines");
        other.unlock().expect("it was locked");
        let next = Written::go_on(&describe(&path), "/nowhere/beside", 1 << 20, lines);
        let mut next = next.expect("it is there").file;
        assert!(!lock(&other, Duration::ZERO), "its end has been read");
        next.add(b"two\n").expect("it can be written");
        assert!(!lock(&other, Duration::ZERO), "its first words are not there");
        next.add(b"the coordinator is lost; host b goes on\n").expect("it can be written");
        first.add(b"never\n").expect("it is not written");
        other.write_all(b"three\n").expect("it can be written");
        next.add(b"four\n").expect("it can be written");
        let text = std::fs::read_to_string(&path).expect("it is there");
        assert_eq!(text, "one\ntwo\nthe coordinator is lost; host b goes on\nthree\nfour\n");
        std::fs::remove_file(&path).expect("it is there");
    }

    #[test]
    fn a_lock_that_nobody_gives_back_is_waited_for_once() {
        let path = place("locked");
        let mut file = Written::create(&path).expect("it can be written");
        let other = File::open(&path).expect("it is there");
        assert!(lock(&other, Duration::ZERO));
        file.is_hurried = true;
        (0..1000).for_each(|_| file.add(b"line\n").expect("it can be written"));
        assert!(file.is_hurried && std::fs::metadata(&path).expect("it is there").len() == 5000);
        other.unlock().expect("it was locked");
        file.add(b"line\n").expect("it can be written");
        assert!(!file.is_hurried);
        std::fs::remove_file(&path).expect("it is there");
    }

    #[test]
    fn a_host_that_does_not_have_the_file_writes_one_beside() {
        let (path, beside) = (place("there"), place("beside"));
        drop(Written::create(&path).expect("it can be written"));
        let known = JobFile { inode: Some(1), ..describe(&path) };
        let resumed = Written::go_on(&known, &beside, 1 << 20, lines).expect("it can be made");
        assert!(resumed.end.is_empty() && !resumed.is_original && resumed.file.path() == beside);
        let mut file = resumed.file;
        file.add(b"line\n").expect("it can be written");
        assert_eq!(std::fs::read(&path).expect("it is there"), b"");
        for path in [path, beside] {
            std::fs::remove_file(&path).expect("it is there");
        }
    }
}
