//! The tools interface: all of it is walked over by a C program, variables are held against known
//! traffic, and docs/TOOLS.md names what there is.

use std::collections::BTreeSet;
use support::{Outcome, Program};

fn build() -> Program {
    support::c("tools.c").flags(&["-O1", "-Wall", "-pthread"]).build()
}

fn passes(case: &str) {
    for ranks in ["thread", "fiber"] {
        let kind = format!("--ranks={ranks}");
        support::run(&build()).ranks(2).option(kind).args([case]).succeeds();
    }
}

fn walked() -> Outcome {
    support::run(&build()).ranks(2).args(["walk"]).succeeds()
}

#[test]
fn every_variable_and_category_is_described_and_wrong_uses_are_told() {
    walked();
    // Ranks are independent programs, and so is one without a launcher.
    support::command(build().path()).args(["walk"]).succeeds();
}

#[test]
fn queues_and_counts_hold_what_was_sent() {
    passes("queues");
}

#[test]
fn a_lower_eager_limit_moves_messages_to_the_rendezvous() {
    passes("limits");
    support::run(&build()).ranks(2).env("FTMPI_CORES", "4").args(["limits"]).succeeds();
}

#[test]
fn options_are_readable_and_some_can_be_changed() {
    let options = ["--mode=shrink", "--msg=cont", "--coll=atomic", "--patience=2.5", "--heap=2G"];
    let more = ["--leftovers", "--deadlock=off", "--kill=1@before:MPI_Send:1000"];
    let run = support::run(&build()).ranks(2);
    let run = options.iter().chain(&more).fold(run, |run, option| run.option(option));
    let outcome = run.args(["options"]).succeeds();
    assert!(!outcome.stderr.contains("leaves behind"), "it was turned off\n{outcome}");
    let run = support::run(&build()).ranks(2).option("--on-failure=continue");
    run.args(["without-modes"]).succeeds();
}

#[test]
fn events_are_heard_of_in_order_and_what_is_dropped_is_counted() {
    passes("events");
}

#[test]
fn failures_and_recoveries_are_heard_of_and_counted() {
    for ranks in ["thread", "fiber"] {
        let kind = format!("--ranks={ranks}");
        let run = support::run(&build()).ranks(4).option(kind).option("--mode=rebuild");
        let outcome = run.option("--kill=1@before:MPI_Allreduce:5").args(["failures"]).succeeds();
        assert_eq!(outcome.lines_with("recovered"), 4, "{outcome}");
    }
}

/// The names in the first column of the tables of docs/TOOLS.md, below the heading of each.
fn documented(heading: &str) -> BTreeSet<String> {
    let path = support::root().join("docs/TOOLS.md");
    let text = std::fs::read_to_string(path).expect("the page is there");
    let from = text.split_once(&format!("## {heading}\n")).expect("there is such a heading").1;
    let section = from.split("\n## ").next().expect("something comes first");
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.filter_map(|row| row.split_once('`')).map(|(name, _)| name.to_string()).collect()
}

#[test]
fn the_page_names_what_there_is() {
    let seen = walked();
    let told = |sort: &str| -> BTreeSet<String> {
        let start = format!("{sort} ");
        let names = seen.stdout.lines().filter_map(|line| line.strip_prefix(&start));
        names.map(str::to_string).collect()
    };
    for (heading, sort) in [
        ("Control variables", "cvar"),
        ("Performance variables", "pvar"),
        ("Categories", "category"),
    ] {
        assert_eq!(documented(heading), told(sort), "{heading}: the page, and the library");
    }
    let events = support::run(&build()).ranks(2).args(["events"]).succeeds();
    let names = events.stdout.lines().filter_map(|line| line.strip_prefix("event "));
    let names: BTreeSet<String> = names.map(str::to_string).collect();
    assert_eq!(documented("Events"), names, "events: the page, and the library");
}
