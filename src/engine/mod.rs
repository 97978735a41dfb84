//! One rank's inner life: matching, operations, progress, notices of failure.
//!
//! A rank's state is behind one lock, held for a few lines at a time: every thread of the rank may
//! call at once, and as long as one thread alone does, the lock costs nothing. No other rank waits
//! for it: ranks reach each other only through their ports, and the deadlock detector only tries
//! it. A thread that waits makes progress for all threads of its rank.

mod rank;
pub mod shared;

pub use crate::engine::rank::afar::Prospect;
pub use crate::engine::rank::awaited::{Awaited, Event, Everyone, MeetingWait, Waits, Want};
pub use crate::engine::rank::buffered::Unsent;
pub use crate::engine::rank::matching::{ANY_SOURCE, ANY_TAG};
pub use crate::engine::rank::offload::Outside;
pub use crate::engine::rank::operation::{Died, Mishap, Ops, Outcome, Watch};
pub use crate::engine::rank::outlook::{Fellowship, Moved};
pub use crate::engine::rank::preposted::{PrepostedReceives, Receipt};
pub use crate::engine::rank::probe::Held;
pub use crate::engine::rank::steps::Steps;
pub use crate::engine::rank::synchronize::PeerWait;
pub use crate::engine::rank::tally::{Observer, Path, Tally};
pub use crate::engine::shared::asking::Ordered;
pub use crate::engine::shared::contexts::CONTEXTS;
pub use crate::engine::shared::home::Home;
pub use crate::engine::shared::mismatch::Void;
pub use crate::engine::shared::nodes::Node;
pub use crate::engine::shared::pairs::Pairs;
pub use crate::engine::shared::recovery_cache::CommittedView;
pub use crate::engine::shared::world::World;
pub use crate::fault::{Founding, Key as Matter, Loans, Purpose, Recipe, Spawn, Summons};
pub use shared::meeting::{
    Board, Call, Caller, Drawn, Enrolment, FEW_MEMBERS, Gate, Laid, Levels, Line, Mark, Meeting,
    Round, Series,
};

use crate::base::Member;
use crate::base::member::Roster;
use crate::base::slab::{Key, Slab};
use crate::base::sync::biased::{Biased, Guard};
use crate::base::sync::name::Name;
use crate::engine::rank::matching::{Posted, Unexpected};
use crate::engine::rank::operation::{Op, Stage};
use crate::engine::rank::tally::{Instruments, path_of};
use crate::host::life::Pulse;
use crate::host::memory::{self, Region, Span};
use crate::host::sched;
use crate::transport::{
    Batches, Envelope, Load, Packet, Pool, Port, Processes, SimulatedNetwork, Ticket, WatchedRings,
};
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// One incarnation's end of the wire, and everything it has under way.
pub struct Engine {
    world: &'static World,
    home: Arc<Home>,
    me: Member,
    pulse: Pulse,
    port: &'static Port,
    /// The way to ranks in other processes.
    outside: Option<&'static Processes>,
    /// The simulated network to all ranks, in virtual time.
    network: Option<&'static SimulatedNetwork>,
    state: Biased<State>,
    /// Watch the rings for threads that wait.
    watched: WatchedRings,
    /// What [`World::stir`] was when nothing was wrong that concerns this rank.
    calm: AtomicU64,
    /// Equal to `calm` as long as messages may take the fast path.
    fast_path: AtomicU64,
    /// Its MPI_COMM_WORLD is not the first one, which the fast path is for.
    is_elsewhere: AtomicBool,
    /// How many recoveries it has taken part in or come after.
    generation: AtomicU64,
    /// A rank is on the way to the next generation, and this rank has noticed all deaths that led
    /// to that.
    is_called: AtomicBool,
    /// Finds out which communicators there are.
    fellowships: OnceLock<Box<crate::engine::rank::outlook::Fellowships>>,
    /// How many runs wait for something in a meeting: only then is it looked at.
    waiting_runs: AtomicU32,
    /// How many own packets are waited for: only then is it news that one has come home.
    awaited: AtomicU32,
    /// Counts what one thread has completed while others waited.
    turns: AtomicU32,
    /// How many calls that could have let others run have not done so.
    calls_since_way: AtomicU32,
    /// The memory that this rank named and that is not there.
    fault: OnceLock<usize>,
    /// What counts the steps of this rank, if anything does.
    steps: OnceLock<Arc<dyn Steps>>,
    /// The call in which a thread of this rank sleeps, for observers.
    asleep_in: Name,
    /// How many messages the program has sent the short way, which is counted under the lock of the
    /// state; and how many otherwise. Only the rank writes it, and only live views read it.
    sent_shortly: AtomicU64,
    sent_otherwise: AtomicU64,
    instruments: Instruments,
    /// How often the bell of its seat had rung before.
    rings_before: u32,
}

