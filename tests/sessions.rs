//! Sessions, as C programs see them.

use support::Program;

fn program() -> Program {
    support::c("sessions.c").flags(&["-O1", "-Wall"]).build()
}

fn passes(case: &str) {
    for ranks in [1, 2, 7] {
        support::run(&program()).ranks(ranks).args([case]).succeeds();
    }
    support::command(program().path()).args([case]).succeeds();
}

#[test]
fn sessions_do_without_the_world() {
    passes("without-world");
}

#[test]
fn sessions_live_beside_the_world_and_longer() {
    passes("beside-world");
}

#[test]
fn process_sets_have_names_sizes_and_groups() {
    passes("sets");
}

#[test]
fn string_tags_keep_constructors_apart() {
    passes("tags");
}

#[test]
fn errors_of_a_session_are_its_own_handlers() {
    passes("handlers");
}

#[test]
fn what_is_no_session_is_named() {
    passes("wrong-sessions");
}

#[test]
fn a_session_has_a_buffer_for_its_communicators() {
    passes("buffers");
}

#[test]
fn a_session_says_what_it_provides() {
    passes("infos");
}

#[test]
fn two_groups_of_a_session_make_an_intercommunicator() {
    passes("intercommunicator");
}

#[test]
fn a_session_brings_no_world_along() {
    let seen = support::run(&program()).ranks(1).args(["names-the-world"]).fails_with(5);
    assert!(seen.stderr.contains("MPI_COMM_WORLD exists only"), "{seen}");
}

#[test]
fn whoever_ends_with_a_session_open_has_failed() {
    let seen = support::run(&program()).ranks(2).args(["leaves-one-open"]).fails_with(1);
    assert!(seen.stderr.contains("without MPI_Session_finalize"), "{seen}");
}

#[test]
fn what_was_sent_arrives_although_its_sender_has_ended() {
    let run = || support::run(&program()).ranks(2);
    run().args(["ends-before-it-is-received"]).succeeds();
    run().option("--processes").args(["ends-before-it-is-received"]).succeeds();
    support::hosts::on(&program(), "a,b", 2).args(["ends-before-it-is-received"]).succeeds();
}

#[test]
fn nobody_ends_before_other_hosts_have_what_it_has_sent() {
    for _ in 0..5 {
        support::hosts::on(&program(), "a:2,b:2,c:2", 6).args(["ends-with-a-barrier"]).succeeds();
    }
}
