//! Schedules by the hundred thousand, crash points one by one, and rules broken on purpose.

use super::plan::{Crash, Plan};
use super::{Ending, agree, recover, revoke};
use crate::fault::rules::{Rules, Sound};
use crate::fault::view::Mode;

const MODES: [Mode; 3] = [Mode::Blank, Mode::Shrink, Mode::Rebuild];

/// What is tried out.
#[derive(Clone, Copy, Debug)]
enum Subject {
    Agreement,
    Revocation,
    Recovery(Mode),
}

impl Subject {
    fn of(seed: u64) -> Subject {
        match seed % 8 {
            0..=2 => Subject::Agreement,
            3 => Subject::Revocation,
            4 => Subject::Recovery(Mode::Blank),
            5 => Subject::Recovery(Mode::Shrink),
            _ => Subject::Recovery(Mode::Rebuild),
        }
    }

    fn run<R: Rules>(self, plan: Plan, story: bool) -> Ending {
        match self {
            Subject::Agreement => agree::run::<R>(plan, story),
            Subject::Revocation => revoke::run::<R>(plan, story),
            Subject::Recovery(mode) => recover::run::<R>(plan, mode, story),
        }
    }
}

fn run<R: Rules>(seed: u64, story: bool) -> Ending {
    Subject::of(seed).run::<R>(Plan::random(seed), story)
}

/// Runs the schedules of these seeds; how many deaths there were.
fn sweep(seeds: std::ops::Range<u64>) -> usize {
    let mut deaths = 0;
    for seed in seeds {
        let ending = run::<Sound>(seed, false);
        deaths += ending.deaths;
        if let Err(complaint) = ending.verdict {
            panic!(
                "seed {seed}, {:?}: {complaint}\nto read what happened: FTMPI_SEED={seed} cargo \
                 test --release --lib fault::sim::tests::replay -- --ignored --nocapture",
                Subject::of(seed)
            );
        }
    }
    deaths
}

#[test]
fn all_is_well_in_a_hundred_thousand_schedules() {
    let count = if cfg!(miri) { 20 } else { 100_000 };
    let deaths = sweep(0..count);
    assert!(deaths > count as usize, "schedules are dangerous: {deaths} deaths");
}

/// A number from the environment.
fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().expect("a number"))
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
