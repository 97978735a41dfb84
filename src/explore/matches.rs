//! Which other messages a receive from any source could have matched, for dynamic
//! partial-order reduction (Flanagan and Godefroid 2005; for MPI: Vo and others 2010).
//!
//! Vector clocks tell what happened before what. A message could have come instead of the one that
//! was matched if it was not sent because of that match, and no earlier receive needs it. The next
//! run repeats the matches that came before, and forces that one. Orders of independent messages
//! are not tried, because no receive tells them apart.

use crate::trace::{Event, Trace, Who};
use ftmpi_machine::forced_match::ForcedMatch;
use std::collections::{BTreeMap, HashSet};

const ANY_TAG: i32 = -2;

/// How many events of each rank come before a moment.
type Clock = Vec<usize>;

#[derive(Debug)]
struct Send {
    context: u32,
    source: i32,
    to: usize,
    tag: i32,
    clock: Clock,
    /// The event that has taken it, and the number of its receive if that is from any source.
    taken: Option<(usize, u64)>,
}

#[derive(Debug)]
struct Wild {
    rank: usize,
    nth: u64,
    context: u32,
    tag: i32,
    /// The event with which it began.
    begun: usize,
    matched: Option<Matched>,
}

#[derive(Debug)]
struct Matched {
    source: i32,
    /// The event, and what number it has among those of its rank.
    event: usize,
    own: usize,
}

/// The matches to force, each list for one further run that differs from `trace` in its last match.
/// Receives in `settled` are decided by an earlier run.
pub(crate) fn alternatives(trace: &Trace, settled: &[ForcedMatch]) -> Vec<Vec<ForcedMatch>> {
    let (sends, wild) = order(trace);
    let settled: HashSet<(usize, u64)> = settled.iter().map(|it| (it.rank, it.nth)).collect();
    let mut found = Vec::new();
    for receive in &wild {
        let Some(matched) = &receive.matched else { continue };
        if settled.contains(&(receive.rank, receive.nth)) {
            continue;
        }
        let mut sources: Vec<i32> = sends
            .iter()
            .filter(|send| could_match(send, receive, matched))
            .map(|send| send.source)
            .collect();
        sources.sort_unstable();
        sources.dedup();
        let before = |other: &&Wild| {
            let is_earlier = other.rank == receive.rank && other.nth < receive.nth;
            is_earlier || other.matched.as_ref().is_some_and(|it| it.event < matched.event)
        };
        let prefix = wild.iter().filter(before).filter_map(forced);
        let prefix: Vec<ForcedMatch> = prefix.collect();
        for source in sources {
            let mut list = prefix.clone();
            list.push(ForcedMatch { rank: receive.rank, nth: receive.nth, source });
            found.push(list);
        }
    }
    found
}

/// What the receives from any source have matched: forced, it repeats their order.
pub fn taken(trace: &Trace) -> Vec<ForcedMatch> {
    order(trace).1.iter().filter_map(forced).collect()
}

fn forced(wild: &Wild) -> Option<ForcedMatch> {
    let source = wild.matched.as_ref()?.source;
    Some(ForcedMatch { rank: wild.rank, nth: wild.nth, source })
}

fn could_match(send: &Send, receive: &Wild, matched: &Matched) -> bool {
    let is_accepted = send.to == receive.rank
        && send.context == receive.context
        && (receive.tag == ANY_TAG || receive.tag == send.tag)
        && send.source != matched.source;
    // It was not sent because of the match.
    let is_concurrent = send.clock[receive.rank] < matched.own;
    let is_free = send.taken.is_none_or(|(event, nth)| match nth {
        0 => event > receive.begun,
        nth => nth > receive.nth,
    });
    is_accepted && is_concurrent && is_free
}

/// Whether it is known what all receives from any source have matched.
pub(crate) fn are_known(trace: &Trace) -> bool {
    let count =
        |is_it: fn(&Event) -> bool| trace.events.iter().filter(|(_, event)| is_it(event)).count();
    let begun = count(|event| matches!(event, Event::Wild { .. }));
    begun == count(|event| matches!(event, Event::Match { nth: 1.., .. }))
}

/// Whether a run waits in vain for a message that was forced on a receive. Then nothing is wrong
/// with the program: without the order the receive would have taken another one.
pub(crate) fn is_in_vain(trace: &Trace, forced: &[ForcedMatch]) -> bool {
    let is_unmet = |it: &ForcedMatch| {
        if trace.deaths.iter().any(|death| death.who == Who { rank: it.rank, life: 0 }) {
            return false;
        }
        let mut own = trace.events.iter().filter(|(rank, _)| *rank == it.rank);
        let last = own.rfind(|(_, event)| match event {
            Event::Wild { nth, .. } | Event::Match { nth, .. } => *nth == it.nth,
            Event::Send { .. } => false,
        });
        last.is_some_and(|(_, event)| matches!(event, Event::Wild { .. }))
    };
    forced.iter().any(is_unmet)
}

