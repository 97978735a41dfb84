//! Ranks as threads, against each other.

use crate::base::random::Random;
use crate::engine::shared::rules::{CommMode, Modes, MsgMode, Rules};
use crate::engine::*;
use std::sync::Arc;

const CONTEXT: u32 = 4;
/// Too long to be carried inside a packet.
const LONG: usize = Packet::ROOM + 500;

/// All ranks, in order of seats.
struct All(usize);

impl Roster for All {
    fn rank_of(&self, member: Member) -> Option<i32> {
        (member.seat < self.0 && member.incarnation == 0).then_some(member.seat as i32)
    }
    fn size(&self) -> usize {
        self.0
    }
}

/// Where all share one core, whatever the machine has.
pub(in crate::engine) fn world(seats: usize) -> &'static World {
    let world: &'static World = Box::leak(Box::new(World::on(1, seats)));
    (0..seats).for_each(|seat| world.enter(seat, 0));
    world
}

/// As if each rank had a core: there are rings then.
pub(in crate::engine) fn roomy_world(seats: usize) -> &'static World {
    let world: &'static World = Box::leak(Box::new(World::on(seats, seats)));
    (0..seats).for_each(|seat| world.enter(seat, 0));
    world
}

pub(in crate::engine) fn engine(world: &'static World, seat: usize) -> Engine {
    Engine::new(world, seat, 0, Pulse::default())
}

pub(in crate::engine) fn peer(seat: usize) -> Watch {
    Watch::Peer { rank: seat as i32, member: Member { seat, incarnation: 0 } }
}

pub(in crate::engine) fn letter(from: usize, to: usize, tag: i32) -> Letter<'static> {
    Letter {
        envelope: Envelope { context: CONTEXT, source: from as i32, tag },
        to: Member { seat: to, incarnation: 0 },
        rank: to as i32,
        everyone: None,
    }
}

pub(in crate::engine) fn pattern(source: i32, tag: i32) -> Envelope {
    Envelope { context: CONTEXT, source, tag }
}

/// Runs one thread per rank and waits for all.
fn run(seats: usize, body: impl Fn(Engine) + Sync) {
    run_in(world(seats), seats, body);
}

fn run_in(world: &'static World, seats: usize, body: impl Fn(Engine) + Sync) {
    std::thread::scope(|scope| {
        for seat in 0..seats {
            let body = &body;
            scope.spawn(move || body(engine(world, seat)));
        }
    });
}

fn send(engine: &Engine, to: usize, tag: i32, data: &[u8], mode: Mode) -> Outcome {
    let letter = letter(engine.me().seat, to, tag);
    let op = engine.send(letter, &Span::of(data).into(), mode).expect("the tests' ranks live");
    op.map_or(Outcome::default(), |op| engine.wait(op).expect("the tests' ranks live"))
}

fn recv(engine: &Engine, source: i32, tag: i32, watch: Watch, into: &mut [u8]) -> Outcome {
    // Half of the receives wait in their own way, half as operations.
    if source == ANY_SOURCE || into.len().is_multiple_of(2) {
        let outcome = engine.receive(pattern(source, tag), &watch, &Span::of_mut(into).into());
        return outcome.expect("the tests' ranks live");
    }
    let op = engine.start_receive(pattern(source, tag), watch, Span::of_mut(into));
    engine.wait(op.expect("the tests' ranks live")).expect("the tests' ranks live")
}

fn filled(bytes: usize, salt: usize) -> Vec<u8> {
    (0..bytes).map(|index| (index * 7 + salt) as u8).collect()
}

#[test]
fn messages_of_every_size_and_mode_arrive_whole_and_in_order() {
    const MOST: usize = if cfg!(miri) { LONG } else { 300_000 };
    const SIZES: [usize; 8] = [0, 1, 8, 200, 3000, Packet::ROOM, Packet::ROOM + 1, MOST];
    run(2, |engine| {
        let me = engine.me().seat;
        for mode in [Mode::Standard, Mode::Synchronous] {
            for (salt, bytes) in SIZES.into_iter().enumerate() {
                if me == 0 {
                    assert_eq!(send(&engine, 1, 5, &filled(bytes, salt), mode).mishap, None);
                    continue;
                }
                let mut into = vec![0; bytes + 3];
                let outcome = recv(&engine, 0, 5, peer(0), &mut into);
                let expected = Outcome { source: 0, tag: 5, bytes, ..Outcome::default() };
                assert_eq!(outcome, expected);
                assert_eq!(into[..bytes], filled(bytes, salt));
            }
        }
    });
}

