//! The network of a simulated machine: in virtual time, messages between ranks of this process take
//! as long as they would take there.
//!
//! A message enters the network when it is sent, and its receiver's inbox when it has arrived. Of a
//! long one only the announcement goes that way; when the receiver has matched it, the sender is
//! asked for the data, and the packet comes once more when they have arrived ([`Self::fetch`]).

mod carrying;
mod desks;
mod moves;
mod tokens;
mod transfers;

use crate::base::sync::queue::Linked;
use crate::host::clock;
use crate::host::sched;
use crate::host::virtual_time::{self, Happens, accounts};
use crate::machine::happening::What;
use crate::machine::model::Overheads;
use crate::machine::network::Network;
use crate::machine::units::{NANO, Picos};
use crate::machine::wires;
use crate::transport::inbox::{Outside, Wire};
use crate::transport::packet::Packet;
use desks::{Desks, Token};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::ptr::{NonNull, with_exposed_provenance_mut};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use transfers::OfSeats;

pub use desks::{Carriage, Party};
pub use transfers::Transfers;

/// On which node of the machine a rank is.
type Placement = dyn Fn(usize) -> usize + Send + Sync;

/// The simulated network between the ranks of this process.
pub struct SimulatedNetwork {
    network: Mutex<Network>,
    overheads: Overheads,
    wire: OnceLock<&'static Wire>,
    node_of: OnceLock<Box<Placement>>,
    /// As how long the next message counts that is sent, if that is not its length.
    price: AtomicU64,
    /// Whether messages do not wait for each other.
    is_ideal: bool,
    /// Of each seat: when the last message arrives that is under way from it to another one, which
    /// no later one overtakes.
    last: OnceLock<Box<[Mutex<LastArrivals>]>>,
    desks: OnceLock<Desks>,
    /// Where messages do wait: those that are under way, by the numbers that they have there.
    under_way: Mutex<FxHashMap<usize, Journey>>,
    /// For when it is entered in the calendar that the network goes on.
    next: AtomicU64,
    /// The processes that are under way to other nodes.
    moves: OfSeats,
    /// Where messages do wait: what is under way from one seat to another.
    channels: Mutex<FxHashMap<(usize, usize), Channel>>,
}

#[derive(Default)]
struct Channel {
    /// Messages that leave when the one before has left.
    waiting: VecDeque<Journey>,
    is_busy: bool,
}

const NO_PRICE: u64 = u64::MAX;

/// When the last message to each seat arrives, of those that are under way: most often few.
type LastArrivals = Vec<(usize, Picos)>;

/// A message on its way.
struct Journey {
    seats: (usize, usize),
    nodes: (usize, usize),
    bytes: u64,
    /// Whether it stays behind the message before it.
    is_in_order: bool,
    then: Later,
}

