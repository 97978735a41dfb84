//! What the ranks of a job share: the inboxes between them, the record of deaths, and the rules of
//! the job.

use crate::base::Member;
use crate::base::roll::{Roll, Rolls};
use crate::base::tenants::Tenants;
use crate::engine::shared::contexts::Contexts;
use crate::engine::shared::crowding::Crowding;
use crate::engine::shared::elsewhere::{Elsewhere, Reporter};
use crate::engine::shared::home::Home;
use crate::engine::shared::meeting::Meetings;
use crate::engine::shared::mismatch::{Void, Voids};
use crate::engine::shared::nodes::Nodes;
use crate::engine::shared::pairs::Pairs;
use crate::engine::shared::rules::{Charter, Rules};
use crate::fault::{Agreements, Chronicle, Fact, Incident, Ledger, Ports, Report, Revocations};
use crate::host::{clock, sched};
use crate::launch::Job;
use crate::machine::berths::Berths;
use crate::transport::{Envelope, Port, Processes, SimulatedNetwork, Wire};
use parking_lot::{Mutex, MutexGuard, RwLock};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// One job in this process.
pub struct World {
    /// How many ranks there are at first.
    ranks: usize,
    wire: &'static Wire,
    pub(in crate::engine) ledger: Mutex<Ledger>,
    /// How many deaths the life in each seat will not ask for again.
    settled: Box<[AtomicUsize]>,
    /// Grows with everything that waiting ranks may have to look at: deaths in the upper half,
    /// the rest in the lower. All ranks look at it, all the time.
    stir: AtomicU64,
    pub(in crate::engine) agreements: Mutex<Agreements>,
    /// The first world and those that were spawned, in the order of their seats.
    homes: RwLock<Vec<Arc<Home>>>,
    /// The exit status of worlds whose seats others have now; 0: nothing went wrong there.
    status_of_past: AtomicI32,
    pub(in crate::engine) revoked: Revoked,
    voids: Voids,
    pub(in crate::engine) meetings: Meetings,
    charter: Charter,
    /// Whether a rank is ordered to die at a step that must be seen.
    is_careful: AtomicBool,
    /// The number of messages from each rank to each other one, once somebody has asked for it.
    pub(in crate::engine) pairs: OnceLock<Pairs>,
    /// Whether anybody can wait: some rank has an engine.
    is_in_use: AtomicBool,
    pub crowding: Crowding,
    /// Whether all ranks share memory in which messages need not be seen.
    pub(super) can_meet: bool,
    /// The simulated machine between the ranks.
    network: Option<&'static SimulatedNetwork>,
    started: Instant,
    contexts: Contexts,
    /// The other processes, if there are any.
    pub(super) elsewhere: Option<Elsewhere>,
    rolls: Rolls,
    /// Knows the name of the call that the calling thread is in.
    call: OnceLock<fn() -> &'static str>,
    /// What is told about failures, and the function that writes it; empty if there is none.
    chronicle: Mutex<Chronicle>,
    scribe: OnceLock<fn(&Incident)>,
    /// Whether there is a chronicle, here or at the coordinator of several processes.
    is_chronicled: AtomicBool,
    /// How far apart ordered failures are on average.
    mean_time: OnceLock<Duration>,
    /// Where ranks sit, if they do on a machine that was thought out.
    nodes: Nodes,
    pub(super) ports: Mutex<Ports>,
    tenants: Tenants,
}

/// The revoked communicators of a job, and how many there are.
#[derive(Default)]
pub(in crate::engine) struct Revoked {
    pub(super) all: Mutex<Revocations>,
    pub(super) count: AtomicUsize,
}

/// One death, as [`World::stir`] counts.
const DEATH: u64 = 1 << 32;

/// The first world is known by the context of its MPI_COMM_WORLD, as all are.
const FIRST_HOME: u32 = 0;

impl World {
    /// A world of `ranks` ranks, none of which has entered yet, with seats for more.
    pub fn new(ranks: usize, seats: usize, network: Option<&'static SimulatedNetwork>) -> World {
        let cores = sched::cores();
        let crowding = Crowding::new(ranks, cores);
        let mut world = match network {
            // Spawned ranks, of which nobody knows how many there will be, make do without rings.
            None => World::with(Wire::new(seats, ranks_with_rings(ranks, cores)), crowding),
            Some(network) => World::over(network, seats, crowding),
        };
        world.begin_small(ranks);
        world
    }

