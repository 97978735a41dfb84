//! A greeting: what a sender in another process tells of its partitions when it creates its
//! request. Which of them a partition of the receiver consists of. Pure.

use std::ops::Range;

/// What the sender has said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Greeting {
    pub(super) partitions: usize,
    /// How many bytes each of them has.
    pub(super) each: usize,
    /// The tag of the first one; the others' follow.
    pub(super) tag: i32,
}

impl Greeting {
    /// As long as it is in a message.
    pub(super) const BYTES: usize = 24;

    pub(super) fn to_bytes(self) -> [u8; Greeting::BYTES] {
        let words = [self.partitions as u64, self.each as u64, u64::from(self.tag as u32)];
        let mut bytes = [0; Greeting::BYTES];
        let places = bytes.as_chunks_mut::<8>().0.iter_mut();
        places.zip(words).for_each(|(place, word)| *place = word.to_ne_bytes());
        bytes
    }

    pub(super) fn from_bytes(bytes: &[u8; Greeting::BYTES]) -> Greeting {
        let word = |index: usize| u64::from_ne_bytes(bytes.as_chunks::<8>().0[index]);
        Greeting { partitions: word(0) as usize, each: word(1) as usize, tag: word(2) as i32 }
    }

    /// How many messages travel in a round. Where there are no partitions, an empty one says that
    /// the sender has started.
    pub(super) fn messages(&self) -> usize {
        self.partitions.max(1)
    }

    /// How many bytes the sender has.
    pub(super) fn bytes(&self) -> usize {
        self.partitions * self.each
    }

    /// The messages that make up the partition with this index of a receiver that has
    /// `partitions` of `each` bytes. Those that no byte of the sender belongs to, or not all of
    /// whose bytes it has, arrive with the whole message.
    pub(super) fn needed(&self, partitions: usize, each: usize, index: usize) -> Range<usize> {
        if each == 0 && self.each == 0 && partitions == self.partitions {
            return index..index + 1;
        }
        let (from, to) = (index * each, (index + 1) * each);
        if each == 0 || to > self.bytes() {
            return 0..self.messages();
        }
        from / self.each..to.div_ceil(self.each)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_greeting_says_what_was_said() {
        for tag in [0, 7, i32::MAX] {
            let said = Greeting { partitions: 840, each: usize::MAX / 840, tag };
            assert_eq!(Greeting::from_bytes(&said.to_bytes()), said);
        }
    }

    #[test]
    fn a_partition_needs_those_of_the_sender_that_it_shares_a_byte_with() {
        for (sent, each, partitions, own) in
            [(6, 4, 3, 8), (3, 8, 6, 4), (4, 3, 3, 4), (6, 4, 2, 8), (1, 12, 12, 1)]
        {
            let greeting = Greeting { partitions: sent, each, tag: 0 };
            for index in 0..partitions {
                let is_shared = |part: &usize| {
                    (index * own..(index + 1) * own).any(|byte| byte / each == *part)
                };
                let needed: Vec<usize> = (0..sent).filter(is_shared).collect();
                let found: Vec<usize> = greeting.needed(partitions, own, index).collect();
                assert_eq!(found, needed, "{index} of {partitions}");
            }
        }
    }

    #[test]
    fn what_the_sender_has_no_bytes_for_arrives_with_the_whole_message() {
        let short = Greeting { partitions: 6, each: 4, tag: 0 };
        assert_eq!(short.needed(4, 12, 1), 3..6);
        assert_eq!([short.needed(4, 12, 2), short.needed(4, 12, 3)], [0..6, 0..6]);
        assert_eq!(short.needed(4, 0, 2), 0..6);
        let empty = Greeting { partitions: 3, each: 0, tag: 0 };
        assert_eq!([empty.needed(3, 0, 2), empty.needed(2, 0, 1)], [2..3, 0..3]);
        let none = Greeting { partitions: 0, each: 0, tag: 0 };
        assert_eq!([none.needed(2, 0, 1), none.needed(2, 4, 1)], [0..1, 0..1]);
    }
}
