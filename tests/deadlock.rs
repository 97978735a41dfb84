//! Jobs whose ranks all wait for each other say so and end; jobs that only look so go on.

use support::Outcome;

const STUCK: i32 = 123;

fn program() -> support::Program {
    support::c("deadlock.c").flags(&["-O1", "-Wall", "-pthread"]).build()
}

/// Runs a case that gets stuck, and expects these lines about it.
fn gets_stuck(case: &str, ranks: usize, lines: &[&str]) {
    let outcome = support::run(&program()).ranks(ranks).args([case]).fails_with(STUCK);
    says(&outcome, lines);
}

fn says(outcome: &Outcome, lines: &[&str]) {
    assert!(outcome.stderr.contains("ftrun: deadlock: all ranks wait"), "{outcome}");
    for line in lines {
        assert!(
            outcome.stderr.lines().any(|said| said == *line),
            "it does not say {line}\n{outcome}"
        );
    }
}

/// Runs a case that is still for a while and then goes on.
fn goes_on(case: &str) {
    let outcome = support::run(&program()).ranks(3).args([case]).succeeds();
    assert!(outcome.took.as_secs_f64() > 2.0, "it was not still for long\n{outcome}");
}

#[test]
fn a_ring_of_receives_is_named_rank_by_rank() {
    gets_stuck(
        "ring",
        3,
        &[
            "  rank 0: in MPI_Recv",
            "    waits for a message from rank 1 with tag 5 on MPI_COMM_WORLD, of up to 16 bytes",
            "  rank 2: in MPI_Recv",
            "    waits for a message from rank 0 with tag 5 on MPI_COMM_WORLD, of up to 16 bytes",
        ],
    );
}

#[test]
fn nobody_is_ahead_by_more_collectives_than_memory_holds() {
    let line = "    waits for rank 1 to take part in a collective on MPI_COMM_WORLD";
    gets_stuck("far-ahead", 2, &[line]);
}

#[test]
fn a_message_that_is_received_while_its_sender_waits_for_another_hides_nothing() {
    let line = "    waits for rank 2 to receive a message with tag 7 on MPI_COMM_WORLD";
    gets_stuck("late-receive", 3, &["  rank 0: in MPI_Ssend", line]);
}

#[test]
fn a_forgotten_barrier_is_named_with_its_communicator() {
    gets_stuck(
        "barrier",
        5,
        &[
            "  rank 0: in MPI_Probe",
            "    waits for a message from any rank with tag 77 on lattice",
            "    waits for the part of rank 0 in a collective on lattice",
        ],
    );
}

/// Some of these calls give, and wait for nobody: then the job may come to its end. The jobs wait
/// side by side.
#[test]
fn collectives_that_do_not_match_are_seen() {
    let program = &program();
    let is_stuck = |case: &str, ranks: usize, kind: &str| {
        let run = support::run(program).ranks(ranks).args([case]);
        let outcome = run.option("--check=off").carried_by(kind).outcome();
        assert!(matches!(outcome.status, Some(0 | STUCK)), "{outcome}");
        outcome.status == Some(STUCK)
    };
    let cases = [("roots", 2), ("other-calls", 2), ("order", 2), ("started", 3)];
    let stuck: usize = std::thread::scope(|scope| {
        let jobs = cases.map(|(case, least)| {
            ["thread", "fiber"].map(|kind| {
                scope.spawn(move || {
                    let sizes = [2, 3, 4, 8].map(|ranks: usize| ranks.max(least));
                    sizes.into_iter().filter(|ranks| is_stuck(case, *ranks, kind)).count()
                })
            })
        });
        jobs.into_iter().flatten().map(|job| job.join().expect("no panic")).sum()
    });
    assert!(stuck > 8, "{stuck} were told");
}

