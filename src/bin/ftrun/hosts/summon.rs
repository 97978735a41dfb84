//! Starts an agent on each host, and waits until all have answered; or says which has not, why, and
//! what to do.
//!
//! An agent is started by a command with `{HOST}` in it. It gets the secret of the job by its
//! standard input, and connects to this process. Whoever connects without the secret is not heard.

use super::agent::{Agent, Steps};
use super::named::{self, Named};
use super::registry::Registry;
use super::serve;
use super::tenancy::insist;
use super::version::version;
use crate::processes::connections::secret;
use crate::processes::happening::Happening;
use crate::request::Hosts;
use crate::shared::refusal::{NOT_RUNNABLE, Refusal};
use ftmpi_fault::Reign;
use ftmpi_launch::Job;
use ftmpi_wireup as wireup;
use ftmpi_wireup::hosts::{OfAgent, Program, ToAgent};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use std::io::{BufRead, BufReader, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs, UdpSocket};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// How an agent is started on another host, unless the user says otherwise.
const SSH: &str = "ssh -o BatchMode=yes -o ConnectTimeout=10 {HOST}";

const JOIN_SECONDS: u64 = 30;
const JOIN_VARIABLE: &str = "FTMPI_JOIN_TIMEOUT";

/// The longest first message of somebody who has not shown yet that it is an agent.
pub(super) const LONGEST_HELLO: usize = 4096;

/// What happens until all have answered.
enum Answer {
    Hello { host: usize, version: String, agent: Come },
    Gone { host: usize, status: ExitStatus, last_line: String },
}

/// An agent that has connected, and how many cores its host has.
struct Come {
    stream: TcpStream,
    cores: usize,
}

/// The agents, and where others reach each of them.
pub(crate) struct Summoned {
    pub(crate) agents: Vec<Arc<Agent>>,
    pub(crate) addresses: Vec<Vec<SocketAddr>>,
    pub(crate) registry: Arc<Registry>,
    pub(crate) steps: Steps,
}

/// Starts the agents, and tells all what to run; `places` has the host of each rank. What they say
/// goes to `events`.
pub(crate) fn all(
    hosts: &[Named], ways: &Hosts, (program, places): (Program, &[usize]),
    events: &Sender<Happening>,
) -> Result<Summoned, Refusal> {
    let broken = |what: &str, error: std::io::Error| Refusal::broken(format!("{what}: {error}"));
    let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0))
        .map_err(|error| broken("cannot listen to other hosts", error))?;
    let port = listener.local_addr().map_err(|error| broken("cannot listen", error))?.port();
    let (secret, version) = (secret(), version()?);
    let (sender, answers) = channel();
    listen(listener, secret.clone(), hosts.len(), sender.clone());
    let mut calls = Vec::new();
    let all = hosts.iter().enumerate().try_for_each(|(host, named)| {
        calls.push(Call::make((host, &named.name), ways, port, &secret, &sender)?);
        Ok(())
    });
    let all = all.and_then(|()| await_all(&calls, &version, &answers));
    let agents = all.and_then(|all| {
        begin_on(with_names(&calls, all)?, (program, places), (events, ways.has_no_takeover))
    });
    if agents.is_err() {
        calls.iter().for_each(Call::end);
    }
    agents
}

fn with_names(calls: &[Call], agents: Vec<Come>) -> Result<Vec<Host>, Refusal> {
    let named = calls.iter().zip(agents).map(|(call, Come { stream, cores })| {
        let starter = call.starter.try_clone();
        let starter = starter.map_err(|error| Refusal::broken(format!("{error}")))?;
        Ok(Host { name: call.name.clone(), cores, stream, starter: Some(starter) })
    });
    named.collect()
}

/// A host whose agent has answered.
pub(super) struct Host {
    pub(super) name: String,
    pub(super) cores: usize,
    pub(super) stream: TcpStream,
    /// What has started the agent, if `ftrun` has.
    pub(super) starter: Option<OwnedFd>,
}

/// Tells all agents what to run, and hears what they say from then on. `is_alone`: no agent takes
/// over if this process is lost.
pub(super) fn begin_on(
    hosts: Vec<Host>, (mut program, places): (Program, &[usize]),
    (events, is_alone): (&Sender<Happening>, bool),
) -> Result<Summoned, Refusal> {
    let cores: Vec<usize> = hosts.iter().map(|host| host.cores).collect();
    tell_how_crowded(&mut program, ranks_per_core(places, &cores));
    let (steps, now) = (Steps::default(), Instant::now());
    let reign = Reign::first(hosts.len(), Duration::ZERO);
    let registry = Registry::new(hosts.len(), reign, is_alone, now, steps.clone(), events.clone());
    let registry = Arc::new(registry);
    let (mut agents, mut addresses) = (Vec::new(), Vec::new());
    for (number, host) in hosts.into_iter().enumerate() {
        let name = host.name.clone();
        let begun = begin(number, host, &program, &registry, &steps).map_err(|why| {
            Refusal::new(NOT_RUNNABLE, format!("host {name} cannot start ranks: {why}"))
        });
        let (agent, found) = begun?;
        agents.push(agent);
        addresses.push(found);
    }
    registry.watch(&agents);
    Ok(Summoned { agents, addresses, registry, steps })
}

