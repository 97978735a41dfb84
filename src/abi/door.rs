//! The one door: every MPI call, from C or Fortran, enters through [`enter`].

use crate::abi::handlers;
use crate::abi::current;
use crate::mpi::error::{Class, Error, Failure, Result};
use crate::mpi::process::Process;
use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The object whose error handler hears about a failed call: its raw handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The call names no object: MPI_COMM_SELF's handler, or the initial one (MPI-5.0 §9.3).
    Initial,
    Comm(usize),
}

/// When a call may be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Season {
    /// Between MPI_Init and MPI_Finalize, as most calls are.
    Inside,
    /// At any time: MPI_Initialized, MPI_Get_version and their like (MPI-5.0 §11.4.1).
    Always,
}

/// What became of a call. The error stays with the process, so that nothing on this frame owns
/// anything when a handler jumps out of it.
#[derive(Clone, Copy)]
enum Verdict {
    Done,
    Failed(Class, Scope),
    Died,
}

/// Runs one MPI call: notices failures first, shields C from panics, raises errors on `scope`.
#[inline]
pub(super) fn enter(
    name: &'static str, season: Season, scope: impl FnOnce() -> Scope,
    body: impl FnOnce(&'static Process) -> Result,
) -> c_int {
    let process = current::process();
    match judge(process, name, season, scope, body) {
        Verdict::Done => 0,
        Verdict::Failed(class, scope) => handlers::raise(process, name, scope, class),
        Verdict::Died => current::end(),
    }
}

#[inline]
fn judge(
    process: &'static Process, name: &'static str, season: Season, scope: impl FnOnce() -> Scope,
    body: impl FnOnce(&'static Process) -> Result,
) -> Verdict {
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        process.notice()?;
        if season == Season::Inside {
            process.is_inside()?;
        }
        body(process)
    }));
    match outcome {
        Ok(Ok(())) => Verdict::Done,
        Ok(Err(Failure::Died)) => Verdict::Died,
        Ok(Err(Failure::Error(error))) => failed(process, name, scope(), error),
        Err(panic) => failed(process, name, scope(), internal(panic.as_ref())),
    }
}

#[cold]
fn failed(process: &Process, name: &'static str, scope: Scope, error: Error) -> Verdict {
    let scope = error.on.map_or(scope, Scope::Comm);
    let class = error.class;
    process.remember(name, error);
    Verdict::Failed(class, scope)
}

#[cold]
fn internal(panic: &(dyn std::any::Any + Send)) -> Error {
    let words = panic.downcast_ref::<String>().map(String::as_str);
    let words = words.or_else(|| panic.downcast_ref::<&str>().copied());
    let detail = words.unwrap_or("a broken invariant").to_string();
    Error { class: Class::INTERN, detail: detail.into(), on: None }
}
