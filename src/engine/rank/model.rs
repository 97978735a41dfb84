//! Random operations of a few ranks, one after the other, against the plainest model of matching:
//! lists that are searched from the front (MPI-5.0 §3.5).
//!
//! `FTMPI_MATCHING_SEED=17 cargo test --release --lib model` replays one seed.

use crate::base::layout::Layout;
use crate::base::random::Random;
use crate::engine::rank::tests::world;
use crate::engine::*;

const RANKS: usize = 3;
const STEPS: usize = 400;
/// Around what fits into a packet of each class, and what fits into none.
const SIZES: [usize; 11] =
    [0, 1, 8, 9, 200, 201, 1992, 1993, Packet::ROOM, Packet::ROOM + 1, Packet::ROOM + 9000];

/// All ranks, in order of seats; none dies here.
struct Everyone;

impl Roster for Everyone {
    fn rank_of(&self, member: Member) -> Option<i32> {
        Some(member.seat as i32)
    }
    fn size(&self) -> usize {
        RANKS
    }
}

/// Memory of a message: in one piece, or three bytes in every five.
struct Place {
    memory: Box<[u8]>,
    bytes: usize,
    is_strided: bool,
}

const GAP: u8 = 0xee;

impl Place {
    fn new(bytes: usize, is_strided: bool) -> Place {
        let room = if is_strided { bytes.div_ceil(3) * 5 } else { bytes };
        Place { memory: vec![GAP; room].into(), bytes, is_strided }
    }

    /// Where byte `index` of the data lies.
    fn at(&self, index: usize) -> usize {
        if self.is_strided { index / 3 * 5 + index % 3 } else { index }
    }

    fn fill(&mut self, salt: usize) {
        (0..self.bytes).for_each(|index| self.memory[self.at(index)] = byte(index, salt));
    }

    fn region(&mut self) -> Region {
        let span = Span::of_mut(&mut self.memory);
        if !self.is_strided {
            return span.into();
        }
        let layout = Layout::basic(&[(0, 3)], 5, 1);
        Region::new(span.address(), self.bytes, Arc::new(layout))
    }

    /// The first `bytes` are those of `fill`, and nothing else was touched.
    fn expect(&self, bytes: usize, salt: usize) {
        let mut expected = vec![GAP; self.memory.len()];
        (0..bytes).for_each(|index| expected[self.at(index)] = byte(index, salt));
        assert_eq!(*self.memory, *expected, "message {salt}");
    }
}

fn byte(index: usize, salt: usize) -> u8 {
    (index * 7 + salt * 31) as u8
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Waiting,
    Recalled,
    /// Matched, and held until it is received.
    Held,
    Delivered,
}

struct Message {
    from: usize,
    to: usize,
    envelope: Envelope,
    data: Place,
    fate: Fate,
    /// The sender's operation, until its end was seen.
    op: Option<Key>,
}

struct Receive {
    rank: usize,
    pattern: Envelope,
    into: Place,
    got: Option<usize>,
    is_abandoned: bool,
    op: Option<Key>,
}

/// What one rank knows: indices of messages and receives, oldest first.
#[derive(Default)]
struct Lists {
    inbox: Vec<usize>,
    unexpected: Vec<usize>,
    posted: Vec<usize>,
    held: Vec<(usize, Held)>,
}

struct Model {
    random: Random,
    engines: Vec<Engine>,
    accounts: Vec<Key>,
    lists: Vec<Lists>,
    messages: Vec<Message>,
    receives: Vec<Receive>,
}

/// Says how to see a failure again.
struct Replay(u64);

impl Drop for Replay {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("replay with FTMPI_MATCHING_SEED={}", self.0);
        }
    }
}

fn takes(pattern: Envelope, envelope: Envelope) -> bool {
    pattern.context == envelope.context
        && [envelope.source, ANY_SOURCE].contains(&pattern.source)
        && [envelope.tag, ANY_TAG].contains(&pattern.tag)
}

fn watch(pattern: Envelope) -> Watch {
    match usize::try_from(pattern.source) {
        Ok(seat) => Watch::Peer { rank: pattern.source, member: Member { seat, incarnation: 0 } },
        Err(_) => Watch::Anyone(Arc::new(Everyone)),
    }
}

