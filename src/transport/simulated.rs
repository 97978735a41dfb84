//! The network of a simulated machine: in virtual time, messages between ranks of this process take
//! as long as they would take there.
//!
//! A message enters the network when it is sent, and its receiver's inbox when it has arrived. Of a
//! long one only the announcement goes that way; when the receiver has matched it, the sender is
//! asked for the data, and the packet comes once more when they have arrived ([`Self::fetch`]).

mod carrying;
mod desks;
mod journeys;
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
use journeys::{Journey, Journeys, Step, Then};
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
    journeys: Mutex<Journeys>,
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
    waiting: VecDeque<usize>,
    is_busy: bool,
}

const NO_PRICE: u64 = u64::MAX;

/// When the last message to each seat arrives, of those that are under way: most often few.
type LastArrivals = Vec<(usize, Picos)>;

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
            journeys: Mutex::default(),
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
        let data = self.journey((from, seat), bytes, Then::Deliver(packet));
        let data = self.journeys.lock().add(data);
        self.set_off(self.journey((seat, from), 0, Then::Go(Step::Leave, data)));
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

    fn journey(&self, seats: (usize, usize), bytes: u64, then: Then) -> Journey {
        let nodes = (self.node_of(seats.0), self.node_of(seats.1));
        Journey { seats, nodes, bytes, is_in_order: false, then }
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

    /// A message enters the network, where it may wait for others. It enters in its turn: those who
    /// are behind may send before.
    fn set_out(&'static self, seats: (usize, usize), bytes: u64, is_long: bool, then: Then) {
        let journey = Journey { is_in_order: true, ..self.journey(seats, bytes, then) };
        let number = self.journeys.lock().add(journey);
        match is_long {
            false => self.expect(clock::picos(), Step::Enter, number),
            true => self.announce(number, seats),
        }
    }

    /// A message leaves in its turn, beside all others between its seats.
    fn set_off(&'static self, journey: Journey) {
        let number = self.journeys.lock().add(journey);
        self.expect(clock::picos(), Step::Leave, number);
    }

    /// The journey with this number takes this step at that time.
    fn expect(&'static self, at: Picos, step: Step, number: usize) {
        virtual_time::enter(at, self, step.numbers(number));
    }

    /// When an announcement that leaves now has been answered.
    fn round_trip(&self, (from, to): (usize, usize), now: Picos) -> Picos {
        let (from, to) = (self.node_of(from), self.node_of(to));
        let network = self.network.lock();
        network.arrival(to, from, 0, network.arrival(from, to, 0, now))
    }

    /// A message leaves when it has been announced, and the announcement answered.
    fn announce(&'static self, number: usize, (from, to): (usize, usize)) {
        let answer = self.journey((to, from), 0, Then::Go(Step::Enter, number));
        let answer = self.journeys.lock().add(answer);
        self.set_off(self.journey((from, to), 0, Then::Go(Step::Leave, answer)));
    }

    fn node_of(&self, seat: usize) -> usize {
        self.node_of.get().map_or(0, |node_of| node_of(seat))
    }

    fn take_step(&'static self, step: Step, number: usize, now: Picos) {
        match step {
            Step::Enter => self.enter(number, now),
            Step::Leave => self.go(number, now),
            Step::Arrive => self.arrive(number, now),
        }
    }

    /// A message enters its channel.
    fn enter(&'static self, number: usize, now: Picos) {
        let seats = self.journeys.lock().of(number).seats;
        let mut channels = self.channels.lock();
        let channel = channels.entry(seats).or_default();
        if channel.is_busy {
            return channel.waiting.push_back(number);
        }
        channel.is_busy = true;
        drop(channels);
        self.go(number, now);
    }

    /// A message leaves.
    fn go(&'static self, number: usize, now: Picos) {
        let (nodes, bytes) = {
            let journeys = self.journeys.lock();
            (journeys.of(number).nodes, journeys.of(number).bytes)
        };
        let mut network = self.network.lock();
        if network.begin(number, nodes, bytes, now) {
            drop(network);
            return self.let_network_go_on(Some(now));
        }
        let at = network.arrival(nodes.0, nodes.1, bytes, now);
        drop(network);
        self.has_left(number, now);
        self.expect(at, Step::Arrive, number);
    }

    /// A message has left: the next one in its channel does.
    fn has_left(&'static self, number: usize, now: Picos) {
        let journeys = self.journeys.lock();
        let journey = journeys.of(number);
        if !journey.is_in_order {
            return;
        }
        let mut channels = self.channels.lock();
        let channel = channels.entry(journey.seats).or_default();
        // It stays busy for the next one: whoever enters meanwhile waits behind it.
        match channel.waiting.pop_front() {
            None => _ = channels.remove(&journey.seats),
            Some(next) => self.expect(now, Step::Leave, next),
        }
    }

    fn arrive(&'static self, number: usize, now: Picos) {
        let journey = self.journeys.lock().take(number);
        match journey.then {
            Then::Deliver(packet) => self.deliver(journey.seats.1, packet),
            Then::Take(token) => self.token_arrives(token),
            Then::Go(step, number) => self.take_step(step, number, now),
            Then::Call(call) => call(now),
        }
    }

    /// The network goes on at that time.
    fn let_network_go_on(&'static self, at: Option<Picos>) {
        let Some(at) = at.filter(|at| *at < self.next.load(Ordering::Relaxed)) else { return };
        self.next.store(at, Ordering::Relaxed);
        virtual_time::enter(at, self, NETWORK_GOES_ON);
    }

    fn network_goes_on(&'static self, now: Picos) {
        // Otherwise something began before this time, and it has gone on since.
        if self.next.load(Ordering::Relaxed) != now {
            return;
        }
        self.next.store(Picos::MAX, Ordering::Relaxed);
        let mut happened = Vec::new();
        let next = self.network.lock().go_on(now, sched::quiet_until(), &mut happened);
        for it in happened {
            match it.what {
                What::HasLeft => self.has_left(it.message, it.at),
                What::Arrives => self.expect(it.at, Step::Arrive, it.message),
            }
        }
        self.let_network_go_on(next);
    }
}

/// What the calendar has for the time when the network goes on: no packet is nowhere.
const NETWORK_GOES_ON: [usize; 2] = [0, 0];

impl Happens for SimulatedNetwork {
    /// A message or a token has arrived in a seat; or a journey, or the network, goes on.
    fn happen(&'static self, numbers: [usize; 2], now: Picos) {
        if let Some(token) = Token::of(numbers) {
            return self.token_arrives(token);
        }
        if numbers == NETWORK_GOES_ON {
            return self.network_goes_on(now);
        }
        if let Some((step, number)) = Step::of(numbers) {
            return self.take_step(step, number, now);
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
            None => self.set_out(seats, bytes, is_long, Then::Deliver(packet)),
        }
    }
}
