//! A storm of deaths: ranks die in every way, at any moment of calls of every kind, one-sided ones
//! and recoveries included, again and again, under every mode; whatever a call that succeeded has
//! written is right, and nothing hangs. `FTMPI_RANKS=process` or `process:3` gives ranks processes.
//!
//! | variable | meaning |
//! |---|---|
//! | `FTMPI_STORM_DEATHS=300000` | goes on until so many ranks have died |
//! | `FTMPI_STORM_SEED=7` | begins with this seed: that of a job that failed |
//! | `FTMPI_STORM_BUSY=4` | so many threads compute beside the jobs |
//!
//!     FTMPI_STORM_DEATHS=300000 FTMPI_STORM_BUSY=4 cargo test -r --test storm -- --nocapture
//!     FTMPI_RANKS=process FTMPI_STORM_DEATHS=100000 cargo test -r --test storm -- --nocapture

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use support::Program;

/// Modes of the job, and of its messages and collectives where it has any.
const MODES: [(&str, &str, &str); 13] = [
    ("ulfm", "noop", "non-atomic"),
    ("rebuild", "noop", "non-atomic"),
    ("rebuild", "cont", "non-atomic"),
    ("rebuild", "noop", "atomic"),
    ("rebuild", "cont", "atomic"),
    ("shrink", "noop", "non-atomic"),
    ("shrink", "cont", "non-atomic"),
    ("shrink", "noop", "atomic"),
    ("shrink", "cont", "atomic"),
    ("blank", "noop", "non-atomic"),
    ("blank", "cont", "non-atomic"),
    ("blank", "noop", "atomic"),
    ("blank", "cont", "atomic"),
];

/// How many ranks, and how many rounds of the storm where the dead are replaced.
const SIZES: [(usize, usize); 11] = [
    (8, 150),
    (3, 200),
    (16, 150),
    (2, 200),
    (5, 150),
    (40, 60),
    (9, 150),
    (4, 200),
    (120, 40),
    (7, 150),
    (23, 100),
];

/// Now and then there are as many as this.
const MOST_RANKS: usize = 2000;

fn number(variable: &str) -> Option<usize> {
    std::env::var(variable).ok().map(|text| text.parse().expect("a number"))
}

/// One job. How many have died in it.
fn job(program: &Program, seed: usize) -> usize {
    let (mode, messages, collectives) = MODES[seed % MODES.len()];
    let are_processes = support::are_ranks_processes();
    let (ranks, rounds) = match seed % 97 {
        96 if !are_processes => (MOST_RANKS, 3),
        _ => SIZES[seed % SIZES.len()],
    };
    let carrier = if seed % 3 == 2 && ranks <= 40 { "thread" } else { "fiber" };
    println!("seed {seed}: {ranks} ranks, each a {carrier}, {mode}, {messages}, {collectives}");
    let mut run = support::run(program).ranks(ranks).deadline(300).option("-q");
    run = run.option(format!("--mode={mode}")).carried_by(carrier);
    if mode != "ulfm" {
        run = run.option(format!("--msg={messages}")).option(format!("--coll={collectives}"));
    }
    if seed.is_multiple_of(5) && carrier == "fiber" && !are_processes {
        // Half of the rest have an order of ranks that a seed decides on.
        run = run.option(format!("--seed={seed}"));
    }
    let words = [mode, messages, &rounds.to_string(), &seed.to_string()].map(str::to_string);
    let seen = run.args(words).succeeds();
    let line = seen.stdout.lines().find(|line| line.contains(" deaths, "));
    let deaths = line.and_then(|line| line.split(' ').next()?.parse().ok());
    deaths.unwrap_or_else(|| panic!("how many died? {seen}"))
}

#[test]
fn whatever_a_call_that_succeeds_has_written_is_right_however_many_die() {
    let program = support::c("storm.c").flags(&["-O2", "-g", "-Iinclude"]).build();
    let wanted = number("FTMPI_STORM_DEATHS").unwrap_or(3000);
    let first = number("FTMPI_STORM_SEED").unwrap_or(1);
    let (is_over, began) = (AtomicBool::new(false), Instant::now());
    let (mut deaths, mut jobs) = (0, 0);
    std::thread::scope(|scope| {
        for _ in 0..number("FTMPI_STORM_BUSY").unwrap_or(0) {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        struct Ends<'a>(&'a AtomicBool);
        impl Drop for Ends<'_> {
            fn drop(&mut self) {
                self.0.store(true, Ordering::Relaxed);
            }
        }
        let _ends = Ends(&is_over);
        while deaths < wanted {
            deaths += job(&program, first + jobs);
            jobs += 1;
            println!("{deaths} deaths in {jobs} jobs, {:.0} s", began.elapsed().as_secs_f64());
        }
    });
}
