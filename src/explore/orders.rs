//! Which runs differ for their ranks. A run is a partial order of calls: only what a rank can tell
//! orders them. Two runs in which each rank makes the same calls with the same
//! outcomes, and receives from the same sources, are one: no rank can tell them apart, whatever the
//! order in which independent calls of different ranks came.

use crate::trace::{CHOSEN, Call, Place, Trace, Who};
use ftmpi_machine::forced_match::NOTHING;
use std::collections::BTreeMap;
use std::collections::HashSet;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

/// The orders seen so far.
#[derive(Debug, Default)]
pub struct Orders {
    seen: HashSet<u64>,
    runs: usize,
    /// How many runs had been seen when the last new order came.
    last_new: usize,
}

impl Orders {
    /// A run without failures; true if its order is new.
    pub fn take(&mut self, trace: &Trace) -> bool {
        self.runs += 1;
        let is_new = self.seen.insert(signature(trace));
        if is_new {
            self.last_new = self.runs;
        }
        is_new
    }

    /// How many different orders there were.
    pub fn distinct(&self) -> usize {
        self.seen.len()
    }

    pub fn runs(&self) -> usize {
        self.runs
    }

    /// Whether further orders are not worth a run: so many in a row were known.
    pub fn is_exhausted(&self) -> bool {
        const IN_A_ROW: usize = 30;
        self.runs - self.last_new >= IN_A_ROW.max(self.seen.len())
    }
}

/// A number that is equal for runs which no rank can tell apart.
fn signature(trace: &Trace) -> u64 {
    let number = |place: &Place| {
        let mut hasher = DefaultHasher::new();
        place.hash(&mut hasher);
        hasher.finish()
    };
    let places: Vec<u64> = trace.places.iter().map(number).collect();
    let mut ranks: BTreeMap<Who, DefaultHasher> = BTreeMap::new();
    let mut last: BTreeMap<Who, &Call> = BTreeMap::new();
    for call in &trace.calls {
        // How often a rank asks in vain tells it nothing.
        let before = last.insert(call.who, call);
        let is_again = |before: &Call| (&before.name, before.place) == (&call.name, call.place);
        if call.matches == [(NOTHING, CHOSEN)] && before.is_some_and(is_again) {
            continue;
        }
        let Call { who, name, place, class, matches, .. } = call;
        let hasher = ranks.entry(*who).or_default();
        (name, places.get(*place), class, matches).hash(hasher);
    }
    let mut all = DefaultHasher::new();
    ranks.into_iter().for_each(|(who, hasher)| (who, hasher.finish()).hash(&mut all));
    all.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(lines: &[&str]) -> Trace {
        Trace::read(&format!("job 2 end\nat 0 p+0x1\nat 1 p+0x2\n{}\n", lines.join("\n")))
    }

    #[test]
    fn only_what_a_rank_can_tell_makes_an_order() {
        let mut orders = Orders::default();
        let (a, b) = (["call 0 0 MPI_Send 0", "done 0 0 0"], ["call 1 0 MPI_Recv 1", "done 1 0 0"]);
        assert!(orders.take(&run(&[a, b].concat())));
        assert!(!orders.take(&run(&[b, a].concat())));
        let asks = |times: usize| {
            let ask = ["call 0 0 MPI_Test 0", "chosen 0 0 1 -1 0", "done 0 0 0"];
            run(&std::iter::repeat_n(ask, times).flatten().collect::<Vec<_>>())
        };
        assert_eq!(signature(&asks(1)), signature(&asks(3)));
        assert_ne!(signature(&asks(1)), signature(&asks(0)));
        let other = ["call 1 0 MPI_Recv 1", "match 1 0 0 5 0 1", "done 1 0 0"];
        assert!(orders.take(&run(&[&a[..], &other[..]].concat())));
        assert_eq!((orders.distinct(), orders.runs()), (2, 3));
        assert!(!orders.is_exhausted());
        (0..30).for_each(|_| _ = orders.take(&run(&[a, b].concat())));
        assert!(orders.is_exhausted());
    }
}
