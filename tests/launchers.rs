//! Jobs that other launchers have started: `mpiexec.hydra` of MPICH by PMI-1, `prterun` by PMIx.
//! They are those that the benchmarks install; without them, the tests say so and do nothing.
//! Slurm's are in `namespaces.rs`.

mod support;

use support::launchers::{Launcher, hydra, prterun};
use support::{Outcome, Program};

/// What lets a launcher go on when a rank has died.
const HYDRA_GOES_ON: &[&str] = &["-disable-auto-cleanup"];
const PRTERUN_GOES_ON: &[&str] = &["--runtime-options", "continuous"];

fn hosts() -> Program {
    support::c("hosts.c").flags(&["-O2"]).build()
}

fn launched() -> Program {
    support::c("launched.c").flags(&["-O2"]).build()
}

/// All launchers that are there, each with what lets it go on when a rank has died.
fn launchers() -> impl Iterator<Item = (Launcher, &'static [&'static str])> {
    let hydra = hydra().map(|launcher| (launcher, HYDRA_GOES_ON));
    hydra.into_iter().chain(prterun().map(|launcher| (launcher, PRTERUN_GOES_ON)))
}

/// What ranks that survive have computed in the end.
fn right_value(ranks: u64, steps: u64) -> u64 {
    (0..steps).fold(0, |value, _| ranks * (value + 1) % 1_000_003)
}

fn survived(seen: &Outcome, ranks: u64, restarted: usize) {
    let line = format!("{ranks} ranks, {restarted} restarted: {}", right_value(ranks, 300));
    assert_eq!(seen.lines_with(&line), 1, "{line}: {seen}");
}

#[test]
fn ranks_are_one_job_on_one_host() {
    for (launcher, _) in launchers() {
        let seen = launcher.run(&[], 4, &hosts(), &["exchange"]).succeeds();
        for rank in 0..4 {
            assert_eq!(seen.lines_with(&format!("rank {rank} has 4 on its host")), 1, "{seen}");
        }
        assert_eq!(seen.stderr, "", "{seen}");
        launcher.leaves_nothing();
    }
}

#[test]
fn one_rank_is_alone_and_so_is_what_a_rank_starts() {
    for (launcher, _) in launchers() {
        let seen = launcher.run(&[], 1, &launched(), &["alone"]).succeeds();
        assert_eq!(seen.sorted_lines(), ["rank 0 of 1"], "{seen}");
        let seen = launcher.run(&[], 2, &launched(), &["child"]).succeeds();
        assert_eq!(seen.sorted_lines(), ["rank 0 of 1", "rank 0 of 2", "rank 1 of 2"], "{seen}");
        launcher.leaves_nothing();
    }
}

#[test]
fn mpi_abort_ends_all_with_its_code() {
    for (launcher, _) in launchers() {
        let seen = launcher.run(&[], 3, &launched(), &["abort", "1", "7"]).outcome();
        assert_eq!(seen.status, Some(7), "{seen}");
        assert!(seen.stderr.contains("MPI_Abort"), "{seen}");
        launcher.leaves_nothing();
    }
}

#[test]
fn a_rank_that_is_killed_is_replaced() {
    for (launcher, goes_on) in launchers() {
        for victim in ["2@60", "0@60"] {
            let run = launcher.run(goes_on, 4, &hosts(), &["survive", "300", "rank", victim]);
            let seen = run.env("FTMPI_COMM_MODE", "rebuild").outcome();
            survived(&seen, 4, 1);
            launcher.leaves_nothing();
        }
    }
}

#[test]
fn others_go_on_without_a_rank_that_is_killed() {
    for (launcher, goes_on) in launchers() {
        let run = launcher.run(goes_on, 4, &launched_survivors(), &["300"]);
        let seen = run.env("FTMPI_COMM_MODE", "shrink").outcome();
        assert_eq!(seen.lines_with("3 ranks went on"), 1, "{seen}");
        launcher.leaves_nothing();
    }
}

#[test]
fn a_rank_that_fails_ends_the_job_unless_it_was_told_otherwise() {
    for (launcher, goes_on) in launchers() {
        let words = ["survive", "100000000", "rank", "1@60"];
        let seen = launcher.run(goes_on, 3, &hosts(), &words).env("FTMPI_COMM_MODE", "abort");
        let seen = seen.outcome();
        assert_ne!(seen.status, Some(0), "{seen}");
        assert!(seen.stderr.contains("ftrun: rank 1 ended"), "{seen}");
        launcher.leaves_nothing();
    }
}

#[test]
fn options_come_by_the_environment() {
    let Some(launcher) = hydra() else { return };
    let report = support::fresh_directory("launched").join("report.json");
    let options = format!("--mode=rebuild --kill=1@before:MPI_Allreduce:20 --report={}", {
        report.display()
    });
    let run = launcher.run(HYDRA_GOES_ON, 3, &hosts(), &["survive", "300"]);
    survived(&run.env("FTMPI_OPTIONS", options).outcome(), 3, 1);
    let written = std::fs::read_to_string(report).expect("there is a report");
    assert!(written.contains("MPI_Allreduce"), "{written}");
    launcher.leaves_nothing();
    let run = launcher.run(&[], 2, &launched(), &["alone"]).env("FTMPI_OPTIONS", "--mode=never");
    let seen = run.outcome();
    assert_ne!(seen.status, Some(0), "{seen}");
    assert!(seen.stderr.contains("--mode") && seen.stderr.contains("never"), "{seen}");
    launcher.leaves_nothing();
}

#[test]
fn ranks_that_never_call_mpi_keep_nobody_waiting_for_ever() {
    for (launcher, _) in launchers() {
        let run = launcher.run(&[], 3, &launched(), &["late", "1"]);
        let seen = run.env("FTMPI_JOIN_TIMEOUT", "1").outcome();
        assert_ne!(seen.status, Some(0), "{seen}");
        let words = "ftrun: not all ranks have called MPI within 1 s";
        assert!(seen.stderr.contains(words), "{seen}");
        launcher.leaves_nothing();
    }
}