#[test]
fn ranks_that_send_to_each_other_first_do_not_block_each_other() {
    run(2, |engine| {
        let other = 1 - engine.me().seat;
        let mut into = vec![0; LONG];
        let op =
            engine.start_receive(pattern(other as i32, 1), peer(other), Span::of_mut(&mut into));
        send(&engine, other, 1, &filled(LONG, other), Mode::Synchronous);
        let outcome = engine.wait(op.expect("alive")).expect("alive");
        assert_eq!((outcome.bytes, into), (LONG, filled(LONG, 1 - other)));
    });
}

#[test]
fn a_message_that_is_too_long_fills_the_buffer_and_says_so() {
    run(2, |engine| {
        for bytes in [10, LONG] {
            if engine.me().seat == 0 {
                assert_eq!(send(&engine, 1, 0, &filled(bytes, 0), Mode::Standard).mishap, None);
            } else {
                let mut into = vec![0; 9];
                let outcome = recv(&engine, 0, 0, peer(0), &mut into);
                let mishap = Some(Mishap::Truncated { sent: bytes });
                assert_eq!((outcome.bytes, outcome.mishap), (9, mishap));
                assert_eq!(into, filled(9, 0));
            }
        }
    });
}

#[test]
fn a_probed_message_is_the_one_that_is_received() {
    run(2, |engine| {
        if engine.me().seat == 0 {
            for bytes in [3, LONG] {
                send(&engine, 1, bytes as i32, &filled(bytes, 1), Mode::Standard);
            }
            return;
        }
        for bytes in [3, LONG] {
            let seen = engine.probe(pattern(ANY_SOURCE, ANY_TAG), &peer(0)).expect("alive");
            assert_eq!((seen.source, seen.tag, seen.bytes), (0, bytes as i32, bytes));
            let held = engine.seize_next(pattern(0, ANY_TAG), &peer(0)).expect("alive");
            let Ok(held) = held else { panic!("rank 0 lives") };
            assert_eq!(held.outcome(), seen);
            assert_eq!(engine.peek(pattern(0, bytes as i32), &peer(0)), Ok(None));
            let mut into = vec![0; bytes];
            assert_eq!(engine.receive_held(held, &Span::of_mut(&mut into).into()), Ok(seen));
            assert_eq!(into, filled(bytes, 1));
        }
    });
}

#[test]
fn a_send_that_is_not_matched_can_be_taken_back_and_one_that_is_cannot() {
    let world = world(2);
    let (sender, receiver) = (engine(world, 0), engine(world, 1));
    let data = filled(LONG, 0);
    let start = |tag| {
        let op = sender.send(letter(0, 1, tag), &Span::of(&data).into(), Mode::Standard);
        op.expect("alive").expect("a large message is not complete at once")
    };
    let (first, second) = (start(1), start(2));
    let held = receiver.seize(pattern(0, 2), &peer(0)).expect("alive");
    let Some(Ok(held)) = held else { panic!("the message is there") };
    sender.cancel(first);
    sender.cancel(second);
    assert!(sender.wait(first).expect("alive").is_cancelled);
    assert_eq!(receiver.peek(pattern(0, 1), &peer(0)), Ok(None));
    let mut into = vec![0; LONG];
    assert_eq!(
        receiver.receive_held(held, &Span::of_mut(&mut into).into()).map(|end| end.bytes),
        Ok(LONG)
    );
    assert!(!sender.wait(second).expect("alive").is_cancelled);
    let op =
        receiver.start_receive(pattern(0, 9), peer(0), Span::of_mut(&mut into)).expect("alive");
    receiver.cancel(op);
    assert!(receiver.wait(op).expect("alive").is_cancelled);
}

#[test]
fn a_message_that_was_only_seen_can_be_taken_back() {
    let world = world(2);
    let (sender, receiver) = (engine(world, 0), engine(world, 1));
    let op =
        sender.send(letter(0, 1, 1), &Span::of(b"seen").into(), Mode::Synchronous).expect("alive");
    let op = op.expect("nobody has received it");
    assert!(receiver.peek(pattern(0, 1), &peer(0)).expect("alive").is_some());
    sender.cancel(op);
    assert!(sender.wait(op).expect("alive").is_cancelled);
    assert_eq!(receiver.peek(pattern(0, 1), &peer(0)), Ok(None));
}

