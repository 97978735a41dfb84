//! How ranks come to MPI and leave it, and what becomes of the job.

use support::Outcome;

fn run(ranks: usize, words: &[&str]) -> Outcome {
    let program = support::c("ends.c").flags(&["-O1", "-Wall", "-Werror"]).build();
    support::run(&program).ranks(ranks).args(words).outcome()
}

/// The job ends with this status, and says one thing, which holds these words.
fn ends(words: &[&str], status: i32, said: &[&str]) {
    let outcome = run(8, words);
    assert_eq!(outcome.status, Some(status), "{outcome}");
    assert_eq!(outcome.stderr.lines().count(), 1, "one sentence\n{outcome}");
    for words in said {
        assert!(outcome.stderr.contains(words), "no `{words}`\n{outcome}");
    }
}

#[test]
fn a_job_whose_ranks_finalize_and_return_zero_has_succeeded() {
    for words in [&["fine"], &["no-mpi"]] {
        let outcome = run(8, words);
        assert_eq!((outcome.status, outcome.stderr.as_str()), (Some(0), ""), "{outcome}");
    }
}

#[test]
fn the_status_of_a_rank_that_has_finalized_counts() {
    ends(&["status"], 5, &["rank 4 exited with code 5"]);
}

#[test]
fn to_leave_without_finalize_is_to_fail() {
    ends(&["no-finalize"], 1, &["rank 4", "without MPI_Finalize"]);
    ends(&["exit"], 9, &["rank 4 exited with code 9", "without MPI_Finalize"]);
}

#[test]
fn abort_ends_the_job_with_its_code() {
    ends(&["abort", "42"], 42, &["rank 4 called MPI_Abort on MPI_COMM_WORLD with 42"]);
    ends(&["abort", "0"], 0, &["with 0"]);
    ends(&["abort", "256"], 1, &["with 256"]);
    ends(&["self"], 7, &["on MPI_COMM_SELF with 7"]);
}

#[test]
fn what_was_printed_before_an_abort_is_not_lost() {
    let outcome = run(8, &["printed"]);
    assert_eq!(outcome.status, Some(7), "{outcome}");
    assert!(outcome.stdout.contains("printed by 4\n"), "{outcome}");
}

/// A program that uses the Fortran modules, which the wrapper finds.
fn with_modules(file: &str) -> support::Source {
    support::fortran(file).compiler(&support::tool("mpifort").display().to_string())
}

/// A job of Fortran's that ends in this way has written all that its ranks had in their units.
fn units_are_written(way: &str, status: i32, options: &[&str]) {
    let program = with_modules("ends.f90").build();
    let directory = support::fresh_directory("units");
    let words = [way, directory.to_str().expect("the name is plain")];
    let mut run = support::run(&program).ranks(4).args(words).deadline(30);
    for option in options {
        run = run.option(option);
    }
    let outcome = run.outcome();
    assert_eq!(outcome.status, Some(status), "{outcome}");
    let tag = |rank| match options.contains(&"--tag-output") {
        true => format!("[{rank}] "),
        false => String::new(),
    };
    for rank in 0..4 {
        let line = format!("{}stdout of {rank}", tag(rank));
        assert!(outcome.stdout.lines().any(|seen| seen == line), "{line}\n{outcome}");
        for unit in ["numbered", "new"] {
            let text = std::fs::read_to_string(directory.join(format!("{unit}{rank}")));
            assert_eq!(text.unwrap_or_default(), "a line\n", "{unit}{rank}: {outcome}");
        }
    }
}

#[test]
fn what_units_of_fortran_hold_is_written_when_the_job_ends() {
    for kind in ["--ranks=thread", "--ranks=fiber", "--tag-output"] {
        units_are_written("abort", 7, &[kind]);
        units_are_written("error", 6, &[kind]);
    }
    units_are_written("deadlock", 123, &[]);
    let program = with_modules("ends.f90").build();
    let directory = support::fresh_directory("units");
    let words = ["alone", directory.to_str().expect("the name is plain")];
    let outcome = support::command(program.path()).args(words).deadline(30).outcome();
    assert_eq!((outcome.status, outcome.stdout.as_str()), (Some(7), "stdout of 0\n"), "{outcome}");
    assert_eq!(std::fs::read_to_string(directory.join("new0")).unwrap_or_default(), "a line\n");
}

