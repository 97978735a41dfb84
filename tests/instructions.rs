//! How many instructions a short message costs, and a one-sided call or a collective operation on 8
//! bytes, counted by the processor's trap flag: the same on every machine, however busy. Figures of
//! a build that is not optimised say nothing, so there the test is left out, and cargo says so.

use support::Outcome;

/// What each call may take for its message, once that is there: about a tenth more than it takes
/// today. One source has taken from 163 to 170 in MPI_Recv, as the compiler keeps more or fewer of
/// the arguments in registers when code elsewhere changes.
const LIMITS: &[(&str, u64)] = &[
    ("send", 190),
    ("recv", 187),
    ("isend", 207),
    ("irecv", 190),
    ("waitall-of-sends", 31),
    ("waitall-of-receives", 190),
    ("irecv+wait", 525),
];

/// So many that two and four ranks have cores of their own, and 120 share them.
const CORES: &str = "4";
const THREADS: usize = 4;

/// What it takes to wake a thread that sleeps. On an idle machine those who wait for a moment look
/// again and again; on a busy one they sleep, so the last to come to one of `MEETINGS` may have to
/// wake each of the others.
const WAKE: u64 = 45;
const MEETINGS: [&str; 2] = ["barrier", "allreduce"];

/// What collective operations may take at a member that need not wait, among 2, 4 and 120, while
/// the others are awake: a seventh more than today. Builds of one source in two directories differ
/// by up to a tenth here, because the compiler draws the borders of inlining elsewhere.
const COLLECTIVE_LIMITS: &[(&str, [u64; 3])] = &[
    ("barrier", [500, 540, 1620]),
    ("bcast-root", [705, 705, 705]),
    ("bcast", [590, 590, 590]),
    ("reduce", [910, 910, 910]),
    ("reduce-root", [1200, 1360, 5700]),
    ("allreduce", [1240, 1415, 6770]),
    ("gather", [840, 840, 840]),
    ("gather-root", [1020, 1265, 4800]),
];

/// What one-sided calls may take, for 8 bytes of another rank's: a seventh more than today.
const ONE_SIDED_LIMITS: &[(&str, u64)] = &[
    ("put", 240),
    ("get", 235),
    ("accumulate", 268),
    ("accumulate-double", 274),
    ("accumulate-max", 645),
    ("get_accumulate", 290),
    ("get_accumulate-4", 800),
    ("fetch_and_op", 234),
    ("compare_and_swap", 237),
    ("flush", 100),
    ("lock", 150),
    ("unlock", 160),
];

/// What `outcome` has counted of a call.
fn counts(outcome: &Outcome, call: &str) -> Vec<u64> {
    let counted = |line: &str| {
        let (name, count) = line.split_once(' ')?;
        (name == call).then(|| count.parse().expect("a number"))
    };
    let seen: Vec<u64> = outcome.stdout.lines().filter_map(counted).collect();
    assert!(!seen.is_empty(), "{call} was counted\n{outcome}");
    seen
}

fn must_count(outcome: &Outcome) {
    let nothing = counts(outcome, "nothing")[0];
    assert!(nothing > 0, "THIS MACHINE DOES NOT COUNT: the trap flag has no effect\n{outcome}");
}

fn must_be_within(outcome: &Outcome, call: &str, limit: u64) {
    for count in counts(outcome, call) {
        println!("{call}: {count} instructions of at most {limit}");
        assert!((1..=limit).contains(&count), "{call}: {count}, at most {limit}\n{outcome}");
    }
}

#[test]
#[cfg_attr(not(is_optimised), ignore = "NOT COUNTED: the build is not optimised (opt-level 3)")]
fn a_short_message_costs_few_instructions() {
    let program = support::c("instructions.c").flags(&["-O2"]).build();
    let outcome = support::run(&program).env("FTMPI_CORES", CORES).ranks(2).succeeds();
    must_count(&outcome);
    LIMITS.iter().for_each(|(call, limit)| must_be_within(&outcome, call, *limit));
}

#[test]
#[cfg_attr(not(is_optimised), ignore = "NOT COUNTED: the build is not optimised (opt-level 3)")]
fn a_small_collective_costs_few_instructions() {
    let program = support::c("instructions_coll.c").flags(&["-O2"]).build();
    for (place, ranks) in [2, 4, 120].into_iter().enumerate() {
        let wakes = WAKE * ((THREADS.min(ranks) - 1) as u64);
        let run = support::run(&program).env("FTMPI_CORES", CORES);
        let outcome = run.ranks(ranks).succeeds();
        must_count(&outcome);
        for (call, limits) in COLLECTIVE_LIMITS {
            let wakes = if MEETINGS.contains(call) { wakes } else { 0 };
            must_be_within(&outcome, call, limits[place] + wakes);
        }
    }
}

#[test]
#[cfg_attr(not(is_optimised), ignore = "NOT COUNTED: the build is not optimised (opt-level 3)")]
fn a_one_sided_call_costs_few_instructions() {
    let program = support::c("instructions_rma.c").flags(&["-O2"]).build();
    let outcome = support::run(&program).env("FTMPI_CORES", CORES).ranks(2).succeeds();
    must_count(&outcome);
    ONE_SIDED_LIMITS.iter().for_each(|(call, limit)| must_be_within(&outcome, call, *limit));
}

/// Failures slow the windows down that have lost a member, and no others.
#[test]
#[cfg_attr(not(is_optimised), ignore = "NOT COUNTED: the build is not optimised (opt-level 3)")]
fn one_sided_calls_on_a_whole_window_cost_as_little_after_a_failure() {
    let program = support::c("instructions_rma.c").flags(&["-O2"]).build();
    let cases: [(&str, usize, &[&str]); 5] = [
        ("ft", 2, &["--mode=rebuild"]),
        ("ft", 3, &["--mode=shrink"]),
        ("blank", 3, &["--mode=blank"]),
        ("ulfm", 3, &["--mode=ulfm"]),
        ("spawn", 2, &["--mode=ulfm", "--universe=3"]),
    ];
    for (case, ranks, options) in cases {
        let run = support::run(&program).env("FTMPI_CORES", CORES).ranks(ranks).args([case]);
        let outcome = options.iter().fold(run, |run, option| run.option(*option)).succeeds();
        must_count(&outcome);
        println!("{case} {options:?}");
        ONE_SIDED_LIMITS.iter().for_each(|(call, limit)| must_be_within(&outcome, call, *limit));
    }
}
