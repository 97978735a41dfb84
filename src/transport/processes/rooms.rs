//! Which communicator uses which room of a process's part of the shared area.
//!
//! A room whose communicator is freed is used again only when nobody can need any more what was
//! published there: when all members have freed it, or are dead.

/// The context of a communicator.
pub(super) type Context = u32;

/// The communicators of a process that have a room.
pub(super) const ROOMS: usize = 32;

/// Says that there is no room.
const NONE: u8 = u8::MAX;

/// What a process tells the other members of a communicator of the room that it has taken.
pub(super) fn told(room: Option<u8>) -> [u8; 1] {
    [room.unwrap_or(NONE)]
}

/// The rooms of all members, by what each has told: none if one of them has none, or has gone mad.
pub(super) fn heard(told: &[Vec<u8>]) -> Option<Vec<u8>> {
    let room = |told: &Vec<u8>| match told[..] {
        [room] if (OF_WORLD + 1..ROOMS).contains(&room.into()) => Some(room),
        _ => None,
    };
    told.iter().map(room).collect()
}

/// The rooms of one process. `L` says of a room who must leave it.
pub(super) struct Rooms<L>(Vec<Use<L>>);

enum Use<L> {
    Free,
    /// Of this communicator.
    By(Context),
    /// This process has left it; others may not have.
    Left(L),
}

/// The room that MPI_COMM_WORLD has.
pub(super) const OF_WORLD: usize = 0;

impl<L> Rooms<L> {
    pub(super) fn new(count: usize) -> Rooms<L> {
        Rooms((0..count).map(|_| Use::Free).collect())
    }

    /// The world has this context from now on.
    pub(super) fn be_for_world(&mut self, context: Context) {
        self.0[OF_WORLD] = Use::By(context);
    }

    /// Whether the world has this context.
    pub(super) fn is_for_world(&self, context: Context) -> bool {
        matches!(self.0[OF_WORLD], Use::By(by) if by == context)
    }

    /// A room for this communicator, if there is one; `is_over`: whether all who had to leave a
    /// room have done so.
    pub(super) fn take(&mut self, context: Context, is_over: impl Fn(&L) -> bool) -> Option<usize> {
        let can_be_taken = |it: &Use<L>| match it {
            Use::Free => true,
            Use::By(_) => false,
            Use::Left(who) => is_over(who),
        };
        let found = self.0[OF_WORLD + 1..].iter().position(can_be_taken)? + OF_WORLD + 1;
        self.0[found] = Use::By(context);
        Some(found)
    }

    /// Nobody has seen anything in this room.
    pub(super) fn give_back(&mut self, room: usize) {
        self.0[room] = Use::Free;
    }

    /// This process needs the room no more.
    pub(super) fn leave(&mut self, room: usize, who: L) {
        if room != OF_WORLD {
            self.0[room] = Use::Left(who);
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_room_is_used_again_when_all_have_left_it() {
        let mut rooms = Rooms::<&str>::new(3);
        let nobody = |_: &&str| false;
        rooms.be_for_world(0);
        assert_eq!(rooms.take(5, nobody), Some(1));
        assert_eq!(rooms.take(6, nobody), Some(2));
        assert_eq!(rooms.take(7, nobody), None);
        rooms.leave(1, "those of 5");
        assert_eq!(rooms.take(7, nobody), None);
        assert_eq!(rooms.take(7, |who| *who == "those of 5"), Some(1));
        rooms.give_back(2);
        assert_eq!(rooms.take(8, nobody), Some(2));
    }

    #[test]
    fn members_meet_if_each_has_told_of_a_room_that_there_is() {
        let last = ROOMS as u8 - 1;
        let all = |others: &[&[u8]]| {
            let said = others.iter().map(|said| said.to_vec());
            heard(&[told(Some(1)).to_vec()].into_iter().chain(said).collect::<Vec<_>>())
        };
        assert_eq!(all(&[&[last], &[7]]), Some(vec![1, last, 7]));
        for bad in [&told(None)[..], &[], &[7, 7], &[OF_WORLD as u8], &[last + 1], &[200]] {
            assert_eq!(all(&[&[7], bad]), None, "{bad:?}");
        }
    }

    #[test]
    fn the_room_of_the_world_is_never_anybody_elses() {
        let mut rooms = Rooms::<()>::new(2);
        rooms.be_for_world(0);
        rooms.leave(OF_WORLD, ());
        assert!(rooms.is_for_world(0) && !rooms.is_for_world(9));
        rooms.be_for_world(9);
        assert!(rooms.is_for_world(9) && !rooms.is_for_world(0));
        assert_eq!(rooms.take(4, |()| true), Some(1));
        assert_eq!(rooms.take(5, |()| true), None);
    }
}
