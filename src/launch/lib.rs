//! What `ftrun` asks of the library: a job, passed in one environment variable and read at start.

#![forbid(unsafe_code)]

mod failure;
mod programs;
mod rules;
mod signals;
mod virtual_time;

pub use failure::{Sequel, all_have_failed};
pub use programs::{Program, number as number_of_program};
pub use rules::{CollMode, CommMode, InitialErrhandler, Modes, MsgMode, RecoveryMode, Rules};
pub use signals::{signal_abbreviation, signal_name};
pub use virtual_time::{Compute, VirtualTime};

use ftmpi_base::{Division, evenly};
use ftmpi_machine::forced_match::ForcedMatch;
use ftmpi_machine::schedule::Event;
use std::thread::available_parallelism;
use std::time::Duration;

/// The variable that carries a job from `ftrun` to the library.
pub const VARIABLE: &str = "FTRUN_JOB";
/// The variable that keeps the user's own `LD_PRELOAD` while the library's is in force.
pub const PRELOAD_KEPT: &str = "FTRUN_LD_PRELOAD";

/// The exit status of a job whose ranks all wait for each other.
pub const STUCK: u8 = 123;

/// Variables from which scripts and tools learn the rank that they run in, as other launchers set
/// them. Every rank has its own values; all ranks are on one node.
pub const RANK_VARIABLES: [&str; 8] = [
    "OMPI_COMM_WORLD_RANK",
    "OMPI_COMM_WORLD_LOCAL_RANK",
    "OMPI_COMM_WORLD_NODE_RANK",
    "PMI_RANK",
    "PMIX_RANK",
    "MPI_LOCALRANKID",
    "MV2_COMM_WORLD_RANK",
    "MV2_COMM_WORLD_LOCAL_RANK",
];
/// Variables from which scripts and tools learn the number of ranks.
pub const SIZE_VARIABLES: [&str; 7] = [
    "OMPI_COMM_WORLD_SIZE",
    "OMPI_COMM_WORLD_LOCAL_SIZE",
    "OMPI_UNIVERSE_SIZE",
    "PMI_SIZE",
    "MPI_LOCALNRANKS",
    "MV2_COMM_WORLD_SIZE",
    "MV2_COMM_WORLD_LOCAL_SIZE",
];

/// The number of cores for ranks. Tests set it by `FTMPI_CORES`, whatever the machine has.
pub fn cores() -> usize {
    let pretended = std::env::var("FTMPI_CORES").ok().and_then(|text| text.parse().ok());
    pretended
        .filter(|cores| *cores > 0)
        .unwrap_or_else(|| available_parallelism().map_or(1, usize::from))
}

/// What happens to the other ranks when a rank fails, unless a mode of FT-MPI or ULFM decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnFailure {
    /// The job ends at once.
    End,
    /// The others continue without it.
    Continue,
    /// The others continue, and a new incarnation takes the seat.
    Restart,
}

/// What runs a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RankKind {
    /// A thread of the operating system.
    Thread,
    /// A fiber, which the library schedules.
    Fiber,
    /// The better of the two for the number of ranks.
    Auto,
}

impl RankKind {
    /// Finds a kind by its name.
    pub fn named(name: &str) -> Option<RankKind> {
        [RankKind::Thread, RankKind::Fiber, RankKind::Auto].into_iter().find(|it| it.name() == name)
    }

    fn name(self) -> &'static str {
        match self {
            RankKind::Thread => "thread",
            RankKind::Fiber => "fiber",
            RankKind::Auto => "auto",
        }
    }
}

/// To what each rank is bound, if there is a core for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    /// An equal share of the cores, unless that would do harm.
    Auto,
    None,
    /// One core.
    Core,
    HardwareThread,
}

impl Binding {
    /// Finds what `--bind-to` names. What other launchers add after a colon makes no difference,
    /// and neither do places larger than a core.
    pub fn named(name: &str) -> Option<Binding> {
        const LARGER: [&str; 11] = [
            "socket", "package", "numa", "board", "machine", "l1cache", "l2cache", "l3cache",
            "user", "rr", "cpu-list",
        ];
        let (name, _) = name.split_once(':').unwrap_or((name, ""));
        let all = [Binding::Auto, Binding::None, Binding::Core, Binding::HardwareThread];
        let known = all.into_iter().find(|it| it.name() == name);
        known.or_else(|| LARGER.contains(&name).then_some(Binding::Auto))
    }

    fn name(self) -> &'static str {
        match self {
            Binding::Auto => "auto",
            Binding::None => "none",
            Binding::Core => "core",
            Binding::HardwareThread => "hwthread",
        }
    }
}

