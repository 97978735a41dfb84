//! Generalized requests, as C and Fortran programs see them.

fn passes(case: &str) {
    let program = support::c("grequest.c").flags(&["-O1", "-Wall", "-pthread"]).build();
    support::run(&program).ranks(2).args([case]).succeeds();
}

#[test]
fn a_request_is_pending_until_the_program_says_that_it_is_complete() {
    passes("one");
}

#[test]
fn generalized_requests_complete_among_others() {
    passes("mixed");
}

#[test]
fn whatever_comes_last_frees_the_state() {
    passes("ends");
}

#[test]
fn what_the_functions_return_is_what_the_calls_return() {
    passes("errors");
}

#[test]
fn fortran_starts_them_too() {
    let program = support::fortran("grequest.f90").build();
    support::run(&program).ranks(2).succeeds();
}
