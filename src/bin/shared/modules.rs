//! The Fortran modules, compiled for the user's compiler at its first use, and cached.
//!
//! A compiler's module files can be read by no other compiler, and often not by its next version.
//! So there is one directory for each compiler, version, choice of default kinds and text of the
//! modules; its name says which. It appears complete: compiled under another name → renamed.

use crate::shared::place;
use std::ffi::OsStr;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The sources beside `mpif.h` or [generated](place::generated), in the order in which they use
/// each other.
const SOURCES: [&str; 6] =
    ["mpi_f08_types.f90", "mpi.f90", "mpi_f08.f90", "ftck.f90", "mpi_ext.f90", "mpi_f08_ext.f90"];
/// Exists only when everything is complete.
const LAST: &str = "mpi_f08_ext.mod";
/// The directory that holds the directories of all compilers.
pub(crate) const DIRECTORY: &str = "ftmpi_rs-modules";

/// The modules for a compiler.
pub(crate) struct Modules<'a> {
    /// The words that call the compiler.
    compiler: &'a [String],
    /// Flags of the program that choose default kinds.
    kinds: Vec<String>,
    headers: &'a Path,
    key: String,
}

impl<'a> Modules<'a> {
    /// The modules for `compiler` when it gets `words`; none if the compiler does not report its
    /// version.
    pub(crate) fn of(
        compiler: &'a [String], words: impl Iterator<Item = &'a OsStr>, headers: &'a Path,
    ) -> Option<Modules<'a>> {
        let chooses = |word: &&str| {
            word.starts_with("-fdefault-real-") || word.starts_with("-fdefault-double-")
        };
        let mut kinds: Vec<String> =
            words.filter_map(OsStr::to_str).filter(chooses).map(str::to_string).collect();
        kinds.sort();
        kinds.dedup();
        let texts: Option<Vec<Vec<u8>>> =
            SOURCES.iter().map(|name| std::fs::read(source(headers, name)).ok()).collect();
        let mut command = Command::new(&compiler[0]);
        let said = command.args(&compiler[1..]).arg("--version").stdin(Stdio::null()).output();
        let said = said.ok().filter(|output| output.status.success())?.stdout;
        let version = String::from_utf8_lossy(&said);
        let version = version.lines().next().unwrap_or_default();
        let mut hasher = DefaultHasher::new();
        (version, &kinds, texts?).hash(&mut hasher);
        let parts = version.split(|c: char| !c.is_ascii_alphanumeric() && c != '.');
        let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
        let key = format!("{}-{:016x}", parts.join("-"), hasher.finish());
        Some(Modules { compiler, kinds, headers, key })
    }

    /// The directory to search for the modules: an existing one, or one made in the first of
    /// `places` that can be written to. The error is the reason why there is none.
    pub(crate) fn directory(&self, places: &[PathBuf]) -> Result<PathBuf, String> {
        let inside = |place: &PathBuf| place.join(&self.key);
        if let Some(found) = places.iter().map(inside).find(|path| path.join(LAST).is_file()) {
            return Ok(found);
        }
        let mut reasons = Vec::new();
        for target in places.iter().map(inside) {
            match self.make(&target) {
                Ok(()) => return Ok(target),
                Err(Trouble::Compiler(reason)) => return Err(reason),
                Err(Trouble::Place(reason)) => reasons.push(reason),
            }
        }
        Err(reasons.join("; "))
    }

    /// Compiles the modules into `target`, which other processes may be doing, too.
    fn make(&self, target: &Path) -> Result<(), Trouble> {
        let place = |error| Trouble::Place(format!("{}: {error}", target.display()));
        let partial = target.with_extension(format!("{}.new", std::process::id()));
        std::fs::create_dir_all(&partial).map_err(place)?;
        let compiled = SOURCES.iter().try_for_each(|name| self.compile(name, &partial));
        let done = compiled.and_then(|()| match std::fs::rename(&partial, target) {
            // Another process was faster.
            Err(_) if target.join(LAST).is_file() => Ok(()),
            renamed => renamed.map_err(place),
        });
        let _ = std::fs::remove_dir_all(&partial);
        done
    }

    /// Compilers write modules where they run, and look for them there.
    fn compile(&self, name: &str, directory: &Path) -> Result<(), Trouble> {
        let mut command = Command::new(&self.compiler[0]);
        command.args(&self.compiler[1..]).args(&self.kinds).args(["-fsyntax-only", "-w"]);
        command.arg(source(self.headers, name)).current_dir(directory).stdin(Stdio::null());
        let output = command.env("LC_ALL", "C").output();
        let output = output.map_err(|error| Trouble::Compiler(error.to_string()))?;
        let module = directory.join(name).with_extension("mod");
        if output.status.success() && module.is_file() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let reason = said.lines().find(|line| line.contains("rror")).unwrap_or("no message");
        Err(Trouble::Compiler(format!("{} cannot compile {name}: {reason}", self.compiler[0])))
    }
}

fn source(headers: &Path, name: &str) -> PathBuf {
    let generated = place::generated(headers).join(name);
    if generated.is_file() { generated } else { headers.join(name) }
}

/// Why there are no modules.
enum Trouble {
    Compiler(String),
    /// Another place may work.
    Place(String),
}

/// Where modules are kept: beside the library, or with the user's other caches.
pub(crate) fn places(library: &Path) -> Vec<PathBuf> {
    let directory = library.parent().unwrap_or(Path::new("/"));
    let set = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")));
    let cache = cache.map(|cache| cache.join("ftmpi_rs/modules"));
    [Some(directory.join(DIRECTORY)), cache].into_iter().flatten().collect()
}
