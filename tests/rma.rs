//! One-sided communication, as C programs see it: every call by itself, many processes at once, and
//! processes that die.

use support::Program;

const CASES: [&str; 13] = [
    "objects",
    "fence",
    "sums",
    "operations",
    "tickets",
    "locks",
    "busy",
    "pscw",
    "dynamic",
    "shared",
    "requests",
    "errors",
    "random",
];

fn build(program: &str) -> Program {
    support::c(program).flags(&["-O1", "-Wall"]).build()
}

fn build_large(program: &str) -> Program {
    support::c(program).flags(&["-O1", "-Wall", "-DLARGE"]).build()
}

#[test]
fn each_case_passes_alone_among_few_and_among_many() {
    let program = build("rma.c");
    for ranks in [1, 2, 3, 16] {
        for case in CASES {
            support::run(&program).ranks(ranks).args([case]).succeeds();
        }
    }
}

#[test]
fn ranks_may_be_threads_or_fibers() {
    let program = build("rma.c");
    for kind in ["thread", "fiber"] {
        support::run(&program).ranks(5).env("FTMPI_RANKS", kind).succeeds();
    }
}

#[test]
fn ranks_may_be_processes() {
    let program = build("rma.c");
    for ranks in [1, 2, 5] {
        for kind in ["process", "process:2"] {
            support::run(&program).ranks(ranks).env("FTMPI_RANKS", kind).succeeds();
        }
    }
}

#[test]
fn calls_with_large_counts_do_the_same() {
    support::run(&build_large("rma.c")).ranks(3).succeeds();
}

#[test]
fn without_a_launcher_there_is_a_window_of_one() {
    support::command(build("rma.c").path()).succeeds();
}

/// The calls in which rank 1 dies, by case.
const DEATHS: [(&str, &[&str]); 14] = [
    ("fence", &["MPI_Win_fence"]),
    ("put", &["MPI_Win_lock", "MPI_Put", "MPI_Win_flush", "MPI_Win_unlock"]),
    ("get", &["MPI_Get"]),
    ("accumulate", &["MPI_Accumulate"]),
    ("get_accumulate", &["MPI_Get_accumulate"]),
    ("fetch", &["MPI_Fetch_and_op"]),
    ("swap", &["MPI_Compare_and_swap"]),
    ("request", &["MPI_Rput"]),
    ("lock_all", &["MPI_Win_lock_all", "MPI_Win_flush_all", "MPI_Win_unlock_all"]),
    ("exposed", &["MPI_Win_post", "MPI_Win_wait"]),
    ("accesses", &["MPI_Win_start", "MPI_Win_complete"]),
    ("tested", &["MPI_Win_start", "MPI_Win_complete"]),
    ("create", &["MPI_Win_create", "MPI_Win_free"]),
    ("sorts", &["MPI_Win_allocate", "MPI_Win_allocate_shared", "MPI_Win_create_dynamic"]),
];

const PROC_ABORTED: &str = "58";
const PROC_FAILED: &str = "75";

/// Rank 1 of three dies at its fifth call of `function`, or at its first step after that.
fn survives(program: &Program, case: &str, kill: &str, kind: &str, args: &[&str]) {
    let run = support::run(program).ranks(3).env("FTMPI_RANKS", kind).option(kill);
    let (run, class) = match args {
        ["ulfm", ..] => (run.option("--mode=ulfm"), PROC_FAILED),
        _ => (run.option("--on-failure=continue"), PROC_ABORTED),
    };
    let own = if args.contains(&"own") { "own" } else { "" };
    let seen = run.args([case, class, own]).outcome();
    assert_eq!(seen.lines_with("ok"), 2, "{case} {kill} {kind} {args:?}\n{seen}");
}

#[test]
fn a_death_before_in_and_after_a_call_ends_no_survivor() {
    let program = build("rma_deaths.c");
    for (place, (case, functions)) in DEATHS.into_iter().enumerate() {
        for function in functions {
            for (number, moment) in ["before", "inside", "after"].into_iter().enumerate() {
                let kill = format!("--kill=1@{moment}:{function}:5");
                let kind = if (place + number) % 2 == 0 { "thread" } else { "fiber" };
                let memory = if number % 2 == 0 { "own" } else { "" };
                survives(&program, case, &kill, kind, &[memory]);
                survives(&program, case, &kill, "process", &[memory]);
                survives(&program, case, &kill, "process:2", &[memory]);
            }
        }
    }
}

#[test]
fn locks_of_the_dead_are_given_up() {
    let program = build("rma_deaths.c");
    for kind in ["thread", "fiber", "process", "process:2"] {
        for (moment, function) in [("after", "MPI_Win_lock"), ("before", "MPI_Put")] {
            let kill = format!("--kill=1@{moment}:{function}:20");
            survives(&program, "holds", &kill, kind, &[]);
            survives(&program, "holds", &kill, kind, &["ulfm"]);
        }
    }
}

#[test]
fn under_ulfm_the_living_go_on_with_the_window() {
    let program = build("rma_deaths.c");
    for case in ["put", "fetch", "lock_all", "exposed", "create"] {
        let (_, functions) = DEATHS.into_iter().find(|(name, _)| *name == case).unwrap();
        let kill = format!("--kill=1@before:{}:5", functions[0]);
        survives(&program, case, &kill, "fiber", &["ulfm"]);
    }
}

#[test]
fn windows_of_before_a_recovery_are_stale() {
    let program = build("rma_rebuilt.c");
    for moment in ["before", "inside", "after"] {
        let kill = format!("--kill=1@{moment}:MPI_Win_fence:4");
        for kind in ["fiber", "process", "process:2"] {
            let run = support::run(&program).ranks(4).env("FTMPI_RANKS", kind);
            let seen = run.option("--mode=rebuild").option(&kill).succeeds();
            assert_eq!(seen.lines_with("ok"), 4, "{moment} {kind}: {seen}");
        }
    }
}

/// The oracle of the random case: a library with one mistake does not pass.
#[test]
fn a_mistake_in_any_access_is_found_by_the_random_case() {
    let source = support::c("rma.c").and("rma_broken.c");
    let program = source.flags(&["-O1", "-Wall", "-DSMALL"]).build();
    support::run(&program).ranks(3).args(["random"]).succeeds();
    for call in ["put", "get", "accumulate", "fetch"] {
        let seen = support::run(&program).ranks(3).env("BROKEN", call).args(["random"]).outcome();
        assert_eq!(seen.status, Some(99), "{call}: {seen}");
    }
}

#[test]
fn who_asks_in_vain_whether_accesses_are_complete_hears_of_a_recovery() {
    let program = build("win_test_left.c");
    for kind in ["thread", "fiber", "process", "process:2"] {
        let run = support::run(&program).ranks(3).env("FTMPI_RANKS", kind).deadline(20);
        let seen = run.option("--mode=rebuild").option("--msg=cont").succeeds();
        assert_eq!(seen.stdout, "well\n".repeat(3), "{kind}: {seen}");
    }
}

#[test]
fn memory_that_is_not_there_ends_the_one_that_names_it() {
    let program = build("rma_bad.c");
    for case in ["target", "put", "get", "accumulate", "fetch"] {
        for kind in ["thread", "fiber", "process"] {
            let run = support::run(&program).ranks(2).env("FTMPI_RANKS", kind);
            let seen = run.option("--on-failure=continue").args([case]).outcome();
            assert_eq!(seen.lines_with("ok"), 1, "{case} {kind}\n{seen}");
        }
    }
}
