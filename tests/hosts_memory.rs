//! One-sided communication and files among several hosts, which are agents on this one here: what
//! `rma.rs` and `files.rs` say of ranks of one host.

use support::hosts::on;
use support::{Program, Run};

fn build(program: &str) -> Program {
    support::c(program).flags(&["-O1", "-Wall", "-Wno-unused-function"]).build()
}

/// The calls of `rma.c`, but for memory that all can use directly.
const WINDOWS: [&str; 11] = [
    "fence",
    "sums",
    "operations",
    "tickets",
    "locks",
    "busy",
    "pscw",
    "dynamic",
    "requests",
    "errors",
    "random",
];

#[test]
fn windows_reach_over_hosts() {
    let program = build("rma.c");
    for case in WINDOWS {
        on(&program, "a:2,b:1", 3).args([case]).succeeds();
    }
}

#[test]
fn memory_that_all_use_directly_is_refused_among_hosts() {
    let text = r#"
        #include <mpi.h>
        #include <stdio.h>
        int main(int argc, char **argv)
        {
            MPI_Win win;
            MPI_Comm near;
            char *mine, words[MPI_MAX_ERROR_STRING];
            int length, class;
            MPI_Init(&argc, &argv);
            MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
            int code = MPI_Win_allocate_shared(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
            MPI_Error_class(code, &class);
            MPI_Error_string(code, words, &length);
            if (class == MPI_ERR_UNSUPPORTED_OPERATION)
                puts(words);
            MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near);
            if (MPI_Win_allocate_shared(8, 1, MPI_INFO_NULL, near, &mine, &win) == MPI_SUCCESS)
                puts("all of one host");
            MPI_Win_free(&win);
            MPI_Comm_free(&near);
            return MPI_Finalize();
        }
    "#;
    let program = support::c_text("hosts_shared", text).build();
    let seen = on(&program, "a:2,b:1", 3).succeeds();
    assert_eq!(
        seen.lines_with("several hosts: use a communicator of one host's ranks"),
        3,
        "{seen}"
    );
    assert_eq!(seen.lines_with("all of one host"), 3, "{seen}");
}

/// The calls in which rank 1 dies, by case: see `rma.rs`.
const DEATHS: [(&str, &str); 11] = [
    ("fence", "MPI_Win_fence"),
    ("put", "MPI_Put"),
    ("get", "MPI_Get"),
    ("accumulate", "MPI_Accumulate"),
    ("fetch", "MPI_Fetch_and_op"),
    ("swap", "MPI_Compare_and_swap"),
    ("lock_all", "MPI_Win_flush_all"),
    ("exposed", "MPI_Win_wait"),
    ("accesses", "MPI_Win_complete"),
    ("create", "MPI_Win_create"),
    ("holds", "MPI_Win_lock"),
];

#[test]
fn a_death_before_in_and_after_a_one_sided_call_ends_no_survivor() {
    const PROC_ABORTED: &str = "58";
    let program = build("rma_deaths.c");
    for (place, (case, function)) in DEATHS.into_iter().enumerate() {
        let own = if place % 2 == 0 { "own" } else { "" };
        let moments = ["before", "inside", "after"];
        for moment in if place < 2 { &moments[..] } else { &moments[place % 3..][..1] } {
            let kill = format!("--kill=1@{moment}:{function}:5");
            let run = on(&program, "a,b,c", 3).option("--on-failure=continue").option(&kill);
            let seen = run.args([case, PROC_ABORTED, own]).outcome();
            assert_eq!(seen.lines_with("ok"), 2, "{case} {kill}\n{seen}");
        }
    }
}

#[test]
fn a_rank_that_computes_serves_others_and_loses_a_host_that_has_its_lock() {
    let seen = on(&build("hosts_rma.c"), "a,b,c", 3).option("--on-failure=continue").outcome();
    for line in
        ["rank 0 has been served while it computed", "rank 1 has used the window after the loss"]
    {
        assert_eq!(seen.lines_with(line), 1, "{seen}");
    }
    assert!(seen.stderr.contains("ftrun: host c is lost\n"), "{seen}");
}

#[test]
fn windows_of_before_a_recovery_are_stale_on_all_hosts() {
    let program = build("rma_rebuilt.c");
    for moment in ["before", "inside", "after"] {
        let run = on(&program, "a:2,b:2", 4).option("--mode=rebuild");
        let seen = run.option(format!("--kill=1@{moment}:MPI_Win_fence:4")).succeeds();
        assert_eq!(seen.lines_with("ok"), 4, "{moment}: {seen}");
    }
}

