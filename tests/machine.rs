//! Ranks on a machine that nobody could buy: where they sit, who fails with which node, and who
//! takes a spare one.

use std::path::{Path, PathBuf};
use std::process::Command;
use support::{Outcome, Program, Run};

/// Five by four nodes, of which those at the end of each row are spares.
const LAB: &str = "\
[machine]
name = \"lab\"
topology = \"mesh\"
dims = [5, 4]
[spares]
alloc = \"2D(1,1)\"
substitute = [\"1D\", \"0D\"]
";

fn machine(test: &str, faults: &str) -> (PathBuf, PathBuf) {
    let directory = support::fresh_directory(test);
    let (file, report) = (directory.join("lab.toml"), directory.join("report"));
    std::fs::write(&file, format!("{LAB}{faults}")).expect("there is room");
    (file, report)
}

fn places() -> Program {
    support::c("machine.c").flags(&["-O1", "-Wall"]).build()
}

/// Sixteen ranks, on all nodes that are no spares.
fn run(program: &Program, (file, report): &(PathBuf, PathBuf), mode: &str) -> Run {
    let run = support::run(program).ranks(16).option(format!("--mode={mode}"));
    let run = run.option(format!("--machine={}", file.display()));
    run.option(format!("--report={}", report.display()))
}

/// What follows `"name":` in a line of the report.
fn field<'a>(line: &'a str, name: &str) -> &'a str {
    let (_, rest) = line.split_once(&format!("\"{name}\":")).unwrap_or_else(|| panic!("{line}"));
    let end = if rest.starts_with("[[") {
        rest.find("]]").map(|at| at + 2)
    } else {
        rest.find([',', '}'])
    };
    &rest[..end.expect("a value ends")]
}

fn has(seen: &Outcome, line: &str) -> bool {
    seen.stdout.lines().any(|other| other == line)
}

#[test]
fn whoever_dies_comes_back_on_a_spare_node_and_those_between_move_on() {
    for kind in support::kinds() {
        let files = machine(&format!("chain-{kind}"), "");
        let run = run(&places(), &files, "rebuild").carried_by(kind);
        let seen = run.option("--kill=6@MPI_Barrier").succeeds();
        // A process that is killed does not print what it holds.
        let is_printed = *kind == "process" || has(&seen, "first: rank 6 at lab:2,1");
        assert!(is_printed, "{seen}");
        for line in [
            "first: rank 7 at lab:3,1",
            "again: rank 6 at lab:3,1",
            "then: rank 6 at lab:3,1",
            "then: rank 7 at lab:4,1",
            "then: rank 8 at lab:0,2",
        ] {
            assert!(has(&seen, line), "{line}: {seen}");
        }
        let said = "ftrun: rank 6 continues on node lab:3,1 (1D, 1 others move); messages that \
                    collide: 0, now ";
        assert!(seen.stderr.contains(said), "{seen}");
        let report = std::fs::read_to_string(&files.1).expect("it was written");
        assert_eq!(report.lines().count(), 1, "{report}");
        assert_eq!(field(&report, "node"), "7");
        assert_eq!(field(&report, "substitution"), "\"1D\"");
        assert_eq!(field(&report, "moves"), "[[6,7,8],[7,8,9]]");
        assert_eq!(field(&report, "collisions_before"), "0");
        assert_ne!(field(&report, "collisions_after"), "0");
    }
}

#[test]
fn of_ranks_that_die_together_none_goes_to_a_node_that_failed() {
    let files = machine("together", "");
    let mut run = run(&places(), &files, "rebuild");
    for rank in [5, 6, 7] {
        run = run.option(format!("--kill={rank}@MPI_Barrier"));
    }
    let seen = run.succeeds();
    for rank in [5, 6, 7] {
        let at = |line: &&str| line.starts_with(&format!("again: rank {rank} at "));
        let node = seen.stdout.lines().find(at).unwrap_or_else(|| panic!("{seen}"));
        for failed in ["lab:1,1", "lab:2,1", "lab:3,1"] {
            assert!(!node.ends_with(failed), "{seen}");
        }
    }
}

#[test]
fn where_the_others_close_ranks_nobody_moves() {
    let files = machine("shrink", "");
    let seen = run(&places(), &files, "shrink").option("--kill=6@MPI_Barrier").succeeds();
    assert!(has(&seen, "then: rank 6 at lab:3,1"), "rank 7 of before, where it was: {seen}");
    let report = std::fs::read_to_string(&files.1).expect("it was written");
    assert_eq!(field(&report, "node"), "7");
    assert!(!report.contains("moves"), "{report}");
}

/// A program that goes on for as long as the failures come.
fn pcg() -> Program {
    support::c("c_examples/pcg.c").flags(&["-O2"]).build()
}

