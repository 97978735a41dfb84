//! No call and no error class without a test: every function of MPI that is built is called by a C
//! program and by a Fortran program of the tests, and every error class that calls can raise is
//! expected by one of them. What object files import counts, so macros and overloads are seen
//! through.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use support::Handles;

const HEADER: &str = include_str!("../include/mpi.h");
const FUNCTIONS: &str = include_str!("data/functions.txt");

/// Programs that are compiled once more with other flags: then they make other calls.
const AGAIN: [&str; 14] = [
    "coll_neighbours.c",
    "coll_random.c",
    "collective_forms.F90",
    "completion.F90",
    "f08_counts.F90",
    "files.F90",
    "files.c",
    "further.F90",
    "groups.F90",
    "intercomms.F90",
    "partitions.F90",
    "rma.F90",
    "rma.c",
    "topologies.F90",
];

/// What the standard does not give to Fortran.
const NOT_IN_FORTRAN: [(&str, &str); 7] = [
    ("_toint", "a handle of Fortran holds its integer (MPI-5.0 §20.4)"),
    ("_fromint", "a handle of Fortran holds its integer (MPI-5.0 §20.4)"),
    ("_extent_c", "addresses and counts are of one kind: the small one is the large one (§19.2)"),
    ("_resized_c", "addresses and counts are of one kind: the small one is the large one (§19.2)"),
    ("MPI_Psend_init_c", "the small one counts as far (MPI-5.0 §4.2.1)"),
    ("MPI_Precv_init_c", "the small one counts as far (MPI-5.0 §4.2.1)"),
    ("MPI_T_", "the tools interface is C's (MPI-5.0 §15.3)"),
];

/// What the standard does not give to `mpi_f08`, or without a symbol of its own.
const NOT_IN_F08: [(&str, &str); 5] = [
    ("MPI_Attr_", "removed before there was the module (§17)"),
    ("MPI_Keyval_", "removed before there was the module (§17)"),
    ("MPI_Aint_", "the same function for all interfaces"),
    ("MPI_Wt", "the same function for all interfaces"),
    ("MPI_Pcontrol", "the same procedure for all interfaces"),
];

/// Error classes that no call raises which is built.
const NEVER_RAISED: [(&str, &[&str]); 2] = [
    (
        "windows",
        // Memory can always be shared, and no access conflicts with another in this library's eyes.
        &["RMA_CONFLICT", "RMA_SHARED"],
    ),
    ("every error here is of a known class", &["UNKNOWN"]),
];

/// The functions of the standard.
fn built() -> BTreeSet<&'static str> {
    FUNCTIONS.lines().filter(|line| line.starts_with("MPI_")).collect()
}

/// The test programs and examples that end so.
fn programs(endings: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for directory in ["tests/programs", "c_examples", "fortran_examples"] {
        let entries = std::fs::read_dir(support::root().join(directory)).unwrap();
        found.extend(entries.map(|entry| entry.unwrap().path()));
    }
    let ends = |path: &Path| path.extension().is_some_and(|end| endings.iter().any(|e| *e == end));
    found.retain(|path| ends(path));
    found.sort();
    found
}

/// All that object files of these sources import, compiled with the first flags and, where that
/// makes a difference, with the others.
fn imports(
    compiler: &[&str], sources: &[PathBuf], first: &[String], others: &[Vec<String>],
) -> BTreeSet<String> {
    let directory = support::fresh_directory("covered");
    let compile = |sources: &[PathBuf], flags: &[String]| {
        let include = format!("-I{}", support::root().join("include").display());
        let command = support::command(compiler[0]).directory(&directory);
        let command = command.args(&compiler[1..]).args(["-c", "-w", "-O0", include.as_str()]);
        command.args(flags).args(sources).succeeds();
        let nm = support::command("sh").directory(&directory);
        nm.args(["-c", "nm -u ./*.o && rm ./*.o"]).succeeds().stdout
    };
    let again = |path: &&PathBuf| AGAIN.iter().any(|name| path.ends_with(name));
    let again: Vec<PathBuf> = sources.iter().filter(again).cloned().collect();
    let more = others.iter().map(|flags| compile(&again, flags));
    let said = compile(sources, first) + &more.collect::<String>();
    let symbols = said.lines().filter_map(|line| line.trim().strip_prefix("U "));
    symbols.map(|symbol| symbol.to_lowercase()).collect()
}

