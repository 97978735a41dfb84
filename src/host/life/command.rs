//! Finds what a command of MPI_Comm_spawn names: a program, or a script for Python.

use super::running_job::{self, RunningJob};
use ftmpi_elf::{Kind, is_name_of_python, look, python_in};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The program that `ftrun` starts in the place of a Python of which ranks cannot have copies. Its
/// first argument is Python's library.
const IN_PLACE: &str = "ftpython";

/// A program to load.
pub(super) struct Found {
    pub(super) file: PathBuf,
    /// Its name for its ranks, and the arguments that come before those of the command.
    pub(super) words: Vec<Vec<u8>>,
}

/// Where commands are looked for.
pub(super) struct Places<'a> {
    /// Where the ranks start.
    pub(super) directory: Option<&'a Path>,
    /// Directories that were given.
    pub(super) path: Option<&'a [u8]>,
}

impl Places<'_> {
    /// The program that ranks run by this command.
    pub(super) fn find(&self, world: &RunningJob, command: &[u8]) -> Result<Found, String> {
        let (shown, file) = (shown(command), self.locate(command)?);
        let line = match look(&file) {
            Ok(Kind::Script(line)) => line,
            Ok(Kind::Elf(elf)) if elf.position_independent && elf.interpreter.is_some() => {
                let file = std::path::absolute(&file).unwrap_or(file);
                return Ok(Found { file, words: vec![command.to_vec()] });
            }
            Ok(Kind::Elf(elf)) if elf.is_python => return self.in_place_of(world, command, &file),
            Ok(Kind::Elf(_)) => {
                return Err(format!("{shown} is not a position-independent program"));
            }
            _ => return Err(format!("{shown} is not a compiled program")),
        };
        let words = python_in(&line).ok_or_else(|| format!("{shown} is a script for `{line}`"))?;
        let [interpreter, options @ ..] = words.as_slice() else { unreachable!("it has a name") };
        let mut found = match look(&self.locate(interpreter.as_bytes())?) {
            // Tools that switch between versions put scripts in the place of Python: the job has
            // one that is none.
            Ok(Kind::Script(_)) => {
                let mut names = world.apps().filter_map(|app| app.arguments.word(0));
                let own = names.find(|name| is_python(name));
                let none = || format!("{shown} is a script for `{interpreter}`, which is a script");
                self.find(world, own.ok_or_else(none)?)?
            }
            _ => self.find(world, interpreter.as_bytes())?,
        };
        found.words.extend(options.iter().map(|word| word.as_bytes().to_vec()));
        found.words.push(file.as_os_str().as_bytes().to_vec());
        Ok(found)
    }

    /// The file that a process runs by this command.
    pub(super) fn executable(&self, command: &[u8]) -> Result<PathBuf, String> {
        let file = self.locate(command)?;
        match look(&file) {
            Ok(Kind::Script(_) | Kind::Elf(_)) => Ok(std::path::absolute(&file).unwrap_or(file)),
            _ => Err(format!("{} is neither a program nor a script", shown(command))),
        }
    }

    /// Whether ranks of one process run this file by this command, and no other in its place.
    pub(super) fn is_run_as_it_is(&self, command: &[u8], file: &Path) -> Result<bool, String> {
        let world = running_job::found().ok_or("there is no launcher: start the job with ftrun")?;
        let real = |file: &Path| file.canonicalize().ok();
        Ok(real(&self.find(world, command)?.file) == real(file))
    }

    /// The file behind a name: a path as it is; a plain word where the ranks start, in the given
    /// directories, on PATH, or here.
    fn locate(&self, name: &[u8]) -> Result<PathBuf, String> {
        let path = Path::new(OsStr::from_bytes(name));
        let given = self.path.map(OsStr::from_bytes).unwrap_or_default();
        let usual = std::env::var_os("PATH").unwrap_or_default();
        let is_word = !name.contains(&b'/');
        let on_path = std::env::split_paths(given).chain(std::env::split_paths(&usual));
        let on_path = on_path.filter(|_| is_word).map(|directory| directory.join(path));
        let own = self.directory.map(|directory| directory.join(path));
        let mut places = own.into_iter().chain(on_path).chain([path.to_path_buf()]);
        let file = places.find(|file| file.is_file());
        let file = file.ok_or_else(|| format!("there is no program {}", shown(name)))?;
        let is_executable = file.metadata().is_ok_and(|it| it.permissions().mode() & 0o111 != 0);
        is_executable.then_some(file).ok_or_else(|| format!("{} is not executable", shown(name)))
    }

    /// What the job itself runs in the place of this Python.
    fn in_place_of(
        &self, world: &RunningJob, command: &[u8], interpreter: &Path,
    ) -> Result<Found, String> {
        let real = |file: &Path| file.canonicalize().ok();
        let is_same = |name: &[u8]| {
            self.locate(name).is_ok_and(|it| real(&it).is_some() && real(&it) == real(interpreter))
        };
        let templates = world.templates.lock();
        let known = templates.iter().find(|(file, _)| file.ends_with(IN_PLACE));
        let found = known.and_then(|(file, template)| {
            let mut apps = world.apps().filter(|app| std::ptr::eq(app.template, *template));
            let app = apps.find(|app| app.arguments.word(0).is_some_and(is_same))?;
            let words = vec![command.to_vec(), app.arguments.word(1)?.to_vec()];
            Some(Found { file: file.clone(), words })
        });
        found.ok_or_else(|| {
            format!(
                "{} is a Python of which ranks cannot have copies: start a rank with it by ftrun",
                shown(command)
            )
        })
    }
}

/// Whether this is how an interpreter is called.
fn is_python(name: &[u8]) -> bool {
    let file = Path::new(OsStr::from_bytes(name)).file_name().and_then(OsStr::to_str);
    file.is_some_and(is_name_of_python)
}

fn shown(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}
