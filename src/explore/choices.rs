//! Which other outcomes a choice could have had: another request complete (MPI_Waitany, MPI_Testany
//! and others), another message found (MPI_Iprobe, MPI_Improbe), or none yet (MPI_Test).
//!
//! Any active request may be the one that is complete first. If it depends on what the rank does
//! afterwards, the run waits in vain, and says nothing. A message may be found that was not sent
//! because of the choice. A program that asks again and again is told once that nothing is there,
//! and once, the first time, that something is.

use crate::messages::{ANY_TAG, Messages, Send};
use crate::trace::{Among, Choice, Trace};
use ftmpi_machine::forced_match::{Decision, ForcedMatch, NOTHING};
use std::collections::HashMap;

/// The other outcomes of the choices that come after those in `settled`.
pub(crate) fn others(
    trace: &Trace, messages: &Messages, settled: &[ForcedMatch],
) -> Vec<ForcedMatch> {
    let is_settled = |choice: &&Choice| settled.contains(&outcome(choice, choice.what));
    let last = trace.choices.iter().filter(is_settled).map(|choice| choice.at).max();
    let mut found = Vec::new();
    for (number, choice) in telling(trace) {
        if last.is_some_and(|last| choice.at <= last) {
            continue;
        }
        let own = messages.choices[number];
        let could_be = |send: &&Send| could_find(send, choice, own);
        let mut others: Vec<i32> = match &choice.among {
            Among::Requests(others) => others.clone(),
            Among::Messages { .. } => {
                messages.sends.iter().filter(could_be).map(|send| send.source).collect()
            }
        };
        others.sort_unstable();
        others.dedup();
        found.extend(others.into_iter().map(|other| outcome(choice, other)));
    }
    found
}

/// What choices have found that could have found something else.
pub(crate) fn made(trace: &Trace) -> impl Iterator<Item = ForcedMatch> {
    let has_more = |choice: &Choice| match &choice.among {
        Among::Requests(others) => !others.is_empty(),
        Among::Messages { .. } => choice.what != NOTHING,
    };
    let telling = telling(trace).into_iter().map(|(_, choice)| choice);
    telling.filter(move |choice| has_more(choice)).map(|choice| outcome(choice, choice.what))
}

/// What was forced on choices before this event.
pub(crate) fn forced_before<'a>(
    trace: &'a Trace, settled: &'a [ForcedMatch], event: usize,
) -> impl Iterator<Item = ForcedMatch> + 'a {
    let is_before = move |it: &&ForcedMatch| {
        let is_it = |choice: &Choice| choice.at < event && outcome(choice, choice.what) == **it;
        trace.choices.iter().any(is_it)
    };
    settled.iter().filter(is_before).copied()
}

fn outcome(choice: &Choice, source: i32) -> ForcedMatch {
    ForcedMatch { rank: choice.rank, of: Decision::Choice, nth: choice.nth, source }
}

/// The choices with their numbers, without those that ask again what had come to nothing.
fn telling(trace: &Trace) -> Vec<(usize, &Choice)> {
    let mut last: HashMap<(usize, usize), i32> = HashMap::new();
    let mut is_telling = |choice: &Choice| {
        let place = trace.calls.get(choice.call).map_or(usize::MAX, |call| call.place);
        last.insert((choice.rank, place), choice.what) != Some(NOTHING)
            || matches!(&choice.among, Among::Requests(others) if others.len() > 1)
                && choice.what != NOTHING
    };
    trace.choices.iter().enumerate().filter(|(_, choice)| is_telling(choice)).collect()
}

fn could_find(send: &Send, choice: &Choice, own: usize) -> bool {
    const ANY_SOURCE: i32 = -1;
    let Among::Messages { context, source, tag } = choice.among else { return false };
    (send.to, send.context) == (choice.rank, context)
        && (source == ANY_SOURCE || source == send.source)
        && (tag == ANY_TAG || tag == send.tag)
        && send.source != choice.what
        // It was not sent because of the choice.
        && send.clock[choice.rank] < own
        && send.taken.is_none_or(|(event, _)| event > choice.at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matches::{alternatives, is_in_vain, taken};

    fn words(list: &[ForcedMatch]) -> String {
        list.iter().map(ForcedMatch::to_string).collect::<Vec<_>>().join(" ")
    }

    fn shown(lines: &str, settled: &[&str]) -> Vec<String> {
        let trace = Trace::read(&format!("job 3 end\nat 0 p+0x1\nat 1 p+0x2\n{lines}"));
        let forced = |text: &&str| ForcedMatch::parse(text).expect("a forced match");
        let settled: Vec<ForcedMatch> = settled.iter().map(forced).collect();
        alternatives(&trace, &settled).iter().map(|list| words(list)).collect()
    }

    const TWICE: &str = "call 0 0 MPI_Waitany 0\nchosen 0 0 1 2 0 1\ndone 0 0 0\n\
        call 0 0 MPI_Waitany 0\nchosen 0 0 2 0 1\ndone 0 0 0\n";

    #[test]
    fn each_active_request_may_be_complete_first() {
        assert_eq!(shown(TWICE, &[]), ["0:choice1=0", "0:choice1=1", "0:choice2=1"]);
        assert_eq!(shown(TWICE, &["0:choice1=2"]), ["0:choice1=2 0:choice2=1"]);
        let trace = Trace::read(&format!("job 3 end\nat 0 p+0x1\n{TWICE}"));
        assert_eq!(words(&taken(&trace)), "0:choice1=2 0:choice2=0");
    }

    #[test]
    fn asking_again_and_again_is_two_choices() {
        let poll = |nth: u32, what: i32, other: i32| {
            format!("call 0 0 MPI_Test 0\nchosen 0 0 {nth} {what} {other}\ndone 0 0 0\n")
        };
        let polls = [poll(1, -1, 0), poll(2, -1, 0), poll(3, 0, -1)].concat();
        assert_eq!(shown(&polls, &[]), ["0:choice1=0"]);
        assert_eq!(shown(&poll(1, 0, -1), &[]), ["0:choice1=none"]);
    }

    #[test]
    fn a_probe_may_find_what_was_not_sent_because_of_it() {
        let look = |found: i32| {
            format!(
                "send 1 0 0 1 0 5\ncall 0 0 MPI_Iprobe 0\nlooks 0 0 1 0 -1 -2 {found}\n\
                 done 0 0 0\nsend 0 0 0 0 2 7\nsend 2 0 0 2 0 5\n"
            )
        };
        assert_eq!(shown(&look(1), &[]), ["0:choice1=2"]);
        assert_eq!(shown(&look(-1), &[]), ["0:choice1=1", "0:choice1=2"]);
        let answered = look(1).replace("send 2 0", "match 2 0 0 7 0 0\nsend 2 0");
        assert_eq!(shown(&answered, &[]), [""; 0], "it answers what the rank sent afterwards");
    }

    #[test]
    fn a_choice_that_waits_for_what_does_not_come_is_no_finding() {
        let forced = [ForcedMatch::parse("0:choice1=1").expect("a forced match")];
        let vain = "job 2 end\nat 0 p+0x1\ncall 0 0 MPI_Waitany 0\nawaits 0 0 1\n";
        assert!(is_in_vain(&Trace::read(vain), &forced));
        assert!(!is_in_vain(&Trace::read(&format!("{vain}chosen 0 0 1 1 0\n")), &forced));
    }
}
