//! What surviving costs on a machine that is not there: `c_examples/pcg.c` in virtual time, with
//! failures of different frequency, beside the same run undisturbed. Costs are declared, so the
//! figures are the same everywhere. `--help` says how.

use ftmpi_sim::spares::plot::{Curve, Pen, Plot};
use std::cell::OnceCell;
use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

const HELP: &str = "\
Measures how much longer conjugate gradients take on a simulated machine for
checkpoints, failures and recoveries, beside a run without any of them.

usage: cargo bench --bench survival -- [OPTIONS]

  --only NAME     one of schemes, policies, ranks, scale and places; all but the
                  last two by default
  --ranks N,N...  the numbers of ranks beside each other; 1000,4000 by default.
                  Each thousand takes about ten seconds a run; in scale and
                  places, two; in policies, with packets, twenty.
  --schemes S,S.. the schemes in scale; ring,xor,rs:2,weighted:2 by default
  --seeds N       runs with failures for each point, of which the mean is taken;
                  3 by default
  --write         puts the pictures into docs/pictures/virtual

In scale, short runs of each scheme show what an iteration, a checkpoint and a
failure take, and the rest is computed: how much longer a solution takes in the
mean, with exponential times between failures, by the formula of Daly (2006).
In places, short runs show what a failure takes, and an iteration after it, by
where the replacement starts. What these runs show is kept in
target/tmp/survival/parts.csv, so that a series goes on where it was
interrupted; without that file, all is measured anew.

The machine is a torus of Blue Gene/L's prices with spare nodes on two of its
sides. Others hear of a failure after 100 us; a rank is started again in 1 ms;
a process that makes room for another has 500 KB.";

/// Each rank's rows, and the iterations of a run.
const ROWS: usize = 200;
const ITERATIONS: usize = 200;
/// Mean times between two failures, in milliseconds; none: there are only checkpoints.
const BETWEEN: [Option<u32>; 5] = [None, Some(32), Some(16), Some(8), Some(4)];
const SCHEMES: [&str; 4] = ["ring", "xor", "rs:2", "weighted:2"];
const POLICIES: [&str; 4] = ["0D", "1D", "2D", "hybrid(all)"];

struct Wish {
    only: Option<String>,
    ranks: Vec<usize>,
    schemes: Vec<&'static str>,
    seeds: usize,
    writes: bool,
}

/// One run of the program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Run {
    ranks: usize,
    /// None: no checkpoints either.
    scheme: Option<&'static str>,
    policy: &'static str,
    network: &'static str,
    between: Option<u32>,
    seed: usize,
}

impl Run {
    /// One that shows parts of longer ones.
    fn short(ranks: usize, scheme: Option<&'static str>) -> Run {
        Run { ranks, scheme, policy: "0D", network: "ideal", between: None, seed: 1 }
    }
}

/// A curve: its name, and the runs of its points, without their failures.
type Line = (String, Run);

fn main() -> ExitCode {
    let Some(wish) = wish() else {
        println!("{HELP}");
        return ExitCode::from(if std::env::args().any(|word| word == "--help") { 0 } else { 2 });
    };
    let usual = Run {
        ranks: 1000,
        scheme: Some("ring"),
        policy: "0D",
        network: "ideal",
        between: None,
        seed: 1,
    };
    let schemes =
        SCHEMES.map(|scheme| (scheme.to_string(), Run { scheme: Some(scheme), ..usual.clone() }));
    let policies = POLICIES
        .map(|policy| (policy.to_string(), Run { policy, network: "packets", ..usual.clone() }));
    let sizes = wish
        .ranks
        .iter()
        .map(|ranks| (format!("{ranks} ranks"), Run { ranks: *ranks, ..usual.clone() }));
    let pictures: [(&str, &str, Vec<Line>); 3] = [
        ("schemes", "Schemes of checkpoints, 1,000 ranks", schemes.into()),
        ("policies", "Where replacements start, 1,000 ranks, packets", policies.into()),
        ("ranks", "Numbers of ranks, ring", sizes.collect()),
    ];
    let bench = Bench::build();
    match wish.only.as_deref() {
        Some("scale") => {
            scale(&bench, &wish);
            return ExitCode::SUCCESS;
        }
        Some("places") => {
            places(&bench, &wish);
            return ExitCode::SUCCESS;
        }
        _ => {}
    }
    let is_asked = |file: &str| wish.only.as_ref().is_none_or(|only| only == file);
    for (file, title, lines) in pictures.into_iter().filter(|picture| is_asked(picture.0)) {
        let plot = bench.plot(title, &lines, wish.seeds);
        println!("{title}\n\n{}", table(&plot));
        if wish.writes {
            write(file, &plot);
        }
    }
    ExitCode::SUCCESS
}

