//! A room that is reserved for a communicator whose members have yet to agree that they use the area.

use super::area::{Area, Hall, Seat};
use super::rooms::Context;

/// What this process has for the communicator: a room, or none as none is left. Unless the members
/// meet, it is given back.
pub struct Reservation {
    area: &'static Area,
    context: Context,
    room: Option<u8>,
}

impl Reservation {
    pub(super) fn new(area: &'static Area, context: Context, room: Option<u8>) -> Reservation {
        Reservation { area, context, room }
    }

    pub fn room(&self) -> Option<u8> {
        self.room
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
