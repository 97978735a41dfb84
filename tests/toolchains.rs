//! Programs run however they were built: every optimisation, two compilers, other linkers,
//! stripped, bound at start, packed relocations, coverage; and tools see the source lines of ranks.

use support::Program;

const RANKS: usize = 12;

fn runs(program: &Program) {
    let seen = support::run(program).ranks(RANKS).succeeds();
    // Both examples compare their result with what it must be.
    let is_right =
        seen.lines_with("as computed by hand") == 1 || seen.lines_with("660, expected 660") == 1;
    assert!(is_right, "{seen:?}");
}

#[test]
fn every_level_of_optimisation_runs() {
    for level in ["-O0", "-O1", "-O2", "-O3", "-Os"] {
        runs(&support::c("c_examples/heat.c").flags(&[level, "-lm"]).build());
        runs(&support::fortran("fortran_examples/heat.f90").flags(&[level]).build());
    }
}

#[test]
fn programs_of_clang_run() {
    runs(&support::c("c_examples/heat.c").compiler("clang").flags(&["-O2", "-lm"]).build());
    runs(&support::c("c_examples/ring.c").compiler("clang").flags(&["-O0"]).build());
}

#[test]
fn programs_of_other_linkers_and_layouts_run() {
    for flags in [
        &["-fuse-ld=lld"][..],
        &["-fuse-ld=gold"],
        &["-Wl,-z,now"],
        &["-Wl,-z,lazy"],
        &["-Wl,-z,norelro"],
        &["-Wl,-z,noseparate-code"],
        &["-Wl,-z,pack-relative-relocs"],
        &["-Wl,--hash-style=sysv"],
        &["-fPIC"],
        &["-fstack-protector-all", "-D_FORTIFY_SOURCE=2", "-O2"],
        &["-mtls-dialect=gnu2"],
    ] {
        runs(&support::c("c_examples/heat.c").flags(flags).flags(&["-lm"]).build());
    }
}

#[test]
fn stripped_programs_run() {
    runs(&support::c("c_examples/heat.c").flags(&["-O2", "-lm"]).build().stripped());
    runs(&support::fortran("fortran_examples/heat.f90").build().stripped());
}

#[test]
fn coverage_counts_all_ranks() {
    let place = support::fresh_directory("coverage");
    let source = support::c("c_examples/ring.c").flags(&["--coverage", "-O0"]);
    let prefix = place.to_str().expect("the target directory's name is UTF-8");
    let run = support::run(&source.build()).ranks(RANKS).env("GCOV_PREFIX", prefix);
    run.succeeds();
    let data = std::process::Command::new("find").args([prefix, "-name", "*.gcda"]).output();
    let data = String::from_utf8(data.expect("find runs").stdout).expect("paths are UTF-8");
    assert_eq!(data.lines().count(), 1, "one file of counts for one source: {data}");
}

#[test]
fn a_debugger_shows_the_source_lines_of_a_rank() {
    let program = support::c("c_examples/nullptr.c").flags(&["-g", "-O0"]).build();
    let script = support::root().join("tools/ftmpi-gdb.py");
    let seen = support::command("gdb")
        .args(["-q", "-batch", "-ex", "set confirm off", "-ex", "handle SIGSEGV stop nopass"])
        .args(["-x", script.to_str().expect("UTF-8")])
        .args(["-ex", "run", "-ex", "ftmpi-symbols", "-ex", "bt", "--args"])
        .args([support::ftrun().to_str().expect("UTF-8"), "-np", "4"])
        .args([program.path()])
        .outcome();
    assert!(seen.stdout.contains("nullptr.c:"), "{seen:?}");
}

#[test]
fn a_backtrace_names_functions() {
    let program = support::c_text(
        "backtrace",
        r#"
        #include <execinfo.h>
        #include <mpi.h>
        #include <stdio.h>
        void named_by_the_backtrace(void)
        {
            void *frames[20];
            char **names = backtrace_symbols(frames, backtrace(frames, 20));
            printf("rank %s\n", names[0]);
        }
        int main(int argc, char **argv)
        {
            MPI_Init(&argc, &argv);
            named_by_the_backtrace();
            MPI_Finalize();
            return 0;
        }
        "#,
    )
    .flags(&["-rdynamic", "-O0"])
    .build();
    let seen = support::run(&program).ranks(3).succeeds();
    assert_eq!(seen.lines_with("named_by_the_backtrace"), 3, "{seen:?}");
}
