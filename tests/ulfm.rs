//! User Level Failure Mitigation: each of its rules, revoking against everything that blocks, and
//! deaths before, inside and after each of its calls. What one survivor is told, all are.

mod support;

use std::collections::BTreeMap;
use support::{Outcome, Program};

fn c(program: &str) -> Program {
    support::c(program).flags(&["-O1", "-pthread"]).build()
}

/// The case of a program ends well although ranks die: whoever survives makes the status.
fn survives(program: &Program, ranks: usize, case: &str) -> Outcome {
    let run = support::run(program).ranks(ranks).option("--mode").option("ulfm");
    run.args([case]).succeeds()
}

fn rule(case: &str) {
    let program = c("ulfm_rules.c");
    for ranks in [4, 9] {
        survives(&program, ranks, case);
    }
}

#[test]
fn only_what_needs_the_dead_fails_and_starting_it_does_not() {
    rule("only-what-needs-the-dead-fails");
}

#[test]
fn a_receive_from_any_source_is_pending_until_the_death_is_acknowledged() {
    rule("any-source-is-pending");
}

#[test]
fn a_blocking_receive_from_any_source_fails_until_the_death_is_acknowledged() {
    rule("blocking-any-source");
}

#[test]
fn communicators_without_the_dead_are_untouched() {
    rule("others-are-untouched");
}

#[test]
fn an_earlier_list_of_the_dead_is_a_prefix_of_a_later_one() {
    rule("list-of-the-dead");
}

#[test]
fn agree_fails_for_all_alike_until_all_have_acknowledged() {
    rule("agree");
}

#[test]
fn shrink_works_again_and_again_down_to_one_rank() {
    rule("shrink-down-to-one");
}

#[test]
fn the_nonblocking_forms_end_as_all_requests_do() {
    rule("nonblocking");
}

#[test]
fn between_two_groups_each_hears_the_flags_of_the_other() {
    rule("between-two-groups");
}

#[test]
fn every_name_of_ulfm_is_there_in_c() {
    rule("names");
}

#[test]
fn revoking_ends_whatever_waits_on_the_communicator() {
    let program = c("ulfm_revoke.c");
    let cases = "recv recv_any probe probe_any mprobe ssend send_large sendrecv irecv irecv_any \
                 isend_large persistent test_loop iprobe_loop waitany waitall barrier bcast \
                 alltoall ireduce persistent_collective make_dup make_split idup create_group";
    for case in cases.split_whitespace() {
        survives(&program, 5, case);
    }
}

#[test]
fn a_revoked_communicator_is_good_for_what_is_local_and_for_agreements() {
    let program = c("ulfm_revoke.c");
    let cases = "from-another-thread afterwards siblings before-all-have-it the-world \
                 intercommunicators";
    for case in cases.split_whitespace() {
        survives(&program, 6, case);
    }
}

/// All survivors print the same for the same round; returns how many lines there were.
fn all_are_told_the_same(seen: &Outcome) -> usize {
    let mut rounds: BTreeMap<&str, &str> = BTreeMap::new();
    let lines = seen.stdout.lines().filter(|line| line.starts_with("round "));
    for line in lines.clone() {
        let mut words = line.match_indices(' ').map(|(at, _)| at);
        let end = words.nth(2).expect("a line has a round, a call and what it said");
        let first = rounds.entry(&line[..end]).or_insert(line);
        assert_eq!(*first, line, "two survivors were told different things\n{seen}");
    }
    lines.count()
}

#[test]
fn deaths_in_the_midst_of_agreements_are_the_same_for_all_who_survive() {
    let program = c("ulfm_storm.c");
    let mut lines = 0;
    for seed in 1..=60 {
        let seed = seed.to_string();
        let run = support::run(&program).ranks(9).option("--mode=ulfm").args([&seed]);
        lines += all_are_told_the_same(&run.succeeds());
    }
    assert!(lines > 60 * 24, "somebody went through all rounds each time: {lines}");
}

