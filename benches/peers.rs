//! Measures us beside MPICH, Open MPI and Intel MPI in one run; `--help` says how.
//!
//! Every measurement alternates between the libraries; tables give medians, spreads and ratios.

#[path = "peers/calls.rs"]
mod calls;
#[path = "peers/checkpoint.rs"]
mod checkpoint;
#[path = "peers/collectives.rs"]
mod collectives;
#[path = "peers/contender.rs"]
mod contender;
#[path = "peers/curve.rs"]
mod curve;
#[path = "peers/paper.rs"]
mod paper;
#[path = "peers/recovery.rs"]
mod recovery;
#[path = "peers/scaling.rs"]
mod scaling;

use contender::Contender;
use std::path::Path;
use std::process::ExitCode;

const HELP: &str = "\
Measures ftmpi-rs beside MPICH, Open MPI and Intel MPI.

usage: cargo bench --bench peers -- [--calls] [--rma] [--pcg] [--apps] [--collectives] [--files]
                                    [--spawn] [--recovery] [--cost] [--checkpoint] [--scaling]
                                    [--paper] [--hosts] [--iterations N] [--rounds N] [--only TITLE]
                                    [--processes] [--write]
       cargo bench --bench peers -- --curve [KIND...] [--ranks N] [--rounds N] [--processes]
                                    [--write]

  --calls        latency, bandwidth, message rate, start
  --rma          one-sided calls: put, get, accumulates, fence, locks
  --pcg          an iteration of conjugate gradients with 15 to 120 ranks
  --apps         a step of conjugate gradients, a stencil, a particle exchange, sample sort, a
                 transposition, a task queue, molecular dynamics and adaptive blocks, with
                 2 to 120 ranks; each checks its result (30 min)
  --collectives  every collective, 2 to 120 ranks, 8 B to 4 MB
  --files        bandwidth of files in /dev/shm, and the shared file pointer
  --spawn        two ranks spawned by one, and their disconnection
  --recovery     from a death to the first right allreduce, beside Open MPI's ULFM (5 min)
  --cost         what fault tolerance costs while nobody dies, 101 pairs of runs (6 min)
  --checkpoint   us alone, a checkpoint of 1 GB over 16 ranks, beside memcpy
  --scaling      us alone, 2 to 10,000 ranks
  --paper        conjugate gradients that survive up to five failures at once, with the matrices of
                 Dongarra, Chen, Bosilca and Langou, beside the plain ones of MPICH and Open MPI
                 (15 to 20 min; shorter with --iterations N, which are 2000 else)
  --hosts        messages, an allreduce and conjugate gradients on two and four hosts that are
                 network namespaces, beside MPICH and Open MPI over the same links (as root, with
                 iproute2 and openssh-server)
  --curve        whole curves instead of points: messages, offsets, streams, windows, pairs, types,
                 collectives, forms (of collectives), communicators, or those kinds that are named.
                 Prints where a peer is ahead; with --write, all points go
                 to docs/curves.csv and pictures of them to docs/pictures.
                 How far apart two cores are is measured before and after each run with a core a
                 rank: near and far ones are told apart, as hosts of virtual machines move them
  --ranks N      curves with so many ranks; 2, a core each, and 120 else
  --rounds N     how often calls, pcg, apps and curves are run; 3 times else
  --processes    our ranks are processes, too; such tables and curves are not written
  --only TITLE   of calls, pcg and apps only the rows whose titles contain this
  --write        puts the tables into the pages of docs and README.md, and the curves
                 into docs/scaling.svg

Without a table's name all are measured but --apps, --paper, --hosts and --curve. The peers come
from PyPI into target/peers, once. The figures mean something only while the machine has nothing
else to do.";

/// How often each library is run, in turns.
const ROUNDS: u32 = 3;
/// What can be measured: each has its place in the page.
const TABLES: [&str; 13] = [
    "calls",
    "rma",
    "pcg",
    APPS,
    "collectives",
    "files",
    "spawn",
    "recovery",
    "cost",
    "checkpoint",
    "scaling",
    PAPER,
    HOSTS,
];
const APPS: &str = "apps";
const PAPER: &str = "paper";
const HOSTS: &str = "hosts";
/// These take long, or need root, and are measured only by name.
const LONG: [&str; 3] = [APPS, PAPER, HOSTS];