/// The unit is locked by the thread that ends the job.
#[test]
fn an_abort_in_the_middle_of_a_print_statement_ends_the_job() {
    let program = with_modules("ends.f90").build();
    let directory = support::fresh_directory("units");
    let words = ["statement", directory.to_str().expect("the name is plain")];
    let outcome = support::run(&program).ranks(4).args(words).deadline(30).outcome();
    assert_eq!(outcome.status, Some(7), "{outcome}");
    // What the speaker's unit holds depends on how far its statement was.
    for rank in [0, 2, 3] {
        assert_eq!(outcome.lines_with(&format!("stdout of {rank}")), 1, "{outcome}");
    }
}

#[test]
fn an_error_that_nobody_handles_ends_the_job_with_one_sentence() {
    let said = ["MPI_Bcast on MPI_COMM_WORLD", "MPI_ERR_COUNT", "count is -1"];
    ends(&["fatal"], 2, &said);
    ends(&["errors-abort"], 8, &["MPI_ERR_ROOT", "root is 8"]);
}

#[test]
fn calls_out_of_season_are_named() {
    ends(&["before-init"], 16, &["MPI_Comm_rank", "called before MPI_Init"]);
    ends(&["after-finalize"], 16, &["MPI_Barrier", "called after MPI_Finalize"]);
    ends(&["init-twice"], 16, &["MPI_Init", "already initialized"]);
    ends(&["finalize-twice"], 16, &["MPI_Finalize", "called after MPI_Finalize"]);
}

#[test]
fn some_calls_are_never_out_of_season() {
    let outcome = run(3, &["any-time"]);
    assert_eq!(outcome.status, Some(0), "{outcome}");
    assert_eq!(outcome.sorted_lines(), ["00111"; 3]);
}

#[test]
fn an_error_of_a_window_ends_the_job_and_one_of_a_file_returns() {
    ends(&["window"], 52, &["MPI_Win_create on MPI_COMM_WORLD", "MPI_ERR_SIZE"]);
    let outcome = run(2, &["file"]);
    assert_eq!((outcome.status, outcome.stdout.as_str()), (Some(0), "1\n1\n"), "{outcome}");
}

#[test]
fn without_ftrun_a_program_is_a_world_of_one() {
    let program = support::c("ends.c").flags(&["-O1", "-Wall", "-Werror"]).build();
    let fine = support::command(program.path()).args(["fine"]).outcome();
    assert_eq!((fine.status, fine.stderr.as_str()), (Some(0), ""), "{fine}");
    let aborted = support::command(program.path()).args(["abort", "3"]).outcome();
    assert_eq!(aborted.status, Some(3), "{aborted}");
}

#[test]
fn where_a_death_makes_the_others_fail_the_status_is_that_of_the_dead() {
    let program = support::c("c_examples/nullptr.c").build();
    let run = support::run(&program).ranks(6).args(["3"]).option("--on-failure=continue");
    let outcome = run.fails_with(139);
    assert!(outcome.stderr.contains("rank 3 died of SIGSEGV"), "{outcome}");
    assert!(outcome.stderr.contains("rank 3 of the communicator has died"), "{outcome}");
}

#[test]
fn a_function_that_nobody_defines_is_named() {
    let text = "void nobodys(void); void library(void) { nobodys(); }";
    let library = support::c_text("needs", text).flags(&["-Wl,-z,lazy"]).library("needs");
    let program = support::c_text(
        "undefined",
        r#"
        #include <mpi.h>
        void library(void);
        int main(int argc, char **argv)
        {
            MPI_Init(&argc, &argv);
            library();
            return MPI_Finalize();
        }
        "#,
    );
    let program = program.link(&library).flags(&["-Wl,--allow-shlib-undefined"]).build();
    let outcome = support::run(&program).ranks(2).fails_with(139);
    assert!(outcome.stderr.contains("called nobodys, which no library defines"), "{outcome}");
}

