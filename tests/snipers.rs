//! Processes of ranks are killed from outside, at any instruction of whatever they are doing: in a
//! send, a receive, a collective call, a wake-up. The others go on, whatever a call that succeeded
//! has written is right, and nothing is lost for ever that processes share.
//!
//! | variable | meaning |
//! |---|---|
//! | `FTMPI_SNIPER_KILLS=10000` | the long form goes on until so many have been killed |
//! | `FTMPI_SNIPER_SEED=7` | begins with this seed: that of a job that failed |
//!
//!     cargo test --release --test snipers -- --ignored --nocapture

use std::time::Instant;
use support::{Outcome, Program};

struct Job {
    mode: &'static str,
    messages: &'static str,
    ranks: usize,
    /// As many as ranks, or fewer, which they share.
    processes: usize,
    kills: usize,
}

const fn job_of(
    mode: &'static str, messages: &'static str, (ranks, processes): (usize, usize), kills: usize,
) -> Job {
    Job { mode, messages, ranks, processes, kills }
}

/// With REBUILD, as many may die as the test has time for; otherwise all but a few.
const JOBS: [Job; 12] = [
    job_of("rebuild", "noop", (4, 4), 60),
    job_of("rebuild", "noop", (7, 3), 60),
    job_of("shrink", "noop", (9, 9), 6),
    job_of("shrink", "noop", (9, 5), 3),
    job_of("rebuild", "cont", (7, 7), 60),
    job_of("rebuild", "cont", (5, 2), 60),
    job_of("ulfm", "noop", (8, 8), 5),
    job_of("ulfm", "noop", (16, 6), 4),
    job_of("rebuild", "noop", (3, 3), 60),
    job_of("rebuild", "noop", (12, 4), 60),
    job_of("shrink", "cont", (6, 6), 4),
    job_of("shrink", "cont", (12, 6), 3),
];

/// Up to so many microseconds between two deaths: less than a recovery takes, or much more.
const GAPS: [usize; 3] = [4_000, 12_000, 40_000];

fn number(variable: &str) -> Option<usize> {
    std::env::var(variable).ok().map(|text| text.parse().expect("a number"))
}

/// The numbers of each line that begins like this; there is one.
fn numbers(seen: &Outcome, start: &str) -> Vec<Vec<i64>> {
    let lines = seen.stdout.lines().filter(|line| line.starts_with(start));
    let of_line =
        |line: &str| line.split([' ', ',', ':']).filter_map(|it| it.parse().ok()).collect();
    let all: Vec<Vec<i64>> = lines.map(of_line).collect();
    assert!(!all.is_empty(), "no line `{start}`: {seen}");
    all
}

/// One job: how many have been killed.
fn job(sniper: &Program, storm: &Program, job: &Job, seed: usize) -> usize {
    let Job { mode, messages, ranks, processes, kills } = *job;
    let gap = GAPS[seed % GAPS.len()];
    // The first ranks are in the first process, and longer ones come first.
    let (process, each, longer) = (seed % processes, ranks / processes, ranks % processes);
    let spared = process * each + process.min(longer);
    let calm = support::fresh_directory("sniper").join("calm");
    println!(
        "seed {seed}: {ranks} ranks, {processes} processes, {mode}, {messages}, up to {gap} µs \
         between deaths"
    );
    let words = [kills, gap, spared, seed].map(|number| number.to_string());
    let run = support::command(sniper.path()).args(words).args([&calm]);
    let run = run.args([support::ftrun()]).args(["-q", "-np", &ranks.to_string()]);
    let run = run.args([format!("--processes={processes}")]);
    let run = run.args([format!("--mode={mode}")]);
    let run = if mode == "ulfm" { run } else { run.args([format!("--msg={messages}")]) };
    let run = run.args([storm.path()]).args([mode, messages, "0", &seed.to_string()]).args([&calm]);
    let seen = run.deadline(120).succeeds();
    for left in numbers(&seen, "left:") {
        let [messages, files, mappings] = left[..] else { panic!("{seen}") };
        // Ways to others are mapped at their first message, whatever dies.
        let usual = 25 + kills as i64 / 2;
        assert!(messages == 0 && files <= 0 && mappings < usual, "{seen}");
    }
    let open = &numbers(&seen, "open:")[0];
    // Half of the deaths lie in between; with few of them, nothing can be told.
    assert!(kills < 20 || open[1] < open[0] + kills as i64 / 4, "{seen}");
    assert_eq!(numbers(&seen, "orphans:"), [[0]], "{seen}");
    let shared = std::fs::read_dir("/dev/shm").expect("it is there").flatten();
    let shared = shared.filter(|entry| entry.file_name().to_string_lossy().contains("ftmpi"));
    assert_eq!(shared.count(), 0, "{seen}");
    print!("{}", seen.stdout);
    numbers(&seen, "killed:")[0][0] as usize
}

fn storm(wanted: usize) {
    let sniper = support::c("sniper.c").flags(&["-O2", "-Wall"]).without_mpi().build();
    let storm = support::c("storm.c").flags(&["-O2", "-g", "-Iinclude"]).build();
    let first = number("FTMPI_SNIPER_SEED").unwrap_or(1);
    let (mut killed, mut jobs, began) = (0, 0, Instant::now());
    while killed < wanted || jobs < JOBS.len() {
        let seed = first + jobs;
        killed += job(&sniper, &storm, &JOBS[seed % JOBS.len()], seed);
        jobs += 1;
    }
    println!("{killed} killed in {jobs} jobs, {:.0} s", began.elapsed().as_secs_f64());
}

#[test]
fn whoever_is_killed_amid_a_call_leaves_the_others_unharmed() {
    storm(1);
}

#[test]
#[ignore = "takes many minutes"]
fn ten_thousand_are_killed_amid_calls_and_nothing_is_lost_for_ever() {
    storm(number("FTMPI_SNIPER_KILLS").unwrap_or(10_000));
}
