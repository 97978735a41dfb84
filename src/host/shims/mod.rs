//! Interposition: the libc functions and variables that private images get instead of libc's own.
//!
//! The loader asks this room first when it resolves a symbol of a private image. Shared libraries
//! keep libc's own; only `free` and `realloc` are exported, since libc itself calls them on blocks
//! that a rank allocated (see [`alloc`]). A thread that belongs to no rank gets what libc does.
//!
//! Rules: a rank's arguments are read before a lock is taken, so that a bad pointer ends the rank
//! and leaves no lock held. A child that a rank forks continues with its copy of the state.

pub mod alloc;
mod backtraces;
mod dl;
mod environ;
mod files;
mod formats;
mod getopt;
mod homes;
pub mod jumps;
pub(super) mod keys;
mod messages;
mod openmp;
mod processes;
mod random;
mod replayed;
mod settling;
mod spares;
pub(super) mod stdio;
mod strings;
mod tables;
mod tag;
mod time;
mod variadic;

use crate::host::current;
use crate::host::life;
use crate::host::replay;
use crate::launch::Job;
use homes::{Homes, Variable};
use std::ffi::{CStr, c_char, c_long};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

pub(super) use replayed::clock_gettime;

/// What a rank keeps that libc keeps once per process. Stays where it is once `variable` or
/// `set_home` was called. A rank that uses nothing of it costs a few hundred bytes.
pub(super) struct LibcState {
    seat: usize,
    homes: Homes,
    dl: dl::Refusals,
    environ: environ::Environ,
    files: files::Files,
    getopt: getopt::Getopt,
    hash: tables::Hash,
    keys: keys::Keys,
    openmp: openmp::Locks,
    random: random::Random,
    streams: stdio::Streams,
    strings: strings::Strings,
    tags: tag::Tags,
    time: time::Time,
}

/// One line of the table of shims.
type Entry = (&'static str, *const ());

/// Whether every line of output starts with the rank that wrote it.
static TAG_OUTPUT: AtomicBool = AtomicBool::new(false);

/// Reads from the job what this room must know, before the first rank lives.
pub(super) fn prepare(job: &Job) {
    TAG_OUTPUT.store(job.tag_output, Ordering::Relaxed);
    environ::prepare();
    jumps::watch();
}

/// The function that private images call under the name of libc's `name`.
pub(super) fn function(name: &str) -> Option<*const ()> {
    struct Table(Vec<Entry>);
    // SAFETY: the table holds addresses of functions, which are never written to.
    unsafe impl Send for Table {}
    // SAFETY: as above.
    unsafe impl Sync for Table {}
    static TABLE: OnceLock<Table> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        variadic::connect();
        let rooms = [
            alloc::TABLE,
            backtraces::TABLE,
            dl::TABLE,
            environ::TABLE,
            files::TABLE,
            formats::TABLE,
            getopt::TABLE,
            jumps::TABLE,
            keys::TABLE,
            messages::TABLE,
            openmp::TABLE,
            processes::TABLE,
            random::TABLE,
            settling::TABLE,
            stdio::TABLE,
            strings::TABLE,
            tables::TABLE,
            time::TABLE,
            variadic::TABLE,
        ];
        let mut entries = rooms.concat();
        entries.sort_unstable_by_key(|entry| entry.0);
        Table(entries)
    });
    if let Some((_, own)) = replayed::TABLE.iter().find(|entry| entry.0 == name) {
        return replay::is_wanted().then_some(*own);
    }
    let index = table.0.binary_search_by_key(&name, |entry| entry.0).ok()?;
    Some(table.0[index].1)
}

/// Where the private images of a rank find libc's variable `name` (`stdout`, `environ`, `optind`).
pub(super) fn variable(state: &LibcState, name: &str) -> Option<*const ()> {
    let variable = Variable::named(name)?;
    state.settle(variable);
    Some(state.homes.address::<()>(variable).cast_const())
}

impl LibcState {
    /// Puts `name=value` into the rank's environment.
    pub(super) fn set_variable(&self, line: &CStr) {
        environ::set(self, line);
    }

