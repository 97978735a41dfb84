//! A biased lock: it costs no atomic exchange as long as only one thread uses it.
//!
//! The first thread to lock it owns it from then on: it only records that it is inside, and checks
//! that it is still the owner. A second thread that locks it revokes the ownership for good, and
//! all threads use the ordinary lock from then on. A thread that only visits ([`Biased::visit`],
//! [`Biased::try_visit`]) gives the ownership back.
//!
//! | `owner`     | meaning                       | to                                    |
//! |-------------|-------------------------------|---------------------------------------|
//! | `UNOWNED`   | not yet locked                | the first thread, or `SHARED`         |
//! | a thread    | it may enter without the lock | `SHARED`                              |
//! | `SHARED`    | all threads need the lock     | the former owner, by a visitor        |
//!
//! The owner writes `is_inside` and then reads `owner`; the thread that revokes the ownership
//! writes `owner` and then reads `is_inside`. The two fences in between ensure that one sees the
//! other. Where light fences do not exist, no thread becomes the owner.

use super::atomic::{AtomicBool, AtomicUsize, Ordering};
use super::fence;
use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};

const UNOWNED: usize = 0;
const SHARED: usize = 1;

/// A value that one thread at a time uses, usually always one thread.
pub struct Biased<T> {
    owner: AtomicUsize,
    is_inside: AtomicBool,
    lock: raw::Lock,
    value: UnsafeCell<T>,
}

// SAFETY: only one thread at a time accesses the value: see the protocol above.
unsafe impl<T: Send> Sync for Biased<T> {}
// SAFETY: the value moves along.
unsafe impl<T: Send> Send for Biased<T> {}

/// How a thread has entered, and so what it does when it leaves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Entry {
    AsOwner,
    Locked,
    /// Locked; the thread of this number gets the ownership back afterwards.
    Visiting(usize),
}

/// The value, while the thread has exclusive access.
pub struct Guard<'a, T> {
    of: &'a Biased<T>,
    entry: Entry,
    /// A guard stays with its thread.
    stays: std::marker::PhantomData<*const ()>,
}

/// The value, while its owner uses it.
pub struct Own<'a, T> {
    of: &'a Biased<T>,
    /// As with a [`Guard`].
    stays: std::marker::PhantomData<*const ()>,
}

impl<T: Default> Default for Biased<T> {
    fn default() -> Biased<T> {
        Biased::new(T::default())
    }
}

impl<T> Biased<T> {
    pub fn new(value: T) -> Biased<T> {
        Biased {
            owner: AtomicUsize::new(UNOWNED),
            is_inside: AtomicBool::new(false),
            lock: raw::Lock::new(),
            value: UnsafeCell::new(value),
        }
    }

