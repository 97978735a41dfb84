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
mod entry;
mod environ;
mod files;
mod formats;
mod getopt;
mod homes;
pub mod jumps;
pub(super) mod keys;
mod messages;
mod open_files;
mod openmp;
mod processes;
mod random;
mod replayed;
mod settling;
mod spares;
mod stand_ins;
mod state;
pub(super) mod stdio;
mod stream;
mod strings;
mod tables;
mod tag;
mod time;
mod variables;
mod variadic;

pub(super) use entry::Entry;
pub(super) use replayed::clock_gettime;
pub(super) use stand_ins::{function, prepare};
pub(super) use state::LibcState;
pub(super) use variables::variable;

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
