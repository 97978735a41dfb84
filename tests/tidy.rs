//! House rules that a machine can check. Each complaint names the file, the line and the rule.
//!
//! A new room needs a line in [`FLOORS`]; a new place for `unsafe` a line in [`UNSAFE_ROOMS`] and a
//! review. What a rule says and why is in the house style and in `docs/ARCHITECTURE.md`.

#[path = "tidy/circles.rs"]
mod circles;
#[path = "tidy/paths.rs"]
mod paths;
#[path = "tidy/source.rs"]
mod source;

use source::Source;
use std::path::{Path, PathBuf};

/// Rooms from the ground up. A room uses rooms of lower floors; rooms of one floor do not know each
/// other.
const FLOORS: &[&[&str]] = &[
    &["base", "cli", "elf"],
    &["machine"],
    &["launch"],
    &["host"],
    &["fault", "transport"],
    &["wireup"],
    &["engine"],
    &["mpi"],
    &["checkpoint"],
    &["job"],
    &["abi"],
];
/// Rooms beside the house, the only rooms that they may use, and those of the house that may use
/// them.
const BESIDE: &[(&str, &[&str], &[&str])] = &[
    ("view", &["base"], &["job"]),
    ("watch", &["base", "fault", "view"], &["job"]),
    ("sim", &["base", "cli", "machine", "view"], &[]),
    ("ftck", &[], &[]),
    ("explore", &["base", "machine"], &[]),
];
/// Rooms that are crates, `ftmpi_` before their names: what they call `crate` is themselves.
const CRATES: &[&str] = &[
    "base", "cli", "elf", "machine", "launch", "explore", "fault", "wireup", "view", "watch",
    "sim", "ftck",
];
/// Where `unsafe` may be said: rooms, or files and directories in them.
const UNSAFE_ROOMS: &[&str] = &[
    "host",
    "abi",
    "base/sync",
    "transport",
    "mpi/op/kernels",
    "bin/ftpython",
    "sim/foreign",
    "ftck",
];
const LINES_PER_FILE: usize = 600;
const LINES_PER_FUNCTION: usize = 70;
const COLUMNS: usize = 100;
const BANNED_WORDS: &[&str] = &["FIXME", "TODO", "dbg!(", "todo!(", "unimplemented!("];
const BANNED_FILES: &[&str] = &["util", "utils", "helper", "helpers", "manager", "misc", "common"];

/// What is wrong, and in which line.
type Complaint = (usize, String);

