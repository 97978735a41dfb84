//! `ftmpi-install PREFIX`: installs programs, library, headers, Fortran modules, the pkg-config
//! file, manual pages and documents.

#![forbid(unsafe_code)]

#[path = "shared/manual.rs"]
mod manual;
#[path = "shared/mod.rs"]
mod shared;

use ftmpi_cli::{Dashes, Item, Reader};
use shared::place::{self, LIBRARY, STANDARD_NAMES};
use shared::refusal::Refusal;
use std::ffi::OsStr;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const HELP: &str = "\
Usage: ftmpi-install PREFIX
Installs into PREFIX/bin, PREFIX/lib, PREFIX/include, PREFIX/share/doc and
PREFIX/share/man. If the environment variable DESTDIR is set, the files go to
DESTDIR/PREFIX, for use in PREFIX: packages are made like this.
After `cargo install`, which copies programs only, it first builds the library,
with cargo, in the source tree from which the programs were built.
";

const PROGRAMS: [&str; 4] = ["ftrun", "ftpython", "mpicc", "ftmpi-install"];
/// Installed if they were built: `cargo build -p ftmpi_sim` does that.
const SIMULATORS: [&str; 3] = ["ftsim", "ftbg", "ftspare"];
/// Other names of a program, which behaves as its name says.
const LINKS: [(&str, &str); 8] = [
    ("mpirun", "ftrun"),
    ("mpiexec", "ftrun"),
    ("mpicxx", "mpicc"),
    ("mpic++", "mpicc"),
    ("mpiCC", "mpicc"),
    ("mpifort", "mpicc"),
    ("mpif77", "mpicc"),
    ("mpif90", "mpicc"),
];
const DOCUMENTS: [&str; 18] = [
    "README.md",
    "CHANGELOG.md",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "docs/INSTALL.md",
    "docs/USING.md",
    "docs/CI.md",
    "docs/PYTHON.md",
    "docs/FAULTS.md",
    "docs/INJECTION.md",
    "docs/REPLAY.md",
    "docs/REPORT.md",
    "docs/CHECKPOINTS.md",
    "docs/SIMULATORS.md",
    "docs/ARCHITECTURE.md",
    "docs/NATURAL.md",
    "docs/BLUEGENE.md",
    "docs/SPARES.md",
];

/// The name of this program.
const CALLED: &str = "ftmpi-install";

fn main() -> ExitCode {
    let help = |name: &str| ["help", "h"].contains(&name).then_some(((), 0));
    let mut words = Reader::new(std::env::args_os().skip(1), Dashes::OneOrTwo, help);
    let mut plain = Vec::new();
    loop {
        match words.item() {
            Ok(None) => break,
            Ok(Some(Item::Word(word))) => plain.push(word),
            Ok(Some(Item::End)) => plain.extend(words.rest()),
            Ok(Some(Item::Option { .. })) => return shared::print(CALLED, HELP),
            Err(complaint) => {
                return Refusal::usage(complaint.words(["help"].into_iter())).say(CALLED);
            }
        }
    }
    let done = match plain.as_slice() {
        [prefix] => install(Path::new(prefix)),
        _ => Err(Refusal::usage("where to? Use `ftmpi-install PREFIX`, such as /opt/ftmpi-rs")),
    };
    match done {
        Ok(words) => shared::print(CALLED, &words),
        Err(refusal) => refusal.say(CALLED),
    }
}

