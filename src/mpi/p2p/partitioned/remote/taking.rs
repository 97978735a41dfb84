//! The receiver's half, whose sender is in another process.

use super::greeting::Greeting;
use super::{Messages, Way, mishap_of};
use crate::base::slab::Key as Run;
use crate::engine::{Awaited, Died, Event, Mishap, Mode, Ops, Outcome, Want};
use crate::host::memory::{Region, Span};
use crate::mpi::p2p::partitioned::buffer::Buffer;
use crate::transport::{Between, Envelope};
use parking_lot::Mutex;
use std::future::poll_fn;
use std::sync::{Arc, OnceLock};
use std::task::Poll;

/// The receiver's half.
pub(in crate::mpi::p2p::partitioned) struct Taking {
    pub(in crate::mpi::p2p::partitioned) way: Way,
    data: Region,
    partitions: usize,
    /// What the sender has said, or why nothing comes from there.
    greeting: OnceLock<Result<Greeting, Mishap>>,
    round: Mutex<Round>,
}

#[derive(Default)]
struct Round {
    /// `None`: the sender has not greeted yet.
    messages: Option<Messages>,
    /// Of a round that is over: which messages have arrived.
    arrived: Vec<bool>,
    /// A failure has ended it.
    mishap: Option<Mishap>,
}

impl Round {
    fn is_over(&mut self, ops: &Ops) -> bool {
        self.messages.as_mut().is_some_and(|messages| messages.have_ended(ops))
    }

    fn has_arrived(&self, ops: &Ops, message: usize) -> bool {
        let key = self.messages.as_ref().and_then(|messages| messages.keys.get(message));
        match key.and_then(|key| ops.outcome(*key)) {
            Some(outcome) => mishap_of(outcome).is_none(),
            None => self.arrived.get(message).copied().unwrap_or(false),
        }
    }

    /// Forgets all messages, and tells why the round has failed, if it has.
    fn end(&mut self, ops: &mut Ops) -> Option<Mishap> {
        let keys = self.messages.take().map(|messages| messages.keys).unwrap_or_default();
        let ends: Vec<_> = keys.into_iter().filter_map(|key| ops.collect(key)).collect();
        self.arrived = ends.iter().map(|end| mishap_of(end).is_none()).collect();
        self.mishap.or_else(|| ends.iter().find_map(mishap_of))
    }
}

impl Taking {
    /// Creates it, and waits for the sender's greeting, whatever becomes of the request.
    pub(in crate::mpi::p2p::partitioned) fn new(
        way: Way, buffer: Buffer,
    ) -> Result<Arc<Taking>, Died> {
        let Buffer { data, partitions } = buffer;
        let (greeting, round) = (OnceLock::new(), Mutex::default());
        let taking = Arc::new(Taking { way, data, partitions, greeting, round });
        let engine = taking.way.engine;
        if let Some(run) = engine.start_run(|run| Box::pin(taking.clone().be_greeted(run)))? {
            engine.abandon(run);
        }
        Ok(taking)
    }

    async fn be_greeted(self: Arc<Taking>, run: Run) -> Result<Outcome, Died> {
        let Way { engine, envelope, .. } = self.way;
        let mut bytes = Box::new([0; Greeting::BYTES]);
        let into = Span::of_mut(&mut bytes[..]);
        let pattern = self.way.pattern(Between::Greeting, envelope.tag);
        let op = engine.start_receive(pattern, self.way.watch(), into)?;
        let end = poll_fn(|_| engine.ended_for(op, run).map_or(Poll::Pending, Poll::Ready)).await;
        let said = mishap_of(&end).map_or_else(|| Ok(Greeting::from_bytes(&bytes)), Err);
        self.greeting.get_or_init(|| said);
        Ok(Outcome::default())
    }

    /// Starts the next round.
    pub(in crate::mpi::p2p::partitioned) fn start(&self) {
        *self.round.lock() = Round::default();
    }

    fn each(&self) -> usize {
        self.data.bytes().checked_div(self.partitions).unwrap_or(0)
    }

    pub(in crate::mpi::p2p::partitioned) fn has_arrived(&self, partition: usize) -> bool {
        self.way.engine.look(|ops| self.is_there(&self.round.lock(), ops, partition))
    }