    /// Waits until the calling thread has exclusive access to the value.
    #[inline(always)]
    pub fn lock(&self) -> Guard<'_, T> {
        let me = own_token();
        let is_in = self.owner.load(Ordering::Relaxed) == me && self.enter(me);
        self.guard(if is_in { Entry::AsOwner } else { self.lock_slowly(me) })
    }

    /// The value, if no thread uses it, the calling one included.
    #[inline]
    pub fn try_lock(&self) -> Option<Guard<'_, T>> {
        let me = own_token();
        if self.owner.load(Ordering::Relaxed) != me {
            return self.try_lock_slowly(me);
        }
        let is_in = !self.is_inside.load(Ordering::Relaxed) && self.enter(me);
        is_in.then(|| self.guard(Entry::AsOwner))
    }

    #[inline(never)]
    fn try_lock_slowly(&self, me: usize) -> Option<Guard<'_, T>> {
        if self.becomes_owner(me) {
            return Some(self.guard(Entry::AsOwner));
        }
        self.lock.try_lock().then(|| {
            self.revoke(me);
            self.guard(Entry::Locked)
        })
    }

    /// The value at once, if the calling thread is the owner.
    #[inline(always)]
    pub fn own(&self) -> Option<Own<'_, T>> {
        let me = own_token();
        let is_in = self.owner.load(Ordering::Relaxed) == me && self.enter(me);
        // Made only now: one that is dropped says that the owner has left.
        is_in.then(|| Own { of: self, stays: std::marker::PhantomData })
    }

    /// Whether the calling thread is the owner; it may have lost that by the time it enters.
    #[inline(always)]
    pub fn is_own(&self) -> bool {
        self.owner.load(Ordering::Relaxed) == own_token()
    }

    /// The owner's entry; false if it has lost the ownership meanwhile.
    #[inline(always)]
    fn enter(&self, me: usize) -> bool {
        assert!(!self.is_inside.load(Ordering::Relaxed), "whoever has a value does not ask for it");
        self.is_inside.store(true, Ordering::Relaxed);
        fence::feather();
        if self.owner.load(Ordering::Acquire) == me {
            return true;
        }
        self.is_inside.store(false, Ordering::Release);
        false
    }

    #[cold]
    #[inline(never)]
    fn lock_slowly(&self, me: usize) -> Entry {
        if self.becomes_owner(me) {
            return Entry::AsOwner;
        }
        self.lock.lock();
        self.revoke(me);
        Entry::Locked
    }

    /// Whether the calling thread becomes the owner, and is inside.
    fn becomes_owner(&self, me: usize) -> bool {
        let (won, lost) = (Ordering::AcqRel, Ordering::Acquire);
        let first = if fence::is_armed() { me } else { SHARED };
        let is_first = self.owner.compare_exchange(UNOWNED, first, won, lost).is_ok();
        is_first && first == me && self.enter(me)
    }

    /// All threads need the lock from now on, which the calling one has. The owner has left.
    fn revoke(&self, me: usize) {
        if ![me, SHARED].contains(&self.owner.load(Ordering::Relaxed)) {
            self.owner.store(SHARED, Ordering::Relaxed);
            fence::heavy();
            self.await_owner();
        }
    }

    fn await_owner(&self) {
        while self.is_inside.load(Ordering::Acquire) {
            raw::pause();
        }
    }

    /// Waits until the calling thread has exclusive access to the value. The owner does not change,
    /// so this is for threads that seldom come, and for the owner itself.
    pub fn visit(&self) -> Guard<'_, T> {
        let me = own_token();
        if self.owner.load(Ordering::Relaxed) == me && self.enter(me) {
            return self.guard(Entry::AsOwner);
        }
        self.lock.lock();
        let owner = self.owner.swap(SHARED, Ordering::AcqRel);
        if owner != SHARED {
            fence::heavy();
            self.await_owner();
        }
        self.guard(Entry::Visiting(owner))
    }

    /// The same if no thread uses the value, the calling one included.
    pub fn try_visit(&self) -> Option<Guard<'_, T>> {
        let me = own_token();
        if self.owner.load(Ordering::Relaxed) == me {
            let is_in = !self.is_inside.load(Ordering::Relaxed) && self.enter(me);
            return is_in.then(|| self.guard(Entry::AsOwner));
        }
        if !self.lock.try_lock() {
            return None;
        }
        let owner = self.owner.swap(SHARED, Ordering::AcqRel);
        let visit = self.guard(Entry::Visiting(owner));
        if owner != SHARED {
            fence::heavy();
        }
        let is_free = !self.is_inside.load(Ordering::Acquire);
        is_free.then_some(visit)
    }

    #[inline(always)]
    fn guard(&self, entry: Entry) -> Guard<'_, T> {
        Guard { of: self, entry, stays: std::marker::PhantomData }
    }
}

impl<T> Guard<'_, T> {
    /// Lets other threads use the value while `run` runs.
    #[inline]
    pub fn unlocked<R>(this: &mut Self, run: impl FnOnce() -> R) -> R {
        /// Enters again even if `run` panics, for the guard will leave.
        struct Back<'a, 'b, T>(&'a mut Guard<'b, T>);
        impl<T> Drop for Back<'_, '_, T> {
            #[inline]
            fn drop(&mut self) {
                let again = self.0.of.lock();
                self.0.entry = again.entry;
                std::mem::forget(again);
            }
        }
        this.leave();
        let _back = Back(this);
        run()
    }

    #[inline(always)]
    fn leave(&self) {
        match self.entry {
            Entry::AsOwner => self.of.is_inside.store(false, Ordering::Release),
            entry => self.unlock(entry),
        }
    }

    #[cold]
    #[inline(never)]
    fn unlock(&self, entry: Entry) {
        if let Entry::Visiting(owner) = entry {
            self.of.owner.store(owner, Ordering::Release);
        }
        // SAFETY: this guard has locked it.
        unsafe { self.of.lock.unlock() }
    }
}

