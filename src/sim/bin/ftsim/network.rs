//! Which nodes there are, who knows whom, and who is to die when: as the command line says.

use ftmpi_sim::machine::Model;
use ftmpi_sim::machine::faults::{Dice, Faults, Plan};
use ftmpi_sim::machine::topology::{Grid, Topology};
use ftmpi_sim::machine::units::{Picos, numbers, time};
use ftmpi_sim::natural::{Graph, MOST_NODES, Wiring, deaths};
use ftmpi_sim::words::Words;
use std::fmt;

pub(crate) struct Network {
    nodes: u32,
    name: String,
    /// As it was said, with the length of lists; of a machine, there is none.
    shape: Option<(String, u32)>,
    wiring: Wiring,
    model: Option<Model>,
    pub(crate) seed: u64,
}

/// Who dies at which tick.
pub(crate) struct Deaths {
    pub(crate) list: Vec<(u64, usize)>,
    /// What the command line says that can be said anew in a page.
    pub(crate) said: [(&'static str, String); 3],
}

/// Those that have names.
pub(crate) const TOPOLOGIES: [&str; 6] = ["random", "nearest", "far", "mesh", "torus", "hypercube"];

/// Times are drawn in parts of a tick: whole ticks would bend their mean.
const TICK_PARTS: u64 = 1_000_000;

impl Network {
    pub(crate) fn read(words: &mut Words, nodes: u32, shape: &str) -> Result<Network, String> {
        let given_seed: Option<u64> = words.given("seed", 1)?;
        let seed = given_seed.unwrap_or(1);
        let given_nodes = words.given("nodes", nodes)?;
        let nodes: u32 = given_nodes.unwrap_or(nodes);
        if nodes == 0 || nodes > MOST_NODES {
            return Err(format!("--nodes {nodes}: say 1 to {MOST_NODES}"));
        }
        if let Some(file) = words.text("machine") {
            if given_nodes.is_some() {
                return Err("--nodes beside --machine: a machine has its own: leave it out".into());
            }
            let mut model = Model::find(&file, |file| std::fs::read_to_string(file))?;
            model.faults.seed = given_seed.unwrap_or(model.faults.seed);
            let wiring = Wiring::Machine(model.topology.clone());
            let nodes = model.topology.nodes() as u32;
            return Ok(Network {
                nodes,
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
        let dims = words.text("dims").map(|text| numbers(&text)).transpose()?;
        if dims.is_some() && (given_nodes.is_some() || !["mesh", "torus"].contains(&&*shape)) {
            return Err(
                "--dims are of --topology mesh or torus, and say how many nodes there are: \
                        leave --nodes out"
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
                    "--topology {other}: say random, nearest, far, mesh, torus, hypercube or a \
                     file with a dot in its name"
                ));
            }
        };
        Ok(Network { nodes, name, shape: Some((shape, count)), wiring, model: None, seed })
    }

    /// Which topology with how many neighbours it is, if it is one of [`TOPOLOGIES`].
    pub(crate) fn shape(&self) -> Option<(&'static str, u32)> {
        let (said, count) = self.shape.as_ref()?;
        TOPOLOGIES.into_iter().find(|name| name == said).map(|name| (name, *count))
    }

    pub(crate) fn graph(&self) -> Result<Graph, String> {
        self.wiring.graph(self.nodes, self.seed)
    }

    /// How long all lists are, if they are all drawn alike.
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

fn on(grid: Result<Grid, String>) -> Result<Wiring, String> {
    grid.map(|grid| Wiring::Machine(Topology::Grid(grid)))
}

fn text_of(file: &str) -> Result<String, String> {
    std::fs::read_to_string(file).map_err(|why| format!("{file}: {why}"))
}

impl Deaths {
    /// A tick is a unit of the schedule's time here; a machine's own schedule has real times.
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
                    let no = || format!("--kill {kill}: say 1% or 1%@5, at a tick");
                    (who, when.parse().map_err(|_| no())?)
                }
                None => (kill, at),
            };
            plans.push(Plan::At(parts(when), deaths::parse(who, graph)?));
        }
        let all = || deaths::parse("all", graph);
        if !every.is_empty() {
            let period = every.parse().ok().filter(|&period: &u64| period > 0);
            let period = period.ok_or("--kill-every: say how many ticks, 1 or more")?;
            plans.push(Plan::Every(parts(period), deaths::parse("1", graph)?));
        }
        let shape = words.number("weibull", 1.0)?;
        let no = || format!("--mttf {mttf}: say how many ticks, on average");
        let whole = if mttf.is_empty() { 0.0 } else { mttf.parse().map_err(|_| no())? };
        for (mean, is_per_node) in [(whole, false), (words.number("node-mttf", 0.0)?, true)] {
            if mean > 0.0 && shape > 0.0 {
                let mean = mean * TICK_PARTS as f64;
                plans.push(Plan::Chance(Dice { mean, shape, is_per_node }, all()?));
            }
        }
        let end = parts(ticks.saturating_add(1)) - 1;
        let died = Faults { seed: network.seed, plans }.until(end).into_iter();
        let mut list: Vec<_> = died.map(|(at, node)| (at / TICK_PARTS, node)).collect();
        if let Some(file) = words.text("kill-file") {
            list.extend(listed(&file, graph)?);
        }
        let tick = words.text("tick").map_or(Ok(1_000_000), |text| time(&text))?.max(1);
        if let Some(model) = &network.model {
            let end = tick.saturating_mul(ticks.saturating_add(1)) - 1;
            let died = model.faults.until(end);
            list.extend(died.into_iter().map(|(at, node): (Picos, usize)| (at / tick, node)));
        }
        list.sort_unstable();
        let mut seen = std::collections::HashSet::new();
        list.retain(|(_, node)| seen.insert(*node));
        if let Some(file) = words.text("deaths") {
            let lines = list.iter().map(|(at, node)| format!("{at} {node}\n"));
            let text: String = lines.collect();
            std::fs::write(&file, text).map_err(|why| format!("--deaths {file}: {why}"))?;
        }
        Ok(Deaths { list, said })
    }
}

/// Reads lines of a tick and a node, as `--deaths` writes them.
fn listed(file: &str, graph: &Graph) -> Result<Vec<(u64, usize)>, String> {
    let mut list = Vec::new();
    for (line, number) in text_of(file)?.lines().zip(1..) {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let read = |(at, node): (&str, &str)| Some((at.parse().ok()?, node.trim().parse().ok()?));
        let death = line.split_once(' ').and_then(read);
        let death = death.filter(|&(_, node): &(u64, usize)| node < graph.nodes() as usize);
        list.push(death.ok_or_else(|| {
            format!("{file}:{number}: `{line}`: say the tick and the node, such as 5 1234")
        })?);
    }
    Ok(list)
}
