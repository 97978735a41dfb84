//! Sizes and speeds of the simulators, each beside what is to be reached; SimGrid beside them where
//! it does the same. `--help` says how.

use ftmpi_base::random::Random;
use ftmpi_machine::Model;
use ftmpi_sim::bluegene::apps::LineBroadcast;
use ftmpi_sim::bluegene::{Emulator, Setup};
use ftmpi_sim::events::{Note, Post, Shard, Simulation, THE_MACHINE};
use ftmpi_sim::spares::sample::sample;
use ftmpi_sim::spares::study;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

const HELP: &str = "\
Measures the simulators beside what they are to reach, and beside SimGrid.

usage: cargo bench -p ftmpi_sim -- [--vast] [--write]

  --vast    also the maximum of 134 million nodes: a gigabyte, and some minutes
  --write   puts the table into docs/BENCHMARKS.md

SimGrid is measured if its headers are there (apt-get install libsimgrid-dev). The figures mean
something only while the machine has nothing else to do.";

fn main() -> ExitCode {
    // Cargo adds a word of its own.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let is_asked = |name: &str| words.iter().any(|word| word == name);
    if let Some(word) = words.iter().find(|word| !["--vast", "--write"].contains(&word.as_str())) {
        println!("{HELP}");
        return ExitCode::from(if word == "--help" { 0 } else { 2 });
    }
    let mut rows = vec![
        row("events in order, all one tick ahead", events(0), "at least 30", "million/s a core"),
        row("events in order, 1 to 8 ticks ahead", events(7), "", "million/s a core"),
        row("line broadcast, 34 x 34 x 36", line_broadcast(), "at most 5", "ms"),
        row("41,616 nodes x 200 threads", peak_of_line(), "at most 64", "MB"),
        row("spares, 24³ to exhaustion", case_of_spares(), "at most 3", "ms a case"),
        row("spares, 3.7 million failures", sampled_spares(), "seconds", "s"),
    ];
    if is_asked("--vast") {
        let (seconds, megabytes) = vast();
        rows.push(row("maximum of 134,217,728 nodes", seconds, "found", "s"));
        rows.push(row("the same: memory", megabytes, "at most 24,000", "MB"));
    }
    match simgrid() {
        Some(built) => rows.extend(beside(&built)),
        None => eprintln!("no SimGrid: apt-get install libsimgrid-dev"),
    }
    let head = "| measured | here | to reach | SimGrid 3.32 | unit |\n|---|---|---|---|---|\n";
    let table = format!("{head}{}", rows.join("\n"));
    println!("{table}");
    if is_asked("--write") {
        write_page(&table);
    }
    ExitCode::SUCCESS
}

fn row(what: &str, here: f64, reach: &str, unit: &str) -> String {
    format!("| {what} | {} | {reach} | | {unit} |", short(here))
}

fn short(value: f64) -> String {
    match value {
        v if v >= 100.0 => format!("{v:.0}"),
        v if v >= 10.0 => format!("{v:.1}"),
        v => format!("{v:.3}"),
    }
}

fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn write_page(table: &str) {
    let path = top().join("docs/BENCHMARKS.md");
    let text = std::fs::read_to_string(&path).expect("the page is there");
    let marks = ["<!-- measured: machines -->\n", "<!-- end of machines -->\n"];
    let (before, rest) = text.split_once(marks[0]).expect("it has a place for this table");
    let (_, after) = rest.split_once(marks[1]).expect("what begins ends");
    let text = [before, marks[0], "\n", table, "\n\n", marks[1], after].concat();
    std::fs::write(path, text).expect("the page is writable");
}

/// How long this thread has had a core, in seconds: what else the machine does does not count.
fn worked() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux tells");
    let nanos: f64 = text.split(' ').next().and_then(|word| word.parse().ok()).expect("a number");
    nanos / 1e9
}

/// Nodes that pass on whatever they hear to somebody.
struct Tokens {
    nodes: u32,
    spread: u64,
}

impl Shard for Tokens {
    type What = u32;

    #[inline]
    fn hear(&mut self, now: u64, to: u32, notes: &[Note<u32>], post: &mut Post<'_, u32>) {
        for note in notes {
            let mixed = (u64::from(note.what) << 32 | now) ^ u64::from(to);
            let mixed = mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let other = (((mixed >> 32) * u64::from(self.nodes)) >> 32) as u32;
            post.send(other, 1 + (mixed & self.spread), note.what);
        }
    }
}

/// Millions of messages a second, of so many tokens that go round so often; the best of five.
fn passed(nodes: u32, tokens: u32, spread: u64, ticks: u64) -> f64 {
    let mut simulation = Simulation::new(nodes, 1, |_| Tokens { nodes, spread });
    let mut random = Random::new(1);
    for token in 0..tokens {
        let node = random.below(u64::from(nodes)) as u32;
        simulation.enter(0, node, THE_MACHINE, token);
    }
    let best = (1..=5u64).map(|round| {
        let before = (simulation.heard(), worked());
        simulation.run_until(round * ticks);
        (simulation.heard() - before.0) as f64 / (worked() - before.1)
    });
    best.fold(0.0, f64::max) / 1e6
}

