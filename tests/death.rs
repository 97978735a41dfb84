//! One rank of 40 dies in every way there is, in C, C++ and Fortran: the others continue to use
//! malloc, output and messages, and a fresh incarnation of the rank finds fresh globals.
//!
//! `FTMPI_DEATHS=100 cargo test --release --test death` repeats every death that often.

use support::{Outcome, Program, Source};

const RANKS: usize = 40;
const VICTIM: usize = RANKS / 2;

/// A way to die, the exit status it leads to, and the cause that the message names.
struct Death {
    how: &'static str,
    status: i32,
    cause: &'static str,
}

const fn death(how: &'static str, status: i32, cause: &'static str) -> Death {
    Death { how, status, cause }
}

const DEATHS: &[Death] = &[
    death("exit", 7, "exit"),
    death("_exit", 8, "exit"),
    death("return", 9, "exit"),
    death("abort", 134, "SIGABRT"),
    death("assert", 134, "SIGABRT"),
    death("segv", 139, "SIGSEGV"),
    death("fpe", 136, "SIGFPE"),
    death("ill", 132, "SIGILL"),
    death("stack", 139, "SIGSEGV"),
    death("double-free", 134, "SIGABRT"),
    death("heap-overflow", 134, "SIGABRT"),
    death("null-call", 139, "SIGSEGV"),
    death("raise-kill", 137, "SIGKILL"),
    death("strlen", 139, "SIGSEGV"),
    death("bad-buffer", 139, "SIGSEGV"),
    death("compute-loop", 137, "SIGKILL"),
    death("malloc-loop", 137, "SIGKILL"),
    death("printf-loop", 137, "SIGKILL"),
];

const FORTRAN_DEATHS: &[Death] = &[
    death("stop", 7, "exit"),
    death("error-stop", 8, "exit"),
    death("stop-text", 1, "exit"),
    death("exit", 9, "exit"),
    death("abort", 134, "SIGABRT"),
    death("segv", 139, "SIGSEGV"),
    death("fpe", 136, "SIGFPE"),
    death("stack", 139, "SIGSEGV"),
    death("double-free", 2, "exit"),
    death("compute-loop", 137, "SIGKILL"),
    death("allocate-loop", 137, "SIGKILL"),
    death("write-loop", 137, "SIGKILL"),
];

#[test]
fn in_c_every_death_ends_one_rank_only() {
    let program = support::c("death.c").flags(&["-O1", "-Wall"]).build();
    every_death_ends_one_rank_only(&program, DEATHS);
}

#[test]
fn in_cxx_every_death_ends_one_rank_only() {
    let program = Source::clone(&support::cxx("death.c")).flags(&["-x", "c++", "-O1"]).build();
    every_death_ends_one_rank_only(&program, DEATHS);
    every_death_ends_one_rank_only(&program, &[death("throw", 134, "SIGABRT")]);
}

#[test]
fn in_fortran_every_death_ends_one_rank_only() {
    let program = support::fortran("death.f90").flags(&["-O1"]).build();
    every_death_ends_one_rank_only(&program, FORTRAN_DEATHS);
}

#[test]
fn by_default_the_first_death_ends_the_job() {
    let program = support::c("death.c").flags(&["-O1", "-Wall"]).build();
    for death in DEATHS {
        let seen = support::run(&program).ranks(RANKS).args([death.how]).outcome();
        assert_eq!(seen.status, Some(death.status), "{}: {seen:?}", death.how);
        names_rank_and_cause(death, &seen);
    }
}

#[test]
fn rank_0_may_die_too() {
    let program = support::c("death.c").flags(&["-O1", "-Wall"]).build();
    for how in ["segv", "exit", "compute-loop"] {
        let run = support::run(&program).ranks(RANKS).args([how, "0"]);
        let seen = run.option("--on-failure=continue").outcome();
        assert_eq!(seen.lines_with("lives on"), RANKS - 1, "{how}: {seen:?}");
    }
}

fn every_death_ends_one_rank_only(program: &Program, deaths: &[Death]) {
    let times = std::env::var("FTMPI_DEATHS").map_or(2, |times| times.parse().expect("a number"));
    for death in deaths {
        for _ in 0..times {
            go_on(program, death);
            restart(program, death);
        }
    }
}

fn go_on(program: &Program, death: &Death) {
    let run = support::run(program).ranks(RANKS).args([death.how]);
    let seen = run.option("--on-failure=continue").outcome();
    assert_eq!(seen.lines_with("lives on"), RANKS - 1, "{}: {seen:?}", death.how);
    assert_eq!(seen.status, Some(death.status), "{}: {seen:?}", death.how);
    names_rank_and_cause(death, &seen);
}

fn restart(program: &Program, death: &Death) {
    let run = support::run(program).ranks(RANKS).args([death.how]);
    let seen = run.option("--on-failure=restart").outcome();
    assert_eq!(seen.lines_with("lives on"), RANKS - 1, "{}: {seen:?}", death.how);
    assert_eq!(seen.lines_with("fresh incarnation 1 finds 0"), 1, "{}: {seen:?}", death.how);
}

fn names_rank_and_cause(death: &Death, seen: &Outcome) {
    let named = |line: &str| {
        line.starts_with("ftrun:")
            && line.contains(&format!("rank {VICTIM} "))
            && line.contains(death.cause)
    };
    assert!(seen.stderr.lines().any(named), "{}: {seen:?}", death.how);
}