fn main() -> ExitCode {
    // Cargo adds a word of its own.
    let mut words: Vec<String> =
        std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let mut number = |option: &str| match take(&mut words, option) {
        Some(word) => {
            word.parse().ok().filter(|number| *number > 0).ok_or(option.to_string()).map(Some)
        }
        None => Ok(None),
    };
    let mut numbers = [None; 3];
    for (place, option) in numbers.iter_mut().zip(["--iterations", "--rounds", "--ranks"]) {
        *place = match number(option) {
            Ok(number) => number,
            Err(option) => {
                eprintln!("{option} wants a number");
                return ExitCode::from(2);
            }
        };
    }
    let [iterations, rounds, ranks] = numbers;
    let rounds = rounds.unwrap_or(ROUNDS);
    let only = take(&mut words, "--only");
    let in_processes = take_flag(&mut words, "--processes");
    let is_written = words.iter().any(|word| word == "--write");
    if is_written && (in_processes || only.is_some()) {
        eprintln!("with --processes or --only, nothing is written");
        return ExitCode::from(2);
    }
    let contenders = || -> Vec<Contender> {
        let build = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/peers");
        let all = contender::all(&build).into_iter();
        all.map(|it| if in_processes { it.in_processes() } else { it }).collect()
    };
    if words.first().is_some_and(|word| word == "--curve") {
        return curves(words[1..].to_vec(), ranks, rounds, contenders);
    }
    if ranks.is_some() {
        eprintln!("--ranks is for --curve");
        return ExitCode::from(2);
    }
    let name_of = |word: &str| word.strip_prefix("--").unwrap_or("").to_string();
    let asked: Vec<String> = words.iter().map(|word| name_of(word)).collect();
    if asked.iter().any(|name| name == "help") {
        println!("{HELP}");
        return ExitCode::SUCCESS;
    }
    let is_known = |name: &str| name == "write" || TABLES.contains(&name);
    if let Some(at) = asked.iter().position(|name| !is_known(name)) {
        eprintln!("unknown word '{}'; --help lists them all", words[at]);
        return ExitCode::from(2);
    }
    let is_asked = |name: &str| asked.iter().any(|word| word == name);
    let all = !TABLES.into_iter().any(is_asked);
    let contenders = contenders();
    let is_wanted = |name: &&str| is_asked(name) || (all && !LONG.contains(name));
    for name in TABLES.into_iter().filter(is_wanted) {
        let how = How { iterations, rounds, only: only.as_deref().unwrap_or_default() };
        let (table, picture) = measure(name, &contenders, &how);
        println!("{table}");
        if is_asked("write") {
            write_pages(name, &table);
            if let Some(svg) = picture {
                let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/scaling.svg");
                std::fs::write(path, svg).expect("docs is writable");
            }
        }
    }
    ExitCode::SUCCESS
}

/// Measures and prints curves of the kinds in `words`, or of all.
fn curves(
    mut words: Vec<String>, ranks: Option<u32>, rounds: u32,
    contenders: impl FnOnce() -> Vec<Contender>,
) -> ExitCode {
    let is_written = take_flag(&mut words, "--write");
    if let Some(word) = words.iter().find(|word| !curve::is_kind(word)) {
        eprintln!("there is no kind '{word}' of curves; --help lists them");
        return ExitCode::from(2);
    }
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let ranks = ranks.map(|number| number as usize);
    let wanted = curve::Wanted { kinds: &words, ranks, rounds };
    let curves = curve::Curves::measure(&contenders(), &wanted);
    println!("{}", curves.summary());
    if is_written {
        curves.write(&home.join("docs"));
    }
    ExitCode::SUCCESS
}

/// Takes an option and its word out of the command line; the word is empty if it is missing.
fn take(words: &mut Vec<String>, option: &str) -> Option<String> {
    let at = words.iter().position(|word| word == option)?;
    Some(words.drain(at..words.len().min(at + 2)).nth(1).unwrap_or_default())
}

/// Takes a flag out of the command line; whether it was there.
fn take_flag(words: &mut Vec<String>, flag: &str) -> bool {
    let before = words.len();
    words.retain(|word| word != flag);
    words.len() < before
}

/// How to measure.
struct How<'a> {
    iterations: Option<u32>,
    rounds: u32,
    /// Rows are left out unless their titles contain this.
    only: &'a str,
}

/// A table, and the picture that belongs to it.
fn measure(name: &str, contenders: &[Contender], how: &How<'_>) -> (String, Option<String>) {
    let table = match name {
        "calls" => calls::table(calls::CALLS, contenders, how),
        "rma" => calls::table(calls::RMA, contenders, how),
        "pcg" => calls::table(calls::PCG, contenders, how),
        APPS => calls::table(&calls::applications(), contenders, how),
        "collectives" => collectives::table(contenders),
        "files" => calls::table(calls::FILES, contenders, how),
        "spawn" => calls::table(calls::SPAWN, contenders, how),
        "recovery" => recovery::table(contenders),
        "cost" => recovery::cost(&contenders[0]),
        "checkpoint" => checkpoint::table(&contenders[0]),
        PAPER => paper::table(contenders, how.iterations),
        HOSTS => calls::on_hosts(contenders, how),
        _ => {
            let curves = scaling::measure(&contenders[0]);
            return (scaling::table(&curves), Some(scaling::picture(&curves)));
        }
    };
    (table, None)
}

fn median(values: &mut [f64]) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

fn short(value: f64) -> String {
    match value {
        v if v >= 100.0 => format!("{v:.0}"),
        v if v >= 10.0 => format!("{v:.1}"),
        v => format!("{v:.2}"),
    }
}

/// The first two lines of a table with a column for each contender.
fn heading(contenders: &[Contender]) -> Vec<String> {
    let names: Vec<&str> = contenders.iter().map(|contender| contender.name.as_str()).collect();
    let rule = format!("|---|{}", "---|".repeat(contenders.len()));
    vec![format!("| measured | {} |", names.join(" | ")), rule]
}

/// Puts a table between its marks of the pages that have them; what people wrote around them stays.
fn write_pages(name: &str, table: &str) {
    let marks = [format!("<!-- measured: {name} -->\n"), format!("<!-- end of {name} -->\n")];
    for page in ["docs/BENCHMARKS.md", "docs/CLUSTERS.md", "docs/PCG.md", "README.md"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(page);
        let text = std::fs::read_to_string(&path).expect("the page is there");
        let Some((before, rest)) = text.split_once(&marks[0]) else { continue };
        let (_, after) = rest.split_once(&marks[1]).expect("what begins ends");
        let text = [before, &marks[0], "\n", table, "\n\n", &marks[1], after].concat();
        std::fs::write(path, text).expect("pages are writable");
    }
}
