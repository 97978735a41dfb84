//! A room that is reserved for a communicator whose members have yet to agree that they meet in the
//! shared area.

use super::area::{Area, Hall, Seat};
use super::rooms::{self, Context};
use crate::base::Member;

/// What this process has for the communicator: a room, or none as none is left. Unless the members
/// meet, it is given back.
pub struct Reservation {
    area: &'static Area,
    context: Context,
    room: Option<u8>,
}

impl Area {
    /// Reserves a room of this process for a communicator, if one is left.
    pub fn reserve_room(
        &'static self, context: Context, is_dead: impl Fn(Member) -> bool,
    ) -> Reservation {
        Reservation { area: self, context, room: self.take_room(context, is_dead) }
    }
}

impl Reservation {
    /// What the other members are to hear.
    pub fn told(&self) -> [u8; 1] {
        rooms::told(self.room)
    }

    /// The rooms of all members, by what each has told; `None`: they do not meet.
    pub fn heard(told: &[Vec<u8>]) -> Option<Vec<u8>> {
        rooms::heard(told)
    }

    /// The members meet in these rooms, this process in the one that it has.
    pub fn meet(mut self, members: Box<[Seat]>) -> Hall {
        self.room = None;
        Hall::of(self.area, self.context, members)
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        if let Some(room) = self.room {
            self.area.give_back(room);
        }
    }
}
