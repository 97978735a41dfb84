//! Runs that a seed repeats: order, time, failures and recoveries (`ftrun --seed`).
//!
//! `FTMPI_SEEDS=500 cargo test --release --test seed -- --ignored --nocapture` runs the jobs in
//! which most happens at once in that many orders. Any test can be run in the order of a seed:
//! `FTMPI_SEED=7 cargo test --release --test ulfm`.

use std::collections::BTreeSet;
use support::{Outcome, Program, Run};

fn program() -> Program {
    support::c("seed.c").flags(&["-O1", "-Wall", "-Wextra"]).build()
}

fn seeded(program: &Program, ranks: usize, options: &str, words: &str, seed: u64) -> Run {
    let run = support::run(program).ranks(ranks).option(format!("--seed={seed}"));
    let run = options.split_whitespace().fold(run, |run, option| run.option(option));
    run.args(words.split_whitespace())
}

/// What a run shows: all that must come again.
fn shown(seen: &Outcome) -> (Option<i32>, &str, &str) {
    (seen.status, &seen.stdout, &seen.stderr)
}

#[track_caller]
fn comes_again(run: &Run) -> Outcome {
    let (first, second) = (run.outcome(), run.outcome());
    assert_eq!(shown(&first), shown(&second));
    assert!(!first.stderr.contains("does not repeat"), "{first}");
    first
}

/// A case of `seed.c`, with its ranks and options.
const CASES: &[(&str, usize, &str)] = &[
    ("races 3", 5, ""),
    ("races 3", 40, "--tag-output"),
    ("choices 6", 5, ""),
    ("times 1", 4, ""),
    ("alarms", 3, ""),
    ("spins", 7, ""),
    ("survive 5", 6, "--mode=rebuild --kill=2@MPI_Send:2 --kill=1@3ms --kill=0@recovery:1"),
    ("survive 5", 6, "--mode=shrink --kill=5@inside:MPI_Allreduce:3 --kill=3@compute:1ms"),
    ("survive 9", 8, "--mode=rebuild --mttf=3ms"),
    ("survive 9", 8, "--mode=shrink --mttf=20ms"),
];

#[test]
fn the_same_seed_gives_the_same_run_line_by_line() {
    let program = program();
    for (words, ranks, options) in CASES {
        for seed in [1, 2, 77] {
            let seen = comes_again(&seeded(&program, *ranks, options, words, seed));
            assert_eq!(seen.status, Some(0), "{words}, seed {seed}: {seen}");
        }
    }
}

#[test]
fn other_seeds_give_other_orders() {
    let program = program();
    for words in ["races 2", "choices 3", "times 1"] {
        let seen = |seed| seeded(&program, 4, "", words, seed).succeeds().stdout;
        let all: BTreeSet<String> = (0..20).map(seen).collect();
        assert!(all.len() >= 10, "{words}: {} of 20 orders differ", all.len());
    }
}

#[test]
fn a_mistake_that_some_orders_show_comes_again_with_its_seed() {
    let program = program();
    let run = |seed| seeded(&program, 3, "", "mistake", seed);
    let fails = |seed: &u64| match run(*seed).outcome().status {
        Some(0) => false,
        Some(5) => true,
        other => panic!("seed {seed} ends with {other:?}"),
    };
    let (failing, passing): (Vec<u64>, Vec<u64>) = (0..30).partition(fails);
    assert!(!failing.is_empty() && !passing.is_empty(), "{failing:?} fail, {passing:?} do not");
    for seed in failing.iter().take(3) {
        let seen = comes_again(&run(*seed));
        assert_eq!(seen.status, Some(5), "{seen}");
        let said = format!("ftrun: --seed {seed} repeats this run");
        assert_eq!(seen.stderr.matches(&said).count(), 1, "{seen}");
    }
    assert!(!run(passing[0]).succeeds().stderr.contains("--seed"), "all is well there");
}

#[test]
fn deaths_and_recoveries_come_again_with_their_times() {
    let program = program();
    let report = support::fresh_directory("seed").join("report");
    let lines = |seed| {
        let options = format!("--mode=rebuild --mttf=2ms --report={}", report.display());
        let seen = seeded(&program, 9, &options, "survive 8", seed).succeeds();
        assert!(seen.stderr.contains(&format!("--seed {seed} repeats this run")), "{seen}");
        (seen.stdout, seen.stderr, std::fs::read_to_string(&report).expect("it was written"))
    };
    for seed in 3..6 {
        let first = lines(seed);
        assert!(first.2.lines().count() > 0 && first.2.contains("\"outcome\":\"recovered\""));
        assert_eq!(first, lines(seed));
    }
    assert_ne!(lines(3), lines(4));
}

