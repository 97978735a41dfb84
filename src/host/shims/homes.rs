//! The home of each libc variable that every rank has for itself.
//!
//! An executable usually holds a copy of such a variable, made by a COPY relocation: then that copy
//! is its home. Otherwise the slot here is. Shims read and write the variable only at its home.

use std::cell::UnsafeCell;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Variable {
    Stdin,
    Stdout,
    Stderr,
    Environ,
    Optarg,
    Optind,
    Opterr,
    Optopt,
    Timezone,
    Daylight,
    Signgam,
    /// Two words long.
    Tzname,
}

const VARIABLES: usize = 12;
const SLOTS: usize = VARIABLES + 1;

pub(super) struct Homes {
    homes: [AtomicPtr<()>; VARIABLES],
    slots: [UnsafeCell<usize>; SLOTS],
}

// SAFETY: like the variables of libc, these are the program's to guard.
unsafe impl Sync for Homes {}
// SAFETY: as above.
unsafe impl Send for Homes {}

impl Variable {
    pub(super) fn named(name: &str) -> Option<Variable> {
        Some(match name {
            "stdin" => Variable::Stdin,
            "stdout" => Variable::Stdout,
            "stderr" => Variable::Stderr,
            "environ" | "__environ" | "_environ" => Variable::Environ,
            "optarg" => Variable::Optarg,
            "optind" => Variable::Optind,
            "opterr" => Variable::Opterr,
            "optopt" => Variable::Optopt,
            "tzname" | "__tzname" => Variable::Tzname,
            "timezone" | "__timezone" => Variable::Timezone,
            "daylight" | "__daylight" => Variable::Daylight,
            "signgam" | "__signgam" => Variable::Signgam,
            _ => return None,
        })
    }
}

impl Homes {
    pub(super) fn new() -> Homes {
        Homes {
            homes: [const { AtomicPtr::new(null_mut()) }; VARIABLES],
            slots: [const { UnsafeCell::new(0) }; SLOTS],
        }
    }

    pub(super) fn set(&self, variable: Variable, address: *mut ()) {
        self.homes[variable as usize].store(address, Ordering::Release);
    }

    /// The variable's copy in the executable, if that has one.
    pub(super) fn copy<T>(&self, variable: Variable) -> Option<*mut T> {
        let home = self.homes[variable as usize].load(Ordering::Acquire);
        (!home.is_null()).then(|| home.cast())
    }

    /// Where the variable lives.
    pub(super) fn address<T>(&self, variable: Variable) -> *mut T {
        self.copy(variable).unwrap_or_else(|| self.slots[variable as usize].get().cast())
    }

    pub(super) fn read<T: Copy>(&self, variable: Variable) -> T {
        // SAFETY: the loader vouches for copies; slots are zeroes or what was written.
        unsafe { self.address::<T>(variable).read() }
    }

    pub(super) fn write<T: Copy>(&self, variable: Variable, value: T) {
        // SAFETY: the loader vouches for copies; slots have room.
        unsafe { self.address::<T>(variable).write(value) }
    }
}
