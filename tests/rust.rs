//! Ranks that are written in Rust, and the checkpoints of `src/ftck`: compiled by rustc, as anybody
//! would who has no cargo at hand.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use support::Run;

/// The crate and a program that uses it, compiled.
fn program(source: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let source = root.join(source);
    let name = source.file_stem().expect("a source file has a name").to_owned();
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("rust").join(&name);
    std::fs::create_dir_all(&place).expect("the target directory can be written to");
    let (library, made) = (place.join("libftck.rlib"), place.join(name));
    let rustc = |input: &Path, output: &Path, more: &[&str]| {
        let mut command = Command::new(std::env::var("RUSTC").unwrap_or("rustc".to_string()));
        command.args(["--edition", "2024", "-O", "-Dwarnings", "-o"]).arg(output).args(more);
        let done = command.arg(input).output().expect("rustc is there");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    };
    rustc(&root.join("src/ftck/lib.rs"), &library, &["--crate-type=rlib", "--crate-name=ftck"]);
    let known = format!("ftck={}", library.display());
    let search = support::library_directory().display().to_string();
    rustc(&source, &made, &["--extern", &known, "-L", &search]);
    made
}

/// The example among eight, some of whom die.
fn restart(deaths: &[&str]) -> Run {
    static MADE: OnceLock<PathBuf> = OnceLock::new();
    let made = MADE.get_or_init(|| program("src/ftck/examples/restart.rs"));
    support::launch(made).ranks(8).deadline(60).option("--mode=rebuild").args(deaths)
}

#[test]
fn ranks_in_rust_come_back_with_their_data_whoever_dies() {
    let expected = restart(&[]).succeeds().stdout;
    assert!(expected.starts_with("8 ranks, 400 steps: 1.7168"), "{expected}");
    let deaths: [&[&str]; 4] =
        [&["0@0"], &["3@250", "5@250"], &["7@399", "1@100", "2@101"], &["3@0", "4@200", "5@399"]];
    for deaths in deaths {
        let seen = restart(deaths).succeeds();
        assert_eq!(seen.stdout, expected, "{deaths:?}\n{seen}");
        assert_eq!(seen.stderr.matches("was killed").count(), deaths.len(), "{deaths:?}\n{seen}");
    }
}

#[test]
fn ranks_in_rust_are_told_when_too_many_die() {
    let seen = restart(&["1@250", "3@250", "5@250"]).fails_with(1);
    assert!(seen.stderr.contains("restart: FTCK_ERR_LOST"), "{seen}");
    assert!(seen.stderr.contains("scheme rs:2"), "{seen}");
}

#[test]
fn every_function_is_there_for_ranks_in_rust() {
    let made = program("tests/programs/checkpoint.rs");
    for (mode, ranks) in [("rebuild", 5), ("shrink", 4)] {
        let directory = made.with_file_name(format!("files-{mode}"));
        let _none = std::fs::remove_dir_all(&directory);
        let run = support::launch(&made).ranks(5).deadline(30).option(format!("--mode={mode}"));
        let seen = run.args([&directory]).succeeds();
        assert_eq!(seen.lines_with("is right"), ranks, "{seen}");
        let orphans = seen.lines_with("the data of rank 4 are here");
        assert_eq!(orphans, usize::from(mode == "shrink"), "{seen}");
        let files = std::fs::read_dir(&directory).expect("it was written to").count();
        assert!(files >= 5, "{files} files of the second checkpoint\n{seen}");
    }
}

#[test]
fn the_numbers_of_the_crate_are_those_of_the_headers() {
    let read = |file: &str| std::fs::read_to_string(file).expect("it can be read");
    let headers = read("include/mpi.h") + &read("include/ftck.h");
    let value = |name: &str| {
        let words = headers.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        let mut lines = words.filter(|words| words.len() > 2 && words[..2] == ["#define", name]);
        let found = lines.next().unwrap_or_else(|| panic!("{name} is in no header"));
        let digits = found[2].rsplit(')').find(|text| !text.is_empty()).expect("a value");
        digits.trim_start_matches('(').to_string()
    };
    let own = read("src/ftck/calls.rs") + &read("src/ftck/parts.rs") + &read("src/ftck/lib.rs");
    for (line, name) in [
        ("const MPI_BYTE: usize = {};", "MPI_BYTE"),
        ("const MPI_DOUBLE: usize = {};", "MPI_DOUBLE"),
        ("const BAD_ARGUMENT: c_int = {};", "MPI_ERR_ARG"),
        ("const MOST_WORDS: usize = {};", "MPI_MAX_ERROR_STRING"),
        ("const LOST: c_int = {};", "FTCK_ERR_LOST"),
        ("const NONE: c_int = {};", "FTCK_NONE"),
        ("without_provenance_mut({}));", "MPI_COMM_WORLD"),
        ("without_provenance_mut({});", "MPI_REQUEST_NULL"),
    ] {
        let line = line.replace("{}", &value(name));
        assert!(own.contains(&line), "{name}: {line}");
    }
}
