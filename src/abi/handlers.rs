//! Raises the error of a failed call on an error handler (MPI-5.0 §9.3).
//!
//! A handler of the program may jump out and never return, so no lock is held and no frame owns
//! anything when it is called.

use crate::abi::scope::{News, Scope};
use crate::abi::{abort, current, nesting};
use crate::host::sched;
use crate::job;
use crate::mpi::callback::{Callback, Language};
use crate::mpi::comm;
use crate::mpi::errhandler;
use crate::mpi::error::Class;
use crate::mpi::error::told;
use crate::mpi::failure::{attributes, call_trace};
use crate::mpi::handle_table::Held;
use crate::mpi::process::{FILE_NULL, Process};
use crate::mpi::reaction::Hearer;
use std::ffi::{c_int, c_void};

/// How to react to an error; owns nothing that needs to be dropped.
#[derive(Clone, Copy)]
enum Reaction {
    Return,
    Call {
        function: Callback,
        object: usize,
    },
    End,
    /// Ends the ranks in the object's group, like MPI_Abort.
    Abort {
        object: usize,
    },
}

/// Raises the error that `process` remembers, and ends the call; returns the error's code if the
/// handler returns.
#[cold]
pub(super) fn raise(
    process: &'static Process, name: &'static str, scope: Scope, news: News,
) -> c_int {
    let code = |class| told(process.world.rules(), class).0;
    let (cause, class) = (code(news.cause), code(news.class));
    // Looking for the handler takes locks: signals are let in only after that.
    match reaction(process, scope, news.is_of_a_death) {
        Reaction::Return => process.ends_call(),
        Reaction::Call { function, object } => {
            call_trace::runs_handler(process.me);
            process.ends_call();
            nesting::run(object, || call(function, object, cause));
            sched::come_home();
        }
        Reaction::End => end_job(process, name, scope, news),
        Reaction::Abort { object } => end_group(process, name, object, scope, news),
    }
    // The rank may have been killed inside the handler: then it does not return to the program.
    match process.notice() {
        Ok(_) => class,
        Err(_) => current::end(),
    }
}

/// Lets an object's handler hear of `code`, as of an error of its own.
pub(super) fn tell(process: &'static Process, name: &'static str, scope: Scope, code: c_int) {
    let class = Class(code);
    let news = News { class, cause: class, is_of_a_death: false };
    match reaction(process, scope, news.is_of_a_death) {
        Reaction::Return => {}
        Reaction::Call { function, object } => call(function, object, code),
        Reaction::End => end_job(process, name, scope, news),
        Reaction::Abort { object } => end_group(process, name, object, scope, news),
    }
}

fn reaction(process: &'static Process, scope: Scope, is_of_a_death: bool) -> Reaction {
    let is_inside = process.is_inside().is_ok();
    let named = match scope {
        Scope::Tool => return Reaction::Return,
        Scope::File(handle) => Some(match process.files.find(handle) {
            Some(file) => (handle, file.comm.errhandler.reaction()),
            None => (FILE_NULL, process.file_errhandler.reaction()),
        }),
        Scope::Hearer(hearer) => Some((hearer.comm, hearer.reaction)),
        Scope::Comm(handle) if is_inside => {
            process.find_comm(handle).map(|comm| (comm.handle, comm.errhandler.reaction()))
        }
        Scope::Win(handle) if is_inside => {
            process.windows.find(handle).map(|win| (handle, win.errhandler.reaction()))
        }
        Scope::Session(handle) => {
            let session = process.sessions.find(handle);
            session.map(|session| (handle, session.errhandler.reaction()))
        }
        // The object that the call was to create does not exist.
        Scope::Handler(handle) => {
            let handler = process.errhandler(handle, "errhandler").ok();
            handler.map(|handler| (comm::NULL, handler.reaction))
        }
        Scope::Comm(_) | Scope::Win(_) | Scope::Initial => None,
    };
    let (object, chosen) = named.unwrap_or_else(|| of_no_object(process));
    if is_of_a_death && attributes::is_to_end(process, object) {
        return Reaction::End;
    }
    match chosen {
        errhandler::Reaction::Return => Reaction::Return,
        errhandler::Reaction::User(function) => Reaction::Call { function, object },
        errhandler::Reaction::Unchosen
            if is_of_a_death && process.world.charter().returns_deaths() =>
        {
            Reaction::Return
        }
        errhandler::Reaction::Abort => Reaction::Abort { object },
        errhandler::Reaction::Unchosen | errhandler::Reaction::Fatal => Reaction::End,
    }
}

