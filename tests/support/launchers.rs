//! Launchers of other MPIs, which start programs that are linked with this library.

use super::{Program, Run, command, root, unique};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// One of them, with a mark in the environment of all that it starts.
pub struct Launcher {
    path: PathBuf,
    /// What it always needs.
    options: &'static [&'static str],
    mark: String,
}

/// Where they are installed, as the benchmarks do that.
fn home(peer: &str) -> PathBuf {
    root().join("target/peers").join(peer)
}

fn find(peer: &str, program: &str, options: &'static [&'static str]) -> Option<Launcher> {
    let path = home(peer).join("bin").join(program);
    if !path.exists() {
        let home = home(peer);
        let home = home.display();
        eprintln!(
            "skipped: there is no {program} (python3 -m venv {home} && {home}/bin/pip install \
             {peer})"
        );
        return None;
    }
    Some(Launcher { path, options, mark: unique("launched") })
}

/// MPICH's, which speaks PMI-1.
pub fn hydra() -> Option<Launcher> {
    find("mpich", "mpiexec.hydra", &[])
}

/// PRRTE's, as Open MPI brings it, which speaks PMIx.
pub fn prterun() -> Option<Launcher> {
    find("openmpi", "prterun", &["--allow-run-as-root", "--map-by", ":OVERSUBSCRIBE"])
}

impl Launcher {
    /// A run of so many ranks.
    pub fn run(&self, options: &[&str], ranks: usize, program: &Program, words: &[&str]) -> Run {
        let ranks = ranks.to_string();
        let words = [&["-n", &ranks, text(program.path())], words].concat();
        let words = self.options.iter().chain(options).copied().chain(words);
        // The runtime files of the launcher are found from here; a name would do as well.
        let prefix = self.path.parent().and_then(Path::parent).expect("it lies in bin");
        let run = command(&self.path).args(words).env("FTMPI_RANKS", "");
        run.env("FTMPI_TEST_MARK", &self.mark).env("PRTE_PREFIX", prefix).deadline(120)
    }

    /// Nothing of its runs is there any more.
    pub fn leaves_nothing(&self) {
        let until = Instant::now() + Duration::from_secs(10);
        let sought = format!("FTMPI_TEST_MARK={}", self.mark);
        loop {
            let left = processes_with(&sought);
            if left.is_empty() {
                return;
            }
            assert!(Instant::now() < until, "still there: {left:?}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// The command lines of processes with this line in their environment.
fn processes_with(line: &str) -> Vec<String> {
    let listed = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let has_it = |place: &PathBuf| {
        let lines = std::fs::read(place.join("environ")).unwrap_or_default();
        lines.split(|byte| *byte == 0).any(|one| one == line.as_bytes())
    };
    let places = listed.map(|entry| entry.path()).filter(has_it);
    let words = places.filter_map(|place| std::fs::read(place.join("cmdline")).ok());
    words.map(|words| String::from_utf8_lossy(&words).replace('\0', " ")).collect()
}

fn text(path: &Path) -> &str {
    path.to_str().expect("names of tests are plain")
}
