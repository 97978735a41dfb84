//! Memory of other processes: on this host the kernel copies it; that of other hosts is read,
//! written and changed by asking, piece by piece. Whoever makes progress there answers, rank or
//! service thread, so a process that computes serves, too.

use super::shown::shown;
use super::stream::{ASK_FOR_BYTES, ASK_TO_CHANGE, ASK_TO_STORE, Frame};
use super::{OF_PROCESS, Processes};
use crate::base::Member;
use crate::base::layout::Cursor;
use crate::host::life;
use crate::host::memory::afar::Missing;
use crate::host::memory::{self, Change, Instruction, Region, Span, Verb, afar};
use crate::transport::hosts::{Hosts, Letter};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::ptr;

/// How much one question copies, from or to how many stretches of memory, and how many such
/// questions are under way.
const PIECE: usize = 256 << 10;
const STRETCHES: usize = 1024;
const WINDOW: usize = 8;

/// What follows the bytes that were asked for, if all of them were there.
pub(super) const COMPLETE: [u8; 1] = [1];

/// What an answer says instead of 0 where a question was refused.
const UNMAPPED: i32 = 1;
const HIDDEN: i32 = 2;

/// A stretch of memory, as it is written into a question: its address and its length.
const WRITTEN: usize = 2 * size_of::<u64>();

/// Where a process is whose memory others may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Showing {
    pid: i32,
    /// Its number and its life, if the job has several hosts.
    member: Option<Member>,
}

impl Showing {
    /// This process, where others learn of memory of the calling rank.
    pub fn own() -> Showing {
        life::show_memory();
        let hosts = OF_PROCESS.get().and_then(|processes| processes.hosts.get());
        Showing { pid: std::process::id() as i32, member: hosts.map(Hosts::me) }
    }

    /// Its number, by which it is known on its host.
    pub fn pid(self) -> i32 {
        self.pid
    }

    /// The way to it, if it is on another host.
    fn distant(self) -> Option<(&'static Processes, Member)> {
        let (processes, member) = (*OF_PROCESS.get()?, self.member?);
        processes.hosts_for(member.seat).map(|_| (processes, member))
    }

    /// Whether it is on another host, where nothing can be mapped.
    pub fn is_distant(self) -> bool {
        self.distant().is_some()
    }

    /// Copies `theirs`, memory of that process, to `own`, which is as long.
    pub fn fetch(self, theirs: &Region, own: &Region) -> Result<(), Missing> {
        match self.distant() {
            Some((processes, member)) => processes.copy_distant(Way::In, member, theirs, own),
            None => afar::fetch(self.pid, theirs, own),
        }
    }

    /// Copies `own` to `theirs`, memory of that process, which is as long.
    pub fn store(self, own: &Region, theirs: &Region) -> Result<(), Missing> {
        match self.distant() {
            Some((processes, member)) => processes.copy_distant(Way::Out, member, theirs, own),
            None => afar::store(self.pid, own, theirs),
        }
    }

    /// Changes a number of a process on another host at once; returns what it was before.
    pub fn change(self, address: usize, change: WordChange) -> Result<i64, Missing> {
        let (processes, member) = self.distant().ok_or(Missing::Process)?;
        processes.change_distant(member, address, change)
    }
}

/// What is done to a number that several hosts use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordChange {
    Add(i64),
    Set(i64),
}

/// The way of a copy: from the other process, or to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    In,
    Out,
}

/// The memory of a process of another host, divided into what one question has room for.
struct Pieces<'a> {
    region: &'a Region,
    cursor: Cursor<'a>,
    offset: usize,
}

/// So many bytes of a region from `offset` on, and where they are.
struct Piece {
    offset: usize,
    bytes: usize,
    stretches: Vec<u8>,
}

