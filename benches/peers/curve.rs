//! Whole curves instead of points: sizes, windows, offsets, datatypes, forms of collectives, each
//! beside all peers. Gives all points as a file, pictures, and a list of where a peer is ahead.

use super::contender::Contender;
use super::{median, short};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::thread::available_parallelism;

#[path = "curve/distance.rs"]
mod distance;
#[path = "curve/picture.rs"]
mod picture;

use distance::{Cores, Distances, Scale};

/// More ranks than any laptop has cores.
const MANY: usize = 120;
/// The longest time that twice the size may take, in times of the size itself.
const STEEP: f64 = 2.3;
/// Measurements of one point differ by this much from run to run.
const NOISE: f64 = 1.05;

/// The kinds of curves (see `benches/c/curve.c`), and whether more than two ranks have any.
const KINDS: [(&str, bool); 9] = [
    ("messages", false),
    ("offsets", false),
    ("streams", false),
    ("windows", false),
    ("pairs", false),
    ("types", false),
    ("collectives", true),
    ("forms", true),
    ("communicators", true),
];

/// One curve: what is measured, by how many ranks.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Name {
    kind: &'static str,
    ranks: usize,
    /// Where they were, if each had one.
    cores: Cores,
    name: String,
}

/// What to measure.
pub(super) struct Wanted<'a> {
    /// The kinds; none: all.
    pub(super) kinds: &'a [String],
    /// With how many ranks; `None`: two, as many as there are cores, and many.
    pub(super) ranks: Option<usize>,
    /// How often, where ranks have cores of their own.
    pub(super) rounds: u32,
}

/// The microseconds of each contender at each place of a curve.
type Points = BTreeMap<u64, Vec<Option<f64>>>;

/// All curves of one run.
pub(super) struct Curves {
    contenders: Vec<String>,
    curves: BTreeMap<Name, Points>,
}

impl Curves {
    /// Measures what is wanted.
    pub(super) fn measure(contenders: &[Contender], wanted: &Wanted<'_>) -> Curves {
        let names = contenders.iter().map(|contender| contender.name.clone()).collect();
        let mut all = Curves { contenders: names, curves: BTreeMap::new() };
        let cores = available_parallelism().map_or(2, usize::from);
        let kinds = wanted.kinds;
        let is_wanted = |kind: &&str| kinds.is_empty() || kinds.iter().any(|word| word == kind);
        for (kind, has_many) in KINDS.into_iter().filter(|(kind, _)| is_wanted(kind)) {
            let mut numbers = match has_many {
                true => vec![2, cores, MANY],
                false if kind == "pairs" => vec![cores / 2 * 2],
                false => vec![2],
            };
            numbers.dedup();
            let numbers = wanted.ranks.map_or(numbers, |ranks| vec![ranks]);
            for ranks in numbers.into_iter().filter(|ranks| *ranks >= 2) {
                let rounds = if ranks > cores { 1 } else { wanted.rounds };
                all.measure_kind(kind, ranks, (cores, rounds), contenders);
            }
        }
        all
    }

    /// Runs alternate between the contenders. One that does not end in time is not run again.
    fn measure_kind(
        &mut self, kind: &'static str, ranks: usize, (cores, rounds): (usize, u32),
        contenders: &[Contender],
    ) {
        let mut runs: Vec<(Distances, usize, String)> = Vec::new();
        for round in 0..rounds {
            for (index, contender) in contenders.iter().enumerate() {
                eprintln!("{kind}, {ranks} ranks, round {round}: {}", contender.name);
                let options = contender.placement(ranks <= cores);
                let run = || contender.run(ranks, options, "curve", &[kind]);
                let (distances, run) = Distances::around(run);
                runs.extend(run.map(|(printed, _)| (distances, index, printed)));
            }
        }
        let distances: Vec<Distances> = runs.iter().map(|(distances, ..)| *distances).collect();
        let scale = Scale::of(if ranks > cores { &[] } else { &distances });
        let mut seen: BTreeMap<(Cores, &str, u64, usize), Vec<f64>> = BTreeMap::new();
        for (distances, index, printed) in &runs {
            // Where the cores were moved amid a run, nobody knows what it has measured.
            let Some(place) = scale.place(*distances) else { continue };
            for (name, at, took) in printed.lines().filter_map(point_of) {
                seen.entry((place, name, at, *index)).or_default().push(took);
            }
        }
        for ((cores, name, at, index), mut values) in seen {
            let name = Name { kind, ranks, cores, name: name.to_string() };
            let curve = self.curves.entry(name).or_default();
            let point = curve.entry(at).or_insert_with(|| vec![None; contenders.len()]);
            point[index] = median(&mut values);
        }
    }

    /// All points: microseconds, and how many times longer the best peer takes.
    pub(super) fn csv(&self) -> String {
        let mut text = format!("kind,ranks,cores,curve,at,{},ahead\n", self.contenders.join(","));
        for (Name { kind, ranks, cores, name }, points) in &self.curves {
            for (at, took) in points {
                let cell = |value: &Option<f64>| value.map(|us| us.to_string()).unwrap_or_default();
                let cells: Vec<String> = took.iter().map(cell).collect();
                let ahead = ahead(took).map(short).unwrap_or_default();
                let cells = cells.join(",");
                let _ = writeln!(text, "{kind},{ranks},{cores},{name},{at},{cells},{ahead}");
            }
        }
        text
    }