fn write(file: &str, plot: &Plot) {
    let directory = Path::new("docs/pictures/virtual");
    std::fs::create_dir_all(directory).expect("docs can be written");
    let path = directory.join(format!("{file}.svg"));
    std::fs::write(path, plot.svg()).expect("docs can be written");
}

/// What a run with failures consists of, in seconds.
#[derive(Clone, Copy)]
struct Parts {
    iteration: f64,
    checkpoint: f64,
    /// From a death until all go on from the last checkpoint.
    failure: f64,
}

/// What a short run takes without checkpoints and failures, and each iteration of it, in seconds;
/// and what it takes to agree on a checkpoint, which the program counts as computing.
#[derive(Clone, Copy)]
struct Undisturbed {
    all: f64,
    iteration: f64,
    agreeing: f64,
}

/// Iterations, and how many of them are between checkpoints, in a run that shows the parts; the one
/// after which a rank dies, and is lost with those since the last checkpoint.
const SHOWN: usize = 8;
const SHOWN_BETWEEN: usize = 5;
const DEADLY: usize = 7;
/// So many iterations more show what one takes after a failure.
const AFTERWARDS: usize = 4;
/// What is known of numbers of ranks and schemes or policies, in the directory of the runs.
const KNOWN: &str = "parts.csv";

impl Parts {
    /// How many times as long as its iterations alone a solution takes in the mean, with so many
    /// between checkpoints, and so many seconds between failures.
    fn overhead(&self, between: u64, mean: f64) -> f64 {
        let work = between as f64 * self.iteration;
        let segment = work + self.checkpoint;
        (self.failure / mean).exp() * mean * (segment / mean).exp_m1() / work
    }

    /// The best number of iterations between checkpoints.
    fn best(&self, mean: f64) -> u64 {
        // From one to the next, about a thousandth more.
        let tried = (0..20_000).map(|step| 1.001_f64.powi(step) as u64);
        let better = |one: &u64, other: &u64| {
            self.overhead(*one, mean).total_cmp(&self.overhead(*other, mean))
        };
        tried.min_by(better).expect("some are tried")
    }
}

/// What surviving costs up to large numbers of ranks, with the best time between checkpoints.
fn scale(bench: &Bench, wish: &Wish) {
    const MEANS: [(&str, f64); 4] =
        [("10 ms", 0.01), ("1 s", 1.0), ("1 min", 60.0), ("10 min", 600.0)];
    const MOST_A_SECOND: u32 = 100;
    let heads = MEANS.map(|(name, _)| format!(" a failure every {name} |")).concat();
    println!("| ranks | scheme | an iteration | a checkpoint | a failure |{heads}");
    println!("|---|---|---|---|---|{}", "---|".repeat(MEANS.len()));
    let mut curves = Vec::new();
    for ranks in &wish.ranks {
        let undisturbed = OnceCell::new();
        for scheme in wish.schemes.iter().copied() {
            let known = bench.known(*ranks, scheme);
            let known = known.map(|[iteration, checkpoint, failure]| Parts {
                iteration,
                checkpoint,
                failure,
            });
            let parts = known.unwrap_or_else(|| {
                let undisturbed = undisturbed.get_or_init(|| bench.undisturbed(*ranks));
                bench.parts(*ranks, scheme, *undisturbed)
            });
            let micros = [parts.iteration, parts.checkpoint, parts.failure]
                .map(|part| format!(" {:.0} µs |", part * 1e6));
            let more = |mean| {
                let best = parts.best(mean);
                (100.0 * (parts.overhead(best, mean) - 1.0), best)
            };
            let cells = MEANS.map(|(_, mean)| {
                let (more, best) = more(mean);
                format!(" {more:.2} % ({best}) |")
            });
            println!("| {ranks} | `{scheme}` |{}{}", micros.concat(), cells.concat());
            // The first scheme with each number of ranks, and the last number with each scheme.
            if Some(&scheme) == wish.schemes.first() || Some(ranks) == wish.ranks.last() {
                let points = (1..=MOST_A_SECOND)
                    .map(|rate| (f64::from(rate), more(1.0 / f64::from(rate)).0));
                curves.push(Curve {
                    name: format!("{scheme}, {ranks} ranks"),
                    pen: Pen::numbered(curves.len()),
                    points: points.collect(),
                });
            }
        }
    }
    let plot = Plot {
        title: "Up to large numbers of ranks, with the best time between checkpoints".to_string(),
        across: "failures a second".to_string(),
        up: "longer than undisturbed (%)".to_string(),
        curves,
    };
    if wish.writes {
        write("scale", &plot);
    }
}