struct State {
    ops: Ops,
    posted: Posted<Key>,
    unexpected: Unexpected<Packet>,
    /// How many messages may wait before recalled ones are looked for among them.
    sweep_at: usize,
    pool: Pool,
    rings: crate::engine::rank::rings::Rings,
    /// Receives that have their message, but not its bytes yet.
    copies: VecDeque<(Packet, Key)>,
    /// Receives whose data are on their way through a simulated network.
    fetching: Vec<(Ticket, Key)>,
    /// Room for those of them that are made together.
    batches: Batches<Key>,
    accounts: Slab<crate::engine::rank::operation::Account>,
    /// The runs that can go on.
    due: VecDeque<Key>,
    /// The runs that wait for something in a meeting.
    waiting_runs: Vec<(Key, Awaited)>,
    /// The contexts that are revoked with another one, or with one of some.
    kin: Vec<(u32, u32)>,
    /// The agreements that this rank waits for.
    deciding: Vec<Key>,
    /// How many deaths have been dealt with; and, for each context, up to which they have been
    /// reported to receives from any source.
    epoch: usize,
    reported: HashMap<u32, usize>,
    /// What [`World::stir`] was when this rank last looked up.
    stir: u64,
    outlook: crate::engine::rank::outlook::Outlook,
    /// How many threads wait, and whether something that they may wait for has happened.
    waiting: u32,
    /// Its waiting threads, and for what they wait.
    waiters: Slab<crate::engine::rank::awaited::Waiter>,
    /// A thread that waits in a meeting only: its call, and what it waits for.
    sleeper: Option<(&'static str, crate::engine::rank::awaited::Watched)>,
    has_news: bool,
    /// How many threads are making a long copy.
    copying: u32,
    /// How often it has waited for something outside.
    outside: u64,
    tally: Tally,
    /// How many tools want all messages to be counted.
    counting: u32,
}

/// From how many messages that wait on it is worth while to look for recalled ones.
const FEWEST_TO_SWEEP: usize = 64;

/// Where a message goes.
#[derive(Clone, Copy)]
pub struct Letter<'a> {
    pub envelope: Envelope,
    pub to: Member,
    /// The rank that the receiver has in the communicator.
    pub rank: i32,
    /// Where any member's death ends the send, not only the receiver's (collectives).
    pub everyone: Option<&'a Arc<dyn Roster>>,
}

impl Letter<'_> {
    fn watch(&self) -> Watch {
        let (rank, member) = (self.rank, self.to);
        match self.everyone {
            None => Watch::Peer { rank, member },
            Some(roster) => Watch::Everyone { rank, member, roster: roster.clone() },
        }
    }
}

/// When a send is complete (MPI-5.0 §3.4). Ready is standard: the receive is already there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Standard,
    Synchronous,
}

impl Engine {
    /// The engine of a rank that has entered `world`.
    pub fn new(world: &'static World, seat: usize, incarnation: u32, pulse: Pulse) -> Engine {
        let port = world.port(seat);
        world.put_to_use();
        Engine {
            world,
            home: world.home_of(seat),
            me: Member { seat, incarnation },
            pulse,
            port,
            outside: world.processes(),
            network: world.network(),
            state: Biased::new(State::new(port)),
            watched: WatchedRings::default(),
            calm: AtomicU64::new(0),
            fast_path: AtomicU64::new(0),
            is_elsewhere: AtomicBool::new(false),
            generation: AtomicU64::new(0),
            is_called: AtomicBool::new(false),
            fellowships: OnceLock::new(),
            waiting_runs: AtomicU32::new(0),
            awaited: AtomicU32::new(0),
            turns: AtomicU32::new(0),
            calls_since_way: AtomicU32::new(0),
            fault: OnceLock::new(),
            steps: OnceLock::new(),
            asleep_in: Name::default(),
            sent_shortly: AtomicU64::new(0),
            sent_otherwise: AtomicU64::new(0),
            instruments: Instruments::with_eager_limit(
                world.network().map(|network| network.overheads().eager),
            ),
            rings_before: port.bell().rings(),
        }
    }

    /// The rank lives in another world than the first one: it never takes the fast path.
    pub fn keep_off_fast_path(&self) {
        self.is_elsewhere.store(true, Ordering::Relaxed);
        self.fast_path.store(u64::MAX, Ordering::Relaxed);
    }

