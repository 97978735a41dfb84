//! `ftrun explore`: finds the failure that a program does not survive. The search is in
//! `src/explore`, which knows no processes; here runs are made, and their findings told.

mod crew;
mod help;
mod job;
mod log;
mod options;
mod progress;
mod replay;
mod runner;
mod search;
mod source;
mod state;

use crate::shared;
use crate::shared::refusal::Refusal;
use ftmpi_explore::{Schedule, Seen, junit, lcov, page, table};
use job::{FOUND, broken, prepared, seed};
use options::{Asks, Wanted};
use runner::Runner;
use search::Search;
use state::State;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// The first word of a command line that explores.
pub(crate) const NAME: &str = "explore";

/// The run without failures fails.
const NOTHING_TO_EXPLORE: u8 = 3;

/// Reads the words after `ftrun explore`, and does what they ask for.
pub(crate) fn main(called: &str, words: Vec<OsString>) -> ExitCode {
    let done = match options::read(called, words.clone()) {
        Ok(Asks::Help) => return shared::print(called, &options::page(called)),
        Ok(Asks::Show(directory)) => show(&directory),
        Ok(Asks::Replay(replay)) => replay::again(called, &replay),
        Ok(Asks::Explore(wanted)) => explore(called, *wanted, &words),
        Err(refusal) => Err(refusal),
    };
    match done {
        Ok(status) => ExitCode::from(status),
        Err(refusal) => refusal.say(&format!("{called} {NAME}")),
    }
}

fn explore(called: &str, mut wanted: Wanted, words: &[OsString]) -> Result<u8, Refusal> {
    let prepared = prepared(called, &mut wanted)?;
    let (ranks, seed) = (prepared.request.job.ranks, seed(&prepared));
    let state = match wanted.settings.is_resumed {
        true => State::resume(&wanted.settings.state, words)?,
        false => State::create(&wanted.settings.state, words)?,
    };
    let runner = Runner::new(prepared, wanted.settings.clone(), &state.work()).map_err(broken)?;
    let begun = Instant::now();
    let plain = Schedule::plain(ranks, seed);
    let reference = runner.run(0, &plain).map_err(broken)?;
    if runner.refer_to(&reference).is_none() {
        state.tidy();
        return Ok(nothing_to_explore(&reference));
    }
    runner.limit_by(&reference, begun.elapsed());
    let mut search = Search::new(&wanted, &runner, &state, &reference, seed).map_err(broken)?;
    if !wanted.settings.is_quiet {
        let (calls, rules) = (reference.trace.calls.len(), &reference.trace.rules);
        eprintln!(
            "{called} {NAME}: {ranks} ranks make {calls} calls in {:.0} ms; {}",
            search::seconds(begun) * 1e3,
            match search.plan().survives() {
                true => format!("{} single failures to try", search.plan().singles()),
                false => format!("failures end this job (rules `{rules}`): only orders are tried"),
            }
        );
    }
    search.explore(seed).map_err(broken)?;
    search.save().map_err(broken)?;
    finish(&wanted, &state, &mut search).map_err(broken)?;
    state.tidy();
    Ok(if state.count() == 0 { 0 } else { FOUND })
}

/// Tells why there is nothing to explore.
fn nothing_to_explore(reference: &Seen) -> u8 {
    let status = match (reference.status, &reference.complaint) {
        (_, Some(complaint)) => format!("has {complaint}"),
        (Some(status), None) => format!("ends with status {status}"),
        (None, None) => "does not end".to_string(),
    };
    print!("{}", reference.stdout);
    eprint!("{}", reference.stderr);
    eprintln!("ftrun explore: the run without failures {status}: there is nothing to explore");
    NOTHING_TO_EXPLORE
}

/// The end of an exploration: coverage, reports, and a summary.
fn finish(wanted: &Wanted, state: &State, search: &mut Search<'_>) -> io::Result<()> {
    source::find(&mut search.lines, search.coverage.frames());
    let sites = search.coverage.by_line(&search.lines);
    let program = wanted.program.first().map_or("", String::as_str);
    let read = |file: &str| std::fs::read_to_string(file).ok();
    let (table, info) = (table(&sites), lcov(&sites));
    let html = page(&format!("ftrun explore {program}"), &sites, read);
    state.write("coverage.txt", &table)?;
    state.write("coverage.info", &info)?;
    state.write("coverage.html", &html)?;
    let settings = &wanted.settings;
    let write = |file: &Option<PathBuf>, text: &str| {
        file.as_ref().map_or(Ok(()), |file| std::fs::write(file, text))
    };
    write(&settings.lcov, &info)?;
    write(&settings.html, &html)?;
    let took = search.age().as_secs_f64();
    let found = search
        .told
        .iter()
        .filter_map(|(number, story)| Some((search.findings.get(*number)?, story.as_str())));
    write(&settings.junit, &junit(program, search.runs, took, found))?;
    if settings.is_quiet {
        return Ok(());
    }
    let count = search.told.len();
    let summary = format!(
        "{} runs in {took:.1} s ({:.0} a second): {}\n{}; {} of {} calls were met by a failure \
         (see {})\n",
        search.runs,
        search.runs as f64 / took.max(0.001),
        search.tried(),
        match count {
            0 => "nothing was found".to_string(),
            1 => "1 finding".to_string(),
            count => format!("{count} findings"),
        },
        sites.values().filter(|counts| counts.kills() > 0).count(),
        sites.len(),
        state.directory.join("coverage.html").display()
    );
    print!("{summary}");
    state.write("summary", &summary)
}

/// `--show DIR`: the findings and the coverage.
fn show(directory: &Path) -> Result<u8, Refusal> {
    let state = State::open(directory)?;
    let stories = state.stories().map_err(broken)?;
    stories.iter().for_each(|story| print!("{story}"));
    for file in ["coverage.txt", "summary"] {
        // An exploration that is still going on has none yet.
        print!("{}", state.read(file).unwrap_or_default());
    }
    Ok(if stories.is_empty() { 0 } else { FOUND })
}
