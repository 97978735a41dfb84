//! Reports at the end, calls without checks, and names of MPI-1.

fn program(name: &str) -> support::Program {
    support::c(name).flags(&["-O1", "-Wall"]).build()
}

#[test]
fn a_rank_that_leaves_something_behind_says_what() {
    let run = support::run(&program("leftovers.c")).ranks(3).args(["left"]);
    let outcome = run.clone().option("--leftovers").succeeds();
    let lines = [
        "ftrun: rank 1 leaves behind:",
        "  3 messages that were not received, from rank 0 with tag 7 on MPI_COMM_WORLD, \
         of 4 bytes each",
        "  a request that was not freed",
        "  2 communicators that were not freed: lattice, a communicator of one rank",
        "  a datatype that was not freed: triple",
        "  a group that was not freed",
        "  an info that was not freed",
    ];
    for line in lines {
        let is_said = outcome.stderr.lines().any(|said| said == line);
        assert!(is_said, "it does not say {line}\n{outcome}");
    }
    assert!(!outcome.stderr.contains("rank 0 leaves"), "{outcome}");
    assert_eq!(run.succeeds().stderr, "", "nobody has asked");
}

#[test]
fn receives_that_nobody_has_asked_for_are_counted_once_whatever_has_become_of_them() {
    let run = support::run(&program("leftovers.c")).ranks(2).args(["booked"]);
    let outcome = run.option("--leftovers").succeeds();
    let line = "  3 requests that were not freed";
    assert!(outcome.stderr.lines().any(|said| said == line), "{outcome}");
}

#[test]
fn who_leaves_nothing_behind_is_silent() {
    let run = support::run(&program("leftovers.c")).ranks(3).args(["tidy"]);
    assert_eq!(run.option("--leftovers").succeeds().stderr, "");
}

#[test]
fn wrong_arguments_do_no_harm_to_the_library_where_nobody_checks_them() {
    let run = support::run(&program("unchecked.c")).ranks(2).args(["harmless"]);
    run.clone().option("--check=off").succeeds();
    run.option("--check").option("on").succeeds();
}

#[test]
fn a_program_of_1995_compiles_and_runs() {
    for case in ["old", "functions"] {
        support::run(&program("mpi1.c")).ranks(2).args([case]).succeeds();
    }
    support::run(&support::fortran("mpi1.f").build()).ranks(2).succeeds();
}
