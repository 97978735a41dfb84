//! The agent of a host: starts the ranks that `ftrun` wants there, watches their processes, and
//! passes on what they say, print and are told. It ends, with its ranks, when `ftrun` does.

use super::tenancy::{Tenancy, insist};
use super::version::version;
use crate::processes::connections;
use crate::processes::happening::{Guest, Happening};
use crate::processes::lines::Stream;
use crate::processes::seats::{Life, Template};
use crate::shared::refusal::Refusal;
use ftmpi_launch::Job;
use ftmpi_wireup::hosts::{OfAgent, Program, ToAgent};
use ftmpi_wireup::{self as wireup, Told};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The first word of a command line that asks for this. `ftrun` alone uses it.
pub(crate) const NAME: &str = "--agent-of-host";

/// The exit status of an agent that cannot reach `ftrun`.
pub(super) const UNREACHED: i32 = 113;

/// Variables that tell UCX to stay quiet and to leave signals and memory alone, unless the user has
/// set them.
const FOR_UCX: [(&str, &str); 4] = [
    ("UCX_HANDLE_ERRORS", "none"),
    ("UCX_MEM_EVENTS", "n"),
    ("UCX_WARN_UNUSED_ENV_VARS", "n"),
    ("UCX_LOG_LEVEL", "fatal"),
];

pub(crate) fn main(called: &str) -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(refusal) => refusal.say(called),
    }
}

fn run() -> Result<(), Refusal> {
    let Call { secret, host, addresses } = Call::read(&mut io::stdin().lock())
        .ok_or_else(|| Refusal::usage(format!("{NAME} is for ftrun itself")))?;
    let version = version()?;
    let mut stream = connect(&addresses).map_err(|why| Refusal::new(UNREACHED as u8, why))?;
    let gone = |error: io::Error| Refusal::broken(format!("ftrun has gone: {error}"));
    wireup::write(&mut stream, &OfAgent::Hello { secret, host, version }).map_err(gone)?;
    let mut reading = BufReader::new(stream.try_clone().map_err(gone)?);
    let Some(ToAgent::Begin(program)) = wireup::read(&mut reading).map_err(gone)? else {
        // It has no use for this host.
        return Ok(());
    };
    let connection = stream.try_clone().map_err(gone)?;
    let out = Arc::new(Mutex::new(stream));
    let able = enter(&program);
    let is_able = able.is_ok();
    say(&out, &OfAgent::Ready(able));
    if !is_able {
        return Ok(());
    }
    let listener = connections::listen()
        .map_err(|error| Refusal::broken(format!("cannot listen to the ranks: {error}")))?;
    let (address, job_secret) = (listener.address.clone(), listener.secret.clone());
    let (sender, events) = channel();
    listener.serve(sender.clone());
    let tenancy = Tenancy::begin(out.clone(), connection, sender.clone());
    hear(reading, tenancy, sender.clone());
    let template = template(*program, host, address, job_secret, out.clone());
    let (lives, early) = (BTreeMap::new(), Some(Vec::new()));
    Office { template, out, early, lives, input: None, sender }.work(&events);
    Ok(())
}

/// What `ftrun` says by the standard input.
struct Call {
    secret: String,
    host: u32,
    addresses: Vec<SocketAddr>,
}

impl Call {
    fn read(from: &mut impl BufRead) -> Option<Call> {
        let mut lines = from.lines().map_while(Result::ok);
        let (secret, host) = (lines.next()?, lines.next()?.parse().ok()?);
        let addresses: Vec<SocketAddr> = lines.filter_map(|line| line.parse().ok()).collect();
        (!addresses.is_empty()).then_some(Call { secret, host, addresses })
    }
}

fn connect(addresses: &[SocketAddr]) -> Result<TcpStream, String> {
    const PATIENCE: Duration = Duration::from_secs(3);
    let mut why = String::new();
    for address in addresses {
        match TcpStream::connect_timeout(address, PATIENCE) {
            Ok(stream) => {
                let _slower = stream.set_nodelay(true);
                insist(&stream);
                return Ok(stream);
            }
            Err(error) => why = format!("cannot connect to ftrun at {address}: {error}"),
        }
    }
    Err(why)
}

