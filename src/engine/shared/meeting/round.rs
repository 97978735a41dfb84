//! One turn's memory: a line for each member, and which members have arrived.

use super::board::{Board, Words, memory};
use crate::base::sync::arrivals::{Arrivals, is_overtaken};
use crate::host::memory::{Fault, Region, Span, copy_few, transfer};
use crate::host::sched::Rows;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicU16, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// The memory of one turn at a time.
pub struct Round {
    /// The members that have arrived.
    pub arrivals: Arrivals,
    /// The members that read no more from others.
    readers: Arrivals,
    lobbies: [Lobby; 3],
    done: Done,
    lines: OnceLock<Box<[Line]>>,
    /// Of few members: for each, room for a copy that does not fit into its line.
    buffers: OnceLock<Box<[Buffer]>>,
    /// For each member, what does not fit into its line.
    annexes: OnceLock<Box<[Mutex<Annex>]>>,
    /// What one member has published for all.
    packed: Mutex<Vec<Words>>,
    /// The board to which all members write. Held here, too: what a member has written counts even
    /// if that member dies before the others take the board.
    board: Mutex<Option<Arc<Board>>>,
    members: usize,
}

/// What a member waits for in a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// All members have released the previous turn in the round, and some more.
    Room,
    /// All members have arrived.
    Full,
    /// All members have arrived, or one has given up, so that they never will.
    Decided,
    /// All members have arrived, and the last one has done its work for all.
    Done,
    /// All members have shown what they have, and have called what this one has (see [`Mark`]).
    AllShown { mark: Mark },
    /// This member has shown what it has.
    Shown { place: usize },
    /// This member has passed something on to the one after it, which alone waits for that.
    Passed { place: usize },
    /// No member reads from others any more.
    AllRead,
    /// This member reads no more from others.
    Read { place: usize },
}

impl Gate {
    /// Whether members may copy any amount of data before it opens.
    pub fn is_after_copies(self) -> bool {
        matches!(self, Gate::Full | Gate::AllRead | Gate::Read { .. })
    }

    /// The lobby in which members wait for this gate. In one turn, only one of the gates of a lobby
    /// opens, for all that wait there, once.
    pub(super) fn lobby(self) -> Option<usize> {
        match self {
            Gate::Room | Gate::Passed { .. } | Gate::Decided => None,
            Gate::Full | Gate::Done => Some(0),
            Gate::AllShown { .. } | Gate::Shown { .. } => Some(1),
            Gate::AllRead | Gate::Read { .. } => Some(2),
        }
    }
}

/// What a member shows beside its data: a fingerprint of its call, and whether it has compared its
/// call with those of others by other means. What another shows is there for a member if the
/// fingerprints are equal, or if both have compared their calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark(u32);

impl Mark {
    /// All members compare their calls before they show anything.
    pub const NONE: Mark = Mark(0);
    const COMPARED: u32 = 2;

    /// That of a call with this fingerprint.
    #[inline(always)]
    pub(super) fn of(fingerprint: u32) -> Mark {
        Mark(fingerprint & !Mark::COMPARED | 1)
    }

    /// That of a member that has compared its call.
    pub fn compared(self) -> Mark {
        Mark(self.0 | Mark::COMPARED)
    }

    pub(super) fn bits(self) -> u32 {
        self.0
    }

    /// As it is shown in a turn, counted from one.
    #[inline(always)]
    fn shown(self, turn: u32) -> u64 {
        u64::from(self.0) << 32 | u64::from(turn + 1)
    }

    /// Whether this, shown in a turn, is there for a member with this mark.
    #[inline(always)]
    fn finds(self, shown: u64, turn: u32) -> bool {
        const COMPARED: u64 = (Mark::COMPARED as u64) << 32;
        (shown ^ self.shown(turn)) & !COMPARED == 0 || self.finds_compared(shown, turn)
    }

    #[cold]
    fn finds_compared(self, shown: u64, turn: u32) -> bool {
        shown as u32 == turn + 1 && (shown >> 32) as u32 & self.0 & Mark::COMPARED != 0
    }
}

/// Where members wait for [`Gate`]s that open for many at once.
#[derive(Default)]
struct Lobby {
    rows: Rows,
    /// The turn, plus one, in which a member waits that does not stand in a row.
    listeners: AtomicU32,
}

