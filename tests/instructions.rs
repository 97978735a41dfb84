//! How many instructions a short message costs, counted by the processor's trap flag: the same on
//! every machine, however busy. Figures of a build that is not optimised say nothing, so there the
//! test is left out, and cargo says so.

mod support;

/// What each call may take for its message, once that is there: a little more than it takes today.
/// The same source has taken from 163 to 170 in MPI_Recv, as the compiler keeps more or fewer of
/// the arguments in registers when code elsewhere changes.
const LIMITS: &[(&str, u64)] = &[
    ("send", 165),
    ("recv", 172),
    ("isend", 175),
    ("irecv", 179),
    ("waitall-of-sends", 28),
    ("waitall-of-receives", 160),
    ("irecv+wait", 470),
];

#[test]
#[cfg_attr(not(is_optimised), ignore = "NOT COUNTED: the build is not optimised (opt-level 3)")]
fn a_short_message_costs_few_instructions() {
    let program = support::c("instructions.c").flags(&["-O2"]).build();
    let outcome = support::run(&program).ranks(2).succeeds();
    let counts: Vec<(&str, u64)> = outcome
        .stdout
        .lines()
        .filter_map(|line| line.split_once(' '))
        .filter_map(|(call, count)| Some((call, count.parse().ok()?)))
        .collect();
    let nothing = counts.iter().find(|(call, _)| *call == "nothing").expect("it was counted");
    assert!(nothing.1 > 0, "THIS MACHINE DOES NOT COUNT: the trap flag has no effect\n{outcome}");
    for (call, limit) in LIMITS {
        let seen: Vec<u64> =
            counts.iter().filter(|(name, _)| name == call).map(|(_, count)| *count).collect();
        assert!(!seen.is_empty(), "{call} was counted\n{outcome}");
        for count in seen {
            println!("{call}: {count} instructions of at most {limit}");
            assert!((1..=*limit).contains(&count), "{call}: {count}, at most {limit}\n{outcome}");
        }
    }
}
