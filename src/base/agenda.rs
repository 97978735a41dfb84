//! What is to happen when: a ring of buckets for the near future, and the far one by epochs.
//!
//! To enter or to take an event costs the same however many there are; no heap is kept. What was
//! entered first for one time comes first.

use std::collections::BTreeMap;

/// How many ticks the near future has.
const RING: usize = 4096;

pub struct Agenda<E> {
    /// The first tick of the ring.
    epoch: u64,
    ring: Vec<Vec<E>>,
    /// Which buckets have something: one bit each.
    is_full: [u64; RING / 64],
    /// Room of buckets that were taken: only buckets with something in them have any.
    spare: Vec<Vec<E>>,
    /// By epoch: the first time in it, and what lies beyond the ring.
    far: BTreeMap<u64, (u64, Vec<(u64, E)>)>,
    /// The ticks before this one are over.
    now: u64,
    count: usize,
}

impl<E> Default for Agenda<E> {
    fn default() -> Agenda<E> {
        let ring = std::iter::repeat_with(Vec::new).take(RING).collect();
        let is_full = [0; RING / 64];
        let (spare, far) = (Vec::new(), BTreeMap::new());
        Agenda { epoch: 0, ring, is_full, spare, far, now: 0, count: 0 }
    }
}

impl<E> Agenda<E> {
    #[inline]
    pub fn enter(&mut self, time: u64, event: E) {
        assert!(time >= self.now, "nothing happens in the past");
        self.count += 1;
        let ahead = time - self.epoch;
        if ahead < RING as u64 {
            self.put(ahead as usize, event);
        } else {
            let epoch = time / RING as u64 * RING as u64;
            let (first, events) = self.far.entry(epoch).or_insert_with(|| (time, Vec::new()));
            *first = time.min(*first);
            events.push((time, event));
        }
    }

    /// The time of the next event. To ask changes nothing: something earlier may still be entered.
    pub fn next_time(&self) -> Option<u64> {
        if self.count == 0 {
            return None;
        }
        let from = self.now.saturating_sub(self.epoch) as usize;
        let near = self.first_full(from).map(|at| self.epoch + at as u64);
        near.or_else(|| self.far.first_key_value().map(|(_, (first, _))| *first))
    }

    /// Everything for this time, which is the next one, into an empty `room`, whose space is kept.
    /// What is entered for this time afterwards can be taken again.
    pub fn take(&mut self, time: u64, room: &mut Vec<E>) {
        debug_assert!(room.is_empty(), "what was taken is done with");
        assert!(self.next_time() == Some(time), "what is next is taken");
        self.now = time;
        if time - self.epoch >= RING as u64 {
            self.turn_to(time);
        }
        let at = (time - self.epoch) as usize;
        // Left in the bucket, the space would be used again after a whole turn of the ring only.
        let emptied = std::mem::replace(room, std::mem::take(&mut self.ring[at]));
        if emptied.capacity() > 0 {
            self.spare.push(emptied);
        }
        self.is_full[at / 64] &= !(1 << (at % 64));
        self.count -= room.len();
    }

    #[inline]
    fn put(&mut self, at: usize, event: E) {
        let bucket = &mut self.ring[at];
        if bucket.capacity() == 0
            && let Some(spare) = self.spare.pop()
        {
            *bucket = spare;
        }
        self.is_full[at / 64] |= 1 << (at % 64);
        bucket.push(event);
    }

    /// The ring, which is empty, turns to the epoch of this time.
    fn turn_to(&mut self, time: u64) {
        let (epoch, (_, events)) = self.far.pop_first().expect("what is next is somewhere");
        debug_assert!(epoch == time / RING as u64 * RING as u64, "epochs come in order");
        self.epoch = epoch;
        for (time, event) in events {
            self.put((time - epoch) as usize, event);
        }
    }

    fn first_full(&self, from: usize) -> Option<usize> {
        let mut word = from / 64;
        let mut bits = *self.is_full.get(word)? & (u64::MAX << (from % 64));
        while bits == 0 {
            word += 1;
            bits = *self.is_full.get(word)?;
        }
        Some(word * 64 + bits.trailing_zeros() as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn events_come_in_the_order_of_time_then_of_entry() {
        let mut random = Random::new(11);
        for spread in [3, 100, 5_000, 100_000] {
            let (mut agenda, mut entered, mut taken) = (Agenda::default(), Vec::new(), Vec::new());
            for number in 0..500u32 {
                let time = random.below(spread);
                agenda.enter(time, (time, number));
                entered.push((time, number));
            }
            let mut room = Vec::new();
            while let Some(time) = agenda.next_time() {
                agenda.take(time, &mut room);
                assert!(!room.is_empty() && room.iter().all(|event| event.0 == time));
                if taken.len() < 2000 {
                    let (later, number) = (time + random.below(spread), entered.len() as u32);
                    agenda.enter(later, (later, number));
                    entered.push((later, number));
                }
                taken.append(&mut room);
            }
            entered.sort_unstable();
            assert_eq!(taken, entered, "spread {spread}");
        }
    }

    #[test]
    fn steady_traffic_needs_as_many_buffers_as_there_are_ticks_ahead() {
        let (mut agenda, mut room) = (Agenda::default(), Vec::new());
        (0..100u64).for_each(|event| agenda.enter(0, event));
        for time in 0..20_000 {
            agenda.take(time, &mut room);
            room.drain(..).for_each(|event| agenda.enter(time + 1 + event % 3, event));
            let buckets = agenda.ring.iter().chain(&agenda.spare);
            let kept = buckets.filter(|bucket| bucket.capacity() > 0).count();
            assert!(kept <= 4, "{kept} buffers at tick {time}");
        }
    }

    #[test]
    #[should_panic(expected = "nothing happens in the past")]
    fn the_past_is_over() {
        let mut agenda = Agenda::default();
        agenda.enter(7, ());
        agenda.take(7, &mut Vec::new());
        agenda.enter(6, ());
    }
}
