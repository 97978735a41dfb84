//! The matrix of failures: every call, under every pair of modes, with every victim, who dies
//! before, inside of or after the call; alone, with another, or followed by another who dies in the
//! recovery. Every cell ends within its deadline with what the rules say (see `cell.c`).
//!
//! The ordinary test runs a sample in which every two features meet that can; the whole matrix is
//! run by `cargo test --release --test matrix -- --ignored`. `FTMPI_CELL='ibcast MPI_Wait'` runs
//! the
//! cells whose names hold these words, one after the other.

mod support;

use std::collections::HashSet;
use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use support::{Outcome, Program};

const RANKS: usize = 4;
const SECONDS: u64 = 120;
/// More than so many failed cells say nothing new.
const SHOWN: usize = 5;

/// A case of the program, and the functions in which somebody dies.
type Case = (&'static str, &'static [&'static str]);

#[rustfmt::skip]
const CASES: &[Case] = &[
    ("send", &["MPI_Send"]), ("send_large", &["MPI_Send", "MPI_Irecv"]), ("ssend", &["MPI_Ssend"]),
    ("rsend", &["MPI_Rsend"]), ("bsend", &["MPI_Bsend"]), ("isend", &["MPI_Isend", "MPI_Wait"]),
    ("isend_large", &["MPI_Isend", "MPI_Wait"]), ("issend", &["MPI_Issend", "MPI_Wait"]),
    ("recv", &["MPI_Recv", "MPI_Isend"]), ("recv_large", &["MPI_Recv", "MPI_Wait"]),
    ("recv_any", &["MPI_Recv"]), ("sendrecv", &["MPI_Sendrecv"]),
    ("sendrecv_replace", &["MPI_Sendrecv_replace"]), ("probe", &["MPI_Probe", "MPI_Recv"]),
    ("mprobe", &["MPI_Mprobe"]), ("iprobe", &["MPI_Iprobe"]),
    ("waitall", &["MPI_Waitall"]), ("waitany", &["MPI_Waitany"]), ("waitsome", &["MPI_Waitsome"]),
    ("testall", &["MPI_Testall"]), ("test", &["MPI_Test"]),
    ("start", &["MPI_Send_init", "MPI_Recv_init"]),
    ("pready", &["MPI_Psend_init", "MPI_Start", "MPI_Pready", "MPI_Wait"]),
    ("parrived", &["MPI_Precv_init", "MPI_Parrived"]),
    ("barrier", &["MPI_Barrier"]), ("bcast", &["MPI_Bcast"]), ("bcast_large", &["MPI_Bcast"]),
    ("gather", &["MPI_Gather"]), ("gatherv", &["MPI_Gatherv"]), ("scatter", &["MPI_Scatter"]),
    ("scatterv", &["MPI_Scatterv"]), ("allgather", &["MPI_Allgather"]),
    ("allgatherv", &["MPI_Allgatherv"]), ("alltoall", &["MPI_Alltoall"]),
    ("alltoallv", &["MPI_Alltoallv"]), ("alltoallw", &["MPI_Alltoallw"]),
    ("reduce", &["MPI_Reduce"]), ("allreduce", &["MPI_Allreduce"]),
    ("allreduce_large", &["MPI_Allreduce"]),
    ("allreduce_init", &["MPI_Allreduce_init", "MPI_Start"]),
    ("reduce_scatter", &["MPI_Reduce_scatter"]),
    ("reduce_scatter_block", &["MPI_Reduce_scatter_block"]), ("scan", &["MPI_Scan"]),
    ("exscan", &["MPI_Exscan"]), ("ibarrier", &["MPI_Ibarrier", "MPI_Wait"]),
    ("ibcast", &["MPI_Ibcast", "MPI_Wait"]), ("igather", &["MPI_Igather", "MPI_Wait"]),
    ("igatherv", &["MPI_Igatherv", "MPI_Wait"]), ("iscatter", &["MPI_Iscatter", "MPI_Wait"]),
    ("iscatterv", &["MPI_Iscatterv", "MPI_Wait"]), ("iallgather", &["MPI_Iallgather", "MPI_Wait"]),
    ("iallgatherv", &["MPI_Iallgatherv", "MPI_Wait"]),
    ("ialltoall", &["MPI_Ialltoall", "MPI_Wait"]),
    ("ialltoallv", &["MPI_Ialltoallv", "MPI_Wait"]),
    ("ialltoallw", &["MPI_Ialltoallw", "MPI_Wait"]),
    ("ireduce", &["MPI_Ireduce", "MPI_Wait"]), ("iallreduce", &["MPI_Iallreduce", "MPI_Wait"]),
    ("ireduce_scatter", &["MPI_Ireduce_scatter", "MPI_Wait"]),
    ("ireduce_scatter_block", &["MPI_Ireduce_scatter_block", "MPI_Wait"]),
    ("iscan", &["MPI_Iscan", "MPI_Wait"]), ("iexscan", &["MPI_Iexscan", "MPI_Wait"]),
    ("dup", &["MPI_Comm_dup"]), ("idup", &["MPI_Comm_idup", "MPI_Wait"]),
    ("split", &["MPI_Comm_split"]), ("split_type", &["MPI_Comm_split_type"]),
    ("create", &["MPI_Comm_create"]), ("create_group", &["MPI_Comm_create_group"]),
    ("cart", &["MPI_Cart_create"]), ("graph", &["MPI_Dist_graph_create_adjacent"]),
    ("neighbours", &["MPI_Neighbor_allgather"]), ("on_half", &["MPI_Comm_split", "MPI_Allreduce"]),
    ("nothing", &["MPI_Init", "MPI_Comm_size", "MPI_Allreduce"]),
];

/// The pairs of modes; `continue` is no recovery at all.
const MODES: [(&str, &str); 7] = [
    ("rebuild", "noop"),
    ("rebuild", "cont"),
    ("shrink", "noop"),
    ("shrink", "cont"),
    ("blank", "noop"),
    ("blank", "cont"),
    ("continue", ""),
];

/// Who dies: the rank that is looked at, its neighbour, the root of collectives, rank 0.
const VICTIMS: [(&str, usize); 4] = [("self", 1), ("peer", 2), ("root", 3), ("rank 0", 0)];

const MOMENTS: [&str; 4] = ["before", "inside", "inside twice", "after"];

/// What else happens.
const SECONDS_TO_DIE: [&str; 8] = [
    "alone",
    "with another",
    "before another recovers",
    "while another waits for the decision",
    "after another's recovery",
    "replacement dies in MPI_Init",
    "replacement dies as it joins",
    "replacement dies later",
];

/// One cell: which of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cell {
    case: &'static str,
    function: &'static str,
    mode: usize,
    victim: usize,
    moment: usize,
    second: usize,
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (comm, msg) = MODES[self.mode];
        let (victim, moment) = (VICTIMS[self.victim].0, MOMENTS[self.moment]);
        let second = SECONDS_TO_DIE[self.second];
        write!(f, "{} {comm}/{msg} {victim} {moment} {} {second}", self.case, self.function)
    }
}

