//! A lock-free queue of many senders and one taker, linked through the nodes themselves.
//!
//! A sender links its node to the newest one and replaces that by one compare-and-swap; the taker
//! takes all nodes at once and reverses their order. A sender that stops at any instruction for
//! ever blocks neither the other senders nor the taker.

use super::atomic::{AtomicPtr, Ordering};
use super::cache::prefetch_to_write;
use std::marker::PhantomData;
use std::ptr::{self, NonNull};

/// An owning pointer to a node that can be in a [`Queue`].
///
/// # Safety
/// `into_raw` gives up ownership of a node that stays valid until `from_raw` takes it back, and
/// `link` names a field of it that nothing else touches meanwhile.
pub unsafe trait Linked: Sized {
    type Node;
    fn into_raw(self) -> NonNull<Self::Node>;
    /// # Safety
    /// `node` is from `into_raw` and was not taken back before.
    unsafe fn from_raw(node: NonNull<Self::Node>) -> Self;
    /// # Safety
    /// `node` is from `into_raw` and was not taken back before.
    unsafe fn link<'a>(node: NonNull<Self::Node>) -> &'a AtomicPtr<Self::Node>;
}

/// The queue: one word, the newest node.
pub struct Queue<P: Linked> {
    newest: AtomicPtr<P::Node>,
    owns: PhantomData<P>,
}

// SAFETY: an item is owned by the sender before and by the taker after, never by both.
unsafe impl<P: Linked + Send> Sync for Queue<P> {}
// SAFETY: as above.
unsafe impl<P: Linked + Send> Send for Queue<P> {}

impl<P: Linked> Default for Queue<P> {
    fn default() -> Queue<P> {
        Queue { newest: AtomicPtr::new(ptr::null_mut()), owns: PhantomData }
    }
}

impl<P: Linked> Queue<P> {
    /// Adds `item` behind everything that was pushed before. Never waits.
    #[inline]
    pub fn push(&self, item: P) {
        let node = item.into_raw();
        // SAFETY: the node is ours until the exchange below succeeds.
        let link = unsafe { P::link(node) };
        // Guessing an empty queue first spares one trip of the cache line in the common case.
        let mut newest = ptr::null_mut();
        loop {
            link.store(newest, Ordering::Relaxed);
            // SeqCst, so that a taker that announced its sleep before looking is noticed (see
            // `Bell`).
            let (won, lost) = (Ordering::SeqCst, Ordering::Relaxed);
            match self.newest.compare_exchange_weak(newest, node.as_ptr(), won, lost) {
                Ok(_) => return,
                Err(actual) => newest = actual,
            }
        }
    }

    /// True if the queue is empty. SeqCst, for callers that are about to sleep. Prefetches the
    /// first node, which will be taken next.
    #[inline]
    pub fn is_empty(&self) -> bool {
        let newest = self.newest.load(Ordering::SeqCst);
        if newest.is_null() {
            return true;
        }
        prefetch_to_write(newest);
        false
    }

    /// Takes everything that was pushed, oldest first.
    #[inline]
    pub fn take(&self) -> Batch<P> {
        if self.newest.load(Ordering::Relaxed).is_null() {
            return Batch { oldest: ptr::null_mut(), owns: PhantomData };
        }
        let mut node = self.newest.swap(ptr::null_mut(), Ordering::Acquire);
        let mut oldest = ptr::null_mut();
        while let Some(held) = NonNull::new(node) {
            // SAFETY: the swap made the whole chain ours.
            let link = unsafe { P::link(held) };
            let older = link.load(Ordering::Relaxed);
            link.store(oldest, Ordering::Relaxed);
            oldest = node;
            node = older;
        }
        Batch { oldest, owns: PhantomData }
    }
}

impl<P: Linked> Drop for Queue<P> {
    fn drop(&mut self) {
        drop(self.take());
    }
}

/// The nodes taken at once: an iterator, oldest first.
pub struct Batch<P: Linked> {
    oldest: *mut P::Node,
    owns: PhantomData<P>,
}

impl<P: Linked> Iterator for Batch<P> {
    type Item = P;

