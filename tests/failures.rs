//! How programs are told of failures, how they show that they can survive one, and the names of
//! FT-MPI that must compile and link unchanged.

use support::{Program, Run};

fn failures(role: &str) -> Run {
    let program = support::c("failures.c").flags(&["-O1", "-Wall", "-Werror"]).build();
    support::run(&program).ranks(4).args([role])
}

#[test]
fn the_record_of_failures_is_read_by_attributes_before_and_after_a_recovery() {
    assert_eq!(failures("attributes").option("--mode=rebuild").succeeds().stdout, "done\n");
    // The program refers to FT_MPI_CHECK_RECOVER.
    assert_eq!(failures("attributes").succeeds().stdout, "done\n");
}

#[test]
fn where_the_library_has_recovered_there_is_nothing_left_for_the_program_to_do() {
    let run = failures("attributes").option("--mode=rebuild").option("--recovery=auto");
    assert_eq!(run.succeeds().stdout, "done\n");
}

#[test]
fn fortran_reads_the_record_too() {
    let program = support::fortran("failures.f90").flags(&["-O1", "-Wall"]).build();
    let run = || support::run(&program).ranks(3);
    assert_eq!(run().option("--mode=REBUILD").succeeds().stdout, "done\n");
    assert_eq!(run().env("FTMPI_COMM_MODE", "FTMPI_COMM_MODE_REBUILD").succeeds().stdout, "done\n");
}

#[test]
fn modes_are_attributes_and_children_inherit_them() {
    let run = failures("modes").option("--mode").option("Shrink").option("--msg=continue");
    assert_eq!(run.succeeds().stdout, "done\n");
}

#[test]
fn a_death_is_err_other_in_codes_and_statuses_though_nobody_has_set_a_handler() {
    assert_eq!(failures("codes").option("--mode=rebuild").succeeds().stdout, "done\n");
}

#[test]
fn a_handler_that_the_program_has_chosen_is_obeyed() {
    let seen = failures("fatal").option("--mode=rebuild").fails_with(137);
    assert!(seen.stderr.contains("MPI_Barrier on MPI_COMM_WORLD failed"), "{seen}");
}

#[test]
fn abort_ends_the_job_whatever_the_program_has_set() {
    assert_eq!(failures("aborts").option("--mode=rebuild").fails_with(137).stdout, "");
    assert_eq!(failures("codes").option("--mode=abort").fails_with(137).stdout, "");
}

/// Sums numbers; rank 1 dies on the way. Says what its calls return.
fn listing(before: &str, on_error: &str) -> Program {
    let text = format!(
        "#include <mpi.h>\n#include <signal.h>\n#include <stdio.h>\n\
        static void heard(MPI_Comm *comm, int *code, ...) {{ (void)comm; (void)code; }}\n\
        int main(int argc, char **argv) {{\n\
        int rank, code, sum = 0, one = 1, restarted; MPI_Comm com = MPI_COMM_WORLD, newcom;\n\
        restarted = MPI_Init(&argc, &argv) != MPI_SUCCESS;\n\
        MPI_Errhandler handler; MPI_Errhandler_create(heard, &handler);\n\
        (void)newcom;\n\
        {before}\n\
        MPI_Comm_rank(com, &rank);\n\
        if (rank == 1 && !restarted) raise(SIGKILL);\n\
        do {{\n\
        code = MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, com);\n\
        if (code == MPI_ERR_OTHER) {{ {on_error} }}\n\
        }} while (code != MPI_SUCCESS);\n\
        if (rank == 0) printf(\"sum %d\\n\", sum);\n\
        return MPI_Finalize(); }}\n"
    );
    support::c_text("listing", &text).flags(&["-Wall", "-Werror"]).build()
}

const REPAIRS: &str = "MPI_Comm_dup(com, &newcom); MPI_Comm_free(&com); com = newcom;";

#[test]
fn a_program_that_shows_nothing_ends_with_the_first_failure() {
    let program = listing("", REPAIRS);
    let seen = support::run(&program).ranks(3).fails_with(137);
    assert!(seen.stderr.contains("rank 1") && seen.stderr.contains("the job ends"), "{seen}");
    // The same program survives where it is said that it can.
    let seen = support::run(&program).ranks(3).option("--mode=rebuild").succeeds();
    assert_eq!(seen.stdout, "sum 3\n");
    let run = support::run(&program).ranks(3).env("FTMPI_COMM_MODE", "shrink");
    assert_eq!(run.succeeds().stdout, "sum 2\n");
}

