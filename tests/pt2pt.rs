//! Point-to-point communication as C and Fortran programs see it.

use support::Program;

fn build(program: &str) -> Program {
    support::c(program).flags(&["-O1", "-Wall", "-pthread"]).build()
}

fn passes(program: &str, ranks: usize, cases: &[&str]) {
    let program = build(program);
    for case in cases {
        support::run(&program).ranks(ranks).args([case]).succeeds();
    }
}

/// The victim's end is the job's, but it comes after everybody else's.
fn survives(ranks: usize, case: &str) {
    survives_signal(ranks, case, 9);
}

fn survives_signal(ranks: usize, case: &str, signal: i32) {
    let program = build("pt2pt_deaths.c");
    let run = support::run(&program).ranks(ranks).option("--on-failure=continue").args([case]);
    let outcome = run.fails_with(128 + signal);
    assert!(outcome.stderr.contains("rank 1"), "the dead rank is named\n{outcome}");
    assert!(!outcome.stderr.contains("pt2pt_deaths.c"), "a check failed\n{outcome}");
}

#[test]
fn messages_of_every_mode_and_size_arrive_whole() {
    passes("pt2pt.c", 2, &["every-mode"]);
}

/// Some calls have a short way, which they may take only where nothing is unusual.
#[test]
fn few_bytes_arrive_in_order_and_are_judged_by_whatever_way_they_go() {
    passes("short.c", 2, &["storm", "judged", "truncated", "threads"]);
}

#[test]
fn receives_of_few_bytes_end_by_whichever_call_and_whatever_comes_between() {
    passes("bookings.c", 2, &["storm", "judged", "long-wait"]);
}

#[test]
fn a_receive_that_waits_for_the_dead_ends_and_keeps_what_was_sent() {
    let program = build("bookings.c");
    for case in ["lost-at-once", "lost-midway", "lost-at-last"] {
        for _ in 0..5 {
            let run = support::run(&program).ranks(2).option("--on-failure=continue").args([case]);
            let outcome = run.fails_with(128 + 9);
            assert!(!outcome.stderr.contains("bookings.c"), "a check failed\n{outcome}");
        }
    }
}

#[test]
fn sums_of_few_are_the_same_whichever_way_each_member_goes() {
    for ranks in [2, 3, 8] {
        passes("short.c", ranks, &["reductions"]);
    }
}

#[test]
fn members_that_disagree_are_told_what_each_has_called() {
    for ranks in [2, 3, 8] {
        passes("short.c", ranks, &["disagree"]);
    }
}

#[test]
fn the_last_words_of_the_dead_are_heard_and_then_their_death() {
    let program = build("short.c");
    for case in ["last-words", "lost-sum"] {
        for _ in 0..5 {
            let run = support::run(&program).ranks(2).option("--on-failure=continue").args([case]);
            let outcome = run.fails_with(128 + 9);
            assert!(!outcome.stderr.contains("short.c"), "a check failed\n{outcome}");
        }
    }
}

#[test]
fn persistent_operations_start_again_and_again() {
    passes("pt2pt.c", 3, &["persistent"]);
}

#[test]
fn probes_see_what_receives_then_get() {
    passes("pt2pt.c", 2, &["probes"]);
}

#[test]
fn talking_to_nobody_is_silent() {
    passes("pt2pt.c", 1, &["nobody"]);
    passes("pt2pt.c", 3, &["nobody"]);
}

#[test]
fn exchanges_round_a_ring_do_not_block_each_other() {
    passes("pt2pt.c", 5, &["exchanges"]);
}

#[test]
fn messages_do_not_overtake_each_other() {
    passes("pt2pt.c", 4, &["order"]);
}

#[test]
fn requests_complete_one_any_some_or_all() {
    passes("requests.c", 2, &["completion"]);
}

#[test]
fn a_message_that_is_too_long_is_cut_and_reported() {
    passes("requests.c", 2, &["truncation"]);
}

#[test]
fn what_is_not_matched_can_be_cancelled() {
    passes("requests.c", 2, &["cancellation"]);
}

#[test]
fn statuses_say_what_was_written_into_them() {
    passes("requests.c", 1, &["statuses"]);
}

#[test]
fn what_there_is_nothing_to_wait_for_has_an_empty_status() {
    passes("requests.c", 1, &["empty-statuses"]);
    passes("requests.c", 3, &["empty-statuses"]);
}

#[test]
fn buffered_messages_take_room_until_they_are_delivered() {
    passes("buffers.c", 2, &["process", "communicator", "finalize"]);
}

#[test]
fn wrong_arguments_are_named_with_their_values() {
    passes("pt2pt_errors.c", 1, &["arguments", "handlers"]);
}

#[test]
fn threads_of_a_rank_talk_side_by_side() {
    passes("pt2pt_threads.c", 3, &["side-by-side", "with-itself"]);
}

#[test]
fn blocking_calls_end_when_the_peer_dies() {
    survives(8, "blocking");
}

#[test]
fn requests_end_when_the_peer_dies_and_the_others_stay_active() {
    survives(3, "nonblocking");
}

#[test]
fn a_receive_from_anybody_hears_of_each_death_once() {
    (0..5).for_each(|_| survives(6, "any-source"));
}

#[test]
fn both_sides_of_an_exchange_end_when_one_peer_dies() {
    survives(3, "exchanges");
}

#[test]
fn the_last_words_of_the_dead_arrive() {
    survives(4, "last-words");
}

#[test]
fn who_names_memory_that_is_not_there_dies_alone() {
    for side in ["source", "target"] {
        for size in ["8", "5000", "large"] {
            survives_signal(2, &format!("bad-{side}-{size}"), 11);
        }
    }
}
