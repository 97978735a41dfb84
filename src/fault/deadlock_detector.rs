//! The deadlock detector: says when a job is stuck for good. Pure: no clock, no thread; it is told
//! what was seen.
//!
//! A job is stuck when every rank that is not gone waits inside a call for another one, no thread
//! of the process has run for a while, and nothing is on its way. An observation is a [`Sight`];
//! when [`CONFIRMATIONS`] later observations equal it, it is a deadlock.

/// What one look at the job has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sight {
    /// A rank runs, may run by itself, or has something to look at.
    Moving,
    /// No rank does. The number changes whenever one has run.
    Still(u64),
}

/// After how many later looks that found no change it is certain.
pub const CONFIRMATIONS: u32 = 2;

/// An observer that looks now and then.
#[derive(Default)]
pub struct DeadlockDetector {
    last: Option<u64>,
    confirmed: u32,
}

impl DeadlockDetector {
    /// True if the job is stuck for good.
    pub fn look(&mut self, sight: Sight) -> bool {
        match sight {
            Sight::Moving => *self = DeadlockDetector::default(),
            Sight::Still(turn) if self.last == Some(turn) => self.confirmed += 1,
            Sight::Still(turn) => *self = DeadlockDetector { last: Some(turn), confirmed: 0 },
        }
        self.confirmed >= CONFIRMATIONS
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftmpi_base::random::Random;

    /// Ranks that compute, send and wait for messages of one another.
    struct Model {
        /// Whom each waits for; `None`: it computes.
        waits: Vec<Option<usize>>,
        /// Messages under way or not looked at yet: from, to.
        messages: Vec<(usize, usize)>,
        turn: u64,
    }

    impl Model {
        /// One step of a rank that can make one; false if none can.
        fn step(&mut self, random: &mut Random, sends: u64) -> bool {
            let able: Vec<usize> = (0..self.waits.len()).filter(|rank| self.can(*rank)).collect();
            if able.is_empty() {
                return false;
            }
            let rank = able[random.below(able.len() as u64) as usize];
            self.turn += 1;
            if let Some(from) = self.waits[rank].take() {
                let place = self.messages.iter().position(|message| *message == (from, rank));
                self.messages.remove(place.expect("whoever waits and can go on has a message"));
                return true;
            }
            let peer = random.below(self.waits.len() as u64) as usize;
            match random.chance(sends) {
                true => self.messages.push((rank, peer)),
                false => self.waits[rank] = Some(peer),
            }
            true
        }

        fn can(&self, rank: usize) -> bool {
            self.waits[rank].is_none_or(|from| self.messages.contains(&(from, rank)))
        }

        /// What a look that takes its time finds: each rank is looked at once, while others go on.
        fn sight(&mut self, random: &mut Random, sends: u64) -> Sight {
            let mut turns = 0_u64;
            for rank in 0..self.waits.len() {
                if self.waits[rank].is_none() || self.can(rank) {
                    return Sight::Moving;
                }
                turns = turns.wrapping_mul(31).wrapping_add(self.turn);
                for _ in 0..random.below(3) {
                    self.step(random, sends);
                }
            }
            Sight::Still(turns)
        }
    }

    #[test]
    fn it_speaks_when_nobody_can_go_on_and_never_before() {
        let mut stuck = 0;
        for seed in 0..400 {
            let mut random = Random::new(seed);
            let ranks = random.below(5) as usize + 1;
            let mut model = Model { waits: vec![None; ranks], messages: Vec::new(), turn: 0 };
            let (mut detector, sends) = (DeadlockDetector::default(), 40 + random.below(30));
            for _ in 0..300 {
                let sight = model.sight(&mut random, sends);
                let is_dead = (0..ranks).all(|rank| !model.can(rank));
                if detector.look(sight) {
                    assert!(is_dead, "seed {seed}: it spoke too early");
                    stuck += 1;
                    break;
                }
                for _ in 0..random.below(6) {
                    model.step(&mut random, sends);
                }
            }
            if (0..ranks).all(|rank| !model.can(rank)) {
                let spoke = (0..=CONFIRMATIONS + 1).any(|_| {
                    let sight = model.sight(&mut random, sends);
                    detector.look(sight)
                });
                assert!(spoke, "seed {seed}: it keeps silent");
            }
        }
        assert!(stuck > 50, "few of the worlds got stuck: {stuck}");
    }

    #[test]
    fn whoever_has_run_in_between_is_not_stuck() {
        let mut detector = DeadlockDetector::default();
        let looks = [Sight::Still(1), Sight::Still(1), Sight::Still(2), Sight::Still(2)];
        assert!(looks.into_iter().all(|sight| !detector.look(sight)));
        assert!(!detector.look(Sight::Moving));
        assert!(!detector.look(Sight::Still(2)));
        assert!(!detector.look(Sight::Still(2)));
        assert!(detector.look(Sight::Still(2)));
    }
}