#[test]
fn messages_that_were_taken_back_do_not_pile_up() {
    let world = world(2);
    let (sender, receiver) = (engine(world, 0), engine(world, 1));
    send(&sender, 1, 1, b"kept", Mode::Standard);
    for _ in 0..1000 {
        let op = sender.send(letter(0, 1, 2), &Span::of(b"gone").into(), Mode::Synchronous);
        let op = op.expect("alive").expect("nobody has received it");
        sender.cancel(op);
        assert!(sender.wait(op).expect("alive").is_cancelled);
        receiver.poll(|_| None::<()>).expect("alive");
    }
    assert!(receiver.state.lock().unexpected.len() <= 100);
    let mut into = [0; 4];
    recv(&receiver, 0, 1, peer(0), &mut into);
    assert_eq!(&into, b"kept");
}

#[test]
fn an_abandoned_receive_still_gets_its_message() {
    let world = world(2);
    let (sender, receiver) = (engine(world, 0), engine(world, 1));
    let mut into = [vec![0; 5], vec![0; 5]];
    for into in &mut into {
        let op = receiver.start_receive(pattern(0, 3), peer(0), Span::of_mut(into)).expect("alive");
        receiver.abandon(op);
    }
    for salt in 0..2 {
        send(&sender, 1, 3, &filled(5, salt), Mode::Standard);
    }
    assert_eq!(receiver.peek(pattern(0, 3), &peer(0)), Ok(None));
    assert_eq!(into, [filled(5, 0), filled(5, 1)]);
}

#[test]
fn a_buffered_send_is_charged_until_it_is_delivered_and_a_flush_waits_for_that() {
    let world = world(2);
    let (sender, receiver) = (engine(world, 0), engine(world, 1));
    let account = sender.open_account(Some(100_000));
    let send = |bytes: usize| {
        let data = filled(bytes, 2);
        sender.send_buffered(letter(0, 1, 1), &Span::of(&data).into(), account, 512).expect("alive")
    };
    assert_eq!(send(40_000), Ok(()));
    assert_eq!(send(8), Ok(()));
    assert_eq!(send(60_000), Err(Unsent::NoRoom { needed: 60_512, free: 100_000 - 41_032 }));
    let flush = sender.flush(account);
    for bytes in [40_000, 8] {
        assert_eq!(sender.poll(|ops| ops.outcome(flush).copied()), Ok(None));
        let mut into = vec![0; bytes];
        recv(&receiver, 0, 1, peer(0), &mut into);
        assert_eq!(into, filled(bytes, 2));
    }
    assert_eq!(sender.wait(flush), Ok(Outcome::default()));
    assert_eq!(send(60_000), Ok(()));
}

#[test]
fn a_closed_account_sends_nothing_and_has_nothing_to_flush() {
    let world = world(2);
    let sender = engine(world, 0);
    let account = sender.open_account(None);
    sender.close_account(account);
    let sent = sender.send_buffered(letter(0, 1, 1), &Span::of(b"late").into(), account, 512);
    assert_eq!(sent, Ok(Err(Unsent::Closed)));
    assert_eq!(sender.wait(sender.flush(account)), Ok(Outcome::default()));
}

