//! Ranks that another launcher has started: they come by themselves, or are missed.

use super::connections::Listener;
use super::happening::Happening;
use super::lines::say;
use super::seats::Life;
use super::work::Work;
use crate::hosts::await_agents::Awaited;
use crate::hosts::summon;
use crate::shared::refusal::NOT_RUNNABLE;
use std::sync::mpsc::Sender;
use std::thread;
use std::time::Duration;

/// Where the ranks are.
pub(crate) enum Adopted {
    /// On this host; they come here.
    Here(Listener),
    /// On the hosts of these numbers, whose agents come here.
    There(Vec<usize>, Awaited),
}

/// Lets ranks be missed that have not joined in time.
pub(super) fn expect(events: Sender<Happening>) {
    thread::spawn(move || {
        thread::sleep(Duration::from_secs(summon::join_seconds()));
        // The job may be over.
        let _unheard = events.send(Happening::Due);
    });
}

impl Work {
    /// All ranks should have joined by now. If some have not, the others would wait for ever: the
    /// exit status of the job.
    pub(super) fn miss_ranks(&self) -> Option<u8> {
        let is_missing = |life: &Life| life.incarnation == 0 && life.at.is_none();
        let seats = self.seats.iter().enumerate();
        let missing = seats.filter(|(_, life)| life.as_ref().is_some_and(is_missing));
        let missing: Vec<String> = missing.map(|(seat, _)| seat.to_string()).collect();
        if missing.is_empty() {
            return None;
        }
        let missing = missing.join(", ");
        say(&format!("ftrun: these ranks have not joined the job, which ends: {missing}"));
        Some(NOT_RUNNABLE)
    }
}
