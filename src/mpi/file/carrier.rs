//! Carries data between a file and memory: the accesses of one process, or those of many at once.
//!
//! It goes through the file once, window by window. Long pieces travel straight between file and
//! memory, as many in one system call as are next to each other in the file, whosever they are
//! (vectored I/O). Short ones go through a buffer that holds a window of the file: reading then
//! takes holes along (data sieving), and writing does so only if the data leave no holes. So no
//! byte is ever written that nobody has asked to write, and writers need no locks.
//!
//! It does not wait for other processes, and holds nothing that one could leave behind.

use crate::host::disk::{self, Direction, MOST_PIECES};
use crate::host::memory::{Fault, Region, Span, transfer};
use crate::mpi::file::access::{Access, Manner, Piece, Pieces};
use crate::mpi::file::faults;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;

/// Pieces of this length are worth an entry of their own in a system call.
const LONG: usize = 2048;
/// Reading such a hole is cheaper than another system call: 4 KB are not, from memory (5.6 instead
/// of 7.3 GB/s where every second 4 KB is read).
const SMALL_HOLE: u64 = 2048;
/// The kernel moves a little less than 2 GiB at a time.
const MOST: usize = 1 << 30;
/// Windows begin where pages do.
const PAGE: u64 = 4096;

/// What became of one access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// The number of the first byte that was not moved; [`usize::MAX`] if all were.
    pub missing: usize,
    /// The address in its memory that is not there, if one is not.
    pub fault: Option<usize>,
    /// The system's error, which may have been another access's.
    pub error: Option<i32>,
}

impl End {
    pub const GOOD: End = End { missing: usize::MAX, fault: None, error: None };

    fn miss(&mut self, byte: usize) {
        self.missing = self.missing.min(byte);
    }
}

/// Carries what `accesses` have in a part of the file. Those of which no byte is there are left
/// alone.
pub fn carry(file: &File, manner: Manner, accesses: &[&Access], part: (u64, u64)) -> Vec<End> {
    let mut carrier = Carrier {
        file,
        manner,
        accesses,
        next: Vec::with_capacity(accesses.len()),
        limit: Vec::with_capacity(accesses.len()),
        ends: vec![End::GOOD; accesses.len()],
        error: None,
        bounce: Vec::new(),
    };
    for access in accesses {
        let is_all = part == ALL;
        let (next, limit) = match is_all || !access.view.is_sorted() {
            true => (0, access.bytes()),
            false => (access.bytes_before(part.0, 0), access.bytes_before(part.1, 0)),
        };
        carrier.next.push(next);
        carrier.limit.push(limit);
    }
    carrier.go();
    carrier.ends
}

/// All of a file.
pub const ALL: (u64, u64) = (0, u64::MAX);

struct Carrier<'a> {
    file: &'a File,
    manner: Manner,
    accesses: &'a [&'a Access],
    /// Of each access, the first byte that is still to be carried, and the one behind the last.
    next: Vec<usize>,
    limit: Vec<usize>,
    ends: Vec<End>,
    /// The system's error that has stopped it.
    error: Option<i32>,
    bounce: Vec<u8>,
}

/// What is to be done in one window.
struct Window {
    start: u64,
    end: u64,
    /// The accesses that have data in it, and the byte behind the last of these.
    active: Vec<(usize, usize)>,
    bytes: usize,
}

/// Nothing more can be moved: the disk is full, or the file is at its end.
struct Stopped;

