//! Memory that the processes of a job share: each has one segment, in which the others write what
//! they send to it.
//!
//! A segment is a head, and then a region for each sender: a page with what the receiver has
//! consumed, and a ring. A sender maps the head and its own region, so that a stray write of one
//! process does not reach what others tell each other.

use super::cooperative_copy::SharedInvitation;
use crate::host::memory::afar::{Mapping, anonymous, opened_by};
use crate::host::sched::SharedBell;
use std::fs::File;
use std::io;
use std::mem::offset_of;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

const PAGE: usize = 4096;
/// How many messages of a process may wait in its own memory for their receivers.
pub(super) const HOLDS: usize = 1024;
/// The most processes of a job.
pub const MOST: usize = 64 * WORDS;
const WORDS: usize = 256;

/// The beginning of a segment.
#[repr(C, align(4096))]
pub(super) struct Head {
    /// Rung when something has come.
    pub(super) bell: SharedBell,
    /// Rung when a note has come, which somebody is to read even while the rank computes.
    pub(super) note_bell: SharedBell,
    /// How often another sender has announced itself; and which have, a bit each.
    contacts: AtomicU32,
    senders: [AtomicU64; WORDS],
    /// For each message that waits here for its receiver: whether it has been claimed or recalled.
    pub(super) holds: [AtomicU32; HOLDS],
    /// Where receivers of its long messages ask this process to help.
    pub(super) invitation: SharedInvitation,
}

const HEAD: usize = size_of::<Head>();
const _: () = assert!(HEAD.is_multiple_of(PAGE));

impl Head {
    pub(super) fn contacts(&self) -> u32 {
        self.contacts.load(Ordering::Acquire)
    }

    pub(super) fn has_sender(&self, process: usize) -> bool {
        self.senders[process / 64].load(Ordering::Acquire) >> (process % 64) & 1 == 1
    }

    /// This process writes to its region from now on.
    pub(super) fn announce(&self, process: usize) {
        self.senders[process / 64].fetch_or(1 << (process % 64), Ordering::SeqCst);
        self.contacts.fetch_add(1, Ordering::SeqCst);
    }

    /// This process, which has ended, writes to its region no more.
    pub(super) fn forget(&self, process: usize) {
        self.senders[process / 64].fetch_and(!(1 << (process % 64)), Ordering::SeqCst);
    }
}

/// Where things are in the segments of a job.
#[derive(Clone, Copy, Debug)]
pub(super) struct Geometry {
    processes: usize,
    /// The bytes of each ring.
    pub(super) ring: usize,
}

impl Geometry {
    /// Rings are as long as fits into a few megabytes for all senders together.
    pub(super) fn of(processes: usize) -> Geometry {
        const ALL: usize = 4 << 20;
        let each = (ALL / processes.max(1)).clamp(16 << 10, 512 << 10);
        Geometry { processes, ring: 1 << each.ilog2() }
    }

    fn region(self, process: usize) -> usize {
        HEAD + process * self.region_bytes()
    }

    fn region_bytes(self) -> usize {
        PAGE + self.ring
    }

    fn all(self) -> usize {
        self.region(self.processes)
    }
}

/// The head of a segment, of this process or another.
pub(super) struct MappedHead(Mapping);

impl MappedHead {
    pub(super) fn get(&self) -> &Head {
        // SAFETY: the mapping has the size and the alignment of a head, all of which are atomics,
        // and zero is a value of each.
        unsafe { &*self.0.start().cast::<Head>() }
    }
}

/// The segment of this process.
pub(super) struct Segment {
    file: File,
    geometry: Geometry,
    pub(super) head: MappedHead,
}

impl Segment {
    /// A segment that nobody has written to. It vanishes with the last process that maps it.
    pub(super) fn new(geometry: Geometry) -> io::Result<Segment> {
        let file = anonymous(c"ftmpi", geometry.all())?;
        let head = MappedHead(Mapping::new(&file, 0, HEAD)?);
        Ok(Segment { file, geometry, head })
    }

    /// By which descriptor this process has it open.
    pub(super) fn descriptor(&self) -> i32 {
        self.file.as_raw_fd()
    }

    /// What this process sends arrives here.
    pub(super) fn region_of(&self, process: usize) -> io::Result<Mapping> {
        let geometry = self.geometry;
        Mapping::new(&self.file, geometry.region(process), geometry.region_bytes())
    }

    /// Empties the region of a process that has ended, for its successor.
    pub(super) fn clear(&self, process: usize) {
        let (offset, bytes) = (self.geometry.region(process), self.geometry.region_bytes());
        let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
        // SAFETY: frees pages of our own file, which read as zero afterwards.
        unsafe {
            libc::fallocate(self.file.as_raw_fd(), mode, offset as i64, bytes as i64);
        }
    }

    /// This life of a process may write to its region, which is empty, and none before it.
    pub(super) fn expect_life(&self, process: usize, life: u32) {
        let offset = self.geometry.region(process) + offset_of!(ReaderPage, life);
        let written = self.file.write_all_at(&life.to_ne_bytes(), offset as u64);
        written.expect("there is memory for a page");
    }
}

/// The reader's page of a region, which comes first.
#[repr(C)]
pub(super) struct ReaderPage {
    /// How much it has consumed.
    pub(super) consumed: AtomicU32,
    /// Which life of the sender may write to the region.
    pub(super) life: AtomicU32,
}

const _: () = assert!(size_of::<ReaderPage>() <= PAGE);

/// Where the segment of another process is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    pub pid: i32,
    pub descriptor: i32,
}

/// Opens the segment of another process: its head, and where this process writes.
pub(super) fn open(
    at: Address, geometry: Geometry, me: usize,
) -> io::Result<(MappedHead, Mapping)> {
    let file = opened_by(at.pid, at.descriptor, geometry.all())?;
    let head = MappedHead(Mapping::new(&file, 0, HEAD)?);
    Ok((head, Mapping::new(&file, geometry.region(me), geometry.region_bytes())?))
}
