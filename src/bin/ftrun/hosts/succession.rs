//! What an agent does when it does not hear the coordinator any more: it asks the agents of the
//! other hosts, stands if most of them hear nothing either, and coordinates the job if they vote
//! for it (`ftmpi_fault::takeover`). Agents connect to each other only then.

use super::crown::Crown;
use crate::processes::lines;
use ftmpi_fault::{HostView, Standby, Vote, Won};
use ftmpi_wireup as wireup;
use ftmpi_wireup::hosts::{Mark, Program};
use ftmpi_wireup::takeover::{Fellow, Fellows, OfPeer, ToPeer};
use std::io::{BufReader, ErrorKind};
use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// What a winner does.
pub(crate) type Succeed = fn(Crown);

/// How this agent stands to the others.
pub(super) struct Succession {
    pub(super) me: usize,
    pub(super) secret: String,
    program: Program,
    succeed: Succeed,
    state: Mutex<State>,
    started: Instant,
}

#[derive(Default)]
struct State {
    /// None: nobody takes over.
    standby: Option<Standby>,
    fellows: Fellows,
    /// When these came first: all agents were there, and the ranks were to begin.
    met: Option<Instant>,
    mark: Mark,
    /// The coordinator, if that is here.
    reign: Option<JoinHandle<()>>,
}

/// How long another agent may take to answer, where most have not.
const PATIENCE: Duration = Duration::from_millis(600);

/// How long it is listened to at all: for as long as votes may be counted.
const AT_MOST: Duration = Duration::from_millis(2500);

/// How soon one is asked again.
const AGAIN: Duration = Duration::from_millis(30);

impl Succession {
    pub(super) fn new(
        me: usize, secret: String, program: Program, succeed: Succeed,
    ) -> Arc<Succession> {
        let (state, started) = (Mutex::default(), Instant::now());
        Arc::new(Succession { me, secret, program, succeed, state, started })
    }

    fn with<T>(&self, act: impl FnOnce(&mut State, Duration) -> T) -> T {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.started.elapsed();
        act(&mut state, now)
    }

    pub(super) fn standing<T>(&self, act: impl FnOnce(&mut Standby, Duration) -> T) -> Option<T> {
        self.with(|state, now| Some(act(state.standby.as_mut()?, now)))
    }

    /// These are the hosts: from now on, somebody takes over from a coordinator that is lost.
    pub(super) fn begin(self: &Arc<Succession>, fellows: Fellows) {
        let (me, count) = (self.me, fellows.hosts.len());
        let is_new = self.with(|state, now| {
            let is_new = state.standby.is_none();
            state.met.get_or_insert_with(Instant::now);
            state.fellows = fellows;
            state.standby.get_or_insert_with(|| Standby::new(me, HostView::first(count), now));
            is_new
        });
        if is_new {
            let watching = self.clone();
            thread::spawn(move || watching.watch());
        }
    }

    pub(super) fn mark(&self) -> Mark {
        self.with(|state, _| state.mark)
    }

    /// The coordinator of this epoch has answered with this. False if it is not the one of this
    /// agent.
    pub(super) fn hear(&self, epoch: u64, mark: Mark) -> bool {
        let is_it = self.standing(|standby, now| standby.hear(epoch, now)).unwrap_or(true);
        if is_it {
            self.with(|state, _| state.mark = mark);
        }
        is_it
    }

    /// The epoch in which this agent takes part.
    pub(super) fn epoch(&self) -> u64 {
        self.standing(|standby, _| standby.voter.epoch()).unwrap_or(0)
    }

    /// Whether the view is accepted that is to follow `settled`.
    pub(super) fn accept(&self, epoch: u64, settled: &HostView, next: &HostView) -> bool {
        let accept = |standby: &mut Standby, now| {
            if !standby.hear(epoch, now) {
                return false;
            }
            standby.voter.settle(settled);
            standby.voter.accept(epoch, next)
        };
        self.standing(accept).unwrap_or(false)
    }

    pub(super) fn settle(&self, epoch: u64, view: &HostView) {
        self.standing(|standby, now| {
            if standby.hear(epoch, now) {
                standby.voter.settle(view);
            }
        });
    }

    /// The connection to the coordinator of this epoch has ended. False if that is the end.
    pub(super) fn desert(&self, epoch: u64) -> bool {
        self.standing(|standby, _| standby.desert(epoch)).is_some()
    }

    /// Votes in this epoch, if it may.
    pub(super) fn vote(&self, epoch: u64) -> Option<Vote> {
        self.standing(|standby, now| standby.vote(epoch, now)).flatten()
    }

    /// The one that it has voted for in this epoch still counts the votes.
    pub(super) fn wait(&self, epoch: u64) {
        self.standing(|standby, now| standby.wait(epoch, now));
    }

    /// Whether it is the coordinator of this epoch that it has voted for.
    pub(super) fn follow(&self, epoch: u64, settled: &HostView) -> bool {
        let follow = |standby: &mut Standby, now| {
            let follows = standby.follow(epoch, now);
            if follows {
                standby.voter.settle(settled);
            }
            follows
        };
        let follows = self.standing(follow).unwrap_or(false);
        if follows {
            self.with(|state, _| state.mark = Mark::default());
        }
        follows
    }

    /// Waits until what this agent coordinates is over.
    pub(super) fn finish(&self) {
        if let Some(reign) = self.with(|state, _| state.reign.take()) {
            // It has said what there was to say.
            let _over = reign.join();
        }
    }

