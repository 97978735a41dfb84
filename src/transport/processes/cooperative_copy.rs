//! The copy of a rendezvous between processes: the receiver reads a long message from the sender's
//! memory, and a sender that waits in the library writes to the receiver's at the same time.
//!
//! The receiver invites at the sender's segment. At most one thread of the sender's process comes.
//! The receiver takes pieces from the beginning, the sender from the end, until they meet. Only the
//! one of the two that dies amid a piece can keep the other waiting, and its death ends that wait.
//!
//! The sender takes from the invitation only where in the receiver's memory the message goes. What
//! it writes there, and to whom, is in its own record: no process can make it write anywhere else.

use crate::base::sync::cache::comes_soon;
use crate::host::memory::afar::{self, Missing};
use crate::host::memory::{Region, Span};
use crate::host::sched;
use crate::transport::cooperative_copy::{End, LONG, Pieces, piece_of};
use std::ptr;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

/// How often to look whether the sender has left before others may run.
const LOOKS: u32 = 100;

/// The lowest bits say how far an invitation is; above them is the number of the process that has
/// made it, plus one. Zero: there is none.
const STATE: u64 = 7;
/// The receiver writes down what it is about.
const PREPARED: u64 = 1;
const OPEN: u64 = 2;
/// A thread of the sender's process copies pieces.
const JOINED: u64 = 3;
/// It has left.
const LEFT: u64 = 4;
/// It has left, since memory was missing.
const FAILED: u64 = 5;
/// The receiver is dead; the thread of the sender's process clears up.
const ORPHANED: u64 = 6;

/// In the segment of each process: where receivers of its long messages ask it to help.
#[repr(C, align(64))]
pub(super) struct SharedInvitation {
    state: AtomicU64,
    /// Which message of the sender's it is.
    hold: AtomicU32,
    stamp: AtomicU32,
    /// Where it goes to in the receiver's memory.
    target: AtomicUsize,
    bytes: AtomicUsize,
    pieces: Pieces,
}

/// What a process has kept for another: the message with this hold and this stamp.
#[derive(Clone, Copy)]
pub(super) struct Claim {
    pub(super) process: usize,
    pub(super) hold: u32,
    pub(super) stamp: u32,
}

/// Such a message, for its sender.
pub(super) struct Kept {
    pub(super) source: Span,
    /// The receiver's process.
    pub(super) pid: i32,
}

/// A long message, for its receiver.
#[derive(Clone, Copy)]
pub(super) struct Long<'a> {
    /// By the number of the receiver's process.
    pub(super) claim: Claim,
    /// The sender's process.
    pub(super) pid: i32,
    /// In the sender's memory.
    pub(super) source: Span,
    pub(super) into: &'a Region,
}

impl Long<'_> {
    /// Reads so many bytes from an offset on.
    pub(super) fn read(self, start: usize, bytes: usize) -> Result<(), Missing> {
        let (from, into) = (self.source.part(start, bytes), self.into.part(start, bytes));
        afar::fetch(self.pid, &from.into(), &into)
    }

    fn read_all(self) -> Result<(), Missing> {
        self.read(0, self.into.bytes())
    }
}

impl SharedInvitation {
    /// Receives a message, with the help of its sender if that waits.
    pub(super) fn receive(
        &self, message: Long<'_>, is_sender_there: impl Fn() -> bool,
    ) -> Result<(), Missing> {
        let Some(into) = message.into.span().filter(|into| into.bytes() >= LONG) else {
            return message.read_all();
        };
        let by = owner(message.claim.process);
        if !self.invite(message.claim, into) {
            // Another receiver is at it.
            return message.read_all();
        }
        let piece = piece_of(into.bytes());
        let mut received = Ok(());
        while received.is_ok()
            && let Some(number) = self.pieces.take(End::Front, into.bytes().div_ceil(piece))
        {
            let start = number * piece;
            received = message.read(start, piece.min(into.bytes() - start));
        }
        if !self.change(by | OPEN, 0) {
            let state = || self.state.load(Ordering::Acquire) & STATE;
            while !comes_soon(LOOKS, || state() != JOINED) {
                if !is_sender_there() {
                    return Err(Missing::Process);
                }
                sched::yield_now();
            }
            let has_failed = state() == FAILED;
            self.state.store(0, Ordering::Release);
            if has_failed {
                // So that the receiver meets the fault, too, and can tell where.
                return message.read_all();
            }
        }
        received
    }

