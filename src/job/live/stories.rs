//! What people read of failures: words when something has happened, and a line in time for each
//! story.

use super::shared::Live;
use crate::base::Member;
use crate::fault::Tale;
use crate::view::Line;
use std::collections::BTreeMap;
use std::time::Duration;

/// The stories that were told before and are not over, and what there was in all.
#[derive(Default)]
pub(super) struct Stories {
    known: BTreeMap<Member, Tale>,
    pub(super) failures: u64,
    /// The latest generation of the world.
    pub(super) generation: u64,
    /// How often somebody has begun to live elsewhere.
    pub(super) moves: usize,
}

/// More that are not over are not looked at.
const MOST_OPEN: usize = 64;

impl Stories {
    /// Takes in how far all of them are; these are over.
    pub(super) fn go_on(&mut self, live: &Live, over: Vec<Tale>) {
        for tale in over {
            self.take(live, &tale);
            self.known.remove(&tale.member);
        }
        // Nobody has died: nobody has a story.
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
            say(at, format!("rank {seat} lives again"));
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
        ("noticed by the first", tale.noticed.map(|(first, _)| first)),
        ("noticed by the last", tale.noticed.map(|(_, last)| last)),
        ("agreed", tale.agreed),
        ("respawned", tale.respawned),
        ("recovered", tale.committed.map(|(at, _)| at)),
    ];
    let steps = steps.into_iter().filter_map(|(what, at)| Some((what, at?.as_secs_f64() * 1e3)));
    let mut steps: Vec<_> = steps.collect();
    steps.sort_by(|(_, one), (_, other)| one.total_cmp(other));
    Line { title: format!("rank {seat}, life {incarnation}"), steps }
}
