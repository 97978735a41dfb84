//! Tries the fast path of a call before the slow path (see `abi::fast_path`).

use crate::abi::current;
use crate::mpi::error::{Class, Error, Failure, Result};
use crate::mpi::process::Process;
use std::any::Any;
use std::ffi::c_int;
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How the fast path ended.
enum Tried {
    Done,
    Nothing,
    Failed,
}

/// Completes a call by its fast path `way` if it can and if entering the door normally has nothing
/// else to do. Otherwise nothing has happened yet, and the slow path `long` runs. `fail` handles
/// errors only.
#[inline(always)]
pub(super) fn at_once(
    name: &'static str, way: impl FnOnce(&'static Process) -> Result<bool>,
    long: impl FnOnce() -> c_int, fail: impl FnOnce(Failure) -> c_int,
) -> c_int {
    let known = current::known_in(name).filter(|process| process.is_plainly_inside());
    let Some(process) = known else { return long() };
    // Kept apart from the return value, which then fits in a register.
    let mut failure = ManuallyDrop::new(None);
    let tried = catch_unwind(AssertUnwindSafe(|| match way(process) {
        Ok(true) => Tried::Done,
        Ok(false) => Tried::Nothing,
        Err(reason) => {
            *failure = Some(reason);
            Tried::Failed
        }
    }));
    match tried {
        Ok(Tried::Done) => 0,
        Ok(Tried::Nothing) => long(),
        Ok(Tried::Failed) => {
            fail(ManuallyDrop::into_inner(failure).expect("whoever failed has said why"))
        }
        Err(panic) => fail(internal(panic.as_ref()).into()),
    }
}

/// The error that a panic below a door is.
#[cold]
pub(super) fn internal(panic: &(dyn Any + Send)) -> Error {
    let words = panic.downcast_ref::<String>().map(String::as_str);
    let words = words.or_else(|| panic.downcast_ref::<&str>().copied());
    let detail = words.unwrap_or("a broken invariant").to_string();
    Error::new(Class::INTERN, detail)
}
