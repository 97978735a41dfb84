//! What a rank keeps that libc keeps once per process.
//!
//! A file of this room that has something of this kind declares it as a [`Part`], beside the
//! functions that use it, as it would declare a thread-local variable.

use super::homes::Homes;
use std::any::Any;
use std::marker::PhantomData;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The state of one rank. Stays where it is once its homes were given away. A rank that uses
/// nothing of it costs a few hundred bytes.
pub(in crate::host) struct LibcState {
    pub(super) seat: usize,
    pub(super) homes: Homes,
    parts: [OnceLock<Box<dyn Any + Send + Sync>>; MOST_PARTS],
}

/// The parts that this room declares, and some room.
const MOST_PARTS: usize = 16;

/// The part of the state of type `T`: each rank has one, made when it is first used.
pub(super) struct Part<T> {
    place: OnceLock<usize>,
    kind: PhantomData<fn() -> T>,
}

impl<T: Default + Send + Sync + 'static> Part<T> {
    pub(super) const fn new() -> Part<T> {
        Part { place: OnceLock::new(), kind: PhantomData }
    }

    /// That of the rank with this state.
    pub(super) fn of<'a>(&self, state: &'a LibcState) -> &'a T {
        static PLACES: AtomicUsize = AtomicUsize::new(0);
        let place = *self.place.get_or_init(|| PLACES.fetch_add(1, Ordering::Relaxed));
        let part = state.parts[place].get_or_init(|| Box::new(T::default()));
        part.downcast_ref().expect("a place is of one part")
    }
}

impl LibcState {
    /// The state of a fresh life in `seat`.
    pub(in crate::host) fn new(seat: usize) -> LibcState {
        LibcState { seat, homes: Homes::new(), parts: [const { OnceLock::new() }; MOST_PARTS] }
    }
}
