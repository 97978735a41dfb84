//! Finds the mutable global variables of a file: where all ranks share one image, there may be
//! none.
//!
//! Everything is assumed to be mutable outside of read-only segments, of what is read-only once it
//! is relocated, and of thread-local storage. The names come from the file's symbol table; of a
//! stripped file only the sizes are known.

use super::elf::PT_GNU_RELRO;
use super::object::Object;
use ftmpi_elf::{Bytes, FileSymbol, Section, flag, kind, sections, symbols};
use std::ops::Range;

/// Sections that only ld.so or the loader writes to, where they are not made read-only.
const OF_LINKERS: &[&str] = &[".got", ".init_array", ".fini_array", ".preinit_array", ".dynamic"];
const OF_LINKERS_TOO: &[&str] = &[".data.rel.ro", ".ctors", ".dtors", ".jcr", ".tm_clone_table"];
/// Variables of every program's start files, or of its compiler; prefixes of their names.
const OF_START_FILES: &[&str] = &["__dso_handle", "completed.", "__TMC_END__", "DW.ref."];
/// The prefix of our variables: their addresses count, and they are never written.
const OF_FORTRAN: &str = "ftmpi_";
/// The bytes of unnamed variables that start files may have.
const START_FILES_BYTES: u64 = 64;
/// libc variables that return results to one rank.
const OF_LIBC: &[&str] = &["optarg", "optind", "opterr", "optopt", "signgam"];

/// Describes the mutable variables of `object`, which is linked already.
pub(super) fn of(object: &Object) -> Vec<String> {
    let copies: Vec<(&str, Range<u64>)> = copies(object).collect();
    let of_libc = object.program.names_of_libc().filter_map(|name| name.to_str().ok());
    let mut found: Vec<String> = of_libc
        .filter(|name| OF_LIBC.contains(name))
        .map(|name| format!("{name} of libc"))
        .collect();
    let file = Bytes(object.source.content(0, object.source.bytes()));
    let sections = sections(file);
    let is_changed = |section: &Section| {
        let is_constant = is_constant(object, &section.addresses);
        let is_writable =
            section.flags & (flag::WRITABLE | flag::LOADED) == flag::WRITABLE | flag::LOADED;
        let mut linkers = OF_LINKERS.iter().chain(OF_LINKERS_TOO);
        let is_linkers = linkers.any(|start| section.name.starts_with(start));
        is_writable && section.flags & flag::THREAD_LOCAL == 0 && !is_constant && !is_linkers
    };
    let changed: Vec<bool> = sections.iter().map(is_changed).collect();
    match symbols(file, &sections) {
        Some(symbols) => found.extend(
            symbols
                .filter(is_variable)
                .filter(|symbol| changed.get(symbol.section).is_some_and(|changed| *changed))
                .filter(|symbol| !copies.iter().any(|(_, at)| at.contains(&symbol.address)))
                .map(|symbol| symbol.name.split('@').next().unwrap_or("").to_string()),
        ),
        None => {
            let all = sections.iter().zip(&changed).filter(|(_, changed)| **changed);
            let bytes: u64 = all.map(|(section, _)| length(&section.addresses)).sum();
            let known = START_FILES_BYTES + copies.iter().map(|(_, at)| length(at)).sum::<u64>();
            if bytes > known {
                found.push(format!("{} bytes without names (it is stripped)", bytes - known));
            }
        }
    }
    found
}

fn length(range: &Range<u64>) -> u64 {
    range.end - range.start
}

/// libc's variables that the program has copies of, by the file's addresses.
fn copies(object: &Object) -> impl Iterator<Item = (&'static str, Range<u64>)> {
    let bias = object.bias;
    object.program.copies_of_libc().map(move |(name, at, bytes)| {
        let start = at.wrapping_sub(bias) as u64;
        (name.to_str().unwrap_or(""), start..start + bytes as u64)
    })
}

/// Whether these addresses are read-only once they are relocated.
fn is_constant(object: &Object, addresses: &Range<u64>) -> bool {
    let mut parts = object.headers.iter().filter(|header| header.p_type == PT_GNU_RELRO);
    parts.any(|part| {
        let end = part.p_vaddr + part.p_memsz;
        (part.p_vaddr..end).contains(&addresses.start) && addresses.end <= end
    })
}

/// Whether it is a variable, and not one of start files.
fn is_variable(symbol: &FileSymbol) -> bool {
    let mut known = OF_START_FILES.iter().chain([&OF_FORTRAN]);
    matches!(symbol.kind, kind::OBJECT | kind::COMMON)
        && symbol.bytes > 0
        && !known.any(|start| symbol.name.starts_with(start))
}
