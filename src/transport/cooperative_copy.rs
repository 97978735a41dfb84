//! The copy of a rendezvous: a long message goes once, straight from the sender's buffer to the
//! receiver's, and the sender's thread helps while it waits.
//!
//! The receiver invites by leaving a pointer to the copies at the sender's port. At most one thread
//! takes it. From then on each copies pieces from its own end, the receiver from the beginning,
//! until they meet: memory that is used again and again stays in one core's cache. The state they
//! share is on the receiver's stack: it goes when no helper can come any more, or when the one that
//! came has left.

use crate::base::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};
use crate::base::sync::cache::comes_soon;
use crate::host::memory::{self, Fault, Region};
use crate::host::sched;
use std::ptr;
use std::sync::OnceLock;

/// From how many bytes on it is worth while to invite.
pub const LONG: usize = 32 << 10;
/// In how many pieces a copy falls: short enough that nobody waits long for the other's last one,
/// and not so many that the two have to hear of each other all the time. Of several copies each
/// needs fewer: who is first at the end of one begins with the next.
const PIECES: usize = 4;
const PIECES_OF_SEVERAL: usize = 2;
const SHORTEST_PIECE: usize = 16 << 10;
const LONGEST_PIECE: usize = 128 << 10;
/// How often to look whether the helper has left before others may run.
const LOOKS: u32 = 100;

/// The end from which a thread takes pieces.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Front,
    Back,
}

/// How many pieces are taken from the beginning; and from the end, in the upper half.
#[derive(Default)]
pub(super) struct Pieces(AtomicU64);

impl Pieces {
    /// All are there again.
    pub(super) fn reset(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    /// The number of a piece that no other thread has, out of so many.
    pub(super) fn take(&self, end: End, pieces: usize) -> Option<usize> {
        let (relaxed, pieces) = (Ordering::Relaxed, pieces as u64);
        let one = |taken: u64| {
            let (front, back) = (taken & u64::from(u32::MAX), taken >> 32);
            let one = if end == End::Front { 1 } else { 1 << 32 };
            (front + back < pieces).then_some(taken + one)
        };
        let taken = self.0.fetch_update(relaxed, relaxed, one).ok()?;
        let number = match end {
            End::Front => taken & u64::from(u32::MAX),
            End::Back => pieces - 1 - (taken >> 32),
        };
        Some(number as usize)
    }
}

/// How long the pieces are in which a message of so many bytes is copied.
pub(super) fn piece_of(bytes: usize) -> usize {
    piece(bytes, PIECES)
}

fn piece(bytes: usize, pieces: usize) -> usize {
    (bytes / pieces).clamp(SHORTEST_PIECE, LONGEST_PIECE).next_multiple_of(4096)
}

/// The first `bytes` of `source` go to `target`.
pub(super) struct Errand {
    source: Region,
    target: Region,
    bytes: usize,
    fault: OnceLock<Fault>,
    pieces: Pieces,
}

impl Errand {
    pub(super) fn new(source: Region, target: Region) -> Errand {
        let bytes = source.bytes().min(target.bytes());
        Errand { source, target, bytes, fault: OnceLock::new(), pieces: Pieces::default() }
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// How it went.
    pub(super) fn outcome(self) -> Result<(), Fault> {
        self.fault.into_inner().map_or(Ok(()), Err)
    }

    /// Runs it here.
    pub(super) fn run_alone(&self) {
        self.copy(0, self.bytes);
    }

    /// Copies pieces until there are none, or one has met a fault.
    fn run(&self, end: End, pieces: usize) {
        let piece = piece(self.bytes, pieces);
        while self.fault.get().is_none()
            && let Some(number) = self.pieces.take(end, self.bytes.div_ceil(piece))
        {
            self.copy(number * piece, piece);
        }
    }

    fn copy(&self, start: usize, bytes: usize) {
        let bytes = bytes.min(self.bytes - start);
        let (from, to) = (self.source.part(start, bytes), self.target.part(start, bytes));
        if let Err(fault) = memory::transfer_start(&from, &to, bytes) {
            self.fault.get_or_init(|| fault);
        }
    }
}

struct CooperativeCopy<'a> {
    errands: &'a [Errand],
    /// The helper's last touch.
    has_left: AtomicBool,
}

impl CooperativeCopy<'_> {
    /// Does what there is to do of one errand after the other.
    fn work(&self, end: End) {
        let pieces = if self.errands.len() > 1 { PIECES_OF_SEVERAL } else { PIECES };
        self.errands.iter().for_each(|errand| errand.run(end, pieces));
    }
}

