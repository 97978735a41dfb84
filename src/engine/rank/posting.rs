//! Posts packets: through a ring to ranks that are often sent to, else to the inbox. Opens rings,
//! and gives up those of the dead.
//!
//! A rank with rings that is about to sleep makes a heavy fence after it has announced that, and
//! before its last look: senders then need no fence between message and bell.

use super::rings::Destination;
use crate::base::Member;
use crate::engine::{Engine, State};
use crate::transport::{MOST_RINGS, Packet};

/// After how many packets to somebody a ring is worth while; and after how many more to ask
/// again when there was none to be had.
const FEW: u32 = 2;
const MANY: u32 = 4096;

impl Engine {
    /// Sends a packet off, by a ring if there is one.
    pub(in crate::engine) fn post(&self, state: &mut State, to: Member, packet: Packet) {
        let (wire, mut packet) = (self.world.wire(), packet);
        if wire.has_rings(self.me.seat) {
            self.meet(state, to);
            if let Some(way) = state.rings.to(to) {
                match way.pass(packet) {
                    None => return way.call().announce(),
                    Some(back) => packet = back,
                }
            }
        }
        wire.post(to.seat, packet);
    }

    /// Asks for a ring to a rank that gets many messages.
    fn meet(&self, state: &mut State, to: Member) {
        let known = &mut state.rings.destinations[to.seat % MOST_RINGS];
        if known.way.is_some() || to.seat == self.me.seat {
            return;
        }
        if known.seat != to.seat || known.until == 0 {
            (known.seat, known.until) = (to.seat, FEW);
        }
        known.until -= 1;
        if known.until == 0 {
            known.way = self.world.wire().connect(self.me, to);
            known.until = MANY;
        }
    }

    /// Takes on the rings that had been made before the inbox was taken: what their senders
    /// have sent before is in.
    #[cold]
    pub(in crate::engine) fn adopt(&self, state: &mut State, made: u32) {
        state.rings.made = made;
        state.rings.incoming.append(&mut self.world.wire().fresh_rings(self.me.seat, made));
        self.watched.watch(&state.rings.incoming);
    }

    /// Where the ring is that this packet has gone round. It may be a fresh one: what its
    /// sender sent before there was one came before this packet.
    #[cold]
    pub(in crate::engine) fn bypassed(&self, state: &mut State, packet: &Packet) -> Option<usize> {
        let from = packet.sender();
        if packet.addressee() != self.me.incarnation {
            return None;
        }
        if state.rings.place(from).is_none() {
            state.rings.incoming.extend(self.world.wire().fresh_ring(self.me.seat, from));
            self.watched.watch(&state.rings.incoming);
        }
        state.rings.place(from)
    }

