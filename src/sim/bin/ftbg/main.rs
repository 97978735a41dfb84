//! The Blue Gene emulator: the paper's programs on a machine that was not built.

#![forbid(unsafe_code)]

mod help;

use ftmpi_sim::bluegene::apps::{LineBroadcast, OctreeBroadcast, Reduce, Ring};
use ftmpi_sim::bluegene::jacobi::{Jacobi, differing};
use ftmpi_sim::bluegene::{Emulator, Program, Setup, Totals};
use ftmpi_sim::machine::Model;
use ftmpi_sim::machine::cost::CornerRule;
use ftmpi_sim::machine::topology::{Grid, Topology};
use ftmpi_sim::machine::units::{numbers, picos_of};
use ftmpi_sim::report::Report;
use ftmpi_sim::words::{Words, program};
use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    program("ftbg", help::PAGE, run)
}

fn run(arguments: Vec<String>) -> Result<String, String> {
    let mut words = Words::split(arguments.into_iter(), &["json", "quiet"])?;
    let what = words.word().unwrap_or_default();
    let usual = if what == "jacobi" { "8,8,8" } else { "34,34,36" };
    let setup = setup(&mut words, usual)?;
    let rounds = words.number("rounds", 20)?;
    let threads = words.number("threads", 1)?;
    if threads == 0 || threads > 256 {
        return Err(format!("--threads {threads}: say 1 to 256"));
    }
    let (is_json, is_quiet) = (words.has("json"), words.has("quiet"));
    words.done()?;
    let mut report = Report::default();
    report.add("program", what.as_str());
    report.add("dims", setup.dims.to_vec());
    report.add("nodes", setup.nodes());
    let play = Play { setup, threads, is_quiet };
    match what.as_str() {
        "line" => play.run(LineBroadcast, &mut report)?.1,
        "octtree" | "octree" => play.run(OctreeBroadcast, &mut report)?.1,
        "reduce" => {
            let (emulator, totals) = play.run(Reduce, &mut report)?;
            report.add("maximum", emulator.data(0).best);
            totals
        }
        "ring" => play.run(Ring, &mut report)?.1,
        "jacobi" => {
            let (emulator, totals) = play.run(Jacobi { rounds }, &mut report)?;
            let dims = emulator.setup().dims;
            report.add("rounds", rounds);
            let differing = differing(dims, rounds, |node| emulator.data(node));
            report.add("cells_that_differ_from_a_serial_run", differing);
            totals
        }
        _ => return Err("say what: ftbg line, octtree, reduce, ring or jacobi".into()),
    };
    Ok(if is_json { report.json() } else { report.table() })
}

/// How a program is run.
struct Play {
    setup: Setup,
    threads: usize,
    is_quiet: bool,
}

impl Play {
    fn run<P: Program>(
        &self, program: P, report: &mut Report,
    ) -> Result<(Emulator<P>, Totals), String> {
        self.setup.check::<P>()?;
        let mut emulator = Emulator::new(self.setup.clone(), program, self.threads);
        let began = Instant::now();
        let totals = emulator.run();
        let wall = began.elapsed().as_secs_f64();
        report.add("time_ns", totals.time_ns);
        report.add("packets", totals.packets);
        report.add("handlers", totals.handlers);
        report.add("busy_ns", totals.busy_ns);
        // What one processor would need, shared out to the nodes without any loss.
        let ideal = totals.busy_ns / f64::from(self.setup.nodes());
        report.add("ideal_ns", ideal);
        report.add("efficiency", ideal / totals.time_ns);
        report.add("packets_that_waited_in_the_network", totals.waited);
        report.add("stalled_ns", totals.stalled_ns);
        if !self.is_quiet {
            // Not in the report, whose bytes are the same in every run.
            let slowdown = wall * 1e9 / totals.time_ns;
            eprintln!("ftbg: emulated in {:.3} ms, a slowdown of {slowdown:.1}", wall * 1e3);
        }
        Ok((emulator, totals))
    }
}

fn setup(words: &mut Words, dims: &str) -> Result<Setup, String> {
    let machine = words.text("machine");
    // A machine has its own dims; who says others wants them.
    let dims = words.text("dims").or(machine.is_none().then(|| dims.to_string()));
    let mut model = match machine {
        None => Model::known("bluegene-2001").expect("it comes along"),
        Some(file) => match Model::known(&file) {
            Some(model) => model,
            None => {
                let text =
                    std::fs::read_to_string(&file).map_err(|why| format!("{file}: {why}"))?;
                Model::read(&file, &text)?
            }
        },
    };
    if let Some(dims) = dims {
        let dims = numbers(&dims)?;
        if dims.len() != 3 {
            return Err("--dims has three numbers: say 34,34,36".into());
        }
        let wraps = model.topology.grid().is_some_and(Grid::wraps);
        let grid = if wraps { Grid::torus(&dims)? } else { Grid::mesh(&dims)? };
        model.topology = Topology::Grid(grid);
    }
    model.cost.corner_rule = match words.text("cost").as_deref() {
        None => model.cost.corner_rule,
        Some("published") => CornerRule::PerMessage,
        Some("physical") => CornerRule::PerTurn,
        Some(other) => return Err(format!("--cost {other}: say published or physical")),
    };
    let handler = words.number("handler", model.cost.handler as f64 / 1e3)?;
    model.cost.handler = picos_of(handler).map_err(|why| format!("--handler {why}"))?;
    let all = model.node.all_threads()?;
    let communication = words.number("communication", all.div_ceil(2))?;
    Setup::new(&model, communication)
}