impl Model {
    fn new(seed: u64) -> Model {
        // With a core for each there are rings, and messages of two senders have no order.
        let world = world(RANKS);
        let engine = |seat| Engine::new(world, seat, 0, Pulse::default());
        let engines: Vec<Engine> = (0..RANKS).map(engine).collect();
        let accounts = engines.iter().map(|engine| engine.open_account(None)).collect();
        Model {
            random: Random::new(seed),
            engines,
            accounts,
            lists: (0..RANKS).map(|_| Lists::default()).collect(),
            messages: Vec::new(),
            receives: Vec::new(),
        }
    }

    fn below(&mut self, bound: usize) -> usize {
        self.random.below(bound as u64) as usize
    }

    fn any_place(&mut self) -> Place {
        Place::new(SIZES[self.below(SIZES.len())], self.random.chance(30))
    }

    fn any_pattern(&mut self) -> Envelope {
        let source = if self.random.chance(30) { ANY_SOURCE } else { self.below(RANKS) as i32 };
        let tag = if self.random.chance(30) { ANY_TAG } else { self.below(3) as i32 };
        Envelope { context: self.below(2) as u32, source, tag }
    }

    /// One of `all`, if there is one.
    fn one_of(&mut self, all: Vec<usize>) -> Option<usize> {
        (!all.is_empty()).then(|| all[self.random.below(all.len() as u64) as usize])
    }

    // What matching is.

    /// Takes in what has arrived at `rank`.
    fn progress(&mut self, rank: usize) {
        for message in std::mem::take(&mut self.lists[rank].inbox) {
            let Message { envelope, fate, .. } = self.messages[message];
            let lists = &mut self.lists[rank];
            let fits = |receive: &usize| takes(self.receives[*receive].pattern, envelope);
            match lists.posted.iter().position(fits) {
                _ if fate == Fate::Recalled => {}
                None => lists.unexpected.push(message),
                Some(place) => {
                    let receive = lists.posted.remove(place);
                    self.receives[receive].got = Some(message);
                    self.messages[message].fate = Fate::Delivered;
                }
            }
        }
    }

    /// The first message that waits at `rank` and that `pattern` asks for.
    fn first(&self, rank: usize, pattern: Envelope) -> Option<usize> {
        let waiting = self.lists[rank].unexpected.iter().copied();
        waiting.into_iter().find(|message| {
            let Message { envelope, fate, .. } = self.messages[*message];
            fate == Fate::Waiting && takes(pattern, envelope)
        })
    }

    fn take(&mut self, rank: usize, message: usize, fate: Fate) {
        self.lists[rank].unexpected.retain(|other| *other != message);
        self.messages[message].fate = fate;
    }

    // Steps of the model, repeated with engines; the results are compared.

    fn send(&mut self) {
        let (from, to, mut data) = (self.below(RANKS), self.below(RANKS), self.any_place());
        let number = self.messages.len();
        let envelope = Envelope {
            context: self.below(2) as u32,
            source: from as i32,
            tag: self.below(3) as i32,
        };
        data.fill(number);
        let member = Member { seat: to, incarnation: 0 };
        let letter = Letter { envelope, to: member, rank: to as i32, everyone: None };
        let (engine, region) = (&self.engines[from], data.region());
        let op = match self.random.below(4) {
            0 => engine.send(letter, &region, Mode::Standard).expect("the ranks of the model live"),
            1 => engine
                .send(letter, &region, Mode::Synchronous)
                .expect("the ranks of the model live"),
            2 => engine.send_copy(letter, &region).expect("the ranks of the model live"),
            _ => {
                let sent = engine.send_buffered(letter, &region, self.accounts[from], 512);
                assert_eq!(sent, Ok(Ok(())));
                None
            }
        };
        self.messages.push(Message { from, to, envelope, data, fate: Fate::Waiting, op });
        self.lists[to].inbox.push(number);
    }

    fn start_receive(&mut self) {
        let (rank, pattern) = (self.below(RANKS), self.any_pattern());
        let mut into = self.any_place();
        let op = self.engines[rank].start_receive(pattern, watch(pattern), into.region());
        let got = self.first(rank, pattern);
        let number = self.receives.len();
        match got {
            Some(message) => self.take(rank, message, Fate::Delivered),
            None => self.lists[rank].posted.push(number),
        }
        let op = Some(op.expect("the ranks of the model live"));
        self.receives.push(Receive { rank, pattern, into, got, is_abandoned: false, op });
    }

