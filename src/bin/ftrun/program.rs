//! Finds the program, and refuses one that cannot run as ranks: one sentence each, with the cure.

use crate::environment::Variables;
use crate::python;
use crate::request::App;
use crate::shared::place::{LIBRARY, STANDARD_NAMES};
use crate::shared::refusal::{NOT_FOUND, NOT_RUNNABLE, Refusal};
use ftmpi_elf::libraries::{self, Asked};
use ftmpi_elf::{self as elf, Elf, Kind};
use std::ffi::OsStr;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Other MPIs by the names of their libraries.
const OTHERS: [(&str, &str); 10] = [
    ("libmpi.so.12", "MPICH or Intel MPI"),
    ("libmpi.so.4", "Open MPI"),
    ("libmpi.so.2", "Open MPI"),
    ("libmpi.so.1", "another MPI"),
    ("libmpich", "MPICH"),
    ("libmvapich", "MVAPICH"),
    ("libmpi_cray", "Cray MPICH"),
    ("libmpi_ibm", "IBM Spectrum MPI"),
    ("libmpiseq", "a sequential stand-in for MPI"),
    ("libmpi.so", "another MPI"),
];

/// Why a program cannot run as ranks.
pub(crate) struct Unfit {
    pub(crate) refusal: Refusal,
    /// It can run as processes: why ranks cannot be copies of it.
    pub(crate) as_processes: Option<String>,
}

impl From<Refusal> for Unfit {
    fn from(refusal: Refusal) -> Unfit {
        Unfit { refusal, as_processes: None }
    }
}

/// The file to start for the program called `name`, after checking everything that would stop it
/// later. A script for Python becomes the interpreter's argument.
/// If it `is_only_started`, and not copied, anything will do that can be executed.
pub(crate) fn check(
    app: &mut App, name: &OsStr, variables: &Variables, is_only_started: bool,
) -> Result<PathBuf, Unfit> {
    let path = find(name, variables)?;
    let shown = path.display();
    let refuse = |why: String| Refusal::new(NOT_RUNNABLE, format!("{shown} {why}"));
    let no = |why: String| Unfit::from(refuse(why));
    let not_as_copies = |reason: &str, why: String| Unfit {
        refusal: refuse(why),
        as_processes: Some(format!("{shown} {reason}")),
    };

    let file = path.metadata().map_err(|error| no(format!("cannot be read: {error}")))?;
    if file.is_dir() {
        return Err(no("is a directory; name the program in it".into()));
    }
    if file.mode() & 0o111 == 0 {
        return Err(no(format!("is not executable; allow it with `chmod +x {shown}`")));
    }
    if is_only_started {
        return Ok(path);
    }
    if gains_rights(&file) {
        return Err(no(
            "is set-uid or set-gid, so no library can be preloaded into it; take the bit \
                       away with `chmod ug-s`"
                .into(),
        ));
    }
    let kind = elf::look(&path).map_err(|error| no(format!("cannot be read: {error}")))?;
    let elf = match kind {
        Kind::Elf(elf) => elf,
        Kind::Script(line) => {
            if !python::run_by_interpreter(app, &path, &line, variables) {
                let why = format!(
                    "is a script for `{line}`; ranks are copies of one compiled program, or of \
                     Python: name that program here"
                );
                return Err(not_as_copies(&format!("is a script for `{line}`"), why));
            }
            let interpreter = app.program.clone();
            return check(app, &interpreter, variables, false);
        }
        other => return Err(no(no_program(&other))),
    };
    app.is_python = elf.is_python;
    if elf.is_python && elf.interpreter.is_some() && !elf.position_independent {
        return python::in_place_of(&path, &elf, app, variables).map_err(no);
    }
    if elf.interpreter.is_some() && !elf.position_independent {
        let reason = "is not position independent";
        return Err(
            linked_well(&elf).map_or_else(|why| not_as_copies(reason, why), |()| no(reason.into()))
        );
    }
    linked_well(&elf).map_err(no)?;
    let by_itself = elf.sanitizer.map(|option| (option, "it".to_string()));
    let library_path = variables.value("LD_LIBRARY_PATH").unwrap_or_default();
    let asked = libraries::of(&path, elf, &library_path);
    if !app.is_python {
        uses_us(&asked).map_err(no)?;
    }
    let by_library = || asked.iter().find_map(|it| Some((it.sanitizer?, it.name.clone())));
    if let Some((option, which)) = by_itself.or_else(by_library) {
        let reason = format!("is compiled with -fsanitize={option}");
        return Err(not_as_copies(&reason, unsanitary(option, &which)));
    }
    Ok(path)
}