/// How many ranks share a core of the host that has the most for each.
fn ranks_per_core(places: &[usize], cores: &[usize]) -> usize {
    let ranks_on = |host: usize| places.iter().filter(|place| **place == host).count();
    let each = cores.iter().enumerate().map(|(host, cores)| ranks_on(host).div_ceil(*cores));
    each.max().unwrap_or(1)
}

fn tell_how_crowded(program: &mut Program, ranks_per_core: usize) {
    if let Ok(job) = Job::decode(&program.job) {
        let ranks_per_core = Some(ranks_per_core);
        program.job = Job { ranks_per_core, ..job }.encode();
    }
}

/// Tells an agent what to run, and hears what it says from then on.
fn begin(
    host: usize, Host { name, stream, starter, .. }: Host, program: &Program,
    registry: &Arc<Registry>, steps: &Steps,
) -> Result<(Arc<Agent>, Vec<SocketAddr>), String> {
    let lost = |error: std::io::Error| format!("its agent has gone ({error})");
    let mut reading = BufReader::new(stream.try_clone().map_err(lost)?);
    let agent = Agent::new(host, name, stream, starter, steps.clone());
    let agent = Arc::new(agent.map_err(lost)?);
    let sent_at = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    agent.tell(&ToAgent::Begin(Box::new(Program { sent_at, ..program.clone() })));
    let addresses = match wireup::read(&mut reading).map_err(lost)? {
        Some(OfAgent::Ready(able)) => able?,
        _ => return Err("its agent has gone".to_string()),
    };
    let _once = agent.addresses.set(addresses.clone());
    let _unlimited = reading.get_ref().set_read_timeout(None);
    registry.attend(agent.clone(), reading);
    Ok((agent, addresses))
}

/// How one agent was started.
struct Call {
    name: String,
    words: Vec<String>,
    port: u16,
    /// The process of the command.
    starter: OwnedFd,
}

impl Call {
    /// Starts the agent, and tells it by its standard input what nobody else is to know.
    fn make(
        (host, name): (usize, &str), ways: &Hosts, port: u16, secret: &str,
        answers: &Sender<Answer>,
    ) -> Result<Call, Refusal> {
        let agent = ways.agent.as_deref();
        let is_here = agent.is_none() && named::is_here(name, &named::this_host());
        let far = ways.usual_agent.unwrap_or(SSH);
        let command = agent.unwrap_or(if is_here { "sh -c" } else { far });
        let stays_here = is_here || agent.is_some_and(|agent| !agent.contains("{HOST}"));
        let words = command.split_whitespace().map(|word| word.replace("{HOST}", name));
        let words: Vec<String> = words.collect();
        let own = std::env::current_exe()
            .map_err(|error| Refusal::broken(format!("where is ftrun? {error}")))?;
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).arg(format!("exec {} {}", quoted(&own), serve::NAME));
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let failed = |error: std::io::Error| {
            let words = format!(
                "host {name}: cannot run {}: {error}; install it, or name another way to start \
                 processes there (--agent)",
                words[0]
            );
            Refusal::new(NOT_RUNNABLE, words)
        };
        let mut child = command.spawn().map_err(failed)?;
        let starter = Pid::from_raw(child.id() as i32).ok_or(Errno::SRCH);
        let starter = starter.and_then(|pid| pidfd_open(pid, PidfdFlags::empty()));
        let starter = starter.map_err(|error| failed(error.into()))?;
        let addresses = match stays_here {
            true => vec![IpAddr::from(Ipv4Addr::LOCALHOST)],
            false => addresses_towards(name),
        };
        let mut text = format!("{secret}\n{host}\n");
        for address in addresses {
            text += &format!("{}\n", SocketAddr::new(address, port));
        }
        if let Some(mut stdin) = child.stdin.take() {
            // If it is gone, that will be heard.
            let _unread = stdin.write_all(text.as_bytes());
        }
        let answers = answers.clone();
        thread::spawn(move || attend(host, child, &answers));
        Ok(Call { name: name.to_string(), words, port, starter })
    }

    fn shown(&self) -> String {
        self.words.join(" ")
    }

    /// Nobody waits for the agent any more.
    fn end(&self) {
        // It may have ended already.
        let _gone = pidfd_send_signal(&self.starter, Signal::KILL);
    }
}

/// A word for a shell.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', "'\\''"))
}

/// Passes on what an agent's command says, and tells when it has ended.
fn attend(host: usize, mut child: Child, answers: &Sender<Answer>) {
    let mut last_line = String::new();
    if let Some(errors) = child.stderr.take() {
        for line in BufReader::new(errors).lines().map_while(Result::ok) {
            if !line.trim().is_empty() {
                last_line = line.trim().to_string();
            }
        }
    }
    if let Ok(status) = child.wait() {
        let _late = answers.send(Answer::Gone { host, status, last_line });
    }
}

