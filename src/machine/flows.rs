//! Messages as flows that share the bandwidth of links: no flow can have more without another one,
//! which has no more than it, getting less (max-min fairness). Pure: time is a parameter.

use super::units::Picos;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What is under way in a network all of whose links have one bandwidth.
pub struct Flows {
    /// The time that a byte takes on a link that it has for itself.
    byte: f64,
    flows: Vec<Option<Flow>>,
    free: Vec<usize>,
    links: Vec<Link>,
    /// Links on which flows have begun or ended since shares were given.
    touched: Vec<usize>,
    /// When flows end as things stand. Entries whose version is not the flow's are void.
    ends: BinaryHeap<Reverse<(Picos, usize, u64)>>,
    version: u64,
    /// Numbers the times when shares were given.
    round: u64,
}

#[derive(Clone, Default)]
struct Link {
    /// The flows on it.
    flows: Vec<usize>,
    /// While shares are given: what is left of its bandwidth, and for how many flows.
    left: f64,
    many: usize,
    /// The last round that had to do with it.
    round: u64,
}

struct Flow {
    links: Vec<usize>,
    /// The time for which its rest would have a link for itself, as of `since`.
    rest: f64,
    since: Picos,
    /// Which part of a link's bandwidth it has.
    share: f64,
    version: u64,
    /// The last round that had to do with it, and the last in which it got a share.
    round: u64,
    served: u64,
}

impl Flows {
    /// For so many links, on which a byte takes this time.
    pub fn new(links: usize, byte: Picos) -> Flows {
        Flows {
            byte: byte as f64,
            flows: Vec::new(),
            free: Vec::new(),
            links: vec![Link::default(); links],
            touched: Vec::new(),
            ends: BinaryHeap::new(),
            version: 0,
            round: 0,
        }
    }

    /// A flow of so many bytes begins; returns its number. [`Flows::settle`] comes next, once for
    /// all that begin at one time.
    pub fn begin(&mut self, links: Vec<usize>, bytes: u64, now: Picos) -> usize {
        let rest = bytes as f64 * self.byte;
        let number = self.free.pop().unwrap_or_else(|| {
            self.flows.push(None);
            self.flows.len() - 1
        });
        links.iter().for_each(|link| self.links[*link].flows.push(number));
        self.touched.extend(&links);
        let (share, is_free) = if links.is_empty() { (1.0, true) } else { (0.0, false) };
        let (version, round, served) = (0, 0, 0);
        let flow = Flow { links, rest, since: now, share, version, round, served };
        self.flows[number] = Some(flow);
        if is_free {
            self.expect_end(number);
        }
        number
    }

    /// Gives all flows their shares; returns when the next one ends, if none begins before.
    pub fn settle(&mut self, now: Picos) -> Option<Picos> {
        let touched = std::mem::take(&mut self.touched);
        self.share_out(&touched, now);
        self.next_end()
    }

    fn next_end(&mut self) -> Option<Picos> {
        while let Some(Reverse((at, number, version))) = self.ends.peek() {
            let flow = self.flows[*number].as_ref();
            if flow.is_some_and(|flow| flow.version == *version) {
                return Some(*at);
            }
            self.ends.pop();
        }
        None
    }

    /// The flows that have ended by now, in order. [`Flows::settle`] comes next.
    pub fn end(&mut self, now: Picos) -> Vec<usize> {
        let mut ended = Vec::new();
        while self.next_end().is_some_and(|at| at <= now) {
            let Some(Reverse((_, number, _))) = self.ends.pop() else { break };
            let Some(flow) = self.flows[number].take() else { continue };
            for link in &flow.links {
                self.links[*link].flows.retain(|other| *other != number);
            }
            self.free.push(number);
            ended.push(number);
            self.touched.extend(flow.links);
        }
        ended
    }

    /// Gives new shares to all flows that these links have to do with, directly or not.
    fn share_out(&mut self, touched: &[usize], now: Picos) {
        self.round += 1;
        let mut scarce: BinaryHeap<Reverse<(u64, usize)>> = BinaryHeap::new();
        for link in self.concerned(touched, now) {
            scarce.extend(self.links[link].bid(link));
        }
        // The scarcest link first: its flows can have no more. The others get more and more.
        while let Some(Reverse((bid, link))) = scarce.pop() {
            match self.links[link].bid(link) {
                None => {}
                Some(Reverse((now, _))) if now != bid => scarce.push(Reverse((now, link))),
                Some(_) => {
                    let share = f64::from_bits(bid);
                    let flows = std::mem::take(&mut self.links[link].flows);
                    flows.iter().for_each(|number| self.serve(*number, share));
                    self.links[link].flows = flows;
                }
            }
        }
    }

