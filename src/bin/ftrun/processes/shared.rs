//! The processes of a job whose ranks share them (`--processes=P`).

use super::happening::Guest;
use super::seats::Life;
use ftmpi_base::Division;

/// The processes of a job whose ranks share them.
pub(super) struct Shared {
    pub(super) division: Division,
    pub(super) processes: Vec<Option<Life>>,
    /// How often each was started.
    pub(super) starts: Vec<u32>,
    /// Those in which no rank lives any more, by their first seats. They end by themselves.
    pub(super) empty: Vec<(usize, Life)>,
    /// Those that have joined, in the places of such.
    pub(super) waiting: Vec<Guest>,
}

impl Shared {
    pub(super) fn new(division: Division) -> Shared {
        let count = division.processes();
        let processes = (0..count).map(|_| None).collect();
        Shared { division, processes, starts: vec![0; count], empty: vec![], waiting: vec![] }
    }

    /// Which start of each process is the present one, or the next.
    pub(super) fn lives(&self) -> Vec<u32> {
        let all = self.processes.iter().zip(&self.starts);
        all.map(|(life, next)| life.as_ref().map_or(*next, |life| life.incarnation)).collect()
    }

    pub(super) fn of(&mut self, seat: usize) -> &mut Option<Life> {
        &mut self.processes[self.division.process_of(seat)]
    }

    /// Whether an earlier start of the process with this first seat has yet to end. Until then it
    /// may write to the others, who have a ring for each place only.
    pub(super) fn is_ending(&self, seat: usize) -> bool {
        self.empty.iter().any(|(first, _)| *first == seat)
    }

    pub(super) fn first_of(&self, process: usize) -> usize {
        self.division.seats_of(process).start
    }
}
