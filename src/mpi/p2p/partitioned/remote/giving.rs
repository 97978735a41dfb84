//! The sender's half, whose receiver is in another process.

use super::greeting::Greeting;
use super::tags::{Row, Tags};
use super::{Messages, Way, mishap_of};
use crate::base::slab::{Key, Key as Run};
use crate::base::sync::handover::Parts;
use crate::engine::{Awaited, Died, Event, Mishap, Mode, Ops, Outcome, Want, World};
use crate::host::memory::{Region, Span};
use crate::mpi::error::{Class, Result};
use crate::mpi::p2p::partitioned::buffer::Buffer;
use crate::mpi::p2p::status::Status;
use crate::transport::{Between, Envelope};
use parking_lot::Mutex;
use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::Poll;

/// The sender's half.
pub(in crate::mpi::p2p::partitioned) struct Giving {
    pub(in crate::mpi::p2p::partitioned) way: Way,
    data: Region,
    greeting: Greeting,
    tags: Row,
    parts: Parts,
    /// How often it has been started.
    rounds: AtomicU32,
    round: Mutex<Round>,
}

#[derive(Default)]
struct Round {
    /// Waits for the receiver to start.
    start: Option<Key>,
    sends: Messages,
    /// How many partitions have not been sent.
    left: usize,
    /// How many threads send one.
    sending: usize,
    /// A failure has ended it: nothing more is sent.
    mishap: Option<Mishap>,
}

impl Round {
    /// Whether nothing is under way any more, so that the memory is the program's again.
    fn is_over(&mut self, ops: &Ops) -> bool {
        let is_sent = self.left == 0 || self.mishap.is_some();
        let has_started = self.start.is_none_or(|start| ops.outcome(start).is_some());
        is_sent && self.sending == 0 && has_started && self.sends.have_ended(ops)
    }

    /// Forgets all messages, and tells why the round has failed, if it has.
    fn end(&mut self, ops: &mut Ops) -> Option<Mishap> {
        let keys = self.start.take().into_iter().chain(std::mem::take(&mut self.sends).keys);
        let ends = keys.filter_map(|key| ops.collect(key));
        let mishaps: Vec<Mishap> = ends.filter_map(|end| mishap_of(&end)).collect();
        self.mishap.take().or(mishaps.first().copied())
    }
}

impl Giving {
    /// Creates it and greets the receiver.
    pub(in crate::mpi::p2p::partitioned) fn new(
        world: &'static World, way: Way, buffer: Buffer,
    ) -> Result<Giving> {
        let Buffer { data, partitions } = buffer;
        let tags = world.tenant::<Tags>().row(partitions.max(1)).ok_or_else(|| {
            let words = format!("{partitions} partitions are more than there are tags left for");
            Class::INTERN.because(words)
        })?;
        let each = data.bytes().checked_div(partitions).unwrap_or(0);
        let greeting = Greeting { partitions, each, tag: tags.tag(0) };
        let bytes = greeting.to_bytes();
        let letter = way.letter(Between::Greeting, way.envelope.tag);
        // If it comes to nothing, a round says so.
        let sent = way.engine.send_copy(letter, &Span::of(&bytes).into())?;
        if let Some(op) = sent {
            way.engine.abandon(op);
        }
        let (parts, rounds) = (Parts::new(partitions), AtomicU32::new(0));
        Ok(Giving { way, data, greeting, tags, parts, rounds, round: Mutex::default() })
    }

    /// Starts the next round.
    pub(in crate::mpi::p2p::partitioned) fn start(&self) -> std::result::Result<(), Died> {
        self.rounds.fetch_add(1, Ordering::Relaxed);
        let pattern = self.way.pattern(Between::Start, self.greeting.tag);
        let start = self.way.engine.start_receive(pattern, self.way.watch(), Region::EMPTY)?;
        let left = self.greeting.messages();
        *self.round.lock() = Round { start: Some(start), left, ..Round::default() };
        self.way.engine.count_sent(self.way.peer);
        if self.greeting.partitions == 0 { self.send(0) } else { Ok(()) }
    }

    /// A partition is ready; false if it was already.
    pub(in crate::mpi::p2p::partitioned) fn ready(
        &self, partition: usize,
    ) -> std::result::Result<bool, Died> {
        let is_news = self.parts.mark(self.round(), partition);
        if is_news {
            self.send(partition)?;
        }
        Ok(is_news)
    }

    fn round(&self) -> u32 {
        self.rounds.load(Ordering::Relaxed)
    }

    fn send(&self, partition: usize) -> std::result::Result<(), Died> {
        let mut round = self.round.lock();
        if round.mishap.is_some() {
            return Ok(());
        }
        round.sending += 1;
        drop(round);
        let each = self.greeting.each;
        let letter = self.way.letter(Between::Data, self.tags.tag(partition));
        let data = self.data.part(partition * each, each);
        let sent = self.way.engine.send(letter, &data, Mode::Standard)?;
        let mut round = self.round.lock();
        round.sending -= 1;
        round.left -= 1;
        round.sends.keys.extend(sent);
        let is_last = round.left == 0 || round.mishap.is_some();
        drop(round);
        if is_last {
            // Another thread may wait for this.
            self.way.engine.nudge();
        }
        Ok(())
    }

    /// Waits until the round is complete, or until a failure ends it.
    pub(in crate::mpi::p2p::partitioned) async fn finish(
        self: Arc<Giving>, run: Run,
    ) -> std::result::Result<Outcome, Died> {
        let end = poll_fn(|_| match self.look() {
            Some(outcome) => Poll::Ready(outcome),
            None => {
                self.way.engine.call_back(run, Awaited::Event(self.clone()));
                Poll::Pending
            }
        });
        Ok(end.await)
    }

    /// How the round has ended, if it has.
    fn look(&self) -> Option<Outcome> {
        let engine = self.way.engine;
        if !engine.look(|ops| self.round.lock().is_over(ops)) {
            self.give_up(self.way.objection()?);
        }
        let end = engine.look(|ops| {
            let mut round = self.round.lock();
            round.is_over(ops).then(|| round.end(ops))
        })?;
        Some(end.map_or_else(|| self.outcome(), |mishap| self.way.failed(mishap)))
    }

    /// How a round ends that is complete.
    pub(in crate::mpi::p2p::partitioned) fn outcome(&self) -> Outcome {
        let Status { source, tag, .. } = Status::PLAIN;
        Outcome { source, tag, ..Outcome::default() }
    }

    /// A failure ends the round: what has not gone does not go.
    fn give_up(&self, mishap: Mishap) {
        let mut round = self.round.lock();
        round.mishap.get_or_insert(mishap);
        let keys: Vec<Key> = round.start.into_iter().chain(round.sends.keys.clone()).collect();
        drop(round);
        keys.into_iter().for_each(|key| self.way.engine.cancel(key));
    }
}

impl Event for Giving {
    fn has_happened(&self, ops: &Ops) -> bool {
        self.round.lock().is_over(ops)
    }

    fn want(&self, _: &Ops) -> Want {
        let Envelope { context, tag, .. } = self.way.envelope;
        let rank = self.way.rank;
        match self.parts.unready(self.round()) {
            0 => Want::Start { context, rank, tag },
            left => Want::Ready { context, rank, tag, left },
        }
    }
}
