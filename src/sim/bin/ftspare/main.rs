//! Spare nodes: how many there are, how failed nodes are replaced, and which messages then collide.

#![forbid(unsafe_code)]

mod help;
mod watch;

use ftmpi_base::random::Random;
use ftmpi_cli::Words;
use ftmpi_machine::Model;
use ftmpi_machine::fat_tree::FatTree;
use ftmpi_machine::spares::{Choice, Method, Spares};
use ftmpi_machine::topology::{Grid, Topology};
use ftmpi_machine::traffic::Pattern;
use ftmpi_machine::units::numbers;
use ftmpi_sim::output;
use ftmpi_sim::program::program;
use ftmpi_sim::report::{Report, Value};
use ftmpi_sim::spares::Study;
use ftmpi_sim::spares::figures::{Figures, NAMES};
use ftmpi_sim::spares::sample::{After, sample};
use ftmpi_sim::spares::study::Effort;
use ftmpi_sim::spares::table;
use ftmpi_sim::spares::worst::{Search, Worst, worst};
use ftmpi_sim::stage::{self, Viewing};
use std::io;
use std::path::Path;
use std::process::ExitCode;
use watch::{Fates, Watched};

fn main() -> ExitCode {
    program("ftspare", help::PAGE, run)
}

fn run(arguments: Vec<String>) -> Result<String, String> {
    // A sample's data go to a named file; those of all figures beside their pictures.
    let own: &[&str] = match arguments.first().map(String::as_str) {
        Some("figures") => &["json", "torus", "csv"],
        _ => &["json", "torus"],
    };
    let alone = [own, &stage::ALONE].concat();
    let mut words = Words::split(arguments.into_iter(), &alone)?;
    match words.word().as_deref() {
        Some("share") => share(words),
        Some("worst") => worst_case(words),
        Some("sample") => sampled(words),
        Some("figure") => drawn(words),
        Some("figures") => all_drawn(words),
        Some("table") => tabled(words),
        _ => Err("which one? ftspare share, worst, sample, figure N, figures or table N".into()),
    }
}

/// The machine that the words describe, or one from a file.
fn study(words: &mut Words, dims: &str, alloc: &str, methods: &str) -> Result<Study, String> {
    let (given_dims, given_alloc) = (words.text("dims"), words.text("alloc"));
    let is_torus = words.has("torus");
    let given_methods = words.text("method");
    let (grid, mut spares, methods) = match words.text("machine") {
        Some(_) if given_dims.is_some() || given_alloc.is_some() || is_torus => {
            return Err(
                "--dims, --alloc and --torus describe another machine than --machine: leave \
                        them out"
                    .into(),
            );
        }
        Some(file) => {
            let (grid, spares) = machine(&file)?;
            (grid, spares, given_methods)
        }
        None => {
            let grid = grid(given_dims.as_deref().unwrap_or(dims), is_torus)?;
            let alloc = given_alloc.as_deref().unwrap_or(alloc);
            let no = |why| format!("--alloc {alloc}: {why}");
            let mut spares = Spares::parse(alloc).map_err(no)?;
            spares.check(&grid).map_err(no)?;
            spares.choose = Choice::Dimension;
            (grid, spares, Some(given_methods.unwrap_or(methods.into())))
        }
    };
    let count = grid.dims().len();
    // The file decides what the command line leaves open.
    if let Some(methods) = methods {
        let read = Method::parse_list(&methods, count as u32);
        spares.substitute = read.map_err(|why| format!("--method {methods}: {why}"))?;
    }
    spares.choose = match words.text("choose").as_deref() {
        None => spares.choose,
        Some("nearest") => Choice::Nearest,
        Some("dimension") => Choice::Dimension,
        Some("collisions") => Choice::Collisions,
        Some(other) => {
            return Err(format!("--choose {other}: use dimension, nearest or collisions"));
        }
    };
    let pattern = match words.text("stencil") {
        Some(text) => {
            Pattern::parse(&text, count).map_err(|why| format!("--stencil {text}: {why}"))?
        }
        None => Pattern::star(count),
    };
    match words.text("fat-tree") {
        None => Study::new(grid, spares, pattern),
        Some(text) => {
            let no = |why| format!("--fat-tree {text}: {why}");
            let tree = fat_tree(&text).map_err(no)?;
            Study::over(Topology::FatTree(tree), grid, spares, pattern).map_err(no)
        }
    }
}

fn grid(text: &str, is_torus: bool) -> Result<Grid, String> {
    let read = numbers(text).and_then(|dims| {
        let grid = if is_torus { Grid::torus(&dims) } else { Grid::mesh(&dims) }?;
        Study::fits(grid.nodes()).map(|()| grid)
    });
    read.map_err(|why| format!("--dims {text}: {why}"))
}

fn fat_tree(text: &str) -> Result<FatTree, String> {
    match numbers(text)?[..] {
        [arity, levels] => FatTree::new(arity, levels),
        _ => Err("give the ports of a switch and the number of levels, such as 19,2".into()),
    }
}

