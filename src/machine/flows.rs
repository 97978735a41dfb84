//! Messages as flows that share the bandwidth of links: no flow can have more without another one,
//! which has no more than it, getting less (max-min fairness). Pure: time is a parameter.

use super::ends::Ends;
use super::happening::{Happening, What};
use super::units::{END, Picos};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What is under way in a network all of whose links have one bandwidth.
pub(super) struct Flows {
    /// The time that a byte takes on a link that it has for itself.
    byte: Picos,
    flows: Vec<Option<Flow>>,
    free: Vec<usize>,
    links: Vec<Link>,
    /// Links on which flows have begun or ended since shares were given. Whoever had less than
    /// this share is not concerned: shares are found from the least to the greatest, and all these
    /// links have room for so much.
    touched: Vec<u32>,
    least: f64,
    /// When flows end as things stand.
    ends: Ends,
    /// Numbers the times when shares were given.
    round: u64,
}

#[derive(Clone, Default)]
struct Link {
    /// For how long it would have been taken by what has begun so far.
    busy: Picos,
    /// The flows on it.
    flows: Vec<u32>,
    /// While shares are given: what is left of its bandwidth, and for how many flows.
    left: f64,
    many: usize,
    /// The last round that had to do with it.
    round: u64,
}

/// By how much shares may differ, as parts of them, that are the same.
const ROUNDING: f64 = 1e-9;

struct Flow {
    name: usize,
    links: Vec<u32>,
    /// From when its last byte leaves until it arrives.
    latency: Picos,
    /// The time for which its rest would have a link for itself, as of `since`.
    rest: f64,
    since: Picos,
    /// Which part of a link's bandwidth it has.
    share: f64,
    /// The last round that had to do with it, and the last in which it got a share.
    round: u64,
    served: u64,
}

impl Flows {
    /// For so many links, on which a byte takes this time.
    pub(super) fn new(links: usize, byte: Picos) -> Flows {
        Flows {
            byte,
            flows: Vec::new(),
            free: Vec::new(),
            links: vec![Link::default(); links],
            touched: Vec::new(),
            least: f64::INFINITY,
            ends: Ends::default(),
            round: 0,
        }
    }

    /// A flow of so many bytes begins, whose last byte takes this time to arrive. [`Flows::go_on`]
    /// comes next, once for all that begin at one time.
    pub(super) fn begin(
        &mut self, name: usize, links: Vec<u32>, latency: Picos, bytes: u64, now: Picos,
    ) {
        let alone = bytes.saturating_mul(self.byte);
        let number = self.free.pop().unwrap_or_else(|| {
            self.flows.push(None);
            self.flows.len() - 1
        });
        for link in &links {
            let link = &mut self.links[*link as usize];
            link.busy = link.busy.saturating_add(alone);
            link.flows.push(number as u32);
            self.least = self.least.min(1.0 / link.flows.len() as f64);
        }
        self.touched.extend(&links);
        let (rest, round, served) = (alone as f64, 0, 0);
        let since = now;
        let flow = Flow { name, links, latency, rest, since, share: 0.0, round, served };
        self.flows[number] = Some(flow);
    }

    /// For how long a link would have been taken.
    pub(super) fn busy(&self, link: usize) -> Picos {
        self.links[link].busy
    }

    /// Ends the flows that have ended by now, and gives all others their shares.
    pub(super) fn go_on(&mut self, now: Picos, happened: &mut Vec<Happening>) {
        self.end(now, happened);
        let touched = std::mem::take(&mut self.touched);
        let least = std::mem::replace(&mut self.least, f64::INFINITY);
        self.share_out(&touched, least * (1.0 - ROUNDING), now);
    }

    /// When the next flow ends, if none begins before.
    pub(super) fn next(&mut self) -> Option<Picos> {
        self.ends.first()
    }

    fn end(&mut self, now: Picos, happened: &mut Vec<Happening>) {
        for number in self.ends.by(now) {
            self.ends.unset(number);
            let Some(flow) = self.flows[number].take() else { continue };
            for link in &flow.links {
                self.links[*link as usize].flows.retain(|other| *other as usize != number);
            }
            self.free.push(number);
            self.touched.extend(&flow.links);
            self.least = self.least.min(flow.share);
            let message = flow.name;
            happened.push(Happening { at: now, message, what: What::HasLeft });
            let at = now.saturating_add(flow.latency);
            happened.push(Happening { at, message, what: What::Arrives });
        }
    }

