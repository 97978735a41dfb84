//! The agent of a host: starts the ranks that `ftrun` wants there, watches their processes, and
//! passes on what they say, print and are told. If `ftrun` is lost, one of the agents takes over
//! (`succession`).

use super::commands::{Spawning, command};
use super::hearing::{Shared, hear};
use super::named::{own_addresses, this_host};
use super::peers;
use super::replica::Replica;
use super::succession::{Succeed, Succession};
use super::tenancy::{Tenancy, insist};
use super::uplink::Uplink;
use super::version::version;
use crate::processes::connections::{self, Listener, Offer};
use crate::processes::happening::{Guest, Happening};
use crate::processes::lines::{self, READING, Stream};
use crate::processes::seats::{Life, Template};
use crate::shared::refusal::{BROKEN, Refusal};
use ftmpi_base::Member;
use ftmpi_launch::Job;
use ftmpi_wireup::hosts::{OfAgent, Program, ToAgent};
use ftmpi_wireup::takeover::{Entry, LifeAccount};
use ftmpi_wireup::{self as wireup, Told};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The first word of a command line that asks for this. `ftrun` alone uses it.
pub(crate) const NAME: &str = "--agent-of-host";

/// The exit status of an agent that cannot reach `ftrun`.
pub(super) const UNREACHED: i32 = 113;

/// `succeed` is what it does if it takes over.
pub(crate) fn main(called: &str, succeed: Succeed) -> ExitCode {
    match run(succeed) {
        Ok(()) => ExitCode::SUCCESS,
        Err(refusal) => refusal.say(called),
    }
}

fn run(succeed: Succeed) -> Result<(), Refusal> {
    let call = Call::read(&mut io::stdin().lock())
        .ok_or_else(|| Refusal::usage(format!("{NAME} is for ftrun itself")))?;
    serve(call, None, succeed)
}

/// Serves `ftrun` until the job is over. If ranks are awaited already, another launcher has started
/// them.
pub(crate) fn serve(call: Call, awaits: Option<Listener>, succeed: Succeed) -> Result<(), Refusal> {
    let Call { secret, host, addresses } = call;
    let version = version()?;
    let mut stream = connect(&addresses).map_err(|why| Refusal::new(UNREACHED as u8, why))?;
    let gone = |error: io::Error| Refusal::broken(format!("ftrun has gone: {error}"));
    let (hello, name) = (secret.clone(), this_host());
    let cores = ftmpi_launch::cores() as u32;
    let hello = OfAgent::Hello { secret: hello, host, version, name, cores };
    wireup::write(&mut stream, &hello).map_err(gone)?;
    let mut reading = BufReader::new(stream.try_clone().map_err(gone)?);
    let Some(ToAgent::Begin(program)) = wireup::read(&mut reading).map_err(gone)? else {
        // It has no use for this host.
        return Ok(());
    };
    let here = stream.local_addr().map_err(gone)?.ip();
    let uplink = Arc::new(Uplink::new(stream));
    let (sender, events) = channel();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let program = Program { job: by_this_clock(&program, now), ..*program };
    let succession = Succession::new(host as usize, secret, program.clone(), succeed);
    let (tenancy, events_of) = (Arc::new(OnceLock::new()), sender.clone());
    let shared = Shared { uplink, succession, tenancy, events: events_of };
    let able = enter(&program).and_then(|()| {
        let port = peers::listen(shared.clone())
            .map_err(|error| format!("cannot listen to other hosts: {error}"))?;
        let mut all = own_addresses();
        // From the one by which ftrun is reached, others are, most likely.
        all.sort_by_key(|address| *address != here);
        if !all.iter().all(IpAddr::is_loopback) {
            all.retain(|address| !address.is_loopback());
        }
        Ok(all.into_iter().map(|address| SocketAddr::new(address, port)).collect())
    });
    let is_able = able.is_ok();
    shared.uplink.say(&OfAgent::Ready(able));
    if !is_able {
        return Ok(());
    }
    let adopts = awaits.is_some();
    let listener = awaits
        .map_or_else(connections::listen, Ok)
        .map_err(|error| Refusal::broken(format!("cannot listen to the ranks: {error}")))?;
    let (address, job_secret) = (listener.address.clone(), listener.secret.clone());
    let Shared { uplink, succession, .. } = shared.clone();
    let seats = Job::decode(&program.job).map_or(0, |job| job.seats());
    let program = Arc::new(program);
    let template = template(program.clone(), host, (address, job_secret), adopts, uplink.clone());
    let offer = Offer { host: template.host, job: template.job.clone() };
    listener.serve(sender.clone(), adopts.then_some(offer));
    let tenancy = Tenancy::begin(uplink.clone(), succession.clone(), sender.clone());
    _ = shared.tenancy.set(tenancy.clone());
    let hearing = shared.clone();
    thread::spawn(move || hear(reading, 0, hearing));
    let office = Office {
        template,
        spawning: Spawning::of(program),
        uplink,
        tenancy,
        replica: Replica::new(seats),
        early: Some(Vec::new()),
        lives: BTreeMap::new(),
        input: None,
        sender,
        epoch: 0,
    };
    if office.work(&events) {
        succession.finish();
    }
    Ok(())
}