impl Cell {
    /// Whether there is such a thing.
    fn makes_sense(&self) -> bool {
        match MODES[self.mode].0 {
            "rebuild" => true,
            "continue" => self.second < 2,
            _ => self.second < 5,
        }
    }

    /// The orders, as for `--kill`.
    fn kills(&self) -> Vec<String> {
        let victim = VICTIMS[self.victim].1;
        let other = (victim + 2) % RANKS;
        let function = self.function;
        let first = match MOMENTS[self.moment] {
            "inside twice" => format!("{victim}@inside:{function}:1:2"),
            moment => format!("{victim}@{moment}:{function}"),
        };
        let second = match self.second {
            0 => None,
            1 => Some(format!("{other}@inside:{function}")),
            step @ 2..5 => Some(format!("{other}@recovery:1:{}", step - 1)),
            5 => Some(format!("{victim}.2@inside:MPI_Init")),
            6 => Some(format!("{victim}.2@recovery:1:2")),
            _ => Some(format!("{victim}.2@after:MPI_Comm_size")),
        };
        [Some(first), second].into_iter().flatten().collect()
    }

    fn run(&self, program: &Program) -> Result<(), (Outcome, String)> {
        let ((comm, msg), kills) = (MODES[self.mode], self.kills());
        let deaths = kills.len();
        let mut run = support::run(program).ranks(RANKS).deadline(2 * SECONDS);
        run = run.option(format!("--timeout={SECONDS}"));
        run = run.args([self.case, comm, &deaths.to_string()]);
        run = match comm {
            "continue" => run.option("--on-failure=continue"),
            _ => run.option(format!("--mode={comm}")).option(format!("--msg={msg}")),
        };
        for kill in &kills {
            run = run.option(format!("--kill={kill}"));
        }
        let seen = run.outcome();
        let status = if comm == "continue" { 128 + 9 } else { 0 };
        let living = if comm == "rebuild" { RANKS } else { RANKS - deaths };
        let is_right = seen.status == Some(status) && seen.lines_with("ok") == living;
        if is_right { Ok(()) } else { Err((seen, kills.join(" "))) }
    }