    /// The state of a fresh life in `seat`.
    pub(super) fn new(seat: usize) -> LibcState {
        LibcState {
            seat,
            homes: Homes::new(),
            dl: dl::Refusals::default(),
            environ: environ::Environ::default(),
            files: files::Files::default(),
            getopt: getopt::Getopt::default(),
            hash: tables::Hash::default(),
            keys: keys::Keys::default(),
            openmp: openmp::Locks::default(),
            random: random::Random::default(),
            streams: stdio::Streams::default(),
            strings: strings::Strings::default(),
            tags: tag::Tags::default(),
            time: time::Time::default(),
        }
    }

    /// The rank's image has its own copy of the variable `name`, at `address`: from now on that is
    /// the variable. Its first value is written there. Names that are not ours are left alone.
    pub(super) fn set_home(&self, name: &str, address: *mut ()) {
        if let Some(variable) = Variable::named(name) {
            self.homes.set(variable, address);
            self.settle(variable);
        }
    }

    /// The variable `name` is the one at `address`, for all ranks: of the standard streams that is
    /// so where they run in one image. Other variables of this rank stay its own.
    pub(super) fn share_home(&self, name: &str, address: *mut ()) {
        let streams = [Variable::Stdin, Variable::Stdout, Variable::Stderr];
        if let Some(variable) = Variable::named(name).filter(|it| streams.contains(it)) {
            self.homes.set(variable, address);
        }
    }

    /// The environment of this rank, for its `main`.
    pub(super) fn envp(&self) -> *mut *mut c_char {
        self.settle(Variable::Environ);
        self.homes.read(Variable::Environ)
    }

    /// Gives a variable that is still empty the value it has at the start of a program.
    fn settle(&self, variable: Variable) {
        match variable {
            Variable::Stdin | Variable::Stdout | Variable::Stderr => stdio::settle(self, variable),
            Variable::Environ => environ::settle(self),
            Variable::Optind | Variable::Opterr => self.homes.write(variable, 1),
            Variable::Optopt => self.homes.write(variable, i32::from(b'?')),
            Variable::Optarg => self.homes.write(variable, std::ptr::null_mut::<c_char>()),
            Variable::Tzname => {
                let unknown = c"GMT".as_ptr().cast_mut();
                self.homes.write(variable, [unknown, unknown]);
            }
            Variable::Timezone => self.homes.write::<c_long>(variable, 0),
            Variable::Daylight | Variable::Signgam => self.homes.write(variable, 0),
        }
    }
}

/// The state of the rank whose thread this is.
#[inline]
fn state() -> Option<&'static LibcState> {
    current().map(|rank| &rank.libc)
}

/// Ends the rank whose thread this is, as its own `abort` would.
fn abort() -> ! {
    // SAFETY: has no preconditions.
    unsafe { life::abort() }
}

/// Ends the rank whose thread this is, as its own `exit` would.
fn exit(status: i32) -> ! {
    // SAFETY: has no preconditions beyond those of `exit` itself.
    unsafe { life::exit(status) }
}

/// Sets `errno` of the calling thread.
pub(super) fn set_errno(number: i32) {
    // SAFETY: libc gives every thread its own, for as long as the thread lives.
    unsafe { libc::__errno_location().write(number) };
}

/// A file's lines of the table: each shim under the name of the function that it replaces.
macro_rules! table {
    ($($name:ident),* $(,)? $(; $($alias:ident = $function:path),* $(,)?)?) => {
        pub(super) const TABLE: &[crate::host::shims::Entry] = &[
            $((stringify!($name), $name as *const ())),*
            $(, $((stringify!($alias), $function as *const ())),*)?
        ];
    };
}
use table;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_once() {
        assert!(function("malloc").is_some());
        assert!(function("printf").is_some());
        assert!(function("getopt_long").is_some());
        assert_eq!(function("memcpy"), None);
        assert_eq!(function(""), None);
    }

    #[test]
    fn variables_start_as_in_a_fresh_program() {
        let state = LibcState::new(3);
        let optind = variable(&state, "optind").unwrap().cast::<i32>();
        // SAFETY: the state lives, and the slot is an int.
        assert_eq!(unsafe { optind.read() }, 1);
        let mut copy = 17;
        state.set_home("optind", (&raw mut copy).cast());
        assert_eq!(copy, 1);
        assert_eq!(variable(&state, "optind"), Some((&raw const copy).cast()));
        assert_eq!(variable(&state, "program_invocation_name"), None);
        assert_eq!(variable(&state, "environ"), variable(&state, "__environ"));
    }
}
