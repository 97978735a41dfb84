//! The epochs of one process at one window: which calls are allowed when (MPI-5.0 §12.5). Pure
//! state; who waits for whom is not known here.
//!
//! | access epoch | begins           | ends       | targets                                      |
//! |--------------|------------------|------------|----------------------------------------------|
//! | `Fence`      | fence            | fence      | all; not begun before the first access       |
//! | `Start`      | start            | complete   | those of the group                           |
//! | `Locks`      | lock             | unlock     | each for itself                              |
//! | `All`        | lock_all         | unlock_all | all; each is locked when it is first accessed |
//!
//! `reach` and `marks` say the same in a form that an access can look at without a lock.

use crate::base::sync::biased::Biased;
use crate::mpi::comm::group::Group;
use crate::mpi::error::{Class, Failure, Result};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};

/// The processes that one opens an epoch with.
#[derive(Clone)]
pub struct Partners {
    pub ranks: Arc<[i32]>,
    pub group: Arc<Group>,
}

/// The epoch in which this process may access others.
enum Access {
    Nothing,
    /// Between two fences; whether something was accessed is in `reach`.
    Fence,
    Start(Partners),
    /// How many targets are locked; which, the marks say.
    Locks(usize),
    /// The locks that have been taken so far. `None`: no other process locks.
    All(Option<Vec<i32>>),
}

struct Open {
    access: Access,
    exposure: Option<Partners>,
}

const NOTHING: u8 = 0;
/// After a fence, before the first access.
const IDLE: u8 = 1;
const FENCE: u8 = 2;
const STARTED: u8 = 3;
const LOCKS: u8 = 4;
/// All targets, each once it is locked.
const LAZILY: u8 = 5;
const EVERYWHERE: u8 = 6;

/// What is known of one target.
const CLOSED: u8 = 0;
const PARTNER: u8 = 1;
/// Locked without an entry in the target's lock, as the program vouches for the others.
const UNCHECKED: u8 = 2;
const LOCKED: u8 = 3;

/// The epochs of one process at one window.
pub struct Epochs {
    reach: AtomicU8,
    marks: OnceLock<Box<[AtomicU8]>>,
    members: usize,
    /// Whether there were accesses since the last flush that a fence of the processor must order.
    has_stores: AtomicBool,
    open: Biased<Open>,
}

/// Whether a process may access a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    Yes,
    /// Once it has locked it, as part of locking all.
    Locking,
    No,
}

impl Epochs {
    pub fn new(members: usize) -> Epochs {
        Epochs {
            reach: AtomicU8::new(NOTHING),
            marks: OnceLock::new(),
            members,
            has_stores: AtomicBool::new(false),
            open: Biased::new(Open { access: Access::Nothing, exposure: None }),
        }
    }

    /// Whether the target may be accessed now.
    #[inline(always)]
    pub fn admits(&self, target: i32) -> bool {
        self.mark(target) != CLOSED || self.admits_all()
    }

    #[inline(always)]
    fn mark(&self, target: i32) -> u8 {
        let marks = self.marks.get().map_or(&[][..], |marks| marks);
        marks.get(target as usize).map_or(CLOSED, |mark| mark.load(Ordering::Relaxed))
    }

    fn admits_all(&self) -> bool {
        match self.reach.load(Ordering::Relaxed) {
            FENCE | EVERYWHERE => true,
            IDLE => {
                self.reach.store(FENCE, Ordering::Relaxed);
                true
            }
            _ => false,
        }
    }

    /// Something is accessed that only a fence of the processor orders before what follows.
    #[inline(always)]
    pub fn note_stores(&self) {
        self.has_stores.store(true, Ordering::Relaxed);
    }

    /// Whether that was so. For a process with one thread, which then runs that fence.
    #[inline(always)]
    pub fn take_stores(&self) -> bool {
        let has_stores = self.has_stores.load(Ordering::Relaxed);
        if has_stores {
            self.has_stores.store(false, Ordering::Relaxed);
        }
        has_stores
    }

    /// How the target can be accessed.
    pub fn reach(&self, target: i32) -> Reach {
        match (self.admits(target), &self.open.lock().access) {
            (true, _) => Reach::Yes,
            (false, Access::All(Some(_))) => Reach::Locking,
            (false, _) => Reach::No,
        }
    }

    #[inline(always)]
    fn set_mark(&self, target: i32, mark: u8) {
        let marks = match self.marks.get() {
            Some(marks) => marks,
            None => self.new_marks(),
        };
        marks[target as usize].store(mark, Ordering::Relaxed);
    }

