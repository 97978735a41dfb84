//! The timeline of a job whose ranks are processes (`--trace`): `ftrun` begins and ends the file,
//! and writes down the deaths; each process adds what its rank calls, by `ftrun` where the job has
//! several hosts.
//!
//! Agents keep rows until `ftrun` has written them. The one that takes over gets the others, and
//! leaves out those that the file has.

use super::lines::say;
use super::written::{Resumed, Written};
use ftmpi_base::Member;
use ftmpi_fault::report_line::takeover_words;
use ftmpi_fault::timeline::{Form, Timeline};
use ftmpi_fault::{Death, Event};
use ftmpi_launch::Job;
use ftmpi_wireup::takeover::{Entry, JobFile};
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

pub(super) struct Trace {
    file: Option<Written>,
    form: Form,
    timeline: Timeline,
    /// The ranks whose deaths are there.
    dead: HashSet<Member>,
    /// Hashes of the last rows of earlier coordinators.
    known: Option<HashSet<u64>>,
    is_complete: bool,
}

/// Where rows are looked for that may have been written already.
const END: u64 = 32 << 20;

impl Trace {
    /// The timeline that the job asks for, if it does, and tells the processes since when; or why
    /// there can be none.
    pub(super) fn begin(job: &mut Job, name: &str) -> Result<Option<Trace>, String> {
        let Some(path) = &job.trace else { return Ok(None) };
        let Some(form) = Form::of(path) else {
            let words = "--trace and --processes go together if the file is named .json or .csv";
            return Err(words.to_string());
        };
        let create = || {
            let mut file = Written::create(path)?;
            file.add(form.head(name).as_bytes())?;
            Ok(file)
        };
        let why = |error: io::Error| format!("cannot write --trace {path}: {error}");
        let file = create().map_err(why)?;
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        job.traced_since = Some(since.unwrap_or(Duration::ZERO));
        Ok(Some(Trace { file: Some(file), ..Trace::new(form) }))
    }

    fn new(form: Form) -> Trace {
        let (timeline, dead) = (Timeline::shared(form), HashSet::new());
        Trace { file: None, form, timeline, dead, known: None, is_complete: true }
    }

    /// Goes on with a timeline that another coordinator has written, of which these entries tell:
    /// in its file if this host has that, otherwise in one at `beside`.
    pub(super) fn go_on(
        name: &str, (file, beside): (&JobFile, &str), entries: &[Entry],
    ) -> Option<Trace> {
        let form = Form::of(&file.path)?;
        let mut trace = Trace::new(form);
        let mut has_all = false;
        match Written::go_on(file, beside, END, |text| form.whole(text)) {
            Ok(Resumed { file: mut written, end, is_all, is_original }) => {
                has_all = is_all;
                if !is_original {
                    let (path, first) = (written.path(), &file.path);
                    say(&format!(
                        "ftrun: the --trace goes on in {path}; what was before is in {first}, \
                         where ftrun was"
                    ));
                }
                let begun = match end.is_empty() {
                    true => written.add(form.head(name).as_bytes()),
                    false => Ok(()),
                };
                let end = String::from_utf8_lossy(&end);
                trace.known = Some(form.rows(&end).map(hash).collect());
                trace.file = Some(written);
                begun.unwrap_or_else(|error| trace.miss(&error));
            }
            Err(error) => trace.miss(&error),
        }
        let told = entries.iter().filter_map(|entry| match entry {
            Entry::Chronicle { at, event } => Some((event, *at)),
            _ => None,
        });
        let told: Vec<_> = told.filter(|(event, _)| event.is_on_timelines()).collect();
        for (number, (event, at)) in (1..).zip(&told) {
            match event {
                // Only the last one may not be in the file.
                Event::Died(death) if !has_all && number < told.len() => {
                    trace.dead.insert(death.member);
                }
                _ => trace.hear(event, *at),
            }
        }
        Some(trace)
    }

    /// This has happened.
    pub(super) fn hear(&mut self, event: &Event, at: Duration) {
        let row = match event {
            Event::Died(Death { member, cause, .. }) if self.dead.insert(*member) => {
                self.timeline.dies(*member, &format!("death: {cause}"), at)
            }
            Event::TakenOver(host) => self.timeline.notes(&takeover_words(host), at),
            _ => return,
        };
        self.add(row.as_bytes());
    }

    /// Most other hosts are lost, or have another coordinator by now, which then has this file.
    pub(super) fn await_another(&mut self, until: Instant) {
        self.file.iter_mut().for_each(|file| file.await_another(until));
    }

    /// The job is over. False if not all could be written.
    pub(super) fn end(&mut self) -> bool {
        let last = self.timeline.end();
        self.write(last.as_bytes());
        self.is_complete
    }

    /// Adds rows.
    pub(super) fn add(&mut self, rows: &[u8]) {
        let Some(known) = &self.known else { return self.write(rows) };
        let rows = String::from_utf8_lossy(rows);
        let new = self.form.rows(&rows).filter(|row| !known.contains(&hash(row)));
        let new: String = new.map(|row| self.form.joined(row)).collect();
        self.write(new.as_bytes());
    }

    fn write(&mut self, bytes: &[u8]) {
        if let Some(Err(error)) = self.file.as_mut().map(|file| file.add(bytes)) {
            self.miss(&error);
        }
    }

    fn miss(&mut self, error: &io::Error) {
        self.is_complete = false;
        say(&format!("ftrun: cannot write to the --trace: {error}"));
    }
}

fn hash(row: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    row.hash(&mut hasher);
    hasher.finish()
}
