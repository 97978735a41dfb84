//! A sum of floating-point numbers has the same bits however many cores there are, whether ranks
//! are threads or fibers, in whichever order they come, and in each form of the call.

use support::{Program, Run};

fn program() -> Program {
    support::c("brackets.c").flags(&["-O2", "-Wall"]).build()
}

fn sums(program: &Program, ranks: usize, setting: impl Fn(Run) -> Run) -> String {
    let seen = setting(support::run(program).ranks(ranks).deadline(300)).succeeds();
    assert!(seen.stdout.lines().count() > 100, "{seen}");
    seen.stdout
}

/// The first line that differs says more than all of them.
fn assert_same(one: &str, other: &str, what: &str) {
    let mut pairs = one.lines().zip(other.lines());
    if let Some((one, other)) = pairs.find(|(one, other)| one != other) {
        panic!("{what}: {one}, and {other}");
    }
    assert_eq!(one.lines().count(), other.lines().count(), "{what}");
}

fn same_for(ranks: &[usize]) {
    let program = program();
    for &ranks in ranks {
        let cores = |cores: usize, carrier: &'static str| {
            let option = format!("--ranks={carrier}");
            move |run: Run| run.env("FTMPI_CORES", cores.to_string()).option(&option)
        };
        let first = sums(&program, ranks, cores(1, "fiber"));
        for (number, carrier) in [(2, "thread"), (3, "fiber"), (4, "fiber"), (16, "thread")] {
            let other = sums(&program, ranks, cores(number, carrier));
            assert_same(&first, &other, &format!("{ranks} ranks, {number} cores, {carrier}s"));
        }
        let other = sums(&program, ranks, |run| run.option("--seed=5"));
        assert_same(&first, &other, &format!("{ranks} ranks, in the order of a seed"));
        let atomic = |run: Run| run.option("--mode=rebuild").option("--coll=atomic");
        assert_same(&first, &sums(&program, ranks, atomic), &format!("{ranks} ranks, atomic"));
    }
}

#[test]
fn sums_of_few_ranks_have_the_same_bits_on_any_number_of_cores() {
    same_for(&[2, 3, 4, 5, 7, 8]);
}

#[test]
fn sums_of_more_ranks_have_the_same_bits_on_any_number_of_cores() {
    same_for(&[9, 16, 17, 33]);
}
