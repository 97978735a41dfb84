//! What all programs of the simulators have in common: a page of help, a result, an exit status.

use crate::output;
use std::process::ExitCode;

/// A whole program called `name`: shows its page of help, or prints what `run` makes of the command
/// line, or reports what is wrong with that. The exit status is 2 if the words are wrong, and 1 if
/// the result cannot be written.
pub fn program(
    name: &str, page: &str, run: impl FnOnce(Vec<String>) -> Result<String, String>,
) -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.is_empty() || arguments.iter().any(|word| word == "--help" || word == "-h") {
        return written(name, page);
    }
    match run(arguments) {
        Ok(text) => written(name, &text),
        Err(why) => {
            output::remark(name, &why);
            ExitCode::from(2)
        }
    }
}

fn written(name: &str, text: &str) -> ExitCode {
    match output::print(text) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            output::remark(name, &why);
            ExitCode::FAILURE
        }
    }
}
