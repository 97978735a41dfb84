//! Deadlocks of ranks in processes of their own, and what only looks like one. (What does not
//! concern processes alone is in `deadlock.rs`, which runs there, too.)

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use support::{Outcome, Run};

const STUCK: i32 = 123;
const SAID: &str = "ftrun: deadlock: all ranks wait";

fn run(words: &[&str]) -> Run {
    let program = support::c("stuck_apart.c").flags(&["-O1", "-Wall", "-pthread"]).build();
    let run = support::run(&program).env("FTMPI_RANKS", "").option("--processes");
    run.ranks(4).args(words).deadline(60)
}

fn has(seen: &Outcome, lines: &[&str]) {
    for line in lines {
        assert!(seen.stderr.lines().any(|said| said == *line), "it does not say {line}\n{seen}");
    }
}

/// It is still for seconds, or looks so, and then ends well.
fn goes_on(words: &[&str]) -> Outcome {
    let seen = run(words).succeeds();
    assert!(seen.took > Duration::from_secs(2), "it was not still for long\n{seen}");
    seen
}

#[test]
fn a_death_to_come_is_no_deadlock_and_ends_the_waits() {
    std::thread::scope(|scope| {
        for after in ["0.7", "1.3", "2.6"] {
            scope.spawn(move || {
                let seen = run(&["death", after]).option("--on-failure=continue").outcome();
                assert!(!seen.stderr.contains(SAID), "{seen}");
                assert_eq!(seen.lines_with("heard of a death"), 3, "{seen}");
            });
        }
    });
}

/// Before the first look, between two of them, and long after; the dead rank is not named.
#[test]
fn survivors_of_a_death_who_wait_for_each_other_are_stuck() {
    std::thread::scope(|scope| {
        for after in ["0", "0.8", "1.2", "2.7"] {
            scope.spawn(move || {
                let continued = run(&["death-beside", after]).option("--on-failure=continue");
                let seen = continued.fails_with(STUCK);
                let of = "    waits for a message from rank 0 with tag 1 on MPI_COMM_WORLD, \
                          of up to 4 bytes";
                has(&seen, &["  rank 0: in MPI_Recv", "  rank 2: in MPI_Recv", of]);
                assert!(!seen.stderr.contains("  rank 3: "), "{seen}");
                let least = after.parse::<f64>().unwrap() + 1.0;
                assert!(seen.took.as_secs_f64() >= least, "three looks take their time\n{seen}");
            });
        }
    });
}

#[test]
fn a_process_that_is_stopped_may_go_on() {
    assert_eq!(goes_on(&["stopped"]).lines_with("received"), 3);
}

#[test]
fn a_thread_that_computes_may_send() {
    assert_eq!(goes_on(&["thread"]).lines_with("received"), 4);
}

#[test]
fn messages_under_way_are_no_deadlock() {
    std::thread::scope(|scope| {
        for words in ["round", "one-sided"] {
            scope.spawn(move || goes_on(&[words]));
        }
    });
}

#[test]
fn sends_for_which_there_is_no_room_are_named() {
    let seen = run(&["unreceived"]).ranks(2).fails_with(STUCK);
    let of = "    waits for rank 1 to receive a message with tag 2 on MPI_COMM_WORLD, 1500 times";
    has(&seen, &["  rank 0: in MPI_Waitall", of, "  rank 1: in MPI_Recv"]);
}

#[test]
fn what_waits_for_all_others_is_named() {
    has(&run(&["dup"]).ranks(3).fails_with(STUCK), &["  ranks 1-2: in MPI_Comm_dup"]);
    let of = "    waits for rank 2 to synchronize on a window of 3 ranks";
    has(&run(&["locks"]).ranks(3).fails_with(STUCK), &["  rank 1: in MPI_Win_lock", of]);
}

/// Busy loops on all cores, and ranks that take turns there.
#[test]
fn a_busy_machine_makes_no_deadlock() {
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let spin = || {
            while !is_over.load(Ordering::Relaxed) {
                std::hint::spin_loop();
            }
        };
        (0..2 * cores).for_each(|_| drop(scope.spawn(spin)));
        let seen = std::panic::catch_unwind(|| goes_on(&["round"]));
        is_over.store(true, Ordering::Relaxed);
        seen.unwrap_or_else(|failure| std::panic::resume_unwind(failure));
    });
}