#[test]
fn a_rank_that_is_started_again_reaches_nobody_but_itself() {
    let program = support::c_text(
        "again",
        r#"
        #include <mpi.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include "ftmpi.h"
        int main(int argc, char **argv)
        {
            int rank, word = 7, codes[4];
            MPI_Status status;
            MPI_Init(&argc, &argv);
            MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            if (ftmpi_incarnation() > 0) {
                codes[0] = MPI_Send(&word, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
                codes[1] = MPI_Recv(&word, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &status);
                codes[2] = MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &status);
                codes[3] = MPI_Barrier(MPI_COMM_WORLD);
                printf("fresh %d %d %d %d self %d\n", codes[0], codes[1], codes[2], codes[3],
                       MPI_Sendrecv_replace(&word, 1, MPI_INT, 0, 1, 0, 1, MPI_COMM_SELF, &status));
            } else if (rank == 2) {
                abort();
            } else {
                codes[0] = MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &status);
                codes[1] = MPI_Send(&word, 1, MPI_INT, 2, 3, MPI_COMM_WORLD);
                printf("old %d from %d, %d\n", codes[0], status.MPI_SOURCE, codes[1]);
            }
            MPI_Finalize();
            return 0;
        }
        "#,
    );
    let run = support::run(&program.build()).ranks(4).option("--on-failure=restart");
    let outcome = run.succeeds();
    assert_eq!(outcome.lines_with("old 58 from 2, 58"), 3, "{outcome}");
    assert_eq!(outcome.lines_with("fresh 58 58 58 58 self 0"), 1, "{outcome}");
}

#[test]
fn a_rank_that_fails_after_finalize_can_start_again() {
    let program = support::c_text(
        "late",
        r#"
        #include <mpi.h>
        #include <stdio.h>
        #include "ftmpi.h"
        int main(int argc, char **argv)
        {
            int rank;
            MPI_Init(&argc, &argv);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            MPI_Finalize();
            if (rank == 1 && ftmpi_incarnation() == 0)
                return 3;
            printf("rank %d is through\n", rank);
            return 0;
        }
        "#,
    );
    let run = support::run(&program.build()).ranks(2).option("--on-failure=restart");
    let outcome = run.succeeds();
    assert_eq!(outcome.sorted_lines(), ["rank 0 is through", "rank 1 is through"], "{outcome}");
}

#[test]
fn who_dies_between_its_last_call_and_finalize_has_failed_unless_that_is_made_up_for() {
    let text = r#"
        #include <mpi.h>
        #include <signal.h>
        #include "ftmpi.h"
        int main(int argc, char **argv) {
            int rank;
            MPI_Init(&argc, &argv);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            if (ftmpi_incarnation() == 0) MPI_Barrier(MPI_COMM_WORLD);
            if (rank == 1 && ftmpi_incarnation() == 0) raise(SIGKILL);
            MPI_Finalize();
            return 0;
        }
    "#;
    let program = support::c_text("ends_last", text).build();
    let run = || support::run(&program).ranks(4);
    for option in ["--mode=abort", "--on-failure=end", "--on-failure=continue"] {
        run().option(option).fails_with(137);
    }
    for option in ["blank", "shrink", "rebuild", "ulfm"] {
        run().option(format!("--mode={option}")).succeeds();
    }
    run().option("--on-failure=restart").succeeds();
}

#[test]
fn what_a_rank_says_after_finalize_counts_whenever_the_others_come_to_their_ends() {
    let program = support::c("ends_late.c").flags(&["-O1"]).build();
    for mode in ["rebuild", "blank", "shrink"] {
        for kind in support::kinds() {
            let run = |ranks, way, how| {
                let run = support::run(&program).ranks(ranks).args([way, how]);
                run.option(format!("--mode={mode}")).carried_by(kind)
            };
            // Rank 1 reads there what ftrun says, which has a standard error of its own where
            // ranks are processes.
            let ways = ["alone", "recovered"].into_iter();
            for way in ways.filter(|_| !support::are_ranks_processes()) {
                let seen = run(3, way, "code").fails_with(7);
                let words = "rank 0 exited with code 7";
                assert!(seen.stderr.contains(words), "{mode}, {kind}: {seen}");
                run(3, way, "signal").fails_with(143);
            }
            for _ in 0..5 {
                run(24, "together", "code").fails_with(7);
            }
        }
    }
}

