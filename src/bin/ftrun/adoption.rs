//! `ftrun` where another launcher has started the ranks: one of them starts it, as coordinator or
//! as agent of a host. It leaves the launcher's care, as a daemon does, and ends with the job.

use crate::hosts::await_agents::Awaited;
use crate::hosts::serve;
use crate::prepared::prepare;
use crate::processes::resume;
use crate::processes::{self, Adopted, connections};
use crate::request::{self, Asked};
use crate::shared::refusal::{BROKEN, Refusal};
use ftmpi_wireup as wireup;
use ftmpi_wireup::adoption::{Answer, Call, Charge, Known, OPTION};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::setsid;
use rustix::thread::{CpuSet, sched_setaffinity};
use std::ffi::OsString;
use std::io::{self, stderr, stdin};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::net::UnixStream;
use std::process::{Command, ExitCode, exit};
use std::thread;

/// The first word of a command line that asks for this. The library alone uses it.
pub(crate) const NAME: &str = OPTION;

/// The second word, where the process is nobody's child.
const APART: &str = "apart";

/// Options of `ftrun`, where nobody can give it any.
const OPTIONS_VARIABLE: &str = "FTMPI_OPTIONS";

/// Starts itself once more and ends, so that the process that goes on is not a child of the rank.
pub(crate) fn main(called: &str, is_apart: bool) -> ExitCode {
    let done = if is_apart { work_apart() } else { go_apart() };
    match done {
        Ok(status) => status,
        Err(refusal) => refusal.say(called),
    }
}

fn go_apart() -> Result<ExitCode, Refusal> {
    let failed = |error: io::Error| Refusal::broken(format!("cannot start ftrun: {error}"));
    let own = std::env::current_exe().map_err(failed)?;
    Command::new(own).args([NAME, APART]).spawn().map_err(failed)?;
    Ok(ExitCode::SUCCESS)
}

fn work_apart() -> Result<ExitCode, Refusal> {
    // Signals for the launcher's processes are not for this one; nor are the cores of one rank.
    let _is_leader = setsid();
    unbind();
    let lost = |error: io::Error| Refusal::broken(format!("the rank has gone: {error}"));
    let mut stream = UnixStream::from(stdin().as_fd().try_clone_to_owned().map_err(lost)?);
    let begun = match wireup::read(&mut stream).map_err(lost)? {
        Some(Charge::Coordinate { hosts, program, arguments }) => begin(&hosts, program, arguments),
        Some(Charge::Serve) => await_ranks(),
        None => return Err(Refusal::usage(format!("{NAME} is for the library itself"))),
    };
    let (answer, work) = match begun {
        Ok(begun) => begun,
        Err(refusal) => {
            let answer = Answer::Cannot(refusal.sentence);
            wireup::write(&mut stream, &answer).map_err(lost)?;
            return Ok(ExitCode::FAILURE);
        }
    };
    wireup::write(&mut stream, &answer).map_err(lost)?;
    thread::spawn(end_with_launcher);
    work(stream)
}

/// What is done once the rank has its answer.
type Work = Box<dyn FnOnce(UnixStream) -> Result<ExitCode, Refusal>>;

fn begin(
    hosts: &[u32], program: Vec<u8>, arguments: Vec<Vec<u8>>,
) -> Result<(Answer, Work), Refusal> {
    let broken = |error: io::Error| Refusal::broken(format!("cannot listen: {error}"));
    let options = std::env::var(OPTIONS_VARIABLE).unwrap_or_default();
    let options = options.split_whitespace().map(OsString::from);
    let ranks = ["-np".into(), hosts.len().to_string().into(), "--processes".into(), "--".into()];
    let program = [OsString::from_vec(program)].into_iter();
    let words = options.chain(ranks).chain(program);
    let words = words.chain(arguments.into_iter().map(OsString::from_vec));
    let Asked::Run(mut request) = request::read("ftrun", words)? else {
        return Err(Refusal::usage(format!("{OPTIONS_VARIABLE} has options for jobs only")));
    };
    request.is_adopted = true;
    let prepared = prepare("ftrun", *request)?;
    let is_one = hosts.iter().all(|host| *host == hosts[0]);
    let (answer, adopted) = match is_one {
        true => {
            let listener = connections::listen().map_err(broken)?;
            let (address, secret) = (listener.address.clone(), listener.secret.clone());
            (Answer::Here { address, secret }, Adopted::Here(listener))
        }
        false => {
            let awaited = Awaited::listen().map_err(broken)?;
            let (addresses, secret) = (awaited.addresses.clone(), awaited.secret.clone());
            let places = hosts.iter().map(|host| *host as usize).collect();
            (Answer::There { addresses, secret }, Adopted::There(places, awaited))
        }
    };
    let work = move |mut stream: UnixStream| {
        match wireup::read(&mut stream) {
            Ok(Some(Known)) => processes::adopt(prepared, adopted),
            // Rank 0 has ended before, or has given up.
            _ => Ok(ExitCode::FAILURE),
        }
    };
    Ok((answer, Box::new(work)))
}

/// The agent of a host: awaits its ranks, and hears from the first of them whom to serve.
fn await_ranks() -> Result<(Answer, Work), Refusal> {
    let listener = connections::listen()
        .map_err(|error| Refusal::broken(format!("cannot listen: {error}")))?;
    let (address, secret) = (listener.address.clone(), listener.secret.clone());
    let work = |mut stream: UnixStream| {
        let called = wireup::read(&mut stream);
        let Ok(Some(Call { host, addresses, secret })) = called else {
            // The launcher has ended the job before.
            return Ok(ExitCode::FAILURE);
        };
        let addresses = addresses.iter().filter_map(|address| address.parse().ok()).collect();
        serve::serve(serve::Call { secret, host, addresses }, Some(listener), resume::run)?;
        Ok(ExitCode::SUCCESS)
    };
    Ok((Answer::Here { address, secret }, Box::new(work)))
}

/// Ends this process, and with it the job, once nobody reads the errors of ranks any more: the
/// launcher has ended, and whatever it has started is to end, too.
fn end_with_launcher() {
    let errors = stderr();
    let mut ways = [PollFd::new(&errors, PollFlags::empty())];
    while poll(&mut ways, None).is_err() {}
    exit(i32::from(BROKEN));
}

/// Uses all cores that there are for this user.
fn unbind() {
    let mut all = CpuSet::new();
    (0..CpuSet::MAX_CPU).for_each(|core| all.set(core));
    // If that cannot be, it shares the cores of a rank.
    let _bound = sched_setaffinity(None, &all);
}
