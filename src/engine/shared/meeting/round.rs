//! One turn's memory: a line for each member, and who has come.

use super::Gate;
use super::board::Board;
use crate::base::sync::arrivals::Arrivals;
use crate::host::memory::{Fault, Region, Span, copy, transfer};
use crate::host::sched::Rows;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// Where one turn at a time takes place.
pub struct Round {
    /// Who has come.
    pub arrivals: Arrivals,
    /// Who reads nothing of others any more.
    readers: Arrivals,
    lobbies: [Lobby; 3],
    done: Done,
    lines: OnceLock<Box<[Line]>>,
    /// More than fits into a line, of each member.
    annexes: OnceLock<Box<[Mutex<Annex>]>>,
    /// What one has laid down for all.
    packed: Mutex<Vec<Words>>,
    /// What all write to. Held here as well: what a member has written counts, even if it is gone
    /// before the others come for it.
    board: Mutex<Option<Arc<Board>>>,
    members: usize,
}

/// Where those wait whose [`Gate`]s open at once.
#[derive(Default)]
struct Lobby {
    rows: Rows,
    /// The turn, plus one, in which somebody waits who does not stand in a row.
    listeners: AtomicU32,
}

/// The library's own memory, which all may write to.
pub(super) type Words = Box<[AtomicU64]>;

/// What belongs to a line. Memory stays when it is too small: whoever has lost his way may look.
#[derive(Default)]
struct Annex {
    rooms: Vec<Words>,
    blocks: Option<Arc<[Region]>>,
    fault: Option<usize>,
}

/// Looked at by all who wait.
#[repr(align(64))]
struct Done {
    /// The turn whose result is there, plus one.
    turn: AtomicU32,
    /// How many bytes all have contributed; [`UNEQUAL`] when they differ.
    bytes: AtomicU64,
    /// Where one has laid down something for all; 0: nowhere.
    packed: AtomicU64,
}

const UNEQUAL: u64 = u64::MAX;

/// What one member has laid down. Written by that member, or when it is in the turn by whoever
/// comes last; read by others after they know that it has come. Turns are counted from one here.
#[repr(C, align(64))]
pub struct Line {
    payload: [AtomicU64; INLINE / 8],
    address: AtomicU64,
    bytes: AtomicU64,
    kind: AtomicU32,
    /// Where what lies here is to be seen by all.
    shown: AtomicU32,
    /// To which turn its member has come, in rounds that are nobody's by rotation.
    came: AtomicU32,
    /// In which turn its member reads nothing of others any more.
    read: AtomicU32,
}

/// As much fits into a line.
const INLINE: usize = 32;
const _: () = assert!(size_of::<Line>() == 64, "a line is a line of the cache");

/// Where what a member has is.
#[derive(Clone, Debug)]
pub enum Laid {
    /// A copy, in memory of the library's own.
    Copy(Span),
    /// The same, a block for each.
    Copies(Arc<[Region]>),
    /// In the member's memory.
    There(Region),
    /// In the member's memory, a block for each.
    Blocks(Arc<[Region]>),
}

impl Laid {
    /// How many bytes it has; in blocks: for the first.
    pub fn bytes(&self) -> usize {
        match self {
            Laid::Copy(span) => span.bytes(),
            Laid::There(region) => region.bytes(),
            Laid::Copies(blocks) | Laid::Blocks(blocks) => blocks[0].bytes(),
        }
    }

    /// The memory of what is for all, if it lies in one piece.
    pub fn span(&self) -> Option<Span> {
        match self {
            Laid::Copy(span) => Some(*span),
            Laid::There(region) => region.span(),
            Laid::Copies(_) | Laid::Blocks(_) => None,
        }
    }
}

const COPY: u32 = 0;
const THERE: u32 = 1;
const SCATTERED: u32 = 2;
const BLOCKS: u32 = 3;
const COPIES: u32 = 4;

impl Round {
    pub(super) fn new(members: usize) -> Round {
        Round {
            arrivals: Arrivals::new(members),
            readers: Arrivals::new(members),
            lobbies: Default::default(),
            done: Done {
                turn: AtomicU32::new(0),
                bytes: AtomicU64::new(0),
                packed: AtomicU64::new(0),
            },
            lines: OnceLock::new(),
            annexes: OnceLock::new(),
            packed: Mutex::default(),
            board: Mutex::default(),
            members,
        }
    }

    /// Whether that has happened that a member waits for.
    #[inline]
    pub fn is_open(&self, gate: Gate, turn: u32) -> bool {
        let is_shown = |line: &Line| line.shown.load(Ordering::SeqCst) == turn + 1;
        match gate {
            Gate::Full => self.arrivals.is_full(turn),
            Gate::Decided => self.arrivals.is_decided(turn),
            Gate::Done => self.done.turn.load(Ordering::SeqCst) == turn + 1,
            Gate::AllShown => self.lines().iter().all(is_shown),
            Gate::Shown { place } | Gate::Passed { place } => is_shown(self.line(place)),
            Gate::AllRead => self.readers.is_full(turn),
            Gate::Read { place } => self.has_read(turn, place),
            Gate::Room => true,
        }
    }

