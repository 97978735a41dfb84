//! The network of the run and its planned deaths, from the command line.

use ftmpi_cli::Words;
use ftmpi_cli::numbers::finite;
use ftmpi_machine::Model;
use ftmpi_machine::faults::{Death, Dice, Faults, Plan};
use ftmpi_machine::topology::{Grid, Topology};
use ftmpi_machine::units::{Picos, numbers, time};
use ftmpi_sim::natural::poisson::kappa;
use ftmpi_sim::natural::{Graph, MOST_NODES, Wiring, deaths};
use std::fmt;

pub(crate) struct Network {
    nodes: u32,
    /// The requested number of nodes.
    asked: Option<u32>,
    name: String,
    /// As given, with the length of lists; `None` for a machine.
    shape: Option<(String, u32)>,
    wiring: Wiring,
    model: Option<Model>,
    pub(crate) seed: u64,
}

/// Ticks, and the nodes that die in them.
type Dying = Vec<(u64, u32)>;

/// The nodes that die at each tick.
pub(crate) struct Deaths {
    /// At planned ticks.
    pub(crate) set: Dying,
    /// Random or periodic deaths, without end: as long as the network is not at rest.
    pub(crate) chances: Dying,
    /// The file that receives all deaths.
    file: Option<String>,
    /// The parts of the command line that a page can change.
    pub(crate) said: [(&'static str, String); 3],
}

/// The topologies with names.
pub(crate) const TOPOLOGIES: [&str; 6] = ["random", "nearest", "far", "mesh", "torus", "hypercube"];

/// Times are drawn in parts of a tick: whole ticks would distort their mean.
const TICK_PARTS: u64 = 1_000_000;

impl Network {
    pub(crate) fn read(words: &mut Words, nodes: u32, shape: &str) -> Result<Network, String> {
        let given_seed: Option<u64> = words.given("seed", 1)?;
        let seed = given_seed.unwrap_or(1);
        let given_nodes: Option<u32> = words.given("nodes", nodes)?;
        let nodes = given_nodes.unwrap_or(nodes);
        if nodes == 0 || nodes > MOST_NODES {
            return Err(format!("--nodes {nodes}: use 1 to {MOST_NODES}"));
        }
        if let Some(file) = words.text("machine") {
            if given_nodes.is_some() {
                return Err("--nodes beside --machine: a machine has its own: leave it out".into());
            }
            let mut model = Model::find(&file, |file| std::fs::read_to_string(file))?;
            model.faults.seed = given_seed.unwrap_or(model.faults.seed);
            let wiring = Wiring::Machine(model.topology.clone());
            return Ok(Network {
                nodes: model.topology.nodes() as u32,
                asked: None,
                name: model.name.clone(),
                shape: None,
                wiring,
                model: Some(model),
                seed,
            });
        }
        let shape = words.text("topology").unwrap_or(shape.to_string());
        let usual = if shape == "nearest" { 8 } else { 4 };
        let count = words.number("neighbours", usual)?;
        let dims = words.text("dims").map(|text| extents(&text)).transpose()?;
        if dims.is_some() && (given_nodes.is_some() || !["mesh", "torus"].contains(&&*shape)) {
            return Err(
                "--dims need --topology mesh or torus, and give the number of nodes: leave \
                        --nodes out"
                    .into(),
            );
        }
        let square = || {
            let side = f64::from(nodes).sqrt().round() as u32;
            dims.clone().unwrap_or(vec![side, nodes.div_ceil(side.max(1))])
        };
        let (name, wiring) = match shape.as_str() {
            "random" => (format!("random({count})"), Wiring::Random(count)),
            "nearest" => (format!("nearest({count})"), Wiring::Nearest(count)),
            "far" => (format!("far({count})"), Wiring::Far(count)),
            "mesh" => (format!("mesh{:?}", square()), on(Grid::mesh(&square()))?),
            "torus" => (format!("torus{:?}", square()), on(Grid::torus(&square()))?),
            "hypercube" => {
                let dimension = u32::BITS - (nodes - 1).leading_zeros();
                (format!("hypercube({dimension})"), on(Grid::hypercube(dimension))?)
            }
            file if file.contains(['.', '/']) => {
                (file.to_string(), Wiring::given(file, &text_of(file)?)?)
            }
            other => {
                return Err(format!(
                    "--topology {other}: use random, nearest, far, mesh, torus, hypercube or a \
                     file with a dot in its name"
                ));
            }
        };
        Ok(Network {
            nodes,
            asked: given_nodes,
            name,
            shape: Some((shape, count)),
            wiring,
            model: None,
            seed,
        })
    }

    /// The topology and its number of neighbours, if it is one of [`TOPOLOGIES`].
    pub(crate) fn shape(&self) -> Option<(&'static str, u32)> {
        let (said, count) = self.shape.as_ref()?;
        TOPOLOGIES.into_iter().find(|name| name == said).map(|name| (name, *count))
    }

    /// A remark if the topology cannot have the requested number of nodes.
    pub(crate) fn rounded(&self) -> Option<String> {
        let (asked, (nodes, _)) = (self.asked?, self.wiring.size(self.nodes));
        (u64::from(asked) != nodes).then(|| format!("{} has {nodes} nodes, not {asked}", self.name))
    }

    pub(crate) fn graph(&self) -> Result<Graph, String> {
        let (nodes, neighbours) = self.wiring.size(self.nodes);
        // Measured: lists and states, and a message from each to each of its neighbours.
        let needed = nodes.saturating_mul(150 + 50 * neighbours);
        match free_bytes() {
            Some(free) if needed > free => Err(format!(
                "{nodes} nodes with {neighbours} neighbours each take about {:.1} GB, and {:.1} \
                 are free: use fewer; max has --topology hashed, which keeps no lists",
                needed as f64 / 1e9,
                free as f64 / 1e9
            )),
            _ => self.wiring.graph(self.nodes, self.seed),
        }
    }

    /// How much less a field in this network resists that may bend. Finding it takes longer with
    /// more nodes; but for random places it does not depend on their number.
    pub(crate) fn kappa(&self, graph: &Graph) -> Result<f64, String> {
        const ENOUGH_NODES: u32 = 50_000;
        match self.wiring {
            Wiring::Nearest(_) if self.nodes > ENOUGH_NODES => {
                Ok(kappa(&self.wiring.graph(ENOUGH_NODES, self.seed)?))
            }
            _ => Ok(kappa(graph)),
        }
    }

    /// The length of all lists, if they are all drawn alike.
    pub(crate) fn equal_lists(&self) -> Option<u32> {
        match self.wiring {
            Wiring::Random(count) => Some(count),
            _ => None,
        }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// The amount of free memory.
fn free_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kilobytes << 10)
}

fn extents(text: &str) -> Result<Vec<u32>, String> {
    numbers(text).map_err(|why| format!("--dims {why}"))
}

fn on(grid: Result<Grid, String>) -> Result<Wiring, String> {
    grid.map(|grid| Wiring::Machine(Topology::Grid(grid)))
}

fn text_of(file: &str) -> Result<String, String> {
    std::fs::read_to_string(file).map_err(|why| format!("{file}: {why}"))
}

impl Deaths {
    /// A tick is the unit of the schedule's time here; a machine's own schedule has real times.
    pub(crate) fn read(
        words: &mut Words, network: &Network, graph: &Graph, ticks: u64,
    ) -> Result<Deaths, String> {
        let parts = |ticks: u64| ticks.saturating_mul(TICK_PARTS);
        let at = words.number("at", 0)?;
        let mut plans = Vec::new();
        let said = ["kill", "kill-every", "mttf"].map(|name| (name, words.all(name).join("; ")));
        let [kills, (_, every), (_, mttf)] = &said;
        for kill in kills.1.split(';').map(str::trim).filter(|kill| !kill.is_empty()) {
            let (who, when) = match kill.rsplit_once('@') {
                Some((who, when)) => {
                    let no = || format!("--kill {kill}: use 1% or 1%@5, at a tick");
                    (who, when.parse().map_err(|_| no())?)
                }
                None => (kill, at),
            };
            let who = deaths::parse(who, graph).map_err(|why| format!("--kill {why}"))?;
            plans.push(Plan::At(parts(when), who));
        }
        if !every.is_empty() {
            let period = every.parse().ok().filter(|&period: &u64| period > 0);
            let period = period.ok_or("--kill-every: use how many ticks, 1 or more")?;
            plans.push(Plan::Every(parts(period), deaths::parse("1", graph)?));
        }
        for dice in dice(words, mttf)? {
            plans.push(Plan::Chance(dice, deaths::parse("all", graph)?));
        }
        let faults = Faults { seed: network.seed, plans };
        let (mut set, mut chances) = drawn(&faults, TICK_PARTS, ticks);
        if let Some(file) = words.text("kill-file") {
            set.extend(listed(&file, graph)?);
        }
        let tick = tick(words)?;
        if let Some(model) = &network.model {
            let more = drawn(&model.faults, tick, ticks);
            set.extend(more.0);
            chances.extend(more.1);
        }
        if words.has("through") {
            set.append(&mut chances);
        }
        for list in [&mut set, &mut chances] {
            list.sort_unstable();
            let mut seen = std::collections::HashSet::new();
            list.retain(|(_, node)| seen.insert(*node));
        }
        let file = words.text("deaths");
        if let Some(file) = &file {
            // An error in writing it is reported before the run.
            std::fs::write(file, "").map_err(|why| format!("--deaths {file}: {why}"))?;
        }
        Ok(Deaths { set, chances, file, said })
    }

    /// Writes the deaths to the requested file.
    pub(crate) fn write(&self, died: &[(u64, u32)]) -> Result<(), String> {
        let Some(file) = &self.file else { return Ok(()) };
        let text: String = died.iter().map(|(at, node)| format!("{at} {node}\n")).collect();
        std::fs::write(file, text).map_err(|why| format!("--deaths {file}: {why}"))
    }
}

/// The times between failures of all nodes together, and of each.
fn dice(words: &mut Words, mttf: &str) -> Result<Vec<Dice>, String> {
    let shape = words.positive("weibull", 1.5)?;
    let no = || format!("--mttf {mttf}: use how many ticks, on average, more than 0");
    let mean = |text: &str| finite(text).filter(|&mean| mean > 0.0).ok_or_else(no);
    let whole = if mttf.is_empty() { None } else { Some(mean(mttf)?) };
    let each = words.positive("node-mttf", 1e6)?;
    if let (Some(shape), None, None) = (shape, whole, each) {
        return Err(format!("--weibull {shape} is of the times of --mttf or --node-mttf"));
    }
    let shape = shape.unwrap_or(1.0);
    if !Dice::SHAPES.contains(&shape) {
        let (low, high) = (Dice::SHAPES.start(), Dice::SHAPES.end());
        return Err(format!("--weibull {shape}: use {low} to {high}"));
    }
    let means = [(whole, false), (each, true)].into_iter();
    let dice = means.filter_map(|(mean, is_per_node)| {
        let mean = mean? * TICK_PARTS as f64;
        Some(Dice { mean, shape, is_per_node })
    });
    Ok(dice.collect())
}

/// The length of a tick, for the times of a machine's schedule.
fn tick(words: &mut Words) -> Result<Picos, String> {
    words.text("tick").map_or(Ok(1_000_000), |text| {
        let tick = time(&text).map_err(|why| format!("--tick {why}"))?;
        let no = || format!("--tick {text}: use a picosecond or more, such as --tick 1us");
        (tick > 0).then_some(tick).ok_or_else(no)
    })
}

/// The deaths up to a tick, with times in parts of a tick: planned ones, and endless series.
fn drawn(faults: &Faults, tick: Picos, ticks: u64) -> (Dying, Dying) {
    let end = tick.saturating_mul(ticks.saturating_add(1)) - 1;
    let (set, chances): (Vec<_>, _) =
        faults.deaths(end).into_iter().partition(|death| death.is_set);
    let told = |list: Vec<Death>| {
        list.into_iter().map(|death| (death.at / tick, death.node as u32)).collect()
    };
    (told(set), told(chances))
}

/// Reads lines of a tick and a node, as `--deaths` writes them.
fn listed(file: &str, graph: &Graph) -> Result<Dying, String> {
    let mut list = Vec::new();
    for (line, number) in text_of(file)?.lines().zip(1..) {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let read = |(at, node): (&str, &str)| Some((at.parse().ok()?, node.trim().parse().ok()?));
        let death = line.split_once(' ').and_then(read);
        let death = death.filter(|&(_, node): &(u64, u32)| node < graph.nodes());
        list.push(death.ok_or_else(|| {
            format!("{file}:{number}: `{line}`: use the tick and the node, such as 5 1234")
        })?);
    }
    Ok(list)
}