impl SimulatedNetwork {
    pub fn new(network: Network) -> &'static SimulatedNetwork {
        Box::leak(Box::new(SimulatedNetwork {
            overheads: network.model().mpi.clone(),
            price: AtomicU64::new(NO_PRICE),
            is_ideal: network.is_ideal(),
            network: Mutex::new(network),
            last: OnceLock::new(),
            desks: OnceLock::new(),
            wire: OnceLock::new(),
            node_of: OnceLock::new(),
            moves: OfSeats::default(),
            channels: Mutex::default(),
            under_way: Mutex::default(),
            next: AtomicU64::new(Picos::MAX),
        }))
    }

    /// The wire for so many seats.
    pub fn wire_for(&'static self, seats: usize) -> &'static Wire {
        self.last.get_or_init(|| (0..seats).map(|_| Mutex::default()).collect());
        self.desks.get_or_init(|| (0..seats).map(|_| Mutex::default()).collect());
        self.wire.get_or_init(|| Wire::across(self, seats))
    }

    /// From now on, ranks are where `node_of` says.
    pub fn place(&self, node_of: Box<Placement>) {
        self.node_of.get_or_init(|| node_of);
    }

    /// What sending and receiving costs.
    pub fn overheads(&self) -> &Overheads {
        &self.overheads
    }

    /// The message that the calling rank sends by `send` takes as long as one of so many bytes; one
    /// by hardware takes so long.
    pub fn priced<T>(&self, bytes: u64, send: impl FnOnce() -> T) -> T {
        self.price.store(bytes, Ordering::Relaxed);
        let sent = send();
        self.price.store(NO_PRICE, Ordering::Relaxed);
        sent
    }

    /// The data of a message that has been matched come to the receiver's seat, and with them the
    /// packet.
    pub fn fetch(&'static self, packet: Packet, seat: usize) {
        let bytes = packet.bytes() as u64;
        let from = packet.sender().seat;
        let request = self.journey((seat, from), 0, move |now| {
            let receive = move |_| self.deliver(seat, packet);
            self.go_on(self.journey((from, seat), bytes, receive), now);
        });
        happens_at(clock::picos(), move |now| self.go_on(request, now));
    }

    /// A message is in a seat: whoever waits for it there has waited for its sender.
    fn deliver(&'static self, seat: usize, packet: Packet) {
        self.when_there(seat, move || {
            accounts::blame(Some(packet.sender().seat));
            self.wire().receive(seat, packet);
        });
    }

    /// The links that are busy longest, by their number, with the time for which they are.
    pub fn busiest(&self, many: usize) -> Vec<(String, Picos)> {
        let network = self.network.lock();
        let topology = &network.model().topology;
        network.busiest(many).map(|(link, busy)| (topology.link_name(link), busy)).collect()
    }

    /// Whether links are known to be busy.
    pub fn has_loads(&self) -> bool {
        !self.is_ideal
    }

    /// For how many nanoseconds each link of a grid has been busy, in JSON.
    pub fn loads(&self) -> Option<String> {
        let network = self.network.lock();
        let grid = network.model().topology.grid()?;
        Some(wires::loads(grid, |link| network.busy(link) / NANO))
    }

    fn wire(&self) -> &'static Wire {
        self.wire.get().expect("a network is made with its wire")
    }

    fn journey(
        &self, seats: (usize, usize), bytes: u64, then: impl FnOnce(Picos) + Send + 'static,
    ) -> Journey {
        let nodes = (self.node_of(seats.0), self.node_of(seats.1));
        Journey { seats, nodes, bytes, is_in_order: false, then: Box::new(then) }
    }

    /// When a message arrives that leaves now and waits for no other, except that it overtakes none
    /// between the same ranks.
    fn arrival(&self, (from, to): (usize, usize), bytes: u64, now: Picos) -> Picos {
        let nodes = (self.node_of(from), self.node_of(to));
        let at = self.network.lock().arrival(nodes.0, nodes.1, bytes, now);
        let mut last = self.last.get().expect("there are seats")[from].lock();
        last.retain(|(_, at)| *at > now);
        match last.iter_mut().find(|(seat, _)| *seat == to) {
            Some((_, known)) => {
                *known = at.max(*known);
                *known
            }
            None => {
                last.push((to, at));
                at
            }
        }
    }

    /// When a message arrives that its sender sends now, if it waits for no other's. A long one
    /// leaves when it has been announced.
    fn arrives_without_waiting(
        &self, seats: (usize, usize), bytes: u64, is_long: bool,
    ) -> Option<Picos> {
        self.is_ideal.then(|| {
            let now = clock::picos();
            let leaves = if is_long { self.round_trip(seats, now) } else { now };
            self.arrival(seats, bytes, leaves)
        })
    }

    /// A message enters the network, where it may wait for others.
    fn set_out(
        &'static self, seats: (usize, usize), bytes: u64, is_long: bool,
        then: impl FnOnce(Picos) + Send + 'static,
    ) {
        let journey = Journey { is_in_order: true, ..self.journey(seats, bytes, then) };
        // It enters in its turn: those who are behind may send before.
        match is_long {
            false => happens_at(clock::picos(), move |now| self.enter(journey, now)),
            true => self.announce(journey, seats),
        }
    }

    /// When an announcement that leaves now has been answered.
    fn round_trip(&self, (from, to): (usize, usize), now: Picos) -> Picos {
        let (from, to) = (self.node_of(from), self.node_of(to));
        let network = self.network.lock();
        network.arrival(to, from, 0, network.arrival(from, to, 0, now))
    }

    /// A message leaves when it has been announced, and the announcement answered.
    fn announce(&'static self, journey: Journey, (from, to): (usize, usize)) {
        let answer = self.journey((to, from), 0, move |now| self.enter(journey, now));
        let announcement = self.journey((from, to), 0, move |now| self.go_on(answer, now));
        happens_at(clock::picos(), move |now| self.go_on(announcement, now));
    }

    fn node_of(&self, seat: usize) -> usize {
        self.node_of.get().map_or(0, |node_of| node_of(seat))
    }

    /// A message enters its channel.
    fn enter(&'static self, journey: Journey, now: Picos) {
        let mut channels = self.channels.lock();
        let channel = channels.entry(journey.seats).or_default();
        if channel.is_busy {
            channel.waiting.push_back(journey);
            return;
        }
        channel.is_busy = true;
        drop(channels);
        self.go_on(journey, now);
    }

    /// The message before has left: the next one does.
    fn leave(&'static self, seats: (usize, usize), now: Picos) {
        let mut channels = self.channels.lock();
        let channel = channels.entry(seats).or_default();
        // It stays busy for the next one: whoever enters meanwhile waits behind it.
        match channel.waiting.pop_front() {
            None => _ = channels.remove(&seats),
            Some(next) => happens_at(now, move |now| self.go_on(next, now)),
        }
    }

    /// A message leaves.
    fn go_on(&'static self, journey: Journey, now: Picos) {
        let (from, to) = journey.nodes;
        let mut network = self.network.lock();
        match network.begin(from, to, journey.bytes, now) {
            Some(message) => {
                drop(network);
                self.under_way.lock().insert(message, journey);
                self.let_network_go_on(Some(now));
            }
            None => {
                let at = network.arrival(from, to, journey.bytes, now);
                drop(network);
                self.has_left(&journey, now);
                happens_at(at, journey.then);
            }
        }
    }

    fn has_left(&'static self, journey: &Journey, now: Picos) {
        if journey.is_in_order {
            self.leave(journey.seats, now);
        }
    }

    /// The network goes on at that time.
    fn let_network_go_on(&'static self, at: Option<Picos>) {
        let Some(at) = at.filter(|at| *at < self.next.load(Ordering::Relaxed)) else { return };
        self.next.store(at, Ordering::Relaxed);
        virtual_time::enter(at, self, NETWORK_GOES_ON);
    }

    fn network_goes_on(&'static self, now: Picos) {
        // It has gone on already, if that was entered for an earlier time later.
        if self.next.load(Ordering::Relaxed) != now {
            return;
        }
        self.next.store(Picos::MAX, Ordering::Relaxed);
        let mut happened = Vec::new();
        let next = self.network.lock().go_on(now, sched::quiet_until(), &mut happened);
        for it in happened {
            let mut under_way = self.under_way.lock();
            match it.what {
                What::HasLeft => {
                    let journey = &under_way[&it.message];
                    let leaves = journey.is_in_order.then_some(journey.seats);
                    drop(under_way);
                    leaves.into_iter().for_each(|seats| self.leave(seats, it.at));
                }
                What::Arrives => {
                    let journey = under_way.remove(&it.message);
                    drop(under_way);
                    journey.into_iter().for_each(|journey| happens_at(it.at, journey.then));
                }
            }
        }
        self.let_network_go_on(next);
    }
}