impl<'a> Pieces<'a> {
    fn of(region: &'a Region) -> Pieces<'a> {
        Pieces { region, cursor: region.cursor_at(0), offset: 0 }
    }
}

impl Iterator for Pieces<'_> {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        let total = self.region.bytes();
        let (offset, mut stretches) = (self.offset, Vec::new());
        while self.offset < total
            && self.offset - offset < PIECE
            && stretches.len() < STRETCHES * WRITTEN
        {
            let room = (total - self.offset).min(PIECE - (self.offset - offset));
            let bytes = self.cursor.run_bytes().min(room);
            let address = self.region.address().wrapping_add_signed(self.cursor.offset() as isize);
            stretches.extend((address as u64).to_le_bytes());
            stretches.extend((bytes as u64).to_le_bytes());
            self.offset += bytes;
            if self.offset < total {
                self.cursor.pass(bytes, 1);
            }
        }
        let bytes = self.offset - offset;
        (bytes > 0).then_some(Piece { offset, bytes, stretches })
    }
}

/// The stretches of memory that a question names, and what it has besides; `None`: nobody asks so.
fn stretches<'a>(asked: &Frame, bytes: &'a [u8]) -> Option<(Vec<Span>, &'a [u8])> {
    let (written, rest) = bytes.split_at_checked(asked.hold as usize * WRITTEN)?;
    let spans = written.chunks_exact(WRITTEN).map(|stretch| {
        let number =
            |eight: &[u8]| eight.iter().rev().fold(0, |all, byte| all << 8 | *byte as usize);
        let (address, bytes) = stretch.split_at(WRITTEN / 2);
        Span::new(ptr::with_exposed_provenance(number(address)), number(bytes))
    });
    let spans: Vec<Span> = spans.collect();
    let total = spans.iter().try_fold(0, |total: usize, span| total.checked_add(span.bytes()))?;
    (total <= PIECE).then_some((spans, rest))
}

impl Processes {
    /// Copies memory of a process of another host at this address.
    pub(super) fn fetch_distant(
        &self, from: Member, address: usize, into: &Region,
    ) -> Result<(), Missing> {
        let theirs = Span::new(ptr::with_exposed_provenance(address), into.bytes());
        self.copy_distant(Way::In, from, &theirs.into(), into)
    }

    /// Copies memory of a process of another host to `own`, which is as long, or the other way.
    fn copy_distant(
        &self, way: Way, with: Member, theirs: &Region, own: &Region,
    ) -> Result<(), Missing> {
        assert_eq!(theirs.bytes(), own.bytes(), "both sides are as long");
        let hosts = self.hosts.get().ok_or(Missing::Process)?;
        let (mut pieces, mut open, mut outcome) = (Pieces::of(theirs), VecDeque::new(), Ok(()));
        loop {
            while outcome.is_ok()
                && open.len() < WINDOW
                && let Some(piece) = pieces.next()
            {
                let own = own.part(piece.offset, piece.bytes);
                match way.question(piece, &own) {
                    Ok((frame, bytes)) => match hosts.pose(with, frame, &bytes) {
                        Some(number) => open.push_back((number, own)),
                        None => outcome = Err(Missing::Process),
                    },
                    Err(missing) => outcome = Err(missing),
                }
            }
            let Some((number, own)) = open.pop_front() else { return outcome };
            let answer = hosts.answer(number, &|| self.keep_going());
            outcome = outcome.and_then(|()| way.take(answer, &own));
        }
    }

    /// Changes a number of a process of another host.
    fn change_distant(
        &self, of: Member, address: usize, change: WordChange,
    ) -> Result<i64, Missing> {
        let hosts = self.hosts.get().ok_or(Missing::Process)?;
        let (is_sum, operand) = match change {
            WordChange::Add(number) => (1, number),
            WordChange::Set(number) => (0, number),
        };
        let mut frame = Frame { kind: ASK_TO_CHANGE, hold: is_sum, ..Frame::default() };
        (frame.address, frame.bytes) = (address as u64, operand.cast_unsigned());
        let number = hosts.pose(of, frame, &[]).ok_or(Missing::Process)?;
        let letter = hosts.answer(number, &|| self.keep_going()).ok_or(Missing::Process)?;
        must_be_there(&letter)?;
        Ok(letter.frame.bytes.cast_signed())
    }
}

