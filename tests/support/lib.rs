//! What integration tests share: programs compiled once, and runs that end by a deadline.
//!
//! ```ignore
//! let ring = support::c("ring.c").flags(&["-O2"]).build(); // tests/programs/ring.c
//! let seen = support::run(&ring).ranks(8).args(["3"]).succeeds();
//! assert_eq!(seen.sorted_lines(), ["rank 0 …", "rank 1 …"]);
//!
//! let seen = support::run(&ring).ranks(8).option("--on-failure=continue").deadline(5).outcome();
//! assert_eq!(seen.status, Some(139));
//! ```
//!
//! A path with a slash starts at the root of the project: `support::c("c_examples/ring.c")`.
//! A test that needs a tool which is not there fails and names it: `./test.sh` installs them all.

pub mod hosts;
pub mod launchers;
pub mod namespaces;
pub mod programs;
pub mod runs;
pub mod takeover;

pub use programs::{Handles, Program, Source};
pub use runs::{Outcome, Run};

use std::path::{Path, PathBuf};
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Whether ranks are processes where a test says nothing else (`FTMPI_RANKS=process`), or share
/// some (`process:3`).
pub fn are_ranks_processes() -> bool {
    processes().is_some()
}

/// On how many hosts ranks are where a test says nothing else (`FTMPI_TEST_HOSTS=4`): all of them
/// are this one, and each rank has a process.
pub fn test_hosts() -> Option<usize> {
    let count = std::env::var("FTMPI_TEST_HOSTS").ok()?;
    Some(count.parse().expect("a number of hosts"))
}

/// How many processes ranks share, if they are processes.
pub fn processes() -> Option<Option<usize>> {
    if test_hosts().is_some() {
        return Some(None);
    }
    let kind = std::env::var("FTMPI_RANKS").ok()?;
    match kind.strip_prefix("process")?.strip_prefix(':') {
        Some(count) => Some(Some(count.parse().expect("a number of processes"))),
        None => Some(None),
    }
}

/// What carries ranks in turn (see [`Run::carried_by`]); where each is a process, that is all.
pub fn kinds() -> &'static [&'static str] {
    match processes() {
        Some(None) => &["process"],
        _ => &["thread", "fiber"],
    }
}

/// A C program from `tests/programs`, or from elsewhere in the project.
pub fn c(file: &str) -> Source {
    Source::of_file(file, "cc")
}

/// A C++ program.
pub fn cxx(file: &str) -> Source {
    Source::of_file(file, "c++")
}

/// A Fortran program.
pub fn fortran(file: &str) -> Source {
    Source::of_file(file, "gfortran")
}

/// A C program that is written in the test; `name` is for its file.
pub fn c_text(name: &str, text: &str) -> Source {
    Source::of_text(&format!("{name}.c"), text, "cc")
}

/// A C++ program that is written in the test.
pub fn cxx_text(name: &str, text: &str) -> Source {
    Source::of_text(&format!("{name}.cpp"), text, "c++")
}

/// A Fortran program (free form, preprocessed) that is written in the test.
pub fn fortran_text(name: &str, text: &str) -> Source {
    Source::of_text(&format!("{name}.F90"), text, "gfortran")
}

/// Runs `program` under ftrun.
pub fn run(program: &Program) -> Run {
    Run::of(program.path())
}

/// Runs a program that the test has made itself under ftrun.
pub fn launch(program: &Path) -> Run {
    Run::of(program)
}

/// Runs any command, without ftrun.
pub fn command(program: impl AsRef<Path>) -> Run {
    Run::of(program.as_ref()).alone()
}

/// Where this build has put its programs: tests are in a directory of theirs below it.
fn built() -> PathBuf {
    let test = std::env::current_exe().expect("it runs");
    test.ancestors().nth(2).expect("tests are below").to_path_buf()
}

/// Where tests may leave what they make.
fn scratch() -> PathBuf {
    let path = built().with_file_name("tmp");
    std::fs::create_dir_all(&path).expect("the target directory can be written to");
    path
}

/// The launcher that this build made.
pub fn ftrun() -> PathBuf {
    built().join("ftrun")
}

/// One of the other programs that this build made, such as `mpicc`.
pub fn tool(name: &str) -> PathBuf {
    ftrun().with_file_name(name)
}

/// The directory of the library that ftrun will preload. `cargo test` does not build a library that
/// nothing links, so that this one must be up to date.
pub fn library_directory() -> PathBuf {
    static CHECKED: Once = Once::new();
    let directory = built();
    CHECKED.call_once(|| match changed_since_built(&directory) {
        None => {}
        Some(file) => panic!("{file} is newer than the library: run `cargo build --release` first"),
    });
    directory
}

/// A source file of the library that has changed since it was built.
fn changed_since_built(directory: &Path) -> Option<String> {
    let age = |file: &Path| file.metadata().and_then(|file| file.modified()).ok();
    let built = age(&directory.join("libftmpi_rs.so"));
    let sources = std::fs::read_to_string(directory.join("libftmpi_rs.d")).unwrap_or_default();
    let Some((_, sources)) = sources.split_once(": ") else {
        return Some("the source".to_string());
    };
    let changed = |file: &&str| age(Path::new(file)) > built;
    sources.split_whitespace().find(changed).map(str::to_string)
}

/// The program that stops threads of others.
fn jitter() -> Program {
    c("tools/jitter.c").without_mpi().flags(&["-O2", "-Wall", "-Wextra", "-Werror"]).build()
}

/// The root of the project.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).expect("it is below").to_path_buf()
}

/// A new, empty directory for one test.
pub fn fresh_directory(name: &str) -> PathBuf {
    static SWEPT: Once = Once::new();
    SWEPT.call_once(sweep);
    let path = scratch().join(unique(name));
    // A process of an earlier run may have had our number, and have been killed.
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("the target directory can be written to");
    path
}

/// Copies a program or a script so that it can be run at once. Not by this process: while it writes
/// to a file, another thread may start a program, which holds the file open for writing until it
/// has begun, and meanwhile nobody can run what is in it.
pub fn copy_program(from: impl AsRef<Path>, to: impl AsRef<Path>) {
    let mut command = std::process::Command::new("cp");
    let copied = command.arg("--").arg(from.as_ref()).arg(to.as_ref()).status();
    assert!(copied.is_ok_and(|status| status.success()), "{command:?}");
}

/// Removes the directories of tests that have ended: `name-process-count`.
fn sweep() {
    let directory = scratch();
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let mut parts = name.rsplit('-');
        let is_count = parts.next().is_some_and(|count| count.parse::<usize>().is_ok());
        let process = parts.next().and_then(|process| process.parse::<u32>().ok());
        if let Some(process) = process.filter(|_| is_count)
            && !Path::new("/proc").join(process.to_string()).exists()
        {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// `name` with something that no other test of this or another process has.
fn unique(name: &str) -> String {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    format!("{name}-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

/// Whether a tool is on PATH.
pub fn has(tool: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|directory| directory.join(tool).is_file())
}

/// How many cores the ranks of a run have: as many as this process may use, unless the environment
/// says otherwise for the whole run of tests.
pub fn cores() -> usize {
    let told = std::env::var("FTMPI_CORES").ok().and_then(|cores| cores.parse().ok());
    told.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}