    /// The caller, who listens to its bell as well, is called when this gate opens.
    pub(in crate::engine) fn attend(&self, gate: Gate, turn: u32) {
        let Some(lobby) = gate.lobby().map(|lobby| &self.lobbies[lobby]) else { return };
        if gate == Gate::AllShown || !lobby.rows.join(turn) {
            lobby.listeners.swap(turn + 1, Ordering::SeqCst);
        }
    }

    /// This gate has opened: calls those who stand in rows; true if others have to be rung.
    #[inline]
    pub(super) fn call(&self, gate: Gate, turn: u32) -> bool {
        let lobby = &self.lobbies[gate.lobby().expect("that opens for many at once")];
        lobby.rows.call(turn);
        lobby.listeners.load(Ordering::SeqCst) == turn + 1
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

    fn annex(&self, place: usize) -> &Mutex<Annex> {
        let annexes = || (0..self.members).map(|_| Mutex::default()).collect();
        &self.annexes.get_or_init(annexes)[place]
    }

    /// Lays down a copy of `data` for the member at `place`. A fault is the caller's own memory
    /// that is not there.
    #[inline]
    pub fn put(&self, place: usize, data: &Region) -> Result<(), Fault> {
        let (line, bytes) = (self.line(place), data.bytes());
        let room = if bytes <= INLINE {
            memory(&line.payload)
        } else {
            room(&mut self.annex(place).lock().rooms, bytes)
        };
        line.note(COPY, room.address(), bytes);
        match data.span() {
            Some(data) => copy(data, room),
            None => transfer(data, &room.into()),
        }
    }

    /// The same for a block for each member.
    pub fn put_blocks(&self, place: usize, blocks: &[Region]) -> Result<(), Fault> {
        let mut annex = self.annex(place).lock();
        let bytes = blocks.iter().map(Region::bytes).sum();
        let (room, mut offset) = (room(&mut annex.rooms, bytes), 0);
        let copy = |block: &Region| {
            let part = Region::from(room.part(offset, block.bytes()));
            offset += block.bytes();
            transfer(block, &part).map(|()| part)
        };
        annex.blocks = Some(blocks.iter().map(copy).collect::<Result<_, _>>()?);
        self.line(place).note(COPIES, 0, bytes);
        Ok(())
    }

    /// Says where the data of the member at `place` are. They have to stay there until all have
    /// read them.
    pub fn point_at(&self, place: usize, data: &Region) {
        match data.span() {
            Some(span) => self.line(place).note(THERE, span.address(), data.bytes()),
            None => {
                self.annex(place).lock().blocks = Some(Arc::new([data.clone()]));
                self.line(place).note(SCATTERED, 0, data.bytes());
            }
        }
    }

    /// The same for a block for each member.
    pub fn point_at_blocks(&self, place: usize, blocks: Arc<[Region]>) {
        self.annex(place).lock().blocks = Some(blocks);
        self.line(place).note(BLOCKS, 0, 0);
    }

    /// What the member at `place` has laid down.
    pub fn laid(&self, place: usize) -> Laid {
        let line = self.line(place);
        let blocks = || {
            let blocks = self.annex(place).lock().blocks.clone();
            blocks.expect("whoever says that there are blocks has laid them down before")
        };
        match line.kind.load(Ordering::Relaxed) {
            COPY => Laid::Copy(line.copy()),
            THERE => Laid::There(line.copy().into()),
            SCATTERED => Laid::There(blocks()[0].clone()),
            BLOCKS => Laid::Blocks(blocks()),
            _ => Laid::Copies(blocks()),
        }
    }

    /// What the member at `place` named was not there.
    pub fn blame(&self, place: usize, address: usize) {
        self.annex(place).lock().fault = Some(address);
    }

    /// Lets go of what the member at `place` has pointed at; says which address of it was not
    /// there, if one was not.
    pub fn take_back(&self, place: usize) -> Option<usize> {
        let mut annex = self.annex(place).lock();
        annex.blocks = None;
        annex.fault.take()
    }

    /// How many bytes each has laid down, if all have as many.
    pub fn equal_bytes(&self) -> Option<usize> {
        let bytes = self.line(0).bytes();
        self.lines().iter().all(|line| line.bytes() == bytes).then_some(bytes)
    }

    /// The result of this turn is there. SeqCst, so that those who look before they sleep see it.
    #[inline]
    pub fn finish(&self, turn: u32) {
        self.done.turn.swap(turn + 1, Ordering::SeqCst);
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

    /// Lays down for all what `fill` writes into so many bytes.
    pub fn pack(&self, bytes: usize, fill: impl FnOnce(Span)) {
        let room = room(&mut self.packed.lock(), bytes);
        fill(room);
        self.done.packed.store(room.address() as u64, Ordering::Relaxed);
    }

    /// Nothing is laid down for all.
    pub fn pack_nothing(&self) {
        self.done.packed.store(0, Ordering::Relaxed);
    }

    /// What was laid down for all, of so many bytes. For those who know that it is done.
    pub fn packed(&self, bytes: usize) -> Option<Span> {
        let address = self.done.packed.load(Ordering::Relaxed) as usize;
        (address != 0).then(|| Span::new(std::ptr::with_exposed_provenance(address), bytes))
    }

    /// Memory of so many bytes that all who have come to this turn share until all have put it
    /// away; `spare` is some that is there already.
    pub(super) fn board(
        &self, turn: u32, bytes: usize, spare: impl FnOnce() -> Words,
    ) -> Arc<Board> {
        let mut held = self.board.lock();
        if let Some(board) = held.as_ref().filter(|board| board.is_of(turn)) {
            return board.clone();
        }
        held.insert(Arc::new(Board::new(turn, bytes, spare()))).clone()
    }

    /// One who knows that all have written what they had to write is done with it. Returns its
    /// memory when that was the last one.
    pub(super) fn put_away(&self, board: Arc<Board>) -> Option<Words> {
        let mut held = self.board.lock();
        drop(board);
        held.take_if(|board| Arc::strong_count(board) == 1)
            .and_then(Arc::into_inner)
            .map(Board::into_words)
    }

    /// The member at `place` reads nothing of others any more; true for the one who makes all.
    pub fn end_reading(&self, turn: u32, place: usize) -> bool {
        self.line(place).read.swap(turn + 1, Ordering::SeqCst);
        self.readers.arrive(turn, place)
    }

    /// Whether the member at `place` reads nothing of others any more.
    pub fn has_read(&self, turn: u32, place: usize) -> bool {
        self.line(place).read.load(Ordering::SeqCst) == turn + 1
    }

    /// Those who have not come to this turn, as far as that is noted here.
    pub(in crate::engine) fn missing(&self, turn: u32) -> impl Iterator<Item = usize> + '_ {
        let has_come = move |line: &Line| line.came.load(Ordering::Relaxed) == turn + 1;
        (0..).zip(self.lines()).filter(move |(_, line)| !has_come(line)).map(|(place, _)| place)
    }
}

impl Line {
    fn new() -> Line {
        Line {
            payload: Default::default(),
            address: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            kind: AtomicU32::new(COPY),
            shown: AtomicU32::new(0),
            came: AtomicU32::new(0),
            read: AtomicU32::new(0),
        }
    }

