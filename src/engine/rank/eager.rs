//! The eager path of short messages: through a ring, into the buffer of a call that waits, as long
//! as this rank has nothing else to attend to. Anything unusual takes the slow path from the start,
//! which judges it.

use super::matching::ANY_TAG;
use crate::base::Member;
use crate::base::sync::cache::comes_soon;
use crate::engine::rank::operation::Died;
use crate::engine::rank::prepost::ROUNDS_OF_LOOKS;
use crate::engine::{Engine, State};
use crate::host::memory::{self, Fault, Span};
use crate::transport::{Envelope, Glance, Next, Outgoing};
use std::ops::DerefMut;
use std::sync::atomic::Ordering;

/// How often a receive looks for its message between two breaths: about a microsecond in all.
const LOOKS: u32 = 8;

impl Engine {
    /// Whether messages may go the short way: no failure is known, there was no recovery, and
    /// steps are not counted.
    #[inline(always)]
    pub fn may_take_fast_path(&self) -> bool {
        self.fast_path.load(Ordering::Relaxed) == self.world.stir()
    }

    /// Whether this rank has been told to die.
    #[inline(always)]
    pub fn is_stopping(&self) -> bool {
        self.pulse.is_stopping()
    }

    /// Sends a message if it can go through a ring right now; the data may be overwritten then.
    #[inline(always)]
    pub fn send_at_once(&self, envelope: Envelope, to: Member, data: Span) -> Result<bool, Died> {
        if !self.may_take_fast_path() {
            return Ok(false);
        }
        match self.state.own() {
            Some(state) => self.send_in(state, envelope, to, data),
            // A copy, so that the fast path keeps its own in registers.
            None => self.send_among_many(&{ envelope }, to, data),
        }
    }

    /// Sends for one of several threads.
    #[inline(never)]
    fn send_among_many(&self, envelope: &Envelope, to: Member, data: Span) -> Result<bool, Died> {
        self.send_in(self.state.lock(), *envelope, to, data)
    }

    #[inline(always)]
    fn send_in(
        &self, mut state: impl DerefMut<Target = State>, envelope: Envelope, to: Member, data: Span,
    ) -> Result<bool, Died> {
        let Some(way) = state.rings.to(to) else {
            drop(state);
            return self.send_outside_at_once(envelope, to, data);
        };
        let (call, sent) = (way.call(), way.send_span(envelope, data));
        match sent {
            Ok(true) => {
                let count = self.sent_shortly.load(Ordering::Relaxed);
                self.sent_shortly.store(count + 1, Ordering::Relaxed);
                drop(state);
                call.announce();
                Ok(true)
            }
            Ok(false) => Ok(false),
            Err(fault) => {
                drop(state);
                Err(self.suffer(fault.address))
            }
        }
    }

    /// Receives a message if it is the next one in a ring, or comes there within a moment, and
    /// tells its tag and its length; false: nothing has happened.
    #[inline(always)]
    pub fn receive_at_once(
        &self, pattern: Envelope, from: Member, into: Span, tell: impl Fn(i32, usize),
    ) -> Result<bool, Died> {
        if !self.may_take_fast_path() {
            return Ok(false);
        }
        if let Some(state) = self.state.own() {
            match self.look_in(state, pattern, from, into, 0) {
                Look::Message { tag, bytes } => {
                    tell(tag, bytes);
                    return Ok(true);
                }
                Look::Nothing | Look::Elsewhere => {}
                Look::Unusual => return Ok(false),
                Look::Fault(fault) => return Err(self.suffer(fault.address)),
            }
        }
        let received = self.receive_soon(pattern, from, into)?;
        Ok(received.map(|(tag, bytes)| tell(tag, bytes)).is_some())
    }

    /// Receives a message that is still to come, or for one of several threads.
    #[inline(never)]
    fn receive_soon(
        &self, pattern: Envelope, from: Member, into: Span,
    ) -> Result<Option<(i32, usize)>, Died> {
        if !self.state.is_own() {
            return self.receive_among_threads(pattern, from, into);
        }
        self.look_again(|| match self.look_in(self.state.lock(), pattern, from, into, LOOKS) {
            Look::Elsewhere => self.look_outside(pattern, from, into),
            seen => seen,
        })
    }

    /// Receives while the rank's other threads use the state until something arrives.
    #[inline(never)]
    fn receive_among_threads(
        &self, pattern: Envelope, from: Member, into: Span,
    ) -> Result<Option<(i32, usize)>, Died> {
        self.look_again(|| {
            let has_come = comes_soon(LOOKS, || self.has_arrivals(self.port.made()));
            match self.look_in(self.state.lock(), pattern, from, into, has_come.into()) {
                Look::Elsewhere => self.look_outside(pattern, from, into),
                seen => seen,
            }
        })
    }

    /// Looks as often as is worth while.
    #[inline(always)]
    fn look_again(&self, look: impl Fn() -> Look) -> Result<Option<(i32, usize)>, Died> {
        for _ in 0..ROUNDS_OF_LOOKS {
            match look() {
                Look::Message { tag, bytes } => return Ok(Some((tag, bytes))),
                Look::Unusual | Look::Elsewhere => return Ok(None),
                Look::Fault(fault) => return Err(self.suffer(fault.address)),
                Look::Nothing if self.pulse.is_stopping() => return Err(Died),
                Look::Nothing => {}
            }
        }
        Ok(None)
    }