    /// At first, only so many of the seats are taken.
    fn begin_small(&mut self, ranks: usize) {
        self.ranks = ranks;
        self.homes = RwLock::new(vec![Arc::new(Home::new(FIRST_HOME, 0..ranks, 0))]);
        // Nobody asks for deaths beyond them.
        self.settled[ranks..].iter().for_each(|settled| {
            settled.store(usize::MAX, Ordering::Relaxed);
        });
    }

    /// A world of ranks in several processes: this one tells the coordinator of the job by `report`
    /// what its ranks do.
    pub fn across(job: &Job, processes: &'static Processes, report: Box<Reporter>) -> World {
        let seats = job.seats();
        // The cores of this process tell nothing of those that others have.
        let ranks_per_core = job.ranks_per_core.unwrap_or(seats.div_ceil(sched::cores()));
        let crowding = Crowding::across(ranks_per_core);
        let mut world = World::with(processes.wire_for(seats), crowding);
        world.begin_small(job.ranks);
        // The coordinator draws some, too.
        world.contexts = Contexts::of(processes.seats().start as u32, seats as u32 + 1);
        world.elsewhere = Some(Elsewhere::new(processes, report));
        world.can_meet = false;
        sched::expect_crowd(ranks_per_core);
        world
    }

    /// A world of `seats` ranks on a simulated machine, with a core each.
    fn over(network: &'static SimulatedNetwork, seats: usize, crowding: Crowding) -> World {
        let world = World::with(network.wire_for(seats), crowding.told(1));
        World { network: Some(network), can_meet: false, ..world }
    }

    /// A world of `seats` ranks on `cores` cores.
    #[cfg(test)]
    pub(in crate::engine) fn on(cores: usize, seats: usize) -> World {
        let wire = Wire::new(seats, ranks_with_rings(seats, cores));
        World::with(wire, Crowding::new(seats, cores))
    }

    fn with(wire: &'static Wire, crowding: Crowding) -> World {
        let seats = wire.size();
        World {
            ranks: seats,
            wire,
            ledger: Mutex::new(Ledger::new(seats)),
            settled: (0..seats).map(|_| AtomicUsize::new(0)).collect(),
            stir: AtomicU64::new(0),
            agreements: Mutex::default(),
            homes: RwLock::new(vec![Arc::new(Home::new(FIRST_HOME, 0..seats, 0))]),
            status_of_past: AtomicI32::new(0),
            revoked: Revoked::default(),
            voids: Voids::default(),
            meetings: Meetings::default(),
            charter: Charter::default(),
            is_careful: AtomicBool::new(false),
            pairs: OnceLock::new(),
            is_in_use: AtomicBool::new(false),
            crowding,
            can_meet: true,
            network: None,
            started: clock::now(),
            contexts: Contexts::of(0, 1),
            elsewhere: None,
            rolls: Rolls::default(),
            call: OnceLock::new(),
            chronicle: Mutex::default(),
            scribe: OnceLock::new(),
            is_chronicled: AtomicBool::new(false),
            mean_time: OnceLock::new(),
            nodes: Nodes::default(),
            ports: Mutex::new(Ports::of(std::process::id())),
            tenants: Tenants::default(),
        }
    }