    fn is_there(&self, round: &Round, ops: &Ops, partition: usize) -> bool {
        let Some(Ok(greeting)) = self.greeting.get() else { return false };
        let mut needed = greeting.needed(self.partitions, self.each(), partition);
        needed.all(|message| round.has_arrived(ops, message))
    }

    /// Waits until the round is complete, or until a failure ends it.
    pub(in crate::mpi::p2p::partitioned) async fn finish(
        self: Arc<Taking>, run: Run,
    ) -> Result<Outcome, Died> {
        poll_fn(|_| {
            let end = self.look();
            if matches!(end, Ok(None)) {
                self.way.engine.call_back(run, Awaited::Event(self.clone()));
            }
            end.transpose().map_or(Poll::Pending, Poll::Ready)
        })
        .await
    }

    /// How the round has ended, if it has.
    fn look(&self) -> Result<Option<Outcome>, Died> {
        let (engine, way) = (self.way.engine, &self.way);
        let greeting = match self.greeting.get() {
            Some(Ok(greeting)) => greeting,
            Some(Err(mishap)) => return Ok(Some(way.failed(*mishap))),
            // Of a sender that is dead the greeting may be there, and with it data.
            None => {
                let objection = way.objection();
                let objection = objection.filter(|it| !matches!(it, Mishap::Lost { .. }));
                return Ok(objection.map(|mishap| way.failed(mishap)));
            }
        };
        if self.round.lock().messages.is_none() {
            self.post(greeting)?;
        }
        // What the sender has brought about before it died counts.
        if !engine.look(|ops| self.round.lock().is_over(ops)) {
            match way.objection() {
                Some(mishap) => self.give_up(mishap),
                None => return Ok(None),
            }
        }
        let end = engine.look(|ops| {
            let mut round = self.round.lock();
            round.is_over(ops).then(|| round.end(ops))
        });
        let outcome = |mishap: Option<Mishap>| {
            mishap.map_or_else(|| self.outcome(), |mishap| way.failed(mishap))
        };
        Ok(end.map(outcome))
    }

    /// Posts the receives of a round, and lets the sender know that it has begun.
    fn post(&self, greeting: &Greeting) -> Result<(), Died> {
        let (engine, each) = (self.way.engine, greeting.each);
        let receive = |message: usize| {
            let pattern = self.way.pattern(Between::Data, greeting.tag + message as i32);
            let from = (message * each).min(self.data.bytes());
            engine.start_receive(pattern, self.way.watch(), self.data.part(from, each))
        };
        let keys = (0..greeting.messages()).map(receive).collect::<Result<_, Died>>()?;
        self.round.lock().messages = Some(Messages { keys, ended: 0 });
        let letter = self.way.letter(Between::Start, greeting.tag);
        if let Some(op) = engine.send(letter, &Region::EMPTY, Mode::Standard)? {
            engine.abandon(op);
        }
        Ok(())
    }

    fn give_up(&self, mishap: Mishap) {
        let mut round = self.round.lock();
        round.mishap.get_or_insert(mishap);
        let keys = round.messages.as_ref().map(|messages| messages.keys.clone());
        drop(round);
        keys.unwrap_or_default().into_iter().for_each(|key| self.way.engine.cancel(key));
    }

    /// How a round ends that is complete.
    pub(in crate::mpi::p2p::partitioned) fn outcome(&self) -> Outcome {
        let greeting = self.greeting.get().and_then(|greeting| greeting.as_ref().ok());
        let (sent, room) = (greeting.map_or(0, Greeting::bytes), self.data.bytes());
        let Envelope { source, tag, .. } = self.way.envelope;
        let mishap = (sent > room).then_some(Mishap::Truncated { sent });
        Outcome { source, tag, bytes: sent.min(room), is_cancelled: false, mishap }
    }
}

impl Event for Taking {
    fn has_happened(&self, ops: &Ops) -> bool {
        let mut round = self.round.lock();
        match &round.messages {
            None => self.greeting.get().is_some(),
            Some(_) => round.is_over(ops),
        }
    }

    fn want(&self, ops: &Ops) -> Want {
        let Envelope { context, source, tag } = self.way.envelope;
        let round = self.round.lock();
        let is_missing = |partition: &usize| !self.is_there(&round, ops, *partition);
        let missing = (0..self.partitions).filter(is_missing).count();
        Want::Partitions { context, source, tag, missing }
    }
}
