//! Launchers of other MPIs, which start programs that are linked with this library.

use super::namespaces::Hosts;
use super::{Program, Run, command, root, unique};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// One of them, with a mark in the environment of all that it starts.
#[derive(Debug)]
pub struct Launcher {
    path: PathBuf,
    /// What it always needs.
    options: &'static [&'static str],
    /// What lets it go on when a rank has died, if it can.
    pub goes_on: Option<&'static [&'static str]>,
    /// Whether it tells ranks of each other by PMIx; if not, by PMI.
    speaks_pmix: bool,
    mark: String,
}

/// Where they are installed, as the benchmarks do that.
fn home(peer: &str) -> PathBuf {
    root().join("target/peers").join(peer)
}

fn find(
    peer: &str, package: &str, program: &str, options: &'static [&'static str],
    goes_on: Option<&'static [&'static str]>,
) -> Option<Launcher> {
    let path = home(peer).join("bin").join(program);
    if !path.exists() {
        let home = home(peer);
        let home = home.display();
        eprintln!(
            "skipped: there is no {program} (python3 -m venv {home} && {home}/bin/pip install \
             {package})"
        );
        return None;
    }
    let speaks_pmix = program == "prterun";
    Some(Launcher { path, options, goes_on, speaks_pmix, mark: unique("launched") })
}

/// MPICH's, which speaks PMI-1.
pub fn hydra() -> Option<Launcher> {
    find("mpich", "mpich", "mpiexec.hydra", &[], None)
}

/// Another one of MPICH's, which does not say which ranks share a host.
pub fn gforker() -> Option<Launcher> {
    find("mpich", "mpich", "mpiexec.gforker", &[], None)
}

/// Intel's, which speaks PMI-1, too.
pub fn intel() -> Option<Launcher> {
    find("impi", "impi-rt", "mpiexec.hydra", &[], Some(&["-disable-auto-cleanup"]))
}

/// PRRTE's, as Open MPI brings it, which speaks PMIx.
pub fn prterun() -> Option<Launcher> {
    const OPTIONS: &[&str] = &["--allow-run-as-root", "--map-by", ":OVERSUBSCRIBE"];
    find("openmpi", "openmpi", "prterun", OPTIONS, Some(&["--runtime-options", "continuous"]))
}

/// Starts a program that does not find PMIx's library, neither the system's nor the launcher's.
pub const WITHOUT_PMIX: [&str; 6] = ["unshare", "--map-root-user", "--mount", "sh", "-c", HIDE];

/// Hides each file by an empty one, for what is started here only.
const HIDE: &str = r#"
    loaded=$(cat /proc/[0-9]*/maps 2>&- | grep -o "/.*/libpmix\.so.*" | sort -u)
    known=$(/sbin/ldconfig -p | sed -n "s/.*libpmix.* => //p")
    for file in $loaded $known; do
        test ! -e "$file" || mount --bind /dev/null "$file" || exit 99
    done
    exec "$0" "$@"
"#;

/// Whether that can be done here.
pub fn can_hide_pmix() -> bool {
    let [unshare, options @ .., _, _, _] = WITHOUT_PMIX;
    let tried = std::process::Command::new(unshare).args(options).arg("true").output();
    let can = tried.is_ok_and(|seen| seen.status.success());
    if !can {
        eprintln!("skipped: namespaces of mounts cannot be made here");
    }
    can
}

/// The sentence that a user gets then.
pub const NO_PMIX: &str = "ftrun: libpmix.so.2 is not found, by which the launcher tells ranks of \
                           each other: install it on each host (Debian, Ubuntu: apt-get install \
                           libpmix2), or start the program by ftrun\n";

impl Launcher {
    /// A run of so many ranks.
    pub fn run(&self, options: &[&str], ranks: usize, program: &Program, words: &[&str]) -> Run {
        self.run_by(&[], options, ranks, program, words)
    }

