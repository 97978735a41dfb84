//! Reads a machine from TOML. Every error names file, line and cure; nothing is ignored.

use super::collectives::{Algorithm, Collectives, HardwareTree, Operation, Preference, Word};
use super::cost::{CornerRule, Cost};
use super::dragonfly::{Dragonfly, Shape};
use super::fat_tree::FatTree;
use super::faults::{Dice, Faults, Plan};
use super::model::{Files, Model, Node, Overheads, Recovery, Speed};
use super::region::Nodes;
use super::simgrid;
use super::spares::{Choice, Method, Spares};
use super::topology::{Grid, Topology};
use super::units::{Picos, SECOND, picos_of, time};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

type Value<'a> = Spanned<DeValue<'a>>;
/// The place in the text, and what to do about it.
type Wrong = (usize, String);

impl Model {
    /// Reads the text of a machine file, or of a platform of SimGrid; `file` names it in error
    /// messages.
    pub fn read(file: &str, text: &str) -> Result<Model, String> {
        if simgrid::is_xml(text) {
            let text = simgrid::translate(file, text)?;
            // Lines of the translation say nothing to a reader of the original.
            let without_line =
                |why: String| why.split_once(": ").map_or(why.clone(), |it| it.1.into());
            return Model::read_toml("", &text)
                .map_err(|why| format!("{file}: {}", without_line(why)));
        }
        Model::read_toml(file, text)
    }

    fn read_toml(file: &str, text: &str) -> Result<Model, String> {
        let placed = |(at, why): Wrong| {
            let line = text[..at.min(text.len())].lines().count().max(1);
            // At the start of a line, that line is meant, which has not been counted.
            let line = line + usize::from(at > 0 && text[..at].ends_with('\n'));
            format!("{file}:{line}: {why}")
        };
        let syntax = |error: toml::de::Error| {
            (error.span().map_or(0, |span| span.start), error.message().to_string())
        };
        DeTable::parse(text).map_err(syntax).and_then(|root| read_model(&root)).map_err(placed)
    }
}

/// One table of the file: a reader that has read all known keys checks that none is left.
struct Section<'a> {
    name: &'static str,
    at: usize,
    table: Option<&'a DeTable<'a>>,
    known: Vec<&'static str>,
}

fn read_model(root: &Spanned<DeTable>) -> Result<Model, Wrong> {
    const SECTIONS: [&str; 11] = [
        "machine",
        "node",
        "cost",
        "mpi",
        "collectives",
        "tree",
        "compute",
        "recovery",
        "files",
        "spares",
        "faults",
    ];
    for (name, _) in root.get_ref() {
        if !SECTIONS.contains(&name.get_ref().as_ref()) {
            let name_is = name.get_ref();
            return Err((name.span().start, unknown(name_is, &SECTIONS, "section")));
        }
    }
    let section = |name| Section::new(root, name);
    let (name, topology, rack) = read_machine(section("machine")?)?;
    let spares = section("spares")?;
    let spares = match spares.table {
        Some(_) => Some(read_spares(spares, &topology)?),
        None => None,
    };
    let cost = read_cost(section("cost")?)?;
    Ok(Model {
        name,
        node: read_node(section("node")?)?,
        mpi: Overheads {
            collectives: read_collectives(section("collectives")?, read_tree(section("tree")?)?)?,
            ..read_overheads(section("mpi")?, &cost)?
        },
        speed: read_speed(section("compute")?, &cost)?,
        recovery: read_recovery(section("recovery")?)?,
        files: read_files(section("files")?)?,
        cost,
        spares,
        faults: read_faults(section("faults")?, &topology)?,
        topology,
        rack,
    })
}

