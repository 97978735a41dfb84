//! Tags for partitions that travel as messages: each send has a row of its own, one tag for each
//! partition, which no other send of the process has at the time.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Tags go up to MPI_TAG_UB.
const END: u64 = 1 << 31;

/// The rows that are in use.
#[derive(Default)]
pub(super) struct Tags(Mutex<Rows>);

#[derive(Default)]
struct Rows {
    /// How many tags there are in a row, by the first one.
    counts: BTreeMap<u64, u64>,
    /// Where the latest row ends.
    next: u64,
}

/// A row of tags. It is free again when this is dropped.
pub(super) struct Row {
    tags: Arc<Tags>,
    first: u64,
}

impl Tags {
    /// A row of so many tags, at least one; `None`: no such row is left.
    pub(super) fn row(self: Arc<Tags>, count: usize) -> Option<Row> {
        let mut rows = self.0.lock();
        let first = rows.place(count as u64)?;
        rows.counts.insert(first, count as u64);
        rows.next = first + count as u64;
        drop(rows);
        Some(Row { tags: self, first })
    }
}

impl Rows {
    /// Where there is room: behind the latest row, so that tags are used again late, else anywhere.
    fn place(&self, count: u64) -> Option<u64> {
        let ends = self.counts.iter().map(|(first, count)| first + count);
        let mut places = [self.next, 0].into_iter().chain(ends);
        places.find(|first| self.is_free(*first, count))
    }

    fn is_free(&self, first: u64, count: u64) -> bool {
        let end = first + count;
        let before = self.counts.range(..end).next_back();
        end <= END && before.is_none_or(|(start, count)| start + count <= first)
    }
}

impl Row {
    /// The tag of a partition.
    pub(super) fn tag(&self, partition: usize) -> i32 {
        i32::try_from(self.first + partition as u64).expect("the row ends before MPI_TAG_UB")
    }
}

impl Drop for Row {
    fn drop(&mut self) {
        self.tags.0.lock().counts.remove(&self.first);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;

    #[test]
    fn rows_in_use_have_no_tag_in_common_and_all_tags_can_be_used() {
        let tags = Arc::new(Tags::default());
        let mut random = Random::new(5);
        let mut rows: Vec<(Row, u64)> = Vec::new();
        let mut refused = 0;
        for _ in 0..3000 {
            let count = random.below(END / 20) + 1;
            match tags.clone().row(count as usize) {
                Some(row) => {
                    let is_apart = |(other, its): &(Row, u64)| {
                        row.first + count <= other.first || other.first + its <= row.first
                    };
                    assert!(rows.iter().all(is_apart) && row.first + count <= END);
                    assert_eq!(u64::from(row.tag(0) as u32), row.first);
                    rows.push((row, count));
                }
                None => refused += 1,
            }
            if rows.len() > random.below(40) as usize {
                rows.swap_remove(random.below(rows.len() as u64) as usize);
            }
        }
        assert!(refused > 0, "they are used up from time to time");
        rows.clear();
        let all = tags.clone().row(END as usize).expect("all are free");
        assert_eq!((all.tag(0), all.tag(END as usize - 1)), (0, i32::MAX));
        assert!(tags.row(1).is_none());
    }

    #[test]
    fn a_tag_is_used_again_late() {
        let tags = Arc::new(Tags::default());
        let first = |count| tags.clone().row(count).expect("there are enough").tag(0);
        assert_eq!([first(3), first(4), first(1)], [0, 3, 7]);
    }
}