impl Way {
    /// What to ask for a piece of memory, given what is on the own side of it.
    fn question(self, piece: Piece, own: &Region) -> Result<(Frame, Vec<u8>), Missing> {
        let Piece { mut stretches, bytes, .. } = piece;
        let frame = Frame { hold: (stretches.len() / WRITTEN) as u32, ..Frame::default() };
        if self == Way::In {
            return Ok((Frame { kind: ASK_FOR_BYTES, ..frame }, stretches));
        }
        let start = stretches.len();
        stretches.resize(start + bytes, 0);
        let room = Span::of_mut(&mut stretches[start..]);
        memory::transfer(own, &room.into()).map_err(|fault| Missing::Here(fault.address))?;
        Ok((Frame { kind: ASK_TO_STORE, ..frame }, stretches))
    }

    /// Takes the answer.
    fn take(self, answer: Option<Letter>, own: &Region) -> Result<(), Missing> {
        let letter = answer.ok_or(Missing::Process)?;
        must_be_there(&letter)?;
        match self {
            Way::Out => Ok(()),
            Way::In => {
                let (bytes, end) = letter.bytes().split_at_checked(own.bytes()).unwrap_or_default();
                match end {
                    [] => return Err(Missing::Process),
                    end if end != COMPLETE => {
                        return Err(Missing::There(letter.frame.address as usize));
                    }
                    _ => {}
                }
                let copied = memory::transfer(&Span::of(bytes).into(), own);
                copied.map_err(|fault| Missing::Here(fault.address))
            }
        }
    }
}

/// Fails if memory was missing at the process that was asked.
fn must_be_there(answer: &Letter) -> Result<(), Missing> {
    match answer.frame.envelope.tag {
        0 => Ok(()),
        HIDDEN => Err(Missing::Hidden),
        _ => Err(Missing::There(answer.frame.address as usize)),
    }
}

/// Why a question is not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Refusal {
    /// This address is not mapped.
    Unmapped(usize),
    /// It is not, or no longer, for others to change.
    Hidden,
}

/// Does what another host asks for at the memory of this process: completes the frame of the
/// answer, and returns its bytes.
pub(super) fn serve(asked: &Frame, bytes: &[u8], answer: &mut Frame) -> Vec<u8> {
    let done = match asked.kind {
        ASK_TO_CHANGE => change(asked).map(|former| {
            answer.bytes = former.cast_unsigned();
            Vec::new()
        }),
        ASK_TO_STORE => store(asked, bytes).map(|()| Vec::new()),
        _ => fetch(asked, bytes),
    };
    done.unwrap_or_else(|refusal| {
        (answer.envelope.tag, answer.address) = match refusal {
            Refusal::Unmapped(address) => (UNMAPPED, address as u64),
            Refusal::Hidden => (HIDDEN, 0),
        };
        Vec::new()
    })
}

/// Copies the stretches of memory that a question names. Whoever asks for nonsense gets nothing.
fn fetch(asked: &Frame, bytes: &[u8]) -> Result<Vec<u8>, Refusal> {
    let Some((theirs, _)) = stretches(asked, bytes) else { return Ok(Vec::new()) };
    let mut fetched = vec![0; theirs.iter().map(|span| span.bytes()).sum()];
    copy(Way::In, &theirs, Span::of_mut(&mut fetched))?;
    fetched.extend(COMPLETE);
    Ok(fetched)
}

/// The stretches of memory that a question names, if they are long and few enough to be sent from
/// where they are; completes the frame of the answer.
pub(super) fn lend(asked: &Frame, bytes: &[u8], answer: &mut Frame) -> Option<Vec<Span>> {
    const LONG: usize = 32 << 10;
    const FEW: usize = 16;
    let (theirs, _) = stretches(asked, bytes)?;
    let total: usize = theirs.iter().map(|span| span.bytes()).sum();
    answer.address = theirs.first()?.address() as u64;
    (total > LONG && theirs.len() <= FEW).then_some(theirs)
}

/// Copies what comes with a question to the stretches of memory that it names.
fn store(asked: &Frame, bytes: &[u8]) -> Result<(), Refusal> {
    let Some((theirs, given)) = stretches(asked, bytes) else { return Ok(()) };
    if theirs.iter().map(|span| span.bytes()).sum::<usize>() != given.len() {
        return Ok(());
    }
    // Held meanwhile, so that the memory stays a window's.
    let shown = shown();
    if !theirs.iter().all(|span| shown.holds(*span)) {
        return Err(Refusal::Hidden);
    }
    copy(Way::Out, &theirs, Span::of(given))
}

