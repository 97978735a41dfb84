//! In virtual time, ranks compute beside each other on several cores: nothing that a run shows
//! depends on how many there are.

use support::{Outcome, Program, Run};

fn program() -> Program {
    support::c("virtual_cores.c").flags(&["-O1", "-Wall", "-Wextra"]).build()
}

fn on(cores: usize, ranks: usize, words: &str) -> Run {
    let run = support::run(&program()).ranks(ranks).env("FTMPI_CORES", cores.to_string());
    let run = run.option("--virtual").option("--machine=bluegene-l");
    run.args(words.split_whitespace())
}

/// What it says but for how long it really took.
fn said(seen: &Outcome) -> (String, String) {
    let mut errors = String::new();
    for line in seen.stderr.lines() {
        let words = line.split_once(" after ").and_then(|(before, rest)| {
            Some(format!("{before} after {}", rest.split_once(" s")?.1))
        });
        errors += &words.unwrap_or_else(|| line.to_string());
        errors.push('\n');
    }
    (seen.stdout.clone(), errors)
}

#[track_caller]
fn is_the_same_on_any(ranks: usize, words: &str, options: &[&str]) {
    let run = |cores| {
        let run = on(cores, ranks, words);
        said(&options.iter().fold(run, |run, word| run.option(word)).outcome())
    };
    let alone = run(1);
    assert!(alone.0.lines().count() >= ranks, "{words}: {alone:?}");
    for cores in [2, 3, 8] {
        assert_eq!(run(cores), alone, "{words} on {cores} cores");
    }
}

#[test]
fn messages_come_in_the_order_of_virtual_time_on_any_number_of_cores() {
    is_the_same_on_any(12, "any", &[]);
    is_the_same_on_any(12, "any", &["--network=packets"]);
}

#[test]
fn ranks_that_poll_see_the_same_on_any_number_of_cores() {
    is_the_same_on_any(12, "polls", &[]);
}

#[test]
fn output_has_the_same_order_on_any_number_of_cores() {
    is_the_same_on_any(12, "prints", &[]);
}

#[test]
fn callbacks_that_compute_do_so_in_their_call() {
    is_the_same_on_any(12, "calls", &[]);
}

#[test]
fn ranks_that_end_while_others_compute_do_so_at_the_same_time_on_any_number_of_cores() {
    is_the_same_on_any(12, "ends", &[]);
}

#[test]
fn counters_in_memory_of_others_count_in_the_order_of_virtual_time() {
    is_the_same_on_any(12, "memory", &[]);
}

#[test]
fn ranks_that_are_killed_while_they_compute_die_at_the_same_time_on_any_number_of_cores() {
    is_the_same_on_any(12, "ends", &["--kill=7@100us", "--kill=2@before:MPI_Sendrecv:3"]);
    is_the_same_on_any(12, "prints", &["--mode=blank", "--kill=4@300us"]);
}

#[test]
fn ranks_that_wait_for_each_other_are_told_so_on_any_number_of_cores() {
    const STUCK: i32 = 123;
    let run = |cores| said(&on(cores, 6, "miss").fails_with(STUCK));
    let alone = run(1);
    let (_, errors) = &alone;
    for line in ["  rank 5: in MPI_Recv", "    waits for the part of rank 5 in a collective"] {
        assert!(errors.contains(line), "{errors}");
    }
    for cores in [2, 3, 8] {
        assert_eq!(run(cores), alone, "{cores} cores");
    }
}

#[test]
fn two_ranks_compute_at_one_time() {
    assert_eq!(on(2, 2, "meet").succeeds().stdout, "met\nmet\n");
}