    fn invite(&self, claim: Claim, target: Span) -> bool {
        let by = owner(claim.process);
        if !self.change(0, by | PREPARED) {
            return false;
        }
        self.hold.store(claim.hold, Ordering::Relaxed);
        self.stamp.store(claim.stamp, Ordering::Relaxed);
        self.target.store(target.address(), Ordering::Relaxed);
        self.bytes.store(target.bytes(), Ordering::Relaxed);
        self.pieces.reset();
        self.state.store(by | OPEN, Ordering::Release);
        true
    }

    fn change(&self, from: u64, to: u64) -> bool {
        let (won, lost) = (Ordering::AcqRel, Ordering::Relaxed);
        self.state.compare_exchange(from, to, won, lost).is_ok()
    }

    /// Whether a receiver invites this process.
    #[inline]
    pub(super) fn is_open(&self) -> bool {
        self.state.load(Ordering::Relaxed) & STATE == OPEN
    }

    /// Helps the receiver that invites this process, for a thread that waits; false if there is
    /// none. `find` looks the message up among those that are kept for receivers.
    #[cold]
    pub(super) fn help(&self, find: impl FnOnce(Claim) -> Option<Kept>) -> bool {
        let open = self.state.load(Ordering::Relaxed);
        let joined = open & !STATE | JOINED;
        if open & STATE != OPEN || !self.change(open, joined) {
            return false;
        }
        let left = if self.copy_from_behind(find).is_ok() { LEFT } else { FAILED };
        if !self.change(joined, joined & !STATE | left) {
            // The receiver has died meanwhile.
            self.state.store(0, Ordering::Release);
        }
        true
    }

    fn copy_from_behind(&self, find: impl FnOnce(Claim) -> Option<Kept>) -> Result<(), Missing> {
        let process = (self.state.load(Ordering::Relaxed) >> STATE.count_ones()) as usize;
        let (hold, stamp) = (self.hold.load(Ordering::Relaxed), self.stamp.load(Ordering::Relaxed));
        let claim = Claim { process: process.wrapping_sub(1), hold, stamp };
        let bytes = self.bytes.load(Ordering::Relaxed);
        let kept = find(claim).filter(|kept| bytes <= kept.source.bytes());
        // Who asks for anything else copies alone.
        let Some(Kept { source, pid }) = kept else { return Ok(()) };
        let target = ptr::with_exposed_provenance(self.target.load(Ordering::Relaxed));
        let (source, target) = (source.part(0, bytes), Span::new(target, bytes));
        let piece = piece_of(bytes);
        while let Some(number) = self.pieces.take(End::Back, bytes.div_ceil(piece)) {
            let part = |all: Span| all.part(number * piece, piece.min(bytes - number * piece));
            afar::store(pid, &part(source).into(), &part(target).into())?;
        }
        Ok(())
    }

    /// That process has ended: an invitation of its is nobody's.
    pub(super) fn forget(&self, process: usize) {
        let by = owner(process);
        loop {
            let found = self.state.load(Ordering::Relaxed);
            let next = match found & STATE {
                _ if found & !STATE != by => return,
                ORPHANED => return,
                JOINED => by | ORPHANED,
                _ => 0,
            };
            if self.change(found, next) {
                return;
            }
        }
    }
}

fn owner(process: usize) -> u64 {
    (process as u64 + 1) << STATE.count_ones()
}

