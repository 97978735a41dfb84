//! Runs that end: by themselves, or by a deadline that kills all of their processes and fails.

use super::{ftrun, has};
use std::ffi::{OsStr, OsString};
use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How long a run may take if nothing else is said: it is there for those that hang, and never the
/// measure of those that are slow, on whatever machine beside whatever else.
const PATIENCE: Duration = Duration::from_secs(300);

/// One run of a program, being put together.
#[derive(Clone, Debug)]
pub struct Run {
    program: PathBuf,
    ranks: Option<usize>,
    kind: Option<String>,
    alone: bool,
    options: Vec<OsString>,
    arguments: Vec<OsString>,
    variables: Vec<(OsString, Option<OsString>)>,
    directory: Option<PathBuf>,
    stdin: Vec<u8>,
    deadline: Duration,
    jitter: Option<Jitter>,
}

/// How single threads of a run are stopped at random (see `tools/jitter.c`).
#[derive(Clone, Copy, Debug)]
struct Jitter {
    every_us: u32,
    longest_ms: u32,
    seed: u64,
}

impl Jitter {
    /// What `FTMPI_JITTER='EVERY_US LONGEST_MS'` wants for all jobs; each has a seed of its own.
    fn of_environment() -> Option<Jitter> {
        static JOBS: AtomicU64 = AtomicU64::new(0);
        let wanted = std::env::var("FTMPI_JITTER").ok()?;
        let mut numbers = wanted.split_whitespace().map(str::parse);
        let (Some(Ok(every_us)), Some(Ok(longest_ms)), None) =
            (numbers.next(), numbers.next(), numbers.next())
        else {
            panic!("FTMPI_JITTER is `EVERY_US LONGEST_MS`, not `{wanted}`")
        };
        let seed = u64::from(std::process::id()) << 20 | JOBS.fetch_add(1, Ordering::Relaxed);
        Some(Jitter { every_us, longest_ms, seed })
    }
}

/// What a run has left behind.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The exit status; `None` if a signal ended the process.
    pub status: Option<i32>,
    /// The signal that ended the process itself, not just a rank of it.
    pub signal: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    pub took: Duration,
}

/// A test whose run has such an option says where its ranks are.
const WHERE: [&str; 7] =
    ["--hosts", "--hostfile", "--processes", "--ranks", "--agent", "--seed", "--virtual"];

impl Run {
    pub(super) fn of(program: &Path) -> Run {
        Run {
            program: program.to_path_buf(),
            ranks: None,
            kind: None,
            alone: false,
            options: Vec::new(),
            arguments: Vec::new(),
            variables: Vec::new(),
            directory: None,
            stdin: Vec::new(),
            deadline: PATIENCE,
            jitter: Jitter::of_environment(),
        }
    }

    /// About every so many microseconds some thread of the job stops, for no longer than so many
    /// milliseconds.
    pub fn jittered(mut self, every_us: u32, longest_ms: u32, seed: u64) -> Run {
        self.jitter = Some(Jitter { every_us, longest_ms, seed });
        self
    }

    /// How many ranks (`ftrun -np`).
    pub fn ranks(mut self, ranks: usize) -> Run {
        self.ranks = Some(ranks);
        self
    }

    /// Ranks are threads or fibers, also where they share processes. With a process for each this
    /// says nothing: `--ranks` would overrule `FTMPI_RANKS`.
    pub fn carried_by(mut self, kind: &str) -> Run {
        self.kind = Some(kind.to_string());
        self
    }

    /// Starts the program as it is, without ftrun: a world of one.
    pub fn alone(mut self) -> Run {
        self.alone = true;
        self
    }

    /// One more word for ftrun, such as `--on-failure=continue`.
    pub fn option(mut self, word: impl AsRef<OsStr>) -> Run {
        self.options.push(word.as_ref().into());
        self
    }

