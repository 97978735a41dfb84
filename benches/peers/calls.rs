//! Rows of one number each: what every contender brings, and what the bare machine does beside it.

use super::contender::{self, Contender};
use super::{How, short};
use std::borrow::Cow;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::available_parallelism;
use support::namespaces::Hosts;

const MANY: usize = 120;

/// One row of the table.
pub(super) struct Measure {
    title: Cow<'static, str>,
    unit: Unit,
    ranks: usize,
    program: &'static str,
    words: &'static [&'static str],
    /// What the program without MPI is asked for, if it does the same.
    bare: &'static [&'static str],
}

#[derive(Clone, Copy, PartialEq)]
enum Unit {
    Nanoseconds,
    Microseconds,
    /// Of the whole run, by the clock on the wall.
    Milliseconds,
    GigabytesPerSecond,
    MillionPerSecond,
}

/// Messages, and starting.
pub(super) const CALLS: &[Measure] = &[
    row("latency, 8 B, 2 ranks", Unit::Microseconds, 2, &["latency", "8"], &["latency"]),
    row(
        "bandwidth, 64 KB, 2 ranks",
        Unit::GigabytesPerSecond,
        2,
        &["bandwidth", "65536"],
        &["bandwidth", "65536"],
    ),
    row(
        "bandwidth, 4 MB, 2 ranks",
        Unit::GigabytesPerSecond,
        2,
        &["bandwidth", "4194304"],
        &["bandwidth", "4194304"],
    ),
    row("message rate, 8 B, 2 ranks", Unit::MillionPerSecond, 2, &["rate", "8"], &[]),
    row("latency, 8 B, two of 120 ranks", Unit::Microseconds, MANY, &["latency", "8"], &[]),
    collective("allgather, 64 KB, 120 ranks", &["allgather:65536"], &["allgather", "120", "65536"]),
    collective("alltoall, 64 KB, 120 ranks", &["alltoall:65536"], &["alltoall", "120", "65536"]),
    row("start to end, 2 ranks", Unit::Milliseconds, 2, &["empty"], &[]),
    row("start to end, 120 ranks", Unit::Milliseconds, MANY, &["empty"], &[]),
];

const GB: Unit = Unit::GigabytesPerSecond;

/// Files in memory: what the disk does is no matter of the library.
pub(super) const FILES: &[Measure] = &[
    file("write, contiguous, 2 ranks", 2, &["write", "contiguous"], GB),
    file("write, each second 4 KB, 2 ranks", 2, &["write", "interleaved"], GB),
    file("write, each second 4 KB alone, 2 ranks", 2, &["write", "alone"], GB),
    file("read, contiguous, 2 ranks", 2, &["read", "contiguous"], GB),
    file("read, each second 4 KB, 2 ranks", 2, &["read", "interleaved"], GB),
    file("read, each second 4 KB alone, 2 ranks", 2, &["read", "alone"], GB),
    file("write, each 32nd 4 KB, 32 ranks", 32, &["write", "interleaved"], GB),
    file("read, each 32nd 4 KB, 32 ranks", 32, &["read", "interleaved"], GB),
    file("shared pointer, 64 B, 2 ranks", 2, &["shared"], Unit::MillionPerSecond),
];

/// Ranks spawned by one, and two ranks that meet at a port; and their disconnection.
pub(super) const SPAWN: &[Measure] = &[
    meeting("spawn of 2 by 1, barrier, disconnect", 1, &["2"]),
    meeting("spawn of 32 by 1, barrier, disconnect", 1, &["32"]),
    meeting("accept and connect, barrier, disconnect, 2 ranks", 2, &["port"]),
];