    /// Gives up the rings to and from the dead. All that those have sent who were dead when the
    /// arrivals were taken has been taken; of others' last words some may still be there.
    pub(in crate::engine) fn forget_channels(&self, state: &mut State) {
        let before = state.rings.incoming.len();
        let epoch = state.epoch;
        let has_ended = |from| self.world.ledger.lock().is_dead_by(from, epoch);
        state.rings.incoming.retain(|incoming| !has_ended(incoming.from()));
        self.world.wire().close_rings(self.me.seat, before - state.rings.incoming.len());
        self.watched.watch(&state.rings.incoming);
        for known in &mut state.rings.destinations {
            if known.way.as_ref().is_some_and(|way| self.world.is_dead(way.to())) {
                *known = Destination::default();
            }
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use crate::base::Member;
    use crate::engine::rank::tests::{engine, letter, pattern, peer, roomy_world};
    use crate::engine::{ANY_TAG, Engine, Mishap, Mode, Outcome};
    use crate::host::life::Pulse;
    use crate::host::memory::Span;
    use crate::transport::Incoming;

    fn send(engine: &Engine, to: usize, tag: i32, data: &[u8]) {
        let letter = letter(engine.me().seat, to, tag);
        let sent = engine.send(letter, &Span::of(data).into(), Mode::Standard);
        assert_eq!(sent, Ok(None));
    }

    fn next(engine: &Engine, source: usize, into: &mut [u8]) -> Outcome {
        let pattern = pattern(source as i32, ANY_TAG);
        let ended = engine.receive(pattern, &peer(source), &Span::of_mut(into).into());
        ended.expect("the tests' ranks live")
    }

    /// Messages that lie in the ring, packets that it holds and packets that go round it.
    #[test]
    fn messages_stay_in_order_when_a_channel_overflows() {
        let world = roomy_world(2);
        let (sender, receiver) = (engine(world, 0), engine(world, 1));
        let many = 3 * Incoming::SLOTS;
        let data = |number: usize| vec![number as u8; [8, 500, 0, 40, 41, 2500][number % 6]];
        let (mut sent, mut taken) = (0, 0);
        for (sends, takes) in [(10, 3), (many, 20), (5, many - 20), (many, many + 12)] {
            for _ in 0..sends {
                send(&sender, 1, sent as i32, &data(sent));
                sent += 1;
            }
            for _ in 0..takes.min(sent - taken) {
                let mut into = vec![0; 2600];
                let outcome = next(&receiver, 0, &mut into);
                assert_eq!(outcome.tag, taken as i32, "in order");
                assert_eq!(into[..outcome.bytes], data(taken), "whole");
                taken += 1;
            }
        }
        assert_eq!(sent, taken);
    }

    #[test]
    fn what_the_dead_said_is_heard_and_a_channel_outlives_neither_of_its_ends() {
        for round in 0..20 {
            let world = roomy_world(2);
            let (sender, receiver) = (engine(world, 0), engine(world, 1));
            (0..10).for_each(|tag| send(&sender, 1, tag, &[round; 8]));
            world.bury(0, 0);
            sender.lay_down();
            let mut into = [0; 8];
            for tag in 0..10 {
                let outcome = next(&receiver, 0, &mut into);
                assert_eq!((outcome.tag, outcome.mishap, into[0]), (tag, None, round));
            }
            let outcome = next(&receiver, 0, &mut into);
            assert_eq!(outcome.mishap, Some(Mishap::Lost { rank: 0 }));
            assert!(receiver.state.lock().rings.incoming.is_empty());
        }
    }

    #[test]
    fn a_sender_that_dies_in_the_middle_of_a_message_has_not_sent_it() {
        for is_posted in [false, true] {
            let world = roomy_world(2);
            let (sender, receiver) = (engine(world, 0), engine(world, 1));
            let mut into = vec![0; 5000];
            for tag in 0..4 {
                send(&sender, 1, tag, &[9; 3000]);
                assert_eq!(next(&receiver, 0, &mut into).tag, tag);
            }
            let half = letter(0, 1, 4);
            let mut state = sender.state.lock();
            let way = state.rings.to(half.to).expect("they have communicated");
            way.send_half(half.envelope, Span::of(&[8; 5000]));
            drop(state);
            let span = Span::of_mut(&mut into);
            let posted = is_posted.then(|| receiver.start_receive(pattern(0, 4), peer(0), span));
            world.bury(0, 0);
            sender.lay_down();
            let outcome = match posted {
                Some(key) => receiver.wait(key.expect("it lives")).expect("it lives"),
                None => next(&receiver, 0, &mut vec![0; 5000]),
            };
            assert_eq!(outcome.mishap, Some(Mishap::Lost { rank: 0 }));
            assert!(receiver.state.lock().rings.incoming.is_empty());
        }
    }

    /// One death is being dealt with when the next one comes.
    #[test]
    fn last_words_stay_until_they_are_taken_whoever_else_has_died() {
        let world = roomy_world(3);
        let (sender, receiver) = (engine(world, 0), engine(world, 1));
        let mut into = [0; 8];
        for tag in 0..3 {
            send(&sender, 1, tag, &[7; 8]);
            assert_eq!(next(&receiver, 0, &mut into).tag, tag);
        }
        world.bury(2, 0);
        let mut state = receiver.state.lock();
        let stir = world.stir();
        send(&sender, 1, 3, &[8; 8]);
        world.bury(0, 0);
        receiver.notice(&mut state, stir);
        drop(state);
        let outcome = next(&receiver, 0, &mut into);
        assert_eq!((outcome.tag, outcome.mishap, into), (3, None, [8; 8]));
        assert_eq!(next(&receiver, 0, &mut into).mishap, Some(Mishap::Lost { rank: 0 }));
    }

    #[test]
    fn a_later_life_gets_nothing_that_was_sent_to_an_earlier_one() {
        let world = roomy_world(2);
        let sender = engine(world, 0);
        for life in 0..5 {
            let member = Member { seat: 1, incarnation: life };
            let receiver = Engine::new(world, 1, life, Pulse::default());
            for tag in 0..10 {
                let mut letter = letter(0, 1, tag);
                letter.to = member;
                let data = [life as u8; 8];
                // A rank that knows of a death sends with care, which is no other way.
                let sent = sender.send(letter, &Span::of(&data).into(), Mode::Standard);
                assert_eq!(sent, Ok(None));
            }
            let mut into = [0; 8];
            let outcome = next(&receiver, 0, &mut into);
            assert_eq!((outcome.tag, into[0]), (0, life as u8));
            world.bury(1, life);
            receiver.lay_down();
            world.enter(1, life + 1);
        }
    }
}
