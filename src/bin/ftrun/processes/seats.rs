//! The processes of the ranks: how each is started, and what is known of it.

use super::happening::{Connection, Happening, unknown_end};
use super::lines::{self, Passing, Sink, Stream};
use crate::hosts::agent::Agent;
use ftmpi_base::Member;
use ftmpi_launch::{Job, Program, RANK_VARIABLES};
use ftmpi_wireup::{Place, VARIABLE, Whereabouts};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread;
use std::time::{Duration, Instant};

/// What the ranks run that are started on this host.
pub(crate) struct Template {
    /// What runs the program of the rank in this seat.
    pub(crate) command: Box<dyn Fn(usize) -> Command>,
    /// The job, as the library is told of it.
    pub(crate) job: String,
    pub(crate) tags_output: bool,
    /// Whether ranks share processes: then the library runs and names them.
    pub(crate) is_shared: bool,
    pub(crate) address: String,
    pub(crate) secret: String,
    /// Which of several hosts this is, and what only the processes of the job know.
    pub(crate) host: Option<(u32, u64)>,
    /// Another launcher has started the first lives of all ranks: they come by themselves.
    pub(crate) adopts: bool,
    pub(crate) sink: Sink,
}

/// What starts a rank that is spawned; its rank in its world, and with which incarnation that
/// began.
pub(crate) struct Other {
    pub(crate) command: Command,
    pub(crate) rank: usize,
    pub(crate) first: u32,
    /// The same, as the library is told of it that runs the rank.
    pub(crate) program: Program,
}

/// One life of a rank.
pub(crate) struct Life {
    pub(crate) incarnation: u32,
    /// The incarnation with which its world began.
    first: u32,
    pub(crate) started: Instant,
    body: Body,
    pub(crate) connection: Option<Connection>,
    pub(crate) at: Option<Whereabouts>,
    /// It is inside MPI, or has been.
    pub(crate) has_begun: bool,
    pub(crate) has_departed: bool,
    /// Whether it has a session open, if it ever had one.
    pub(super) in_session: Option<bool>,
    /// By which order it dies.
    pub(crate) order: Option<String>,
    /// How it has ended, in the words of its process, if it has not ended with that.
    pub(crate) words: Option<String>,
    /// It has been ended by an abort of its group: with this status, in these words.
    pub(super) sentence: Option<(i32, String)>,
    /// Its process has ended, with this status; and everything that it said has been heard.
    pub(crate) ended: Option<std::process::ExitStatus>,
    pub(crate) died: Option<Instant>,
    pub(crate) is_silent: bool,
    /// It has kept a recovery waiting for too long.
    pub(crate) is_late: bool,
    /// It was spawned, and nobody will hear of it.
    pub(super) is_disowned: bool,
    /// Its host was lost.
    pub(crate) is_lost: bool,
    pub(crate) host: Option<String>,
    /// What it reads, if that comes from elsewhere.
    pub(crate) input: Option<ChildStdin>,
}

/// Lives of which nobody knows since another coordinator was lost.
#[derive(Default)]
pub(super) struct Unknown {
    pub(super) members: Vec<Member>,
    /// The hosts on which they may be, and their names.
    pub(super) hosts: BTreeMap<usize, String>,
}

/// What carries a life.
enum Body {
    /// The process that was started, the one that has joined, which that may have started, and what
    /// passes on their output. A process that another launcher has started only joins.
    Here { child: Option<OwnedFd>, joined: Option<OwnedFd>, output: Vec<Passing> },
    /// A process of another host.
    There { agent: Arc<Agent>, seat: usize },
    /// It shares a process, which is kept elsewhere.
    Within(Begin),
    /// Nobody knows of it any more.
    Nowhere,
}

/// How a rank begins in a process that it shares.
pub(super) struct Begin {
    pub(super) generation: u64,
    /// Whether its process has been told.
    pub(super) is_told: bool,
    /// It is to die as soon as it has begun.
    pub(super) is_condemned: bool,
}

