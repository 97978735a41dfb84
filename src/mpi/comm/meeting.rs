//! The link from a communicator to its meeting, the shared memory of its members' collectives.

use crate::base::Member;
use crate::engine::{Drawn, Enrolment, Meeting};
use crate::mpi::comm::membership::Membership;
use crate::mpi::comm::{Attendee, Comm};
use crate::mpi::error::{Class, Result};
use crate::mpi::process::Process;
use crate::transport::{Hall, Reservation, Seat};
use std::sync::{Arc, OnceLock};

impl Comm {
    /// Where the members meet; in an intercommunicator, those of both groups.
    #[inline(always)]
    pub(in crate::mpi) fn meeting(&self, process: &Process) -> &Meeting {
        &self.attendee(process).meeting
    }

    /// Where the members meet, and what is known of them.
    #[inline(always)]
    pub(in crate::mpi) fn meeting_and_membership(
        &self, process: &Process,
    ) -> (&Meeting, Membership) {
        let attendee = self.attendee(process);
        (&attendee.meeting, attendee.membership)
    }

    #[inline(always)]
    fn attendee(&self, process: &Process) -> &Attendee {
        let comm = self.union();
        let attend = || {
            let (world, key) = (process.world, (comm.context(), comm.member(0)));
            let list = || comm.group.members().collect();
            let meeting = world.meeting(key, list);
            let membership = Membership::of(&comm.group, world);
            let (hall, nonblocking) = (OnceLock::new(), OnceLock::new());
            Attendee { world, meeting, membership, hall, nonblocking }
        };
        comm.attendance.0.get_or_init(attend)
    }

    /// Where members of one group, each in a process of its own, meet without messages: all of
    /// MPI_COMM_WORLD, and those who have agreed on it.
    pub(in crate::mpi) fn hall(&self, process: &Process) -> Option<&Hall> {
        if !self.may_meet_afar(process) {
            return None;
        }
        let hall = &self.attendee(process).hall;
        if hall.get().is_none() {
            let area = process.world.area()?;
            let found = area.hall_of_world(self.context(), self.group.members())?;
            let _ = hall.set(Some(found));
        }
        hall.get()?.as_ref()
    }

    fn may_meet_afar(&self, process: &Process) -> bool {
        process.world.is_of_several_processes() && self.is_whole() && self.group.len() > 1
    }

    /// Takes a room for [`Comm::meet_afar`], unless the members have agreed already.
    pub(in crate::mpi) fn reserve_room(&self, process: &Process) -> Option<Reservation> {
        let world = process.world;
        let area = self.may_meet_afar(process).then(|| world.area()).flatten()?;
        let is_open = self.attendee(process).hall.get().is_none();
        is_open.then(|| area.reserve_room(self.context(), |member| world.is_dead(member)))
    }

    /// The members meet in these rooms, or, if one of them has none, never.
    pub(in crate::mpi) fn meet_afar(
        &self, process: &Process, reserved: Reservation, rooms: Option<Vec<u8>>,
    ) {
        let hall = rooms.map(|rooms| {
            let seats = self.group.members().zip(rooms);
            reserved.meet(seats.map(|(member, room)| Seat { member, room }).collect())
        });
        let _ = self.attendee(process).hall.set(hall);
    }

    /// Draws the operation with this tag for the engine to carry on, where members can meet.
    pub fn draw(&self, process: &Process, tag: i32) -> Option<Drawn> {
        let comm = self.living();
        comm.can_enrol(process).then(|| {
            let attendee = comm.attendee(process);
            let enrol = || attendee.meeting.enrol(comm.place_in_meeting());
            attendee.nonblocking.get_or_init(enrol).draw(tag as u32)
        })
    }

    /// Takes part in the persistent operation with this tag, where members can meet.
    pub(in crate::mpi) fn enrol_again(
        &self, process: &Process, tag: i32,
    ) -> Option<Arc<Enrolment>> {
        let comm = self.living();
        let enrol =
            || comm.attendee(process).meeting.enrol_again(tag as u32, comm.place_in_meeting());
        comm.can_enrol(process).then(enrol)
    }

    fn can_enrol(&self, process: &Process) -> bool {
        !process.world.is_of_several_processes()
    }

    /// The place of this rank in the meeting.
    fn place_in_meeting(&self) -> usize {
        usize::try_from(self.union().rank).expect("ranks are not negative")
    }

    /// The tag of the next collective operation; all members count alike.
    #[inline]
    pub fn next_collective(&self, process: &Process) -> i32 {
        process.count_collective();
        self.next_tag()
    }

    /// Whether all members are in one process.
    pub fn shares_memory(&self, process: &Process) -> bool {
        self.is_alone() || !process.world.is_of_several_processes()
    }

    /// Whether all members are on one host.
    pub fn is_on_one_host(&self, process: &Process) -> bool {
        let mut members = self.union().group.members();
        let host = |member: Member| process.world.host_of(member.seat);
        let first = members.next().map(host);
        !process.world.is_of_several_processes() || members.all(|one| Some(host(one)) == first)
    }

    /// Fails where the members are on several hosts, for `what` needs memory of one.
    pub fn must_be_on_one_host(&self, process: &Process, what: &str) -> Result {
        if self.is_on_one_host(process) {
            return Ok(());
        }
        let words = format!("{what} among several hosts: use a communicator of one host's ranks");
        Err(Class::UNSUPPORTED_OPERATION.because(words))
    }
}