/// Installs; returns what to print.
fn install(prefix: &Path) -> Result<String, Refusal> {
    let prefix = std::path::absolute(prefix)
        .map_err(|error| Refusal::usage(format!("{}: {error}", prefix.display())))?;
    // Checks that nothing is missing before anything is written.
    let (own, library, headers) = (place::own_directory()?, library()?, place::headers()?);
    let root = match std::env::var_os("DESTDIR") {
        Some(stage) if !stage.is_empty() => {
            let inside = prefix.strip_prefix("/").unwrap_or(&prefix);
            std::path::absolute(Path::new(&stage)).unwrap_or(PathBuf::from(stage)).join(inside)
        }
        _ => prefix.clone(),
    };

    let bin = directory(root.join("bin"))?;
    for name in PROGRAMS {
        copy(&own.join(name), &bin.join(name))?;
    }
    for name in SIMULATORS.into_iter().filter(|name| own.join(name).is_file()) {
        copy(&own.join(name), &bin.join(name))?;
    }
    for (name, program) in LINKS {
        link(program, &bin.join(name))?;
    }
    let lib = directory(root.join("lib"))?;
    copy(&library, &lib.join(LIBRARY))?;
    for name in STANDARD_NAMES.into_iter().chain(["libmpi_abi.so"]) {
        link(LIBRARY, &lib.join(name))?;
    }
    let include = directory(root.join("include"))?;
    let generated = place::generated(&headers);
    let written = if generated.is_dir() { files_of(&generated)? } else { Vec::new() };
    for header in files_of(&headers)?.into_iter().chain(written) {
        copy(&header, &include.join(header.file_name().unwrap_or_default()))?;
    }
    let python = directory(root.join(place::PYTHON))?;
    copy(&place::modules_of_python()?.join("ftmpi.py"), &python.join("ftmpi.py"))?;
    let pkgconfig = directory(lib.join("pkgconfig"))?;
    write(&pkgconfig.join("ftmpi_rs.pc"), &description(&prefix))?;
    documents(&headers, &root)?;
    manuals(&bin, &root)?;
    completions(&bin, &root)?;
    let note = modules(&bin);
    Ok(format!("{note}installed in {}; add {}/bin to PATH\n", root.display(), prefix.display()))
}

/// The library, which is built if only the programs are there, as after `cargo install`.
fn library() -> Result<PathBuf, Refusal> {
    let missing = match place::library() {
        Ok(library) => return Ok(library),
        Err(refusal) => refusal,
    };
    let manifest = place::source().join("Cargo.toml");
    if !manifest.is_file() {
        let words = format!(
            "{}; the source is no longer in {}",
            missing.sentence,
            place::source().display()
        );
        return Err(Refusal::broken(words));
    }
    eprintln!("{CALLED}: building {LIBRARY} in {}", place::source().display());
    let target = place::source().join("target");
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    cargo.args(["build", "--release", "--lib", "--locked", "--manifest-path"]).arg(manifest);
    // Else a setting for all projects would take the library elsewhere.
    cargo.arg("--target-dir").arg(&target).current_dir(place::source());
    let status = cargo.status().map_err(|error| failed("run", Path::new("cargo"), error))?;
    let library = target.join("release").join(LIBRARY);
    if !status.success() || !library.is_file() {
        return Err(Refusal::broken(format!("cargo does not build {LIBRARY}: {status}")));
    }
    Ok(library)
}

/// Lets the new `mpifort` make the Fortran modules beside the new library, if there is a compiler;
/// otherwise returns what to print.
fn modules(bin: &Path) -> &'static str {
    let asked = Command::new(bin.join("mpifort")).arg("-showme:compile").output();
    let is_made = asked.is_ok_and(|output| output.status.success() && output.stderr.is_empty());
    match is_made {
        true => "",
        false => "no modules for Fortran yet: mpifort will make them for its compiler\n",
    }
}

/// The documents are beside the headers in the source tree; an installed copy has none to install.
fn documents(headers: &Path, root: &Path) -> Result<(), Refusal> {
    let source = headers.parent().unwrap_or(Path::new("/"));
    let target = directory(root.join("share/doc/ftmpi_rs"))?;
    for name in DOCUMENTS {
        let document = source.join(name);
        if document.is_file() {
            copy(&document, &target.join(document.file_name().unwrap_or_default()))?;
        }
    }
    Ok(())
}

/// Writes what shells need to complete command lines, where they look for it.
fn completions(bin: &Path, root: &Path) -> Result<(), Refusal> {
    const PLACES: [(&str, &str); 3] = [
        ("bash", "share/bash-completion/completions/ftrun"),
        ("zsh", "share/zsh/site-functions/_ftrun"),
        ("fish", "share/fish/vendor_completions.d/ftrun.fish"),
    ];
    for (shell, place) in PLACES {
        let text = printed(&bin.join("ftrun"), &["completions", shell])?;
        let place = root.join(place);
        directory(place.parent().unwrap_or(root).to_path_buf())?;
        write(&place, &text)?;
    }
    Ok(())
}