    #[cold]
    fn new_marks(&self) -> &[AtomicU8] {
        let new = || (0..self.members).map(|_| AtomicU8::new(CLOSED)).collect();
        self.marks.get_or_init(new)
    }

    #[inline(always)]
    fn set(&self, open: &mut Open, access: Access, reach: u8) {
        // What holds nothing needs not be dropped, and that takes time.
        match std::mem::replace(&mut open.access, access) {
            plain @ (Access::Nothing | Access::Fence | Access::Locks(_)) => std::mem::forget(plain),
            other => drop(other),
        }
        self.reach.store(reach, Ordering::Relaxed);
    }

    /// Whether no access epoch has begun.
    fn is_idle(&self, open: &Open) -> bool {
        match open.access {
            Access::Nothing => true,
            Access::Fence => self.reach.load(Ordering::Relaxed) == IDLE,
            _ => false,
        }
    }

    /// A fence is allowed now.
    pub fn may_fence(&self) -> Result {
        let open = self.open.lock();
        match (&open.access, &open.exposure) {
            (Access::Nothing | Access::Fence, None) => Ok(()),
            (Access::Nothing | Access::Fence, Some(_)) => Err(wrong(POSTED)),
            (access, _) => Err(wrong(access.words())),
        }
    }

    /// A fence has ended one epoch, and perhaps begun another.
    pub fn fenced(&self, begins: bool) {
        let mut open = self.open.lock();
        match begins {
            true => self.set(&mut open, Access::Fence, IDLE),
            false => self.set(&mut open, Access::Nothing, NOTHING),
        }
    }

    fn must_be_idle(&self, open: &Open) -> Result {
        if self.is_idle(open) { Ok(()) } else { Err(wrong(open.access.words())) }
    }

    pub fn may_start(&self) -> Result {
        self.must_be_idle(&self.open.lock())
    }

    /// The process may access its partners from now on.
    pub fn started(&self, partners: Partners) -> Result {
        let mut open = self.open.lock();
        self.must_be_idle(&open)?;
        let ranks = partners.ranks.clone();
        self.set(&mut open, Access::Start(partners), STARTED);
        ranks.iter().for_each(|rank| self.set_mark(*rank, PARTNER));
        Ok(())
    }

    /// Ends the epoch that start began.
    pub fn complete(&self) -> Result<Partners> {
        let mut open = self.open.lock();
        let Access::Start(partners) = &open.access else {
            return Err(wrong("MPI_Win_start has begun no epoch"));
        };
        let partners = partners.clone();
        partners.ranks.iter().for_each(|rank| self.set_mark(*rank, CLOSED));
        self.set(&mut open, Access::Nothing, NOTHING);
        Ok(partners)
    }

    /// Exposes the own memory to partners.
    pub fn post(&self, partners: Partners) -> Result {
        let mut open = self.open.lock();
        if open.exposure.is_some() {
            return Err(wrong(POSTED));
        }
        if matches!(open.access, Access::Fence) && !self.is_idle(&open) {
            return Err(wrong(open.access.words()));
        }
        open.exposure = Some(partners);
        Ok(())
    }

    /// Those to whom the own memory is exposed.
    pub fn exposure(&self) -> Result<Partners> {
        let open = self.open.lock();
        open.exposure.clone().ok_or_else(|| wrong("MPI_Win_post has begun no epoch"))
    }

    pub fn unexpose(&self) {
        self.open.lock().exposure = None;
    }

    /// A target is to be locked.
    pub fn may_lock(&self, target: i32) -> Result {
        let open = self.open.lock();
        match open.access {
            Access::Locks(_) if self.mark(target) == CLOSED => Ok(()),
            Access::Locks(_) => Err(wrong(format!("rank {target} is locked already"))),
            _ => self.must_be_idle(&open),
        }
    }

    /// Whether this process holds locks that others can wait for.
    pub fn has_locks(&self) -> bool {
        let is_locked = |mark: &AtomicU8| mark.load(Ordering::Relaxed) == LOCKED;
        match &self.open.lock().access {
            Access::Locks(_) => self.marks.get().is_some_and(|marks| marks.iter().any(is_locked)),
            Access::All(Some(taken)) => !taken.is_empty(),
            _ => false,
        }
    }

    /// The target is locked; it has an entry in the target's lock, or needs none.
    pub fn locked(&self, target: i32, has_entry: bool) {
        self.count_lock(&mut self.open.lock(), target, has_entry);
    }