impl Carrier<'_> {
    fn go(&mut self) {
        let unsorted = (0..self.accesses.len()).filter(|n| !self.accesses[*n].view.is_sorted());
        for index in unsorted.collect::<Vec<_>>() {
            let all = Window { start: 0, end: u64::MAX, active: Vec::new(), bytes: 0 };
            let window = Window { active: vec![(index, self.limit[index])], ..all };
            if self.vectored(&window).is_err() {
                return self.stop();
            }
            self.next[index] = self.limit[index];
        }
        while let Some(window) = self.window() {
            let done = match self.as_run(&window) {
                Some(done) => done,
                None if self.goes_by_buffer(&window) => self.buffered(&window),
                None => self.vectored(&window),
            };
            match done {
                Ok(()) => window.active.iter().for_each(|(n, until)| self.next[*n] = *until),
                Err(Stopped) => return self.stop(),
            }
        }
    }

    /// What has not been carried so far never will be.
    fn stop(&mut self) {
        for (index, end) in self.ends.iter_mut().enumerate() {
            if self.next[index] < self.limit[index] {
                end.miss(self.next[index]);
                end.error = self.error;
            }
        }
    }

    /// The next window in which there are data.
    fn window(&self) -> Option<Window> {
        let waiting = || (0..self.accesses.len()).filter(|n| self.next[*n] < self.limit[*n]);
        let first = |n: &usize| self.accesses[*n].place(self.next[*n]);
        let start = waiting().map(|n| first(&n)).min()?;
        let end = start.saturating_add(self.manner.buffer as u64);
        let end = if self.manner.buffer as u64 > PAGE { end & !(PAGE - 1) } else { end };
        let mut window = Window { start, end: start, active: Vec::new(), bytes: 0 };
        let is_run = |access: &Access| access.view.is_run() && access.region.span().is_some();
        if waiting().nth(1).is_none() && waiting().all(|n| is_run(self.accesses[n])) {
            // Nobody else's data are in between.
            window.active.extend(waiting().map(|n| (n, self.limit[n])));
        } else {
            for index in waiting() {
                let (access, next) = (self.accesses[index], self.next[index]);
                let until = access.bytes_before(end, next).min(self.limit[index]);
                if until > next {
                    window.active.push((index, until));
                }
            }
        }
        for (index, until) in &window.active {
            window.bytes += until - self.next[*index];
            window.end = window.end.max(self.accesses[*index].place(until - 1) + 1);
        }
        Some(window)
    }

    /// Carries one access that is contiguous on both sides; `None` if it is not.
    fn as_run(&mut self, window: &Window) -> Option<Result<(), Stopped>> {
        let [(index, until)] = window.active[..] else { return None };
        let access = self.accesses[index];
        if !access.view.is_run() {
            return None;
        }
        let span = access.region.span()?;
        let (first, mut place) = (self.next[index], window.start);
        let mut left = span.part(first, until - first);
        let mut reached = first;
        while left.bytes() > 0 {
            let next = left.part(0, MOST);
            match disk::access(self.manner.direction, self.file, &[next], place) {
                Ok(0) => {
                    self.next[index] = reached;
                    return Some(self.at_end());
                }
                Ok(moved) => {
                    left = left.part(moved, usize::MAX);
                    (reached, place) = (reached + moved, place + moved as u64);
                }
                Err(error) if is_of_memory(&error) => {
                    self.blame(index, reached, left.address());
                    return Some(Ok(()));
                }
                Err(error) => {
                    self.next[index] = reached;
                    return Some(self.fail(faults::number(&error)));
                }
            }
        }
        Some(Ok(()))
    }

    /// Whether the data of a window are so scattered that they go through a buffer, where they
    /// leave no holes or only such as are worth reading.
    fn goes_by_buffer(&self, window: &Window) -> bool {
        let length = (window.end - window.start) as usize;
        let pieces = window.active.iter().map(|(index, until)| {
            let (access, next) = (self.accesses[*index], self.next[*index]);
            (until - next).div_ceil(access.block(next)).max(1)
        });
        let pieces: usize = pieces.sum();
        if window.bytes / pieces >= LONG {
            return false;
        }
        match self.manner.direction {
            Direction::Write => window.bytes == length,
            Direction::Read => {
                let holes = length.saturating_sub(window.bytes);
                holes == 0 || self.manner.sieves && holes / pieces <= SMALL_HOLE as usize
            }
        }
    }

    fn buffered(&mut self, window: &Window) -> Result<(), Stopped> {
        match self.manner.direction {
            Direction::Read => self.read_buffered(window),
            Direction::Write => self.write_buffered(window),
        }
    }

    /// The data of an access in a window that is kept in `buffer`, and in the access's memory.
    fn sides(&self, window: &Window, buffer: &Span, (index, until): (usize, usize)) -> [Region; 2] {
        let (access, next) = (self.accesses[index], self.next[index]);
        let (data, bytes) = (access.start + next as u64, until - next);
        let there = access.view.region(buffer.address(), window.start, data, bytes);
        [there, access.region.part(next, bytes)]
    }

    fn read_buffered(&mut self, window: &Window) -> Result<(), Stopped> {
        let length = (window.end - window.start) as usize;
        let mut bounce = std::mem::take(&mut self.bounce);
        bounce.resize(length.max(bounce.len()), 0);
        let buffer = Span::of_mut(&mut bounce[..length]);
        let (mut read, mut error) = (0, None);
        while read < length && error.is_none() {
            let rest = buffer.part(read, MOST);
            let place = window.start + read as u64;
            match disk::access(Direction::Read, self.file, &[rest], place) {
                Ok(0) => break,
                Ok(moved) => read += moved,
                Err(failed) => error = Some(faults::number(&failed)),
            }
        }
        for (index, until) in &window.active {
            let access = self.accesses[*index];
            let there = window.start + read as u64;
            let got = access.bytes_before(there, self.next[*index]).min(*until);
            if got > self.next[*index] {
                let [from, to] = self.sides(window, &buffer, (*index, got));
                if let Err(Fault { address, .. }) = transfer(&from, &to) {
                    self.blame(*index, self.next[*index], address);
                }
            }
            self.next[*index] = got;
        }
        self.bounce = bounce;
        match error {
            Some(number) => self.fail(number),
            None if read < length => self.at_end(),
            None => Ok(()),
        }
    }

    /// Writes a window that the data fill. Whether they do is not a matter of their number alone,
    /// if those of several overlap: they are gathered over two backgrounds, and must cover both.
    fn write_buffered(&mut self, window: &Window) -> Result<(), Stopped> {
        let length = (window.end - window.start) as usize;
        let mut bounce = std::mem::take(&mut self.bounce);
        bounce.clear();
        bounce.resize(length, 0);
        let mut is_covered = self.gather(window, &mut bounce);
        if is_covered && window.active.len() > 1 {
            let mut again = vec![u8::MAX; length];
            is_covered = self.gather(window, &mut again) && again == bounce;
        }
        let done = if is_covered { self.write_all(window, &bounce) } else { self.vectored(window) };
        self.bounce = bounce;
        done
    }

    /// Copies the data of a window into a buffer; false if some memory is not there.
    fn gather(&self, window: &Window, bounce: &mut [u8]) -> bool {
        let buffer = Span::of_mut(bounce);
        window.active.iter().all(|active| {
            let [to, from] = self.sides(window, &buffer, *active);
            transfer(&from, &to).is_ok()
        })
    }

    fn write_all(&mut self, window: &Window, bounce: &[u8]) -> Result<(), Stopped> {
        let (buffer, mut written) = (Span::of(bounce), 0);
        while written < bounce.len() {
            let rest = buffer.part(written, MOST);
            let place = window.start + written as u64;
            match disk::access(Direction::Write, self.file, &[rest], place) {
                Ok(0) => return self.fail(libc::EIO),
                Ok(moved) => written += moved,
                Err(error) => {
                    let there = window.start + written as u64;
                    for (index, until) in &window.active {
                        let access = self.accesses[*index];
                        let reached = access.bytes_before(there, self.next[*index]).min(*until);
                        self.next[*index] = reached;
                    }
                    return self.fail(faults::number(&error));
                }
            }
        }
        Ok(())
    }

    /// Moves piece by piece, those that are next to each other in the file together.
    fn vectored(&mut self, window: &Window) -> Result<(), Stopped> {
        let accesses = self.accesses;
        let pieces = |(index, until): &(usize, usize)| {
            (*index, accesses[*index].pieces(self.next[*index], *until))
        };
        let mut walks: Vec<(usize, Pieces<'_>)> = window.active.iter().map(pieces).collect();
        let mut first: Vec<Option<Piece>> = walks.iter_mut().map(|(_, walk)| walk.next()).collect();
        let place = |piece: &Piece| piece.place;
        let mut order: BinaryHeap<Reverse<(u64, usize)>> = first
            .iter()
            .enumerate()
            .filter_map(|(n, piece)| piece.as_ref().map(|piece| Reverse((place(piece), n))))
            .collect();
        let mut batch = Batch::default();
        let mut done = Ok(());
        while let (Ok(()), Some(mut top)) = (&done, order.peek_mut()) {
            let Reverse((_, walk)) = *top;
            let piece = first[walk].take().expect("it is in the order");
            let (index, pieces) = &mut walks[walk];
            first[walk] = pieces.next();
            match &first[walk] {
                Some(next) => top.0.0 = place(next),
                None => drop(PeekMut::pop(top)),
            }
            if !batch.takes(&piece, self.manner) {
                done = self.flush(&mut batch);
            }
            match done {
                Ok(()) => batch.add(*index, piece, &mut self.bounce),
                Err(Stopped) => self.ends[*index].miss(piece.first),
            }
        }
        let done = done.and_then(|()| self.flush(&mut batch));
        if done.is_err() {
            for ((index, until), piece) in window.active.iter().zip(first) {
                let reached = piece.map_or(*until, |piece| piece.first);
                self.next[*index] = reached.min(self.ends[*index].missing);
            }
        }
        done
    }

    /// Moves the pieces of a batch.
    fn flush(&mut self, batch: &mut Batch) -> Result<(), Stopped> {
        let mut entries = std::mem::take(&mut batch.entries);
        let (mut from, mut place) = (0, batch.place);
        while from < entries.len() {
            let spans: Vec<Span> = entries[from..].iter().map(|entry| entry.span).collect();
            match disk::access(self.manner.direction, self.file, &spans, place) {
                Ok(0) => {
                    self.lose(&entries[from..]);
                    return self.at_end();
                }
                Ok(mut moved) => {
                    place += moved as u64;
                    while moved > 0 {
                        let entry = &mut entries[from];
                        let step = moved.min(entry.span.bytes());
                        entry.pass(step);
                        moved -= step;
                        from += usize::from(entry.span.bytes() == 0);
                    }
                }
                Err(error) if is_of_memory(&error) => {
                    let odd = entries[from..].iter().position(|entry| entry.span.is_odd());
                    let bad = entries.remove(from + odd.unwrap_or(0));
                    self.blame(bad.index, bad.first, bad.span.address());
                    // The pieces behind it go where they belong.
                    let behind = entries.split_off(from + odd.unwrap_or(0));
                    let start = entries[from..].iter().map(|entry| entry.span.bytes() as u64);
                    let start = place + start.sum::<u64>() + bad.span.bytes() as u64;
                    let mut rest = Batch { entries: behind, place: start, end: batch.end };
                    let mut before = Batch { entries: entries.split_off(from), place, end: start };
                    self.flush(&mut before)?;
                    return self.flush(&mut rest);
                }
                Err(error) => {
                    self.lose(&entries[from..]);
                    return self.fail(faults::number(&error));
                }
            }
        }
        Ok(())
    }

    /// These pieces are not moved, and nothing behind them.
    fn lose(&mut self, entries: &[Entry]) {
        for entry in entries.iter().filter(|entry| entry.index != NOBODY) {
            self.ends[entry.index].miss(entry.first);
        }
    }

    /// Memory of this access is not there.
    fn blame(&mut self, index: usize, byte: usize, address: usize) {
        self.ends[index].miss(byte);
        self.ends[index].fault.get_or_insert(address);
    }

    fn fail(&mut self, number: i32) -> Result<(), Stopped> {
        self.error = Some(number);
        Err(Stopped)
    }

    fn at_end(&mut self) -> Result<(), Stopped> {
        match self.manner.direction {
            Direction::Read => Err(Stopped),
            // The system has written nothing, and does not say why.
            Direction::Write => self.fail(libc::EIO),
        }
    }
}

