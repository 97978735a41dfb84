//! Schedules by the hundred thousand, crash points one by one, and rules broken on purpose.

use super::plan::{Crash, Plan};
use super::{Ending, SIGHTS, agree, recover};
use crate::rules::{Rules, Sound};
use crate::schedules::{self, number};
use crate::view::Mode;

const MODES: [Mode; 3] = [Mode::Blank, Mode::Shrink, Mode::Rebuild];

/// What is tried out.
#[derive(Clone, Copy, Debug)]
enum Subject {
    Agreement,
    Recovery(Mode),
}

impl Subject {
    fn of(seed: u64) -> Subject {
        match seed % 8 {
            0..=3 => Subject::Agreement,
            4 => Subject::Recovery(Mode::Blank),
            5 => Subject::Recovery(Mode::Shrink),
            _ => Subject::Recovery(Mode::Rebuild),
        }
    }

    fn run<R: Rules>(self, plan: Plan, story: bool) -> Ending {
        match self {
            Subject::Agreement => agree::run::<R>(plan, story),
            Subject::Recovery(mode) => recover::run::<R>(plan, mode, story),
        }
    }
}

fn run<R: Rules>(seed: u64, story: bool) -> Ending {
    Subject::of(seed).run::<R>(Plan::random(seed), story)
}

/// Runs the schedules of these seeds: how many deaths there were, and how often each sight.
fn sweep(seeds: std::ops::Range<u64>) -> (usize, [u32; SIGHTS.len()]) {
    let (mut deaths, mut seen) = (0, [0; SIGHTS.len()]);
    for seed in seeds {
        let ending = run::<Sound>(seed, false);
        deaths += ending.deaths;
        seen.iter_mut().enumerate().for_each(|(bit, count)| *count += ending.seen >> bit & 1);
        if let Err(complaint) = ending.verdict {
            panic!(
                "seed {seed}, {:?}: {complaint}\nto read what happened: FTMPI_SEED={seed} cargo \
                 test --release -p ftmpi_fault sim::tests::replay -- --ignored --nocapture",
                Subject::of(seed)
            );
        }
    }
    (deaths, seen)
}

#[test]
fn all_is_well_in_a_hundred_thousand_schedules() {
    let count = if cfg!(miri) { 20 } else { 100_000 };
    let (deaths, seen) = sweep(0..count);
    assert!(deaths > count as usize, "schedules are dangerous: {deaths} deaths");
    for (name, count) in SIGHTS.iter().zip(seen) {
        println!("{count:>7} times: {name}");
        assert!(count > 20 || cfg!(miri), "{name}: {count} times");
    }
}

/// The seeds are those that the test above does not have.
#[test]
#[ignore = "takes minutes"]
fn all_is_well_in_many_schedules() {
    schedules::many("agreements and recoveries", 100_000, |seeds| sweep(seeds).0 as u64);
}

#[test]
fn a_seed_replays_exactly() {
    let mut traces = Vec::new();
    for seed in 0..400 {
        let [first, second] = [false, true].map(|story| run::<Sound>(seed, story));
        assert_eq!((first.trace, first.steps), (second.trace, second.steps), "seed {seed}");
        traces.push(first.trace);
    }
    traces.sort_unstable();
    traces.dedup();
    assert!(traces.len() > 350, "but for the smallest worlds, seeds differ");
}

/// Runs the plan with one crash more at every point there is: each victim, each step, each cut.
/// How many runs that were.
fn crash_everywhere(subject: Subject, plan: &Plan, crashes: usize) -> usize {
    let mut runs = 0;
    for victim in 0..plan.size * 3 {
        let is_victim = |crash: &Crash| crash.victim == victim;
        let mut point = Some(Crash::new(victim, 0, 0));
        while let Some(crash) = point.filter(|_| !plan.crashes.iter().any(is_victim)) {
            let mut more = plan.clone();
            more.crashes.push(crash);
            let ending = subject.run::<Sound>(more.clone(), false);
            runs += 1;
            assert_eq!(ending.verdict, Ok(()), "{subject:?}, {more:?}");
            let crash = ending.plan.crashes[plan.crashes.len()];
            if crash.pieces.is_some() && crashes > 1 {
                runs += crash_everywhere(subject, &more, crashes - 1);
            }
            point = crash.next();
        }
    }
    runs
}

/// All crash points of worlds of some sizes, for some orders of delivery.
fn crash_small_worlds(sizes: &[usize], crashes: usize, subjects: &[Subject], orders: u64) -> usize {
    let mut runs = 0;
    for (&size, &subject) in sizes.iter().flat_map(|n| subjects.iter().map(move |s| (n, s))) {
        for order in 0..orders {
            let mut plan = Plan::calm(order, size, if order == 0 { 1 } else { 12 });
            plan.notice = [1, 4, 12, 40][order as usize % 4];
            plan.is_ordered = order % 3 != 2;
            runs += crash_everywhere(subject, &plan, crashes);
        }
    }
    runs
}