/// One run: the number of ranks and all options of `ftrun`.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    pub ranks: usize,
    /// Among how many processes they are divided, if some have several ranks and there are others.
    pub processes: Option<usize>,
    /// How many ranks each of these has, if they are not divided evenly.
    pub sizes: Vec<usize>,
    /// If ranks are in several processes: how many share a core of the host that has the most for
    /// each. All choose algorithms by it, however many cores their own hosts have.
    pub ranks_per_core: Option<usize>,
    /// The programs, in the order of their ranks, if there are several.
    pub programs: Vec<Program>,
    /// Which of them the process starts with.
    pub carrier: usize,
    /// For how many ranks there are seats, those included that may be spawned; 0: as many as the
    /// program is likely to need.
    pub universe: usize,
    pub kind: RankKind,
    pub binding: Binding,
    /// Report on stderr to what each rank is bound.
    pub reports_bindings: bool,
    pub on_failure: OnFailure,
    /// How the job handles failures. `None`: as the program's symbols suggest.
    pub rules: Option<Rules>,
    /// The initial error handler of MPI_COMM_WORLD and MPI_COMM_SELF, if the user has chosen one.
    pub errhandler: Option<InitialErrhandler>,
    /// Libraries that get a private copy per rank although they would be shared, and the reverse.
    pub private: Vec<String>,
    pub shared: Vec<String>,
    /// All ranks run in one copy of the program, because it has no variables that they change.
    pub shares_image: bool,
    /// Report on stderr what was loaded how, and why.
    pub explain: bool,
    /// Start every line of output with `[rank]`.
    pub tag_output: bool,
    pub timeout: Option<Duration>,
    /// How much virtual time a job with a seed may take; as much as `timeout`, if that is not said.
    pub virtual_timeout: Option<Duration>,
    /// How much processor time the job may take.
    pub processor_timeout: Option<Duration>,
    /// How long a recovery waits for a rank that does not join it.
    pub patience: Option<Duration>,
    /// End the job when all of its ranks wait for each other.
    pub watches: bool,
    /// Check the arguments of calls.
    pub checks: bool,
    /// Report at the end what each rank has left behind.
    pub leftovers: bool,
    /// The file that gets a line for each failure.
    pub report: Option<String>,
    /// The port of the page on which people watch the job; 0 for any free port.
    pub watch: Option<u16>,
    /// Whether to draw the job on the terminal.
    pub draws: bool,
    /// The file that records what viewers would see.
    pub record: Option<String>,
    /// The file that gets the calls of all ranks.
    pub trace: Option<String>,
    /// When that file was begun, since the epoch, if several processes add to it.
    pub traced_since: Option<Duration>,
    /// Do not report failures that the job survives.
    pub is_quiet: bool,
    /// Which ranks die when.
    pub kills: Vec<Event>,
    /// Which messages receives from any source take.
    pub matches: Vec<ForcedMatch>,
    /// The seed of a deterministic replay: decides in the system's place wherever possible.
    pub seed: Option<u64>,
    /// The mean time between random failures, and the seed that repeats them.
    pub chance: Option<(Duration, u64)>,
    /// The machine to simulate, by its name or file.
    pub machine: Option<String>,
    /// Time passes as on that machine.
    pub virtual_time: Option<VirtualTime>,
    /// How long a second of the simulated machine's failures lasts here.
    pub time_scale: f64,
    pub stack_bytes: usize,
    /// The limit of a rank's heap; this is address space, not memory.
    pub heap_bytes: usize,
}

impl Default for Job {
    fn default() -> Job {
        Job {
            ranks: 1,
            processes: None,
            sizes: Vec::new(),
            ranks_per_core: None,
            programs: Vec::new(),
            carrier: 0,
            universe: 0,
            kind: RankKind::Auto,
            binding: Binding::Auto,
            reports_bindings: false,
            on_failure: OnFailure::End,
            rules: None,
            errhandler: None,
            private: Vec::new(),
            shared: Vec::new(),
            shares_image: false,
            explain: false,
            tag_output: false,
            timeout: None,
            virtual_timeout: None,
            processor_timeout: None,
            patience: None,
            watches: true,
            checks: true,
            leftovers: false,
            report: None,
            watch: None,
            draws: false,
            record: None,
            trace: None,
            traced_since: None,
            is_quiet: false,
            kills: Vec::new(),
            matches: Vec::new(),
            seed: None,
            chance: None,
            machine: None,
            virtual_time: None,
            time_scale: 1.0,
            stack_bytes: 8 << 20,
            heap_bytes: 1 << 30,
        }
    }
}

impl Job {
    /// Whether somebody looks at the job while it runs, or will later.
    pub fn is_seen(&self) -> bool {
        self.watch.is_some() || self.record.is_some() || self.draws
    }

    /// Which of the programs the rank in this seat runs, counted from 0; see [`Program`].
    pub fn app_of(&self, seat: usize) -> usize {
        programs::number(self.programs.iter().map(|program| program.ranks), seat)
    }

