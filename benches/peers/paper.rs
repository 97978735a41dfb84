//! The tables of Dongarra, Chen, Bosilca and Langou ("Disaster Survival Guide in Petascale
//! Computing"): conjugate gradients that survive by checkpoints in memory, beside the plain ones of
//! the peers.

use super::contender::Contender;
use std::time::Instant;

/// Ranks that compute, rows of the matrix, and how often ours are run, in turns: those of a few
/// seconds differ most from one time to the next.
const SIZES: [(usize, u32, usize); 4] =
    [(15, 164_610, 3), (30, 329_220, 3), (60, 658_440, 1), (120, 1_316_880, 1)];
/// Numbers in a row. The paper's orders are those of bcsstk17 times the ranks, and that one has 39.
const STENCIL: &str = "27";
/// The paper's, if nothing else is said.
const ITERATIONS: u32 = 2000;
const MOST_KEEPERS: usize = 5;
/// Who is slow does no more iterations than these, and has so many seconds for them.
const ITERATIONS_OF_PEERS: u32 = 50;
const PATIENCE: &str = "100";
const OUR_PATIENCE: &str = "600";

/// What one run says.
#[derive(Clone, Copy)]
struct Seen {
    /// Without the time that it takes to set up.
    seconds: f64,
    checkpoints: f64,
    environment: f64,
    data: f64,
    residual: f64,
    failures: usize,
}

/// Who runs what.
#[derive(Clone, Copy)]
struct Case<'a> {
    who: &'a Contender,
    ranks: usize,
    rows: u32,
    iterations: u32,
    keepers: usize,
    victims: usize,
}

/// The table, by so many iterations everywhere if that is said.
pub(super) fn table(contenders: &[Contender], iterations: Option<u32>) -> String {
    let ours = contenders[0].clone().within(OUR_PATIENCE);
    let peers: Vec<Contender> = contenders[1..]
        .iter()
        .filter(|peer| peer.is("mpich") || peer.is("openmpi"))
        .map(|peer| peer.clone().within(PATIENCE))
        .collect();
    let iterations = iterations.unwrap_or(ITERATIONS);
    let few = iterations.min(ITERATIONS_OF_PEERS);
    let mut progress = Progress::of(iterations, few, peers.len());
    let mut lines = vec![machine(), String::new()];
    for (ranks, rows, rounds) in SIZES {
        let plain = Case { who: &ours, ranks, rows, iterations, keepers: 0, victims: 0 };
        lines.push(format!("{ranks} ranks compute, {rows} rows, {iterations} iterations:\n"));
        lines.push(
            "| ranks that keep codes | no failure, s | checkpoints | as many failures, s \
             | recovery (environment, data) | residual, without and with failures |"
                .to_string(),
        );
        lines.push(format!("|{}", "---|".repeat(6)));
        let mut cases = vec![plain];
        for keepers in 1..=MOST_KEEPERS {
            cases.push(Case { keepers, ..plain });
            cases.push(Case { keepers, victims: keepers, ..plain });
        }
        let mut seen: Vec<Vec<Seen>> = vec![Vec::new(); cases.len()];
        for _ in 0..rounds {
            let all = cases.iter().zip(&mut seen);
            all.for_each(|(case, seen)| seen.extend(progress.run(case)));
        }
        let seen: Vec<Option<Seen>> = seen.iter().map(|seen| middle(seen)).collect();
        let base = seen[0];
        lines.push(format!("| none | {} |  |  |  | {} |", seconds(base), residual(base)));
        for (keepers, both) in (1..).zip(seen[1..].chunks_exact(2)) {
            lines.push(row(keepers, base, both[0], both[1]));
        }
        for who in &peers {
            let seen = progress.run(&Case { who, iterations: few, ..plain });
            lines.push(peer_row(who, base, seen, f64::from(iterations) / f64::from(few)));
        }
        lines.push(String::new());
    }
    lines.join("\n").trim_end().to_string()
}

/// The median of each figure.
fn middle(seen: &[Seen]) -> Option<Seen> {
    let of = |figure: fn(&Seen) -> f64| {
        super::median(&mut seen.iter().map(figure).collect::<Vec<f64>>()).unwrap_or(f64::NAN)
    };
    Some(Seen {
        seconds: of(|seen| seen.seconds),
        checkpoints: of(|seen| seen.checkpoints),
        environment: of(|seen| seen.environment),
        data: of(|seen| seen.data),
        ..*seen.first()?
    })
}

fn row(keepers: usize, base: Option<Seen>, calm: Option<Seen>, stormy: Option<Seen>) -> String {
    let share = |part: f64, whole: f64| format!("{part:.3} s, {:.2} %", part / whole * 100.0);
    let checkpoints = calm.map_or(String::new(), |seen| {
        share(seen.checkpoints, base.map_or(seen.seconds, |base| base.seconds))
    });
    let recovery = stormy.map_or(String::new(), |seen| {
        let both = share(seen.environment + seen.data, seen.seconds);
        format!("{both} ({:.3}, {:.3})", seen.environment, seen.data)
    });
    let with = match stormy {
        Some(seen) if seen.failures == keepers => seconds(stormy),
        Some(seen) => format!("{}, {} failures", seconds(stormy), seen.failures),
        None => seconds(None),
    };
    let residuals = format!("{}, {}", residual(calm), residual(stormy));
    format!("| {keepers} | {} | {checkpoints} | {with} | {recovery} | {residuals} |", seconds(calm))
}

