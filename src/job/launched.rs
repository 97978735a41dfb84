//! Jobs that another launcher has started (`srun`, `prterun`, `mpiexec`): its processes adopt
//! `ftrun`. Rank 0 starts the coordinator, and where there are several hosts, the first rank of
//! each starts an agent. Where they listen is passed on by the launcher. From then on, all is as if
//! `ftrun` had started the processes.

use crate::host::launcher::{self, Absent, Launcher, Position};
use crate::host::{life, service, variables};
use crate::job::link;
use crate::wireup::adoption::{Answer, Call, Charge, Known, OPTION};
use crate::wireup::hosts::FOR_UCX;
use crate::wireup::{self, Said, Told, VARIABLE};
use crossbeam_channel::{RecvTimeoutError, Sender};
use parking_lot::Mutex;
use serde::Serialize;
use std::ffi::OsString;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::{SocketAddr, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Whether another launcher has started this process.
static IS_ADOPTED: AtomicBool = AtomicBool::new(false);

/// Under which names something is published: that a rank is there, and where to find whom.
const HERE: &str = "ftmpi-here";
const COORDINATOR: &str = "ftmpi-coordinator";
const AGENT: &str = "ftmpi-agent";

/// If another launcher has started this process as one of several: what `ftrun` would have told it
/// by its environment, where it is from then on.
pub(super) fn adopted() -> Option<OsString> {
    let mut launcher = launcher::found()?.unwrap_or_else(|why| life::refuse(&why));
    // While this process says why it ends, the launcher is not to see it leave: it might kill it.
    let text = adopt(&mut *launcher).unwrap_or_else(|why| life::refuse(&why))?;
    IS_ADOPTED.store(true, Ordering::Relaxed);
    let text = OsString::from(text);
    // What this process starts is none of the job.
    variables::set(VARIABLE, Some(text.clone()));
    Some(text)
}

/// The job is over, with this status. The launcher of others tells it from its processes'.
pub(super) fn end(status: u8) -> ! {
    match IS_ADOPTED.load(Ordering::Relaxed) {
        true => life::end_process(i32::from(status), ""),
        false => link::write_and_die(),
    }
}

fn adopt(launcher: &mut dyn Launcher) -> Result<Option<String>, String> {
    let absent = Arc::new(OnceLock::new());
    let _watched = watch(absent.clone());
    let position = launcher.position()?;
    if position.hosts.len() > 1
        && let Some(ask) = launcher.absent(HERE)
    {
        launcher.publish(HERE, "1")?;
        _ = absent.set(Mutex::new(ask));
    }
    let place = match position.hosts.len() {
        1 => None,
        _ if position.hosts.iter().all(|host| *host == position.hosts[0]) => {
            Some(meet_here(launcher, &position)?)
        }
        _ => Some(meet_there(launcher, &position)?),
    };
    launcher.part();
    place.map(|place| ask(&place, position.rank)).transpose()
}

/// Ends the process if what is returned has not been dropped in time.
fn watch(absent: Arc<OnceLock<Mutex<Absent>>>) -> Sender<()> {
    const USUAL: u64 = 300;
    const JOIN_VARIABLE: &str = "FTMPI_JOIN_TIMEOUT";
    let given = std::env::var(JOIN_VARIABLE).ok().and_then(|text| text.parse().ok());
    let seconds = given.unwrap_or(USUAL);
    let (kept, watched) = crossbeam_channel::bounded::<()>(0);
    let begun = service::start(Box::new(move || {
        let limit = Duration::from_secs(seconds);
        if watched.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
            let absent = absent.get().map(|ask| (ask.lock())()).unwrap_or_default();
            let which = match absent.iter().map(ToString::to_string).collect::<Vec<_>>() {
                none if none.is_empty() => String::new(),
                some => format!(" (rank {})", some.join(", ")),
            };
            life::refuse(&format!(
                "not all ranks have called MPI within {seconds} s{which}: see whether one of them \
                 has ended or waits before MPI_Init; {JOIN_VARIABLE} sets the time"
            ));
        }
    }));
    // Without it, this process waits for as long as the launcher does.
    let _patient = begun;
    kept
}

/// Where this rank finds `ftrun`, or its agent: a local socket, and the secret of the job.
struct Place {
    address: String,
    secret: String,
}

impl Place {
    fn word(&self) -> String {
        format!("{},{}", self.address, self.secret)
    }

    fn of(word: &str) -> Result<Place, String> {
        let (address, secret) = word.split_once(',').ok_or_else(|| unread(word))?;
        Ok(Place { address: address.to_string(), secret: secret.to_string() })
    }
}

fn unread(word: &str) -> String {
    format!("cannot read what the launcher has passed on: `{word}`")
}

/// All ranks are on one host: `ftrun` itself awaits them.
fn meet_here(launcher: &mut dyn Launcher, position: &Position) -> Result<Place, String> {
    let mut coordinator = None;
    if position.rank == 0 {
        let (stream, answer) = start(&coordinate(position)?)?;
        launcher.publish(COORDINATOR, &here(answer)?.word())?;
        coordinator = Some(stream);
    }
    launcher.fence()?;
    tell(coordinator, &Known)?;
    Place::of(&launcher.find(0, COORDINATOR)?)
}

