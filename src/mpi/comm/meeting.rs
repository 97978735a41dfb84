//! The link from a communicator to its meeting, the shared memory of its members' collectives.

use crate::engine::Meeting;
use crate::engine::World;
use crate::mpi::comm::Comm;
use crate::mpi::process::Process;
use std::sync::{Arc, OnceLock};

/// The meeting, found when the first operation needs it; shared by all handles of one communicator.
#[derive(Clone, Default)]
pub struct Attendance(Arc<OnceLock<Attendee>>);

/// Released with the last handle.
struct Attendee {
    world: &'static World,
    meeting: Arc<Meeting>,
}

impl Comm {
    /// Where the members meet; in an intercommunicator, those of both groups.
    #[inline(always)]
    pub(in crate::mpi) fn meeting(&self, process: &Process) -> &Meeting {
        let comm = self.union();
        let attend = || {
            let (world, key) = (process.world, (comm.context(), comm.member(0)));
            let list = || comm.group.members().collect();
            Attendee { world, meeting: world.meeting(key, list) }
        };
        &comm.attendance.0.get_or_init(attend).meeting
    }
}

impl Drop for Attendee {
    fn drop(&mut self) {
        self.world.leave_meeting(&self.meeting);
    }
}