    #[inline]
    fn note(&self, kind: u32, address: usize, bytes: usize) {
        self.kind.store(kind, Ordering::Relaxed);
        self.address.store(address as u64, Ordering::Relaxed);
        self.bytes.store(bytes as u64, Ordering::Relaxed);
    }

    /// The copy that was laid down.
    #[inline]
    pub fn copy(&self) -> Span {
        let address = self.address.load(Ordering::Relaxed) as usize;
        Span::new(std::ptr::with_exposed_provenance(address), self.bytes())
    }

    /// The same, if one copy for all is what was laid down.
    #[inline]
    pub fn whole_copy(&self) -> Option<Span> {
        (self.kind.load(Ordering::Relaxed) == COPY).then(|| self.copy())
    }

    /// How many bytes are laid down here.
    #[inline]
    pub fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed) as usize
    }

    /// Says that what lies here is of this turn. SeqCst, so that those who look before they sleep
    /// see it.
    #[inline]
    pub fn show(&self, turn: u32) {
        self.shown.swap(turn + 1, Ordering::SeqCst);
    }

    /// Notes that its member has come.
    pub(super) fn come(&self, turn: u32) {
        self.came.store(turn + 1, Ordering::Relaxed);
    }
}

/// Room for so many bytes.
fn room(rooms: &mut Vec<Words>, bytes: usize) -> Span {
    if rooms.last().is_none_or(|room| size_of_val::<[AtomicU64]>(room) < bytes) {
        let length = bytes.next_power_of_two().max(128) / 8;
        rooms.push((0..length).map(|_| AtomicU64::new(0)).collect());
    }
    memory(rooms.last().expect("one was just made where there was none")).part(0, bytes)
}

/// The memory of these words, to be written to as well.
pub(super) fn memory(words: &[AtomicU64]) -> Span {
    Span::new(words.as_ptr().cast(), size_of_val(words))
}
