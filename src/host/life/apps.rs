//! What the ranks of a job run: programs with their arguments, working directories and variables.
//! A job with several programs is MPMD; MPI counts them by MPI_APPNUM (MPI-5.0 §11.9.5).

use super::arguments::Arguments;
use crate::host::Rank;
use crate::host::loader::{Program, Template};
use crate::launch::{self, Job};
use std::ffi::{CStr, CString, OsStr, c_char, c_int};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// What ranks of one kind run.
pub struct App {
    /// Which of the loaded programs.
    program: usize,
    /// What it was called by, and its arguments.
    arguments: Vec<CString>,
    directory: Option<CString>,
    variables: Vec<CString>,
    ranks: usize,
}

/// All that the ranks of a job run at first.
pub struct Apps {
    pub(super) programs: Vec<Program>,
    /// Their files.
    pub(super) files: Vec<PathBuf>,
    pub(super) all: Vec<App>,
}

/// The program that the process has started with, as libc was told of it.
pub struct Started {
    pub main: usize,
    pub init: Option<usize>,
    pub argc: c_int,
    pub argv: *const *const c_char,
}

impl Apps {
    /// Loads the programs of `job`. To be called once, before any rank lives.
    pub fn load(started: &Started, job: &Job) -> Result<Apps, String> {
        let mut programs = vec![Program::of_process(started.main, started.init)];
        let Some(carrier) = job.programs.get(job.carrier) else {
            let (directory, variables) = (None, Vec::new());
            let arguments = started.arguments();
            let only = App { program: 0, arguments, directory, variables, ranks: job.ranks };
            let files = vec![std::env::current_exe().unwrap_or_default()];
            return Ok(Apps { programs, files, all: vec![only] });
        };
        let real = |file: &Path| file.canonicalize().unwrap_or_else(|_| file.to_path_buf());
        let mut files: Vec<PathBuf> = vec![real(&carrier.file)];
        let mut all = Vec::new();
        for launched in &job.programs {
            let file = real(&launched.file);
            let known = files.iter().position(|known| *known == file);
            let program = match known {
                Some(program) => program,
                None => {
                    programs.push(Program::open(&launched.file, job)?);
                    files.push(file);
                    programs.len() - 1
                }
            };
            all.push(App::new(launched, program)?);
        }
        Ok(Apps { programs, files, all })
    }
}

impl Started {
    fn arguments(&self) -> Vec<CString> {
        let count = usize::try_from(self.argc).unwrap_or(0);
        // SAFETY: the process got that many arguments, each a string.
        let argument = |index| unsafe { CStr::from_ptr(*self.argv.add(index)) }.to_owned();
        (0..count).map(argument).collect()
    }
}

impl App {
    /// How many bytes of a stack its arguments take.
    pub(super) fn bytes_of_arguments(&self) -> usize {
        Arguments::of(&self.arguments).bytes()
    }

    fn new(launched: &launch::Program, program: usize) -> Result<App, String> {
        let text = |word: &OsStr| {
            CString::new(word.as_bytes()).map_err(|_| "a word of a program has a null byte")
        };
        let texts = |words: &[std::ffi::OsString]| {
            words.iter().map(|word| text(word)).collect::<Result<Vec<_>, _>>()
        };
        let directory = launched.directory.as_deref().map(|it| text(it.as_os_str())).transpose()?;
        let arguments = texts(&launched.arguments)?;
        let variables = texts(&launched.variables)?;
        Ok(App { program, arguments, directory, variables, ranks: launched.ranks })
    }
}

/// An app that ranks can be started with.
pub(super) struct Ready {
    pub(super) template: &'static Template,
    pub(super) arguments: Arguments,
    directory: Option<CString>,
    variables: Vec<CString>,
    /// The last of its seats, and one more.
    pub(super) end: usize,
}

impl Ready {
    /// Those of `apps`, which begin where the ones before end.
    pub(super) fn all(apps: Vec<App>, templates: &[&'static Template]) -> Vec<Ready> {
        let mut end = 0;
        let ready = |app: App| {
            end += app.ranks;
            Ready {
                template: templates[app.program],
                arguments: Arguments::of(&app.arguments),
                directory: app.directory,
                variables: app.variables,
                end,
            }
        };
        apps.into_iter().map(ready).collect()
    }

    /// One for ranks that are started while the job runs.
    pub(super) fn for_more(
        template: &'static Template, arguments: &[CString], directory: Option<CString>,
    ) -> Ready {
        let (arguments, variables) = (Arguments::of(arguments), Vec::new());
        Ready { template, arguments, directory, variables, end: 0 }
    }

    /// Gives a rank its variables.
    pub(super) fn furnish(&self, rank: &Rank) {
        self.variables.iter().for_each(|line| rank.libc.set_variable(line));
    }

    /// Where its ranks start, if not where the job does.
    pub(super) fn directory(&self) -> Option<&CStr> {
        self.directory.as_deref()
    }
}
