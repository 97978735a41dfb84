//! Sizes and speeds to reach, each with its limit beside what was measured:
//! `cargo test --release -p ftmpi_sim --test speeds -- --ignored --nocapture --test-threads 1`.

use ftmpi_sim::base::random::Random;
use ftmpi_sim::bluegene::apps::LineBroadcast;
use ftmpi_sim::bluegene::{Emulator, Setup};
use ftmpi_sim::events::{Note, Post, Shard, Simulation, THE_MACHINE};
use ftmpi_sim::machine::Model;
use ftmpi_sim::spares::figures;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};

/// How long this thread has had a core, in seconds: what else the machine does does not count.
fn worked() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux tells");
    let nanos: f64 = text.split(' ').next().and_then(|word| word.parse().ok()).expect("a number");
    nanos / 1e9
}

/// Prints and checks one line of the table; `is_more` says on which side of the limit to be.
fn reach(what: &str, measured: f64, limit: f64, unit: &str, is_more: bool) {
    let side = if is_more { "at least" } else { "at most" };
    println!("{what}: {measured:.1} {unit}, {side} {limit} {unit}");
    assert!(if is_more { measured >= limit } else { measured <= limit }, "{what}");
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

fn events_per_second(spread: u64) -> f64 {
    let nodes = 100_000;
    let mut simulation = Simulation::new(nodes, 1, |_| Tokens { nodes, spread });
    let mut random = Random::new(1);
    for token in 0..10 * nodes {
        let node = random.below(u64::from(nodes)) as u32;
        simulation.enter(0, node, THE_MACHINE, token);
    }
    let best = (1..=5u64).map(|round| {
        let before = (simulation.heard(), worked());
        simulation.run_until(round * 10 * (1 + spread));
        (simulation.heard() - before.0) as f64 / (worked() - before.1)
    });
    best.fold(0.0, f64::max) / 1e6
}

#[test]
#[ignore = "a benchmark"]
fn thirty_million_events_a_second_in_order() {
    reach("events, all one tick ahead", events_per_second(0), 30.0, "million/s", true);
    reach("events, 1 to 8 ticks ahead", events_per_second(7), 10.0, "million/s", true);
}

#[test]
#[ignore = "a benchmark"]
fn a_line_broadcast_is_emulated_in_five_milliseconds() {
    let model = Model::known("bluegene-2001").expect("it comes along");
    let setup = Setup::new(&model, 100).expect("it is a mesh");
    let times = (0..20).map(|_| {
        let mut emulator = Emulator::new(setup.clone(), LineBroadcast, 1);
        let before = worked();
        assert_eq!(emulator.run().time_ns, 110_080.0);
        worked() - before
    });
    // The clock of the scheduler ticks too seldom for one of them alone.
    let mean = times.sum::<f64>() / 20.0;
    reach("line broadcast on 34 x 34 x 36", mean * 1e3, 5.0, "ms", false);
}

#[test]
#[ignore = "a benchmark"]
fn a_case_of_spares_on_24_cubed_to_exhaustion_takes_three_milliseconds() {
    let study = figures::study(&[24, 24, 24], "3D(2,1)", "hybrid(all)", None).expect("it fits");
    let before = worked();
    for seed in 0..50 {
        assert_eq!(study.random_case(seed, usize::MAX, false).len(), 1128);
    }
    let mean = (worked() - before) / 50.0;
    reach("one case on 24 x 24 x 24", mean * 1e3, 3.0, "ms", false);
}

#[test]
#[ignore = "a benchmark"]
fn a_machine_of_41_616_nodes_with_200_threads_each_takes_less_than_64_megabytes() {
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
    assert!(said.starts_with("ftbg: emulated in"), "{said}");
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id()));
    let status = status.expect("it waits for room");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("Linux tells");
    let kilobytes: f64 =
        line.trim().trim_end_matches(" kB").parse().expect("a number of kilobytes");
    let mut report = String::new();
    reports.read_to_string(&mut report).expect("it ends");
    assert!(child.wait().expect("it is ours").success() && report.contains("41616"), "{report}");
    reach("41,616 nodes x 200 threads", kilobytes * 1024.0 / 1e6, 64.0, "MB", false);
}