    /// The lease of this host is over.
    pub(super) fn say_why_it_ends(&self) {
        if self.standing(|standby, now| standby.is_alone(now)) == Some(true) {
            let (name, file) = self.with(|state, _| {
                let name = state.fellows.hosts.get(self.me).map(|host| host.name.clone());
                (name.unwrap_or_default(), state.fellows.output.clone())
            });
            lines::add(
                &file,
                &format!(
                    "ftrun: host {name} reaches neither ftrun nor most of the other hosts: its \
                     ranks end\n"
                ),
            );
        }
    }

    fn watch(self: Arc<Succession>) {
        const OFTEN: Duration = Duration::from_millis(50);
        loop {
            thread::sleep(OFTEN);
            if let Some(epoch) = self.standing(Standby::ask).flatten() {
                self.clone().canvass(epoch);
            }
        }
    }

    /// Asks all others; stands if most would vote for it, and takes over with enough votes.
    fn canvass(self: Arc<Succession>, epoch: u64) {
        let fellows = self.with(|state, _| state.fellows.clone());
        let (sender, heard) = channel();
        for (host, fellow) in fellows.hosts.iter().cloned().enumerate() {
            let (sender, secret) = (sender.clone(), self.secret.clone());
            thread::spawn(move || {
                if let Some(heard) = ask((host, &fellow), secret, epoch) {
                    // It may be too late.
                    let _late = sender.send(heard);
                }
            });
        }
        let (begun, mut stood, mut open, mut voters) = (Instant::now(), None, vec![], vec![]);
        let won = loop {
            match heard.recv_timeout(AGAIN) {
                Ok(Heard::Would { host, stream, would }) => {
                    let hear = |it: &mut Standby, now| it.hear_would(host, epoch, would, now);
                    if self.standing(hear).unwrap_or(false) {
                        stood = Some(Instant::now());
                    }
                    open.push((host, stream));
                }
                Ok(Heard::Vote { host, stream, vote }) => {
                    voters.push((host, stream));
                    self.standing(|standby, now| standby.hear_vote(host, vote, now));
                }
                Ok(Heard::Gone { host }) => _ = self.standing(|standby, _| standby.miss(host)),
                Err(_) => {}
            }
            let has_enough = self.standing(|standby, _| standby.has_enough()).unwrap_or(false);
            let is_late = |since: &Instant| since.elapsed() > PATIENCE;
            if is_late(&begun) && stood.as_ref().is_none_or(is_late) && !has_enough {
                return;
            }
            if stood.is_some() {
                open.drain(..).for_each(|(host, stream)| stand(host, stream, sender.clone()));
                if let Some(won) = self.standing(Standby::win).flatten() {
                    break won;
                }
                voters.iter_mut().for_each(|(_, stream)| still_counts(stream));
            }
        };
        let Won { reign, at, gone } = won;
        let members: Vec<usize> = reign.members().collect();
        voters.retain(|(host, _)| members.contains(host));
        let (me, program, asked) = (self.me, self.program.clone(), stood.unwrap_or(begun));
        let started = self.with(|state, _| state.met).unwrap_or(begun);
        let begun = started.checked_sub(fellows.age).unwrap_or(started);
        let enough = self.started + at;
        let crown =
            Crown { me, begun, started, asked, enough, reign, gone, voters, program, fellows };
        let succeed = self.succeed;
        let reign = thread::spawn(move || succeed(crown));
        self.with(|state, _| state.reign = Some(reign));
    }
}

/// What another agent answers.
enum Heard {
    Would {
        host: usize,
        stream: BufReader<TcpStream>,
        would: (bool, u64),
    },
    Vote {
        host: usize,
        stream: BufReader<TcpStream>,
        vote: Vote,
    },
    /// It has certainly ended.
    Gone {
        host: usize,
    },
}

/// Tells one that has voted that the others are waited for.
fn still_counts(stream: &mut BufReader<TcpStream>) {
    // If it has gone, that is heard later.
    let _unheard = wireup::write(stream.get_mut(), &ToPeer::Stand);
}

/// Asks an agent for its vote until it gives it.
fn stand(host: usize, mut stream: BufReader<TcpStream>, sender: Sender<Heard>) {
    let begun = Instant::now();
    thread::spawn(move || {
        while begun.elapsed() < AT_MOST {
            wireup::write(stream.get_mut(), &ToPeer::Stand).ok()?;
            match wireup::read(&mut stream).ok()? {
                Some(OfPeer::Voted(Some(vote))) => {
                    return sender.send(Heard::Vote { host, stream, vote }).ok();
                }
                // It may be about to notice that the coordinator is lost.
                Some(OfPeer::Voted(None)) => thread::sleep(AGAIN),
                _ => return None,
            }
        }
        None
    });
}

/// Asks an agent whether it would vote.
fn ask((host, fellow): (usize, &Fellow), secret: String, epoch: u64) -> Option<Heard> {
    let connect = |address: &SocketAddr| TcpStream::connect_timeout(address, PATIENCE / 2);
    let mut refused = 0;
    let stream = fellow.addresses.iter().find_map(|address| {
        let tried = connect(address);
        let is_refused = |error: &std::io::Error| error.kind() == ErrorKind::ConnectionRefused;
        refused += usize::from(tried.as_ref().is_err_and(is_refused));
        tried.ok()
    });
    // One address alone may be another host's here, as those of bridges are.
    if stream.is_none() && refused == fellow.addresses.len() {
        return Some(Heard::Gone { host });
    }
    let mut stream = stream?;
    stream.set_nodelay(true).ok()?;
    stream.set_read_timeout(Some(AT_MOST)).ok()?;
    wireup::write(&mut stream, &ToPeer::Ask { secret, host, epoch }).ok()?;
    let mut stream = BufReader::new(stream);
    match wireup::read(&mut stream).ok()?? {
        OfPeer::Would { would, epoch } => {
            Some(Heard::Would { host, stream, would: (would, epoch) })
        }
        OfPeer::Voted(_) => None,
    }
}
