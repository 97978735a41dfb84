//! The messages of a run without its replacements, the receives from any source, and the choices,
//! with vector clocks that tell what happened before what.

use crate::trace::{Event, Trace};
use std::collections::BTreeMap;

pub(crate) const ANY_TAG: i32 = -2;

/// What of a run its order consists of.
pub(crate) struct Messages {
    pub(crate) sends: Vec<Send>,
    pub(crate) wild: Vec<Wild>,
    /// Of each choice, the number that it has among the events of its rank.
    pub(crate) choices: Vec<usize>,
}

/// How many events of each rank come before a moment.
pub(crate) type Clock = Vec<usize>;

#[derive(Debug)]
pub(crate) struct Send {
    pub(crate) context: u32,
    pub(crate) source: i32,
    pub(crate) to: usize,
    pub(crate) tag: i32,
    pub(crate) clock: Clock,
    /// The event that has taken it, and the number of its receive if that is from any source.
    pub(crate) taken: Option<(usize, u64)>,
}

#[derive(Debug)]
pub(crate) struct Wild {
    pub(crate) rank: usize,
    pub(crate) nth: u64,
    pub(crate) context: u32,
    pub(crate) tag: i32,
    /// The event with which it began.
    pub(crate) begun: usize,
    pub(crate) matched: Option<Matched>,
}

#[derive(Debug)]
pub(crate) struct Matched {
    pub(crate) source: i32,
    /// The event, and what number it has among those of its rank.
    pub(crate) event: usize,
    pub(crate) own: usize,
}

/// The messages and the receives from any source of a run, with what came before each.
pub(crate) fn order(trace: &Trace) -> Messages {
    let mut clocks = vec![vec![0; trace.ranks]; trace.ranks];
    let (mut sends, mut wild): (Vec<Send>, Vec<Wild>) = (Vec::new(), Vec::new());
    let mut choices = vec![0; trace.choices.len()];
    let mut places: BTreeMap<(usize, u64), usize> = BTreeMap::new();
    for (number, (rank, event)) in trace.events.iter().enumerate() {
        let Some(clock) = clocks.get_mut(*rank) else { continue };
        clock[*rank] += 1;
        let own = clock[*rank];
        match *event {
            Event::Send { context, source, to, tag } => {
                let clock = clock.clone();
                sends.push(Send { context, source, to, tag, clock, taken: None });
            }
            Event::Choice { number } => {
                choices[number] = own;
                let Some((context, source, tag)) = trace.choices[number].found() else { continue };
                let is_it = |send: &&Send| {
                    (send.to, send.context, send.source) == (*rank, context, source)
                        && (tag == ANY_TAG || tag == send.tag)
                        && send.taken.is_none()
                };
                if let Some(send) = sends.iter().find(is_it) {
                    join(clock, &send.clock);
                }
            }
            Event::Wild { nth, context, tag } => {
                places.insert((*rank, nth), wild.len());
                let (rank, begun) = (*rank, number);
                wild.push(Wild { rank, nth, context, tag, begun, matched: None });
            }
            Event::Match { source, tag, context, nth, is_taken } => {
                let is_it = |send: &&mut Send| {
                    (send.to, send.context, send.source, send.tag) == (*rank, context, source, tag)
                        && send.taken.is_none()
                };
                if let Some(send) = sends.iter_mut().find(is_it) {
                    join(clock, &send.clock);
                    send.taken = is_taken.then_some((number, nth));
                }
                if let Some(place) = places.get(&(*rank, nth)) {
                    wild[*place].matched = Some(Matched { source, event: number, own });
                }
            }
        }
    }
    Messages { sends, wild, choices }
}

fn join(clock: &mut Clock, other: &Clock) {
    clock.iter_mut().zip(other).for_each(|(own, other)| *own = *other.max(own));
}
