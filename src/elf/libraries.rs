//! Finds the libraries that a program needs, about as ld.so does, to see which MPI it uses.
//!
//! A library that is not found is left to ld.so, whose message is good. `ftrun` sees by this which
//! MPI a program uses; the loader finds what a further program of a job needs.

use crate::{Bytes, Elf, Kind, look};
use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// A library that a program or another library needs.
#[derive(Debug, PartialEq, Eq)]
pub struct Asked {
    /// The file's name without directories.
    pub name: String,
    /// The name of the file that needs it.
    pub by: String,
    /// Its file, if there is one.
    pub path: Option<PathBuf>,
    pub sanitizer: Option<&'static str>,
}

/// Where ld.so looks by default.
const USUAL: [&str; 6] = [
    "/lib/x86_64-linux-gnu",
    "/usr/lib/x86_64-linux-gnu",
    "/lib64",
    "/usr/lib64",
    "/lib",
    "/usr/lib",
];

/// Every library that `program` needs, directly or through others; nearest first.
pub fn of(program: &Path, elf: Elf, library_path: &OsStr) -> Vec<Asked> {
    let search = Search {
        library_path: std::env::split_paths(library_path).collect(),
        cache: Cache::read(),
    };
    let mut seen = HashSet::new();
    let mut asked = Vec::new();
    let mut waiting = std::collections::VecDeque::from([(program.to_path_buf(), elf)]);
    while let Some((path, elf)) = waiting.pop_front() {
        for needed in &elf.needed {
            let name = file_name(Path::new(needed));
            if !seen.insert(name.clone()) {
                continue;
            }
            // The C library's own dependencies do not matter.
            let found = if is_libc(&name) { None } else { search.find(needed, &path, &elf) };
            let sanitizer = found.as_ref().and_then(|(_, elf)| elf.sanitizer);
            let file = found.as_ref().map(|(path, _)| path.clone());
            asked.push(Asked { name, by: file_name(&path), path: file, sanitizer });
            waiting.extend(found);
        }
    }
    asked
}

/// The file that `by`, whose description is `elf`, would get if it opened the library `name`.
pub fn find(name: &str, by: &Path, elf: &Elf, library_path: &OsStr) -> Option<(PathBuf, Elf)> {
    let library_path = std::env::split_paths(library_path).collect();
    Search { library_path, cache: Cache::read() }.find(name, by, elf)
}

/// Whether the library is one of the C library's family, which all ranks share.
pub fn is_libc(name: &str) -> bool {
    let stem = name.split(".so").next().unwrap_or(name);
    let family = ["libc", "libm", "libpthread", "libdl", "librt", "libutil", "libresolv"];
    family.contains(&stem) || stem.starts_with("ld-linux") || stem == "libmvec"
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

struct Search {
    library_path: Vec<PathBuf>,
    cache: Cache,
}

impl Search {
    /// The library `name` that the object at `by` would get.
    fn find(&self, name: &str, by: &Path, elf: &Elf) -> Option<(PathBuf, Elf)> {
        if name.contains('/') {
            return open(PathBuf::from(name));
        }
        let origin = by.canonicalize().ok().and_then(|path| Some(path.parent()?.to_path_buf()));
        let origin = origin.unwrap_or_default();
        let rpath = if elf.runpath.is_some() { None } else { elf.rpath.as_deref() };
        let directories = expand(rpath, &origin)
            .chain(self.library_path.iter().cloned())
            .chain(expand(elf.runpath.as_deref(), &origin));
        let first = directories.map(|directory| directory.join(name)).find_map(open);
        let cached = || self.cache.find(name).into_iter().find_map(open);
        let usual = || USUAL.iter().map(|directory| Path::new(directory).join(name)).find_map(open);
        first.or_else(cached).or_else(usual)
    }
}

/// The directories of an RPATH or RUNPATH.
fn expand(path: Option<&str>, origin: &Path) -> impl Iterator<Item = PathBuf> {
    let origin = origin.to_string_lossy().into_owned();
    let entries = path.unwrap_or_default().split(':').filter(|entry| !entry.is_empty());
    let expanded = entries.map(move |entry| {
        PathBuf::from(entry.replace("${ORIGIN}", &origin).replace("$ORIGIN", &origin))
    });
    expanded.collect::<Vec<_>>().into_iter()
}

/// A file that can be loaded into this program; ld.so passes over others, too.
fn open(path: PathBuf) -> Option<(PathBuf, Elf)> {
    match look(&path) {
        Ok(Kind::Elf(elf)) => Some((path, elf)),
        _ => None,
    }
}

/// The list that ldconfig keeps.
struct Cache(Vec<u8>);

const CACHE: &str = "/etc/ld.so.cache";
const CACHE_MAGIC: &[u8] = b"glibc-ld.so.cache1.1";
const CACHE_HEADER_BYTES: usize = 48;
const CACHE_ENTRY_BYTES: usize = 24;

impl Cache {
    fn read() -> Cache {
        let bytes = std::fs::read(CACHE).unwrap_or_default();
        // Old tools write an older form of the table in front of this one.
        let start = bytes.windows(CACHE_MAGIC.len()).position(|window| window == CACHE_MAGIC);
        Cache(start.map(|start| bytes[start..].to_vec()).unwrap_or_default())
    }

    /// The cached files for `name`.
    fn find(&self, name: &str) -> Vec<PathBuf> {
        let cache = Bytes(&self.0);
        let count = cache.u32(CACHE_MAGIC.len()).unwrap_or(0) as usize;
        let string = |at: usize| cache.string(u64::from(cache.u32(at)?));
        (0..count)
            .map(|index| CACHE_HEADER_BYTES + index * CACHE_ENTRY_BYTES)
            .filter(|entry| string(entry + 4).is_some_and(|known| known == name))
            .filter_map(|entry| string(entry + 8).map(PathBuf::from))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_program_asks_for_the_c_library() {
        let this = std::env::current_exe().unwrap();
        let Ok(Kind::Elf(elf)) = look(&this) else { panic!("a test is an ELF program") };
        let asked = of(&this, elf, OsStr::new(""));
        assert!(asked.iter().any(|library| library.name == "libc.so.6"), "{asked:?}");
    }

    #[test]
    fn origin_is_where_the_asking_file_lies() {
        let all: Vec<PathBuf> =
            expand(Some("$ORIGIN/../lib:/opt/x"), Path::new("/a/bin")).collect();
        assert_eq!(all, [PathBuf::from("/a/bin/../lib"), PathBuf::from("/opt/x")]);
    }

    #[test]
    fn the_c_library_is_told_from_others() {
        for ours in ["libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "libpthread.so.0"] {
            assert!(is_libc(ours), "{ours}");
        }
        for other in ["libcurl.so.4", "libgfortran.so.5", "libapp.so"] {
            assert!(!is_libc(other), "{other}");
        }
    }
}