/// The messages and the receives from any source of a run, with what came before each.
fn order(trace: &Trace) -> (Vec<Send>, Vec<Wild>) {
    let mut clocks = vec![vec![0; trace.ranks]; trace.ranks];
    let (mut sends, mut wild): (Vec<Send>, Vec<Wild>) = (Vec::new(), Vec::new());
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
                    clock.iter_mut().zip(&send.clock).for_each(|(own, sent)| *own = *sent.max(own));
                    send.taken = is_taken.then_some((number, nth));
                }
                if let Some(place) = places.get(&(*rank, nth)) {
                    wild[*place].matched = Some(Matched { source, event: number, own });
                }
            }
        }
    }
    (sends, wild)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(lines: &str, settled: &[ForcedMatch]) -> Vec<String> {
        let trace = Trace::read(&format!("job 3 end\n{lines}"));
        let words = |list: &Vec<ForcedMatch>| {
            list.iter().map(ForcedMatch::to_string).collect::<Vec<_>>().join(" ")
        };
        alternatives(&trace, settled).iter().map(words).collect()
    }

    const BOTH: &str = "send 1 0 0 1 0 5\nsend 2 0 0 2 0 5\n\
        wild 0 0 1 0 5\nmatch 0 0 1 5 0 1\nwild 0 0 2 0 5\nmatch 0 0 2 5 0 2\n";

    #[test]
    fn messages_that_nothing_orders_could_come_in_each_order() {
        assert_eq!(shown(BOTH, &[]), ["0:1=2"]);
        let settled = [ForcedMatch { rank: 0, nth: 1, source: 1 }];
        assert_eq!(shown(BOTH, &settled), [""; 0]);
        let both = [settled[0], ForcedMatch { rank: 0, nth: 2, source: 2 }];
        assert_eq!(taken(&Trace::read(&format!("job 3 end\n{BOTH}"))), both);
    }

    #[test]
    fn other_tags_contexts_and_receivers_do_not_meet() {
        let other =
            BOTH.replace("send 2 0 0 2 0 5", "send 2 0 0 2 0 6").replace("2 5 0 2", "2 6 0 2");
        assert_eq!(shown(&other, &[]), [""; 0]);
        assert_eq!(shown(&BOTH.replace("send 2 0 0 2 0", "send 2 0 0 2 1"), &[]), [""; 0]);
        assert_eq!(shown(&BOTH.replace("send 2 0 0 2 0", "send 2 0 4 2 0"), &[]), [""; 0]);
    }

    #[test]
    fn a_message_that_answers_a_match_could_not_have_come_instead() {
        let answered = "send 1 0 0 1 0 5\nwild 0 0 1 0 5\nmatch 0 0 1 5 0 1\nsend 0 0 0 0 2 7\n\
            match 2 0 0 7 0 0\nsend 2 0 0 2 0 5\nwild 0 0 2 0 5\nmatch 0 0 2 5 0 2\n";
        assert_eq!(shown(answered, &[]), [""; 0]);
    }

    #[test]
    fn a_forced_match_that_does_not_come_is_no_finding() {
        let trace = Trace::read("job 2 end\nwild 0 0 1 0 5\nmatch 0 0 1 5 0 1\nwild 0 0 2 0 5\n");
        let forced = |nth| [ForcedMatch { rank: 0, nth, source: 1 }];
        assert!(is_in_vain(&trace, &forced(2)));
        assert!(!is_in_vain(&trace, &forced(1)) && !is_in_vain(&trace, &forced(3)));
        let dead = Trace::read("job 2 end\nwild 0 0 1 0 5\ndeath 0 0 SIGKILL\n");
        assert!(!is_in_vain(&dead, &forced(1)), "it does not wait any more");
    }

    #[test]
    fn what_came_before_is_repeated() {
        let second = "send 1 0 0 1 0 5\nwild 0 0 1 0 5\nmatch 0 0 1 5 0 1\nsend 0 0 0 0 2 7\n\
            match 2 0 0 7 0 0\nsend 2 0 0 2 0 5\nsend 1 0 0 1 0 5\n\
            wild 0 0 2 0 5\nmatch 0 0 2 5 0 2\nwild 0 0 3 0 5\nmatch 0 0 1 5 0 3\n";
        assert_eq!(shown(second, &[]), ["0:1=1 0:2=1"]);
    }
}
