//! Files, as C and Fortran programs see them: every call, random views and accesses against a naive
//! model, deaths at every call.

use std::path::PathBuf;
use support::{Handles, Outcome, Program, Run};

/// What carries ranks: threads and fibers, or processes where the environment says so.
fn kinds() -> [&'static str; 2] {
    match support::are_ranks_processes() {
        true => ["process"; 2],
        false => ["thread", "fiber"],
    }
}

fn flags() -> Vec<&'static str> {
    vec!["-O1", "-Wall", "-Wno-unused-function"]
}

/// A run in a directory of its own, where the files are.
fn run(program: &Program, ranks: usize) -> (Run, PathBuf) {
    let directory = support::fresh_directory("files");
    (support::run(program).ranks(ranks).directory(&directory), directory)
}

/// A case of `files.c`, with counts of both widths, by threads and fibers.
fn passes(case: &str) {
    for width in ["-DSMALL", "-DLARGE"] {
        let program = support::c("files.c").flags(&[flags(), vec![width]].concat()).build();
        for ranks in [1, 2, 5] {
            for kind in kinds() {
                run(&program, ranks).0.env("FTMPI_RANKS", kind).args([case]).succeeds();
            }
        }
    }
}

#[test]
fn data_go_to_offsets_and_individual_pointers() {
    passes("offsets");
}

#[test]
fn sizes_change_and_offsets_go_beyond_four_gigabytes() {
    passes("sizes");
}

#[test]
fn access_modes_say_what_may_be_done() {
    passes("modes");
}

#[test]
fn views_interleave() {
    passes("views");
}

#[test]
fn the_shared_pointer_serves_one_at_a_time_or_all_in_order() {
    passes("shared");
}

#[test]
fn nonblocking_accesses_end_with_a_status() {
    passes("nonblocking");
}

#[test]
fn split_accesses_begin_and_end() {
    passes("split");
}

#[test]
fn files_hold_other_representations_and_those_of_the_program() {
    passes("representations");
}

#[test]
fn hints_that_make_sense_are_told() {
    passes("hints");
}

#[test]
fn wrong_arguments_and_full_disks_have_their_classes() {
    passes("errors");
}

#[test]
fn accesses_in_atomic_mode_appear_whole() {
    passes("atomic");
}

#[test]
fn a_seed_repeats_a_run_with_files() {
    let program = support::c("files.c").flags(&flags()).build();
    for case in ["nonblocking", "split", "shared", "atomic"] {
        run(&program, 4).0.option("--seed=7").args([case]).succeeds();
    }
}

#[test]
fn many_ranks_on_few_cores_use_files() {
    let program = support::c("files.c").flags(&flags()).build();
    for case in ["shared", "views", "nonblocking"] {
        run(&program, 60).0.args([case]).succeeds();
    }
}

#[test]
fn fortran_uses_files_with_every_interface() {
    let small = |handles: Handles| [handles.flags(), vec!["-DSMALL".into()]].concat();
    let mpifort = support::tool("mpifort").display().to_string();
    for (first, flags) in [
        ("checks.f90", small(Handles::Integers)),
        ("checks08.f90", small(Handles::Types)),
        ("checks08.f90", Handles::Types.flags()),
    ] {
        let flags = [flags, vec!["-fallow-argument-mismatch".into()]].concat();
        let source = support::fortran(first).and("files.F90").compiler(&mpifort);
        let program = source.flags(&flags).build();
        for ranks in [1, 3] {
            let seen = run(&program, ranks).0.succeeds();
            assert_eq!(seen.lines_with("all is well"), ranks, "{seen}");
        }
    }
}

#[test]
fn functions_of_fortran_convert_data() {
    let flags = ["-Wno-argument-mismatch", "-fallow-argument-mismatch"];
    let program = support::fortran("checks.f90").and("datarep.f90").flags(&flags).build();
    let seen = run(&program, 1).0.succeeds();
    assert_eq!(seen.lines_with("all is well"), 1, "{seen}");
}

