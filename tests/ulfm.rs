//! User Level Failure Mitigation: each of its rules, revoking against everything that blocks, and
//! deaths before, inside and after each of its calls. What one survivor is told, all are.

use std::collections::BTreeMap;
use support::{Handles, Outcome, Program};

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
                assert_eq!(seen.stderr.matches("as planned").count(), 2, "{seen}");
            }
        }
    }
}

/// What `alike.c` calls by these arguments ends well, by threads, by fibers, and by some seeds.
fn ends_alike(ranks: usize, args: [&str; 3], seeds: u32) {
    let program = c("alike.c");
    let run = || support::run(&program).ranks(ranks).option("--mode=ulfm").args(args);
    for kind in support::kinds() {
        run().carried_by(kind).succeeds();
    }
    for seed in 1..=seeds {
        run().option(format!("--seed={seed}")).succeeds();
    }
}

#[test]
fn all_have_made_a_communicator_before_anybody_leaves() {
    for ranks in [3, 8] {
        ends_alike(ranks, ["leaving", "30", "all"], 10);
    }
}

#[test]
fn nobody_makes_a_communicator_without_those_who_do_not_come() {
    for ranks in [3, 8] {
        ends_alike(ranks, ["absent", "30", "all"], 10);
    }
}

#[test]
fn whoever_revokes_while_communicators_are_made_does_so_for_all_or_for_none() {
    for ranks in [4, 9] {
        ends_alike(ranks, ["amid", "60", "all"], 0);
    }
}

#[test]
fn who_is_late_gets_what_is_there_although_it_is_revoked() {
    for call in ["bcast", "ibcast", "gather", "igather", "scatter", "reduce", "scan"] {
        for ranks in [3, 20] {
            ends_alike(ranks, ["late", "30", call], 5);
        }
    }
}

#[test]
fn messages_that_have_come_before_a_revocation_are_received() {
    ends_alike(3, ["arrived", "30", ""], 10);
}

