//! What a failed call does: error handlers (MPI-5.0 §9.3).
//!
//! A handler of the program's may jump out and never come back, so nothing is held and no frame
//! owns anything when it is called.

use crate::abi::door::{Scope, Season, enter};
use crate::abi::kinds::{Fortran, Ierror, Int, Kind, MPI_Comm};
use crate::abi::{current, start};
use crate::mpi::callback::{Callback, Language};
use crate::mpi::comm;
use crate::mpi::errhandler::{self, Hearer};
use crate::mpi::error::Class;
use crate::mpi::process::Process;
use std::ffi::{c_int, c_void};

/// What is to happen, with nothing left to drop.
#[derive(Clone, Copy)]
enum Reaction {
    Return,
    Call { function: Callback, comm: usize },
    End,
}

/// Raises the error that `process` remembers; returns its code if the program is to have it.
#[cold]
pub(super) fn raise(
    process: &'static Process, name: &'static str, scope: Scope, class: Class,
) -> c_int {
    match reaction(process, scope) {
        Reaction::Return => {}
        Reaction::Call { function, comm } => call(function, comm, class.0),
        Reaction::End => end_job(process, name, scope, class),
    }
    // The handler may have been told to die: its rank does not come back to the program.
    match process.notice() {
        Ok(()) => class.0,
        Err(_) => current::end(),
    }
}

/// MPI_Comm_call_errhandler: the handler of `comm` hears of `code`, as of an error of its own. An
/// ordinary `fn` of C: neither the call itself nor its handler is an error.
fn call_errhandler(comm: MPI_Comm, code: c_int) -> c_int {
    const NAME: &str = "MPI_Comm_call_errhandler";
    let known = enter(
        NAME,
        Season::Inside,
        || Scope::from(comm),
        |process| comm.check(process, "comm").map(drop),
    );
    if known != 0 {
        return known;
    }
    let process = current::process();
    match reaction(process, Scope::from(comm)) {
        Reaction::Return => {}
        Reaction::Call { function, comm } => call(function, comm, code),
        Reaction::End => end_job(process, NAME, Scope::from(comm), Class(code)),
    }
    0
}

fn reaction(process: &'static Process, scope: Scope) -> Reaction {
    let named = match scope {
        // Until files have handlers of their own they have their default.
        Scope::File | Scope::Tool => return Reaction::Return,
        Scope::Comm(handle) if process.is_inside().is_ok() => process.find_comm(handle),
        Scope::Comm(_) | Scope::Initial | Scope::Hearer(_) => None,
    };
    let (comm, chosen) = match (scope, named) {
        (Scope::Hearer(hearer), _) => (hearer.comm, hearer.reaction),
        (_, Some(comm)) => (comm.handle, comm.errhandler.reaction()),
        (_, None) => (comm::SELF, initial(process)),
    };
    match chosen {
        errhandler::Reaction::Return => Reaction::Return,
        errhandler::Reaction::User(function) => Reaction::Call { function, comm },
        errhandler::Reaction::Fatal | errhandler::Reaction::Abort => Reaction::End,
    }
}

/// Errors of no object are MPI_COMM_SELF's while MPI is up (MPI-5.0 §9.3).
fn initial(process: &'static Process) -> errhandler::Reaction {
    match process.is_inside() {
        Ok(()) => process.self_comm().errhandler.reaction(),
        Err(_) => process.initial_errhandler.reaction(),
    }
}

/// Calls a handler of the program's with a communicator and a code.
pub(super) fn call(function: Callback, comm: usize, code: i32) {
    type InC = unsafe extern "C-unwind" fn(*mut *mut c_void, *mut c_int, ...);
    type InFortran = unsafe extern "C-unwind" fn(*mut c_int, *mut c_int);
    let mut code = code;
    let address = std::ptr::with_exposed_provenance::<c_void>(function.code);
    if function.language != Language::C {
        let mut comm = comm as c_int;
        // SAFETY: the program gave this function as a Fortran error handler.
        let handler = unsafe { std::mem::transmute::<*const c_void, InFortran>(address) };
        // SAFETY: called as the standard says: communicator and code, by reference.
        unsafe { handler(&mut comm, &mut code) }
    } else {
        let mut comm = std::ptr::without_provenance_mut(comm);
        // SAFETY: the program gave this function as a C error handler.
        let handler = unsafe { std::mem::transmute::<*const c_void, InC>(address) };
        // SAFETY: called as the standard says: communicator and code, by pointer.
        unsafe { handler(&mut comm, &mut code) }
    }
}

/// The end of the job for an error that nobody wanted to hear.
fn end_job(process: &'static Process, name: &str, scope: Scope, class: Class) -> ! {
    let object = match scope {
        Scope::Comm(handle) | Scope::Hearer(Hearer { comm: handle, .. }) => {
            process.find_comm(handle).map(|comm| format!(" on {}", comm.title()))
        }
        _ => None,
    };
    let words = process.codes.words(class.0).unwrap_or_default();
    let detail = process.recall(class).unwrap_or_else(|| name.to_string());
    let detail = detail.strip_prefix(name).map_or(detail.as_str(), |rest| rest);
    start::end_for_error(
        class,
        &format!(
            "rank {}: {name}{} failed: {}{detail}",
            process.me.seat,
            object.unwrap_or_default(),
            String::from_utf8_lossy(&words),
        ),
    )
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn MPI_Comm_call_errhandler(comm: *mut c_void, errorcode: c_int) -> c_int {
    call_errhandler(MPI_Comm::from_c(comm), errorcode)
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn PMPI_Comm_call_errhandler(
    comm: *mut c_void, errorcode: c_int,
) -> c_int {
    call_errhandler(MPI_Comm::from_c(comm), errorcode)
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn mpi_comm_call_errhandler_(
    comm: *const c_int, errorcode: *const c_int, ierror: Ierror,
) {
    // SAFETY: the caller is Fortran, which passes scalars by reference.
    let (comm, code) = unsafe { (MPI_Comm::enter(comm, ()), Int::enter(errorcode, ())) };
    ierror.set(call_errhandler(comm, code.value()));
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn pmpi_comm_call_errhandler_(
    comm: *const c_int, errorcode: *const c_int, ierror: Ierror,
) {
    // SAFETY: as above.
    unsafe { mpi_comm_call_errhandler_(comm, errorcode, ierror) }
}

#[cfg(test)]
#[test]
fn the_call_that_calls_handlers_matches_the_header() {
    crate::abi::header::expect("int", "MPI_Comm_call_errhandler", &[MPI_Comm::C, Int::C]);
}
