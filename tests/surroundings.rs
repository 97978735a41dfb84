//! What `ftrun` and a job's surroundings have to do with each other: output that cannot be written,
//! variables, error handlers chosen outside.

use support::{Program, Source};

/// Runs a line of shell in which `$RUN` is ftrun with two ranks of `program`.
fn shell(line: &str, program: &Program) -> support::Outcome {
    let ftrun = support::ftrun().display().to_string();
    let run = format!("'{ftrun}' -np 2 '{}'", program.path().display());
    let line = line.replace("$FTRUN", &format!("'{ftrun}'")).replace("$RUN", &run);
    support::command("/bin/bash").args(["-c", &line]).outcome()
}

fn printer() -> Source {
    let text = r#"
        #include <mpi.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <unistd.h>
        int main(int argc, char **argv) {
            int lines = argc > 1 ? atoi(argv[1]) : 1;
            MPI_Init(&argc, &argv);
            if (lines == 0 && write(1, "x", 1) < 0) lines = 0;
            for (int i = 0; i < lines; i++) printf("line %d\n", i);
            MPI_Finalize();
            return 0;
        }
    "#;
    support::c_text("printer", text)
}

#[test]
fn output_that_a_full_disk_swallows_is_an_error_and_a_sentence() {
    let program = printer().build();
    let words = "ftrun: standard output is incomplete: No space left on device (os error 28)\n";
    for arguments in ["", "0", "100000"] {
        let seen = shell(&format!("$RUN {arguments} > /dev/full"), &program);
        assert_eq!((seen.status, seen.stderr.as_str()), (Some(1), words), "{arguments}: {seen}");
    }
    let seen = shell("$FTRUN --help > /dev/full", &program);
    assert_eq!(seen.status, Some(1), "{seen}");
    assert!(seen.stderr.contains("cannot write to standard output: No space left"), "{seen}");
    for option in ["--report", "--record"] {
        let kill = "--mode ulfm --kill 1@MPI_Finalize";
        let line = format!("$FTRUN -np 2 {option} /dev/full {kill} {}", program.path().display());
        let seen = shell(&line, &program);
        assert_eq!(seen.status, Some(1), "{option}: {seen}");
        assert!(seen.stderr.contains(option), "{seen}");
    }
}

#[test]
fn a_reader_that_has_seen_enough_ends_the_job_without_a_word() {
    let seen = shell("$RUN 100000 | head -n 1; exit ${PIPESTATUS[0]}", &printer().build());
    assert_eq!((seen.status, seen.stdout.as_str()), (Some(141), "line 0\n"), "{seen}");
    assert_eq!(seen.stderr, "");
    assert_eq!(shell("$RUN >&-", &printer().build()).status, Some(0), "closed on purpose");
}

#[test]
fn each_rank_finds_its_number_in_the_variables_of_other_launchers_and_nothing_of_theirs() {
    let text = r#"
        #include <mpi.h>
        #include <stdio.h>
        #include <stdlib.h>
        extern char **environ;
        int main(int argc, char **argv) {
            const char *ranks[] = {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "PMI_RANK",
                "OMPI_COMM_WORLD_NODE_RANK", "PMIX_RANK", "MPI_LOCALRANKID"};
            const char *sizes[] = {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE", "PMI_SIZE",
                "OMPI_UNIVERSE_SIZE", "MPI_LOCALNRANKS"};
            int rank, size, wrong = 0;
            MPI_Init(&argc, &argv);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            MPI_Comm_size(MPI_COMM_WORLD, &size);
            for (int i = 0; i < 6; i++)
                wrong += !getenv(ranks[i]) || atoi(getenv(ranks[i])) != rank;
            for (int i = 0; i < 5; i++)
                wrong += !getenv(sizes[i]) || atoi(getenv(sizes[i])) != size;
            wrong += getenv("PMI_FD") || getenv("PMIX_NAMESPACE");
            wrong += system("test $PMI_RANK = $PMIX_RANK") != 0;
            printf("wrong: %d\n", wrong);
            MPI_Finalize();
            return 0;
        }
    "#;
    let program = support::c_text("numbers", text).build();
    let other = "PMI_RANK=7 PMI_SIZE=9 PMI_FD=3 PMIX_NAMESPACE=x OMPI_COMM_WORLD_RANK=5";
    let seen = shell(&format!("{other} $FTRUN -np 5 {}", program.path().display()), &program);
    assert_eq!(seen.lines_with("wrong: 0"), 5, "{seen}");
}

#[test]
fn the_first_communicators_start_with_the_error_handler_that_the_launcher_names() {
    let text = r#"
        #include <mpi.h>
        #include <stdio.h>
        #include "mpi-ext.h"
        int main(int argc, char **argv) {
            MPI_Errhandler world, self; MPI_Comm dup; int flag, *ft;
            MPI_Init(&argc, &argv);
            MPI_Comm_get_errhandler(MPI_COMM_WORLD, &world);
            MPI_Comm_get_errhandler(MPI_COMM_SELF, &self);
            const char *name = world == MPI_ERRORS_RETURN ? "return"
                : world == MPI_ERRORS_ABORT ? "abort" : "fatal";
            MPI_Comm_get_attr(MPI_COMM_WORLD, MPIX_FT, &ft, &flag);
            printf("%s %d ft %d\n", name, world == self, flag ? *ft : -1);
            fflush(stdout);
            int code = MPI_Send(NULL, 0, MPI_INT, 1000, 0, MPI_COMM_WORLD);
            printf("returned %d\n", code == MPI_ERR_RANK);
            MPI_Finalize();
            return 0;
        }
    "#;
    let program = support::c_text("initial", text).build();
    let run = |words: &[&str]| {
        let run = support::run(&program).ranks(1);
        words.iter().fold(run, |run, word| run.option(word)).outcome()
    };
    for (name, short) in [
        ("mpi_errors_are_fatal", "fatal"),
        ("mpi_errors_abort", "abort"),
        ("MPI_ERRORS_RETURN", "return"),
    ] {
        let seen = run(&["--initial-errhandler", name]);
        assert_eq!(seen.lines_with(&format!("{short} 1 ft 0")), 1, "{seen}");
        assert_eq!(seen.lines_with("returned 1"), usize::from(short == "return"), "{seen}");
    }
    assert_eq!(run(&["--with-ft", "ulfm"]).lines_with("fatal 1 ft 1"), 1);
    assert_eq!(run(&["--with-ft", "no"]).lines_with("fatal 1 ft 0"), 1);
}

#[test]
fn a_program_compiled_for_a_sanitizer_runs_as_processes() {
    for option in ["address", "leak"] {
        let flag = format!("-fsanitize={option}");
        let program = printer().flags(&[&flag]).build();
        let seen = shell("$RUN", &program);
        assert_eq!((seen.status, seen.lines_with("line 0")), (Some(0), 2), "{seen}");
        assert!(seen.stderr.contains(&format!("is compiled with {flag}: each rank is")), "{seen}");
    }
    let program = printer().flags(&["-fsanitize=undefined"]).build();
    assert_eq!(shell("$RUN", &program).lines_with("line 0"), 2);
}