#[test]
fn a_death_ends_the_making_of_a_communicator_alike_at_all_who_survive() {
    let program = c("alike.c");
    let calls = [
        ("dup", "MPI_Comm_dup"),
        ("dup_with_info", "MPI_Comm_dup_with_info"),
        ("idup", "MPI_Comm_idup"),
        ("split", "MPI_Comm_split"),
        ("split_type", "MPI_Comm_split_type"),
        ("create", "MPI_Comm_create"),
        ("create_group", "MPI_Comm_create_group"),
        ("cart", "MPI_Cart_create"),
        ("graph", "MPI_Graph_create"),
        ("adjacent", "MPI_Dist_graph_create_adjacent"),
        ("dist_graph", "MPI_Dist_graph_create"),
        ("merge", "MPI_Intercomm_merge"),
    ];
    for (maker, call) in calls {
        for moment in ["before", "inside", "after"] {
            for victim in [0, 2, 4] {
                // By the first one the program prepares itself.
                let nth = if maker == "dup" { 2 } else { 1 };
                let kill = format!("--kill={victim}@{moment}:{call}:{nth}");
                let run = support::run(&program).ranks(5).option("--mode=ulfm").option(kill);
                let seen = run.args(["deadly", "1", maker]).succeeds();
                assert!(all_are_told_the_same(&seen) >= 4, "{seen}");
                assert_eq!(seen.stderr.matches("as planned").count(), 1, "{seen}");
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

/// Odd ranks have a communicator of their own, even ones another; some end it, and the others see
/// failed processes.
fn aborts() -> Program {
    let text = "#include <mpi.h>\n#include <stdio.h>\n#include <stdlib.h>\n\
        int main(int argc, char **argv) { int rank, code, class; char way = argv[1][0];\n\
        MPI_Comm part; MPI_Init(&argc, &argv); MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n\
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);\n\
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &part);\n\
        if (rank == 1) printf(\"before\\n\");\n\
        if (way == 'w' && rank == 1) MPI_Abort(MPI_COMM_WORLD, 3);\n\
        if (way == 's' && rank == 1) MPI_Abort(MPI_COMM_SELF, 3);\n\
        if (way == 'p' && rank == 1) MPI_Abort(part, 3);\n\
        if (way == 'b') MPI_Abort(part, 3);\n\
        if (way == 'e' && rank == 1) { MPI_Comm_set_errhandler(part, MPI_ERRORS_ABORT);\n\
        MPI_Send(NULL, 0, MPI_INT, 99, 0, part); }\n\
        do code = MPI_Barrier(MPI_COMM_WORLD); while (code == MPI_SUCCESS);\n\
        MPI_Error_class(code, &class); printf(\"rank %d: %d\\n\", rank, class);\n\
        MPI_Finalize(); return 0; }\n";
    support::c_text("ulfm_aborts", text).build()
}

#[test]
fn abort_ends_the_group_of_its_communicator() {
    let program = aborts();
    for kind in support::kinds() {
        let run = |way| {
            let run = support::run(&program).ranks(5).option("--mode=ulfm").args([way]);
            run.carried_by(kind)
        };
        let seen = run("self").succeeds();
        assert_eq!(seen.lines_with(": 75"), 4, "{seen}");
        assert_eq!(seen.lines_with("before"), 1, "what it has printed is not lost\n{seen}");
        assert!(seen.stderr.contains("rank 1 called MPI_Abort on MPI_COMM_SELF with 3"), "{seen}");
        for way in ["part", "errors"] {
            let seen = run(way).succeeds();
            assert_eq!(seen.lines_with(": 75"), 3, "{seen}");
            assert!(seen.stderr.contains("rank 3 was ended by rank 1"), "{seen}");
        }
        // Nobody is left, whoever comes first; or all that are left are in the last one's group.
        let seen = run("both").fails_with(3);
        assert_eq!(seen.lines_with(": 75"), 0, "{seen}");
        assert_eq!(run("world").fails_with(3).lines_with(": 75"), 0);
    }
}

#[test]
fn abort_ends_the_job_in_all_other_modes() {
    let program = aborts();
    for mode in ["rebuild", "blank", "shrink", "abort"] {
        let run = support::run(&program).ranks(5).option(format!("--mode={mode}"));
        for way in ["self", "part", "world"] {
            assert_eq!(run.clone().args([way]).fails_with(3).lines_with(": "), 0);
        }
    }
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
    // The way to somebody on another host may be looked for when he has left.
    support::hosts::on(&program, "a,b,c,d:2", 5).option("--mode=ulfm").succeeds();
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
    let compiler = support::tool("mpifort").display().to_string();
    for (handles, which) in [
        (Handles::Integers, &["-DMPIF"][..]),
        (Handles::Integers, &["-DMODULE"]),
        (Handles::Integers, &["-DMODULE", "-DEXT"]),
        (Handles::Types, &["-DTYPES"]),
        (Handles::Types, &["-DTYPES", "-DEXT"]),
    ] {
        let flags = handles.flags();
        let flags: Vec<&str> = flags.iter().map(String::as_str).chain(["-O2"]).collect();
        let source = support::fortran("ulfm.F90").compiler(&compiler);
        let program = source.flags(&[&flags[..], which].concat()).build();
        let seen = support::run(&program).ranks(5).succeeds();
        assert_eq!(seen.lines_with("survived"), 4, "{which:?}\n{seen}");
    }
}

#[test]
fn the_modules_of_extensions_have_the_names_of_ulfm_and_no_others() {
    for (module, comm, group) in
        [("mpi", "integer", "integer"), ("mpi_f08", "type(MPI_Comm)", "type(MPI_Group)")]
    {
        let text = format!(
            "program extended\nuse {module}, only: MPI_Init, MPI_Finalize, MPI_Comm_rank, &\n\
             MPI_COMM_WORLD, MPI_SUCCESS, MPI_Comm, MPI_Group\nuse {module}_ext\nimplicit none\n\
             ! Not taken: it is no extension.\ninteger :: MPI_ANY_SOURCE, ierr, acked\n\
             {comm} :: left\n{group} :: dead\ncall MPI_Init(ierr)\n\
             call MPIX_Comm_failure_ack(MPI_COMM_WORLD, ierr)\n\
             call MPIX_Comm_failure_get_acked(MPI_COMM_WORLD, dead, ierr)\n\
             call PMPIX_Comm_ack_failed(MPI_COMM_WORLD, 0, acked, ierr)\n\
             call MPIX_Comm_shrink(MPI_COMM_WORLD, left, ierr)\n\
             MPI_ANY_SOURCE = MPIX_ERR_REVOKED - MPI_ERR_PROC_FAILED + MPIX_FT\n\
             if (ierr == MPI_SUCCESS) print '(i0)', MPI_ANY_SOURCE + acked\n\
             call MPI_Finalize(ierr)\nend program\n"
        );
        let text = if module == "mpi" { text.replace(", MPI_Comm, MPI_Group", "") } else { text };
        let compiler = support::tool("mpifort").display().to_string();
        let source = support::fortran_text("extended", &text).compiler(&compiler);
        let seen = support::run(&source.flags(&["-Wall"]).build()).ranks(2).succeeds();
        assert_eq!(seen.stdout, "7012\n7012\n", "{module}");
    }
}
