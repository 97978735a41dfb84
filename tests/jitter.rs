//! Jobs whose threads are stopped at random, one by one: races that come once in a million runs
//! come all the time then. Any test can be run like that, by
//! `FTMPI_JITTER='300 20' cargo test --release --test ulfm`; here are those in which most happens
//! at once. Slowly, `FTMPI_JITTER_SEEDS` times each (or 40), from
//! `FTMPI_JITTER_SEED` on:
//! `cargo test --release --test jitter -- --ignored --nocapture`.

use support::Run;

/// A thread is stopped so often, and for so long at most.
const EVERY_US: u32 = 300;
const LONGEST_MS: u32 = 20;

/// A program and its words; how many ranks; the words for ftrun; what it prints.
type Job = (&'static str, &'static str, usize, &'static str, &'static str);

#[rustfmt::skip]
const JOBS: &[Job] = &[
    ("rebuild.c", "6 1", 5, "--mode=rebuild", "6 rounds, 5 ranks\n"),
    ("rebuild.c", "4 4", 5, "--mode=rebuild", "4 rounds, 5 ranks\n"),
    ("rebuild.c", "3 1", 6, "--mode=rebuild --kill=0@recovery:1 --kill=2@recovery:1:1",
        "3 rounds, 6 ranks\n"),
    ("survive_modes.c", "shrink 0", 6, "--mode=shrink", "rank 5 is left\n"),
    ("survive_modes.c", "blank 3", 6, "--mode=blank", "rank 2 is left\n"),
    ("masterworker.c", "60 3", 7, "--mode=blank --msg=cont", "3 deaths told, all 60 tasks done\n"),
    ("goes_on.c", "", 6, "--mode=rebuild --msg=cont", "6 of 6 go on\n"),
    ("automatic.c", "5", 4, "--mode=rebuild --recovery=auto", "5 rounds\n"),
    ("atomic.c", "", 6, "--mode=shrink --coll=atomic --kill=1@inside:MPI_Bcast:3", "5 live\n"),
    ("rules.c", "healthy", 5, "--mode=rebuild", "healthy: done\n"),
    ("rules.c", "promptly", 6, "--mode=rebuild", "promptly: done\n"),
    ("rules.c", "promptly", 6, "--mode=rebuild --msg=cont", "promptly: done\n"),
    ("rules.c", "again", 5, "--mode=shrink --msg=cont", "again: done\n"),
    ("keeps.c", "record", 7, "--mode=rebuild", "record: done\n"),
    ("keeps.c", "threads", 4, "--mode=rebuild", "threads: done\n"),
    ("keeps.c", "threads", 4, "--mode=rebuild --msg=cont", "threads: done\n"),
    ("keeps.c", "messages", 5, "--mode=rebuild --msg=cont", "messages: done\n"),
    ("keeps.c", "alone", 5, "--mode=rebuild --msg=cont", "alone: done\n"),
    ("ulfm_storm.c", "7", 6, "--mode=ulfm", ""),
    ("ulfm_revoke.c", "siblings", 6, "--mode=ulfm", ""),
    ("ulfm_rules.c", "shrink-down-to-one", 6, "--mode=ulfm", ""),
    ("ulfm_rules.c", "agree", 6, "--mode=ulfm", ""),
];

fn run(job: &Job, seed: u64) {
    let (program, words, ranks, options, said) = *job;
    let program = support::c(program).flags(&["-O1", "-pthread"]).build();
    let run: Run = support::run(&program).ranks(ranks).args(words.split_whitespace());
    let run = options.split_whitespace().fold(run, |run, option| run.option(option));
    let seen = run.option("-q").jittered(EVERY_US, LONGEST_MS, seed).deadline(120).succeeds();
    assert!(said.is_empty() || seen.stdout == said, "{job:?}, seed {seed}\n{seen}");
}

#[test]
fn stopped_threads_change_nothing() {
    for (seed, job) in (1..).zip(JOBS) {
        run(job, seed);
    }
}

#[test]
#[ignore = "takes many minutes: a part of the slow command"]
fn stopped_threads_change_nothing_again_and_again() {
    let number = |name: &str, default: u64| {
        std::env::var(name).map_or(default, |text| text.parse().expect("a number"))
    };
    let first = number("FTMPI_JITTER_SEED", 1);
    for seed in first..first + number("FTMPI_JITTER_SEEDS", 40) {
        println!("seed {seed}");
        JOBS.iter().for_each(|job| run(job, seed));
    }
}

/// The second thread may come to it while the first one recovers, or just after.
#[test]
fn two_threads_that_recover_at_once_do_so_once() {
    let job = ("keeps.c", "threads", 4, "--mode=rebuild --msg=cont", "threads: done\n");
    (101..109).for_each(|seed| run(&job, seed));
}
