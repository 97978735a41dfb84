//! MPI from Fortran through `mpif.h`: every family of calls, with checks that fail where an
//! argument goes a wrong way.

use support::{Handles, Program};

fn checked(file: &str) -> Program {
    let source = support::fortran("checks.f90").and(file);
    source.flags(&["-Wall", "-Wno-maybe-uninitialized", "-Wno-argument-mismatch"]).build()
}

/// A program that runs with every interface.
fn with_integers(file: &str) -> Program {
    let flags = Handles::Integers.flags();
    support::fortran("checks.f90").and(file).flags(&flags).build()
}

fn all_is_well(program: &Program) {
    for ranks in [1, 2, 7] {
        let seen = support::run(program).ranks(ranks).succeeds();
        assert_eq!(seen.lines_with("all is well"), ranks, "{seen}");
    }
    assert_eq!(support::command(program.path()).succeeds().stdout, "all is well\n");
}

#[test]
fn point_to_point() {
    all_is_well(&checked("pt2pt.f90"));
}

#[test]
fn the_environment() {
    all_is_well(&checked("environment.f90"));
}

#[test]
fn groups_communicators_and_attributes() {
    all_is_well(&checked("communicators.f90"));
}

#[test]
fn collectives_operations_and_datatypes() {
    all_is_well(&checked("collectives.f90"));
}

#[test]
fn collectives_in_their_three_forms() {
    let flags = [Handles::Integers.flags(), vec!["-DSMALL".into()]].concat();
    all_is_well(&support::fortran("checks.f90").and("collective_forms.F90").flags(&flags).build());
}

#[test]
fn one_sided_communication() {
    let flags = [Handles::Integers.flags(), vec!["-DSMALL".into()]].concat();
    all_is_well(&support::fortran("checks.f90").and("rma.F90").flags(&flags).build());
}

#[test]
fn grids_graphs_and_neighbours() {
    all_is_well(&with_integers("topologies.F90"));
}

#[test]
fn intercommunicators_and_copies_that_come_later() {
    all_is_well(&with_integers("intercomms.F90"));
}

#[test]
fn handlers_of_all_objects_sessions_and_what_the_abi_tells() {
    all_is_well(&with_integers("further.F90"));
}

#[test]
fn requests_complete_in_all_ways() {
    all_is_well(&with_integers("completion.F90"));
}

#[test]
fn partitioned_messages() {
    all_is_well(&with_integers("partitions.F90"));
}

#[test]
fn groups_names_precisions_and_codes() {
    all_is_well(&with_integers("groups.F90"));
}

#[test]
fn a_program_in_fixed_form_with_common_and_save() {
    for flags in [&["-std=legacy"][..], &["-std=legacy", "-O3"], &["-std=legacy", "-fno-automatic"]]
    {
        all_is_well(&support::fortran("vintage.f").flags(flags).build());
    }
}

#[test]
fn fortran_and_c_share_handles_statuses_and_attributes_and_tools_see_calls() {
    let source = support::fortran("checks.f90").and("mixed.f90").and("mixed.c");
    all_is_well(&source.build());
}

#[test]
fn reals_that_a_flag_makes_wider_arrive_whole() {
    for flags in [&["-fdefault-real-8"][..], &["-fdefault-real-8", "-fdefault-double-8"]] {
        all_is_well(&support::fortran("checks.f90").and("wide.f90").flags(flags).build());
    }
}

#[test]
fn numbers_are_printed_after_the_rank_that_was_started_last_has_died() {
    let program = support::fortran("tests/programs/formats.f90").build();
    let seen = support::run(&program).ranks(3).option("--on-failure=continue").outcome();
    assert_eq!(seen.sorted_lines(), [" 0.250", " 1.250"], "{seen}");
}
