//! `ftrun calibrate`: measures this host and writes a machine file, so that `--virtual` can tell
//! what a program would take here.

use crate::compiled::{Compiled, Source, complaint};
use crate::shared;
use crate::shared::refusal::Refusal;
use std::ffi::OsString;
use std::process::ExitCode;

/// The first word of a command line that asks for this.
pub(crate) const NAME: &str = "calibrate";

const PAGE: &str = "\
NAME
    @NAME@ calibrate - measure this host and print a machine file

SYNOPSIS
    @NAME@ calibrate [FILE]

DESCRIPTION
    Runs a program with one rank on each core that measures what sending,
    receiving and computing take here, for some seconds, and writes a machine
    file to FILE, or to standard output:

        @NAME@ calibrate host.toml
        @NAME@ -np 4 --machine host.toml --virtual --compute measured ./program

    The figures are those of ranks in one process with cores of their own, and
    of memory that all cores use at once. They are the best of many, so other
    programs that run meanwhile matter little; they still had better not run.
    What a failure takes ([recovery] in the file) is not measured.

EXIT STATUS
    0 if the file is there; 1 if the program was not compiled or failed.
";

const SOURCE: Source =
    Source { wrapper: "mpicc", file: "calibrate.c", text: include_str!("calibrate.c") };

pub(crate) fn main(called: &str, words: &[OsString]) -> ExitCode {
    let file = match words {
        [] => None,
        [word] if word == "--help" || word == "-h" => {
            return shared::print(called, &PAGE.replace("@NAME@", called));
        }
        [word] if !word.as_encoded_bytes().starts_with(b"-") => Some(word),
        _ => {
            let why = format!("{NAME} takes the name of a file to write, or nothing");
            return Refusal::usage(why).say(called);
        }
    };
    let text = match measure() {
        Ok(text) => text,
        Err(why) => return Refusal::new(1, format!("cannot measure: {why}")).say(called),
    };
    let Some(file) = file else { return shared::print(called, &text) };
    match std::fs::write(file, text) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => Refusal::new(1, format!("cannot write {}: {why}", file.display())).say(called),
    }
}

/// The text of a machine file.
fn measure() -> Result<String, String> {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    if cores < 2 {
        return Err("messages between ranks that share one core are not those of a machine".into());
    }
    let program = Compiled::new(&SOURCE, &["-O3"])?;
    let ranks = cores.to_string();
    let output = program.run(&["--timeout", "300", "-np", &ranks], &[&ranks])?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(complaint(&output)),
    }
}