#[test]
fn a_program_shows_by_its_error_handler_that_it_can_survive() {
    for before in
        ["MPI_Errhandler_set(com, MPI_ERRORS_RETURN);", "MPI_Comm_set_errhandler(com, handler);"]
    {
        let program = listing(before, REPAIRS);
        let seen = support::run(&program).ranks(3).succeeds();
        assert_eq!(seen.stdout, "sum 3\n", "{before}");
    }
}

#[test]
fn a_program_shows_by_its_references_that_it_can_survive() {
    let repairs = "newcom = FT_MPI_CHECK_RECOVER; MPI_Comm_dup(com, &newcom);";
    let seen = support::run(&listing("", repairs)).ranks(3).succeeds();
    assert_eq!(seen.stdout, "sum 3\n");
}

#[test]
fn programs_of_the_structures_that_the_papers_print_recover() {
    let program = support::c("listings.c").flags(&["-O1", "-Wall", "-Werror"]).build();
    // What the first two compute when nobody dies; how many have begun anew; how many live.
    for (what, mode, result) in [
        ("handler", "rebuild", 19990),
        ("codes", "rebuild", 42283),
        ("static", "rebuild", 1),
        ("filled", "blank", 5),
    ] {
        let run = support::run(&program).ranks(5).option(format!("--mode={mode}")).args([what]);
        let expected = format!("{what}: {result}, rank 1 was restarted\n");
        assert_eq!(run.succeeds().stdout, expected);
    }
}

#[test]
fn modes_that_make_no_sense_are_refused() {
    let program = listing("", REPAIRS);
    let refused = |options: &[&str]| {
        let run = options.iter().fold(support::run(&program).ranks(1), |run, it| run.option(it));
        run.fails_with(2).stderr
    };
    let said = refused(&["--mode", "mend"]);
    assert!(
        said.contains("`abort`, `blank`, `shrink` or `rebuild` (or `ulfm`), not `mend`"),
        "{said}"
    );
    assert!(refused(&["--msg"]).contains("--msg"));
    assert!(refused(&["--mode=ulfm", "--msg=cont"]).contains("--mode ulfm"));
    assert!(refused(&["--mode=blank", "--on-failure=continue"]).contains("--on-failure"));
    let run = support::run(&program).ranks(1).env("FTMPI_MSG_MODE", "perhaps");
    assert!(run.fails_with(2).stderr.contains("FTMPI_MSG_MODE expects `noop` or `cont`"));
}

/// Every name of FT-MPI and of ULFM that is a number, with its value.
const NUMBERS: &str = "MPI_INIT_RESTARTED_PROCS 2001 MPI_INIT_RESTARTED_PROC 2001 \
    MPI_INIT_RESTARTED_NODE 2001 FT_MPI_INIT_RESTARTED_NODE 2001 \
    FT_MPI_LIST_NUM_FAILED 7001 FT_MPI_LIST_FAILED 7002 FT_MPI_COM_NUM_FAILED 7003 \
    FT_MPI_COM_FAILED 7004 FTMPI_NUM_FAILED_PROCS 7005 FTMPI_COMM_MODE 7006 FTMPI_MSG_MODE 7007 \
    FTMPI_COLL_MODE 7008 FTMPI_RECOVERY_MODE 7009 \
    FTMPI_COMM_STATE 7011 FTMPI_RANK_STATES 7012 MPIX_FT 7010 MPI_FT 7010 \
    FTMPI_COMM_MODE_ABORT 0 FTMPI_COMM_MODE_BLANK 1 FTMPI_COMM_MODE_SHRINK 2 \
    FTMPI_COMM_MODE_REBUILD 3 FTMPI_MSG_MODE_RESET 0 FTMPI_MSG_MODE_NOOP 0 FTMPI_MSG_MODE_NOP 0 \
    FTMPI_MSG_MODE_CONT 1 FTMPI_MSG_MODE_CONTINUE 1 FTMPI_COLL_MODE_NON_ATOMIC 0 \
    FTMPI_COLL_MODE_ATOMIC 1 FTMPI_RECOVERY_MODE_MANUAL 0 FTMPI_RECOVERY_MODE_AUTO 1 \
    FTMPI_COMM_STATE_OK 0 FTMPI_COMM_STATE_DETECTED 1 FTMPI_COMM_STATE_RECOVER 2 \
    FTMPI_COMM_STATE_RECOVERED 3 FTMPI_COMM_STATE_FAILED 4 FTMPI_RANK_STATE_OK 0 \
    FTMPI_RANK_STATE_UNAVAILABLE 1 FTMPI_RANK_STATE_JOINING 2 FTMPI_RANK_STATE_FAILED 3 \
    MPIX_ERR_PROC_FAILED 75 MPIX_ERR_PROC_FAILED_PENDING 76 MPIX_ERR_REVOKED 77 \
    MPI_ERR_PROC_FAILED 75 MPI_ERR_PROC_FAILED_PENDING 76 MPI_ERR_REVOKED 77";