/// One-sided calls: 8 bytes from one rank to another, then what all ranks do.
pub(super) const RMA: &[Measure] = &[
    access("put and flush, 8 B, 2 ranks", 2, &["put"]),
    access("get and flush, 8 B, 2 ranks", 2, &["get"]),
    access("accumulate and flush, 8 B, 2 ranks", 2, &["accumulate"]),
    access("get_accumulate and flush, 8 B, 2 ranks", 2, &["both"]),
    access("get_accumulate and flush, 64 B, 2 ranks", 2, &["both8"]),
    access("fetch_and_op and flush, 8 B, 2 ranks", 2, &["fetch"]),
    access("compare_and_swap and flush, 8 B, 2 ranks", 2, &["swap"]),
    access("put, 8 B, a flush each 64, 2 ranks", 2, &["puts"]),
    access("get, 8 B, a flush each 64, 2 ranks", 2, &["gets"]),
    access("fence, 2 ranks", 2, &["fence"]),
    access("lock and unlock, 2 ranks", 2, &["lock"]),
    rate("fetch_and_op by all on one counter, 2 ranks", 2, &["counter"]),
    rate("lock, put, unlock by all at one rank, 2 ranks", 2, &["contended"]),
    access("put and flush, 8 B, two of 120 ranks", MANY, &["put"]),
    access("accumulate and flush, 8 B, two of 120 ranks", MANY, &["accumulate"]),
    access("get_accumulate and flush, 8 B, two of 120 ranks", MANY, &["both"]),
    access("fetch_and_op and flush, 8 B, two of 120 ranks", MANY, &["fetch"]),
    access("compare_and_swap and flush, 8 B, two of 120 ranks", MANY, &["swap"]),
    access("lock and unlock, two of 120 ranks", MANY, &["lock"]),
    access("fence, 120 ranks", MANY, &["fence"]),
    rate("fetch_and_op by all on one counter, 120 ranks", MANY, &["counter"]),
    rate("lock, put, unlock by all at one rank, 120 ranks", MANY, &["contended"]),
];

/// Conjugate gradients, 24³ points a rank.
pub(super) const PCG: &[Measure] = &[
    solver("an iteration, 15 ranks", 15, &["24"]),
    solver("its arithmetic alone, 15 ranks", 15, &["24", "alone"]),
    solver("an iteration, 30 ranks", 30, &["24"]),
    solver("its arithmetic alone, 30 ranks", 30, &["24", "alone"]),
    solver("an iteration, 60 ranks", 60, &["24"]),
    solver("its arithmetic alone, 60 ranks", 60, &["24", "alone"]),
    solver("an iteration, 120 ranks", MANY, &["24"]),
    solver("its arithmetic alone, 120 ranks", MANY, &["24", "alone"]),
];

/// Ranks on hosts of their own.
pub(super) const HOSTS: &[Measure] = &[
    row("latency, 8 B, 2 hosts", Unit::Microseconds, 2, &["latency", "8"], &[]),
    row("latency, 1 KB, 2 hosts", Unit::Microseconds, 2, &["latency", "1024"], &[]),
    row("latency, 16 KB, 2 hosts", Unit::Microseconds, 2, &["latency", "16384"], &[]),
    row("latency, 64 KB, 2 hosts", Unit::Microseconds, 2, &["latency", "65536"], &[]),
    row("latency, 128 KB, 2 hosts", Unit::Microseconds, 2, &["latency", "131072"], &[]),
    row("bandwidth, 64 KB, 2 hosts", GB, 2, &["bandwidth", "65536"], &[]),
    row("bandwidth, 4 MB, 2 hosts", GB, 2, &["bandwidth", "4194304"], &[]),
    row("message rate, 8 B, 2 hosts", Unit::MillionPerSecond, 2, &["rate", "8"], &[]),
    row("allreduce, 8 B, 2 hosts", Unit::Microseconds, 2, &["allreduce"], &[]),
    row("allreduce, 8 B, 4 hosts", Unit::Microseconds, 4, &["allreduce"], &[]),
    solver("conjugate gradients, an iteration, 2 hosts", 2, &["24"]),
    solver("conjugate gradients, an iteration, 4 hosts", 4, &["24"]),
];

