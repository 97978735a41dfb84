//! What happens to a world: out of a seed.

use super::{Random, Time};

#[derive(Debug)]
pub(super) struct Plan {
    pub(super) slowest: u64,
    /// Whether messages may be lost for good where a link is cut for a while.
    pub(super) loses: bool,
    pub(super) cuts: Vec<Cut>,
    /// Places that die without a word then.
    pub(super) deaths: Vec<(usize, Time)>,
    /// Coordinators that are killed, by their number.
    pub(super) kills: Vec<(usize, Time)>,
}

/// What one place sends to another in this time is lost, or comes when the time is over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) begin: Time,
    pub(super) end: Time,
}

/// When a cut ends that stays.
const NEVER: Time = Time::MAX / 2;

impl Plan {
    pub(super) fn draw(random: &mut Random, hosts: usize, place: usize, mild: bool) -> Plan {
        let places = hosts as u64 + 1;
        let slowest = 1 + random.below(if mild { 40 } else { 120 });
        let mut plan = Plan { slowest, loses: false, cuts: vec![], deaths: vec![], kills: vec![] };
        let at = 500 + random.below(3000);
        if mild || random.chance(40) {
            // The first coordinator is lost: killed, or with its place.
            match random.chance(60) || hosts < 3 {
                true => plan.kills.push((0, at)),
                false => plan.deaths.push((place, at)),
            }
        }
        if mild {
            return plan;
        }
        plan.loses = random.chance(40);
        for court in 0..2 {
            if random.chance(30) {
                plan.kills.push((court, at + random.below(3000)));
            }
        }
        for _ in 0..random.below(3) {
            plan.deaths.push((random.below(places) as usize, 500 + random.below(7000)));
        }
        // One part of the places is cut off from the other; or some pairs are.
        if random.chance(50) {
            let (part, begin) = (random.bits(), 500 + random.below(4000));
            let end = Plan::end(random, begin);
            let ways = Plan::ways(random);
            for one in 0..=hosts {
                let others = (0..one).filter(|other| (part >> one ^ part >> other) & 1 == 1);
                for other in others {
                    // The part hears nothing, or is not heard.
                    let (inside, outside) =
                        if part >> one & 1 == 1 { (one, other) } else { (other, one) };
                    plan.cut((inside, outside), begin, end, ways);
                }
            }
        }
        for _ in 0..random.below(4) {
            let begin = 500 + random.below(6000);
            let [one, other] = [0, 0].map(|_: usize| random.below(places) as usize);
            let end = Plan::end(random, begin);
            let ways = Plan::ways(random);
            plan.cut((one, other), begin, end, ways);
        }
        plan
    }

    fn end(random: &mut Random, begin: Time) -> Time {
        match random.below(3) {
            0 => begin + random.below(1200),
            1 => begin + random.below(8000),
            _ => NEVER,
        }
    }

    /// Most cuts are in both directions.
    fn ways(random: &mut Random) -> [bool; 2] {
        match random.below(5) {
            0 => [true, false],
            1 => [false, true],
            _ => [true, true],
        }
    }

    fn cut(
        &mut self, (one, other): (usize, usize), begin: Time, end: Time, [there, back]: [bool; 2],
    ) {
        let there = there.then_some((one, other));
        let back = back.then_some((other, one));
        let both = there.into_iter().chain(back);
        self.cuts.extend(both.map(|(from, to)| Cut { from, to, begin, end }));
    }

    pub(super) fn faults(&self) -> u64 {
        (self.deaths.len() + self.kills.len() + self.cuts.len()) as u64
    }

    /// When the last thing happens, but for cuts that stay.
    pub(super) fn last(&self) -> Time {
        let cuts = self.cuts.iter().flat_map(|cut| [cut.begin, cut.end]);
        let faults = self.deaths.iter().chain(&self.kills).map(|(_, at)| *at);
        cuts.chain(faults).filter(|at| *at < NEVER).max().unwrap_or(0)
    }
}