    /// A receive that waits, where it is sure that it will not wait for long.
    fn receive(&mut self) {
        let (rank, pattern) = (self.below(RANKS), self.any_pattern());
        let waiting = self.first(rank, pattern);
        self.receives.push(Receive {
            rank,
            pattern,
            into: Place::new(0, false),
            got: waiting,
            is_abandoned: true,
            op: None,
        });
        let receive = self.receives.len() - 1;
        match waiting {
            Some(message) => self.take(rank, message, Fate::Delivered),
            None => self.lists[rank].posted.push(receive),
        }
        self.progress(rank);
        let Some(message) = self.receives[receive].got else {
            // Nothing would come: both sides forget about it, but have taken in what arrived.
            self.lists[rank].posted.pop();
            let seen = self.engines[rank].peek(pattern, &watch(pattern));
            return assert_eq!(seen, Ok(None));
        };
        let mut into = self.any_place();
        let outcome = self.engines[rank].receive(pattern, &watch(pattern), &into.region());
        self.compare(message, &into, outcome.expect("the ranks of the model live"));
    }

    fn peek(&mut self) {
        let (rank, pattern) = (self.below(RANKS), self.any_pattern());
        let seen =
            self.engines[rank].peek(pattern, &watch(pattern)).expect("the ranks of the model live");
        self.progress(rank);
        let expected = self.first(rank, pattern).map(|message| self.described(message));
        assert_eq!(seen, expected);
    }

    fn seize(&mut self) {
        let (rank, pattern) = (self.below(RANKS), self.any_pattern());
        let seized = self.engines[rank]
            .seize(pattern, &watch(pattern))
            .expect("the ranks of the model live");
        self.progress(rank);
        let expected = self.first(rank, pattern);
        let Some(message) = expected else { return assert!(seized.is_none()) };
        let Some(Ok(held)) = seized else { panic!("message {message} is there") };
        assert_eq!(held.outcome(), self.described(message));
        self.take(rank, message, Fate::Held);
        self.lists[rank].held.push((message, held));
    }

    fn receive_held(&mut self) {
        let rank = self.below(RANKS);
        let all = (0..self.lists[rank].held.len()).collect();
        let Some(place) = self.one_of(all) else { return };
        let (message, held) = self.lists[rank].held.remove(place);
        let mut into = self.any_place();
        let outcome = self.engines[rank].receive_held(held, &into.region());
        self.messages[message].fate = Fate::Delivered;
        self.compare(message, &into, outcome.expect("the ranks of the model live"));
    }

    fn cancel_send(&mut self) {
        let open = |message: &usize| self.messages[*message].op.is_some();
        let open = (0..self.messages.len()).filter(open).collect();
        if let Some(message) = self.one_of(open) {
            self.withdraw(message);
        }
    }

    fn withdraw(&mut self, message: usize) {
        let Message { from, fate, op, .. } = &self.messages[message];
        let (from, fate, op) = (*from, *fate, op.expect("chosen because it has one"));
        self.engines[from].cancel(op);
        if fate == Fate::Waiting {
            let end = self.engines[from].wait(op).expect("the ranks of the model live");
            assert!(end.is_cancelled, "message {message} was not matched");
            (self.messages[message].fate, self.messages[message].op) = (Fate::Recalled, None);
            self.progress(from);
        }
    }

    fn cancel_receive(&mut self) {
        let open = |receive: &usize| self.receives[*receive].op.is_some();
        let open = (0..self.receives.len()).filter(open).collect();
        let Some(receive) = self.one_of(open) else { return };
        if self.random.chance(50) {
            let Receive { rank, op, .. } = self.receives[receive];
            self.engines[rank].abandon(op.expect("chosen because it has one"));
            (self.receives[receive].op, self.receives[receive].is_abandoned) = (None, true);
        } else {
            self.give_up(receive);
        }
    }

    fn give_up(&mut self, receive: usize) {
        let Receive { rank, got, op, .. } = self.receives[receive];
        self.engines[rank].cancel(op.expect("chosen because it has one"));
        if got.is_none() {
            let end = self.engines[rank]
                .wait(op.expect("as above: it has one"))
                .expect("the ranks of the model live");
            assert!(end.is_cancelled, "receive {receive} was not matched");
            self.lists[rank].posted.retain(|other| *other != receive);
            self.receives[receive].op = None;
            self.progress(rank);
        }
    }

