//! What is said about failures: one line on stderr each, and with `--report` one line of JSON.

use std::collections::BTreeMap;
use std::path::PathBuf;
use support::{Outcome, Program, Run};

fn program() -> Program {
    support::c("kills.c").flags(&["-O1", "-Wall"]).build()
}

/// The fields of one line, which is an object of JSON without objects in it: strings without their
/// quotes, everything else as it is written.
fn fields(line: &str) -> BTreeMap<String, String> {
    let mut rest = line.strip_prefix('{').expect("an object begins");
    let mut fields = BTreeMap::new();
    loop {
        let (name, after) = value(rest);
        let (value, after) = value(after.strip_prefix(':').expect("a name has a value"));
        assert!(fields.insert(name, value).is_none(), "a name comes once: {line}");
        match after.strip_prefix(',') {
            Some(next) => rest = next,
            None => {
                assert_eq!(after, "}", "{line}");
                return fields;
            }
        }
    }
}

fn value(text: &str) -> (String, &str) {
    let Some(inside) = text.strip_prefix('"') else {
        let end = text.find([',', '}']).expect("a value ends");
        let word = &text[..end];
        assert!(word == "null" || word.parse::<u64>().is_ok(), "{word} is no value");
        return (word.to_string(), &text[end..]);
    };
    let (mut read, mut is_escaped) = (String::new(), false);
    for (place, c) in inside.char_indices() {
        match c {
            _ if is_escaped => {
                assert!("\"\\nt".contains(c), "an escape of JSON");
                read.push(c);
                is_escaped = false;
            }
            '\\' => is_escaped = true,
            '"' => return (read, &inside[place + 1..]),
            c => {
                assert!(c >= ' ', "no raw control characters");
                read.push(c);
            }
        }
    }
    panic!("a string ends: {text}")
}

fn run(case: &str, kills: &[&str]) -> (Run, PathBuf) {
    let file = support::fresh_directory("reports").join("a \"report\"");
    let mut run = support::run(&program()).ranks(4).args([case]);
    run = run.option(format!("--report={}", file.display()));
    for kill in kills {
        run = run.option(format!("--kill={kill}"));
    }
    (run, file)
}

fn lines(file: &PathBuf) -> Vec<BTreeMap<String, String>> {
    std::fs::read_to_string(file).expect("the report is there").lines().map(fields).collect()
}

/// The lines in which ftrun speaks of a failure.
fn said(seen: &Outcome) -> usize {
    let is_one = |line: &&str| line.starts_with("ftrun: rank ") && line.contains(" was killed ");
    seen.stderr.lines().filter(is_one).count()
}

#[test]
fn every_failure_is_one_line_of_json() {
    let (run, file) = run("stuck", &["1@20ms", "2@60ms"]);
    let seen = run.option("--on-failure=continue").fails_with(137);
    let lines = lines(&file);
    assert_eq!((lines.len(), said(&seen)), (2, 2), "{lines:?}\n{seen}");
    // In the order of their ends, which is not that of the orders where the machine was slow.
    let of = |rank: &str| lines.iter().find(|line| line["rank"] == rank).expect("its line");
    for (line, rank, when) in [(of("1"), "1", "20ms"), (of("2"), "2", "60ms")] {
        for (name, value) in [
            ("rank", rank),
            ("incarnation", "0"),
            ("cause", "SIGKILL"),
            ("ordered", when),
            ("noticed_by", "host"),
            ("mode", "continue"),
            ("outcome", "others went on"),
            ("generation", "null"),
            ("total_us", "null"),
        ] {
            assert_eq!(line[name], value, "{name}: {line:?}");
        }
        assert!(line["words"].contains("was killed (SIGKILL)"), "{line:?}");
        let number = |name: &str| line[name].parse::<u64>().unwrap_or_else(|_| panic!("{name}"));
        assert!(number("at_us") > 1000 * (number("rank") * 40 - 25), "{line:?}");
        assert!(number("detection_us") <= number("last_notice_us"), "{line:?}");
        assert!(number("first_notice_us") <= number("last_notice_us"), "{line:?}");
    }
}

#[test]
fn a_failure_that_was_recovered_from_has_all_its_times_in_order() {
    let program = support::c("rebuild.c").flags(&["-O1"]).build();
    let file = support::fresh_directory("recovered").join("report");
    let run = support::run(&program).ranks(4).args(["3", "1"]).deadline(60);
    let run = run.option("--mode=rebuild").option(format!("--report={}", file.display()));
    run.succeeds();
    let lines = lines(&file);
    assert_eq!(lines.len(), 3, "{lines:?}");
    for (line, generation) in lines.iter().zip(1..) {
        assert_eq!(line["mode"], "rebuild", "{line:?}");
        assert_eq!(line["outcome"], "recovered", "{line:?}");
        assert_eq!(line["generation"], generation.to_string(), "{line:?}");
        let number = |name: &str| line[name].parse::<u64>().unwrap_or_else(|_| panic!("{name}"));
        assert!(number("detection_us") <= number("agreement_us"), "{line:?}");
        assert!(number("agreement_us") <= number("respawn_us"), "{line:?}");
        assert!(number("respawn_us") <= number("total_us"), "{line:?}");
    }
}

