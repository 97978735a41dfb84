//! The environment, error handlers and datatypes, as C programs see them.

fn passes(program: &str, case: &str) {
    let program = support::c(program).flags(&["-O1", "-Wall"]).build();
    for ranks in [1, 5] {
        support::run(&program).ranks(ranks).args([case]).succeeds();
    }
}

#[test]
fn the_library_says_what_it_is() {
    passes("env.c", "versions");
}

#[test]
fn all_ranks_have_one_clock() {
    passes("env.c", "clocks");
}

#[test]
fn programs_add_error_codes() {
    passes("env.c", "codes");
}

#[test]
fn infos_keep_what_they_are_given() {
    passes("env.c", "infos");
}

#[test]
fn memory_is_given_and_taken_back() {
    passes("env.c", "memory");
}

#[test]
fn handles_are_integers_in_fortran() {
    passes("env.c", "integers");
}

#[test]
fn statuses_are_the_same_words_in_fortran() {
    passes("env.c", "statuses");
}

#[test]
fn the_abi_tells_what_fortran_is_like_and_believes_nothing_else() {
    passes("env.c", "abi");
}

#[test]
fn files_windows_and_sessions_have_handlers_of_their_own() {
    passes("errhandlers.c", "sorts");
}

#[test]
fn the_handler_of_the_communicator_hears_of_its_errors() {
    passes("errhandlers.c", "user");
}

#[test]
fn errors_of_no_object_are_the_worlds_where_it_alone_has_a_handler() {
    passes("errhandlers.c", "world-alone");
}

#[test]
fn a_handler_whose_handle_was_freed_has_one_new_handle_for_all() {
    passes("errhandlers.c", "outlived");
}

#[test]
fn the_handler_of_a_freed_communicator_hears_of_what_was_under_way() {
    passes("errhandlers.c", "freed");
}

#[test]
fn finalize_tells_the_handler_of_comm_self() {
    passes("errhandlers.c", "finalize");
}

#[test]
fn a_handler_may_jump_out_ten_thousand_times() {
    passes("errhandlers.c", "jumps");
    let program = support::c("errhandlers.c").build();
    support::run(&program).alone().args(["jumps"]).succeeds();
}

#[test]
fn a_handler_may_call_mpi_and_fail() {
    passes("errhandlers.c", "nested");
}

#[test]
fn a_handler_may_throw() {
    let program = support::cxx("exceptions.cpp").build();
    let seen = support::run(&program).ranks(2).deadline(30).succeeds();
    assert_eq!(seen.stdout, "20 caught, 40 heard\n".repeat(2));
}

#[test]
fn the_words_of_an_error_are_kept_for_the_one_who_asks() {
    passes("errhandlers.c", "words");
}

#[test]
fn handlers_hear_the_code_of_the_request_on_its_communicator() {
    passes("heard.c", "too-long");
    passes("heard.c", "single");
}

#[test]
fn handlers_in_fortran_hear_the_code_of_the_request_too() {
    let text = "program heard\n  implicit none\n  include 'mpif.h'\n\
        integer :: calls, told, code, handler, comm, requests(1), into\n\
        integer :: data(2), statuses(MPI_STATUS_SIZE, 1)\n\
        common /seen/ calls, told\n  external hear\n\
        calls = 0\n  data = 7\n  call MPI_INIT(code)\n\
        call MPI_COMM_DUP(MPI_COMM_SELF, comm, code)\n\
        call MPI_COMM_CREATE_ERRHANDLER(hear, handler, code)\n\
        call MPI_COMM_SET_ERRHANDLER(comm, handler, code)\n\
        call MPI_IRECV(into, 1, MPI_INTEGER, 0, 0, comm, requests(1), code)\n\
        call MPI_SEND(data, 2, MPI_INTEGER, 0, 0, comm, code)\n\
        call MPI_WAITALL(1, requests, statuses, code)\n\
        if (code /= MPI_ERR_IN_STATUS) error stop 1\n\
        if (statuses(MPI_ERROR, 1) /= MPI_ERR_TRUNCATE) error stop 2\n\
        if (calls /= 1 .or. told /= MPI_ERR_TRUNCATE) error stop 3\n\
        call MPI_FINALIZE(code)\nend program\n\
        subroutine hear(comm, code)\n  implicit none\n  integer :: comm, code, calls, told\n\
        common /seen/ calls, told\n  calls = calls + 1\n  told = code\nend subroutine\n";
    support::run(&support::fortran_text("heard_in_fortran", text).build()).ranks(2).succeeds();
}

#[test]
fn what_cannot_be_done_with_a_request_is_told_to_its_communicator() {
    passes("heard.c", "misused");
}

#[test]
fn a_collective_request_that_has_ended_may_be_freed_at_every_member() {
    passes("heard.c", "freed");
}

#[test]
fn handlers_hear_of_a_death_by_the_code_of_the_request_that_it_ended() {
    let program = support::c("heard.c").build();
    let dead = |ranks| support::run(&program).ranks(ranks).args(["dead"]);
    for ranks in [3, 6] {
        dead(ranks).option("--mode=ulfm").env("IS_ULFM", "1").succeeds();
        for mode in ["rebuild", "blank", "shrink"] {
            for msg in ["noop", "cont"] {
                dead(ranks)
                    .option(format!("--mode={mode}"))
                    .option(format!("--msg={msg}"))
                    .succeeds();
            }
        }
    }
}

#[test]
fn predefined_types_have_the_sizes_of_the_compiler() {
    passes("types.c", "predefined");
}

#[test]
fn types_are_made_of_types_and_taken_apart() {
    passes("types.c", "made");
}

#[test]
fn a_part_of_an_item_is_counted_in_elements() {
    passes("types.c", "partial");
}

#[test]
fn addresses_are_integers() {
    passes("types.c", "addresses");
}

#[test]
fn types_have_attributes() {
    passes("types.c", "attributes");
}

#[test]
fn wrong_types_are_named() {
    passes("types.c", "errors");
}
