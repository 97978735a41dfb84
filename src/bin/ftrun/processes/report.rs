//! `--report` where ranks are processes: `ftrun` sees them end and start, and they tell it what
//! they notice. The lines are those of one process (`ftmpi_fault::report_line`).

use super::judgement::{cause, obituary};
use super::lines::say;
use super::seats::Life;
use ftmpi_base::Member;
use ftmpi_fault::report_line::line;
use ftmpi_fault::{Chronicle, Cure, Fact, Incident};
use ftmpi_launch::{Job, Rules};
use std::fs::File;
use std::io::Write;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

pub(super) struct Report {
    file: File,
    chronicle: Chronicle,
    /// When the job began: all times count from there.
    started: Instant,
    is_complete: bool,
}

impl Report {
    /// The report that the job asks for, if it does; or why it cannot be written.
    pub(super) fn open(job: &Job) -> Result<Option<Report>, String> {
        let Some(path) = &job.report else { return Ok(None) };
        let file = File::create(path);
        let file = file.map_err(|error| format!("cannot write --report {path}: {error}"))?;
        let (chronicle, started) = (Chronicle::default(), Instant::now());
        Ok(Some(Report { file, chronicle, started, is_complete: true }))
    }

    /// Opens the record of a failure.
    pub(super) fn begin(
        &mut self, member: Member, life: &Life, status: ExitStatus, rules: Rules, job: &Job,
    ) {
        let (cure, mode) = Cure::of(rules, job.on_failure);
        let died = life.died.map_or(self.now(), |died| died - self.started);
        self.chronicle.begin(Incident {
            cause: cause(status),
            words: obituary(member.seat, life, status),
            order: life.order.clone(),
            ..Incident::new(member, died, cure, mode)
        });
    }

    pub(super) fn recorded(&mut self, member: Member) {
        self.chronicle.recorded(member, self.now());
    }

    pub(super) fn agreed(&mut self, members: &[Member]) {
        self.chronicle.agreed(members, self.now());
    }

    pub(super) fn respawned(&mut self, member: Member) {
        self.chronicle.respawned(member, None, self.now());
    }

    pub(super) fn learn(&mut self, fact: &Fact) {
        self.chronicle.learn(fact, self.now());
        self.write();
    }

    /// The job is over: what is still open is written down. False if not all could be written.
    pub(super) fn end(&mut self) -> bool {
        self.chronicle.end();
        self.write();
        self.is_complete
    }

    fn now(&self) -> Duration {
        self.started.elapsed()
    }

    fn write(&mut self) {
        for incident in self.chronicle.tell() {
            let written = self.file.write_all(format!("{}\n", line(&incident)).as_bytes());
            if let Err(error) = written {
                self.is_complete = false;
                say(&format!("ftrun: cannot write to the --report: {error}"));
            }
        }
    }
}