/// The overflow of a line. Rooms that are too small are kept: a member that is behind may still
/// read them.
#[derive(Default)]
struct Annex {
    rooms: Vec<Words>,
    blocks: Option<Arc<[Region]>>,
    fault: Option<usize>,
}

/// Polled by all members that wait.
#[repr(align(64))]
struct Done {
    /// The turn, plus one, whose result is there.
    turn: AtomicU32,
    /// How many bytes each member has contributed; [`UNEQUAL`] if they differ.
    bytes: AtomicU64,
    /// The address of what one member has published for all; 0: none.
    packed: AtomicU64,
}

const UNEQUAL: u64 = u64::MAX;

/// What one member has published. Written by that member, or, while that member is in the turn, by
/// the last one to arrive; read by others after they know that it has arrived. Turns are counted
/// from one here.
#[repr(C, align(64))]
pub struct Line {
    payload: [AtomicU64; INLINE / 8],
    address: AtomicU64,
    bytes: AtomicU64,
    /// The turn in which the contents are shown to all, and the [`Mark`] of its member.
    shown: AtomicU64,
    /// The turn in which its member reads no more from others.
    read: AtomicU32,
    kind: AtomicU16,
    /// The last bits of the turn at which its member has arrived, in rounds outside the rotation.
    came: AtomicU16,
}

/// This many bytes fit into a line.
const INLINE: usize = 32;
/// So few members have buffers, and poll what all others show if they have cores of their own.
pub const FEW_MEMBERS: usize = 8;
/// This many bytes fit on one.
const BUFFER: usize = 256;

#[derive(Default)]
#[repr(align(64))]
struct Buffer([AtomicU64; BUFFER / 8]);

const _: () = assert!(size_of::<Line>() == 64, "a line is a line of the cache");

/// Where the data of a member are.
#[derive(Clone, Debug)]
pub enum Laid {
    /// A copy, in memory that the library owns.
    Copy(Span),
    /// Copies, a block for each member.
    Copies(Arc<[Region]>),
    /// In the member's memory.
    There(Region),
    /// In the member's memory, a block for each member.
    Blocks(Arc<[Region]>),
}

impl Laid {
    /// How many bytes there are; for blocks, in the first.
    pub fn bytes(&self) -> usize {
        match self {
            Laid::Copy(span) => span.bytes(),
            Laid::There(region) => region.bytes(),
            Laid::Copies(blocks) | Laid::Blocks(blocks) => blocks[0].bytes(),
        }
    }

    /// The memory of data for all, if it is contiguous.
    pub fn span(&self) -> Option<Span> {
        match self {
            Laid::Copy(span) => Some(*span),
            Laid::There(region) => region.span(),
            Laid::Copies(_) | Laid::Blocks(_) => None,
        }
    }
}

const COPY: u16 = 0;
const THERE: u16 = 1;
const SCATTERED: u16 = 2;
const BLOCKS: u16 = 3;
const COPIES: u16 = 4;

impl Round {
    pub(super) fn new(members: usize, arriving: usize) -> Round {
        Round {
            arrivals: Arrivals::new(arriving),
            readers: Arrivals::new(members),
            lobbies: Default::default(),
            done: Done {
                turn: AtomicU32::new(0),
                bytes: AtomicU64::new(0),
                packed: AtomicU64::new(0),
            },
            lines: OnceLock::new(),
            buffers: OnceLock::new(),
            annexes: OnceLock::new(),
            packed: Mutex::default(),
            board: Mutex::default(),
            members,
        }
    }

    /// Whether what a member waits for has happened.
    #[inline(always)]
    pub fn is_open(&self, gate: Gate, turn: u32) -> bool {
        let shown = |line: &Line| line.shown.load(Ordering::SeqCst);
        match gate {
            Gate::Full => self.arrivals.is_full(turn),
            Gate::Decided => self.arrivals.is_decided(turn),
            Gate::Done => self.done.turn.load(Ordering::SeqCst) == turn + 1,
            Gate::AllShown { mark } => {
                self.lines().iter().all(|line| mark.finds(shown(line), turn))
            }
            Gate::Shown { place } | Gate::Passed { place } => {
                shown(self.line(place)) == Mark::NONE.shown(turn)
            }
            Gate::AllRead => self.readers.is_full(turn),
            Gate::Read { place } => self.has_read(turn, place),
            Gate::Room => true,
        }
    }