/// There are several hosts: on each, an agent awaits the ranks.
fn meet_there(launcher: &mut dyn Launcher, position: &Position) -> Result<Place, String> {
    let Position { rank, hosts } = position;
    for (name, value) in FOR_UCX {
        if std::env::var_os(name).is_none() {
            variables::set(name, Some(value.into()));
        }
    }
    let (mut coordinator, mut agent) = (None, None);
    if *rank == 0 {
        let (stream, answer) = start(&coordinate(position)?)?;
        let Answer::There { addresses, secret } = answer else { return Err(strange(&answer)) };
        launcher.publish(COORDINATOR, &format!("{secret},{}", addresses.join(",")))?;
        coordinator = Some(stream);
    }
    let is_of_host = |host: &usize| *host == hosts[*rank];
    let leader = hosts.iter().position(is_of_host).unwrap_or(*rank);
    if leader == *rank {
        let (stream, answer) = start(&Charge::Serve)?;
        launcher.publish(AGENT, &here(answer)?.word())?;
        agent = Some(stream);
    }
    launcher.fence()?;
    tell(coordinator, &Known)?;
    if agent.is_some() {
        let word = launcher.find(0, COORDINATOR)?;
        let (secret, addresses) = word.split_once(',').ok_or_else(|| unread(&word))?;
        let (host, secret) = (hosts[*rank] as u32, secret.to_string());
        let addresses = addresses.split(',').map(str::to_string).collect();
        tell(agent, &Call { host, addresses, secret })?;
    }
    Place::of(&launcher.find(leader, AGENT)?)
}

/// Tells an `ftrun` that this process has started, if it has, what it waits for.
fn tell(to: Option<UnixStream>, what: &impl Serialize) -> Result<(), String> {
    let told = to.map(|mut stream| wireup::write(&mut stream, what));
    told.unwrap_or(Ok(())).map_err(|error| format!("ftrun has gone: {error}"))
}

/// Starts `ftrun` for this; returns the way to it, and its answer.
fn start(charge: &Charge) -> Result<(UnixStream, Answer), String> {
    let ftrun = launcher::ftrun()?;
    let shown = ftrun.display();
    let failed = |error: std::io::Error| format!("cannot start {shown}: {error}");
    let mut stream = launcher::start_apart(&ftrun, OPTION).map_err(failed)?;
    wireup::write(&mut stream, charge).map_err(failed)?;
    match wireup::read(&mut stream).map_err(failed)? {
        Some(Answer::Cannot(why)) => Err(why),
        Some(answer) => Ok((stream, answer)),
        None => Err(format!("{shown} has ended without an answer")),
    }
}

fn here(answer: Answer) -> Result<Place, String> {
    match answer {
        Answer::Here { address, secret } => Ok(Place { address, secret }),
        answer => Err(strange(&answer)),
    }
}

fn strange(answer: &Answer) -> String {
    format!("ftrun answers {answer:?}: is it of another version?")
}

/// The coordinator's charge: replacements run what this process runs.
fn coordinate(position: &Position) -> Result<Charge, String> {
    let failed = |error: std::io::Error| format!("cannot tell what this process runs: {error}");
    let line = std::fs::read("/proc/self/cmdline").map_err(failed)?;
    let mut words = line.split(|byte| *byte == 0).map(<[u8]>::to_vec);
    let name = words.next().unwrap_or_default();
    let mut arguments: Vec<Vec<u8>> = words.collect();
    // Each word ends with a zero, the last one, too.
    arguments.pop();
    let own = std::env::current_exe().map_err(failed)?;
    let program = called(&name, &own).into_os_string().into_vec();
    let hosts = position.hosts.iter().map(|host| *host as u32).collect();
    Ok(Charge::Coordinate { hosts, program, arguments })
}

/// The file of the program under the name by which it was called, if that leads to it: interpreters
/// look for what is theirs beside it.
fn called(name: &[u8], own: &Path) -> PathBuf {
    let name = Path::new(std::ffi::OsStr::from_bytes(name));
    let number = |file: &Path| file.metadata().ok().map(|it| (it.dev(), it.ino()));
    let is_own = |file: &PathBuf| number(file).is_some() && number(file) == number(own);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_word = name.components().count() == 1;
    let on_path = std::env::split_paths(&path).filter(|_| is_word).map(|place| place.join(name));
    let absolute = std::path::absolute(name).ok();
    absolute.into_iter().chain(on_path).find(is_own).unwrap_or_else(|| own.to_path_buf())
}

/// Asks `ftrun` for the place of this rank.
fn ask(place: &Place, seat: usize) -> Result<String, String> {
    let failed = |error: std::io::Error| format!("rank {seat} cannot join its job: {error}");
    let address = SocketAddr::from_abstract_name(&place.address).map_err(failed)?;
    let mut stream = UnixStream::connect_addr(&address).map_err(failed)?;
    let secret = place.secret.clone();
    wireup::write(&mut stream, &Said::Adopt { secret, seat }).map_err(failed)?;
    match wireup::read(&mut stream).map_err(failed)? {
        Some(Told::Adopted(text)) => Ok(text),
        _ => Err(format!("rank {seat} cannot join its job: ftrun has ended")),
    }
}