#[test]
fn a_job_in_which_nobody_is_left_says_so() {
    let text = "#include <mpi.h>\n#include <signal.h>\n\
        int main(int argc, char **argv) { MPI_Init(&argc, &argv);\n\
        if (argc == 1) raise(SIGKILL); MPI_Finalize(); return 5; }\n";
    let program = support::c_text("ends_nobody", text).build();
    for mode in ["--mode=ulfm", "--mode=rebuild", "--on-failure=continue"] {
        for ranks in [1, 4] {
            let run = support::run(&program).ranks(ranks).option(mode);
            let words = if ranks == 1 { "the only rank has" } else { "all 4 ranks have" };
            let last = format!("ftrun: {words} failed, and no rank is left\n");
            let seen = run.clone().option("-q").fails_with(137);
            assert_eq!(seen.stderr, last, "{seen}");
            assert!(run.clone().fails_with(137).stderr.ends_with(&last));
            // Who has finalized has left in peace, whatever it says then.
            assert!(!run.args(["later"]).fails_with(5).stderr.contains("no rank is left"));
        }
    }
}

#[test]
fn what_is_said_of_a_ruined_heap_is_the_same_in_each_run_of_a_seed() {
    let text = "#include <mpi.h>\n#include <stdlib.h>\n\
        int main(int argc, char **argv) { MPI_Init(&argc, &argv);\n\
        char *volatile block = malloc(100); free(block); free(block); return 0; }\n";
    let program = support::c_text("ends_ruined", text).flags(&["-O0", "-w"]).build();
    let run = |room: usize| {
        let run = support::run(&program).ranks(2).option("--mode=ulfm").option("--seed=1");
        run.env("ROOM", "x".repeat(room)).outcome().stderr
    };
    let first = run(1);
    assert!(first.contains("rank 1: free(): double free or corruption"), "{first}");
    // More environment moves all that lies beside it.
    for room in [5_000, 50_000, 100_000] {
        assert_eq!(run(room), first);
    }
}

#[test]
fn a_fault_outside_of_all_ranks_is_told_with_its_place() {
    let program = support::c_text(
        "strays",
        r#"
        #define _GNU_SOURCE
        #include <aio.h>
        #include <mpi.h>
        #include <pthread.h>
        #include <unistd.h>
        /* In a thread that libc has started. */
        static void strike(union sigval value)
        {
            pthread_setname_np(pthread_self(), "stray");
            *(volatile int *)0x10 = 1;
        }
        int main(int count, char **words)
        {
            int ends[2];
            char word = 0;
            MPI_Init(&count, &words);
            if (pipe(ends)) return 1;
            struct aiocb order = {.aio_fildes = ends[1], .aio_buf = &word, .aio_nbytes = 1};
            order.aio_sigevent.sigev_notify = SIGEV_THREAD;
            order.aio_sigevent.sigev_notify_function = strike;
            if (aio_write(&order)) return 2;
            while (1) pause();
        }
        "#,
    );
    let program = program.build();
    for kind in ["thread", "fiber"] {
        let seen = support::run(&program).ranks(1).env("FTMPI_RANKS", kind).outcome();
        let words = "ftrun: SIGSEGV (address 0x10) in thread stray, which runs no rank: the job";
        let is_told = seen.stderr.contains(words);
        assert!(is_told && seen.signal == Some(libc::SIGSEGV), "{seen}");
    }
}

#[test]
fn a_child_of_a_rank_dies_of_what_it_raises_and_of_what_its_instructions_do() {
    let program = support::c_text(
        "children_that_strike",
        r#"
        #include <mpi.h>
        #include <signal.h>
        #include <stdio.h>
        #include <sys/wait.h>
        #include <unistd.h>
        static void strike(int way)
        {
            if (way == 0) raise(SIGSEGV);
            if (way == 1) *(volatile int *)0x10 = 1;
            if (way == 2) __asm__ volatile("int3");
            if (way == 3) raise(SIGFPE);
            if (way == 4) __builtin_trap();
            _exit(3);
        }
        int main(int count, char **words)
        {
            static const int expected[] = {SIGSEGV, SIGSEGV, SIGTRAP, SIGFPE, SIGILL};
            MPI_Init(&count, &words);
            for (int way = 0; way < 5; way++) {
                int status;
                pid_t child = fork();
                if (child == 0) strike(way);
                waitpid(child, &status, 0);
                if (!WIFSIGNALED(status) || WTERMSIG(status) != expected[way])
                    printf("way %d: status %#x\n", way, status);
            }
            puts("all struck");
            return MPI_Finalize();
        }
        "#,
    );
    let program = program.build();
    for kind in ["thread", "fiber", "process"] {
        let seen = support::run(&program).ranks(1).env("FTMPI_RANKS", kind).succeeds();
        assert_eq!(seen.stdout, "all struck\n", "{kind}: {seen}");
    }
}