fn events(spread: u64) -> f64 {
    passed(100_000, 1_000_000, spread, 10 * (1 + spread))
}

/// Milliseconds.
fn line_broadcast() -> f64 {
    let model = Model::known("bluegene-2001").expect("it comes along");
    let setup = Setup::new(&model, 100).expect("it is a mesh");
    let times = (0..20).map(|_| {
        let mut emulator = Emulator::new(setup.clone(), LineBroadcast, 1);
        let before = worked();
        assert_eq!(emulator.run().expect("it makes no mistake").time_ns, 110_080.0);
        worked() - before
    });
    // The clock of the scheduler ticks too seldom for one of them alone.
    times.sum::<f64>() / 20.0 * 1e3
}

/// The most memory of a process that emulates the paper's machine, in megabytes.
fn peak_of_line() -> f64 {
    // Its report finds no room in this pipe: the child is there until its memory has been seen.
    let (mut reports, mut full) = std::io::pipe().expect("there is a pipe");
    full.write_all(&[b' '; 65_536]).expect("so much fits into a pipe");
    let mut child = Command::new(env!("CARGO_BIN_EXE_ftbg"))
        .arg("line")
        .stdout(full)
        .stderr(Stdio::piped())
        .spawn()
        .expect("it can be started");
    let mut said = String::new();
    let stderr = child.stderr.take().expect("it is piped");
    BufReader::new(stderr).read_line(&mut said).expect("it says how long it took");
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id()));
    let status = status.expect("it waits for room");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("Linux tells");
    let kilobytes: f64 =
        line.trim().trim_end_matches(" kB").parse().expect("a number of kilobytes");
    let mut report = String::new();
    reports.read_to_string(&mut report).expect("it ends");
    assert!(child.wait().expect("it is ours").success() && report.contains("41616"), "{report}");
    kilobytes * 1024.0 / 1e6
}

/// Milliseconds.
fn case_of_spares() -> f64 {
    let study = study::study(&[24, 24, 24], "3D(2,1)", "hybrid(all)", None).expect("it fits");
    let before = worked();
    for seed in 0..50 {
        assert_eq!(study.random_case(seed, usize::MAX, false).len(), 1128);
    }
    (worked() - before) / 50.0 * 1e3
}

/// Seconds on all cores.
fn sampled_spares() -> f64 {
    let study = study::study(&[24, 24, 24], "3D(2,1)", "hybrid(all)", None).expect("it fits");
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let began = Instant::now();
    let found = sample(&study, 3281, usize::MAX, 1, cores, false);
    let points: u64 = found.after.iter().map(|after| after.cases).sum();
    assert!(points > 3_700_000, "{points}");
    began.elapsed().as_secs_f64()
}

/// Seconds on all cores, and megabytes.
fn vast() -> (f64, f64) {
    let words = ["max", "--topology", "hashed", "--nodes", "134217728", "--json"];
    let output = Command::new(env!("CARGO_BIN_EXE_ftsim")).args(words).output();
    let output = output.expect("it can be started");
    assert!(String::from_utf8_lossy(&output.stdout).contains("\"unknowing\":0,"));
    let said = String::from_utf8_lossy(&output.stderr);
    let last = said.lines().last().expect("it says how long it took");
    let numbers: Vec<f64> = last.split(' ').filter_map(|word| word.parse().ok()).collect();
    (numbers[0], numbers[1])
}

/// The program for SimGrid, built if it can be.
fn simgrid() -> Option<PathBuf> {
    let built = Path::new(env!("CARGO_TARGET_TMPDIR")).join("simgrid");
    let mut compiler = Command::new("c++");
    compiler.args(["-O2", "-std=c++17", "-o"]).arg(&built);
    compiler.arg(top().join("benches/c/simgrid.cpp")).arg("-lsimgrid");
    let output = compiler.output().ok()?;
    output.status.success().then_some(built)
}

/// What both do. Its actors have stacks: without guards, and small, so that so many fit.
fn beside(built: &Path) -> [String; 2] {
    let run = |words: &[&str]| -> (f64, f64) {
        let mut command = Command::new(built);
        command.args(words).args(["--cfg=contexts/stack-size:32", "--cfg=contexts/guard-size:0"]);
        let output = command.output().expect("it was built");
        let said = String::from_utf8_lossy(&output.stdout);
        let numbers: Vec<f64> =
            said.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        (numbers[0], numbers[1])
    };
    let (heard, seconds) = run(&["10", "10", "10", "100"]);
    let there = short(heard / seconds / 1e6);
    let here = short(passed(1000, 1000, 0, 10_000));
    let tokens = format!("| messages among 1000 hosts | {here} | | {there} | million/s |");
    let (here, there) = (short(line_broadcast()), short(run(&["34", "34", "36"]).1 * 1e3));
    [tokens, format!("| the same line broadcast, both | {here} | | {there} | ms |")]
}
