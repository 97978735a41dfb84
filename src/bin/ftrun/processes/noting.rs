//! The events of the report and the timeline. Where the job has several hosts, their agents are
//! told first, so that each of them can go on with both.

use super::judgement::{cause, obituary};
use super::report::Report;
use super::seats::Life;
use super::trace::Trace;
use super::work::Work;
use ftmpi_base::Member;
use ftmpi_fault::{Death, Event};
use ftmpi_launch::Rules;
use ftmpi_wireup::takeover::Entry;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

impl Work {
    /// This has happened.
    pub(super) fn note(&mut self, event: Event) {
        let at = self.begun.elapsed();
        let news = match &mut self.report {
            Some(report) => report.sift(event, at),
            None if self.trace.is_some() && event.is_on_timelines() => vec![(at, event)],
            None => return,
        };
        for (at, event) in news {
            if let Some(cluster) = self.starter.cluster() {
                cluster.tell_all(&Entry::Chronicle { at, event: event.clone() });
            }
            if let Some(trace) = &mut self.trace {
                trace.hear(&event, at);
            }
            if let Some(report) = &mut self.report {
                report.hear(&event, at);
            }
        }
    }

    /// A rank has died, on this node of a simulated machine.
    pub(super) fn note_death(
        &mut self, (member, node): (Member, Option<usize>), life: &Life, status: ExitStatus,
        rules: Rules,
    ) {
        let death = Death {
            member,
            node,
            at: life.died.map_or(self.begun.elapsed(), |died| died - self.begun),
            cause: cause(status),
            words: obituary(member.seat, life, status),
            order: life.order.clone(),
            rules: rules.encode(),
        };
        self.note(Event::Died(death));
    }

    /// Rows for the timeline.
    pub(super) fn add_rows(&mut self, rows: &[u8]) {
        if let Some(trace) = &mut self.trace {
            trace.add(rows);
        }
    }

    /// Ends the report; false if not all could be written.
    pub(super) fn end_report(&mut self) -> bool {
        self.report.as_mut().is_none_or(Report::end)
    }

    /// Ends the timeline; false if not all could be written.
    pub(super) fn end_trace(&mut self) -> bool {
        self.trace.as_mut().is_none_or(Trace::end)
    }

    /// Most other hosts are lost, or have lost this one: then another coordinator may go on with
    /// the job, and with its files.
    pub(super) fn await_successor(&mut self) {
        const PATIENCE: Duration = Duration::from_secs(2);
        let until = Instant::now() + PATIENCE;
        self.report.iter_mut().for_each(|report| report.await_another(until));
        self.trace.iter_mut().for_each(|trace| trace.await_another(until));
    }
}