const FAULTS: &str = "\
[faults]
seed = 3
schedule = [
    { at = \"5ms\", nodes = \"6\" },
    { at = \"9ms\", nodes = \"4 12\" },
    { at = \"12ms\", nodes = \"19\" },
    { at = \"21ms\", nodes = \"random 1 of box 0,0..2,2\" },
    { mttf = \"60ms\" },
]
";

fn solve(files: &(PathBuf, PathBuf)) -> Outcome {
    let run = run(&pcg(), files, "rebuild").option("--seed=1").option("--time-scale=2");
    let words = "--poisson 7 --order 4096 --iterations 60 --scheme rs:3 --every 10";
    run.args(words.split(' ')).deadline(120).succeeds()
}

/// Times in microseconds and nodes, as the simulator tells them of the same machine.
fn simulated(file: &Path) -> Vec<(u64, u64)> {
    let deaths = file.with_extension("deaths");
    let done = Command::new(support::tool("ftsim"))
        .args(["max", "--quiet", "--tick=1us", "--ticks=1000000"])
        .args(["--machine".as_ref(), file.as_os_str()])
        .args(["--deaths".as_ref(), deaths.as_os_str()])
        .output()
        .expect("it runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let text = std::fs::read_to_string(deaths).expect("it was written");
    let number = |word: &str| word.parse().unwrap_or_else(|_| panic!("{text}"));
    let pair = |line: &str| {
        let (tick, node) = line.split_once(' ').expect("tick and node");
        (number(tick), number(node))
    };
    text.lines().map(pair).collect()
}

#[test]
fn a_solver_on_a_failing_machine_loses_the_nodes_that_the_simulator_loses() {
    let files = machine("schedule", FAULTS);
    let seen = solve(&files);
    let residual = seen.stdout.split("residual ").nth(1).expect("it is told");
    let size: f64 = residual.split(' ').next().expect("a number").parse().expect("a number");
    assert!(size < 1e-10, "{seen}");
    let report = std::fs::read_to_string(&files.1).expect("it was written");
    let mut failed = Vec::new();
    for line in report.lines() {
        let number = |name| field(line, name).parse::<u64>().unwrap_or_else(|_| panic!("{line}"));
        failed.push((number("at_us"), number("node")));
        if field(line, "rank") != "null" {
            assert!(line.contains("as planned for node lab:"), "{line}");
            assert!(line.contains("\"substitution\""), "{line}");
        }
    }
    assert!(failed.len() >= 5, "{report}");
    let expected = simulated(&files.0);
    // Of nodes that fail at one time either rank may be the first to die.
    let mut rest = &mut failed[..];
    for together in expected.chunk_by(|one, other| one.0 == other.0) {
        let (these, others) = rest.split_at_mut(together.len().min(rest.len()));
        these.sort_by_key(|(_, node)| *node);
        rest = others;
    }
    // A node that was repaired for want of spares is another one to the simulator.
    for ((at, node), (tick, other)) in failed.iter().zip(&expected) {
        assert_eq!(node, other, "{report}{expected:?}");
        let late = at.checked_sub(2 * tick).unwrap_or_else(|| panic!("{report}{expected:?}"));
        assert!(late < 2000, "{at} us for twice {tick} us:\n{report}");
    }
    let again = machine("schedule-again", FAULTS);
    let second = solve(&again);
    assert_eq!(seen.stdout, second.stdout);
    assert_eq!(report, std::fs::read_to_string(&again.1).expect("it was written"));
}

/// Goes on until a rank dies, and recovers.
const ONE_RECOVERY: &str = r#"
    #include <mpi.h>
    int main(int argc, char **argv)
    {
        MPI_Comm whole;
        int is_fresh = MPI_Init(&argc, &argv) == MPI_INIT_RESTARTED_PROCS;
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        while (!is_fresh && MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS)
            ;
        while (!is_fresh && MPI_Comm_dup(MPI_COMM_WORLD, &whole) != MPI_SUCCESS)
            ;
        return MPI_Finalize();
    }
"#;

#[test]
fn a_node_that_fails_takes_its_rank_along_and_a_spare_node_nobody() {
    let program = support::c_text("one_recovery", ONE_RECOVERY).build();
    let faults = "[faults]\nschedule = [\n    { at = \"200ms\", nodes = \"19\" },\n    \
                  { at = \"400ms\", nodes = \"6\" },\n]\n";
    let files = machine("nodes", faults);
    let seen = run(&program, &files, "rebuild").succeeds();
    let words = "as planned for node lab:1,1 at 400ms";
    assert!(seen.stderr.contains("rank 5 was killed") && seen.stderr.contains(words), "{seen}");
    let report = std::fs::read_to_string(&files.1).expect("it was written");
    let [spare, of_rank] = report.lines().collect::<Vec<_>>()[..] else { panic!("{report}") };
    assert_eq!((field(spare, "rank"), field(spare, "node")), ("null", "19"));
    assert_eq!((field(of_rank, "rank"), field(of_rank, "node")), ("5", "6"));
    assert!(field(spare, "at_us").parse::<u64>().is_ok_and(|at| at >= 200_000), "{report}");
    assert!(field(of_rank, "at_us").parse::<u64>().is_ok_and(|at| at >= 400_000), "{report}");
    assert_eq!(field(of_rank, "outcome"), "\"recovered\"");
}

#[test]
fn what_cannot_be_is_said_before_anybody_runs() {
    let files = machine("wrong", "[faults]\nmttf = 3\n");
    let seen = run(&places(), &files, "rebuild").fails_with(2);
    assert!(seen.stderr.contains("lab.toml:9: "), "{seen}");
    for (machine, why) in
        [("nix.toml", "nix.toml: No such file or directory"), ("nix.toml", "bluegene-2001")]
    {
        let run = support::run(&places()).ranks(2).option(format!("--machine={machine}"));
        let seen = run.fails_with(2);
        assert!(seen.stderr.contains(why) && seen.stdout.is_empty(), "{seen}");
    }
    let files = self::machine("small", "");
    let run = support::run(&places()).ranks(17);
    let seen = run.option(format!("--machine={}", files.0.display())).fails_with(2);
    assert!(seen.stderr.contains("lab: 17 ranks: there are 16 nodes"), "{seen}");
    let seen = support::run(&places()).ranks(2).option("--time-scale=0").fails_with(2);
    assert!(seen.stderr.contains("`0` is not a factor above 0"), "{seen}");
}

#[test]
fn checkpoints_go_by_the_nodes_that_ranks_sit_on() {
    let text = r#"
        #include <mpi.h>
        #include <signal.h>
        #include <stdio.h>
        #include "ftmpi.h"
        int main(int argc, char **argv) {
            FTCK ck; int rank, version = 0; double x = 1;
            MPI_Init(&argc, &argv);
            MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            FTCK_Create(MPI_COMM_WORLD, "ring", &ck);
            FTCK_Register(ck, 0, &x, 1, MPI_DOUBLE);
            for (;;) {
                int code = FTCK_Restore(ck, &version);
                if (code == FTCK_ERR_LOST) { printf("rank %d: lost\n", rank); break; }
                int next = version == FTCK_NONE ? 1 : version + 1;
                if (code == MPI_SUCCESS) code = FTCK_Checkpoint(ck, next);
                if (code == MPI_SUCCESS && next == 3) { printf("rank %d: safe\n", rank); break; }
                /* First rank 1, then two who are neighbours by their ranks. */
                if (code == MPI_SUCCESS && (rank == 1 || (next == 2 && rank == 2)))
                    raise(SIGKILL);
                while (code == MPI_SUCCESS) code = MPI_Barrier(MPI_COMM_WORLD);
                MPI_Comm repaired = FT_MPI_CHECK_RECOVER;
                while (MPI_Comm_dup(MPI_COMM_WORLD, &repaired) != MPI_SUCCESS)
                    repaired = FT_MPI_CHECK_RECOVER;
                MPI_Comm_free(&repaired);
            }
            fflush(stdout);
            return MPI_Finalize();
        }"#;
    let program = support::c_text("checkpoint_on_nodes", text).build();
    let run = || support::run(&program).ranks(4).option("--mode=rebuild");
    let seen = run().succeeds();
    assert_eq!(seen.lines_with("lost"), 4, "whose copy was with rank 2: {seen}");
    let directory = support::fresh_directory("checkpoint-on-nodes");
    let file = directory.join("row.toml");
    let row = "[machine]\nname = \"row\"\ntopology = \"mesh\"\ndims = [5]\n";
    std::fs::write(&file, row).expect("there is room");
    let seen = run().option(format!("--machine={}", file.display())).succeeds();
    assert_eq!(seen.lines_with("safe"), 4, "rank 1 sits beside rank 3 and rank 0 now: {seen}");
}

#[test]
fn a_rack_that_fails_takes_no_copy_along_with_the_data() {
    let program = support::c("checkpoint.c").flags(&["-O1", "-lm"]).build();
    let directory = support::fresh_directory("checkpoint-in-racks");
    let run = |rack: &str, victims: &[&str]| {
        let file = directory.join(format!("row{}.toml", rack.len()));
        let row = format!("[machine]\nname = \"row\"\ntopology = \"mesh\"\ndims = [6]\n{rack}");
        std::fs::write(&file, row).expect("there is room");
        let run = support::run(&program).ranks(4).option("--mode=rebuild");
        let run = run.option(format!("--machine={}", file.display()));
        run.args([&["ring", "30", "10", "0", "10"], victims].concat()).succeeds()
    };
    let expected = run("", &[]).stdout;
    let both = &["2@15", "3@15"];
    let seen = run("", both);
    assert_eq!(
        seen.lines_with("the data of rank 2 is lost"),
        4,
        "its copy was with rank 3: {seen}"
    );
    let seen = run("rack = [2]\n", both);
    assert_eq!(seen.stdout, expected, "no copy was in the same rack: {seen}");
}