/// What the calendar has for the time when the network goes on: no packet is nowhere.
const NETWORK_GOES_ON: [usize; 2] = [0, 0];

/// Lets a function be called at that time.
fn happens_at(at: Picos, call: impl FnOnce(Picos) + Send + 'static) {
    let call: Box<Later> = Box::new(Box::new(call));
    virtual_time::enter(at, &CALLS, [Box::into_raw(call).expose_provenance(), 0]);
}

type Later = Box<dyn FnOnce(Picos) + Send>;

/// Calls functions.
struct Calls;

static CALLS: Calls = Calls;

impl Happens for Calls {
    fn happen(&'static self, [call, _]: [usize; 2], now: Picos) {
        // SAFETY: `happens_at` has given it up, for this one time.
        let call = unsafe { Box::from_raw(with_exposed_provenance_mut::<Later>(call)) };
        call(now);
    }
}

impl Happens for SimulatedNetwork {
    /// A message or a token has arrived in a seat; or the network goes on.
    fn happen(&'static self, numbers: [usize; 2], now: Picos) {
        if numbers == NETWORK_GOES_ON {
            return self.network_goes_on(now);
        }
        if let Some(token) = Token::of(numbers) {
            return self.token_arrives(token);
        }
        let [packet, seat] = numbers;
        let node = NonNull::new(with_exposed_provenance_mut(packet)).expect("a node is somewhere");
        // SAFETY: `post` has given it up, for this one time.
        self.deliver(seat, unsafe { Packet::from_raw(node) });
    }
}

impl Outside for SimulatedNetwork {
    fn has(&self, _seat: usize) -> bool {
        true
    }

    fn post(&'static self, seat: usize, packet: Packet) {
        let price = self.price.swap(NO_PRICE, Ordering::Relaxed);
        if price != NO_PRICE && packet.envelope().is_by_hardware() {
            let packet = packet.into_raw().as_ptr().expose_provenance();
            return virtual_time::enter(clock::picos().saturating_add(price), self, [packet, seat]);
        }
        clock::pass_picos(self.overheads.send);
        let seats = (packet.sender().seat, seat);
        let bytes = match price {
            NO_PRICE if !packet.has_data() => 0,
            NO_PRICE => packet.bytes() as u64,
            _ => price,
        };
        let is_long = price != NO_PRICE && price > self.overheads.eager as u64;
        match self.arrives_without_waiting(seats, bytes, is_long) {
            Some(at) => {
                let packet = packet.into_raw().as_ptr().expose_provenance();
                virtual_time::enter(at, self, [packet, seat]);
            }
            None => self.set_out(seats, bytes, is_long, move |_| self.deliver(seat, packet)),
        }
    }
}
