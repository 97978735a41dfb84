//! Where a job begins: in the process that has all of its ranks, or in one that has several.

use crate::host::life::Apps;
use crate::host::variables;
use crate::job::company;
use crate::job::start::start_alone;
use crate::job::worlds::Worlds;
use crate::launch::{Job, PRELOAD_KEPT, VARIABLE};

/// Starts a job that runs these apps.
pub fn start(job: Result<(Job, Apps), String>, worlds: &Worlds) -> ! {
    // Programs that the ranks start run without this library's preload.
    let kept = std::env::var_os(PRELOAD_KEPT);
    variables::set("LD_PRELOAD", kept);
    variables::set(VARIABLE, None);
    variables::set(PRELOAD_KEPT, None);
    match job {
        Ok((job, apps)) if job.processes.is_some() => company::start(job, apps, worlds),
        job => start_alone(job, worlds),
    }
}
