//! The exploration from the first run to the last: gives runs to the crew, learns from them, and
//! tells what was found.

use crate::explore::crew::{Crew, Done, Task};
use crate::explore::log::Log;
use crate::explore::options::Wanted;
use crate::explore::progress::{Progress, Standing};
use crate::explore::runner::Runner;
use crate::explore::source;
use crate::explore::state::State;
use ftmpi_explore::{
    Coverage, Failure, Finding, Findings, Lines, Plan, Schedule, Seen, Why, story,
};
use std::collections::BTreeMap;
use std::io;
use std::time::{Duration, Instant};

/// When a program fails in this many ways, more runs tell little.
const MOST_CAUSES: usize = 20;

/// An exploration that is interrupted loses what came after the last save.
const BETWEEN_SAVES: Duration = Duration::from_secs(10);

pub(super) struct Search<'a> {
    wanted: &'a Wanted,
    runner: &'a Runner,
    state: &'a State,
    plan: Plan,
    pub(super) findings: Findings,
    /// The stories of the findings that are told, in that order.
    pub(super) told: Vec<(usize, String)>,
    pub(super) coverage: Coverage,
    pub(super) lines: Lines,
    progress: Progress,
    log: Log,
    pub(super) runs: usize,
    tried: BTreeMap<Why, usize>,
    under_way: usize,
    /// The runs that are under way.
    given: Vec<Schedule>,
    saved: Instant,
    has_orders_of_failures: bool,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        wanted: &'a Wanted, runner: &'a Runner, state: &'a State, reference: &Seen, seed: u64,
    ) -> io::Result<Search<'a>> {
        let settings = &wanted.settings;
        let (mut coverage, mut findings) = (Coverage::default(), Findings::default());
        coverage.take(&reference.trace);
        let trace = reference.trace.clone();
        let plan = match settings.is_resumed {
            true => {
                coverage.restore(&state.read("counts")?);
                state.read("keys")?.lines().for_each(|key| findings.know(key));
                Plan::restore(trace, seed, settings.limits, &state.read("plan")?)
            }
            false => Plan::new(trace, seed, settings.limits),
        };
        Ok(Search {
            plan,
            wanted,
            runner,
            state,
            findings,
            told: Vec::new(),
            coverage,
            lines: Lines::new(),
            progress: Progress::new(settings.is_quiet),
            log: Log::open(settings.json.as_deref())?,
            runs: 1,
            tried: BTreeMap::new(),
            under_way: 0,
            given: Vec::new(),
            saved: Instant::now(),
            has_orders_of_failures: false,
        })
    }

    /// Keeps what is needed to go on later.
    pub(super) fn save(&mut self) -> io::Result<()> {
        self.saved = Instant::now();
        self.state.write("plan", &self.plan.save(self.given.iter()))?;
        self.state.write("counts", &self.coverage.save())?;
        let keys: Vec<&str> = self.findings.keys().collect();
        self.state.write("keys", &keys.join("\n"))
    }

    pub(super) fn plan(&self) -> &Plan {
        &self.plan
    }

    pub(super) fn age(&self) -> Duration {
        self.progress.age()
    }

    /// Explores until nothing is left, or the limits are reached.
    pub(super) fn explore(&mut self, seed: u64) -> io::Result<()> {
        let jobs = self.wanted.settings.jobs;
        let runner = self.runner;
        std::thread::scope(|scope| {
            let crew = Crew::begin(scope, runner, jobs, seed);
            let explored = self.keep_busy(&crew, jobs);
            crew.end();
            explored
        })?;
        self.progress.clear();
        Ok(())
    }

    fn keep_busy(&mut self, crew: &Crew<'_>, jobs: usize) -> io::Result<()> {
        loop {
            // One more than there are workers: none of them waits for this thread.
            while self.under_way < jobs * 2 && !self.is_over() {
                let Some((schedule, why)) = self.next() else { break };
                self.under_way += 1;
                self.given.push(schedule.clone());
                crew.give(Task::Run(schedule, why));
            }
            if self.under_way == 0 {
                return Ok(());
            }
            let Ok(done) = crew.done.recv_timeout(Duration::from_millis(200)) else {
                self.tell();
                continue;
            };
            self.under_way -= 1;
            match done {
                Done::Failed(error) => return Err(error),
                Done::Ran { schedule, why, seen, failure, took } => {
                    self.given.retain(|given| *given != schedule);
                    self.log.run(&schedule, why, &seen, failure.as_ref(), took)?;
                    self.take(crew, (schedule, why), &seen, failure);
                }
                Done::Shrunk { number, schedule, seen, failure, runs } => {
                    self.runs += runs;
                    self.settle(number, schedule, &seen, failure)?;
                }
            }
            self.tell();
            if self.saved.elapsed() > BETWEEN_SAVES {
                self.save()?;
            }
        }
    }

    fn next(&mut self) -> Option<(Schedule, Why)> {
        if self.plan.left() == 0 && !self.has_orders_of_failures && self.plan.survives() {
            const ORDERS_EACH: u64 = 3;
            const FAILURES: usize = 60;
            self.has_orders_of_failures = true;
            if self.wanted.settings.limits.orders > 0 {
                self.plan.add_orders_of_failures(ORDERS_EACH, FAILURES);
            }
        }
        self.plan.draw()
    }

    fn is_over(&self) -> bool {
        let settings = &self.wanted.settings;
        settings.time().is_some_and(|time| self.age() >= time)
            || settings.runs.is_some_and(|runs| self.runs + self.under_way >= runs)
            || self.findings.causes().count() >= MOST_CAUSES
    }

    fn take(
        &mut self, crew: &Crew<'_>, (schedule, why): (Schedule, Why), seen: &Seen,
        failure: Option<Failure>,
    ) {
        self.runs += 1;
        // What has no failure is counted among the orders.
        if !schedule.kills.is_empty() {
            *self.tried.entry(why).or_default() += 1;
        }
        self.coverage.take(&seen.trace);
        self.plan.learn(&schedule, &seen.trace, failure.is_some());
        let Some(failure) = failure else { return };
        let key = failure.key.clone();
        if let Some(number) = self.findings.add(failure, schedule.clone()) {
            self.under_way += 1;
            crew.give(Task::Shrink(number, schedule, key));
        }
    }

    /// A finding is as small as it gets: told, unless its cause is known.
    fn settle(
        &mut self, number: usize, schedule: Schedule, seen: &Seen, failure: Failure,
    ) -> io::Result<()> {
        if !self.findings.settle(number, schedule.clone(), &seen.trace) {
            return Ok(());
        }
        let frames = seen.trace.places.iter().flat_map(|place| &place.0);
        source::find(&mut self.lines, frames);
        let Some(finding) = self.findings.get(number).cloned() else { return Ok(()) };
        let shown = self.state.count() + 1;
        let told =
            self.words(&finding, shown, &story(&failure, &schedule, &seen.trace, &self.lines));
        self.progress.clear();
        print!("{told}");
        self.state.keep(&finding, shown, (seen, &failure), &told)?;
        self.log.finding(shown, &finding, &told)?;
        self.told.push((number, told));
        Ok(())
    }

    /// A finding with its story and the commands that repeat it.
    fn words(&self, finding: &Finding, shown: usize, story: &str) -> String {
        let Finding { failure, schedule, .. } = finding;
        let deaths = match schedule.kills.len() {
            0 => "no failure, but the order of messages".to_string(),
            1 => "one failure".to_string(),
            count => format!("{count} failures"),
        };
        let state = self.state.directory.display();
        format!(
            "finding {shown}: {}\n  takes {deaths}, {} ranks\n{story}  repeat it with\n      \
             {}\n  or  ftrun explore --replay {}\n\n",
            failure.kind,
            schedule.ranks,
            self.command(schedule),
            quoted(&format!("{state}/{shown}"))
        )
    }

    /// The command that repeats a run.
    fn command(&self, schedule: &Schedule) -> String {
        let mut words = vec!["ftrun".to_string()];
        words.extend(schedule.to_string().split(' ').map(str::to_string));
        // A traced run takes no short cuts: so that each counts the same steps.
        words.extend(["--trace".to_string(), "/dev/null".to_string()]);
        words.extend(self.wanted.launcher.iter().cloned());
        words.extend(self.wanted.program.iter().cloned());
        words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
    }

    fn tell(&mut self) {
        let now = Standing {
            runs: self.runs,
            left: self.plan.left(),
            findings: self.findings.causes().count(),
            orders: self.plan.orders().distinct(),
        };
        self.progress.tell(now);
    }

    /// How many runs there were of each sort.
    pub(super) fn tried(&self) -> String {
        let count = |whys: &[Why]| whys.iter().filter_map(|why| self.tried.get(why)).sum::<usize>();
        let singles = count(&[Why::Single, Why::New]);
        let meeting = count(&[Why::Meeting]);
        let several = count(&[Why::Several]);
        let orders = self.plan.orders().runs();
        let mixed = count(&[Why::MatchOfFailure, Why::OrderOfFailure, Why::Random]);
        let mut parts = vec![format!("{singles} single failures")];
        if meeting + several > 0 {
            parts.push(format!("{} of several ({meeting} meet in a recovery)", meeting + several));
        }
        parts.push(format!("{orders} orders ({} differ)", self.plan.orders().distinct()));
        if mixed > 0 {
            parts.push(format!("{mixed} failures in other orders"));
        }
        parts.join(", ")
    }
}

/// A word for a shell.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@=+,%".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_string(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// How long something took, in seconds.
pub(super) fn seconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64()
}