    #[inline]
    fn next(&mut self) -> Option<P> {
        let node = NonNull::new(self.oldest)?;
        // SAFETY: the batch owns its chain.
        self.oldest = unsafe { P::link(node) }.load(Ordering::Relaxed);
        // SAFETY: the chain is ours, and the batch no longer refers to this node.
        Some(unsafe { P::from_raw(node) })
    }
}

impl<P: Linked> Drop for Batch<P> {
    fn drop(&mut self) {
        self.for_each(drop);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) struct Letter {
        link: AtomicPtr<Letter>,
        pub(super) sender: usize,
        pub(super) number: usize,
    }

    pub(super) struct Post(pub(super) Box<Letter>);

    impl Post {
        pub(super) fn new(sender: usize, number: usize) -> Post {
            Post(Box::new(Letter { link: AtomicPtr::new(ptr::null_mut()), sender, number }))
        }
    }

    // SAFETY: a box gives up its node whole and takes it back whole.
    unsafe impl Linked for Post {
        type Node = Letter;
        fn into_raw(self) -> NonNull<Letter> {
            NonNull::new(Box::into_raw(self.0)).expect("a box is not null")
        }
        unsafe fn from_raw(node: NonNull<Letter>) -> Post {
            // SAFETY: the caller's promise: `into_raw` made it.
            Post(unsafe { Box::from_raw(node.as_ptr()) })
        }
        unsafe fn link<'a>(node: NonNull<Letter>) -> &'a AtomicPtr<Letter> {
            // SAFETY: the caller's promise: the node is valid.
            unsafe { &(*node.as_ptr()).link }
        }
    }

    #[cfg(not(loom))]
    #[test]
    fn what_goes_in_comes_out_in_order_and_what_is_left_is_dropped() {
        let queue = Queue::default();
        (0..5).for_each(|number| queue.push(Post::new(0, number)));
        assert!(!queue.is_empty());
        let mut batch = queue.take();
        assert_eq!(batch.next().map(|post| post.0.number), Some(0));
        queue.push(Post::new(0, 5));
        assert_eq!(batch.map(|post| post.0.number).collect::<Vec<_>>(), [1, 2, 3, 4]);
        assert_eq!(queue.take().count(), 1);
        assert!(queue.is_empty());
        queue.push(Post::new(0, 6));
    }

    #[cfg(not(loom))]
    #[test]
    fn senders_in_threads_keep_their_order_and_lose_nothing() {
        const EACH: usize = if cfg!(miri) { 50 } else { 20_000 };
        let queue = Queue::default();
        std::thread::scope(|scope| {
            for sender in 0..4 {
                let queue = &queue;
                scope.spawn(move || (0..EACH).for_each(|n| queue.push(Post::new(sender, n))));
            }
            let mut next = [0; 4];
            while next.iter().sum::<usize>() < 4 * EACH {
                for post in queue.take() {
                    assert_eq!(post.0.number, next[post.0.sender]);
                    next[post.0.sender] += 1;
                }
                std::hint::spin_loop();
            }
        });
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::tests::Post;
    use super::*;
    use loom::sync::Arc;
    use loom::thread;

    #[test]
    fn loom_two_senders_and_a_taker_lose_nothing_and_keep_order() {
        loom::model(|| {
            let queue = Arc::new(Queue::default());
            let senders = [0, 1].map(|sender| {
                let queue = queue.clone();
                thread::spawn(move || (0..2).for_each(|n| queue.push(Post::new(sender, n))))
            });
            // Kept, so that no post is at the address of an earlier one: the heap would decide
            // that, but the checker repeats a sequence of steps only if nothing else decides.
            let (mut next, mut kept) = ([0; 2], Vec::new());
            let mut check = |batch: Batch<Post>| {
                for post in batch {
                    assert_eq!(post.0.number, next[post.0.sender]);
                    next[post.0.sender] += 1;
                    kept.push(post);
                }
            };
            check(queue.take());
            for sender in senders {
                sender.join().expect("senders do not panic");
            }
            check(queue.take());
            assert_eq!(next, [2, 2]);
        });
    }
}
