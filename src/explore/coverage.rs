//! Which calls of the source failures have met: killed before, inside and after them, their errors,
//! handlers, and calls that succeeded after a failure.

use crate::story::Lines;
use crate::trace::{Death, Trace};
use std::collections::BTreeMap;

/// A call in the source; without debug information an object and an offset.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Site {
    pub file: String,
    pub line: u32,
    pub name: String,
}

/// What has happened at a call, in how many runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub before: usize,
    pub inside: usize,
    pub after: usize,
    /// Runs in which it returned an error, and in which an error handler ran.
    pub errors: usize,
    pub handlers: usize,
    /// Runs in which it succeeded after a failure.
    pub passed: usize,
    /// Runs without a failure in which it was made.
    pub plain: usize,
}

pub(crate) type Frame = (String, u64);

/// All calls of the program.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    counts: BTreeMap<(Frame, String), Counts>,
}

impl Counts {
    /// How many failures have met it.
    pub fn kills(&self) -> usize {
        self.before + self.inside + self.after
    }

    /// Takes in what happened in the same run at another place with this call.
    fn unite(&mut self, other: &Counts) {
        self.before += other.before;
        self.inside += other.inside;
        self.after += other.after;
        self.errors |= other.errors;
        self.handlers |= other.handlers;
        self.passed |= other.passed;
        self.plain |= other.plain;
    }

    fn add(&mut self, other: &Counts) {
        self.before += other.before;
        self.inside += other.inside;
        self.after += other.after;
        self.errors += other.errors;
        self.handlers += other.handlers;
        self.passed += other.passed;
        self.plain += other.plain;
    }
}

impl Coverage {
    /// Takes in a run.
    pub fn take(&mut self, trace: &Trace) {
        // By places first, which are many fewer than calls.
        let mut at: BTreeMap<(usize, &str), Counts> = BTreeMap::new();
        for call in &trace.calls {
            let counts = at.entry((call.place, &call.name)).or_default();
            let has_failed = call.class.is_some_and(|class| class != 0);
            counts.errors |= usize::from(has_failed);
            counts.handlers |= usize::from(call.has_handler);
            counts.passed |= usize::from(call.class == Some(0) && call.deaths_before > 0);
            counts.plain |= usize::from(trace.deaths.is_empty());
        }
        for Death { call, .. } in &trace.deaths {
            let Some((call, is_inside)) = *call else { continue };
            let call = &trace.calls[call];
            let counts = at.entry((call.place, &call.name)).or_default();
            match (is_inside, call.class, call.steps) {
                (true, _, 0) => counts.before += 1,
                (true, ..) => counts.inside += 1,
                (false, ..) => counts.after += 1,
            }
        }
        let mut seen: BTreeMap<(&Frame, &str), Counts> = BTreeMap::new();
        for ((place, name), counts) in at {
            if let Some(frame) = trace.leaf(place) {
                seen.entry((frame, name)).or_default().unite(&counts);
            }
        }
        for ((frame, name), counts) in seen {
            self.add(frame.clone(), name, &counts);
        }
    }

    pub(crate) fn add(&mut self, frame: Frame, name: &str, counts: &Counts) {
        self.counts.entry((frame, name.to_string())).or_default().add(counts);
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = (&(Frame, String), &Counts)> {
        self.counts.iter()
    }

    /// All frames whose lines are of interest.
    pub fn frames(&self) -> impl Iterator<Item = &Frame> {
        self.counts.keys().map(|(frame, _)| frame)
    }

    /// By line of the source.
    pub fn by_line(&self, lines: &Lines) -> BTreeMap<Site, Counts> {
        let mut sites: BTreeMap<Site, Counts> = BTreeMap::new();
        for ((frame, name), counts) in &self.counts {
            let (file, line) = match lines.get(frame) {
                Some((file, line, _)) => (file.clone(), *line),
                None => (format!("{}+{:#x}", frame.0, frame.1), 0),
            };
            sites.entry(Site { file, line, name: name.clone() }).or_default().add(counts);
        }
        sites
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_run_counts_once_for_a_call() {
        let text = "job 2 ulfm\nat 0 p+0x10\ncall 0 0 MPI_Send 0\ndone 0 0 0\ncall 1 0 MPI_Send 0\n\
            step 1 0\ndeath 1 0 SIGKILL\ncall 0 0 MPI_Send 0\nhandler 0 0\ndone 0 0 77\n\
            call 0 0 MPI_Send 0\ndone 0 0 0\n";
        let mut coverage = Coverage::default();
        coverage.take(&Trace::read(text));
        coverage.take(&Trace::read(text));
        let lines = Lines::from([(("p".to_string(), 0x10), ("p.c".to_string(), 4, "main".into()))]);
        let sites = coverage.by_line(&lines);
        let (site, counts) = sites.iter().next().expect("one call");
        assert_eq!((site.file.as_str(), site.line), ("p.c", 4));
        let expected = Counts { inside: 2, errors: 2, handlers: 2, passed: 2, ..Counts::default() };
        assert_eq!(*counts, expected);
    }
}
