//! Collective communication, as C programs see it.

mod support;

use support::Program;

fn build(program: &str) -> Program {
    support::c(program).flags(&["-O1", "-Wall"]).build()
}

/// On one rank, on powers of two, and on what is none.
fn passes(case: &str, most: usize) {
    let program = build("coll.c");
    for ranks in [1, 2, 3, 7, 16, 40].into_iter().filter(|ranks| *ranks <= most) {
        support::run(&program).ranks(ranks).args([case]).succeeds();
    }
}

#[test]
fn whoever_is_the_root_gets_and_gives_in_rank_order() {
    passes("rooted", 40);
}

#[test]
fn everybody_hears_from_everybody() {
    passes("everywhere", 40);
}

#[test]
fn data_that_are_in_place_stay_there() {
    passes("in-place", 40);
}

#[test]
fn large_buffers_arrive_whole() {
    passes("large", 16);
}

#[test]
fn operations_mean_what_the_standard_says() {
    passes("operations", 7);
    passes("complex-and-pairs", 40);
}

#[test]
fn operations_that_do_not_commute_run_in_rank_order() {
    passes("in-rank-order", 40);
}

#[test]
fn wrong_arguments_are_named() {
    passes("errors", 2);
}

#[test]
fn whoever_has_too_little_room_keeps_nobody_waiting() {
    passes("too-little-room", 7);
}

#[test]
fn a_death_ends_a_collective_for_everybody_and_nothing_else() {
    let program = build("coll_deaths.c");
    let calls = [
        "barrier",
        "bcast",
        "gather",
        "scatter",
        "allgather",
        "alltoall",
        "reduce",
        "allreduce",
        "dup",
        "split",
    ];
    for call in calls {
        for (victim, rounds) in [("0", "0"), ("3", "0"), ("7", "1"), ("0", "20"), ("5", "20")] {
            let run = support::run(&program).ranks(8).option("--on-failure=continue");
            let outcome = run.args([call, victim, rounds]).fails_with(128 + 9);
            let met = outcome.stdout.lines().filter(|line| line.ends_with("met 8")).count();
            assert_eq!(met, 7, "{call}, {victim} dies after {rounds}\n{outcome}");
        }
    }
}
