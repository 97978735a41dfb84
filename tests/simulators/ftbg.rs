//! The Blue Gene emulator, as its users call it.

use std::process::{Command, Output};

fn run(line: &str) -> Output {
    let words = line.split_whitespace();
    Command::new(env!("CARGO_BIN_EXE_ftbg")).args(words).output().expect("it can be started")
}

fn succeeds(line: &str) -> String {
    let output = run(line);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{line}: {stderr}");
    String::from_utf8(output.stdout).expect("it writes UTF-8")
}

#[test]
fn times_are_those_of_the_paper() {
    for (line, time) in [
        ("line", "110080"),
        ("line --cost physical", "102505"),
        ("octtree", "7920"),
        ("reduce", "110080"),
        ("reduce --handler 860", "95800"),
    ] {
        let json = succeeds(&format!("{line} --json"));
        let expected = format!("\"time_ns\":{time},\"packets\":41615,");
        assert!(json.contains(&expected), "{line}: {json}");
    }
}

#[test]
fn one_and_two_threads_write_the_same_bytes() {
    for line in ["line --dims 9,9,9", "jacobi --dims 5,4,3 --cost physical", "ring --dims 7,3,2"] {
        let one = succeeds(&format!("{line} --json"));
        assert_eq!(one, succeeds(&format!("{line} --json --threads 2")));
    }
    let jacobi = succeeds("jacobi --dims 4,4,4 --json");
    assert!(jacobi.contains("\"cells_that_differ_from_a_serial_run\":0"), "{jacobi}");
}

#[test]
fn what_cannot_be_is_refused_with_the_cure() {
    for (line, said) in [
        ("lines", "say what: ftbg line, octtree, reduce, ring or jacobi"),
        ("line --dims 3,3", "say 34,34,36"),
        ("line --cost real", "say published or physical"),
        ("line --communication 500", "say 1 to 200"),
        ("line --handler 1e300", "--handler 1e300: say 0 to 1e9 nanoseconds"),
        ("line --dims 1000,1000,1000", "at most 10000000 nodes"),
        ("line --handler 0", "a handler takes some time"),
    ] {
        refused(line, said);
    }
}

#[test]
fn a_machine_has_its_own_dims_unless_others_are_said() {
    let own = succeeds("line --machine bluegene-l --json --quiet");
    assert!(own.contains("\"nodes\":65536"), "{own}");
    let said = succeeds("line --machine bluegene-l --dims 4,4,4 --json");
    assert!(said.contains("\"nodes\":64"), "{said}");
}

fn refused(line: &str, said: &str) {
    let output = run(line);
    let why = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{line}: {why}");
    assert!(why.starts_with("ftbg: ") && why.contains(said), "{line}: {why}");
}

#[test]
fn a_machine_file_that_cannot_run_is_refused_with_the_cure() {
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("cannot.toml");
    for (program, text, said) in [
        ("line", "[node]\noutbuf = 0\n[cost]\nbyte_ns = 1\n", "say 1 or more"),
        ("jacobi", "[node]\npacket = 64\n", "behind a header of 8: say"),
        ("octtree", "[node]\npacket = 16\n", "behind a header of 8: say 32 or more"),
        ("line", "[node]\nprocessors = 65536\nthreads = 65536\n", "fewer than 2^32"),
        ("line", "[cost]\nhop_ns = 1e300\n", "say 0 to 1e9 nanoseconds"),
    ] {
        let text = format!("[machine]\ntopology = \"mesh\"\ndims = [4, 4, 4]\n{text}");
        std::fs::write(&file, text).expect("there is room");
        refused(&format!("{program} --machine {}", file.display()), said);
    }
}
