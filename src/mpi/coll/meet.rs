//! How members learn that others have come, or have shown what they have.

use super::members::{Members, Wait};
use crate::engine::{Gate, Mark};
use crate::mpi::error::Result;

impl<W: Wait> Members<'_, '_, W> {
    /// All members meet. Few members each look at what the others have shown; otherwise the last
    /// member to arrive runs `finish` before the others continue.
    #[inline(always)]
    pub(super) fn all(&self, finish: impl FnOnce()) -> impl Future<Output = Result> + Send {
        self.until_any(match self.is_small() {
            true => {
                let mark = self.mark();
                self.round().line(self.me()).show(self.turn(), mark);
                W::ring_few(self);
                Some(Gate::AllShown { mark })
            }
            false => self.arrive(finish),
        })
    }

    /// All members meet; the last member to arrive runs `finish` before the others continue.
    #[inline]
    pub(super) fn all_behind(&self, finish: impl FnOnce()) -> impl Future<Output = Result> + Send {
        self.until_any(self.arrive(finish))
    }

    #[inline(always)]
    pub(super) fn arrive(&self, finish: impl FnOnce()) -> Option<Gate> {
        let as_whom = W::counts_as(self.meeting(), self.me());
        if !self.round().arrivals.arrive(self.turn(), as_whom) {
            return Some(Gate::Done);
        }
        W::settle(self);
        if !W::hears_others(self) {
            return Some(Gate::Done);
        }
        finish();
        self.round().finish(self.turn());
        W::open(self, Gate::Done);
        None
    }

    /// All members arrive before any continues; what they point at stays there until
    /// [`Members::end_reading`]. On failure no member reads it.
    pub(super) async fn all_there(&self) -> Result {
        let mut gate = Some(Gate::Full);
        if self.round().arrivals.arrive(self.turn(), self.me()) {
            W::settle(self);
            W::open(self, Gate::Full);
            gate = None;
        }
        match self.until_any(gate).await {
            Err(failure) if !failure.is_death() && !self.round().arrivals.abandon(self.turn()) => {
                // All members have arrived after all, and may read.
                Ok(())
            }
            outcome => outcome,
        }
    }

    /// Tells `root` that a copy of what this member has is published; `root` waits for all of them.
    #[inline(always)]
    pub(super) fn all_at(&self, root: usize) -> impl Future<Output = Result> + Send {
        self.until_any(match self.is_small() {
            true if root == self.me() => {
                self.round().line(self.me()).show_here(self.turn());
                Some(Gate::AllShown { mark: Mark::NONE })
            }
            true => {
                self.round().line(self.me()).show(self.turn(), Mark::NONE);
                self.tell_root(root, true, Gate::AllShown { mark: Mark::NONE })
            }
            false => self.arrive_at(root),
        })
    }

    /// Tells the member at `root` that this member has arrived; the root waits for all.
    #[inline(always)]
    pub(super) fn come_to(&self, root: usize) -> impl Future<Output = Result> + Send {
        self.until_any(self.arrive_at(root))
    }

    #[inline(always)]
    fn arrive_at(&self, root: usize) -> Option<Gate> {
        let is_last = self.round().arrivals.arrive(self.turn(), self.me());
        self.tell_root(root, is_last, Gate::Full)
    }

    #[inline(always)]
    fn tell_root(&self, root: usize, is_news: bool, gate: Gate) -> Option<Gate> {
        if root == self.me() {
            return Some(gate);
        }
        if is_news {
            W::ring_one(self, root);
        }
        None
    }

    /// Shows what this member has to all others, which may arrive later.
    #[inline(always)]
    pub(super) fn show(&self) -> Result {
        self.round().line(self.me()).show(self.turn(), Mark::NONE);
        W::open(self, Gate::Shown { place: self.me() });
        self.step()
    }

    /// Waits until the member at `root` has shown what it has.
    #[inline(always)]
    pub(super) fn shown_by(&self, root: usize) -> impl Future<Output = Result> + Send {
        self.until(Gate::Shown { place: root })
    }

    /// Waits until the member at `previous` has passed on what it published for this member alone.
    #[inline(always)]
    pub(super) fn passed_by(&self, previous: usize) -> impl Future<Output = Result> + Send {
        self.until(Gate::Passed { place: previous })
    }

    /// Passes on what this member has to the next one, if there is one.
    #[inline]
    pub(super) fn pass(&self) -> Result {
        self.round().line(self.me()).show(self.turn(), Mark::NONE);
        W::pass(self);
        self.step()
    }
}
