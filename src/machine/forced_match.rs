//! `--match`: what a rank is shown where that depends on time. The numbers of receives and choices,
//! and the sources as ranks of the receive's communicator, are in the call trace.

use std::fmt;

/// What of a rank is meant; each sort has its own numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Decision {
    /// A receive from any source, or a probe that waits for one: which message it takes.
    Receive,
    /// A call whose outcome depends on what has happened so far (MPI_Waitany, MPI_Waitsome,
    /// MPI_Test and its like, MPI_Iprobe, MPI_Improbe): which request is complete, or whose message
    /// is found.
    Choice,
}

/// The `nth` decision of a rank comes out like this.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ForcedMatch {
    pub rank: usize,
    pub of: Decision,
    /// Counted from 1, in the order in which they begin.
    pub nth: u64,
    /// A rank of the communicator, not of the job; or the index of a request; or [`NOTHING`].
    pub source: i32,
}

/// A choice: nothing is complete, or no message is there.
pub const NOTHING: i32 = -1;

const CHOICE: &str = "choice";
const NONE: &str = "none";

impl ForcedMatch {
    /// Reads `RANK:N=SOURCE`, `RANK:choiceN=INDEX` or `RANK:choiceN=none`.
    pub fn parse(text: &str) -> Option<ForcedMatch> {
        let (decision, source) = text.split_once('=')?;
        let (rank, nth) = decision.split_once(':')?;
        let (of, nth) = match nth.strip_prefix(CHOICE) {
            Some(nth) => (Decision::Choice, nth),
            None => (Decision::Receive, nth),
        };
        let (rank, nth) = (rank.parse().ok()?, nth.parse().ok()?);
        let source = match (of, source) {
            (Decision::Choice, NONE) => NOTHING,
            _ => source.parse().ok().filter(|source| *source >= 0)?,
        };
        (nth > 0).then_some(ForcedMatch { rank, of, nth, source })
    }
}

impl fmt::Display for ForcedMatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = if self.of == Decision::Choice { CHOICE } else { "" };
        write!(f, "{}:{of}{}=", self.rank, self.nth)?;
        match self.source {
            NOTHING => f.write_str(NONE),
            source => source.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forced_match_is_read_as_it_is_written() {
        for (text, of, source) in [
            ("2:14=3", Decision::Receive, 3),
            ("2:choice14=3", Decision::Choice, 3),
            ("2:choice14=none", Decision::Choice, NOTHING),
        ] {
            let forced = ForcedMatch::parse(text).expect("it is one");
            assert_eq!(forced, ForcedMatch { rank: 2, of, nth: 14, source });
            assert_eq!(forced.to_string(), text);
        }
        let wrong = ["2:0=3", "2:1=-1", "2=3", "2:1", ":1=2", "a:1=2", "2:1=none", "2:choice=1"];
        assert!(wrong.iter().all(|text| ForcedMatch::parse(text).is_none()));
    }
}