/// The addresses of this host by which another may reach it: first the one from which the way
/// there leads.
pub(super) fn addresses_towards(name: &str) -> Vec<IpAddr> {
    /// Belongs to nobody; nothing is sent.
    const ANYWHERE: (&str, u16) = ("192.0.2.1", 9);
    let mut found: Vec<IpAddr> = Vec::new();
    let from = |to: SocketAddr| {
        let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
        socket.connect(to).ok()?;
        Some(socket.local_addr().ok()?.ip())
    };
    let by_name = (name, 9).to_socket_addrs().into_iter().flatten();
    let by_route = ANYWHERE.to_socket_addrs().into_iter().flatten();
    let routed = by_name.chain(by_route).filter(SocketAddr::is_ipv4).filter_map(from);
    for address in routed.chain(named::own_addresses()) {
        let is_usable = !address.is_loopback() && !address.is_unspecified();
        if is_usable && !found.contains(&address) {
            found.push(address);
        }
    }
    found
}

/// Hears who connects, each in a thread of its own, so that a stranger keeps nobody waiting.
fn listen(listener: TcpListener, secret: String, hosts: usize, answers: Sender<Answer>) {
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (secret, answers) = (secret.clone(), answers.clone());
            thread::spawn(move || {
                if let Some(answer) = greet(stream, &secret, hosts) {
                    let _late = answers.send(answer);
                }
            });
        }
    });
}

fn greet(mut stream: TcpStream, expected: &str, hosts: usize) -> Option<Answer> {
    let limit = Some(Duration::from_secs(10));
    stream.set_read_timeout(limit).ok()?;
    stream.set_write_timeout(limit).ok()?;
    stream.set_nodelay(true).ok()?;
    insist(&stream);
    let said = wireup::read_at_most(&mut stream, LONGEST_HELLO).ok()??;
    let OfAgent::Hello { secret, host, version, cores, .. } = said else { return None };
    let (host, is_known) = (host as usize, secret == expected);
    let agent = Come { stream, cores: (cores as usize).max(1) };
    (is_known && host < hosts).then_some(Answer::Hello { host, version, agent })
}

fn await_all(
    calls: &[Call], version: &str, answers: &Receiver<Answer>,
) -> Result<Vec<Come>, Refusal> {
    let seconds = join_seconds();
    let until = Instant::now() + Duration::from_secs(seconds);
    let mut all: Vec<Option<Come>> = calls.iter().map(|_| None).collect();
    while all.iter().any(Option::is_none) {
        let left = until.saturating_duration_since(Instant::now());
        match answers.recv_timeout(left) {
            Ok(Answer::Hello { host, version: theirs, .. }) if theirs != version => {
                return Err(refused(&calls[host], other_version(&theirs, version)));
            }
            Ok(Answer::Hello { host, agent, .. }) => all[host] = Some(agent),
            Ok(Answer::Gone { host, .. }) if all[host].is_some() => {}
            Ok(Answer::Gone { host, status, last_line }) => {
                return Err(refused(&calls[host], why_gone(&calls[host], status, &last_line)));
            }
            Err(_) => {
                let silent = all.iter().position(Option::is_none).unwrap_or(0);
                return Err(refused(&calls[silent], why_silent(&calls[silent], seconds)));
            }
        }
    }
    Ok(all.into_iter().flatten().collect())
}

/// How long to wait for all hosts.
pub(crate) fn join_seconds() -> u64 {
    let given = std::env::var(JOIN_VARIABLE).ok().and_then(|text| text.parse().ok());
    given.unwrap_or(JOIN_SECONDS)
}

fn refused(call: &Call, why: String) -> Refusal {
    Refusal::new(NOT_RUNNABLE, format!("host {} {why}", call.name))
}

pub(super) fn other_version(theirs: &str, ours: &str) -> String {
    format!(
        "has another version of the library, {theirs}, and this host has {ours}: install the same \
         one on all hosts"
    )
}

fn why_silent(call: &Call, seconds: u64) -> String {
    let (port, shown) = (call.port, call.shown());
    format!(
        "has not answered within {seconds} s: does `{shown} hostname` work, and may it connect to \
         port {port} of this host (firewall)?"
    )
}

fn why_gone(call: &Call, status: ExitStatus, last_line: &str) -> String {
    let shown = call.shown();
    let said = if last_line.is_empty() { String::new() } else { format!(": {last_line}") };
    let cure = match status.code() {
        Some(serve::UNREACHED) => format!(
            "let it connect to port {} of this host: a firewall may be in the way",
            call.port
        ),
        Some(126 | 127) => "install the library at the same place on each host".to_string(),
        _ => format!("check that `{shown} hostname` works without a password"),
    };
    format!("cannot be used: `{shown} …` has ended ({status}){said}; {cure}")
}
