//! A board: memory of one turn to which each member writes a part, and which all read whole in the
//! end.
//!
//! Each member counts the bytes of its part when it has written them. The result is valid only when
//! all bytes were counted: that no member writes any more does not prove that every member has
//! written. The round holds the board until the last member puts it away, so that no member starts
//! another board after the first has been dropped.

use crate::host::memory::Span;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Memory of the library to which all members may write.
pub(super) type Words = Box<[AtomicU64]>;

/// The memory of these words, writable.
pub(super) fn memory(words: &[AtomicU64]) -> Span {
    Span::new(words.as_ptr().cast(), size_of_val(words))
}

/// Memory for one turn.
pub struct Board {
    turn: u32,
    bytes: usize,
    words: Words,
    written: AtomicUsize,
}

impl Board {
    /// A board of `bytes` bytes, in `words` if they are enough.
    pub(super) fn new(turn: u32, bytes: usize, mut words: Words) -> Board {
        let length = bytes.div_ceil(8);
        if words.len() < length {
            words = (0..length).map(|_| AtomicU64::new(0)).collect();
        }
        Board { turn, bytes, words, written: AtomicUsize::new(0) }
    }

    pub(super) fn is_of(&self, turn: u32) -> bool {
        self.turn == turn
    }

    /// Its memory, writable.
    pub fn memory(&self) -> Span {
        memory(&self.words)
    }

    pub(super) fn into_words(self) -> Words {
        self.words
    }

    /// The caller has written its whole part, of this many bytes.
    pub fn count(&self, bytes: usize) {
        self.written.fetch_add(bytes, Ordering::SeqCst);
    }

    /// Whether every byte was written. Only for callers that know that no member writes any more.
    pub fn is_complete(&self) -> bool {
        self.written.load(Ordering::SeqCst) == self.bytes
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::super::tests::member;
    use super::super::{Gate, Meeting, Round};
    use super::Board;
    use crate::base::random::Random;
    use crate::engine::World;
    use crate::engine::rank::tests::world;
    use crate::host::memory::{Span, copy};
    use std::sync::Arc;

    /// The bytes that each member writes.
    const PART: usize = 8;
    const POISON: u8 = 0xee;

    /// How far one member is in a turn in which each combines a part for all.
    enum Stage {
        /// Has not arrived yet.
        Outside,
        /// Has arrived, and waits for the others.
        Waiting,
        /// Is to write its part.
        Writing(Arc<Board>),
        /// Has written it.
        Wrote(Arc<Board>),
        /// Reads no more from others, and waits until none does.
        Reading(Arc<Board>),
        Success,
        Failure,
        Dead,
    }

    /// One turn, in which some members die between two steps.
    struct Turn<'a> {
        meeting: &'a Meeting,
        round: &'a Round,
        number: u32,
        stages: Vec<Stage>,
    }

    impl Turn<'_> {
        fn someone_is_dead(&self) -> bool {
            self.stages.iter().any(|stage| matches!(stage, Stage::Dead))
        }

        /// The member at `place` makes its next step; false if it can only wait.
        fn step(&mut self, place: usize) -> bool {
            let (members, is_dead) = (self.stages.len(), self.someone_is_dead());
            let (meeting, round, number) = (self.meeting, self.round, self.number);
            let stage = std::mem::replace(&mut self.stages[place], Stage::Failure);
            let (next, goes_on) = match stage {
                Stage::Outside if is_dead => (Stage::Failure, true),
                Stage::Outside => {
                    round.arrivals.arrive(number, place);
                    (Stage::Waiting, true)
                }
                Stage::Waiting if round.is_open(Gate::Full, number) => {
                    (Stage::Writing(meeting.board(round, number, members * PART)), true)
                }
                Stage::Waiting if is_dead && round.arrivals.abandon(number) => {
                    (Stage::Failure, true)
                }
                Stage::Waiting => (Stage::Waiting, false),
                Stage::Writing(board) => {
                    let part = [place as u8; PART];
                    let into = board.memory().part(place * PART, PART);
                    copy(Span::of(&part), into).expect("both are there");
                    board.count(PART);
                    (Stage::Wrote(board), true)
                }
                Stage::Wrote(board) => {
                    round.end_reading(number, place);
                    (Stage::Reading(board), true)
                }
                Stage::Reading(board) if round.is_open(Gate::AllRead, number) => {
                    (self.finish(board), true)
                }
                Stage::Reading(_) if is_dead => (Stage::Failure, true),
                Stage::Reading(board) => (Stage::Reading(board), false),
                over => (over, false),
            };
            self.stages[place] = next;
            goes_on
        }

