//! The simulator of natural fault tolerance: many nodes that know a few others, and die.

#![forbid(unsafe_code)]

mod border;
mod help;
mod live;
mod network;
mod track;
mod vast;
mod watch;

use border::{margin, nearest_side};
use ftmpi_cli::Words;
use ftmpi_cli::numbers::finite;
use ftmpi_sim::foreign::natural::Foreign;
use ftmpi_sim::natural::max::{Max, share_unknowing};
use ftmpi_sim::natural::poisson::{Poisson, Truth};
use ftmpi_sim::natural::{Application, Graph, World};
use ftmpi_sim::output::remark;
use ftmpi_sim::program::program;
use ftmpi_sim::report::Report;
use ftmpi_view::{Feed, Replay, Setup};
use live::{Again, Live, Show};
use network::{Deaths, Network};
use std::cell::RefCell;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use track::{Known, Notices, Progress, error};
use watch::{Prints, Watch};

fn main() -> ExitCode {
    program("ftsim", help::PAGE, run)
}

/// The viewers.
#[derive(Clone, Copy)]
struct Pages<'a> {
    live: &'a RefCell<Option<Live>>,
    are_there: bool,
    /// Only checks whether the command line could be run.
    is_trial: bool,
}

/// The settings for all applications.
struct Setting<'a> {
    pages: Pages<'a>,
    network: Network,
    deaths: Deaths,
    threads: usize,
    ticks: u64,
    watch: Watch,
    is_json: bool,
    graph: Arc<Graph>,
}

fn run(mut arguments: Vec<String>) -> Result<String, String> {
    let live = RefCell::new(None);
    let mut good = arguments.clone();
    loop {
        let done = once(&arguments, &live, false);
        let again = live.borrow_mut().as_mut().and_then(|live: &mut Live| live.again(&done));
        let Some(again) = again else {
            let kept = live.borrow().as_ref().map_or(Ok(()), Live::finish);
            return done.and_then(|done| kept.map(|()| done));
        };
        if matches!(again, Again::With(_)) {
            good.clone_from(&arguments);
        }
        arguments = again.overlaid(arguments, &good);
    }
}

/// One run; pages that watch may ask for another.
fn once(
    arguments: &[String], live: &RefCell<Option<Live>>, is_trial: bool,
) -> Result<String, String> {
    let alone = ["json", "quiet", "watch", "tui", "through"];
    let mut words = Words::split(arguments.iter().cloned(), &alone)?;
    let port = words.given("port", 8080)?;
    let Some(what) = words.word() else {
        return Err("which one? ftsim max, poisson, run APP.so or replay FILE".into());
    };
    if what == "replay" {
        return replay(words, port);
    }
    let is_watched = words.has("watch") || port.is_some();
    if is_watched && !is_trial {
        let mut live = live.borrow_mut();
        if live.is_none() {
            *live = Some(Live::open(port.unwrap_or(0), check)?);
        }
        live.iter_mut().for_each(|live| live.begin(arguments));
    }
    let pages = Pages { live, are_there: is_watched, is_trial };
    match what.as_str() {
        "max" => max(words, pages),
        "poisson" => poisson(words, pages),
        "run" => foreign(words, pages),
        _ => Err(format!(
            "`{what}`: use ftsim max, ftsim poisson, ftsim run APP.so or ftsim replay FILE"
        )),
    }
}

/// Checks a command line; returns why it cannot be run.
fn check(arguments: &[String]) -> Result<(), String> {
    once(arguments, &RefCell::new(None), true).map(drop)
}

/// Shows what `--record` of any program has recorded, or converts it into other files.
fn replay(mut words: Words, port: Option<u16>) -> Result<String, String> {
    let path = words.word().ok_or("which recording? Use ftsim replay FILE")?;
    let prints = Prints::read(&mut words)?;
    words.done()?;
    if let (Some(prints), Some(port)) = (&prints, port) {
        let files = prints.files();
        return Err(format!(
            "--port {port} is for a page, and {files} writes files: use one of them"
        ));
    }
    let replay = Replay::open(Path::new(&path))?;
    if let Some(trouble) = replay.trouble() {
        remark("ftsim", &format!("{path}: {trouble}"));
    }
    if let Some(prints) = prints {
        return prints.write(&replay).map(|()| String::new());
    }
    let feed = Arc::new(Feed::default());
    let address = ftmpi_view::serve(feed.clone(), port.unwrap_or(0), ftmpi_view::thread)?;
    remark("ftsim", &format!("watch it at {address}"));
    replay.play(&feed);
    Ok(String::new())
}

