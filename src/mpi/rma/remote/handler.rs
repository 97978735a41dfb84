//! Reads the notes of other processes, and does what they ask for; and takes locks back from those
//! that die. It never waits, and any thread of the process may be the one that reads.

use super::endpoint::Endpoint;
use super::notes::{Answer, Combination, Note, Question, Swap, Word};
use crate::base::Member;
use crate::base::sync::lock_queue::Lock;
use crate::engine::World;
use crate::host::memory::{Exchange, Span};
use crate::mpi::op::Named;
use crate::mpi::op::kernels::atomic::{Accumulator, Elements};
use crate::mpi::rma::shared::{Part, Shared};
use crate::transport::shown;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::{Arc, Weak};

/// The windows of a process, by their contexts and members.
#[derive(Default)]
pub(super) struct Registry(Mutex<HashMap<(u32, Member), Entry>>);

enum Entry {
    Known(Weak<Shared>),
    /// Other members have got the window already, and have written.
    Early(Vec<(Member, Word)>),
    /// The window was freed after a failure: others may still write.
    Left,
}

impl Registry {
    /// From now on the window's notes are acted upon.
    pub(super) fn open(&self, world: &World, shared: &Arc<Shared>, endpoint: &Endpoint) {
        let mut entries = self.0.lock();
        let known = Entry::Known(Arc::downgrade(shared));
        if let Some(Entry::Early(early)) = entries.insert((endpoint.window, endpoint.member), known)
        {
            early.into_iter().for_each(|(from, word)| act(world, shared, endpoint, from, word));
        }
    }

    /// Notes about the window are of no matter any more. `is_last`: nobody writes any.
    pub(super) fn close(&self, which: (u32, Member), is_last: bool) {
        let mut entries = self.0.lock();
        match is_last {
            true => entries.remove(&which),
            false => entries.insert(which, Entry::Left),
        };
    }
}

/// Reads a note.
pub fn read(world: &World, from: Member, to: Member, bytes: &[u8]) {
    let Ok(Note { window, word }) = postcard::from_bytes(bytes) else { return };
    let registry = world.tenant::<Registry>();
    let mut entries = registry.0.lock();
    match entries.entry((window, to)).or_insert_with(|| Entry::Early(Vec::new())) {
        Entry::Early(early) => early.push((from, word)),
        Entry::Left => {}
        Entry::Known(shared) => {
            let shared = shared.upgrade();
            drop(entries);
            if let Some(shared) = shared
                && let Some(endpoint) = shared.endpoint()
            {
                act(world, &shared, endpoint, from, word);
            }
        }
    }
}

/// This member is dead: it holds no lock any more, and waits for none. After that is known.
pub fn bury(world: &World, member: Member) {
    let registry = world.tenant::<Registry>();
    let entries = registry.0.lock();
    let known = |entry: &Entry| match entry {
        Entry::Known(shared) => shared.upgrade(),
        Entry::Early(_) | Entry::Left => None,
    };
    let windows: Vec<Arc<Shared>> = entries.values().filter_map(known).collect();
    drop(entries);
    for shared in windows {
        let Some((endpoint, rank)) = shared.endpoint().zip(shared.rank_of(member)) else {
            continue;
        };
        if rank == endpoint.me {
            shared.part(rank).close();
        }
        shared.note_starving(rank, false);
        let granted = shared.with_queue(endpoint.me, |queue| queue.release(rank));
        hand_over(world, &shared, &granted);
    }
}

fn act(world: &World, shared: &Shared, endpoint: &Endpoint, from: Member, word: Word) {
    let own = shared.part(endpoint.me);
    let Some(rank) = shared.rank_of(from) else { return };
    let wake = || world.wake(own.member.seat);
    match word {
        // Its last words may be read after it has been buried.
        Word::Lock { .. } if world.is_dead(from) => {}
        Word::Lock { is_exclusive, has_locks } => {
            let lock = if is_exclusive { Lock::Exclusive } else { Lock::Shared };
            let has_it = shared.with_queue(endpoint.me, |queue| queue.ask(rank, lock, has_locks));
            hand_over(world, shared, &[rank][..usize::from(has_it)]);
        }
        Word::Unlock => {
            let granted = shared.with_queue(endpoint.me, |queue| queue.release(rank));
            hand_over(world, shared, &granted);
        }
        Word::Starving(is_starving) => shared.note_starving(rank, is_starving),
        Word::Granted => {
            endpoint.granted.lock().insert(rank);
            wake();
        }
        Word::Posted => {
            own.mail.lock().posted.insert(rank);
            wake();
        }
        Word::Completed => {
            own.mail.lock().completed.insert(rank);
            wake();
        }
        Word::Left => {
            shared.part(rank).close();
            wake();
        }
        Word::Missing(address) => {
            own.blame(address as usize);
            wake();
        }
        Word::Ask { ticket, question } => {
            let answer = answer(own, question);
            endpoint.write(world, from, Word::Answer { ticket, answer });
        }
        Word::Answer { ticket, answer } => {
            if let Some(place) = endpoint.answers.lock().get_mut(&ticket) {
                *place = Some(answer);
            }
            wake();
        }
    }
}

