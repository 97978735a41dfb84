//! The simulator of natural fault tolerance: many nodes that know a few others, and die.

#![forbid(unsafe_code)]

mod help;
mod network;
mod watch;

use ftmpi_sim::natural::foreign::Foreign;
use ftmpi_sim::natural::max::{Max, share_unknowing};
use ftmpi_sim::natural::poisson::{Poisson, rms_error};
use ftmpi_sim::natural::{Application, Graph, World};
use ftmpi_sim::report::Report;
use ftmpi_sim::words::{Words, program};
use network::{Deaths, Network};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use watch::Watch;

fn main() -> ExitCode {
    program("ftsim", help::PAGE, run)
}

/// What all applications are told.
struct Setting {
    network: Network,
    deaths: Deaths,
    threads: usize,
    ticks: u64,
    watch: Watch,
    is_json: bool,
    graph: Arc<Graph>,
}

fn run(arguments: Vec<String>) -> Result<String, String> {
    let mut words = Words::split(arguments.into_iter(), &["json", "quiet"])?;
    let Some(what) = words.word() else {
        return Err("say what: ftsim max, ftsim poisson or ftsim run APP.so".into());
    };
    match what.as_str() {
        "max" => max(words),
        "poisson" => poisson(words),
        "run" => foreign(words),
        _ => Err(format!("`{what}`: say ftsim max, ftsim poisson or ftsim run APP.so")),
    }
}

impl Setting {
    fn read(words: &mut Words, nodes: u32, shape: &str, ticks: u64) -> Result<Setting, String> {
        let network = Network::read(words, nodes, shape)?;
        let graph = Arc::new(network.graph()?);
        let ticks = words.number("ticks", ticks)?;
        let deaths = Deaths::read(words, &network, &graph, ticks)?;
        let threads = words.number("threads", 1)?;
        if threads == 0 || threads > 256 {
            return Err(format!("--threads {threads}: say 1 to 256"));
        }
        let (watch, is_json) = (Watch::read(words)?, words.has("json"));
        Ok(Setting { network, deaths, threads, ticks, watch, is_json, graph })
    }

    /// Runs to the end; `track` says what stands in the last column of the counters.
    fn play<A: Application>(
        &self, app: A, track: &dyn Fn(&World<A>) -> f64, prepare: impl FnOnce(&mut World<A>),
    ) -> Result<World<A>, String> {
        let mut world = World::new(self.graph.clone(), app, self.threads);
        prepare(&mut world);
        self.deaths.list.iter().for_each(|&(at, node)| world.kill(at, node as u32));
        self.watch.play(&mut world, self.ticks, track)?;
        Ok(world)
    }

    fn report<A: Application>(&self, world: &World<A>) -> Report {
        let mut report = Report::default();
        report.add("network", self.network.to_string());
        report.add("nodes", self.graph.nodes());
        report.add("seed", self.network.seed);
        report.add("ticks", world.now());
        let counters = world.counters();
        report.add("deaths", counters.deaths);
        report.add("notices", counters.notices);
        report.add("sent", counters.sent);
        report.add("delivered", counters.delivered);
        report.add("dropped", counters.dropped);
        report
    }

    fn shown(&self, report: &Report) -> String {
        if self.is_json { report.json() } else { report.table() }
    }
}

fn max(mut words: Words) -> Result<String, String> {
    let setting = Setting::read(&mut words, 100_000, "random", 100_000)?;
    words.done()?;
    let known = |world: &World<Max>| {
        let spread = world.spread();
        (spread.survivors - spread.unknowing) as f64
    };
    let world = setting.play(Max, &known, |_| {})?;
    let spread = world.spread();
    let mut report = setting.report(&world);
    report.add("survivors", spread.survivors);
    report.add("hops", spread.hops);
    report.add("unknowing", spread.unknowing);
    if let Some(count) = setting.network.equal_lists() {
        let dead = 1.0 - spread.survivors as f64 / f64::from(setting.graph.nodes());
        report.add("unknowing_expected", share_unknowing(dead, count) * spread.survivors as f64);
    }
    Ok(setting.shown(&report))
}

