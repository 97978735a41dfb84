//! Conjugate gradients that survive the loss of a host, and that go on with fewer ranks: those who
//! are left share the rows anew.

use support::{Outcome, Program, Run};

fn in_c() -> Program {
    support::c("c_examples/pcg.c").flags(&["-O2", "-Wall", "-Werror", "-lm"]).build()
}

/// In C and in Fortran.
fn programs() -> [Program; 2] {
    let mpifort = support::tool("mpifort").display().to_string();
    let fortran = support::fortran("fortran_examples/pcg.f90").compiler(&mpifort);
    [in_c(), fortran.flags(&["-O2", "-Wall"]).build()]
}

fn run(program: &Program, mode: &str, ranks: usize, words: &str) -> Run {
    let run = support::run(program).ranks(ranks).option(format!("--mode={mode}"));
    run.args(words.split_whitespace())
}

/// The residual, and how many have failed.
fn last_line(seen: &Outcome) -> (f64, usize) {
    let line = seen.stdout.lines().find_map(|line| line.strip_prefix("residual "));
    let words: Vec<&str> = line.unwrap_or_else(|| panic!("{seen}")).split(' ').collect();
    let [residual, "iterations", _, "failures", failures] = words[..] else { panic!("{seen}") };
    (residual.parse().expect("a number"), failures.parse().expect("a number"))
}

const MODES: [&str; 2] = ["shrink", "blank"];
const SYSTEM: &str = "--order 4100 --iterations 200 --tolerance 1e-10 --every 10";

#[test]
fn those_who_are_left_find_the_solution() {
    let programs = programs();
    let (right, _) = last_line(&run(&programs[0], "abort", 6, SYSTEM).succeeds());
    assert!(right < 1e-10);
    let cases = [
        (6, "--scheme rs:2 --kill 1@33 --kill 4@30", 2),
        (4, "--scheme ring --kill 0@33 --kill 3@43 --kill 1@47", 3),
        (5, "--scheme xor --kill 4@10 --kill 2@11", 2),
        (7, "--scheme weighted:2 --kill 2@25 --kill 3@25 --kill 0@60", 3),
        // Without checkpoints they begin again.
        (4, "--kill 0@33", 1),
    ];
    for (program, mode) in programs.iter().flat_map(|program| MODES.map(|mode| (program, mode))) {
        for (ranks, words, failures) in cases {
            let seen = run(program, mode, ranks, &format!("{SYSTEM} {words}")).succeeds();
            let (found, many) = last_line(&seen);
            assert_eq!(many, failures, "{mode}, {words}: {seen}");
            assert!((found / right - 1.0).abs() < 1e-3, "{mode}, {words}: {right} {seen}");
        }
    }
}

#[test]
fn deaths_by_chance_end_with_the_solution_or_with_the_loss_of_data() {
    const LOST: i32 = 4;
    const SEEDS: usize = 12;
    let words = "--order 2600 --iterations 150 --every 10 --scheme rs:2";
    let programs = programs();
    for (program, mode) in programs.iter().flat_map(|program| MODES.map(|mode| (program, mode))) {
        let mut solved = 0;
        for seed in 1..=SEEDS {
            let run = run(program, mode, 13, words).option(format!("--seed={seed}"));
            let seen = run.option("--mttf=12ms").outcome();
            if seen.status == Some(LOST) && seen.stderr.contains("FTCK_ERR_LOST") {
                continue;
            }
            assert!(seen.status == Some(0) && last_line(&seen).0 < 1e-14, "{mode}, {seed}: {seen}");
            solved += 1;
        }
        assert!(solved >= SEEDS / 2, "{mode}: {solved}");
    }
}