    /// Gives new shares to all flows that these links have to do with, directly or not, but for
    /// those that had less than `least`.
    fn share_out(&mut self, touched: &[u32], least: f64, now: Picos) {
        self.round += 1;
        let mut scarce: BinaryHeap<Reverse<(u64, u32)>> = BinaryHeap::new();
        for link in self.concerned(touched, least, now) {
            scarce.extend(self.links[link as usize].bid(link));
        }
        // The scarcest link first: its flows can have no more. The others get more and more.
        while let Some(Reverse((bid, link))) = scarce.pop() {
            match self.links[link as usize].bid(link) {
                None => {}
                Some(Reverse((now, _))) if now != bid => scarce.push(Reverse((now, link))),
                Some(_) => {
                    let share = f64::from_bits(bid);
                    let flows = std::mem::take(&mut self.links[link as usize].flows);
                    flows.iter().for_each(|number| self.serve(*number as usize, share));
                    self.links[link as usize].flows = flows;
                }
            }
        }
    }

    /// A flow gets this share, unless it keeps what it has.
    fn serve(&mut self, number: usize, share: f64) {
        let round = self.round;
        let is_due = |flow: &&mut Flow| flow.round == round && flow.served != round;
        let Some(flow) = self.flows[number].as_mut().filter(is_due) else { return };
        flow.served = self.round;
        for link in &flow.links {
            let link = &mut self.links[*link as usize];
            link.left -= share;
            link.many -= 1;
        }
        let is_other = (flow.share - share).abs() > 1e-12 || flow.share == 0.0;
        flow.share = share;
        if is_other {
            self.expect_end(number);
        }
    }

    fn expect_end(&mut self, number: usize) {
        let Some(flow) = &mut self.flows[number] else { return };
        let at = flow.since.saturating_add((flow.rest / flow.share).ceil() as Picos);
        self.ends.set(number, at.min(END));
    }

    /// The links that are joined with these by flows that had at least so much, made ready for a
    /// round, as are those flows.
    fn concerned(&mut self, touched: &[u32], least: f64, now: Picos) -> Vec<u32> {
        let mut known = Vec::new();
        let mut waiting = touched.to_vec();
        while let Some(number) = waiting.pop() {
            let link = &mut self.links[number as usize];
            if std::mem::replace(&mut link.round, self.round) == self.round {
                continue;
            }
            (link.left, link.many) = (1.0, 0);
            known.push(number);
            for number in &link.flows {
                let Some(flow) = self.flows[*number as usize].as_mut() else { continue };
                if flow.share < least && flow.share > 0.0 {
                    link.left -= flow.share;
                    continue;
                }
                link.many += 1;
                if std::mem::replace(&mut flow.round, self.round) != self.round {
                    let done = flow.share * (now - flow.since) as f64;
                    flow.rest = (flow.rest - done).max(0.0);
                    flow.since = now;
                    waiting.extend(&flow.links);
                }
            }
        }
        known.sort_unstable();
        known
    }
}