    /// More words for the program.
    pub fn args<Word: AsRef<OsStr>>(mut self, words: impl IntoIterator<Item = Word>) -> Run {
        self.arguments.extend(words.into_iter().map(|word| word.as_ref().into()));
        self
    }

    /// Sets an environment variable.
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Run {
        self.variables.push((name.as_ref().into(), Some(value.as_ref().into())));
        self
    }

    /// Takes an environment variable away.
    pub fn env_remove(mut self, name: impl AsRef<OsStr>) -> Run {
        self.variables.push((name.as_ref().into(), None));
        self
    }

    /// Runs in this directory.
    pub fn directory(mut self, directory: impl Into<PathBuf>) -> Run {
        self.directory = Some(directory.into());
        self
    }

    /// What the program reads on standard input.
    pub fn stdin(mut self, text: impl AsRef<[u8]>) -> Run {
        self.stdin = text.as_ref().to_vec();
        self
    }

    /// How many seconds the run may take; beyond, it is killed and the test fails.
    pub fn deadline(mut self, seconds: u64) -> Run {
        self.deadline = Duration::from_secs(seconds);
        self
    }

    /// Runs, and fails the test unless the exit status is 0.
    #[track_caller]
    pub fn succeeds(&self) -> Outcome {
        let outcome = self.outcome();
        assert!(outcome.status == Some(0), "{:?} failed\n{outcome}", self.command());
        outcome
    }

    /// Runs, and fails the test unless the exit status is this one.
    #[track_caller]
    pub fn fails_with(&self, status: i32) -> Outcome {
        let outcome = self.outcome();
        let command = self.command();
        assert!(outcome.status == Some(status), "{command:?} should end with {status}\n{outcome}");
        outcome
    }