#[test]
fn the_house_is_tidy() {
    let mut complaints = Vec::new();
    for directory in ["src", "tests", "benches"] {
        for path in files(Path::new(directory), &["rs"]) {
            let source = read(&path);
            let found = check(&path, &source);
            complaints.extend(found.into_iter().map(|complaint| shown(&path, complaint)));
        }
    }
    for directory in ["c_examples", "fortran_examples", "docs/site", "tests"] {
        for path in files(Path::new(directory), &["c", "h", "cpp", "f", "F", "f90", "F90"]) {
            let found = wide_lines(&read(&path));
            complaints.extend(found.into_iter().map(|complaint| shown(&path, complaint)));
        }
    }
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

fn shown(path: &Path, (line, rule): Complaint) -> String {
    format!("{}:{line}: {rule}", path.display())
}

/// All rules for one Rust file.
fn check(path: &Path, source: &Source) -> Vec<Complaint> {
    let mut found = wide_lines(source);
    found.extend(shape(path, source));
    if let Ok(inside) = path.strip_prefix("src") {
        found.extend(words(source));
        found.extend(safety(inside, source));
        found.extend(promises(path, source));
        found.extend(dependencies(inside, source));
    }
    found.sort();
    found
}

fn wide_lines(source: &Source) -> Vec<Complaint> {
    let wide = source.lines().filter(|(_, line)| line.chars().count() > COLUMNS);
    wide.map(|(number, _)| (number, format!("wider than {COLUMNS} columns"))).collect()
}

/// Lengths, the opening comment and the name of the file.
fn shape(path: &Path, source: &Source) -> Vec<Complaint> {
    let mut found = Vec::new();
    let count = source.lines().count();
    if count > LINES_PER_FILE {
        found.push((count, format!("more than {LINES_PER_FILE} lines: split the room")));
    }
    if !source.text.starts_with("//!") {
        found.push((1, "a file opens with `//!`: what the room is for".into()));
    }
    for (line, length) in source.functions() {
        if length > LINES_PER_FUNCTION {
            let rule = format!("a function of {length} lines: at most {LINES_PER_FUNCTION}");
            found.push((line, rule));
        }
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    if BANNED_FILES.contains(&stem.as_ref()) {
        found.push((1, format!("`{stem}` names nothing: use what the room is for")));
    }
    found
}

fn words(source: &Source) -> Vec<Complaint> {
    let mut found = Vec::new();
    for (number, line) in source.lines() {
        for banned in BANNED_WORDS.iter().filter(|banned| line.contains(*banned)) {
            found.push((number, format!("`{banned}` stays out of main")));
        }
    }
    for (number, line) in source.code_lines() {
        // A function that replaces one of libc's has libc's name.
        let ours = !line.contains("extern");
        for banned in ["fn get_", "fn do_"].iter().filter(|banned| ours && line.contains(*banned)) {
            found.push((number, format!("`{banned}…`: a verb of its own says more")));
        }
    }
    found
}

/// `unsafe` only where it may be, and with a reason.
fn safety(inside: &Path, source: &Source) -> Vec<Complaint> {
    let is_allowed = UNSAFE_ROOMS
        .iter()
        .any(|room| inside.starts_with(room) || inside.with_extension("") == Path::new(room));
    let mut found = Vec::new();
    for (number, line) in source.code_lines().filter(|(_, line)| has_word(line, "unsafe")) {
        if !is_allowed {
            found.push((number, "`unsafe` in a safe room".into()));
        }
        let wants_reason = line.contains("unsafe {") || line.contains("unsafe impl");
        if wants_reason && !source.comment_above(number).is_some_and(has_reason) {
            found.push((number, "unsafe block without `// SAFETY: reason` above it".into()));
        }
    }
    found
}

fn has_reason(comment: &str) -> bool {
    comment.split_once("SAFETY:").is_some_and(|(_, reason)| reason.split_whitespace().count() >= 2)
}

/// `unwrap` stays in tests; an `expect` says why it holds.
fn promises(path: &Path, source: &Source) -> Vec<Complaint> {
    if path.file_stem().is_some_and(|stem| stem == "tests") {
        return Vec::new();
    }
    let tests = source.test_lines();
    let mut found = Vec::new();
    for (number, line) in source.code_lines().filter(|(number, _)| !tests.contains(number)) {
        if line.contains(".unwrap()") {
            found.push((number, "`unwrap()` outside tests: `expect(\"why it holds\")`".into()));
        }
    }
    for (number, reason) in source.expectations() {
        if !tests.contains(&number) && reason.split_whitespace().count() < 2 {
            found.push((number, "an `expect` says why it holds".into()));
        }
    }
    found
}

fn dependencies(inside: &Path, source: &Source) -> Vec<Complaint> {
    let room = room_of(inside);
    if ["lib", "bin"].contains(&room.as_str()) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let beside = BESIDE.iter().find(|(name, ..)| *name == room);
    if floor(&room).is_none() && beside.is_none() {
        found.push((1, format!("`{room}` has no floor: list it in tests/tidy.rs")));
        return found;
    }
    let is_crate = CRATES.contains(&room.as_str());
    let inside = if is_crate { Vec::new() } else { source.rooms_inside() };
    for (number, used) in inside.into_iter().chain(source.crates_used()) {
        let other = BESIDE.iter().find(|(name, ..)| *name == used);
        let may = match (beside, other) {
            _ if used == room => true,
            (Some((_, allowed, _)), _) => allowed.contains(&used.as_str()),
            (None, Some((.., users))) => users.contains(&room.as_str()),
            (None, None) => floor(&used) < floor(&room),
        };
        // What is no room is a macro or an item at the root.
        let is_room = floor(&used).is_some() || other.is_some();
        if is_room && !may {
            found.push((number, format!("`{room}` may not use `{used}`: dependencies point down")));
        }
    }
    found
}

fn floor(room: &str) -> Option<usize> {
    FLOORS.iter().position(|rooms| rooms.contains(&room))
}

fn room_of(inside: &Path) -> String {
    let first = inside.iter().next().unwrap_or_default().to_string_lossy();
    first.trim_end_matches(".rs").to_string()
}

fn has_word(line: &str, word: &str) -> bool {
    line.split(|c: char| !c.is_alphanumeric() && c != '_').any(|known| known == word)
}

fn read(path: &Path) -> Source {
    Source::new(std::fs::read_to_string(path).expect("a source file can be read"))
}

fn files(directory: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = std::fs::read_dir(directory) else { return found };
    for path in entries.map(|entry| entry.expect("a directory can be read").path()) {
        let ending = path.extension().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            found.extend(files(&path, endings));
        } else if endings.contains(&ending.as_str()) {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[test]
fn no_files_import_each_other() {
    let mut roots = files(Path::new("src"), &["rs"]);
    roots.retain(|path| is_root(path));
    let complaints = circles::complaints(&roots, &read_if_there);
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

/// Whether a crate or a program starts here.
fn is_root(path: &Path) -> bool {
    let stands_alone = |room: &&str| path.parent() == Some(Path::new(room));
    path.ends_with("lib.rs")
        || path.ends_with("main.rs")
        || ["src/bin", "src/ftck/examples"].iter().any(stands_alone)
}

fn read_if_there(path: &Path) -> Option<Source> {
    path.is_file().then(|| read(path))
}

/// What `check` says about a file of this text at this path.
fn complaints(path: &str, text: &str) -> Vec<String> {
    let found = check(Path::new(path), &Source::new(text.to_string()));
    found.into_iter().map(|(line, rule)| format!("{line}: {rule}")).collect()
}

#[test]
fn every_rule_complains() {
    let long_function = format!("//! A.\nfn f() {{\n{}}}\n", "    g();\n".repeat(69));
    let long_file = format!("//! A.\n{}", "// b\n".repeat(600));
    let wide = format!("//! A.\n// {}\n", "x".repeat(98));
    let cases: &[(&str, &str, &str)] = &[
        ("src/base/a.rs", "fn f() {}\n", "1: a file opens with"),
        ("src/base/a.rs", &long_function, "2: a function of 71 lines"),
        ("src/base/a.rs", &long_file, "601: more than 600 lines"),
        ("tests/a.rs", &wide, "2: wider than 100 columns"),
        ("src/base/util.rs", "//! A.\n", "1: `util` names nothing"),
        ("src/base/a.rs", "//! A.\n// TODO: b\n", "2: `TODO` stays out"),
        ("src/base/a.rs", "//! A.\nfn get_a() {}\n", "2: `fn get_"),
        ("src/base/a.rs", "//! A.\nfn f() { unsafe { g() } }\n", "2: `unsafe` in a safe room"),
        ("src/mpi/pt2pt.rs", "//! A.\nunsafe fn f() {}\n", "2: `unsafe` in a safe room"),
        ("src/host/a.rs", "//! A.\nfn f() { unsafe { g() } }\n", "2: unsafe block without"),
        (
            "src/host/a.rs",
            "//! A.\n// SAFETY:\nunsafe impl A for B {}\n",
            "3: unsafe block without",
        ),
        ("src/base/a.rs", "//! A.\nfn f() { a.unwrap(); }\n", "2: `unwrap()` outside tests"),
        ("src/base/a.rs", "//! A.\nfn f() { a.expect(\"\"); }\n", "2: an `expect` says why"),
        ("src/base/a.rs", "//! A.\nuse ftmpi_machine::b;\n", "2: `base` may not use `machine`"),
        ("src/machine/a.rs", "//! A.\nfn f() { ftmpi_launch::g() }\n", "2: `machine` may not use"),
        ("src/host/a.rs", "//! A.\nuse ftmpi_view::b;\n", "2: `host` may not use `view`"),
        ("src/fault/a.rs", "//! A.\nuse ftmpi_wireup::b;\n", "2: `fault` may not use"),
        ("src/host/a.rs", "//! A.\nuse crate::transport::b;\n", "2: `host` may not use"),
        ("src/sim/a.rs", "//! A.\nuse ftmpi_launch::a;\n", "2: `sim` may not use `launch`"),
        ("src/mpi/a.rs", "//! A.\nuse crate::{base::a, abi::b};\n", "2: `mpi` may not use `abi`"),
        ("src/mpi/a.rs", "//! A.\nuse crate::view::b;\n", "2: `mpi` may not use `view`"),
        ("src/attic/a.rs", "//! A.\n", "1: `attic` has no floor"),
    ];
    for (path, text, expected) in cases {
        let said = complaints(path, text);
        assert!(said.iter().any(|line| line.starts_with(expected)), "{path}: {text}\n{said:?}");
    }
}

#[test]
fn a_tidy_file_hears_no_complaint() {
    let text = "//! A.\n\nuse crate::{base::a, host::b};\n\n// not code: unsafe { } .unwrap()\n\
                fn f<'a>(s: &'a str) -> char {\n    let t = \"unsafe { TO DO }\";\n    '{'\n}\n\n\
                fn g() {\n    a.expect(\n        \"it was checked above\",\n    );\n    \
                // SAFETY: the caller vouches for it.\n    unsafe { h() }\n}\n\n\
                #[cfg(test)]\nmod tests {\n    fn t() {\n        a.unwrap();\n    }\n}\n";
    assert_eq!(complaints("src/abi/a.rs", text), Vec::<String>::new());
    let of_its_own = "//! A.\nuse crate::host::b;\nuse ftmpi_base::c;\n";
    assert_eq!(complaints("src/sim/a.rs", of_its_own), Vec::<String>::new());
    for allowed in ["src/base/sync.rs", "src/base/sync/ring.rs", "src/mpi/op/kernels.rs"] {
        let text = "//! A.\n// SAFETY: the caller vouches for it.\nunsafe impl A for B {}\n";
        assert_eq!(complaints(allowed, text), Vec::<String>::new(), "{allowed}");
    }
}

#[test]
fn every_circle_complains() {
    let complaints = |texts: &[(&str, &str)]| {
        let read = |path: &Path| {
            let found = texts.iter().find(|(name, _)| Path::new(name) == path);
            found.map(|(_, text)| Source::new(text.to_string()))
        };
        circles::complaints(&[PathBuf::from("src/lib.rs")], &read)
    };
    let root = ("src/lib.rs", "mod a;\nmod b;\n");
    let cases: &[(&str, &str)] = &[
        ("use crate::b::B;\npub struct A;\n", "use super::a::A;\npub struct B;\n"),
        ("use crate::b;\nfn f() { b::g() }\n", "fn g() { crate::a::f() }\n"),
        ("use crate::{b::{self, B}};\n", "pub use crate::a as other;\nfn g() { other::f() }\n"),
        ("use super::b::*;\nfn f() {}\n", "mod inner {\n    use super::super::a::f;\n}\n"),
    ];
    for (a, b) in cases {
        let texts = [root, ("src/a.rs", *a), ("src/b.rs", *b)];
        let said = complaints(&texts);
        assert!(said.len() == 1 && said[0].contains("src/b.rs:"), "{a}{b}{said:?}");
    }
    let parent = [
        ("src/lib.rs", "mod a;\n"),
        ("src/a/mod.rs", "mod b;\nfn f() { b::g() }\n"),
        ("src/a/b.rs", "use super::f;\nfn g() {}\n"),
    ];
    assert_eq!(complaints(&parent).len(), 1, "a child that uses its parent's own items");
}

#[test]
fn imports_without_a_circle_hear_no_complaint() {
    let texts = [
        ("src/lib.rs", "mod a;\n"),
        ("src/a/mod.rs", "mod b;\nmod c;\npub use b::B;\npub use c::C;\n"),
        ("src/a/b.rs", "use super::C;\npub struct B;\n#[cfg(test)]\nmod tests { use super::C; }\n"),
        ("src/a/c.rs", "pub struct C;\n// super::b::B\n#[cfg(test)]\nuse super::B;\n"),
    ];
    let read = |path: &Path| {
        let found = texts.iter().find(|(name, _)| Path::new(name) == path);
        found.map(|(_, text)| Source::new(text.to_string()))
    };
    let said = circles::complaints(&[PathBuf::from("src/lib.rs")], &read);
    assert_eq!(said, Vec::<String>::new());
}