fn read_machine(mut section: Section) -> Result<(String, Topology, Vec<u32>), Wrong> {
    let name = section.text("name")?.map_or("unnamed", |(name, _)| name).to_string();
    let (kind, at) = section.need_text("topology", "mesh")?;
    let topology = match kind {
        "mesh" | "torus" => {
            let (dims, dims_at) = section.numbers("dims")?;
            // There is only the usual routing, but it may be named.
            if let Some((routing, at)) = section.text("routing")?
                && routing != "dimension-order"
            {
                let why = format!("`{routing}`: routing is \"dimension-order\" here");
                return Err((at, why));
            }
            let grid = if kind == "mesh" { Grid::mesh(&dims) } else { Grid::torus(&dims) };
            Topology::Grid(grid.map_err(|why| (dims_at, why))?)
        }
        "hypercube" => {
            let dimension = section.whole("dimension")?;
            let missing = || (section.at, "[machine] hypercube: use dimension = 10".to_string());
            let grid = Grid::hypercube(dimension.ok_or_else(missing)?);
            Topology::Grid(grid.map_err(|why| (section.at, why))?)
        }
        "fat-tree" => {
            let (arity, levels) = (section.whole("arity")?, section.whole("levels")?);
            let (Some(arity), Some(levels)) = (arity, levels) else {
                return Err((section.at, "[machine] fat-tree: use arity = 16, levels = 3".into()));
            };
            Topology::FatTree(FatTree::new(arity, levels).map_err(|why| (section.at, why))?)
        }
        "dragonfly" => Topology::Dragonfly(read_dragonfly(&mut section)?),
        other => {
            let shapes = ["mesh", "torus", "hypercube", "fat-tree", "dragonfly"];
            return Err((at, unknown(other, &shapes, "topology")));
        }
    };
    let rack = read_rack(&mut section, &topology)?;
    section.done()?;
    Ok((name, topology, rack))
}

fn read_dragonfly(section: &mut Section) -> Result<Dragonfly, Wrong> {
    let at = section.at;
    let mut many = |name| {
        let usage = "groups = 9, chassis = 6, routers = 16, nodes = 4";
        let missing = || (at, format!("[machine] dragonfly lacks {name}: use {usage}"));
        section.whole(name)?.ok_or_else(missing)
    };
    let shape = Shape {
        groups: many("groups")?,
        chassis: many("chassis")?,
        routers: many("routers")?,
        nodes: many("nodes")?,
    };
    Dragonfly::new(shape).map_err(|why| (at, why))
}

/// How many nodes a rack has in each dimension.
fn read_rack(section: &mut Section, topology: &Topology) -> Result<Vec<u32>, Wrong> {
    let Some(value) = section.value("rack") else { return Ok(Vec::new()) };
    let at = value.span().start;
    let Some(grid) = topology.grid() else {
        return Err((at, "rack: only a mesh, a torus or a hypercube has racks".into()));
    };
    let (rack, at) = section.numbers("rack")?;
    let dims = grid.dims();
    if rack.len() != dims.len() || rack.contains(&0) {
        let why = format!("rack {rack:?}: use 1 or more nodes for each of {} dims", dims.len());
        return Err((at, why));
    }
    Ok(rack)
}

fn read_node(mut section: Section) -> Result<Node, Wrong> {
    let usual = Node::default();
    let mut field = |name, otherwise| Ok(section.whole(name)?.unwrap_or(otherwise));
    let node = Node {
        processors: field("processors", usual.processors)?,
        threads: field("threads", usual.threads)?,
        inbuf: field("inbuf", usual.inbuf)?,
        outbuf: field("outbuf", usual.outbuf)?,
        packet: field("packet", usual.packet)?,
    };
    node.all_threads().map_err(|why| (section.at, why))?;
    section.done()?;
    Ok(node)
}

fn read_cost(mut section: Section) -> Result<Cost, Wrong> {
    let usual = Cost::default();
    let mut price = |name, short, otherwise| match section.nanos(name)? {
        Some(picos) => Ok(picos),
        None => Ok(section.nanos(short)?.unwrap_or(otherwise)),
    };
    let mut cost = Cost {
        cycle: price("cycle_ns", "cycle", usual.cycle)?,
        hop: price("hop_ns", "hop", usual.hop)?,
        corner: price("corner_ns", "corner", usual.corner)?,
        handler: price("handler_ns", "handler", usual.handler)?,
        byte: price("byte_ns", "byte", usual.byte)?,
        corner_rule: usual.corner_rule,
    };
    if let Some((rule, at)) = section.text("corner_rule")? {
        cost.corner_rule = match rule {
            "per-message" => CornerRule::PerMessage,
            "per-turn" => CornerRule::PerTurn,
            "once-at-least" => CornerRule::OnceAtLeast,
            _ => {
                let known = ["per-message", "per-turn", "once-at-least"];
                return Err((at, unknown(rule, &known, "corner_rule")));
            }
        };
    }
    section.done()?;
    Ok(cost)
}

