//! Values of variables and elements of events: their types, and the names of numbers that stand for
//! words.

use super::errors;
use crate::mpi::error::Result;

/// What a variable is worth.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// An `int`, often one that stands for a word.
    Int(i32),
    /// An `unsigned long long`.
    Size(u64),
    /// A `double`: a time in seconds.
    Real(f64),
    Text(String),
    /// An `MPI_Count`.
    Count(i64),
}

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    Int,
    Size,
    Real,
    Text,
    Count,
}

impl Type {
    /// The handle of its MPI datatype.
    pub fn datatype(self) -> usize {
        match self {
            Type::Int => 0x209,
            Type::Size => 0x20f,
            Type::Real => 0x214,
            Type::Text => 0x243,
            Type::Count => 0x202,
        }
    }

    /// The length of one value that is not text.
    pub fn bytes(self) -> usize {
        match self {
            Type::Int => 4,
            Type::Text => 1,
            Type::Size | Type::Real | Type::Count => 8,
        }
    }
}

/// Words that stand for the numbers from 0.
#[derive(Debug)]
pub struct Enumeration {
    pub name: &'static str,
    pub items: &'static [&'static str],
}

impl Enumeration {
    /// Whether the number stands for a word.
    pub fn has(&self, number: i32) -> bool {
        usize::try_from(number).is_ok_and(|number| number < self.items.len())
    }
}

macro_rules! enumerations {
    ($($name:ident = $words:literal: [$($item:literal),*];)*) => {
        $(pub static $name: Enumeration = Enumeration { name: $words, items: &[$($item),*] };)*
        /// All enumerations; their handles are their places in this list.
        static ALL: &[&Enumeration] = &[$(&$name),*];
    };
}

enumerations! {
    SWITCH = "switch": ["off", "on"];
    RANKS = "kind of ranks": ["thread", "fiber", "auto"];
    BINDING = "binding": ["auto", "none", "core", "hwthread"];
    ON_FAILURE = "what follows a failure": ["end", "continue", "restart"];
    RULES = "rules for failures": ["end", "standard", "ft-mpi", "ulfm"];
    ERRHANDLER = "initial error handler":
        ["mpi_errors_are_fatal", "mpi_errors_abort", "mpi_errors_return"];
    COMM_MODE = "communicator mode": ["abort", "blank", "shrink", "rebuild"];
    MSG_MODE = "message mode": ["noop", "cont"];
    COLL_MODE = "collective mode": ["non-atomic", "atomic"];
    RECOVERY_MODE = "recovery mode": ["manual", "auto"];
    FAILED = "elements of rank_failed": ["rank", "incarnation"];
    BEGUN = "elements of recovery_begun": ["generation"];
    RECOVERED = "elements of recovery_done": ["generation", "ranks"];
    ARRIVED = "elements of unexpected_message": ["source", "tag", "bytes"];
}

/// Handles of enumerations begin here: no other handle of the tools interface is among them.
const FIRST: usize = 0x1000;

/// The handle of an enumeration.
pub fn handle_of(enumeration: &'static Enumeration) -> usize {
    let place = ALL.iter().position(|known| std::ptr::eq(*known, enumeration));
    FIRST + place.expect("all are listed")
}

/// The enumeration behind a handle.
pub fn enumeration(handle: usize) -> Result<&'static Enumeration> {
    let found = handle.checked_sub(FIRST).and_then(|place| ALL.get(place));
    found.copied().ok_or_else(|| errors::INVALID_HANDLE.because("enumtype is no enumeration"))
}
