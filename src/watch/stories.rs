//! Reports failures to viewers: a message when something has happened, and a timeline for each
//! failure.

use ftmpi_base::Member;
use ftmpi_fault::Incident;
use ftmpi_view::{Feed, Line};
use std::collections::BTreeMap;
use std::time::Duration;

/// The unfinished failure records that were reported before, and totals.
#[derive(Default)]
pub struct Stories {
    known: BTreeMap<Member, Incident>,
    pub failures: u64,
    /// The latest generation of the world.
    pub generation: u64,
    /// How many replacements have started on another node.
    pub moves: usize,
}

/// The most unfinished records that are followed.
const MOST_OPEN: usize = 64;

impl Stories {
    /// Takes in the progress of all records; those in `over` are complete. `open`: the latest of
    /// the others, of which there may be some where ranks have died.
    pub fn go_on(
        &mut self, feed: &Feed, over: Vec<Incident>, has_deaths: bool,
        open: impl FnOnce(usize) -> Vec<Incident>,
    ) {
        for incident in over {
            self.take(feed, &incident);
            self.known.remove(&incident.member);
        }
        if has_deaths || !self.known.is_empty() {
            for incident in open(MOST_OPEN) {
                self.take(feed, &incident);
            }
        }
    }

    fn take(&mut self, feed: &Feed, incident: &Incident) {
        let before = self.known.get(&incident.member);
        if before == Some(incident) {
            return;
        }
        let say = |at: Duration, what: String| {
            feed.say(format!("{:.3} s: {what}", at.as_secs_f64()));
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
        feed.draw(line(incident));
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