/// What an installed program prints.
fn printed(program: &Path, words: &[&str]) -> Result<String, Refusal> {
    let asked = Command::new(program).args(words).output();
    let asked = asked.map_err(|error| failed("run", program, error))?;
    if !asked.status.success() {
        let words = words.join(" ");
        let words = format!("{} {words} fails: {}", program.display(), asked.status);
        return Err(Refusal::broken(words));
    }
    Ok(String::from_utf8_lossy(&asked.stdout).into_owned())
}

/// Writes the manual pages: the installed programs know their own text.
fn manuals(bin: &Path, root: &Path) -> Result<(), Refusal> {
    let target = directory(root.join("share/man/man1"))?;
    let simulators = SIMULATORS.into_iter().filter(|name| bin.join(name).is_file());
    for name in ["ftrun", "mpicc"].into_iter().chain(simulators) {
        // A wrapper passes `--help` on to the compiler.
        let option = if name == "mpicc" { "-showme:help" } else { "--help" };
        let help = printed(&bin.join(name), &[option])?;
        write(&target.join(format!("{name}.1")), &manual::page(name, &help))?;
    }
    for (name, program) in LINKS {
        link(&format!("{program}.1"), &target.join(format!("{name}.1")))?;
    }
    Ok(())
}

/// The pkg-config file of the library.
fn description(prefix: &Path) -> String {
    format!(
        "prefix={}\n\
         libdir=${{prefix}}/lib\n\
         includedir=${{prefix}}/include\n\
         \n\
         Name: ftmpi_rs\n\
         Description: {}\n\
         Version: {}\n\
         Cflags: -I${{includedir}}\n\
         Libs: -L${{libdir}} -Wl,-rpath,${{libdir}} -lftmpi_rs\n",
        prefix.display(),
        env!("CARGO_PKG_DESCRIPTION"),
        env!("CARGO_PKG_VERSION"),
    )
}

fn files_of(directory: &Path) -> Result<Vec<PathBuf>, Refusal> {
    let entries = std::fs::read_dir(directory).map_err(|error| failed("read", directory, error))?;
    let paths = entries.flatten().map(|entry| entry.path());
    let is_header = |path: &PathBuf| {
        let end = path.extension().and_then(OsStr::to_str).unwrap_or_default();
        path.is_file() && ["h", "f90"].contains(&end)
    };
    Ok(paths.filter(is_header).collect())
}

fn directory(path: PathBuf) -> Result<PathBuf, Refusal> {
    std::fs::create_dir_all(&path).map_err(|error| failed("make the directory", &path, error))?;
    Ok(path)
}

/// Copies beside the target first: a program or library in use can be replaced that way.
fn copy(from: &Path, to: &Path) -> Result<(), Refusal> {
    let partial = partial(to);
    std::fs::copy(from, &partial).map_err(|error| {
        let _ = std::fs::remove_file(&partial);
        failed(&format!("copy {} to", from.display()), to, error)
    })?;
    put(&partial, to)
}

fn write(to: &Path, text: &str) -> Result<(), Refusal> {
    let partial = partial(to);
    std::fs::write(&partial, text).map_err(|error| failed("write", to, error))?;
    put(&partial, to)
}

fn link(target: &str, to: &Path) -> Result<(), Refusal> {
    let partial = partial(to);
    let _ = std::fs::remove_file(&partial);
    symlink(target, &partial).map_err(|error| failed("make the link", to, error))?;
    put(&partial, to)
}

fn put(partial: &Path, to: &Path) -> Result<(), Refusal> {
    std::fs::rename(partial, to).map_err(|error| failed("write", to, error))
}

fn partial(to: &Path) -> PathBuf {
    let mut name = to.file_name().unwrap_or_default().to_os_string();
    name.push(".new");
    to.with_file_name(name)
}

fn failed(what: &str, path: &Path, error: std::io::Error) -> Refusal {
    Refusal::broken(format!("cannot {what} {}: {error}", path.display()))
}