    /// What people want to know first: how far ahead, and where not.
    pub(super) fn summary(&self) -> String {
        let mut text = String::new();
        let mut kinds: BTreeMap<(&str, usize, Cores), Vec<f64>> = BTreeMap::new();
        for (name, points) in &self.curves {
            let ratios = points.values().filter_map(|took| ahead(took));
            kinds.entry((name.kind, name.ranks, name.cores)).or_default().extend(ratios);
        }
        text.push_str("| kind | ranks | cores | points | ahead of the best peer, geometric mean |");
        text.push_str(" least | points behind |\n|---|---|---|---|---|---|---|\n");
        let all: Vec<f64> = kinds.values().flatten().copied().collect();
        let row = |of: &(&'static str, usize, Cores)| (of.0, of.1.to_string(), of.2);
        let rows = kinds.iter().map(|(of, ratios)| (row(of), ratios));
        for ((kind, ranks, cores), ratios) in
            rows.chain([(("all", String::new(), Cores::Any), &all)])
        {
            let mean = ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64;
            let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
            let behind = ratios.iter().filter(|ratio| **ratio * NOISE < 1.0).count();
            let (mean, least) = (short(mean.exp()), short(least));
            let points = ratios.len();
            let cells = [points.to_string(), mean, least, behind.to_string()].join(" | ");
            let _ = writeln!(text, "| {kind} | {ranks} | {cores} | {cells} |");
        }
        text.push_str(&self.behind());
        text.push_str(&self.steep());
        text
    }

    /// The points at which a peer is ahead.
    fn behind(&self) -> String {
        let mut rows = Vec::new();
        for (Name { kind, ranks, cores, name }, points) in &self.curves {
            for (at, took) in points {
                let best = took[1..].iter().zip(&self.contenders[1..]);
                let best = best.filter_map(|(us, who)| Some(((*us)?, who)));
                let best = best.min_by(|a, b| a.0.total_cmp(&b.0));
                let (Some(ours), Some((theirs, who))) = (took[0], best) else { continue };
                if theirs * NOISE < ours {
                    let (ratio, ours, theirs) = (short(theirs / ours), short(ours), short(theirs));
                    let figures = format!("{at} | {ours} | {theirs} ({who}) | {ratio}");
                    rows.push(format!("| {kind} | {ranks} | {cores} | {name} | {figures} |"));
                }
            }
        }
        let heading = "| kind | ranks | cores | curve | at | ours, µs | best peer, µs | ratio |\n\
                       |---|---|---|---|---|---|---|---|\n";
        match rows.is_empty() {
            true => "\nNo peer is ahead at any point.\n".to_string(),
            false => format!("\nPeers are ahead here:\n\n{heading}{}\n", rows.join("\n")),
        }
    }

    /// Where our own curves have a cliff: twice the size takes much more than twice the time.
    fn steep(&self) -> String {
        let mut text = String::new();
        for (Name { kind, ranks, cores, name }, points) in &self.curves {
            let ours = points.iter().filter_map(|(at, took)| Some((*at, took[0]?)));
            let ours: BTreeMap<u64, f64> = ours.collect();
            for (at, took) in ours.iter().filter(|(at, _)| **at > 0) {
                // Where numbers vary, the time is for each: it must not grow at all.
                let most = if *kind == "windows" { STEEP / 2.0 } else { STEEP };
                if let Some(next) = ours.get(&(at * 2)).filter(|next| **next > took * most) {
                    let (took, next) = (short(*took), short(*next));
                    let _ = writeln!(
                        text,
                        "- {kind}, {ranks} ranks {cores}, {name}: {took} µs at {at}, {next} µs at \
                         {}",
                        at * 2
                    );
                }
            }
        }
        match text.is_empty() {
            true => "\nNone of our curves has a cliff.\n".to_string(),
            false => format!("\nCliffs of ours:\n\n{text}"),
        }
    }

    /// Writes the points and the pictures into `docs`.
    pub(super) fn write(&self, docs: &Path) {
        let file = |name: &str, text: String| {
            std::fs::write(docs.join(name), text).expect("docs is writable");
        };
        file("curves.csv", self.csv());
        for (kind, _) in KINDS {
            for (ranks, cores, svg) in self.pictures(kind) {
                let place = if cores == Cores::Any { "" } else { "-" };
                file(&format!("pictures/curve-{kind}-{ranks}{place}{cores}.svg"), svg);
            }
        }
    }
}

/// What a line says: whose point it is, at which place, and its microseconds.
fn point_of(line: &str) -> Option<(&str, u64, f64)> {
    let mut words = line.split_whitespace();
    Some((words.next()?, words.next()?.parse().ok()?, words.next()?.parse().ok()?))
}

pub(super) fn is_kind(word: &str) -> bool {
    KINDS.iter().any(|(kind, _)| *kind == word)
}

/// How many times longer the best peer takes.
fn ahead(took: &[Option<f64>]) -> Option<f64> {
    let best = took[1..].iter().flatten().copied().reduce(f64::min)?;
    Some(best / took[0]?)
}