fn read_overheads(mut section: Section, cost: &Cost) -> Result<Overheads, Wrong> {
    const EAGER: u32 = 16_000;
    let mpi = Overheads {
        send: section.nanos("send_ns")?.unwrap_or(0),
        receive: section.nanos("receive_ns")?.unwrap_or(cost.handler),
        poll: section.nanos("poll_ns")?.unwrap_or(0),
        eager: section.whole("eager_bytes")?.unwrap_or(EAGER) as usize,
        collectives: Collectives::default(),
    };
    section.done()?;
    Ok(mpi)
}

/// `allreduce = ["doubling", 12288, "ring"]`, or one algorithm for all sizes.
fn read_collectives(
    mut section: Section, tree: Option<HardwareTree>,
) -> Result<Collectives, Wrong> {
    let mut choices = Vec::new();
    for name in Operation::NAMES {
        let (Some(value), Some(operation)) = (section.value(name), Operation::named(name)) else {
            continue;
        };
        let alone = std::slice::from_ref(value);
        let values: Vec<&Value> = value
            .get_ref()
            .as_array()
            .map_or_else(|| alone.iter().collect(), |list| list.iter().collect());
        let words = values.iter().map(|value| match value.get_ref().as_str() {
            Some(name) => Ok(Word::Name(name)),
            None => whole(name, value).map(|limit| Word::Limit(limit.into())),
        });
        let words = words.collect::<Result<Vec<_>, _>>()?;
        let choice = Preference::read(operation, &words).map_err(|(at, why)| {
            (values.get(at).map_or(section.at, |it| it.span().start), format!("{name}: {why}"))
        });
        let choice = choice?;
        if tree.is_none() && choice.has(Algorithm::Hardware) {
            let why = format!("{name}: a tree in hardware has prices: add [tree] hop_ns = 100");
            return Err((value.span().start, why));
        }
        choices.push(choice);
    }
    section.done()?;
    Ok(Collectives { choices, tree })
}

fn read_tree(mut section: Section) -> Result<Option<HardwareTree>, Wrong> {
    if section.table.is_none() {
        return Ok(None);
    }
    let missing = (section.at, "[tree] lacks hop_ns: use hop_ns = 100".to_string());
    let hop = section.nanos("hop_ns")?.ok_or(missing)?;
    let barrier_hop = section.nanos("barrier_hop_ns")?.unwrap_or(hop);
    let byte = section.nanos("byte_ns")?.unwrap_or(0);
    section.done()?;
    Ok(Some(HardwareTree { hop, barrier_hop, byte }))
}

/// Without better knowledge, an operation takes a cycle, and so does a word of memory.
fn read_speed(mut section: Section, cost: &Cost) -> Result<Speed, Wrong> {
    let cycles = SECOND as f64 / cost.cycle.max(1) as f64;
    let speed = Speed {
        flops: section.positive("flops", cycles)?,
        bytes: section.positive("bytes", 8.0 * cycles)?,
        factor: section.positive("factor", 1.0)?,
    };
    section.done()?;
    Ok(speed)
}

fn read_recovery(mut section: Section) -> Result<Recovery, Wrong> {
    let recovery = Recovery {
        detect: section.time("detect")?.unwrap_or(0),
        restart: section.time("restart")?.unwrap_or(0),
        process_bytes: section.number("process_bytes")?.unwrap_or(0.0) as u64,
    };
    section.done()?;
    Ok(recovery)
}

fn read_files(mut section: Section) -> Result<Option<Files>, Wrong> {
    if section.table.is_none() {
        return Ok(None);
    }
    let latency = section.time("latency")?.unwrap_or(0);
    let bytes = section.positive("bytes", f64::INFINITY)?;
    section.done()?;
    Ok(Some(Files { latency, bytes }))
}