    /// What a sample is to have: numbers that stand for two or three features that meet.
    fn features(&self, place: usize) -> [usize; 6] {
        let Cell { mode, victim, moment, second, .. } = *self;
        let number =
            |kind: usize, a: usize, b: usize, c: usize| ((kind * 1000 + a) * 10 + b) * 10 + c;
        [
            number(0, place, moment, 0),
            number(1, place, victim, 0),
            number(2, place, mode, 0),
            number(3, mode, victim, moment),
            number(4, mode, second, moment),
            number(5, mode, second, victim),
        ]
    }
}

/// All cells, with the number of their function.
fn all() -> Vec<(usize, Cell)> {
    let functions = CASES
        .iter()
        .flat_map(|(case, functions)| functions.iter().map(move |function| (*case, *function)));
    let mut cells = Vec::new();
    for (place, (case, function)) in functions.enumerate() {
        for mode in 0..MODES.len() {
            for victim in 0..VICTIMS.len() {
                for moment in 0..MOMENTS.len() {
                    for second in 0..SECONDS_TO_DIE.len() {
                        let cell = Cell { case, function, mode, victim, moment, second };
                        if cell.makes_sense() {
                            cells.push((place, cell));
                        }
                    }
                }
            }
        }
    }
    cells
}

/// Cells in which all features meet that can, in an order of chance.
fn sample(mut cells: Vec<(usize, Cell)>, seed: u64) -> Vec<Cell> {
    let mut chance = seed;
    for last in (1..cells.len()).rev() {
        chance =
            chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        cells.swap(last, (chance >> 33) as usize % (last + 1));
    }
    let mut met = HashSet::new();
    let mut chosen = Vec::new();
    // First those that bring much that is new.
    for least in (1..=6).rev() {
        for (place, cell) in &cells {
            let features = cell.features(*place);
            if features.iter().filter(|feature| !met.contains(*feature)).count() >= least {
                met.extend(features);
                chosen.push(*cell);
            }
        }
    }
    chosen
}

/// Runs the cells, as many at once as there are cores.
fn run(cells: &[Cell]) {
    let program = support::c("cell.c").flags(&["-O1", "-Wall"]).build();
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                while let Some(cell) = cells.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err((seen, kills)) = cell.run(&program) {
                        failed.lock().unwrap().push(format!("{cell}: --kill {kills}\n{seen}"));
                    }
                }
            });
        }
    });
    println!("{} cells of the matrix", cells.len());
    let failed = failed.into_inner().unwrap();
    let shown = failed.iter().take(SHOWN).cloned().collect::<String>();
    assert!(failed.is_empty(), "{} of {} cells failed:\n{shown}", failed.len(), cells.len());
}

#[test]
fn a_sample_of_all_cells_ends_as_the_rules_say() {
    run(&sample(all().into_iter().filter(|(_, cell)| is_wanted(cell)).collect(), 1));
}

#[test]
#[ignore = "takes many minutes: a part of the slow command"]
fn all_cells_end_as_the_rules_say() {
    let cells: Vec<Cell> = all().into_iter().map(|(_, cell)| cell).filter(is_wanted).collect();
    run(&cells);
}

/// Whether its name holds the words that were asked for.
fn is_wanted(cell: &Cell) -> bool {
    let words = std::env::var("FTMPI_CELL").unwrap_or_default();
    words.split_whitespace().all(|word| cell.to_string().contains(word))
}

#[test]
fn the_sample_has_every_call_mode_victim_moment_and_second_death() {
    let (cells, mut missing) = (all(), HashSet::new());
    cells.iter().for_each(|(place, cell)| missing.extend(cell.features(*place)));
    let wanted = missing.len();
    let chosen = sample(cells.clone(), 7);
    for (place, cell) in cells.iter().filter(|(_, cell)| chosen.contains(cell)) {
        cell.features(*place).iter().for_each(|feature| {
            missing.remove(feature);
        });
    }
    println!("{} cells, {wanted} features, a sample of {}", cells.len(), chosen.len());
    assert!(missing.is_empty() && chosen.len() < 2000, "{} of {}", chosen.len(), cells.len());
}