    /// Takes the next message of `from` if it is what `pattern` asks for, and comes within so many
    /// looks.
    ///
    /// What else has arrived need not be looked at before that: nothing that `from` has sent
    /// earlier is anywhere but among what waits here already (see `transport::ring`).
    #[inline(always)]
    fn look_in(
        &self, mut state: impl DerefMut<Target = State>, pattern: Envelope, from: Member,
        into: Span, looks: u32,
    ) -> Look {
        if state.is_busy() | state.ops.1.are_waiting() {
            return Look::Unusual;
        }
        let state = &mut *state;
        let (ring, back) = state.rings.both_ways(from);
        let Some(ring) = ring else { return Look::Elsewhere };
        if comes_soon(looks, || ring.has_next()) {
            // A receiver often answers the message that it waits for.
            back.into_iter().for_each(Outgoing::anticipate);
        }
        match ring.glance() {
            Glance::Other => Look::Unusual,
            Glance::Message { envelope, data } => {
                if !is_it(pattern, envelope) || data.bytes() > into.bytes() {
                    return Look::Unusual;
                }
                match ring.take(data, into) {
                    Ok(true) => Look::Message { tag: envelope.tag, bytes: data.bytes() },
                    Ok(false) => Look::Unusual,
                    Err(fault) => Look::Fault(fault),
                }
            }
            Glance::Nothing => {
                let made = self.port.made();
                match self.port.has_arrivals() || made != state.rings.made {
                    true => Look::Unusual,
                    false => Look::Nothing,
                }
            }
        }
    }

    /// The same if `from` may be in another process.
    #[inline(never)]
    fn look_outside(&self, pattern: Envelope, from: Member, into: Span) -> Look {
        let Some(outside) = self.outside else { return Look::Unusual };
        let state = self.state.lock();
        if state.is_busy() | state.ops.1.are_waiting() {
            return Look::Unusual;
        }
        let (mut tag, mut bytes) = (0, 0);
        let next = outside.take_next(from, self.me, LOOKS, |envelope, data| {
            (tag, bytes) = (envelope.tag, data.bytes());
            if self.port.has_arrivals() || !is_it(pattern, envelope) || bytes > into.bytes() {
                return Ok(false);
            }
            memory::copy(data, into.part(0, bytes)).map(|()| true)
        });
        match next {
            Ok(Next::Taken) => Look::Message { tag, bytes },
            Ok(Next::Nothing) if !self.port.has_arrivals() => Look::Nothing,
            Ok(_) => Look::Unusual,
            Err(fault) => Look::Fault(fault),
        }
    }

    /// Looks for a while whether something arrives.
    #[inline(never)]
    pub(in crate::engine) fn look_for_arrivals(&self, made: u32) {
        comes_soon(LOOKS, || self.has_arrivals(made));
    }
}

/// What a receive sees that goes the short way.
enum Look {
    /// Its message, which it has now.
    Message {
        tag: i32,
        bytes: usize,
    },
    Nothing,
    /// There is no ring: it may be in another process.
    Elsewhere,
    /// What is not for here.
    Unusual,
    Fault(Fault),
}

/// Whether a message from the very sender that `pattern` names is one that it asks for.
#[inline(always)]
fn is_it(pattern: Envelope, envelope: Envelope) -> bool {
    pattern.context == envelope.context && (pattern.tag == envelope.tag || pattern.tag == ANY_TAG)
}

impl State {
    /// Whether there is anything but the next message that a receive would have to look at, as long
    /// as all is [well](Engine::may_take_fast_path).
    #[inline(always)]
    pub(in crate::engine) fn is_busy(&self) -> bool {
        (self.posted.len() | self.unexpected.len() | self.due.len() | self.waiting_runs.len()) != 0
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use crate::base::Member;
    use crate::engine::rank::tests::{engine, letter, pattern, peer, roomy_world};
    use crate::engine::{Engine, Mode};
    use crate::host::memory::Span;

    const FROM: Member = Member { seat: 0, incarnation: 0 };

    fn send(sender: &Engine, data: [u8; 8]) {
        let sent = sender.send(letter(0, 1, 3), &Span::of(&data).into(), Mode::Standard);
        assert_eq!(sent, Ok(None));
    }

    /// What comes the short way, if anything does.
    fn at_once(receiver: &Engine) -> Option<[u8; 8]> {
        let mut into = [0; 8];
        let span = Span::of_mut(&mut into);
        let is_told = |tag, bytes| assert_eq!((tag, bytes), (3, 8));
        let has_come = receiver.receive_at_once(pattern(0, 3), FROM, span, is_told);
        has_come.expect("the tests' ranks live").then_some(into)
    }

    #[test]
    fn the_only_thread_and_each_of_several_receive_the_short_way_what_is_there() {
        let world = roomy_world(2);
        let (sender, receiver) = (engine(world, 0), engine(world, 1));
        // After a few messages, a pair has a ring.
        for round in 0..4 {
            send(&sender, [round; 8]);
            let mut into = [0; 8];
            let into = Span::of_mut(&mut into).into();
            let ended = receiver.receive(pattern(0, 3), &peer(0), &into);
            assert_eq!(ended.map(|outcome| outcome.bytes), Ok(8));
        }
        let receives = |round: u8| {
            assert_eq!(at_once(&receiver), None);
            (round..round + 3).for_each(|round| send(&sender, [round; 8]));
            (round..round + 3).for_each(|round| {
                assert_eq!(at_once(&receiver), Some([round; 8]));
            });
            assert_eq!(at_once(&receiver), None);
        };
        receives(10);
        // From now on, no thread owns the state.
        std::thread::scope(|scope| {
            scope.spawn(|| receives(20));
        });
        receives(30);
    }
}