    /// The job as the value of [`VARIABLE`]: one `key=value` per line.
    pub fn encode(&self) -> String {
        let on_failure = match self.on_failure {
            OnFailure::End => "end",
            OnFailure::Continue => "continue",
            OnFailure::Restart => "restart",
        };
        let mut lines = vec![
            format!("ranks={}", self.ranks),
            format!("kind={}", self.kind.name()),
            format!("binding={}", self.binding.name()),
            format!("reports-bindings={}", self.reports_bindings),
            format!("on-failure={on_failure}"),
            format!("share-image={}", self.shares_image),
            format!("explain={}", self.explain),
            format!("tag-output={}", self.tag_output),
            format!("watches={}", self.watches),
            format!("checks={}", self.checks),
            format!("leftovers={}", self.leftovers),
            format!("quiet={}", self.is_quiet),
            format!("draws={}", self.draws),
            format!("stack={}", self.stack_bytes),
            format!("heap={}", self.heap_bytes),
            format!("time-scale={}", self.time_scale),
        ];
        lines.extend(self.programs.iter().map(|program| format!("program={}", program.encode())));
        lines.extend(self.processes.map(|count| format!("processes={count}")));
        lines.extend(self.sizes.iter().map(|size| format!("size={size}")));
        lines.extend(self.ranks_per_core.map(|count| format!("ranks-per-core={count}")));
        lines.push(format!("carrier={}", self.carrier));
        lines.push(format!("universe={}", self.universe));
        lines.extend(self.timeout.map(|after| format!("timeout={}", after.as_secs_f64())));
        let limit = self.virtual_timeout;
        lines.extend(limit.map(|after| format!("virtual-timeout={}", after.as_secs_f64())));
        let limit = self.processor_timeout;
        lines.extend(limit.map(|after| format!("processor-timeout={}", after.as_secs_f64())));
        lines.extend(self.patience.map(|after| format!("patience={}", after.as_secs_f64())));
        lines.extend(self.rules.map(|it| format!("rules={}", it.encode())));
        lines.extend(self.errhandler.map(|it| format!("errhandler={}", it.name())));
        lines.extend(self.report.iter().map(|file| format!("report={file}")));
        lines.extend(self.watch.map(|port| format!("watch={port}")));
        lines.extend(self.record.iter().map(|file| format!("record={file}")));
        lines.extend(self.trace.iter().map(|file| format!("trace={file}")));
        lines.extend(self.traced_since.map(|since| format!("traced-since={}", since.as_nanos())));
        lines.extend(self.private.iter().map(|name| format!("private={name}")));
        lines.extend(self.shared.iter().map(|name| format!("shared={name}")));
        lines.extend(self.kills.iter().map(|event| format!("kill={event}")));
        lines.extend(self.matches.iter().map(|forced| format!("match={forced}")));
        lines.extend(self.seed.map(|seed| format!("seed={seed}")));
        let chance =
            self.chance.map(|(mean, seed)| format!("chance={} {seed}", mean.as_secs_f64()));
        lines.extend(chance);
        lines.extend(self.machine.iter().map(|file| format!("machine={file}")));
        lines.extend(self.virtual_time.map(|time| format!("virtual-time={}", time.encode())));
        lines.join("\n")
    }

    /// How many ranks there can be at most.
    pub fn seats(&self) -> usize {
        self.universe.max(self.ranks)
    }

    /// Which of its ranks are in which process, if it has several.
    pub fn division(&self) -> Division {
        let processes = self.processes.unwrap_or(self.ranks).clamp(1, self.ranks.max(1));
        let mut sizes = match self.sizes.is_empty() {
            true => evenly(self.ranks, processes),
            false => self.sizes.clone(),
        };
        // Each rank that is spawned has a process of its own.
        sizes.resize(sizes.len() + self.seats() - self.ranks, 1);
        Division::of(&sizes)
    }

    /// Reads what [`Job::encode`] wrote; the error names the line that it does not understand.
    pub fn decode(text: &str) -> Result<Job, String> {
        let mut job = Job::default();
        for line in text.lines() {
            let parsed = line.split_once('=').and_then(|(key, value)| job.set(key, value));
            parsed.ok_or_else(|| format!("{VARIABLE}: cannot read `{line}`"))?;
        }
        Ok(job)
    }