    /// Runs, and says what was seen, whatever it was.
    #[track_caller]
    pub fn outcome(&self) -> Outcome {
        let mut command = self.command();
        let started = Instant::now();
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        feed(&mut child, self.stdin.clone());
        let stdout = collect(child.stdout.take());
        let stderr = collect(child.stderr.take());
        let group = child.id();
        let (sender, ended) = mpsc::channel();
        thread::spawn(move || sender.send(child.wait()));
        let status = ended.recv_timeout(self.deadline);
        let is_jittered = self.jitter.is_some() && !self.alone;
        let stacks = status.is_err().then(|| match is_jittered {
            true => stacks_of(released_by(group)),
            false => stacks_of(group),
        });
        // What the program started and left running holds the pipes open: it ends as well.
        kill_group(group);
        let output = |from: JoinHandle<Vec<u8>>| {
            let bytes = from.join().expect("a reader of a pipe does not panic");
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let mut outcome = Outcome {
            status: None,
            signal: None,
            stdout: output(stdout),
            stderr: output(stderr),
            took: started.elapsed(),
        };
        let Ok(status) = status else {
            let stacks = stacks.unwrap_or_default();
            panic!("{command:?}\nstill runs after {:?}\n{outcome}\n{stacks}", self.deadline);
        };
        let status = status.expect("a child can be waited for once");
        (outcome.status, outcome.signal) = (status.code(), status.signal());
        outcome
    }

    /// The options that say on which hosts the ranks are, and what starts them there.
    fn hosts(&self) -> Vec<String> {
        let says_itself = |word: &OsString| {
            let word = word.to_string_lossy();
            WHERE.iter().any(|option| word.starts_with(option))
        };
        let has_said = |(name, _): &(OsString, Option<OsString>)| name == "FTMPI_RANKS";
        let Some((ranks, most)) = self.ranks.zip(super::test_hosts()) else { return Vec::new() };
        let is_said = self.options.iter().any(says_itself) || self.variables.iter().any(has_said);
        if is_said || ranks < 2 {
            return Vec::new();
        }
        let count = most.min(ranks);
        let share = |host: usize| (ranks + host) / count;
        let hosts: Vec<String> =
            (0..count).map(|host| format!("h{host}:{}", share(host))).collect();
        ["--agent", "sh -c", "--hosts", &hosts.join(",")].map(str::to_string).to_vec()
    }

    /// The options that say what carries ranks.
    fn carriers(&self) -> Vec<String> {
        let Some(kind) = &self.kind else { return Vec::new() };
        let kind = format!("--ranks={kind}");
        match super::processes() {
            None => vec![kind],
            Some(Some(count)) if self.ranks.is_some_and(|ranks| ranks > count) => {
                vec![format!("--processes={count}"), kind]
            }
            Some(_) => Vec::new(),
        }
    }

    fn command(&self) -> Command {
        let mut command = if self.alone {
            Command::new(&self.program)
        } else {
            let mut command = match self.jitter {
                None => Command::new(ftrun()),
                Some(Jitter { every_us, longest_ms, seed }) => {
                    let mut command = Command::new(super::jitter().path());
                    command.args([every_us.to_string(), longest_ms.to_string(), seed.to_string()]);
                    command.arg(ftrun());
                    command
                }
            };
            if let Some(ranks) = self.ranks {
                command.arg("-np").arg(ranks.to_string());
            }
            command.args(self.hosts()).args(self.carriers()).args(&self.options);
            command.arg(&self.program);
            command
        };
        command.args(&self.arguments);
        // Cargo's own leads to a library that `cargo test` does not renew.
        command.env_remove("LD_LIBRARY_PATH");
        for (name, value) in &self.variables {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.process_group(0);
        command
    }
}

impl Outcome {
    /// The lines of standard output in alphabetical order: ranks write in no fixed order.
    pub fn sorted_lines(&self) -> Vec<&str> {
        let mut lines: Vec<&str> = self.stdout.lines().collect();
        lines.sort_unstable();
        lines
    }

    /// How many lines of standard output contain `text`.
    pub fn lines_with(&self, text: &str) -> usize {
        self.stdout.lines().filter(|line| line.contains(text)).count()
    }
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Outcome { status, signal, stdout, stderr, took } = self;
        writeln!(to, "status {status:?}, signal {signal:?}, after {took:?}")?;
        writeln!(to, "--- standard output\n{stdout}--- standard error\n{stderr}---")
    }
}

fn feed(child: &mut Child, text: Vec<u8>) {
    let mut pipe = child.stdin.take().expect("standard input is a pipe");
    // A program that reads nothing closes the pipe early: its right.
    thread::spawn(move || drop(pipe.write_all(&text)));
}

fn collect(pipe: Option<impl Read + Send + 'static>) -> JoinHandle<Vec<u8>> {
    let mut pipe = pipe.expect("output is a pipe");
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.read_to_end(&mut bytes);
        bytes
    })
}

/// Ends all processes of a run; there may be none left.
fn kill_group(group: u32) {
    let kill = format!("kill -KILL -{group} 2>/dev/null");
    let _ = Command::new("sh").arg("-c").arg(kill).status();
}

/// The process that this one has stopped at random, and lets go of.
fn released_by(jitter: u32) -> u32 {
    let children = format!("/proc/{jitter}/task/{jitter}/children");
    let script = format!("kill -TERM {jitter}; sleep 1; cat {children}");
    let said = Command::new("sh").arg("-c").arg(script).output();
    let said = said.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let first =
        said.unwrap_or_default().split_whitespace().next().and_then(|word| word.parse().ok());
    first.unwrap_or(jitter)
}

/// Where the threads of a process that hangs are, if gdb is there to tell.
fn stacks_of(process: u32) -> String {
    const LINES: usize = 300;
    if !has("gdb") || !has("timeout") {
        return String::new();
    }
    let shown = Command::new("timeout")
        .args(["-k", "1", "20", "gdb", "-batch", "-nx", "-ex", "thread apply all backtrace 12"])
        .args(["-p", &process.to_string()])
        .stdin(Stdio::null())
        .output();
    let text = shown.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    text.unwrap_or_default().lines().take(LINES).collect::<Vec<_>>().join("\n")
}
