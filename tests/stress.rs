//! Messages of all sizes and modes between many ranks with many threads, checked by their sums.
//!
//! `FTMPI_STRESS_SEED=7 cargo test --release --test stress` replays the run with that seed;
//! `FTMPI_STRESS_RUNS=100` tries that many seeds.

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().map(|text| text.parse().expect("a number"))
}

fn storm(ranks: usize, messages: usize) {
    let program = support::c("stress.c").flags(&["-O2", "-Wall", "-pthread"]).build();
    let first = number("FTMPI_STRESS_SEED").unwrap_or(1);
    for seed in first..first + number("FTMPI_STRESS_RUNS").unwrap_or(1) {
        println!("seed {seed}");
        let arguments = [seed.to_string(), messages.to_string()];
        let outcome = support::run(&program).ranks(ranks).args(arguments).succeeds();
        let total = format!("{} messages", ranks * messages);
        assert!(outcome.stdout.starts_with(&total), "{outcome}");
    }
}

#[test]
fn nothing_is_lost_or_damaged_between_64_ranks() {
    storm(64, 500);
}

#[test]
fn nothing_is_lost_or_damaged_between_two_ranks_in_a_hurry() {
    storm(2, 3000);
}
