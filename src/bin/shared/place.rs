//! Finds the library and headers that belong to this program, both after `cargo build` and after an
//! installation.

use crate::shared::refusal::Refusal;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// The library's file, which is also its soname.
pub(crate) const LIBRARY: &str = "libftmpi_rs.so";
/// The standard's names for the library: a program built with any MPI-5 ABI header asks for these.
pub(crate) const STANDARD_NAMES: [&str; 2] = ["libmpi_abi.so.1", "libmpi_abi.so.0"];

/// The program that installs.
const INSTALL: &str = "ftmpi-install";

/// The directory that holds the program that is running, links followed.
pub(crate) fn own_directory() -> Result<PathBuf, Refusal> {
    let own = std::env::current_exe()
        .map_err(|error| Refusal::broken(format!("cannot tell where this program is: {error}")))?;
    Ok(own.parent().unwrap_or(Path::new("/")).to_path_buf())
}

/// The library that belongs to this program: beside it as built, or in `lib` as installed.
pub(crate) fn library() -> Result<PathBuf, Refusal> {
    let here = own_directory()?;
    let beside = here.join(LIBRARY);
    if beside.exists() {
        return Ok(beside);
    }
    let installed = here.join("..").join("lib").join(LIBRARY);
    installed.canonicalize().map_err(|_| {
        let (beside, installed) = (shown(&beside), shown(&installed));
        let cure = cure(&here);
        Refusal::broken(format!(
            "cannot find {LIBRARY}: looked for {beside} and {installed}; {cure}"
        ))
    })
}

/// What brings a library that is missing beside the programs in `here`. `cargo install` copies
/// programs and nothing else, into `bin`; there, the rest is one command away.
fn cure(here: &Path) -> String {
    let install = here.join(INSTALL);
    match here.parent() {
        Some(prefix) if here.ends_with("bin") && install.is_file() => {
            format!("run `{} {}` once", shown(&install), shown(prefix))
        }
        _ => format!("build it with `cargo build --release`, or install again with `{INSTALL}`"),
    }
}

/// The source tree from which this program was built.
pub(crate) fn source() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The directory of `mpi.h` and `mpif.h`.
pub(crate) fn headers() -> Result<PathBuf, Refusal> {
    find("include", "../include", "mpi.h")
}

/// Where modules for Python are installed, seen from the prefix.
pub(crate) const PYTHON: &str = "lib/ftmpi/python";

/// The directory of the module `ftmpi` for Python.
pub(crate) fn modules_of_python() -> Result<PathBuf, Refusal> {
    find("python", &format!("../{PYTHON}"), "ftmpi.py")
}

/// A directory of the source tree, which an installation has elsewhere, by a file in it.
fn find(directory: &str, installed: &str, file: &str) -> Result<PathBuf, Refusal> {
    let here = own_directory()?;
    // Installed, built in the source tree (also for a named target), built elsewhere.
    let places = [
        here.join(installed),
        here.join("../..").join(directory),
        here.join("../../..").join(directory),
        source().join(directory),
    ];
    let found = places.iter().find(|place| place.join(file).is_file());
    let real = found.and_then(|place| place.canonicalize().ok());
    real.ok_or_else(|| {
        let looked = places.iter().map(|place| shown(place)).collect::<Vec<_>>().join(", ");
        let sentence =
            format!("cannot find {file}: looked in {looked}; install again with `ftmpi-install`");
        Refusal::broken(sentence)
    })
}

/// The directory of generated files, for headers in the source tree; installed ones are all
/// together.
pub(crate) fn generated(headers: &Path) -> PathBuf {
    headers.join("generated")
}

/// Makes the standard's names beside the library if they are missing. In a directory that cannot be
/// written to they exist already, or stay missing.
pub(crate) fn name_as_the_standard_does(library: &Path) {
    let Some(directory) = library.parent() else { return };
    for name in STANDARD_NAMES {
        let link = directory.join(name);
        if link.symlink_metadata().is_err() {
            let _ = symlink(LIBRARY, link);
        }
    }
}

/// A path for a message.
pub(crate) fn shown(path: &Path) -> String {
    path.display().to_string()
}
