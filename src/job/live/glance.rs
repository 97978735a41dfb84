//! What one rank shows of itself to who watches the job: from what it leaves visible.

use crate::engine::Waits;
use crate::mpi::failure::deadlock_report::{self, words_of};
use crate::mpi::process::Process;
use crate::watch::{COMPUTES, DONE, RECOVERS, kind_of};
use crate::wireup::{Asks, Glance};

/// The most arrows that start at one rank.
const MOST_ARROWS: usize = 4;

/// What a process of several shows of one of its ranks.
pub(in crate::job) fn of(process: &Process, asks: Asks) -> Glance {
    let me = process.me.seat;
    let senders = || process.world.own_seats().unwrap_or(me..me + 1);
    let pairs = asks.pairs.then(|| process.world.count_pairs(senders())).flatten();
    let age = |saved| process.world.age().saturating_sub(saved).as_millis() as u64;
    Glance {
        kind: kind(process, || false),
        messages: process.engine.sent(),
        collectives: process.collectives(),
        wakings: process.engine.wakings_in_this_life(),
        checkpoint_ms: process.saved.last().map(age),
        awaited: if asks.awaited { awaited_by(process) } else { Vec::new() },
        sent_to: pairs.map_or_else(Vec::new, |pairs| {
            pairs.of(me).map(|(to, count)| (to as u32, count)).collect()
        }),
    }
}

/// What it shows when no more is to come.
pub(in crate::job) fn last(process: &Process) -> Glance {
    of(process, Asks { awaited: false, pairs: process.world.counts_pairs() })
}

/// What a rank has done so far and does, in words.
pub(in crate::job) fn describe(process: &Process) -> String {
    let (generation, messages) = (process.engine.generation(), process.engine.sent());
    let (collectives, wakings) = (process.collectives(), process.engine.wakings_in_this_life());
    format!(
        "generation {generation}; {messages} messages sent, {collectives} collectives, woken \
         {wakings} times; {}",
        occupation(process)
    )
}

/// The ranks that a rank waits for, unless it is about to continue.
pub(super) fn awaited_by(process: &Process) -> Vec<u32> {
    // A rank that does not sleep in a call is not asked, since asking would disturb it.
    let waits = process.engine.asleep_in().and_then(|_| process.engine.waits());
    let wants = waits.map(|waits| waits.wants).unwrap_or_default();
    let awaited = wants.into_iter().filter_map(|want| deadlock_report::awaited_by(process, want));
    let mut seats: Vec<u32> = awaited.map(|member| member.seat as u32).collect();
    seats.sort_unstable();
    seats.dedup();
    seats.truncate(MOST_ARROWS);
    seats
}

/// What a rank is seen doing.
pub(super) fn kind(process: &Process, recovers: impl Fn() -> bool) -> u8 {
    if process.phases.has_left() {
        return DONE;
    }
    match process.engine.asleep_in() {
        None => COMPUTES,
        Some(_) if recovers() => RECOVERS,
        Some(call) => kind_of(call),
    }
}

/// What a rank is doing, and which ranks it waits for.
pub(super) fn occupation(process: &Process) -> String {
    /// The rank's state may be changing.
    const TRIES: usize = 5;
    const MOST_NAMED: usize = 3;
    if process.phases.has_left() {
        return "has finalized MPI".into();
    }
    match (0..TRIES).find_map(|_| process.engine.waits()) {
        Some(Waits { calls, wants }) => {
            let more = wants.len().saturating_sub(MOST_NAMED);
            let wants = wants.into_iter().take(MOST_NAMED).map(|want| words_of(process, want));
            let mut wants: Vec<String> = wants.collect();
            if more > 0 {
                wants.push(format!("{more} more"));
            }
            let wants = match wants.as_slice() {
                [] => String::new(),
                wants => format!(": waits for {}", wants.join(", and for ")),
            };
            format!("in {}{wants}", calls.join(" and "))
        }
        None => match process.engine.asleep_in() {
            Some(call) => format!("in {call}"),
            None => "computes".into(),
        },
    }
}