#[test]
fn every_wait_for_a_dead_peer_ends() {
    let world = world(3);
    let engine = engine(world, 0);
    let data = filled(LONG, 0);
    let mut into = vec![0; 8];
    let everyone: Arc<dyn Roster> = Arc::new(All(3));
    let all = Watch::Everyone {
        rank: 2,
        member: Member { seat: 2, incarnation: 0 },
        roster: everyone.clone(),
    };
    let any = Watch::Anyone(everyone);
    let sent = engine.send(letter(0, 1, 1), &Span::of(&data).into(), Mode::Standard);
    let small = engine.send(letter(0, 1, 1), &Span::of(&data[..1]).into(), Mode::Synchronous);
    let ops = [sent, small].map(|op| op.expect("alive").expect("not complete at once"));
    let named =
        engine.start_receive(pattern(1, 1), peer(1), Span::of_mut(&mut into)).expect("alive");
    let lane = engine.start_receive(pattern(2, 1), all, Span::of_mut(&mut into)).expect("alive");
    let other =
        engine.start_receive(pattern(2, 2), peer(2), Span::of_mut(&mut into)).expect("alive");
    let wild = engine.start_receive(pattern(ANY_SOURCE, 1), any.clone(), Span::of_mut(&mut into));
    std::thread::scope(|scope| {
        scope.spawn(|| world.bury(1, 0));
        for op in ops.into_iter().chain([named, lane, wild.expect("alive")]) {
            let mishap = engine.wait(op).expect("alive").mishap;
            assert_eq!(mishap, Some(Mishap::Lost { rank: 1 }));
        }
    });
    assert_eq!(engine.poll(|ops| ops.outcome(other).copied()), Ok(None));
    // The death of rank 1 was reported; rank 2 is still there to send.
    let wild = engine.start_receive(pattern(ANY_SOURCE, 1), any.clone(), Span::of_mut(&mut into));
    let wild = wild.expect("alive");
    assert_eq!(engine.poll(|ops| ops.outcome(wild).copied()), Ok(None));
    world.bury(2, 0);
    assert_eq!(engine.wait(wild).expect("alive").mishap, Some(Mishap::Lost { rank: 2 }));
    // No sender is left, so every further receive from any source fails, and does not hang.
    for _ in 0..2 {
        let alone = recv(&engine, ANY_SOURCE, 1, any.clone(), &mut into);
        assert!(matches!(alone.mishap, Some(Mishap::Lost { .. })));
    }
    assert!(engine.probe(pattern(1, 1), &peer(1)).expect("alive").mishap.is_some());
    assert!(send(&engine, 1, 1, &data[..1], Mode::Standard).mishap.is_some());
}

#[test]
fn whoever_waits_for_the_dead_hears_of_the_death_before_the_recovery() {
    let world = world(3);
    let modes = Modes { comm: CommMode::Blank, msg: MsgMode::Cont, ..Modes::default() };
    world.charter().give(Rules::Ft(modes));
    let engine = engine(world, 0);
    let mut into = vec![0; 8];
    let receive =
        engine.start_receive(pattern(1, 1), peer(1), Span::of_mut(&mut into)).expect("alive");
    // A rank that looks about is kept up between looking for arrivals and noticing what was new.
    let stir = world.stir();
    world.bury(1, 0);
    world.call_to(&engine.home, 1, engine.me);
    engine.notice(&mut engine.state.lock(), stir);
    assert!(!engine.is_called());
    let outcome = engine.wait_in_peace(receive).expect("alive");
    assert_eq!(outcome.mishap, Some(Mishap::Lost { rank: 1 }));
    assert!(engine.is_called());
}

#[test]
fn when_half_of_an_exchange_is_lost_the_other_half_is_taken_back() {
    for is_dead_first in [false, true] {
        let world = world(3);
        let engine = engine(world, 0);
        let (data, mut into) = (filled(LONG, 0), vec![0; LONG]);
        let start = |to, from, into: &mut [u8]| {
            let recv =
                engine.start_receive(pattern(from as i32, 1), peer(from), Span::of_mut(into));
            let send = engine.send(letter(0, to, 1), &Span::of(&data).into(), Mode::Standard);
            (send.expect("alive").expect("not complete at once"), recv.expect("alive"))
        };
        if is_dead_first {
            world.bury(1, 0);
        }
        for (to, from) in [(1, 2), (2, 1)] {
            let (send, recv) = start(to, from, &mut into);
            engine.join(send, recv);
            world.bury(1, 0);
            let (sent, received) = (engine.wait(send).expect("alive"), engine.wait(recv));
            let (lost, withdrawn) = match to {
                1 => (sent, received.expect("alive")),
                _ => (received.expect("alive"), sent),
            };
            assert_eq!(lost.mishap, Some(Mishap::Lost { rank: 1 }));
            assert_eq!((withdrawn.is_cancelled, withdrawn.mishap), (true, None));
        }
    }
}