    /// The same, if this command is to start the program.
    pub fn run_by(
        &self, starter: &[&str], options: &[&str], ranks: usize, program: &Program, words: &[&str],
    ) -> Run {
        let ranks = ranks.to_string();
        let words = [&["-n", &ranks], starter, &[text(program.path())], words].concat();
        let words = self.options.iter().chain(options).copied().chain(words);
        let run = command(&self.path).args(words);
        let set = |run: Run, (name, value): (&str, String)| run.env(name, value);
        self.variables().into_iter().fold(run, set).deadline(120)
    }

    /// Where the launcher finds what is its own, and the mark.
    fn variables(&self) -> [(&'static str, String); 4] {
        let prefix = self.path.parent().and_then(Path::parent).expect("it lies in bin");
        let prefix = text(prefix).to_string();
        [
            ("FTMPI_RANKS", String::new()),
            ("PRTE_PREFIX", prefix.clone()),
            ("I_MPI_ROOT", prefix),
            ("FTMPI_TEST_MARK", self.mark.clone()),
        ]
    }

    /// A command that starts a program on these hosts, so many ranks on each.
    pub fn on(&self, hosts: &Hosts, each: usize) -> std::process::Command {
        let slots = |host: &String| format!("{host}:{each}");
        let list = hosts.addresses().iter().map(slots).collect::<Vec<_>>().join(",");
        let (ssh, ranks) = (hosts.ssh().display().to_string(), each * hosts.names().len());
        let first = hosts.within_first();
        let mut command = std::process::Command::new(&first[0]);
        command.args(&first[1..]).arg(&self.path);
        match self.speaks_pmix {
            true => command
                .args([
                    "--allow-run-as-root",
                    "--map-by",
                    &format!("ppr:{each}:node:OVERSUBSCRIBE"),
                ])
                .args(["--prtemca", "plm_ssh_agent", &ssh, "--prtemca", "prte_if_include", "wire"])
                .args(["--host", &list]),
            false => command
                .args(["-launcher", "ssh", "-launcher-exec", &ssh, "-iface", "wire"])
                .args(["-hosts", &list]),
        };
        command.args(["-n", &ranks.to_string()]).envs(self.variables()).stdin(Stdio::null());
        command.current_dir(&hosts.directory).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Kills the launcher itself, and nothing else.
    pub fn kill(&self) {
        let is_it = |(place, words): &(PathBuf, String)| {
            let name = self.path.to_string_lossy();
            place.join("exe").exists() && words.starts_with(&*name)
        };
        for (place, _) in processes_with(&self.line()).into_iter().filter(is_it) {
            let number = place.file_name().expect("it is a number").to_os_string();
            let done = std::process::Command::new("kill").arg("-9").arg(number).status();
            assert!(done.is_ok_and(|status| status.success()), "it is there");
        }
    }

    /// Whether it can say which rank has not come.
    pub fn names_absent(&self) -> bool {
        self.speaks_pmix
    }

    fn line(&self) -> String {
        format!("FTMPI_TEST_MARK={}", self.mark)
    }

    /// Nothing of its runs is there any more.
    pub fn leaves_nothing(&self) {
        let until = Instant::now() + Duration::from_secs(10);
        loop {
            let left = processes_with(&self.line());
            if left.is_empty() {
                return;
            }
            assert!(Instant::now() < until, "still there: {left:?}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// The processes with this line in their environment, and their command lines.
fn processes_with(line: &str) -> Vec<(PathBuf, String)> {
    let listed = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let has_it = |place: &PathBuf| {
        let lines = std::fs::read(place.join("environ")).unwrap_or_default();
        lines.split(|byte| *byte == 0).any(|one| one == line.as_bytes())
    };
    let places = listed.map(|entry| entry.path()).filter(has_it);
    let with_words = places.filter_map(|place| {
        let words = std::fs::read(place.join("cmdline")).ok()?;
        Some((place, String::from_utf8_lossy(&words).replace('\0', " ")))
    });
    with_words.collect()
}

fn text(path: &Path) -> &str {
    path.to_str().expect("names of tests are plain")
}
