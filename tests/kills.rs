//! Deaths that are ordered when the job is started: each comes at its moment, to the life that is
//! meant, and what counts calls happens again in the next run.

use support::{Outcome, Program};

fn program() -> Program {
    support::c("kills.c").flags(&["-O1", "-Wall"]).build()
}

/// Runs a case with these deaths; somebody is killed.
fn killed(case: &str, ranks: usize, kills: &[&str]) -> Outcome {
    let mut run = support::run(&program()).ranks(ranks).args(case.split(' '));
    run = run.option("--on-failure=continue");
    for kill in kills {
        run = run.option(format!("--kill={kill}"));
    }
    run.fails_with(128 + 9)
}

#[test]
fn a_death_before_inside_and_after_a_call_comes_exactly_there() {
    for (kill, said, arrived) in [
        ("0@MPI_Send", 0, 0),
        ("0@before:MPI_Send:3", 2, 2),
        ("0@inside:MPI_Send:3", 2, 3),
        ("0@after:MPI_Send:3", 2, 3),
        ("0@PMPI_Send:5", 4, 4),
        ("0@call:6", 2, 2),
        ("0@after:call:6", 2, 3),
        ("0@MPI_Finalize", 5, 5),
        ("0@inside:MPI_Finalize", 5, 5),
        ("0@after:MPI_Finalize", 5, 5),
    ] {
        for _ in 0..3 {
            let seen = killed("messages", 2, &[kill]);
            assert_eq!(seen.lines_with("rank 0.1 has sent"), said, "{kill}: {seen}");
            let received = format!("rank 1.1 has received {arrived}");
            assert_eq!(seen.lines_with(&received), 1, "{kill}: {seen}");
        }
    }
}

#[test]
fn a_death_inside_of_init_is_seen_by_those_who_come_later() {
    for kill in ["0@MPI_Init", "0@inside:MPI_Init", "0@after:MPI_Init"] {
        let seen = killed("messages", 2, &[kill]);
        assert_eq!(seen.lines_with("rank 0.1"), 0, "{kill}: {seen}");
        assert_eq!(seen.lines_with("rank 1.1 has received 0"), 1, "{kill}: {seen}");
    }
}

#[test]
fn nobody_waits_for_a_rank_that_dies_in_the_midst_of_finalize() {
    for mode in ["blank", "shrink", "rebuild", "ulfm"] {
        for step in 1..4 {
            let kill = format!("--kill=0@inside:MPI_Finalize:1:{step}");
            let run = support::run(&program()).ranks(2).args(["messages"]).option(kill);
            let seen = run.option(format!("--mode={mode}")).outcome();
            assert!(seen.stderr.contains("as planned for inside:MPI_Finalize"), "{seen}");
        }
    }
}

#[test]
fn a_broadcast_whose_root_dies_in_the_midst_of_it_is_right_where_it_arrives() {
    let arrives = |step: usize| {
        let seen = killed("broadcast", 8, &[&format!("0@inside:MPI_Bcast:1:{step}")]);
        let (right, failed) = (seen.lines_with("has 42"), seen.lines_with("failed 0"));
        assert_eq!(right + failed, 7, "step {step}: {seen}");
        right > 0
    };
    arrives(1);
    arrives(2);
    // The root has sent all it had to send. On a slow machine nobody may have begun to receive.
    assert!((0..20).any(|_| arrives(3)), "it arrives nowhere");
}

#[test]
fn who_is_to_die_outside_of_mpi_lives_until_it_leaves_its_call() {
    // On a slow machine rank 0 is not in its call yet when its time comes: then with more time.
    let outlives_its_time = |milliseconds: usize| {
        let case = format!("late {}", 2 * milliseconds);
        let seen = killed(&case, 2, &[&format!("0@compute:{milliseconds}ms")]);
        seen.lines_with("rank 1.1 was heard by 0") == 1
    };
    assert!([20, 200, 2000, 20_000].into_iter().any(outlives_its_time), "it dies in its call");
    let seen = killed("stuck", 2, &["0@20ms"]);
    assert_eq!(seen.lines_with("rank 0.1 goes on"), 0, "{seen}");
    assert_eq!(seen.lines_with("rank 1.1 goes on without 0"), 1, "{seen}");
}