impl<T> Drop for Own<'_, T> {
    #[inline(always)]
    fn drop(&mut self) {
        self.of.is_inside.store(false, Ordering::Release);
    }
}

impl<T> Deref for Own<'_, T> {
    type Target = T;
    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: the holder of this guard has exclusive access.
        unsafe { &*self.of.value.get() }
    }
}

impl<T> DerefMut for Own<'_, T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as above.
        unsafe { &mut *self.of.value.get() }
    }
}

impl<T> Drop for Guard<'_, T> {
    #[inline(always)]
    fn drop(&mut self) {
        self.leave();
    }
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;
    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: the holder of this guard has exclusive access.
        unsafe { &*self.of.value.get() }
    }
}

impl<T> DerefMut for Guard<'_, T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as above.
        unsafe { &mut *self.of.value.get() }
    }
}

/// A number that no other living thread has: the address of its thread-local data.
#[cfg(all(target_arch = "x86_64", not(any(miri, loom))))]
#[inline(always)]
fn own_token() -> usize {
    let token: usize;
    // SAFETY: the first word there is its own address (the ABI of thread-local data).
    unsafe {
        std::arch::asm!(
            "mov {}, fs:0", out(reg) token,
            options(nostack, preserves_flags, readonly)
        );
    }
    token
}

#[cfg(not(all(target_arch = "x86_64", not(any(miri, loom)))))]
#[inline]
fn own_token() -> usize {
    #[cfg(not(loom))]
    {
        thread_local!(static TOKEN: u64 = const { 0 });
        TOKEN.with(|token| std::ptr::from_ref(token).addr())
    }
    #[cfg(loom)]
    {
        loom::thread_local!(static TOKEN: Box<u64> = Box::new(0));
        TOKEN.with(|token| std::ptr::from_ref(&**token).addr())
    }
}

#[cfg(not(loom))]
mod raw {
    use parking_lot::RawMutex;
    use parking_lot::lock_api::RawMutex as _;

    pub(super) struct Lock(RawMutex);

    impl Lock {
        pub(super) const fn new() -> Lock {
            Lock(RawMutex::INIT)
        }
        #[inline]
        pub(super) fn lock(&self) {
            self.0.lock();
        }
        #[inline]
        pub(super) fn try_lock(&self) -> bool {
            self.0.try_lock()
        }
        /// # Safety
        /// The caller has locked it.
        #[inline]
        pub(super) unsafe fn unlock(&self) {
            // SAFETY: the caller makes that promise.
            unsafe { self.0.unlock() }
        }
    }

    pub(super) fn pause() {
        std::thread::yield_now();
    }
}

/// A lock that the model checker knows.
#[cfg(loom)]
mod raw {
    use loom::sync::atomic::{AtomicBool, Ordering};

    pub(super) struct Lock(AtomicBool);

    impl Lock {
        pub(super) fn new() -> Lock {
            Lock(AtomicBool::new(false))
        }
        pub(super) fn lock(&self) {
            while !self.try_lock() {
                pause();
            }
        }
        pub(super) fn try_lock(&self) -> bool {
            let (won, lost) = (Ordering::Acquire, Ordering::Relaxed);
            self.0.compare_exchange(false, true, won, lost).is_ok()
        }
        /// # Safety
        /// The caller has locked it.
        pub(super) unsafe fn unlock(&self) {
            self.0.store(false, Ordering::Release);
        }
    }

