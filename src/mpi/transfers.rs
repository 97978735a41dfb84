//! How calls and runs wait, in virtual time, for transfers over the simulated network and for
//! files.

use crate::mpi::error::Result;
use crate::mpi::lane::Lane;
use crate::mpi::process::Process;
use crate::mpi::run::Way;
use crate::transport::Transfers;

/// No message has this tag, and no lane waits for one.
const TAG: i32 = 0;

/// In virtual time, lets pass what it takes to write so many bytes to files, or to read them.
pub async fn access_files(process: &'static Process, way: Way, bytes: usize) -> Result {
    let Some(network) = process.world.network().filter(|_| bytes > 0) else { return Ok(()) };
    let access = Transfers::default();
    network.access_files(&access, bytes as u64);
    if access.are_over() { Ok(()) } else { arrive(process, way, &access).await }
}

/// Waits until all of these are over, as the run waits.
pub async fn arrive(process: &'static Process, way: Way, transfers: &Transfers) -> Result {
    let lane = Lane::new(process, process.self_comm(), TAG, way);
    let (wait, outside) = lane.start_outside()?;
    transfers.then(move || _ = process.engine.report(outside));
    wait.end().await.map(drop)
}
