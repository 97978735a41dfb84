//! Generates the Fortran modules `mpi_f08_types.f90`, `mpi.f90` and `mpi_f08.f90` in
//! `include/generated`.
//!
//! Every door gives its Fortran name and its parameters, and every kind gives its declaration in
//! Fortran. Constants come from `mpif.h`; calls that are not implemented yet come from `mpi.h`. A
//! test compares the files with what they should contain; `tools/write-modules` writes them.

mod constants;
mod prototypes;
mod text;

use crate::abi::header;
use crate::abi::kinds::Form;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What a door tells the generator.
pub(super) struct Door {
    /// Its name in C; for a large-count twin, that of the twin.
    pub(super) c: &'static str,
    /// Its symbol in `mpif.h` and `mpi`; for a large-count twin, that of the small-count call.
    pub(super) symbol: &'static str,
    pub(super) is_large: bool,
    /// The Rust type of a function's value; empty for subroutines with an error code.
    pub(super) returned: &'static str,
    pub(super) params: &'static [(&'static str, Form)],
}

pub(super) const fn is_large(width: &str) -> bool {
    // The other width is `small`.
    matches!(width.as_bytes(), b"large")
}

#[allow(improper_ctypes, reason = "only their addresses count")]
unsafe extern "C" {
    #[link_name = "__start_ftmpi_doors"]
    static FIRST: &'static Door;
    #[link_name = "__stop_ftmpi_doors"]
    static END: &'static Door;
}

/// A procedure of the modules.
#[derive(Clone, Debug)]
struct Procedure {
    /// Its name, without `_c`.
    name: String,
    is_large: bool,
    returned: &'static str,
    params: Vec<(String, Form)>,
}

/// All doors with a Fortran form, except removed calls, which the modules, being younger, never
/// had.
fn doors() -> Vec<&'static Door> {
    let (first, end) = (&raw const FIRST, &raw const END);
    let count = (end.addr() - first.addr()) / size_of::<&Door>();
    // SAFETY: the linker puts the whole section between these two symbols.
    let all = unsafe { std::slice::from_raw_parts(first, count) }.to_vec();
    let declared = header::functions();
    all.into_iter().filter(|door| declared.contains(&door.c)).collect()
}

/// Every procedure of Fortran, keyed by its name in C; small counts come before large ones.
fn procedures() -> BTreeMap<String, Vec<Procedure>> {
    let mut all: BTreeMap<String, Vec<Procedure>> = BTreeMap::new();
    for door in doors() {
        let name = if door.is_large { door.c.trim_end_matches("_c") } else { door.c };
        let symbol = door.symbol.trim_end_matches('_');
        assert_eq!(symbol, name.to_lowercase(), "{}: its Fortran symbol", door.c);
        let params = door.params.iter().filter(|(_, form)| *form != Form::ABSENT);
        let params = params.map(|(name, form)| (name.trim_start_matches("r#").to_string(), *form));
        all.entry(name.to_string()).or_default().push(Procedure {
            name: name.to_string(),
            is_large: door.is_large,
            returned: door.returned,
            params: params.collect(),
        });
    }
    for twins in all.values_mut() {
        twins.sort_by_key(|procedure| procedure.is_large);
    }
    all
}

fn generated() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("include/generated")
}

/// The sources of the modules, with their file names.
fn sources() -> [(&'static str, String); 3] {
    let procedures = procedures();
    [
        ("mpi_f08_types.f90", text::types()),
        ("mpi.f90", text::old(&procedures)),
        ("mpi_f08.f90", text::modern(&procedures)),
    ]
}

#[test]
fn the_modules_say_what_the_doors_say() {
    let write = std::env::var_os("FTMPI_WRITE_MODULES").is_some();
    for (name, expected) in sources() {
        let file = generated().join(name);
        if write {
            std::fs::write(&file, &expected).expect("the source tree can be written to");
        }
        let found = std::fs::read_to_string(&file).unwrap_or_default();
        let mut lines = found.lines().zip(expected.lines()).enumerate();
        if let Some((index, (found, expected))) = lines.find(|(_, (one, other))| one != other) {
            panic!(
                "include/generated/{name}, line {}:\n  {found}\nshould be\n  {expected}\n\
                 If the doors are right, run tools/write-modules",
                index + 1
            );
        }
        assert_eq!(found.len(), expected.len(), "{name}: run tools/write-modules");
    }
}

#[test]
fn every_kind_of_a_fortran_door_has_a_form() {
    let unknown: Vec<String> = doors()
        .iter()
        .flat_map(|door| door.params.iter().map(|param| (door.c, param)))
        .filter(|(_, (_, form))| !form.is_known)
        .map(|(door, (param, _))| format!("{door}: {param}"))
        .collect();
    assert!(unknown.is_empty(), "their kinds lack `const FORM`:\n{}", unknown.join("\n"));
}

#[test]
fn arguments_have_the_standards_names() {
    let mut wrong = Vec::new();
    let functions = header::functions();
    // A macro in C declares no parameter names.
    for door in doors().into_iter().filter(|door| functions.contains(&door.c)) {
        let (_, declared) = header::prototype(door.c);
        let declared: Vec<&str> = declared.iter().map(|param| prototypes::name_of(param)).collect();
        for (name, form) in door.params {
            let name = name.trim_start_matches("r#");
            if *form != Form::ABSENT && !declared.contains(&name) {
                wrong.push(format!("{}: {name} is none of {}", door.c, declared.join(", ")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_function_of_the_standard_is_in_the_modules() {
    let procedures = procedures();
    let only_c = |name: &str| {
        // Partitioned calls and their twins have the same parameters: Fortran has one of both.
        let ends = ["_toint", "_fromint", "MPI_Psend_init_c", "MPI_Precv_init_c"];
        name.starts_with("MPI_T_") || ends.iter().any(|end| name.ends_with(end))
    };
    let mut missing = Vec::new();
    for name in header::functions().into_iter().filter(|name| !only_c(name)) {
        let short = name.strip_suffix("_c").filter(|_| !name.ends_with("spawn_c"));
        let has = match short {
            Some(small) => {
                procedures.get(small).is_some_and(|twins| twins.iter().any(|twin| twin.is_large))
            }
            None => procedures.contains_key(name),
        };
        if !has {
            missing.push(name);
        }
    }
    assert!(missing.is_empty(), "no Fortran form: {}", missing.join(" "));
}
