//! The link from a communicator to its meeting, the shared memory of its members' collectives.

use crate::base::Member;
use crate::engine::{Drawn, Enrolment, Meeting};
use crate::mpi::comm::membership::Membership;
use crate::mpi::comm::{Attendee, Comm};
use crate::mpi::error::{Class, Result};
use crate::mpi::process::Process;
use crate::transport::{Hall, Reservation, Seat};
use std::sync::{Arc, OnceLock};

/// What a member tells of the room of its process; and the room, unless ranks share it.
pub(in crate::mpi) struct RoomOffer {
    pub(in crate::mpi) told: [u8; 1],
    reserved: Option<Reservation>,
}

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

    /// Where the processes of members of one group meet without messages: all of MPI_COMM_WORLD,
    /// and those who have agreed on it.
    pub(in crate::mpi) fn hall(&self, process: &Process) -> Option<&Hall> {
        if !self.may_meet_afar(process) {
            return None;
        }
        let Attendee { meeting, hall, .. } = self.attendee(process);
        if let Some(levels) = meeting.levels() {
            let firsts = || levels.firsts();
            return levels.hall(|| process.world.area()?.hall_of_world(self.context(), firsts()));
        }
        if hall.get().is_none() {
            let area = process.world.area()?;
            let members = self.group.members().map(|member| (member, member.seat));
            let found = area.hall_of_world(self.context(), members)?;
            let _ = hall.set(Some(found));
        }
        hall.get()?.as_ref()
    }

    fn may_meet_afar(&self, process: &Process) -> bool {
        process.world.is_of_several_processes() && self.is_whole() && self.group.len() > 1
    }

    /// Takes a room for [`Comm::meet_afar`], unless the members have agreed already.
    pub(in crate::mpi) fn offer_room(&self, process: &Process) -> Option<RoomOffer> {
        let world = process.world;
        let area = self.may_meet_afar(process).then(|| world.area()).flatten()?;
        let reserve = || area.reserve_room(self.context(), |member| world.is_dead(member));
        let Attendee { meeting, hall, .. } = self.attendee(process);
        if let Some(levels) = meeting.levels() {
            let told = levels.reserve(reserve, Reservation::told)?;
            return Some(RoomOffer { told, reserved: None });
        }
        let reserved = hall.get().is_none().then(reserve)?;
        Some(RoomOffer { told: reserved.told(), reserved: Some(reserved) })
    }

    /// The processes of the members meet in these rooms, or, if one of them has none, never.
    pub(in crate::mpi) fn meet_afar(
        &self, process: &Process, offer: RoomOffer, rooms: Option<Vec<u8>>,
    ) {
        let Attendee { meeting, hall, .. } = self.attendee(process);
        if let Some(levels) = meeting.levels() {
            return levels.settle(|reserved| {
                let room =
                    |group: usize| rooms.as_ref().map(|rooms| rooms[levels.places(group)[0]]);
                let seat =
                    |(group, (member, process))| Some(Seat { member, process, room: room(group)? });
                Some(reserved.meet(levels.firsts().enumerate().map(seat).collect::<Option<_>>()?))
            });
        }
        let seats = |rooms: Vec<u8>| self.group.members().zip(rooms);
        let seat = |(member, room): (Member, u8)| Seat { member, process: member.seat, room };
        let reserved = offer.reserved.zip(rooms);
        let found = reserved.map(|(it, rooms)| it.meet(seats(rooms).map(seat).collect()));
        let _ = hall.set(found);
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
