//! Jobs on several hosts that are this one: an agent for each, started by `sh -c`.

use super::{Program, Run};
use std::process::Command;

/// Whether UCX is there; if not, a test that is about it has nothing to do.
pub fn has_ucx() -> bool {
    let listed = Command::new("/sbin/ldconfig").arg("-p").output().map(|seen| seen.stdout);
    let has = String::from_utf8_lossy(&listed.unwrap_or_default()).contains("libucp.so.0");
    if !has {
        eprintln!("skipped: libucp.so.0 is not there (Debian: apt-get install libucx0)");
    }
    has
}

/// A run on these hosts.
pub fn on(program: &Program, hosts: &str, ranks: usize) -> Run {
    let run = super::run(program).env("FTMPI_RANKS", "").ranks(ranks);
    run.option("--agent").option("sh -c").option("--hosts").option(hosts).deadline(120)
}
