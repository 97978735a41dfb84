//! Jobs that other launchers have started: `mpiexec.hydra` of MPICH and of Intel by PMI-1,
//! `prterun` by PMIx. They are those that the benchmarks install; without them, the tests say so
//! and do nothing. Slurm's are in `namespaces.rs`.

use std::time::{Duration, Instant};
use support::launchers::{
    Launcher, NO_PMIX, WITHOUT_PMIX, can_hide_pmix, gforker, hydra, intel, prterun,
};
use support::{Outcome, Program};

fn hosts() -> Program {
    support::c("hosts.c").flags(&["-O2"]).build()
}

fn launched() -> Program {
    support::c("launched.c").flags(&["-O2"]).build()
}

/// All that are there.
fn launchers() -> impl Iterator<Item = Launcher> {
    [hydra(), intel(), prterun()].into_iter().flatten()
}

/// Those that go on when a rank has died, each with what lets it.
fn enduring() -> impl Iterator<Item = (Launcher, &'static [&'static str])> {
    launchers().filter_map(|launcher| {
        let goes_on = launcher.goes_on?;
        Some((launcher, goes_on))
    })
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
    for launcher in launchers().chain(gforker()) {
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
    for launcher in launchers() {
        let seen = launcher.run(&[], 1, &launched(), &["alone"]).succeeds();
        assert_eq!(seen.sorted_lines(), ["rank 0 of 1"], "{seen}");
        let seen = launcher.run(&[], 2, &launched(), &["child"]).succeeds();
        assert_eq!(seen.sorted_lines(), ["rank 0 of 1", "rank 0 of 2", "rank 1 of 2"], "{seen}");
        launcher.leaves_nothing();
    }
}

#[test]
fn ranks_that_do_not_find_pmix_say_what_to_install() {
    let Some(launcher) = prterun().filter(|_| can_hide_pmix()) else { return };
    let seen = launcher.run_by(&WITHOUT_PMIX, &[], 2, &launched(), &["alone"]).outcome();
    assert!(seen.stderr.contains(NO_PMIX), "{seen}");
    assert_eq!((seen.status, seen.lines_with("rank ")), (Some(2), 0), "{seen}");
    launcher.leaves_nothing();
}

#[test]
fn mpi_abort_ends_all_with_its_code() {
    for launcher in launchers() {
        let seen = launcher.run(&[], 3, &launched(), &["abort", "1", "7"]).outcome();
        assert_eq!(seen.status, Some(7), "{seen}");
        assert!(seen.stderr.contains("MPI_Abort"), "{seen}");
        launcher.leaves_nothing();
    }
}

#[test]
fn a_rank_that_is_killed_is_replaced() {
    for (launcher, goes_on) in enduring() {
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
    let ulfm = support::c("c_examples/ulfm.c").flags(&["-O2"]).build();
    for (launcher, goes_on) in enduring() {
        for (mode, line) in [("shrink", "3 ranks, 0 restarted: "), ("blank", "4 ranks, 0 ")] {
            let words = ["survive", "300", "rank", "0@60"];
            let run = launcher.run(goes_on, 4, &hosts(), &words);
            let seen = run.env("FTMPI_COMM_MODE", mode).outcome();
            assert_eq!(seen.lines_with(line), 1, "{seen}");
            launcher.leaves_nothing();
        }
        let run = launcher.run(goes_on, 4, &ulfm, &["2:2", "0:5"]);
        let seen = run.env("FTMPI_COMM_MODE", "ulfm").outcome();
        assert_eq!(seen.lines_with("2 of 4 ranks"), 1, "{seen}");
        launcher.leaves_nothing();
    }
}

#[test]
fn a_rank_that_fails_ends_a_job_without_a_mode() {
    for launcher in launchers() {
        let words = ["survive", "100000000", "rank", "1@60"];
        let run = launcher.run(launcher.goes_on.unwrap_or_default(), 3, &hosts(), &words);
        let seen = run.env("FTMPI_COMM_MODE", "abort").outcome();
        assert_ne!(seen.status, Some(0), "{seen}");
        // A launcher that ends the job itself may do so before anybody can say why.
        if launcher.goes_on.is_some() {
            assert!(seen.stderr.contains("ftrun: rank 1"), "{seen}");
        }
        launcher.leaves_nothing();
    }
}

/// What the launcher has started is its own, and so is what takes the place of that.
#[test]
fn a_launcher_that_is_killed_takes_all_with_it() {
    for (launcher, goes_on) in enduring() {
        let mark = support::fresh_directory("launched").join("mark");
        let words = ["survive", "100000000", "rank", "1@20"];
        let run = launcher.run(goes_on, 3, &hosts(), &words);
        let run = run.env("FTMPI_COMM_MODE", "rebuild").env("MARK", &mark);
        std::thread::scope(|scope| {
            let running = scope.spawn(|| run.outcome());
            let until = Instant::now() + Duration::from_secs(60);
            while !mark.exists() {
                assert!(Instant::now() < until, "it is not at work");
                std::thread::sleep(Duration::from_millis(2));
            }
            launcher.kill();
            let seen = running.join().expect("it ends");
            assert_ne!(seen.status, Some(0), "{seen}");
        });
        launcher.leaves_nothing();
    }
}

#[test]
fn options_come_by_the_environment() {
    let Some(launcher) = intel() else { return };
    let report = support::fresh_directory("launched").join("report.json");
    let options =
        format!("--mode=rebuild --kill=1@before:MPI_Allreduce:20 --report={}", report.display());
    let goes_on = launcher.goes_on.expect("it goes on");
    let run = launcher.run(goes_on, 3, &hosts(), &["survive", "300"]);
    survived(&run.env("FTMPI_OPTIONS", options).outcome(), 3, 1);
    let written = std::fs::read_to_string(report).expect("there is a report");
    let words = "\"cause\":\"ended\",\"words\":\"rank 1 ended after ";
    assert!(written.contains(words) && written.contains("before:MPI_Allreduce:20"), "{written}");
    launcher.leaves_nothing();
    let run = launcher.run(&[], 2, &launched(), &["alone"]).env("FTMPI_OPTIONS", "--mode=never");
    let seen = run.outcome();
    assert_ne!(seen.status, Some(0), "{seen}");
    assert!(seen.stderr.contains("--mode expects"), "{seen}");
    launcher.leaves_nothing();
}

#[test]
fn ranks_that_never_call_mpi_keep_nobody_waiting_for_ever() {
    for launcher in launchers() {
        let run = launcher.run(&[], 3, &launched(), &["late", "1"]);
        let seen = run.env("FTMPI_JOIN_TIMEOUT", "1").outcome();
        assert_ne!(seen.status, Some(0), "{seen}");
        let who = if launcher.names_absent() { " (rank 1)" } else { "" };
        let words = format!("ftrun: not all ranks have called MPI within 1 s{who}: see whether ");
        assert!(seen.stderr.contains(&words), "{seen}");
        launcher.leaves_nothing();
    }
}