        /// Success means that every byte was written.
        fn finish(&self, board: Arc<Board>) -> Stage {
            if !board.is_complete() {
                return Stage::Failure;
            }
            let members = self.stages.len();
            let mut seen = vec![POISON; members * PART];
            let all = board.memory().part(0, seen.len());
            copy(all, Span::of_mut(&mut seen)).expect("both are there");
            let expected = (0..members).flat_map(|place| [place as u8; PART]);
            assert!(seen.iter().copied().eq(expected), "success, but {seen:?}");
            self.meeting.put_away(self.round, board);
            Stage::Success
        }

        fn die(&mut self, place: usize) {
            self.stages[place] = Stage::Dead;
        }
    }

    /// Plays a turn of `members` members. At each step `choose` is told how many steps are
    /// possible, and how many moves there are including the deaths, of which there are `deaths` in
    /// all, and picks one. Returns how all have ended.
    fn play(
        world: &'static World, (members, mut deaths): (usize, usize),
        mut choose: impl FnMut(usize, usize) -> usize,
    ) -> Ends {
        let (all, bell) = ((0..members).map(member).collect(), world.port(0).bell());
        let meeting = Meeting::new((2, member(0)), all, |_| bell, None);
        let stages = (0..members).map(|_| Stage::Outside).collect();
        let round = &Round::new(members, members);
        let mut turn = Turn { meeting: &meeting, round, number: 3, stages };
        let mut stuck = vec![false; members];
        loop {
            let is_open =
                |stage: &Stage| !matches!(stage, Stage::Success | Stage::Failure | Stage::Dead);
            let open: Vec<usize> =
                (0..members).filter(|place| is_open(&turn.stages[*place])).collect();
            let able: Vec<usize> = open.iter().copied().filter(|place| !stuck[*place]).collect();
            if open.is_empty() {
                break;
            }
            let may_die = if deaths > 0 { open.len() } else { 0 };
            assert!(able.len() + may_die > 0, "somebody waits for ever");
            let choice = choose(able.len(), able.len() + may_die);
            match able.get(choice) {
                Some(place) => stuck[*place] = !turn.step(*place),
                None => {
                    turn.die(open[choice - able.len()]);
                    deaths -= 1;
                }
            }
            // A waiting member looks again after each step of another.
            if able.get(choice).is_none_or(|place| !stuck[*place]) {
                stuck.fill(false);
            }
        }
        let count = |is: fn(&Stage) -> bool| turn.stages.iter().filter(|stage| is(stage)).count();
        Ends {
            success: count(|stage| matches!(stage, Stage::Success)),
            failure: count(|stage| matches!(stage, Stage::Failure)),
        }
    }

    #[derive(Debug, Default, PartialEq, Eq)]
    struct Ends {
        success: usize,
        failure: usize,
    }

    /// Every order of steps and of a death, one after the other: the last choice that has an
    /// alternative is made differently the next time.
    fn all_orders(members: usize, deaths: usize) -> (usize, usize) {
        let (mut path, mut with_death, mut orders) = (Vec::<(usize, usize)>::new(), 0, 0);
        let world = world(members);
        loop {
            let mut depth = 0;
            let ends = play(world, (members, deaths), |_, choices| {
                if depth == path.len() {
                    path.push((0, choices));
                }
                depth += 1;
                path[depth - 1].0
            });
            orders += 1;
            with_death += usize::from(ends.success > 0 && ends.success < members);
            while path.last().is_some_and(|(choice, choices)| choice + 1 == *choices) {
                path.pop();
            }
            match path.last_mut() {
                Some(last) => last.0 += 1,
                None => return (orders, with_death),
            }
        }
    }

    #[test]
    fn success_means_that_every_byte_was_written_in_every_order_of_two_and_a_death() {
        let (orders, with_death) = all_orders(2, 1);
        assert!(orders > 1000 && with_death > 100, "{orders} {with_death}");
    }

    #[test]
    fn success_means_that_every_byte_was_written_whoever_of_many_dies_at_any_step() {
        let (world, mut survived) = (world(6), 0);
        for seed in 0..if cfg!(miri) { 20 } else { 20_000 } {
            let mut random = Random::new(seed);
            let (members, deaths) = (2 + seed as usize % 5, seed as usize % 3);
            // Deaths are rare, so that they come late as often as early.
            let ends = play(world, (members, deaths), |steps, moves| {
                let among = if steps > 0 && random.below(12) > 0 { steps } else { moves };
                random.below(among as u64) as usize
            });
            survived += usize::from(ends.success > 0 && ends.success < members);
        }
        assert!(cfg!(miri) || survived > 500, "{survived} orders with survivors' success");
    }
}
