//! The life of a rank: new → running → ended or dead → perhaps a new incarnation. And the
//! supervisor.
//!
//! A rank begins in [`birth`] and ends in [`ending`], on its own thread, whose last act is to hand
//! the rank to the [`supervisor`] on the process's first thread. Only the supervisor frees
//! anything.

mod abort;
mod apps;
mod arguments;
mod birth;
mod closing;
mod command;
mod ending;
mod exit;
mod exit_list;
mod exits;
mod files;
mod ground;
mod lasts;
mod limits;
mod obituary;
mod pulse;
mod record;
mod run;
mod running_job;
mod seat;
mod spawn;
mod supervisor;
mod tenant;
mod thread;
mod threads;
mod units;
mod verdict;

pub use apps::{Apps, Started};
pub use closing::{end_process, kill_process, refuse, write_what_is_held};
pub use ending::end_current;
pub use obituary::{cause, obituary};
pub use pulse::Pulse;
pub use run::{has_alarms, run};
pub use running_job::{
    app_of, dismiss, expect_dues, incarnation, kill, kill_newborn, kill_only, living, pin, respawn,
    show_memory,
};
pub use seat::{Pin, Visit};
pub use spawn::{Order, Startable, executable, find, start};
pub use tenant::Tenant;
pub use verdict::{Ending, Newcomer, Verdict};

pub(super) use abort::abort;
pub(super) use ending::is_own_process;
pub(super) use exit::{SHIMS as EXIT_SHIMS, exit};
pub(super) use exits::SHIMS as EXITS_SHIMS;
pub(super) use record::Life;
pub(super) use running_job::{admit, defer, expect_alarms, forward, harmless_code, own_offset};
pub(super) use thread::{Thread, this as this_thread};
pub(super) use thread::{look_at_signals, serve_signals_by};
pub(super) use threads::{living as living_threads, own_stack, settle};