/// Copies stretches of memory to `carried`, or the other way, piece by piece.
fn copy_here(way: Way, theirs: &[Span], carried: Span) -> Result<(), Missing> {
    let mut at = 0;
    for there in theirs {
        let here = carried.part(at, there.bytes());
        at += there.bytes();
        let copied = match way {
            Way::In => memory::copy(*there, here),
            Way::Out => memory::copy(here, *there),
        };
        copied.map_err(|fault| Missing::There(fault.address))?;
    }
    Ok(())
}

/// Copies stretches of memory of this process to `carried`, or the other way.
fn copy(way: Way, theirs: &[Span], carried: Span) -> Result<(), Refusal> {
    let copied = match way {
        Way::In => afar::gather(theirs, carried),
        Way::Out => afar::scatter(carried, theirs),
    };
    let copied = match copied {
        // Some containers forbid the kernel's copies.
        Err(Missing::Process) => copy_here(way, theirs, carried),
        copied => copied,
    };
    copied.map_err(|missing| match missing {
        Missing::There(address) | Missing::Here(address) => Refusal::Unmapped(address),
        Missing::Process | Missing::Hidden => Refusal::Hidden,
    })
}

/// Changes a number at once; returns what it was before.
fn change(asked: &Frame) -> Result<i64, Refusal> {
    let verb = if asked.hold == 1 { Verb::Add } else { Verb::Swap };
    let instruction = Instruction::new(verb, 3).expect("there are instructions for eight bytes");
    let (operand, mut former) = (asked.bytes.to_ne_bytes(), [0; 8]);
    let target = asked.address as usize;
    // Held meanwhile, so that the number stays.
    let shown = shown();
    if !shown.holds(Span::new(ptr::with_exposed_provenance(target), operand.len())) {
        return Err(Refusal::Hidden);
    }
    let origin = Span::of(&operand).address();
    let fetched = Span::of_mut(&mut former).address();
    let changed = instruction.change(Change { origin, target, fetched });
    changed.map_err(Refusal::Unmapped)?;
    drop(shown);
    Ok(i64::from_ne_bytes(former))
}

