//! What an agent does when it does not hear the coordinator any more: it asks the agents of the
//! other hosts, stands if most of them hear nothing either, and coordinates the job if they vote
//! for it (`ftmpi_fault::takeover`). Agents connect to each other only then.

use super::crown::Crown;
use crate::processes::lines;
use ftmpi_fault::{HostView, Standby, Vote, Won};
use ftmpi_wireup as wireup;
use ftmpi_wireup::hosts::{Mark, Program};
use ftmpi_wireup::takeover::{Fellow, Fellows, OfPeer, ToPeer};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufReader, ErrorKind};
use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
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
    /// Tells the thread that watches that the connection to the coordinator has ended.
    deserted: Condvar,
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
        let (state, started, deserted) = (Mutex::default(), Instant::now(), Condvar::new());
        Arc::new(Succession { me, secret, program, succeed, state, deserted, started })
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
        let goes_on = self.standing(|standby, _| standby.desert(epoch)).is_some();
        self.deserted.notify_all();
        goes_on
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
        const SELDOM: Duration = Duration::from_millis(5);
        loop {
            let due = self.standing(|standby, now| standby.due(now).saturating_sub(now));
            self.rest(due.unwrap_or(OFTEN).clamp(SELDOM, OFTEN));
            if let Some(epoch) = self.standing(Standby::ask).flatten() {
                self.clone().canvass(epoch);
            }
        }
    }

    /// Waits for so long, or until the connection to the coordinator ends.
    fn rest(&self, time: Duration) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        // Why it wakes makes no difference.
        let _woken = self.deserted.wait_timeout(state, time);
    }

    /// Asks all others; stands if most would vote for it, and takes over with enough votes.
    fn canvass(self: Arc<Succession>, epoch: u64) {
        let fellows = self.with(|state, _| state.fellows.clone());
        let (sender, heard) = channel();
        let (mut orders, mut answered, mut is_refused) = (BTreeMap::new(), BTreeSet::new(), false);
        for (host, fellow) in fellows.hosts.iter().cloned().enumerate() {
            let (order, ordered) = channel();
            orders.insert(host, order);
            let canvasser =
                Canvasser { host, epoch, succession: self.clone(), sender: sender.clone() };
            thread::spawn(move || canvasser.work(&fellow, &ordered));
        }
        let (begun, mut stood, mut voters) = (Instant::now(), None, vec![]);
        let won = loop {
            match heard.recv_timeout(AGAIN) {
                Ok(Heard::Would { host, would }) => {
                    answered.insert(host);
                    is_refused |= !would.0;
                    let hear = |it: &mut Standby, now| it.hear_would(host, epoch, would, now);
                    if self.standing(hear).unwrap_or(false) {
                        stood = Some(Instant::now());
                        // Who cannot be reached gets no orders.
                        orders.values().for_each(|order| _ = order.send(()));
                    }
                }
                Ok(Heard::Vote { host, stream, vote }) => {
                    voters.push((host, stream));
                    self.standing(|standby, now| standby.hear_vote(host, vote, now));
                }
                Ok(Heard::Gone { host }) => {
                    answered.insert(host);
                    self.standing(|standby, _| standby.miss(host));
                }
                Ok(Heard::Nothing { host }) => _ = answered.insert(host),
                Err(_) => {}
            }
            let insists = self.standing(|it, now| it.insists(epoch, now)).unwrap_or(false);
            // Others may be at it as well; those that are silent are asked again later.
            if stood.is_none() && !insists && (is_refused || answered.len() == orders.len()) {
                return;
            }
            let has_enough = self.standing(|standby, _| standby.has_enough()).unwrap_or(false);
            let is_late = |since: &Instant| since.elapsed() > PATIENCE;
            if is_late(&begun) && stood.as_ref().is_none_or(is_late) && !has_enough {
                return;
            }
            if stood.is_some() {
                if let Some(won) = self.standing(Standby::win).flatten() {
                    break won;
                }
                voters.iter_mut().for_each(|(_, stream)| still_counts(stream));
            }
        };
        let Won { reign, deserted, gone } = won;
        let members: Vec<usize> = reign.members().collect();
        voters.retain(|(host, _)| members.contains(host));
        let (me, program, asked) = (self.me, self.program.clone(), stood.unwrap_or(begun));
        let started = self.with(|state, _| state.met).unwrap_or(begun);
        let begun = started.checked_sub(fellows.age).unwrap_or(started);
        let deserted = self.started + deserted;
        let crown =
            Crown { me, begun, started, asked, deserted, reign, gone, voters, program, fellows };
        let succeed = self.succeed;
        let reign = thread::spawn(move || succeed(crown));
        self.with(|state, _| state.reign = Some(reign));
    }
}

