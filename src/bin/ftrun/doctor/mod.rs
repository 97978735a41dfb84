//! `ftrun doctor`: looks at the machine and says, in a line for each thing, what works here and how
//! to mend the rest.

mod finding;
mod machine;
mod tools;
mod trial;

use crate::shared;
use crate::shared::refusal::Refusal;
use finding::{Finding, State};
use std::ffi::OsString;
use std::process::ExitCode;

/// The first word of a command line that asks for this.
pub(crate) const NAME: &str = "doctor";

const PAGE: &str = "\
NAME
    @NAME@ doctor - say what works on this machine, and how to mend the rest

SYNOPSIS
    @NAME@ doctor

DESCRIPTION
    Looks at the machine and prints a line for each thing: `ok` if it is there,
    `--` if something that not every job needs is missing, `NO` if jobs do not
    run. Programs in C (with the usual compiler and with clang) and Fortran are
    compiled and run with four ranks, of which one is killed; the others must go
    on. Programs in Python, with and without mpi4py, are run with four ranks.

EXIT STATUS
    0 if a C program was compiled, ran and survived; 1 if not.
";

/// Looks at everything and prints what it saw.
pub(crate) fn main(called: &str, words: &[OsString]) -> ExitCode {
    match words {
        [] => {}
        [word] if word == "--help" || word == "-h" => {
            return shared::print(called, &PAGE.replace("@NAME@", called));
        }
        [word, ..] => {
            let sentence = format!("{NAME} takes no argument, not `{}`", word.display());
            return Refusal::usage(sentence).say(called);
        }
    }
    let parts = [machine::findings(), tools::findings(), trial::findings()];
    let findings: Vec<Finding> = parts.into_iter().flatten().collect();
    let text: String = findings.iter().map(Finding::line).collect();
    let printed = shared::print(called, &text);
    if findings.iter().any(|finding| finding.state == State::Bad) {
        return ExitCode::FAILURE;
    }
    printed
}