/// What applications do between their messages is as long for everybody: the title of each, its
/// program and the words of that.
const APPLICATIONS: [(&str, &str, &[&str]); 8] = [
    ("conjugate gradients, 24³ points a rank", "pcg", &["24"]),
    ("stencil, 128² points a rank", "stencil", &["128"]),
    ("particles, 10,000 a rank", "particles", &["10000"]),
    ("sample sort, 10,000 keys a rank", "sort", &["10000"]),
    ("transposition, 32 rows a rank", "transpose", &["32"]),
    ("task queue, a task", "tasks", &["32"]),
    ("molecular dynamics, 4³ cells a rank", "md", &["4"]),
    ("adaptive blocks, about 1700 in all", "blocks", &["2"]),
];
const RANKS_OF_APPLICATIONS: [usize; 4] = [2, 4, 16, MANY];

/// A step of each application, with few ranks and with many.
pub(super) fn applications() -> Vec<Measure> {
    let all = APPLICATIONS.into_iter().flat_map(|(title, program, words)| {
        RANKS_OF_APPLICATIONS.map(|ranks| {
            let title = Cow::Owned(format!("{title}, {ranks} ranks"));
            Measure { title, unit: Unit::Microseconds, ranks, program, words, bare: &[] }
        })
    });
    all.collect()
}

const fn row(
    title: &'static str, unit: Unit, ranks: usize, words: &'static [&'static str],
    bare: &'static [&'static str],
) -> Measure {
    Measure { title: Cow::Borrowed(title), unit, ranks, program: "measure", words, bare }
}

