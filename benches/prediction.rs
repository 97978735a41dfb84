//! How right `--virtual` is about this host: applications with a core for each rank, in real time
//! and in that of a machine file that `ftrun calibrate` has just measured. `--help` says how.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const HELP: &str = "\
Measures this host, and compares what virtual time says that a step of each
application takes here with what it takes.

usage: cargo bench --bench prediction -- [--runs N] [--ranks N]

  --runs N   runs of each kind in turn, of which the median counts; 5 by default
  --ranks N  ranks; as many as cores by default, and at most that";

/// Programs of benches/c, with their words and compiler flags.
const APPLICATIONS: [(&str, &str, &str); 7] = [
    ("conjugate gradients, 24³ points a rank", "pcg", "24"),
    ("stencil, 128² points a rank", "stencil", "128"),
    ("particles, 10,000 a rank", "particles", "10000"),
    ("sample sort, 10,000 keys a rank", "sort", "10000"),
    ("transposition, 32 rows a rank", "transpose", "32"),
    ("molecular dynamics, 4³ cells a rank", "md", "4"),
    ("adaptive blocks, about 1700 in all", "blocks", "2"),
];

struct Bench {
    ftrun: &'static str,
    directory: PathBuf,
    host: PathBuf,
    ranks: usize,
}

fn main() -> ExitCode {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let Some((runs, ranks)) = wish(cores) else {
        println!("{HELP}");
        return ExitCode::from(if std::env::args().any(|word| word == "--help") { 0 } else { 2 });
    };
    let bench = Bench::new(ranks);
    println!("| {ranks} ranks on {cores} cores, a step | here | predicted | error |");
    println!("|---|---|---|---|");
    for (title, program, word) in APPLICATIONS {
        let program = bench.compile(program);
        let virtually = ["--machine", bench.host.to_str().expect("a path of ours"), "--virtual"];
        let virtually = [&virtually[..], &["--compute", "measured", "--network", "flows"]].concat();
        let (mut here, mut told) = (Vec::new(), Vec::new());
        for _ in 0..runs {
            here.push(bench.micros(&[], &program, word));
            told.push(bench.micros(&virtually, &program, word));
        }
        let (here, told) = (median(here), median(told));
        let error = 100.0 * (told / here - 1.0);
        println!("| {title} | {here:.1} µs | {told:.1} µs | {error:+.0} % |");
    }
    ExitCode::SUCCESS
}

fn wish(cores: usize) -> Option<(usize, usize)> {
    let (mut runs, mut ranks) = (5, cores);
    // Cargo adds a word of its own.
    let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
    while let Some(word) = words.next() {
        let number = words.next().and_then(|number| number.parse().ok());
        match (word.as_str(), number) {
            ("--runs", Some(number)) if number > 0 => runs = number,
            ("--ranks", Some(number)) => ranks = number,
            _ => return None,
        }
    }
    (2..=cores).contains(&ranks).then_some((runs, ranks))
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

impl Bench {
    fn new(ranks: usize) -> Bench {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("prediction");
        std::fs::create_dir_all(&directory).expect("the target directory can be written");
        let (ftrun, host) = (env!("CARGO_BIN_EXE_ftrun"), directory.join("host.toml"));
        let calibrated = Command::new(ftrun).arg("calibrate").arg(&host).status();
        assert!(calibrated.is_ok_and(|status| status.success()), "this host was not measured");
        Bench { ftrun, directory, host, ranks }
    }

    fn compile(&self, name: &str) -> PathBuf {
        let program = self.directory.join(name);
        let status = Command::new(env!("CARGO_BIN_EXE_mpicc"))
            .args(["-O2", &format!("benches/c/{name}.c"), "-lm", "-o"])
            .arg(&program)
            .status();
        assert!(status.is_ok_and(|status| status.success()), "{name}.c was not compiled");
        program
    }

    /// The microseconds of a step that the program prints.
    fn micros(&self, options: &[&str], program: &Path, word: &str) -> f64 {
        let run = Command::new(self.ftrun)
            .args(["-np", &self.ranks.to_string()])
            .args(options)
            .arg(program)
            .arg(word)
            .output()
            .expect("ftrun runs");
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        let text = String::from_utf8_lossy(&run.stdout);
        let last = text.split_whitespace().next_back();
        last.and_then(|word| word.parse().ok()).unwrap_or_else(|| panic!("no figure in: {text}"))
    }
}
