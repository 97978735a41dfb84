//! Operations that the engine carries on, several of which may be under way.
//!
//! Their numbers are those of all collective operations: a member that has called another form than
//! the others is told so, and stays in step. In a round, a turn follows the one that its member has
//! drawn before for it. A member may be ahead of others by as many operations as there are rounds:
//! then a later one waits, in its run, until all members have released all operations up to the one
//! before in its round. Those need nothing of later ones, so the wait ends. The repetitions of a
//! persistent operation are a series of their own, as members may start several such operations in
//! different orders.

use super::series::{Repeated, after, position};
use super::{Meeting, Round, Series};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// A series of repetitions has this many rounds.
const ROUNDS_OF_REPETITIONS: u32 = 2;
/// The number of rounds for nonblocking operations, with a limit on rounds times members.
/// (A checkpoint holds six numbers until it ends.)
const FEWEST_ROUNDS: usize = 8;
const MOST_ROUNDS: usize = 32;
const ROUNDS_OF_ALL: usize = 2048;

/// One member's part in a series.
pub struct Enrolment {
    meeting: Arc<Meeting>,
    /// `None`: the nonblocking operations of the communicator.
    repeated: Option<Arc<Repeated>>,
    place: usize,
    /// The number of the next repetition.
    next: AtomicU32,
}

impl Meeting {
    /// The member at `place` takes part in the nonblocking operations.
    pub fn enrol(self: &Arc<Meeting>, place: usize) -> Arc<Enrolment> {
        self.enrolment(None, place)
    }

    /// The member at `place` takes part in the persistent operation with this number.
    pub fn enrol_again(self: &Arc<Meeting>, number: u32, place: usize) -> Arc<Enrolment> {
        let make = || {
            let series = Series::of_runs(self.members.len(), ROUNDS_OF_REPETITIONS);
            Arc::new(Repeated::new(number, series))
        };
        let repeated = self.repeated.lock().entry(number).or_insert_with(make).clone();
        self.enrolment(Some(repeated), place)
    }

    fn enrolment(
        self: &Arc<Meeting>, repeated: Option<Arc<Repeated>>, place: usize,
    ) -> Arc<Enrolment> {
        Arc::new(Enrolment { meeting: self.clone(), repeated, place, next: AtomicU32::new(0) })
    }

    /// The nonblocking operations.
    pub(super) fn nonblocking(&self) -> &Series {
        self.nonblocking.get_or_init(|| {
            let members = self.members.len();
            let count = (ROUNDS_OF_ALL / members).clamp(FEWEST_ROUNDS, MOST_ROUNDS);
            Series::of_runs(members, 1 << count.ilog2())
        })
    }
}

impl Enrolment {
    /// Draws the operation with this number, as the program orders them for all members alike.
    pub fn draw(self: &Arc<Enrolment>, number: u32) -> Drawn {
        let (before, position) = self.series().draw(number, self.place);
        self.meeting.tell(self.series(), position);
        Drawn { enrolment: self.clone(), turn: number, before, has_come: AtomicBool::new(false) }
    }

    /// Draws the next repetition.
    pub fn draw_next(self: &Arc<Enrolment>) -> Drawn {
        // One after the other, as the program orders them.
        let number = self.next.load(Ordering::Relaxed);
        self.next.store(after(number), Ordering::Relaxed);
        self.draw(number)
    }

    pub fn series(&self) -> &Series {
        match &self.repeated {
            Some(repeated) => &repeated.series,
            None => self.meeting.nonblocking(),
        }
    }
}

impl Drop for Enrolment {
    fn drop(&mut self) {
        let Some(repeated) = &self.repeated else { return };
        if repeated.free() == self.meeting.members.len() {
            self.meeting.repeated.lock().remove(&repeated.number);
        }
    }
}

/// An operation by its number in a series. The member releases it with this: then it needs nothing
/// of others any more, nor they of it.
pub struct Drawn {
    enrolment: Arc<Enrolment>,
    turn: u32,
    /// The turn before in the same round.
    before: Option<u32>,
    has_come: AtomicBool,
}

impl Drawn {
    pub fn enrolment(&self) -> &Arc<Enrolment> {
        &self.enrolment
    }

    pub fn series(&self) -> &Series {
        self.enrolment.series()
    }

    /// The number of its turn.
    pub fn turn(&self) -> u32 {
        self.turn
    }

    /// The position that members have yet to reach until nobody needs what is in the round; `None`:
    /// it is free.
    pub fn lacks(&self) -> Option<u32> {
        let needed = position(after(self.before?));
        Some(needed).filter(|needed| !self.series().are_as_far(*needed))
    }

    /// The member arrives; returns the round of the operation.
    pub fn come(&self) -> &Round {
        self.has_come.store(true, Ordering::Relaxed);
        let round = self.series().round(self.turn);
        round.line(self.enrolment.place).come(self.turn);
        round
    }
}

impl Drop for Drawn {
    fn drop(&mut self) {
        let Enrolment { meeting, place, .. } = &*self.enrolment;
        let instead = (!self.has_come.load(Ordering::Relaxed)).then_some(self.before);
        let position = self.series().release(self.turn, *place, instead);
        meeting.tell(self.series(), position);
    }
}