/// What a failure takes, and an iteration after it, by where replacements start.
fn places(bench: &Bench, wish: &Wish) {
    println!("| ranks | policy | others that move | a failure | an iteration | after it |");
    println!("|---|---|---|---|---|---|");
    for ranks in &wish.ranks {
        let undisturbed = OnceCell::new();
        for policy in POLICIES {
            let [moves, failure, before, after] =
                bench.known(*ranks, policy).unwrap_or_else(|| {
                    let undisturbed = undisturbed.get_or_init(|| bench.undisturbed(*ranks));
                    bench.place(*ranks, policy, *undisturbed)
                });
            let [failure, before, after] =
                [failure, before, after].map(|seconds| format!("{:.1} µs", seconds * 1e6));
            println!("| {ranks} | `{policy}` | {moves} | {failure} | {before} | {after} |");
        }
    }
}

fn wish() -> Option<Wish> {
    let (ranks, schemes) = (vec![1000, 4000], SCHEMES.to_vec());
    let mut wish = Wish { only: None, ranks, schemes, seeds: 3, writes: false };
    // Cargo adds a word of its own.
    let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
    while let Some(word) = words.next() {
        match word.as_str() {
            "--ranks" => {
                let ranks = words.next()?;
                wish.ranks = ranks.split(',').map(str::parse).collect::<Result<_, _>>().ok()?;
            }
            "--schemes" => {
                let known = |word: &str| SCHEMES.into_iter().find(|scheme| *scheme == word);
                wish.schemes = words.next()?.split(',').map(known).collect::<Option<_>>()?;
            }
            "--only" => wish.only = Some(words.next()?),
            "--seeds" => wish.seeds = words.next()?.parse().ok().filter(|seeds| *seeds > 0)?,
            "--write" => wish.writes = true,
            _ => return None,
        }
    }
    Some(wish)
}

/// Where everything is that the runs need.
struct Bench {
    ftrun: &'static str,
    directory: PathBuf,
    program: PathBuf,
}

impl Bench {
    fn build() -> Bench {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("survival");
        std::fs::create_dir_all(&directory).expect("the target directory can be written");
        let program = directory.join("pcg");
        let compiler = Command::new(env!("CARGO_BIN_EXE_mpicc"))
            .args(["-O2", "c_examples/pcg.c", "-lm", "-o"])
            .arg(&program)
            .status();
        assert!(compiler.is_ok_and(|status| status.success()), "pcg.c was not compiled");
        Bench { ftrun: env!("CARGO_BIN_EXE_ftrun"), directory, program }
    }

    /// The overhead of each line, by the number of failures a second.
    fn plot(&self, title: &str, lines: &[Line], seeds: usize) -> Plot {
        let undisturbed = |run: &Run| Run { scheme: None, between: None, seed: 1, ..run.clone() };
        let at = |run: &Run, between, seed| Run { between, seed, ..run.clone() };
        let mut runs: Vec<Run> = Vec::new();
        for (_, run) in lines {
            runs.push(undisturbed(run));
            for between in BETWEEN {
                let seeds = if between.is_some() { seeds } else { 1 };
                runs.extend((1..=seeds).map(|seed| at(run, between, seed)));
            }
        }
        let took = self.all(runs);
        let curves = lines.iter().enumerate().map(|(number, (name, run))| {
            let alone = took[&undisturbed(run)];
            let points = BETWEEN.map(|between| {
                let seeds = if between.is_some() { seeds } else { 1 };
                let sum: f64 = (1..=seeds).map(|seed| took[&at(run, between, seed)]).sum();
                let rate = between.map_or(0.0, |between| 1000.0 / f64::from(between));
                (rate, 100.0 * (sum / seeds as f64 / alone - 1.0))
            });
            Curve { name: name.clone(), pen: Pen::numbered(number), points: points.into() }
        });
        Plot {
            title: title.to_string(),
            across: "failures a second".to_string(),
            up: "longer than undisturbed (%)".to_string(),
            curves: curves.collect(),
        }
    }