    /// A flow gets this share, unless it has one of this round.
    fn serve(&mut self, number: usize, share: f64) {
        let Some(flow) = self.flows[number].as_mut().filter(|flow| flow.served != self.round)
        else {
            return;
        };
        flow.served = self.round;
        for link in &flow.links {
            let link = &mut self.links[*link];
            link.left = (link.left - share).max(0.0);
            link.many -= 1;
        }
        let is_other = (flow.share - share).abs() > 1e-12 || flow.version == 0;
        flow.share = share;
        if is_other {
            self.expect_end(number);
        }
    }

    fn expect_end(&mut self, number: usize) {
        let Some(flow) = &mut self.flows[number] else { return };
        self.version += 1;
        flow.version = self.version;
        let at = flow.since + (flow.rest / flow.share).ceil() as Picos;
        self.ends.push(Reverse((at, number, self.version)));
    }

    /// The links that are joined with these by flows, made ready for a round, as are the flows.
    fn concerned(&mut self, touched: &[usize], now: Picos) -> Vec<usize> {
        let mut known = Vec::new();
        let mut waiting = touched.to_vec();
        while let Some(number) = waiting.pop() {
            let link = &mut self.links[number];
            if std::mem::replace(&mut link.round, self.round) == self.round {
                continue;
            }
            (link.left, link.many) = (1.0, link.flows.len());
            known.push(number);
            for number in &self.links[number].flows {
                let Some(flow) = self.flows[*number].as_mut() else { continue };
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
    fn bid(&self, number: usize) -> Option<Reverse<(u64, usize)>> {
        (self.many > 0).then(|| Reverse(((self.left / self.many as f64).to_bits(), number)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// When flows end, each with its links, its bytes, and when it begins; a byte takes 10.
    fn ends(links: usize, flows: &[(&[usize], u64, Picos)]) -> Vec<Picos> {
        let mut network = Flows::new(links, 10);
        let mut ends = vec![0; flows.len()];
        let mut named = std::collections::HashMap::new();
        let mut begins: Vec<usize> = (0..flows.len()).collect();
        begins.sort_by_key(|flow| Reverse(flows[*flow].2));
        let mut now = 0;
        loop {
            let next = begins.last().map(|flow| flows[*flow].2);
            match (next, network.settle(now)) {
                (None, None) => return ends,
                (Some(begin), end) if end.is_none_or(|end| begin < end) => {
                    let flow = begins.pop().unwrap();
                    let (links, bytes, at) = flows[flow];
                    now = at;
                    named.insert(network.begin(links.to_vec(), bytes, at), flow);
                }
                (_, Some(end)) => {
                    now = end;
                    for number in network.end(end) {
                        ends[named[&number]] = end;
                    }
                }
                (Some(_), None) => unreachable!("it would have begun"),
            }
        }
    }

    #[test]
    fn a_flow_alone_has_its_links_for_itself() {
        assert_eq!(ends(3, &[(&[0, 1, 2], 100, 5)]), [1005]);
        assert_eq!(ends(1, &[(&[], 100, 5), (&[0], 0, 7)]), [1005, 7]);
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
        let flows: [(&[usize], u64, Picos); 4] =
            [(&[0], 100, 0), (&[0], 100, 0), (&[0, 1], 100, 0), (&[1], 100, 0)];
        assert_eq!(ends(2, &flows), [3000, 3000, 3000, 1500]);
    }

    #[test]
    fn nothing_is_lost_or_made() {
        // However flows meet, a link that is always in use is free when all have gone.
        for many in 1..20 {
            let flows: Vec<(&[usize], u64, Picos)> =
                (0..many).map(|at| (&[0][..], 10 + at * 7 % 13, 3 * at)).collect();
            let all: u64 = flows.iter().map(|(_, bytes, _)| 10 * bytes).sum();
            let last = ends(1, &flows).into_iter().max().unwrap();
            assert!((all..=all + many).contains(&last), "{many}: {last} instead of {all}");
        }
    }
}
