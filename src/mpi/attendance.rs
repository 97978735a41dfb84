//! A communicator's part in the meeting of its members.

use crate::base::Member;
use crate::engine::Meeting;
use crate::mpi::comm::Comm;
use crate::mpi::process::Process;
use crate::mpi::world::World;
use std::sync::{Arc, OnceLock};

/// Found when the first operation needs it; shared by all handles of one communicator.
#[derive(Clone, Default)]
pub struct Attendance(Arc<OnceLock<Attendee>>);

/// Goes with the last handle.
struct Attendee {
    world: &'static World,
    meeting: Arc<Meeting>,
}

impl Attendance {
    /// The meeting of the members of `comm`, whose attendance this is.
    #[inline]
    pub(super) fn meeting(&self, process: &Process, comm: &Comm) -> &Arc<Meeting> {
        let attend = || {
            let world = process.world;
            let meeting = match comm.remote() {
                Err(_) => {
                    let list = || comm.group.members().collect();
                    world.meeting((comm.context(), comm.member(0)), list)
                }
                Ok(_) => {
                    let all = both_groups(comm);
                    world.meeting((comm.context(), all[0]), || all.clone())
                }
            };
            Attendee { world, meeting }
        };
        &self.0.get_or_init(attend).meeting
    }
}

/// The members of both groups of `comm`, which both list alike.
pub(super) fn both_groups(comm: &Comm) -> Vec<Member> {
    let mut all: Vec<Member> = comm.group.members().chain(comm.peers().members()).collect();
    all.sort_unstable_by_key(|member| (member.seat, member.incarnation));
    all
}

impl Drop for Attendee {
    fn drop(&mut self) {
        self.world.leave_meeting(&self.meeting);
    }
}