#[test]
fn members_may_die_at_any_point_of_an_agreement() {
    let subjects = [Subject::Agreement];
    let runs = crash_small_worlds(&[3, 4], 1, &subjects, 16)
        + crash_small_worlds(&[3, 4], 2, &subjects, 6);
    println!("{runs} runs");
    assert!(runs > 10_000);
}

#[test]
fn members_may_die_at_any_point_of_a_recovery() {
    let subjects = MODES.map(Subject::Recovery);
    let runs = crash_small_worlds(&[3, 4], 1, &subjects, 16)
        + crash_small_worlds(&[3], 2, &subjects, 6)
        + crash_small_worlds(&[4], 2, &subjects, 2);
    println!("{runs} runs");
    assert!(runs > 10_000);
}

#[test]
#[ignore = "takes minutes"]
fn members_may_die_at_any_points_of_whatever_they_do() {
    let subjects = MODES.map(Subject::Recovery);
    let runs = crash_small_worlds(&[3, 4], 2, &subjects, 12);
    println!("{runs} runs");
    let subjects = [Subject::Agreement];
    let runs = runs
        + crash_small_worlds(&[3, 4], 3, &subjects, 6)
        + crash_small_worlds(&[5], 2, &subjects, 12);
    println!("{runs} runs");
}

#[test]
#[ignore = "prints the story of FTMPI_SEED"]
fn replay() {
    let seed = number("FTMPI_SEED", 0);
    let ending = run::<Sound>(seed, true);
    println!("{:?}: {:?}", Subject::of(seed), ending.plan);
    ending.story.iter().for_each(|line| println!("{line}"));
    println!("{} steps, {} deaths: {:?}", ending.steps, ending.deaths, ending.verdict);
}

/// One broken rule, and within how many schedules somebody must notice.
macro_rules! broken {
    ($($test:ident: $subject:expr, $rule:ident, within $seeds:expr;)+) => {$(
        #[test]
        fn $test() {
            #[derive(Clone)]
            struct Broken;
            impl Rules for Broken {
                const $rule: bool = false;
            }
            is_noticed::<Broken>($subject, $seeds);
        }
    )+};
}

broken! {
    a_decision_without_confirmation_is_noticed:
        Subject::Agreement, CONFIRMS, within 1000;
    a_coordinator_that_ignores_former_proposals_is_noticed:
        Subject::Agreement, INHERITS, within 1000;
    a_coordinator_that_is_content_with_half_of_the_reports_is_noticed:
        Subject::Agreement, POLLS_ALL, within 1000;
    a_member_that_still_listens_to_a_dead_coordinator_is_noticed:
        Subject::Agreement, SHUTS_OUT, within 30_000;
    a_late_report_that_is_not_answered_is_noticed:
        Subject::Agreement, ANSWERS_LATE, within 1000;
    a_proposal_that_nobody_answers_any_more_is_noticed:
        Subject::Agreement, ANSWERS_PROPOSALS, within 30_000;
    a_member_that_does_not_turn_to_the_next_coordinator_is_noticed:
        Subject::Agreement, REPORTS_ANEW, within 1000;
    a_commit_without_the_replacements_is_noticed:
        Subject::Recovery(Mode::Rebuild), COMMITS_COMPLETE, within 1000;
    a_life_that_is_lived_twice_is_noticed:
        Subject::Recovery(Mode::Rebuild), COUNTS_LIVES, within 1000;
    respawns_counted_over_all_slots_are_noticed:
        Subject::Recovery(Mode::Rebuild), COUNTS_PER_SLOT, within 1000;
    survivors_counted_as_failed_respawns_are_noticed:
        Subject::Recovery(Mode::Rebuild), SPARES_SURVIVORS, within 1000;
    a_death_recorded_twice_is_noticed:
        Subject::Recovery(Mode::Shrink), RECORDS_ONCE, within 1000;
}

/// Breaking a rule goes wrong in one of so many schedules; keeping it does not.
fn is_noticed<R: Rules>(subject: Subject, seeds: u64) {
    let goes_wrong = |&seed: &u64| subject.run::<R>(Plan::random(seed), false).verdict.is_err();
    let first = (0..seeds).find(goes_wrong).expect("somebody notices");
    println!("noticed in schedule {first}");
    let verdict = subject.run::<Sound>(Plan::random(first), false).verdict;
    assert_eq!(verdict, Ok(()), "seed {first} with all rules");
}
