//! Reports failures to viewers: a message when something has happened, and a timeline for each
//! failure.

use super::shared::Live;
use crate::base::Member;
use crate::fault::Tale;
use crate::view::Line;
use std::collections::BTreeMap;
use std::time::Duration;

/// The unfinished failure records that were reported before, and totals.
#[derive(Default)]
pub(super) struct Stories {
    known: BTreeMap<Member, Tale>,
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
    pub(super) fn go_on(&mut self, live: &Live, over: Vec<Tale>) {
        for tale in over {
            self.take(live, &tale);
            self.known.remove(&tale.member);
        }
        // Without a death there are no records to ask for.
        if live.world.epoch() > 0 || !self.known.is_empty() {
            for tale in live.world.open_tales(MOST_OPEN) {
                self.take(live, &tale);
            }
        }
    }

    fn take(&mut self, live: &Live, tale: &Tale) {
        let before = self.known.get(&tale.member);
        if before == Some(tale) {
            return;
        }
        let say = |at: Duration, what: String| {
            live.feed.say(format!("{:.3} s: {what}", at.as_secs_f64()));
        };
        let Member { seat, incarnation } = tale.member;
        if before.is_none() {
            self.failures += 1;
            say(tale.died, tale.words.clone());
        }
        if let Some(at) = tale.respawned.filter(|_| before.is_none_or(|it| it.respawned.is_none()))
        {
            self.moves += usize::from(tale.relocation.is_some());
            say(at, format!("rank {seat} is alive again"));
        }
        if let Some((at, generation)) = tale.committed {
            self.generation = self.generation.max(generation);
            let millis = at.saturating_sub(tale.died).as_secs_f64() * 1e3;
            let death = format!("the death of rank {seat}, life {incarnation}");
            say(at, format!("generation {generation}: recovered from {death}, in {millis:.3} ms"));
        }
        live.feed.draw(line(tale));
        self.known.insert(tale.member, tale.clone());
    }
}

fn line(tale: &Tale) -> Line {
    let Member { seat, incarnation } = tale.member;
    let steps = [
        ("died", Some(tale.died)),
        ("detected", tale.recorded),
        ("noticed by the first rank", tale.noticed.map(|(first, _)| first)),
        ("noticed by the last rank", tale.noticed.map(|(_, last)| last)),
        ("agreed", tale.agreed),
        ("respawned", tale.respawned),
        ("recovered", tale.committed.map(|(at, _)| at)),
    ];
    let steps = steps.into_iter().filter_map(|(what, at)| Some((what, at?.as_secs_f64() * 1e3)));
    let mut steps: Vec<_> = steps.collect();
    steps.sort_by(|(_, one), (_, other)| one.total_cmp(other));
    Line { title: format!("rank {seat}, life {incarnation}"), steps }
}
