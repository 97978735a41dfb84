//! Long copies that two make: the receiver, and whoever waits at the sender's port meanwhile.
//!
//! The receiver invites by leaving a pointer to the copy at the port. One thread at most takes it,
//! and from then on both take pieces until there are none. The copy lies on the receiver's stack: it
//! goes when nobody can come any more, or when the one who came has left.

use crate::base::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use crate::host::memory::{self, Fault, Region};
use crate::host::sched;
use std::ptr;
use std::sync::OnceLock;

/// From how many bytes on it is worth while to invite.
pub(super) const LONG: usize = 32 << 10;
/// How long the pieces are: short enough that nobody waits long for the other's last one.
const FEWEST_PIECES: usize = 8;
const SHORTEST_PIECE: usize = 8 << 10;
const LONGEST_PIECE: usize = 128 << 10;
/// How often to look whether the helper has left before others may run.
const LOOKS: u32 = 1000;

struct Joint<'a> {
    source: &'a Region,
    target: &'a Region,
    bytes: usize,
    piece: usize,
    /// Where the next piece begins; from `bytes` on there is none.
    next: AtomicUsize,
    fault: OnceLock<Fault>,
    /// The helper's last touch.
    has_left: AtomicBool,
}

impl Joint<'_> {
    /// Copies pieces until there are none, or one has met a fault.
    fn work(&self) {
        loop {
            let start = self.next.fetch_add(self.piece, Ordering::Relaxed);
            if start >= self.bytes {
                return;
            }
            let length = self.piece.min(self.bytes - start);
            let (from, to) = (self.source.part(start, length), self.target.part(start, length));
            if let Err(fault) = memory::transfer(&from, &to) {
                self.fault.get_or_init(|| fault);
                self.next.store(self.bytes, Ordering::Relaxed);
                return;
            }
        }
    }
}

/// Where a copy waits for a helper.
#[derive(Default)]
pub(super) struct Invitation(AtomicPtr<Joint<'static>>);

impl Invitation {
    /// Copies the first `bytes` of `source` to `target`, together with whoever comes.
    pub(super) fn copy(&self, source: &Region, target: &Region, bytes: usize) -> Result<(), Fault> {
        let piece = (bytes / FEWEST_PIECES).clamp(SHORTEST_PIECE, LONGEST_PIECE);
        let joint = Joint {
            source,
            target,
            bytes,
            piece: piece.next_multiple_of(4096),
            next: AtomicUsize::new(0),
            fault: OnceLock::new(),
            has_left: AtomicBool::new(false),
        };
        let own = ptr::from_ref(&joint).cast_mut().cast::<Joint<'static>>();
        let (nobody, relaxed) = (ptr::null_mut(), Ordering::Relaxed);
        // Somebody else may have invited the same rank: then this one copies alone.
        let is_out = self.0.compare_exchange(nobody, own, Ordering::Release, relaxed).is_ok();
        joint.work();
        if is_out && self.0.compare_exchange(own, nobody, relaxed, relaxed).is_err() {
            let has_left = || joint.has_left.load(Ordering::Acquire);
            while !(0..LOOKS).any(|_| has_left()) {
                sched::yield_now();
            }
        }
        joint.fault.into_inner().map_or(Ok(()), Err)
    }

    /// Helps with the copy that somebody invites to, if there is one; false: there is none.
    #[inline]
    pub(super) fn accept(&self) -> bool {
        !self.0.load(Ordering::Relaxed).is_null() && self.help()
    }

    #[cold]
    fn help(&self) -> bool {
        let joint = self.0.swap(ptr::null_mut(), Ordering::Acquire);
        // SAFETY: whoever finds its invitation taken waits for `has_left` before the copy goes.
        let Some(joint) = (unsafe { joint.as_ref() }) else { return false };
        joint.work();
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

    #[test]
    fn a_copy_is_whole_however_many_help() {
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
                let mut into = vec![0; bytes];
                let target = Span::of_mut(&mut into).into();
                let copied = invitation.copy(&Span::of(&data).into(), &target, bytes);
                assert_eq!(copied, Ok(()));
                assert!(into == data[..bytes], "{bytes} bytes");
            }
            is_over.store(true, Ordering::Relaxed);
        });
    }

    #[test]
    fn scattered_memory_is_shared_out_as_well() {
        let invitation = Invitation::default();
        let count = 10_000;
        let pair = Layout::basic(&[(0, 8)], 8, 8).vector(count, 1, 2).expect("small");
        let bytes = pair.size() as usize;
        let data: Vec<u8> = (0..2 * bytes).map(|index| (index / 5) as u8).collect();
        let source = Region::new(Span::of(&data).address(), bytes, Arc::new(pair));
        let mut into = vec![0; bytes];
        let copied = invitation.copy(&source, &Span::of_mut(&mut into).into(), bytes);
        assert_eq!(copied, Ok(()));
        let expected = data.chunks(16).flat_map(|pair| &pair[..8]).copied();
        assert!(into.into_iter().eq(expected));
    }
}