/// Why a file of this kind is no program for ranks.
fn no_program(kind: &Kind) -> String {
    match kind {
        Kind::ForeignElf(machine) => {
            format!("is compiled for {machine}, and this is {}; compile it here", this_machine())
        }
        Kind::BrokenElf => "is damaged (it ends too early); link it again".into(),
        _ => {
            "is not a compiled program (not an ELF file); compile it with mpicc, mpicxx or mpifort"
                .into()
        }
    }
}

/// The file behind the name: a path unchanged, a plain word through PATH and then in this
/// directory, as other launchers do and scripts written for them expect.
fn find(program: &OsStr, variables: &Variables) -> Result<PathBuf, Refusal> {
    let name = Path::new(program);
    let shown = name.display();
    let missing = |why: &str| Refusal::new(NOT_FOUND, format!("{shown} {why}"));
    if program.is_empty() {
        return Err(Refusal::new(NOT_FOUND, "the program's name is empty"));
    }
    if name.components().count() > 1 || program.to_string_lossy().contains('/') {
        return match name.metadata() {
            Ok(_) => Ok(name.to_path_buf()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Err(missing("does not exist; is it compiled, and is the path right?"))
            }
            Err(error) => Err(Refusal::new(NOT_RUNNABLE, format!("{shown}: {error}"))),
        };
    }
    let path = variables.value("PATH").unwrap_or_default();
    let is_program = |path: &PathBuf| {
        path.metadata().is_ok_and(|file| file.is_file() && file.mode() & 0o111 != 0)
    };
    let here = Path::new(".").join(name);
    let mut on_path = std::env::split_paths(&path).map(|directory| directory.join(name));
    let found = on_path.find(is_program);
    // A file that is here but cannot be run has a refusal of its own.
    let found = found.or_else(|| here.exists().then_some(here));
    found.ok_or_else(|| missing("is not on PATH and not in this directory"))
}

/// Whether running the file changes the user or group: ld.so then ignores LD_PRELOAD.
fn gains_rights(file: &Metadata) -> bool {
    // /proc/self belongs to the user who runs this.
    let Ok(own) = Path::new("/proc/self").metadata() else { return false };
    let other_user = file.mode() & 0o4000 != 0 && file.uid() != own.uid();
    let other_group = file.mode() & 0o2010 == 0o2010 && file.gid() != own.gid();
    other_user || other_group
}

/// Whether every rank can get its own copy of the image.
fn linked_well(elf: &Elf) -> Result<(), String> {
    if let Some(interpreter) = &elf.interpreter {
        if !elf.position_independent {
            return Err("is not position independent, so that ranks cannot have copies of it; \
                        compile with -fPIE and link it again with -pie, without -no-pie"
                .into());
        }
        if interpreter.contains("musl") {
            return Err(
                "is built for musl; the library needs glibc: compile it with a compiler for \
                        glibc"
                    .into(),
            );
        }
        if !Path::new(interpreter).exists() {
            return Err(format!("needs {interpreter} to start it, which does not exist here"));
        }
        return Ok(());
    }
    if elf.position_independent && elf.needed.is_empty() && elf.marked_as_program {
        return Err(
            "is static (-static-pie) and cannot load the library; link it without it".into()
        );
    }
    if elf.position_independent {
        return Err("is a shared library, not a program; link it without -shared".into());
    }
    Err("is static and cannot load the library; link it again without -static".into())
}

/// Why a program compiled for the sanitizer `which` does not run.
fn unsanitary(option: &str, which: &str) -> String {
    format!(
        "cannot run as ranks, since {which} is compiled with -fsanitize={option}, which sees one \
         program in a process and not copies of it; compile without it (-fsanitize=undefined \
         works), or watch a program without it by `valgrind --trace-children=yes`"
    )
}

/// Checks that the program uses this library, and no other MPI.
fn uses_us(asked: &[Asked]) -> Result<(), String> {
    let cure = "compile it again with mpicc, mpicxx or mpifort of this library";
    for library in asked {
        let other = OTHERS.iter().find(|(start, _)| library.name.starts_with(start));
        let is_ours = STANDARD_NAMES.contains(&library.name.as_str());
        if let Some((_, maker)) = other.filter(|_| !is_ours) {
            let (name, by) = (&library.name, &library.by);
            return Err(format!("is linked with {maker} ({name}, wanted by {by}); {cure}"));
        }
    }
    let ours = |library: &Asked| {
        library.name == LIBRARY || STANDARD_NAMES.contains(&library.name.as_str())
    };
    // A library that is not found may need anything; ld.so will name it.
    let unknown =
        asked.iter().any(|library| library.path.is_none() && !libraries::is_libc(&library.name));
    if unknown || asked.iter().any(ours) {
        return Ok(());
    }
    Err(format!("does not use this library ({LIBRARY}); {cure}"))
}

fn this_machine() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "x86-64",
        "aarch64" => "64-bit ARM",
        other => other,
    }
}