impl Template {
    /// Starts the rank of this seat.
    pub(crate) fn start(
        &self, Member { seat, incarnation }: Member, generation: u64, other: Option<Other>,
        events: &Sender<Happening>,
    ) -> Result<Life, String> {
        if self.adopts && incarnation == 0 && other.is_none() {
            return Ok(Life::awaited());
        }
        let spawned = other.as_ref().map(|other| other.program.clone());
        let (mut command, rank, first) = match other {
            Some(Other { command, rank, first, .. }) => (command, rank, first),
            None => ((self.command)(seat), seat, 0),
        };
        // Where ranks share processes, the starts of a process are counted.
        let past = incarnation.saturating_sub(first);
        let (address, secret, host) = (self.address.clone(), self.secret.clone(), self.host);
        let place = Place { address, secret, seat, incarnation, past, host };
        if self.is_shared {
            command.env(VARIABLE, place.encode());
            command.env(ftmpi_launch::VARIABLE, self.job_of(spawned)?);
        } else {
            command.env(VARIABLE, format!("{}\n{}", place.encode(), self.job));
            for name in RANK_VARIABLES {
                command.env(name, rank.to_string());
            }
            command.env("FTMPI_INCARNATION", past.to_string());
            command.env("FTMPI_GENERATION", generation.to_string());
        }
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        // As with any launcher, rank 0 reads what the user types.
        command.stdin(match (seat, self.host) {
            _ if self.adopts => Stdio::null(),
            (0, None) => Stdio::inherit(),
            (0, Some(_)) => Stdio::piped(),
            _ => Stdio::null(),
        });
        let shown = command.get_program().to_string_lossy().into_owned();
        let failed = |error| format!("cannot start {shown}: {error}");
        let mut child = command.spawn().map_err(failed)?;
        let pidfd = handle(child.id() as i32).map_err(|error| failed(error.into()))?;
        let output = self.pass_on_output(&mut child, seat);
        let (events, input) = (events.clone(), child.stdin.take());
        let mut life =
            Life::new(incarnation, Body::Here { child: Some(pidfd), joined: None, output });
        life.input = input;
        thread::spawn(move || {
            if let Ok(status) = child.wait() {
                // Nobody may listen any more.
                let _unheard = events.send(Happening::Ended { seat, incarnation, status });
            }
        });
        Ok(life)
    }

    /// The job, as the library is told of it that runs this spawned program, or that of the job.
    fn job_of(&self, spawned: Option<Program>) -> Result<String, String> {
        let Some(program) = spawned else { return Ok(self.job.clone()) };
        let mut job = Job::decode(&self.job)?;
        // Whatever the seat: there is no other program in its process.
        job.programs = vec![Program { ranks: job.seats(), ..program }];
        job.carrier = 0;
        Ok(job.encode())
    }

    fn pass_on_output(&self, child: &mut Child, seat: usize) -> Vec<Passing> {
        let tag = if self.tags_output { format!("[{seat}] ") } else { String::new() };
        let pass_on = |to| (to, tag.clone(), self.sink.clone());
        let out = child.stdout.take().map(|from| {
            let (to, tag, sink) = pass_on(Stream::Output);
            lines::pass_on(from, to, tag, sink)
        });
        let errors = child.stderr.take().map(|from| {
            let (to, tag, sink) = pass_on(Stream::Errors);
            lines::pass_on(from, to, tag, sink)
        });
        out.into_iter().chain(errors).collect()
    }
}

/// Tells when a process has ended that is no child. Only its parent learns how: if it has not
/// finalized MPI, it has failed.
fn watch(process: Option<&OwnedFd>, (seat, incarnation): (usize, u32), events: Sender<Happening>) {
    let process = process.and_then(|process| process.try_clone().ok());
    thread::spawn(move || {
        if let Some(process) = process {
            let mut ways = [PollFd::new(&process, PollFlags::IN)];
            while poll(&mut ways, None).is_err_and(|error| error == Errno::INTR) {}
        }
        let status = unknown_end();
        // Nobody may listen any more.
        let _unheard = events.send(Happening::Ended { seat, incarnation, status });
    });
}

fn handle(pid: i32) -> rustix::io::Result<OwnedFd> {
    let pid = Pid::from_raw(pid).ok_or(rustix::io::Errno::SRCH)?;
    pidfd_open(pid, PidfdFlags::empty())
}

impl Life {
    fn new(incarnation: u32, body: Body) -> Life {
        Life {
            incarnation,
            first: 0,
            started: Instant::now(),
            body,
            connection: None,
            at: None,
            has_begun: false,
            has_departed: false,
            in_session: None,
            order: None,
            words: None,
            sentence: None,
            ended: None,
            died: None,
            is_silent: true,
            is_late: false,
            is_disowned: false,
            is_lost: false,
            host: None,
            input: None,
        }
    }

    /// The same, if its world began with that incarnation.
    pub(super) fn of_world(self, first: u32) -> Life {
        Life { first, ..self }
    }

    /// One that an agent starts on its host.
    pub(crate) fn there(seat: usize, incarnation: u32, agent: &Arc<Agent>) -> Life {
        let host = Some(agent.name.clone());
        Life { host, ..Life::new(incarnation, Body::There { agent: agent.clone(), seat }) }
    }