#[test]
fn a_drawn_seed_is_told_and_repeats_its_run() {
    let program = program();
    let run = support::run(&program).ranks(5).args(["races", "3"]);
    let drawn = run.clone().option("--seed=random").succeeds();
    let (_, said) = drawn.stderr.split_once("--seed ").expect("the seed is told");
    let seed = said.split_once(" repeats this run").expect("and what it is for").0;
    assert_eq!(run.option(format!("--seed={seed}")).succeeds().stdout, drawn.stdout);
    let run = support::run(&program).ranks(5).args(["races", "3"]);
    assert_eq!(run.env("FTMPI_SEED", seed).succeeds().stdout, drawn.stdout);
}

#[test]
fn sleeps_of_hours_take_no_time_when_all_wait() {
    for (words, said) in [("times 7200", "is done 14400"), ("alarms", "was woken 1")] {
        let seen = seeded(&program(), 4, "", words, 5).succeeds();
        assert!(seen.lines_with(said) > 0, "{seen}");
        assert!(seen.took.as_secs() < 200, "{seen}");
    }
}

#[test]
fn whoever_spins_in_calls_keeps_nobody_from_running() {
    let program = program();
    for seed in 0..12 {
        let seen = seeded(&program, 30, "", "spins", seed).succeeds();
        assert_eq!(seen.lines_with("is through"), 30, "{seen}");
    }
}

#[test]
fn ranks_that_wait_for_each_other_are_found_and_the_seed_is_told() {
    let program = support::c("kills.c").flags(&["-O1", "-pthread"]).build();
    let seen = seeded(&program, 2, "", "stuck", 9).fails_with(123);
    assert!(seen.stderr.contains("--seed 9 repeats this run"), "{seen}");
}

#[test]
fn fortran_programs_draw_the_same_numbers_and_see_the_same_clock() {
    let text = r#"
        program draws
            implicit none
            include 'mpif.h'
            integer :: ierror, rank, ranks, i, value, count, date(8), status(MPI_STATUS_SIZE)
            real :: x(4), cpu
            call MPI_Init(ierror)
            call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
            call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
            call random_seed()
            call random_number(x)
            call system_clock(count)
            call date_and_time(values=date)
            call cpu_time(cpu)
            if (rank > 0) then
                call MPI_Send(rank, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, ierror)
            else
                do i = 2, ranks
                    call MPI_Recv(value, 1, MPI_INTEGER, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &
                        status, ierror)
                    print *, 'from', value
                end do
            end if
            print *, rank, x, count, date, cpu
            call MPI_Finalize(ierror)
        end program
    "#;
    let program = support::fortran_text("draws", text).build();
    let seen = comes_again(&seeded(&program, 5, "", "", 4));
    assert_eq!(seen.status, Some(0), "{seen}");
    assert_ne!(seeded(&program, 5, "", "", 5).succeeds().stdout, seen.stdout);
}

#[test]
fn a_run_with_threads_says_that_its_seed_does_not_repeat_it() {
    let text = r#"
        #include <mpi.h>
        #include <pthread.h>
        static void *body(void *argument) { return argument; }
        int main(int argc, char **argv) {
            int rank, provided;
            pthread_t thread;
            MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            if (rank == 1) {
                pthread_create(&thread, NULL, body, NULL);
                pthread_join(thread, NULL);
            }
            MPI_Barrier(MPI_COMM_WORLD);
            MPI_Finalize();
            return 0;
        }
    "#;
    let program = support::c_text("seed_threads", text).flags(&["-pthread"]).build();
    for seed in 0..5 {
        let seen = seeded(&program, 4, "", "", seed).succeeds();
        let said = format!("from here on --seed {seed} does not repeat this run");
        assert_eq!(seen.stderr.matches("rank 1 needs an OS thread").count(), 1, "{seen}");
        assert!(seen.stderr.contains(&said), "{seen}");
    }
}

