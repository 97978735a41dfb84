//! What ranks live through: deaths at every step of checkpoints and of restorations, one after the
//! other, with somebody in the place of the dead and without; and rules that are broken.

use super::{ALL_RULES, At, Rank, Rules, World};
use crate::base::random::Random;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Checkpoints with deaths in the last one, then restorations with deaths in the first ones; all in
/// the order of a seed. Nobody loses what anybody was told is safe.
fn story(scheme: &str, members: usize, seed: u64, deaths: &[(bool, usize, u32)]) {
    story_by(ALL_RULES, scheme, members, seed, deaths);
}

fn story_by(rules: Rules, scheme: &str, members: usize, seed: u64, deaths: &[(bool, usize, u32)]) {
    let mut world = World::new(scheme, members, seed);
    world.rules = rules;
    let mut safe = None;
    let mut dead = 0;
    for &(is_restore, who, after) in deaths {
        if !is_restore {
            for _ in 0..world.random.below(3) {
                assert!(world.call(false, None), "nobody dies");
                safe = world.restored();
            }
        }
        let before = world.ranks.iter().flatten().map(|rank| rank.seen).max();
        world.call(is_restore, Some((who, after)));
        let is_told = |rank: &Rank| !is_restore && rank.at == At::Done;
        if world.ranks.iter().flatten().any(is_told) {
            safe = before.map(|serial| serial + 1);
        }
        dead += usize::from(world.has_dead());
        assert!(dead <= world.scheme.spares, "the story keeps to what is promised");
        world.rebuild();
        if deaths.iter().all(|(is_restore, ..)| !is_restore) {
            assert!(world.call(true, None), "{scheme} {seed}: it comes to its end");
            assert!(world.restored() >= safe, "{scheme} {seed} {deaths:?}");
            dead = 0;
        }
    }
    assert!(world.call(true, None), "{scheme} {seed}: it comes to its end");
    let restored = world.restored();
    assert!(
        restored >= safe,
        "{scheme} of {members}, seed {seed}, {deaths:?}: {restored:?} {safe:?}"
    );
    assert!(world.call(false, None), "and the next checkpoint is as good as any");
    assert_eq!(world.restored(), Some(world.ranks[0].as_ref().expect("all live").seen));
}

/// Ranks die one after the other and nobody takes their places, in checkpoints and in restorations,
/// until few are left: between two whole checkpoints no more than the scheme makes up for. What
/// everybody once had, somebody always has.
fn story_of_fewer(scheme: &str, members: usize, least: usize, seed: u64) {
    let mut world = World::new(scheme, members, seed);
    world.is_shrinking = true;
    for (bit, rank) in world.ranks.iter_mut().flatten().enumerate() {
        rank.holdings = 1 << bit;
    }
    while world.members() > least {
        assert!(world.call(false, None), "nobody dies");
        let safe = world.restored();
        assert!(safe.is_some(), "{scheme} {seed}: a checkpoint is there");
        let mut may_die = world.scheme.spares.min(world.members() - least);
        let mut is_restore = world.random.chance(30);
        loop {
            let who = world.random.below(world.members() as u64) as usize;
            let after = world.random.below(u64::from(STEPS)) as u32;
            let death =
                (may_die > 0 && (!is_restore || world.random.chance(60))).then_some((who, after));
            let is_done = world.call(is_restore, death);
            if world.has_dead() {
                may_die -= 1;
                world.shrink();
            } else if is_restore && is_done {
                break;
            }
            is_restore = true;
        }
        assert!(world.restored() >= safe, "{scheme} {seed}: {:?} {safe:?}", world.restored());
        let all = world.ranks.iter().flatten().fold(0, |all, rank| {
            assert_eq!(all & rank.holdings, 0, "{scheme} {seed}: nobody's data come twice");
            all | rank.holdings
        });
        assert_eq!(all, (1 << members) - 1, "{scheme} {seed}: somebody's data are gone");
    }
}

#[test]
fn in_a_world_that_gets_smaller_somebody_has_the_data_of_everybody() {
    for seed in 0..500 {
        for (scheme, members, least) in
            [("xor", 6, 2), ("rs:2", 8, 3), ("ring", 6, 2), ("pair", 7, 2), ("rs:3", 9, 4)]
        {
            story_of_fewer(scheme, members, least, seed);
        }
    }
}

const STEPS: u32 = 16;

#[test]
fn a_death_at_any_step_of_a_checkpoint_loses_nothing() {
    for (scheme, members) in [
        ("xor", 2),
        ("xor", 4),
        ("rs:2", 5),
        ("ring", 4),
        ("pair", 3),
        ("mirror", 4),
        ("rs,dedicated", 4),
    ] {
        for (who, after) in (0..members).flat_map(|who| (0..STEPS).map(move |after| (who, after))) {
            for seed in 0..15 {
                story(scheme, members, seed, &[(false, who, after)]);
            }
        }
    }
}

#[test]
fn a_death_at_any_step_of_a_restoration_loses_nothing() {
    for (scheme, members) in [("rs:2", 4), ("weighted:2,dedicated", 5), ("rs:2,groups=2", 6)] {
        for first in 0..members {
            for (who, after) in
                (0..members).flat_map(|who| (0..STEPS).map(move |after| (who, after)))
            {
                for seed in 0..6 {
                    let step = (seed as u32 * 5 + after) % STEPS;
                    story(scheme, members, seed, &[(false, first, step), (true, who, after)]);
                }
            }
        }
    }
}

#[test]
fn one_death_after_the_other_loses_nothing() {
    let mut random = Random::new(77);
    for seed in 0..1500 {
        let (scheme, members) =
            [("xor", 5), ("rs:3", 7), ("ring", 6), ("pair", 6)][seed as usize % 4];
        let deaths: Vec<(bool, usize, u32)> = (0..5)
            .map(|_| {
                (
                    false,
                    random.below(members as u64) as usize,
                    random.below(u64::from(STEPS)) as u32,
                )
            })
            .collect();
        story(scheme, members, seed, &deaths);
    }
}

#[test]
fn a_rule_that_is_broken_is_noticed() {
    let broken =
        [Rules { meets_after_work: false, ..ALL_RULES }, Rules { confirms: false, ..ALL_RULES }];
    let is_noticed = |rules: Rules| {
        let mut random = Random::new(5);
        (0..3000).any(|seed| {
            let (scheme, members) = [("xor", 5), ("rs:2", 6), ("ring", 4)][seed as usize % 3];
            let deaths: Vec<(bool, usize, u32)> = (0..4)
                .map(|_| {
                    let who = random.below(members as u64) as usize;
                    (false, who, random.below(u64::from(STEPS)) as u32)
                })
                .collect();
            let told = || story_by(rules, scheme, members, seed, &deaths);
            catch_unwind(AssertUnwindSafe(told)).is_err()
        })
    };
    let noticed = broken.map(is_noticed);
    assert_eq!(noticed, [true; 2], "work, confirmation");
}
