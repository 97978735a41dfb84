//! Messages on their way through the simulated network. Each has a number, which is all that the
//! calendar and the network know of it.

use super::desks::Token;
use crate::machine::units::Picos;
use crate::transport::packet::Packet;

/// A message on its way.
pub(super) struct Journey {
    pub(super) seats: (usize, usize),
    pub(super) nodes: (usize, usize),
    pub(super) bytes: u64,
    /// Whether it stays behind the message before it.
    pub(super) is_in_order: bool,
    pub(super) then: Then,
}

/// What happens when a message arrives.
pub(super) enum Then {
    /// The receiver's seat gets a packet.
    Deliver(Packet),
    Take(Token),
    /// The journey with this number, for which it was needed, begins with this step.
    Go(Step, usize),
    Call(Box<dyn FnOnce(Picos) + Send>),
}

/// What journeys do that the calendar knows of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Behind those that are under way between its seats.
    Enter = 1,
    Leave,
    Arrive,
}

impl Step {
    /// As an entry of the calendar: no packet has such an address.
    pub(super) fn numbers(self, journey: usize) -> [usize; 2] {
        [self as usize, journey]
    }

    pub(super) fn of(numbers: [usize; 2]) -> Option<(Step, usize)> {
        let step = [Step::Enter, Step::Leave, Step::Arrive];
        step.into_iter().find(|step| *step as usize == numbers[0]).map(|step| (step, numbers[1]))
    }
}

/// All that are under way.
#[derive(Default)]
pub(super) struct Journeys {
    all: Vec<Option<Journey>>,
    free: Vec<usize>,
}

impl Journeys {
    /// Returns its number.
    pub(super) fn add(&mut self, journey: Journey) -> usize {
        let number = self.free.pop().unwrap_or_else(|| {
            self.all.push(None);
            self.all.len() - 1
        });
        self.all[number] = Some(journey);
        number
    }

    pub(super) fn of(&self, number: usize) -> &Journey {
        self.all[number].as_ref().expect("it is under way")
    }

    pub(super) fn take(&mut self, number: usize) -> Journey {
        self.free.push(number);
        self.all[number].take().expect("it is under way")
    }
}