fn machine(file: &str) -> Result<(Grid, Spares), String> {
    let model = Model::find(file, |file| std::fs::read_to_string(file))?;
    let grid = model.topology.grid().ok_or(format!("{file}: spares are for meshes and tori"))?;
    let spares = model.spares.clone();
    Ok((grid.clone(), spares.ok_or(format!("{file} has no [spares]: add alloc = \"3D(2,1)\""))?))
}

/// Shows a machine whose nodes fail one by one, if requested.
fn show(viewing: &Viewing, study: &Study, fates: Fates) -> Result<(), String> {
    match viewing.is_wanted() {
        true if study.network.grid().is_none() => {
            Err("--fat-tree has no page or record: leave --watch, --tui and --record out".into())
        }
        true => viewing.show("ftspare", &mut Watched::new(study, fates)),
        false => Ok(()),
    }
}

/// The beginning of all reports.
fn described(study: &Study) -> Report {
    let mut report = Report::default();
    let shape = if study.grid.wraps() { "torus" } else { "mesh" };
    let links = if study.network.grid().is_none() { ", fat tree below it" } else { "" };
    report.add("network", format!("{shape}{:?}{links}", study.grid.dims()));
    report.add("alloc", study.spares.to_string());
    report.add("ranks", study.ranks());
    report.add("spares", study.reach());
    report.add("share_percent", 100.0 * study.spares.share(&study.grid));
    report
}

fn shown(report: &Report, is_json: bool) -> String {
    if is_json { report.json() } else { report.table() }
}

fn share(mut words: Words) -> Result<String, String> {
    let study = study(&mut words, "12,12,12", "3D(2,1)", "hybrid(all)")?;
    let is_json = words.has("json");
    words.done()?;
    Ok(shown(&described(&study), is_json))
}

fn worst_case(mut words: Words) -> Result<String, String> {
    let failures = words.given("failures", 9)?;
    let usual = Search::default();
    let search = Search {
        width: words.number("width", usual.width)?,
        orders: words.number("orders", usual.orders)?,
        threads: threads(&mut words)?,
    };
    if search.width == 0 {
        return Err("--width 0: use 1 or more".into());
    }
    if !(1..=MOST_ORDERS).contains(&search.orders) {
        return Err(format!("--orders {}: use 1 to {MOST_ORDERS}", search.orders));
    }
    let study = study(&mut words, "15,15", "2D(1,1)", "0D")?;
    let failures = reached(&study, failures)?.unwrap_or(9);
    let (is_json, viewing) = (words.has("json"), Viewing::read(&mut words)?);
    words.done()?;
    let found = worst(&study, failures, search);
    let mut report = described(&study);
    let list = |of: fn(&Worst) -> Value| Value::List(found.iter().map(of).collect());
    report.add("worst_uses", list(|worst| worst.uses.into()));
    report.add("proven", list(|worst| (if worst.is_proven { "yes" } else { "no" }).into()));
    report.add("orders_looked_at", list(|worst| worst.orders.into()));
    report.add("orders_unhandled", list(|worst| worst.unhandled.into()));
    let handled = |worst: &Worst| match worst.is_handled() {
        Some(true) => "yes".into(),
        Some(false) => "no".into(),
        None => "not known".into(),
    };
    report.add("all_handled", list(handled));
    let ranks = found.last().map(|worst| worst.ranks.clone()).unwrap_or_default();
    show(&viewing, &study, Fates::Listed(ranks.iter().copied().collect()))?;
    report.add("ranks_that_fail", ranks);
    Ok(shown(&report, is_json))
}

/// The orders of all failures but the last are kept: more would not fit in memory.
const MOST_ORDERS: u64 = 1_000_000_000;

/// The requested number of failures, if that many can be substituted at all.
fn reached(study: &Study, failures: Option<usize>) -> Result<Option<usize>, String> {
    match failures {
        Some(0) => Err("--failures 0: use 1 or more".into()),
        Some(failures) if failures > study.reach() => {
            let spares = study.reach();
            Err(format!("--failures {failures}: there are {spares} spares; use at most that many"))
        }
        _ => Ok(failures),
    }
}

const BOUNDS: &str = "--cases is 1 or more, --threads is 1 to 256";

fn threads(words: &mut Words) -> Result<usize, String> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = words.number("threads", cores.min(256))?;
    if (1..=256).contains(&threads) { Ok(threads) } else { Err(BOUNDS.into()) }
}

fn effort(words: &mut Words) -> Result<Effort, String> {
    let cases = words.given("cases", 100)?;
    if cases == Some(0) {
        return Err(BOUNDS.into());
    }
    Ok(Effort { cases, seed: words.number("seed", 1)?, threads: threads(words)? })
}

