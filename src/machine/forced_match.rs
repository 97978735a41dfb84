//! `--match RANK:N=SOURCE`: which message a receive from any source takes. The numbers of the
//! receives, and the sources as ranks of the receive's communicator, are in the call trace.

use std::fmt;

/// The `nth` receive from any source of a rank takes a message from this source only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ForcedMatch {
    pub rank: usize,
    /// Counted from 1, in the order in which the receives begin.
    pub nth: u64,
    /// A rank of the communicator, not of the job.
    pub source: i32,
}

impl ForcedMatch {
    /// Reads `RANK:N=SOURCE`.
    pub fn parse(text: &str) -> Option<ForcedMatch> {
        let (receive, source) = text.split_once('=')?;
        let (rank, nth) = receive.split_once(':')?;
        let (rank, nth) = (rank.parse().ok()?, nth.parse().ok()?);
        let source = source.parse().ok()?;
        (nth > 0 && source >= 0).then_some(ForcedMatch { rank, nth, source })
    }
}

impl fmt::Display for ForcedMatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}={}", self.rank, self.nth, self.source)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forced_match_is_read_as_it_is_written() {
        let forced = ForcedMatch::parse("2:14=3").expect("it is one");
        assert_eq!((forced.rank, forced.nth, forced.source), (2, 14, 3));
        assert_eq!(forced.to_string(), "2:14=3");
        let wrong = ["2:0=3", "2:1=-1", "2=3", "2:1", ":1=2", "a:1=2"];
        assert!(wrong.iter().all(|text| ForcedMatch::parse(text).is_none()));
    }
}