    /// The world that this rank is born into.
    #[inline]
    pub fn home(&self) -> &Home {
        &self.home
    }

    /// Whose engine this is.
    #[cfg(test)]
    pub fn me(&self) -> Member {
        self.me
    }

    /// The rank is dead, and its threads are gone: gives back all that it had under way. Messages
    /// that it has not taken go home to their senders, its own packets to its successor.
    pub fn lay_down(&self) {
        // A thread of the dead may have left the lock behind.
        let Some(mut state) = self.state.try_visit() else { return };
        let left = std::mem::replace(&mut *state, State::new(self.port));
        drop(state);
        drop(left);
    }

    /// Where this rank touched memory that is not there, if that is what it died of.
    pub fn fault(&self) -> Option<usize> {
        self.fault.get().copied()
    }

    /// Starts a send. `None`: it is complete, and the data may be overwritten.
    #[inline]
    pub fn send(&self, letter: Letter, data: &Region, mode: Mode) -> Result<Option<Key>, Died> {
        let is_plain = mode == Mode::Standard && self.is_calm() && !self.world.is_careful();
        if is_plain && data.bytes() <= self.eager_limit() {
            let mut state = self.state.lock();
            if let Some(way) = state.rings.to(letter.to) {
                let sent = way.send(letter.envelope, data);
                if sent.map_err(|fault| self.suffer(fault.address))? {
                    let call = way.call();
                    state.tally.count_sent(Path::Ring, data.bytes());
                    drop(state);
                    call.announce();
                    return Ok(None);
                }
            }
            if let Some(outside) = self.outside {
                let sent = self.send_outside(outside, letter.envelope, letter.to, data);
                if sent.map_err(|fault| self.suffer(fault.address))? {
                    state.tally.count_sent(Path::Packet, data.bytes());
                    drop(state);
                    return self.step().map(|()| None);
                }
            }
            self.launch(state, letter, Load::Carried(data), None)?;
            return Ok(None);
        }
        if is_plain
            && let Some(outside) = self.outside
            && self.send_long_outside(outside, letter, data)?
        {
            return self.step().map(|()| None);
        }
        self.send_with_care(letter, data, mode)
    }

    /// Starts a send of a copy, so that the data may be overwritten at once.
    pub fn send_copy(&self, letter: Letter, data: &Region) -> Result<Option<Key>, Died> {
        if data.bytes() <= self.eager_limit() {
            return self.send(letter, data, Mode::Standard);
        }
        let block = self.copy_of(data)?;
        let mut state = self.state.lock();
        if let Some(mishap) = self.judge_send(&mut state, letter.envelope, &letter.watch()) {
            return Ok(Some(self.lost(&mut state, letter, mishap)));
        }
        self.launch(state, letter, Load::Attached(block), None)?;
        Ok(None)
    }

    pub(in crate::engine) fn copy_of(&self, data: &Region) -> Result<Box<[u8]>, Died> {
        let mut block = vec![0; data.bytes()].into_boxed_slice();
        let copied = memory::transfer(data, &Span::of_mut(&mut block).into());
        copied.map_err(|fault| self.suffer(fault.address))?;
        Ok(block)
    }

    /// A send that is not complete when its packet is on its way, or that may meet the dead.
    #[inline(never)]
    fn send_with_care(
        &self, letter: Letter, data: &Region, mode: Mode,
    ) -> Result<Option<Key>, Died> {
        let is_small = data.bytes() <= self.eager_limit();
        let load = if is_small { Load::Carried(data) } else { Load::Referenced(data) };
        let mut state = self.state.lock();
        let watch = letter.watch();
        let is_at_once = is_small && mode == Mode::Standard;
        if let Some(mishap) = self.judge_send(&mut state, letter.envelope, &watch)
            && !(is_at_once && self.is_passed_on(&state, letter, mishap))
        {
            return Ok(Some(self.lost(&mut state, letter, mishap)));
        }
        if is_at_once {
            self.launch(state, letter, load, None)?;
            return Ok(None);
        }
        let stage = Stage::Sending { ticket: None, charge: None };
        let key = state.begin(stage, letter.envelope, Some(watch));
        self.launch(state, letter, load, Some(key))?;
        Ok(Some(key))
    }

    /// Whether a message goes out although its communicator is revoked: a member of a collective
    /// operation that has not heard of that may have all that it needs, and others wait for what it
    /// passes on.
    fn is_passed_on(&self, state: &State, letter: Letter, mishap: Mishap) -> bool {
        mishap == Mishap::Revoked
            && letter.everyone.is_some()
            && !self.is_barred(state, letter.envelope)
    }

