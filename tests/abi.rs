//! The standard's ABI: the header, its constants, and the symbols that the library exports.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

const HEADER: &str = include_str!("../include/mpi.h");
const CONSTANTS: &str = include_str!("data/constants.txt");
const FUNCTIONS: &str = include_str!("data/functions.txt");

fn lines(data: &'static str) -> impl Iterator<Item = &'static str> {
    data.lines().filter(|line| !line.starts_with('#'))
}

/// Every prototype of a header: what the function returns and takes, without names and spaces.
/// An array is a pointer, as it is to the compiler.
fn prototypes(header: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for line in header.lines().filter(|line| !line.starts_with(['#', ' ']) && line.contains(");")) {
        let Some((start, rest)) = line.split_once('(') else { continue };
        let Some((returned, name)) = start.rsplit_once([' ', '*']) else { continue };
        if line.starts_with("typedef") || !name.trim_start_matches('P').starts_with("MPI_") {
            continue;
        }
        let params = rest.split(");").next().expect("a split has a first part");
        let types: Vec<String> = params.split(',').map(type_of).collect();
        found.insert(name.to_string(), format!("{} ({})", returned.trim(), types.join(",")));
    }
    found
}

fn type_of(param: &str) -> String {
    let (named, brackets) = param.split_at(param.find('[').unwrap_or(param.len()));
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let named = named.trim();
    let kind = if named == "void" { named } else { named.trim_end_matches(is_name) };
    let kind: String = format!("{kind}{brackets}").split_whitespace().collect();
    kind.replace("[]", "*")
}

#[test]
fn the_header_declares_every_function_of_the_standard_and_its_twin() {
    let declared: BTreeSet<String> = prototypes(HEADER).into_keys().collect();
    let wanted = lines(FUNCTIONS).flat_map(|name| [name.to_string(), format!("P{name}")]);
    assert_eq!(declared, wanted.collect());
    assert_eq!(declared.len(), 2 * 664);
}

#[test]
fn the_library_exports_every_function_and_its_twin() {
    let library = support::library_directory().join("libftmpi_rs.so");
    let listed = Command::new("nm").args(["-D", "--defined-only"]).arg(&library).output();
    let listed = String::from_utf8(listed.expect("nm comes with the compiler").stdout);
    let listed = listed.expect("symbols are ASCII");
    let exported: BTreeSet<&str> =
        listed.lines().filter_map(|line| line.split_whitespace().nth(2)).collect();
    let missing: Vec<String> =
        prototypes(HEADER).into_keys().filter(|name| !exported.contains(name.as_str())).collect();
    assert!(missing.is_empty(), "not exported: {}", missing.join(" "));
}

#[test]
fn every_constant_has_the_standards_value() {
    let checks: String = lines(CONSTANTS)
        .map(|line| line.split_once(' ').expect("name and value"))
        .map(|(name, value)| format!("    CHECK({name}, {value});\n"))
        .collect();
    let text = format!(
        "#include <mpi.h>\n#include <stddef.h>\n#include <stdio.h>\n\
         #define CHECK(name, value) if ((intptr_t)(name) != (value)) printf(\"%s\\n\", #name)\n\
         int main(void)\n{{\n{checks}\
         CHECK(sizeof(MPI_Status), 32);\n\
         CHECK(offsetof(MPI_Status, MPI_SOURCE), 0);\n\
         CHECK(offsetof(MPI_Status, MPI_TAG), 4);\n\
         CHECK(offsetof(MPI_Status, MPI_ERROR), 8);\n\
         CHECK(sizeof(MPI_Aint), sizeof(void *));\n\
         CHECK(sizeof(MPI_Offset), 8);\n\
         CHECK(sizeof(MPI_Count), 8);\n\
         CHECK(sizeof(MPI_Comm), sizeof(void *));\n\
         return 0;\n}}\n"
    );
    assert_eq!(lines(CONSTANTS).count(), 365);
    let program = support::c_text("constants", &text).build();
    assert_eq!(support::command(program.path()).succeeds().stdout, "");
}

#[test]
fn the_header_is_plain_c_and_cxx() {
    let strict = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror"];
    // Programs rely on other libraries' headers bringing `size_t` along.
    let text = "#include <mpi.h>\n#include <mpi.h>\nsize_t bytes;\n\
                int main(void) { return MPI_SUCCESS; }\n";
    support::c_text("plain", text).flags(&strict).build();
    let strict = ["-std=c++98", "-pedantic", "-Wno-long-long", "-Wall", "-Wextra", "-Werror"];
    let text = "#include <mpi.h>\nMPI_Comm world = MPI_COMM_WORLD;\n\
                int main(int argc, char **argv) { return MPI_Init(&argc, &argv); }\n";
    support::cxx_text("plain", text).flags(&strict).build();
}

/// `FTMPI_OTHER_HEADER` may name the ABI header of another MPI.
#[test]
fn the_header_agrees_with_another_mpis() {
    let Some(other) = std::env::var_os("FTMPI_OTHER_HEADER") else {
        println!("FTMPI_OTHER_HEADER is not set: nothing to compare with");
        return;
    };
    let other = std::fs::read_to_string(Path::new(&other)).expect("the header can be read");
    let (ours, theirs) = (prototypes(HEADER), prototypes(&other));
    let differ: Vec<String> = theirs
        .iter()
        .filter_map(|(name, theirs)| Some((name, ours.get(name)?, theirs)))
        .filter(|(_, ours, theirs)| ours != theirs)
        .map(|(name, ours, theirs)| format!("{name}: {ours} here, {theirs} there"))
        .collect();
    assert!(theirs.len() > 1000, "that is no header of the ABI: {} functions", theirs.len());
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}
