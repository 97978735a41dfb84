//! The processes of the ranks: how each is started, and what is known of it.

use super::happening::Happening;
use super::lines::{self, Stream};
use crate::prepared::Prepared;
use ftmpi_launch::RANK_VARIABLES;
use ftmpi_wireup::{Place, VARIABLE, Whereabouts};
use rustix::fd::OwnedFd;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use std::os::unix::net::UnixStream;
use std::process::{Child, Stdio};
use std::sync::mpsc::Sender;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// What all ranks run.
pub(super) struct Template {
    pub(super) prepared: Prepared,
    pub(super) address: String,
    pub(super) secret: String,
}

/// One life of a rank.
pub(super) struct Life {
    pub(super) incarnation: u32,
    pub(super) started: Instant,
    /// The process that was started, and the one that has joined, which that may have started.
    child: OwnedFd,
    joined: Option<OwnedFd>,
    pub(super) connection: Option<UnixStream>,
    pub(super) at: Option<Whereabouts>,
    /// It is inside MPI, or has been.
    pub(super) has_begun: bool,
    pub(super) has_departed: bool,
    /// By which order it dies.
    pub(super) order: Option<String>,
    /// Its process has ended, with this status; and everything that it said has been heard.
    pub(super) ended: Option<std::process::ExitStatus>,
    pub(super) died: Option<Instant>,
    pub(super) is_silent: bool,
    /// It has kept a recovery waiting for too long.
    pub(super) is_late: bool,
    output: Vec<JoinHandle<()>>,
}

impl Template {
    /// Starts the rank of this seat.
    pub(super) fn start(
        &self, seat: usize, incarnation: u32, generation: u64, events: &Sender<Happening>,
    ) -> Result<Life, String> {
        let job = &self.prepared.request.job;
        let mut command = self.prepared.command_without_job(job.ranks);
        let (address, secret) = (self.address.clone(), self.secret.clone());
        let place = Place { address, secret, seat, incarnation };
        command.env(VARIABLE, format!("{}\n{}", place.encode(), job.encode()));
        for name in RANK_VARIABLES {
            command.env(name, seat.to_string());
        }
        command.env("FTMPI_INCARNATION", incarnation.to_string());
        command.env("FTMPI_GENERATION", generation.to_string());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        // As with any launcher, rank 0 reads what the user types.
        command.stdin(if seat == 0 { Stdio::inherit() } else { Stdio::null() });
        let failed = |error| format!("cannot start {}: {error}", self.prepared.program().display());
        let mut child = command.spawn().map_err(failed)?;
        let pidfd = handle(child.id() as i32).map_err(|error| failed(error.into()))?;
        let output = self.pass_on_output(&mut child, seat);
        let (events, started) = (events.clone(), Instant::now());
        thread::spawn(move || {
            if let Ok(status) = child.wait() {
                // Nobody may listen any more.
                let _unheard = events.send(Happening::Ended { seat, incarnation, status });
            }
        });
        Ok(Life {
            incarnation,
            started,
            child: pidfd,
            joined: None,
            connection: None,
            at: None,
            has_begun: false,
            has_departed: false,
            order: None,
            ended: None,
            died: None,
            is_silent: true,
            is_late: false,
            output,
        })
    }

    fn pass_on_output(&self, child: &mut Child, seat: usize) -> Vec<JoinHandle<()>> {
        let tag =
            if self.prepared.request.job.tag_output { format!("[{seat}] ") } else { String::new() };
        let out = child.stdout.take().map(|from| lines::pass_on(from, Stream::Output, tag.clone()));
        let errors = child.stderr.take().map(|from| lines::pass_on(from, Stream::Errors, tag));
        out.into_iter().chain(errors).collect()
    }
}

fn handle(pid: i32) -> rustix::io::Result<OwnedFd> {
    let pid = Pid::from_raw(pid).ok_or(rustix::io::Errno::SRCH)?;
    pidfd_open(pid, PidfdFlags::empty())
}

impl Life {
    /// Its process, or one that this has started, has made its first call of MPI.
    pub(super) fn join(&mut self, at: Whereabouts, connection: UnixStream) {
        self.joined = handle(at.pid).ok();
        self.at = Some(at);
        self.connection = Some(connection);
        self.is_silent = false;
    }

    pub(super) fn kill(&self) {
        for process in self.joined.iter().chain([&self.child]) {
            // It may have ended already.
            let _gone = pidfd_send_signal(process, Signal::KILL);
        }
    }

    /// Waits until all that it has written has been passed on. A process that it has left behind
    /// may keep its output open: nobody waits for that.
    pub(super) fn drain(&mut self) {
        const PATIENCE: Duration = Duration::from_millis(200);
        let until = Instant::now() + PATIENCE;
        for passing in self.output.drain(..) {
            while !passing.is_finished() && Instant::now() < until {
                thread::sleep(Duration::from_micros(50));
            }
        }
    }
}