#[test]
fn a_job_that_ends_by_a_failure_has_its_line_all_the_same() {
    let (run, file) = run("messages", &["0@MPI_Send:2"]);
    let seen = run.option("--on-failure=end").fails_with(137);
    let lines = lines(&file);
    assert_eq!((lines.len(), said(&seen)), (1, 1), "{lines:?}\n{seen}");
    assert_eq!(lines[0]["outcome"], "job ended");
    assert_eq!(lines[0]["ordered"], "before:MPI_Send:2");
}

#[test]
fn a_job_without_failures_has_an_empty_report() {
    let (run, file) = run("messages", &[]);
    run.succeeds();
    assert_eq!(lines(&file).len(), 0);
}

#[test]
fn a_quiet_job_says_nothing_of_failures_that_it_survives() {
    let (run, file) = run("stuck", &["1@20ms", "3@20ms"]);
    let seen = run.option("--on-failure=continue").option("-q").fails_with(137);
    assert_eq!(seen.stderr, "");
    assert_eq!(lines(&file).len(), 2);
}

#[test]
fn a_command_line_that_is_refused_costs_no_older_report_and_leaves_no_new_one() {
    let directory = support::fresh_directory("reports");
    let (old, new) = (directory.join("old"), directory.join("new"));
    std::fs::write(&old, "what was reported").expect("it can be written");
    for (kind, file) in ["report", "record", "trace"].iter().flat_map(|k| [(k, &old), (k, &new)]) {
        let run = support::run(&program()).ranks(2);
        let run = run.option(format!("--{kind}={}", file.display())).option("--no-such-option");
        assert_eq!(run.outcome().status, Some(2));
    }
    assert_eq!(std::fs::read_to_string(&old).expect("it is there"), "what was reported");
    assert!(!new.exists());
}

#[test]
fn a_report_that_cannot_be_written_is_refused() {
    let run = support::run(&program()).ranks(2).option("--report=/no/such/directory/report");
    let seen = run.fails_with(2);
    assert!(seen.stderr.contains("cannot write --report /no/such/directory/report: No such"));
}

#[test]
fn a_trace_in_json_is_a_timeline_of_all_calls() {
    let file = support::fresh_directory("reports").join("calls.json");
    let program = support::c("c_examples/rebuild.c").flags(&["-O2"]).build();
    let run = support::run(&program).ranks(4).args(["20"]).option("--mode=rebuild");
    let run = run.option("--kill=3@inside:MPI_Allreduce:20");
    run.option(format!("--trace={}", file.display())).succeeds();
    let text = std::fs::read_to_string(&file).expect("it is written");
    let events: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let events = events.as_array().expect("an array");
    let of = |rank: u64| events.iter().filter(move |event| event["tid"] == rank);
    for rank in 0..4 {
        // One call after another.
        let mut ended = 0.0;
        for call in of(rank).filter(|event| event["ph"] == "X") {
            let begun = call["ts"].as_f64().expect("a time");
            assert!(begun + 0.01 >= ended, "{call} begins before {ended}");
            ended = begun + call["dur"].as_f64().expect("a time");
        }
        assert!(of(rank).any(|event| event["name"] == "MPI_Allreduce"), "{rank}");
        assert!(of(rank).any(|event| event["name"] == "generation 1"), "{rank}");
        // The call that recovers goes on after that, to its end.
        let cut = of(rank).filter(|event| event["args"]["class"] == -1).count();
        assert_eq!(cut, usize::from(rank == 3), "{rank}: {text}");
    }
    assert_eq!(of(3).filter(|event| event["name"] == "death: SIGKILL").count(), 1);
    let table = support::fresh_directory("reports").join("calls.csv");
    let run = support::run(&program).ranks(2).args(["2"]).option("--mode=rebuild");
    run.option(format!("--trace={}", table.display())).succeeds();
    let text = std::fs::read_to_string(&table).expect("it is written");
    assert!(text.starts_with("rank,life,what,begin_ns,end_ns,class\n"), "{text}");
    assert!(text.lines().any(|line| line.starts_with("1,0,\"MPI_Finalize\",")), "{text}");
}

#[test]
fn a_trace_tells_calls_with_places_steps_and_outcomes() {
    let file = support::fresh_directory("reports").join("calls");
    let program = support::c("c_examples/rebuild.c").flags(&["-O2"]).build();
    let run = support::run(&program).ranks(4).args(["20"]).option("--mode=rebuild");
    let run = run.option("--kill=3@inside:MPI_Allreduce:20").option("--seed=1");
    run.option(format!("--trace={}", file.display())).succeeds();
    let text = std::fs::read_to_string(&file).expect("it is written");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "job 4 ft:rebuild:noop:non-atomic:manual");
    assert!(lines[1].starts_with("at 0 /") && lines[1].contains("+0x"), "{}", lines[1]);
    assert_eq!(lines.iter().filter(|line| **line == "death 3 0 SIGKILL").count(), 1);
    let calls = |who: &str| lines.iter().filter(|line| line.starts_with(who)).count();
    assert_eq!(calls("call 0 0 "), calls("done 0 0 "), "each call of a survivor ends");
    assert_eq!(calls("call 3 0 "), calls("done 3 0 ") + 1, "the last one of the dead does not");
    assert_eq!(calls("call 3 1 MPI_Init"), 1, "its replacement begins");
    assert!(lines.contains(&"done 0 0 16"), "a survivor hears of it");
    assert!(lines.last().is_some_and(|line| line.starts_with("end ")));
}
