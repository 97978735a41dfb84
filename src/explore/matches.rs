//! Which other messages a receive from any source could have matched, for dynamic
//! partial-order reduction (Flanagan and Godefroid 2005; for MPI: Vo and others 2010).
//!
//! Vector clocks tell what happened before what. A message could have come instead of the one that
//! was matched if it was not sent because of that match, and no earlier receive needs it. The next
//! run repeats the matches that came before, and forces that one. Orders of independent messages
//! are not tried, because no receive tells them apart.

use crate::choices;
use crate::messages::{ANY_TAG, Matched, Send, Wild, order};
use crate::trace::{Event, Trace, Who};
use ftmpi_machine::forced_match::{Decision, ForcedMatch};
use std::collections::HashSet;

/// The matches to force, each list for one further run that differs from `trace` in its last match.
/// Receives in `settled` are decided by an earlier run.
pub(crate) fn alternatives(trace: &Trace, settled: &[ForcedMatch]) -> Vec<Vec<ForcedMatch>> {
    let messages = order(trace);
    let (sends, wild) = (&messages.sends, &messages.wild);
    let is_receive = |it: &&ForcedMatch| it.of == Decision::Receive;
    let decided = settled.iter().filter(is_receive).map(|it| (it.rank, it.nth));
    let decided: HashSet<(usize, u64)> = decided.collect();
    let mut found = Vec::new();
    for receive in wild {
        let Some(matched) = &receive.matched else { continue };
        if decided.contains(&(receive.rank, receive.nth)) {
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
        let prefix = choices::forced_before(trace, settled, matched.event);
        let prefix = prefix.chain(wild.iter().filter(before).filter_map(forced));
        let prefix: Vec<ForcedMatch> = prefix.collect();
        for source in sources {
            let mut list = prefix.clone();
            let (rank, nth) = (receive.rank, receive.nth);
            list.push(ForcedMatch { rank, of: Decision::Receive, nth, source });
            found.push(list);
        }
    }
    // Runs are equal up to the moment of a choice, so that only what was forced is repeated.
    let with = |last| settled.iter().copied().chain([last]).collect();
    found.extend(choices::others(trace, &messages, settled).into_iter().map(with));
    found
}

/// What the receives from any source have matched, and what choices have found: forced, it repeats
/// the order.
pub fn taken(trace: &Trace) -> Vec<ForcedMatch> {
    let made = choices::made(trace);
    order(trace).wild.iter().filter_map(forced).chain(made).collect()
}

fn forced(wild: &Wild) -> Option<ForcedMatch> {
    let source = wild.matched.as_ref()?.source;
    Some(ForcedMatch { rank: wild.rank, of: Decision::Receive, nth: wild.nth, source })
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

/// Whether a run waits in vain for a message or request that was forced. Then nothing is wrong
/// with the program: without the order the receive would have taken another one.
pub(crate) fn is_in_vain(trace: &Trace, forced: &[ForcedMatch]) -> bool {
    let is_unmet = |it: &ForcedMatch| {
        if trace.deaths.iter().any(|death| death.who == Who { rank: it.rank, life: 0 }) {
            return false;
        }
        if it.of == Decision::Choice {
            return trace.awaited.contains(&(it.rank, it.nth));
        }
        let mut own = trace.events.iter().filter(|(rank, _)| *rank == it.rank);
        let last = own.rfind(|(_, event)| match event {
            Event::Wild { nth, .. } | Event::Match { nth, .. } => *nth == it.nth,
            Event::Send { .. } | Event::Choice { .. } => false,
        });
        last.is_some_and(|(_, event)| matches!(event, Event::Wild { .. }))
    };
    forced.iter().any(is_unmet)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forced(nth: u64, source: i32) -> ForcedMatch {
        ForcedMatch { rank: 0, of: Decision::Receive, nth, source }
    }

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
        let settled = [forced(1, 1)];
        assert_eq!(shown(BOTH, &settled), [""; 0]);
        let both = [settled[0], forced(2, 2)];
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
        let forced = |nth| [forced(nth, 1)];
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
