//! What is told of failures where ranks are processes, to who watches and by `--report`: `ftrun`
//! sees them end and start, and they tell it what they notice. The lines are those of one process
//! (`ftmpi_fault::report_line`).
//!
//! Agents of other hosts are told all that a report is made of before its lines are written. So the
//! one that takes over knows all lines, and adds those that the file lacks.

use super::lines::say;
use super::written::{Resumed, Written};
use ftmpi_fault::report_line::{line, lost_spare, subject, takeover_line};
use ftmpi_fault::{Chronicle, Cure, Death, Event, Fact, Incident};
use ftmpi_launch::{Job, Rules};
use ftmpi_wireup::takeover::{Entry, JobFile};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

pub(super) struct Report {
    job: Job,
    file: Option<Written>,
    chronicle: Chronicle,
    /// Further notices of deaths, which agents are told with the next event.
    late: Vec<(Duration, Fact)>,
    /// Finished records that have not been shown, if somebody looks at the job.
    over: Option<Vec<Incident>>,
    /// The failures about which earlier coordinators have written lines to this file.
    subjects: BTreeSet<String>,
    /// When the job began: all times count from there.
    begun: Instant,
    is_complete: bool,
}

impl Report {
    /// The report that the job asks for, if it does; or why it cannot be written.
    pub(super) fn open(job: &Job, begun: Instant) -> Result<Option<Report>, String> {
        if job.report.is_none() && !job.is_seen() {
            return Ok(None);
        }
        let create = |path: &String| {
            let why = |error: std::io::Error| format!("cannot write --report {path}: {error}");
            Written::create(path).map_err(why)
        };
        let file = job.report.as_ref().map(create).transpose()?;
        Ok(Some(Report { file, ..Report::new(job, begun) }))
    }

    fn new(job: &Job, begun: Instant) -> Report {
        Report {
            job: job.clone(),
            file: None,
            chronicle: Chronicle::default(),
            late: Vec::new(),
            over: job.is_seen().then(Vec::new),
            subjects: BTreeSet::new(),
            begun,
            is_complete: true,
        }
    }

    /// Goes on with a report that another coordinator has written, of which these entries tell: in
    /// its file if this host has that, otherwise in one at `beside`, which gets all lines.
    pub(super) fn go_on(
        job: &Job, begun: Instant, (file, beside): (&JobFile, &str), entries: &[Entry],
    ) -> Report {
        let mut report = Report::new(job, begun);
        let told = entries.iter().filter_map(|entry| match entry {
            Entry::Chronicle { at, event } => Some((event, *at)),
            _ => None,
        });
        let known: Vec<String> = told.flat_map(|(event, at)| report.tell(event, at)).collect();
        let whole = |text: &[u8]| text.iter().rposition(|it| *it == b'\n').map_or(0, |at| at + 1);
        match Written::go_on(file, beside, u64::MAX, whole) {
            Ok(Resumed { file, end, is_original, .. }) => {
                let text = String::from_utf8_lossy(&end);
                if is_original {
                    report.subjects = text.lines().map(|line| subject(line).to_string()).collect();
                } else {
                    say(&format!("ftrun: the --report goes on in {}", file.path()));
                }
                report.file = Some(file);
                // In the other file, there may be lines of an earlier job.
                let is_new = |line: &&String| is_original || text.lines().all(|it| it != *line);
                known.iter().filter(is_new).for_each(|line| report.write(line));
            }
            Err(error) => report.miss(&error),
        }
        report
    }

    /// How old the job is.
    pub(super) fn age(&self) -> Duration {
        self.begun.elapsed()
    }

    /// The records that are finished, each once.
    pub(super) fn take_over(&mut self) -> Vec<Incident> {
        self.over.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// The latest of the others.
    pub(super) fn latest(&self, most: usize) -> Vec<Incident> {
        self.chronicle.open(most).to_vec()
    }

    /// The events that agents are to be told now that this one happens: none yet if it says only
    /// that one more rank has noticed a death.
    pub(super) fn sift(&mut self, event: Event, at: Duration) -> Vec<(Duration, Event)> {
        if let Event::Learnt(fact) = &event
            && !self.chronicle.is_news(fact)
        {
            self.chronicle.learn(fact, at);
            if matches!(fact, Fact::Noticed(_)) {
                self.late.retain(|(_, known)| known != fact);
                self.late.push((at, fact.clone()));
            }
            return Vec::new();
        }
        let late = self.late.drain(..).map(|(at, fact)| (at, Event::Learnt(fact)));
        late.chain([(at, event)]).collect()
    }

    /// This has happened.
    pub(super) fn hear(&mut self, event: &Event, at: Duration) {
        let lines = self.tell(event, at);
        lines.iter().for_each(|line| self.write(line));
    }

    /// The lines that follow when this happens.
    fn tell(&mut self, event: &Event, at: Duration) -> Vec<String> {
        match event {
            Event::Died(death) => self.begin(death),
            Event::Recorded(member) => self.chronicle.recorded(*member, at),
            Event::Agreed(members) => self.chronicle.agreed(members, at),
            Event::Respawned(member, relocation) => {
                self.chronicle.respawned(*member, relocation.as_ref(), at);
            }
            Event::Learnt(fact) => self.chronicle.learn(fact, at),
            Event::LostSpare(node) => return vec![lost_spare(*node, at)],
            Event::TakenOver(host) => return vec![takeover_line(host, at)],
        }
        self.finished()
    }

    /// Opens the record of a failure.
    fn begin(&mut self, death: &Death) {
        let Death { member, node, at, cause, words, order, rules } = death.clone();
        let rules = Rules::decode(&rules).unwrap_or(Rules::End);
        let (cure, mode) = Cure::of(rules, self.job.on_failure);
        let division = self.job.processes.map(|_| self.job.division());
        let process = division.map(|division| division.process_of(member.seat));
        let incident = Incident::new(member, at, cure, mode);
        self.chronicle.begin(Incident { cause, words, order, node, process, ..incident });
    }

    /// The lines about the records that have been finished.
    fn finished(&mut self) -> Vec<String> {
        let over = self.chronicle.tell();
        let lines = over.iter().map(line).collect();
        if let Some(shown) = &mut self.over {
            shown.extend(over);
        }
        lines
    }

    /// Most other hosts are lost, or have another coordinator by now, which then has this file.
    pub(super) fn await_another(&mut self, until: Instant) {
        self.file.iter_mut().for_each(|file| file.await_another(until));
    }

    /// The job is over: what is still open is written down. False if not all could be written.
    pub(super) fn end(&mut self) -> bool {
        self.chronicle.end();
        self.finished().iter().for_each(|line| self.write(line));
        self.is_complete
    }

    fn write(&mut self, line: &str) {
        if self.subjects.contains(subject(line)) {
            return;
        }
        let words = format!("{line}\n");
        if let Some(Err(error)) = self.file.as_mut().map(|file| file.add(words.as_bytes())) {
            self.miss(&error);
        }
    }

    fn miss(&mut self, error: &std::io::Error) {
        self.is_complete = false;
        say(&format!("ftrun: cannot write to the --report: {error}"));
    }
}