#[test]
fn whoever_spins_without_calls_is_interrupted_and_the_run_is_lost() {
    let text = r#"
        #include <mpi.h>
        #include <stddef.h>
        #include <sys/mman.h>
        int main(int argc, char **argv) {
            volatile int *flag = NULL;
            int rank, rights = PROT_READ | PROT_WRITE;
            MPI_Init(&argc, &argv);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            if (rank == 0)
                flag = mmap(NULL, 4096, rights, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
            MPI_Bcast(&flag, sizeof flag, MPI_BYTE, 0, MPI_COMM_WORLD);
            while (rank == 0 && !*flag)
                ;
            for (int i = 0; rank == 1 && i < 50; i++)
                MPI_Barrier(MPI_COMM_SELF);
            if (rank == 1)
                *flag = 1;
            MPI_Barrier(MPI_COMM_WORLD);
            MPI_Finalize();
            return 0;
        }
    "#;
    let program = support::c_text("seed_spins", text).build();
    // In some orders the flag is set before rank 0 looks at it.
    let is_lost = |seed| seeded(&program, 2, "", "", seed).succeeds().stderr.contains("waited");
    assert!((0..40).any(is_lost));
}

#[test]
fn patience_and_its_end_are_repeated() {
    let text = r#"
        #include <mpi.h>
        #include <signal.h>
        #include <stdio.h>
        #include <unistd.h>
        #include "ftmpi.h"
        int main(int argc, char **argv) {
            int me = ftmpi_rank_in_job(), one = 1, sum = 0;
            MPI_Comm again;
            if (MPI_Init(&argc, &argv) == MPI_SUCCESS) {
                MPI_Barrier(MPI_COMM_WORLD);
                if (me == 1)
                    raise(SIGKILL);
                while (me == 2)
                    pause();
                while (me == 3 && sleep(1) == 0 && MPI_Wtime() < 100)
                    ;
                while (MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS)
                    ;
                if (MPI_Comm_dup(MPI_COMM_WORLD, &again) != MPI_SUCCESS)
                    return 3;
            }
            MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            if (me == 0)
                printf("%d live\n", sum);
            MPI_Finalize();
            return 0;
        }
    "#;
    let program = support::c_text("seed_late", text).build();
    for (mode, left) in [("rebuild", 5), ("shrink", 2), ("blank", 2)] {
        let options = format!("--patience=30 --mode={mode}");
        let seen = comes_again(&seeded(&program, 5, &options, "", 8));
        assert_eq!(seen.stdout, format!("{left} live\n"), "{mode}: {seen}");
        for late in [2, 3] {
            let said = format!("rank {late} has not joined the recovery for 30 s");
            assert_eq!(seen.stderr.matches(&said).count(), 1, "{seen}");
        }
    }
}

#[test]
fn programs_are_right_in_every_order() {
    for seed in 1..4 {
        JOBS.iter().for_each(|job| is_right(job, seed));
    }
}

/// A program and its words; how many ranks; the words for ftrun.
type Job = (&'static str, &'static str, usize, &'static str);

#[rustfmt::skip]
const JOBS: &[Job] = &[
    ("rebuild.c", "6 1", 5, "--mode=rebuild"),
    ("rebuild.c", "4 4", 5, "--mode=rebuild"),
    ("rebuild.c", "3 1", 6, "--mode=rebuild --kill=0@recovery:1 --kill=2@recovery:1:1"),
    ("rebuild.c", "3 5", 60, "--mode=rebuild"),
    ("survive_modes.c", "shrink 0", 6, "--mode=shrink"),
    ("survive_modes.c", "blank 3", 6, "--mode=blank"),
    ("masterworker.c", "60 3", 7, "--mode=blank --msg=cont"),
    ("goes_on.c", "", 6, "--mode=rebuild --msg=cont"),
    ("automatic.c", "5", 4, "--mode=rebuild --recovery=auto"),
    ("atomic.c", "", 6, "--mode=shrink --coll=atomic --kill=1@inside:MPI_Bcast:3"),
    ("rules.c", "healthy", 5, "--mode=rebuild"),
    ("rules.c", "promptly", 6, "--mode=rebuild"),
    ("rules.c", "promptly", 6, "--mode=rebuild --msg=cont"),
    ("rules.c", "again", 5, "--mode=shrink --msg=cont"),
    ("keeps.c", "record", 7, "--mode=rebuild"),
    ("keeps.c", "messages", 5, "--mode=rebuild --msg=cont"),
    ("keeps.c", "alone", 5, "--mode=rebuild --msg=cont"),
    ("ulfm_storm.c", "7", 6, "--mode=ulfm"),
    ("ulfm_revoke.c", "siblings", 6, "--mode=ulfm"),
    ("ulfm_rules.c", "shrink-down-to-one", 6, "--mode=ulfm"),
    ("ulfm_rules.c", "agree", 6, "--mode=ulfm"),
    ("matching.c", "3", 7, ""),
    ("coll_random.c", "4 60", 9, ""),
    ("pt2pt.c", "persistent", 3, ""),
    ("requests.c", "completion", 2, ""),
    ("requests.c", "cancellation", 2, ""),
];

fn is_right(&(program, words, ranks, options): &Job, seed: u64) {
    let program = support::c(program).flags(&["-O1", "-pthread"]).build();
    let run = seeded(&program, ranks, options, words, seed).option("-q").deadline(120);
    run.succeeds();
}

#[test]
#[ignore = "takes many minutes: a part of the slow command"]
fn programs_are_right_in_hundreds_of_orders() {
    let seeds = std::env::var("FTMPI_SEEDS").map_or(200, |text| text.parse().expect("a number"));
    for seed in 0..seeds {
        println!("seed {seed}");
        JOBS.iter().for_each(|job| is_right(job, seed));
    }
}
