//! What the tests of all simulators do: run a program, look at what it says, build an application.

#![allow(dead_code, reason = "each test program uses some of it")]

pub(crate) mod run;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// One of the simulators.
pub(crate) struct Program {
    pub(crate) name: &'static str,
    pub(crate) path: &'static str,
}

impl Program {
    pub(crate) fn run(&self, words: &[impl AsRef<str>]) -> Output {
        let words = words.iter().map(AsRef::as_ref);
        Command::new(self.path).args(words).output().expect("it can be started")
    }

    /// What it writes; `|` within a word stands for a space.
    pub(crate) fn succeeds(&self, line: &str) -> String {
        let output = self.run(&split(line));
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{line}: {stderr}");
        String::from_utf8(output.stdout).expect("it writes UTF-8")
    }

    /// It says, under its name, what is wrong and what to do.
    pub(crate) fn refuses(&self, line: &str, said: &str) {
        let output = self.run(&split(line));
        let why = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line}: {why}");
        assert!(
            why.starts_with(&format!("{}: ", self.name)) && why.contains(said),
            "{line}: {why}"
        );
    }
}

fn split(line: &str) -> Vec<String> {
    line.split_whitespace().map(|word| word.replace('|', " ")).collect()
}

/// A number in a line of JSON.
pub(crate) fn number(json: &str, name: &str) -> f64 {
    let (_, rest) = json.split_once(&format!("\"{name}\":")).unwrap_or_else(|| panic!("{json}"));
    let end = rest.find([',', '}']).expect("JSON ends");
    rest[..end].parse().unwrap_or_else(|_| panic!("{name} in {json}"))
}

/// An empty directory with this name.
pub(crate) fn scratch(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).expect("there is room");
    directory
}

/// Builds an application from sources of this project.
pub(crate) fn built(directory: &Path, compiler: &str, sources: &[&str], name: &str) -> PathBuf {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let path = directory.join(name);
    let mut command = Command::new(compiler);
    command.args(["-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-I"]);
    command.arg(top.join("include")).arg("-o").arg(&path);
    command.args(sources.iter().map(|source| top.join(source)));
    let output = command.current_dir(directory).output().expect("the compiler is there");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    path
}