    /// Registers the caller, which also listens to its bell, to be woken when this gate opens; not
    /// if others wait for a later turn already: then this one cannot end well.
    pub(in crate::engine) fn attend(&self, gate: Gate, turn: u32) {
        let Some(lobby) = gate.lobby().map(|lobby| &self.lobbies[lobby]) else { return };
        if matches!(gate, Gate::AllShown { .. }) || !lobby.rows.join(turn) {
            let (turn, order) = (turn + 1, Ordering::SeqCst);
            let next = |known| (!is_overtaken(turn, known)).then_some(turn);
            let _ = lobby.listeners.fetch_update(order, order, next);
        }
    }

    /// This gate has opened: wakes the members that stand in rows; true if others must be rung.
    #[inline(always)]
    pub(super) fn call(&self, gate: Gate, turn: u32) -> bool {
        let lobby = &self.lobbies[gate.lobby().expect("that opens for many at once")];
        lobby.rows.call(turn);
        lobby.listeners.load(Ordering::SeqCst) == turn + 1
    }

    /// The line of the member at `place`.
    #[inline(always)]
    pub fn line(&self, place: usize) -> &Line {
        &self.lines()[place]
    }

    /// The lines of all members.
    #[inline(always)]
    pub fn lines(&self) -> &[Line] {
        match self.lines.get() {
            Some(lines) => lines,
            None => self.make_lines(),
        }
    }

    /// Memory for them is allocated when the first is needed.
    #[cold]
    #[inline(never)]
    fn make_lines(&self) -> &[Line] {
        self.lines.get_or_init(|| (0..self.members).map(|_| Line::new()).collect())
    }

    fn buffers(&self) -> &[Buffer] {
        self.buffers.get_or_init(|| (0..self.members).map(|_| Buffer::default()).collect())
    }

    fn annex(&self, place: usize) -> &Mutex<Annex> {
        let annexes = || (0..self.members).map(|_| Mutex::default()).collect();
        &self.annexes.get_or_init(annexes)[place]
    }

    /// Publishes a copy of `data` for the member at `place`. Fails if the caller's own memory is
    /// unmapped.
    #[inline(always)]
    pub fn put(&self, place: usize, data: &Region) -> Result<(), Fault> {
        match data.span() {
            Some(data) if data.bytes() <= INLINE => {
                let line = self.line(place);
                let room = memory(&line.payload);
                line.note(COPY, room.address(), data.bytes());
                copy_few(data, room)
            }
            _ => self.put_with_care(place, data),
        }
    }

    /// Publishes a copy of more than fits into a line, or of what lies in pieces.
    #[inline(never)]
    fn put_with_care(&self, place: usize, data: &Region) -> Result<(), Fault> {
        let (line, bytes) = (self.line(place), data.bytes());
        let room = match bytes {
            0..=INLINE => memory(&line.payload),
            0..=BUFFER if self.members <= FEW_MEMBERS => memory(&self.buffers()[place].0),
            _ => room(&mut self.annex(place).lock().rooms, bytes),
        };
        line.note(COPY, room.address(), bytes);
        transfer(data, &room.into())
    }

    /// Publishes copies of a block for each member.
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

    /// Publishes where the data of the member at `place` are. They must stay there until all
    /// members have read them.
    pub fn point_at(&self, place: usize, data: &Region) {
        match data.span() {
            Some(span) => self.line(place).note(THERE, span.address(), data.bytes()),
            None => {
                self.annex(place).lock().blocks = Some(Arc::new([data.clone()]));
                self.line(place).note(SCATTERED, 0, data.bytes());
            }
        }
    }

    /// Publishes where the data of the member at `place` are, and where its results of as many
    /// bytes will be.
    pub fn point_at_both(&self, place: usize, data: &Region, results: &Region) {
        self.point_at(place, data);
        let address = results.span().map_or(0, Span::address);
        self.line(place).payload[0].store(address as u64, Ordering::Relaxed);
    }

