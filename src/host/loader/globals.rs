//! Finds the mutable global variables of a file: where all ranks share one image, there may be
//! none.
//!
//! Everything is assumed to be mutable outside of read-only segments, of what is read-only once it
//! is relocated, and of thread-local storage. The names come from the file's symbol table; of a
//! stripped file only the sizes are known.

use super::elf::PT_GNU_RELRO;
use super::object::Object;
use std::ops::Range;

/// A section of a file.
struct Section<'a> {
    name: &'a str,
    kind: u32,
    flags: u64,
    addresses: Range<u64>,
    offset: usize,
    link: usize,
}

const SECTION_BYTES: usize = 64;
const SYMBOL_BYTES: usize = 24;
const SYMBOL_TABLE: u32 = 2;
const WRITABLE: u64 = 1;
const LOADED: u64 = 2;
const THREAD_LOCAL: u64 = 0x400;

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
    let sections = sections(object);
    let is_changed = |section: &Section<'_>| {
        let is_constant = is_constant(object, &section.addresses);
        let is_writable = section.flags & (WRITABLE | LOADED) == WRITABLE | LOADED;
        let mut linkers = OF_LINKERS.iter().chain(OF_LINKERS_TOO);
        let is_linkers = linkers.any(|start| section.name.starts_with(start));
        is_writable && section.flags & THREAD_LOCAL == 0 && !is_constant && !is_linkers
    };
    let changed: Vec<bool> = sections.iter().map(is_changed).collect();
    match sections.iter().find(|section| section.kind == SYMBOL_TABLE) {
        Some(table) => found.extend(
            symbols(object, &sections, table)
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

struct Symbol<'a> {
    name: &'a str,
    section: usize,
    address: u64,
}

/// The variables in `table`, without those of start files.
fn symbols<'a>(
    object: &'a Object, sections: &[Section<'_>], table: &Section<'_>,
) -> impl Iterator<Item = Symbol<'a>> {
    const VARIABLE: u64 = 1;
    const COMMON: u64 = 5;
    let strings = sections.get(table.link).map_or(0, |section| section.offset);
    let (start, count) = (table.offset, length(&table.addresses) as usize / SYMBOL_BYTES);
    let all = (0..count).map(move |index| start + index * SYMBOL_BYTES);
    let variables = all.filter_map(move |at| {
        let kind = number(object, at + 4, 1)? & 15;
        let is_variable = matches!(kind, VARIABLE | COMMON) && number(object, at + 16, 8)? > 0;
        let section = number(object, at + 6, 2)? as usize;
        let name = string(object, strings + number(object, at, 4)? as usize);
        let address = number(object, at + 8, 8)?;
        is_variable.then_some(Symbol { name, section, address })
    });
    variables.filter(|symbol| {
        let mut known = OF_START_FILES.iter().chain([&OF_FORTRAN]);
        !known.any(|start| symbol.name.starts_with(start))
    })
}

fn sections(object: &Object) -> Vec<Section<'_>> {
    const TABLE_AT: usize = 40;
    const COUNT_AT: usize = 60;
    const NAMES_AT: usize = 62;
    let read = |at, bytes| number(object, at, bytes).unwrap_or(0) as usize;
    let (table, count) = (read(TABLE_AT, 8), read(COUNT_AT, 2));
    let names = table + read(NAMES_AT, 2) * SECTION_BYTES;
    let names = read(names + 24, 8);
    let section = |at: usize| {
        // Of what is not loaded, only the length counts.
        let (address, bytes) = (number(object, at + 16, 8)?, number(object, at + 32, 8)?);
        Some(Section {
            name: string(object, names + number(object, at, 4)? as usize),
            kind: number(object, at + 4, 4)? as u32,
            flags: number(object, at + 8, 8)?,
            addresses: address..address.checked_add(bytes)?,
            offset: number(object, at + 24, 8)? as usize,
            link: number(object, at + 40, 4)? as usize,
        })
    };
    (0..count).filter_map(|index| section(table + index * SECTION_BYTES)).collect()
}

/// The number in `bytes` bytes at `offset` of the file.
fn number(object: &Object, offset: usize, bytes: usize) -> Option<u64> {
    let content = object.source.content(offset, bytes);
    let digits = content.iter().rev();
    (!content.is_empty()).then(|| digits.fold(0, |high, &low| high << 8 | u64::from(low)))
}

/// The string at `offset` of the file; empty if there is none.
fn string(object: &Object, offset: usize) -> &str {
    const LONGEST: usize = 4096;
    let whole = object.source.content(offset, 1);
    let most = object.source.bytes().saturating_sub(offset).min(LONGEST);
    let text = if whole.is_empty() { whole } else { object.source.content(offset, most) };
    let end = text.iter().position(|byte| *byte == 0).unwrap_or(0);
    std::str::from_utf8(&text[..end]).unwrap_or("")
}