    pub(super) fn pause() {
        loom::thread::yield_now();
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    #[test]
    fn the_first_thread_stays_the_owner_whoever_looks() {
        fence::arm();
        let value = Biased::new(0);
        *value.lock() += 1;
        let owner = value.owner.load(Ordering::Relaxed);
        std::thread::scope(|scope| {
            scope.spawn(|| assert_eq!(value.try_visit().as_deref(), Some(&1)));
        });
        assert_eq!(value.owner.load(Ordering::Relaxed), owner);
        let held = value.lock();
        std::thread::scope(|scope| {
            scope.spawn(|| assert!(value.try_visit().is_none()));
        });
        drop(held);
        assert_eq!(*value.lock(), 1);
    }

    #[test]
    fn threads_that_come_later_exclude_each_other_and_the_first() {
        const ROUNDS: usize = if cfg!(miri) { 30 } else { 20_000 };
        fence::arm();
        let (value, visits) = (Biased::new(0), AtomicUsize::new(0));
        let add = || {
            for _ in 0..ROUNDS {
                *value.lock() += 1;
            }
        };
        std::thread::scope(|scope| {
            scope.spawn(|| {
                add();
                let mut held = value.lock();
                let before = *held;
                Guard::unlocked(&mut held, std::thread::yield_now);
                assert!(*held >= before);
            });
            scope.spawn(|| {
                for _ in 0..ROUNDS / 10 {
                    *value.visit() += 1;
                    visits.fetch_add(1, Ordering::Relaxed);
                    if let Some(mut visit) = value.try_visit() {
                        *visit += 1;
                        visits.fetch_add(1, Ordering::Relaxed);
                    }
                }
                add();
            });
            scope.spawn(add);
        });
        assert_eq!(*value.lock(), 3 * ROUNDS + visits.load(Ordering::Relaxed));
    }

    #[test]
    fn an_owner_excludes_itself_and_visitors_leave_it_the_owner() {
        fence::arm();
        let value = Biased::new(0);
        let held = value.try_lock().expect("nobody uses it");
        assert!(value.try_lock().is_none() && value.try_visit().is_none());
        let owner = value.owner.load(Ordering::Relaxed);
        std::thread::scope(|scope| {
            scope.spawn(|| *value.visit() += 1);
            drop(held);
        });
        *value.visit() += 1;
        assert_eq!((value.owner.load(Ordering::Relaxed), *value.lock()), (owner, 2));
        std::thread::scope(|scope| {
            scope.spawn(|| *value.try_lock().expect("nobody uses it") += 1);
        });
        assert_eq!((value.owner.load(Ordering::Relaxed), *value.visit()), (SHARED, 3));
    }

    #[test]
    fn whoever_asks_in_vain_for_what_another_owns_does_not_let_it_go() {
        fence::arm();
        let value = Biased::new(0);
        let ask = || assert!(value.own().is_none());
        let held = value.lock();
        std::thread::scope(|scope| _ = scope.spawn(ask));
        assert!(value.is_inside.load(Ordering::Relaxed));
        drop(held);
        let held = value.own().expect("the first thread owns it");
        std::thread::scope(|scope| _ = scope.spawn(ask));
        assert!(value.is_inside.load(Ordering::Relaxed));
        drop(held);
        assert!(!value.is_inside.load(Ordering::Relaxed));
    }

    #[test]
    #[should_panic(expected = "whoever has a value does not ask for it")]
    fn an_owner_that_asks_twice_is_told() {
        fence::arm();
        let value = Biased::new(0);
        let _held = value.lock();
        drop(value.lock());
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use loom::sync::Arc;
    use loom::thread;

    #[test]
    fn loom_an_owner_and_one_who_comes_later_exclude_each_other() {
        loom::model(|| {
            let value = Arc::new(Biased::new(0));
            *value.lock() += 1;
            let other = {
                let value = value.clone();
                thread::spawn(move || *value.lock() += 1)
            };
            *value.lock() += 1;
            other.join().expect("nobody panics");
            assert_eq!(*value.lock(), 3);
        });
    }

    #[test]
    fn loom_a_visitor_waits_for_the_owner() {
        loom::model(|| {
            let value = Arc::new(Biased::new(0));
            *value.lock() += 1;
            let visitor = {
                let value = value.clone();
                thread::spawn(move || *value.visit() += 1)
            };
            if let Some(mut value) = value.try_lock() {
                *value += 2;
            }
            visitor.join().expect("nobody panics");
            assert!([2, 4].contains(&*value.visit()));
        });
    }

    #[test]
    fn loom_a_visitor_never_meets_the_owner() {
        loom::model(|| {
            let value = Arc::new(Biased::new(0));
            *value.lock() += 1;
            let visitor = {
                let value = value.clone();
                thread::spawn(move || {
                    value.try_visit().map_or(0, |mut visit| {
                        *visit += 1;
                        1
                    })
                })
            };
            *value.lock() += 1;
            let visits = visitor.join().expect("nobody panics");
            assert_eq!(*value.lock(), 2 + visits);
        });
    }
}