#[test]
fn a_death_at_every_step_of_every_call_leaves_the_others_agreed() {
    let program = c("ulfm_storm.c");
    let calls = [
        "MPIX_Comm_agree",
        "MPIX_Comm_iagree",
        "MPIX_Comm_shrink",
        "MPIX_Comm_ishrink",
        "MPIX_Comm_revoke",
        "MPIX_Comm_failure_ack",
    ];
    for call in calls {
        for moment in ["before:", "inside:", "after:"] {
            for (victim, also) in [(0, 3), (3, 0), (4, 1)] {
                let kill = |rank, count| format!("--kill={rank}@{moment}{call}:{count}");
                let run = support::run(&program).ranks(6).option("--mode=ulfm").args(["0"]);
                let run = run.option(kill(victim, 1)).option(kill(also, 2));
                let seen = run.succeeds();
                all_are_told_the_same(&seen);
                assert_eq!(seen.stderr.matches("as ordered").count(), 2, "{seen}");
            }
        }
    }
}

#[test]
fn the_status_is_that_of_the_survivors() {
    let text = "#include <mpi.h>\n#include <stdlib.h>\n#include <string.h>\n\
        int main(int argc, char **argv) { int rank; MPI_Init(&argc, &argv);\n\
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n\
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);\n\
        if (!strcmp(argv[1], \"all\") || rank == 1) exit(7);\n\
        MPI_Finalize(); return !strcmp(argv[1], \"later\") && rank == 2 ? 5 : 0; }\n";
    let program = support::c_text("ulfm_status", text).build();
    let run = support::run(&program).ranks(4).option("--mode=ulfm");
    let seen = run.clone().args(["one"]).succeeds();
    assert_eq!(
        seen.stderr.matches("ftrun: rank 1 ").count(),
        1,
        "one line about the one death\n{seen}"
    );
    run.clone().args(["later"]).fails_with(5);
    run.clone().args(["all"]).fails_with(7);
}

#[test]
fn a_program_that_refers_to_ulfm_needs_no_option() {
    let program = c("ulfm_rules.c");
    support::run(&program).ranks(4).args(["agree"]).succeeds();
}

#[test]
fn nobody_waits_for_those_who_have_left() {
    let text = "#include <mpi.h>\n#include <mpi-ext.h>\n\
        int main(int argc, char **argv) { int rank, flag = 3; MPI_Comm left;\n\
        MPI_Init(&argc, &argv); MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n\
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);\n\
        if (rank == 1) MPIX_Comm_revoke(MPI_COMM_WORLD);\n\
        if (rank < 2) { MPI_Finalize(); return 0; }\n\
        MPIX_Comm_agree(MPI_COMM_WORLD, &flag);\n\
        if (MPIX_Comm_shrink(MPI_COMM_WORLD, &left) != MPI_SUCCESS) return 1;\n\
        MPI_Barrier(left); MPI_Finalize(); return 0; }\n";
    let program = support::c_text("ulfm_left", text).build();
    for _ in 0..10 {
        support::run(&program).ranks(5).option("--mode=ulfm").succeeds();
    }
}

#[test]
fn sources_in_the_style_of_open_mpi_compile_and_run_unchanged() {
    let strict = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror"];
    let program = support::c("ulfm_style.c").flags(&strict).build();
    let seen = support::run(&program).ranks(6).succeeds();
    assert_eq!(seen.lines_with("survived"), 5, "{seen}");
    let cxx = support::cxx("ulfm_style.c").flags(&["-x", "c++", "-Wall", "-Werror"]).build();
    support::run(&cxx).ranks(6).succeeds();
}

#[test]
fn fortran_has_it_in_all_three_bindings() {
    for (file, compiler) in
        [("ulfm_mpif.f90", "mpifort"), ("ulfm_mpi.f90", "mpifort"), ("ulfm_f08.f90", "mpifort")]
    {
        let compiler = support::tool(compiler).display().to_string();
        let program = support::fortran(file).compiler(&compiler).flags(&["-O2"]).build();
        let seen = support::run(&program).ranks(5).succeeds();
        assert_eq!(seen.lines_with("survived"), 4, "{file}\n{seen}");
    }
}