impl<'a> Setting<'a> {
    fn read(
        words: &mut Words, pages: Pages<'a>, nodes: u32, shape: &str, ticks: u64,
    ) -> Result<Setting<'a>, String> {
        let network = Network::read(words, nodes, shape)?;
        let graph = Arc::new(network.graph()?);
        let ticks = words.number("ticks", ticks)?;
        let deaths = Deaths::read(words, &network, &graph, ticks)?;
        let threads = words.number("threads", 1)?;
        if threads == 0 || threads > 256 {
            return Err(format!("--threads {threads}: use 1 to 256"));
        }
        let (watch, is_json) = (Watch::read(words)?, words.has("json"));
        let is_told = !watch.is_quiet && !pages.is_trial;
        if let Some(rounded) = network.rounded().filter(|_| is_told) {
            remark("ftsim", &rounded);
        }
        if let (Some(files), true) = (watch.files(), pages.are_there) {
            return Err(format!("{files} writes a run that goes by itself: leave --watch out"));
        }
        Ok(Setting { pages, network, deaths, threads, ticks, watch, is_json, graph })
    }

    /// Runs to the end, or as watching pages direct.
    fn play<A: Application>(
        &self, app: A, show: &Show<'_, A>, prepare: impl FnOnce(&mut World<A>),
    ) -> Result<World<A>, String> {
        let mut world = World::new(self.graph.clone(), app, self.threads);
        prepare(&mut world);
        self.deaths.set.iter().for_each(|&(at, node)| world.kill(at, node));
        world.kill_by_chance(self.deaths.chances.iter().copied());
        match self.pages.live.borrow_mut().as_mut() {
            Some(live) => {
                self.watch.record.as_deref().map_or(Ok(()), |path| live.keep(path))?;
                if self.watch.is_drawn {
                    live.draw()?;
                }
                live.play(&mut world, show, self.ticks, self.watch.every);
            }
            None => self.watch.play(&mut world, self.ticks, show)?,
        }
        self.deaths.write(&world.deaths())?;
        Ok(world)
    }

    /// The choices for another run.
    fn setup(&self, problem: &'static str) -> Vec<Setup> {
        let field = |name, value: String, choices: &[&'static str]| Setup {
            name,
            value,
            choices: choices.to_vec(),
        };
        let problems: &[&str] = if problem == "run" { &["run"] } else { &["max", "poisson"] };
        let mut fields = vec![field("problem", problem.into(), problems)];
        if let Some((topology, neighbours)) = self.network.shape() {
            fields.push(field("topology", topology.into(), &network::TOPOLOGIES));
            fields.push(field("nodes", self.graph.nodes().to_string(), &[]));
            fields.push(field("neighbours", neighbours.to_string(), &[]));
        }
        fields.push(field("seed", self.network.seed.to_string(), &[]));
        fields.extend(self.deaths.said.iter().map(|(name, said)| field(name, said.clone(), &[])));
        fields
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

fn max(mut words: Words, pages: Pages<'_>) -> Result<String, String> {
    if words.is("topology", "hashed") {
        if pages.are_there {
            return Err("--watch: --topology hashed has no places to look at: use random".into());
        }
        return vast::max(words);
    }
    let setting = Setting::read(&mut words, pages, 100_000, "random", 100_000)?;
    words.done()?;
    if setting.pages.is_trial {
        return Ok(String::new());
    }
    let show = Show {
        title: format!("the largest value, {}", setting.network),
        scale: ["the largest value known".into(), "0".into(), u32::MAX.to_string()],
        track: &Known,
        setup: setting.setup("max"),
        sides: None,
        border: "",
        fixed: None,
        note: setting.network.rounded(),
    };
    let world = setting.play(Max, &show, |_| {})?;
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

fn poisson(mut words: Words, pages: Pages<'_>) -> Result<String, String> {
    let tolerance = words.number("tolerance", 1e-6)?;
    if tolerance < 0.0 {
        return Err(format!("--tolerance {tolerance}: use 0 or more, such as --tolerance 1e-6"));
    }
    let source = words.number("source", 0.0)?;
    let border = words.text("border").unwrap_or("x2-y2".into());
    let setting = Setting::read(&mut words, pages, 2_500, "nearest", 2_000)?;
    let is_solved = is_solved(&mut words, setting.graph.nodes())?;
    words.done()?;
    if !setting.graph.is_symmetric() {
        return Err(format!(
            "poisson on {}: links must go both ways: use --topology nearest, mesh, torus or \
             hypercube",
            setting.network
        ));
    }
    let sides = sides(&border)?;
    if setting.pages.is_trial {
        return Ok(String::new());
    }
    let at = |x: f64, y: f64| match sides {
        None => x * x - y * y,
        Some(sides) => nearest_side(&sides, x, y),
    };
    let graph = &setting.graph;
    let problem = Poisson::with_border(graph, at);
    let problem = match source {
        0.0 => problem,
        _ => problem.with_kappa(graph, setting.network.kappa(graph)?, source),
    };
    let problem = Poisson { tolerance, ..problem };
    let has_truth = sides.is_none() && source == 0.0;
    let progress = Progress::new(has_truth.then(|| Truth::new(graph, &problem, at)));
    let show = Show {
        title: format!("Poisson's equation, {}", setting.network),
        scale: ["value".into(), "-1".into(), "1".into()],
        track: &progress,
        setup: setting.setup("poisson"),
        sides: Some(sides.unwrap_or_default()),
        border: if sides.is_none() { "x² − y²" } else { "" },
        fixed: Some(&problem.fixed),
        note: setting.network.rounded(),
    };
    let world = setting.play(problem.clone(), &show, |_| {})?;
    let mut report = setting.report(&world);
    report.add("distance", 1.0 / f64::from(graph.nodes()).sqrt());
    if let Some(factor) = progress.factor(tolerance) {
        report.add("convergence_factor_per_tick", factor);
        report.add("ticks_for_a_tenth", -std::f64::consts::LN_10 / factor.ln());
    }
    let truth = has_truth.then(|| Truth::new(graph, &problem, at));
    if let Some(truth) = &truth {
        report.add("error_now", error(truth, &world, &mut |_| ()));
    }
    if is_solved {
        solved(&problem, truth.as_ref(), &world, &mut report);
    }
    Ok(setting.shown(&report))
}

/// Whether to solve the equations directly, too: their time grows faster than that of a tick.
fn is_solved(words: &mut Words, nodes: u32) -> Result<bool, String> {
    const MOST_NODES: u32 = 100_000;
    match words.text("solve").as_deref() {
        None => Ok(nodes <= MOST_NODES),
        Some("yes") => Ok(true),
        Some("no") => Ok(false),
        Some(other) => Err(format!("--solve {other}: use yes or no")),
    }
}

/// How far the nodes are from their limit, and that from the exact solution.
fn solved(problem: &Poisson, truth: Option<&Truth>, world: &World<Poisson>, report: &mut Report) {
    let (graph, alive) = (world.graph(), world.alive());
    let rest = problem.rest(graph, &alive);
    if let Some(truth) = truth {
        let all = vec![true; alive.len()];
        report.add("error_at_rest", truth.error(&alive, &rest));
        let whole = if alive == all { rest.clone() } else { problem.rest(graph, &all) };
        report.add("error_without_deaths", truth.error(&all, &whole));
    }
    let gap = (0..graph.nodes()).filter(|&node| alive[node as usize]);
    let gap = gap.map(|node| (world.state(node).value - rest[node as usize]).abs());
    // `f64::max` would drop NaN.
    let farthest = gap.fold(0.0, |most, gap| if most >= gap || most.is_nan() { most } else { gap });
    report.add("farthest_from_rest", farthest);
}

/// Reads the values of the left, right, lower and upper side; none means x² - y².
fn sides(text: &str) -> Result<Option<[f64; 4]>, String> {
    if text == "x2-y2" {
        return Ok(None);
    }
    let values: Option<Vec<f64>> = text.split(',').map(finite).collect();
    let sides = values.and_then(|values| <[f64; 4]>::try_from(values).ok());
    sides.map(Some).ok_or_else(|| {
        format!("--border {text}: use x2-y2, or left,right,lower,upper such as 0,0,0,1")
    })
}

fn foreign(mut words: Words, pages: Pages<'_>) -> Result<String, String> {
    let path = words.word().ok_or("which application? Use ftsim run ./app.so")?;
    let border = words.text("border").map(|text| sides(&text)).transpose()?.flatten();
    let about = words.all("info");
    let stack: usize = words.number("stack", 64)?;
    if !(16..=1 << 20).contains(&stack) {
        return Err(format!("--stack {stack}: use 16 to 1048576 kilobytes"));
    }
    let setting = Setting::read(&mut words, pages, 10_000, "nearest", 100_000)?;
    words.done()?;
    if setting.threads > 1 {
        return Err("--threads: applications may have variables, so one thread serves them".into());
    }
    if setting.pages.is_trial {
        return Ok(String::new());
    }
    let app = Foreign::load(Path::new(&path), setting.graph.nodes(), stack << 10)?;
    let show = Show {
        title: format!("{path}, {}", setting.network),
        scale: ["colour".into(), "0".into(), "255".into()],
        track: &Notices,
        setup: setting.setup("run"),
        sides: Some(border.unwrap_or_default()),
        border: if border.is_none() { "as it is" } else { "" },
        fixed: None,
        note: setting.network.rounded(),
    };
    let world = setting.play(app, &show, |world| {
        let margin = margin(&setting.graph);
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
        let node: u32 = node.parse().map_err(|_| format!("--info {node}: use a node's number"))?;
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
