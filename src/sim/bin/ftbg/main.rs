//! The Blue Gene emulator: runs the paper's programs, and the user's, on a machine that was never
//! built.

#![forbid(unsafe_code)]

mod help;
mod machine;
mod measure;
mod watch;

use ftmpi_cli::Words;
use ftmpi_sim::bluegene::apps::{LineBroadcast, OctreeBroadcast, Reduce, Ring};
use ftmpi_sim::bluegene::jacobi::{Jacobi, differing};
use ftmpi_sim::bluegene::md::{Md, Outcome};
use ftmpi_sim::bluegene::{Emulator, Heat, Program, Remains, Setup, Totals};
use ftmpi_sim::foreign::bluegene::Foreign;
use ftmpi_sim::program::program;
use ftmpi_sim::report::Report;
use ftmpi_sim::stage::{self, Viewing};
use machine::Machine;
use measure::Measure;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use watch::Watched;

fn main() -> ExitCode {
    program("ftbg", help::PAGE, run)
}

fn run(arguments: Vec<String>) -> Result<String, String> {
    let alone = [&["json", "quiet", "fragments", "measure", "starter"][..], &stage::ALONE].concat();
    let mut words = Words::split(arguments.into_iter(), &alone)?;
    let what = words.word().unwrap_or_default();
    let mut play = Play::read(&mut words)?;
    let machine = Machine::read(&mut words)?;
    match what.as_str() {
        "run" => foreign(words, machine, &mut play)?,
        _ => built_in(&what, words, machine, &mut play)?,
    }
    let Play { is_json, report, .. } = play;
    Ok(if is_json { report.json() } else { report.table() })
}

fn built_in(what: &str, mut words: Words, machine: Machine, play: &mut Play) -> Result<(), String> {
    let (rounds, dims) = match what {
        "jacobi" => (20, [8, 8, 8]),
        "md" => (100, [4, 4, 4]),
        _ => (0, [34, 34, 36]),
    };
    let rounds = words.number("rounds", rounds)?;
    let seed = words.number("seed", 1)?;
    let has_starter = what.starts_with("oct") && words.has("starter");
    words.done()?;
    let setup = machine.setup(dims)?;
    play.begin(what, &setup);
    match what {
        "line" => play.run(setup, LineBroadcast).map(drop),
        "octtree" | "octree" => play.run(setup, OctreeBroadcast { has_starter }).map(drop),
        "reduce" => {
            let emulator = play.run(setup, Reduce)?;
            play.report.add("maximum", emulator.data(0).best);
            Ok(())
        }
        "ring" => play.run(setup, Ring).map(drop),
        "jacobi" => {
            let emulator = play.run(setup, Jacobi { rounds })?;
            let dims = emulator.setup().dims;
            play.report.add("rounds", rounds);
            let differing = differing(dims, rounds, |node| emulator.data(node));
            play.report.add("cells_that_differ_from_a_serial_run", differing);
            Ok(())
        }
        "md" => molecules(setup, rounds, seed, play),
        _ => Err("which one? ftbg line, octtree, reduce, ring, jacobi, md or run APP.so".into()),
    }
}

fn molecules(setup: Setup, steps: u32, seed: u64, play: &mut Play) -> Result<(), String> {
    let md = Md::new(setup.dims, steps, seed)?;
    let emulator = play.run(Setup { has_fragments: true, ..setup }, md)?;
    let outcome = Outcome::of((0..emulator.setup().nodes()).map(|node| emulator.data(node)));
    play.report.add("seed", seed);
    play.report.add("rounds", steps);
    play.report.add("atoms", outcome.atoms.len());
    play.report.add("energy", outcome.energies.last().copied().unwrap_or(0.0));
    play.report.add("energy_drift", outcome.drift());
    play.report.add("momentum", outcome.momentum());
    let differing = outcome.differing(&emulator.program().serial());
    play.report.add("atoms_that_differ_from_a_serial_run", differing);
    Ok(())
}

/// Runs a user's program.
fn foreign(mut words: Words, mut machine: Machine, play: &mut Play) -> Result<(), String> {
    let path = words.word().ok_or("which program? Use ftbg run ./app.so")?;
    let about = words.all("info");
    let mut line = vec![path.clone()];
    line.extend(std::iter::from_fn(|| words.word()));
    words.done()?;
    if play.threads > 1 {
        return Err("--threads: programs may have variables, so one thread serves them".into());
    }
    let program = Foreign::load(Path::new(&path))?;
    let usual = machine.wanted([34, 34, 36])?;
    machine.want(program.wanted(usual, &line)?)?;
    let setup = machine.setup([34, 34, 36])?;
    let name = Path::new(&path).file_stem().unwrap_or_default();
    play.begin(&name.to_string_lossy(), &setup);
    let emulator = play.run(setup, program)?;
    let infos = about.iter().map(|node| {
        let node: u32 = node.parse().map_err(|_| format!("--info {node}: use a node's number"))?;
        match node < emulator.setup().nodes() {
            true => Ok(format!("{node}: {}", emulator.program().info(node, emulator.data(node)))),
            false => Err(format!("--info {node}: there is no such node")),
        }
    });
    let infos = infos.collect::<Result<Vec<_>, String>>()?;
    if !infos.is_empty() {
        play.report.add("info", infos);
    }
    Ok(())
}

