//! What is told of failures where ranks are processes, to who watches and by `--report`: `ftrun`
//! sees them end and start, and they tell it what they notice. The lines are those of one process
//! (`ftmpi_fault::report_line`).

use super::judgement::{cause, obituary};
use super::lines::say;
use super::seats::Life;
use ftmpi_base::Member;
use ftmpi_fault::report_line::{line, lost_spare as line_of_spare};
use ftmpi_fault::{Chronicle, Cure, Fact, Incident};
use ftmpi_launch::{Job, Rules};
use ftmpi_machine::berths::Relocation;
use std::fs::File;
use std::io::Write;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

pub(super) struct Report {
    file: Option<File>,
    chronicle: Chronicle,
    /// Finished records that have not been shown, if somebody looks at the job.
    over: Option<Vec<Incident>>,
    /// When the job began: all times count from there.
    started: Instant,
    is_complete: bool,
}

impl Report {
    /// The report that the job asks for, if it does; or why it cannot be written.
    pub(super) fn open(job: &Job) -> Result<Option<Report>, String> {
        if job.report.is_none() && !job.is_seen() {
            return Ok(None);
        }
        let create = |path: &String| {
            let why = |error: std::io::Error| format!("cannot write --report {path}: {error}");
            File::create(path).map_err(why)
        };
        let file = job.report.as_ref().map(create).transpose()?;
        let (chronicle, started) = (Chronicle::default(), Instant::now());
        let over = job.is_seen().then(Vec::new);
        Ok(Some(Report { file, chronicle, over, started, is_complete: true }))
    }

    /// How old the job is.
    pub(super) fn age(&self) -> Duration {
        self.started.elapsed()
    }

    /// The records that are finished, each once.
    pub(super) fn take_over(&mut self) -> Vec<Incident> {
        self.over.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// The latest of the others.
    pub(super) fn latest(&self, most: usize) -> Vec<Incident> {
        self.chronicle.open(most).to_vec()
    }

    /// Opens the record of a failure, of a rank on this node of a simulated machine.
    pub(super) fn begin(
        &mut self, (member, node): (Member, Option<usize>), life: &Life, status: ExitStatus,
        rules: Rules, job: &Job,
    ) {
        let (cure, mode) = Cure::of(rules, job.on_failure);
        let division = job.processes.map(|_| job.division());
        let died = life.died.map_or(self.age(), |died| died - self.started);
        self.chronicle.begin(Incident {
            cause: cause(status),
            words: obituary(member.seat, life, status),
            order: life.order.clone(),
            node,
            process: division.map(|division| division.process_of(member.seat)),
            ..Incident::new(member, died, cure, mode)
        });
    }

    pub(super) fn recorded(&mut self, member: Member) {
        self.chronicle.recorded(member, self.age());
    }

    pub(super) fn agreed(&mut self, members: &[Member]) {
        self.chronicle.agreed(members, self.age());
    }

    pub(super) fn respawned(&mut self, member: Member, relocation: Option<&Relocation>) {
        self.chronicle.respawned(member, relocation, self.age());
    }

    /// A node without a rank has failed when the job was this old.
    pub(super) fn lost_spare(&mut self, node: usize, at: Duration) {
        self.write_line(&line_of_spare(node, at));
    }

    pub(super) fn learn(&mut self, fact: &Fact) {
        self.chronicle.learn(fact, self.age());
        self.write();
    }

    /// The job is over: what is still open is written down. False if not all could be written.
    pub(super) fn end(&mut self) -> bool {
        self.chronicle.end();
        self.write();
        self.is_complete
    }

    fn write(&mut self) {
        for incident in self.chronicle.tell() {
            self.write_line(&line(&incident));
            if let Some(over) = &mut self.over {
                over.push(incident);
            }
        }
    }

    fn write_line(&mut self, line: &str) {
        let words = format!("{line}\n");
        let written = self.file.as_mut().map(|file| file.write_all(words.as_bytes()));
        if let Some(Err(error)) = written {
            self.is_complete = false;
            say(&format!("ftrun: cannot write to the --report: {error}"));
        }
    }
}
