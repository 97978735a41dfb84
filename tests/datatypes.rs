//! Datatypes as C and Fortran programs see them.

use support::Program;

fn build(program: &str) -> Program {
    support::c(program).flags(&["-O1", "-Wall"]).build()
}

fn passes(program: &str, ranks: usize, cases: &[&str]) {
    let program = build(program);
    for case in cases {
        support::run(&program).ranks(ranks).args([case]).succeeds();
    }
}

#[test]
fn every_constructor_describes_the_memory_that_the_standard_says() {
    passes("datatypes.c", 1, &["constructors", "arrays", "deprecated"]);
}

#[test]
fn what_all_processes_have_of_a_dealt_array_is_the_array() {
    passes("datatypes.c", 1, &["dealt"]);
}

#[test]
fn structs_travel_without_their_padding_and_from_absolute_addresses() {
    passes("datatypes.c", 2, &["structs"]);
}

#[test]
fn columns_become_rows_on_the_way() {
    passes("datatypes.c", 1, &["travel"]);
    passes("datatypes.c", 4, &["travel"]);
}

#[test]
fn parts_of_items_are_counted_by_what_they_consist_of() {
    passes("datatypes.c", 1, &["partial"]);
}

#[test]
fn sizes_that_no_int_holds_are_undefined_or_told_in_full() {
    passes("datatypes.c", 1, &["large"]);
}

#[test]
fn a_type_tells_what_it_was_made_of() {
    passes("datatypes_told.c", 1, &["contents"]);
}

#[test]
fn the_same_precision_is_the_same_type_and_operations_work_on_it() {
    passes("datatypes_told.c", 2, &["parametrised"]);
}

#[test]
fn packed_data_are_unpacked_elsewhere_or_received_as_what_they_are() {
    passes("datatypes_told.c", 1, &["packing"]);
    passes("datatypes_told.c", 3, &["packing"]);
}

#[test]
fn data_for_other_machines_have_the_bytes_that_the_standard_says() {
    passes("datatypes_told.c", 1, &["external"]);
}

#[test]
fn every_basic_type_has_the_standards_size_in_external32() {
    passes("datatypes_told.c", 1, &["external-sizes"]);
}

#[test]
fn a_value_that_external32_cannot_hold_is_an_error_and_not_another_value() {
    passes("datatypes_told.c", 1, &["external-range"]);
}

#[test]
fn wrong_arguments_are_told_by_class_and_name() {
    passes("datatypes_told.c", 1, &["errors"]);
}

#[test]
fn every_function_from_fortran() {
    let source = support::fortran("checks.f90").and("datatypes.f90");
    let program = source.flags(&["-Wall", "-Wno-argument-mismatch"]).build();
    for ranks in [1, 3] {
        let seen = support::run(&program).ranks(ranks).succeeds();
        assert_eq!(seen.lines_with("all is well"), ranks, "{seen}");
    }
}

/// Rank 1 dies of `signal`; nobody else notices more than that.
fn survives(case: &str, signal: i32) {
    let program = build("datatypes_deaths.c");
    let run = support::run(&program).ranks(3).option("--on-failure=continue").args([case]);
    let outcome = run.fails_with(128 + signal);
    assert!(outcome.stderr.contains("rank 1"), "the dead rank is named\n{outcome}");
    assert!(!outcome.stderr.contains("datatypes_deaths.c"), "a check failed\n{outcome}");
}

#[test]
fn a_sender_may_die_while_its_strided_data_are_referred_to() {
    survives("referenced", 9);
}

#[test]
fn a_sender_may_die_while_its_strided_data_are_copied() {
    for _ in 0..5 {
        survives("copied", 9);
    }
}

#[test]
fn strided_memory_that_is_not_there_is_its_owners_death() {
    survives("torn-source", 11);
    survives("torn-target", 11);
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().map(|text| text.parse().expect("a number"))
}

/// `FTMPI_TYPES_SEED=7 cargo test --release --test datatypes random` replays that seed;
/// `FTMPI_TYPES_RUNS=100` tries that many seeds.
#[test]
fn random_types_of_one_signature_are_one_to_messages_collectives_and_packing() {
    let flags = ["-O2", "-Wall", "-Wextra", "-Wno-unused-function"];
    let program = support::c("types_random.c").flags(&flags).build();
    let first = number("FTMPI_TYPES_SEED").unwrap_or(1);
    for seed in first..first + number("FTMPI_TYPES_RUNS").unwrap_or(2) {
        for ranks in [1, 2, 3, 5, 8] {
            let words = [seed.to_string(), "80".to_string()];
            support::run(&program).ranks(ranks).args(words).succeeds();
        }
    }
}
