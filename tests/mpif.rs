//! `mpif.h`: its constants are those of `mpi.h`, it can be read in both forms without a warning,
//! the library has every function that Fortran may call, and special arguments are known however
//! the program was built.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use support::{Program, Source};

fn header(name: &str) -> String {
    std::fs::read_to_string(support::root().join("include").join(name))
        .expect("the header is there")
}

/// The names of the constants in `mpif.h`.
fn constants() -> Vec<String> {
    let text = header("mpif.h");
    let after = text.lines().filter_map(|line| line.split_once("PARAMETER :: "));
    let names = after.map(|(_, rest)| rest.split_once('=').expect("it has a value").0.to_string());
    names.collect()
}

/// The constants of `mpi.h`, and of what it includes, that Fortran has too.
fn shared_constants() -> BTreeSet<String> {
    let text = ["mpi.h", "ft-mpi-modes.h", "mpi-ext.h"].map(header).concat();
    let defined = text.lines().filter_map(|line| line.strip_prefix("#define "));
    let words = defined.filter_map(|rest| rest.split_once(char::is_whitespace));
    let is_shared = |name: &str, value: &str| {
        let is_variable = ["*)", "_function", "(&"].iter().any(|part| value.contains(part));
        let is_variable = is_variable || name.contains("CHECK_RECOVER");
        let is_function = name.contains(|c: char| c.is_lowercase());
        let is_of_c = ["MPI_F_", "MPI_T_"].iter().any(|start| name.starts_with(start));
        let is_ours = ["MPI", "FT"].iter().any(|start| name.starts_with(start));
        is_ours && !name.contains('(') && !is_variable && !is_of_c && !is_function
    };
    let shared = words.filter(|(name, value)| is_shared(name, value));
    shared.map(|(name, _)| name.to_string()).collect()
}

/// What a program of lines `NAME value` printed.
fn printed(program: &Program) -> BTreeMap<String, i64> {
    let seen = support::command(program.path()).succeeds();
    let pair = |line: &str| {
        let mut words = line.split_whitespace();
        let name = words.next().expect("a name comes first").to_string();
        (name, words.next().and_then(|value| value.parse().ok()).expect("a number comes next"))
    };
    seen.stdout.lines().map(pair).collect()
}

fn constants_in_fortran(flags: &[&str]) -> BTreeMap<String, i64> {
    let mut text = String::from("      program constants\n      implicit none\n");
    text.push_str("      include 'mpif.h'\n");
    for name in constants() {
        if name.starts_with("MPI_SUBARRAYS") || name.starts_with("MPI_ASYNC") {
            let _ = writeln!(text, "      if ({name}) stop 1");
        } else {
            let _ = writeln!(text, "      print '(A,I11)', '{name} ',\n     &{name}");
        }
    }
    text.push_str("      end program constants\n");
    // A continuation for both forms: `&` in column 73 and in column 6.
    let joined =
        |line: &str| if line.ends_with("',") { format!("{line:<72}&") } else { line.into() };
    let text: Vec<String> = text.lines().map(joined).collect();
    let text = text.join("\n") + "\n";
    printed(&support::fortran_text("constants", &text).flags(flags).build())
}

#[test]
fn constants_are_those_of_mpi_h_in_both_forms() {
    let shared = shared_constants();
    let mut text = String::from("#include <mpi.h>\n#include <stdio.h>\nint main(void) {\n");
    for name in &shared {
        let _ = writeln!(text, "printf(\"{name} %lld\\n\", (long long)(intptr_t){name});");
    }
    text.push_str("return 0; }\n");
    let mut expected = printed(&support::c_text("constants", &text).build());
    for (name, value) in &mut expected {
        // In C the null at the end counts, too.
        *value -= i64::from(name.starts_with("MPI_MAX_"));
    }
    let own = [
        ("FTMPI_NEEDS_4_BYTE_INTEGERS", 1),
        ("FTMPI_REAL8", 0),
        ("FTMPI_DBLE16", 0),
        ("FTMPI_CHECK_RECOVER", 0x4654_4352),
        ("FT_MPI_CHECK_RECOVER", 0x4654_4352),
        ("MPI_ADDRESS_KIND", 8),
        ("MPI_COUNT_KIND", 8),
        ("MPI_OFFSET_KIND", 8),
        ("MPI_INTEGER_KIND", 4),
        ("MPI_STATUS_SIZE", 8),
        ("MPI_SOURCE", 1),
        ("MPI_TAG", 2),
        ("MPI_ERROR", 3),
    ];
    expected.extend(own.map(|(name, value)| (name.to_string(), value)));
    let strict = ["-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror"];
    for form in ["-ffree-form", "-ffixed-form"] {
        assert_eq!(constants_in_fortran(&[&strict[..], &[form]].concat()), expected, "{form}");
    }
    constants_in_fortran(&["-std=f2008", "-pedantic", "-Wall", "-Werror"]);
}

