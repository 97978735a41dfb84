//! What ranks have to do with tokens (see [`tokens`](super::tokens)): a desk for each seat.

use crate::host::sched::Waiting;
use parking_lot::Mutex;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::pin::Pin;

/// A rank's part in an operation: it sends tokens, and waits for those that it expects.
pub type Part = Pin<Box<dyn Future<Output = ()> + Send>>;

/// What tells the tokens of one operation from one member to another from all others under way.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Key(u64);

/// A member of an operation, to whom and from whom tokens go.
#[derive(Clone, Copy)]
pub struct Party {
    pub rank: i32,
    pub seat: usize,
}

/// What the tokens of one operation have in common.
#[derive(Clone, Copy)]
pub struct Carriage {
    operation: u64,
    pub(super) is_by_hardware: bool,
}

impl Carriage {
    /// For the operation that this stands for; `is_by_hardware`: by the machine's own tree.
    pub fn of(operation: impl Hash, is_by_hardware: bool) -> Carriage {
        let mut hasher = FxHasher::default();
        (operation, is_by_hardware).hash(&mut hasher);
        Carriage { operation: hasher.finish(), is_by_hardware }
    }

    pub(super) fn key(self, from: Party, to: Party) -> Key {
        let mut hasher = FxHasher::default();
        (self.operation, from.rank, to.rank).hash(&mut hasher);
        Key(hasher.finish())
    }
}

/// What a seat's rank has to do with tokens.
#[derive(Default)]
pub(super) struct Desk {
    /// What it expects, and from which ranks.
    pub(super) expected: Vec<(Key, i32)>,
    /// What has come before it was expected, and whether while it waited in a part, so that it has
    /// seen that: what comes meanwhile it finds when it waits again.
    pub(super) early: Vec<(Key, bool)>,
    /// What goes on when nothing is expected any more.
    pub(super) part: Option<(Waiting, Part)>,
}

/// The desks of all seats.
pub(super) type Desks = Box<[Mutex<Desk>]>;

/// A token on its way between two seats.
#[derive(Clone, Copy)]
pub(super) struct Token {
    pub(super) key: Key,
    pub(super) is_by_hardware: bool,
    pub(super) seats: (usize, usize),
}

/// An entry of the calendar with this bit is of a token, and has two seats; else it has one.
const IS_TOKEN: usize = 1 << 63;
const IS_BY_HARDWARE: usize = 1 << 62;
const SEAT_BITS: u32 = 31;

impl Token {
    pub(super) fn numbers(self) -> [usize; 2] {
        let hardware = if self.is_by_hardware { IS_BY_HARDWARE } else { 0 };
        [self.key.0 as usize, IS_TOKEN | hardware | self.seats.0 << SEAT_BITS | self.seats.1]
    }

    pub(super) fn of([key, what]: [usize; 2]) -> Option<Token> {
        let seat = |bits: usize| bits & ((1 << SEAT_BITS) - 1);
        (what & IS_TOKEN != 0).then(|| Token {
            key: Key(key as u64),
            is_by_hardware: what & IS_BY_HARDWARE != 0,
            seats: (seat(what >> SEAT_BITS), seat(what)),
        })
    }
}