#[test]
fn a_death_ends_all_receives_from_anybody_that_wait_and_no_later_one() {
    let world = world(4);
    let engine = engine(world, 0);
    let any = || Watch::Anyone(Arc::new(All(4)));
    let start = |into: &mut [u8]| {
        let op = engine.start_receive(pattern(ANY_SOURCE, 1), any(), Span::of_mut(into));
        op.expect("alive")
    };
    let lost = |rank| Some(Mishap::Lost { rank });
    let mut into = [[0; 8]; 6];
    let [first, second, third, later, last, blocked] = &mut into;
    let waiting = [start(first), start(second), start(third)];
    std::thread::scope(|scope| {
        let receiving = scope.spawn(|| recv(&engine, ANY_SOURCE, 2, any(), blocked).mishap);
        let probing = scope.spawn(|| engine.probe(pattern(ANY_SOURCE, 3), &any()));
        while engine.state.lock().waiting < 2 {
            std::thread::yield_now();
        }
        world.bury(2, 0);
        for op in waiting {
            assert_eq!(engine.wait(op).expect("alive").mishap, lost(2));
        }
        assert_eq!(receiving.join().expect("no panic"), lost(2));
        assert_eq!(probing.join().expect("no panic").expect("alive").mishap, lost(2));
    });
    let op = start(later);
    assert_eq!(engine.poll(|ops| ops.outcome(op).copied()), Ok(None), "it was reported");
    engine.cancel(op);
    // Two more, while no thread waits: the next two waits report them, one each.
    world.bury(3, 0);
    assert_eq!(engine.wait(start(last)).expect("alive").mishap, lost(3));
}

/// While one thread copies many long messages, threads that wait for short ones go on.
#[test]
#[cfg_attr(miri, ignore = "there is no time in Miri")]
fn a_long_copy_does_not_keep_the_news_from_other_threads() {
    const BLOCK: usize = 8 << 20;
    const BLOCKS: usize = 300;
    let world = world(2);
    let (sender, receiver) = (engine(world, 0), engine(world, 1));
    let (data, mut into, mut short) = (vec![1; BLOCK], vec![0; BLOCK], [0; 1]);
    let start = |tag, into: &mut [u8]| {
        receiver.start_receive(pattern(0, tag), peer(0), Span::of_mut(into)).expect("alive")
    };
    let awaited = start(1, &mut short);
    let long: Vec<Key> = (0..BLOCKS).map(|_| start(2, &mut into)).collect();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            receiver.wait(awaited).expect("alive");
            let last = long[BLOCKS - 1];
            receiver.state.lock().ops.outcome(last).is_none()
        });
        while receiver.state.lock().waiting == 0 {
            std::thread::yield_now();
        }
        let mut state = receiver.state.lock();
        send(&sender, 1, 1, &[7], Mode::Standard);
        for _ in 0..BLOCKS {
            let sent = sender.send(letter(0, 1, 2), &Span::of(&data).into(), Mode::Standard);
            assert!(sent.expect("alive").is_some());
        }
        receiver.progress(&mut state).expect("alive");
        receiver.leave(&mut state).expect("alive");
        while receiver.copy_next(&mut state).expect("alive") {}
        drop(state);
        assert!(waiting.join().expect("no panic"), "it waited for the long messages");
    });
}

#[test]
fn what_the_dead_sent_is_received_if_its_bytes_had_left() {
    let world = world(2);
    let (dead, engine) = (engine(world, 1), engine(world, 0));
    let data = filled(LONG, 0);
    let mut into = vec![0; LONG];
    send(&dead, 0, 1, &data[..7], Mode::Standard);
    let lost = dead.send(letter(1, 0, 1), &Span::of(&data).into(), Mode::Standard).expect("alive");
    assert!(lost.is_some());
    world.bury(1, 0);
    assert_eq!(recv(&engine, 1, 1, peer(1), &mut into).bytes, 7);
    let outcome = recv(&engine, 1, 1, peer(1), &mut into);
    assert_eq!(outcome.mishap, Some(Mishap::Lost { rank: 1 }));
}

/// When the revocation was noticed, its receiver still had it, and could not be asked to forget it.
#[test]
fn a_send_ends_that_is_refused_after_its_revocation_was_noticed() {
    let world = world(2);
    let (sender, receiver) = (engine(world, 0), engine(world, 1));
    let sent = sender.send(letter(0, 1, 1), &Span::of(&[1; 8]).into(), Mode::Synchronous);
    let op = sent.expect("alive").expect("it waits for its receiver");
    let held = receiver.seize_next(pattern(0, 1), &peer(0)).expect("alive");
    let roster: Arc<dyn Roster> = Arc::new(All(2));
    world.revoke(CONTEXT / 2, &roster, receiver.me);
    let outcome = || sender.poll(|ops| ops.collect(op)).expect("alive");
    assert_eq!(outcome(), None, "its receiver may be reading it");
    drop(held);
    assert_eq!(outcome().map(|outcome| outcome.mishap), Some(Some(Mishap::Revoked)));
}