#[cfg(test)]
mod tests {
    use super::super::shown::{ShownMemory, ShownWord};
    use super::super::stream::ANSWER;
    use super::*;
    use crate::base::layout::Layout;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicI64, Ordering};

    /// What a process there would answer to the questions about `theirs`.
    fn through_questions(way: Way, theirs: &Region, own: &Region) -> Result<usize, Missing> {
        let mut count = 0;
        for piece in Pieces::of(theirs) {
            let own = own.part(piece.offset, piece.bytes);
            let (asked, bytes) = way.question(piece, &own)?;
            let mut frame = Frame { kind: ANSWER, ..Frame::default() };
            let bytes = serve(&asked, &bytes, &mut frame);
            let from = Member { seat: 1, incarnation: 0 };
            way.take(Some(Letter::with(from, frame, &bytes)), &own)?;
            count += 1;
        }
        Ok(count)
    }

    #[test]
    fn what_is_asked_for_by_pieces_is_a_copy_in_either_direction() {
        const BYTES: usize = 700_000;
        let byte = Layout::basic(&[(0, 1)], 1, 1);
        let gaps = Arc::new(byte.vector(4000, 3, 7).expect("small"));
        let mut there: Vec<u8> = (0..BYTES).map(|index| (index % 251) as u8).collect();
        let start = Span::of_mut(&mut there).address();
        let _shown = ShownMemory::new(Span::of(&there));
        let (whole, holey) = (Span::of_mut(&mut there).into(), Region::new(start, 12_000, gaps));
        for (theirs, questions) in [(whole, 3), (holey, 4)] {
            let mut copy = vec![0; theirs.bytes()];
            let own = Region::from(Span::of_mut(&mut copy));
            assert_eq!(through_questions(Way::In, &theirs, &own), Ok(questions));
            let mut expected = vec![0; theirs.bytes()];
            memory::transfer(&theirs, &Span::of_mut(&mut expected).into()).expect("it is there");
            assert_eq!(copy, expected);
            copy.iter_mut().for_each(|byte| *byte ^= 255);
            assert_eq!(through_questions(Way::Out, &theirs, &own), Ok(questions));
            memory::transfer(&theirs, &Span::of_mut(&mut expected).into()).expect("it is there");
            assert_eq!(copy, expected);
        }
    }

    #[test]
    fn only_numbers_that_are_shown_are_changed() {
        let word = AtomicI64::new(40);
        let shown = ShownWord::new(&word);
        let address = shown.address() as u64;
        let asked = |hold, bytes: i64| {
            let bytes = bytes.cast_unsigned();
            let asked = Frame { kind: ASK_TO_CHANGE, hold, address, bytes, ..Frame::default() };
            let mut answer = Frame { kind: ANSWER, ..Frame::default() };
            assert!(serve(&asked, &[], &mut answer).is_empty());
            (answer.envelope.tag, answer.bytes.cast_signed())
        };
        assert_eq!(asked(1, 2), (0, 40));
        assert_eq!(asked(0, -7), (0, 42));
        assert_eq!(word.load(Ordering::Relaxed), -7);
        drop(shown);
        assert_eq!(asked(1, 2).0, HIDDEN);
        assert_eq!(word.load(Ordering::Relaxed), -7);
    }

    #[test]
    fn memory_that_is_missing_or_hidden_is_left_alone_without_a_signal() {
        let mut own = [7_u8; 16];
        let mine = Region::from(Span::of_mut(&mut own));
        let nowhere = Region::from(Span::new(ptr::without_provenance(4096), 16));
        assert_eq!(through_questions(Way::In, &nowhere, &mine), Err(Missing::There(4096)));
        assert_eq!(through_questions(Way::Out, &nowhere, &mine), Err(Missing::Hidden));
        let _shown = ShownMemory::new(Span::new(ptr::without_provenance(4096), 16));
        assert_eq!(through_questions(Way::Out, &nowhere, &mine), Err(Missing::There(4096)));
        let mut other = [0_u8; 16];
        let theirs = Region::from(Span::of_mut(&mut other));
        assert_eq!(through_questions(Way::Out, &theirs, &mine), Err(Missing::Hidden));
        assert_eq!(other, [0; 16]);
    }

    #[test]
    fn where_the_kernel_may_not_copy_the_library_does() {
        let (first, second, mut whole) = ([1_u8; 40], [2_u8; 5000], vec![0; 5040]);
        let theirs = [Span::of(&first), Span::of(&second)];
        assert_eq!(copy_here(Way::In, &theirs, Span::of_mut(&mut whole)), Ok(()));
        assert_eq!(whole, [&first[..], &second].concat());
        whole.fill(3);
        let (mut first, mut second) = (first, second);
        let theirs = [Span::of_mut(&mut first), Span::of_mut(&mut second)];
        assert_eq!(copy_here(Way::Out, &theirs, Span::of(&whole)), Ok(()));
        assert!(first == [3; 40] && second == [3; 5000]);
    }

    /// Whoever asks for nonsense gets nothing.
    #[test]
    fn questions_that_make_no_sense_do_nothing() {
        let word = [7_u8; 8];
        let address = Span::of(&word).address() as u64;
        let stretch = |bytes: u64| [address.to_le_bytes(), bytes.to_le_bytes()].concat();
        for (kind, hold, bytes) in [
            (ASK_FOR_BYTES, 2, stretch(8)),
            (ASK_FOR_BYTES, 1, stretch(1 << 40)),
            (ASK_TO_STORE, 1, stretch(8)),
            (ASK_TO_STORE, u32::MAX, Vec::new()),
        ] {
            let mut answer = Frame { kind: ANSWER, ..Frame::default() };
            let asked = Frame { kind, hold, ..Frame::default() };
            assert!(serve(&asked, &bytes, &mut answer).is_empty());
        }
        assert_eq!(word, [7; 8]);
    }
}
