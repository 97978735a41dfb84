//! Which ranks are on which host, and which host stands in for one that is lost: a host without
//! ranks takes all that were there, as a spare wheel does; if there is none, the ranks go where the
//! fewest are. Ranks of a process stay together. Pure.

use ftmpi_base::Division;

/// The hosts of the ranks.
pub(crate) struct Stands {
    /// The host of each rank.
    places: Vec<usize>,
    /// Which ranks share a process.
    division: Division,
    /// By host.
    hosts: Vec<Stand>,
}

/// What a host is good for.
#[derive(Clone, Default)]
struct Stand {
    /// It is lost, or cannot start ranks.
    is_out: bool,
    /// How many ranks it takes, if that was said.
    slots: Option<usize>,
    /// The host without ranks that has taken its place.
    stand_in: Option<usize>,
}

impl Stands {
    /// Each rank on its host; `slots` has how many each host takes, spare ones last.
    pub(crate) fn new(places: Vec<usize>, slots: impl Iterator<Item = Option<usize>>) -> Stands {
        let division = Division::of_one_each(places.len());
        let hosts = slots.map(|slots| Stand { slots, ..Stand::default() }).collect();
        Stands { places, division, hosts }
    }

    /// The same with ranks that share processes.
    pub(crate) fn divided(self, division: Division) -> Stands {
        Stands { division, ..self }
    }

    /// A host is lost, or cannot start ranks.
    pub(crate) fn rule_out(&mut self, host: usize) {
        self.hosts[host].is_out = true;
    }

    /// Where the next life of a rank, or of its process, is to start, if there is a host left.
    pub(crate) fn place(&mut self, seat: usize) -> Option<usize> {
        let origin = self.places[seat];
        let together = self.division.seats_of(self.division.process_of(seat));
        let count = together.len();
        if !self.hosts[origin].is_out {
            return Some(origin);
        }
        let spare = self.hosts[origin].stand_in.filter(|host| self.has_room(*host, count));
        let is_free = |host: &usize| self.load(*host) == 0 && self.has_room(*host, count);
        let spare = spare.or_else(|| (0..self.hosts.len()).find(is_free));
        self.hosts[origin].stand_in = spare;
        let living = (0..self.hosts.len()).filter(|host| !self.hosts[*host].is_out);
        let place = spare.or_else(|| living.min_by_key(|host| self.load(*host)))?;
        self.places[together].fill(place);
        Some(place)
    }

    fn load(&self, host: usize) -> usize {
        self.places.iter().filter(|place| **place == host).count()
    }

    fn has_room(&self, host: usize, count: usize) -> bool {
        let Stand { is_out, slots, .. } = self.hosts[host];
        !is_out && slots.is_none_or(|slots| self.load(host) + count <= slots)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two ranks on each of the first hosts.
    fn stands(hosts: usize, slots: &[Option<usize>]) -> Stands {
        let places = (0..2 * hosts).map(|seat| seat / 2).collect();
        Stands::new(places, slots.iter().copied())
    }

    #[test]
    fn a_spare_takes_all_ranks_of_one_host() {
        let mut stands = stands(2, &[Some(2), Some(2), None, None]);
        stands.rule_out(0);
        stands.rule_out(1);
        let placed = [0, 2, 1, 3].map(|seat| stands.place(seat));
        assert_eq!(placed, [Some(2), Some(3), Some(2), Some(3)]);
        assert_eq!(stands.place(0), Some(2), "it stays there");
        stands.rule_out(2);
        assert_eq!(stands.place(0), Some(3), "there is no other");
        stands.rule_out(3);
        assert_eq!(stands.place(0), None);
    }

    #[test]
    fn ranks_of_a_process_go_together() {
        let slots = [Some(4), Some(4), Some(3), None];
        let places = (0..8).map(|seat| seat / 4).collect();
        let mut stands = Stands::new(places, slots.into_iter());
        stands = stands.divided(Division::of(&[2, 2, 4]));
        stands.rule_out(1);
        assert_eq!(stands.place(4), Some(3), "there is room for all four");
        stands.rule_out(0);
        assert_eq!([0, 2].map(|seat| stands.place(seat)), [Some(2), Some(2)]);
    }

    #[test]
    fn a_spare_takes_no_more_than_it_has_places_for() {
        let mut stands = stands(3, &[Some(2), Some(2), Some(2), Some(1), Some(1)]);
        stands.rule_out(1);
        assert_eq!([2, 3].map(|seat| stands.place(seat)), [Some(3), Some(4)]);
        stands.rule_out(2);
        assert_eq!([4, 5].map(|seat| stands.place(seat)), [Some(3), Some(4)], "the fewest ranks");
    }
}
