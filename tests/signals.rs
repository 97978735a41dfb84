//! Signals: handlers run where they do no harm, waits are interrupted as the rank wants it, and
//! what is sent to the process finds those who wait for it.

use support::Program;

fn program() -> Program {
    support::c("signals.c").flags(&["-O1", "-Wall"]).build()
}

#[test]
fn a_handler_that_ends_a_thread_at_work_leaves_no_lock_behind() {
    let run = support::run(&program()).ranks(6).args(["die"]).option("--on-failure=restart");
    let seen = run.outcome();
    assert_eq!(seen.lines_with("done"), 6, "{seen}");
}

#[test]
fn a_handler_that_jumps_out_of_work_leaves_no_lock_behind() {
    let seen = support::run(&program()).ranks(6).args(["jump"]).succeeds();
    assert_eq!(seen.lines_with("done"), 6, "{seen}");
}

#[test]
fn a_signal_from_a_sibling_ends_a_wait_after_its_handler_has_run() {
    for how in ["pause", "nanosleep", "poll", "sigsuspend", "sem_wait", "read"] {
        let seen = support::run(&program()).ranks(4).args([how]).succeeds();
        assert_eq!(seen.lines_with(&format!("{how} -1 1 1")), 4, "{seen}");
    }
    let seen = support::run(&program()).ranks(4).args(["restart"]).succeeds();
    assert_eq!(seen.lines_with("restart 1 0 1"), 4, "{seen}");
}

#[test]
fn a_handler_learns_the_value_that_was_sent() {
    let seen = support::run(&program()).ranks(4).args(["value"]).succeeds();
    let lines: Vec<_> =
        (0..4).map(|rank| format!("{rank}: {} {}", 40 + rank, 140 + rank)).collect();
    assert_eq!(seen.sorted_lines(), lines, "{seen}");
}

#[test]
fn a_signal_to_the_process_finds_ranks_that_wait_for_it() {
    // The kernel gives it to whoever begins to wait just then, and to nobody else: on a slow
    // machine not all may wait yet.
    let all_hear = |_| {
        let run = support::run(&program()).ranks(4).args(["sigwait"]).option("--timeout=20");
        run.outcome().lines_with("waited 15") == 4
    };
    assert!((0..5).any(all_hear), "somebody does not hear of it");
    // The kernel shows it to whichever descriptor is read first.
    let seen = support::run(&program()).ranks(1).args(["signalfd"]).succeeds();
    assert_eq!(seen.lines_with("waited 15"), 1, "{seen}");
}

#[test]
fn every_rank_has_an_alarm_of_its_own() {
    let run = support::run(&program()).ranks(4).args(["alarm"]).option("--on-failure=continue");
    let seen = run.outcome();
    assert_eq!(seen.sorted_lines(), ["0: 1 1", "1: 1 0", "3: 1 1"], "{seen}");
    assert!(seen.stderr.contains("rank 2 died of SIGALRM"), "{seen}");
}

#[test]
fn a_signal_reaches_a_rank_that_waits_for_a_message() {
    let text = r#"
        #include <mpi.h>
        #include <signal.h>
        #include <stdio.h>
        #include <unistd.h>
        static void leave(int number)
        {
            (void)number;
            if (write(1, "left\n", 5) == 5)
                _exit(0);
        }
        int main(int argc, char **argv)
        {
            int word;
            MPI_Init(&argc, &argv);
            signal(SIGALRM, leave);
            ualarm(20000, 0);
            MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
            return 1;
        }
    "#;
    let program = support::c_text("waiting", text).build();
    let run = support::run(&program).ranks(3).option("--on-failure=continue");
    let seen = run.outcome();
    assert_eq!(seen.lines_with("left"), 3, "{seen}");
}