    /// What a floor above keeps of this job; the first call makes it.
    pub fn tenant<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        self.tenants.of()
    }

    /// The world that the rank in `seat` is born into; the first, if nobody has had that seat.
    pub fn home_of(&self, seat: usize) -> Arc<Home> {
        let homes = self.homes.read();
        homes.iter().find(|home| home.has(seat)).unwrap_or(&homes[0]).clone()
    }

    /// Another world is about to be spawned, in seats where nobody lives. Returns its members.
    pub fn found(&self, context: u32, seats: Range<usize>) -> Vec<Member> {
        let first = self.ledger.lock().begin_anew(seats.clone());
        self.settle_in(context, seats, first)
    }

    /// The same, where others have said with which incarnation its members begin.
    pub(super) fn found_with(&self, context: u32, seats: Range<usize>, first: u32) {
        self.ledger.lock().begin_with(seats.clone(), first);
        self.settle_in(context, seats, first);
    }

    /// A world has these seats from now on.
    fn settle_in(&self, context: u32, seats: Range<usize>, first: u32) -> Vec<Member> {
        let mut homes = self.homes.write();
        let is_past = |home: &Home| seats.clone().any(|seat| home.has(seat));
        for past in homes.extract_if(.., |home| is_past(home)) {
            if let Some(status) = past.status() {
                let (won, lost) = (Ordering::Relaxed, Ordering::Relaxed);
                let _ = self.status_of_past.compare_exchange(0, status, won, lost);
            }
        }
        homes.push(Arc::new(Home::new(context, seats.clone(), first)));
        drop(homes);
        let invited = |seat| {
            let member = Member { seat, incarnation: first };
            self.settle(seat, 0);
            self.wire.open(member);
            member
        };
        seats.map(invited).collect()
    }

    /// The latest life in a seat.
    pub fn latest(&self, seat: usize) -> Member {
        self.ledger.lock().latest(seat)
    }

    /// Whether there are more worlds than the first.
    pub fn has_more_worlds(&self) -> bool {
        self.homes.read().len() > 1
    }

    pub(super) fn homes(&self) -> Vec<Arc<Home>> {
        self.homes.read().clone()
    }

    /// Nobody will hear of the world in which `seat` is.
    pub fn disown(&self, seat: usize) {
        self.home_of(seat).disown();
    }

    /// The latest generation that a rank of this world is on the way to.
    pub(in crate::engine) fn called(&self, context: u32) -> u64 {
        let homes = self.homes.read();
        homes.iter().find(|home| home.context() == context).map_or(0, |home| home.called())
    }

    /// Ends what waits for messages of these contexts and tags, or in place of them; returns the
    /// reason, which is that of the first caller.
    pub fn make_void(
        &self, operations: &[(u32, i32)], class: i32, words: impl FnOnce() -> String,
    ) -> Void {
        let mut is_new = false;
        let void = self.voids.make(operations, class, words, || {
            self.disturb();
            is_new = true;
        });
        if is_new {
            self.wake_all();
        }
        void
    }

    /// Why an operation with this envelope is void, if it is.
    pub(in crate::engine) fn void(&self, envelope: Envelope) -> Option<Void> {
        self.voids.find(envelope)
    }

    pub(in crate::engine) fn has_voids(&self) -> bool {
        self.voids.are_any()
    }

    /// How many seats there are.
    pub fn size(&self) -> usize {
        self.wire.size()
    }

    /// How many ranks there are at first; others may be spawned.
    pub fn ranks(&self) -> usize {
        self.ranks
    }

    pub fn started(&self) -> Instant {
        self.started
    }

    /// How old it is.
    pub fn age(&self) -> Duration {
        clock::now().saturating_duration_since(self.started)
    }

    /// Failures are ordered, so far apart on average.
    pub fn expect_failures_each(&self, mean: Duration) {
        let _known = self.mean_time.set(mean);
    }

    /// How far apart failures are on average, if it is known.
    pub fn mean_time(&self) -> Option<Duration> {
        self.mean_time.get().copied()
    }

    /// Where the rules of the job come from.
    pub fn charter(&self) -> &Charter {
        &self.charter
    }

    /// What becomes of failures.
    #[inline]
    pub fn rules(&self) -> Rules {
        self.charter.rules()
    }

    /// The rank in this seat has failed with this status; or it has left MPI, and then ended with
    /// it.
    pub fn blame(&self, seat: usize, status: i32, has_left: bool) {
        self.home_of(seat).blame(status, has_left);
    }

    /// The exit status of the first rank whose failure was not made up for; 0: there is none.
    pub fn status(&self) -> i32 {
        let present = self.homes.read().iter().find_map(|home| home.status());
        present.unwrap_or_else(|| self.status_of_past.load(Ordering::Relaxed))
    }

    /// A context that no communicator of this job has had.
    pub fn fresh_context(&self) -> u32 {
        self.contexts.draw()
    }

    /// A communicator with this context is in use.
    #[inline]
    pub fn learn_context(&self, context: u32) {
        self.contexts.learn(context);
    }

    /// The list of these members, which all ranks share.
    pub fn enrol(&self, members: Vec<Member>) -> Arc<Roll> {
        self.rolls.enrol(members)
    }

    /// How threads that wait are to find out in which call.
    pub fn name_calls(&self, call: fn() -> &'static str) {
        self.call.get_or_init(|| call);
    }

    /// The ranks sit there; before anybody lives.
    pub fn sit_on(&self, berths: Berths) {
        self.nodes.keep(berths);
    }

    /// Where ranks sit, if they do on a machine that was thought out, and this process keeps it.
    pub fn berths(&self) -> Option<MutexGuard<'_, Berths>> {
        self.nodes.berths()
    }

    /// On which nodes of such a machine the ranks of this process sit.
    pub fn nodes(&self) -> &Nodes {
        &self.nodes
    }

    /// From now on, what happens is written down.
    pub fn keep_chronicle(&self, scribe: fn(&Incident)) {
        self.scribe.get_or_init(|| scribe);
        self.is_chronicled.store(true, Ordering::Relaxed);
    }

    /// Tells the chronicle of something that happens now. Called for failures only.
    pub fn tell(&self, tell: impl FnOnce(&mut Chronicle, Duration)) {
        let Some(scribe) = self.scribe.get() else { return };
        let mut chronicle = self.chronicle.lock();
        tell(&mut chronicle, self.age());
        // Under the lock, which the thread that ends the process takes first: so no line is lost.
        chronicle.tell().iter().for_each(scribe);
    }

    /// The latest open incidents, at most `most` of them.
    pub fn open_incidents(&self, most: usize) -> Vec<Incident> {
        self.chronicle.lock().open(most).to_vec()
    }

    /// Tells the chronicle that a rank has noticed the deaths after `epoch`.
    pub(in crate::engine) fn tell_noticed(&self, me: Member, epoch: usize) {
        if self.is_chronicled.load(Ordering::Relaxed) {
            self.learn(me, Fact::Noticed(self.deaths_since(epoch)));
        }
    }

    /// Tells the chronicle what `me` has come to know, wherever it is kept.
    pub fn learn(&self, me: Member, fact: Fact) {
        match &self.elsewhere {
            None => self.tell(|chronicle, now| chronicle.learn(&fact, now)),
            Some(elsewhere) if self.is_chronicled.load(Ordering::Relaxed) => {
                elsewhere.report(me, &Report::Learnt(fact));
            }
            Some(_) => {}
        }
    }

    /// The coordinator writes down what happens, and is told of it from now on.
    pub fn report_to_chronicle(&self) {
        self.is_chronicled.store(true, Ordering::Relaxed);
    }

    /// The job ends: what is still open is written down.
    pub fn end_chronicle(&self) {
        /// The holder may be dead.
        const PATIENCE: Duration = Duration::from_millis(200);
        let Some(scribe) = self.scribe.get() else { return };
        if let Some(mut chronicle) = self.chronicle.try_lock_for(PATIENCE) {
            chronicle.end();
            chronicle.tell().iter().for_each(scribe);
        }
    }

    /// The call that the calling thread is in.
    #[inline]
    pub(in crate::engine) fn call(&self) -> &'static str {
        self.call.get().map_or("a call", |call| call())
    }

    /// A life begins in `seat`: what was sent to the one before is not for it.
    pub fn enter(&self, seat: usize, incarnation: u32) {
        let has_entered = self.ledger.lock().enter(Member { seat, incarnation });
        assert!(has_entered, "a seat is free before its next incarnation comes: {seat}");
        self.wire.open(Member { seat, incarnation });
    }

    /// What has happened before this process began.
    pub(super) fn adopt(&self, known: Ledger) {
        let deaths = known.forgotten() + known.since(0).len();
        for (member, is_alive) in known.seats() {
            match is_alive {
                true => self.wire.open(member),
                false => self.wire.port(member.seat).close(),
            }
        }
        *self.ledger.lock() = known;
        self.stir.store(deaths as u64 * DEATH, Ordering::SeqCst);
    }

    /// Whether `member` has entered, alive or not.
    pub fn has_entered(&self, member: Member) -> bool {
        self.ledger.lock().has_entered(member)
    }

    /// A rank is dead: this is recorded once, and all waiting ranks look up.
    pub fn bury(&self, seat: usize, incarnation: u32) {
        self.tell(|chronicle, now| chronicle.recorded(Member { seat, incarnation }, now));
        let mut ledger = self.ledger.lock();
        if !ledger.bury(Member { seat, incarnation }) {
            return;
        }
        self.wire.port(seat).close();
        self.settle(seat, usize::MAX);
        self.stir.fetch_add(DEATH, Ordering::SeqCst);
        drop(ledger);
        self.part_with(Member { seat, incarnation });
        self.tell_agreements(Member { seat, incarnation });
        // Many ranks that never call MPI end in no time.
        if self.is_in_use.load(Ordering::SeqCst) {
            self.wake_all();
        }
    }

    /// The life in `seat` will not ask for the first `deaths` again; nor will later ones there.
    pub(in crate::engine) fn settle(&self, seat: usize, deaths: usize) {
        self.settled[seat].store(deaths, Ordering::Relaxed);
    }

    /// Forgets deaths that no rank will ask for.
    pub(in crate::engine) fn tidy_up(&self) {
        /// Forgetting is worth while for this many.
        const MANY: usize = 256;
        let settled = self.settled.iter().map(|settled| settled.load(Ordering::Relaxed)).min();
        let mut ledger = self.ledger.lock();
        if let Some(settled) = settled.filter(|settled| *settled >= ledger.forgotten() + MANY) {
            ledger.forget(settled);
        }
    }

    /// The seats in which a rank has died.
    pub fn bereaved(&self) -> Vec<usize> {
        self.ledger.lock().bereaved().collect()
    }

    /// Something has happened that waiting ranks have to look at; the caller wakes them next.
    pub(in crate::engine) fn disturb(&self) {
        let next = |stir: u64| Some(stir & !(DEATH - 1) | (stir + 1) & (DEATH - 1));
        let _ = self.stir.fetch_update(Ordering::SeqCst, Ordering::SeqCst, next);
    }

    pub(in crate::engine) fn wake_all(&self) {
        sched::wake_all((0..self.size()).map(|seat| self.wire.port(seat).bell()));
    }

    /// From now on, ranks may wait.
    pub(in crate::engine) fn put_to_use(&self) {
        self.is_in_use.store(true, Ordering::SeqCst);
    }

    /// Threads of this seat that wait inside a call look up.
    pub fn wake(&self, seat: usize) {
        self.wire.port(seat).bell().unpark();
    }

    /// Changes with everything that waiting ranks may have to look at.
    #[inline]
    pub(in crate::engine) fn stir(&self) -> u64 {
        self.stir.load(Ordering::SeqCst)
    }

    /// How many have died so far.
    #[inline]
    pub fn epoch(&self) -> usize {
        epoch_of(self.stir())
    }

    /// No rank takes a way on which steps are not reported. Said before any rank lives: one that
    /// waits already would not look up.
    pub fn be_careful(&self) {
        self.is_careful.store(true, Ordering::SeqCst);
        self.disturb();
    }

    /// The numbers of messages that these seats send to each seat, which are counted from now on if
    /// they were not before; `None` in a job that is too large.
    pub fn count_pairs(&self, senders: Range<usize>) -> Option<&Pairs> {
        if self.size() > Pairs::MOST_SEATS {
            return None;
        }
        if self.pairs.get().is_none() {
            let _ = self.pairs.set(Pairs::new(senders, self.size()));
            // All ranks look again whether they may take the fast path.
            self.disturb();
        }
        self.pairs.get()
    }

    /// Whether messages are counted by pairs.
    pub fn counts_pairs(&self) -> bool {
        self.pairs.get().is_some()
    }

    /// Another life begins in this seat of a process of several: its messages are its own.
    pub fn count_pairs_anew(&self, seat: usize) {
        if let Some(pairs) = self.pairs.get() {
            pairs.forget(seat);
        }
    }

    /// Whether steps are to be told.
    #[inline]
    pub(in crate::engine) fn is_careful(&self) -> bool {
        self.is_careful.load(Ordering::Relaxed)
    }

    /// Whether `member` lives no more.
    pub fn is_dead(&self, member: Member) -> bool {
        self.epoch() != 0 && self.ledger.lock().is_dead(member)
    }

    /// The deaths after `epoch`, in order, without those that were forgotten.
    pub fn deaths_since(&self, epoch: usize) -> Vec<Member> {
        self.ledger.lock().since(epoch).to_vec()
    }

    pub(in crate::engine) fn wire(&self) -> &'static Wire {
        self.wire
    }

    pub(in crate::engine) fn port(&self, seat: usize) -> &'static Port {
        self.wire.port(seat)
    }

    /// The simulated network that carries messages, in virtual time.
    #[inline]
    pub fn network(&self) -> Option<&'static SimulatedNetwork> {
        self.network
    }
}

/// How many of these ranks, those in the first seats, have rings: all if they have a core each.
fn ranks_with_rings(ranks: usize, cores: usize) -> usize {
    if ranks <= cores { ranks } else { 0 }
}

/// How many had died when [`World::stir`] was this.
#[inline]
pub(in crate::engine) fn epoch_of(stir: u64) -> usize {
    (stir >> 32) as usize
}
