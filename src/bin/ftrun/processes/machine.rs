//! The machine of a job whose ranks are processes, or share them: each rank sits on a node of its
//! own, as in one process.

use ftmpi_launch::Job;
use ftmpi_machine::Model;
use ftmpi_machine::berths::Berths;
use std::iter::Peekable;
use std::time::Duration;

/// The simulated machine of a job.
pub(super) struct Machine {
    pub(super) berths: Berths,
    /// When which node is to fail.
    failures: Peekable<Box<dyn Iterator<Item = (Duration, usize)>>>,
}

impl Machine {
    /// The machine of the job, if it has one; or why it cannot be.
    pub(super) fn of(job: &Job) -> Result<Option<Machine>, String> {
        let Some(file) = &job.machine else { return Ok(None) };
        let model = Model::find(file, |file| std::fs::read_to_string(file))?;
        let berths = Berths::new(&model, job.ranks)?;
        let failures: Box<dyn Iterator<Item = _>> = Box::new(model.faults.strokes(job.time_scale));
        Ok(Some(Machine { berths, failures: failures.peekable() }))
    }

    /// How old the job is when the next node fails.
    pub(super) fn due(&mut self) -> Option<Duration> {
        self.failures.peek().map(|(at, _)| *at)
    }

    /// The next node that has to fail in a job of this age, and when.
    pub(super) fn next_failure(&mut self, age: Duration) -> Option<(Duration, usize)> {
        self.failures.next_if(|(at, _)| *at <= age)
    }

    pub(super) fn node_name_of(&self, seat: usize) -> String {
        self.berths.name_of(self.berths.node_of(seat))
    }
}