/// A peer has no checkpoints. Its time is that of as many iterations as ours has done.
fn peer_row(who: &Contender, base: Option<Seen>, seen: Option<Seen>, share: f64) -> String {
    let time = match seen {
        None => format!("not {ITERATIONS_OF_PEERS} iterations within {PATIENCE} s"),
        Some(seen) => {
            let whole = seen.seconds * share;
            let times = base.map_or(f64::NAN, |base| whole / base.seconds);
            format!("{whole:.2}, × {times:.2}")
        }
    };
    format!("| {}, plain | {time} |  |  |  |  |", who.name)
}

fn seconds(seen: Option<Seen>) -> String {
    seen.map_or("none in time".to_string(), |seen| format!("{:.2}", seen.seconds))
}

fn residual(seen: Option<Seen>) -> String {
    seen.map_or("–".to_string(), |seen| format!("{:.6e}", seen.residual))
}

/// What the figures were measured on.
fn machine() -> String {
    let read = |file: &str| std::fs::read_to_string(file).unwrap_or_default();
    let info = read("/proc/cpuinfo");
    let model = info.lines().find_map(|line| line.strip_prefix("model name"));
    let model = model.map_or("unknown", |text| text.trim_start_matches([' ', '\t', ':']));
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let kernel = read("/proc/sys/kernel/osrelease");
    format!("Measured on {cores} cores of {model}, Linux {}.", kernel.trim())
}

/// How far all runs are, told after each.
struct Progress {
    begun: Instant,
    runs: (usize, usize),
    /// Iterations times rows, of the runs that are done and of all.
    work: (f64, f64),
}

impl Progress {
    fn of(iterations: u32, few: u32, peers: usize) -> Progress {
        let ours = |rounds: usize| rounds * (1 + 2 * MOST_KEEPERS);
        let each = |rounds: usize| {
            f64::from(iterations) * ours(rounds) as f64 + f64::from(few) * peers as f64
        };
        let work = SIZES.iter().map(|&(_, rows, rounds)| f64::from(rows) * each(rounds)).sum();
        let runs = (0, SIZES.iter().map(|&(.., rounds)| ours(rounds) + peers).sum());
        Progress { begun: Instant::now(), runs, work: (0.0, work) }
    }

    fn run(&mut self, case: &Case<'_>) -> Option<Seen> {
        let seen = case.run();
        self.runs.0 += 1;
        self.work.0 += f64::from(case.rows) * f64::from(case.iterations);
        let (done, all) = self.work;
        let left = self.begun.elapsed().as_secs_f64() * (all / done - 1.0) / 60.0;
        let Case { who, ranks, keepers, victims, .. } = case;
        eprintln!(
            "run {} of {}: {}, {ranks} + {keepers} ranks, {victims} failures: {}; \
             about {left:.0} min are left",
            self.runs.0,
            self.runs.1,
            who.name,
            seen.map_or("none in time".to_string(), |seen| format!("{:.2} s", seen.seconds)),
        );
        seen
    }
}

impl Case<'_> {
    fn run(&self) -> Option<Seen> {
        let middle = self.iterations / 2;
        let mut words: Vec<String> = ["--poisson", STENCIL, "--order", &self.rows.to_string()]
            .into_iter()
            .chain(["--iterations", &self.iterations.to_string()])
            .map(ToString::to_string)
            .collect();
        let mut options: &[&str] = &[];
        if self.keepers > 0 {
            options = &["-q", "--mode", "rebuild"];
            let keepers = self.keepers.to_string();
            // The paper's interval; short trials have a checkpoint before the failures as well.
            let every = middle.clamp(1, 100).to_string();
            let more = ["--scheme", "weighted", "--checkpoint-ranks", &keepers, "--every", &every];
            words.extend(more.map(ToString::to_string));
        }
        // They are spread over all, and rank 0 lives, which has the clock.
        for victim in 0..self.victims {
            let victim = 1 + victim * (self.ranks - 1) / self.victims;
            words.extend(["--kill".to_string(), format!("{victim}@{middle}")]);
        }
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let program = "solver";
        let (printed, _) = self.who.run(self.ranks + self.keepers, options, program, &words)?;
        read(&printed)
    }
}

/// The two last lines of the program.
fn read(printed: &str) -> Option<Seen> {
    let after = |word: &str| -> Option<f64> {
        let (_, rest) = printed.split_once(word)?;
        rest.split([' ', ',', ')', '\n']).find(|text| !text.is_empty())?.parse().ok()
    };
    Some(Seen {
        seconds: after("time ")?,
        checkpoints: after("checkpoints ")?,
        environment: after("environment ")?,
        data: after("data ")?,
        residual: after("residual ")?,
        failures: after("failures ")? as usize,
    })
}
