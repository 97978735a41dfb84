//! Datatypes as C and Fortran programs see them.

mod support;

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
fn wrong_arguments_are_told_by_class_and_name() {
    passes("datatypes_told.c", 1, &["errors"]);
}
