//! What one-sided calls and files take in virtual time.

use support::{Outcome, Run};

/// Its prices are numbers that cannot be mistaken for each other.
const LAB: &str = "\
[machine]
topology = \"mesh\"
dims = [8]
[node]
packet = 100
[cost]
hop_ns = 100
corner_ns = 0
byte_ns = 2
[mpi]
send_ns = 30
receive_ns = 50
";

fn in_lab(test: &str, ranks: usize, more: &str) -> Run {
    let program = support::c("virtual_one_sided.c").flags(&["-O1", "-Wall", "-Wextra"]).build();
    let file = support::fresh_directory(test).join("machine.toml");
    std::fs::write(&file, format!("{LAB}{more}")).expect("there is room");
    let run = support::run(&program).ranks(ranks).option("--virtual").args([test]);
    run.option(format!("--machine={}", file.display()))
}

#[track_caller]
fn says(seen: &Outcome, line: &str) {
    assert!(seen.stdout.lines().any(|other| other == line), "{line}: {seen}");
}

#[test]
fn accesses_take_the_messages_that_they_are() {
    let far = |bytes: i64| 100 + 2 * bytes;
    for network in ["ideal", "flows", "packets"] {
        let run = in_lab("passive", 2, "").option(format!("--network={network}"));
        let seen = run.succeeds();
        for (what, nanos) in [
            ("lock", 30 + 2 * far(0)),
            ("put", 30),
            ("put and flush", 30 + far(8) + far(0)),
            ("nothing to flush", 0),
            ("put and local flush", 30),
            ("1000 bytes", 30 + far(1000) + far(0)),
            ("get", 30 + far(0) + far(8)),
            ("accumulate", 30 + far(8) + far(0)),
            ("fetch and op", 30 + 2 * far(8)),
            ("fetch", 30 + far(0) + far(8)),
            ("compare and swap", 30 + far(8) + far(4)),
            ("rget", 30),
            ("unlock", 30 + 2 * far(0)),
            ("own memory", 0),
        ] {
            says(&seen, &format!("rank 0, {what}: {nanos}"));
        }
    }
    // The request is complete when its data have come, whatever is loaded besides.
    let seen = in_lab("passive", 2, "").succeeds();
    says(&seen, &format!("rank 0, rget and wait: {}", 30 + far(0) + far(8)));
    says(&seen, &format!("rank 0, both: {}", 60 + far(0) + far(1000)));
}

#[test]
fn epochs_of_both_sides_end_when_the_accesses_have_come() {
    let far = |bytes: i64| 100 + 2 * bytes;
    let seen = in_lab("active", 2, "").succeeds();
    // A barrier once the access is acknowledged.
    let fence = 30 + far(8) + far(0) + 30 + far(0) + 50;
    says(&seen, &format!("rank 0, fence: {fence}"));
    says(&seen, &format!("rank 1, fence: {fence}"));
    says(&seen, "rank 1, post: 30");
    let started = 30 + far(0);
    says(&seen, &format!("rank 0, start: {started}"));
    // The target waits for what is put, the origin for what it gets.
    says(&seen, &format!("rank 1, wait: {}", started + 30 + far(1000)));
    says(&seen, &format!("rank 0, complete: {}", started + 2 * 30 + far(0) + far(8)));
}

#[test]
fn locks_are_granted_in_the_order_in_which_they_are_asked_for_at_the_target() {
    for network in ["ideal", "packets"] {
        let seen = in_lab("counter", 6, "").option(format!("--network={network}")).succeeds();
        // Ranks in a row: the nearest one asks first.
        for rank in 1..6 {
            says(&seen, &format!("rank {rank} was number {rank}"));
        }
        says(&seen, "counted to 5");
    }
}

#[test]
fn a_rank_that_waits_for_accesses_dies_when_it_is_killed() {
    for network in ["flows", "packets"] {
        let run = in_lab("long_wait", 2, "").option(format!("--network={network}"));
        let seen = run.succeeds();
        let ends = seen.stdout.lines().find_map(|line| line.strip_prefix("rank 0 ends at "));
        let ends = ends.and_then(|nanos| nanos.parse::<u64>().ok()).expect("it ends");
        assert!(ends > 16_000_000, "it waits for 8 megabytes: {seen}");
        let seen = run.option("--kill=0@8ms").outcome();
        assert!(seen.stderr.contains("rank 0 was killed (SIGKILL) after 0.01 s"), "{seen}");
    }
}

#[test]
fn all_share_the_files_of_the_machine() {
    let run = |more: &str| {
        let file = support::fresh_directory("written").join("file");
        in_lab("files", 3, more).args([file.to_str().expect("the name of a test")]).succeeds()
    };
    let seen = run("[files]\nlatency = \"100us\"\nbytes = 1e8\n");
    // Whoever comes first: the accesses take turns.
    let times = [110_000, 120_000, 130_000];
    let is_there = |nanos: &i32| seen.stdout.contains(&format!(", write: {nanos}\n"));
    assert!(times.iter().all(is_there), "{seen}");
    (0..3).for_each(|rank| says(&seen, &format!("rank {rank} waited for all")));
    says(&seen, "rank 0, read and computed: 60000");
    says(&seen, "rank 0, read: 110000");
    let seen = run("");
    says(&seen, "rank 0, write: 0");
    says(&seen, "rank 0, read: 60000");
}
