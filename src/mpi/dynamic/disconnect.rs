//! MPI_Comm_disconnect: frees a communicator after all members have finished what they have under
//! way there (MPI-5.0 §11.10.4). A failure of a member ends the wait, and leaves the communicator
//! as it is: MPI_Comm_free waits for nobody.

use crate::engine::{Outcome, PeerWait, Watch};
use crate::mpi::coll;
use crate::mpi::comm::{Comm, WORLD, create};
use crate::mpi::error::Result;
use crate::mpi::p2p::outcome::{envelope, news};
use crate::mpi::process::Process;

/// Disconnects the members of the communicator behind `handle`.
pub fn disconnect(process: &'static Process, handle: usize) -> Result {
    let comm = process.comm(handle, "comm")?;
    // Another handle of the world, or what cannot be freed.
    let is_more = comm.is_alias_of(&process.world_comm()) || comm.is_predefined();
    if handle != WORLD && !is_more {
        come_to_rest(process, &comm)?;
        coll::leave_together(process, &comm)?;
    }
    create::free(process, handle)
}

/// Waits until this process has nothing under way on `comm`.
fn come_to_rest(process: &Process, comm: &Comm) -> Result {
    let (rank, member, roster) = (comm.rank, process.me, comm.everyone());
    let watch = Watch::Everyone { rank, member, roster };
    let envelope = envelope(2 * comm.context() + 1, comm.rank, 0);
    let wait = PeerWait { envelope, watch: &watch, missing: comm.rank };
    let contexts = [comm.context(), comm.local().context()];
    let runs = || process.requests.runs_of(comm);
    let mishap = process.engine.come_to_rest(&wait, contexts, runs)?;
    news(&Outcome { mishap, ..Outcome::default() })
}