fn read_spares(mut section: Section, topology: &Topology) -> Result<Spares, Wrong> {
    let Some(grid) = topology.grid() else {
        return Err((section.at, "[spares] are for meshes, tori and hypercubes".into()));
    };
    let (alloc, at) = section.need_text("alloc", "3D(2,1)")?;
    let mut spares = Spares::parse(alloc).map_err(|why| (at, why))?;
    spares.check(grid).map_err(|why| (at, why))?;
    if let Some(methods) = section.list("substitute")? {
        let read = |value: &Value| {
            let text = value.get_ref().as_str().unwrap_or_default();
            Method::parse(text).map_err(|why| (value.span().start, why))
        };
        spares.substitute = methods.iter().map(read).collect::<Result<_, _>>()?;
    }
    if let Some((choose, at)) = section.text("choose")? {
        spares.choose = match choose {
            "nearest" => Choice::Nearest,
            "dimension" => Choice::Dimension,
            "collisions" => Choice::Collisions,
            _ => {
                return Err((
                    at,
                    unknown(choose, &["nearest", "dimension", "collisions"], "choose"),
                ));
            }
        };
    }
    section.done()?;
    Ok(spares)
}

fn read_faults(mut section: Section, topology: &Topology) -> Result<Faults, Wrong> {
    let seed = section.whole("seed")?.map_or(1, u64::from);
    let mut plans = Vec::new();
    for entry in section.list("schedule")?.unwrap_or_default() {
        let at = entry.span().start;
        let Some(table) = entry.get_ref().as_table() else {
            return Err((at, "an entry of schedule is {at=\"5ms\", nodes=\"3\"}".into()));
        };
        let known = Vec::new();
        let entry = Section { name: "faults.schedule", at, table: Some(table), known };
        plans.push(read_plan(entry, topology)?);
    }
    section.done()?;
    Ok(Faults { seed, plans })
}

fn read_plan(mut section: Section, topology: &Topology) -> Result<Plan, Wrong> {
    let nodes = match section.text("nodes")? {
        Some((words, at)) => Some(Nodes::parse(words, topology).map_err(|why| (at, why))?),
        None => None,
    };
    let nodes = |otherwise| nodes.clone().unwrap_or(otherwise);
    let plan = if let Some(at) = section.time("at")? {
        Plan::At(at, nodes(Nodes::one_of_all(topology)))
    } else if let Some(period) = section.span("every")? {
        Plan::Every(period, nodes(Nodes::one_of_all(topology)))
    } else if let Some(mean) = section.span("mttf")? {
        let dice = Dice { mean: mean as f64, shape: section.shape()?, is_per_node: false };
        Plan::Chance(dice, nodes(Nodes::all(topology)))
    } else if let Some(mean) = section.span("node_mttf")? {
        let dice = Dice { mean: mean as f64, shape: section.shape()?, is_per_node: true };
        Plan::Chance(dice, nodes(Nodes::all(topology)))
    } else {
        let why = "expected at, every, mttf or node_mttf = \"10min\"";
        return Err((section.at, why.into()));
    };
    section.done()?;
    Ok(plan)
}

