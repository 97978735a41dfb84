//! The timeline of a job whose ranks are processes (`--trace`): `ftrun` begins and ends the file,
//! and writes down the deaths; each process adds what its rank calls, by `ftrun` where the job has
//! several hosts.

use super::lines::say;
use ftmpi_base::Member;
use ftmpi_fault::timeline::{Form, Timeline};
use ftmpi_launch::Job;
use std::fs::File;
use std::io::Write;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

pub(super) struct Trace {
    file: File,
    timeline: Timeline,
    begun: Instant,
    is_complete: bool,
}

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
            File::create(path)?;
            let mut file = File::options().append(true).open(path)?;
            file.write_all(form.head(name).as_bytes())?;
            Ok(file)
        };
        let why = |error: std::io::Error| format!("cannot write --trace {path}: {error}");
        let file = create().map_err(why)?;
        let (begun, since) = (Instant::now(), SystemTime::now().duration_since(UNIX_EPOCH));
        job.traced_since = Some(since.unwrap_or(Duration::ZERO));
        Ok(Some(Trace { file, timeline: Timeline::shared(form), begun, is_complete: true }))
    }

    /// A rank has died of that.
    pub(super) fn dies(&mut self, who: Member, cause: &str) {
        let row = self.timeline.dies(who, &format!("death: {cause}"), self.begun.elapsed());
        self.add(row.as_bytes());
    }

    /// The job is over. False if not all could be written.
    pub(super) fn end(&mut self) -> bool {
        let last = self.timeline.end();
        self.add(last.as_bytes());
        self.is_complete
    }

    /// Adds rows.
    pub(super) fn add(&mut self, rows: &[u8]) {
        if let Err(error) = self.file.write_all(rows) {
            self.is_complete = false;
            say(&format!("ftrun: cannot write to the --trace: {error}"));
        }
    }
}