    fn set(&mut self, key: &str, value: &str) -> Option<()> {
        match key {
            "ranks" => self.ranks = value.parse().ok()?,
            "processes" => self.processes = Some(value.parse().ok()?),
            "size" => self.sizes.push(value.parse().ok()?),
            "ranks-per-core" => self.ranks_per_core = Some(value.parse().ok()?),
            "program" => self.programs.push(Program::decode(value)?),
            "universe" => self.universe = value.parse().ok()?,
            "carrier" => self.carrier = value.parse().ok()?,
            "kind" => self.kind = RankKind::named(value)?,
            "binding" => self.binding = Binding::named(value)?,
            "reports-bindings" => self.reports_bindings = value.parse().ok()?,
            "on-failure" => {
                self.on_failure = match value {
                    "end" => OnFailure::End,
                    "continue" => OnFailure::Continue,
                    "restart" => OnFailure::Restart,
                    _ => return None,
                }
            }
            "rules" => self.rules = Some(Rules::decode(value)?),
            "errhandler" => self.errhandler = Some(InitialErrhandler::named(value)?),
            "share-image" => self.shares_image = value.parse().ok()?,
            "explain" => self.explain = value.parse().ok()?,
            "tag-output" => self.tag_output = value.parse().ok()?,
            "watches" => self.watches = value.parse().ok()?,
            "checks" => self.checks = value.parse().ok()?,
            "leftovers" => self.leftovers = value.parse().ok()?,
            "quiet" => self.is_quiet = value.parse().ok()?,
            "report" => self.report = Some(value.to_string()),
            "watch" => self.watch = Some(value.parse().ok()?),
            "draws" => self.draws = value.parse().ok()?,
            "trace" => self.trace = Some(value.to_string()),
            "traced-since" => {
                self.traced_since = Some(Duration::from_nanos(value.parse().ok()?));
            }
            "record" => self.record = Some(value.to_string()),
            "stack" => self.stack_bytes = value.parse().ok()?,
            "heap" => self.heap_bytes = value.parse().ok()?,
            "timeout" => self.timeout = Some(seconds(value)?),
            "virtual-timeout" => self.virtual_timeout = Some(seconds(value)?),
            "processor-timeout" => self.processor_timeout = Some(seconds(value)?),
            "patience" => self.patience = Some(seconds(value)?),
            "kill" => self.kills.push(Event::parse(value).ok()?),
            "match" => self.matches.push(ForcedMatch::parse(value)?),
            "seed" => self.seed = Some(value.parse().ok()?),
            "chance" => {
                let (mean, seed) = value.split_once(' ')?;
                let mean = Duration::try_from_secs_f64(mean.parse().ok()?).ok()?;
                self.chance = Some((mean, seed.parse().ok()?));
            }
            "machine" => self.machine = Some(value.to_string()),
            "virtual-time" => self.virtual_time = Some(VirtualTime::decode(value)?),
            "time-scale" => self.time_scale = value.parse().ok()?,
            "private" => self.private.push(value.to_string()),
            "shared" => self.shared.push(value.to_string()),
            _ => return None,
        }
        Some(())
    }
}

fn seconds(value: &str) -> Option<Duration> {
    Duration::try_from_secs_f64(value.parse().ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftmpi_machine::network::NetworkModel;

    #[test]
    fn a_job_survives_the_environment() {
        let job = Job {
            ranks: 120,
            processes: Some(4),
            sizes: vec![40, 40, 20, 20],
            ranks_per_core: Some(15),
            programs: vec![Program { ranks: 120, ..Program::default() }],
            carrier: 1,
            universe: 200,
            kind: RankKind::Fiber,
            binding: Binding::HardwareThread,
            reports_bindings: true,
            on_failure: OnFailure::Restart,
            rules: Some(Rules::Ft(Modes::default())),
            errhandler: Some(InitialErrhandler::Abort),
            private: vec!["libapp.so".into(), "libx.so".into()],
            shared: vec!["libbig.so".into()],
            shares_image: true,
            report: Some("/a/b=c".into()),
            watch: Some(8080),
            draws: true,
            record: Some("/a/run".into()),
            trace: Some("/a/calls".into()),
            traced_since: Some(Duration::from_nanos(1_790_000_000_123_456_789)),
            is_quiet: true,
            timeout: Some(Duration::from_millis(1500)),
            virtual_timeout: Some(Duration::from_millis(300)),
            processor_timeout: Some(Duration::from_millis(1200)),
            patience: Some(Duration::from_millis(20)),
            kills: vec![Event::parse("3.2@inside:MPI_Send:4").unwrap()],
            matches: vec![ForcedMatch::parse("0:2=1").unwrap()],
            seed: Some(98),
            chance: Some((Duration::from_millis(2500), 99)),
            machine: Some("a b.toml".into()),
            virtual_time: Some(VirtualTime {
                compute: Compute::None,
                network: NetworkModel::Packets,
            }),
            time_scale: 0.25,
            ..Job::default()
        };
        assert_eq!(Job::decode(&job.encode()), Ok(job));
    }

    #[test]
    fn a_line_that_makes_no_sense_is_named() {
        assert_eq!(Job::decode("ranks=two"), Err("FTRUN_JOB: cannot read `ranks=two`".into()));
    }
}