/// Those that are imported neither by their name nor by that of their twin for tools.
fn missing(
    wanted: impl Iterator<Item = &'static str>, imported: &BTreeSet<String>, ends: &[&str],
) -> Vec<&'static str> {
    let is_imported = |name: &str, end: &str| {
        let symbol = format!("{}{end}", name.to_lowercase());
        imported.contains(&symbol) || imported.contains(&format!("p{symbol}"))
    };
    wanted.filter(|name| !ends.iter().any(|end| is_imported(name, end))).collect()
}

#[test]
fn every_function_is_called_by_a_program_in_c() {
    let imported = imports(&["cc"], &programs(&["c"]), &[], &[vec!["-DLARGE".into()]]);
    let missing = missing(built().into_iter(), &imported, &[""]);
    assert!(missing.is_empty(), "no C program of the tests calls {}", missing.join(" "));
}

/// What a Fortran interface has of the functions that are built.
fn in_fortran(exceptions: &[(&str, &str)]) -> impl Iterator<Item = &'static str> {
    let is_one = |name: &str, part: &str| match part.starts_with('_') {
        true => name.ends_with(part),
        false => name.starts_with(part),
    };
    let exceptions: Vec<String> = exceptions.iter().map(|(part, _)| part.to_string()).collect();
    built().into_iter().filter(move |name| !exceptions.iter().any(|part| is_one(name, part)))
}

#[test]
fn every_function_is_called_by_programs_in_fortran_old_and_new() {
    let mpifort = support::tool("mpifort").display().to_string();
    let mut sources = programs(&["f", "f90", "F90"]);
    // Modules come before those who use them.
    sources.sort_by_key(|path| !path.to_string_lossy().contains("/checks"));
    let small = |handles: Handles| [handles.flags(), vec!["-DSMALL".into()]].concat();
    let (old, new) = (small(Handles::Integers), [small(Handles::Types), Handles::Types.flags()]);
    let imported = imports(&[&mpifort, "-fallow-argument-mismatch"], &sources, &old, &new);
    let wanted = in_fortran(&NOT_IN_FORTRAN).filter(|name| !name.ends_with("_c"));
    let in_old = missing(wanted, &imported, &["_"]);
    assert!(in_old.is_empty(), "no program with mpif.h calls {}", in_old.join(" "));
    let exceptions = [&NOT_IN_FORTRAN[..], &NOT_IN_F08].concat();
    let in_new = missing(in_fortran(&exceptions), &imported, &["_f08_", "_f08ts_"]);
    assert!(in_new.is_empty(), "no program with mpi_f08 calls {}", in_new.join(" "));
}

/// What programs hold error codes against: statements that compare.
fn expected_classes() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let compares = |statement: &str| {
        let words = ["FAILS(", "EQUAL(", "equal(", "expect(", "==", "!=", "/=", ".NE."];
        words.iter().any(|word| statement.contains(word))
    };
    for path in programs(&["c", "h", "f", "f90", "F90"]) {
        let text = std::fs::read_to_string(&path).unwrap().replace("&\n", " ");
        let is_c = path.extension().is_some_and(|end| end == "c" || end == "h");
        let statements = text.split(if is_c { ';' } else { '\n' });
        for statement in statements.filter(|statement| compares(statement)) {
            let words = statement.split(|c: char| !c.is_alphanumeric() && c != '_');
            found.extend(words.filter_map(|word| word.strip_prefix("MPI_ERR_")).map(String::from));
        }
    }
    found
}

#[test]
fn every_error_class_is_expected_by_a_program() {
    let expected = expected_classes();
    let defined = HEADER.lines().filter_map(|line| line.strip_prefix("#define MPI_ERR_"));
    let mut defined: BTreeSet<&str> = defined.filter_map(|rest| rest.split(' ').next()).collect();
    // The last of them is no class, but says where others begin.
    assert!(defined.remove("LASTCODE"), "{defined:?}");
    assert!(defined.len() > 60, "{defined:?}");
    let exempt: BTreeSet<&str> =
        NEVER_RAISED.iter().flat_map(|(_, names)| names.iter().copied()).collect();
    let unknown: Vec<_> = exempt.difference(&defined).collect();
    assert!(unknown.is_empty(), "no such classes: {unknown:?}");
    let missing: Vec<&&str> =
        defined.difference(&exempt).filter(|name| !expected.contains(**name)).collect();
    assert!(missing.is_empty(), "no test expects {missing:?}");
    let idle: Vec<_> = exempt.iter().filter(|name| expected.contains(**name)).collect();
    assert!(idle.is_empty(), "no exceptions any more: {idle:?}");
}
