//! When checkpoints are due, and who may share a group: what the library finds out by itself, and
//! what it is told of nodes.

use support::Outcome;

/// Iterations of a millisecond; a checkpoint whenever one is due, which all must be told alike.
const PACE: &str = r#"
    #include <mpi.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <unistd.h>
    #include "ftmpi.h"
    static int step, rank, taken;
    static double x[4000];
    static int run(FTCK ck, int steps) {
        for (; step < steps; step++) {
            int due, all[2], both[2], code = FTCK_Due(ck, &due);
            if (code != MPI_SUCCESS) return code;
            both[0] = due; both[1] = -due;
            code = MPI_Allreduce(both, all, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
            if (code != MPI_SUCCESS) return code;
            if (all[0] != -all[1]) MPI_Abort(MPI_COMM_WORLD, 7);
            if (due) {
                code = FTCK_Checkpoint(ck, step);
                if (code != MPI_SUCCESS) return code;
                taken++;
            }
            usleep(1000);
        }
        return MPI_SUCCESS;
    }
    int main(int argc, char **argv) {
        FTCK ck; int version, code, length; char words[MPI_MAX_ERROR_STRING];
        MPI_Init(&argc, &argv);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        FTCK_Create(MPI_COMM_WORLD, "rs:2", &ck);
        FTCK_Register(ck, 0, &step, 1, MPI_INT);
        FTCK_Register(ck, 1, x, 4000, MPI_DOUBLE);
        if (argc > 2) {
            code = FTCK_Set_mttf(ck, argv[2]);
            MPI_Error_string(code, words, &length);
            if (code != MPI_SUCCESS) printf("mttf: %s\n", words);
        }
        for (;;) {
            code = FTCK_Restore(ck, &version);
            if (code == MPI_SUCCESS) {
                if (version == FTCK_NONE) step = 0;
                code = run(ck, atoi(argv[1]));
            }
            if (code != MPI_ERR_OTHER) break;
            MPI_Comm again = FT_MPI_CHECK_RECOVER;
            while (MPI_Comm_dup(MPI_COMM_WORLD, &again) != MPI_SUCCESS)
                again = FT_MPI_CHECK_RECOVER;
        }
        MPI_Error_string(code, words, &length);
        printf("step %d taken %d: %s\n", step, taken, words);
        FTCK_Free(&ck);
        MPI_Finalize();
        return 0;
    }
"#;

fn taken(seen: &Outcome) -> Vec<usize> {
    let lines = seen.stdout.lines().filter_map(|line| line.strip_prefix("step 2000 taken "));
    lines.map(|line| line.split(':').next().expect("a number").parse().expect("one")).collect()
}

#[test]
fn the_interval_comes_from_the_cost_and_is_the_same_at_all_ranks() {
    let program = support::c_text("checkpoint_pace", PACE).build();
    let run = || support::run(&program).ranks(5).option("--mode=rebuild").option("--seed=3");
    let often = run().args(["2000", "2s"]).succeeds();
    let seldom = run().args(["2000", "1d"]).succeeds();
    for seen in [&often, &seldom] {
        let counts = taken(seen);
        assert!(counts.len() == 5 && counts.iter().all(|count| *count == counts[0]), "{seen}");
        assert!(seen.stderr.contains("ftmpi: a checkpoint every "), "{seen}");
    }
    let [often, seldom] = [taken(&often)[0], taken(&seldom)[0]];
    assert!(often < 700 && (3..12).contains(&seldom) && seldom < often, "{often} {seldom}");
}

#[test]
fn all_are_told_alike_whoever_dies_and_whenever() {
    let program = support::c_text("checkpoint_pace", PACE).build();
    let moments = ["before:FTCK_Checkpoint:3", "after:FTCK_Checkpoint:4", "after:FTCK_Due:100"];
    let inside = (1..=16).step_by(3).map(|step| format!("inside:FTCK_Checkpoint:4:{step}"));
    let restoring = [1, 3, 6].map(|step| format!("inside:FTCK_Restore:1:{step}"));
    let all = moments.iter().map(ToString::to_string).chain(inside).chain(restoring);
    for (number, moment) in all.enumerate() {
        let run = support::run(&program).ranks(5).option("--mode=rebuild").option("--seed=3");
        let run = run.option(format!("--kill={}@{moment}", number % 5)).option("--kill=2@300ms");
        let seen = run.args(["2000", "1s"]).succeeds();
        assert_eq!(taken(&seen).len(), 5, "{moment}: {seen}");
    }
}

#[test]
fn ftrun_tells_how_far_apart_failures_are_and_else_somebody_must() {
    let program = support::c_text("checkpoint_pace", PACE).build();
    let run = || support::run(&program).ranks(3).option("--mode=rebuild").option("--seed=3");
    let seen = run().option("--mttf=100000s").args(["2000"]).succeeds();
    assert_eq!(taken(&seen).len(), 3, "{seen}");
    assert!(seen.stderr.contains("a failure is expected every 100000 s"), "{seen}");
    let seen = run().args(["2000"]).succeeds();
    let words =
        "the mean time between failures is unknown; call FTCK_Set_mttf, or use ftrun --mttf";
    assert_eq!(seen.lines_with(words), 3, "{seen}");
    let seen = run().args(["2000", "soon"]).succeeds();
    assert_eq!(seen.lines_with("mttf: MPI_ERR_ARG"), 3, "{seen}");
}

/// Two ranks on each node; the third node fails.
const NODES: &str = r#"
    #include <mpi.h>
    #include <signal.h>
    #include <stdio.h>
    #include <string.h>
    #include "ftmpi.h"
    static void told(const char *what, int code) {
        char words[MPI_MAX_ERROR_STRING]; int length;
        MPI_Error_string(code, words, &length);
        printf("%s: %s\n", what, words);
        fflush(stdout);
    }
    int main(int argc, char **argv) {
        FTCK ck; int rank, version = -1; long x[1000];
        const char *where = argv[2];
        MPI_Init(&argc, &argv);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        FTCK_Create(MPI_COMM_WORLD, argv[1], &ck);
        if (strcmp(where, "nowhere") != 0) FTCK_Set_node(ck, where[rank] - '0');
        FTCK_Register(ck, 0, x, 1000, MPI_LONG);
        for (int i = 0; i < 1000; i++) x[i] = rank * 1000 + i;
        if (ftmpi_incarnation() == 0) {
            int code = FTCK_Checkpoint(ck, 1);
            if (code != MPI_SUCCESS) {
                told("refused", code);
                MPI_Finalize();
                return 0;
            }
            if (rank == 4 || rank == 5) raise(SIGKILL);
            while (MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS);
            MPI_Comm again = FT_MPI_CHECK_RECOVER;
            while (MPI_Comm_dup(MPI_COMM_WORLD, &again) != MPI_SUCCESS)
                again = FT_MPI_CHECK_RECOVER;
        }
        memset(x, 0, sizeof x);
        int code = FTCK_Restore(ck, &version), is_right = 1;
        for (int i = 0; i < 1000; i++) is_right = is_right && x[i] == rank * 1000 + i;
        if (code == MPI_SUCCESS && is_right) printf("restored %d\n", version);
        else told("not restored", code);
        MPI_Finalize();
        return 0;
    }
"#;

#[test]
fn a_node_that_fails_takes_no_more_than_one_of_each_group() {
    let program = support::c_text("checkpoint_nodes", NODES).build();
    let run = |scheme: &str, nodes: &str| {
        let run = support::run(&program).ranks(8).option("--mode=rebuild");
        run.args([scheme, nodes]).succeeds()
    };
    let lost = run("xor", "nowhere");
    assert_eq!(lost.lines_with("FTCK_ERR_LOST"), 8, "{lost}");
    for scheme in ["xor", "ring", "pair", "sum"] {
        let seen = run(scheme, "00112233");
        assert_eq!(seen.lines_with("restored 1"), 8, "{scheme}: {seen}");
    }
    for (scheme, nodes, why) in [
        ("xor", "00000123", "5 of 8 ranks are on node 0, each in a group of its own"),
        ("xor,groups=2", "00012345", "3 ranks are on node 0"),
    ] {
        let seen = run(scheme, nodes);
        assert_eq!(seen.lines_with("refused: MPI_ERR_ARG"), 8, "{scheme}: {seen}");
        assert_eq!(seen.lines_with(why), 8, "{scheme}: {seen}");
    }
}
