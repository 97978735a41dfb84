//! Programs of others that some uses need.

use super::finding::{Finding, State, first_line};

/// What is looked for, the words that tell its version, and what is lacking without it.
const TOOLS: [(&str, &[&str], &str); 4] = [
    ("gdb", &["gdb", "--version"], "not found: install it to look into ranks (docs/TOOLS.md)"),
    ("clang", &["clang", "--version"], "not found: only needed by those who compile with it"),
    ("python3", &["python3", "--version"], "not found: install it to run programs in Python"),
    (
        "mpi4py",
        &["python3", "-c", "import importlib.metadata as m; print(m.version('mpi4py'))"],
        "not found: programs in Python need it, `pip install mpi4py` (docs/PYTHON.md)",
    ),
];

pub(super) fn findings() -> Vec<Finding> {
    TOOLS.iter().map(|(tool, words, without)| finding(tool, words, without)).collect()
}

fn finding(tool: &'static str, words: &[&str], without: &str) -> Finding {
    match first_line(words[0], &words[1..]) {
        Some(version) => Finding::new(State::Good, tool, version),
        None => Finding::new(State::Lacking, tool, without),
    }
}
