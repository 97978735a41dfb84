//! What the programs of this project have in common: where its files are, and how to say no.

#[allow(dead_code, reason = "every program uses the part that it needs")]
pub(crate) mod modules;
#[allow(dead_code, reason = "every program uses the part that it needs")]
pub(crate) mod place;
#[allow(dead_code, reason = "every program uses the part that it needs")]
pub(crate) mod refusal;

use std::ffi::OsString;
use std::path::Path;

#[allow(dead_code, reason = "a program with one name knows it")]
/// The name by which this program was called: messages open with it.
pub(crate) fn called(argv0: Option<OsString>, otherwise: &str) -> String {
    let name = argv0.as_deref().and_then(|path| Path::new(path).file_name());
    name.map_or_else(|| otherwise.to_string(), |name| name.to_string_lossy().into_owned())
}
