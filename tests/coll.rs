//! Collective communication, as C programs see it.

use support::Program;

fn build(program: &str) -> Program {
    support::c(program).flags(&["-O1", "-Wall"]).build()
}

/// The same through the calls with large counts.
fn build_large(program: &str) -> Program {
    support::c(program).flags(&["-O1", "-Wall", "-DLARGE"]).build()
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
fn whoever_is_ahead_waits_for_the_others_and_goes_on() {
    let program = build("coll_ahead.c");
    for ranks in [2, 7, 40] {
        support::run(&program).ranks(ranks).succeeds();
    }
}

#[test]
fn little_is_the_same_whichever_way_each_member_goes() {
    let program = build("coll_little.c");
    for ranks in [2, 3, 8, 40] {
        support::run(&program).ranks(ranks).args(["ways"]).succeeds();
    }
}

#[test]
fn members_that_disagree_on_how_much_there_is_go_on() {
    let program = build("coll_little.c");
    for ranks in [2, 3, 8, 40] {
        support::run(&program).ranks(ranks).args(["disagree"]).succeeds();
    }
}

#[test]
fn a_death_ends_what_is_done_with_little() {
    let program = build("coll_little.c");
    let moving = ["bcast", "gather", "scatter", "allgather", "alltoall"];
    let combining = ["reduce", "allreduce", "scan", "reduce_scatter"];
    let larger = ["large_reduce", "large_allreduce", "large_scan", "large_reduce_scatter"];
    for call in moving.into_iter().chain(combining).chain(larger) {
        for (ranks, calls) in [(2, "0"), (2, "1"), (2, "500"), (3, "100"), (40, "0"), (40, "100")] {
            let run = support::run(&program).ranks(ranks).option("--on-failure=continue");
            let outcome = run.args([call, calls]).fails_with(128 + 9);
            assert!(!outcome.stderr.contains("coll_little.c"), "a check failed\n{outcome}");
        }
    }
}

#[test]
fn a_bad_pointer_is_the_end_of_whoever_names_it() {
    let program = build("coll_little.c");
    for name in ["reduce", "allreduce", "scan", "reduce_scatter"] {
        for call in [name.to_string(), format!("large_{name}")] {
            for ranks in [2, 3, 9] {
                let run = support::run(&program).ranks(ranks).option("--on-failure=continue");
                let outcome = run.args(["astray", call.as_str()]).fails_with(128 + 11);
                assert!(!outcome.stderr.contains("coll_little.c"), "a check failed\n{outcome}");
            }
        }
    }
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

/// One case of what the other forms have of their own.
fn forms_pass(case: &str, most: usize) {
    let program = build("coll_forms.c");
    for ranks in [1, 2, 3, 7, 16].into_iter().filter(|ranks| (2..=most).contains(ranks)) {
        support::run(&program).ranks(ranks).args([case]).succeeds();
    }
}

#[test]
fn persistent_operations_start_in_any_order() {
    forms_pass("persistent", 16);
}

#[test]
fn active_requests_are_neither_started_nor_freed_nor_cancelled() {
    forms_pass("wrong-uses", 7);
}

#[test]
fn many_operations_are_under_way_at_once() {
    forms_pass("overlapping", 16);
}

#[test]
fn threads_of_a_rank_carry_on_each_others_operations() {
    forms_pass("threads", 7);
}

#[test]
fn members_that_disagree_on_counts_keep_nobody_waiting() {
    forms_pass("disagreement", 16);
}

#[test]
fn members_stay_in_step_after_an_error() {
    forms_pass("step-by-step", 16);
}

#[test]
fn neighbours_talk_in_grids_and_graphs() {
    for program in [build("coll_neighbours.c"), build_large("coll_neighbours.c")] {
        for case in ["grids", "graphs", "errors"] {
            for ranks in [1, 2, 3, 4, 6, 12, 17] {
                support::run(&program).ranks(ranks).args([case]).succeeds();
            }
        }
    }
}

/// Every call with a victim that dies before, in and after it.
fn survivors_meet(form: &str, calls: &[&str], groups: &str) {
    let program = build("coll_deaths.c");
    for call in calls {
        for (victim, rounds) in [("0", "0"), ("3", "0"), ("7", "1"), ("0", "20"), ("5", "20")] {
            let run = support::run(&program).ranks(8).option("--on-failure=continue");
            let outcome = run.args([call, form, victim, rounds, groups]).fails_with(128 + 9);
            let met = outcome.stdout.lines().filter(|line| line.ends_with("met 8")).count();
            assert_eq!(met, 7, "{form} {call} {groups}, {victim} dies after {rounds}\n{outcome}");
        }
    }
}

#[test]
fn results_are_the_same_by_every_way_to_the_last_bit() {
    let program = build("coll_ways.c");
    for ranks in [2, 3, 5, 8, 13, 33] {
        support::run(&program).ranks(ranks).deadline(120).succeeds();
    }
}

/// What nobody delivered is never counted as done.
#[test]
fn success_means_that_every_byte_was_written() {
    let program = build("coll_success.c");
    for (ranks, kind) in (2..=9).flat_map(|ranks| [(ranks, "thread"), (ranks, "fiber")]) {
        for form in ["blocking", "nonblocking", "persistent"] {
            for coll in ["non-atomic", "atomic"] {
                let order = (ranks % 3).to_string();
                let run = support::run(&program).ranks(ranks).env("FTMPI_RANKS", kind);
                let run = run.option("--mode=rebuild").option(format!("--coll={coll}"));
                let seen = run.args([form, order.as_str()]).deadline(120).succeeds();
                assert_eq!(seen.lines_with("is through"), ranks, "{kind} {form} {coll}: {seen}");
            }
        }
    }
}

/// The others notice that somebody has come and does not go on.
#[test]
fn a_death_amid_a_call_ends_it_for_all() {
    let program = build("coll_deaths.c");
    for (call, name) in [
        ("barrier", "Barrier"),
        ("bcast", "Bcast"),
        ("gather", "Gather"),
        ("scatterv", "Scatterv"),
        ("large_allgather", "Allgather"),
        ("allgatherv", "Allgatherv"),
        ("alltoall", "Alltoall"),
        ("small_alltoall", "Alltoall"),
        ("alltoallw", "Alltoallw"),
        ("reduce", "Reduce"),
        ("allreduce", "Allreduce"),
        ("large_allreduce", "Allreduce"),
        ("reduce_scatter", "Reduce_scatter"),
        ("scan", "Scan"),
    ] {
        for (victim, number, step) in [("0", 1, 1), ("4", 3, 1), ("0", 2, 2), ("7", 5, 2)] {
            let kill = format!("--kill={victim}@inside:MPI_{name}:{number}:{step}");
            let run = support::run(&program).ranks(8).option("--on-failure=continue").option(&kill);
            let outcome = run.args([call, "blocking", victim, "-1", "within"]).fails_with(128 + 9);
            let met = outcome.stdout.lines().filter(|line| line.ends_with("met 8")).count();
            assert_eq!(met, 7, "{call} {kill}\n{outcome}");
        }
    }
}

const CALLS: [&str; 20] = [
    "barrier",
    "bcast",
    "gather",
    "gatherv",
    "scatter",
    "scatterv",
    "allgather",
    "large_allgather",
    "allgatherv",
    "alltoall",
    "small_alltoall",
    "alltoallv",
    "alltoallw",
    "reduce",
    "allreduce",
    "large_allreduce",
    "reduce_scatter",
    "reduce_scatter_block",
    "scan",
    "exscan",
];

#[test]
fn a_death_ends_a_collective_for_everybody_and_nothing_else() {
    survivors_meet("blocking", &CALLS, "within");
    survivors_meet("blocking", &["dup", "split"], "within");
}

#[test]
fn a_death_ends_a_nonblocking_collective_for_everybody() {
    survivors_meet("nonblocking", &CALLS, "within");
}

#[test]
fn a_death_ends_a_persistent_collective_for_everybody() {
    survivors_meet("persistent", &CALLS, "within");
}

#[test]
fn a_death_ends_what_two_groups_do_together() {
    let calls: Vec<&str> = CALLS.into_iter().filter(|call| !call.ends_with("scan")).collect();
    for form in ["blocking", "nonblocking"] {
        survivors_meet(form, &calls, "between");
    }
}

/// Random operations, many at once, beside a naive model. The seed of a failure is its number here.
fn agrees_with_the_model(ranks: usize, seeds: std::ops::Range<u32>, operations: u32) {
    agrees_in_width(&build("coll_random.c"), ranks, seeds, operations);
}

fn agrees_in_width(program: &Program, ranks: usize, seeds: std::ops::Range<u32>, operations: u32) {
    for seed in seeds {
        let words = [seed.to_string(), operations.to_string()];
        support::run(program).ranks(ranks).args(words).succeeds();
    }
}

#[test]
fn calls_with_large_counts_agree_with_a_naive_model() {
    let program = build_large("coll_random.c");
    for ranks in [1, 2, 7, 16] {
        agrees_in_width(&program, ranks, 30..32, 180);
    }
}

#[test]
fn few_ranks_agree_with_a_naive_model() {
    for ranks in 1..=5 {
        agrees_with_the_model(ranks, 0..6, 240);
    }
}

#[test]
fn odd_numbers_of_ranks_agree_with_a_naive_model() {
    for ranks in [7, 9, 13, 16, 23] {
        agrees_with_the_model(ranks, 10..13, 180);
    }
}

#[test]
fn many_ranks_agree_with_a_naive_model() {
    for ranks in [33, 48, 64] {
        agrees_with_the_model(ranks, 20..22, 90);
    }
}
