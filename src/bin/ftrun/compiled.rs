//! A small program that comes along as text: compiled with a wrapper, and run.

use crate::shared::place;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Where a program comes from.
pub(crate) struct Source {
    pub(crate) wrapper: &'static str,
    pub(crate) file: &'static str,
    pub(crate) text: &'static str,
}

/// A program in a directory of its own, which goes with it.
pub(crate) struct Compiled {
    scratch: Scratch,
    launcher: PathBuf,
    program: PathBuf,
}

impl Compiled {
    pub(crate) fn new(source: &Source, flags: &[&str]) -> Result<Compiled, String> {
        let bin = place::own_directory().map_err(|refusal| refusal.sentence)?;
        let scratch =
            Scratch::new().map_err(|error| format!("cannot make a directory: {error}"))?;
        let (text, program) = (scratch.0.join(source.file), scratch.0.join("program"));
        fs::write(&text, source.text)
            .map_err(|error| format!("cannot write a program: {error}"))?;
        let mut compile = Command::new(bin.join(source.wrapper));
        let output = said(compile.args(flags).arg(&text).arg("-o").arg(&program), &scratch.0)?;
        match output.status.success() {
            true => Ok(Compiled { scratch, launcher: bin.join("ftrun"), program }),
            false => Err(format!("{} fails: {}", source.wrapper, complaint(&output))),
        }
    }

    pub(crate) fn run(&self, options: &[&str], arguments: &[&str]) -> Result<Output, String> {
        let mut job = Command::new(&self.launcher);
        said(job.args(options).arg(&self.program).args(arguments), &self.scratch.0)
    }
}

fn said(command: &mut Command, directory: &Path) -> Result<Output, String> {
    let ran = command.current_dir(directory).stdin(Stdio::null()).output();
    ran.map_err(|error| format!("cannot run {}: {error}", command.get_program().display()))
}

/// The first line on standard error, or else the exit status.
pub(crate) fn complaint(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    text.lines().next().map_or_else(|| output.status.to_string(), |line| line.trim().to_string())
}

/// A directory that goes when it is no longer needed.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> io::Result<Scratch> {
        let name = |number| format!("ftrun-{}-{number}", std::process::id());
        let mut number = 0;
        loop {
            let path = std::env::temp_dir().join(name(number));
            match fs::create_dir(&path) {
                Ok(()) => return Ok(Scratch(path)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(error),
            }
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
