//! Real executables, whole and damaged.

use crate::{
    Bytes, Dynamic, Kind, defined_versions, flag, kind, look, needed_versions, sections, symbols,
    tag,
};
use std::path::PathBuf;

/// A file of these bytes, of this test.
fn put(test: &str, bytes: &[u8]) -> PathBuf {
    let path = std::env::temp_dir().join(format!("ftmpi-elf-{test}-{}", std::process::id()));
    std::fs::write(&path, bytes).unwrap();
    path
}

fn this_program() -> (PathBuf, Vec<u8>) {
    let path = std::env::current_exe().unwrap();
    let bytes = std::fs::read(&path).unwrap();
    (path, bytes)
}

#[test]
fn a_program_names_its_interpreter_and_libraries() {
    let Ok(Kind::Elf(elf)) = look(&this_program().0) else { panic!("a test is an ELF program") };
    assert!(elf.position_independent && elf.marked_as_program, "{elf:?}");
    assert!(elf.interpreter.as_ref().is_some_and(|name| name.contains("ld-linux")), "{elf:?}");
    assert!(elf.needed.iter().any(|name| name == "libc.so.6"), "{elf:?}");
}

/// A variable that the symbol table lists.
#[used]
static COUNTED: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(7);

#[test]
fn a_program_lists_its_sections_and_symbols() {
    COUNTED.store(8, std::sync::atomic::Ordering::Relaxed);
    let (_, whole) = this_program();
    let sections = sections(Bytes(&whole));
    let data = sections.iter().position(|section| section.name == ".data").unwrap();
    let flags = flag::WRITABLE | flag::LOADED;
    assert_eq!(sections[data].flags & (flags | flag::THREAD_LOCAL), flags);
    let mut symbols = symbols(Bytes(&whole), &sections).expect("tests are not stripped");
    let counted = symbols.find(|symbol| symbol.name.contains("COUNTED")).unwrap();
    assert_eq!((counted.section, counted.kind, counted.bytes), (data, kind::OBJECT, 4));
    assert!(sections[data].addresses.contains(&counted.address));
}

#[test]
fn a_damaged_section_is_empty_and_the_others_keep_their_numbers() {
    let (_, whole) = this_program();
    let table = usize::try_from(Bytes(&whole).u64(40).unwrap()).unwrap();
    let mut damaged = whole.clone();
    damaged[table + 64 + 16..][..8].copy_from_slice(&[0xff; 8]);
    let [before, after] = [&whole, &damaged].map(|bytes| sections(Bytes(bytes)));
    assert_eq!((after[1].name.as_str(), after[1].addresses.clone()), ("", 0..0));
    let names = |sections: &[crate::Section]| -> Vec<String> {
        sections.iter().skip(2).map(|section| section.name.clone()).collect()
    };
    assert_eq!(names(&after), names(&before));
    let [before, after] = [(&whole, &before), (&damaged, &after)]
        .map(|(bytes, sections)| symbols(Bytes(bytes), sections).map(Iterator::count));
    assert_eq!(after, before);
}

#[test]
fn damaged_sections_are_never_a_panic() {
    let (_, whole) = this_program();
    let table = usize::try_from(Bytes(&whole).u64(40).unwrap()).unwrap();
    let end = whole.len().min(table + 40 * 64);
    for at in (40..64).chain(table..end).step_by(2) {
        let mut bytes = whole.clone();
        bytes[at..at + 2].copy_from_slice(&[0xff; 2]);
        let sections = sections(Bytes(&bytes));
        let _found = symbols(Bytes(&bytes), &sections).map(|symbols| symbols.take(10).count());
    }
    for length in [0, 10, 63, 64, table, table + 100] {
        let bytes = Bytes(&whole[..length.min(whole.len())]);
        let sections = sections(bytes);
        let _found = symbols(bytes, &sections).map(|symbols| symbols.take(10).count());
    }
}