fn numbers() -> Vec<(&'static str, &'static str)> {
    let words: Vec<&str> = NUMBERS.split_whitespace().collect();
    words.chunks(2).map(|pair| (pair[0], pair[1])).collect()
}

#[test]
fn the_names_are_there_in_c_whichever_header_is_included() {
    for header in ["mpi.h", "ft-mpi-modes.h", "mpi-ext.h"] {
        let text = format!(
            "#include <{header}>\n#include <mpi.h>\n#include <stdio.h>\n\
            static MPI_Comm asked = FT_MPI_CHECK_RECOVER;\n\
            int main(void) {{ char text[MPI_MAX_ERROR_STRING]; int length;\n\
            if (asked != FTMPI_CHECK_RECOVER || asked == MPI_COMM_NULL) return 2;\n\
            if (MPI_Error_string(MPI_INIT_RESTARTED_PROCS, text, &length)) return 3;\n\
            puts(text);\n\
            return 0; }}\n"
        );
        let strict = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror"];
        let program = support::c_text("names", &text).flags(&strict).build();
        let seen = support::command(program.path()).succeeds();
        assert!(seen.stdout.starts_with("MPI_INIT_RESTARTED_PROCS: "), "{seen}");
    }
    let prints: String =
        numbers().iter().map(|(name, _)| format!("printf(\"{name} %d\\n\", {name});\n")).collect();
    let text =
        format!("#include <mpi.h>\n#include <stdio.h>\nint main(void) {{\n{prints}return 0; }}\n");
    let said = support::command(support::c_text("numbers", &text).build().path()).succeeds().stdout;
    let wanted: String =
        numbers().iter().map(|(name, value)| format!("{name} {value}\n")).collect();
    assert_eq!(said, wanted);
    let strict = ["-std=c++98", "-pedantic", "-Wno-long-long", "-Wall", "-Wextra", "-Werror"];
    let text = "#include <mpi-ext.h>\n#include <ft-mpi-modes.h>\n\
        int main() { return MPI_COMM_WORLD == FT_MPI_CHECK_RECOVER; }\n";
    support::cxx_text("names", text).flags(&strict).build();
}

/// A replacement asks for the recovery that has started it, as survivors do, and waits for nobody.
#[test]
fn the_listing_of_the_survival_guide_runs_as_it_is_written() {
    let flags = ["-O1", "-Wall", "-Werror", "-lm"];
    let program = support::c("survival_guide.c").flags(&flags).build();
    let result = |words: &str| {
        let words: Vec<&str> = words.split(' ').collect();
        let seen = support::run(&program).ranks(9).args(words).deadline(60).succeeds();
        seen.stdout.trim().parse::<f64>().expect("a number")
    };
    let calm = result("3");
    for dead in ["3 1", "3 0 5", "3 4 1 2", "3 8 7 6", "3 0 6 3"] {
        let found = result(dead);
        assert!((found / calm - 1.0).abs() < 1e-9, "{dead}: {found} and {calm}");
    }
    let too_many = support::run(&program).ranks(9).args(["3", "0", "1", "2", "3"]);
    too_many.fails_with(4);
}

#[test]
fn every_rank_finds_the_same_handle_that_asks_for_a_recovery() {
    let text = "#include <mpi.h>\n#include <stdint.h>\n#include <stdio.h>\n\
        static MPI_Comm asked = FT_MPI_CHECK_RECOVER;\n\
        int main(int argc, char **argv) { int size; intptr_t mine, least, most;\n\
        MPI_Init(&argc, &argv); MPI_Comm_size(MPI_COMM_WORLD, &size);\n\
        MPI_Comm here = FT_MPI_CHECK_RECOVER; if (here != asked) return 1;\n\
        mine = (intptr_t)here;\n\
        MPI_Allreduce(&mine, &least, 1, MPI_AINT, MPI_MIN, MPI_COMM_WORLD);\n\
        MPI_Allreduce(&mine, &most, 1, MPI_AINT, MPI_MAX, MPI_COMM_WORLD);\n\
        MPI_Comm again = here; if (MPI_Comm_dup(MPI_COMM_WORLD, &again)) return 2;\n\
        if (again == here) return 3;\n\
        MPI_Finalize(); return least != most; }\n";
    for flags in [["-O0", "-fPIE"], ["-O2", "-fPIC"]] {
        let program = support::c_text("asked", text).flags(&flags).build();
        support::run(&program).ranks(3).succeeds();
    }
}