/// A small file system of its own, where the kernel lets users make one.
#[test]
fn a_file_system_without_room_is_an_error_of_its_own() {
    let program = support::c("files_full.c").flags(&flags()).build();
    let here = support::fresh_directory("full");
    let within = |script: &str| {
        let mount = format!("mount -t tmpfs -o size=256k none {0} && cd {0}", here.display());
        let script = format!("{mount} && {script}");
        support::command("unshare").args(["-rm", "sh", "-c", &script]).deadline(30).outcome()
    };
    if within("true").status != Some(0) {
        println!("skipped: no file system can be mounted in a user namespace here");
        return;
    }
    for (ranks, kind) in [(1, "thread"), (3, "fiber")] {
        let (ftrun, program) = (support::ftrun(), program.path().to_path_buf());
        let (ftrun, program) = (ftrun.display(), program.display());
        let seen = within(&format!("exec {ftrun} -np {ranks} --ranks={kind} {program}"));
        assert_eq!((seen.status, seen.lines_with("ok")), (Some(0), ranks), "{seen}");
    }
}

#[test]
fn a_user_without_quota_hears_of_it() {
    let program = support::c("files_full.c").flags(&flags()).build();
    let library = support::c("quota.c").flags(&["-O1", "-Wall"]).without_mpi().library("quota");
    for (ranks, kind) in [(1, "thread"), (3, "fiber")] {
        let (run, _) = run(&program, ranks);
        let run = run.env("FTMPI_RANKS", kind).args(["quota"]);
        let seen = run.env("LD_PRELOAD", library.path().display().to_string()).succeeds();
        assert_eq!(seen.lines_with("ok"), ranks, "{kind}: {seen}");
    }
}

#[test]
fn in_atomic_mode_accesses_that_are_outstanding_and_collective_ones_are_whole() {
    let program = support::c("files_atomic.c").flags(&flags()).build();
    for ranks in [1, 2, 4] {
        for kind in kinds() {
            let run = run(&program, ranks).0.env("FTMPI_RANKS", kind);
            assert_eq!(run.succeeds().lines_with("ok"), ranks, "{ranks}, {kind}");
        }
    }
}

/// What the model says of this seed.
fn follows_the_model(program: &Program, seed: u64, rounds: &str) {
    let ranks = 1 + seed as usize % 6;
    let kind = kinds()[seed as usize / 6 % 2];
    let run = run(program, ranks).0.env("FTMPI_RANKS", kind);
    let seen = run.args([seed.to_string().as_str(), rounds]).succeeds();
    assert_eq!(seen.lines_with("as the model says"), ranks, "seed {seed}: {seen}");
}

#[test]
fn random_views_and_accesses_are_those_of_a_naive_writer() {
    let program = support::c("files_random.c").flags(&flags()).build();
    (1..=36).for_each(|seed| follows_the_model(&program, seed, "10"));
}

/// A rank dies at some call: every byte is as old or as new, and what survivors are told is true.
#[test]
fn a_death_at_any_call_leaves_what_the_model_allows() {
    let program = support::c("files_random.c").flags(&flags()).build();
    for seed in 1..=40 {
        let ranks = 2 + seed % 5;
        let (victim, moment) = (seed / 3 % ranks, ["before", "inside", "after"][seed % 3]);
        let kill = format!("--kill={victim}@{moment}:call:{}", 20 + seed * 37 % 400);
        let run = run(&program, ranks).0.env("FTMPI_RANKS", kinds()[seed / 2 % 2]).deadline(30);
        let run = run.option("--mode=ulfm").option(&kill);
        let seen = run.args([seed.to_string().as_str(), "10", "deaths"]).succeeds();
        assert_eq!(seen.lines_with("as far as the model says"), ranks - 1, "{kill} {seed}: {seen}");
    }
}

