//! The job that an exploration and its replays run again and again.

use crate::explore::options::Wanted;
use crate::prepared::{Prepared, prepare};
use crate::shared::refusal::{BROKEN, Refusal};
use nix::sys::personality::{self, Persona};
use std::io;

/// The exit status if something was found.
pub(super) const FOUND: u8 = 1;

/// The seed of all runs that do not try orders, unless the user says otherwise.
pub(super) fn seed(prepared: &Prepared) -> u64 {
    prepared.request.job.seed.unwrap_or(1)
}

/// What the system refuses.
pub(super) fn broken(error: io::Error) -> Refusal {
    Refusal::new(BROKEN, error.to_string())
}

/// The job of the runs, found from whatever directory.
pub(super) fn prepared(called: &str, wanted: &mut Wanted) -> Result<Prepared, Refusal> {
    let request = std::mem::take(&mut wanted.request);
    let mut prepared = prepare(called, request)?;
    if prepared.request.has_processes {
        return Err(Refusal::usage(
            "explore decides in which order ranks run, so they must be in one process: leave \
             --processes out, and see what `ftrun --explain` says of the program",
        ));
    }
    for file in &mut prepared.files {
        *file = std::path::absolute(&file).map_err(broken)?;
    }
    Ok(prepared)
}

/// Runs begin at fixed addresses from now on: without that, a run that follows a seed starts its
/// program a second time.
pub(super) fn fix_addresses() {
    // Where it is not allowed, the run does the same, and is only slower.
    let fixed = |now| personality::set(now | Persona::ADDR_NO_RANDOMIZE);
    let _ = personality::get().and_then(fixed);
}