    #[inline(always)]
    fn count_lock(&self, open: &mut Open, target: i32, has_entry: bool) {
        match &mut open.access {
            Access::Locks(count) => *count += 1,
            _ => self.set(open, Access::Locks(1), LOCKS),
        }
        self.set_mark(target, if has_entry { LOCKED } else { UNCHECKED });
    }

    /// Locks a target by `take`, if that may be and succeeds at once; false: nothing has happened.
    #[inline(always)]
    pub fn lock_at_once(&self, target: i32, take: impl FnOnce() -> bool) -> bool {
        let Some(mut open) = self.open.own() else { return false };
        let may_lock = match open.access {
            Access::Locks(_) => self.mark(target) == CLOSED,
            _ => self.is_idle(&open),
        };
        let is_locked = may_lock && take();
        if is_locked {
            self.count_lock(&mut open, target, true);
        }
        is_locked
    }

    /// Ends the epoch at one target; whether it has an entry in the target's lock.
    pub fn unlock(&self, target: i32) -> Result<bool> {
        let mut open = self.open.lock();
        let mark = match open.access {
            Access::Locks(_) => self.mark(target),
            _ => CLOSED,
        };
        if mark == CLOSED {
            return Err(wrong(format!("rank {target} is not locked")));
        }
        self.discount_lock(&mut open, target);
        Ok(mark == LOCKED)
    }

    #[inline(always)]
    fn discount_lock(&self, open: &mut Open, target: i32) {
        self.set_mark(target, CLOSED);
        match &mut open.access {
            Access::Locks(count) if *count > 1 => *count -= 1,
            _ => self.set(open, Access::Nothing, NOTHING),
        }
    }

    /// Unlocks a target by `give_up`, if it has an entry in the target's lock and that is done at
    /// once; false: nothing has happened.
    #[inline(always)]
    pub fn unlock_at_once(&self, target: i32, give_up: impl FnOnce() -> bool) -> bool {
        let Some(mut open) = self.open.own() else { return false };
        let is_locked = matches!(open.access, Access::Locks(_)) && self.mark(target) == LOCKED;
        let is_unlocked = is_locked && give_up();
        if is_unlocked {
            self.discount_lock(&mut open, target);
        }
        is_unlocked
    }

    /// Begins an epoch at all targets, which are locked one by one, or need no locks.
    pub fn lock_all(&self, is_checked: bool) -> Result {
        let mut open = self.open.lock();
        self.must_be_idle(&open)?;
        match is_checked {
            true => self.set(&mut open, Access::All(Some(Vec::new())), LAZILY),
            false => self.set(&mut open, Access::All(None), EVERYWHERE),
        }
        Ok(())
    }

    /// One of all targets has been locked.
    pub fn locked_of_all(&self, target: i32) {
        let mut open = self.open.lock();
        if let Access::All(Some(taken)) = &mut open.access {
            taken.push(target);
            self.set_mark(target, LOCKED);
        }
    }

    /// Ends the epoch at all targets; returns those that were locked.
    pub fn unlock_all(&self) -> Result<Vec<i32>> {
        let mut open = self.open.lock();
        let Access::All(taken) = &mut open.access else {
            return Err(wrong("MPI_Win_lock_all has begun no epoch"));
        };
        let taken = taken.take().unwrap_or_default();
        taken.iter().for_each(|rank| self.set_mark(*rank, CLOSED));
        self.set(&mut open, Access::Nothing, NOTHING);
        Ok(taken)
    }

    /// Whether a passive epoch is open at `target`, or at any if that is `None`.
    #[inline(always)]
    pub fn is_passive(&self, target: Option<i32>) -> bool {
        match (self.reach.load(Ordering::Relaxed), target) {
            (LOCKS, Some(target)) => self.mark(target) != CLOSED,
            (reach, _) => reach >= LOCKS,
        }
    }

    /// Fails outside of a passive epoch at `target`, if that is one, else at any.
    pub fn must_be_passive(&self, target: Option<i32>) -> Result {
        match (&self.open.lock().access, target) {
            (Access::All(_), _) | (Access::Locks(_), None) => Ok(()),
            (Access::Locks(_), Some(target)) if self.mark(target) != CLOSED => Ok(()),
            (Access::Locks(_), Some(target)) => Err(wrong(format!("rank {target} is not locked"))),
            _ => Err(wrong("neither MPI_Win_lock nor MPI_Win_lock_all has begun an epoch")),
        }
    }

    /// Fails while an epoch is open, which a fence alone does not begin.
    pub fn must_be_closed(&self) -> Result {
        let open = self.open.lock();
        match (&open.access, &open.exposure) {
            (Access::Nothing | Access::Fence, None) => Ok(()),
            (_, Some(_)) => Err(wrong(POSTED)),
            (access, None) => Err(wrong(access.words())),
        }
    }