#[cfg(test)]
#[cfg_attr(miri, ignore = "Miri does not know the kernel's copies")]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;

    const CLAIM: Claim = Claim { process: 3, hold: 5, stamp: 8 };

    fn invitation() -> SharedInvitation {
        SharedInvitation {
            state: AtomicU64::new(0),
            hold: AtomicU32::new(0),
            stamp: AtomicU32::new(0),
            target: AtomicUsize::new(0),
            bytes: AtomicUsize::new(0),
            pieces: Pieces::default(),
        }
    }

    fn by(process: usize) -> Claim {
        Claim { process, ..CLAIM }
    }

    fn data(bytes: usize) -> Vec<u8> {
        (0..bytes).map(|index| (index * 7 / 3) as u8).collect()
    }

    fn here() -> i32 {
        std::process::id() as i32
    }

    /// Receives from a sender that is there as long as it helps, or from one that is not.
    fn receive(
        invitation: &SharedInvitation, source: Span, into: &mut [u8], is_there: bool,
    ) -> Result<(), Missing> {
        let into = &Span::of_mut(into).into();
        invitation.receive(Long { claim: CLAIM, pid: here(), source, into }, || is_there)
    }

    /// Does something while two threads of the sender's process help whenever they can.
    fn with_helpers(
        invitation: &SharedInvitation, find: impl Fn(Claim) -> Option<Kept> + Sync, work: impl Fn(),
    ) {
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while !is_over.load(Ordering::Relaxed) {
                        invitation.help(&find);
                    }
                });
            }
            work();
            is_over.store(true, Ordering::Relaxed);
        });
    }

    #[test]
    fn messages_are_whole_whether_or_not_somebody_helps() {
        let (invitation, from) = (invitation(), data(3_000_001));
        let lengths = [1, LONG - 1, LONG, LONG + 1, 9 * 32768 - 1, 1 << 20, from.len()];
        let all = || {
            for bytes in lengths.iter().cycle().take(70) {
                let (part, mut into) = (&from[..*bytes], vec![0; *bytes]);
                assert_eq!(receive(&invitation, Span::of(part), &mut into, true), Ok(()));
                assert!(into == part, "{bytes}");
                assert!(!invitation.is_open());
            }
        };
        all();
        let find = |claim: Claim| {
            assert_eq!((claim.process, claim.hold, claim.stamp), (3, 5, 8));
            Some(Kept { source: Span::of(&from), pid: here() })
        };
        with_helpers(&invitation, find, all);
        assert!(!invitation.help(find));
    }

    #[test]
    fn who_is_asked_for_what_it_does_not_send_there_writes_nothing() {
        let (invitation, from) = (invitation(), data(400_000));
        let mut into = vec![0; from.len()];
        for kept in [0, 1000, from.len() - 1] {
            let source = Span::of(&from[..kept]);
            assert!(invitation.invite(CLAIM, Span::of_mut(&mut into)));
            assert!(invitation.help(|_| (kept > 0).then_some(Kept { source, pid: here() })));
            assert!(into.iter().all(|byte| *byte == 0));
            invitation.state.store(0, Ordering::Relaxed);
        }
        with_helpers(
            &invitation,
            |_| None,
            || {
                let mut into = vec![0; from.len()];
                assert_eq!(receive(&invitation, Span::of(&from), &mut into, true), Ok(()));
                assert!(into == from);
            },
        );
    }

    #[test]
    fn missing_memory_is_told_by_whom_it_concerns() {
        crate::host::memory::expect_faults();
        let invitation = invitation();
        let nowhere = || Span::new(ptr::without_provenance(4096), 400_000);
        with_helpers(
            &invitation,
            |_| Some(Kept { source: nowhere(), pid: here() }),
            || {
                for _ in 0..50 {
                    let missing = receive(&invitation, nowhere(), &mut vec![0; 400_000], true);
                    assert_eq!(missing, Err(Missing::There(4096)));
                }
            },
        );
        assert!(invitation.invite(by(0), nowhere()));
    }

    #[test]
    fn a_sender_that_dies_with_a_piece_in_hand_keeps_nobody_waiting() {
        let (invitation, from) = (invitation(), data(400_000));
        let mut into = vec![0; from.len()];
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    let open = invitation.state.load(Ordering::Relaxed);
                    if open & STATE == OPEN && invitation.change(open, open & !STATE | JOINED) {
                        return;
                    }
                }
            });
            // It joins at last, since it only comes late where the receiver has been quick.
            let received =
                (0..).find_map(|_| receive(&invitation, Span::of(&from), &mut into, false).err());
            is_over.store(true, Ordering::Relaxed);
            assert_eq!(received, Some(Missing::Process));
        });
    }

    #[test]
    fn a_receiver_that_dies_leaves_the_place_to_others() {
        let (invitation, from) = (invitation(), data(400_000));
        let mut into = vec![0; from.len()];
        let (source, target) = (Span::of(&from), Span::of_mut(&mut into));
        let invites = |process| invitation.invite(by(process), target);
        let helps = || invitation.help(|_| Some(Kept { source, pid: here() }));
        // It helps in vain.
        assert!(invites(5) && helps() && !helps());
        invitation.forget(4);
        assert!(!invites(6));
        invitation.forget(5);
        assert!(invites(6) && invitation.is_open());
        invitation.forget(6);
        assert!(!invitation.is_open() && invites(7));
        // While it helps.
        assert!(invitation.change(owner(7) | OPEN, owner(7) | JOINED));
        invitation.forget(7);
        assert!(!invites(8));
        assert!(!invitation.change(owner(7) | JOINED, owner(7) | LEFT));
    }
}