    /// Where the results of the member at `place`, which has said so, will be; `None`: in pieces.
    pub fn results(&self, place: usize) -> Option<Span> {
        let line = self.line(place);
        let address = line.payload[0].load(Ordering::Relaxed) as usize;
        let start = std::ptr::with_exposed_provenance(address);
        (address != 0).then(|| Span::new(start, line.bytes()))
    }

    /// Publishes where the blocks for each member are.
    pub fn point_at_blocks(&self, place: usize, blocks: Arc<[Region]>) {
        self.annex(place).lock().blocks = Some(blocks);
        self.line(place).note(BLOCKS, 0, 0);
    }

    /// What the member at `place` has published.
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

    /// Records that memory of the member at `place` was unmapped.
    pub fn blame(&self, place: usize, address: usize) {
        self.annex(place).lock().fault = Some(address);
    }

    /// Releases what the member at `place` has pointed at; returns the address in it that was
    /// unmapped, if any.
    pub fn take_back(&self, place: usize) -> Option<usize> {
        let mut annex = self.annex(place).lock();
        annex.blocks = None;
        annex.fault.take()
    }

    /// How many bytes each member has published, if equally many.
    pub fn equal_bytes(&self) -> Option<usize> {
        let bytes = self.line(0).bytes();
        self.lines().iter().all(|line| line.bytes() == bytes).then_some(bytes)
    }

    /// Announces the result of this turn. SeqCst, so that members that look before they sleep see
    /// it.
    #[inline]
    pub fn finish(&self, turn: u32) {
        self.done.turn.swap(turn + 1, Ordering::SeqCst);
    }

    /// Each member has contributed this many bytes; `None`: not equally many.
    pub fn agree_on_bytes(&self, bytes: Option<usize>) {
        self.done.bytes.store(bytes.map_or(UNEQUAL, |bytes| bytes as u64), Ordering::Relaxed);
    }

    /// How many bytes each member has contributed, if equally many. Only for callers that know that
    /// the turn is done.
    #[inline]
    pub fn agreed_bytes(&self) -> Option<usize> {
        let bytes = self.done.bytes.load(Ordering::Relaxed);
        (bytes != UNEQUAL).then_some(bytes as usize)
    }

    /// Publishes for all members what `fill` writes into `bytes` bytes.
    pub fn pack(&self, bytes: usize, fill: impl FnOnce(Span)) {
        let room = room(&mut self.packed.lock(), bytes);
        fill(room);
        self.done.packed.store(room.address() as u64, Ordering::Relaxed);
    }

    /// Publishes nothing for all.
    pub fn pack_nothing(&self) {
        self.done.packed.store(0, Ordering::Relaxed);
    }

    /// What was published for all, of this many bytes. Only for callers that know that the turn is
    /// done.
    pub fn packed(&self, bytes: usize) -> Option<Span> {
        let address = self.done.packed.load(Ordering::Relaxed) as usize;
        (address != 0).then(|| Span::new(std::ptr::with_exposed_provenance(address), bytes))
    }

    /// A board of this many bytes that all members in this turn share until all have put it away;
    /// `spare` is memory to reuse.
    pub(super) fn board(
        &self, turn: u32, bytes: usize, spare: impl FnOnce() -> Words,
    ) -> Arc<Board> {
        let mut held = self.board.lock();
        if let Some(board) = held.as_ref().filter(|board| board.is_of(turn)) {
            return board.clone();
        }
        held.insert(Arc::new(Board::new(turn, bytes, spare()))).clone()
    }

    /// A caller that knows that all members have written their parts puts the board away. Returns
    /// its memory if that was the last one.
    pub(super) fn put_away(&self, board: Arc<Board>) -> Option<Words> {
        let mut held = self.board.lock();
        drop(board);
        held.take_if(|board| Arc::strong_count(board) == 1)
            .and_then(Arc::into_inner)
            .map(Board::into_words)
    }

    /// The member at `place` reads no more from others; true for the one that completes the set.
    pub fn end_reading(&self, turn: u32, place: usize) -> bool {
        self.line(place).read.swap(turn + 1, Ordering::SeqCst);
        self.readers.arrive(turn, place)
    }

    /// Whether the member at `place` reads no more from others.
    pub fn has_read(&self, turn: u32, place: usize) -> bool {
        self.line(place).read.load(Ordering::SeqCst) == turn + 1
    }

