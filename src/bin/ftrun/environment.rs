//! The environment of the started program: the user's, the job, and the library to load first.

use crate::request::Request;
use crate::shared::place::LIBRARY;
use crate::shared::refusal::{BROKEN, Refusal};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;

/// The changes to make to our own environment; the last change of a variable counts.
pub(crate) struct Variables(Vec<(String, Option<OsString>)>);

/// Prefixes of the variables by which other launchers tell a process its rank and its peers. Such a
/// launcher may have started this one, but not what this one starts.
const OF_OTHERS: [&str; 8] = [
    "PMI_",
    "PMIX_",
    "OMPI_COMM_WORLD_",
    "OMPI_UNIVERSE_",
    "MPI_LOCAL",
    "MV2_COMM_WORLD_",
    "SLURM_PROCID",
    "SLURM_LOCALID",
];

/// Assembles the environment of a run.
pub(crate) fn of(request: &Request, library: &Path) -> Result<Variables, Refusal> {
    let inherited = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let of_others = inherited.filter(|name| OF_OTHERS.iter().any(|start| name.starts_with(start)));
    let mut variables = Variables(of_others.map(|name| (name, None)).collect());
    let set = request.variables.iter().map(|(name, value)| (name.clone(), Some(value.clone())));
    variables.0.extend(set);
    // The library adds each rank's own number.
    ftmpi_launch::RANK_VARIABLES.iter().for_each(|name| variables.set(name, None));
    // A rank that is a process may have started this launcher.
    variables.set(ftmpi_wireup::VARIABLE, None);
    // It is about the job, and is to reach other hosts, too.
    let net = variables.value(ftmpi_wireup::hosts::NET);
    variables.set(ftmpi_wireup::hosts::NET, net);
    let directory = library.parent().unwrap_or(Path::new("/"));
    // Ours goes first: another directory may contain the `libmpi_abi.so.1` of another MPI.
    variables.look_first_in(directory, "LD_LIBRARY_PATH");
    if request.is_only_started() {
        // Nothing of the program is replaced, so there is no need to be first.
        return Ok(variables);
    }
    let kept = kept_preload(variables.value("LD_PRELOAD").as_deref());

    let mut preload = preload_name(library)?;
    if let Some(kept) = &kept {
        preload.push(":");
        preload.push(kept);
    }
    variables.set("LD_PRELOAD", Some(preload));
    variables.set(ftmpi_launch::PRELOAD_KEPT, kept);
    Ok(variables)
}

/// The user's preloaded libraries without this one, which an outer run may have added.
fn kept_preload(before: Option<&OsStr>) -> Option<OsString> {
    let text = before?.as_bytes();
    let ours = |entry: &[u8]| entry.ends_with(LIBRARY.as_bytes());
    let entries = text.split(|byte| matches!(byte, b':' | b' '));
    let kept: Vec<&[u8]> = entries.filter(|entry| !entry.is_empty() && !ours(entry)).collect();
    (!kept.is_empty()).then(|| OsStr::from_bytes(&kept.join(&b':')).to_os_string())
}

/// How the library is named in `LD_PRELOAD`, where a space or a colon ends a name.
fn preload_name(library: &Path) -> Result<OsString, Refusal> {
    let bytes = library.as_os_str().as_bytes();
    if bytes.iter().any(|byte| matches!(byte, b':' | b';')) {
        return Err(Refusal::new(
            BROKEN,
            format!(
                "the library cannot be preloaded from {}: move it to a directory without `:` \
                     and `;` in its name",
                library.display()
            ),
        ));
    }
    // Without a slash the name is searched for in LD_LIBRARY_PATH, where a space does not separate.
    let has_space = bytes.contains(&b' ');
    Ok(if has_space { LIBRARY.into() } else { library.as_os_str().to_os_string() })
}

impl Variables {
    /// The value that the program will see.
    pub(crate) fn value(&self, name: &str) -> Option<OsString> {
        let changed = self.0.iter().rev().find(|(known, _)| known == name);
        changed.map_or_else(|| std::env::var_os(name), |(_, value)| value.clone())
    }

    /// Puts a directory in front of those that a variable lists.
    pub(crate) fn look_first_in(&mut self, directory: &Path, name: &str) {
        let mut path = directory.as_os_str().to_os_string();
        if let Some(before) = self.value(name).filter(|value| !value.is_empty()) {
            path.push(":");
            path.push(before);
        }
        self.set(name, Some(path));
    }

    pub(crate) fn give_to(&self, command: &mut Command) {
        for (name, value) in &self.0 {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
    }

    fn set(&mut self, name: &str, value: Option<OsString>) {
        self.0.push((name.to_string(), value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_users_own_preload_is_kept_and_ours_is_not_doubled() {
        let kept = |text: &str| kept_preload(Some(OsStr::new(text)));
        assert_eq!(kept("libprof.so"), Some("libprof.so".into()));
        assert_eq!(kept("/a/libftmpi_rs.so:libprof.so libx.so"), Some("libprof.so:libx.so".into()));
        assert_eq!(kept("/a/libftmpi_rs.so"), None);
        assert_eq!(kept_preload(None), None);
    }

    #[test]
    fn a_library_in_a_directory_with_a_space_is_preloaded_by_name() {
        assert_eq!(
            preload_name(Path::new("/a/b/libftmpi_rs.so")),
            Ok("/a/b/libftmpi_rs.so".into())
        );
        assert_eq!(preload_name(Path::new("/a b/libftmpi_rs.so")), Ok("libftmpi_rs.so".into()));
        assert!(preload_name(Path::new("/a:b/libftmpi_rs.so")).is_err());
    }
}