#[test]
#[ignore = "a thousand times longer"]
fn many_random_views_and_accesses() {
    let program = support::c("files_random.c").flags(&flags()).build();
    (1000..4000).for_each(|seed| follows_the_model(&program, seed, "40"));
}

/// The calls of `files_deaths.c`, and the functions in which somebody dies.
#[rustfmt::skip]
const CALLS: [(&str, &str); 25] = [
    ("write_at_all", "MPI_File_write_at_all"), ("write_all", "MPI_File_write_all"),
    ("iwrite_at_all", "MPI_Wait"), ("iwrite_all", "MPI_File_iwrite_all"),
    ("write_all_begin", "MPI_File_write_all_end"),
    ("write_at_all_begin", "MPI_File_write_at_all_begin"),
    ("write_ordered", "MPI_File_write_ordered"),
    ("write_ordered_begin", "MPI_File_write_ordered_end"),
    ("read_at_all", "MPI_File_read_at_all"), ("read_all", "MPI_File_read_all"),
    ("iread_at_all", "MPI_File_iread_at_all"), ("iread_all", "MPI_Wait"),
    ("read_all_begin", "MPI_File_read_all_begin"),
    ("read_at_all_begin", "MPI_File_read_at_all_end"),
    ("read_ordered", "MPI_File_read_ordered"),
    ("read_ordered_begin", "MPI_File_read_ordered_end"),
    ("open_close", "MPI_File_open"), ("open_close", "MPI_File_close"),
    ("set_view", "MPI_File_set_view"), ("set_size", "MPI_File_set_size"),
    ("preallocate", "MPI_File_preallocate"), ("sync", "MPI_File_sync"),
    ("set_atomicity", "MPI_File_set_atomicity"), ("seek_shared", "MPI_File_seek_shared"),
    ("alone", "MPI_File_write_at"),
];

fn survivors_go_on(program: &Program, call: &str, kill: &str, seen: &Outcome) {
    let count = seen.lines_with("goes on");
    assert_eq!(count, 3, "{call} {kill} of {}: {seen}", program.path().display());
}

#[test]
fn whoever_lives_comes_back_from_every_call_and_what_is_written_is_there() {
    let program = support::c("files_deaths.c").flags(&flags()).build();
    for (index, (call, function)) in CALLS.into_iter().enumerate() {
        for (moment, victim) in [("before", 0), ("inside", 1), ("after", 3), ("inside", 0)] {
            let kill = format!("--kill={victim}@{moment}:{function}:3");
            let (run, _) = run(&program, 4);
            let run = run.env("FTMPI_RANKS", kinds()[index % 2]).option("--on-failure=continue");
            let seen = run.option(&kill).args([call]).fails_with(128 + 9);
            survivors_go_on(&program, call, &kill, &seen);
        }
    }
}

#[test]
fn survivors_of_ulfm_hear_of_it_too() {
    let program = support::c("files_deaths.c").flags(&[flags(), vec!["-DULFM"]].concat()).build();
    for call in ["write_all", "iwrite_all", "read_at_all", "write_ordered", "sync"] {
        let kill = "--kill=2@inside:call:30";
        let run = run(&program, 4).0.option("--mode=ulfm").option(kill);
        let seen = run.args([call]).outcome();
        survivors_go_on(&program, call, kill, &seen);
    }
}

#[test]
fn a_file_is_opened_again_after_a_recovery() {
    let program = support::c("files_recover.c").flags(&flags()).build();
    for (index, moment) in ["before", "inside", "after"].into_iter().enumerate() {
        let run = run(&program, 5).0.env("FTMPI_RANKS", kinds()[index % 2]);
        let run = run
            .option("--mode=rebuild")
            .option(format!("--kill=3@{moment}:MPI_File_write_at_all:4"));
        let seen = run.args(["9"]).succeeds();
        assert_eq!(seen.lines_with("the file is whole"), 5, "{moment}: {seen}");
    }
}
