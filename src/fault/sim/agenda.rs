//! What happens when: events in order of (time, source, sequence), for simulators.
//!
//! One bucket for each instant of the near future. Whatever is due at an instant was entered
//! before it, so a bucket is put in order once, when its time has come.

/// Events to come.
pub(super) struct Agenda<E> {
    now: u32,
    /// The event due at `time` is in bucket `time % HORIZON`.
    buckets: Vec<Vec<Entry<E>>>,
    /// Today's bucket, last first.
    due: Vec<Entry<E>>,
    sequence: u32,
    count: usize,
}

/// Who caused it, how many were entered before it, and what it is.
type Entry<E> = (u32, u32, E);

/// Nothing is entered so far ahead.
pub(super) const HORIZON: usize = 256;

impl<E> Agenda<E> {
    pub(super) fn new() -> Agenda<E> {
        let buckets = (0..HORIZON).map(|_| Vec::new()).collect();
        Agenda { now: 0, buckets, due: Vec::new(), sequence: 0, count: 0 }
    }

    pub(super) fn now(&self) -> u32 {
        self.now
    }

    /// Something that `source` causes will happen at `time`, which is later than now.
    pub(super) fn enter(&mut self, time: u32, source: u32, event: E) {
        assert!(time > self.now && time - self.now < HORIZON as u32, "{time} is soon, not now");
        self.buckets[time as usize % HORIZON].push((source, self.sequence, event));
        self.sequence += 1;
        self.count += 1;
    }

    /// The next event; time goes on until there is one.
    pub(super) fn next(&mut self) -> Option<E> {
        if self.count == 0 {
            return None;
        }
        while self.due.is_empty() {
            self.now += 1;
            let bucket = &mut self.buckets[self.now as usize % HORIZON];
            std::mem::swap(bucket, &mut self.due);
            self.due.sort_unstable_by_key(|&(source, sequence, _)| {
                std::cmp::Reverse((source, sequence))
            });
        }
        self.count -= 1;
        self.due.pop().map(|(_, _, event)| event)
    }
}
