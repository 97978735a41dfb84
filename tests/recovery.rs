//! Ranks die and the others recover, by FT-MPI's rules.

mod support;

use support::Run;

fn rebuild(ranks: usize, args: &[&str]) -> Run {
    let program = support::c("rebuild.c").flags(&["-O1", "-Wall"]).build();
    support::run(&program).ranks(ranks).args(args).env("FTMPI_COMM_MODE", "rebuild").deadline(60)
}

#[test]
fn a_rank_that_died_is_started_again_and_the_world_is_whole() {
    for how in ["raise", "exit", "segv"] {
        let seen = rebuild(4, &["5", "1", how]).succeeds();
        assert_eq!(seen.stdout, "5 rounds, 4 ranks\n", "{how}: {seen}");
    }
}

#[test]
fn all_but_one_may_die_at_once_and_again_and_again() {
    let seen = rebuild(16, &["40", "15"]).succeeds();
    assert_eq!(seen.stdout, "40 rounds, 16 ranks\n", "{seen}");
}

#[test]
fn nobody_has_to_set_an_error_handler() {
    let seen = rebuild(3, &["1", "2"]).succeeds();
    assert_eq!(seen.stdout, "1 rounds, 3 ranks\n", "{seen}");
}