    fn lost(&self, state: &mut State, letter: Letter, mishap: Mishap) -> Key {
        let mishap = self.tell(state, letter.envelope, mishap);
        state.lost(mishap)
    }

    /// Fills a packet and sends it off; `op`, if any, waits for it to come home.
    pub(in crate::engine) fn launch(
        &self, mut state: Guard<'_, State>, letter: Letter, load: Load<'_>, op: Option<Key>,
    ) -> Result<(), Died> {
        let room = if let Load::Carried(data) = &load { data.bytes() } else { 0 };
        let (path, bytes) = path_of(&load);
        state.tally.count_sent(path, bytes);
        let mut packet = self.blank(&mut state, room)?;
        let token = op.map_or(0, Key::number);
        packet.address(letter.envelope, self.me, letter.to, token);
        packet.load(load).map_err(|fault| self.suffer(fault.address))?;
        if let Some(op) = op.and_then(|key| state.ops.0.find_mut(key))
            && let Stage::Sending { ticket, charge } = &mut op.stage
        {
            if charge.is_some() {
                packet.needs_no_answer();
            }
            *ticket = Some(packet.ticket());
            self.awaited.fetch_add(1, Ordering::Relaxed);
        }
        self.post(&mut state, letter.to, packet);
        drop(state);
        self.step()
    }

    /// A packet that can carry `bytes`.
    #[inline]
    fn blank(&self, state: &mut State, bytes: usize) -> Result<Packet, Died> {
        if let Some(packet) = state.pool.blank(bytes) {
            return Ok(packet);
        }
        self.reclaim(state)?;
        if let Some(packet) = state.pool.blank(bytes) {
            return Ok(packet);
        }
        state.pool.grow(bytes);
        Ok(state.pool.blank(bytes).expect("the pool has just grown"))
    }

    /// An operation that is complete from the start.
    pub fn complete(&self, outcome: Outcome) -> Key {
        self.state.lock().done(outcome)
    }

    /// An operation that goes on until [`Engine::close`] ends it.
    pub fn open(&self) -> Key {
        self.state.lock().begin(Stage::Open, Envelope::default(), None)
    }

    /// Ends an operation of [`Engine::open`]; false when it has ended already.
    pub fn close(&self, op: Key) -> bool {
        let mut state = self.state.lock();
        let is_open = state.ops.0.find(op).is_some_and(|op| matches!(op.stage, Stage::Open));
        if is_open {
            self.finish(&mut state, op, Outcome::default());
            self.share_news(&mut state);
        }
        is_open
    }

    /// Takes an operation back if nothing has come of it yet (MPI-5.0 §3.8.4). It ends either way.
    pub fn cancel(&self, op: Key) {
        let mut state = self.state.lock();
        self.withdraw(&mut state, op);
        self.share_news(&mut state);
    }

    fn withdraw(&self, state: &mut State, op: Key) {
        if state.take_back(op) {
            let outcome = Outcome { is_cancelled: true, ..state.blank_outcome(op) };
            self.finish(state, op, outcome);
        }
    }

    /// Makes two operations the halves of one: when one is lost with its peer, the other is taken
    /// back if that is still possible, for its peer may have given up for the same reason.
    pub fn join(&self, one: Key, other: Key) {
        let mut state = self.state.lock();
        for (key, partner) in [(one, other), (other, one)] {
            let Some(op) = state.ops.0.find_mut(key) else { continue };
            op.partner = Some(partner);
            if matches!(op.stage, Stage::Done(outcome) if outcome.is_lost()) {
                self.withdraw(&mut state, partner);
            }
        }
        self.share_news(&mut state);
    }

    /// The program has freed this operation's request; the operation goes on to its end.
    pub fn abandon(&self, op: Key) {
        let mut state = self.state.lock();
        if state.ops.collect(op).is_none()
            && let Some(op) = state.ops.0.find_mut(op)
        {
            op.is_orphan = true;
        }
    }

    /// Makes progress once, then asks `ready`.
    #[inline]
    pub fn poll<T>(&self, mut ready: impl FnMut(&mut Ops) -> Option<T>) -> Result<Option<T>, Died> {
        self.poll_state(|state| ready(&mut state.ops))
    }