#[test]
fn a_program_cut_short_is_broken_and_never_a_panic() {
    let (_, whole) = this_program();
    // Every cut through the headers, and some through the tables behind them.
    let far = (1..64).map(|part| whole.len() / 64 * part);
    let mut are_broken = 0;
    for length in (0..1500).chain(far) {
        let path = put("cut", &whole[..length]);
        let kind = look(&path).unwrap();
        match length {
            0..4 => assert!(matches!(kind, Kind::Other), "{length}: {kind:?}"),
            4..64 => assert!(matches!(kind, Kind::BrokenElf), "{length}: {kind:?}"),
            // What is read may lie before the cut.
            _ => assert!(matches!(kind, Kind::BrokenElf | Kind::Elf(_)), "{length}: {kind:?}"),
        }
        are_broken += usize::from(matches!(kind, Kind::BrokenElf));
    }
    std::fs::remove_file(put("cut", b"")).unwrap();
    assert!(are_broken >= 400, "{are_broken}");
}

#[test]
fn a_program_with_wrong_numbers_is_never_a_panic() {
    let (_, whole) = this_program();
    let start = whole.len().min(1 << 20);
    for at in (16..1024.min(start)).step_by(4) {
        for wrong in [[0xff; 8], [0x80; 8], [0; 8]] {
            let mut bytes = whole[..start].to_vec();
            bytes[at..at + 8].copy_from_slice(&wrong);
            let path = put("wrong", &bytes);
            let _: Kind = look(&path).unwrap();
        }
    }
    std::fs::remove_file(put("wrong", b"")).unwrap();
}

/// Little-endian words, one after the other.
fn words(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[test]
fn a_dynamic_section_ends_with_the_null_entry_or_with_its_bytes() {
    let section = words(&[tag::NEEDED, 7, tag::SONAME, 9, tag::NEEDED, 8, 0, 0, tag::RPATH, 3]);
    let whole = Dynamic(Bytes(&section));
    assert_eq!(whole.entries().collect::<Vec<_>>(), [(1, 7), (14, 9), (1, 8)]);
    assert_eq!((whole.value(tag::SONAME), whole.value(tag::RPATH)), (Some(9), None));
    let cut = Dynamic(Bytes(&section[..40]));
    assert_eq!(cut.entries().collect::<Vec<_>>(), [(1, 7), (14, 9)]);
}

#[test]
fn versions_are_read_as_far_as_their_table_is_whole() {
    let halves =
        |halves: &[u32]| -> Vec<u8> { halves.iter().flat_map(|half| half.to_le_bytes()).collect() };
    // One library, of which two versions are needed; the second insists.
    let needed = halves(&[1 | 2 << 16, 5, 16, 0, 77, 2 << 16, 30, 16, 78, 0x8003 << 16, 40, 0]);
    let found = needed_versions(Bytes(&needed), 1);
    let seen: Vec<_> = found.iter().map(|it| (it.index, it.hash, it.name, it.is_hidden)).collect();
    assert_eq!(seen, [(2, 77, 30, false), (3, 78, 40, true)]);
    // The object itself, and one version.
    let base = [1 | 1 << 16, 1 | 1 << 16, 9, 20, 28, 50, 0];
    let own = [1, 2 | 1 << 16, 88, 20, 0, 60, 0];
    let defined = halves(&[base, own].concat());
    let found = defined_versions(Bytes(&defined), 2);
    let seen: Vec<_> = found.iter().map(|it| (it.index, it.hash, it.name, it.is_hidden)).collect();
    assert_eq!(seen, [(2, 88, 60, false)]);
    // The last number only links the next version.
    for length in 0..needed.len() - 4 {
        assert!(needed_versions(Bytes(&needed[..length]), 1).len() < 2, "{length}");
    }
    for length in 0..defined.len() {
        assert!(defined_versions(Bytes(&defined[..length]), 2).len() <= 1, "{length}");
    }
}