fn is_of_memory(error: &std::io::Error) -> bool {
    error.raw_os_error() == Some(libc::EFAULT)
}

/// In place of an access's number: read along, for nobody.
const NOBODY: usize = usize::MAX;

struct Entry {
    index: usize,
    first: usize,
    span: Span,
}

impl Entry {
    fn pass(&mut self, bytes: usize) {
        self.span = self.span.part(bytes, usize::MAX);
        self.first += bytes;
    }
}

/// Pieces that are next to each other in the file.
#[derive(Default)]
struct Batch {
    entries: Vec<Entry>,
    place: u64,
    end: u64,
}

impl Batch {
    fn takes(&self, piece: &Piece, manner: Manner) -> bool {
        if self.entries.is_empty() {
            return true;
        }
        let hole = piece.place.wrapping_sub(self.end);
        let is_near = match manner.direction {
            Direction::Write => hole == 0,
            Direction::Read if manner.sieves => hole <= SMALL_HOLE,
            Direction::Read => hole == 0,
        };
        let room = MOST_PIECES - 2;
        let bytes = (self.end - self.place) as usize + piece.span.bytes();
        is_near && self.entries.len() < room && bytes <= MOST
    }

    /// Adds a piece that the batch takes; what is read in between goes to `junk`.
    fn add(&mut self, index: usize, piece: Piece, junk: &mut Vec<u8>) {
        if self.entries.is_empty() {
            (self.place, self.end) = (piece.place, piece.place);
        }
        let hole = (piece.place - self.end) as usize;
        if hole > 0 {
            junk.resize(junk.len().max(SMALL_HOLE as usize), 0);
            let span = Span::of_mut(&mut junk[..hole]);
            self.entries.push(Entry { index: NOBODY, first: 0, span });
        }
        self.end = piece.place + piece.span.bytes() as u64;
        if let Some(last) = self.entries.last_mut()
            && last.index == index
            && last.span.address() + last.span.bytes() == piece.span.address()
        {
            let start = std::ptr::with_exposed_provenance(last.span.address());
            last.span = Span::new(start, last.span.bytes() + piece.span.bytes());
            return;
        }
        self.entries.push(Entry { index, first: piece.first, span: piece.span });
    }
}
