//! The attempt to do all of a call by its short way (see `abi::fast_path`).

use crate::abi::current;
use crate::mpi::error::{Class, Error, Failure, Result};
use crate::mpi::process::Process;
use std::any::Any;
use std::ffi::c_int;
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What became of a call that has gone its short way.
enum Tried {
    Done,
    Nothing,
    Failed,
}

/// Does all of a call by its short way, if `way` can, and doors need not know of anything else;
/// otherwise nothing has happened, and `long` does it. Only what went wrong goes to `fail`.
#[inline(always)]
pub(super) fn at_once(
    name: &'static str, way: impl FnOnce(&'static Process) -> Result<bool>,
    long: impl FnOnce() -> c_int, fail: impl FnOnce(Failure) -> c_int,
) -> c_int {
    let known = current::known_in(name).filter(|process| process.is_plainly_inside());
    let Some(process) = known else { return long() };
    // Beside what the call returns, which so fits a register.
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
