//! The compiler wrappers: add what MPI needs to the compiler's arguments, and become the compiler.
//!
//! One program for all languages: its name in the call selects the language (`mpicc`, `mpicxx`,
//! `mpifort`).

#![forbid(unsafe_code)]

mod compiler;
#[path = "../shared/mod.rs"]
mod shared;
mod words;

use compiler::{Compiler, Language};
use shared::modules::{self, Modules};
use shared::place;
use shared::refusal::{NOT_FOUND, Refusal};
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::ExitCode;
use words::{Goal, Show, Words};

fn main() -> ExitCode {
    let mut words = std::env::args_os();
    let called = shared::called(words.next(), "mpicc");
    match run(&called, words) {
        Ok(status) => status,
        Err(refusal) => refusal.say(&called),
    }
}

fn run(called: &str, words: impl Iterator<Item = OsString>) -> Result<ExitCode, Refusal> {
    let words = Words::read(words);
    // Help needs no compiler.
    if words.wants_help {
        return Ok(shared::print(called, &words::HELP.replace("@NAME@", called)));
    }
    let language = Language::of(called);
    let compiler = Compiler::choose(language, words.compiler.as_deref())?;
    let mut flags = Flags::find(&compiler, &words)?;
    if language == Language::Fortran && words.goal != Goal::Ask {
        flags.add_modules(called, &compiler, &words)?;
    }
    if let Some(show) = words.show {
        let shown = format!("{}\n", flags.shown(show, called, &compiler, &words));
        return Ok(shared::print(called, &shown));
    }
    let all = flags.around(&words);
    let error = compiler.command().args(all).exec();
    let name = compiler.name();
    Err(Refusal::new(NOT_FOUND, format!("cannot run the {language} compiler {name}: {error}")))
}

/// What MPI adds to the user's words; nothing if the compiler only answers a question.
#[derive(Default)]
struct Flags {
    /// The headers' directory and, for Fortran, that of the modules.
    include: Vec<String>,
    library_directory: String,
    compile: Vec<String>,
    link: Vec<String>,
}

impl Flags {
    fn find(compiler: &Compiler, words: &Words) -> Result<Flags, Refusal> {
        if words.goal == Goal::Ask {
            return Ok(Flags::default());
        }
        if words.goal == Goal::Link {
            words.refuse_what_cannot_have_ranks()?;
        }
        let headers = place::headers()?;
        let library = place::library()?;
        place::name_as_the_standard_does(&library);
        let include = place::shown(&headers);
        let directory = place::shown(library.parent().unwrap_or(Path::new("/")));

        let mut compile = vec![format!("-I{include}")];
        let mut link = Vec::new();
        let nature = compiler.nature();
        if !nature.makes_pie {
            // Not -fPIE: the object may also go into a shared library.
            compile.push("-fPIC".into());
            link.extend((!words.has("-shared")).then(|| "-pie".to_string()));
        }
        if nature.checks_arguments {
            // MPI's choice buffers are of any type, which this compiler would reject.
            compile.push("-fallow-argument-mismatch".into());
        }
        link.push(format!("-L{directory}"));
        if directory.contains(',') {
            link.extend(["-Xlinker", "-rpath", "-Xlinker", &directory].map(String::from));
        } else {
            link.push(format!("-Wl,-rpath,{directory}"));
        }
        link.push("-lftmpi_rs".into());
        Ok(Flags { include: vec![include], library_directory: directory, compile, link })
    }

    /// Finds or makes the modules `mpi` and `mpi_f08`. A program that includes `mpif.h` does not
    /// need them, so it is no error yet if there are none.
    fn add_modules(
        &mut self, called: &str, compiler: &Compiler, words: &Words,
    ) -> Result<(), Refusal> {
        let (headers, library) = (place::headers()?, place::library()?);
        let given = words.rest.iter().map(OsString::as_os_str);
        let made = Modules::of(compiler.words(), given, &headers)
            .map(|modules| modules.directory(&modules::places(&library)));
        match made {
            Some(Ok(directory)) => {
                let directory = place::shown(&directory);
                self.compile.insert(1, format!("-I{directory}"));
                self.include.push(directory);
            }
            Some(Err(reason)) => eprintln!(
                "{called}: no modules: `use mpi` and `use mpi_f08` will not be found, mpif.h will: \
                 {reason}"
            ),
            None => {}
        }
        Ok(())
    }

    /// The user's words with ours before and behind them.
    fn around(&self, words: &Words) -> Vec<OsString> {
        let is_linking = words.goal == Goal::Link;
        let compile = self.compile.iter().map(OsString::from);
        let link = self.link.iter().filter(|_| is_linking).map(OsString::from);
        compile.chain(words.rest.iter().cloned()).chain(link).collect()
    }

    fn shown(&self, show: Show, called: &str, compiler: &Compiler, words: &Words) -> String {
        let line = |parts: &[&[String]]| words::quoted(parts.concat().iter().map(OsString::from));
        let name = compiler.words();
        match show {
            Show::Command => {
                format!("{} {}", line(&[name]), words::quoted(self.around(words).into_iter()))
            }
            Show::CompileCommand => line(&[name, &self.compile]),
            Show::LinkCommand => line(&[name, &self.link]),
            Show::Compiler => line(&[name]),
            Show::Compile => line(&[&self.compile]),
            Show::Link => line(&[&self.link]),
            Show::IncludeDirectories => self.include.join(" "),
            Show::LibraryDirectories => self.library_directory.clone(),
            Show::Libraries => "ftmpi_rs".into(),
            Show::Version => format!("{called} (ftmpi-rs) {}", env!("CARGO_PKG_VERSION")),
        }
    }
}