/// Goes where the ranks are to run.
fn enter(program: &Program) -> Result<(), String> {
    let directory = Path::new(OsStr::from_bytes(&program.directory));
    std::env::set_current_dir(directory).map_err(|error| {
        let shown = directory.display();
        format!("cannot enter the directory {shown}: {error}; make it there, or use --wdir")
    })?;
    let file = Path::new(OsStr::from_bytes(&program.file));
    match file.metadata() {
        Ok(_) => Ok(()),
        Err(error) => Err(format!(
            "the program {} cannot be read: {error}; copy it to the same place on each host",
            file.display()
        )),
    }
}

fn template(
    program: Program, host: u32, address: String, secret: String, out: Arc<Mutex<TcpStream>>,
) -> Template {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let job = by_this_clock(&program, now);
    let (tags_output, key) = (program.tags_output, program.key);
    let shown = String::from_utf8_lossy(&program.file).into_owned();
    let sink = move |to: Stream, lines: &[u8]| {
        say(&out, &OfAgent::Output { is_error: to == Stream::Errors, lines: lines.to_vec() });
        Ok(())
    };
    Template {
        command: Box::new(move || command(&program)),
        shown,
        job,
        tags_output,
        is_shared: false,
        address,
        secret,
        host: Some((host, key)),
        sink: Arc::new(sink),
    }
}

/// The job, with its times by the clock of this host, which shows `now` as the program comes.
fn by_this_clock(program: &Program, now: Duration) -> String {
    let Ok(mut job) = Job::decode(&program.job) else { return program.job.clone() };
    job.traced_since = job.traced_since.map(|since| (now + since).saturating_sub(program.sent_at));
    job.encode()
}

fn command(program: &Program) -> Command {
    let word = |bytes: &Vec<u8>| OsStr::from_bytes(bytes).to_os_string();
    let mut command = Command::new(word(&program.file));
    let mut words = program.arguments.iter().map(word);
    if let Some(name) = words.next() {
        command.arg0(name);
    }
    command.args(words);
    for (name, value) in &program.variables {
        match value {
            Some(value) => command.env(word(name), word(value)),
            None => command.env_remove(word(name)),
        };
    }
    for (name, value) in FOR_UCX {
        let is_set = |(known, value): &(Vec<u8>, Option<Vec<u8>>)| {
            known == name.as_bytes() && value.is_some()
        };
        if !program.variables.iter().any(is_set) {
            command.env(name, value);
        }
    }
    command
}

fn say(out: &Mutex<TcpStream>, said: &OfAgent) {
    if let Ok(mut stream) = out.lock() {
        // If nobody listens, that is heard elsewhere.
        let _unheard = wireup::write(&mut *stream, said);
    }
}

/// What `ftrun` says goes to `events`.
fn hear(mut from: BufReader<TcpStream>, tenancy: Arc<Tenancy>, events: Sender<Happening>) {
    thread::spawn(move || {
        loop {
            let told = wireup::read(&mut from).ok().flatten();
            if let Some(ToAgent::Renew(beat)) = told
                && !tenancy.renew(beat)
            {
                continue;
            }
            let is_last = told.is_none();
            if events.send(Happening::ToAgent(told)).is_err() || is_last {
                return;
            }
        }
    });
}

/// The agent at work.
struct Office {
    template: Template,
    out: Arc<Mutex<TcpStream>>,
    /// What is to be done once the lease has begun: before, no rank is started.
    early: Option<Vec<ToAgent>>,
    lives: BTreeMap<(usize, u32), Life>,
    /// The way to the standard input of rank 0.
    input: Option<Sender<Vec<u8>>>,
    sender: Sender<Happening>,
}

impl Office {
    /// Works until the job is over.
    fn work(mut self, events: &Receiver<Happening>) {
        while let Ok(happening) = events.recv() {
            match happening {
                Happening::ToAgent(None) => return self.lives.values().for_each(Life::kill),
                Happening::ToAgent(Some(ToAgent::End)) => return self.end(events),
                Happening::ToAgent(Some(told)) => self.obey(told),
                happening => self.pass_on(happening),
            }
        }
    }