    /// The seconds that each of these runs takes in virtual time; as many go side by side as there
    /// are cores.
    fn all(&self, mut runs: Vec<Run>) -> HashMap<Run, f64> {
        let mut known = std::collections::HashSet::new();
        runs.retain(|run| known.insert(run.clone()));
        // The longest ones first.
        runs.sort_by_key(|run| std::cmp::Reverse(run.ranks));
        let (next, took) = (AtomicUsize::new(0), Mutex::new(HashMap::new()));
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
        std::thread::scope(|scope| {
            for _ in 0..cores {
                scope.spawn(|| {
                    while let Some(run) = runs.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let seconds = self.time(run);
                        took.lock().expect("no run panics here").insert(run.clone(), seconds);
                        eprint!(
                            "\r{} of {} runs ",
                            took.lock().map_or(0, |took| took.len()),
                            runs.len()
                        );
                    }
                });
            }
        });
        eprintln!();
        took.into_inner().expect("no run panics here")
    }

    /// The seconds that the solution takes, without its set-up.
    fn time(&self, run: &Run) -> f64 {
        let mut command = self.command(run);
        command.args(["--iterations", &ITERATIONS.to_string()]);
        if run.scheme.is_some() {
            command.args(["--every", "20"]);
        }
        said(&mut command).seconds
    }

    /// What a run takes without checkpoints and failures.
    fn undisturbed(&self, ranks: usize) -> Undisturbed {
        let [one, all] =
            [1, SHOWN].map(|many| self.shown(&Run::short(ranks, None), many, None).seconds);
        let with = self.shown(&Run::short(ranks, Some(SCHEMES[0])), SHOWN, None);
        // At the end, too, all meet.
        let agreeing = (with.seconds - with.checkpoints - all) / f64::from(with.many + 1);
        Undisturbed { all, iteration: (all - one) / (SHOWN - 1) as f64, agreeing }
    }

    /// What an earlier run has found, of a series that may have been interrupted.
    fn known<const MANY: usize>(&self, ranks: usize, name: &str) -> Option<[f64; MANY]> {
        let known = std::fs::read_to_string(self.directory.join(KNOWN)).ok()?;
        let of = format!("{ranks},{name},");
        let numbers = known.lines().find_map(|line| line.strip_prefix(&of))?;
        let numbers: Option<Vec<f64>> = numbers.split(',').map(|part| part.parse().ok()).collect();
        numbers?.try_into().ok()
    }

    fn keep<const MANY: usize>(&self, ranks: usize, name: &str, found: [f64; MANY]) {
        let path = self.directory.join(KNOWN);
        let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
        let found = format!("{ranks},{name},{}\n", found.map(|it| it.to_string()).join(","));
        file.and_then(|mut file| file.write_all(found.as_bytes())).expect("there is room");
    }

    /// What a scheme costs: by a run in which a rank dies.
    fn parts(&self, ranks: usize, scheme: &'static str, undisturbed: Undisturbed) -> Parts {
        let Undisturbed { all, iteration, agreeing } = undisturbed;
        let said = self.shown(&Run::short(ranks, Some(scheme)), SHOWN, Some(ranks / 2));
        let checkpoint = said.checkpoints / f64::from(said.many) + agreeing;
        let failure = said.apart(agreeing) - all - again(iteration);
        self.keep(ranks, scheme, [iteration, checkpoint, failure]);
        Parts { iteration, checkpoint, failure }
    }

    /// What a failure costs where replacements start like that: how many other ranks move, the
    /// failure, and an iteration before and after it.
    fn place(&self, ranks: usize, policy: &'static str, undisturbed: Undisturbed) -> [f64; 4] {
        let Undisturbed { all, iteration, agreeing } = undisturbed;
        let run = Run { policy, ..Run::short(ranks, Some(SCHEMES[0])) };
        let side = side(ranks);
        let in_the_middle = ranks / 2 + side * side / 2 + side / 2;
        let [short, long] = [SHOWN, SHOWN + AFTERWARDS]
            .map(|iterations| self.shown(&run, iterations, Some(in_the_middle)));
        let after = (long.apart(agreeing) - short.apart(agreeing)) / AFTERWARDS as f64;
        // What is done again, and the rest, is done on the new nodes.
        let later = (SHOWN - SHOWN_BETWEEN) as f64 * (after - iteration);
        let failure = short.apart(agreeing) - all - again(iteration) - later;
        let found = [f64::from(short.moves), failure, iteration, after];
        self.keep(ranks, policy, found);
        found
    }

    /// A short run, in which this rank may die.
    fn shown(&self, run: &Run, iterations: usize, dies: Option<usize>) -> Said {
        let mut command = self.command(run);
        command.args(["--iterations", &iterations.to_string()]);
        if run.scheme.is_some() {
            command.args(["--every", &SHOWN_BETWEEN.to_string()]);
        }
        if let Some(rank) = dies {
            command.arg("--kill").arg(format!("{rank}@{DEADLY}"));
        }
        eprint!("\r{} ranks, {}, {} ", run.ranks, run.scheme.unwrap_or("undisturbed"), run.policy);
        let said = said(&mut command);
        eprint!("\r{:60}\r", "");
        said
    }

    /// The program on the machine.
    fn command(&self, run: &Run) -> Command {
        let machine = self.directory.join(format!("{}-{}.toml", run.ranks, run.policy));
        std::fs::write(&machine, file(run)).expect("the target directory can be written");
        let mut command = Command::new(self.ftrun);
        command.arg("-np").arg(run.ranks.to_string());
        command.arg("--machine").arg(&machine).args(["--virtual", "--network", run.network]);
        command.args(["--mode", "rebuild", "--seed", &run.seed.to_string()]);
        if let Some(between) = run.between {
            command.arg("--mttf").arg(format!("{between}ms"));
        }
        command.arg(&self.program).args(["--order", &(run.ranks * ROWS).to_string()]);
        run.scheme.inspect(|scheme| _ = command.args(["--scheme", scheme]));
        command
    }
}

