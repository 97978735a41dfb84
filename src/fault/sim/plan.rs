//! What a run is to be like: all of it from a seed, or with crashes at chosen points.

use ftmpi_base::random::Random;

/// One run.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) seed: u64,
    pub(super) size: usize,
    /// Bounds of how long messages, notices of death and members' own affairs take.
    pub(super) delay: u32,
    pub(super) notice: u32,
    pub(super) late: u32,
    /// Whether all notice deaths in one order.
    pub(super) is_ordered: bool,
    /// When who dies, whatever he does.
    pub(super) accidents: Vec<(u32, usize)>,
    /// In how many of a thousand steps a member dies, as long as so many may.
    pub(super) danger: u64,
    pub(super) victims: u32,
    /// A seat in which so many replacements die sooner or later.
    pub(super) curse: (usize, u32),
    /// Crashes at chosen points.
    pub(super) crashes: Vec<Crash>,
}

/// After its `step`-th step (0: before the first), `victim` dies, and of what it wanted to send
/// the first `cut` pieces leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Crash {
    pub(super) victim: usize,
    pub(super) step: u32,
    pub(super) cut: usize,
    /// How many pieces there were, once it has happened.
    pub(super) pieces: Option<usize>,
}

impl Crash {
    pub(super) fn new(victim: usize, step: u32, cut: usize) -> Crash {
        Crash { victim, step, cut, pieces: None }
    }

    /// The next point: one piece more, else one step later; `None` after the victim's last step.
    pub(super) fn next(self) -> Option<Crash> {
        let Crash { victim, step, cut, pieces } = self;
        Some(match pieces? {
            count if cut < count => Crash::new(victim, step, cut + 1),
            _ => Crash::new(victim, step + 1, 0),
        })
    }
}

/// What of the pieces of a step does not leave.
#[derive(Clone, Copy)]
pub(super) enum Cut {
    /// What comes after so many.
    After(usize),
    /// What is for these.
    For(u64),
}

impl Cut {
    pub(super) fn stops(self, index: usize, to: usize) -> bool {
        match self {
            Cut::After(count) => index >= count,
            Cut::For(whom) => whom >> (to % 64) & 1 == 1,
        }
    }
}

impl Plan {
    /// Nobody dies, and everything takes at most so long.
    pub(super) fn calm(seed: u64, size: usize, delay: u32) -> Plan {
        Plan {
            seed,
            size,
            delay,
            notice: delay,
            late: delay,
            is_ordered: true,
            accidents: Vec::new(),
            danger: 0,
            victims: 0,
            curse: (0, 0),
            crashes: Vec::new(),
        }
    }

    /// Anything, out of `seed`.
    pub(super) fn random(seed: u64) -> Plan {
        let random = &mut Random::new(seed);
        let size = match random.below(100) {
            0 => 13 + random.below(52),
            1..=30 => 2 + random.below(3),
            _ => 2 + random.below(11),
        } as usize;
        let one_of =
            |random: &mut Random, list: &[u32]| list[random.below(list.len() as u64) as usize];
        let mut plan = Plan::calm(seed, size, one_of(random, &[1, 3, 10, 50]));
        plan.notice = one_of(random, &[1, 5, 30, 120]);
        plan.late = one_of(random, &[1, 10, 60]);
        plan.is_ordered = random.chance(70);
        plan.danger = u64::from(one_of(random, &[0, 3, 10, 40, 150]));
        plan.victims = random.below(size as u64 + 3) as u32;
        if random.chance(10) {
            plan.curse = (random.below(size as u64) as usize, 1 + random.below(8) as u32);
            plan.accidents.push((1, plan.curse.0));
        }
        let span = u64::from(one_of(random, &[1, 8, 60, 200]));
        let count = if random.chance(50) { random.below(size as u64) } else { 0 };
        for _ in 0..count {
            let time = 1 + random.below(span) as u32;
            plan.accidents.push((time, random.below(size as u64) as usize));
        }
        plan
    }

    /// Whether `id` dies after this step of `acts` pieces, and what is lost then. Coordinators
    /// live most dangerously.
    pub(super) fn cut(
        &mut self, random: &mut Random, id: usize, step: u32, acts: usize,
        is_first: impl Fn() -> bool,
    ) -> Option<Cut> {
        let planned =
            self.crashes.iter_mut().find(|crash| (crash.victim, crash.step) == (id, step));
        if let Some(crash) = planned {
            crash.pieces = Some(acts);
            return Some(Cut::After(crash.cut));
        }
        if self.is_cursed(id) && random.chance(20) {
            self.curse.1 -= 1;
        } else if self.victims > 0 && self.danger > 0 {
            let fortune = random.below(1000);
            if fortune >= self.danger && (fortune >= self.danger * 4 || !is_first()) {
                return None;
            }
            self.victims -= 1;
        } else {
            return None;
        }
        Some(match random.chance(60) {
            true => Cut::After(random.below(acts as u64 + 1) as usize),
            false => Cut::For(random.bits()),
        })
    }

    fn is_cursed(&self, id: usize) -> bool {
        id >= self.size && id % self.size == self.curse.0 && self.curse.1 > 0
    }

    /// Whether `id` dies before its first step.
    pub(super) fn is_stillborn(&mut self, random: &mut Random, id: usize) -> bool {
        if self.is_cursed(id) && random.chance(50) {
            self.curse.1 -= 1;
            return true;
        }
        let planned = self.crashes.iter_mut().find(|crash| (crash.victim, crash.step) == (id, 0));
        planned.map(|crash| crash.pieces = Some(0)).is_some()
    }
}
