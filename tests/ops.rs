//! Reduction operations as C programs see them: the library beside a naive model in C.

fn passes(case: &str, ranks: usize) {
    let program = support::c("ops.c").flags(&["-O1", "-Wall", "-fno-strict-aliasing"]).build();
    support::run(&program).ranks(ranks).args([case]).succeeds();
}

#[test]
fn every_operation_agrees_with_the_model_or_refuses_the_type_by_name() {
    passes("table", 1);
}

#[test]
fn all_ranks_get_what_the_model_computes() {
    [1, 2, 5, 8].into_iter().for_each(|ranks| passes("everybody", ranks));
}

#[test]
fn functions_of_the_program_are_applied_in_the_order_of_ranks() {
    [1, 2, 5, 7].into_iter().for_each(|ranks| passes("own", ranks));
}

#[test]
fn wrong_operations_are_named() {
    passes("errors", 1);
}

#[test]
fn operands_that_are_not_there_kill_their_rank_alone() {
    let program = support::c("ops.c").flags(&["-O1", "-Wall", "-fno-strict-aliasing"]).build();
    let outcome = support::run(&program).ranks(1).args(["fault"]).fails_with(128 + 11);
    assert!(outcome.stderr.contains("0x10000"), "the address is named\n{outcome}");
}
