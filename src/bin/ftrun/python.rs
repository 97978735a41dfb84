//! Python programs: the interpreter behind a script, and the library that takes the place of an
//! interpreter of which ranks cannot have copies.

use crate::environment::Variables;
use crate::request::App;
use crate::shared::place;
use crate::shared::refusal::Refusal;
use ftmpi_elf::{Elf, Kind, is_name_of_python, libraries, look, python_in};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The program that runs Python from its library.
const IN_PLACE: &str = "ftpython";
/// What it prints about itself: where its library should be, by which name, and its version.
const QUESTION: &str = "\
import sys, sysconfig
for name in 'LIBDIR', 'INSTSONAME':
    print(sysconfig.get_config_var(name))
print('%d.%d' % sys.version_info[:2])";

/// Makes ranks run the script by its interpreter, as a kernel would, if `line`, its first one,
/// names Python; false if it does not.
pub(crate) fn run_by_interpreter(
    app: &mut App, script: &Path, line: &str, variables: &Variables,
) -> bool {
    let name = script.file_name().unwrap_or_default().to_string_lossy();
    if is_name_of_python(&name) {
        // Tools that switch between versions put scripts in the place of Python.
        let told = ask(script, "import sys\nprint(sys.executable)", variables);
        let real = told.ok().and_then(|lines| lines.first().cloned()).filter(|it| it != script);
        app.program = real.clone().unwrap_or_default();
        return real.is_some();
    }
    let Some(words) = python_in(line) else { return false };
    let mut words: Vec<OsString> = words.into_iter().map(OsString::from).collect();
    words.push(script.into());
    app.program = words.remove(0);
    words.append(&mut app.arguments);
    app.arguments = words;
    true
}

/// The lines that the interpreter prints about itself.
fn ask(path: &Path, question: &str, variables: &Variables) -> Result<Vec<OsString>, String> {
    let mut command = Command::new(path);
    variables.give_to(&mut command);
    // The library would take this process for a job.
    command.env_remove("LD_PRELOAD").args(["-I", "-S", "-c", question]);
    let output = command.output().map_err(|error| format!("cannot be started: {error}"))?;
    if !output.status.success() {
        let why = String::from_utf8_lossy(&output.stderr).trim().to_string();
        return Err(format!("does not run: {why}"));
    }
    let lines = output.stdout.trim_ascii_end().split(|byte| *byte == b'\n');
    Ok(lines.map(|line| OsStr::from_bytes(line).to_os_string()).collect())
}

/// The file to start for the interpreter at `path`, of which ranks cannot have copies; its library
/// becomes an argument.
pub(crate) fn in_place_of(
    path: &Path, elf: &Elf, app: &mut App, variables: &Variables,
) -> Result<PathBuf, String> {
    let library = library_of(path, elf, variables)?;
    app.arguments.insert(0, library.into());
    let own = place::own_directory().map_err(|refusal: Refusal| refusal.sentence)?;
    Ok(own.join(IN_PLACE))
}

fn library_of(path: &Path, elf: &Elf, variables: &Variables) -> Result<PathBuf, String> {
    let told = ask(path, QUESTION, variables)?;
    let [directory, name, version] = told.as_slice() else {
        return Err("does not tell where its library is".into());
    };
    let version = version.to_string_lossy();
    let usual = format!("libpython{version}.so.1.0");
    let beside = [name, OsStr::new(&usual)].map(|name| Path::new(directory).join(name));
    let is_library =
        |file: &PathBuf| matches!(look(file), Ok(Kind::Elf(it)) if it.soname.is_some());
    if let Some(found) = beside.into_iter().find(is_library) {
        return Ok(found);
    }
    let library_path = variables.value("LD_LIBRARY_PATH").unwrap_or_default();
    let found = libraries::find(&usual, path, elf, &library_path).map(|(path, _)| path);
    found.ok_or_else(|| {
        format!(
            "is not position independent, so that ranks cannot have copies of it, and {usual}, \
             which could take its place, is not installed (Debian: apt-get install \
             libpython{version})"
        )
    })
}
