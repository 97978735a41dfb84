//! Diskless checkpoints: whoever dies, and whenever, the program ends with the numbers that it ends
//! with when nobody does, or all are told whose data are lost.

use support::{Outcome, Program, Run};

fn program() -> Program {
    support::c("checkpoint.c").flags(&["-O1", "-Wall", "-Werror", "-lm"]).build()
}

/// How many ranks, by which scheme, of whom so many only keep codes, and how many numbers each has.
#[derive(Clone, Copy)]
struct Case<'a> {
    ranks: usize,
    scheme: &'a str,
    keepers: usize,
    count: usize,
}

impl Case<'_> {
    fn run(self, program: &Program, victims: &[&str]) -> Run {
        let Case { ranks, scheme, keepers, count } = self;
        let (keepers, count) = (keepers.to_string(), count.to_string());
        let args = [&[scheme, "30", "10", &keepers, &count], victims].concat();
        each_a_node(support::run(program).ranks(ranks).option("--mode=rebuild").args(args))
    }

    fn expected(self, program: &Program) -> String {
        self.run(program, &[]).succeeds().stdout
    }

    /// All are told that these ranks' data are lost.
    fn is_lost(self, program: &Program, victims: &[&str], whose: &str) {
        let seen = self.run(program, victims).succeeds();
        assert_eq!(seen.lines_with(whose), self.ranks, "{} {victims:?}: {seen}", self.scheme);
        assert_eq!(seen.lines_with("FTCK_ERR_LOST"), self.ranks, "{seen}");
    }
}

/// Where ranks share processes, each of these counts as a node unless the program says otherwise,
/// and groups are made by nodes.
fn each_a_node(run: Run) -> Run {
    match support::processes() {
        Some(Some(_)) => run.env("EACH_A_NODE", "1"),
        _ => run,
    }
}

fn spread(scheme: &str) -> Case<'_> {
    Case { ranks: 6, scheme, keepers: 0, count: 777 }
}