const fn file(
    title: &'static str, ranks: usize, words: &'static [&'static str], unit: Unit,
) -> Measure {
    Measure { title: Cow::Borrowed(title), unit, ranks, program: "files", words, bare: &[] }
}

const fn access(title: &'static str, ranks: usize, words: &'static [&'static str]) -> Measure {
    let (title, unit) = (Cow::Borrowed(title), Unit::Nanoseconds);
    Measure { title, unit, ranks, program: "rma", words, bare: &[] }
}

const fn meeting(title: &'static str, ranks: usize, words: &'static [&'static str]) -> Measure {
    let (title, unit) = (Cow::Borrowed(title), Unit::Microseconds);
    Measure { title, unit, ranks, program: "spawn", words, bare: &[] }
}

const fn rate(title: &'static str, ranks: usize, words: &'static [&'static str]) -> Measure {
    let (title, unit) = (Cow::Borrowed(title), Unit::MillionPerSecond);
    Measure { title, unit, ranks, program: "rma", words, bare: &[] }
}

const fn collective(
    title: &'static str, words: &'static [&'static str], bare: &'static [&'static str],
) -> Measure {
    let (title, unit) = (Cow::Borrowed(title), Unit::Microseconds);
    Measure { title, unit, ranks: MANY, program: "collectives", words, bare }
}

const fn solver(title: &'static str, ranks: usize, words: &'static [&'static str]) -> Measure {
    let (title, unit) = (Cow::Borrowed(title), Unit::Microseconds);
    Measure { title, unit, ranks, program: "pcg", words, bare: &[] }
}

/// The table of some measures: a column for each contender, and one for the bare machine where it
/// has anything to say.
pub(super) fn table(measures: &[Measure], contenders: &[Contender], how: &How<'_>) -> String {
    let bare = measures.iter().any(|measure| !measure.bare.is_empty()).then(build_bare);
    let mut lines = super::heading(contenders);
    if bare.is_some() {
        lines[0].push_str(" no MPI at all |");
        lines[1].push_str("---|");
    }
    let mut lost = Lost::new();
    for measure in measures.iter().filter(|measure| measure.title.contains(how.only)) {
        lines.push(line(measure, contenders, bare.as_deref(), how.rounds, &mut lost));
        eprintln!("{}", lines.last().expect("a line was pushed"));
    }
    lines.join("\n")
}

/// The table of hosts, or why there is none.
pub(super) fn on_hosts(contenders: &[Contender], how: &How<'_>) -> String {
    match Hosts::start("bench", &["alpha", "beta", "gamma", "delta"]) {
        Err(why) => format!("not measured: {why}"),
        Ok(hosts) => {
            let there = contenders.iter().cloned().filter_map(|it| it.on_hosts(&hosts));
            table(HOSTS, &there.collect::<Vec<_>>(), how)
        }
    }
}

/// Two threads and a cache line; copies.
fn build_bare() -> PathBuf {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/peers/bare");
    let mut compiler = Command::new("cc");
    compiler.args(["-O3", "-pthread"]).arg(contender::source("bare")).arg("-o").arg(&program);
    contender::run(&mut compiler);
    program
}

/// Who did not end a program: it is not waited for again with more ranks.
type Lost = HashSet<(&'static str, &'static [&'static str], usize)>;

fn line(
    measure: &Measure, contenders: &[Contender], bare: Option<&Path>, rounds: u32, lost: &mut Lost,
) -> String {
    let mut samples = vec![Vec::new(); contenders.len() + 1];
    let case = |index: usize| (measure.program, measure.words, index);
    for round in 0..rounds as usize {
        for (index, contender) in contenders.iter().enumerate() {
            // Who did not end the first time is not waited for again.
            if samples[index].len() == round && !lost.contains(&case(index)) {
                samples[index].extend(sample(measure, contender));
            }
        }
        let bare = bare.filter(|_| !measure.bare.is_empty());
        samples[contenders.len()].extend(bare.and_then(|program| sample_bare(measure, program)));
    }
    let ours = super::median(&mut samples[0].clone());
    let mut cells: Vec<String> = samples
        .iter_mut()
        .enumerate()
        .map(|(index, values)| {
            let Some(middle) = super::median(values) else {
                lost.insert(case(index));
                return format!("none within {} s", contender::PATIENCE);
            };
            let ends = [values[0], values[values.len() - 1]].map(short);
            let spread = format!("{} ({}–{})", short(middle), ends[0], ends[1]);
            match ours {
                Some(us) if index > 0 => {
                    format!("{spread}, × {}", short(ratio(measure, us, middle)))
                }
                _ => spread,
            }
        })
        .collect();
    match bare {
        None => cells.truncate(contenders.len()),
        Some(_) if measure.bare.is_empty() => cells[contenders.len()].clear(),
        Some(_) => {}
    }
    format!("| {}, {} | {} |", measure.title, measure.unit.name(), cells.join(" | "))
}

/// One run; what it printed, or how long it took for a program that prints nothing.
fn sample(measure: &Measure, contender: &Contender) -> Option<f64> {
    let Measure { unit, ranks, program, words, .. } = *measure;
    let has_cores = ranks <= available_parallelism().map_or(1, usize::from);
    // Hydra, told where to bind ranks, cannot spawn.
    let is_free = program == "spawn" && contender.is("mpich");
    let options = if is_free { &[] } else { contender.placement(has_cores) };
    let (printed, seconds) = contender.run_in_time(ranks, options, program, words)?;
    if unit == Unit::Milliseconds {
        return Some(seconds * 1e3);
    }
    printed.lines().find_map(|line| line.split_whitespace().last()?.parse().ok())
}

fn sample_bare(measure: &Measure, program: &Path) -> Option<f64> {
    let output = Command::new(program).args(measure.bare).output().expect("it was built");
    String::from_utf8_lossy(&output.stdout).trim().parse().ok()
}

/// How many times better we are: above 1 is ahead.
fn ratio(measure: &Measure, us: f64, them: f64) -> f64 {
    match measure.unit {
        Unit::Nanoseconds | Unit::Microseconds | Unit::Milliseconds => them / us,
        Unit::GigabytesPerSecond | Unit::MillionPerSecond => us / them,
    }
}

impl Unit {
    fn name(self) -> &'static str {
        match self {
            Unit::Nanoseconds => "ns",
            Unit::Microseconds => "µs",
            Unit::Milliseconds => "ms",
            Unit::GigabytesPerSecond => "GB/s",
            Unit::MillionPerSecond => "million/s",
        }
    }
}