    /// Compares everything that is known at `rank` now.
    fn look(&mut self, rank: usize) {
        self.engines[rank].poll(|_| None::<()>).expect("the ranks of the model live");
        self.progress(rank);
        for number in 0..self.receives.len() {
            let Receive { rank: owner, op: Some(op), got, .. } = self.receives[number] else {
                continue;
            };
            if owner != rank {
                continue;
            }
            let end = self.collect(rank, op);
            assert_eq!(end.is_some(), got.is_some(), "receive {number} of rank {rank}");
            if let (Some(end), Some(message)) = (end, got) {
                self.compare(message, &self.receives[number].into, end);
                self.receives[number].op = None;
            }
        }
        for number in 0..self.messages.len() {
            let Message { from, op: Some(op), fate, .. } = self.messages[number] else { continue };
            if from != rank {
                continue;
            }
            let end = self.collect(rank, op);
            let is_over = fate == Fate::Delivered;
            assert_eq!(end, is_over.then(Outcome::default), "message {number} is {fate:?}");
            if is_over {
                self.messages[number].op = None;
            }
        }
    }

    fn collect(&self, rank: usize, op: Key) -> Option<Outcome> {
        self.engines[rank].poll(|ops| ops.collect(op)).expect("the ranks of the model live")
    }

    fn described(&self, message: usize) -> Outcome {
        let Message { envelope: Envelope { source, tag, .. }, data, .. } = &self.messages[message];
        Outcome { source: *source, tag: *tag, bytes: data.bytes, ..Outcome::default() }
    }

    /// The receive that ended so got this message, whole or as much as fits.
    fn compare(&self, message: usize, into: &Place, outcome: Outcome) {
        let (sent, room) = (self.messages[message].data.bytes, into.bytes);
        let mishap = (sent > room).then_some(Mishap::Truncated { sent });
        let expected = Outcome { bytes: sent.min(room), mishap, ..self.described(message) };
        assert_eq!(outcome, expected, "message {message}");
        into.expect(sent.min(room), message);
    }

    fn step(&mut self) {
        match self.random.below(100) {
            0..30 => self.send(),
            30..52 => self.start_receive(),
            52..60 => self.receive(),
            60..66 => self.peek(),
            66..72 => self.seize(),
            72..77 => self.receive_held(),
            77..82 => self.cancel_send(),
            82..88 => self.cancel_receive(),
            _ => {
                let rank = self.below(RANKS);
                self.look(rank);
            }
        }
    }

    /// Takes back what was not matched; no rank may be left with anything.
    fn end(&mut self) {
        (0..RANKS).for_each(|rank| self.look(rank));
        for message in 0..self.messages.len() {
            match self.messages[message] {
                Message { op: Some(_), fate: Fate::Waiting, .. } => self.withdraw(message),
                Message { to, fate: Fate::Waiting, .. } => {
                    assert!(self.lists[to].unexpected.contains(&message));
                }
                _ => {}
            }
        }
        for receive in 0..self.receives.len() {
            if self.receives[receive].op.is_some() {
                self.give_up(receive);
            }
        }
        self.lists.iter_mut().for_each(|lists| lists.held.clear());
        for (rank, engine) in self.engines.iter().enumerate() {
            let state = engine.state.lock();
            let is_kept = |receive: &usize| self.receives[*receive].is_abandoned;
            let kept = self.lists[rank].posted.iter().filter(|receive| is_kept(receive)).count();
            assert_eq!(self.lists[rank].posted.len(), kept);
            let from_here = |message: &&Message| message.from == rank;
            let mine = self.messages.iter().filter(from_here);
            let open = mine.filter(|message| message.op.is_some()).count();
            let charged = state
                .accounts
                .find(self.accounts[rank])
                .map_or(0, crate::engine::rank::operation::Account::len);
            assert_eq!(state.ops.0.len(), kept + open + charged, "operations of rank {rank}");
        }
    }
}

#[test]
fn ranks_match_as_lists_that_are_searched_from_the_front() {
    let replayed = std::env::var("FTMPI_MATCHING_SEED").ok();
    let seeds = match replayed.map(|seed| seed.parse().expect("a number")) {
        Some(seed) => seed..seed + 1,
        None if cfg!(miri) => 0..2,
        None => 0..300,
    };
    for seed in seeds {
        let _replay = Replay(seed);
        let mut model = Model::new(seed);
        (0..STEPS).for_each(|_| model.step());
        model.end();
    }
}