    fn obey(&mut self, told: ToAgent) {
        if let ToAgent::Renew(_) = told {
            let early = self.early.take().into_iter().flatten();
            return early.for_each(|told| self.obey(told));
        }
        if let Some(early) = &mut self.early {
            return early.push(told);
        }
        match told {
            ToAgent::Start { seat, incarnation, generation } => {
                match self.template.start(seat, incarnation, generation, &self.sender) {
                    Ok(mut life) => {
                        if let Some(stdin) = life.input.take() {
                            self.input = Some(feed(stdin));
                        }
                        self.lives.insert((seat, incarnation), life);
                    }
                    Err(why) => {
                        let not = OfAgent::NotStarted { seat, incarnation, generation, why };
                        say(&self.out, &not);
                    }
                }
            }
            ToAgent::Kill { seat, incarnation } => {
                if let Some(life) = self.lives.get(&(seat, incarnation)) {
                    life.kill();
                }
            }
            ToAgent::Tell { seat, incarnation, told } => {
                if let Some(life) = self.lives.get(&(seat, incarnation))
                    && let Some(connection) = &life.connection
                    && !connection.pass_on(&told)
                {
                    // It is as good as dead.
                    life.kill();
                }
            }
            ToAgent::Input(bytes) if bytes.is_empty() => self.input = None,
            ToAgent::Input(bytes) => {
                if let Some(input) = &self.input {
                    // It may not read any more.
                    let _unread = input.send(bytes);
                }
            }
            ToAgent::Begin(_) | ToAgent::Renew(_) | ToAgent::End => {}
        }
    }

    fn pass_on(&mut self, happening: Happening) {
        let said = match happening {
            Happening::Joined(guest) => match self.welcome(guest) {
                Some(said) => said,
                None => return,
            },
            Happening::Said { seat, incarnation, said } => {
                OfAgent::Said { seat, incarnation, said }
            }
            Happening::Closed { seat, incarnation } => OfAgent::Closed { seat, incarnation },
            Happening::Ended { seat, incarnation, status } => {
                if let Some(life) = self.lives.get_mut(&(seat, incarnation)) {
                    life.ended = Some(status);
                }
                OfAgent::Ended { seat, incarnation, status: status.into_raw() }
            }
            Happening::OfAgent { .. } | Happening::ToAgent(_) => return,
        };
        say(&self.out, &said);
    }

    /// Only the first process in each place is one of the job.
    fn welcome(&mut self, guest: Guest) -> Option<OfAgent> {
        let Guest { seat, incarnation, at, connection } = guest;
        let life = self.lives.get_mut(&(seat, incarnation)).filter(|life| life.at.is_none());
        let Some(life) = life else {
            connection.tell(&Told::Refused);
            return None;
        };
        life.join(at.clone(), connection);
        Some(OfAgent::Joined { seat, incarnation, at })
    }

    /// The job is over: what ranks have written is passed on, and nobody is left behind.
    fn end(mut self, events: &Receiver<Happening>) {
        const PATIENCE: Duration = Duration::from_millis(700);
        let until = Instant::now() + PATIENCE;
        for life in self.lives.values().filter(|life| life.ended.is_none()) {
            match &life.connection {
                Some(connection) => _ = connection.tell(&Told::End),
                None => life.kill(),
            }
        }
        while self.lives.values().any(|life| life.ended.is_none()) {
            let left = until.saturating_duration_since(Instant::now());
            match events.recv_timeout(left) {
                Ok(Happening::ToAgent(_)) => {}
                Ok(happening) => self.pass_on(happening),
                Err(_) => break,
            }
        }
        self.lives.values().for_each(Life::kill);
        self.lives.values_mut().for_each(|life| drop(life.drain()));
    }
}

/// Writes what comes to the standard input of a rank, which may take its time.
fn feed(mut stdin: impl Write + Send + 'static) -> Sender<Vec<u8>> {
    let (sender, bytes) = channel::<Vec<u8>>();
    thread::spawn(move || {
        for some in bytes {
            if stdin.write_all(&some).is_err() {
                return;
            }
        }
    });
    sender
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timeline_begins_at_one_time_whatever_the_clocks_of_hosts_show() {
        let at = Duration::from_secs;
        let job = Job { traced_since: Some(at(1000)), ..Job::default() };
        let program = Program { job: job.encode(), sent_at: at(1002), ..Program::default() };
        for (now, begun) in [(1002, 1000), (5000, 4998), (500, 498), (1, 0)] {
            let job = Job::decode(&by_this_clock(&program, at(now))).expect("it was a job");
            assert_eq!(job.traced_since, Some(at(begun)));
        }
    }
}