#[test]
fn types_follow_the_default_kinds() {
    let values = |flags: &[&str]| {
        let all = constants_in_fortran(flags);
        let names = ["MPI_REAL", "MPI_DOUBLE_PRECISION", "MPI_COMPLEX", "MPI_DOUBLE_COMPLEX"];
        let pairs = ["MPI_2REAL", "MPI_2DOUBLE_PRECISION"];
        names.iter().chain(&pairs).map(|name| all[*name]).collect::<Vec<i64>>()
    };
    let usual = [0x21a, 0x21c, 0x21b, 0x21d, 0x230, 0x231];
    assert_eq!(values(&[]), usual);
    let (real8, real16, complex16, complex32) = (0x2da, 0x2e2, 0x2e3, 0x2eb);
    let wide = values(&["-fdefault-real-8"]);
    assert_eq!(wide, [real8, real16, complex16, complex32, 0x231, 0x200]);
    let half = values(&["-fdefault-real-8", "-fdefault-double-8"]);
    assert_eq!(half, [real8, 0x21c, complex16, 0x21d, 0x231, 0x231]);
}

#[test]
fn integers_of_8_bytes_are_refused_with_the_reason() {
    let file = support::fresh_directory("wide").join("wide.f90");
    std::fs::write(&file, "program wide\ninclude 'mpif.h'\nend program wide\n").unwrap();
    let include = format!("-I{}", support::root().join("include").display());
    let seen = support::command("gfortran")
        .args(["-fdefault-integer-8", "-fsyntax-only", &include])
        .args([&file])
        .outcome();
    assert_ne!(seen.status, Some(0));
    assert!(seen.stderr.contains("mpif.h") && seen.stderr.contains("Division by zero"), "{seen}");
}

/// The functions of `mpi.h` that Fortran can call, in lower case.
fn functions() -> Vec<String> {
    let text = header("mpi.h");
    let is_prototype = |line: &&str| line.ends_with(");") && !line.starts_with('#');
    let names = text.lines().filter(is_prototype).filter_map(|line| {
        let words = line.split_once('(')?.0;
        words.split_whitespace().last().filter(|name| name.starts_with("MPI_"))
    });
    let only_c = |name: &str| {
        // Large counts are overloads in Fortran's modules; handles are integers already.
        let ends = ["_c", "_toint", "_fromint"];
        name.starts_with("MPI_T_") || ends.iter().any(|end| name.ends_with(end))
    };
    names.filter(|name| !only_c(name)).map(str::to_lowercase).collect()
}

#[test]
fn the_library_has_every_function_that_fortran_may_call() {
    let library = support::library_directory().join("libftmpi_rs.so");
    let seen = support::command("nm").args(["-D", "--defined-only"]).args([library]).succeeds();
    let symbols = seen.stdout.lines().filter_map(|line| line.split_whitespace().last());
    let symbols: BTreeSet<&str> = symbols.collect();
    let functions = functions();
    assert!(functions.len() > 400, "{}", functions.len());
    let mut wanted: Vec<String> =
        functions.iter().flat_map(|name| [format!("{name}_"), format!("p{name}_")]).collect();
    let text = header("mpif.h");
    let external = text.lines().filter_map(|line| line.split_once("EXTERNAL"));
    let external = external.map(|(_, name)| name.trim_start_matches([' ', ':']).to_lowercase());
    wanted.extend(external.map(|name| format!("{name}_")));
    wanted.push("mpi_f_sync_reg_".to_string());
    let missing: Vec<&String> =
        wanted.iter().filter(|name| !symbols.contains(name.as_str())).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// A program with the flags that say who uses special arguments: itself, its library, or both.
fn sentinels(flags: &[&str]) -> Source {
    support::fortran("sentinels.F90").flags(flags)
}

const BY_PROGRAM: &str = "-DPLACE=in_program";
const BY_LIBRARY: &str = "-DIN_LIBRARY";

fn sentinels_library(flags: &[&str]) -> Program {
    let source = sentinels(&["-DPLACE=in_library", "-DIS_LIBRARY"]).flags(flags);
    source.library("sentinels")
}

fn all_are_known(program: &Program) {
    for ranks in [1, 5] {
        let seen = support::run(program).ranks(ranks).succeeds();
        assert_eq!(seen.lines_with("all are known"), ranks, "{seen}");
    }
    assert_eq!(support::command(program.path()).succeeds().stdout, "all are known\n");
}

#[test]
fn special_arguments_are_known_at_every_level_of_optimisation() {
    for level in ["-O0", "-O1", "-O2", "-O3"] {
        let program = sentinels(&[BY_PROGRAM, level, "-Wl,--fatal-warnings"]).build();
        all_are_known(&program);
        all_are_known(&program.stripped());
    }
}

#[test]
fn special_arguments_are_known_to_programs_of_other_linkers() {
    for flag in
        ["-fPIC", "-flto", "-fuse-ld=gold", "-fuse-ld=lld", "-Wl,-z,now", "-Wl,--gc-sections"]
    {
        all_are_known(&sentinels(&[BY_PROGRAM, flag]).build());
    }
    let fixed = sentinels(&[BY_PROGRAM, "-no-pie"]).build();
    assert_eq!(support::command(fixed.path()).succeeds().stdout, "all are known\n");
}

#[test]
fn special_arguments_are_known_from_libraries_of_the_program() {
    for flags in [&[][..], &["-O2"], &["-Wl,-Bsymbolic"], &["-fuse-ld=lld"]] {
        let library = sentinels_library(flags);
        all_are_known(&sentinels(&[BY_LIBRARY]).link(&library).build());
        all_are_known(&sentinels(&[BY_LIBRARY, BY_PROGRAM]).link(&library).build());
    }
}
