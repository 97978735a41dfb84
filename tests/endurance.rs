//! Ranks die again and again in one job, and nothing is lost by that: no result, no memory, no
//! thread, no mapping, no file. The whole forms: `cargo test --release --test endurance --
//! --ignored`.

use std::path::Path;
use support::{Outcome, Program, Run};

fn program() -> Program {
    support::c("endure.c").flags(&["-O1", "-Wall"]).build()
}

fn endure(mode: &str, ranks: usize, rounds: usize, victims: usize, seed: usize) -> Run {
    let words = [mode.to_string(), rounds.to_string(), victims.to_string(), seed.to_string()];
    let job_mode = if mode == "abort" { "rebuild" } else { mode };
    let run = support::run(&program()).ranks(ranks).args(words).deadline(1800).option("-q");
    run.option(format!("--mode={job_mode}"))
}

/// Kilobytes, threads, mappings and files, as they were after a third of the way and at the end.
fn holdings(seen: &Outcome) -> [[i64; 4]; 2] {
    let numbers = |line: &str| {
        let (_, rest) = line.split_once(": ").expect("a reading has a colon");
        let each = rest.split(", ").map(|part| part.split(' ').next().unwrap().parse().unwrap());
        each.collect::<Vec<i64>>().try_into().expect("four numbers")
    };
    let readings: Vec<_> = seen.stdout.lines().filter(|line| line.starts_with("after ")).collect();
    let [first, .., last] = readings.as_slice() else { panic!("two readings: {seen}") };
    [numbers(first), numbers(last)]
}

/// Who has failed, in order, is for the program to ask: a few bytes for each, whose place doubles
/// now and then. Pages that were not touched before count as well.
const BYTES_OF_A_DEATH: usize = 8;
const PAGES_KB: i64 = 512;

/// Many recoveries of sixteen ranks: what the process holds after the first third of them it holds
/// after the last.
fn rebuild(rounds: usize) {
    let seen = endure("rebuild", 16, rounds, 0, 1).succeeds();
    let done = format!("done: {rounds} rounds, 16 of 16 ranks");
    assert_eq!(seen.lines_with(&done), 1, "{seen}");
    let [first, last] = holdings(&seen);
    println!("{rounds} recoveries in {:?}: {first:?} to {last:?}", seen.took);
    // Two die in a round, on average.
    let deaths = 2 * rounds * 2 / 3;
    let allowed = (deaths * BYTES_OF_A_DEATH / 1024) as i64 + PAGES_KB;
    // Whoever dies has not always been cleared up when the reading is taken.
    let bounds = [("kB", 0, allowed), ("threads", 1, 3), ("mappings", 2, 60), ("files", 3, 3)];
    for (what, place, allowed) in bounds {
        assert!(last[place] - first[place] <= allowed, "{what}: {seen}");
    }
}

#[test]
fn two_thousand_recoveries_leave_nothing_behind() {
    rebuild(2000);
}

#[test]
#[ignore = "takes minutes: a part of the slow command"]
fn ten_thousand_recoveries_leave_nothing_behind() {
    rebuild(10_000);
}

fn shrink(ranks: usize, jobs: usize) {
    for seed in 0..jobs {
        let seen = endure("shrink", ranks, 10_000, 1, seed).succeeds();
        assert_eq!(seen.lines_with(&format!(" 1 of {ranks} ranks")), 1, "{seen}");
    }
}

#[test]
fn a_world_shrinks_down_to_one_rank_again_and_again() {
    shrink(16, 10);
}

#[test]
#[ignore = "takes minutes: a part of the slow command"]
fn a_world_of_120_shrinks_one_by_one_again_and_again() {
    shrink(120, 20);
}

#[test]
fn all_but_one_of_120_die_at_once_and_rank_0_may_be_among_them() {
    for seed in 0..3 {
        let seen = endure("shrink", 120, 10, 119, seed).succeeds();
        assert_eq!(seen.lines_with("done: 1 rounds, 1 of 120 ranks"), 1, "{seen}");
        let seen = endure("rebuild", 120, 2, 119, seed).succeeds();
        assert_eq!(seen.lines_with("done: 2 rounds, 120 of 120 ranks"), 1, "{seen}");
    }
}

/// The numbers of processes that have this word in their environment.
fn processes_with(word: &str) -> Vec<String> {
    let entries = std::fs::read_dir("/proc").expect("there is /proc").flatten();
    let is_one = |path: &Path| {
        let environment = std::fs::read(path.join("environ")).unwrap_or_default();
        environment.windows(word.len()).any(|window| window == word.as_bytes())
    };
    let found = entries.map(|entry| entry.path()).filter(|path| is_one(path));
    found.map(|path| path.display().to_string()).collect()
}

fn names_in(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_job_that_survived_or_was_aborted_amid_a_recovery_leaves_nothing() {
    for (mode, status) in [("rebuild", 0), ("shrink", 0), ("abort", 33)] {
        let place = support::fresh_directory("leftovers");
        let run = endure(mode, 8, 5, 0, 3);
        let run = run.option(format!("-x=TMPDIR={}", place.display()));
        let seen = run.option(format!("--wdir={}", place.display())).outcome();
        assert_eq!(seen.status, Some(status), "{mode}: {seen}");
        assert_eq!(processes_with(&place.to_string_lossy()), [""; 0], "{mode}");
        assert_eq!(names_in(&place), [""; 0], "{mode}");
        let shared = names_in(Path::new("/dev/shm"));
        assert!(!shared.iter().any(|name| name.contains("ftmpi")), "{mode}: {shared:?}");
    }
}

/// A third of what five streams take. What libc keeps of a thread's own cache of small blocks
/// (656 bytes), and what a job grows by in its first rounds, are far below it.
const LESS_THAN_STREAMS: i64 = 8192;

#[test]
fn streams_that_the_dead_had_open_are_given_back() {
    let text = "#include <mpi.h>\n#include \"ftmpi.h\"\n#include <signal.h>\n#include <stdio.h>\n\
        static long held(void) { long all, kept = 0;\n\
        FILE *file = fopen(\"/proc/self/statm\", \"r\");\n\
        if (fscanf(file, \"%ld %ld\", &all, &kept) != 2) kept = 0;\n\
        fclose(file); return kept * 4096; }\n\
        int main(int argc, char **argv) { int rank, size, round = 0, next; long before = 0;\n\
        MPI_Init(&argc, &argv); MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n\
        MPI_Comm_size(MPI_COMM_WORLD, &size);\n\
        while (round < 600) {\n\
        if (MPI_Allreduce(&round, &next, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD)) {\n\
        MPI_Comm copy = FT_MPI_CHECK_RECOVER; MPI_Comm_dup(MPI_COMM_WORLD, &copy);\n\
        MPI_Comm_free(&copy); continue; }\n\
        round = next + 1; if (rank == 0 && round == 200) before = held();\n\
        if (rank != 0 && round % (size - 1) + 1 == rank) { for (int i = 0; i < 5; i++)\n\
        fputs(\"something\", fopen(\"/dev/null\", \"w\")); raise(SIGKILL); } }\n\
        if (rank == 0) printf(\"%ld\\n\", (held() - before) / 400);\n\
        MPI_Finalize(); return 0; }\n";
    let program = support::c_text("streams_left", text).flags(&["-O1"]).build();
    let run = support::run(&program).ranks(6).option("--mode=rebuild").option("-q");
    let seen = run.deadline(120).succeeds();
    let bytes: i64 = seen.stdout.trim().parse().expect("a number of bytes");
    assert!(bytes < LESS_THAN_STREAMS, "{bytes} bytes a death, of five streams");
}
