//! Shared code of this project's programs: finding its files, and refusing with a clear message.

#[allow(dead_code, reason = "every program uses the part that it needs")]
pub(crate) mod modules;
#[allow(dead_code, reason = "every program uses the part that it needs")]
pub(crate) mod place;
#[allow(dead_code, reason = "every program uses the part that it needs")]
pub(crate) mod refusal;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

#[allow(dead_code, reason = "a program with one name knows it")]
/// The name by which this program was called: messages open with it.
pub(crate) fn called(argv0: Option<OsString>, otherwise: &str) -> String {
    let name = argv0.as_deref().and_then(|path| Path::new(path).file_name());
    name.map_or_else(|| otherwise.to_string(), |name| name.to_string_lossy().into_owned())
}

#[allow(dead_code, reason = "a program that becomes another one prints nothing")]
/// Prints `text`; a reader that has gone away (`ftrun --help | head`) is no error.
pub(crate) fn print(called: &str, text: &str) -> ExitCode {
    use std::io::Write;
    let mut stdout = std::io::stdout();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            let words = format!("cannot write to standard output: {error}");
            refusal::Refusal::new(refusal::BROKEN, words).say(called)
        }
        _ => ExitCode::SUCCESS,
    }
}