    /// Makes progress once, then asks `ready` with all of the state. A caller that asks in vain
    /// will ask again: where ranks share cores, it first lets another rank run, which can change
    /// the answer.
    #[inline]
    fn poll_state<T>(
        &self, mut ready: impl FnMut(&mut State) -> Option<T>,
    ) -> Result<Option<T>, Died> {
        let mut state = self.state.lock();
        self.progress(&mut state)?;
        self.drive(&mut state)?;
        let mut answer = ready(&mut state);
        while answer.is_none() && self.copy_next(&mut state)? {
            self.drive(&mut state)?;
            answer = ready(&mut state);
        }
        self.leave(&mut state)?;
        drop(state);
        // In virtual time, what it asks for comes only while others run, or when time passes.
        if answer.is_none() && (self.world.crowding.is_crowded() || self.network.is_some()) {
            sched::yield_now();
        }
        Ok(answer)
    }

    /// Other threads of the rank that wait ask once more.
    pub fn nudge(&self) {
        let mut state = self.state.lock();
        state.has_news = true;
        self.share_news(&mut state);
    }

    /// Makes progress until `ready` has an answer.
    #[inline]
    pub fn wait_for<T>(&self, mut ready: impl FnMut(&mut Ops) -> Option<T>) -> Result<T, Died> {
        self.wait_until(|state| ready(&mut state.ops))
    }

    /// Waits for the end of one operation, and forgets it.
    #[inline]
    pub fn wait(&self, op: Key) -> Result<Outcome, Died> {
        self.wait_until(|state| state.ops.collect(op))
    }
}

impl Engine {
    /// From now on `steps` is told of every step. Whoever counts has
    /// [`crate::engine::World::be_careful`] say so before.
    pub fn count_steps(&self, steps: Arc<dyn Steps>) {
        self.steps.get_or_init(|| steps);
        self.pulse.count();
    }

    /// The calling thread has made a step of its call.
    #[inline]
    pub fn step(&self) -> Result<(), Died> {
        if self.pulse.is_counted() { self.count_step() } else { Ok(()) }
    }

    #[cold]
    fn count_step(&self) -> Result<(), Died> {
        if self.steps.get().is_some_and(|steps| steps.step()) {
            self.pulse.stop();
            return Err(Died);
        }
        Ok(())
    }
}

impl State {
    fn new(port: &'static Port) -> State {
        State {
            ops: Ops::default(),
            posted: Posted::default(),
            unexpected: Unexpected::default(),
            sweep_at: FEWEST_TO_SWEEP,
            pool: Pool::new(port),
            rings: crate::engine::rank::rings::Rings::default(),
            copies: VecDeque::new(),
            fetching: Vec::new(),
            batches: Batches::default(),
            accounts: Slab::default(),
            due: VecDeque::new(),
            waiting_runs: Vec::new(),
            kin: Vec::new(),
            deciding: Vec::new(),
            epoch: 0,
            reported: HashMap::new(),
            stir: 0,
            outlook: crate::engine::rank::outlook::Outlook::default(),
            waiting: 0,
            waiters: Slab::default(),
            sleeper: None,
            has_news: false,
            copying: 0,
            outside: 0,
            tally: Tally::default(),
            counting: 0,
        }
    }

    #[inline]
    fn begin(&mut self, stage: Stage, envelope: Envelope, watch: Option<Watch>) -> Key {
        let heard = if watch.is_some() { self.heard(envelope) as u32 } else { 0 };
        let (run, partner) = (None, None);
        let doubt = None;
        self.ops.insert(Op { stage, envelope, watch, heard, doubt, run, partner, is_orphan: false })
    }

    fn done(&mut self, outcome: Outcome) -> Key {
        self.begin(Stage::Done(outcome), Envelope::default(), None)
    }

    fn lost(&mut self, mishap: Mishap) -> Key {
        self.done(Outcome { mishap: Some(mishap), ..Outcome::default() })
    }

    fn set(&mut self, key: Key, stage: Stage) {
        self.ops.0.find_mut(key).expect("an operation under way is in the table").stage = stage;
    }

    /// Withdraws what the operation has out; false when it is too late for that.
    fn take_back(&mut self, key: Key) -> bool {
        let Some(op) = self.ops.0.find(key) else { return false };
        match &op.stage {
            Stage::Receiving { .. } => {
                self.posted.withdraw(op.envelope, key);
                true
            }
            Stage::Sending { ticket: Some(ticket), .. } => ticket.recall(),
            Stage::Sending { ticket: None, .. } | Stage::Outside(_) => true,
            Stage::Copying { .. }
            | Stage::Flushing
            | Stage::Running(_)
            | Stage::Deciding(_)
            | Stage::Open
            | Stage::Done(_) => false,
        }
    }

    /// What is known of an operation that got no message.
    fn blank_outcome(&self, key: Key) -> Outcome {
        let envelope = self.ops.0.find(key).map(|op| op.envelope).unwrap_or_default();
        Outcome { source: envelope.source, tag: envelope.tag, ..Outcome::default() }
    }
}