impl Link {
    /// What each of its flows without a share could have, as a number that sorts like it.
    fn bid(&self, number: u32) -> Option<Reverse<(u64, u32)>> {
        (self.many > 0)
            .then(|| Reverse(((self.left.max(0.0) / self.many as f64).to_bits(), number)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftmpi_base::random::Random;

    /// When flows end, each with its links, its bytes, and when it begins; a byte takes 10.
    fn ends(links: usize, flows: &[(&[u32], u64, Picos)]) -> Vec<Picos> {
        const LATENCY: Picos = 3;
        let mut network = Flows::new(links, 10);
        let mut ends = vec![0; flows.len()];
        let mut begins: Vec<usize> = (0..flows.len()).collect();
        begins.sort_by_key(|flow| Reverse(flows[*flow].2));
        let (mut now, mut happened) = (0, Vec::new());
        loop {
            network.go_on(now, &mut happened);
            for it in happened.drain(..) {
                match it.what {
                    What::HasLeft => assert_eq!(it.at, now),
                    What::Arrives => {
                        assert_eq!(it.at, now + LATENCY);
                        ends[it.message] = now;
                    }
                }
            }
            let next = begins.last().map(|flow| flows[*flow].2);
            match (next, network.next()) {
                (None, None) => return ends,
                (Some(begin), end) if end.is_none_or(|end| begin < end) => {
                    let flow = begins.pop().unwrap();
                    let (links, bytes, at) = flows[flow];
                    now = at;
                    network.begin(flow, links.to_vec(), LATENCY, bytes, at);
                }
                (_, Some(end)) => now = end,
                (Some(_), None) => unreachable!("it would have begun"),
            }
        }
    }

    #[test]
    fn a_flow_alone_has_its_links_for_itself() {
        assert_eq!(ends(3, &[(&[0, 1, 2], 100, 5)]), [1005]);
        assert_eq!(ends(1, &[(&[0], 0, 7)]), [7]);
    }

    #[test]
    fn flows_on_one_link_share_it_fairly() {
        assert_eq!(ends(1, &[(&[0][..], 100, 0); 4]), [4000; 4]);
        // The second one has half of the link until the first has gone.
        assert_eq!(ends(1, &[(&[0], 100, 0), (&[0], 200, 0)]), [2000, 3000]);
        assert_eq!(ends(1, &[(&[0], 100, 0), (&[0], 100, 500)]), [1500, 2000]);
    }

    #[test]
    fn what_one_flow_cannot_use_another_one_gets() {
        // Three on link 0 have a third each; the fourth gets the two thirds left of link 1.
        let flows: [(&[u32], u64, Picos); 4] =
            [(&[0], 100, 0), (&[0], 100, 0), (&[0, 1], 100, 0), (&[1], 100, 0)];
        assert_eq!(ends(2, &flows), [3000, 3000, 3000, 1500]);
    }

    /// Shares by the rule: of all links, the one that has least for each of its flows is next.
    fn by_the_rule(flows: &[Vec<u32>]) -> Vec<f64> {
        let mut shares = vec![None; flows.len()];
        while shares.iter().any(Option::is_none) {
            let bid = |link: u32| {
                let on = || (0..flows.len()).filter(move |flow| flows[*flow].contains(&link));
                let taken: f64 = on().filter_map(|flow| shares[flow]).sum();
                let many = on().filter(|flow| shares[*flow].is_none()).count();
                (many > 0).then(|| (1.0 - taken) / many as f64)
            };
            let bids = (0..LINKS as u32).filter_map(|link| Some((bid(link)?, link)));
            let (share, link) = bids.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
            for flow in (0..flows.len()).filter(|flow| flows[*flow].contains(&link)) {
                shares[flow].get_or_insert(share);
            }
        }
        shares.into_iter().flatten().collect()
    }

    const LINKS: usize = 12;

    #[test]
    fn shares_are_fair_whoever_comes_and_goes() {
        for seed in 0..200 {
            let mut random = Random::new(seed);
            let (mut network, mut happened) = (Flows::new(LINKS, 10), Vec::new());
            let (mut now, mut left) = (0, 60);
            while left > 0 || network.next().is_some() {
                for _ in 0..random.below(4).min(left) {
                    left -= 1;
                    let mut links: Vec<u32> = (0..LINKS as u32).collect();
                    links.retain(|_| random.chance(20));
                    links.push(random.below(LINKS as u64) as u32);
                    links.sort_unstable();
                    links.dedup();
                    network.begin(0, links, 0, 1 + random.below(1000), now);
                }
                network.go_on(now, &mut happened);
                let flows: Vec<&Flow> = network.flows.iter().flatten().collect();
                let all: Vec<Vec<u32>> = flows.iter().map(|flow| flow.links.clone()).collect();
                for (flow, share) in flows.iter().zip(by_the_rule(&all)) {
                    assert!((flow.share - share).abs() < 1e-9, "seed {seed}, at {now}");
                }
                let soon = now + 10 * random.below(200);
                now = network.next().map_or(soon, |end| end.min(soon));
            }
        }
    }

    #[test]
    fn nothing_is_lost_or_made() {
        // However flows meet, a link that is always in use is free when all have gone.
        for many in 1..20 {
            let flows: Vec<(&[u32], u64, Picos)> =
                (0..many).map(|at| (&[0][..], 10 + at * 7 % 13, 3 * at)).collect();
            let all: u64 = flows.iter().map(|(_, bytes, _)| 10 * bytes).sum();
            let last = ends(1, &flows).into_iter().max().unwrap();
            assert!((all..=all + many).contains(&last), "{many}: {last} instead of {all}");
        }
    }
}