#[test]
fn ranks_that_wait_for_a_death_to_come_are_not_stuck() {
    let seen = killed("stuck", 2, &["0@2200ms"]);
    assert_eq!(seen.lines_with("rank 1.1 goes on without 0"), 1, "{seen}");
}

#[test]
fn a_death_in_a_loop_without_calls_needs_no_call() {
    let seen = killed("compute", 2, &["0@20ms", "1@compute:30ms"]);
    assert!(seen.stderr.contains("as planned for 20ms"), "{seen}");
    assert!(seen.stderr.contains("as planned for compute:30ms"), "{seen}");
}

#[test]
fn several_may_die_and_the_message_says_that_it_was_ordered() {
    let file = support::fresh_directory("kills").join("faults");
    std::fs::write(&file, "# two\n1@before:MPI_Finalize  # late\n\n2@after:MPI_Init\n").unwrap();
    let run = support::run(&program()).ranks(4).args(["none"]).option("--on-failure=continue");
    let run = run.option("--kill=0@call:2").option(format!("--kill-file={}", file.display()));
    let seen = run.fails_with(128 + 9);
    assert_eq!(seen.lines_with("finalizes"), 2, "{seen}");
    for line in [
        "rank 1 was killed (SIGKILL) after",
        "as planned for before:MPI_Finalize:1;",
        "as planned for after:MPI_Init:1;",
        "as planned for before:call:2;",
    ] {
        assert!(seen.stderr.contains(line), "{line}: {seen}");
    }
}

#[test]
fn a_program_may_kill_any_rank_and_itself() {
    let seen = killed("murder", 6, &[]);
    assert_eq!(seen.lines_with("rank 1.1 has killed 5"), 1, "{seen}");
    assert_eq!(seen.lines_with("lives"), 0, "{seen}");
}

/// Where the order of the ranks is the system's, too.
#[test]
fn failures_by_chance_come_again_with_their_seed() {
    let victims = |seed: &str, form: &str| {
        let run = support::run(&program()).ranks(8).args(["compute"]);
        // They make no calls, by which time is counted where the seed decides on more.
        let run = run.option("--on-failure=continue").option("--mttf=20ms").option(seed);
        let seen = run.option(form).fails_with(128 + 9);
        let mut victims: Vec<String> = Vec::new();
        for line in seen.stderr.lines().filter(|line| line.contains(" was killed ")) {
            let (who, rest) = line.split_once(" was killed ").unwrap();
            let (_, when) = rest.split_once("as planned for ").unwrap();
            victims.push(format!("{who} {}", when.split(';').next().unwrap()));
        }
        assert_eq!(victims.len(), 8, "{seen}");
        victims.sort();
        victims
    };
    for form in ["--ranks=thread", "--processes", "--processes=3"] {
        assert_eq!(victims("--seed=5", form), victims("--seed=5", form), "{form}");
        assert_ne!(victims("--seed=5", form), victims("--seed=6", form), "{form}");
    }
}

#[test]
fn the_seed_of_failures_by_chance_is_told() {
    let run = support::run(&program()).ranks(2).args(["compute"]).option("--on-failure=continue");
    let seen = run.option("--mttf=5ms").fails_with(128 + 9);
    assert!(seen.stderr.contains("failures come by chance: --seed "), "{seen}");
}

#[test]
fn a_replacement_dies_at_the_end_of_its_init() {
    let program = support::c("c_examples/rebuild.c").flags(&["-O2"]).build();
    let run = support::run(&program).ranks(4).option("--mode=rebuild").args(["20"]);
    let kills = ["1@MPI_Allreduce:3", "1.2@after:MPI_Init", "1.3@after:MPI_Init"];
    let run = kills.iter().fold(run, |run, kill| run.option(format!("--kill={kill}")));
    let seen = run.succeeds();
    assert_eq!(seen.stderr.matches("as planned for after:MPI_Init").count(), 2, "{seen}");
}