    /// Fails if this rank has begun to lock, and has not unlocked since.
    pub fn must_hold_no_locks(&self) -> Result {
        match &self.open.lock().access {
            access @ (Access::Locks(_) | Access::All(_)) => Err(wrong(access.words())),
            Access::Nothing | Access::Fence | Access::Start(_) => Ok(()),
        }
    }
}

const POSTED: &str = "the epoch that MPI_Win_post has begun has not ended";

impl Access {
    fn words(&self) -> &'static str {
        match self {
            Access::Nothing => "there is no epoch",
            Access::Fence => "the epoch that MPI_Win_fence has begun has not ended",
            Access::Start(_) => "the epoch that MPI_Win_start has begun has not ended",
            Access::Locks(_) => "the epoch that MPI_Win_lock has begun has not ended",
            Access::All(_) => "the epoch that MPI_Win_lock_all has begun has not ended",
        }
    }
}

#[cold]
fn wrong(words: impl Into<std::borrow::Cow<'static, str>>) -> Failure {
    Class::RMA_SYNC.because(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Member;

    fn partners(ranks: &[i32]) -> Partners {
        let me = Member { seat: 0, incarnation: 0 };
        let member = |rank: &i32| Member { seat: *rank as usize, incarnation: 0 };
        let group = Arc::new(Group::of(ranks.iter().map(member).collect(), me));
        Partners { ranks: ranks.into(), group }
    }

    #[test]
    fn a_fence_opens_an_epoch_once_it_is_used() {
        let epochs = Epochs::new(3);
        assert_eq!(epochs.reach(1), Reach::No);
        epochs.fenced(true);
        assert!(epochs.may_lock(1).is_ok() && epochs.may_start().is_ok());
        assert!(epochs.admits(1));
        assert!(epochs.may_lock(1).is_err() && epochs.may_start().is_err());
        assert!(epochs.may_fence().is_ok());
        epochs.fenced(false);
        assert_eq!(epochs.reach(1), Reach::No);
    }

    #[test]
    fn only_partners_are_reached_after_start() {
        let epochs = Epochs::new(3);
        assert!(epochs.complete().is_err());
        assert!(epochs.started(partners(&[0, 2])).is_ok());
        assert_eq!([0, 1, 2].map(|rank| epochs.admits(rank)), [true, false, true]);
        assert!(epochs.may_fence().is_err() && epochs.lock_all(true).is_err());
        assert!(epochs.complete().is_ok());
        assert_eq!(epochs.reach(0), Reach::No);
    }

    #[test]
    fn each_lock_is_an_epoch_of_its_own() {
        let epochs = Epochs::new(3);
        epochs.locked(1, true);
        epochs.locked(2, false);
        assert!(epochs.may_lock(1).is_err() && epochs.may_lock(0).is_ok());
        assert!(
            epochs.must_be_passive(Some(1)).is_ok() && epochs.must_be_passive(Some(0)).is_err()
        );
        assert_eq!(epochs.unlock(1).ok(), Some(true));
        assert_eq!((epochs.reach(1), epochs.reach(2)), (Reach::No, Reach::Yes));
        assert!(epochs.must_be_closed().is_err());
        assert_eq!(epochs.unlock(2).ok(), Some(false));
        assert!(epochs.unlock(2).is_err() && epochs.must_be_closed().is_ok());
    }

    #[test]
    fn all_targets_are_locked_one_by_one() {
        let epochs = Epochs::new(3);
        assert!(epochs.lock_all(true).is_ok());
        assert_eq!(epochs.reach(2), Reach::Locking);
        epochs.locked_of_all(2);
        assert_eq!((epochs.reach(2), epochs.reach(1)), (Reach::Yes, Reach::Locking));
        assert_eq!(epochs.unlock_all().ok(), Some(vec![2]));
        assert_eq!(epochs.reach(2), Reach::No);
        assert!(epochs.lock_all(false).is_ok() && epochs.admits(1));
    }

    #[test]
    fn memory_is_exposed_to_one_group_at_a_time() {
        let epochs = Epochs::new(3);
        assert!(epochs.post(partners(&[1])).is_ok());
        assert!(epochs.post(partners(&[2])).is_err() && epochs.may_fence().is_err());
        assert!(epochs.exposure().is_ok_and(|partners| *partners.ranks == [1]));
        epochs.unexpose();
        assert!(epochs.exposure().is_err());
    }
}
