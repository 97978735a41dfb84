//! The matrix of failures: every call, under every pair of modes, with every victim, who dies
//! before, inside of or after the call; alone, with another, or followed by another who dies in the
//! recovery. Every cell ends within its deadline with what the rules say (see `cell.c`).
//!
//! The ordinary test runs a sample in which every two features meet that can; the whole matrix is
//! run by `cargo test --release --test matrix -- --ignored`. `FTMPI_CELL='ibcast MPI_Wait'` runs
//! the
//! cells whose names hold these words, one after the other.

use std::collections::{BTreeSet, HashSet};
use std::fmt;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use support::{Outcome, Program};

const RANKS: usize = 4;
const SECONDS: u64 = 120;
/// More than so many failed cells say nothing new.
const SHOWN: usize = 5;

/// The cases of the program, and the functions in which somebody dies.
const CASES: &str = include_str!("data/cells.txt");

/// The functions of the standard.
const FUNCTIONS: &str = include_str!("data/functions.txt");

/// Functions that involve no other process, by the parts of their names, and those that others have
/// tests for.
#[rustfmt::skip]
const ALONE: &[&str] = &[
    // What a process knows by itself, and objects that it makes by itself.
    "MPI_Abi_", "MPI_Add_error", "MPI_Aint_", "MPI_Alloc_mem", "MPI_Attr_", "MPI_Cart_coords",
    "MPI_Cart_get", "MPI_Cart_map", "MPI_Cart_rank", "MPI_Cart_shift", "MPI_Cartdim_get",
    "MPI_Dims_create", "MPI_Dist_graph_neighbors", "MPI_Errhandler_", "MPI_Error_", "MPI_Free_mem",
    "MPI_Get_", "MPI_Graph_get", "MPI_Graph_map", "MPI_Graph_neighbors", "MPI_Graphdims_get",
    "MPI_Grequest_", "MPI_Group_", "MPI_Info_", "MPI_Initialized", "MPI_Is_thread_main",
    "MPI_Keyval_", "MPI_Message_", "MPI_Op_", "MPI_Pack", "MPI_Pcontrol", "MPI_Query_thread",
    "MPI_Reduce_local", "MPI_Register_datarep", "MPI_Remove_error", "MPI_Request_", "MPI_Session_",
    "MPI_Status_", "MPI_T_", "MPI_Test_cancelled", "MPI_Topo_test", "MPI_Type_", "MPI_Unpack",
    "MPI_Wtick", "MPI_Wtime", "MPI_Finalized", "_call_errhandler", "_create_errhandler",
    "_set_errhandler", "_get_errhandler", "_keyval", "_get_attr", "_set_attr", "_delete_attr",
    "_fromint", "_toint", "_get_info", "_get_name", "_set_name", "MPI_Comm_set_info",
    "MPI_Win_set_info", "MPI_Comm_compare", "MPI_Comm_group", "MPI_Comm_rank", "MPI_Comm_remote_",
    "MPI_Comm_size", "MPI_Comm_test_inter", "MPI_Comm_get_parent", "MPI_Cancel", "attach_buffer",
    "MPI_Buffer_attach",
    "MPI_Win_attach", "MPI_Win_detach", "MPI_Win_get_group", "MPI_Win_shared_query",
    "MPI_File_delete", "MPI_File_get_", "MPI_File_seek",
    // Names and ports are entries of a table: tests/dynamic.rs.
    "MPI_Open_port", "MPI_Close_port", "MPI_Publish_name", "MPI_Unpublish_name", "MPI_Lookup_name",
    // The begin and the end of all: tests/ends.rs, tests/failures.rs, tests/recovery.rs.
    "MPI_Abort", "MPI_Init", "MPI_Finalize",
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
        let mode = MODES[self.mode].0;
        match self.case {
            // Without a recovery nobody tells those who accept that nobody else will connect.
            "accept_connect" if mode == "continue" => return false,
            _ => {}
        }
        match mode {
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

    fn run(&self, program: &Program, directory: &Path) -> Result<(), (Outcome, String)> {
        let ((comm, msg), kills) = (MODES[self.mode], self.kills());
        let deaths = kills.len();
        let mut run = support::run(program).ranks(RANKS).deadline(2 * SECONDS).directory(directory);
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

/// The cases, each with one of its functions.
fn rows() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = CASES.lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(|line| {
        let (case, functions) = line.split_once(' ').expect("a case and its functions");
        functions.split(' ').map(move |function| (case, function))
    })
}

/// All cells, with the number of their function.
fn all() -> Vec<(usize, Cell)> {
    let mut cells = Vec::new();
    for (place, (case, function)) in rows().enumerate() {
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
    let directory = support::fresh_directory("cells");
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                while let Some(cell) = cells.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err((seen, kills)) = cell.run(&program, &directory) {
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

/// Calls that ranks in processes of their own do not have yet, by the beginnings of their names.
const NEED_SHARED_MEMORY: [&str; 15] = [
    "file_",
    "win_",
    "lock",
    "contended",
    "fence",
    "put",
    "get",
    "rput",
    "rget",
    "accumulate",
    "raccumulate",
    "fetch_and_op",
    "compare_and_swap",
    "spawn",
    "join",
];

/// Whether its name holds the words that were asked for, and ranks have the call.
fn is_wanted(cell: &Cell) -> bool {
    let name = cell.to_string();
    let needs = |start: &&str| name.starts_with(*start);
    if support::are_ranks_processes()
        && (NEED_SHARED_MEMORY.iter().any(needs) || name.starts_with("accept_"))
    {
        return false;
    }
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

#[test]
fn every_function_that_involves_others_has_a_row() {
    let have: BTreeSet<&str> = rows().map(|(_, function)| function).collect();
    let mut wanted: BTreeSet<&str> =
        FUNCTIONS.lines().filter(|line| line.starts_with("MPI_")).collect();
    let unknown: Vec<_> = have.difference(&wanted).collect();
    assert!(unknown.is_empty(), "no such functions: {unknown:?}");
    // With large counts it is the same function.
    wanted.retain(|name| !name.ends_with("_c"));
    let missing: Vec<_> = wanted
        .difference(&have)
        .filter(|name| !ALONE.iter().any(|part| name.contains(part)))
        .collect();
    assert!(missing.is_empty(), "nobody dies in {missing:?}");
    let idle: Vec<_> =
        ALONE.iter().filter(|part| !wanted.iter().any(|name| name.contains(**part))).collect();
    assert!(idle.is_empty(), "no function is called {idle:?}");
}
