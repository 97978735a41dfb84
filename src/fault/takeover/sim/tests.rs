//! What is true of every schedule, and what would be if a rule was broken.

use super::*;
use crate::schedules::{self, number};

fn schedules() -> u64 {
    number("FTMPI_SCHEDULES", 400)
}

/// Runs a schedule; returns how many faults it has.
fn check(seed: u64) -> u64 {
    let sim = Sim::new(seed, false, SUCCESSION).run();
    let again = "cargo test --release -p ftmpi_fault takeover::sim::tests::replay -- --ignored";
    let verdict = sim.verdict();
    assert_eq!(verdict, Ok(()), "to read it: FTMPI_SEED={seed} {again} --nocapture");
    sim.plan.faults()
}

#[test]
fn there_is_one_world_and_nobody_waits_for_ever_whatever_is_cut_or_lost() {
    (0..schedules()).for_each(|seed| _ = check(seed));
}

#[test]
#[ignore = "takes minutes"]
fn there_is_one_world_in_many_schedules() {
    schedules::many("leases and takeover", 1 << 40, |seeds| seeds.map(check).sum());
}

#[test]
#[ignore = "prints the story of FTMPI_SEED"]
fn replay() {
    let mut sim = Sim::new(number("FTMPI_SEED", 0), false, SUCCESSION);
    sim.tells = true;
    println!("{} hosts, {:?}", sim.hosts.len(), sim.plan);
    let sim = sim.run();
    println!("{:?}", sim.verdict());
}

#[test]
fn a_successor_that_does_not_wait_would_make_two_worlds() {
    let found = (0..20 * schedules())
        .any(|seed| Sim::new(seed, false, Duration::ZERO).run().has_two_worlds());
    assert!(found);
}

/// The first coordinator is lost, and nothing else happens. Where each of the others is needed, and
/// one is held up while they vote, it may take them longer than their leases: then all have ended.
#[test]
fn somebody_takes_over_where_most_hosts_live() {
    let (mut takeovers, mut needless, mut missed) = (0, 0, 0);
    for seed in 0..schedules() {
        let sim = Sim::new(seed, true, SUCCESSION).run();
        assert!(!sim.has_two_worlds(), "seed {seed}");
        let (living, reigning) = sim.survivors();
        let lost = sim.hosts.len() - living.len();
        let [court] = reigning[..] else {
            assert!(reigning.is_empty() && living.is_empty(), "seed {seed}: a part goes on alone");
            missed += 1;
            continue;
        };
        assert_eq!(court.reign.settled().hosts, living, "seed {seed}");
        takeovers += u64::from(court.reign.epoch() > 0);
        needless += u64::from(lost > 1);
    }
    assert!(takeovers > 10);
    assert!(missed * 200 <= schedules(), "{missed} schedules without a successor");
    assert!(needless * 20 <= schedules(), "{needless} schedules lose hosts that are only held up");
}

/// The host of the first coordinator dies without a word. What its voters have heard of it counts,
/// not when they vote, and so it is out as soon as its leases are over, and no later.
#[test]
fn a_host_that_is_lost_with_its_coordinator_is_out_within_four_seconds() {
    let mut lost = 0;
    for seed in 0..schedules() {
        let mut sim = Sim::new(seed, true, SUCCESSION);
        let Some((place, at)) = sim.plan.deaths.first().copied() else { continue };
        for host in &mut sim.hosts {
            host.stall = (0, 0);
        }
        let sim = sim.run();
        let outs = sim.courts.iter().filter_map(|court| court.out.get(&place));
        for out in outs {
            assert!(*out < at + 3_900, "seed {seed}: after {} ms", out - at);
            lost += 1;
        }
    }
    assert!(lost > 20);
}

/// The first coordinator is killed, and all see that. The next one has all votes at once.
#[test]
fn somebody_takes_over_from_a_coordinator_that_is_killed_within_a_tenth_of_a_second() {
    let mut killed = 0;
    for seed in 0..schedules() {
        let mut sim = Sim::new(seed, true, SUCCESSION);
        let Some((_, at)) = sim.plan.kills.first().copied() else { continue };
        sim.plan.slowest = 5;
        for host in &mut sim.hosts {
            host.stall = (0, 0);
        }
        let sim = sim.run();
        let begun = sim.courts.get(1).map(|court| court.begun);
        assert!(begun.is_some_and(|begun| begun < at + 100), "seed {seed}: {begun:?}, {at}");
        killed += 1;
    }
    assert!(killed > 20);
}

/// The first coordinator is killed, and an agent is held up for long just then.
#[test]
fn an_agent_that_is_held_up_while_others_vote_keeps_its_host() {
    let (mut held, mut lost) = (0, 0);
    for seed in 0..schedules() {
        let mut sim = Sim::new(seed, true, SUCCESSION);
        let Some((_, at)) = sim.plan.kills.first().copied() else { continue };
        if sim.hosts.len() < 3 || sim.courts[0].place < sim.hosts.len() {
            continue;
        }
        for host in &mut sim.hosts {
            host.stall = (0, 0);
        }
        let begin = at - sim.random.below(200);
        let victim = sim.random.below(sim.hosts.len() as u64) as usize;
        sim.hosts[victim].stall = (begin, begin + 1000 + sim.random.below(700));
        let sim = sim.run();
        held += 1;
        lost += u64::from(sim.survivors().0.len() < sim.hosts.len());
    }
    assert!(held > 20);
    assert!(lost * 50 <= held, "{lost} of {held} hosts are lost that are only held up");
}