/// What a run says of itself: how long it took without its set-up, and its checkpoints.
struct Said {
    seconds: f64,
    checkpoints: f64,
    many: u32,
    /// How many ranks have moved to other nodes, beside one that was started again.
    moves: u32,
}

impl Said {
    /// Without its checkpoints, and what it takes to agree on them.
    fn apart(&self, agreeing: f64) -> f64 {
        self.seconds - self.checkpoints - f64::from(self.many + 1) * agreeing
    }
}

/// What is done again after the failure of a short run.
fn again(iteration: f64) -> f64 {
    (DEADLY - SHOWN_BETWEEN) as f64 * iteration
}

fn said(command: &mut Command) -> Said {
    let output = command.output().expect("ftrun runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let announced = String::from_utf8_lossy(&output.stderr);
    let moves = announced.lines().find_map(|line| {
        let (before, _) = line.split_once(" others move)")?;
        before.rsplit(' ').next()?.parse().ok()
    });
    let moves = moves.unwrap_or(0);
    let read = |line: &str| {
        let (seconds, rest) = line.strip_prefix("time ")?.split_once(" s and ")?;
        let (checkpoints, rest) = rest.split_once("checkpoints ")?.1.split_once(" (")?;
        let many = rest.split_once(')')?.0.parse().ok()?;
        let (seconds, checkpoints) = (seconds.parse().ok()?, checkpoints.parse().ok()?);
        Some(Said { seconds, checkpoints, many, moves })
    };
    text.lines().find_map(read).unwrap_or_else(|| panic!("{command:?}: {text}{announced}"))
}

/// The nodes in each dimension that so many ranks need.
fn side(ranks: usize) -> usize {
    (1..).find(|side: &usize| side.pow(3) >= ranks).expect("there is one")
}

/// The machine: a torus that has room for the ranks and for spares on two sides.
fn file(run: &Run) -> String {
    let side = side(run.ranks);
    let methods = match run.policy {
        "hybrid(all)" => "\"3D\", \"2D\", \"1D\", \"0D\"".to_string(),
        method => format!("\"{method}\""),
    };
    format!(
        "[machine]\ntopology = \"torus\"\ndims = [{}, {}, {side}]\n\
         [spares]\nalloc = \"3D(2,1)\"\nsubstitute = [{methods}]\n\
         [cost]\nhop_ns = 100\ncorner_ns = 0\nhandler_ns = 2000\nbyte_ns = 6.5\ncycle_ns = 1.43\n\
         [recovery]\ndetect = \"100us\"\nrestart = \"1ms\"\nprocess_bytes = 500e3\n",
        side + 1,
        side + 1
    )
}

/// The points of a plot: a row for each curve, a column for each rate.
fn table(plot: &Plot) -> String {
    let points = plot.curves.first().map_or(&[][..], |curve| &curve.points);
    let heads = points.iter().map(|(rate, _)| format!(" {rate:.0} |"));
    let mut text = format!("| {} |{}\n", plot.across, heads.collect::<String>());
    text += &format!("|---|{}\n", "---|".repeat(points.len()));
    for curve in &plot.curves {
        let cells = curve.points.iter().map(|(_, more)| format!(" {more:.1} % |"));
        text += &format!("| {} |{}\n", curve.name, cells.collect::<String>());
    }
    text
}
