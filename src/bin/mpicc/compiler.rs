//! The compiler behind a wrapper: which one it is, and what it does by default.

use crate::shared::place;
use crate::shared::refusal::{NOT_FOUND, Refusal};
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    C,
    Cxx,
    Fortran,
}

/// A compiler, as the words of its command (`ccache gcc` has two).
#[derive(Debug)]
pub(crate) struct Compiler {
    words: Vec<String>,
}

/// What a compiler does by default.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Nature {
    /// Links position-independent programs: only those can become ranks.
    pub(crate) makes_pie: bool,
    /// Fortran: refuses calls of one procedure with arguments of different types.
    pub(crate) checks_arguments: bool,
}

impl Language {
    /// The language of the wrapper of this name. Packages add an end where several MPIs share a
    /// directory: `mpicxx.ftmpi`.
    pub(crate) fn of(called: &str) -> Language {
        match called.split_once('.').map_or(called, |(name, _)| name) {
            "mpicxx" | "mpic++" | "mpiCC" => Language::Cxx,
            name if name.starts_with("mpif") => Language::Fortran,
            _ => Language::C,
        }
    }

    /// Variables that name another compiler; the first one that is set counts.
    pub(crate) fn variables(self) -> &'static [&'static str] {
        match self {
            Language::C => &["FTMPI_CC", "MPICH_CC", "OMPI_CC"],
            Language::Cxx => &["FTMPI_CXX", "MPICH_CXX", "OMPI_CXX"],
            Language::Fortran => {
                &["FTMPI_FC", "MPICH_FC", "OMPI_FC", "MPICH_F90", "MPICH_F77", "OMPI_F77"]
            }
        }
    }

    fn usual_compilers(self) -> &'static [&'static str] {
        match self {
            Language::C => &["cc", "gcc", "clang"],
            Language::Cxx => &["c++", "g++", "clang++"],
            Language::Fortran => &["gfortran", "flang", "flang-new", "ifx", "f95"],
        }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(match self {
            Language::C => "C",
            Language::Cxx => "C++",
            Language::Fortran => "Fortran",
        })
    }
}

impl Compiler {
    /// The compiler named on the command line or in the environment, otherwise a usual one.
    pub(crate) fn choose(language: Language, named: Option<&str>) -> Result<Compiler, Refusal> {
        let set = |name: &&str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
        let variable = language.variables().iter().find_map(set);
        let usual = language.usual_compilers();
        let text = match named.map(str::to_string).or(variable) {
            Some(text) => text,
            None => {
                usual.iter().find(|name| on_path(name).is_some()).unwrap_or(&usual[0]).to_string()
            }
        };
        let words: Vec<String> = text.split_whitespace().map(str::to_string).collect();
        let first = words.first().map(String::as_str).unwrap_or_default();
        let Some(found) = on_path(first) else {
            let (first_variable, suggestion) =
                (language.variables()[0], usual[usual.len().min(2) - 1]);
            return Err(Refusal::new(
                NOT_FOUND,
                format!(
                    "cannot find the {language} compiler `{first}`; install {suggestion}, or name \
                     another in {first_variable}"
                ),
            ));
        };
        let compiler = Compiler { words };
        compiler.is_no_wrapper(&found)?;
        Ok(compiler)
    }

    /// One of our wrappers as the compiler would call itself for ever.
    fn is_no_wrapper(&self, found: &Path) -> Result<(), Refusal> {
        let ours = place::own_directory()?;
        let real = found.canonicalize().unwrap_or_else(|_| found.to_path_buf());
        let name = real.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if real.parent() == Some(ours.as_path()) && name.starts_with("mpi") {
            return Err(Refusal::broken(format!(
                "the compiler is set to `{}`, which is this wrapper; name the compiler itself",
                self.name()
            )));
        }
        Ok(())
    }

    pub(crate) fn name(&self) -> String {
        self.words.join(" ")
    }

    pub(crate) fn words(&self) -> &[String] {
        &self.words
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]);
        command
    }

    /// Asks the compiler how it would link a program; nothing is compiled.
    pub(crate) fn nature(&self) -> Nature {
        let mut command = self.command();
        command.args(["-###", "/dev/null"]).env("LC_ALL", "C").stdin(Stdio::null());
        let said = command.output().map(|output| output.stderr).unwrap_or_default();
        nature_from(&String::from_utf8_lossy(&said))
    }
}

/// Reads the commands that a compiler reports.
fn nature_from(said: &str) -> Nature {
    // The start-up file tells: crt1.o is the one for programs at fixed addresses. A compiler that
    // reports no such file is assumed to be like most.
    let makes_pie = said.contains("Scrt1.o") || !said.contains("crt1.o");
    let version = said.lines().find_map(|line| line.strip_prefix("gcc version "));
    let major = version.and_then(|rest| rest.split('.').next()?.parse::<u32>().ok());
    let is_fortran = said.contains("gfortran") || said.contains("libgfortran");
    Nature { makes_pie, checks_arguments: is_fortran && major.is_some_and(|major| major >= 10) }
}

/// The file of a program that is named by a path or found on PATH.
fn on_path(name: &str) -> Option<PathBuf> {
    if name.contains('/') {
        return Some(PathBuf::from(name)).filter(|path| path.is_file());
    }
    let path = std::env::var_os("PATH")?;
    let named = |directory: PathBuf| Some(directory.join(name)).filter(|path| path.is_file());
    if name.is_empty() { None } else { std::env::split_paths(&path).find_map(named) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_says_the_language() {
        assert_eq!(Language::of("mpicc"), Language::C);
        for name in ["mpicxx", "mpic++", "mpiCC"] {
            assert_eq!(Language::of(name), Language::Cxx);
        }
        for name in ["mpifort", "mpif77", "mpif90"] {
            assert_eq!(Language::of(name), Language::Fortran);
        }
    }

    #[test]
    fn the_start_up_file_tells_a_pie() {
        let nature = |said| nature_from(said);
        assert!(nature("collect2 -pie /usr/lib/Scrt1.o").makes_pie);
        assert!(!nature("collect2 /usr/lib/crt1.o /usr/lib/crti.o").makes_pie);
        assert!(nature("unknown option").makes_pie);
    }

    #[test]
    fn only_new_gfortran_checks_arguments() {
        let checks = |said| nature_from(said).checks_arguments;
        assert!(checks("Driving: gfortran\ngcc version 12.2.0 (Debian)"));
        assert!(!checks("Driving: gfortran\ngcc version 9.4.0"));
        assert!(!checks("gcc version 12.2.0 (Debian)"));
    }
}
