//! One turn's memory: a line for each member, and who has come.

use crate::base::sync::muster::Muster;
use crate::host::memory::{Fault, Region, Span, transfer};
use parking_lot::Mutex;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Where one turn at a time takes place.
pub struct Round {
    /// Who has come.
    pub muster: Muster,
    done: Done,
    lines: OnceLock<Box<[Line]>>,
    /// More than fits into a line, of each member.
    spills: OnceLock<Box<[Spill]>>,
    members: usize,
}

/// Memory that grows. What was there before stays: whoever has lost his way may look at it.
type Spill = Mutex<Vec<Box<[AtomicU64]>>>;

/// Looked at by all who wait.
#[repr(align(64))]
struct Done {
    /// The turn whose result is there, plus one.
    turn: AtomicU32,
    /// How many bytes all have contributed; [`UNEQUAL`] when they differ.
    bytes: AtomicU64,
}

const UNEQUAL: u64 = u64::MAX;

/// What one member has laid down. Written by that member, or when it is in the turn by whoever
/// comes last; read by others after they know that it has come.
#[repr(C, align(64))]
pub struct Line {
    payload: [AtomicU64; INLINE / 8],
    address: AtomicU64,
    bytes: AtomicU64,
    /// The turn that it is of, plus one.
    turn: AtomicU32,
}

/// As much fits into a line.
const INLINE: usize = 40;
const _: () = assert!(size_of::<Line>() == 64, "a line is a line of the cache");

impl Round {
    pub(super) fn new(members: usize) -> Round {
        Round {
            muster: Muster::new(members),
            done: Done { turn: AtomicU32::new(0), bytes: AtomicU64::new(0) },
            lines: OnceLock::new(),
            spills: OnceLock::new(),
            members,
        }
    }

    /// The line of the member at `place`.
    #[inline]
    pub fn line(&self, place: usize) -> &Line {
        &self.lines()[place]
    }

    /// The lines of all members.
    #[inline]
    pub fn lines(&self) -> &[Line] {
        self.lines.get_or_init(|| (0..self.members).map(|_| Line::new()).collect())
    }

    /// Lays down a copy of `data` for the member at `place`. A fault is the caller's own memory that
    /// is not there.
    #[inline]
    pub fn put(&self, place: usize, data: &Region) -> Result<(), Fault> {
        let (line, bytes) = (self.line(place), data.bytes());
        let room = if bytes <= INLINE { words(&line.payload) } else { self.spill(place, bytes) };
        line.address.store(room.address() as u64, Ordering::Relaxed);
        line.bytes.store(bytes as u64, Ordering::Relaxed);
        transfer(data, &room.into())
    }

    /// Room for so many bytes.
    #[inline(never)]
    fn spill(&self, place: usize, bytes: usize) -> Span {
        let spills = self.spills.get_or_init(|| (0..self.members).map(|_| Spill::default()).collect());
        let mut rooms = spills[place].lock();
        if rooms.last().is_none_or(|room| size_of_val::<[AtomicU64]>(room) < bytes) {
            let length = bytes.next_power_of_two().max(128) / 8;
            rooms.push((0..length).map(|_| AtomicU64::new(0)).collect());
        }
        words(rooms.last().expect("one was just made where there was none"))
    }

    /// The result of this turn is there. SeqCst, so that those who look before they sleep see it.
    #[inline]
    pub fn finish(&self, turn: u32) {
        self.done.turn.swap(turn + 1, Ordering::SeqCst);
    }

    /// Whether the result of this turn is there.
    #[inline]
    pub fn is_done(&self, turn: u32) -> bool {
        self.done.turn.load(Ordering::SeqCst) == turn + 1
    }

    /// All have contributed so many bytes; `None`: not all have as many.
    pub fn agree_on_bytes(&self, bytes: Option<usize>) {
        self.done.bytes.store(bytes.map_or(UNEQUAL, |bytes| bytes as u64), Ordering::Relaxed);
    }

    /// How many bytes each has contributed, if all have as many. For those who know that it is
    /// done.
    #[inline]
    pub fn agreed_bytes(&self) -> Option<usize> {
        let bytes = self.done.bytes.load(Ordering::Relaxed);
        (bytes != UNEQUAL).then_some(bytes as usize)
    }
}

impl Line {
    fn new() -> Line {
        Line {
            payload: Default::default(),
            address: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            turn: AtomicU32::new(0),
        }
    }

    /// What was laid down.
    #[inline]
    pub fn found(&self) -> Span {
        let address = self.address.load(Ordering::Relaxed) as usize;
        let bytes = self.bytes.load(Ordering::Relaxed) as usize;
        Span::new(std::ptr::with_exposed_provenance(address), bytes)
    }

    /// Says that what lies here is of this turn. SeqCst, so that those who look before they sleep
    /// see it.
    #[inline]
    pub fn show(&self, turn: u32) {
        self.turn.swap(turn + 1, Ordering::SeqCst);
    }

    /// Whether what lies here is of this turn.
    #[inline]
    pub fn is_of(&self, turn: u32) -> bool {
        self.turn.load(Ordering::SeqCst) == turn + 1
    }
}

/// The memory of these words, to be written to as well.
fn words(words: &[AtomicU64]) -> Span {
    Span::new(words.as_ptr().cast(), size_of_val(words))
}