#[test]
fn a_rank_that_is_told_to_die_leaves_its_wait() {
    let world = world(2);
    let pulse = Pulse::default();
    let engine = Engine::new(world, 0, 0, pulse.clone());
    let mut into = [0; 1];
    let op = engine.start_receive(pattern(1, 1), peer(1), Span::of_mut(&mut into)).expect("alive");
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| engine.wait(op));
        pulse.stop();
        world.wake(0);
        assert_eq!(waiting.join().expect("no panic"), Err(Died));
    });
}

#[test]
fn threads_of_one_rank_wait_side_by_side() {
    const THREADS: i32 = if cfg!(miri) { 2 } else { 4 };
    const ROUNDS: usize = if cfg!(miri) { 5 } else { 500 };
    run(2, |engine| {
        let other = 1 - engine.me().seat;
        std::thread::scope(|scope| {
            for tag in 0..THREADS {
                let engine = &engine;
                scope.spawn(move || {
                    let mut random = Random::new(tag as u64);
                    for round in 0..ROUNDS {
                        let bytes = random.below(40_000) as usize;
                        let data = filled(bytes, round);
                        let mut into = vec![0; bytes];
                        let from = pattern(other as i32, tag);
                        let op = engine.start_receive(from, peer(other), Span::of_mut(&mut into));
                        let mode = [Mode::Standard, Mode::Synchronous][round % 2];
                        send(engine, other, tag, &data, mode);
                        engine.wait(op.expect("alive")).expect("alive");
                        assert_eq!(into, data, "tag {tag}, round {round}");
                    }
                });
            }
        });
    });
}

/// Every rank sends each other rank a random number of random messages, and receives them in random
/// ways; what arrives is checked to be the next of its kind from its sender.
fn storm(seed: u64, world: &'static World, messages: usize) {
    let seats = world.size();
    run_in(world, seats, |engine| {
        let me = engine.me().seat;
        let plan = |from: usize, to: usize| {
            let mut random = Random::new(seed ^ (from * 1000 + to) as u64);
            let draw = move |_| {
                let most = [41, 300, 30_000][random.below(3) as usize];
                (random.below(3) as i32, random.below(most) as usize)
            };
            (0..messages).map(draw).collect::<Vec<(i32, usize)>>()
        };
        let everyone: Arc<dyn Roster> = Arc::new(All(seats));
        let mut random = Random::new(seed + me as u64);
        let data = filled(60_000, 0);
        let mut ops = Vec::new();
        for index in 0..messages {
            for to in 0..seats {
                let (tag, bytes) = plan(me, to)[index];
                let mode = [Mode::Standard, Mode::Synchronous][random.below(2) as usize];
                let part = Span::of(&data[index..index + bytes]).into();
                ops.extend(engine.send(letter(me, to, tag), &part, mode).expect("alive"));
            }
        }
        let mut next = vec![[0; 3]; seats];
        let mut into = vec![0; 30_000];
        for _ in 0..messages * seats {
            let outcome =
                recv(&engine, ANY_SOURCE, ANY_TAG, Watch::Anyone(everyone.clone()), &mut into);
            let from = outcome.source as usize;
            let place = &mut next[from][outcome.tag as usize];
            let mut kind = plan(from, me).into_iter().enumerate();
            let (index, (_, bytes)) =
                kind.find(|(n, (tag, _))| n >= place && *tag == outcome.tag).expect("expected");
            *place = index + 1;
            assert_eq!(outcome.bytes, bytes, "seed {seed}: {from} to {me}, message {index}");
            assert_eq!(into[..bytes], data[index..index + bytes], "seed {seed}");
        }
        ops.into_iter().for_each(|op| assert_eq!(engine.wait(op), Ok(Outcome::default())));
    });
}

#[test]
fn a_storm_of_messages_arrives_whole_and_never_overtakes() {
    let (seeds, seats, messages) = if cfg!(miri) { (1, 2, 3) } else { (20, 6, 20) };
    (0..seeds).for_each(|seed| storm(seed, world(seats), messages));
}

/// More senders than there are rings to one receiver, and more messages than fit into one.
#[test]
fn a_storm_through_channels_and_round_them_does_the_same() {
    let (seeds, seats, messages) = if cfg!(miri) { (1, 2, 9) } else { (3, 11, 100) };
    (0..seeds).for_each(|seed| storm(seed, roomy_world(seats), messages));
}
