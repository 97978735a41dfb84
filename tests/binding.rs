//! To which cores ranks are bound (`--bind-to`, `--report-bindings`).

use std::collections::BTreeSet;
use support::{Outcome, Program};

fn program() -> Program {
    support::c("bound.c").flags(&["-O1", "-Wall"]).build()
}

/// How many hardware threads this machine lets the tests use.
fn hardware_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The hardware threads of each rank.
fn masks(outcome: &Outcome) -> Vec<BTreeSet<usize>> {
    let mut lines: Vec<(usize, BTreeSet<usize>)> = Vec::new();
    for line in outcome.stdout.lines() {
        let (rank, numbers) = line.split_once(':').expect("a rank and its numbers");
        let numbers = numbers.split_whitespace().map(|word| word.parse().expect("a number"));
        lines.push((rank.parse().expect("a rank"), numbers.collect()));
    }
    lines.sort_by_key(|(rank, _)| *rank);
    lines.into_iter().map(|(_, mask)| mask).collect()
}

#[test]
fn each_rank_has_a_hardware_thread_of_its_own_if_asked_and_the_report_names_it() {
    let ranks = hardware_threads();
    let run = support::run(&program()).ranks(ranks).option("--report-bindings");
    let outcome = run.option("--bind-to=hwthread").succeeds();
    let (masks, mut seen) = (masks(&outcome), BTreeSet::new());
    assert_eq!(masks.len(), ranks);
    for (rank, mask) in masks.iter().enumerate() {
        assert_eq!(mask.len(), 1, "{outcome}");
        let number = mask.first().expect("it is not empty");
        assert!(seen.insert(*number), "no two have the same one\n{outcome}");
        let line = outcome.stderr.lines().find(|line| line.contains(&format!("rank {rank} is")));
        let line = line.unwrap_or_else(|| panic!("rank {rank} is in the report\n{outcome}"));
        assert!(line.ends_with(&format!("(hardware thread {number})")), "{line}");
    }
}

#[test]
fn by_default_ranks_that_are_bound_share_nothing_and_otherwise_the_report_says_why() {
    let ranks = hardware_threads();
    let outcome = support::run(&program()).ranks(ranks).option("--report-bindings").succeeds();
    let (masks, report) = (masks(&outcome), &outcome.stderr);
    match report.contains("rank 0 is bound") {
        true => {
            let all: usize = masks.iter().map(BTreeSet::len).sum();
            let union: BTreeSet<usize> = masks.into_iter().flatten().collect();
            assert_eq!(union.len(), all, "{outcome}");
        }
        // Tests run side by side.
        false => assert!(
            ["other work runs", "ranks of other jobs", "one rank alone"]
                .iter()
                .any(|why| report.contains(why)),
            "{outcome}"
        ),
    }
}

#[test]
fn nobody_is_bound_without_a_core_for_each_or_if_that_is_asked() {
    let all = hardware_threads();
    for (ranks, binding, why) in [
        (all, "none", "--bind-to none"),
        (all + 1, "core", "more ranks than cores"),
        (1, "auto", "one rank alone"),
    ] {
        let run = support::run(&program()).ranks(ranks).option("--report-bindings");
        let outcome = run.option(format!("--bind-to={binding}")).succeeds();
        assert!(outcome.stderr.contains(why), "{outcome}");
        assert!(masks(&outcome).iter().all(|mask| mask.len() >= all), "{outcome}");
    }
}

#[test]
fn the_environment_decides_as_well_and_a_word_that_makes_no_sense_is_named() {
    let run = support::run(&program()).ranks(1).option("--report-bindings");
    let outcome = run.clone().env("FTMPI_BIND_TO", "core").succeeds();
    assert!(outcome.stderr.contains("rank 0 is bound to socket"), "{outcome}");
    let refused = run.clone().option("--bind-to=coer").fails_with(2);
    let words = "--bind-to is `auto`, `none`, `core` or `hwthread`, not `coer`";
    assert!(refused.stderr.contains(words), "{refused}");
    run.option("--bind-to=socket:overload-allowed").succeeds();
}