    /// One that was started on a host that may be lost.
    pub(crate) fn nowhere(incarnation: u32, host: Option<String>, started: Instant) -> Life {
        Life { host, started, ..Life::new(incarnation, Body::Nowhere) }
    }

    /// One that another launcher has started, and that will join.
    pub(crate) fn awaited() -> Life {
        Life::new(0, Body::Here { child: None, joined: None, output: Vec::new() })
    }

    /// One that shares a process.
    pub(super) fn within(incarnation: u32, generation: u64) -> Life {
        let begin = Begin { generation, is_told: false, is_condemned: false };
        Life::new(incarnation, Body::Within(begin))
    }

    /// How many lives of this rank there were before it.
    pub(super) fn past(&self) -> u32 {
        self.incarnation.saturating_sub(self.first)
    }

    /// How it begins, if it shares a process.
    pub(super) fn begin(&mut self) -> Option<&mut Begin> {
        match &mut self.body {
            Body::Within(begin) => Some(begin),
            Body::Here { .. } | Body::There { .. } | Body::Nowhere => None,
        }
    }

    /// It has used MPI, and is done with it: nobody waits for it.
    pub(super) fn has_left(&self) -> bool {
        self.has_departed || !self.has_begun && self.in_session == Some(false)
    }

    /// Its process, or one that this has started, has made its first call of MPI.
    pub(crate) fn join(
        &mut self, seat: usize, at: Whereabouts, connection: Connection, events: &Sender<Happening>,
    ) {
        let incarnation = self.incarnation;
        if let Body::Here { child, joined, .. } = &mut self.body {
            *joined = handle(at.pid).ok();
            if child.is_none() {
                watch(joined.as_ref(), (seat, incarnation), events.clone());
            }
        }
        self.at = Some(at);
        self.connection = Some(connection);
        self.is_silent = false;
    }

    pub(crate) fn kill(&self) {
        match &self.body {
            Body::Here { child, joined, .. } => {
                for process in joined.iter().chain(child) {
                    // It may have ended already.
                    let _gone = pidfd_send_signal(process, Signal::KILL);
                }
            }
            Body::There { agent, seat } => agent.kill(*seat, self.incarnation),
            Body::Within(_) | Body::Nowhere => {}
        }
    }

    /// Keeps no descriptors of a process that is over, and has been heard to the end.
    pub(crate) fn let_go(&mut self) {
        if self.ended.is_none() || !self.is_silent {
            return;
        }
        (self.connection, self.input) = (None, None);
        if let Body::Here { child, joined, output } = &mut self.body {
            // What was started may have started it, and ended first.
            let has_ended = |process: &OwnedFd| {
                let now = Timespec { tv_sec: 0, tv_nsec: 0 };
                poll(&mut [PollFd::new(process, PollFlags::IN)], Some(&now)) != Ok(0)
            };
            *child = None;
            *joined = joined.take().filter(|process| !has_ended(process));
            output.retain(|passing| !passing.finish(Duration::ZERO));
        }
    }

    /// The status that counts of its end.
    pub(super) fn serve(&mut self, status: ExitStatus) -> ExitStatus {
        let Some((status, words)) = self.sentence.take() else { return status };
        self.words = Some(words);
        ExitStatus::from_raw((status & 0xff) << 8)
    }

    /// Nobody knows where it is.
    pub(crate) fn is_nowhere(&self) -> bool {
        matches!(self.body, Body::Nowhere)
    }

    /// The number of its host, if that is another one.
    pub(crate) fn host_number(&self) -> Option<usize> {
        match &self.body {
            Body::Here { .. } | Body::Within(_) | Body::Nowhere => None,
            Body::There { agent, .. } => Some(agent.host),
        }
    }

    /// Whether it is on the host of this number.
    pub(crate) fn is_on(&self, host: usize) -> bool {
        self.host_number() == Some(host)
    }

    /// Waits for a moment until all that it has written has been passed on; returns what has not
    /// come to an end, since whoever reads it is slow.
    pub(crate) fn drain(&mut self) -> Vec<Passing> {
        const PATIENCE: Duration = Duration::from_millis(200);
        let until = Instant::now() + PATIENCE;
        let left = || until.saturating_duration_since(Instant::now());
        self.take_output().into_iter().filter(|passing| !passing.finish(left())).collect()
    }

    /// What passes on what it has written.
    pub(crate) fn take_output(&mut self) -> Vec<Passing> {
        match &mut self.body {
            Body::Here { output, .. } => std::mem::take(output),
            _ => Vec::new(),
        }
    }
}
