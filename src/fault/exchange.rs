//! What all members of a communicator say to each other through the coordinator: all of them hear
//! it, or none does. Pure.

use crate::agreements::Key;
use crate::messages::{Notice, Order};
use ftmpi_base::Member;
use std::collections::BTreeMap;

/// Those for which somebody has spoken or given up, and not everybody has been answered.
#[derive(Default)]
pub(crate) struct Exchanges(BTreeMap<Key, Exchange>);

struct Exchange {
    roster: Vec<Member>,
    /// What each has said.
    said: Vec<Option<Vec<u8>>>,
    /// Who needs no answer any more.
    is_done: Vec<bool>,
    /// It has come to nothing.
    is_void: bool,
}

impl Exchange {
    fn new(roster: &[Member]) -> Exchange {
        let size = roster.len();
        let (said, is_done) = (vec![None; size], vec![false; size]);
        Exchange { roster: roster.to_vec(), said, is_done, is_void: false }
    }

    fn place(&self, member: Member) -> Option<usize> {
        self.roster.iter().position(|other| *other == member)
    }

    /// These members need no answer.
    fn excuse(&mut self, gone: &[Member]) {
        for member in gone {
            if let Some(place) = self.place(*member) {
                self.is_done[place] = true;
            }
        }
    }

    /// It has come to nothing: all who have spoken hear of that, the others when they do.
    fn fail(&mut self, key: Key) -> Vec<Order> {
        self.is_void = true;
        let mut orders = Vec::new();
        for (place, member) in self.roster.iter().enumerate() {
            if self.said[place].is_some() && !self.is_done[place] {
                self.is_done[place] = true;
                orders.push(Order::Tell(*member, Notice::Heard { key, all: None }));
            }
        }
        orders
    }
}

impl Exchanges {
    /// `from` says its part. Those members in `gone` are not there any more.
    pub(crate) fn say(
        &mut self, key: Key, roster: &[Member], from: Member, bytes: Vec<u8>, gone: &[Member],
    ) -> Vec<Order> {
        let exchange = self.0.entry(key).or_insert_with(|| Exchange::new(roster));
        let Some(place) = exchange.place(from) else { return Vec::new() };
        exchange.said[place] = Some(bytes);
        let mut orders = Vec::new();
        if exchange.is_void || !gone.is_empty() {
            orders = exchange.fail(key);
            exchange.excuse(gone);
        } else if exchange.said.iter().all(Option::is_some) {
            let all: Vec<Vec<u8>> = exchange.said.iter_mut().filter_map(Option::take).collect();
            let heard =
                |to: &Member| Order::Tell(*to, Notice::Heard { key, all: Some(all.clone()) });
            orders = exchange.roster.iter().map(heard).collect();
            exchange.is_done.fill(true);
        }
        self.tidy_up(key);
        orders
    }

    /// `from` cannot go on, and so nobody does, unless all have spoken: then it is on its way to
    /// all, `from` included.
    pub(crate) fn give_up(
        &mut self, key: Key, roster: &[Member], gone: &[Member], from: Member, has_said: bool,
    ) -> Vec<Order> {
        if has_said && !self.0.contains_key(&key) {
            return Vec::new();
        }
        let exchange = self.0.entry(key).or_insert_with(|| Exchange::new(roster));
        let orders = exchange.fail(key);
        if let Some(place) = exchange.place(from) {
            exchange.is_done[place] = true;
        }
        exchange.excuse(gone);
        self.tidy_up(key);
        orders
    }

    /// A member is not there any more.
    pub(crate) fn miss(&mut self, member: Member) -> Vec<Order> {
        let mut orders = Vec::new();
        for key in self.0.keys().copied().collect::<Vec<Key>>() {
            let Some(exchange) = self.0.get_mut(&key) else { continue };
            let Some(place) = exchange.place(member) else { continue };
            exchange.is_done[place] = true;
            orders.extend(exchange.fail(key));
            self.tidy_up(key);
        }
        orders
    }

    fn tidy_up(&mut self, key: Key) {
        let is_over = |exchange: &Exchange| exchange.is_done.iter().all(|is_done| *is_done);
        if self.0.get(&key).is_some_and(is_over) {
            self.0.remove(&key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agreements::Purpose;

    const KEY: Key = Key { purpose: Purpose::Exchange, of: 1, number: 2 };

    fn three() -> [Member; 3] {
        [0, 1, 2].map(|seat| Member { seat, incarnation: 0 })
    }

    fn heard(orders: &[Order]) -> Vec<(usize, bool)> {
        let told = orders.iter().map(|order| match order {
            Order::Tell(to, Notice::Heard { all, .. }) => (to.seat, all.is_some()),
            other => panic!("{other:?}"),
        });
        told.collect()
    }

    #[test]
    fn all_hear_what_all_have_said() {
        let (mut it, all) = (Exchanges::default(), three());
        assert!(it.say(KEY, &all, all[2], vec![2], &[]).is_empty());
        assert!(it.say(KEY, &all, all[0], vec![0], &[]).is_empty());
        let orders = it.say(KEY, &all, all[1], vec![], &[]);
        assert_eq!(heard(&orders), [(0, true), (1, true), (2, true)]);
        let said = Some(vec![vec![0], vec![], vec![2]]);
        assert_eq!(orders[0], Order::Tell(all[0], Notice::Heard { key: KEY, all: said }));
        assert!(it.give_up(KEY, &all, &[], all[0], true).is_empty(), "the answer is on its way");
        assert!(it.0.is_empty());
    }

    #[test]
    fn nobody_hears_anything_if_one_gives_up_or_is_gone() {
        let all = three();
        for gives_up in [false, true] {
            let mut it = Exchanges::default();
            assert!(it.say(KEY, &all, all[0], vec![0], &[]).is_empty());
            let orders = match gives_up {
                true => it.give_up(KEY, &all, &[], all[1], false),
                false => it.miss(all[1]),
            };
            assert_eq!(heard(&orders), [(0, false)], "who has not spoken waits for nothing");
            assert_eq!(heard(&it.say(KEY, &all, all[2], vec![2], &[])), [(2, false)]);
            assert!(it.0.is_empty(), "everybody has been answered");
        }
    }

    #[test]
    fn those_who_come_after_a_death_hear_nothing() {
        let (mut it, all) = (Exchanges::default(), three());
        assert_eq!(heard(&it.say(KEY, &all, all[0], vec![0], &all[2..])), [(0, false)]);
        assert!(it.give_up(KEY, &all, &all[2..], all[1], false).is_empty());
        assert!(it.0.is_empty());
    }
}
