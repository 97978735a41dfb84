//! The emulated machine: from the command line, with defaults for each program.

use ftmpi_cli::Words;
use ftmpi_machine::Model;
use ftmpi_machine::cost::CornerRule;
use ftmpi_machine::topology::{Grid, Topology};
use ftmpi_machine::units::{NANO, numbers, picos_of};
use ftmpi_sim::bluegene::Setup;
use ftmpi_sim::foreign::bluegene::Wanted;

/// A machine before it is built.
pub(crate) struct Machine {
    model: Model,
    /// Whether it was named: then its dims are fixed.
    is_named: bool,
    dims: Option<[u32; 3]>,
    communication: Option<u32>,
    workers: Option<u32>,
    has_fragments: bool,
}

impl Machine {
    pub(crate) fn read(words: &mut Words) -> Result<Machine, String> {
        let machine = words.text("machine");
        let is_named = machine.is_some();
        let file = machine.unwrap_or("bluegene-2001".into());
        let mut model = Model::find(&file, |file| std::fs::read_to_string(file))?;
        let read = |dims: String| numbers(&dims).map_err(|why| format!("--dims: {why}"));
        let dims = words.text("dims").map(read).transpose()?;
        let dims = dims.map(|dims| {
            <[u32; 3]>::try_from(dims).map_err(|_| "--dims has three numbers: use 34,34,36")
        });
        model.cost.corner_rule = match words.text("cost").as_deref() {
            None => model.cost.corner_rule,
            Some("published") => CornerRule::PerMessage,
            Some("physical") => CornerRule::PerTurn,
            Some("text") => {
                model.cost.hop = NANO;
                CornerRule::OnceAtLeast
            }
            Some(other) => {
                return Err(format!("--cost {other}: use published, physical or text"));
            }
        };
        let handler = words.number("handler", model.cost.handler as f64 / 1e3)?;
        model.cost.handler = picos_of(handler).map_err(|why| format!("--handler {why}"))?;
        let communication = words.given("communication", 100)?;
        if communication == Some(0) {
            return Err("--communication 0: use 1 or more".into());
        }
        Ok(Machine {
            is_named,
            dims: dims.transpose()?,
            communication,
            workers: None,
            has_fragments: words.has("fragments"),
            model,
        })
    }

    /// The machine, unless a program requires another; `usual` are its dims.
    pub(crate) fn wanted(&self, usual: [u32; 3]) -> Result<Wanted, String> {
        Ok(Wanted::of(&self.setup(usual)?))
    }

    /// A program requires this machine; the command line takes precedence.
    pub(crate) fn want(&mut self, wanted: Wanted) -> Result<(), String> {
        let known = |number: i32| {
            u32::try_from(number).map_err(|_| format!("BgInit: {number} nodes; use 1 or more"))
        };
        let [x, y, z] = wanted.dims;
        let dims = [known(x)?, known(y)?, known(z)?];
        let threads = [known(wanted.communication)?, known(wanted.workers)?];
        self.dims = self.dims.or(Some(dims));
        if self.communication.is_none() {
            self.communication = Some(threads[0]);
            self.workers = Some(threads[1]);
        }
        Ok(())
    }

    /// `usual` are the dims if none were given.
    pub(crate) fn setup(&self, usual: [u32; 3]) -> Result<Setup, String> {
        let mut model = self.model.clone();
        let usual = (!self.is_named).then_some(usual);
        if let Some(dims) = self.dims.or(usual) {
            let wraps = model.topology.grid().is_some_and(Grid::wraps);
            let grid = if wraps { Grid::torus(&dims)? } else { Grid::mesh(&dims)? };
            model.topology = Topology::Grid(grid);
        }
        if let (Some(communication), Some(workers)) = (self.communication, self.workers) {
            model.node.processors = 1;
            model.node.threads = communication.saturating_add(workers);
        }
        let all = model.node.all_threads()?;
        let mut setup = Setup::new(&model, self.communication.unwrap_or(all.div_ceil(2)))?;
        // As many processors as the threads need.
        setup.node.threads = self.model.node.threads.max(1);
        setup.node.processors = all.div_ceil(setup.node.threads);
        setup.has_fragments = self.has_fragments;
        Ok(setup)
    }
}
