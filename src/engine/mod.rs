//! One rank's inner life.

use crate::fault::Member;
use crate::host::life::Pulse;
use std::sync::atomic::{AtomicU32, Ordering};

pub trait Roster: Send + Sync {
    fn rank_of(&self, member: Member) -> Option<i32>;
    fn size(&self) -> usize;
}

pub struct World {
    seats: usize,
    next_context: AtomicU32,
}

impl World {
    pub fn new(seats: usize) -> World {
        World { seats, next_context: AtomicU32::new(2) }
    }
    pub fn size(&self) -> usize {
        self.seats
    }
    pub fn fresh_context(&self) -> u32 {
        self.next_context.fetch_add(1, Ordering::Relaxed)
    }
}

pub struct Engine {}

impl Engine {
    pub fn new(_world: &'static World, _seat: usize, _incarnation: u32, _pulse: Pulse) -> Engine {
        Engine {}
    }
}
