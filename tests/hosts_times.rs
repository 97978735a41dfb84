//! How long it takes from a fault to the first right allreduce, on hosts that are network
//! namespaces: the longest time between two reductions of ranks that reduce all the time. Needs
//! root, `ip` and `sshd`.
//!
//!     cargo test --release --test hosts_times -- --ignored --nocapture
//!
//! `FTMPI_ROUNDS=20` measures each fault so often; `FTMPI_BUSY=2` lets so many threads compute
//! beside the jobs.

use std::fs;
use std::path::Path;
use std::process::Child;
use std::sync::atomic::{AtomicBool, Ordering};
use support::namespaces::{Hosts, wait};

/// What happens to a job of six ranks on three hosts, `ftrun` on the first.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    Process,
    Host,
    Coordinator,
    SilentHost,
    SilentCoordinator,
}

/// Each with its words, and how many milliseconds it may take.
const FAULTS: [(Fault, &str, f64); 5] = [
    (Fault::Process, "a process is killed", 50.0),
    (Fault::Host, "a host is killed", 200.0),
    (Fault::Coordinator, "the host of ftrun is killed", 200.0),
    (Fault::SilentHost, "a host is cut off without a word", 4000.0),
    (Fault::SilentCoordinator, "the host of ftrun is cut off without a word", 4000.0),
];

fn number(name: &str) -> Option<usize> {
    std::env::var(name).ok().map(|text| text.parse().expect("a number"))
}

/// All that a job has said: by `ftrun`, and by whoever has taken over from it.
fn said(directory: &Path) -> String {
    let files = fs::read_dir(directory).expect("it is there").flatten();
    files.map(|file| fs::read_to_string(file.path()).unwrap_or_default()).collect()
}

/// The longest gap that a job has seen, in milliseconds.
fn longest_gap(said: &str) -> Option<f64> {
    let line = said.lines().find_map(|line| line.strip_prefix("longest gap: "))?;
    line.strip_suffix(" ms")?.parse().ok()
}

/// Runs a job with this fault on hosts of its own; how long it took.
fn run(fault: Fault) -> Result<f64, String> {
    let names = ["alpha", "beta", "gamma"];
    let hosts = Hosts::start("g", &names)?;
    let directory = support::fresh_directory("hosts_times");
    let place = format!("--wdir={}", directory.display());
    let options = ["--mode=rebuild", &place, "-x", "GAP=1"];
    let words: &[&str] = match fault {
        Fault::Process => &["survive", "1000", "rank", "3@300"],
        _ => &["survive", "5000"],
    };
    let mut job = hosts.job(6, "alpha:2,beta:2,gamma:2", &options, words);
    let output = |name: &str| fs::File::create(directory.join(name)).expect("there is room");
    job.stdout(output("out")).stderr(output("errors"));
    let mut child: Child = hosts.begin(job);
    match fault {
        Fault::Process => {}
        Fault::Host => hosts.kill("beta"),
        Fault::Coordinator => hosts.kill("alpha"),
        Fault::SilentHost => hosts.cut("beta", true),
        Fault::SilentCoordinator => hosts.cut("alpha", true),
    }
    wait(60, "the job has ended", || longest_gap(&said(&directory)).is_some());
    let _status = child.wait().expect("it is a child");
    wait(20, "nothing is left", || names.iter().all(|name| hosts.workers(name).is_empty()));
    let said = said(&directory);
    let restarted = if fault == Fault::Process { 1 } else { 2 };
    assert!(said.contains(&format!("6 ranks, {restarted} restarted: ")), "{fault:?}: {said}");
    Ok(longest_gap(&said).expect("it has told"))
}

fn load() -> String {
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    load.split(' ').next().unwrap_or_default().to_string()
}

/// Measures each fault; what takes too long in the median.
fn measure(rounds: usize) -> Vec<String> {
    let mut late = Vec::new();
    for (fault, words, most) in FAULTS {
        let begin = load();
        let times: Result<Vec<f64>, String> = (0..rounds).map(|_| run(fault)).collect();
        let mut times = match times {
            Ok(times) => times,
            Err(why) => {
                eprintln!("skipped: {why}");
                return late;
            }
        };
        times.sort_by(f64::total_cmp);
        let (median, worst) = (times[rounds / 2], times[rounds - 1]);
        let line = format!(
            "{words}: median {median:.0} ms, worst {worst:.0} ms of {rounds}; load {begin} to {}",
            load()
        );
        println!("{line}");
        if median > most {
            late.push(line);
        }
    }
    late
}

#[test]
#[ignore = "measures for minutes"]
fn after_a_fault_the_first_right_reduction_comes_in_time() {
    let is_over = AtomicBool::new(false);
    let late = std::thread::scope(|scope| {
        for _ in 0..number("FTMPI_BUSY").unwrap_or(0) {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let measured = std::panic::catch_unwind(|| measure(number("FTMPI_ROUNDS").unwrap_or(20)));
        is_over.store(true, Ordering::Relaxed);
        measured.unwrap_or_else(|why| std::panic::resume_unwind(why))
    });
    assert_eq!(late, [""; 0]);
}