#[test]
fn it_goes_on_without_checkpoints_when_there_are_too_few_ranks_for_them() {
    for (program, mode) in programs().iter().zip(MODES) {
        let kills = "--scheme rs:2 --kill 0@33 --kill 4@43 --kill 1@44 --kill 2@70";
        let seen = run(program, mode, 6, &format!("{SYSTEM} {kills}")).succeeds();
        assert!(last_line(&seen).0 < 1e-10 && last_line(&seen).1 == 4, "{seen}");
        let words = "pcg: it goes on without checkpoints: ";
        assert!(seen.stderr.contains(words) && seen.stderr.contains("at least 3 ranks"), "{seen}");
    }
}

#[test]
fn what_it_cannot_do_is_said() {
    let keepers = format!("{SYSTEM} --scheme xor --checkpoint-ranks 1 --kill 0@33");
    for program in &programs() {
        for (mode, words, told) in [
            ("shrink", keepers.as_str(), "with ranks that keep codes"),
            ("blank", keepers.as_str(), "with ranks that keep codes"),
            ("ulfm", "--kill 0@33", "MPI_COMM_WORLD does not recover"),
        ] {
            let seen = run(program, mode, 4, words).fails_with(2);
            let told = format!("pcg: {told}");
            assert!(seen.stderr.contains(&told), "{mode}: {seen}");
            assert!(seen.stderr.contains("start it with --mode rebuild"), "{mode}: {seen}");
        }
    }
}

/// Ends rank 2's host in the call of this number.
const END_OF_HOST: &str = r#"
    #include <mpi.h>
    #include <signal.h>
    #include <stdlib.h>
    #include <string.h>
    #include <unistd.h>
    int MPI_Allreduce(const void *mine, void *all, int count, MPI_Datatype type, MPI_Op op,
                      MPI_Comm comm)
    {
        static int calls;
        const char *rank = getenv("PMI_RANK"), *life = getenv("FTMPI_INCARNATION");
        if (++calls == 150 && rank && !strcmp(rank, "2") && !strcmp(life, "0"))
            kill(getppid(), SIGKILL);
        return PMPI_Allreduce(mine, all, count, type, op, comm);
    }
"#;

#[test]
fn the_solver_survives_the_loss_of_a_host_with_the_right_residual() {
    let pcg = in_c();
    let library = support::c_text("end_of_host", END_OF_HOST).library("end_of_host");
    let words = "--poisson 7 --order 3000 --iterations 100 --scheme rs:2 --every 20";
    let run = |mode: &str, option: &str, kills: &str| {
        let run = support::run(&pcg).env("FTMPI_RANKS", "").ranks(6).option(mode);
        let run = run.option("--agent").option("sh -c").option("--hosts").option("a:2,b:2,c:2");
        let run = run.option("-x").option(option).deadline(120);
        run.args(words.split(' ')).args(kills.split_whitespace()).succeeds()
    };
    let residual = |seen: &Outcome| {
        let line = seen.stdout.lines().find_map(|line| line.strip_prefix("residual "));
        let line = line.unwrap_or_else(|| panic!("{seen}"));
        let (residual, failures) = line.split_once(" iterations 100 failures ").expect("both");
        (residual.to_string(), failures.to_string())
    };
    let right = residual(&run("--mode=rebuild", "A=B", ""));
    assert_eq!(right.1, "0");
    let killed = run("--mode=rebuild", "A=B", "--kill 1@50 --kill 4@80");
    assert_eq!(residual(&killed), (right.0.clone(), "2".to_string()), "{killed}");
    let number = |residual: &str| residual.parse::<f64>().expect("a number");
    let preload = format!("LD_PRELOAD={}", library.path().display());
    for mode in ["rebuild", "shrink", "blank"] {
        let lost = run(&format!("--mode={mode}"), &preload, "");
        assert!(lost.stderr.contains("ftrun: host b is lost\n"), "{lost}");
        // With fewer ranks, sums are of other parts.
        let (found, range) = (residual(&lost).0, if mode == "rebuild" { 0.0 } else { 0.1 });
        let error = (number(&found) / number(&right.0) - 1.0).abs();
        assert!(error <= range, "{mode}: {} {lost}", right.0);
    }
}