impl<'a> Section<'a> {
    fn new(root: &'a Spanned<DeTable<'a>>, name: &'static str) -> Result<Section<'a>, Wrong> {
        let (at, table) = match root.get_ref().get(name) {
            None => (0, None),
            Some(value) => match value.get_ref().as_table() {
                Some(table) => (value.span().start, Some(table)),
                None => return Err((value.span().start, format!("{name} is a [{name}] section"))),
            },
        };
        Ok(Section { name, at, table, known: Vec::new() })
    }

    fn value(&mut self, name: &'static str) -> Option<&'a Value<'a>> {
        self.known.push(name);
        self.table?.get(name)
    }

    fn text(&mut self, name: &'static str) -> Result<Option<(&'a str, usize)>, Wrong> {
        let Some(value) = self.value(name) else { return Ok(None) };
        let at = value.span().start;
        let no = || (at, format!("{name} is a word in quotes"));
        Ok(Some((value.get_ref().as_str().ok_or_else(no)?, at)))
    }

    fn need_text(&mut self, name: &'static str, such_as: &str) -> Result<(&'a str, usize), Wrong> {
        let missing = format!("[{}] lacks {name}: use {name} = \"{such_as}\"", self.name);
        self.text(name)?.ok_or((self.at, missing))
    }

    fn whole(&mut self, name: &'static str) -> Result<Option<u32>, Wrong> {
        self.value(name).map(|value| whole(name, value)).transpose()
    }

    fn numbers(&mut self, name: &'static str) -> Result<(Vec<u32>, usize), Wrong> {
        let missing = (self.at, format!("[{}] lacks {name}: use {name} = [34, 34]", self.name));
        let list = self.list(name)?.ok_or(missing)?;
        let numbers = list.iter().map(|value| whole(name, value)).collect::<Result<_, _>>()?;
        Ok((numbers, list.first().map_or(self.at, |first| first.span().start)))
    }

    fn list(&mut self, name: &'static str) -> Result<Option<&'a [Value<'a>]>, Wrong> {
        let Some(value) = self.value(name) else { return Ok(None) };
        match value.get_ref().as_array() {
            Some(list) => Ok(Some(list)),
            None => Err((value.span().start, format!("{name} is a list in [brackets]"))),
        }
    }

    /// Nanoseconds, possibly with a fraction.
    fn nanos(&mut self, name: &'static str) -> Result<Option<Picos>, Wrong> {
        let Some(nanos) = self.number(name)? else { return Ok(None) };
        let why = |why| (self.at, format!("{name} {why}"));
        picos_of(nanos).map(Some).map_err(why)
    }

    fn number(&mut self, name: &'static str) -> Result<Option<f64>, Wrong> {
        let Some(value) = self.value(name) else { return Ok(None) };
        let text = match value.get_ref() {
            DeValue::Integer(integer) => integer.as_str(),
            DeValue::Float(float) => float.as_str(),
            _ => "",
        };
        let number = text.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0);
        let no = || (value.span().start, format!("{name} is a number, 0 or more"));
        number.ok_or_else(no).map(Some)
    }

    fn positive(&mut self, name: &'static str, usual: f64) -> Result<f64, Wrong> {
        match self.number(name)? {
            Some(0.0) => Err((self.at, format!("{name} is more than 0"))),
            number => Ok(number.unwrap_or(usual)),
        }
    }

    fn time(&mut self, name: &'static str) -> Result<Option<Picos>, Wrong> {
        let Some((text, at)) = self.text(name)? else { return Ok(None) };
        time(text).map(Some).map_err(|why| (at, why))
    }

    /// A time between two events.
    fn span(&mut self, name: &'static str) -> Result<Option<Picos>, Wrong> {
        let at = self.table.and_then(|table| table.get(name)).map_or(self.at, |it| it.span().start);
        match self.time(name)? {
            Some(0) => Err((at, format!("{name} is a time of more than 0, such as \"10min\""))),
            span => Ok(span),
        }
    }

    /// The shape of Weibull's distribution; 1 is the exponential one.
    fn shape(&mut self) -> Result<f64, Wrong> {
        let shape = self.number("weibull")?.unwrap_or(1.0);
        let (low, high) = (Dice::SHAPES.start(), Dice::SHAPES.end());
        let why = || format!("weibull is a shape from {low} to {high}, such as 0.7");
        if Dice::SHAPES.contains(&shape) { Ok(shape) } else { Err((self.at, why())) }
    }

    /// Reports keys that were not read.
    fn done(self) -> Result<(), Wrong> {
        let Some(table) = self.table else { return Ok(()) };
        match table.iter().find(|(name, _)| !self.known.contains(&name.get_ref().as_ref())) {
            None => Ok(()),
            Some((name, _)) => {
                let kind = format!("key of [{}]", self.name);
                Err((name.span().start, unknown(name.get_ref(), &self.known, &kind)))
            }
        }
    }
}

fn whole(name: &str, value: &Value) -> Result<u32, Wrong> {
    let number = value.get_ref().as_integer().filter(|integer| integer.radix() == 10);
    let number = number.and_then(|integer| integer.as_str().parse().ok());
    number.ok_or_else(|| (value.span().start, format!("{name}: a whole number, 0 or more")))
}

fn unknown(word: &str, known: &[&str], kind: &str) -> String {
    format!("`{word}` is not a {kind}: there are {}", known.join(", "))
}

#[cfg(test)]
mod tests;
