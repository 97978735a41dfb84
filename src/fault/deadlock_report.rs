//! The deadlock report: ranks that are stuck, those together that wait for the same.

use std::collections::BTreeMap;

/// The ranks that are stuck, by the lines about what they wait for.
#[derive(Default)]
pub struct DeadlockReport(BTreeMap<Vec<String>, Vec<usize>>);

/// The first line.
const WHOLE: &str = "deadlock: all ranks wait for each other, and nothing is under way; \
                     the job ends";

impl DeadlockReport {
    /// One more rank that waits.
    pub fn add(&mut self, rank: usize, lines: Vec<String>) {
        self.0.entry(lines).or_default().push(rank);
    }

    /// What is wrong, and then a paragraph for each group of ranks that wait for the same, those of
    /// the lowest rank first.
    pub fn words(&self) -> String {
        let sorted = |(lines, ranks): (&Vec<String>, &Vec<usize>)| {
            let mut ranks = ranks.clone();
            ranks.sort_unstable();
            (ranks, lines.clone())
        };
        let mut groups: Vec<_> = self.0.iter().map(sorted).collect();
        groups.sort_unstable();
        let paragraph = |(ranks, lines): &(Vec<usize>, Vec<String>)| {
            let noun = if ranks.len() == 1 { "rank" } else { "ranks" };
            format!("\n  {noun} {}: {}", enumerate(ranks), lines.join("\n    waits for "))
        };
        let paragraphs: String = groups.iter().map(paragraph).collect();
        format!("{WHOLE}{paragraphs}")
    }
}

/// Numbers in ascending order, runs of them by their ends: `0, 2-5, 9`.
pub fn enumerate(numbers: &[usize]) -> String {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for &number in numbers {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => runs.push((number, number)),
        }
    }
    let run = |(first, last): (usize, usize)| match last - first {
        0 => first.to_string(),
        _ => format!("{first}-{last}"),
    };
    runs.into_iter().map(run).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_ranks_are_named_by_their_ends() {
        assert_eq!(enumerate(&[]), "");
        assert_eq!(enumerate(&[3]), "3");
        assert_eq!(enumerate(&[0, 2, 3, 4, 9, 10]), "0, 2-4, 9-10");
    }

    #[test]
    fn ranks_that_wait_for_the_same_are_told_together_in_order() {
        let mut report = DeadlockReport::default();
        for (rank, call) in [(3, "in MPI_Recv"), (0, "in MPI_Wait"), (1, "in MPI_Recv")] {
            report.add(rank, vec![call.to_string(), "a message".to_string()]);
        }
        let said = report.words();
        let lines: Vec<&str> = said.lines().skip(1).collect();
        let of = "    waits for a message";
        assert_eq!(lines, ["  rank 0: in MPI_Wait", of, "  ranks 1, 3: in MPI_Recv", of]);
    }
}