/// The agreement stirs the world of a rank that has nothing to do with it, and sleeps on.
#[test]
fn an_agreement_of_others_hides_nothing() {
    for kind in support::kinds() {
        let run = support::run(&program()).ranks(4).args(["agreed"]);
        let run = run.option("--mode=ulfm").carried_by(kind).deadline(30);
        says(&run.fails_with(STUCK), &["  rank 0: in MPI_Recv", "  rank 3: in MPI_Recv"]);
    }
}

#[test]
fn ranks_that_wait_for_the_same_are_told_together() {
    gets_stuck(
        "finished",
        7,
        &[
            "  rank 0: in MPI_Finalize",
            "  ranks 1-6: in MPI_Recv",
            "    waits for a message from rank 0 with any tag on MPI_COMM_WORLD, of up to 4 bytes",
        ],
    );
}

#[test]
fn sends_that_nobody_receives_are_named() {
    gets_stuck(
        "sends",
        3,
        &[
            "  rank 0: in MPI_Ssend",
            "    waits for rank 1 to receive a message with tag 3 on MPI_COMM_WORLD",
            "  rank 1: in MPI_Wait",
            "    waits for rank 0 to receive a message with tag 4 on MPI_COMM_WORLD",
            "  rank 2: in MPI_Recv",
        ],
    );
}

#[test]
fn threads_that_wait_for_each_other_are_stuck_as_well() {
    gets_stuck("threads", 2, &["  ranks 0-1: in MPI_Recv"]);
}

#[test]
fn a_single_rank_can_be_stuck_too() {
    gets_stuck("ring", 1, &["  rank 0: in MPI_Recv"]);
}

#[test]
fn fortran_programs_are_told_too() {
    let program = support::fortran("deadlock.f90").build();
    let outcome = support::run(&program).ranks(2).fails_with(STUCK);
    says(&outcome, &["  rank 0: in MPI_Recv", "  rank 1: in MPI_Recv"]);
}

#[test]
fn whoever_sleeps_reads_or_computes_is_not_stuck() {
    let cases = ["sleeper", "reader", "compute", "tests-only", "thread-sleeps", "timed-wait"];
    std::thread::scope(|scope| {
        cases.into_iter().for_each(|case| drop(scope.spawn(|| goes_on(case))));
    });
}

#[test]
fn many_waits_one_after_the_other_are_no_deadlock() {
    goes_on("busy");
}

#[test]
fn a_timer_that_is_set_may_change_everything() {
    let outcome = support::run(&program()).ranks(2).args(["timer"]).fails_with(STUCK);
    assert!(outcome.took.as_secs_f64() > 3.0, "the timer was still to ring\n{outcome}");
}

#[test]
fn nobody_watches_where_that_is_not_wanted() {
    let run = support::run(&program()).ranks(2).args(["ring"]);
    let outcome = run.option("--deadlock=off").option("--timeout=3").fails_with(124);
    assert!(!outcome.stderr.contains("deadlock"), "{outcome}");
    let outcome = support::run(&program()).ranks(2).args(["ring"]).option("--timeout=200");
    says(&outcome.fails_with(STUCK), &["  rank 0: in MPI_Recv"]);
}

#[test]
fn a_rank_that_starts_late_with_a_death_ordered_inside_a_call_hides_no_deadlock() {
    let late = "#include <mpi.h>\n#include <unistd.h>\n\
        int main(int argc, char **argv) { int rank, word;\n\
        usleep(getenv_rank() == 1 ? 200000 : 0); MPI_Init(&argc, &argv);\n\
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n\
        MPI_Recv(&word, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n\
        return MPI_Finalize(); }\n";
    let head = "#include <stdlib.h>\n\
        static int getenv_rank(void) { return atoi(getenv(\"PMI_RANK\")); }\n";
    let program = support::c_text("late", &format!("{head}{late}")).build();
    for option in ["--kill=1@inside:MPI_Bcast:5", "--trace=/dev/null"] {
        let run = support::run(&program).ranks(2).option("--seed=1").option(option);
        says(&run.fails_with(STUCK), &["  rank 0: in MPI_Recv", "  rank 1: in MPI_Recv"]);
    }
}
