//! Which objects every rank gets for itself, and which all ranks share.

use super::scope::{Loaded, Scope};
use crate::launch::Job;
use std::path::{Path, PathBuf};

/// libc keeps one state per process in any case, and the shims give each rank its own; a second
/// libm, unwinder or OpenMP pool would only cost; sanitizers must see all memory.
const SHARED_FAMILY: &[&str] = &[
    "libc",
    "libm",
    "libmvec",
    "libpthread",
    "libdl",
    "librt",
    "libutil",
    "libresolv",
    "libanl",
    "libnsl",
    "libgcc_s",
    "libgomp",
    "libasan",
    "liblsan",
    "libtsan",
    "libubsan",
];
const OWN: &[&str] = &["libftmpi_rs", "libmpi_abi"];

/// Whether each rank has its own copy, and why.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Choice {
    pub(super) is_private: bool,
    pub(super) reason: &'static str,
}

/// Chooses for every object of `scope`, in its order.
pub(super) fn choose(scope: &Scope, job: &Job) -> Result<Vec<Choice>, String> {
    let choices = scope.objects.iter().enumerate().map(|(index, object)| {
        let file = File::of(object);
        if OWN.iter().any(|own| is_family(&file.name, own)) || object.span.contains(&here()) {
            Ok(Choice { is_private: false, reason: "this library" })
        } else if index == 0 {
            Ok(Choice { is_private: true, reason: "the program" })
        } else {
            file.choice(job)
        }
    });
    choices.collect()
}

/// The names of a file.
pub(super) struct File {
    pub(super) path: PathBuf,
    name: String,
    soname: String,
}

impl File {
    pub(super) fn new(path: &Path, soname: Option<&str>) -> File {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        File { path: path.to_path_buf(), name, soname: soname.unwrap_or_default().to_string() }
    }

    pub(super) fn of(object: &Loaded) -> File {
        File::new(&object.path, object.dynamic.soname.map(|it| it.to_string_lossy()).as_deref())
    }

    /// Chooses for a library.
    pub(super) fn choice(&self, job: &Job) -> Result<Choice, String> {
        let name = &self.name;
        let is_wanted = |list: &[String]| list.iter().any(|wanted| self.is_meant(wanted));
        let is_core = is_family(name, "libc") || name.starts_with("ld-linux");
        let (is_private, reason) = if is_core && is_wanted(&job.private) {
            return Err(format!("{name} cannot be private: all ranks share one C library"));
        } else if is_wanted(&job.private) {
            (true, "--private")
        } else if is_wanted(&job.shared) {
            (false, "--shared")
        } else if is_core || SHARED_FAMILY.iter().any(|family| is_family(name, family)) {
            (false, "part of the C library")
        } else {
            (true, "may hold state of the program")
        };
        Ok(Choice { is_private, reason })
    }

    /// `libx.so` means `libx.so.1` too; a path means that file.
    fn is_meant(&self, wanted: &str) -> bool {
        let is_prefix = |name: &str| {
            let rest = name.strip_prefix(wanted);
            rest.is_some_and(|rest| {
                rest.is_empty() || rest.starts_with('.') || rest.starts_with(".so")
            })
        };
        self.path.as_os_str() == wanted || is_prefix(&self.name) || is_prefix(&self.soname)
    }
}

/// The libraries that `job` names but the program has not loaded, with the option's name.
pub(super) fn missed<'a>(
    scope: &Scope, job: &'a Job,
) -> impl Iterator<Item = (&'static str, &'a str)> {
    let private = job.private.iter().map(|wanted| ("--private", wanted.as_str()));
    let shared = job.shared.iter().map(|wanted| ("--shared", wanted.as_str()));
    private
        .chain(shared)
        .filter(|(_, wanted)| !scope.objects.iter().any(|object| File::of(object).is_meant(wanted)))
}

pub(super) fn here() -> usize {
    choose as *const () as usize
}

/// `libm.so.6` and `libm-2.31.so` are of the family `libm`; `libmpi.so` is not.
fn is_family(name: &str, family: &str) -> bool {
    let rest = name.strip_prefix(family).unwrap_or("");
    let versioned = rest.strip_prefix('-').is_some_and(|rest| rest.starts_with(char::is_numeric));
    rest.starts_with(".so") || versioned
}

#[cfg(test)]
mod tests {
    use super::is_family;

    #[test]
    fn a_family_is_known_by_its_whole_name() {
        assert!(is_family("libc.so.6", "libc") && is_family("libc-2.31.so", "libc"));
        assert!(!is_family("libcalc.so", "libc") && !is_family("libc++.so.1", "libc"));
        assert!(!is_family("libmpi.so", "libm") && !is_family("libc-client.so", "libc"));
    }
}