/// What `ftrun` says by the standard input.
pub(crate) struct Call {
    pub(crate) secret: String,
    pub(crate) host: u32,
    pub(crate) addresses: Vec<SocketAddr>,
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
    program.apps.iter().try_for_each(|app| {
        let file = Path::new(OsStr::from_bytes(&app.file));
        match file.metadata() {
            Ok(_) => Ok(()),
            Err(error) => Err(format!(
                "the program {} cannot be read: {error}; copy it to the same place on each host",
                file.display()
            )),
        }
    })
}

fn template(
    program: Arc<Program>, host: u32, (address, secret): (String, String), adopts: bool,
    uplink: Arc<Uplink>,
) -> Template {
    let job = program.job.clone();
    let is_shared = Job::decode(&job).is_ok_and(|job| job.processes.is_some());
    let (tags_output, key) = (program.tags_output && !is_shared, program.key);
    let sink = move |to: Stream, lines: &[u8]| {
        let is_error = to == Stream::Errors;
        uplink.say(&OfAgent::Output { is_error, lines: lines.to_vec() });
        Ok(())
    };
    Template {
        command: Box::new(move |seat| command(&program, seat)),
        job,
        tags_output,
        is_shared,
        address,
        secret,
        host: Some((host, key)),
        adopts,
        sink: Arc::new(sink),
    }
}

/// The job, with its times by the clock of this host, which shows `now` as the program comes.
fn by_this_clock(program: &Program, now: Duration) -> String {
    let Ok(mut job) = Job::decode(&program.job) else { return program.job.clone() };
    job.traced_since = job.traced_since.map(|since| (now + since).saturating_sub(program.sent_at));
    job.encode()
}

/// The agent at work.
struct Office {
    template: Template,
    spawning: Spawning,
    uplink: Arc<Uplink>,
    tenancy: Arc<Tenancy>,
    replica: Replica,
    /// What is to be done once the lease has begun: before, no rank is started.
    early: Option<Vec<ToAgent>>,
    lives: BTreeMap<(usize, u32), Life>,
    /// The way to the standard input of rank 0.
    input: Option<Sender<Vec<u8>>>,
    sender: Sender<Happening>,
    /// That of the coordinator.
    epoch: u64,
}

impl Office {
    /// Works until the job is over; true if it has come to its end.
    fn work(mut self, events: &Receiver<Happening>) -> bool {
        while let Ok(happening) = events.recv() {
            match happening {
                Happening::ToAgent(None | Some(ToAgent::Quit)) => break,
                Happening::ToAgent(Some(ToAgent::End)) => {
                    let (uplink, epoch) = (self.uplink.clone(), self.epoch);
                    self.end(events);
                    uplink.cut(epoch);
                    return true;
                }
                Happening::ToAgent(Some(told)) => self.obey(told),
                Happening::Elected { epoch, known, stream } => self.turn(epoch, known, stream),
                happening => self.pass_on(happening),
            }
        }
        self.lives.values().for_each(Life::kill);
        false
    }

    /// Another coordinator reigns: it is told what is known here.
    fn turn(&mut self, epoch: u64, known: u64, stream: TcpStream) {
        // Whoever typed that has gone.
        self.input = None;
        let millis = |since: Instant| since.elapsed().as_millis() as u64;
        let lives = self.lives.iter().map(|((seat, incarnation), life)| LifeAccount {
            member: Member { seat: *seat, incarnation: *incarnation },
            at: life.at.clone(),
            is_in: false,
            has_begun: false,
            has_departed: false,
            in_session: None,
            is_silent: life.is_silent,
            ended: life.ended.map(ExitStatusExt::into_raw),
            age_ms: millis(life.started),
        });
        let account = self.replica.account(known, lives.collect());
        self.uplink.turn(epoch, stream, &OfAgent::Account(Box::new(account)));
        self.tenancy.hurry();
        self.epoch = epoch;
    }

    /// All ranks here are told this, but the one that it is about.
    fn spread(&self, entry: Entry) {
        let (told, but) = match entry {
            Entry::Notice(notice) => (Told::Notice(notice), None),
            Entry::Met { seat, at } => (Told::Met { seat, at }, Some(seat)),
            Entry::Cause(status) => (Told::Cause(status), None),
            Entry::Record(_) | Entry::Chronicle { .. } => return,
        };
        let told = wireup::encode(&told);
        for ((seat, incarnation), life) in &self.lives {
            let member = Member { seat: *seat, incarnation: *incarnation };
            if life.ended.is_none() && but != Some(*seat) && self.replica.is_in(member) {
                pass_on(life, &told);
            }
        }
    }