fn answer(own: &Part, question: Question) -> Answer {
    // Held meanwhile, so that the memory stays the window's.
    let _shown = shown();
    if own.is_closed() {
        return Answer::Closed;
    }
    match question {
        Question::IsAttached { address, bytes } => {
            Answer::IsSo(is_attached(own, address as usize, bytes as usize))
        }
        Question::Combine(it) => combine(own, &it),
        Question::Swap(it) => swap(own, &it),
    }
}

/// Whether one attached region has all of it.
fn is_attached(own: &Part, address: usize, bytes: usize) -> bool {
    let last = address.saturating_add(bytes.max(1) - 1);
    own.attached.read().iter().any(|region| region.holds(address) && region.holds(last))
}

/// Where the window's memory has what is `offset` bytes from its beginning, if all of it is there.
fn exposed(own: &Part, offset: u64, bytes: usize) -> Option<usize> {
    let memory = own.segment()?.memory;
    let address = memory.address().wrapping_add(offset as usize);
    let last = address.checked_add(bytes.max(1) - 1)?;
    let is_inside = memory.holds(address) && memory.holds(last);
    (is_inside || is_attached(own, address, bytes)).then_some(address)
}

fn combine(own: &Part, it: &Combination) -> Answer {
    let Combination { op, element, target, count, operands, is_fetched } = it;
    let count = *count as usize;
    let Some(accumulator) = Accumulator::new(*op, *element) else { return Answer::Missing };
    let Some(bytes) = accumulator.span_of(count) else { return Answer::Missing };
    let Some(target) = exposed(own, *target, bytes) else { return Answer::Missing };
    if *op != Named::NoOp && operands.len() != bytes {
        return Answer::Missing;
    }
    let mut former = vec![0; if *is_fetched { bytes } else { 0 }];
    let fetched = if *is_fetched { Span::of_mut(&mut former).address() } else { 0 };
    let elements = Elements { origin: Span::of(operands).address(), target, fetched, count };
    let done = alone(own, &accumulator, target, || accumulator.run(elements));
    told(own, done, former)
}

fn swap(own: &Part, it: &Swap) -> Answer {
    let Some(accumulator) = Accumulator::new(Named::Replace, it.element) else {
        return Answer::Missing;
    };
    let bytes = accumulator.bytes();
    let Some(target) = exposed(own, it.target, bytes) else { return Answer::Missing };
    if it.origin.len() != bytes || it.compare.len() != bytes {
        return Answer::Missing;
    }
    let mut former = vec![0; bytes];
    let exchange = Exchange {
        origin: Span::of(&it.origin).address(),
        compare: Span::of(&it.compare).address(),
        result: Span::of_mut(&mut former).address(),
        target,
    };
    let done = alone(own, &accumulator, target, || accumulator.compare_and_swap(exchange));
    told(own, done, former)
}

/// Does it under the lock that elements need which the processor cannot change at once.
fn alone(
    own: &Part, accumulator: &Accumulator, target: usize, work: impl FnOnce() -> Outcome,
) -> Outcome {
    let lock = (!accumulator.is_atomic_at(target)).then(|| own.combining.lock());
    let done = work();
    drop(lock);
    done
}

type Outcome = std::result::Result<(), usize>;

/// The answer to who has asked; missing memory is this member's own fault.
fn told(own: &Part, done: Outcome, former: Vec<u8>) -> Answer {
    match done {
        Ok(()) => Answer::Done(former),
        Err(address) => {
            own.blame(address);
            Answer::Missing
        }
    }
}

/// The queue of a part has changed: these members have its lock now.
pub fn hand_over(world: &World, shared: &Shared, granted: &[i32]) {
    for rank in granted {
        let part = shared.part(*rank);
        match (shared.endpoint(), part.there()) {
            (Some(endpoint), Some(_)) => endpoint.write(world, part.member, Word::Granted),
            _ => world.wake(part.member.seat),
        }
    }
    if let Some(endpoint) = shared.endpoint() {
        tell_whether_starving(world, shared, endpoint);
    }
}

/// Members in other processes stand back, too, while an exclusive lock of the own part starves.
fn tell_whether_starving(world: &World, shared: &Shared, endpoint: &Endpoint) {
    // Held while that is told, so that all hear the latest last.
    let mut told = endpoint.is_starving.lock();
    let is_starving = shared.starving() == Some(endpoint.me);
    if std::mem::replace(&mut *told, is_starving) == is_starving {
        return;
    }
    let others = shared.parts().iter().filter(|part| part.there().is_some());
    for part in others.filter(|part| !world.is_dead(part.member)) {
        endpoint.write(world, part.member, Word::Starving(is_starving));
    }
}