#[test]
fn memory_that_is_not_there_ends_the_rank_that_names_it() {
    let program = build("rma_bad.c");
    for case in ["target", "put", "get", "accumulate", "fetch"] {
        let seen = on(&program, "a,b", 2).option("--on-failure=continue").args([case]).outcome();
        assert_eq!(seen.lines_with("ok"), 1, "{case}\n{seen}");
    }
}

#[test]
fn memory_of_a_window_that_was_freed_after_a_failure_is_its_owners_again() {
    let program = build("rma_freed.c");
    for case in [["put", "allocate"], ["get", "allocate"], ["fetch", "allocate"]] {
        for words in [&case[..], &case[..1]] {
            for _ in 0..3 {
                let run = on(&program, "a,b,c", 3).option("--mode=ulfm").args(words);
                let seen = run.outcome();
                assert_eq!(seen.lines_with("ok"), 2, "{words:?}\n{seen}");
            }
        }
    }
}

/// A run in a directory of its own, where the files are.
fn with_files(program: &Program, hosts: &str, ranks: usize) -> Run {
    on(program, hosts, ranks).directory(support::fresh_directory("hosts_files"))
}

/// The cases of `files.c`.
const FILES: [&str; 11] = [
    "offsets",
    "sizes",
    "modes",
    "views",
    "shared",
    "nonblocking",
    "split",
    "representations",
    "hints",
    "errors",
    "atomic",
];

#[test]
fn hosts_that_share_a_file_system_share_files() {
    let flags = ["-O1", "-Wall", "-Wno-unused-function", "-DSMALL"];
    let program = support::c("files.c").flags(&flags).build();
    for case in FILES {
        with_files(&program, "a:2,b:2,c:1", 5).args([case]).succeeds();
    }
    let program = build("files_atomic.c");
    assert_eq!(with_files(&program, "a:2,b:2", 4).succeeds().lines_with("ok"), 4);
}

#[test]
fn random_accesses_of_several_hosts_are_those_of_a_naive_writer() {
    let program = build("files_random.c");
    for seed in 2..=9 {
        let (hosts, ranks) = if seed % 2 == 0 { ("a,b", 2) } else { ("a:2,b:2,c:1", 5) };
        let seen = with_files(&program, hosts, ranks).args([&seed.to_string(), "10"]).succeeds();
        assert_eq!(seen.lines_with("as the model says"), ranks, "seed {seed}: {seen}");
    }
}

#[test]
fn survivors_of_several_hosts_come_back_from_calls_on_files() {
    let program = build("files_deaths.c");
    let calls = [
        ("write_at_all", "MPI_File_write_at_all"),
        ("iwrite_at_all", "MPI_Wait"),
        ("write_ordered", "MPI_File_write_ordered"),
        ("read_all", "MPI_File_read_all"),
        ("open_close", "MPI_File_open"),
        ("seek_shared", "MPI_File_seek_shared"),
    ];
    let moments = [("before", 0), ("inside", 3), ("after", 1)];
    for (place, (call, function)) in calls.into_iter().enumerate() {
        for (moment, victim) in [moments[place % 3], moments[(place + 1) % 3]] {
            let kill = format!("--kill={victim}@{moment}:{function}:3");
            let run = with_files(&program, "a:2,b:2", 4).option("--on-failure=continue");
            let seen = run.option(&kill).args([call, "hosts"]).fails_with(128 + 9);
            assert_eq!(seen.lines_with("goes on"), 3, "{call} {kill}: {seen}");
        }
    }
}

#[test]
fn a_path_that_leads_to_another_file_on_another_host_is_refused() {
    let text = r#"
        #include <mpi.h>
        #include <stdio.h>
        int main(int argc, char **argv)
        {
            MPI_File file;
            char words[MPI_MAX_ERROR_STRING];
            int length;
            MPI_Init(&argc, &argv);
            int code = MPI_File_open(MPI_COMM_WORLD, "/proc/self/environ", MPI_MODE_RDONLY,
                                     MPI_INFO_NULL, &file);
            MPI_Error_string(code, words, &length);
            puts(words);
            return MPI_Finalize();
        }
    "#;
    let program = support::c_text("hosts_other_file", text).build();
    let seen = on(&program, "a,b", 2).succeeds();
    let words = "rank 1 cannot open what the first process has opened: Stale file handle \
                 (os error 116); it must be on a file system that all hosts share";
    assert_eq!(seen.lines_with(words), 2, "{seen}");
}