    /// The members that have not arrived at this turn, as far as that is noted here.
    pub(in crate::engine) fn missing(&self, turn: u32) -> impl Iterator<Item = usize> + '_ {
        let has_come = move |line: &Line| line.came.load(Ordering::Relaxed) == (turn + 1) as u16;
        (0..).zip(self.lines()).filter(move |(_, line)| !has_come(line)).map(|(place, _)| place)
    }
}

impl Line {
    fn new() -> Line {
        Line {
            payload: Default::default(),
            address: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            shown: AtomicU64::new(0),
            read: AtomicU32::new(0),
            kind: AtomicU16::new(COPY),
            came: AtomicU16::new(0),
        }
    }

    #[inline]
    fn note(&self, kind: u16, address: usize, bytes: usize) {
        self.kind.store(kind, Ordering::Relaxed);
        self.address.store(address as u64, Ordering::Relaxed);
        self.bytes.store(bytes as u64, Ordering::Relaxed);
    }

    /// The copy that was published.
    #[inline]
    pub fn copy(&self) -> Span {
        let address = self.address.load(Ordering::Relaxed) as usize;
        Span::new(std::ptr::with_exposed_provenance(address), self.bytes())
    }

    /// The published copy, if it is one copy for all.
    #[inline]
    pub fn whole_copy(&self) -> Option<Span> {
        (self.kind.load(Ordering::Relaxed) == COPY).then(|| self.copy())
    }

    /// How many bytes are published here.
    #[inline]
    pub fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed) as usize
    }

    /// Shows the contents, as those of this turn. SeqCst, so that members that look before they
    /// sleep see it.
    #[inline]
    pub fn show(&self, turn: u32, mark: Mark) {
        self.shown.swap(mark.shown(turn), Ordering::SeqCst);
    }

    /// Shows the contents to their own member only, which looks for those of all.
    #[inline]
    pub fn show_here(&self, turn: u32) {
        self.shown.store(Mark::NONE.shown(turn), Ordering::Relaxed);
    }

    /// Notes that its member has arrived.
    pub(super) fn come(&self, turn: u32) {
        self.came.store((turn + 1) as u16, Ordering::Relaxed);
    }
}

/// A room of this many bytes.
fn room(rooms: &mut Vec<Words>, bytes: usize) -> Span {
    if rooms.last().is_none_or(|room| size_of_val::<[AtomicU64]>(room) < bytes) {
        let length = bytes.next_power_of_two().max(128) / 8;
        rooms.push((0..length).map(|_| AtomicU64::new(0)).collect());
    }
    memory(rooms.last().expect("one was just made where there was none")).part(0, bytes)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn what_others_show_is_there_for_those_who_have_called_the_same_or_have_all_compared() {
        let (one, other) = (Mark::of(40), Mark::of(80));
        for turn in [0, 5, i32::MAX as u32] {
            let round = Round::new(2, 2);
            let sees = |mark: Mark| round.is_open(Gate::AllShown { mark }, turn);
            let show = |place: usize, mark: Mark| round.line(place).show(turn, mark);
            show(0, one);
            assert!(!sees(one), "the other has not shown anything");
            show(1, other);
            assert!(!sees(one) && !sees(other));
            // One alone has compared: it may be the call of the other that differs.
            show(0, one.compared());
            assert!(!sees(other) && !sees(one.compared()));
            show(1, other.compared());
            assert!(sees(one.compared()) && sees(other.compared()));
            show(1, one);
            assert!(sees(one) && sees(one.compared()));
            assert!(!sees(Mark::NONE) && !round.is_open(Gate::Shown { place: 0 }, turn));
            show(0, Mark::NONE);
            assert!(round.is_open(Gate::Shown { place: 0 }, turn));
            assert!(!round.is_open(Gate::Shown { place: 0 }, turn.wrapping_add(1)));
        }
    }

    #[test]
    fn whoever_is_late_for_a_turn_does_not_keep_those_in_a_later_one_from_being_woken() {
        let round = Round::new(2, 2);
        [6, 5].into_iter().for_each(|turn| round.attend(Gate::Done, turn));
        assert!(!round.call(Gate::Done, 5) && round.call(Gate::Done, 6));
    }
}