/// What comes of another agent.
enum Heard {
    Would {
        host: usize,
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
    /// It cannot be reached, or does not answer.
    Nothing {
        host: usize,
    },
}

/// Tells one that has voted that the others are waited for.
fn still_counts(stream: &mut BufReader<TcpStream>) {
    // If it has gone, that is heard later.
    let _unheard = wireup::write(stream.get_mut(), &ToPeer::Stand);
}

/// One that asks the agent of a host.
struct Canvasser {
    host: usize,
    epoch: u64,
    succession: Arc<Succession>,
    sender: Sender<Heard>,
}

impl Canvasser {
    fn work(self, fellow: &Fellow, ordered: &Receiver<()>) {
        let host = self.host;
        let heard = match connect(fellow) {
            Ok(stream) => self.ask(stream, ordered).unwrap_or(Heard::Nothing { host }),
            Err(true) => Heard::Gone { host },
            Err(false) => Heard::Nothing { host },
        };
        // It may be too late.
        let _late = self.sender.send(heard);
    }

    /// Asks whether it would vote, again where it has refused, as it may be about to notice that
    /// the coordinator is lost; and for its vote once that is ordered.
    fn ask(&self, mut stream: TcpStream, ordered: &Receiver<()>) -> Option<Heard> {
        let Canvasser { host, epoch, .. } = *self;
        stream.set_nodelay(true).ok()?;
        stream.set_read_timeout(Some(AT_MOST)).ok()?;
        let secret = self.succession.secret.clone();
        wireup::write(&mut stream, &ToPeer::Ask { secret, host, epoch }).ok()?;
        let mut stream = BufReader::new(stream);
        loop {
            let OfPeer::Would { would, epoch } = wireup::read(&mut stream).ok()?? else {
                return None;
            };
            self.sender.send(Heard::Would { host, would: (would, epoch) }).ok()?;
            let insists = |it: &mut Standby, now| it.insists(self.epoch, now);
            let asks_again = !would && self.succession.standing(insists)?;
            match ordered.recv_timeout(if asks_again { AGAIN } else { AT_MOST }) {
                Ok(()) => break self.stand(stream),
                Err(RecvTimeoutError::Timeout) if asks_again => {
                    wireup::write(stream.get_mut(), &ToPeer::AskAgain).ok()?;
                }
                Err(_) => return None,
            }
        }
    }

    /// Asks for its vote until it gives it.
    fn stand(&self, mut stream: BufReader<TcpStream>) -> Option<Heard> {
        let begun = Instant::now();
        while begun.elapsed() < AT_MOST {
            wireup::write(stream.get_mut(), &ToPeer::Stand).ok()?;
            match wireup::read(&mut stream).ok()? {
                Some(OfPeer::Voted(Some(vote))) => {
                    return Some(Heard::Vote { host: self.host, stream, vote });
                }
                // It may be about to notice that the coordinator is lost.
                Some(OfPeer::Voted(None)) => thread::sleep(AGAIN),
                _ => return None,
            }
        }
        None
    }
}

/// Connects to an agent. If that cannot be: whether it has certainly ended.
fn connect(fellow: &Fellow) -> Result<TcpStream, bool> {
    let connect = |address: &SocketAddr| TcpStream::connect_timeout(address, PATIENCE / 2);
    let mut refused = 0;
    let stream = fellow.addresses.iter().find_map(|address| {
        let tried = connect(address);
        let is_refused = |error: &std::io::Error| error.kind() == ErrorKind::ConnectionRefused;
        refused += usize::from(tried.as_ref().is_err_and(is_refused));
        tried.ok()
    });
    // One address alone may be another host's here, as those of bridges are.
    stream.ok_or(refused == fellow.addresses.len())
}