/// Where a copy waits for a helper.
#[derive(Default)]
pub(super) struct Invitation(AtomicPtr<CooperativeCopy<'static>>);

impl Invitation {
    /// Runs the errands, together with the threads that come.
    pub(super) fn run(&self, errands: &[Errand]) {
        let joint = CooperativeCopy { errands, has_left: AtomicBool::new(false) };
        let own = ptr::from_ref(&joint).cast_mut().cast::<CooperativeCopy<'static>>();
        let (nobody, relaxed) = (ptr::null_mut(), Ordering::Relaxed);
        // Another rank may have invited this one already: then the caller copies alone.
        let is_out = self.0.compare_exchange(nobody, own, Ordering::Release, relaxed).is_ok();
        joint.work(End::Front);
        if is_out && self.0.compare_exchange(own, nobody, relaxed, relaxed).is_err() {
            while !comes_soon(LOOKS, || joint.has_left.load(Ordering::Acquire)) {
                sched::yield_now();
            }
        }
    }

    /// Helps with a copy to which this rank is invited; false if there is none.
    #[inline]
    pub(super) fn accept(&self) -> bool {
        self.is_out() && self.help()
    }

    /// Whether there is an invitation right now.
    #[inline]
    pub(super) fn is_out(&self) -> bool {
        !self.0.load(Ordering::Relaxed).is_null()
    }

    #[cold]
    fn help(&self) -> bool {
        let joint = self.0.swap(ptr::null_mut(), Ordering::Acquire);
        // SAFETY: a rank that finds its invitation taken waits for `has_left` before the copy goes.
        let Some(joint) = (unsafe { joint.as_ref() }) else { return false };
        joint.work(End::Back);
        joint.has_left.store(true, Ordering::Release);
        true
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::base::layout::Layout;
    use crate::host::memory::Span;
    use std::sync::Arc;

    /// Runs errands of these lengths while two look for invitations, and tells what has come.
    fn run(invitation: &Invitation, data: &[u8], lengths: &[usize]) -> Vec<Vec<u8>> {
        let mut into: Vec<Vec<u8>> = lengths.iter().map(|bytes| vec![0; *bytes]).collect();
        let errand =
            |room: &mut Vec<u8>| Errand::new(Span::of(data).into(), Span::of_mut(room).into());
        let errands: Vec<Errand> = into.iter_mut().map(errand).collect();
        invitation.run(&errands);
        errands.into_iter().for_each(|errand| assert_eq!(errand.outcome(), Ok(())));
        into
    }

    #[test]
    fn copies_are_whole_however_many_there_are_and_help() {
        let invitation = Invitation::default();
        let is_over = AtomicBool::new(false);
        let most = if cfg!(miri) { 60_000 } else { 3_000_000 };
        let data: Vec<u8> = (0..most).map(|index| (index * 7 / 3) as u8).collect();
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while !is_over.load(Ordering::Relaxed) {
                        invitation.accept();
                    }
                });
            }
            for round in 0..30 {
                let bytes = most * (round + 1) / 30;
                let lengths = [bytes, bytes / 7, 0, bytes / 3, 1];
                let lengths = &lengths[..1 + round % 5];
                for (came, bytes) in run(&invitation, &data, lengths).iter().zip(lengths) {
                    assert!(*came == data[..*bytes], "{bytes} of {lengths:?}");
                }
            }
            is_over.store(true, Ordering::Relaxed);
        });
    }

    #[test]
    fn scattered_memory_is_shared_out_as_well() {
        let invitation = Invitation::default();
        let count = 10_000;
        let pair = Layout::basic(&[(0, 8)], 8, 8).vector(count, 1, 16).expect("small");
        let bytes = pair.size() as usize;
        let data: Vec<u8> = (0..2 * bytes).map(|index| (index / 5) as u8).collect();
        let source = Region::new(Span::of(&data).address(), bytes, Arc::new(pair));
        let mut into = vec![0; bytes];
        let errand = Errand::new(source, Span::of_mut(&mut into).into());
        invitation.run(std::slice::from_ref(&errand));
        assert_eq!(errand.outcome(), Ok(()));
        let expected = data.chunks(16).flat_map(|pair| &pair[..8]).copied();
        assert!(into.into_iter().eq(expected));
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no signals")]
    fn who_meets_a_fault_holds_nobody_else_up() {
        memory::expect_faults();
        let data = vec![7; 200_000];
        let mut into = vec![0; 200_000];
        let nowhere = Span::new(ptr::without_provenance(64), 200_000);
        let bad = Errand::new(nowhere.into(), Span::of_mut(&mut into.clone()).into());
        let good = Errand::new(Span::of(&data).into(), Span::of_mut(&mut into).into());
        let errands = [bad, good];
        Invitation::default().run(&errands);
        let [bad, good] = errands.map(Errand::outcome);
        assert!(bad.is_err_and(|fault| fault.in_source));
        assert_eq!(good, Ok(()));
        assert_eq!(into, data);
    }
}
