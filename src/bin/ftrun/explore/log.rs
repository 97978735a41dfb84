//! `--json FILE`: a line of JSON for each run and each finding.

use ftmpi_base::json::quoted;
use ftmpi_explore::{Failure, Finding, Schedule, Seen, Why};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::Duration;

pub(super) struct Log(Option<BufWriter<File>>);

impl Log {
    pub(super) fn open(path: Option<&Path>) -> io::Result<Log> {
        Ok(Log(path.map(File::create).transpose()?.map(BufWriter::new)))
    }

    pub(super) fn run(
        &mut self, schedule: &Schedule, why: Why, seen: &Seen, failure: Option<&Failure>,
        took: Duration,
    ) -> io::Result<()> {
        let Some(file) = &mut self.0 else { return Ok(()) };
        let kills: Vec<String> =
            schedule.kills.iter().map(|kill| quoted(&kill.to_string())).collect();
        let status = seen.status.map_or("null".to_string(), |status| status.to_string());
        let (kind, words) = match failure {
            Some(failure) => (quoted(&failure.kind.to_string()), quoted(&failure.words)),
            None => ("null".to_string(), "null".to_string()),
        };
        writeln!(
            file,
            "{{\"run\":{},\"why\":{},\"ranks\":{},\"seed\":{},\"kills\":[{}],\"deaths\":{},\
             \"recoveries\":{},\"status\":{status},\"ms\":{:.3},\"failure\":{kind},\
             \"words\":{words}}}",
            quoted(&schedule.to_string()),
            quoted(&format!("{why:?}").to_lowercase()),
            schedule.ranks,
            schedule.seed,
            kills.join(","),
            seen.trace.deaths.len(),
            seen.trace.recoveries,
            took.as_secs_f64() * 1e3,
        )
    }

    pub(super) fn finding(
        &mut self, number: usize, finding: &Finding, story: &str,
    ) -> io::Result<()> {
        let Some(file) = &mut self.0 else { return Ok(()) };
        writeln!(
            file,
            "{{\"finding\":{number},\"kind\":{},\"words\":{},\"schedule\":{},\"story\":{}}}",
            quoted(&finding.failure.kind.to_string()),
            quoted(&finding.failure.words),
            quoted(&finding.schedule.to_string()),
            quoted(story)
        )?;
        file.flush()
    }
}