#[test]
fn every_scheme_makes_up_for_what_it_promises() {
    let program = program();
    let dedicated = |ranks, scheme, keepers| Case { ranks, scheme, keepers, count: 777 };
    let cases: &[(Case<'_>, &[&[&str]])] = &[
        (spread("xor"), &[&["0@15"], &["5@10"], &["1@5", "2@25"]]),
        (spread("rs:2"), &[&["0@15", "5@15"], &["2@15", "3@15"], &["2@15", "3@15", "4@25"]]),
        (spread("sum"), &[&["0@15"], &["5@10", "0@29"]]),
        (spread("weighted:2"), &[&["0@15", "5@15"], &["2@15", "3@15"]]),
        (spread("ring"), &[&["0@15", "2@15", "4@15"]]),
        (spread("pair"), &[&["0@15", "2@15", "4@15"]]),
        (spread("xor,groups=2"), &[&["2@15", "3@15"]]),
        (dedicated(8, "mirror", 4), &[&["0@15", "3@15", "5@15", "6@15"], &["4@15", "7@15"]]),
        (dedicated(7, "xor,dedicated", 1), &[&["3@15"], &["6@15"]]),
        (dedicated(8, "rs:2,dedicated", 2), &[&["3@15", "4@15"], &["3@15", "6@15"]]),
        (dedicated(12, "weighted:3,dedicated", 3), &[&["0@15", "3@15", "4@15"], &["3@15", "9@15"]]),
        (Case { count: 40_000, ..spread("xor") }, &[&["3@15"]]),
        (Case { count: 40_000, ..spread("rs:2") }, &[&["3@15", "4@15"]]),
        (Case { ranks: 40, ..spread("rs:2") }, &[&["0@15", "1@15", "20@15", "21@15", "38@15"]]),
    ];
    for (case, patterns) in cases {
        let expected = case.expected(&program);
        for victims in *patterns {
            let seen = case.run(&program, victims).succeeds();
            assert_eq!(seen.stdout, expected, "{} {victims:?}: {seen}", case.scheme);
        }
    }
}

#[test]
fn more_losses_than_promised_are_told_to_all_with_whose_data_are_lost() {
    let program = program();
    spread("xor").is_lost(&program, &["2@15", "3@15"], "the data of ranks 2-3 is lost");
    spread("ring").is_lost(&program, &["1@15", "2@15"], "the data of rank 1 is lost");
    // Where each has a node, partners are half of the ranks apart.
    let has_nodes = matches!(support::processes(), Some(Some(_)));
    let (one, other, whose) = if has_nodes { (1, 4, "1, 4") } else { (4, 5, "4-5") };
    let victims = [one, other].map(|rank| format!("{rank}@15"));
    let told = format!("the data of ranks {whose} is lost");
    spread("pair").is_lost(&program, &victims.each_ref().map(String::as_str), &told);
    spread("rs:2").is_lost(
        &program,
        &["0@15", "2@15", "4@15"],
        "the data of ranks 0, 2, 4 is lost",
    );
    let mirror = Case { ranks: 8, scheme: "mirror", keepers: 4, count: 10 };
    let keeper = if has_nodes { "6@15" } else { "5@15" };
    mirror.is_lost(&program, &["1@15", keeper], "the data of rank 1 is lost");
    let sums = Case { ranks: 8, scheme: "weighted:2,dedicated", keepers: 2, count: 10 };
    sums.is_lost(&program, &["1@15", "2@15", "7@15"], "the data of ranks 1-2 is lost");
}

#[test]
fn as_many_patterns_of_failures_are_survived_as_the_formulas_say() {
    // Two of eight ranks: C(4,2) 2^2 of C(8,2) where each has one fellow, all but neighbours on a
    // ring, all pairs of different groups, and all where two sums are kept.
    let program = program();
    for (scheme, keepers, survived) in [
        ("mirror", 4, 24),
        ("pair", 0, 24),
        ("ring", 0, 20),
        ("sum,dedicated", 1, 0),
        ("sum,dedicated,groups=2", 2, 16),
        ("weighted:2,dedicated", 2, 28),
    ] {
        let case = Case { ranks: 8, scheme, keepers, count: 10 };
        let pairs = (0..8).flat_map(|one| (0..one).map(move |other| (one, other)));
        let is_survived = |&(one, other): &(i32, i32)| {
            let victims = [format!("{one}@15"), format!("{other}@15")];
            let seen = case.run(&program, &victims.each_ref().map(String::as_str)).succeeds();
            seen.lines_with("FTCK_ERR_LOST") == 0
        };
        assert_eq!(pairs.filter(is_survived).count(), survived, "{scheme}");
    }
}

/// The same result with each of these deaths.
fn survives(case: Case<'_>, victims: &[&str], kills: impl Iterator<Item = String>) {
    let program = program();
    let expected = case.expected(&program);
    for kill in kills {
        let seen = case.run(&program, victims).option(format!("--kill={kill}")).succeeds();
        assert_eq!(seen.stdout, expected, "{} {kill}: {seen}", case.scheme);
        // Who has fewer steps to go dies at the end of the call.
        let deaths = seen.stderr.matches("as planned for").count();
        assert_eq!(deaths, 1, "{} {kill}: {seen}", case.scheme);
    }
}

#[test]
fn a_death_at_any_step_of_a_checkpoint_loses_nothing() {
    for (scheme, count) in [("xor", 500), ("rs:2", 20_000), ("weighted:2", 500), ("ring", 20_000)] {
        let steps = [1, 2, 3, 4, 5, 6, 8, 10, 13, 17, 22];
        let inside = steps.iter().flat_map(|step| {
            (0..3).map(move |which| {
                let (rank, call) = ((which + step) % 5, which + 1);
                format!("{rank}@inside:FTCK_Checkpoint:{call}:{step}")
            })
        });
        let around = ["0@before:FTCK_Checkpoint:2", "3@after:FTCK_Checkpoint:2"];
        let all = inside.chain(around.map(str::to_string));
        survives(Case { ranks: 5, scheme, keepers: 0, count }, &[], all);
    }
}

#[test]
fn a_death_at_any_step_of_a_restoration_loses_nothing() {
    for (scheme, count) in [("rs:2", 500), ("rs:2", 20_000), ("weighted:2", 500)] {
        let steps = [1, 2, 3, 4, 5, 6, 8, 10, 13, 17];
        // A survivor, or the replacement itself.
        let inside = steps.iter().flat_map(|step| {
            ["0@inside:FTCK_Restore:2", "3@inside:FTCK_Restore:2", "2.2@inside:FTCK_Restore:1"]
                .map(|moment| format!("{moment}:{step}"))
        });
        let around =
            ["3@before:FTCK_Restore:2", "3@after:FTCK_Restore:2", "2.2@after:FTCK_Restore:1"];
        let all = inside.chain(around.map(str::to_string));
        survives(Case { ranks: 5, scheme, keepers: 0, count }, &["2@15"], all);
    }
}

#[test]
fn a_checkpoint_beside_the_computation_is_as_good() {
    let case = Case { count: 20_000, ..spread("rs:2") };
    let kills = ["1@inside:FTCK_Icheckpoint:2", "0@inside:MPI_Wait:1", "2@after:MPI_Allreduce:23"];
    survives(case, &["async"], kills.iter().map(|kill| kill.to_string()));
    // Whoever restores waits for the one that is under way.
    let kills = ["1@inside:FTCK_Icheckpoint:2", "2@after:FTCK_Icheckpoint:2"];
    survives(case, &["careless"], kills.iter().map(|kill| kill.to_string()));
    survives(case, &["2@15", "3@21", "async"], ["1@after:FTCK_Icheckpoint:3".into()].into_iter());
}

#[test]
fn who_is_left_gets_the_data_of_who_is_not() {
    let program = support::c("checkpoint_fewer.c").flags(&["-O1", "-Wall", "-Werror"]).build();
    for (scheme, last) in [("xor", "1"), ("rs:2", "3"), ("ring", "1"), ("pair", "1"), ("sum", "1")]
    {
        for mode in ["shrink", "blank", "ulfm"] {
            let run = support::run(&program).ranks(6).option(format!("--mode={mode}"));
            let seen = run.args([scheme, mode, last]).succeeds();
            assert_eq!(seen.stdout, "91\n", "{scheme} {mode}: {seen}");
        }
    }
}

#[test]
fn who_jumps_out_of_a_call_leaves_what_was_kept_before() {
    let program = support::c("checkpoint_jump.c").flags(&["-O1", "-Wall", "-Werror"]).build();
    support::run(&program).ranks(4).option("--mode=ulfm").args(["40"]).succeeds();
}

#[test]
fn who_has_come_out_of_a_restoration_may_count_on_the_codes_of_all() {
    let program = program();
    let case = Case { ranks: 5, scheme: "rs:2", keepers: 0, count: 500 };
    let expected = case.expected(&program);
    for seed in 1..=12 {
        let run = case.run(&program, &["2@15"]).option(format!("--seed={seed}"));
        let run = ["0", "1"]
            .iter()
            .fold(run, |run, rank| run.option(format!("--kill={rank}@after:FTCK_Restore:2")));
        let seen = run.succeeds();
        assert_eq!(seen.stdout, expected, "seed {seed}: {seen}");
    }
}

#[test]
fn who_only_kept_codes_leaves_no_data() {
    let text = r#"
        #include <mpi.h>
        #include <signal.h>
        #include <stdio.h>
        #include "ftmpi.h"
        int main(int argc, char **argv) {
            FTCK ck; int rank, version, ranks[4], count; double x[4] = {1, 2, 3, 4};
            MPI_Init(&argc, &argv);
            MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            FTCK_Create(MPI_COMM_WORLD, "rs:2,dedicated", &ck);
            if (rank < 2) FTCK_Register(ck, 0, x, 4, MPI_DOUBLE);
            FTCK_Checkpoint(ck, 3);
            if (rank == 3) raise(SIGKILL);
            while (MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS);
            MPI_Comm again = FT_MPI_CHECK_RECOVER;
            MPI_Comm_dup(MPI_COMM_WORLD, &again);
            FTCK_Restore(ck, &version);
            FTCK_Orphans(ck, 4, ranks, &count);
            int failures, digits;
            FTCK_Status(ck, &version, &failures, &digits);
            printf("%d orphans of %d, %d more\n", count, version, failures);
            MPI_Finalize();
            return 0;
        }
    "#;
    let program = support::c_text("checkpoint_keepers", text).build();
    let seen = support::run(&program).ranks(4).option("--mode=shrink").succeeds();
    assert_eq!(seen.lines_with("0 orphans of 3, 1 more"), 3, "{seen}");
}

#[test]
fn the_digits_that_sums_lose_are_told_and_what_keeps_none_is_lost() {
    let program = support::c("checkpoint_sums.c").flags(&["-O1", "-Wall", "-Werror", "-lm"]);
    let program = program.build();
    for scheme in ["sum", "weighted:2"] {
        let run = |large: &str| {
            let run = support::run(&program).ranks(4).option("--mode=rebuild");
            each_a_node(run).args([scheme, large]).succeeds()
        };
        for (large, digits) in [("1", 0..=2), ("1e5", 4..=7), ("1e9", 8..=11)] {
            let seen = run(large);
            let is_told = |digits: i32| {
                let line = format!("restored 10, digits {digits}, as told 1, zeros 1");
                seen.lines_with(&line) == 4
            };
            assert!(digits.clone().any(is_told), "{scheme} {large}: {seen}");
        }
        let seen = run("1e17");
        let words = "the data of rank 1 is lost, because the sums";
        assert_eq!(seen.lines_with(words), 4, "{scheme}: {seen}");
        assert_eq!(seen.lines_with("no digit of what rank 1 has registered as 4"), 4, "{seen}");
    }
}

#[test]
fn numbers_that_are_none_make_no_checkpoint_and_the_last_one_stays() {
    let program = support::c("checkpoint_sums.c").flags(&["-O1", "-Wall", "-Werror", "-lm"]);
    let program = program.build();
    let bad = "rank 1 has registered infinite or NaN numbers as 6";
    let cases = [("nan", bad), ("async", bad), ("infinite", "sums of doubles overflow")];
    for (word, why) in cases {
        // With random weights it depends on them how much is too much.
        for scheme in if word == "infinite" { &["sum"][..] } else { &["sum", "weighted:2"] } {
            let run = support::run(&program).ranks(4).option("--mode=rebuild");
            let seen = each_a_node(run).args([scheme, "2", word]).succeeds();
            assert_eq!(seen.lines_with(why), 4, "{scheme} {word}: {seen}");
            assert_eq!(seen.lines_with("stands 10, "), 4, "{scheme} {word}: {seen}");
            assert_eq!(seen.lines_with("restored 10, "), 4, "{scheme} {word}: {seen}");
        }
    }
}

#[test]
fn with_gaps_ranks_are_named_as_the_program_knows_them() {
    let text = r#"
        #include <mpi.h>
        #include <signal.h>
        #include <stdio.h>
        #include "ftmpi.h"
        static int rank;
        static void meet(int victim) {
            if (rank == victim) raise(SIGKILL);
            while (MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS);
            MPI_Comm again = FT_MPI_CHECK_RECOVER;
            while (MPI_Comm_dup(MPI_COMM_WORLD, &again) != MPI_SUCCESS)
                again = FT_MPI_CHECK_RECOVER;
        }
        static void told(int code) {
            char words[MPI_MAX_ERROR_STRING]; int length;
            MPI_Error_string(code, words, &length);
            printf("%s\n", words);
            fflush(stdout);
        }
        int main(int argc, char **argv) {
            FTCK ck; int version, left[8]; double x = 1;
            MPI_Init(&argc, &argv);
            MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            FTCK_Create(MPI_COMM_WORLD, "xor,groups=2", &ck);
            FTCK_Register(ck, 0, &x, 1, MPI_DOUBLE);
            FTCK_Checkpoint(ck, 3);
            meet(1);
            FTCK_Restore(ck, &version);
            FTCK_Checkpoint(ck, 4);
            meet(0);
            /* Of 0 2 3 4 5 6 7, every second one shares a group with 0. */
            FTCK_Tolerances(ck, 8, left);
            printf("left");
            for (int i = 0; i < 8; i++) printf(" %d", left[i] > 8 ? 9 : left[i]);
            printf("\n");
            fflush(stdout);
            /* Nobody dies before all have been told. */
            MPI_Barrier(MPI_COMM_WORLD);
            meet(5);
            told(FTCK_Restore(ck, &version));
            MPI_Finalize();
            return 0;
        }
    "#;
    let program = support::c_text("checkpoint_gaps", text).build();
    let seen = support::run(&program).ranks(8).option("--mode=blank").succeeds();
    assert_eq!(seen.lines_with("left 0 9 1 0 1 0 1 0"), 6, "{seen}");
    assert_eq!(seen.lines_with("the data of ranks 0, 5 is lost"), 5, "{seen}");
}

#[test]
fn fortran_programs_keep_their_data_as_well() {
    // It makes the modules that the program uses.
    let mpifort = support::tool("mpifort").display().to_string();
    let program = support::fortran("checkpoint.f90").compiler(&mpifort).flags(&["-O1", "-Wall"]);
    let program = program.build();
    for scheme in ["xor", "ring", "pair"] {
        let run = |victim: &[&str]| {
            let run = support::run(&program).ranks(4).option("--mode=rebuild");
            run.args([&[scheme], victim].concat()).succeeds().stdout
        };
        let expected = run(&[]);
        for victim in ["0@5", "1@15", "3@25"] {
            assert_eq!(run(&[victim]), expected, "{scheme} {victim}");
        }
    }
}

#[test]
fn whose_registered_memory_is_gone_dies_and_the_last_checkpoint_stays() {
    let text = r#"
        #include <mpi.h>
        #include <stdio.h>
        #include <sys/mman.h>
        #include "ftmpi.h"
        enum { BYTES = 1 << 20 };
        int main(int argc, char **argv) {
            FTCK ck; int rank, version;
            MPI_Init(&argc, &argv);
            MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            long *x = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            FTCK_Create(MPI_COMM_WORLD, argv[1], &ck);
            FTCK_Register(ck, 0, x, BYTES / 8, MPI_LONG);
            FTCK_Restore(ck, &version);
            if (version == FTCK_NONE) {
                for (int i = 0; i < BYTES / 8; i++) x[i] = i * 31L + rank;
                FTCK_Checkpoint(ck, 1);
                if (rank == 1) munmap((char *)x + BYTES / 2, BYTES / 2);
                int code = FTCK_Checkpoint(ck, 2);
                if (code != MPI_ERR_OTHER) printf("rank %d: %d\n", rank, code);
                MPI_Comm repaired = FT_MPI_CHECK_RECOVER;
                while (MPI_Comm_dup(MPI_COMM_WORLD, &repaired) != MPI_SUCCESS)
                    repaired = FT_MPI_CHECK_RECOVER;
                FTCK_Restore(ck, &version);
            }
            int bad = 0;
            for (int i = 0; i < BYTES / 8; i++) bad += x[i] != i * 31L + rank;
            printf("restored %d, %d differ\n", version, bad);
            return MPI_Finalize();
        }"#;
    let program = support::c_text("checkpoint_fault", text).build();
    for scheme in ["xor", "rs:2", "ring"] {
        for kind in support::kinds() {
            let run = support::run(&program).ranks(4).option("--mode=rebuild");
            let seen = run.carried_by(kind).args([scheme]).succeeds();
            assert_eq!(seen.lines_with("restored 1, 0 differ"), 4, "{scheme}: {seen}");
            assert_eq!(seen.stdout.lines().count(), 4, "{scheme}: {seen}");
            assert!(seen.stderr.contains("rank 1 died of SIGSEGV"), "{scheme}: {seen}");
        }
    }
}

#[test]
fn misuse_is_told_at_all_ranks() {
    let text = r#"
        #include <mpi.h>
        #include <stdio.h>
        #include "ftmpi.h"
        static void told(const char *what, int code) {
            char words[MPI_MAX_ERROR_STRING]; int length;
            MPI_Error_string(code, words, &length);
            printf("%s: %s\n", what, words);
        }
        int main(int argc, char **argv) {
            FTCK ck; int rank; double x[4] = {1, 2, 3, 4};
            MPI_Init(&argc, &argv);
            MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
            MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            told("name", FTCK_Create(MPI_COMM_WORLD, "raid", &ck));
            FTCK_Create(MPI_COMM_WORLD, rank == 1 ? "xor" : "ring", &ck);
            told("differ", FTCK_Checkpoint(ck, 0));
            FTCK_Free(&ck);
            told("freed", FTCK_Checkpoint(ck, 0));
            FTCK_Create(MPI_COMM_WORLD, "xor,dedicated", &ck);
            FTCK_Register(ck, 0, x, 4, MPI_DOUBLE);
            told("keeper", FTCK_Checkpoint(ck, 0));
            FTCK_Free(&ck);
            FTCK_Create(MPI_COMM_WORLD, "rs:9", &ck);
            told("few", FTCK_Checkpoint(ck, 0));
            FTCK_Free(&ck);
            FTCK_Create(MPI_COMM_WORLD, "xor", &ck);
            told("versions", FTCK_Checkpoint(ck, rank));
            FTCK_Register(ck, 0, x, 4, MPI_DOUBLE);
            FTCK_Checkpoint(ck, 0);
            if (rank == 2) FTCK_Register(ck, 0, x, 3, MPI_DOUBLE);
            int version;
            told("other", FTCK_Restore(ck, &version));
            MPI_Finalize();
            return 0;
        }
    "#;
    let program = support::c_text("checkpoint_misuse", text).build();
    let seen: Outcome = support::run(&program).ranks(3).succeeds();
    let words = [
        "name: MPI_ERR_ARG: invalid argument: FTCK_Create: scheme \"raid\" is unknown",
        "differ: MPI_ERR_NOT_SAME",
        "freed: MPI_ERR_ARG",
        "keeper: MPI_ERR_ARG: invalid argument: FTCK_Checkpoint: with scheme xor,dedicated, rank 2",
        "few: MPI_ERR_ARG: invalid argument: FTCK_Checkpoint: scheme rs:9 needs at least 10 ranks",
        "versions: MPI_ERR_NOT_SAME",
        "rank 2 has registered other data (64 bytes) than checkpoint 0 has for it (72 bytes)",
    ];
    for words in words {
        assert_eq!(seen.lines_with(words), 3, "{words}: {seen}");
    }
}

#[test]
fn halves_of_the_world_that_share_a_context_keep_each_their_own() {
    let text = r#"
        #include <mpi.h>
        #include <stdio.h>
        #include "ftmpi.h"
        int main(int argc, char **argv)
        {
            int rank, version, bad = 0, all;
            double x[8];
            MPI_Comm half;
            FTCK ck;
            MPI_Init(&argc, &argv);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
            FTCK_Create(half, rank % 2 ? "rs:2" : "xor", &ck);
            FTCK_Register(ck, 0, x, 8, MPI_DOUBLE);
            for (int k = 1; k < 100; k++) {
                int own = k + rank % 2 * 1000;
                for (int i = 0; i < 8; i++) x[i] = rank * 1000 + k;
                bad |= FTCK_Checkpoint(ck, own);
                for (int i = 0; i < 8; i++) x[i] = -1;
                bad |= FTCK_Restore(ck, &version) || version != own;
                for (int i = 0; i < 8; i++) bad |= x[i] != rank * 1000 + k;
            }
            MPI_Reduce(&bad, &all, 1, MPI_INT, MPI_BOR, 0, MPI_COMM_WORLD);
            if (rank == 0) printf("bad %d\n", all);
            return MPI_Finalize();
        }"#;
    let seen = support::run(&support::c_text("checkpoint_halves", text).build()).ranks(16);
    assert_eq!(seen.succeeds().stdout, "bad 0\n");
}