fn poisson(mut words: Words) -> Result<String, String> {
    let tolerance = words.number("tolerance", 1e-6)?;
    let source = words.number("source", 0.0)?;
    let border = words.text("border").unwrap_or("x2-y2".into());
    let setting = Setting::read(&mut words, 2_500, "nearest", 2_000)?;
    words.done()?;
    if !setting.graph.is_symmetric() {
        return Err(format!(
            "poisson on {}: whoever hears of a node must be heard by it: say --topology nearest, \
             mesh, torus or hypercube",
            setting.network
        ));
    }
    let sides = sides(&border)?;
    let at = |x: f64, y: f64| match sides {
        None => x * x - y * y,
        Some(sides) => nearest_side(&sides, x, y),
    };
    let graph = &setting.graph;
    let problem = Poisson::with_border(graph, at);
    let problem = if source == 0.0 { problem } else { problem.with_source(graph, source) };
    let problem = Poisson { tolerance, ..problem };
    let has_truth = sides.is_none() && source == 0.0;
    let error =
        |alive: &[bool], value: &dyn Fn(u32) -> f64| rms_error(graph, &problem, alive, value, at);
    let track = |world: &World<Poisson>| error(&world.alive(), &|node| world.state(node).value);
    let world = setting.play(problem.clone(), &track, |_| {})?;
    let alive = world.alive();
    let rest = problem.rest(graph, &alive);
    let gap = (0..graph.nodes()).filter(|&node| alive[node as usize]);
    let gap = gap.map(|node| (world.state(node).value - rest[node as usize]).abs());
    let mut report = setting.report(&world);
    report.add("distance", 1.0 / f64::from(graph.nodes()).sqrt());
    if has_truth {
        let whole = problem.rest(graph, &vec![true; alive.len()]);
        report.add("error_now", track(&world));
        report.add("error_at_rest", error(&alive, &|node| rest[node as usize]));
        let everybody = vec![true; alive.len()];
        report.add("error_without_deaths", error(&everybody, &|node| whole[node as usize]));
    }
    // `f64::max` would drop what is no number.
    let farthest = gap.fold(0.0, |most, gap| if most >= gap || most.is_nan() { most } else { gap });
    report.add("farthest_from_rest", farthest);
    Ok(setting.shown(&report))
}

/// Reads the values of the left, right, lower and upper side; none is x² - y².
fn sides(text: &str) -> Result<Option<[f64; 4]>, String> {
    if text == "x2-y2" {
        return Ok(None);
    }
    let values: Option<Vec<f64>> = text.split(',').map(|part| part.trim().parse().ok()).collect();
    let sides = values.and_then(|values| <[f64; 4]>::try_from(values).ok());
    sides.map(Some).ok_or_else(|| {
        format!("--border {text}: say x2-y2, or left,right,lower,upper such as 0,0,0,1")
    })
}

fn nearest_side(sides: &[f64; 4], x: f64, y: f64) -> f64 {
    let apart = [x, 1.0 - x, y, 1.0 - y];
    let nearest = (0..4).min_by(|&one, &other| apart[one].total_cmp(&apart[other]));
    sides[nearest.expect("there are four sides")]
}

fn foreign(mut words: Words) -> Result<String, String> {
    let path = words.word().ok_or("which application? Say ftsim run ./app.so")?;
    let border = words.text("border").map(|text| sides(&text)).transpose()?.flatten();
    let about = words.all("info");
    let setting = Setting::read(&mut words, 10_000, "nearest", 100_000)?;
    words.done()?;
    if setting.threads > 1 {
        return Err("--threads: applications may have variables, so one thread serves them".into());
    }
    let app = Foreign::load(Path::new(&path))?;
    let world = setting.play(app, &|_| 0.0, |world| {
        let margin = 1.0 / f64::from(setting.graph.nodes()).sqrt();
        for (place, node) in setting.graph.places.iter().zip(0..) {
            let [x, y] = place.map(f64::from);
            if let Some(sides) = border
                && x.min(y).min(1.0 - x).min(1.0 - y) < margin
            {
                world.border(0, node, nearest_side(&sides, x, y));
            }
        }
    })?;
    let mut report = setting.report(&world);
    let mut colours = [0usize; 256];
    world.colours().into_iter().flatten().for_each(|colour| colours[usize::from(colour)] += 1);
    let used = (0..256).filter(|&colour| colours[colour] > 0);
    report.add("colours", used.map(|colour| vec![colour, colours[colour]]).collect::<Vec<_>>());
    let infos = about.iter().map(|node| {
        let node: u32 = node.parse().map_err(|_| format!("--info {node}: say a node's number"))?;
        match node < setting.graph.nodes() {
            true => Ok(format!("{node}: {}", world.info(node))),
            false => Err(format!("--info {node}: there is no such node")),
        }
    });
    let infos = infos.collect::<Result<Vec<_>, String>>()?;
    if !infos.is_empty() {
        report.add("info", infos);
    }
    Ok(setting.shown(&report))
}