fn sampled(mut words: Words) -> Result<String, String> {
    let effort = effort(&mut words)?;
    let cases = effort.cases.unwrap_or(100);
    let is_all = words.is("failures", "all");
    let failures = match words.text("failures").filter(|_| !is_all) {
        Some(text) => Some(text.parse().map_err(|_| format!("--failures {text}: use 10 or all"))?),
        None => None,
    };
    let study = study(&mut words, "12,12,12", "3D(2,1)", "hybrid(all)")?;
    let failures = reached(&study, failures)?.unwrap_or(if is_all { usize::MAX } else { 20 });
    let csv = words.text("csv");
    let (is_json, viewing) = (words.has("json"), Viewing::read(&mut words)?);
    words.done()?;
    let random = Random::new(effort.seed);
    show(&viewing, &study, Fates::Drawn { random, left: failures })?;
    let found = sample(&study, cases, failures, effort.seed, effort.threads, true);
    let mut report = described(&study);
    report.add("seed", effort.seed);
    report.add("cases", cases);
    report.add("failures", found.after.len());
    report.add("shares_0D_to_most", found.shares());
    let list = |of: fn(&After) -> f64| found.after.iter().map(of).collect::<Vec<f64>>();
    report.add("mean_uses", list(After::mean_uses));
    report.add("mean_moves", list(After::mean_moves));
    if let Some(file) = csv {
        let mut text = String::from("failure,cases,mean_uses,mean_moves,leader\n");
        for (after, at) in found.after.iter().zip(1..) {
            let (uses, moves, leader) = (after.mean_uses(), after.mean_moves(), after.leader());
            text += &format!("{at},{},{uses},{moves},{leader}D\n", after.cases);
        }
        std::fs::write(&file, text).map_err(|why| format!("--csv {file}: {why}"))?;
    }
    Ok(shown(&report, is_json))
}

fn drawn(mut words: Words) -> Result<String, String> {
    let name = words.word();
    let name = name.ok_or_else(|| {
        format!("which figure? Use ftspare figure N, with one of {}", NAMES.join(", "))
    })?;
    let effort = effort(&mut words)?;
    let svg = words.text("svg");
    let is_json = words.has("json");
    words.done()?;
    let picture = Figures::new(effort).draw(&name)?;
    save(svg, || picture.svg())?;
    Ok(if is_json { picture.report().json() } else { picture.csv() })
}

/// Writes a picture if requested.
fn save(file: Option<String>, svg: impl Fn() -> String) -> Result<(), String> {
    let Some(file) = file else { return Ok(()) };
    std::fs::write(&file, svg()).map_err(|why| format!("--svg {file}: {why}"))
}

fn all_drawn(mut words: Words) -> Result<String, String> {
    let effort = effort(&mut words)?;
    let directory = words.text("out").ok_or("where to? Use ftspare figures --out DIR")?;
    let with_data = words.has("csv");
    words.done()?;
    let failed = |file: &Path, why: io::Error| format!("--out: {}: {why}", file.display());
    let directory = Path::new(&directory);
    std::fs::create_dir_all(directory).map_err(|why| failed(directory, why))?;
    let mut said = String::new();
    let mut write = |name: &str, svg: String, csv: String| {
        let data = with_data.then_some(("csv", csv));
        for (ending, text) in [("svg", svg)].into_iter().chain(data) {
            let file = directory.join(format!("{name}.{ending}"));
            said += &format!("{}\n", file.display());
            std::fs::write(&file, text).map_err(|why| failed(&file, why))?;
        }
        Ok::<(), String>(())
    };
    let all = NAMES.len() + TABLES.len();
    let tell = |at: usize, name: &str| {
        output::remark("ftspare", &format!("{name}, {at} of {all}"));
    };
    let mut figures = Figures::new(effort);
    for (name, at) in NAMES.into_iter().zip(1..) {
        tell(at, &format!("figure {name}"));
        let picture = figures.draw(name)?;
        let file = name.parse::<u32>().map_or(name.into(), |number| format!("figure-{number:02}"));
        write(&file, picture.svg(), picture.csv())?;
    }
    for (number, at) in TABLES.into_iter().zip(NAMES.len() + 1..) {
        tell(at, &format!("table {number}"));
        let sheet = match number {
            1 => table::top500(),
            _ => table::sheet(&table::slow_downs(effort)?),
        };
        write(&format!("table-{number:02}"), sheet.svg(), sheet.csv())?;
    }
    Ok(said)
}

const TABLES: [u32; 2] = [1, 2];

fn tabled(mut words: Words) -> Result<String, String> {
    let number = words.word();
    let effort = effort(&mut words)?;
    let svg = words.text("svg");
    let is_json = words.has("json");
    words.done()?;
    match number.as_deref() {
        Some("1") => {
            let sheet = table::top500();
            save(svg, || sheet.svg())?;
            Ok(if is_json { sheet.report().json() } else { sheet.text() })
        }
        Some("2") => {
            let rows = table::slow_downs(effort)?;
            save(svg, || table::sheet(&rows).svg())?;
            Ok(if is_json { table::report(&rows).json() } else { table::text(&rows) })
        }
        _ => Err("which table? Use ftspare table 1 or ftspare table 2".into()),
    }
}
