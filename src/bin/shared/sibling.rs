//! Becomes another program in this program's directory, under the name of the current call.

use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

/// Runs `sibling` with this program's name and arguments; returns only on failure.
pub(crate) fn run(sibling: &str) -> ExitCode {
    let mut words = std::env::args_os();
    let called = words.next().unwrap_or_else(|| sibling.into());
    let own = match std::env::current_exe() {
        Ok(own) => own,
        Err(error) => {
            eprintln!("{}: cannot tell where this program is: {error}", called.display());
            return ExitCode::FAILURE;
        }
    };
    let path = own.with_file_name(sibling);
    let error = Command::new(&path).arg0(&called).args(words).exec();
    eprintln!("{}: cannot run {}: {error}", called.display(), path.display());
    ExitCode::FAILURE
}
