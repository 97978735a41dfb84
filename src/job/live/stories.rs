//! Reports failures to viewers: a message when something has happened, and a timeline for each
//! failure.

use super::shared::Live;
use crate::base::Member;
use crate::fault::Incident;
use crate::view::Line;
use std::collections::BTreeMap;
use std::time::Duration;

/// The unfinished failure records that were reported before, and totals.
#[derive(Default)]
pub(super) struct Stories {
    known: BTreeMap<Member, Incident>,
    pub(super) failures: u64,
    /// The latest generation of the world.
    pub(super) generation: u64,
    /// How many replacements have started on another node.
    pub(super) moves: usize,
}

/// The most unfinished records that are followed.
const MOST_OPEN: usize = 64;

impl Stories {
    /// Takes in the progress of all records; those in `over` are complete.
    pub(super) fn go_on(&mut self, live: &Live, over: Vec<Incident>) {
        for incident in over {
            self.take(live, &incident);
            self.known.remove(&incident.member);
        }
        // Without a death there are no records to ask for.
        if live.world.epoch() > 0 || !self.known.is_empty() {
            for incident in live.world.open_incidents(MOST_OPEN) {
                self.take(live, &incident);
            }
        }
    }

    fn take(&mut self, live: &Live, incident: &Incident) {
        let before = self.known.get(&incident.member);
        if before == Some(incident) {
            return;
        }
        let say = |at: Duration, what: String| {
            live.feed.say(format!("{:.3} s: {what}", at.as_secs_f64()));
        };
        let Member { seat, incarnation } = incident.member;
        if before.is_none() {
            self.failures += 1;
            say(incident.died, incident.words.clone());
        }
        if let Some(at) =
            incident.respawned.filter(|_| before.is_none_or(|it| it.respawned.is_none()))
        {
            self.moves += usize::from(incident.relocation.is_some());
            say(at, format!("rank {seat} is alive again"));
        }
        if let Some((at, generation)) = incident.committed {
            self.generation = self.generation.max(generation);
            let millis = at.saturating_sub(incident.died).as_secs_f64() * 1e3;
            let death = format!("the death of rank {seat}, life {incarnation}");
            say(at, format!("generation {generation}: recovered from {death}, in {millis:.3} ms"));
        }
        live.feed.draw(line(incident));
        self.known.insert(incident.member, incident.clone());
    }
}

fn line(incident: &Incident) -> Line {
    let Member { seat, incarnation } = incident.member;
    let steps = [
        ("died", Some(incident.died)),
        ("detected", incident.recorded),
        ("noticed by the first rank", incident.noticed.map(|(first, _)| first)),
        ("noticed by the last rank", incident.noticed.map(|(_, last)| last)),
        ("agreed", incident.agreed),
        ("respawned", incident.respawned),
        ("recovered", incident.committed.map(|(at, _)| at)),
    ];
    let steps = steps.into_iter().filter_map(|(what, at)| Some((what, at?.as_secs_f64() * 1e3)));
    let mut steps: Vec<_> = steps.collect();
    steps.sort_by(|(_, one), (_, other)| one.total_cmp(other));
    Line { title: format!("rank {seat}, life {incarnation}"), steps }
}
