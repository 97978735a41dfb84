//! Members of a communicator that call different things are told at once; those that only seem to
//! are not.

fn program() -> support::Program {
    support::c("mismatch.c").flags(&["-O1", "-Wall"]).build()
}

/// On few and on many, on threads and on fibers, with a core each and without.
fn passes(case: &str, counts: &[usize]) {
    let program = program();
    for ranks in counts {
        for kind in ["thread", "fiber"] {
            let run = support::run(&program).ranks(*ranks).option(format!("--ranks={kind}"));
            run.args([case]).succeeds();
        }
    }
}

#[test]
fn any_two_calls_that_differ_are_named() {
    passes("pairs", &[2, 3, 4, 9, 20]);
}

#[test]
fn calls_of_different_forms_do_not_match() {
    passes("mixed", &[2, 3, 4, 9, 20]);
}

#[test]
fn whoever_makes_no_communicator_is_told_by_those_who_do() {
    passes("making", &[2, 4, 9, 20]);
}

#[test]
fn two_groups_are_compared_as_one() {
    passes("groups", &[2, 4, 7]);
}

#[test]
fn what_the_standard_allows_is_let_pass() {
    passes("legal", &[1, 2, 3, 4, 9, 20]);
}

#[test]
fn a_death_goes_before_what_others_call() {
    let program = program();
    for ranks in [2, 4, 9] {
        for mode in ["ulfm", "shrink"] {
            let run = support::run(&program).ranks(ranks).option(format!("--mode={mode}"));
            run.args(["dying"]).outcome();
        }
    }
}

#[test]
fn where_errors_are_fatal_the_job_ends_with_both_calls_named() {
    let program = support::c("deadlock.c").build();
    for ranks in [2, 3, 8] {
        for (case, calls) in [
            ("roots", ["MPI_Reduce (1 × MPI_INT, MPI_SUM, root 0)", "root "]),
            ("other-calls", ["MPI_Reduce (1 × MPI_INT", "MPI_Allreduce (1 × MPI_INT, MPI_SUM)"]),
            ("order", ["MPI_Iallreduce (1 × MPI_INT, MPI_SUM)", "MPI_Barrier"]),
        ] {
            let outcome = support::run(&program).ranks(ranks).args([case]).outcome();
            assert!(outcome.status != Some(0) && outcome.status != Some(123), "{outcome}");
            for call in calls {
                assert!(outcome.stderr.contains(call), "{call}: {outcome}");
            }
        }
    }
}

#[test]
fn nobody_compares_where_checks_are_off() {
    let run = support::run(&program()).ranks(3).option("--check=off").args(["legal"]);
    run.succeeds();
}

fn making() -> support::Program {
    support::c("mismatch_made.c").flags(&["-O1", "-Wall"]).build()
}

/// In one process, and in several: one for each rank, and some for all.
const FORMS: [&str; 4] = ["thread", "fiber", "process", "process:3"];

#[test]
fn members_that_make_different_things_are_told_and_go_on() {
    for (case, counts) in
        [("pairs", [2, 3, 7]), ("many", [2, 4, 9]), ("files", [2, 3, 7]), ("groups", [2, 4, 7])]
    {
        for (ranks, form) in counts.iter().flat_map(|ranks| FORMS.map(|form| (*ranks, form))) {
            let run = support::run(&making()).ranks(ranks).env("FTMPI_RANKS", form);
            // Where ranks share processes, a barrier is messages, which nobody compares.
            let are_sharing = form == "process:3" && ranks > 3;
            run.args([case].into_iter().chain(are_sharing.then_some("making"))).succeeds();
        }
    }
}

#[test]
fn a_death_among_members_that_make_different_things_is_heard_of() {
    for form in FORMS {
        for (ranks, mode) in [(2, "ulfm"), (4, "ulfm"), (9, "ulfm"), (4, "shrink"), (9, "blank")] {
            let run = support::run(&making()).ranks(ranks).env("FTMPI_RANKS", form);
            let seen = run.option(format!("--mode={mode}")).args(["dying"]).outcome();
            assert_eq!(seen.lines_with("0 is there"), 1, "{form}, {mode}: {seen}");
        }
    }
}

#[test]
fn members_that_leave_after_a_recovery_and_those_that_make_something_go_on() {
    for form in ["thread", "fiber", "process"] {
        for ranks in [3, 5, 8] {
            // With a core for each rank of one process, the two calls would wait for each other.
            let run = support::run(&making()).ranks(ranks).env("FTMPI_CORES", "1");
            let run = run.env("FTMPI_RANKS", form).option("--mode=shrink").args(["leaving"]);
            let seen = run.outcome();
            assert_eq!(seen.lines_with("was told"), (ranks - 1) / 2, "{form}: {seen}");
        }
    }
}