/// How a program is run, and what is reported about it.
struct Play {
    threads: usize,
    viewing: Viewing,
    /// For viewers: the length of a step in nanoseconds, and the quantity of the colours.
    slice: f64,
    view: String,
    name: String,
    measure: Measure,
    is_json: bool,
    report: Report,
}

impl Play {
    fn read(words: &mut Words) -> Result<Play, String> {
        let threads = words.number("threads", 1)?;
        if threads == 0 || threads > 256 {
            return Err(format!("--threads {threads}: use 1 to 256"));
        }
        let measure = Measure::read(words)?;
        let viewing = Viewing::read(words)?;
        let (slice, view) = (words.given("slice", 1000.0)?, words.text("view"));
        if !viewing.is_wanted() && (slice.is_some() || view.is_some()) {
            return Err("--slice and --view need --watch, --record or --tui".into());
        }
        if viewing.is_wanted() && measure.is_asked() {
            return Err("--measure: pictures take time, so leave it out, or --watch, --record \
                        and --tui"
                .into());
        }
        let slice = slice.unwrap_or(1000.0);
        if !(0.001..1e15).contains(&slice) {
            return Err(format!("--slice {slice}: use nanoseconds, such as 1000"));
        }
        let view = view.unwrap_or("total".into());
        Ok(Play {
            threads,
            viewing,
            slice,
            view,
            name: String::new(),
            measure,
            is_json: words.has("json"),
            report: Report::default(),
        })
    }

    fn begin(&mut self, what: &str, setup: &Setup) {
        self.name = what.into();
        self.report.add("program", what);
        self.report.add("dims", setup.dims.to_vec());
        self.report.add("nodes", setup.nodes());
    }

    fn run<P: Program>(&mut self, setup: Setup, program: P) -> Result<Remains<P>, String> {
        setup.check(P::PAYLOAD_BYTES)?;
        if self.viewing.is_wanted() {
            return self.show(setup, program);
        }
        let mut emulator = Emulator::new(setup, program, self.threads);
        let began = Instant::now();
        let totals = emulator.run()?;
        self.tell(emulator.setup(), &totals, began.elapsed());
        Ok(emulator.remains())
    }

    /// Runs the program while it is watched.
    fn show<P: Program>(&mut self, setup: Setup, program: P) -> Result<Remains<P>, String> {
        /// The most nodes that fit into memory while the machine is watched.
        const MOST_NODES: u32 = 1_000_000;
        if setup.nodes() > MOST_NODES {
            return Err(format!("{} nodes: at most {MOST_NODES} can be looked at", setup.nodes()));
        }
        let quiet = setup.clone();
        let emulator = Emulator::observed(setup, program, self.threads, || Heat::new(&quiet));
        let mut watched = Watched::new(emulator, &self.name, self.slice, &self.view)?;
        let began = Instant::now();
        self.viewing.show("ftbg", &mut watched)?;
        let wall = began.elapsed();
        let totals = watched.emulator.totals()?;
        if let Some(next) = watched.emulator.next_time() {
            return Err(format!("stopped before {next} ns: an incomplete run has no result"));
        }
        self.tell(watched.emulator.setup(), &totals, wall);
        let (packets, link) = watched.hottest();
        self.report.add("packets_on_the_hottest_link", packets);
        self.report.add("hottest_link", link);
        Ok(watched.emulator.remains())
    }

    fn tell(&mut self, setup: &Setup, totals: &Totals, wall: Duration) {
        let report = &mut self.report;
        report.add("time_ns", totals.time_ns);
        report.add("packets", totals.packets);
        report.add("handlers", totals.handlers);
        report.add("busy_ns", totals.busy_ns);
        // The mean number of busy threads in a node.
        let nodes = f64::from(setup.nodes());
        report.add("busy_threads", totals.busy_ns / nodes / totals.time_ns);
        report.add("packets_that_waited_in_the_network", totals.waited);
        report.add("stalled_ns", totals.stalled_ns);
        self.measure.tell(setup, totals, wall, self.threads, report);
    }
}