    fn obey(&mut self, told: ToAgent) {
        if let ToAgent::Renew { known, renews, .. } = told {
            self.replica.forget(known);
            if !renews {
                return;
            }
            let early = self.early.take().into_iter().flatten();
            return early.for_each(|told| self.obey(told));
        }
        if let Some(early) = &mut self.early {
            return early.push(told);
        }
        match told {
            ToAgent::Start { seat, incarnation, .. }
                // It has come before.
                if self.lives.contains_key(&(seat, incarnation)) => {}
            ToAgent::Start { seat, incarnation, generation } => {
                let member = Member { seat, incarnation };
                let other = self.spawning.other(seat);
                match self.template.start(member, generation, other, &self.sender) {
                    Ok(mut life) => {
                        if let Some(stdin) = life.input.take() {
                            self.input = Some(feed(stdin));
                        }
                        self.lives.insert((seat, incarnation), life);
                    }
                    Err(why) => {
                        let not = OfAgent::NotStarted { seat, incarnation, generation, why };
                        self.uplink.say(&not);
                    }
                }
            }
            ToAgent::Kill { seat, incarnation } => {
                if let Some(life) = self.lives.get(&(seat, incarnation)) {
                    life.kill();
                }
            }
            ToAgent::Tell { seat, incarnation, step, told } => {
                if let Ok(Some(told)) = wireup::read(&mut &told[..]) {
                    self.replica.tell(Member { seat, incarnation }, &told, step);
                }
                if let Some(life) = self.lives.get(&(seat, incarnation)) {
                    pass_on(life, &told);
                }
            }
            ToAgent::TellAll { number, entry } => {
                if self.replica.enter(number, &entry) {
                    self.spawning.hear(&entry);
                    self.spread(entry);
                }
            }
            ToAgent::Reign { begun } => self.replica.begin(self.epoch, begun),
            ToAgent::Input(bytes) if bytes.is_empty() => self.input = None,
            ToAgent::Input(bytes) => {
                if let Some(input) = &self.input {
                    // It may not read any more.
                    let _unread = input.send(bytes);
                }
            }
            // Heard elsewhere.
            ToAgent::Begin(_)
            | ToAgent::Renew { .. }
            | ToAgent::Fellows(_)
            | ToAgent::Propose { .. }
            | ToAgent::Settled(_)
            | ToAgent::Quit
            | ToAgent::End => {}
        }
    }

    fn pass_on(&mut self, happening: Happening) {
        let said = match happening {
            Happening::Joined(guest) => match self.welcome(guest) {
                Some(said) => said,
                None => return,
            },
            Happening::Said { seat, incarnation, said } => {
                let said = self.replica.name_life(said);
                self.replica.hear(Member { seat, incarnation }, &said);
                OfAgent::Said { seat, incarnation, said }
            }
            Happening::Closed { seat, incarnation } => {
                if let Some(life) = self.lives.get_mut(&(seat, incarnation)) {
                    life.is_silent = true;
                    life.let_go();
                }
                OfAgent::Closed { seat, incarnation }
            }
            Happening::Ended { seat, incarnation, status } => {
                if let Some(life) = self.lives.get_mut(&(seat, incarnation)) {
                    life.ended = Some(status);
                    life.let_go();
                }
                OfAgent::Ended { seat, incarnation, status: status.into_raw() }
            }
            Happening::OfAgent { .. }
            | Happening::ToAgent(_)
            | Happening::Due
            | Happening::Elected { .. }
            | Happening::Outvoted { .. } => return,
        };
        self.uplink.say(&said);
    }

    /// Only the first process in each place is one of the job.
    fn welcome(&mut self, guest: Guest) -> Option<OfAgent> {
        let Guest { seat, incarnation, at, connection } = guest;
        if self.template.adopts && incarnation == 0 {
            // It may come before `ftrun` expects it.
            self.lives.entry((seat, 0)).or_insert_with(Life::awaited);
        }
        let life = self.lives.get_mut(&(seat, incarnation)).filter(|life| life.at.is_none());
        let Some(life) = life else {
            connection.tell(&Told::Refused);
            return None;
        };
        life.join(seat, at.clone(), connection, &self.sender);
        Some(OfAgent::Joined { seat, incarnation, at })
    }

    /// The job is over: what ranks have written is passed on, and nobody is left behind.
    fn end(mut self, events: &Receiver<Happening>) {
        const PATIENCE: Duration = Duration::from_millis(700);
        let until = Instant::now() + PATIENCE;
        for life in self.lives.values().filter(|life| life.ended.is_none()) {
            match &life.connection {
                Some(connection) => _ = connection.tell(&Told::End(BROKEN)),
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
        let output: Vec<_> = self.lives.values_mut().flat_map(Life::take_output).collect();
        lines::finish(&output, READING);
    }
}

/// Passes on a message as it is written.
fn pass_on(life: &Life, message: &[u8]) {
    if let Some(connection) = &life.connection
        && !connection.pass_on(message)
    {
        // It is as good as dead.
        life.kill();
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
