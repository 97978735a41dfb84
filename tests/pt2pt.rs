//! Point-to-point communication as C and Fortran programs see it.

mod support;

use support::Program;

fn passes(program: &str, ranks: usize, cases: &[&str]) {
    let program: Program = support::c(program).flags(&["-O1", "-Wall", "-pthread"]).build();
    for case in cases {
        support::run(&program).ranks(ranks).args([case]).succeeds();
    }
}

#[test]
fn messages_of_every_mode_and_size_arrive_whole() {
    passes("pt2pt.c", 2, &["every-mode"]);
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
fn buffered_messages_take_room_until_they_are_delivered() {
    passes("buffers.c", 2, &["process", "communicator", "finalize"]);
}

#[test]
fn wrong_arguments_are_named_with_their_values() {
    passes("pt2pt_errors.c", 1, &["arguments", "handlers"]);
}