/// Errors of no object go to MPI_COMM_SELF while it exists (MPI-5.0 §9.3). A program that set a
/// handler on MPI_COMM_WORLD alone was written for the older rule, by which they went to
/// MPI_COMM_WORLD and which other libraries still follow.
fn of_no_object(process: &'static Process) -> (usize, errhandler::Reaction) {
    if !process.phases.has_world() {
        return (comm::SELF, process.initial_errhandler.reaction());
    }
    let (alone, world) = (process.self_comm(), process.find_comm(comm::WORLD));
    match world.filter(|world| world.errhandler.is_chosen() && !alone.errhandler.is_chosen()) {
        Some(world) => (comm::WORLD, world.errhandler.reaction()),
        None => (comm::SELF, alone.errhandler.reaction()),
    }
}

/// Calls a handler of the program with an object's handle and a code.
pub(super) fn call(function: Callback, object: usize, code: i32) {
    type InC = unsafe extern "C-unwind" fn(*mut *mut c_void, *mut c_int, ...);
    type InFortran = unsafe extern "C-unwind" fn(*mut c_int, *mut c_int);
    let mut code = code;
    let address = std::ptr::with_exposed_provenance::<c_void>(function.code);
    if function.language != Language::C {
        let mut object = object as c_int;
        // SAFETY: the program gave this function as a Fortran error handler.
        let handler = unsafe { std::mem::transmute::<*const c_void, InFortran>(address) };
        // SAFETY: called as the standard says: handle and code, by reference.
        unsafe { handler(&mut object, &mut code) }
    } else {
        let mut object = std::ptr::without_provenance_mut(object);
        // SAFETY: the program gave this function as a C error handler.
        let handler = unsafe { std::mem::transmute::<*const c_void, InC>(address) };
        // SAFETY: called as the standard says: handle and code, by pointer.
        unsafe { handler(&mut object, &mut code) }
    }
}

/// Ends the job for an error that no handler takes.
fn end_job(process: &'static Process, name: &str, scope: Scope, news: News) -> ! {
    let words = last_words(process, name, scope, news);
    job::end_for_error(
        news.class,
        news.is_of_a_death,
        &format!("rank {}: {words}", process.me.seat),
    )
}

/// Ends a communicator's group, or the job, for an error that no handler takes.
fn end_group(process: &'static Process, name: &str, object: usize, scope: Scope, news: News) -> ! {
    let win = process.windows.find(object);
    let comm = process.find_comm(object).or_else(|| win.map(|win| Held::Counted(win.comm.clone())));
    if let Some(comm) = comm {
        let words = format!("fatal error: {}", last_words(process, name, scope, news));
        abort::end_group(process, &comm, job::status_for(news.class, news.is_of_a_death), &words);
    }
    end_job(process, name, scope, news)
}

fn last_words(process: &'static Process, name: &str, scope: Scope, news: News) -> String {
    let class = told(process.world.rules(), news.class);
    let object = match scope {
        Scope::Comm(handle) | Scope::Hearer(Hearer { comm: handle, .. }) => {
            process.find_comm(handle).map(|comm| format!(" on {}", comm.title()))
        }
        Scope::Win(handle) => {
            process.windows.find(handle).map(|win| format!(" on {}", win.title()))
        }
        _ => None,
    };
    let words = process.codes.words(class.0).unwrap_or_default();
    let detail = process.recall(class).unwrap_or_else(|| name.to_string());
    let detail = detail.strip_prefix(name).map_or(detail.as_str(), |rest| rest);
    let object = object.unwrap_or_default();
    format!("{name}{object} failed: {}{detail}", String::from_utf8_lossy(&words))
}
